/*
 * test_royal.c - games without a royal man, which end when a side is out of men, or of a kind; and
 * games in which who can capture must.
 *
 * Counts of moves are those of Fairy-Stockfish (its tests/perft.sh).
 */
#include "tests/given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/explain.h"
#include "core/finish.h"
#include "core/geometry.h"
#include "core/move.h"
#include "core/rules.h"
#include "tests/random_variant.h"
#include "tests/ref.h"

#define SUICIDE "tests/games/suicide.ini"

/* A game of 8x8 with these lines in [variant], and without a royal: K, Q, R and N. */
#define FREE(lines)                                                                                \
    "[variant]\nname = free\nboard = 8x8\n" lines "[piece king]\nletter = K\nmove = K\n"           \
    "[piece queen]\nletter = Q\nmove = Q\n[piece rook]\nletter = R\nmove = R\n"                    \
    "[piece knight]\nletter = N\nmove = N\n"

/* == Moves ================================================================ */

static void assert_perft(const struct bk_variant *v, const char *fen, unsigned depth, uint64_t want)
{
    struct bk_pos p = read_fen(v, fen);
    struct ref_pos r;

    assert_int_equal(bk_perft(v, &p, depth), want);
    assert_true(ref_from_fen(v, fen, &r));
    if (want < 10000)
        assert_int_equal(ref_perft(v, &r, depth), want);
}

static void perft__of_suicide_is_what_others_count(void **state)
{
    struct bk_variant *v = load(SUICIDE);

    (void)state;
    assert_perft(v, v->start, 1, 20);
    assert_perft(v, v->start, 2, 400);
    assert_perft(v, v->start, 3, 8067);
    assert_perft(v, v->start, 4, 153299);
    assert_perft(v, "8/1p6/8/8/8/8/P7/8 w - - 0 1", 4, 3);
    bk_variant_free(v);
}

static void perft__of_chess_with_captures_forced_is_what_others_count(void **state)
{
    struct bk_variant *chess = load("chess");
    struct bk_variant v = *chess;

    (void)state;
    v.must_capture = true; /* Fairy-Stockfish's `losers` */
    assert_perft(&v, v.start, 4, 152955);
    bk_variant_free(chess);
}

/* Takes the royal from a drawn game, and draws what ends it instead. */
static void make_free(struct bk_variant *v, uint64_t *seed)
{
    v->piece[v->royal].royal = false;
    v->royal = BK_NO_ROYAL;
    v->castling = (struct bk_castling){ 0 };
    v->bare = BK_BARE_NOTHING;
    v->out_of.told = true;
    v->out_of.wins = random_once_in(seed, 2);
    for (unsigned t = 0; t < v->ntypes && random_once_in(seed, 2); t++)
        if (random_once_in(seed, 3)) {
            v->out_of.kinds |= UINT32_C(1) << t;
            v->out_of.most[t] = (uint8_t)random_once_in(seed, 3);
        }
}

/* Draws a game: three in four without a royal, half with captures forced.  False: it is none. */
static bool draw_game(struct bk_variant *v, uint64_t *seed)
{
    struct bk_report why = { "" };

    random_variant(v, seed, NULL);
    if (!random_once_in(seed, 4))
        make_free(v, seed);
    v->must_capture = random_once_in(seed, 2);
    v->stalemate = (enum bk_stalemate)random_below(seed, 4);
    return bk_variant_finish(v, &why) == BK_OK;
}

/* Writes a random position as a FEN: at most eight men, none where it may not stand; kings if there
   are royals. */
static bool draw_position(struct bk_pos *p, const struct bk_variant *v, uint64_t *seed)
{
    bk_pos_init(p, v);
    p->stm = (uint8_t)random_below(seed, 2);
    for (unsigned i = 0; i < 8; i++) {
        unsigned type = bk_rules_royal(v) && i < 2 ? v->royal : random_below(seed, v->ntypes);
        unsigned colour = i % 2, sq = random_below(seed, v->nsq);

        if (!p->at[sq] && bk_rules_may_stand(v, type, colour, sq) && (i < 2 || type != v->royal))
            bk_pos_put(p, v, type, colour, sq);
        else if (i < 2 && bk_rules_royal(v))
            return false;
    }
    return bk_pos_legal(v, p);
}

static void moves__are_those_of_the_slow_generator_in_random_games(void **state)
{
    unsigned games = 0, forced = 0;

    (void)state;
    for (uint64_t first = 1; first <= 400; first++) {
        uint64_t seed = first;
        struct bk_variant v;

        if (!draw_game(&v, &seed))
            continue;
        games++;
        for (unsigned i = 0; i < 20; i++) {
            struct bk_pos p;
            struct ref_pos r;
            char fen[BK_FEN_MAX];

            if (!draw_position(&p, &v, &seed))
                continue;
            bk_pos_to_fen(&p, &v, fen);
            assert_true(ref_from_fen(&v, fen, &r));
            for (unsigned depth = 1; depth <= 2; depth++)
                if (bk_perft(&v, &p, depth) != ref_perft(&v, &r, depth))
                    fail_msg("seed %d: %s", (int)first, fen);
            forced += v.must_capture;
        }
        bk_geometry_free(v.geometry);
    }
    assert_true(games > 300);
    assert_true(forced > 1000);
}

/* == Ends ================================================================= */

static void assert_over(const struct bk_variant *v, const char *fen, enum bk_end end, int wdl)
{
    struct bk_pos p = read_fen(v, fen);
    int got = 99;

    assert_int_equal(bk_pos_end(v, &p, &got), end);
    assert_int_equal(got, end == BK_END_NONE ? 99 : wdl);
}

