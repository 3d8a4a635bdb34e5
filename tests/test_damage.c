/*
 * test_damage.c - files that were changed, cut, lengthened, exchanged and forged.
 *
 * Three small files of three games, results and distances, one of them with several shards.
 * Each copy is opened and asked for positions all over the table, and is one of
 *
 *     refused at open, refused at probe, right       wrong: never
 *
 * and where it was not refused at open, checking must find the damage.  Oracle: what the sound
 * file says.  `make damage` changes every byte; `make test` a sample.
 *
 * A forged file has right checksums.  It may answer what it likes, but must do no harm: no crash,
 * and no more memory than FORGED_MEMORY, which RLIMIT_AS holds it to.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "core/load.h"
#include "probe/bareking.h"
#include "table/decode.h"
#include "tb/verify.h"
#include "tests/files.h"
#include "tests/forge.h"
#include "tests/proof.h"

#define FORGED_MEMORY (UINT64_C(64) << 20) /* bytes, besides those of the program as it is */
#define ASKED         300                  /* positions a side */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITED false /* sanitizers take address space as they like */
#else
#define LIMITED true
#endif

static const struct patient_file {
    const char *game, *material, *path;
    enum bk_kind kind;
} patients[] = {
    { "shatranj", "KRvKR", "tests/golden/wdl/shatranj/KRvKR.bkw", BK_KIND_WDL },
    { "puzzle-mini", "KNvKF", "tests/golden/normal/puzzle-mini/KNvKF.bkd", BK_KIND_DTW },
    { "chess", "KRvK", "tests/golden/normal/chess/KRvK.bkd", BK_KIND_DTW },
};
#define PATIENTS (sizeof patients / sizeof *patients)

enum { AT_OPEN, AT_PROBE, RIGHT, WRONG, CLASSES };

/* A sound file, what it says, and room for a copy. */
struct patient {
    const struct patient_file *of;
    struct bk_variant *v;
    struct bk_material m;
    uint8_t *bytes;
    size_t n;
    unsigned *value; /* by question: see ask() */
    int fd;          /* of the copy */
    char copy[64];   /* its path */
    unsigned found[CLASSES];
};

static size_t step; /* 1: every byte */

/* == Files == */

static void put_copy(const struct patient *p, const uint8_t *bytes, size_t n)
{
    assert_int_equal(ftruncate(p->fd, (off_t)n), 0);
    assert_int_equal(pwrite(p->fd, bytes, n, 0), n);
}

/* == Asking == */

/* Asks about positions all over the table.  seen: takes each answer or error; false ends it. */
static void ask(struct bk_file *f,
                bool (*seen)(struct patient *p, unsigned nth, enum bk_err err, unsigned value),
                struct patient *p)
{
    const struct bk_index *ix = bk_file_index(f);
    unsigned sides = bk_file_info(f)->one_side ? 1 : 2;

    for (unsigned i = 0; i < sides * ASKED; i++) {
        uint64_t number = (uint64_t)((double)ix->positions * (i / sides) / ASKED);
        struct bk_placement at;
        struct bk_pos pos;
        unsigned value = 0;
        enum bk_err err;

        if (number >= ix->positions)
            return;
        bk_index_unrank(ix, number, &at);
        if (!bk_index_position(ix, &at, i % sides, &pos))
            continue;
        err = bk_file_value(f, i % sides, number, &at, &value, NULL);
        if (!seen(p, i, err, value))
            return;
    }
}

static bool remember(struct patient *p, unsigned nth, enum bk_err err, unsigned value)
{
    assert_int_equal(err, BK_OK);
    p->value[nth] = value;
    return true;
}

static int worst; /* of the copy being asked */

static bool compare(struct patient *p, unsigned nth, enum bk_err err, unsigned value)
{
    if (err && err != BK_E_CORRUPT)
        fail_msg("error %d is no damage", err);
    if (err && worst < WRONG)
        worst = AT_PROBE;
    if (!err && value != p->value[nth])
        worst = WRONG;
    return true; /* other shards must be right, or refuse, too */
}

