/*
 * test_codec.c - units and their models: what was put in comes out, the bytes depend on nothing
 * else, and damaged ones do no harm.
 *
 * Units come from functions of the square and the row instead of solved tables (made.h).
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <xxhash.h>
#include <zstd.h>

#include "table/format.h"
#include "tests/draw.h"
#include "tests/left_out.h"
#include "tests/made.h"
#include "tests/proof.h"

/* == What comes back == */

static unsigned value_in(const struct bk_row_values *v, unsigned bits, unsigned s)
{
    unsigned value = 0;

    for (unsigned b = 0; b < bits; b++)
        value |= (unsigned)(v->plane[b][s / 64] >> s % 64 & 1) << b;
    return value;
}

static void same_row(struct made_reading *r, const struct bk_unit_source *src,
                     const uint8_t *shards, const struct bk_row *row,
                     const struct bk_row_values *want)
{
    uint32_t nth = bk_directory_find(&r->dir, row->first);
    const struct bk_shard *s = &r->dir.shard[nth];
    unsigned words = bk_facts_words(src->facts);
    struct bk_row_values got;
    bool whole = draw(16) == 0;

    bk_fact_row_set(r->row, row->sq);
    bk_model_row(r->model, s, shards + s->at, row->first, r->row, want->care, words, src->bits,
                 &got);
    for (unsigned i = 0; i < row->n; i++) {
        unsigned sq = row->inner_sq[i], value = value_in(want, src->bits, sq);
        unsigned answer = value_in(&got, src->bits, sq);
        struct bk_fact_look look;
        uint8_t at[BK_MEN_MAX];

        if (!(want->care[sq / 64] >> sq % 64 & 1))
            continue;
        if (want->least[sq / 64] >> sq % 64 & 1)
            assert_true(answer >= value);
        else
            assert_int_equal(answer, value);
        if (!whole)
            continue;
        memcpy(at, row->sq, sizeof(at));
        at[row->inner] = (uint8_t)sq;
        bk_fact_look(&look, src->facts, at);
        assert_int_equal(bk_model_value(r->model, s, shards + s->at, bk_row_hashes(s, row->first),
                                        sq, bk_fact_look_leaf(&look, r->tree)),
                         answer);
    }
}

static void comes_back(const struct bk_unit_source *src, const struct bk_unit *u,
                       const struct made_bytes *shards)
{
    struct bk_row_values want;
    struct bk_row row;
    struct made_reading r;

    made_reading_init(&r, u, src);
    for (uint32_t i = 0; i < r.dir.n; i++)
        assert_int_equal(r.dir.shard[i].sum, bk_shard_sum(shards->at + r.dir.shard[i].at,
                                                          bk_shard_bytes(&r.dir.shard[i]), i));
    for (uint64_t at = src->first; at < src->end; at = row.first + row.n) {
        src->row(src->context, at, &row, NULL, &want);
        same_row(&r, src, shards->at, &row, &want);
    }
    made_reading_release(&r);
}

/* Encodes values and reads them back; returns the bytes of model, directory and shards. */
static size_t round_trip(const struct made_table *t, struct made m)
{
    struct bk_unit_source src = made_source(t, &m);
    struct made_bytes shards;
    struct bk_unit u = made_encode(&src, 2, UINT64_C(1) << 30, &shards);
    size_t n = u.model_bytes + u.directory_bytes + shards.n;

    comes_back(&src, &u, &shards);
    bk_unit_release(&u);
    free(shards.at);
    return n;
}

static void unit__comes_back_on_boards_of_each_width(void **state)
{
    static const char *const table[][2] = { { "shatranj", "KRvK" },
                                            { "shatranj", "KPvK" },
                                            { "grand-shatranj", "KJvK" },
                                            { "darwinian", "KRvK" },
                                            { "puzzle-mini", "KRvK" } };

    (void)state;
    for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct made_table t = made_table(table[i][0], table[i][1]);

        round_trip(&t, (struct made){ .bits = 2,
                                      .values = 3,
                                      .free_in_16 = 4,
                                      .least_in_16 = 4,
                                      .noise_in_256 = 20,
                                      .seed = i });
        round_trip(&t, (struct made){ .bits = 7,
                                      .values = 100,
                                      .free_in_16 = 9,
                                      .least_in_16 = 2,
                                      .noise_in_256 = 3,
                                      .seed = i });
        made_table_free(&t);
    }
}

