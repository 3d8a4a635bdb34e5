/*
 * test_numbers.c - claims about the numbers of an index row by row (rows.h):
 * every number of every material here is held against bk_index_unrank().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/finish.h"
#include "core/load.h"
#include "table/index_new.h"
#include "table/rows.h"
#include "tests/given.h"
#include "tests/random_variant.h"

/* == Materials == */

struct claim {
    const char *game, *name;
    bool kings; /* is the inner man of the chosen order a king? */
};

static const struct claim claims[] = {
    { "shatranj", "KRvK", false },        { "shatranj", "KRvKN", false },
    { "shatranj", "KPvK", true },         { "shatranj", "KRPvKN", false },
    { "shatranj", "KPPvKP", true },       { "shatranj", "KRRvK", true },
    { "shatranj", "KNNvKN", false },      { "shatranj", "KRRvKNN", true },
    { "shatranj", "KNPPvK", false },      { "chess", "KQvKR", false },
    { "chess", "KPvKP", true },           { "chess", "KRvKR+K", false },
    { "chess", "KRRvK+KQ", true },        { "chess", "KRvKR+Kk", true },
    { "chess", "KRRvKN+K", false },       { "grand-shatranj", "KJvKN", false },
    { "grand-shatranj", "KNvKP", false }, { "grand-shatranj", "KPvKP", true },
    { "atlantean", "KZvKX", false },      { "atlantean", "KZZvK", true },
    { "darwinian", "KFvKY", false },      { "darwinian", "KWvKF", false },
    { "puzzle", "KRvKN", false },         { "sultan", "KRvKC", false },
};

/* The index of a material with the order that bk_rows_order() chooses. */
static struct bk_index *index_in_rows(const struct bk_variant *v, const struct bk_material *m)
{
    uint8_t order[BK_SLOTS_MAX + 1];
    struct bk_index *ix;

    assert_int_equal(bk_index_new(&ix, v, m, NULL, NULL), BK_OK);
    bk_rows_order(ix, order);
    bk_index_free(ix);
    assert_int_equal(bk_index_new(&ix, v, m, order, NULL), BK_OK);
    return ix;
}

static struct bk_rows *rows_of(const struct bk_index *ix)
{
    struct bk_rows *rows;

    assert_int_equal(bk_rows_new(&rows, ix, NULL), BK_OK);
    return rows;
}

/* == What is claimed of all of them == */

static void assert_same_row(const struct bk_row *a, const struct bk_row *b)
{
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->nth, b->nth);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->block, b->block);
    assert_int_equal(a->inner, b->inner);
    assert_ptr_equal(a->inner_sq, b->inner_sq);
    assert_memory_equal(a->sq, b->sq, sizeof a->sq);
    assert_memory_equal(a->digit, b->digit, sizeof a->digit);
    assert_memory_equal(a->place, b->place, sizeof a->place);
}

/* Fails unless `number` is unranked to the squares that the row says. */
static void assert_square(const struct bk_index *ix, const struct bk_row *row, uint64_t number)
{
    unsigned sq = row->inner_sq[number - row->first];
    struct bk_placement at;

    bk_index_unrank(ix, number, &at);
    for (unsigned man = 0; man < 2 + ix->nslots; man++) {
        unsigned real = man < 2 ? at.king[man] : at.sq[man - 2];

        assert_int_equal(real, man == row->inner ? sq : row->sq[man]);
    }
}

/* Checks all rows of an index; each number of every `few`-th row. */
static void check_rows(const struct bk_index *ix, unsigned few)
{
    struct bk_rows *rows = rows_of(ix);
    uint64_t number = 0, nth = 0;
    struct bk_row row = { 0 }, same;

    if (ix->positions)
        bk_row_nth(rows, 0, &row);
    for (; number < ix->positions; number += row.n, nth++) {
        if (nth)
            bk_row_next(rows, &row);
        if (row.first != number || row.nth != nth || !row.n || row.n > ix->v->nsq ||
            row.inner != bk_rows_inner(rows) || nth < bk_rows_before(rows, row.block) ||
            nth >= bk_rows_before(rows, row.block + 1))
            fail_msg("row %llu of %s", (unsigned long long)nth, ix->v->name);
        if (nth % few)
            continue;
        assert_int_equal(row.block, bk_index_block_with(ix, number));
        bk_row_nth(rows, nth, &same);
        assert_same_row(&row, &same);
        for (uint32_t i = 0; i < row.n; i++) {
            bk_row_of(rows, number + i, &same);
            assert_same_row(&row, &same);
            assert_int_equal(bk_row_first(rows, row.block, number + i), number);
            assert_square(ix, &row, number + i);
        }
    }
    assert_int_equal(number, ix->positions);
    assert_int_equal(nth, bk_rows_count(rows));
    bk_rows_free(rows);
}

static void rows__every_number_lies_in_exactly_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        struct bk_variant *v = load(claims[i].game);
        struct bk_material m;
        struct bk_index *ix;

        assert_int_equal(bk_material_parse(&m, v, claims[i].name, NULL), BK_OK);
        bk_material_canonical(&m, v);
        ix = index_in_rows(v, &m);
        if ((ix->order[ix->nslots] == BK_KINGS_SLOT) != claims[i].kings)
            fail_msg("%s %s: another inner man", claims[i].game, claims[i].name);
        check_rows(ix, ix->positions > 200000 ? 997 : 97);
        bk_index_free(ix);
        bk_variant_free(v);
    }
}

