/*
 * test_exchange.c - games in which a drop is a turn of its own, solved twice.
 *
 * The slow solver and the comparer are in slow_exchange.c.
 *
 * EXCHANGE_CASES=N in the environment: N random games, not the usual twelve.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chance.h"
#include "core/exchange.h"
#include "core/hands.h"
#include "core/load.h"
#include "core/read.h"
#include "tb/whole.h"
#include "tests/left_out.h"
#include "tests/slow_exchange.h"

static struct exchange_rules usual(bool hostage, const char *board)
{
    return (struct exchange_rules){ .hostage = hostage,
                                    .board = board,
                                    .holes = "",
                                    .stalemate = "draw",
                                    .pawn_ranks = "2-3",
                                    .promotion = hostage ? "4 must Q R B N C" : "4 must Q N" };
}

static void expect(struct exchange_rules r, const char *army)
{
    struct bk_variant *v = exchange_game(&r);

    assert_int_equal(exchange_check_army(v, army), 0);
    bk_variant_free(v);
}

static void turned__agrees_with_the_slow_solver(void **state)
{
    (void)state;
    expect(usual(false, "3x4"), "KRkn");
    expect(usual(false, "3x4"), "KPk");
    expect(usual(false, "3x4"), "KCkc"); /* interchangeable */
    expect(usual(false, "2x4"), "KPkp");
}

static void hostage__agrees_with_the_slow_solver(void **state)
{
    (void)state;
    expect(usual(true, "3x4"), "KRkn");
    expect(usual(true, "3x4"), "KRPk");
    expect(usual(true, "3x4"), "KNkp");
    expect(usual(true, "2x4"), "KNPkp"); /* pawns wait for their knight */
}

static void exchange__pawns_are_taken_in_passing(void **state)
{
    struct exchange_rules r = usual(false, "2x5");

    (void)state;
    r.en_passant = true;
    r.pawn_ranks = "2-4";
    r.double_step = "2";
    r.promotion = "5 must R";
    expect(r, "KPkp");
    r.hostage = true;
    expect(r, "KPkp");
    r.hostage = false;
    r.board = "2x6"; /* one double step may answer another */
    r.pawn_ranks = "2-5";
    r.double_step = "2-3";
    r.promotion = "6 must N";
    expect(r, "KPkp");
}

static void exchange__random_games_agree(void **state)
{
    const char *cases = getenv("EXCHANGE_CASES");
    unsigned n = cases ? (unsigned)strtoul(cases, NULL, 10) : 12;

    (void)state;
    for (unsigned i = 1; i <= n; i++)
        assert_int_equal(exchange_check_random(i), 0);
}

/* == What others have found == */

struct army {
    const char *fen;
    uint64_t wins, draws, losses;
    unsigned longest;
    bool slow;
};

struct claim {
    const char *fen;
    int wdl;
    unsigned plies;
};