/* Returns how the copy answers; if it opens, bk_file_check() must find what is wrong. */
static int classify(struct patient *p, const char *what, size_t at)
{
    struct bk_file *f;
    enum bk_err err = bk_file_open_as(&f, p->copy, p->v, &p->m, p->of->kind, NULL);

    worst = RIGHT;
    if (err) {
        if (err != BK_E_CORRUPT)
            fail_msg("%s of %s, %zu: error %d is no damage", what, p->of->path, at, err);
        p->found[AT_OPEN]++;
        return AT_OPEN;
    }
    ask(f, compare, p);
    p->found[worst]++;
    if (worst == WRONG)
        fail_msg("%s of %s, %zu: a wrong value", what, p->of->path, at);
    if (bk_file_check(f, NULL) != BK_E_CORRUPT)
        fail_msg("%s of %s, %zu: check does not see it", what, p->of->path, at);
    bk_file_close(f);
    return worst;
}

/* == Patients == */

static void patient_open(struct patient *p, const struct patient_file *of)
{
    struct bk_report why = { "" };
    struct bk_file *f;

    memset(p, 0, sizeof *p);
    p->of = of;
    if (bk_variant_load(&p->v, of->game, &why) ||
        bk_material_parse(&p->m, p->v, of->material, &why))
        fail_msg("%s", why.text);
    p->bytes = slurp(of->path, &p->n);
    p->value = calloc(2 * ASKED, sizeof *p->value);
    p->fd = memfd_create("copy", 0);
    assert_true(p->fd >= 0);
    snprintf(p->copy, sizeof p->copy, "/proc/self/fd/%d", p->fd);
    if (bk_file_open_as(&f, of->path, p->v, &p->m, of->kind, &why))
        fail_msg("%s", why.text);
    ask(f, remember, p);
    assert_int_equal(bk_file_check(f, NULL), BK_OK);
    bk_file_close(f);
}

/* what: the damage done, for a line of counts; NULL: no line */
static void patient_close(struct patient *p, const char *what)
{
    if (what)
        print_message("%s %s, %zu bytes, %s: %u refused at open, %u at probe, %u right, %u wrong\n",
                      p->of->game, p->of->material, p->n, what, p->found[AT_OPEN],
                      p->found[AT_PROBE], p->found[RIGHT], p->found[WRONG]);
    close(p->fd);
    free(p->bytes);
    free(p->value);
    bk_variant_free(p->v);
}

/* == Damage == */

static void damage__of_any_byte_gives_no_wrong_value(void **state)
{
    static const uint8_t way[3] = { 0x01, 0x80, 0xff };

    (void)state;
    for (size_t i = 0; i < PATIENTS; i++) {
        struct patient p;

        patient_open(&p, &patients[i]);
        for (size_t at = i % step; at < p.n; at += step)
            for (unsigned k = 0; k < 3; k++) {
                p.bytes[at] ^= way[k];
                put_copy(&p, p.bytes, p.n);
                classify(&p, "a byte", at);
                p.bytes[at] ^= way[k];
            }
        patient_close(&p, "a byte changed");
    }
}

static void damage__of_the_length_is_always_refused_at_open(void **state)
{
    static const size_t more[] = { 1, 2, 3, 7, 8, 14, 64, 511, 4096, 1 << 20 };

    (void)state;
    for (size_t i = 0; i < PATIENTS; i++) {
        struct patient p;
        uint8_t *longer;

        patient_open(&p, &patients[i]);
        longer = malloc(p.n + (1 << 20));
        memcpy(longer, p.bytes, p.n);
        for (size_t n = 0; n<p.n; n += n> 200 ? step : 1) {
            put_copy(&p, p.bytes, n);
            assert_int_equal(classify(&p, "a length", n), AT_OPEN);
        }
        for (unsigned fill = 0; fill < 3; fill++)
            for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
                for (size_t b = 0; b < more[k]; b++) /* zeros, the file once more, noise */
                    longer[p.n + b] = fill == 0   ? 0
                                      : fill == 1 ? p.bytes[b % p.n]
                                                  : (uint8_t)(b * 197 + b / 7);
                put_copy(&p, longer, p.n + more[k]);
                assert_int_equal(classify(&p, "more bytes", more[k]), AT_OPEN);
            }
        free(longer);
        patient_close(&p, "cut or lengthened");
    }
}