static void rows__every_number_lies_in_exactly_one_of_random_games(void **state)
{
    unsigned checked = 0;

    (void)state;
    for (uint64_t nth = 1; nth <= 300; nth++) {
        uint64_t seed = nth;
        struct random_opts opts = { .features = nth % 2 ? RANDOM_RAREST : RANDOM_ALL };
        struct bk_variant *v = calloc(1, sizeof *v);
        struct bk_material m = { 0 };
        struct bk_index *ix;

        random_variant(v, &seed, &opts);
        assert_int_equal(bk_variant_finish(v, NULL), BK_OK);
        if (random_material(v, &seed, 5, 60000, m.count)) {
            bk_material_normalise(&m, v);
            bk_material_canonical(&m, v);
            ix = index_in_rows(v, &m);
            check_rows(ix, 31);
            bk_index_free(ix);
            checked++;
        }
        bk_variant_free(v);
    }
    assert_in_range(checked, 200, 300);
}

/* Any man with a cell and a digit for himself may be the inner one, and so may the kings. */
static void rows__any_man_may_be_the_inner_one(void **state)
{
    struct bk_variant *v = load("shatranj");
    struct bk_material m;

    (void)state;
    assert_int_equal(bk_material_parse(&m, v, "KRNvKP", NULL), BK_OK);
    for (unsigned last = 0; last < 4; last++) {
        uint8_t order[4] = { 0, 1, 2, BK_KINGS_SLOT };
        struct bk_index *ix;
        struct bk_rows *rows;

        order[3] = order[last];
        order[last] = BK_KINGS_SLOT;
        assert_int_equal(bk_index_new(&ix, v, &m, order, NULL), BK_OK);
        if (last == 2) /* the pawn: many cells */
            assert_int_equal(bk_rows_new(&rows, ix, NULL), BK_E_CORRUPT);
        else
            check_rows(ix, 10007);
        bk_index_free(ix);
    }
    bk_variant_free(v);
}

static void rows__equal_men_make_none(void **state)
{
    struct bk_variant *v = load("shatranj");
    const uint8_t order[] = { BK_KINGS_SLOT, 1, 0 };
    struct bk_material m;
    struct bk_index *ix;
    struct bk_rows *rows;

    (void)state;
    assert_int_equal(bk_material_parse(&m, v, "KRRvK", NULL), BK_OK);
    assert_int_equal(bk_index_new(&ix, v, &m, order, NULL), BK_OK);
    assert_int_equal(bk_rows_new(&rows, ix, NULL), BK_E_CORRUPT);
    bk_index_free(ix);
    bk_variant_free(v);
}

/* bk_index_rank_turned() turns a placement to the one that its number is unranked to. */
static void index__rank_turned_gives_the_placement_of_the_number(void **state)
{
    static const struct claim tables[] = { { "shatranj", "KRRvKN", 0 },
                                           { "shatranj", "KPPvKP", 0 },
                                           { "grand-shatranj", "KNPvKP", 0 },
                                           { "chess", "KRRvKN+K", 0 } };
    uint64_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct bk_variant *v = load(tables[i].game);
        struct bk_material m;
        struct bk_index *ix;
        unsigned found = 0;

        assert_int_equal(bk_material_parse(&m, v, tables[i].name, NULL), BK_OK);
        bk_material_canonical(&m, v);
        ix = index_in_rows(v, &m);
        for (unsigned k = 0; k < 20000; k++) {
            struct bk_placement at = { { 0 }, { 0 } }, again = at;
            uint32_t block;
            uint64_t number;

            for (unsigned s = 0; s < ix->nslots; s++)
                at.sq[s] =
                    ix->right[s] >= 0 ? ix->cells[s]->sq[0] : (uint8_t)random_below(&seed, v->nsq);
            for (unsigned c = 0; c < 2; c++)
                at.king[c] = (uint8_t)random_below(&seed, v->nsq);
            number = bk_index_rank(ix, &at);
            assert_int_equal(bk_index_rank_turned(ix, &at, &block), number);
            if (number == UINT64_MAX)
                continue;
            assert_int_equal(block, bk_index_block_with(ix, number));
            bk_index_unrank(ix, number, &again);
            for (unsigned s = 0; s < ix->nslots; s++)
                for (unsigned t = 0; t < s; t++)
                    if (ix->like[s] == ix->like[t] && at.sq[s] == at.sq[t])
                        goto next; /* two men on one square: any number will do */
            assert_memory_equal(&at, &again, sizeof at.king + ix->nslots);
            found++;
        next:;
        }
        assert_in_range(found, 100, 20000);
        bk_index_free(ix);
        bk_variant_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows__every_number_lies_in_exactly_one),
        cmocka_unit_test(rows__every_number_lies_in_exactly_one_of_random_games),
        cmocka_unit_test(rows__any_man_may_be_the_inner_one),
        cmocka_unit_test(rows__equal_men_make_none),
        cmocka_unit_test(index__rank_turned_gives_the_placement_of_the_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
