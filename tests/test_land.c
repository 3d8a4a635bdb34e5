/* test_land.c - live terrain: positions, turns, and games solved with all their land. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/attack.h"
#include "core/derive.h"
#include "core/land.h"
#include "core/load.h"
#include "core/move.h"
#include "core/rules.h"
#include "tb/masks.h"
#include "tests/left_out.h"
#include "tests/slow_land.h"

static const struct land_rules usual = { .board = "3x3",
                                         .bare = "wins-unless-bared-back",
                                         .stalemate = "draw" };

static struct bk_variant *atlantis(void)
{
    struct bk_report why = { "" };
    struct bk_variant *v;

    if (bk_variant_load(&v, "destruction-of-atlantis", &why))
        fail_msg("%s", why.text);
    return v;
}

/* The game of a FEN. */
static struct bk_variant *game_of(const char *fen)
{
    struct bk_variant *base = atlantis(), *v = NULL;
    struct bk_report why = { "" };

    if (bk_variant_for_fen(&v, base, fen, &why))
        fail_msg("%s: %s", fen, why.text);
    if (!v)
        return base;
    bk_variant_free(base);
    return v;
}

static struct bk_pos read_fen(const struct bk_variant *v, const char *fen)
{
    struct bk_report why = { "" };
    struct bk_pos p;

    if (bk_pos_from_fen(&p, v, fen, &why))
        fail_msg("%s: %s", fen, why.text);
    return p;
}

/* == Positions == */

static void fen__comes_back_with_its_land(void **state)
{
    static const char *const fens[] = {
        "k2h/4/4/K2M w + - 0 2",
        "k1*h/*3/1*2/K2M b - - 0 1",
        "?*3?k/?1?h1?2/5/4M/K4 w + - 0 2",
        "k?M3/?*4/3?2/?12K1 b + - 0 7",
        "**************/**************/**x8x**/**1ntzkmhtn1**/**pppppppppp**/**10**/**10**/**10**/"
        "**10**/**PPPPPPPPPP**/**1NTZKMHTN1**/**X8X**/**************/************** w - - 0 1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof fens / sizeof *fens; i++) {
        struct bk_variant *v = game_of(fens[i]);
        struct bk_pos p = read_fen(v, fens[i]);
        char out[BK_FEN_MAX];

        assert_string_equal(bk_pos_to_fen(&p, v, out), fens[i]);
        bk_variant_free(v);
    }
}

/* Only what a FEN marks can change; without marks everything can. */
static void fen__names_what_can_change(void **state)
{
    struct bk_variant *v = game_of("?*3k/?31h/5/4M/K4 w + - 0 2");

    (void)state;
    assert_int_equal(bk_bits_count(&v->board), 25);
    assert_int_equal(bk_bits_count(bk_rules_changeable(v)), 4);
    bk_variant_free(v);
    v = game_of("*3k/4h/5/4M/K3* w + - 0 2");
    assert_int_equal(bk_bits_count(bk_rules_changeable(v)), 25);
    bk_variant_free(v);
    v = game_of("*3k/?13h/5/4M/K3* w + - 0 2"); /* what is not marked stays sea */
    assert_int_equal(bk_bits_count(&v->board), 23);
    bk_variant_free(v);
}

/* Where nobody can ever begin, or nobody has a power any more, the land is frozen: docs/rules.md.
 */
static void fen__of_frozen_land_is_asked_in_a_game_without_powers(void **state)
{
    static const struct {
        const char *fen;
        bool live;
    } claim[] = {
        { "k2n/*3/4/KM1H w - - 0 1", false }, /* Black alone begins */
        { "k2n/*3/4/KM1H w + - 0 1", true },
        { "k2m/*3/4/KN2 w - - 0 1", true },
        { "k3/*3/3p/KM2 w - - 0 1", true }, /* who may be a minister one day */
        { "k2n/*3/4/KN2 b + - 0 7", false },
        { "k2n/4/4/KH2 w + - 0 1", false }, /* there is nothing to create */
        { "k2n/*3/4/KH2 w + - 0 1", true },
        { "k2h/*3/4/KN2 w - - 0 2", false },
        { "k2?1/?*3/4/KM1H w - - 0 2", false }, /* marks say nothing then */
    };

    (void)state;
    for (size_t i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct bk_variant *v = game_of(claim[i].fen);
        struct bk_pos p = read_fen(v, claim[i].fen);

        if (bk_rules_land_lives(v) != claim[i].live)
            fail_msg("%s", claim[i].fen);
        assert_int_equal(bk_land_may_change(v, &p), claim[i].live);
        assert_int_equal(bk_rules_plain_is_exact(v, (const uint8_t(*)[BK_TYPES_MAX])p.count),
                         !claim[i].live);
        bk_variant_free(v);
    }
}

