/*
 * test_whole.c - games with hands, solved twice.
 *
 * The slow solver and the comparer are in slow_hands.c.
 *
 * WHOLE_CASES=N in the environment: N random games, not the usual six.
 * WHOLE_MINI=1: also all of puzzle-mini from the empty board (minutes).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "core/read.h"
#include "core/rules.h"
#include "tb/whole.h"
#include "tests/left_out.h"
#include "tests/ref.h"
#include "tests/slow_hands.h"

/* == All states == */

static const struct hands_rules usual3 = { .board = "3x3",
                                           .holes = "",
                                           .bare = "wins-unless-bared-back",
                                           .stalemate = "loss",
                                           .configuration = "2x2",
                                           .quiet = 1,
                                           .ferzes = 1 };

/* Returns the usual rules, with configurations, on a board. */
static struct hands_rules on(const char *board, const char *holes)
{
    struct hands_rules r = usual3;

    r.board = board;
    r.holes = holes;
    r.quiet = r.ferzes = 0;
    return r;
}

/* Returns rules by which nobody bares back and a stalemate is a draw. */
static struct hands_rules freely(const char *board, const char *configuration)
{
    struct hands_rules r = on(board, "");

    r.bare = "wins";
    r.stalemate = "draw";
    r.configuration = configuration;
    return r;
}

static void expect(struct hands_rules r, const char *army)
{
    struct bk_variant *v = hands_game(&r);

    assert_int_equal(hands_check_army(v, army), 0);
    bk_variant_free(v);
}

static void hands__two_against_one_agrees_with_the_slow_solver(void **state)
{
    (void)state;
    expect(usual3, "KRkf");
    expect(usual3, "KRNkf");
    expect(usual3, "KFkrn");
    expect(on("4x3", ""), "KRAkf");
    expect(on("4x4", "d4"), "KRka");
}

static void hands__equal_men_are_interchangeable(void **state)
{
    (void)state;
    expect(usual3, "KFFkr");
    expect(usual3, "KRRkff");
}

static void hands__two_against_two_with_configurations(void **state)
{
    (void)state;
    expect(on("3x3", "c3"), "KRNkfn"); /* three boxes, three men */
    expect(on("4x2", ""), "KRNkf");    /* two boxes: Black's two men suffice */
    expect(freely("4x2", "none"), "KRNkf");
}

static void hands__a_dropped_screen_is_a_screen(void **state)
{
    (void)state;
    expect(usual3, "KCNkc");
    expect(freely("5x2", "2x2"), "KCPkr");
}

static void opening__agrees_from_the_empty_board(void **state)
{
    struct hands_rules r = usual3;
    struct bk_variant *v;

    (void)state;
    v = hands_game(&r);
    assert_int_equal(hands_check_opening(v, "FKfk"), 0);
    bk_variant_free(v);
    r.knights = 1;
    r.holes = "c3";
    v = hands_game(&r);
    assert_int_equal(hands_check_opening(v, "FKNfkn"), 0);
    bk_variant_free(v);
}

static void opening__ferzes_go_to_different_bindings(void **state)
{
    struct hands_rules r = usual3;
    struct bk_variant *v;

    (void)state;
    r.ferzes = 2;
    r.holes = "c3";
    r.quiet = 0;
    v = hands_game(&r);
    assert_int_equal(hands_check_opening(v, "FFKffk"), 0);
    bk_variant_free(v);
}

static void opening__agrees_on_all_of_puzzle_mini(void **state)
{
    struct bk_report why;
    struct bk_variant *v;

    (void)state;
    if (!getenv("WHOLE_MINI"))
        leave_out("a minute, with WHOLE_MINI=1");
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    assert_int_equal(hands_check_opening(v, "AAKaak"), 0);
    bk_variant_free(v);
}

/* Kings stay on ranks 1 and 2, rooks on ranks 1 and 3. */
static void hands__men_stay_on_their_ranks(void **state)
{
    struct hands_rules r = freely("3x4", "none");

    (void)state;
    r.king_ranks = "1-2";
    r.rook_ranks = "1,3";
    expect(r, "KRkf");
    expect(r, "KRkr");
}