/* Neighbouring pieces change places: the seeds of checksums tell them apart. */
static void damage__of_the_order_gives_no_wrong_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < PATIENTS; i++) {
        struct patient p;
        uint8_t *mixed;

        patient_open(&p, &patients[i]);
        mixed = malloc(p.n);
        for (size_t piece = 1; piece <= p.n / 2; piece = piece * 3 / 2 + 1)
            for (size_t at = 0; at + 2 * piece <= p.n; at += piece * (step > 1 ? 3 : 1)) {
                memcpy(mixed, p.bytes, p.n);
                memcpy(mixed + at, p.bytes + at + piece, piece);
                memcpy(mixed + at + piece, p.bytes + at, piece);
                if (!memcmp(mixed, p.bytes, p.n))
                    continue;
                put_copy(&p, mixed, p.n);
                classify(&p, "exchanged pieces", at);
            }
        free(mixed);
        patient_close(&p, "pieces exchanged");
    }
}

/* == Other files under a table's name == */

static struct patient *stranger;
static unsigned strangers;

static int try_stranger(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    const char *name = path + ftw->base;
    uint8_t *bytes;
    size_t n;
    struct bk_file *f;

    (void)st;
    if (type != FTW_F || !strstr(name, ".bk"))
        return 0;
    bytes = slurp(path, &n);
    if (n != stranger->n || memcmp(bytes, stranger->bytes, n)) {
        put_copy(stranger, bytes, n);
        strangers++;
        if (!bk_file_open_as(&f, stranger->copy, stranger->v, &stranger->m, stranger->of->kind,
                             NULL)) {
            bk_file_close(f);
            fail_msg("%s passes for %s", path, stranger->of->path);
        }
    }
    free(bytes);
    return 0;
}

static void damage__no_other_file_passes_for_a_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < PATIENTS; i++) {
        struct patient p;

        patient_open(&p, &patients[i]);
        stranger = &p;
        assert_int_equal(nftw("tests/golden/normal", try_stranger, 8, FTW_PHYS), 0);
        assert_int_equal(nftw("tests/golden/wdl", try_stranger, 8, FTW_PHYS), 0);
        patient_close(&p, NULL);
    }
    assert_true(strangers > 300);
}

/* A folder of links to tables, for the library; `game` is the folder of one game in it. */
struct folder {
    char path[PROOF_DIR_MAX], game[PROOF_DIR_MAX + 8];
};

static void link_file(const struct folder *to, const char *from, const char *name)
{
    char path[PATH_MAX], target[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", to->game, name);
    unlink(path);
    assert_non_null(realpath(from, target));
    assert_int_equal(symlink(target, path), 0);
}

static void link_all(const struct folder *to, const char *from)
{
    DIR *dir = opendir(from);

    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s/%s", from, e->d_name);
        if (strstr(e->d_name, ".bk"))
            link_file(to, path, e->d_name);
    }
    closedir(dir);
}

static void folder_open(struct folder *f, const char *from)
{
    snprintf(f->game, sizeof f->game, "%s/chess", proof_folder(f->path));
    assert_int_equal(mkdir(f->game, 0777), 0);
    link_all(f, from);
}

static const char *const asked[] = {
    "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", "8/8/8/3k4/8/8/4P3/4K3 b - - 0 1",
    "8/4P3/8/3k4/8/8/8/4K3 w - - 0 1", "8/8/4k3/8/4P3/4K3/8/8 w - - 0 1",
    "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",  "8/8/8/3k4/8/8/8/R3K3 b - - 0 1",
    "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1",  "8/8/8/k7/8/2K5/1P6/8 b - - 0 1",
};
#define FENS (sizeof asked / sizeof *asked)

static void answers(const char *path, struct bk_answer out[FENS], enum bk_lib_err err[FENS])
{
    struct bk_lib *lib;

    assert_int_equal(bk_open(&lib, "chess", path), BK_LIB_OK);
    for (size_t i = 0; i < FENS; i++)
        err[i] = bk_probe_fen(lib, asked[i], &out[i]);
    bk_close(lib);
}

