/*
 * test_file.c - table files: a second reader agrees, and damage is never a value.
 *
 * Oracles: slow_file.c, written from docs/format.md alone; and, for damaged
 * files, the values of the sound one.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "core/move.h"
#include "probe/bareking.h"
#include "table/catalog.h"
#include "table/material.h"
#include "table/format.h"
#include "table/units.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/left_out.h"
#include "tests/proof.h"
#include "tests/slow_file.h"

static char dir[PROOF_DIR_MAX];

/* == Tables == */

static void build(const char *game, const char *name)
{
    struct bk_variant *v = load(game);

    proof_build(v, dir, name);
    bk_variant_free(v);
}

static int set_up(void **state)
{
    (void)state;
    proof_folder(dir);
    build("chess", "KPvK");
    build("chess", "KRvKR+Kk");
    build("chess", "KBvK");
    build("chess", "KNvKN");
    build("shatranj", "KRvKN");
    build("shatranj", "KQvKQ");
    return 0;
}

static char *path_of(char out[PATH_MAX], const struct bk_variant *v, const char *name,
                     enum bk_kind kind)
{
    struct bk_material m = material(v, name);

    return bk_table_path(out, dir, v, &m, kind);
}

static struct bk_file *open_file(const char *path, const struct bk_variant *v)
{
    struct bk_file *f;
    struct bk_report why;

    if (bk_file_open(&f, path, v, &why))
        fail_msg("%s", why.text);
    return f;
}

/* == The second reader == */

static unsigned of_row(const struct bk_row_values *values, unsigned bits, unsigned sq)
{
    unsigned x = 0;

    for (unsigned b = 0; b < bits; b++)
        x |= (unsigned)(values->plane[b][sq >> 6] >> (sq & 63) & 1) << b;
    return x;
}

/* Returns the value of one number, which must be the same asked alone and with its row. */
static unsigned ask_both_ways(struct bk_file *f, struct bk_scan *scan, unsigned side,
                              uint64_t number, const struct bk_placement *at)
{
    const struct bk_index *ix = bk_file_index(f);
    struct bk_row_values values;
    struct bk_report why;
    struct bk_row row;
    uint64_t care[4];
    unsigned one;

    if (bk_file_value(f, side, number, at, &one, &why))
        fail_msg("%s", why.text);
    bk_row_of(bk_file_rows(f), number, &row);
    assert_true(bk_row_care(&row, ix->nslots + 2, care));
    if (bk_scan_row(scan, side, &row, care, &values, &why))
        fail_msg("%s", why.text);
    assert_int_equal(one, of_row(&values, bk_kind_bits(bk_file_info(f)->kind),
                                 row.inner_sq[number - row.first]));
    return one;
}

/* Compares both readers at every step-th number of each side. */
static void compare_readers(const char *path, const struct bk_variant *v, uint64_t step)
{
    char why[200];
    struct slow_file *slow = slow_file_open(path, v, why);
    struct bk_file *f = open_file(path, v);
    const struct bk_index *ix = bk_file_index(f);
    unsigned sides = bk_file_info(f)->one_side ? 1 : 2, compared = 0;
    struct bk_scan *scan;

    if (!slow)
        fail_msg("%s: %s", path, why);
    assert_int_equal(bk_scan_new(&scan, f, NULL), BK_OK);
    assert_int_equal(slow_file_one_side(slow), bk_file_info(f)->one_side);
    assert_int_equal(slow_file_summary(slow, 1, 2), bk_file_info(f)->summary.loss[1]);
    assert_int_equal(slow_file_summary(slow, 0, 6), bk_file_info(f)->summary.win_plies[0] + 1);
    for (unsigned side = 0; side < sides; side++)
        for (uint64_t n = 0; n < ix->positions; n += step) {
            struct bk_placement at;
            struct bk_pos p;

            bk_index_unrank(ix, n, &at);
            if (!bk_index_position(ix, &at, side, &p))
                continue;
            assert_int_equal(ask_both_ways(f, scan, side, n, &at), slow_file_value(slow, side, n));
            compared++;
        }
    assert_true(compared > 0);
    bk_scan_free(scan);
    bk_file_close(f);
    slow_file_close(slow);
}

