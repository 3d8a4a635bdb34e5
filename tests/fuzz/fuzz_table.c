/*
 * fuzz_table.c - the input is a table file; its checksums are made right.
 *
 * Its rules become those of the game that it names, too, and the last unit's shards take the bytes
 * that the sizes in the head leave over, so that changed files get past the first checks.
 * Such a file may be refused, or answer whatever it likes; it must do no harm.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/derive.h"
#include "table/decode.h"
#include "table/format.h"
#include "tests/forge.h"
#include "tests/fuzz/fuzz.h"

#define ASKED   64 /* positions a side */
#define MEN_MAX 5  /* an index takes memory by its material, whatever the file */

static char path[64];
static int fd = -1;

/* Makes the bytes a file in memory, which has the path `path`. */
static void place(const uint8_t *bytes, size_t n)
{
    if (fd < 0) {
        fd = memfd_create("table", 0);
        FUZZ_CHECK(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_CHECK(!ftruncate(fd, (off_t)n));
    FUZZ_CHECK(pwrite(fd, bytes, n, 0) == (ssize_t)n);
}

/* Returns the game that a head names and sets the head's rules_id to its; NULL: no such game, or
   more than MEN_MAX men. */
static const struct bk_variant *game_of(struct bk_file_info *i)
{
    const struct bk_variant *v = fuzz_game(i->variant);
    struct bk_material m;

    if (!v || bk_material_parse(&m, v, i->material, NULL) || bk_material_men(&m, v) > MEN_MAX)
        return NULL;
    i->rules_id = v->wings_id[bk_wings(m.rights)];
    return v;
}

static void fill(struct forge *f)
{
    uint64_t others = 0;
    struct bk_unit_head *last = &f->head.unit[f->head.info.nunits - 1];

    for (unsigned i = 0; i < f->head.info.nunits; i++)
        others += f->head.unit[i].model_bytes + bk_directory_bytes(&f->head.unit[i]) +
                  (i + 1 < f->head.info.nunits ? f->head.unit[i].shard_bytes : 0);
    if (others <= f->body_bytes)
        last->shard_bytes = f->body_bytes - others;
}

static void ask_row(struct bk_file *f, struct bk_scan *scan, unsigned side, uint64_t number)
{
    struct bk_row_values values;
    struct bk_row row;
    uint64_t care[4];

    bk_row_of(bk_file_rows(f), number, &row);
    if (bk_row_care(&row, bk_file_index(f)->nslots + 2, care))
        bk_scan_row(scan, side, &row, care, &values, NULL);
}

static void ask(struct bk_file *f)
{
    const struct bk_index *ix = bk_file_index(f);
    struct bk_scan *scan;

    if (bk_scan_new(&scan, f, NULL))
        scan = NULL;
    for (unsigned i = 0; i < 2 * ASKED; i++) {
        unsigned side = i & 1, value = 0;
        uint64_t number = ix->positions * (i / 2) / ASKED;
        struct bk_placement at;
        struct bk_pos p;

        if (number >= ix->positions)
            break;
        bk_index_unrank(ix, number, &at);
        if (!bk_index_position(ix, &at, side, &p))
            continue;
        if (!bk_file_value(f, side, number, &at, &value, NULL))
            FUZZ_CHECK(value < 1u << bk_kind_bits(bk_file_info(f)->kind));
        if (scan)
            ask_row(f, scan, side, number);
    }
    bk_scan_free(scan);
}

static void look(struct bk_file *f)
{
    struct bk_unit_info unit;

    for (unsigned i = 0; i < bk_file_info(f)->nunits; i++)
        bk_file_unit(f, i, &unit, NULL);
    bk_file_check(f, NULL);
}

/* Writes the input to the file $FUZZ_SEED, its models unpacked, for the corpus. */
static void keep_seed(struct forge *f)
{
    const char *to = getenv("FUZZ_SEED");
    FILE *out = to ? fopen(to, "wb") : NULL;
    uint8_t *bytes;
    size_t n;

    if (!out)
        return;
    forge_unpack_models(f);
    bytes = forge_write(f, &n);
    fwrite(bytes, 1, n, out);
    fclose(out);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const struct bk_variant *v;
    struct bk_file *file;
    struct forge f;
    uint8_t *all;
    size_t all_bytes;

    if (!forge_open(&f, bytes, n))
        return 0;
    if ((v = game_of(&f.head.info)) != NULL) {
        fill(&f);
        all = forge_write(&f, &all_bytes);
        place(all, all_bytes);
        free(all);
        if (!bk_file_open(&file, path, v, NULL)) {
            ask(file);
            look(file);
            bk_file_close(file);
        }
        keep_seed(&f);
    }
    forge_release(&f);
    return 0;
}