static void damage__exchanged_and_renamed_files_are_refused_by_the_library(void **state)
{
    static const char *const name[] = { "KPvK", "KRvK", "KQvK", "KNvK" };
    struct bk_answer sound[FENS], out[FENS];
    enum bk_lib_err good[FENS], err[FENS];
    unsigned refused = 0;

    (void)state;
    answers("tests/golden/normal", sound, good);
    for (unsigned i = 0; i < 8; i++)
        for (unsigned k = 0; k < 8; k++) {
            struct folder f;
            char from[100], to[20];

            if (i == k)
                continue;
            folder_open(&f, "tests/golden/normal/chess");
            snprintf(from, sizeof from, "tests/golden/normal/chess/%s.bk%c", name[i / 2],
                     "wd"[i % 2]);
            snprintf(to, sizeof to, "%s.bk%c", name[k / 2], "wd"[k % 2]);
            link_file(&f, from, to);
            answers(f.path, out, err);
            for (size_t q = 0; q < FENS; q++) {
                if (err[q] && err[q] != BK_LIB_CORRUPT)
                    fail_msg("%s as %s: error %d", from, to, err[q]);
                if (!err[q])
                    assert_memory_equal(&out[q], &sound[q], sizeof out[q]);
                refused += err[q] != BK_LIB_OK;
            }
            proof_remove(f.path);
        }
    assert_true(refused > 50);
}

/* Another file in place of a .bkd: results are told, and asking for distances is an error. */
static void damage__of_distances_leaves_the_results(void **state)
{
    static const char *const in_place[] = { "KRvK.bkw", "KQvK.bkd", "KRvK+K.bkd" };
    static const char *const fen = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1";

    (void)state;
    for (size_t i = 0; i < sizeof in_place / sizeof *in_place; i++) {
        struct bk_lib_ranked move[64];
        struct bk_answer a;
        struct bk_lib *lib;
        struct folder f;
        char from[100];
        size_t n;
        int wdl = 0;

        folder_open(&f, "tests/golden/normal/chess");
        snprintf(from, sizeof from, "tests/golden/normal/chess/%s", in_place[i]);
        link_file(&f, from, "KRvK.bkd");
        assert_int_equal(bk_open(&lib, "chess", f.path), BK_LIB_OK);
        assert_int_equal(bk_probe_fen_wdl(lib, fen, 0, &wdl), BK_LIB_OK);
        assert_int_equal(wdl, 1);
        assert_int_equal(bk_probe_fen(lib, fen, &a), BK_LIB_CORRUPT);
        assert_non_null(strstr(bk_error(lib), "KRvK.bkd: "));
        assert_int_equal(bk_rank_moves_fen(lib, fen, 0, BK_LIB_WDL_ONLY, move, 64, &n), BK_LIB_OK);
        assert_int_equal(move[0].wdl, 1);
        assert_int_equal(bk_rank_moves_fen(lib, fen, 0, 0, move, 64, &n), BK_LIB_CORRUPT);
        bk_close(lib);
        proof_remove(f.path);
    }
}

/* Standalone results beside distances that are not standalone, and the other way round. */
static void damage__a_pair_of_two_kinds_is_right_all_the_same(void **state)
{
    struct bk_answer sound[FENS], out[FENS];
    enum bk_lib_err good[FENS], err[FENS];

    (void)state;
    answers("tests/golden/normal", sound, good);
    for (unsigned way = 0; way < 2; way++) {
        struct folder f;
        char from[100], to[20];

        folder_open(&f, "tests/golden/normal/chess");
        snprintf(from, sizeof from, "tests/golden/alone/chess/KPvK.bk%c", "wd"[way]);
        snprintf(to, sizeof to, "KPvK.bk%c", "wd"[way]);
        link_file(&f, from, to);
        answers(f.path, out, err);
        for (size_t q = 0; q < FENS; q++) {
            assert_int_equal(err[q], BK_LIB_OK);
            assert_memory_equal(&out[q], &sound[q], sizeof out[q]);
        }
        proof_remove(f.path);
    }
}

/* == Forged: the checksums are right == */

static struct rlimit before;

