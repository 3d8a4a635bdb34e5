/*
 * test_columns.c - what the encoder works with: columns of bits, lists of cells, and what is
 * estimated from counts of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/bits.h"
#include "tb/encode/cells.h"
#include "tb/encode/questions.h"
#include "tb/encode/columns.h"
#include "tb/encode/entropy.h"
#include "tests/draw.h"

/* == Columns == */

enum { WORDS = 50, COLUMNS = 7 };

/* Columns of bits; point() sets at[j] to column j. */
struct columns {
    uint64_t bits[COLUMNS][WORDS + 1], *at[COLUMNS];
};

static void point(struct columns *c)
{
    for (unsigned j = 0; j < COLUMNS; j++)
        c->at[j] = c->bits[j];
}

/* Checks that columns `kept` begin with those bits of `of` that `mask` has. */
static void are_kept(const struct columns *kept, const struct columns *of, unsigned n,
                     const uint64_t *mask)
{
    unsigned at = 0;

    for (unsigned i = 0; i < 64 * WORDS; i++) {
        if (!(mask[i / 64] >> i % 64 & 1))
            continue;
        for (unsigned j = 0; j < n; j++)
            assert_int_equal(kept->bits[j][at / 64] >> at % 64 & 1,
                             of->bits[j][i / 64] >> i % 64 & 1);
        at++;
    }
}

static void columns__keep_what_the_mask_says(void **state)
{
    const struct bk_columns best = bk_columns_for(), *set[2] = { &bk_columns_portable, &best };
    uint64_t mask[WORDS], rest[WORDS], steps[6 * WORDS], rest_steps[6 * WORDS];
    const struct bk_column_parts parts = { mask, rest, steps, rest_steps };
    struct columns column, kept, stays;

    (void)state;
    for (unsigned k = 0; k < 400; k++) {
        const struct bk_columns *ops = set[k % 2];
        unsigned n = 1 + k / 2 % COLUMNS;

        for (unsigned i = 0; i < WORDS; i++) {
            for (unsigned j = 0; j < COLUMNS; j++)
                column.bits[j][i] = draw(UINT64_MAX);
            mask[i] = draw(3) ? draw(UINT64_MAX) & draw(UINT64_MAX) : draw(2) ? 0 : UINT64_MAX;
        }
        for (unsigned i = 0; i < WORDS; i++)
            rest[i] = ~mask[i];
        bk_columns_steps(steps, mask, WORDS);
        bk_columns_steps(rest_steps, rest, WORDS);
        stays = column;
        point(&stays);
        point(&kept);
        ops->keep(kept.at, stays.at, n, mask, steps, WORDS);
        are_kept(&kept, &column, n, mask);
        ops->keep(stays.at, stays.at, n, mask, steps, WORDS);
        are_kept(&stays, &column, n, mask);
        stays = column;
        point(&stays);
        ops->part(kept.at, stays.at, n, &parts, WORDS);
        are_kept(&kept, &column, n, mask);
        are_kept(&stays, &column, n, rest);
    }
}

static void columns__all_instruction_sets_count_alike(void **state)
{
    const struct bk_columns best = bk_columns_for(), *one = &bk_columns_portable, *other = &best;
    uint64_t column[WORDS], class[WORDS];
    const uint64_t *classes[1] = { class };

    (void)state;
    for (unsigned k = 0; k < 200; k++) {
        unsigned n = 0;
        uint32_t count[2];

        for (unsigned i = 0; i < WORDS; i++) {
            column[i] = draw(UINT64_MAX);
            class[i] = draw(UINT64_MAX);
            n += (unsigned)__builtin_popcountll(column[i] & class[i]);
        }
        one->count(column, classes, 1, WORDS, &count[0]);
        other->count(column, classes, 1, WORDS, &count[1]);
        assert_int_equal(count[0], n);
        assert_int_equal(count[1], n);
    }
}

/* Masks of all bits occur, too: they leave nothing over for the next word. */
static void columns__append_what_the_mask_says(void **state)
{
    const struct bk_columns best = bk_columns_for(), *set[2] = { &bk_columns_portable, &best };
    struct columns column, appended;
    uint64_t mask[WORDS], all[COLUMNS], steps[6];

    (void)state;
    for (unsigned k = 0; k < 40; k++) {
        uint64_t partial[COLUMNS] = { 0 };
        size_t at = 0;

        point(&appended);
        for (unsigned i = 0; i < WORDS; i++) {
            for (unsigned j = 0; j < COLUMNS; j++)
                all[j] = column.bits[j][i] = draw(UINT64_MAX);
            mask[i] = draw(2) ? UINT64_MAX : k < 20 ? 0 : draw(UINT64_MAX);
            bk_columns_steps(steps, &mask[i], 1);
            set[k % 2]->append(appended.at, partial, all, 1, COLUMNS, mask[i], steps, at);
            at += bk_count_bits(mask[i]);
        }
        for (unsigned j = 0; at % 64 && j < COLUMNS; j++)
            appended.bits[j][at / 64] = partial[j];
        are_kept(&appended, &column, COLUMNS, mask);
    }
}