/* A cannon may give check over the king that is dropped last: quiet turns begin after that. */
static void opening__the_last_king_may_give_check(void **state)
{
    struct hands_rules r = freely("3x3", "none");

    (void)state;
    r.cannons = 1;
    for (r.quiet = 0; r.quiet < 2; r.quiet++) {
        struct bk_variant *v = hands_game(&r);

        assert_int_equal(hands_check_opening(v, "CKck"), 0);
        bk_variant_free(v);
    }
}

static void opening__agrees_where_only_moves_are_quiet(void **state)
{
    struct hands_rules r = usual3;
    struct bk_variant *v;

    (void)state;
    r.quiet_moves = true;
    r.cannons = 1; /* a drop may be his screen */
    r.configuration = "none";
    v = hands_game(&r);
    assert_int_equal(hands_check_opening(v, "CFKcfk"), 0);
    bk_variant_free(v);
}

static void hands__random_games_agree(void **state)
{
    const char *cases = getenv("WHOLE_CASES");
    unsigned n = cases ? (unsigned)strtoul(cases, NULL, 10) : 6;

    (void)state;
    for (unsigned i = 1; i <= n; i++) {
        struct hands_case c;

        hands_draw(i, &c);
        assert_int_equal(hands_check(&c), 0);
    }
}

/* == Single claims == */

struct wanted {
    const struct bk_hands_pos *p;
    const struct bk_variant *v;
    const char *name;
    unsigned found, all;
};

static bool look(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct wanted *g = context;
    char name[BK_TURN_NAME_MAX];

    (void)after;
    g->all++;
    g->found += !strcmp(bk_turn_name(g->p, g->v, turn, name), g->name);
    return true;
}

static unsigned turns_named(const struct bk_variant *v, const char *fen, const char *name,
                            unsigned *all)
{
    struct bk_hands_pos p;
    struct bk_report why = { "" };
    struct wanted g = { .p = &p, .v = v, .name = name };

    if (bk_hands_from_fen(&p, v, fen, &why))
        fail_msg("%s", why.text);
    bk_hands_turns(&p, v, look, &g);
    if (all)
        *all = g.all;
    return g.found;
}

static void turn__is_written_in_the_order_it_is_played(void **state)
{
    struct bk_variant *v = hands_game(&usual3);

    (void)state;
    /* White holds r, takes f with the king. */
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "r@c3,a1b1,f@a1", NULL), 1);
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "a1b1,r@c3,f@a1", NULL), 1);
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "a1b1,r@c3", NULL), 1);
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "a1b1,r@a1", NULL), 0); /* check */
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "a1b1,f@c3", NULL), 0); /* r is due */
    bk_variant_free(v);
}

static void turn__ends_with_the_man_due_on_the_board(void **state)
{
    struct bk_variant *v = hands_game(&usual3);

    (void)state;
    assert_int_equal(turns_named(v, "k2/2n/K1N[f] w", "a1b1", NULL), 0);
    assert_int_equal(turns_named(v, "k2/2n/K1N[f] w", "a1b1,f@a2", NULL), 0); /* check */
    assert_int_equal(turns_named(v, "k2/2n/K1N[f] w", "a1b1,f@b3", NULL), 1);
    assert_int_equal(turns_named(v, "k2/2n/K1N[f] w", "f@b3,a1b1", NULL), 1);
    bk_variant_free(v);
}

static void opening__puts_one_of_each_colour(void **state)
{
    struct bk_variant *v = hands_game(&usual3);
    unsigned all;

    (void)state;
    assert_int_equal(turns_named(v, "3/3/3[KFkf] w", "F@a1,f@c3", &all), 1);
    assert_int_equal(all, 9 * 8);
    bk_variant_free(v);
}

/* == Bonus turns, and no recapture == */