static void compare_game(const char *game, const char *const *name, unsigned n)
{
    struct bk_variant *v = load(game);
    char path[PATH_MAX];

    for (unsigned i = 0; i < n; i++)
        for (int kind = BK_KIND_WDL; kind <= BK_KIND_DTW; kind++) {
            struct bk_file *f = open_file(path_of(path, v, name[i], (enum bk_kind)kind), v);
            uint64_t all = bk_file_info(f)->positions;

            bk_file_close(f);
            compare_readers(path, v, all / 20000 | 1);
        }
    bk_variant_free(v);
}

static void file__a_reader_written_from_the_page_alone_agrees(void **state)
{
    static const char *const chess[] = { "KPvK", "KQvK", "KRvK", "KBvK", "KRvKR+Kk" };
    static const char *const shatranj[] = { "KRvKN", "KQvKQ" };

    (void)state;
    compare_game("chess", chess, sizeof chess / sizeof *chess);
    compare_game("shatranj", shatranj, sizeof shatranj / sizeof *shatranj);
}

/* The file of docs/format.md 12. */
static const uint8_t by_hand[161] = {
    0x89, 0x42, 0x4b, 0x45, 0x0d, 0x0a, 0x1a, 0x0a, 0x01, 0x00, 0x01, 0x06, 0x50, 0x00, 0x00,
    0x00, 0x01, 0x85, 0xb1, 0xef, 0xf2, 0x13, 0xee, 0x5a, 0x80, 0xc0, 0x73, 0x03, 0xff, 0x01,
    0x00, 0x05, 0x4b, 0x4e, 0x76, 0x4b, 0x4e, 0x05, 0x63, 0x68, 0x65, 0x73, 0x73, 0x05, 0xf0,
    0xd3, 0x5f, 0x01, 0x28, 0xa8, 0x8b, 0xfd, 0x05, 0x08, 0x02, 0x82, 0xa4, 0x3b, 0x01, 0xc8,
    0xc8, 0x01, 0x01, 0x01, 0x23, 0x01, 0x20, 0x24, 0xde, 0xd4, 0xa3, 0x00, 0xdf, 0x93, 0x64,
    0xb9, 0x2a, 0xfd, 0x2f, 0x21, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x1a, 0xd1, 0x00, 0x00, 0x01,
    0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x02, 0x00, 0x01, 0x03, 0x0f, 0x00, 0x04, 0x02, 0x00, 0xe0, 0x1c, 0x00, 0x02,
    0x00, 0x02, 0x00, 0x00, 0x00, 0x99, 0xe6, 0xf3, 0xc2, 0x36, 0x9c, 0x96, 0x40, 0xb0, 0xae,
    0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x2c, 0x4d, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
};

static void file__the_one_that_the_page_explains_is_read(void **state)
{
    struct bk_variant *v = load("chess");
    char path[PATH_MAX], made[PATH_MAX];
    struct bk_file *f, *own;
    FILE *out;

    (void)state;
    snprintf(path, sizeof path, "%s/by-hand", dir);
    out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(by_hand, 1, sizeof by_hand, out), sizeof by_hand);
    assert_int_equal(fclose(out), 0);
    compare_readers(path, v, 1);
    f = open_file(path, v);
    own = open_file(path_of(made, v, "KNvKN", BK_KIND_WDL), v);
    assert_memory_equal(&bk_file_info(f)->summary, &bk_file_info(own)->summary,
                        sizeof(struct bk_summary));
    bk_file_close(own);
    bk_file_close(f);
    bk_variant_free(v);
}

/* == Damage == */

/* A sound file in memory, and what it says of some numbers. */
struct sound {
    const struct bk_variant *v;
    uint8_t *bytes;
    size_t n;
    uint64_t step;
    unsigned *value;
    char path[PATH_MAX]; /* of damaged copies */
};