/* == Cells == */

/* A random cell of row `nth`, with few squares or many. */
struct drawn {
    uint32_t nth, leaf;
    bool odd, last;
    uint64_t squares[BK_CELL_WORDS_MAX];
};

static struct drawn draw_cell(uint32_t nth, uint32_t leaves, unsigned words)
{
    struct drawn d = { .nth = nth, .leaf = (uint32_t)draw(leaves), .odd = draw(2) };
    unsigned n = 1 + (unsigned)draw(draw(3) ? 4 : 64 * words);

    for (unsigned i = 0; i < n; i++) {
        unsigned s = (unsigned)draw(64 * words);

        d.squares[s / 64] |= UINT64_C(1) << s % 64;
    }
    d.last = !draw(3);
    d.leaf = draw(8) ? d.leaf : leaves - 1;
    return d;
}

/* Reads cells, and passes over those that are not odd and whose leaf is even. */
static void some_are_passed(const struct bk_cell_list *list, const struct drawn *cell, unsigned n,
                            uint32_t leaves, unsigned words)
{
    struct bk_cell_in in = bk_cells_read(list);
    bool *passed = calloc(leaves, sizeof *passed);

    for (uint32_t leaf = 0; leaf < leaves; leaf += 2)
        passed[leaf] = true;
    for (unsigned i = 0; i < n; i++) {
        uint64_t squares[BK_CELL_WORDS_MAX];
        uint32_t leaf;

        assert_int_equal(in.row, cell[i].nth);
        if (bk_cells_pass(&in, passed, words)) {
            assert_true(!cell[i].odd && passed[cell[i].leaf]);
            continue;
        }
        assert_true(cell[i].odd || !passed[cell[i].leaf]);
        bk_cells_take(&in, &leaf, squares, words);
        assert_int_equal(leaf, cell[i].leaf);
        assert_memory_equal(squares, cell[i].squares, 8 * words);
    }
    assert_int_equal(in.row, UINT32_MAX);
    free(passed);
}

static void cells__come_back_as_they_were_put(void **state)
{
    enum { N = 5000 };
    static const uint32_t leaves[] = { 3, 1u << 16, (1u << 16) + 1, 1u << 20 };
    struct drawn *cell = malloc(N * sizeof(*cell));

    (void)state;
    for (unsigned k = 0; k < 12; k++) {
        unsigned words = 1u << k % 3;
        struct bk_cell_list list = { 0 };
        struct bk_cell_in in;
        uint32_t nth = (uint32_t)draw(3) * 1000;

        bk_cells_init(&list, words, leaves[k / 3]);
        for (unsigned i = 0; i < N; i++) {
            cell[i] = draw_cell(nth, leaves[k / 3], words);
            assert_true(bk_cells_room(&list));
            bk_cells_put(&list, nth, cell[i].leaf, cell[i].odd, cell[i].squares, words);
            if (!cell[i].last)
                continue;
            bk_cells_end_row(&list, nth);
            nth += 1 + (uint32_t)(draw(4) ? 0 : draw(40000));
        }
        bk_cells_end_row(&list, nth);
        cell[N - 1].last = true;
        in = bk_cells_read(&list);
        for (unsigned i = 0; i < N; i++) {
            uint64_t squares[BK_CELL_WORDS_MAX];
            uint32_t leaf;
            unsigned control;

            assert_int_equal(in.row, cell[i].nth);
            control = bk_cells_take(&in, &leaf, squares, words);
            assert_int_equal(leaf, cell[i].leaf);
            assert_int_equal(!!(control & BK_CELL_ODD), cell[i].odd);
            assert_int_equal(!!(control & BK_CELL_LAST), cell[i].last);
            assert_memory_equal(squares, cell[i].squares, 8 * words);
        }
        assert_int_equal(in.row, UINT32_MAX);
        some_are_passed(&list, cell, N, leaves[k / 3], words);
        bk_spill_free(list.byte);
    }
    free(cell);
}