static uint64_t address_space(void)
{
    unsigned long long pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");

    assert_non_null(in);
    assert_int_equal(fscanf(in, "%llu", &pages), 1);
    fclose(in);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(void)
{
    struct rlimit now;

    getrlimit(RLIMIT_AS, &before);
    now = before;
    now.rlim_cur = address_space() + FORGED_MEMORY;
    if (LIMITED)
        assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
}

static void free_memory(void) { setrlimit(RLIMIT_AS, &before); }

static bool no_matter(struct patient *p, unsigned nth, enum bk_err err, unsigned value)
{
    (void)nth;
    (void)value;
    if (err == BK_E_SYSTEM)
        fail_msg("%s: forged, takes more than it should", p->of->path);
    return true;
}

/* Opens the copy, whatever it holds, and reads all of it.  as: what it should hold, or NULL. */
static int ask_forged(struct patient *p, const struct bk_material *as, const char *what)
{
    struct bk_report why = { "" };
    struct bk_file *f;
    enum bk_err err = bk_file_open_as(&f, p->copy, p->v, as, p->of->kind, &why);

    if (err) {
        if (!bk_is_of_file(err))
            fail_msg("%s: %s", what, why.text);
        p->found[AT_OPEN]++;
        return AT_OPEN;
    }
    ask(f, no_matter, p);
    err = bk_file_check(f, &why);
    bk_file_close(f);
    if (err && !bk_is_of_file(err))
        fail_msg("%s: %s", what, why.text);
    p->found[err ? AT_PROBE : RIGHT]++;
    return err ? AT_PROBE : RIGHT;
}

/* Gives every byte of the head all values (in a sample every fifth), with the right checksum. */
static void forged__heads_do_no_harm_and_take_little_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < PATIENTS; i++) {
        struct patient p;
        uint32_t head;

        patient_open(&p, &patients[i]);
        head = p.bytes[12] | (uint32_t)p.bytes[13] << 8;
        limit_memory();
        for (size_t at = 8; at < head - 8; at++)
            for (unsigned x = 0; x<256; x += step> 1 ? 5 : 1) {
                uint8_t was = p.bytes[at];
                uint64_t sum;

                p.bytes[at] = (uint8_t)x;
                sum = XXH3_64bits(p.bytes, head - 8);
                memcpy(p.bytes + head - 8, &sum, 8);
                put_copy(&p, p.bytes, p.n);
                ask_forged(&p, x & 1 ? &p.m : NULL, "a byte of the head");
                p.bytes[at] = was;
            }
        free_memory();
        patient_close(&p, "a byte of the head forged");
    }
}

/* Changes every byte behind the head and makes all checksums for it; models are not compressed. */
static void forged__bodies_do_no_harm_and_take_little_memory(void **state)
{
    static const uint8_t way[3] = { 0x01, 0x80, 0xff };

    (void)state;
    for (size_t i = 0; i < PATIENTS; i++) {
        struct patient p;
        struct forge f;

        patient_open(&p, &patients[i]);
        assert_true(forge_open(&f, p.bytes, p.n));
        forge_unpack_models(&f);
        limit_memory();
        for (size_t at = 0; at < f.body_bytes; at += step)
            for (unsigned k = 0; k < 3; k++) {
                uint8_t *bytes;
                size_t n;

                f.body[at] ^= way[k];
                bytes = forge_write(&f, &n);
                put_copy(&p, bytes, n);
                free(bytes);
                ask_forged(&p, &p.m, "a byte of the body");
                f.body[at] ^= way[k];
            }
        free_memory();
        forge_release(&f);
        patient_close(&p, "a byte behind the head forged");
    }
}

/* What a forged head claims, of a file that is mostly holes. */
struct claim {
    const char *what, *material;
    uint64_t positions, model_bytes, shard_bytes, number;
    uint32_t shards, blocks;
    unsigned units;
    bool behind; /* the number is one past the last */
};