/* Asks every step-th number of both sides; hands each value, up to the first error, to `seen`. */
static void ask_some(struct bk_file *f, uint64_t step,
                     void (*seen)(void *context, size_t nth, enum bk_err err, unsigned value),
                     void *context)
{
    const struct bk_index *ix = bk_file_index(f);
    unsigned sides = bk_file_info(f)->one_side ? 1 : 2;
    size_t nth = 0;

    for (unsigned side = 0; side < sides; side++)
        for (uint64_t n = 0; n < ix->positions; n += step, nth++) {
            struct bk_placement at;
            struct bk_pos p;
            unsigned value = 0;
            enum bk_err err;

            bk_index_unrank(ix, n, &at);
            if (!bk_index_position(ix, &at, side, &p))
                continue;
            err = bk_file_value(f, side, n, &at, &value, NULL);
            seen(context, nth, err, value);
            if (err)
                return; /* one is enough */
        }
}

static void remember(void *context, size_t nth, enum bk_err err, unsigned value)
{
    struct sound *s = context;

    assert_int_equal(err, BK_OK);
    s->value[nth] = value;
}

static void must_be_right(void *context, size_t nth, enum bk_err err, unsigned value)
{
    const struct sound *s = context;

    if (err)
        assert_int_equal(err, BK_E_CORRUPT);
    else
        assert_int_equal(value, s->value[nth]);
}

static void sound_open(struct sound *s, const struct bk_variant *v, const char *name,
                       enum bk_kind kind)
{
    char path[PATH_MAX];
    struct bk_file *f = open_file(path_of(path, v, name, kind), v);

    s->v = v;
    s->bytes = slurp(path, &s->n);
    s->step = bk_file_info(f)->positions / 200 + 1;
    s->value = calloc(1000, sizeof *s->value);
    snprintf(s->path, sizeof s->path, "%s/damaged", dir);
    ask_some(f, s->step, remember, s);
    bk_file_close(f);
}

static void sound_close(struct sound *s)
{
    free(s->bytes);
    free(s->value);
}

/* Whatever the copy says is what the sound file says, or an error; check must find the damage. */
static void ask_damaged(struct sound *s, size_t n, size_t at)
{
    struct bk_file *f;
    enum bk_err err;

    spill(s->path, s->bytes, n);
    err = bk_file_open(&f, s->path, s->v, NULL);
    if (err) {
        assert_int_equal(err, BK_E_CORRUPT);
        return;
    }
    ask_some(f, s->step, must_be_right, s);
    if (bk_file_check(f, NULL) != BK_E_CORRUPT)
        fail_msg("%s: nobody sees the damage at %zu", s->path, at);
    bk_file_close(f);
}

static void damage_every_byte(const struct bk_variant *v, const char *name, enum bk_kind kind)
{
    static const uint8_t way[3] = { 0x01, 0x80, 0xff };
    struct sound s;

    sound_open(&s, v, name, kind);
    for (size_t at = 0; at < s.n; at++)
        for (unsigned i = 0; i < 3; i++) {
            s.bytes[at] ^= way[i];
            ask_damaged(&s, s.n, at);
            s.bytes[at] ^= way[i];
        }
    sound_close(&s);
}

static void file__no_damaged_byte_gives_a_wrong_value(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    damage_every_byte(v, "KBvK", BK_KIND_WDL);
    damage_every_byte(v, "KRvK", BK_KIND_WDL);
    damage_every_byte(v, "KPvK", BK_KIND_WDL);
    damage_every_byte(v, "KRvKR+Kk", BK_KIND_DTW);
    bk_variant_free(v);
}