/* Of a solver that shares nothing with ours. */
static const struct army turned_armies[] = {
    { "4/2k1/3R/K3[] w", 4088, 72, 3456, 14, false },
    { "K3/3c/4/3k[] w", 0, 8520, 0, 0, false },
    { "4/4/1K2/3k[CC] w", 144, 108736, 320, 3, false },
    { "K3/pN2/k3/4[] w", 147108, 234304, 104312, 35, true },
};
static const struct claim turned_claims[] = {
    { "2k1/4/2K1/R3[] b", -1, 4 },    { "2r1/1K1k/4/4[] w", -1, 10 },
    { "K3/1r2/2k1/4[] w", 0, 0 },     { "1c2/4/1k2/3K[c] b", 1, 1 },
    { "4/2K1/4/3k[CC] w", 1, 3 },     { "1cCK/4/3k/4[] w", -1, 0 },
    { "1K2/2q~1/1k2/4[n] w", -1, 2 }, { "2N1/2k1/3Q~/2K1[] b", -1, 12 },
    { "4/3p/k3/2nK[] b", 1, 23 },     { "n3/3k/3N~/K3[] b", 1, 11 },
    { "4/Nq~2/k3/2K1[] b", 1, 5 },    { "3k/4/nK2/4[p] w", 0, 0 },
    { "4/N~1K1/2n1/1k2[] b", 1, 13 }, { "3k/K1p1/4/3n[] w", -1, 12 },
};
static const struct army hostage_armies[] = {
    { "2k1/4/R3/1K1r[]{} w", 19768, 26736, 3976, 17, false },
    { "4/4/2k1/K2R[]{p} w", 13094, 8404, 13998, 20, false },
    { "4/3p/4/K2k[]{N} w", 88, 39134, 22, 7, false },
    { "4/2k1/2n1/KQ2[]{} w", 15184, 16776, 17752, 18, false },
    { "4/2kc/4/K2Q[]{} w", 15240, 16072, 18100, 12, false },
    { "4/2k1/3R/K3[Q]{} w", 11020, 4472, 33436, 14, false },
};
static const struct claim hostage_claims[] = {
    { "R3/1k2/4/1r1K[]{} w", -1, 16 }, { "1Rk1/4/3K/4[]{r} b", 1, 11 },
    { "4/4/4/kRK1[r]{} b", -1, 8 },    { "2k1/4/2K1/4[]{Rr} b", 0, 0 },
    { "3k/3p/3R/1K2[]{} b", -1, 14 },  { "2k1/R1p1/4/1K2[]{} w", 1, 5 },
    { "4/3p/1K1k/4[]{N} w", 1, 5 },    { "4/1N2/p3/k1K1[]{} b", -1, 0 },
    { "4/1K1p/4/1N1k[]{} w", 1, 3 },   { "2QK/1n2/4/k3[]{} w", 1, 9 },
    { "K1k1/4/4/3Q[n]{} w", 1, 5 },    { "2cK/2Q1/2k1/4[]{} b", -1, 8 },
    { "4/4/2KR/k3[]{Q} w", 1, 1 },     { "K3/1RQ1/4/3k[]{} b", 0, 0 },
};

static void ask(struct bk_whole *w, const struct bk_variant *v, const struct bk_hands_pos *p,
                const struct claim *c)
{
    struct bk_whole_value least, most;
    char fen[BK_FEN_MAX];

    bk_whole_value(w, p, &least, &most);
    if (least.wdl != c->wdl || least.plies != c->plies)
        fail_msg("%s: %d in %u, not %d in %u", bk_hands_to_fen(p, v, fen), least.wdl, least.plies,
                 c->wdl, c->plies);
}

static bool same_men(const struct bk_hands_pos *a, const struct bk_hands_pos *b)
{
    return a->n == b->n && !memcmp(a->born, b->born, a->n);
}

/* Asks those claims that are about the men of an army, and have its colours. */
static void check_claims(bool hostage, const struct army *army, const struct claim *claim, size_t n)
{
    struct exchange_rules r = usual(hostage, "4x4");
    struct bk_variant *v = exchange_game(&r);
    struct bk_whole_options o = { .pool = NULL };
    struct bk_whole *w = NULL;
    struct bk_whole_summary s;
    struct bk_hands_pos p, q;
    struct bk_report why;

    assert_int_equal(bk_hands_from_fen(&p, v, army->fen, &why), BK_OK);
    assert_int_equal(bk_whole_new(&w, v, &p, &o, &why), BK_OK);
    bk_whole_summary(w, &s);
    assert_int_equal(s.wins, army->wins);
    assert_int_equal(s.draws, army->draws);
    assert_int_equal(s.losses, army->losses);
    assert_int_equal(s.longest, army->longest);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(bk_hands_from_fen(&q, v, claim[i].fen, &why), BK_OK);
        if (same_men(&p, &q) && (!hostage || !memcmp(p.man, q.man, p.n)))
            ask(w, v, &q, &claim[i]);
    }
    bk_whole_free(w);
    bk_variant_free(v);
}