static void unit__values_of_16_bits_come_back(void **state)
{
    struct made_table t = made_table("shatranj", "KNvK");

    (void)state;
    round_trip(&t,
               (struct made){ .bits = 16, .values = 65535, .least_in_16 = 3, .noise_in_256 = 256 });
    round_trip(&t, (struct made){ .bits = 9, .values = 300, .noise_in_256 = 2 });
    made_table_free(&t);
}

static void unit__nothing_but_noise_comes_back(void **state)
{
    struct made_table t = made_table("shatranj", "KRvK");

    (void)state;
    round_trip(&t, (struct made){ .bits = 2, .values = 3, .noise_in_256 = 256 });
    round_trip(&t, (struct made){ .bits = 1, .values = 2, .noise_in_256 = 256, .least_in_16 = 8 });
    round_trip(&t, (struct made){ .bits = 5, .values = 32, .noise_in_256 = 256 });
    made_table_free(&t);
}

/* Gives nearly every position a value of its own, of which the kings' squares tell a little. */
static void make_wide_row(void *context, uint64_t number, struct bk_row *row,
                          struct bk_turned *turned, struct bk_row_values *v)
{
    enum { REGIONS = 40, WIDTH = 65535 / REGIONS };
    const struct made *m = context;
    unsigned files, ranks, edge, region;

    (void)turned;
    if (!made_row(m, number, row, v))
        return;
    bk_row_care(row, 3, v->care);
    files = (unsigned)abs(row->sq[0] % 10 - row->sq[1] % 10);
    ranks = (unsigned)abs(row->sq[0] / 10 - row->sq[1] / 10);
    edge = row->sq[1] % 10u < 5 ? row->sq[1] % 10u : 9u - row->sq[1] % 10u;
    region = (files > ranks ? files : ranks) % 8 * 5 + edge;
    for (unsigned i = 0; i < row->n; i++) {
        uint64_t h = bk_mix(row->first + i);
        unsigned s = row->inner_sq[i], value = (unsigned)(h >> 16) % 65535;

        if (h % 10 < 3)
            value = region * WIDTH + value % WIDTH;
        for (unsigned b = 0; b < 16; b++)
            v->plane[b][s / 64] |= (uint64_t)(value >> b & 1) << s % 64;
    }
}

static void unit__has_no_more_leaves_and_questions_than_a_reader_takes(void **state)
{
    struct made_table t = made_table("grand-shatranj", "KJvK");
    struct made m = { .bits = 16 };
    struct bk_unit_source src = made_source(&t, &m);
    struct made_bytes shards;
    struct bk_unit u;

    (void)state;
    src.row = make_wide_row;
    u = made_encode(&src, 2, UINT64_C(1) << 30, &shards);
    comes_back(&src, &u, &shards);
    bk_unit_release(&u);
    free(shards.at);
    made_table_free(&t);
}

/* == Bytes == */

static void unit__where_all_is_free_or_one_value_it_takes_a_few_bytes(void **state)
{
    struct made_table t = made_table("shatranj", "KRvK");

    (void)state;
    assert_in_range(round_trip(&t, (struct made){ .bits = 2, .values = 3, .free_in_16 = 16 }), 1,
                    60);
    assert_in_range(round_trip(&t, (struct made){ .bits = 2, .values = 1 }), 1, 60);
    assert_in_range(round_trip(&t, (struct made){ .bits = 7, .values = 1, .least_in_16 = 16 }), 1,
                    60);
    made_table_free(&t);
}

/* A unit of bounds takes less than a tenth of the bytes of the same values told exactly. */
static void unit__bounds_cost_little(void **state)
{
    struct made m = { .bits = 2, .values = 3, .noise_in_256 = 256 };
    struct made_table t = made_table("shatranj", "KRvK");
    size_t exact = round_trip(&t, m), bounds;

    (void)state;
    m.least_in_16 = 16;
    bounds = round_trip(&t, m);
    assert_true(bounds < 200 && bounds * 10 < exact);
    made_table_free(&t);
}