static void file__no_length_but_its_own_is_taken(void **state)
{
    struct bk_variant *v = load("chess");
    struct bk_file *f;
    struct sound s;

    (void)state;
    sound_open(&s, v, "KPvK", BK_KIND_WDL);
    for (size_t n = 0; n <= s.n + 1; n++) {
        if (n == s.n)
            continue;
        s.bytes[s.n] = 0; /* slurp() left room for one more */
        spill(s.path, s.bytes, n);
        assert_int_equal(bk_file_open(&f, s.path, v, NULL), BK_E_CORRUPT);
    }
    sound_close(&s);
    bk_variant_free(v);
}

static void file__one_that_shrinks_while_it_is_open_is_an_error(void **state)
{
    struct bk_variant *v = load("chess");
    struct bk_file *f;
    struct sound s;

    (void)state;
    sound_open(&s, v, "KPvK", BK_KIND_WDL);
    spill(s.path, s.bytes, s.n);
    f = open_file(s.path, v);
    assert_int_equal(truncate(s.path, (off_t)s.n - 1), 0);
    ask_some(f, s.step, must_be_right, &s);
    assert_int_equal(bk_file_check(f, NULL), BK_E_CORRUPT);
    bk_file_close(f);
    sound_close(&s);
    bk_variant_free(v);
}

/* == What readers refuse, and what they skip == */

/* Sets the head's own length to `head`, and its checksum to the right one. */
static void seal_head(uint8_t *bytes, uint32_t head)
{
    XXH64_hash_t sum;

    for (unsigned i = 0; i < 4; i++)
        bytes[12 + i] = (uint8_t)(head >> 8 * i);
    sum = XXH3_64bits(bytes, head - 8);
    for (unsigned i = 0; i < 8; i++)
        bytes[head - 8 + i] = (uint8_t)(sum >> 8 * i);
}

static uint32_t head_bytes(const uint8_t *bytes)
{
    return bytes[12] | (uint32_t)bytes[13] << 8 | (uint32_t)bytes[14] << 16;
}

static enum bk_err open_with(struct sound *s, size_t n, struct bk_report *why)
{
    struct bk_file *f;
    enum bk_err err;

    spill(s->path, s->bytes, n);
    err = bk_file_open(&f, s->path, s->v, why);
    if (!err)
        bk_file_close(f);
    return err;
}

static void refuse_byte(struct sound *s, size_t at, uint8_t value, enum bk_err err,
                        const char *what)
{
    uint8_t was = s->bytes[at];
    struct bk_report why = { "" };

    s->bytes[at] = value;
    seal_head(s->bytes, head_bytes(s->bytes));
    assert_int_equal(open_with(s, s->n, &why), err);
    if (!strstr(why.text, what))
        fail_msg("'%s' does not say '%s'", why.text, what);
    s->bytes[at] = was;
    seal_head(s->bytes, head_bytes(s->bytes));
}

static void file__what_is_newer_or_older_is_refused_by_name(void **state)
{
    struct bk_variant *v = load("chess");
    struct sound s;

    (void)state;
    sound_open(&s, v, "KBvK", BK_KIND_WDL);
    refuse_byte(&s, 3, 'T', BK_E_CORRUPT, "older bareking: build it again");
    refuse_byte(&s, 3, 'X', BK_E_CORRUPT, "not a bareking table");
    refuse_byte(&s, 8, 2, BK_E_NEWER, "needs a newer bareking (format version 2)");
    refuse_byte(&s, 8, 0, BK_E_CORRUPT, "damaged: version");
    refuse_byte(&s, 9, 4, BK_E_NEWER, "needs a newer bareking (kind 4)");
    refuse_byte(&s, 10, 2, BK_E_NEWER, "needs a newer bareking (facts of version 2)");
    refuse_byte(&s, 10, 0, BK_E_CORRUPT, "damaged: version of the facts");
    refuse_byte(&s, 11, s.bytes[11] | 8, BK_E_NEWER, "needs a newer bareking (flags");
    refuse_byte(&s, 16, (uint8_t)~s.bytes[16], BK_E_CORRUPT, "other rules");
    assert_int_equal(open_with(&s, s.n, NULL), BK_OK);
    sound_close(&s);
    bk_variant_free(v);
}