static void end__who_is_out_of_men_has_won_or_lost_as_the_game_says(void **state)
{
    struct bk_variant *wins = parse(FREE("out-of-men = wins\n"));
    struct bk_variant *loses = parse(FREE("out-of-men = loses\n"));

    (void)state;
    assert_over(wins, "8/8/8/8/8/8/8/R7 b", BK_END_OUT, 1);
    assert_over(loses, "8/8/8/8/8/8/8/R7 b", BK_END_OUT, -1);
    assert_over(loses, "8/8/8/8/8/8/8/R7 w", BK_END_OUT, 1);
    assert_over(loses, "8/8/8/8/8/8/8/R6r w", BK_END_NONE, 0);
    assert_over(loses, "k7/8/8/8/8/8/8/R7 b", BK_END_NONE, 0); /* no check */
    bk_variant_free(wins);
    bk_variant_free(loses);
}

static void end__a_side_may_be_out_of_one_kind_alone(void **state)
{
    struct bk_variant *v = parse(FREE("out-of-kind = loses K R1\n"));

    (void)state;
    assert_over(v, "kkrr4/8/8/8/8/8/8/KRRQ4 b", BK_END_NONE, 0);
    assert_over(v, "1nrr4/8/8/8/8/8/8/KRRQ4 b", BK_END_OUT, -1);
    assert_over(v, "kqr5/8/8/8/8/8/8/KRRQ4 b", BK_END_OUT, -1);
    assert_over(v, "kqr5/8/8/8/8/8/8/KRQ5 b", BK_END_OUT, 1); /* both: who has just moved */
    bk_variant_free(v);
}

static void end__stalemate_is_worth_what_a_game_without_a_royal_says(void **state)
{
    static const char blocked[] = "8/8/8/8/p7/P7/8/8 w", more[] = "8/8/8/8/p1p5/P7/2P5/8 w";
    struct bk_variant *suicide = load(SUICIDE);
    struct bk_variant v = *suicide;

    (void)state;
    assert_over(&v, blocked, BK_END_STALEMATE, 0);
    assert_over(&v, "7r/8/8/8/p7/P7/8/8 w", BK_END_STALEMATE, 1);
    assert_over(&v, "7R/8/8/8/p7/P7/8/8 b", BK_END_STALEMATE, 1);
    assert_over(&v, more, BK_END_NONE, 0);
    v.stalemate = BK_STALEMATE_WIN;
    assert_over(&v, blocked, BK_END_STALEMATE, 1);
    v.stalemate = BK_STALEMATE_LOSS;
    assert_over(&v, blocked, BK_END_STALEMATE, -1);
    bk_variant_free(suicide);
}

/* == Files of games ======================================================= */

static void explain__says_how_a_game_without_a_royal_ends(void **state)
{
    static const struct {
        const char *text, *said;
    } claim[] = {
        { FREE("out-of-men = wins\ncaptures = must\n"), "A side without men has won.\n" },
        { FREE("out-of-men = wins\ncaptures = must\n"), "A side that can capture must.\n" },
        { FREE("out-of-kind = loses K R2\n"),
          "A side without K, or with 2 R or fewer has lost.\n" },
        { FREE("out-of-men = loses\nstalemate = fewer-men-win\n"),
          "Stalemate is a win for the side with fewer men.\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct bk_variant *v = parse(claim[i].text);
        char *text = bk_variant_explain(v);

        if (!text || !strstr(text, claim[i].said) || strstr(text, "Mate wins"))
            fail_msg("%s: %s", claim[i].said, text);
        free(text);
        bk_variant_free(v);
    }
}

static void rules_id__tells_how_a_game_without_a_royal_ends(void **state)
{
    static const char *const text[] = {
        FREE("out-of-men = wins\n"),           FREE("out-of-men = loses\n"),
        FREE("out-of-kind = loses K\n"),       FREE("out-of-kind = loses K1\n"),
        FREE("out-of-kind = loses K R\n"),     FREE("out-of-men = wins\ncaptures = must\n"),
        FREE("out-of-men = wins\nstalemate = win\n"),
        FREE("out-of-men = wins\nstalemate = fewer-men-win\n"),
    };
    uint64_t id[sizeof text / sizeof *text];

    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct bk_variant *v = parse(text[i]);

        id[i] = v->rules_id;
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(id[i], id[j]);
        bk_variant_free(v);
    }
}

static void load__refuses_what_has_no_tables_in_the_name_of_its_rule(void **state)
{
    struct bk_report why = { "" };
    struct bk_variant *v = NULL;

    (void)state;
    assert_int_equal(bk_variant_load(&v, SUICIDE, &why), BK_E_USAGE);
    assert_string_equal(why.text, SUICIDE
                        ": no tables are made yet of games like this: no piece is royal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perft__of_suicide_is_what_others_count),
        cmocka_unit_test(perft__of_chess_with_captures_forced_is_what_others_count),
        cmocka_unit_test(moves__are_those_of_the_slow_generator_in_random_games),
        cmocka_unit_test(end__who_is_out_of_men_has_won_or_lost_as_the_game_says),
        cmocka_unit_test(end__a_side_may_be_out_of_one_kind_alone),
        cmocka_unit_test(end__stalemate_is_worth_what_a_game_without_a_royal_says),
        cmocka_unit_test(explain__says_how_a_game_without_a_royal_ends),
        cmocka_unit_test(rules_id__tells_how_a_game_without_a_royal_ends),
        cmocka_unit_test(load__refuses_what_has_no_tables_in_the_name_of_its_rule),
    };

    return cmocka_run_group_tests_name("royal", tests, NULL, NULL);
}