static void exchange__values_are_as_another_solver_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof turned_armies / sizeof *turned_armies; i++)
        if (!turned_armies[i].slow || tries_all())
            check_claims(false, &turned_armies[i], turned_claims,
                         sizeof turned_claims / sizeof *turned_claims);
    for (size_t i = 0; i < sizeof hostage_armies / sizeof *hostage_armies; i++)
        if (!hostage_armies[i].slow || tries_all())
            check_claims(true, &hostage_armies[i], hostage_claims,
                         sizeof hostage_claims / sizeof *hostage_claims);
}

#define CRAZYHOUSE                                                                                 \
    "[variant]\nname = crazyhouse\nboard = 8x8\nbare-king = nothing\nstalemate = draw\n"           \
    "en-passant = yes\nhand = turned\ncastling-rook = R\ncastling-king-file = e\n"                 \
    "castling-rook-files = a h\ncastling-king-to = c g\ncastling-rook-to = d f\n"                  \
    "[piece king]\nletter = K\nroyal = yes\nmove = K\n[piece queen]\nletter = Q\nmove = Q\n"       \
    "[piece rook]\nletter = R\nmove = R\n[piece bishop]\nletter = B\nmove = B\n"                   \
    "[piece knight]\nletter = N\nmove = N\n"                                                       \
    "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 2-7\ndouble-step = 2\n"                      \
    "becomes = 8 must Q R B N\n"

/* Numbers of python-chess, by Niklas Fiekas. */
static void perft__counts_what_others_count_in_crazyhouse(void **state)
{
    static const struct {
        const char *fen;
        unsigned depth;
        uint64_t leaves;
    } claim[] = {
        { "2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - -", 2, 75353 },
        { "2k5/8/8/8/8/8/8/4K3[Qn] w - -", 3, 88634 },
        { "r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[] b KQkq -", 3, 58057 },
        { "4k3/1Q~6/8/8/4b3/8/Kpp5/8 b - -", 4, 132758 },
        { "2rn1b1r/1pp2n1p/B1PBk1pP/5p1P/P5p1/2P2RP1/RP1QNP2/1NBK4[QPp] w - -", 2, 3932 },
    };
    struct bk_report why = { "" };
    struct bk_variant *v;

    (void)state;
    if (bk_variant_parse(&v, "crazyhouse.ini", CRAZYHOUSE, &why))
        fail_msg("%s", why.text);
    for (size_t i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct bk_hands_pos p;

        assert_int_equal(bk_hands_from_fen(&p, v, claim[i].fen, &why), BK_OK);
        assert_int_equal(bk_hands_perft(&p, v, claim[i].depth), claim[i].leaves);
    }
    bk_variant_free(v);
}

/* == Single claims == */

struct wanted {
    const struct bk_hands_pos *p;
    const struct bk_variant *v;
    const char *name;
    unsigned found;
    struct bk_hands_pos after;
};

static bool look(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct wanted *g = context;
    char name[BK_TURN_NAME_MAX];

    if (!strcmp(bk_turn_name(g->p, g->v, turn, name), g->name)) {
        g->found++;
        g->after = *after;
    }
    return true;
}

/* Expects the turn of this name to lead to `after`; NULL: expects none. */
static void expect_turn(const struct bk_variant *v, const char *fen, const char *name,
                        const char *after)
{
    struct bk_report why = { "" };
    char text[BK_FEN_MAX];
    struct bk_hands_pos p;
    struct wanted g = { .p = &p, .v = v, .name = name };

    if (bk_hands_from_fen(&p, v, fen, &why))
        fail_msg("%s: %s", fen, why.text);
    bk_hands_turns(&p, v, look, &g);
    assert_int_equal(g.found, after ? 1 : 0);
    if (after)
        assert_string_equal(bk_hands_to_fen(&g.after, v, text), after);
}

static struct bk_variant *load(const char *name)
{
    struct bk_report why = { "" };
    struct bk_variant *v;

    if (bk_variant_load(&v, name, &why))
        fail_msg("%s", why.text);
    return v;
}