/* Puts an optional section of two bytes at the end of the head. */
static void add_section(struct sound *s, uint8_t tag)
{
    uint32_t head = head_bytes(s->bytes);
    uint8_t *more = malloc(s->n + 5);
    const uint8_t section[5] = { 1, tag, 2, 'h', 'i' };

    memcpy(more, s->bytes, head - 9);
    memcpy(more + head - 9, section, 5);
    memcpy(more + head + 4, s->bytes + head, s->n - head); /* checksum's 8: made by seal_head() */
    memmove(more + head + 4, more + head + 4, s->n - head);
    seal_head(more, head + 4);
    free(s->bytes);
    s->bytes = more;
    s->n += 4;
}

static void file__even_sections_are_skipped_and_odd_ones_refused(void **state)
{
    struct bk_variant *v = load("chess");
    struct bk_report why = { "" };
    struct sound s;

    (void)state;
    sound_open(&s, v, "KBvK", BK_KIND_WDL);
    add_section(&s, 6);
    assert_int_equal(open_with(&s, s.n, &why), BK_OK);
    sound_close(&s);
    sound_open(&s, v, "KBvK", BK_KIND_WDL);
    add_section(&s, 7);
    assert_int_equal(open_with(&s, s.n, &why), BK_E_NEWER);
    assert_non_null(strstr(why.text, "needs a newer bareking (section 7)"));
    sound_close(&s);
    bk_variant_free(v);
}

static void file__small_tables_have_small_heads(void **state)
{
    struct bk_variant *v = load("chess");
    struct sound s;

    (void)state;
    sound_open(&s, v, "KBvK", BK_KIND_WDL);
    assert_in_range(s.n, 100, 250);
    assert_in_range(head_bytes(s.bytes), 60, 150);
    sound_close(&s);
    bk_variant_free(v);
}

/*
 * Bytes are the same on every machine, by one release of libzstd.  Answers would be right whatever
 * the bytes are, but bytes take room, and checkpoints, processes and memory must not change them.
 * Whoever changes them on purpose writes down the new sums, and says in the commit what files take.
 */
static void file__has_the_same_bytes_as_ever(void **state)
{
    static const struct {
        const char *game, *name;
        uint64_t sum[2]; /* by kind */
    } row[] = {
        { "chess", "KPvK", { UINT64_C(0x5aa49da62f04afc3), UINT64_C(0x06981d0d94e895a0) } },
        { "chess", "KRvKR+Kk", { UINT64_C(0xf8a94ccdc6d756f0), UINT64_C(0xe7cc4fe8682ca025) } },
        { "chess", "KBvK", { UINT64_C(0x7fa6446278623013), UINT64_C(0xe485711049a6febd) } },
        { "shatranj", "KRvKN", { UINT64_C(0x78c0acc022865d35), UINT64_C(0x582a41ae957b30ca) } },
        { "shatranj", "KQvKQ", { UINT64_C(0x133579e8ff6b7754), UINT64_C(0xa18bf0d0eb218d28) } },
    };

    (void)state;
    if (ZSTD_versionNumber() != PROOF_ZSTD)
        leave_out("another zstd than that whose bytes are known");
    for (unsigned i = 0; i < 2 * sizeof row / sizeof *row; i++) {
        struct bk_variant *v = load(row[i / 2].game);
        char path[PATH_MAX];
        size_t n;
        uint8_t *bytes = slurp(path_of(path, v, row[i / 2].name, (enum bk_kind)(i % 2)), &n);
        uint64_t sum = XXH3_64bits(bytes, n);

        if (sum != row[i / 2].sum[i % 2])
            fail_msg("%s: %zu bytes, 0x%016" PRIx64, path, n, sum);
        free(bytes);
        bk_variant_free(v);
    }
}

/* == The cache == */

#define SHARDS      300u
#define SHARD_BYTES 1000u

struct cached {
    struct bk_cache *cache;
    struct bk_shards *c;
    uint64_t seed;
    unsigned wrong;
};