static bool is_turn(const char *fen, const char *name)
{
    struct bk_variant *v = game_of(fen);
    struct bk_pos p = read_fen(v, fen);
    struct bk_move m;
    bool is = !bk_move_read(&m, v, &p, name, strlen(name), 1, NULL);

    bk_variant_free(v);
    return is;
}

static void turn__has_the_power_of_its_number(void **state)
{
    (void)state;
    assert_true(is_turn("4k/n4/5/2M2/K3N w + - 0 1", "e1d3,-c3"));  /* odd: destroy */
    assert_false(is_turn("4k/n4/5/2M2/K3N w + - 0 2", "e1d3,-c3")); /* not in an even one */
    assert_false(is_turn("4k/n4/5/2M2/K3N w - - 0 1", "e1d3,-c3")); /* nor before the first */
    assert_true(is_turn("4k/n4/5/2m2/K3N b - - 0 1", "e5d5,-c3"));  /* but by Black */
    assert_false(is_turn("4k/n4/5/2m2/K3N b - - 0 2", "e5d5,-c3"));
    assert_true(is_turn("4k/n4/1*3/2H2/K3N w + - 0 2", "+b3,e1d3"));
    assert_true(is_turn("4k/n4/1*3/2H2/K3N w + - 0 2", "+b3,c2b3")); /* onto it */
    assert_false(is_turn("4k/n4/1*3/2H2/K3N w + - 0 1", "+b3,e1d3"));
    assert_false(is_turn("4k/n4/1*3/2H2/K3N w + - 0 2", "c2b3"));
    assert_false(
        is_turn("4k/n4/5/2M2/K3N w + - 0 1", "e1d3,-e5")); /* nobody sinks with a man on it */
    assert_true(is_turn("4k/n4/5/2M2/K3N w + - 0 1", "c2d2,-c2")); /* what was just left */
}

static void turn__is_cancelled_by_the_enemy(void **state)
{
    (void)state;
    assert_false(is_turn("4k/5/1h3/2M2/4K w + - 0 1", "e1e2,-c4"));
    assert_true(is_turn("4k/5/1h3/2M2/4K w + - 0 1", "e1e2,-b2"));   /* out of her range */
    assert_true(is_turn("4k/n4/1H3/2M2/4K w + - 0 1", "e1e2,-c4"));  /* his own */
    assert_true(is_turn("3nk/5/1h3/2M2/N3K w + - 0 1", "a1b3,-c4")); /* she was just taken */
    assert_false(is_turn("4k/3m1/3*1/2H2/4K w + - 0 2", "+d3,e1d1"));
}

/* A rook's line is cut by the sea that is made at the end of the turn. */
static void turn__may_parry_a_check_by_destroying(void **state)
{
    struct land_rules r = usual;
    struct bk_variant *v;
    struct bk_pos p;
    struct bk_move m;

    (void)state;
    r.board = "5x4";
    v = land_game(&r);
    p = read_fen(v, "k4/5/1M3/K3r w + - 0 1");
    assert_true(bk_in_check(v, &p, BK_WHITE));
    assert_int_equal(bk_move_read(&m, v, &p, "b2b3", 4, 1, NULL), BK_E_USAGE);
    assert_int_equal(bk_move_read(&m, v, &p, "b2b3,-b1", 8, 1, NULL), BK_OK);
    p = read_fen(v, "k4/5/1H3/K1*1r w + - 0 2"); /* and creating may open one */
    assert_int_equal(bk_move_read(&m, v, &p, "+c1,b2c3", 8, 1, NULL), BK_E_USAGE);
    assert_int_equal(bk_move_read(&m, v, &p, "b2c3", 4, 1, NULL), BK_OK);
    bk_variant_free(v);
}

static void pawns__promote_on_the_ranks_of_the_army(void **state)
{
    struct bk_variant *v = atlantis();
    const struct bk_piece *pawn = &v->piece[bk_variant_type(v, 'P')];

    (void)state;
    assert_int_equal(pawn->ranks, 0x0ff0);       /* 3 to 10 of the army's board */
    assert_int_equal(pawn->zone_ranks, 1 << 11); /* its tenth */
    assert_int_equal(pawn->become[0].ranks, 1 << 10);
    assert_int_equal(pawn->become[1].ranks, 1 << 11);
    bk_variant_free(v);
    v = game_of("kM2/4/4/KM2 w + - 0 1"); /* on four ranks as atlantean has it there */
    pawn = &v->piece[bk_variant_type(v, 'P')];
    assert_int_equal(pawn->zone_ranks, 1 << 3);
    assert_int_equal(pawn->become[0].ranks, 1 << 2);
    bk_variant_free(v);
}