/* Finding a lost position's distance reads many shards, so those of distances are smaller. */
static void unit__shards_of_distances_are_smaller(void **state)
{
    struct made_table t = made_table("grand-shatranj", "KJvK");
    struct made m = { .bits = 5, .values = 20, .least_in_16 = 8, .noise_in_256 = 64 };
    struct bk_unit_source src = made_source(&t, &m);
    struct made_bytes shards[2];
    struct bk_unit u[2];

    (void)state;
    for (unsigned distances = 0; distances < 2; distances++) {
        const struct bk_unit_options options = { .effort = BK_EFFORT_FAST, .distances = distances };

        u[distances] = made_encode_with(&src, &options, 1, &shards[distances]);
        comes_back(&src, &u[distances], &shards[distances]);
    }
    assert_true(u[0].shards > 20);
    assert_true(u[1].shards * 10 > u[0].shards * 15); /* 14 by 9 */
    assert_true(u[1].directory_bytes + shards[1].n <
                (u[0].directory_bytes + shards[0].n) * 101 / 100);
    assert_int_equal(u[1].model_bytes, u[0].model_bytes);
    for (unsigned i = 0; i < 2; i++) {
        bk_unit_release(&u[i]);
        free(shards[i].at);
    }
    made_table_free(&t);
}

static bool same_unit(const struct bk_unit *a, const struct made_bytes *x, const struct bk_unit *b,
                      const struct made_bytes *y)
{
    return a->model_bytes == b->model_bytes && !memcmp(a->model, b->model, a->model_bytes) &&
           a->directory_bytes == b->directory_bytes &&
           !memcmp(a->directory, b->directory, a->directory_bytes) && x->n == y->n &&
           (!x->n || !memcmp(x->at, y->at, x->n));
}

static void unit__threads_and_memory_do_not_change_its_bytes(void **state)
{
    static const struct {
        unsigned threads;
        uint64_t memory;
    } other[] = { { 3, 1 << 30 }, { 1, 0 }, { 3, 1 << 20 }, { 2, 100000 } };
    struct made_table t = made_table("shatranj", "KRvKN");
    struct made made[] = {
        { .bits = 2, .values = 3, .free_in_16 = 3, .least_in_16 = 2, .noise_in_256 = 9 },
        { .bits = 6, .values = 40, .free_in_16 = 13, .noise_in_256 = 3 }
    };

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        struct bk_unit_source src = made_source(&t, &made[k]);
        struct made_bytes one, two;
        struct bk_unit a = made_encode(&src, 1, 1 << 30, &one), b;

        for (unsigned i = 0; i < sizeof(other) / sizeof(*other); i++) {
            b = made_encode(&src, other[i].threads, other[i].memory, &two);
            assert_true(same_unit(&a, &one, &b, &two));
            bk_unit_release(&b);
            free(two.at);
        }
        bk_unit_release(&a);
        free(one.at);
    }
    made_table_free(&t);
}

/* Returns a checksum of all bytes of a unit: model, directory and shards. */
static uint64_t sum_of(const struct bk_unit *u, const struct made_bytes *shards)
{
    return XXH3_64bits_withSeed(shards->at, shards->n,
                                XXH3_64bits_withSeed(u->directory, u->directory_bytes,
                                                     XXH3_64bits(u->model, u->model_bytes)));
}

/*
 * Bytes are the same on every machine, with whatever memory and threads, by one release of libzstd.
 * Reading back does not notice what makes files larger: a worse tree, wrong rates, other samples.
 * Whoever changes the bytes of files on purpose writes down the new sums, and says in the commit
 * what files take.
 */
static void unit__has_the_same_bytes_as_ever(void **state)
{
    static const struct {
        const char *variant, *material;
        struct made made;
        enum bk_effort effort;
        unsigned threads;
        bool distances, spills;
        uint64_t sum;
    } row[] = {
        { "grand-shatranj",
          "KJvK",
          { .bits = 7, .values = 100, .free_in_16 = 9, .least_in_16 = 2, .noise_in_256 = 3 },
          BK_EFFORT_BEST,
          1,
          true,
          false,
          UINT64_C(0xc09ace718961eefe) },
        { "shatranj",
          "KNvK",
          { .bits = 10, .values = 900, .least_in_16 = 3, .noise_in_256 = 80 },
          BK_EFFORT_FAST,
          2,
          true,
          true,
          UINT64_C(0xfc5e464953baf810) },
        { "shatranj",
          "KRvKN",
          { .bits = 2, .values = 3, .free_in_16 = 3, .least_in_16 = 2, .noise_in_256 = 9 },
          BK_EFFORT_FAST,
          2,
          false,
          false,
          UINT64_C(0xdcc87e556d15ea67) },
        { "shatranj",
          "KRvKN",
          { .bits = 6, .values = 40, .free_in_16 = 13, .noise_in_256 = 3 },
          BK_EFFORT_NORMAL,
          2,
          true,
          false,
          UINT64_C(0x666f914e90759e09) },
        /* questions are met in some pieces alone, and filters are what fills a shard */
        { "grand-shatranj",
          "KJvKH",
          { .bits = 2, .values = 3, .free_in_16 = 6, .noise_in_256 = 3, .plain = true },
          BK_EFFORT_FAST,
          2,
          false,
          false,
          UINT64_C(0x272c27bc23a36687) },
    };
    char dir[PROOF_DIR_MAX];

    (void)state;
    if (ZSTD_versionNumber() != PROOF_ZSTD)
        leave_out("another zstd than that whose bytes are known");
    proof_folder(dir);
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_unit_options options = { .effort = row[i].effort,
                                           .distances = row[i].distances,
                                           .memory_bytes = UINT64_C(16) << 20 };
        struct made_table t = made_table(row[i].variant, row[i].material);
        struct made m = row[i].made;
        struct bk_unit_source src = made_source(&t, &m);
        struct made_bytes shards;
        struct bk_report why;
        struct bk_unit u;

        if (row[i].spills)
            assert_int_equal(bk_spill_open(&options.spill, dir, UINT64_C(64) << 20, 0, &why),
                             BK_OK);
        u = made_encode_with(&src, &options, row[i].threads, &shards);
        if (sum_of(&u, &shards) != row[i].sum)
            fail_msg("%s, bits %u: 0x%016" PRIx64, row[i].material, m.bits, sum_of(&u, &shards));
        bk_unit_release(&u);
        free(shards.at);
        bk_spill_close(options.spill);
        made_table_free(&t);
    }
    assert_int_equal(rmdir(dir), 0);
}