/* Byte i of shard `nth`. */
static uint8_t byte_of(unsigned nth, unsigned i) { return (uint8_t)(nth * 31 + i * 7 + (i >> 8)); }

static struct bk_shard_place place_of(unsigned nth)
{
    struct bk_shard_place p = { .nth = nth, .local = nth, .bytes = SHARD_BYTES };
    uint8_t bytes[SHARD_BYTES];

    for (unsigned i = 0; i < SHARD_BYTES; i++)
        bytes[i] = byte_of(nth, i);
    p.at = (uint64_t)nth * SHARD_BYTES;
    p.sum = bk_shard_sum(bytes, SHARD_BYTES, nth);
    return p;
}

static void *ask_cache(void *context)
{
    struct cached *t = context;

    for (unsigned i = 0; i < 20000; i++) {
        struct bk_shard_place p;
        const uint8_t *data;
        unsigned nth, visit = bk_visit_begin(t->cache);

        t->seed = t->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        nth = (unsigned)(t->seed >> 33) % SHARDS;
        p = place_of(nth);
        if (bk_shards_get(t->c, &p, &data, NULL)) {
            t->wrong++;
            bk_visit_end(t->cache, visit);
            continue;
        }
        for (unsigned k = 0; k < SHARD_BYTES; k += 111)
            t->wrong += data[k] != byte_of(nth, k);
        bk_visit_end(t->cache, visit);
    }
    return NULL;
}