static void hands__who_was_dropped_is_not_taken_in_that_turn(void **state)
{
    struct hands_rules r = usual3;
    struct bk_variant *v;

    (void)state;
    r.no_recapture = true;
    v = hands_game(&r);
    assert_int_equal(turns_named(v, "2k/3/KRn[f] w", "f@b2,b1b2", NULL), 0);
    assert_int_equal(turns_named(v, "2k/3/KRn[f] w", "f@b3,b1c1", NULL), 1); /* another man */
    bk_variant_free(v);
    expect(r, "KRNkf");
    expect(r, "KFNkr");
    v = hands_game(&usual3);
    assert_int_equal(turns_named(v, "2k/3/KRn[f] w", "f@b2,b1b2", NULL), 1);
    bk_variant_free(v);
}

static void bonus__turns_agree_with_the_slow_solver(void **state)
{
    struct hands_rules r = usual3;

    (void)state;
    r.bonus = true;
    expect(r, "KRkf");
    expect(r, "KRNkf");
    r.no_recapture = true;
    expect(r, "KRNkf");
    expect(r, "KFFkr"); /* men of one type are counted together */
    if (!tries_all())
        return;
    r = on("3x3", "c3");
    r.bonus = r.no_recapture = true;
    expect(r, "KRNkfn"); /* several men of a side may be held */
}

static void bonus__turns_follow_the_opening(void **state)
{
    struct hands_rules r = usual3;
    struct bk_variant *v;

    (void)state;
    r.bonus = r.no_recapture = true;
    r.knights = tries_all(); /* without, a ninth of the positions */
    r.holes = "c3";
    v = hands_game(&r);
    assert_int_equal(hands_check_opening(v, r.knights ? "FKNfkn" : "FKfk"), 0);
    bk_variant_free(v);
}

struct playing {
    const struct bk_hands_pos *p;
    const struct bk_variant *v;
    const char *name;
    struct bk_turn turn;
    struct bk_hands_pos after;
    bool found;
};

static bool find_turn(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct playing *g = context;
    char name[BK_TURN_NAME_MAX];

    if (strcmp(bk_turn_name(g->p, g->v, turn, name), g->name) != 0)
        return true;
    g->turn = *turn;
    g->after = *after;
    g->found = true;
    return false;
}

/* Plays the turn of this name, and compares the two ways to play it. */
static void play_named(const struct bk_variant *v, struct bk_hands_pos *p, const char *name)
{
    struct playing g = { .p = p, .v = v, .name = name };
    char listed[BK_FEN_MAX], played[BK_FEN_MAX];

    bk_hands_turns(p, v, find_turn, &g);
    if (!g.found)
        fail_msg("%s is no turn", name);
    bk_hands_play(p, v, &g.turn);
    assert_string_equal(bk_hands_to_fen(p, v, played), bk_hands_to_fen(&g.after, v, listed));
}

static void bonus__each_release_is_a_turn_more(void **state)
{
    struct hands_rules r = usual3;
    struct bk_hands_pos p;
    struct bk_report why = { "" };
    struct bk_variant *v;
    char fen[BK_FEN_MAX];

    (void)state;
    r.bonus = r.no_recapture = true;
    r.board = "4x3";
    v = hands_game(&r);
    /* White has released a ferz once: the next one that he takes has two turns. */
    if (bk_hands_from_fen(&p, v, "3k/2n1/Kf1N[-] w k0.1,0", &why))
        fail_msg("%s", why.text);
    play_named(v, &p, "a1b1");
    assert_string_equal(bk_hands_to_fen(&p, v, fen), "3k/2n1/1K1N[f=2] b k0.1,0");
    play_named(v, &p, "c2a1");
    assert_string_equal(bk_hands_to_fen(&p, v, fen), "3k/4/nK1N[f=2] w k0.1,0");
    play_named(v, &p, "b1b2"); /* he keeps it */
    assert_string_equal(bk_hands_to_fen(&p, v, fen), "3k/1K2/n2N[f] b k0.1,0");
    play_named(v, &p, "a1c2");
    assert_int_equal(turns_named(v, bk_hands_to_fen(&p, v, fen), "b2b1", NULL), 0); /* now due */
    play_named(v, &p, "b2b1,f@c1");
    assert_string_equal(bk_hands_to_fen(&p, v, fen), "3k/2n1/1KfN[-] b k0.2,0");
    bk_variant_free(v);
}