static const struct claim claims[] = {
    { .what = "a material with an index of 1 GB", .material = "KPPPvKPP" },
    { .what = "the same with no positions", .material = "KPPPvKPP", .positions = 1 },
    { .what = "the same with too many", .material = "KPPPvKPP", .positions = UINT64_MAX / 2 },
    { .what = "another one", .material = "KPPPvKP", .positions = 28056 },
    { .what = "endless positions", .positions = UINT64_MAX },
    { .what = "the largest model", .model_bytes = BK_MODEL_MOST },
    { .what = "all shards that a head can say", .shards = UINT32_MAX },
    { .what = "a directory of 16 million shards", .shards = 1 << 24 },
    { .what = "a terabyte of shards", .shard_bytes = UINT64_C(1) << 40 },
    { .what = "shards beyond any file", .shard_bytes = UINT64_MAX >> 8 },
    { .what = "all blocks that a head can say", .blocks = UINT32_MAX },
    { .what = "the most units", .units = BK_UNITS_MAX },
    { .what = "the most units of the largest models",
      .units = BK_UNITS_MAX,
      .model_bytes = BK_MODEL_MOST },
    { .what = "the most units with many shards", .units = BK_UNITS_MAX, .shards = 1 << 20 },
    { .what = "a longest win that begins nowhere", .number = UINT64_MAX },
    { .what = "a longest win behind the last number", .behind = true },
    { .what = "a material that is written otherwise", .material = "kRvK" },
};

static void apply(struct forge *f, const struct claim *c)
{
    struct bk_file_info *i = &f->head.info;
    struct bk_unit_head first = f->head.unit[0];

    if (c->material)
        strcpy(i->material, c->material);
    if (c->positions)
        i->positions = c->positions;
    if (c->number || c->behind) {
        i->summary.win_plies[0] = 3;
        i->summary.win_number[0] = c->behind ? i->positions : c->number;
    }
    if (c->material) { /* an order of as many digits as it needs */
        i->norder = (unsigned)strlen(c->material) - 2;
        for (unsigned s = 0; s + 1 < i->norder; s++)
            i->order[s] = (uint8_t)s;
        i->order[i->norder - 1] = BK_KINGS_SLOT;
    }
    if (c->units) {
        i->nunits = c->units;
        free(f->head.unit);
        f->head.unit = calloc(c->units, sizeof *f->head.unit);
        for (unsigned u = 0; u < c->units; u++)
            f->head.unit[u] = first;
    }
    for (unsigned u = 0; u < i->nunits; u++) {
        if (c->model_bytes)
            f->head.unit[u].model_bytes = c->model_bytes;
        if (c->shards)
            f->head.unit[u].shards = c->shards;
        if (c->shard_bytes)
            f->head.unit[u].shard_bytes = c->shard_bytes;
        if (c->blocks)
            f->head.unit[u].nblocks = c->blocks;
    }
}

/* Makes the copy as long as the head says, if the machine has files of that size. */
static void stretch(const struct patient *p, const struct forge *f)
{
    uint64_t n = f->head.bytes;

    for (unsigned u = 0; u < f->head.info.nunits; u++)
        n += f->head.unit[u].model_bytes + bk_directory_bytes(&f->head.unit[u]) +
             f->head.unit[u].shard_bytes;
    if (n < UINT64_C(1) << 45 && ftruncate(p->fd, (off_t)n))
        print_message("no file of %llu bytes here\n", (unsigned long long)n);
}

static void forged__claims_are_compared_before_memory_is_taken(void **state)
{
    (void)state;
    alarm(60);
    for (size_t k = 0; k < sizeof claims / sizeof *claims; k++)
        for (unsigned named = 0; named < 2; named++) {
            struct patient p;
            struct forge f;
            uint8_t *bytes;
            size_t n;

            patient_open(&p, &patients[2]);
            assert_true(forge_open(&f, p.bytes, p.n));
            apply(&f, &claims[k]);
            bytes = forge_write(&f, &n);
            put_copy(&p, bytes, n);
            free(bytes);
            stretch(&p, &f);
            limit_memory();
            if (ask_forged(&p, named ? &p.m : NULL, claims[k].what) == RIGHT)
                fail_msg("%s: believed", claims[k].what);
            free_memory();
            forge_release(&f);
            patient_close(&p, NULL);
        }
    alarm(0);
}