static void turned__who_is_taken_changes_sides(void **state)
{
    struct bk_variant *v = load("sultan-zh");

    (void)state;
    expect_turn(v, "5k4/10/10/3q6/10/10/10/3R1K4[] w - - 0 1", "d1d5",
                "5k4/10/10/3R6/10/10/10/5K4[Q] b - - 0 1");
    expect_turn(v, "5k4/10/10/3q~6/10/10/10/3R1K4[] w - - 0 1", "d1d5",
                "5k4/10/10/3R6/10/10/10/5K4[P] b - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/10/3r1K4[Q] w - - 0 1", "Q@e1",
                "5k4/10/10/10/10/10/10/3rQK4[] b - - 0 1"); /* parries */
    expect_turn(v, "5k4/10/10/10/10/10/10/3r1K4[Q] w - - 0 1", "Q@e2", NULL);
    expect_turn(v, "5k4/10/10/10/10/10/10/5K4[P] w - - 0 1", "P@a8", NULL);
    expect_turn(v, "5k4/10/10/10/10/10/10/5K4[P] w - - 0 1", "P@a2",
                "5k4/10/10/10/10/10/P9/5K4[] b - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/P9/5K4[] w - - 0 1", "a2a4",
                "5k4/10/10/10/P9/10/10/5K4[] b - - 0 1");
    expect_turn(v, "5k4/P9/10/10/10/10/10/5K4[] w - - 0 1", "a7a8=Q",
                "Q~4k4/10/10/10/10/10/10/5K4[] b - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/10/R4K4[] w Q - 0 1", "f1c1",
                "5k4/10/10/10/10/10/10/2KR6[] b - - 0 1");
    bk_variant_free(v);
}

static void hostage__prisoners_are_exchanged_by_value(void **state)
{
    struct bk_variant *v = load("sultan-hostage");

    (void)state;
    expect_turn(v, "5k4/10/10/3q6/10/10/10/3R1K4[]{} w - - 0 1", "d1d5",
                "5k4/10/10/3R6/10/10/10/5K4[q]{} b - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/10/5K4[Rq]{} w - - 0 1", "q-R@a1",
                "5k4/10/10/10/10/10/10/R4K4[]{q} b - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/10/5K4[Qr]{} w - - 0 1", "r-Q@a1", NULL);
    expect_turn(v, "5k4/10/10/10/10/10/10/5K4[Nc]{} w - - 0 1", "c-N@a1",
                "5k4/10/10/10/10/10/10/N4K4[]{c} b - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/10/5K4[]{Nc} w - - 0 1", "N@a1",
                "5k4/10/10/10/10/10/10/N4K4[]{c} b - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/10/5K4[N]{} w - - 0 1", "N@a1", NULL);
    bk_variant_free(v);
}

static void hostage__a_pawn_changes_places_on_the_last_rank(void **state)
{
    struct bk_variant *v = load("sultan-hostage");

    (void)state;
    expect_turn(v, "5k4/P9/10/10/10/10/10/5K4[N]{} w - - 0 1", "a7a8=N",
                "N4k4/10/10/10/10/10/10/5K4[P]{} b - - 0 1");
    expect_turn(v, "5k4/P9/10/10/10/10/10/5K4[n]{N} w - - 0 1", "a7a8=N", NULL);
    /* with nobody to change places with it attacks nothing ahead, and keeps no king from castling
     */
    expect_turn(v, "5k4/4P5/10/10/10/10/10/5K4[]{} b - - 0 1", "f8e8",
                "4k5/4P5/10/10/10/10/10/5K4[]{} w - - 0 1");
    expect_turn(v, "5k4/4P5/10/10/10/10/10/K9[]{} b - - 0 1", "f8g8",
                "6k3/4P5/10/10/10/10/10/K9[]{} w - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/4p5/R4K4[]{} w Q - 0 1", "f1c1",
                "5k4/10/10/10/10/10/4p5/2KR6[]{} b - - 0 1");
    expect_turn(v, "5k4/10/10/10/10/10/2p7/R4K4[r]{} w Q - 0 1", "f1c1", NULL);
    bk_variant_free(v);
}

/* == What comes before == */

struct finding {
    const struct bk_variant *v;
    const char *fen;
    unsigned passed; /* as bk_exchange_meet has it */
    bool found;
};