/* Values of puzzle-mini by a solver that shares nothing with ours: with bonus turns, exact whatever
   their number, and without.  In all of them nobody has released a man. */
static void bonus__puzzle_mini_is_as_another_solver_has_it(void **state)
{
    static const struct {
        const char *fen;
        struct bk_whole_value with, without;
    } claim[] = {
        { "A1**/2**/kaK1/4[A=1a=1] w k0,0", { 0, 0 }, { 1, 11 } },
        { "aK**/a1**/3A/2k1[A=1] w k0,0", { -1, 16 }, { 0, 0 } },
        { "1A**/1K**/2aa/1k2[A=1] w k0,0", { 1, 17 }, { 0, 0 } },
        { "2**/ka**/2Aa/1K1A[] b k0,0", { 1, 13 }, { 0, 0 } },
        { "Aa**/1A**/K1a1/2k1[] b k0,0", { 1, 13 }, { 0, 0 } },
        { "1K**/2**/ak1A/a2A[] b k0,0", { -1, 10 }, { -1, 8 } },
        { "2**/1a**/1a1A/k1KA[] b k0,0", { -1, 12 }, { -1, 10 } },
        { "KA**/2**/aa2/1Ak1[] b k0,0", { -1, 10 }, { -1, 8 } },
        { "K1**/2**/1a1A/a1kA[] w k0,0", { 1, 9 }, { 1, 7 } },
        { "1k**/2**/AK1a/3a[A=1] w k0,0", { -1, 10 }, { -1, 8 } },
        { "aA**/kA**/3K/4[a=1] b k0,0", { 1, 3 }, { 1, 3 } },
        { "ka**/1a**/4/1AK1[A=1] b k0,0", { 1, 5 }, { 1, 5 } },
        { "1A**/K1**/a3/a2k[A=1] b k0,0", { -1, 4 }, { -1, 4 } },
        { "k1**/2**/AaAK/1a2[] b k0,0", { -1, 2 }, { -1, 2 } },
        { "1A**/1k**/aa2/K3[A=1] w k0,0", { 0, 0 }, { 0, 0 } },
    };
    static const struct {
        const char *game;
        uint64_t wins, draws, losses, open;
    } sum[] = { { "puzzle-mini-bonus", 153216, 15648, 115520, 4588 },
                { "puzzle-mini", 154988, 15784, 118200, 0 } };

    (void)state;
    if (!tries_all())
        leave_out("half a minute, with TEST_ALL=1");
    for (unsigned g = 0; g < 2; g++) {
        struct bk_whole_options o = { .bonus_cap = 1 };
        struct bk_whole_summary s;
        struct bk_whole *w = NULL;
        struct bk_report why = { "" };
        struct bk_variant *v;

        assert_int_equal(bk_variant_load(&v, sum[g].game, &why), BK_OK);
        for (size_t i = 0; i < sizeof claim / sizeof *claim; i++) {
            const struct bk_whole_value *right = g ? &claim[i].without : &claim[i].with;
            struct bk_whole_value least, most;
            struct bk_hands_pos p;
            char fen[BK_FEN_MAX];

            sprintf(fen, "%.*s", (int)(strchr(claim[i].fen, ' ') + 2 - claim[i].fen), claim[i].fen);
            if (bk_hands_from_fen(&p, v, fen, &why))
                fail_msg("%s", why.text);
            if (!w)
                assert_int_equal(bk_whole_new(&w, v, &p, &o, &why), BK_OK);
            assert_true(bk_whole_value(w, &p, &least, &most));
            if (least.wdl != right->wdl || least.plies != right->plies)
                fail_msg("%s %s: %d in %u, not %d in %u", sum[g].game, claim[i].fen, least.wdl,
                         least.plies, right->wdl, right->plies);
        }
        bk_whole_summary(w, &s);
        assert_int_equal(s.wins, sum[g].wins);
        assert_int_equal(s.draws, sum[g].draws);
        assert_int_equal(s.losses, sum[g].losses);
        assert_int_equal(s.open, sum[g].open);
        bk_whole_free(w);
        bk_variant_free(v);
    }
}