/* Forged summaries: of impossible numbers, or of possible ones that are not true. */
static const struct {
    const char *what;
    int64_t win, draw, loss, all_win, win_plies, loss_plies, win_number; /* added to the file's */
    bool few; /* placements: one less than there are wins */
    bool possible;
} sums[] = {
    { .what = "more wins than numbers", .win = 1 << 20, .all_win = 1 << 20 },
    { .what = "more results than numbers", .draw = 1 << 20 },
    { .what = "fewer results than none", .loss = -(1 << 20) },
    { .what = "fewer wins over all placements", .all_win = -(1 << 30) },
    { .what = "wins that stand nowhere", .few = true },
    { .what = "a longest win of even plies", .win_plies = 1 },
    { .what = "a longest loss of odd plies", .loss_plies = 1 },
    { .what = "wins and no longest one", .win_plies = -32 },
    { .what = "a longer win", .win_plies = 2, .possible = true },
    { .what = "a shorter win", .win_plies = -2, .possible = true },
    { .what = "a longer loss", .loss_plies = 2, .possible = true },
    { .what = "a longest win elsewhere", .win_number = -1, .possible = true },
    { .what = "a win less", .win = -1, .possible = true },
    { .what = "nothing wrong", .possible = true },
};
#define SUMS (sizeof sums / sizeof *sums)

/* Puts a copy of a golden file into the folder, its summary forged as sums[nth] says. */
static void put_forged(const struct folder *to, const char *from, const char *name, size_t nth)
{
    char path[PATH_MAX];
    size_t n;
    uint8_t *bytes = slurp(from, &n), *forged;
    struct bk_summary *s;
    struct forge f;
    FILE *out;

    assert_true(forge_open(&f, bytes, n));
    s = &f.head.info.summary;
    s->win[0] += (uint64_t)sums[nth].win;
    s->draw[0] += (uint64_t)sums[nth].draw;
    s->loss[1] += (uint64_t)sums[nth].loss;
    s->all_win[0] = sums[nth].few ? s->win[0] - 1 : s->all_win[0] + (uint64_t)sums[nth].all_win;
    s->win_plies[0] += sums[nth].win_plies;
    s->loss_plies[1] += sums[nth].loss_plies;
    s->win_number[0] += (uint64_t)sums[nth].win_number;
    forged = forge_write(&f, &n);
    snprintf(path, sizeof path, "%s/%s", to->game, name);
    unlink(path);
    out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(forged, 1, n, out), n);
    fclose(out);
    free(forged);
    free(bytes);
    forge_release(&f);
}

static void forged__sums_are_refused_or_found_out(void **state)
{
    struct bk_variant *v;
    struct bk_material m;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "chess", NULL), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KRvK", NULL), BK_OK);
    for (size_t i = 0; i < SUMS; i++) {
        struct bk_verify_options o = { .memory = i & 1 ? 1 : 0 }; /* by rows, or one by one */
        struct bk_verify_result r;
        struct bk_report why = { "" };
        struct folder f;
        enum bk_err err;

        folder_open(&f, "tests/golden/normal/chess");
        put_forged(&f, "tests/golden/normal/chess/KRvK.bkw", "KRvK.bkw", i);
        put_forged(&f, "tests/golden/normal/chess/KRvK.bkd", "KRvK.bkd", i);
        err = bk_verify(v, f.path, &m, &o, &r, &why);
        if (err != (i == SUMS - 1 ? BK_OK : sums[i].possible ? BK_E_DIFFERS : BK_E_CORRUPT))
            fail_msg("%s: %d, %s", sums[i].what, err, why.text);
        proof_remove(f.path);
    }
    bk_variant_free(v);
}

/* == Models that grow == */

/* A frame that unpacks to `size` bytes: `first`, then 2^17 times `byte` from each four bytes. */
static uint8_t *bomb(uint32_t size, uint8_t byte, const uint8_t first[16], size_t *n)
{
    uint8_t *frame = malloc(64 + (size / (1 << 17) + 2) * 4), *at = frame + 9;
    uint32_t left = size - 16;

    memcpy(frame, "\x28\xb5\x2f\xfd\xa0", 5);
    memcpy(frame + 5, &size, 4);
    memcpy(at, (uint8_t[]){ 16 << 3, 0, 0 }, 3); /* raw: the counts */
    memcpy(at + 3, first, 16);
    for (at += 19; left; at += 4) {
        uint32_t now = left < 1 << 17 ? left : 1 << 17, block;

        left -= now;
        block = now << 3 | 1 << 1 | (left == 0);
        memcpy(at, &block, 3);
        at[3] = byte;
    }
    *n = (size_t)(at - frame);
    return frame;
}

