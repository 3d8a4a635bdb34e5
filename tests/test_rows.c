/*
 * test_rows.c - rows of codes: to scores, to the raw bytes of a chunk and back,
 * each against one position at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/bits.h"
#include "table/format.h"
#include "tb/build/build.h"
#include "tb/encode/pack.h"

#define MANY 1000

static uint64_t seed = 1;

static unsigned draw(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

/* Any code a table may hold; long rows of one sort as well as all mixed. */
static void draw_codes(uint8_t *code, unsigned n)
{
    unsigned sort = draw(5);

    for (unsigned i = 0; i < n; i++) {
        unsigned now = sort < 4 && draw(16) ? sort : draw(4);

        code[i] = (uint8_t)(now == 0   ? BK_CODE_ILLEGAL
                            : now == 1 ? BK_CODE_DRAW
                            : now == 2 ? BK_CODE_WIN + draw(BK_CODE_K_MAX + 1)
                                       : BK_CODE_LOSS8 + draw(BK_CODE_K_MAX + 1));
    }
}

static int score_of(unsigned code)
{
    int score = bk_code_score(code, 1);

    return score == BK_SCORE_NONE ? score : score < 0 ? -score - 1 : score > 0 ? -score + 1 : 0;
}

static void same_scores(bk_row_scores *f, unsigned span, unsigned n, bool in_order)
{
    uint8_t *code = malloc(span), place[BK_SQ_MAX]; /* a sanitizer sees what is read beyond */
    int16_t out[BK_SQ_MAX + 1];

    draw_codes(code, span);
    for (unsigned j = 0; j < n; j++)
        place[j] = (uint8_t)(in_order ? j : draw(8) ? draw(span) : BK_SQ_NONE);
    out[n] = 4711;
    f(code, span, in_order ? NULL : place, n, out);
    for (unsigned j = 0; j < n; j++)
        assert_int_equal(out[j], place[j] == BK_SQ_NONE ? BK_SCORE_NONE : score_of(code[place[j]]));
    assert_int_equal(out[n], 4711);
    free(code);
}

static void scores__a_row_is_worth_what_its_codes_are(void **state)
{
    static const unsigned size[] = { 1, 7, 32, 33, 63, 64, 65, 81, 96, 97, 100, 128, 129, 196 };

    (void)state;
    for (unsigned k = 0; k < MANY; k++) {
        unsigned span = size[draw(14)], n = size[draw(14)];

        same_scores(bk_row_scores_portable, span, n, false);
        same_scores(bk_row_scores_portable, n, n, true);
        same_scores(bk_row_scores_for(), span, n, false);
        same_scores(bk_row_scores_for(), n, n, true);
    }
}

static void scores__bitmaps_hold_the_same_codes(void **state)
{
    uint64_t won[8], drawn[8];
    uint8_t code[BK_SQ_MAX + 8];

    (void)state;
    for (unsigned k = 0; k < MANY; k++) {
        unsigned at = draw(200), n = 1 + draw(BK_SQ_MAX);

        for (unsigned i = 0; i < 8; i++) {
            won[i] = (uint64_t)draw(1u << 31) << 33 | draw(1u << 31);
            drawn[i] = (uint64_t)draw(1u << 31) << 33 | draw(1u << 31);
        }
        bk_codes_of_bits(won, drawn, at, n, code);
        for (unsigned i = 0; i < n; i++) {
            bool w = won[(at + i) / 64] >> (at + i) % 64 & 1;
            bool d = drawn[(at + i) / 64] >> (at + i) % 64 & 1;

            assert_int_equal(code[i], w && d ? BK_CODE_ILLEGAL
                                      : w    ? BK_CODE_WIN
                                      : d    ? BK_CODE_DRAW
                                             : BK_CODE_LOSS8);
        }
    }
}