/* == What questions meet == */

/* Estimates are 1 to `exceptions` cells, and in them `exceptions` to `positions` positions. */
static void met__a_guess_is_what_could_be(void **state)
{
    enum { QUESTIONS = 50 };

    (void)state;
    for (unsigned k = 0; k < 2000; k++) {
        struct bk_askers askers[QUESTIONS];
        struct bk_met met[QUESTIONS];
        uint64_t most = UINT64_C(1) << draw(38);
        uint32_t all = 1 + (uint32_t)draw(40000), some = 1 + (uint32_t)draw(all);

        for (unsigned q = 0; q < QUESTIONS; q++) {
            askers[q].exceptions = 1 + draw(most);
            askers[q].positions = askers[q].exceptions + draw(most);
            met[q].cells = draw(draw(2) ? 3 : askers[q].exceptions + 1);
            met[q].in_cells = met[q].cells + draw(63 * met[q].cells + 1);
        }
        bk_met_guess(met, askers, QUESTIONS, some, all);
        for (unsigned q = 0; q < QUESTIONS; q++) {
            assert_in_range(met[q].cells, 1, askers[q].exceptions);
            assert_in_range(met[q].in_cells, askers[q].exceptions, askers[q].positions);
        }
    }
}

/* A question met in few cells is taken for an average one, here of nine exceptions a cell. */
static void met__a_question_seen_often_speaks_for_itself(void **state)
{
    const struct bk_askers askers[3] = { { 80000, 20000 }, { 8000, 4000 }, { 9000, 500 } };
    struct bk_met met[3] = { { 250, 5000 }, { 100, 1000 }, { 0, 0 } };

    (void)state;
    bk_met_guess(met, askers, 3, 1, 8);
    assert_int_equal(met[0].cells, 2000);
    assert_int_equal(met[0].in_cells, 40000);
    assert_int_equal(met[1].cells, 800);
    assert_int_equal(met[1].in_cells, 8000);
    assert_in_range(met[2].cells, 50, 60); /* 2800 cells of 24500 exceptions */
    assert_in_range(met[2].in_cells, 17 * 50, 17 * 60);
}

/* The largest filter where next to nothing is an exception, no filter where half of all is. */
static void rates__reach_from_none_to_the_largest(void **state)
{
    const struct bk_askers rare = { UINT64_C(1) << 44, 1 }, half = { 1000, 500 };
    const struct bk_met alone = { 1, 1 }, together = { 1, UINT64_C(1) << 44 }, all = { 30, 1000 };
    struct bk_question q;

    (void)state;
    bk_rates_choose(&q, &rare, &alone); /* its cell has no other position */
    assert_int_equal(q.rc, BK_RC_MAX);
    bk_rates_choose(&q, &rare, &together); /* all are in its cell */
    assert_int_equal(q.rc, 0);
    assert_int_equal(q.rp, BK_RP_MAX);
    bk_rates_choose(&q, &half, &all);
    assert_int_equal(q.rc, 0);
    assert_int_equal(q.rp, 0);
}

/* == Logarithms == */

static void logs__powers_and_products_are_right(void **state)
{
    struct bk_logs *l = malloc(sizeof(*l));

    (void)state;
    bk_logs_init(l);
    for (unsigned k = 0; k < 40; k++)
        assert_true(bk_n_log_n(l, UINT64_C(1) << k) == (int64_t)(k * BK_ONE_BIT << k));
    /* log(3 n) = log 3 + log n */
    for (uint64_t n = 64; n < UINT64_C(1) << 36; n = n * 5 / 4 + 1) {
        double log3 = (double)bk_n_log_n(l, 3 << 20) / (3 << 20) - 20 * BK_ONE_BIT;
        double sum = log3 + (double)bk_n_log_n(l, n) / (double)n;
        double gap = (double)bk_n_log_n(l, 3 * n) / (double)(3 * n) - sum;

        assert_true((gap < 0 ? -gap : gap) < 0.001 + 2.0 / (double)n);
    }
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns__keep_what_the_mask_says),
        cmocka_unit_test(columns__all_instruction_sets_count_alike),
        cmocka_unit_test(columns__append_what_the_mask_says),
        cmocka_unit_test(cells__come_back_as_they_were_put),
        cmocka_unit_test(met__a_guess_is_what_could_be),
        cmocka_unit_test(met__a_question_seen_often_speaks_for_itself),
        cmocka_unit_test(rates__reach_from_none_to_the_largest),
        cmocka_unit_test(logs__powers_and_products_are_right),
    };

    return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