/* Values are stored plus 1 in two bytes: 65535 was once written as 0, which means a question. */
static void model__values_are_told_up_to_65534(void **state)
{
    struct bk_fact_node tree = { .fact = BK_FACT_LEAF };
    bk_code leaf = ~(bk_code)65534;
    const struct bk_model m = { .nodes = 1, .leaves = 1, .tree = &tree, .leaf = &leaf };
    struct bk_model *read;
    struct bk_report why;
    uint8_t *bytes;
    size_t n;

    (void)state;
    assert_int_equal(bk_model_write(&bytes, &n, &m, &why), BK_OK);
    assert_int_equal(bk_model_parse(&read, bytes, n, 100, 1, 16, &why), BK_OK);
    assert_int_equal(read->leaf[0], leaf);
    bk_model_free(read);
    free(bytes);
    leaf = ~(bk_code)65535;
    assert_int_equal(bk_model_write(&bytes, &n, &m, &why), BK_E_SYSTEM);
}

/* == Damage == */

/* Asks a model, which may be damaged, for random rows; sanitizers see what goes wrong. */
static void ask_some(const struct bk_model *m, const struct bk_unit_source *src,
                     const struct bk_directory *dir, const uint8_t *shards)
{
    struct bk_row_values want, got;
    struct bk_fact_row *row;
    struct bk_row at;

    assert_int_equal(bk_fact_row_new(&row, src->facts, src->inner, NULL), BK_OK);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t number = draw(src->end);
        const struct bk_shard *s = &dir->shard[bk_directory_find(dir, number)];

        src->row(src->context, number, &at, NULL, &want);
        bk_fact_row_set(row, at.sq);
        bk_model_row(m, s, shards + s->at, at.first, row, want.care, bk_facts_words(src->facts),
                     src->bits, &got);
    }
    bk_fact_row_free(row);
}

static void model__damaged_bytes_are_refused_or_harmless(void **state)
{
    struct made_table t = made_table("shatranj", "KRvK");
    struct made m = { .bits = 4, .values = 12, .noise_in_256 = 4 };
    struct bk_unit_source src = made_source(&t, &m);
    unsigned facts = bk_facts_count(t.facts);
    struct bk_model *model;
    struct made_bytes shards;
    struct bk_unit u = made_encode(&src, 1, 0, &shards);
    struct made_reading r;
    uint8_t *bad = malloc(u.model_bytes);

    (void)state;
    made_reading_init(&r, &u, &src);
    for (size_t n = 0; n < u.model_bytes; n++)
        assert_int_equal(
            bk_model_parse(&model, u.model, n, src.end - src.first, facts, src.bits, NULL),
            BK_E_CORRUPT);
    for (unsigned k = 0; k < 3000; k++) {
        memcpy(bad, u.model, u.model_bytes);
        for (uint64_t n = 1 + draw(3); n; n--)
            bad[draw(u.model_bytes)] ^= (uint8_t)(1 + draw(255));
        if (bk_model_parse(&model, bad, u.model_bytes, src.end - src.first, facts, src.bits, NULL))
            continue;
        ask_some(model, &src, &r.dir, shards.at);
        bk_model_free(model);
    }
    assert_int_equal(
        bk_model_parse(&model, u.model, u.model_bytes, src.end - src.first, 1, src.bits, NULL),
        BK_E_CORRUPT);
    assert_int_equal(
        bk_model_parse(&model, u.model, u.model_bytes, src.end - src.first, facts, 1, NULL),
        BK_E_CORRUPT);
    made_reading_release(&r);
    free(bad);
    bk_unit_release(&u);
    free(shards.at);
    made_table_free(&t);
}