/* == Solved == */

static unsigned long expect(struct land_rules r, const char *men, const char *fen)
{
    struct bk_variant *v = land_game(&r);
    unsigned long states;
    unsigned different = land_check(v, men, fen, &states);

    bk_variant_free(v);
    if (different)
        fail_msg("%s on %s: %u of %lu states differ", men, r.board, different, states);
    return states;
}

static void land__agrees_with_the_slow_solver(void **state)
{
    struct land_rules r = usual;

    (void)state;
    assert_true(expect(r, "KMkh", NULL) > 30000);
    r.board = "2x4";
    expect(r, "KXkm", NULL);
    r.bare = "nothing"; /* captures go on */
    expect(r, "KPkm", NULL);
    r.bridges = "two-wide";
    r.king = "KAD";
    expect(r, "KHkm", NULL);
}

static void land__lines_are_cut_and_opened(void **state)
{
    struct land_rules r = usual;

    (void)state;
    r.board = "2x4";
    expect(r, "KRkm", NULL);
    expect(r, "KHkc", NULL);
}

static void land__of_which_some_squares_may_change(void **state)
{
    static const char *const fens[] = { "?*?2/hk?1/K?1M w + - 0 1",
                                        "?1?*?1/?*k1/?KM*/3 w + - 0 1" };
    struct land_rules r = usual;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct bk_report why = { "" };
        struct bk_variant *base, *v;
        unsigned long states;

        r.board = i ? "2x2" : "3x3";
        r.bare = i ? "nothing" : usual.bare;
        base = land_game(&r);
        if (bk_variant_for_fen(&v, base, fens[i], &why))
            fail_msg("%s", why.text);
        assert_non_null(v);
        assert_int_equal(land_check(v, i ? "KMk" : "KMkh", NULL, &states), 0);
        assert_true(states > 1000);
        bk_variant_free(v);
        bk_variant_free(base);
    }
}

static void land__before_the_first_destruction(void **state)
{
    struct land_rules r = usual;

    (void)state;
    expect(r, "KMkm", "kK1/3/*2 w - - 0 1");
    r.powers = "white-creates-black-destroys";
    expect(r, "KHkm", "kK1/1*1/3 w - - 0 1");
}

static void land__random_games_agree(void **state)
{
    const char *cases = getenv("LAND_CASES");
    unsigned n = cases ? (unsigned)strtoul(cases, NULL, 10) : 6;

    (void)state;
    for (unsigned i = 1; i <= n; i++) {
        struct land_case c;

        land_draw(i, &c);
        if (land_check_case(&c))
            fail_msg("case %u", i);
    }
}

/* Figures of a solver that shares nothing with ours.  All men on all land; by side to move and kind
   of turn: White odd, Black odd, White even, Black even. */