/* Legal codes come back; what is free repeats the value before it. */
static void pack__codes_come_back(void **state)
{
    uint64_t won[8], drawn[8], back_won[8], back_drawn[8];
    uint8_t code[400], raw[100], k[400];

    (void)state;
    for (unsigned round = 0; round < MANY; round++) {
        struct bk_planes planes = { won, drawn, 0 };
        unsigned n = 1 + draw(380), cut = draw(n + 1), from = draw(n + 1), last = 0;

        draw_codes(code, n);
        bk_planes_clear(&planes, n);
        bk_planes_add_codes(&planes, code, cut);
        bk_planes_add_codes(&planes, code + cut, n - cut);
        assert_int_equal(planes.n, n);
        bk_planes_pack(&planes, raw);
        last = bk_pack_distances(code, cut, 0, k);
        bk_pack_distances(code + cut, n - cut, last, k + cut);
        for (unsigned i = 0; i < n; i++)
            if (code[i] <= BK_CODE_DRAW)
                assert_int_equal(k[i], i ? k[i - 1] : 0);
        bk_unpack_planes(raw, n, back_won, back_drawn);
        bk_unpack_codes(raw, 0, from, k);
        bk_unpack_codes(raw, from, n - from, k + from);
        for (unsigned i = 0; i < n; i++) {
            if (code[i] == BK_CODE_ILLEGAL)
                continue;
            assert_int_equal(k[i], code[i]);
            assert_int_equal(back_won[i / 64] >> i % 64 & 1,
                             code[i] >= BK_CODE_WIN && code[i] < BK_CODE_LOSS8);
            assert_int_equal(back_drawn[i / 64] >> i % 64 & 1, code[i] == BK_CODE_DRAW);
        }
    }
}

static bool same_array(const void *a, const void *b, size_t bytes)
{
    return (!a && !b) || (a && b && !memcmp(a, b, bytes));
}

/* Of both sides at once, and of one alone, with equal men and without distances. */
static void load__one_side_is_what_it_is_of_both(void **state)
{
    char dir[] = "/tmp/bareking-rows-XXXXXX", command[64];
    struct bk_pool *pool;
    struct bk_variant *v;
    struct bk_material m;
    struct bk_plan *p;

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(bk_pool_open(&pool, 2, NULL), BK_OK);
    assert_int_equal(bk_variant_load(&v, "chess", NULL), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KRRvK", NULL), BK_OK);
    assert_int_equal(bk_plan_new(&p, v, dir, &m, 1, 0, true, NULL), BK_OK);
    assert_int_equal(bk_build(p, &(struct bk_build_options){ .pool = pool, .level = 1 }, NULL),
                     BK_OK);
    for (unsigned k = 0; k < 4; k++) {
        unsigned side = k & 1;
        bool distances = k >> 1;
        struct bk_memtable *both, *one;

        assert_int_equal(bk_load(&both, v, dir, &m, distances, true, NULL, pool, NULL), BK_OK);
        assert_int_equal(
            bk_load_sides(&one, v, dir, &m, distances, true, 1u << side, NULL, pool, NULL), BK_OK);
        for (uint32_t i = 0; i < both->ix->nblocks; i++) {
            const struct bk_memblock *a = &both->block[i], *b = &one->block[i];
            size_t bytes = bk_memblock_array_bytes(
                both->ix->block[i].pairs->nslices * a->slice_stride, both->code_bytes);

            assert_true(same_array(a->code[side], b->code[side], bytes));
            assert_true(same_array(a->draw[side], b->draw[side], bytes));
            assert_null(b->code[!side]);
        }
        assert_int_equal(bk_memtable_bytes(both), 2 * bk_memtable_bytes(one));
        bk_memtable_free(both);
        bk_memtable_free(one);
    }
    bk_plan_free(p);
    bk_variant_free(v);
    bk_pool_close(pool);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores__a_row_is_worth_what_its_codes_are),
        cmocka_unit_test(scores__bitmaps_hold_the_same_codes),
        cmocka_unit_test(pack__codes_come_back),
        cmocka_unit_test(load__one_side_is_what_it_is_of_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