/* The slow solver of games without hands, which does not know their keys, finds the same values. */
static void hands__change_nothing_with_one_man_a_side(void **state)
{
    struct hands_rules rules = on("5x4", "e4");
    struct bk_variant *v = hands_game(&rules);
    uint8_t count[2][BK_TYPES_MAX] = { { 1, 1 }, { 1, 0, 0, 0, 1 } };
    struct ref_table *t = ref_solve(v, (const uint8_t(*)[BK_TYPES_MAX])count, NULL, 0);
    struct bk_whole_options o = { .pool = NULL };
    struct bk_whole *w = NULL;
    struct bk_report why;
    struct ref_pos pos;
    struct ref_value value;

    (void)state;
    for (uint64_t i = 0; i < ref_size(t); i++) {
        struct bk_hands_pos p;
        char fen[BK_FEN_MAX];
        struct bk_whole_value least, most;

        if (!ref_at(t, i, &pos, &value))
            continue;
        assert_int_equal(bk_hands_from_fen(&p, v, hands_fen(v, &pos, fen), &why), BK_OK);
        if (!w)
            assert_int_equal(bk_whole_new(&w, v, &p, &o, &why), BK_OK);
        assert_true(bk_whole_value(w, &p, &least, &most));
        if (least.wdl != value.wdl || least.plies != value.dtw)
            fail_msg("%s: %d in %u, without hands %d in %u", fen, least.wdl, least.plies, value.wdl,
                     value.dtw);
    }
    bk_whole_free(w);
    ref_free(t);
    bk_variant_free(v);
}

static void plain_tables__are_exact_with_one_man_a_side(void **state)
{
    struct bk_report why;
    struct bk_variant *v;
    uint8_t count[2][BK_TYPES_MAX] = { { 1, 1 }, { 1, 0, 0, 0, 1 } };

    (void)state;
    assert_int_equal(bk_variant_load(&v, "puzzle-hands", &why), BK_OK);
    assert_true(bk_rules_plain_is_exact(v, (const uint8_t(*)[BK_TYPES_MAX])count));
    count[0][2] = 1;
    assert_false(bk_rules_plain_is_exact(v, (const uint8_t(*)[BK_TYPES_MAX])count));
    bk_variant_free(v);
}

/* On a board of two boxes a king and a man may have one each: a configuration, which no table
 * knows. */
static void plain_tables__are_not_exact_where_two_men_fill_the_boxes(void **state)
{
    static const char game[] = "[variant]\nname = boxes\nboard = %s\n%s"
                               "bare-king = wins\nhand = captured\nconfiguration = 2x2\n"
                               "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                               "[piece rook]\nletter = R\nmove = R\n";
    static const struct {
        const char *board, *holes;
        bool exact;
    } claim[] = { { "4x2", "", false },
                  { "4x4", "holes = a3 b3 c3 d3 a4 b4 c4 d4\n", false },
                  { "4x4", "holes = a3 b3 c3 a4 b4 c4 d4\n", true }, /* d3 alone is a box */
                  { "6x2", "", true } };
    const uint8_t count[2][BK_TYPES_MAX] = { { 1, 1 }, { 1, 1 } };

    (void)state;
    for (size_t i = 0; i < sizeof claim / sizeof claim[0]; i++) {
        char text[512];
        struct bk_report why;
        struct bk_variant *v;

        snprintf(text, sizeof text, game, claim[i].board, claim[i].holes);
        if (bk_variant_parse(&v, "boxes.ini", text, &why))
            fail_msg("%s", why.text);
        assert_int_equal(bk_rules_plain_is_exact(v, count), claim[i].exact);
        bk_variant_free(v);
    }
}