static void land__has_the_counts_of_another_solver(void **state)
{
    static const struct {
        const char *board, *king, *men;
        struct {
            uint64_t wins, draws, losses;
            unsigned longest_win, longest_loss;
        } phase[4];
    } claim[] = {
        { "3x3",
          "KAD",
          "KHkn",
          { { 9784, 1696, 808, 9, 2 },
            { 6736, 3536, 8160, 5, 12 },
            { 11048, 1080, 160, 11, 4 },
            { 7392, 3712, 7328, 3, 10 } } },
        { "3x3",
          "K",
          "KNkmm",
          { { 224, 1552, 40464, 3, 6 },
            { 2240, 0, 0, 1, 0 },
            { 224, 1552, 40464, 3, 6 },
            { 2240, 0, 0, 1, 0 } } },
        { "3x3",
          "KAD",
          "KNkmn",
          { { 3224, 8992, 33864, 7, 6 },
            { 12232, 360, 208, 5, 4 },
            { 3224, 8992, 33864, 7, 6 },
            { 12232, 344, 224, 5, 4 } } },
        { "3x4",
          "KAD",
          "KHkm",
          { { 327260, 156544, 142884, 13, 10 },
            { 303052, 81324, 39560, 9, 12 },
            { 342196, 151328, 133164, 11, 12 },
            { 310936, 76032, 36968, 11, 14 } } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct land_rules r = usual;
        struct bk_masks_options o = { .all_land = true };
        struct bk_report why = { "" };
        struct bk_masks *w;
        struct bk_variant *v;
        struct bk_pos p;

        r.board = claim[i].board;
        r.king = claim[i].king;
        v = land_game(&r);
        bk_pos_init(&p, v);
        p.begun = true;
        for (unsigned sq = 0; claim[i].men[sq]; sq++)
            bk_pos_put(&p, v, (unsigned)bk_variant_type(v, claim[i].men[sq]),
                       claim[i].men[sq] >= 'a', sq);
        if (bk_masks_new(&w, v, &p, &o, &why))
            fail_msg("%s", why.text);
        for (unsigned phase = 0; phase < 4; phase++) {
            struct bk_masks_summary s;

            bk_masks_summary(w, &p, phase & 1, phase < 2, &s);
            assert_int_equal(s.wins, claim[i].phase[phase].wins);
            assert_int_equal(s.draws, claim[i].phase[phase].draws);
            assert_int_equal(s.losses, claim[i].phase[phase].losses);
            assert_int_equal(s.longest_win, claim[i].phase[phase].longest_win);
            assert_int_equal(s.longest_loss, claim[i].phase[phase].longest_loss);
        }
        bk_masks_free(w);
        bk_variant_free(v);
    }
}

static struct bk_masks_value value_of(const char *fen, bool results_alone)
{
    struct bk_masks_options o = { .results_alone = results_alone };
    struct bk_variant *v = game_of(fen);
    struct bk_pos p = read_fen(v, fen);
    struct bk_masks_value value = { 9, 0 };
    struct bk_report why = { "" };
    struct bk_masks *w;

    if (bk_masks_new(&w, v, &p, &o, &why))
        fail_msg("%s", why.text);
    assert_true(bk_masks_value(w, &p, &value));
    bk_masks_free(w);
    bk_variant_free(v);
    return value;
}

/* What cannot change need not be marked, and what is marked but out of everybody's reach changes
   nothing. */
static void land__of_marked_squares_is_a_game_of_its_own(void **state)
{
    struct bk_masks_value all = value_of("*2/hk1/K1M w + - 0 1", false);
    struct bk_masks_value marked = value_of("?*?2/?h?k?1/?K?1?M w + - 0 1", false);
    struct bk_masks_value alone = value_of("?*?2/?h?k?1/?K?1?M w + - 0 1", true);

    (void)state;
    assert_int_equal(all.wdl, marked.wdl);
    assert_int_equal(all.plies, marked.plies);
    assert_int_equal(all.wdl, alone.wdl);
    value_of("?*2k/?12h/K2M w + - 0 2", false);
}

static void land__tells_the_memory_that_it_lacks(void **state)
{
    struct bk_masks_options o = { .memory_limit = 1 << 20 };
    struct bk_variant *v = game_of("k2h/4/4/K2M w + - 0 1");
    struct bk_pos p = read_fen(v, "k2h/4/4/K2M w + - 0 1");
    struct bk_report why = { "" };
    struct bk_masks *w;
    uint64_t need;

    (void)state;
    assert_int_equal(bk_masks_new(&w, v, &p, &o, &why), BK_E_USAGE);
    assert_string_equal(why.text, "854 MiB are needed; --memory allows less");
    assert_int_equal(bk_masks_estimate(&need, v, &p, &o, &why), BK_OK);
    assert_int_equal(need, UINT64_C(43680) * 64 * 4 * (16 + 64));
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fen__comes_back_with_its_land),
        cmocka_unit_test(fen__names_what_can_change),
        cmocka_unit_test(fen__of_frozen_land_is_asked_in_a_game_without_powers),
        cmocka_unit_test(turn__has_the_power_of_its_number),
        cmocka_unit_test(turn__is_cancelled_by_the_enemy),
        cmocka_unit_test(turn__may_parry_a_check_by_destroying),
        cmocka_unit_test(pawns__promote_on_the_ranks_of_the_army),
        cmocka_unit_test(land__agrees_with_the_slow_solver),
        cmocka_unit_test(land__lines_are_cut_and_opened),
        cmocka_unit_test(land__of_which_some_squares_may_change),
        cmocka_unit_test(land__before_the_first_destruction),
        cmocka_unit_test(land__random_games_agree),
        cmocka_unit_test(land__has_the_counts_of_another_solver),
        cmocka_unit_test(land__of_marked_squares_is_a_game_of_its_own),
        cmocka_unit_test(land__tells_the_memory_that_it_lacks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