static void shards__damaged_bytes_answer_something(void **state)
{
    struct made_table t = made_table("shatranj", "KRvK");
    struct made m = { .bits = 4, .values = 12, .noise_in_256 = 40 };
    struct bk_unit_source src = made_source(&t, &m);
    struct made_bytes shards;
    struct bk_unit u = made_encode(&src, 1, 0, &shards);
    struct made_reading r;

    (void)state;
    made_reading_init(&r, &u, &src);
    for (unsigned k = 0; k < 300; k++) {
        uint32_t nth = (uint32_t)draw(r.dir.n);
        const struct bk_shard *s = &r.dir.shard[nth];
        size_t n = bk_shard_bytes(s);

        if (!n)
            continue;
        shards.at[s->at + draw(n)] ^= (uint8_t)(1 + draw(255));
        assert_int_not_equal(bk_shard_sum(shards.at + s->at, n, nth), s->sum);
        ask_some(r.model, &src, &r.dir, shards.at);
        for (size_t i = 0; i < n; i++)
            shards.at[s->at + i] = (uint8_t)draw(256);
    }
    made_reading_release(&r);
    bk_unit_release(&u);
    free(shards.at);
    made_table_free(&t);
}

static void directory__must_add_up_to_the_unit(void **state)
{
    struct bk_shard s = { .words = { 3, 500 }, .seed = { 7, 255 }, .sum = 0x89abcdef };
    uint8_t b[2 * BK_SHARD_ENTRY_BYTES];
    struct bk_directory d;

    (void)state;
    bk_shard_entry_write(b, &s, 40);
    bk_shard_entry_write(b + BK_SHARD_ENTRY_BYTES, &s, 2);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 142, NULL), BK_OK);
    assert_int_equal(d.n, 2);
    assert_int_equal(d.bytes, 2 * 503 * 8);
    assert_int_equal(d.shard[1].first, 140);
    assert_int_equal(d.shard[1].at, 503 * 8);
    assert_int_equal(d.shard[1].words[1], 500);
    assert_int_equal(d.shard[1].seed[1], 255);
    assert_int_equal(d.shard[1].sum, 0x89abcdef);
    assert_int_equal(bk_directory_find(&d, 100), 0);
    assert_int_equal(bk_directory_find(&d, 139), 0);
    assert_int_equal(bk_directory_find(&d, 140), 1);
    bk_directory_release(&d);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 141, NULL), BK_E_CORRUPT);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 143, NULL), BK_E_CORRUPT);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b) - 1, 100, 142, NULL), BK_E_CORRUPT);
    assert_int_equal(bk_directory_parse(&d, b, 0, 100, 142, NULL), BK_E_CORRUPT);
    s.words[0] = 1;
    bk_shard_entry_write(b, &s, 40);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 142, NULL), BK_E_CORRUPT);
    bk_shard_entry_write(b, &s, 0);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 102, NULL), BK_E_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unit__comes_back_on_boards_of_each_width),
        cmocka_unit_test(unit__values_of_16_bits_come_back),
        cmocka_unit_test(unit__nothing_but_noise_comes_back),
        cmocka_unit_test(unit__has_no_more_leaves_and_questions_than_a_reader_takes),
        cmocka_unit_test(unit__where_all_is_free_or_one_value_it_takes_a_few_bytes),
        cmocka_unit_test(unit__bounds_cost_little),
        cmocka_unit_test(unit__shards_of_distances_are_smaller),
        cmocka_unit_test(unit__threads_and_memory_do_not_change_its_bytes),
        cmocka_unit_test(unit__has_the_same_bytes_as_ever),
        cmocka_unit_test(model__values_are_told_up_to_65534),
        cmocka_unit_test(model__damaged_bytes_are_refused_or_harmless),
        cmocka_unit_test(shards__damaged_bytes_answer_something),
        cmocka_unit_test(directory__must_add_up_to_the_unit),
    };

    return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}