/* The fields that other games have after the side to move are read as there: a right or a square
   that cannot be is none (docs/rules.md, "How positions are written"). */
static void fen__says_nothing_behind_the_side(void **state)
{
    static const char *const good[] = { "", " -", " - - 0 1", "  -  -  7  40 ", " KQkq", " - a3" };
    static const char *const bad[] = { "hite", " x", " - - x", " - - 0 1 2", "-" };
    char fen[BK_FEN_MAX];
    struct bk_hands_pos p;
    struct bk_report why;
    struct bk_variant *v;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(fen, sizeof fen, "1k**/f1**/K2N/4[nF] w%s", good[i]);
        assert_int_equal(bk_hands_from_fen(&p, v, fen, &why), BK_OK);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(fen, sizeof fen, "1k**/f1**/K2N/4[nF] w%s", bad[i]);
        assert_int_equal(bk_hands_from_fen(&p, v, fen, &why), BK_E_USAGE);
    }
    bk_variant_free(v);
}

static void fen__comes_back_as_it_was(void **state)
{
    static const char *const fens[] = {
        "1k**/f1**/K2N/4[nF] w",
        "2**/2**/4/4[KkNnFf] w",
        "1k**/f1**/KF1N/3n[-] b",
    };
    struct bk_report why;
    struct bk_variant *v;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    for (size_t i = 0; i < sizeof fens / sizeof *fens; i++) {
        struct bk_hands_pos p;
        char out[BK_FEN_MAX];

        if (bk_hands_from_fen(&p, v, fens[i], &why))
            fail_msg("%s", why.text);
        assert_string_equal(bk_hands_to_fen(&p, v, out), fens[i]);
    }
    bk_variant_free(v);
}

/* A gap of 2^32 + 4 was once read as 4. */
static void fen__gaps_beyond_the_board_are_refused(void **state)
{
    struct bk_report why = { "" };
    struct bk_hands_pos p;
    struct bk_variant *v;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    assert_int_equal(bk_hands_from_fen(&p, v, "1k**/f1**/K2N/4294967300[nF] w", &why), BK_E_USAGE);
    assert_string_equal(why.text, "FEN: rank 1 is not of 4 squares");
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turn__is_written_in_the_order_it_is_played),
        cmocka_unit_test(turn__ends_with_the_man_due_on_the_board),
        cmocka_unit_test(opening__puts_one_of_each_colour),
        cmocka_unit_test(plain_tables__are_exact_with_one_man_a_side),
        cmocka_unit_test(plain_tables__are_not_exact_where_two_men_fill_the_boxes),
        cmocka_unit_test(hands__change_nothing_with_one_man_a_side),
        cmocka_unit_test(fen__says_nothing_behind_the_side),
        cmocka_unit_test(fen__comes_back_as_it_was),
        cmocka_unit_test(fen__gaps_beyond_the_board_are_refused),
        cmocka_unit_test(hands__two_against_one_agrees_with_the_slow_solver),
        cmocka_unit_test(hands__equal_men_are_interchangeable),
        cmocka_unit_test(hands__two_against_two_with_configurations),
        cmocka_unit_test(hands__a_dropped_screen_is_a_screen),
        cmocka_unit_test(hands__men_stay_on_their_ranks),
        cmocka_unit_test(opening__the_last_king_may_give_check),
        cmocka_unit_test(hands__who_was_dropped_is_not_taken_in_that_turn),
        cmocka_unit_test(bonus__turns_agree_with_the_slow_solver),
        cmocka_unit_test(bonus__turns_follow_the_opening),
        cmocka_unit_test(bonus__each_release_is_a_turn_more),
        cmocka_unit_test(bonus__puzzle_mini_is_as_another_solver_has_it),
        cmocka_unit_test(hands__random_games_agree),
        cmocka_unit_test(opening__agrees_from_the_empty_board),
        cmocka_unit_test(opening__agrees_where_only_moves_are_quiet),
        cmocka_unit_test(opening__agrees_on_all_of_puzzle_mini),
        cmocka_unit_test(opening__ferzes_go_to_different_bindings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