static void meet(void *context, const struct bk_hands_pos *before, unsigned passed)
{
    struct finding *g = context;
    char fen[BK_FEN_MAX];

    g->found |= passed == g->passed && !strcmp(bk_hands_to_fen(before, g->v, fen), g->fen);
}

struct choosing {
    uint64_t *seed;
    const struct bk_hands_pos *p;
    const struct bk_variant *v;
    unsigned n;
    struct bk_hands_pos next;
};

/* Looks for the position before a double step, which could be answered en passant, before what
   comes two turns later. */
static bool check_passed(void *context, const struct bk_turn *turn,
                         const struct bk_hands_pos *after)
{
    struct finding f = *(struct finding *)context;
    struct bk_hands_pos next = *after;

    (void)turn;
    next.ep = BK_SQ_NONE;
    bk_exchange_before(&next, f.v, meet, &f);
    if (!f.found)
        fail_msg("%s is not before a double step", f.fen);
    return true;
}

/* Looks for p before each position that it leads to, and chooses one of them. */
static bool check_before(void *context, const struct bk_turn *turn,
                         const struct bk_hands_pos *after)
{
    struct choosing *g = context;
    char fen[BK_FEN_MAX], name[BK_TURN_NAME_MAX];
    struct finding f = { .v = g->v, .fen = bk_hands_to_fen(g->p, g->v, fen) };
    struct bk_hands_pos next = *after;

    if (bk_chance_next(g->seed) % ++g->n == 0)
        g->next = next;
    next.ep = BK_SQ_NONE;
    bk_exchange_before(&next, g->v, meet, &f);
    if (!f.found && g->p->ep == BK_SQ_NONE)
        fail_msg("%s: %s is not undone", fen, bk_turn_name(g->p, g->v, turn, name));
    if (after->ep != BK_SQ_NONE && g->p->ep == BK_SQ_NONE) {
        f = (struct finding){ .v = g->v, .fen = fen, .passed = 1 };
        bk_hands_turns(after, g->v, check_passed, &f);
    }
    return true;
}

static void exchange__what_comes_before_is_complete(void **state)
{
    static const char *const start[][2] = {
        { "sultan-zh", "rnbcqkcb2/pp8/10/10/10/10/PP8/RNBCQKCB2[Nr] w - - 0 1" },
        { "sultan-zh", "5k4/10/10/10/1p1p1p1p2/10/P1P1P1P3/5K4[] w - - 0 1" },
        { "sultan-hostage", "5k4/10/10/10/1p1p1p1p2/10/P1P1P1P3/5K4[]{} w - - 0 1" },
        { "sultan-hostage", "rnbcqkcb2/pp8/10/10/10/10/PP8/RNBCQKCB2[Nr]{Cq} w - - 0 1" },
    };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct bk_variant *v = load(start[i][0]);
        uint64_t seed = 7;
        struct bk_hands_pos p;
        struct bk_report why;
        struct choosing g = { .seed = &seed, .p = &p, .v = v };

        assert_int_equal(bk_hands_from_fen(&p, v, start[i][1], &why), BK_OK);
        for (unsigned ply = 0; ply < 60; ply++) {
            g.n = 0;
            bk_hands_turns(&p, v, check_before, &g);
            if (!g.n)
                break;
            p = g.next;
        }
        bk_variant_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned__who_is_taken_changes_sides),
        cmocka_unit_test(hostage__prisoners_are_exchanged_by_value),
        cmocka_unit_test(hostage__a_pawn_changes_places_on_the_last_rank),
        cmocka_unit_test(perft__counts_what_others_count_in_crazyhouse),
        cmocka_unit_test(exchange__what_comes_before_is_complete),
        cmocka_unit_test(turned__agrees_with_the_slow_solver),
        cmocka_unit_test(hostage__agrees_with_the_slow_solver),
        cmocka_unit_test(exchange__pawns_are_taken_in_passing),
        cmocka_unit_test(exchange__random_games_agree),
        cmocka_unit_test(exchange__values_are_as_another_solver_has_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