static void ask_with_budget(uint64_t budget)
{
    char path[PATH_MAX];
    FILE *file;
    struct cached thread[4];
    pthread_t id[4];
    struct bk_shards *c;
    struct bk_shards_of of = {
        .path = path, .worth = BK_WORTH_WDL, .n = SHARDS, .bytes = (uint64_t)SHARDS * SHARD_BYTES
    };

    snprintf(path, sizeof path, "%s/shards", dir);
    file = fopen(path, "w+b");
    assert_non_null(file);
    for (unsigned nth = 0; nth < SHARDS; nth++)
        for (unsigned i = 0; i < SHARD_BYTES; i++)
            fputc(byte_of(nth, i), file);
    fflush(file);
    fclose(file);
    assert_int_equal(bk_cache_new(&of.cache, budget, 0, NULL), BK_OK);
    assert_int_equal(bk_reader_new(&of.file, bk_cache_readers(of.cache), path, NULL), BK_OK);
    assert_int_equal(bk_shards_new(&c, &of, NULL), BK_OK);
    for (unsigned i = 0; i < 4; i++) {
        thread[i] = (struct cached){ .cache = of.cache, .c = c, .seed = i + 1 };
        assert_int_equal(pthread_create(&id[i], NULL, ask_cache, &thread[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(id[i], NULL);
        assert_int_equal(thread[i].wrong, 0);
    }
    bk_cache_settle(of.cache);
    assert_true(bk_cache_used(of.cache) <= budget);
    assert_true(bk_cache_used(of.cache) > 0);
    bk_shards_free(c);
    bk_reader_free(of.file);
    bk_cache_drop(of.cache);
}

static void shards__are_right_for_all_threads_whatever_the_budget(void **state)
{
    (void)state;
    ask_with_budget(BK_CACHE_BYTES);
    ask_with_budget((uint64_t)SHARDS * SHARD_BYTES / 3);
    ask_with_budget(4 * SHARD_BYTES); /* the ring of the cache counts, too */
}

/* Threads: as many as a cache has slots. */
#define VISITORS 128u

static pthread_barrier_t all_inside;

static void *visit_twice(void *cache)
{
    unsigned outer = bk_visit_begin(cache), inner;

    pthread_barrier_wait(&all_inside);
    inner = bk_visit_begin(cache);
    bk_visit_end(cache, inner);
    bk_visit_end(cache, outer);
    return NULL;
}

/* Each visitor once waited for ever for a slot that another visitor held. */
static void cache__visits_within_visits_wait_for_nobody(void **state)
{
    struct bk_cache *cache;
    pthread_t id[VISITORS];

    (void)state;
    assert_int_equal(bk_cache_new(&cache, 1 << 20, 0, NULL), BK_OK);
    assert_int_equal(pthread_barrier_init(&all_inside, NULL, VISITORS), 0);
    alarm(60);
    for (unsigned i = 0; i < VISITORS; i++)
        assert_int_equal(pthread_create(&id[i], NULL, visit_twice, cache), 0);
    for (unsigned i = 0; i < VISITORS; i++)
        pthread_join(id[i], NULL);
    alarm(0);
    pthread_barrier_destroy(&all_inside);
    bk_cache_drop(cache);
}

static unsigned released;

static void count_released(struct bk_held *h)
{
    (void)h;
    released++;
}

/* A reader of a pinned model begins no visit each time, so the model may not be freed. */
static void cache__what_is_pinned_is_not_taken_out(void **state)
{
    enum { MANY = 10 };
    static struct bk_held held[MANY];
    static bk_home home[MANY];
    struct bk_cache *cache;

    (void)state;
    released = 0;
    assert_int_equal(bk_cache_new(&cache, 10000, 4, NULL), BK_OK);
    for (unsigned i = 0; i < MANY; i++) { /* room for three */
        bk_held_begin(&held[i], 2500, BK_WORTH_WDL, count_released);
        assert_ptr_equal(bk_cache_keep(cache, &home[i], &held[i]), &held[i]);
        if (!i)
            assert_true(bk_cache_pin(cache, &held[i]));
    }
    assert_int_equal(released, MANY - 3);
    assert_ptr_equal(bk_held_at(&home[0]), &held[0]);
    assert_null(bk_held_at(&home[1]));
    assert_false(bk_cache_pin(cache, &held[1]));
    bk_cache_forget(cache, home, MANY);
    assert_int_equal(released, MANY);
    assert_int_equal(bk_cache_used(cache), 256 * sizeof(void *)); /* its ring */
    bk_cache_drop(cache);
}

/* == What is missing == */

static void copy_table(const char *to, const struct bk_variant *v, const char *name,
                       enum bk_kind kind)
{
    struct bk_material m = material(v, name);
    char from[PATH_MAX], path[PATH_MAX];
    uint8_t *bytes;
    size_t n;

    bytes = slurp(path_of(from, v, name, kind), &n);
    spill(bk_table_path(path, to, v, &m, kind), bytes, n);
    free(bytes);
}

/* Makes a folder `name` for tables of chess; sets `folder` to its path. */
static void new_folder(char folder[PATH_MAX / 2], const char *name)
{
    char inner[PATH_MAX];

    snprintf(folder, PATH_MAX / 2, "%s/%s", dir, name);
    snprintf(inner, sizeof inner, "%s/chess", folder);
    assert_int_equal(mkdir(folder, 0777) | mkdir(inner, 0777), 0);
}

static void missing__all_tables_are_named_at_once(void **state)
{
    struct bk_variant *v = load("chess");
    char folder[PATH_MAX / 2], expected[PATH_MAX], text[PATH_MAX];
    static struct bk_lib_table all[400];
    size_t n, named = 0, missing = 0;
    struct bk_lib *lib;
    struct bk_answer a;

    (void)state;
    new_folder(folder, "few");
    copy_table(folder, v, "KPvK", BK_KIND_WDL);
    copy_table(folder, v, "KQvK", BK_KIND_WDL);
    assert_int_equal(bk_open(&lib, "chess", folder), BK_LIB_OK);
    /* no exit: the pawn is far away */
    assert_int_equal(bk_probe_fen(lib, "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", &a), BK_LIB_OK);
    /* promotion to a queen wins, whatever is missing */
    assert_int_equal(bk_probe_fen(lib, "8/P7/8/4k3/8/8/8/4K3 w - - 0 1", &a), BK_LIB_OK);
    assert_int_equal(a.wdl, 1);
    assert_int_equal(bk_probe_fen(lib, "8/8/8/4k3/8/8/8/1R2K3 w - - 0 1", &a), BK_LIB_NO_TABLE);
    snprintf(expected, sizeof expected, "no table KRvK of chess in %s", folder);
    assert_string_equal(bk_error(lib), expected);
    assert_int_equal(bk_probe_fen(lib, "8/8/8/4k3/8/8/P7/1R2K3 w - - 0 1", &a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "no table KRPvK of chess in "));
    assert_non_null(strstr(bk_error(lib), "; also missing: "));
    assert_non_null(strstr(bk_error(lib), ", KBvK"));
    assert_null(strstr(bk_error(lib), " KPvK"));
    /* far more than there is room for: whole names, and how many others */
    assert_int_equal(bk_probe_fen(lib, "4k3/1p6/8/8/8/8/PPP5/4K3 w - - 0 1", &a), BK_LIB_NO_TABLE);
    snprintf(text, sizeof text, "%s, ", bk_error(lib));
    assert_int_equal(bk_list_missing(lib, "KPPPvKP", all, 400, &n), BK_LIB_OK);
    for (size_t i = 1; i < n; i++) {
        snprintf(expected, sizeof expected, " %s, ", all[i].material);
        named += strstr(text, expected) != NULL;
        missing += !all[i].has; /* KPvK and KQvK lack distances alone */
    }
    snprintf(expected, sizeof expected, ", and %zu more, ", missing - named);
    assert_true(named > 20);
    assert_string_equal(strrchr(text, 'a') - 2, expected);
    bk_close(lib);
    bk_variant_free(v);
}

/* A table that came after it was looked for was once reported as missing, without a hint. */
static void missing__what_came_after_it_was_looked_for_is_said(void **state)
{
    struct bk_variant *v = load("chess");
    char folder[PATH_MAX / 2], expected[PATH_MAX];
    struct bk_lib *lib;
    struct bk_answer a;

    (void)state;
    new_folder(folder, "late");
    copy_table(folder, v, "KPvK", BK_KIND_WDL);
    copy_table(folder, v, "KPvK", BK_KIND_DTW);
    assert_int_equal(bk_open(&lib, "chess", folder), BK_LIB_OK);
    /* promotion to a queen is looked for */
    assert_int_equal(bk_probe_fen(lib, "8/4P3/8/3k4/8/8/8/4K3 w - - 0 1", &a), BK_LIB_NO_TABLE);
    copy_table(folder, v, "KQvK", BK_KIND_WDL);
    copy_table(folder, v, "KQvK", BK_KIND_DTW);
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", &a), BK_LIB_NO_TABLE);
    snprintf(expected, sizeof expected,
             "tables of KQvK of chess came to %s after they were looked for: bk_refresh()", folder);
    assert_string_equal(bk_error(lib), expected);
    assert_int_equal(bk_refresh(lib), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", &a), BK_LIB_OK);
    bk_close(lib);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file__a_reader_written_from_the_page_alone_agrees),
        cmocka_unit_test(file__the_one_that_the_page_explains_is_read),
        cmocka_unit_test(file__no_damaged_byte_gives_a_wrong_value),
        cmocka_unit_test(file__no_length_but_its_own_is_taken),
        cmocka_unit_test(file__one_that_shrinks_while_it_is_open_is_an_error),
        cmocka_unit_test(file__what_is_newer_or_older_is_refused_by_name),
        cmocka_unit_test(file__even_sections_are_skipped_and_odd_ones_refused),
        cmocka_unit_test(file__small_tables_have_small_heads),
        cmocka_unit_test(file__has_the_same_bytes_as_ever),
        cmocka_unit_test(shards__are_right_for_all_threads_whatever_the_budget),
        cmocka_unit_test(cache__visits_within_visits_wait_for_nobody),
        cmocka_unit_test(cache__what_is_pinned_is_not_taken_out),
        cmocka_unit_test(missing__all_tables_are_named_at_once),
        cmocka_unit_test(missing__what_came_after_it_was_looked_for_is_said),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
