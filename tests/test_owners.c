/*
 * test_owners.c - which of several processes owns which pairs of kings (tb/solve/owners.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/geometry.h"
#include "core/symmetry.h"
#include "table/index.h"
#include "table/index_new.h"
#include "tb/solve/owners.h"
#include "tb/solve/share.h"
#include "tests/given.h"

static struct bk_owners owners_of(const struct bk_variant *v, unsigned ranks)
{
    struct bk_report why = { "" };
    struct bk_owners o;

    assert_int_equal(bk_owners_new(&o, v, ranks, &why), BK_OK);
    return o;
}

static void owners__are_one_for_all_images_of_a_pair(void **state)
{
    static const char *const game[] = { "shatranj", "grand-shatranj", "sultan", "puzzle" };

    (void)state;
    for (size_t g = 0; g < sizeof game / sizeof *game; g++) {
        struct bk_variant *v = load(game[g]);
        struct bk_owners o = owners_of(v, 5);
        uint8_t map[BK_SQ_MAX];

        for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++)
            for (unsigned w = 0; bk_symmetry_map(v, sym, map) && w < v->nsq; w++)
                for (unsigned b = 0; b < v->nsq; b++)
                    assert_int_equal(bk_owner_of(&o, w, b), bk_owner_of(&o, map[w], map[b]));
        bk_owners_free(&o);
        bk_variant_free(v);
    }
}

/* Returns the most slices of a table's first block that a rank owns, in thousandths of the average.
 */
static unsigned largest_share(const struct bk_variant *v, const char *material, unsigned ranks)
{
    struct bk_report why = { "" };
    struct bk_owners o = owners_of(v, ranks);
    unsigned own[BK_PROCESSES_MAX] = { 0 }, most = 0;
    const struct bk_pairs *pairs;
    struct bk_material m;
    struct bk_index *ix;

    assert_int_equal(bk_material_parse(&m, v, material, &why), BK_OK);
    bk_material_canonical(&m, v);
    assert_int_equal(bk_index_new(&ix, v, &m, NULL, &why), BK_OK);
    pairs = ix->block[0].pairs;
    for (uint32_t slice = 0; slice < pairs->nslices; slice++)
        own[bk_owner_of(&o, pairs->king[slice][0], pairs->king[slice][1])]++;
    for (unsigned r = 0; r < ranks; r++)
        most = own[r] > most ? own[r] : most;
    most = most * ranks * 1000 / pairs->nslices;
    bk_index_free(ix);
    bk_owners_free(&o);
    return most;
}

static void owners__have_equally_many_slices(void **state)
{
    static const unsigned ranks[] = { 2, 3, 4, 5, 7, 8, 16, 32 };
    struct bk_variant *shatranj = load("shatranj"), *grand = load("grand-shatranj");

    (void)state;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        assert_true(largest_share(shatranj, "KRvKN", ranks[i]) <= 1100);
        assert_true(largest_share(shatranj, "KRvKP", ranks[i]) <= 1100);
        assert_true(largest_share(grand, "KMvKN", ranks[i]) <= 1100);
    }
    bk_variant_free(shatranj);
    bk_variant_free(grand);
}

/* Owners are computed in whole numbers, so every machine finds the same: they have this sum. */
static void owners__are_the_same_on_every_machine(void **state)
{
    struct bk_variant *v = load("shatranj");
    struct bk_owners o = owners_of(v, 4);
    uint64_t sum = 0;

    (void)state;
    assert_int_equal(o.classes, 462);
    for (unsigned pair = 0; pair < v->nsq * v->nsq; pair++)
        sum = sum * UINT64_C(0x9e3779b97f4a7c15) + o.of[pair] + 1;
    assert_int_equal(sum, UINT64_C(0x775fbac65701c7fc));
    bk_owners_free(&o);
    bk_variant_free(v);
}

/* Fails unless `rank` reads the pair of kings, and all its images, after a move into a table. */
static void expect_reader(const struct bk_variant *v, const struct bk_owners *o, unsigned mover,
                          unsigned white, unsigned black, unsigned rank)
{
    uint8_t map[BK_SQ_MAX];

    if (white == black || !bk_bits_has(&v->board, white) || !bk_bits_has(&v->board, black))
        return;
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        struct bk_reading straight = { 0 }, exchanged = { 0 };

        straight.by[!mover][0] = exchanged.by[mover][1] = true;
        if (!bk_symmetry_map(v, sym, map))
            continue;
        assert_true(bk_owners_readers(o, &straight, !mover, map[white], map[black]) >> rank & 1);
        assert_true(bk_owners_readers(o, &exchanged, mover, map[black], map[white]) >> rank & 1);
    }
}

static void owners__read_where_their_kings_go(void **state)
{
    static const char *const game[] = { "shatranj", "grand-shatranj", "sultan", "puzzle" };

    (void)state;
    for (size_t g = 0; g < sizeof game / sizeof *game; g++) {
        struct bk_variant *v = load(game[g]);
        struct bk_owners o = owners_of(v, 5);

        for (unsigned white = 0; white < v->nsq; white++)
            for (unsigned black = 0; black < v->nsq; black++)
                for (unsigned mover = 0; mover < 2; mover++) {
                    unsigned king[2] = { white, black }, n, owner = bk_owner_of(&o, white, black);
                    const struct bk_reach *r = bk_reach_from(v, v->royal, mover, king[mover], &n);

                    if (bk_king_attacks(v, BK_WHITE, white, black) || white == black)
                        continue;
                    expect_reader(v, &o, mover, white, black, owner);
                    for (unsigned i = 0; i < n; i++) {
                        king[mover] = r[i].to;
                        expect_reader(v, &o, mover, king[0], king[1], owner);
                    }
                }
        bk_owners_free(&o);
        bk_variant_free(v);
    }
}

/* Returns the largest share of a table that is moved into which a rank holds, in thousandths. */
static unsigned kept(const struct bk_variant *v, unsigned ranks, const struct bk_reading *reading)
{
    struct bk_report why = { "" };
    struct bk_owners o = owners_of(v, ranks);
    struct bk_material m;
    struct bk_index *ix;
    double share;

    assert_int_equal(bk_material_parse(&m, v, "KRNvKR", &why), BK_OK);
    assert_int_equal(bk_index_new(&ix, v, &m, NULL, &why), BK_OK);
    share = bk_share_kept(ix, &o, reading, true, (struct bk_some_ranks){ ranks, 0, ranks });
    bk_index_free(ix);
    bk_owners_free(&o);
    return (unsigned)(1000 * share);
}

static void owners__keep_a_share_of_what_they_move_into(void **state)
{
    static const struct bk_reading one = { { { false, false }, { true, false } } };
    static const struct bk_reading all = { { { true, true }, { true, true } } };
    struct bk_variant *v = load("shatranj");

    (void)state;
    assert_int_equal(kept(v, 4, NULL), 1000);
    assert_true(kept(v, 4, &one) < 300); /* one side to move, one king's steps */
    assert_true(kept(v, 16, &one) < 150);
    assert_true(kept(v, 16, &all) < 400);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners__are_one_for_all_images_of_a_pair),
        cmocka_unit_test(owners__have_equally_many_slices),
        cmocka_unit_test(owners__are_the_same_on_every_machine),
        cmocka_unit_test(owners__read_where_their_kings_go),
        cmocka_unit_test(owners__keep_a_share_of_what_they_move_into),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