static void put_model(struct forge *f, const uint8_t *model, size_t n)
{
    struct bk_unit_head *u = &f->head.unit[0];
    size_t rest = f->body_bytes - u->model_bytes;
    uint8_t *body = malloc(n + rest + 1);

    memcpy(body, model, n);
    memcpy(body + n, f->body + u->model_bytes, rest);
    free(f->body);
    f->body = body;
    f->body_bytes = n + rest;
    u->model_bytes = n;
}

static void forged__models_unpack_to_no_more_than_their_positions_need(void **state)
{
    static const uint32_t size[] = {
        1 << 10, 1 << 20, 1 << 24, (1 << 28) - 3, 1 << 28, UINT32_MAX
    };

    (void)state;
    alarm(60);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (unsigned byte = 0; byte < 2; byte++) {
            uint32_t nodes = (size[i] - 16) | 1, zero = size[i] - 16 - nodes;
            uint8_t counts[16] = { 0 }, *model, *bytes;
            struct patient p;
            struct forge f;
            size_t n;

            memcpy(counts, &nodes, 4);
            memcpy(counts + 4, &zero, 4);
            patient_open(&p, &patients[2]);
            assert_true(forge_open(&f, p.bytes, p.n));
            model = bomb(size[i] == UINT32_MAX ? 1 << 28 : size[i], (uint8_t)byte, counts, &n);
            if (size[i] == UINT32_MAX)
                memcpy(model + 5, &size[i], 4); /* more than there is */
            put_model(&f, model, n);
            free(model);
            bytes = forge_write(&f, &n);
            put_copy(&p, bytes, n);
            free(bytes);
            limit_memory();
            if (ask_forged(&p, &p.m, "a model that grows") == RIGHT)
                fail_msg("a model of %u bytes is believed", size[i]);
            free_memory();
            forge_release(&f);
            patient_close(&p, NULL);
        }
    alarm(0);
}

static void forged__nothing_stands_behind_a_model(void **state)
{
    static const uint8_t skipped[8] = { 0x50, 0x2a, 0x4d, 0x18 }; /* a frame of nothing */
    struct patient p;
    struct forge f;
    uint8_t *model, *bytes;
    size_t n;

    (void)state;
    patient_open(&p, &patients[2]);
    assert_true(forge_open(&f, p.bytes, p.n));
    n = f.head.unit[0].model_bytes;
    model = malloc(n + sizeof skipped);
    memcpy(model, f.body, n);
    memcpy(model + n, skipped, sizeof skipped);
    put_model(&f, model, n + sizeof skipped);
    free(model);
    bytes = forge_write(&f, &n);
    put_copy(&p, bytes, n);
    free(bytes);
    assert_int_equal(ask_forged(&p, &p.m, "a frame behind a model"), AT_PROBE);
    forge_release(&f);
    patient_close(&p, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage__of_any_byte_gives_no_wrong_value),
        cmocka_unit_test(damage__of_the_length_is_always_refused_at_open),
        cmocka_unit_test(damage__of_the_order_gives_no_wrong_value),
        cmocka_unit_test(damage__no_other_file_passes_for_a_table),
        cmocka_unit_test(damage__exchanged_and_renamed_files_are_refused_by_the_library),
        cmocka_unit_test(damage__of_distances_leaves_the_results),
        cmocka_unit_test(damage__a_pair_of_two_kinds_is_right_all_the_same),
        cmocka_unit_test(forged__heads_do_no_harm_and_take_little_memory),
        cmocka_unit_test(forged__bodies_do_no_harm_and_take_little_memory),
        cmocka_unit_test(forged__claims_are_compared_before_memory_is_taken),
        cmocka_unit_test(forged__sums_are_refused_or_found_out),
        cmocka_unit_test(forged__models_unpack_to_no_more_than_their_positions_need),
        cmocka_unit_test(forged__nothing_stands_behind_a_model),
    };

    step = getenv("DAMAGE_ALL") ? 1 : 23;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
