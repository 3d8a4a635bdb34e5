/*
 * test_ini.c - games as text: what moves in Betza's notation mean, which lines change the number of
 * the rules, and what is refused, with its line and the reason.
 */
#include <stdlib.h>
#include <string.h>

#include "core/betza.h"
#include "core/read.h"
#include "core/variant.h"
#include "tests/given.h"
#include "tests/refusal.h"

/* == Betza == */

static unsigned steps(const char *betza)
{
    struct bk_movement m = { .nsteps = 0 };
    struct bk_report why = { "" };
    size_t at;

    if (bk_betza_read(&m, betza, &at, &why))
        fail_msg("%s:%zu: %s", betza, at, why.text);
    return m.nsteps;
}

static void betza__counts_directions(void **state)
{
    (void)state;
    assert_int_equal(steps("W"), 4);
    assert_int_equal(steps("K"), 8);
    assert_int_equal(steps("Q"), 8);
    assert_int_equal(steps("WFDA"), 16);
    assert_int_equal(steps("N"), 8);
    assert_int_equal(steps("C"), 8);
    assert_int_equal(steps("Z"), 8);
    assert_int_equal(steps("HG"), 8);
    assert_int_equal(steps("(1,4)"), 8);
    assert_int_equal(steps("(4,0)"), 4);
    assert_int_equal(steps("fF"), 2);
    assert_int_equal(steps("flF"), 1);
    assert_int_equal(steps("lfF"), 1);
    assert_int_equal(steps("rbA"), 1);
    assert_int_equal(steps("lfrG"), 3);
    assert_int_equal(steps("flbrF"), 2);
    assert_int_equal(steps("fbW"), 2);
    assert_int_equal(steps("vW"), 2);
    assert_int_equal(steps("fsW"), 3);
    assert_int_equal(steps("ffN"), 2);
    assert_int_equal(steps("ffbsN"), 4);
    assert_int_equal(steps("llN"), 2);
    assert_int_equal(steps("rvN"), 2);
    assert_int_equal(steps("mRcpR"), 8);
    assert_int_equal(steps("mfWcfF"), 3);
}

static void betza__joins_what_differs_only_in_purpose(void **state)
{
    struct bk_movement m = { .nsteps = 0 };
    size_t at;

    (void)state;
    assert_int_equal(bk_betza_read(&m, "mWcW", &at, NULL), BK_OK);
    assert_int_equal(m.nsteps, 4);
    assert_int_equal(m.step[0].how, BK_QUIET | BK_TAKES);
    assert_int_equal(bk_betza_read(&m, "mWcpW4", &at, NULL), BK_OK);
    assert_int_equal(m.nsteps, 8);
}

static void betza__reads_ranges(void **state)
{
    struct bk_movement m = { .nsteps = 0 };
    size_t at;

    (void)state;
    assert_int_equal(bk_betza_read(&m, "W4", &at, NULL), BK_OK);
    assert_int_equal(m.step[0].range, 4);
    assert_int_equal(bk_betza_read(&m, "WW", &at, NULL), BK_OK);
    assert_int_equal(m.step[0].range, 0);
    assert_int_equal(m.nsteps, 4);
    assert_int_equal(bk_betza_read(&m, "R3", &at, NULL), BK_OK);
    assert_int_equal(m.step[0].range, 3);
    assert_int_equal(bk_betza_read(&m, "N0", &at, NULL), BK_OK);
    assert_int_equal(m.step[0].range, 0);
}

/* == The number of the rules == */

#define SMALL_HEAD "[variant]\nname = small\nboard = 6x6\n"
#define SMALL_KING "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
#define SMALL_REST "[piece rook]\nletter = R\nmove = R\narmy = 1\n"
#define SMALL      SMALL_HEAD SMALL_KING SMALL_REST

static uint64_t id_of(const char *text)
{
    struct bk_variant *v = parse(text);
    uint64_t id = v->rules_id;

    bk_variant_free(v);
    return id;
}

static void rules_id__ignores_what_decides_nothing(void **state)
{
    uint64_t id = id_of(SMALL);

    (void)state;
    assert_true(id == id_of("[variant]\ntitle = T\nname = other\nsource = x\nboard = 6x6\n"
                            "start = k5/6/6/6/6/5K w\n"
                            "[piece emperor]\nletter = K\nroyal = yes\nmove = FW\n"
                            "[piece tower]\nletter = R\nmove = W0\narmy = 2\n"));
}

/* A line has room for some sixty holes, a board of 14x14 may have more. */
static void variant__holes_may_take_several_lines(void **state)
{
    (void)state;
    assert_true(id_of(SMALL_HEAD "holes = a1 b2\nholes = c3\n" SMALL_KING SMALL_REST) ==
                id_of(SMALL_HEAD "holes = c3 a1 b2\n" SMALL_KING SMALL_REST));
}

static void rules_id__changes_with_every_rule(void **state)
{
    static const char *const other[] = {
        SMALL,
        "[variant]\nname = small\nboard = 6x7\n" SMALL_KING SMALL_REST,
        SMALL_HEAD "holes = a1\n" SMALL_KING SMALL_REST,
        SMALL_HEAD "stalemate = loss\n" SMALL_KING SMALL_REST,
        SMALL_HEAD "bare-king = wins\n" SMALL_KING SMALL_REST,
        SMALL_HEAD "bare-king = wins-unless-bared-back\n" SMALL_KING SMALL_REST,
        SMALL_HEAD "game-length-turns = 9\n" SMALL_KING SMALL_REST,
        SMALL "ranks = 2-6\n",
        SMALL "zone-ranks = 6\nzone-move = F\n",
        SMALL "zone-ranks = 6\nzone-move = W\n",
        SMALL "double-step = 1\n",
        SMALL_HEAD "en-passant = yes\n" SMALL_KING SMALL_REST "double-step = 1\n",
        SMALL "[piece b]\nletter = B\nmove = B\n",
        SMALL "becomes = 6 may B\n[piece b]\nletter = B\nmove = B\n",
        SMALL "becomes = 6 must B\n[piece b]\nletter = B\nmove = B\n",
        SMALL "becomes = 6 may lost B\n[piece b]\nletter = B\nmove = B\n",
        SMALL "becomes = 6 may lost B\n[piece b]\nletter = B\nmove = B\narmy = 2\n",
        SMALL "becomes = 6 may lost in-place B\n[piece b]\nletter = B\nmove = B\n",
        SMALL "[piece t]\nletter = T\nmove = FA\n",
        SMALL "[piece t]\nletter = T\nmove = FA\nsteps = 2\n",
        SMALL "[piece t]\nletter = T\nmove = FA\nsteps = 2\nbend = free\n",
        SMALL "[piece t]\nletter = T\nmove = FA\nsteps = 2\nbend = free\ntakes-twice = yes\n",
    };
    uint64_t id[sizeof other / sizeof *other];

    (void)state;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        id[i] = id_of(other[i]);
        for (size_t j = 0; j < i; j++)
            if (id[i] == id[j])
                fail_msg("the same number:\n%s\n%s", other[i], other[j]);
    }
}

/* Results do not depend on a counter, so tables stay good. */
static void rules_id__knows_nothing_of_the_n_move_rule(void **state)
{
    struct bk_variant *v =
        parse(SMALL_HEAD "n-move = 70\nzeroing = captures\n" SMALL_KING SMALL_REST);
    struct bk_variant *w =
        parse(SMALL_HEAD "n-move = 50\nzeroing = captures\n" SMALL_KING SMALL_REST);
    struct bk_variant *plain = parse(SMALL);

    (void)state;
    assert_true(v->rules_id == plain->rules_id && w->rules_id == plain->rules_id);
    assert_true(v->nmove_id && w->nmove_id && v->nmove_id != w->nmove_id && !plain->nmove_id);
    bk_variant_free(v);
    bk_variant_free(w);
    bk_variant_free(plain);
}

static void becomes__takes_its_words_in_any_order(void **state)
{
    (void)state;
    assert_true(id_of(SMALL "becomes = 6 may in-place lost B\n[piece b]\nletter = B\nmove = B\n") ==
                id_of(SMALL "becomes = 6 may lost in-place B\n[piece b]\nletter = B\nmove = B\n"));
}

static void finish__agrees_with_the_parser(void **state)
{
    struct bk_variant *v = parse(SMALL);
    uint64_t id = v->rules_id;
    struct bk_report why = { "" };

    (void)state;
    v->rules_id = 0;
    assert_int_equal(bk_variant_finish(v, &why), BK_OK);
    assert_true(v->rules_id == id);
    v->piece[1].move.step[0].how = 0;
    assert_int_equal(bk_variant_finish(v, &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "rook: move: a step that may neither move nor capture"));
    assert_true(v->rules_id == id);
    bk_variant_free(v);
}

static void variant__reads_crlf_and_comments(void **state)
{
    (void)state;
    assert_true(id_of(SMALL) ==
                id_of("\xEF\xBB\xBF; a game\r\n\r\n[variant] ; here\r\nname = small\r\n"
                      "board = 6x6 ; small\r\n# more\r\n[piece  king ]\r\nletter=K\r\n"
                      "royal: yes\r\nmove = K\r\n  ; indented\r\n[piece rook]\r\n"
                      "letter = R\r\nmove = R"));
}

/* == What is refused == */

#define R40 "0123456789012345678901234567890123456789"

static const struct refusal refusals[] = {
    { "variant__refuses_unknown_section", SMALL "[pieces]\nx = y\n",
      "game.ini:12:1: unknown section [pieces]; expected [variant] or [piece NAME]" },
    { "variant__refuses_empty_unknown_section", SMALL "[rules]\n",
      "game.ini:12:1: unknown section [rules]; expected [variant] or [piece NAME]" },
    { "variant__refuses_unknown_key_with_its_line", SMALL_HEAD "bared = wins\n" SMALL_KING,
      "game.ini:4:1: unknown key `bared`" },
    { "variant__refuses_key_of_another_section", SMALL_HEAD "army = 3\n" SMALL_KING,
      "game.ini:4:1: `army` belongs to [piece NAME]" },
    { "variant__refuses_variant_key_in_a_piece", SMALL "board = 6x6\n",
      "game.ini:12:1: `board` belongs to [variant]" },
    { "variant__refuses_key_before_sections", "name = x\n" SMALL,
      "game.ini:1:1: `name` stands before the first section" },
    { "variant__refuses_second_variant_section", SMALL "[variant]\n",
      "game.ini:12:1: [variant] stands twice (first on line 1)" },
    { "variant__refuses_second_piece_of_a_name", SMALL "[piece king]\n",
      "game.ini:12:1: [piece king] stands twice (first on line 4)" },
    { "variant__refuses_second_piece_of_a_letter", SMALL "[piece rock]\nletter = R\nmove = W\n",
      "game.ini:13:10: letter R is taken by [piece rook]" },
    { "variant__refuses_key_given_twice", SMALL "army = 2\n",
      "game.ini:12:1: `army` stands twice (first on line 11)" },
    { "variant__refuses_missing_variant_section", SMALL_KING,
      "game.ini:4:1: there is no [variant] section" },
    { "variant__refuses_empty_file", "", "game.ini:1:1: there is no [variant] section" },
    { "variant__refuses_missing_name", "[variant]\nboard = 6x6\n" SMALL_KING,
      "game.ini:1:1: `name` is missing" },
    { "variant__refuses_missing_board", "[variant]\nname = x\n" SMALL_KING,
      "game.ini:1:1: `board` is missing" },
    { "variant__refuses_missing_royal", SMALL_HEAD SMALL_REST,
      "game.ini:1:1: no piece is royal, and neither out-of-men nor out-of-kind says who wins" },
    { "variant__refuses_out_of_men_with_a_royal",
      SMALL_HEAD "out-of-men = wins\n" SMALL_KING SMALL_REST,
      "game.ini:4:14: it is for games without a royal piece" },
    { "variant__refuses_out_of_kind_beside_out_of_men",
      SMALL_HEAD "out-of-men = wins\nout-of-kind = loses R\n" SMALL_REST,
      "game.ini:5:15: `out-of-kind` does not go with out-of-men" },
    { "variant__refuses_out_of_what_is_no_kind", SMALL_HEAD "out-of-kind = loses X\n" SMALL_REST,
      "game.ini:4:21: no piece has the letter `X`" },
    { "variant__refuses_out_of_men_for_nothing", SMALL_HEAD "out-of-men = draws\n" SMALL_REST,
      "game.ini:4:14: expected loses | wins" },
    { "variant__refuses_bare_king_without_a_royal",
      SMALL_HEAD "out-of-men = wins\nbare-king = wins\n" SMALL_REST,
      "game.ini:5:13: it needs a royal piece" },
    { "variant__refuses_hands_without_a_royal",
      SMALL_HEAD "out-of-men = wins\nhand = captured\n" SMALL_REST,
      "game.ini:5:8: captured needs a royal piece" },
    { "variant__refuses_captures_that_want", SMALL_HEAD "captures = want\n" SMALL_KING SMALL_REST,
      "game.ini:4:12: expected may | must" },
    { "variant__refuses_missing_pieces", SMALL_HEAD, "game.ini:1:1: a game has 1 to 32 pieces" },
    { "variant__refuses_missing_letter", SMALL "[piece x]\nmove = W\n",
      "game.ini:12:1: `letter` is missing" },
    { "variant__refuses_missing_move", SMALL "[piece x]\nletter = X\n",
      "game.ini:12:1: `move` is missing" },
    { "variant__refuses_two_royals", SMALL "royal = yes\n",
      "game.ini:12:9: two royal pieces: K and R" },
    { "variant__refuses_board_too_large", "[variant]\nname = x\nboard = 15x10\n" SMALL_KING,
      "game.ini:3:9: expected a number from 2 to 14" },
    { "variant__refuses_board_too_small", "[variant]\nname = x\nboard = 10x1\n" SMALL_KING,
      "game.ini:3:12: expected a number from 2 to 14" },
    { "variant__refuses_board_without_x", "[variant]\nname = x\nboard = 10\n" SMALL_KING,
      "game.ini:3:11: expected FILESxRANKS, such as 10x8" },
    { "variant__refuses_name_with_blanks", "[variant]\nname = a b\nboard = 6x6\n" SMALL_KING,
      "game.ini:2:9: a name has only a-z, 0-9 and -" },
    { "variant__refuses_hole_outside", SMALL_HEAD "holes = a1 g1\n" SMALL_KING,
      "game.ini:4:12: expected a file from a to f" },
    { "variant__refuses_hole_above", SMALL_HEAD "holes = a1 b7\n" SMALL_KING,
      "game.ini:4:13: expected a number from 1 to 6" },
    { "variant__refuses_hole_twice", SMALL_HEAD "holes = a1 a1\n" SMALL_KING,
      "game.ini:4:12: a1 stands twice" },
    { "variant__refuses_board_of_holes",
      "[variant]\nname = x\nboard = 2x2\nholes = a1 a2\n" SMALL_KING,
      "game.ini:4:9: two kings and a man need three squares" },
    { "variant__refuses_bad_number", SMALL_HEAD "game-length-turns = many\n" SMALL_KING,
      "game.ini:4:21: expected a number from 1 to 10000" },
    { "variant__refuses_text_after_a_number", SMALL_HEAD "game-length-turns = 50 x\n" SMALL_KING,
      "game.ini:4:24: unexpected `x`" },
    { "variant__refuses_huge_army", SMALL "[piece x]\nletter = X\nmove = W\narmy = 99999999999\n",
      "game.ini:15:8: expected a number from 0 to 200" },
    { "variant__refuses_army_larger_than_the_board",
      SMALL "[piece x]\nletter = X\nmove = W\narmy = 37\n",
      "game.ini:15:8: an army of 37 on 36 squares" },
    { "variant__refuses_bad_yes_no", SMALL "royal = perhaps\n",
      "game.ini:12:9: expected no | yes" },
    { "variant__refuses_bad_word", SMALL_HEAD "stalemate = wins\n" SMALL_KING,
      "game.ini:4:13: expected draw | loss | win | fewer-men-win" },
    { "variant__refuses_bare_king_word", SMALL_HEAD "bare-king = draws\n" SMALL_KING,
      "game.ini:4:13: expected nothing | wins | wins-unless-bared-back" },
    { "variant__refuses_key_without_value", SMALL_HEAD "stalemate =\n" SMALL_KING,
      "game.ini:4:1: `stalemate` has no value" },
    { "variant__refuses_line_without_equals", SMALL_HEAD "stalemate\n" SMALL_KING,
      "game.ini:4:1: expected `key = value` or `[section]`" },
    { "variant__refuses_the_first_of_two_faults", SMALL_HEAD "stalemate\nbared = x\n" SMALL_KING,
      "game.ini:4:1: expected `key = value` or `[section]`" },
    { "variant__refuses_open_section", SMALL "[piece x\nletter = X\n",
      "game.ini:12:1: expected `[variant]` or `[piece NAME]`" },
    { "variant__refuses_text_after_section", SMALL "[piece x] y\nletter = X\n",
      "game.ini:12:11: unexpected text after the section" },
    { "variant__refuses_piece_without_name", SMALL "[piece]\nletter = X\n",
      "game.ini:12:1: [piece NAME] needs a name" },
    { "variant__refuses_long_piece_name", SMALL "[piece " R40 "]\nletter = X\n",
      "game.ini:12:1: a piece's name has at most 31 bytes" },
    { "variant__refuses_continued_lines", SMALL_HEAD "holes = a1\n   b1\n" SMALL_KING,
      "game.ini:5:1: a key begins in the first column" },
    { "variant__refuses_long_line", SMALL_HEAD "title = " R40 R40 R40 R40 R40 "\n" SMALL_KING,
      "game.ini:4:198: the line is longer than 197 bytes" },
    { "variant__refuses_long_title", SMALL_HEAD "title = " R40 R40 R40 "\n" SMALL_KING,
      "game.ini:4:9: longer than 95 bytes" },
    { "variant__refuses_lower_case_letter", SMALL "[piece x]\nletter = x\nmove = W\n",
      "game.ini:13:10: a letter is one of A to Z" },
    { "variant__refuses_two_letters", SMALL "[piece x]\nletter = XY\nmove = W\n",
      "game.ini:13:11: unexpected `Y`" },
    { "variant__refuses_ranks_outside", SMALL "ranks = 2-7\n",
      "game.ini:12:11: expected a number from 2 to 6" },
    { "variant__refuses_ranks_backwards", SMALL "ranks = 5-3\n",
      "game.ini:12:11: expected a number from 5 to 6" },
    { "variant__refuses_zone_without_move", SMALL "zone-ranks = 6\n",
      "game.ini:12:14: `zone-ranks` needs zone-move" },
    { "variant__refuses_zone_without_ranks", SMALL "zone-move = K\n",
      "game.ini:12:13: `zone-move` needs zone-ranks" },
    { "variant__refuses_zone_where_it_may_not_stand",
      SMALL "ranks = 1-5\nzone-ranks = 5,6\nzone-move = K\n",
      "game.ini:13:14: R may not stand on all of these ranks" },
    { "variant__refuses_double_step_off_the_board", SMALL "double-step = 5\n",
      "game.ini:12:15: there are not two ranks ahead" },
    { "variant__refuses_en_passant_without_double_step", SMALL_HEAD "en-passant = yes\n" SMALL_KING,
      "game.ini:4:14: `en-passant` needs a piece with a double-step" },
    { "variant__refuses_drops_without_hands", SMALL_HEAD "opening = drops\n" SMALL_KING,
      "game.ini:4:11: drops need hand = captured" },
    { "variant__refuses_configuration_without_hands", SMALL_HEAD "configuration = 2x2\n" SMALL_KING,
      "game.ini:4:17: it needs hand = captured" },
    { "variant__refuses_quiet_turns_without_drops",
      SMALL_HEAD "opening-quiet-turns = 5\n" SMALL_KING,
      "game.ini:4:23: it needs opening = drops" },
    { "variant__refuses_quiet_moves_without_quiet_turns",
      SMALL_HEAD "opening-quiet = moves\n" SMALL_KING,
      "game.ini:4:17: it needs opening-quiet-turns" },
    { "variant__refuses_powers_over_frozen_land", SMALL "terrain-power = destroys\n",
      "game.ini:12:17: `terrain-power` needs terrain = live" },
    { "variant__refuses_cancelling_on_frozen_land", SMALL_HEAD "terrain-cancel = none\n" SMALL_KING,
      "game.ini:4:18: `terrain-cancel` needs terrain = live" },
    { "variant__refuses_live_terrain_without_powers", SMALL_HEAD "terrain = live\n" SMALL_KING,
      "game.ini:4:11: live needs a piece with a terrain-power" },
    { "variant__refuses_live_terrain_with_hands",
      SMALL_HEAD "terrain = live\nbare-king = wins\nhand = captured\n" SMALL_KING
                 "[piece x]\nletter = X\nmove = W\nterrain-power = creates\n",
      "game.ini:4:11: live does not go with hand = captured" },
    { "variant__refuses_a_power_of_riders",
      SMALL_HEAD "terrain = live\n" SMALL_KING
                 "[piece x]\nletter = X\nmove = R\nterrain-power = creates\n",
      "game.ini:12:17: it is for men, not royal, who move by single leaps everywhere" },
    { "variant__refuses_a_power_of_the_king",
      SMALL_HEAD "terrain = live\n[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                 "terrain-power = creates\n",
      "game.ini:9:17: it is for men, not royal, who move by single leaps everywhere" },
    { "variant__refuses_an_army_board_off_the_middle",
      SMALL_HEAD "terrain = live\nterrain-ranks = 2-6\n" SMALL_KING
                 "[piece x]\nletter = X\nmove = W\nterrain-power = creates\n",
      "game.ini:5:20: as many ranks of 6 stand before these as behind them" },
    { "variant__refuses_shuffling_without_an_array", SMALL_HEAD "deal-shuffle = yes\n" SMALL_KING,
      "game.ini:4:16: it needs `deal`" },
    { "variant__refuses_men_apart_who_are_not_shuffled",
      SMALL_HEAD "deal = k3/4/4/K3 w\ndeal-apart = K\n" SMALL_KING,
      "game.ini:5:14: it needs deal-shuffle = yes" },
    { "variant__refuses_to_deal_unknown_men", SMALL_HEAD "deal = q3/4/4/K3 w\n" SMALL_KING,
      "game.ini:4:8: no piece has the letter `Q`" },
    { "variant__refuses_castling_beyond_the_own_half",
      SMALL_HEAD
      "castling-rook = K\ncastling-rank = 9\ncastling-king-file = b\n"
      "castling-rook-files = a c\ncastling-king-to = a c\ncastling-rook-to = b b\n" SMALL_KING,
      "game.ini:5:17: expected a number from 1 to 3" },
    { "variant__refuses_a_castling_rank_without_castling",
      SMALL_HEAD "castling-rank = 2\n" SMALL_KING,
      "game.ini:4:17: castling needs `castling-rook`, too" },
    { "variant__refuses_hands_where_baring_is_nothing", SMALL_HEAD "hand = captured\n" SMALL_KING,
      "game.ini:4:8: captured needs a bare-king rule" },
    { "variant__refuses_turned_hands_with_a_bare_king_rule",
      SMALL_HEAD "hand = turned\nbare-king = wins\n" SMALL_KING SMALL_REST,
      "game.ini:4:8: turned does not go with a bare-king rule" },
    { "variant__refuses_turned_hands_with_quiet_drops",
      SMALL_HEAD "hand = turned\nhand-bonus = n-for-n\n" SMALL_KING SMALL_REST,
      "game.ini:5:14: it needs hand = captured" },
    { "variant__refuses_values_without_hostages",
      SMALL_HEAD "hand = turned\nvalues = R5\n" SMALL_KING SMALL_REST,
      "game.ini:5:10: it needs hand = hostage" },
    { "variant__refuses_hostages_without_values",
      SMALL_HEAD "hand = hostage\n" SMALL_KING SMALL_REST,
      "game.ini:4:8: hostage needs `values`, also of R" },
    { "variant__refuses_a_value_of_the_royal",
      SMALL_HEAD "hand = hostage\nvalues = K3 R5\n" SMALL_KING SMALL_REST,
      "game.ini:5:10: K is never taken" },
    { "variant__refuses_a_value_twice",
      SMALL_HEAD "hand = hostage\nvalues = R3 R5\n" SMALL_KING SMALL_REST,
      "game.ini:5:13: R stands twice" },
    { "variant__refuses_a_hand_bonus", SMALL_HEAD "hand-bonus = 3\n" SMALL_KING,
      "game.ini:4:14: expected none | n-for-n" },
    { "variant__refuses_bonus_turns_without_hands",
      SMALL_HEAD "hand-bonus = n-for-n\n" SMALL_KING SMALL_REST,
      "game.ini:4:14: it needs hand = captured" },
    { "variant__refuses_recapture_without_hands",
      SMALL_HEAD "hand-recapture = no\n" SMALL_KING SMALL_REST,
      "game.ini:4:18: it needs hand = captured" },
    { "variant__refuses_hands_with_double_steps",
      SMALL_HEAD "bare-king = wins\nhand = captured\n" SMALL_KING SMALL_REST "double-step = 2\n",
      "game.ini:5:8: captured is for men that stay what they are, go no double steps and take one "
      "at a time; R is another" },
    { "variant__refuses_two_steps_of_riders", SMALL "steps = 2\n",
      "game.ini:10:8: steps = 2 is for leapers that move and capture alike: no range, m, c or p" },
    { "variant__refuses_two_steps_of_quiet_atoms",
      SMALL "[piece x]\nletter = X\nmove = mWF\nsteps = 2\n",
      "game.ini:14:8: steps = 2 is for leapers that move and capture alike: no range, m, c or p" },
    { "variant__refuses_two_steps_of_capturing_atoms",
      SMALL "[piece x]\nletter = X\nmove = WcF\nsteps = 2\n",
      "game.ini:14:8: steps = 2 is for leapers that move and capture alike: no range, m, c or p" },
    { "variant__refuses_two_steps_of_hoppers",
      SMALL "[piece x]\nletter = X\nmove = pR\nsteps = 2\n",
      "game.ini:14:8: steps = 2 is for leapers that move and capture alike: no range, m, c or p" },
    { "variant__refuses_three_steps", SMALL "steps = 3\n",
      "game.ini:12:9: expected a number from 1 to 2" },
    { "variant__refuses_bend_of_one_step", SMALL "bend = free\n",
      "game.ini:12:8: `bend` needs steps = 2" },
    { "variant__refuses_taking_twice_in_one_step", SMALL "takes-twice = yes\n",
      "game.ini:12:15: `takes-twice` needs steps = 2" },
    { "variant__refuses_becoming_nothing", SMALL "becomes = 6 must\n",
      "game.ini:12:11: it becomes nothing: letters are missing" },
    { "variant__refuses_becoming_a_missing_letter", SMALL "becomes = 6 must Q\n",
      "game.ini:12:18: no piece has the letter `Q`" },
    { "variant__refuses_becoming_royal", SMALL "becomes = 6 must K\n",
      "game.ini:12:11: nothing becomes the royal piece" },
    { "variant__refuses_becoming_itself", SMALL "becomes = 6 may R\n",
      "game.ini:12:11: R becomes itself" },
    { "variant__refuses_becoming_one_twice",
      SMALL "becomes = 6 may B B\n[piece b]\nletter = B\nmove = B\n",
      "game.ini:12:11: B stands twice" },
    { "variant__refuses_royal_that_becomes", SMALL_HEAD SMALL_KING "becomes = 6 may R\n" SMALL_REST,
      "game.ini:8:11: the royal piece stays what it is" },
    { "variant__refuses_becoming_without_may_or_must", SMALL "becomes = 6 B\n",
      "game.ini:12:13: expected may | must" },
    { "variant__refuses_in_place_without_lost",
      SMALL "becomes = 6 may in-place B\n[piece b]\nletter = B\nmove = B\n",
      "game.ini:12:11: in-place is only for `lost`" },
    { "variant__refuses_five_becomes",
      SMALL "becomes = 1 may B\nbecomes = 2 may B\nbecomes = 3 may B\nbecomes = 4 may B\n"
            "becomes = 5 may B\n[piece b]\nletter = B\nmove = B\n",
      "game.ini:16:11: a piece has at most 4 `becomes`" },
    { "variant__refuses_a_circle_of_two",
      SMALL "becomes = 6 may B\n[piece b]\nletter = B\nmove = B\nbecomes = 6 may R\n",
      "game.ini:16:11: promotion in a circle: R > B > R" },
    { "variant__refuses_a_circle_of_three_behind_a_tail",
      SMALL "becomes = 6 may B\n[piece b]\nletter = B\nmove = B\nbecomes = 6 may N\n"
            "[piece n]\nletter = N\nmove = N\nbecomes = 3 may D\nbecomes = 6 may D\n"
            "[piece d]\nletter = D\nmove = D\nbecomes = 1 may B\n",
      "game.ini:25:11: promotion in a circle: B > N > D > B" },
    { "variant__refuses_limit_of_a_missing_letter", SMALL_HEAD "limits = Q2\n" SMALL_KING,
      "game.ini:4:10: no piece has the letter `Q`" },
    { "variant__refuses_limit_that_nothing_uses", SMALL_HEAD "limits = R2\n" SMALL_KING SMALL_REST,
      "game.ini:4:10: nothing becomes R by a counted rule" },
    { "variant__refuses_limit_without_number", SMALL_HEAD "limits = R\n" SMALL_KING SMALL_REST,
      "game.ini:4:11: expected a number from 1 to 255" },
    { "variant__refuses_counting_without_limit",
      SMALL "becomes = 6 may counted B\n[piece b]\nletter = B\nmove = B\n",
      "game.ini:12:11: counted, but `limits` does not name B" },
    { "variant__refuses_half_a_castling",
      SMALL_HEAD "castling-rook = R\ncastling-king-file = d\n" SMALL_KING SMALL_REST,
      "game.ini:4:17: castling needs `castling-rook-files`, too" },
    { "variant__refuses_castling_with_a_missing_piece",
      SMALL_HEAD "castling-rook = Q\n" SMALL_KING SMALL_REST,
      "game.ini:4:17: no piece has the letter `Q`" },
    { "variant__refuses_castling_off_the_board",
      SMALL_HEAD "castling-king-to = b g\n" SMALL_KING SMALL_REST,
      "game.ini:4:22: expected a file from a to f" },
    { "variant__refuses_castling_to_a_file_without_a_rook",
      SMALL_HEAD "castling-rook = R\ncastling-king-file = d\ncastling-rook-files = a -\n"
                 "castling-king-to = b e\ncastling-rook-to = c -\n" SMALL_KING SMALL_REST,
      "game.ini:6:23: `-` where nobody castles: in all three keys of two files, or in none" },
    { "variant__refuses_castling_without_any_rook",
      SMALL_HEAD "castling-rook = R\ncastling-king-file = d\ncastling-rook-files = - -\n"
                 "castling-king-to = - -\ncastling-rook-to = - -\n" SMALL_KING SMALL_REST,
      "game.ini:6:23: the rooks stand on the board, left and right of the king" },
    { "variant__refuses_castling_rooks_on_one_side",
      SMALL_HEAD "castling-rook = R\ncastling-king-file = d\ncastling-rook-files = a b\n"
                 "castling-king-to = b e\ncastling-rook-to = c d\n" SMALL_KING SMALL_REST,
      "game.ini:6:23: the rooks stand on the board, left and right of the king" },
    { "variant__refuses_castling_of_both_onto_one_file",
      SMALL_HEAD "castling-rook = R\ncastling-king-file = d\ncastling-rook-files = a f\n"
                 "castling-king-to = b e\ncastling-rook-to = c e\n" SMALL_KING SMALL_REST,
      "game.ini:8:20: the rook goes to another file of the board than the king" },
    { "variant__refuses_rooks_that_go_two_squares_from_their_homes",
      SMALL_HEAD
      "castling-rook = R\ncastling-king-file = d\ncastling-rook-files = a f\n"
      "castling-king-to = b e\ncastling-rook-to = c d\nen-passant = yes\n" SMALL_KING SMALL_REST
      "double-step = 1\n",
      "game.ini:4:17: with en passant, it makes no double step from its home" },
    { "variant__refuses_hands_with_shuffled_castling",
      SMALL_HEAD
      "castling-rook = R\ncastling-homes = shuffled\ncastling-king-to = b e\n"
      "castling-rook-to = c d\nbare-king = wins\nhand = captured\n" SMALL_KING SMALL_REST,
      "game.ini:9:8: captured does not go with castling" },
    { "variant__refuses_homes_both_shuffled_and_named",
      SMALL_HEAD "castling-rook = R\ncastling-homes = shuffled\ncastling-king-file = d\n"
                 "castling-king-to = b e\ncastling-rook-to = c d\n" SMALL_KING SMALL_REST,
      "game.ini:6:22: castling-homes = shuffled: a FEN tells the homes" },
    { "variant__refuses_shuffled_homes_without_targets",
      SMALL_HEAD "castling-rook = R\ncastling-homes = shuffled\n" SMALL_KING SMALL_REST,
      "game.ini:4:17: castling needs `castling-king-to`, too" },
    { "variant__refuses_shuffled_homes_alone",
      SMALL_HEAD "castling-homes = shuffled\n" SMALL_KING SMALL_REST,
      "game.ini:4:18: castling needs `castling-rook`, too" },
    { "variant__refuses_homes_of_another_kind",
      SMALL_HEAD "castling-homes = random\n" SMALL_KING SMALL_REST,
      "game.ini:4:18: expected fixed | shuffled" },
    { "variant__refuses_shuffled_homes_on_a_wide_board",
      "[variant]\nname = wide\nboard = 11x6\ncastling-rook = R\ncastling-homes = shuffled\n"
      "castling-king-to = c i\ncastling-rook-to = d h\n" SMALL_KING SMALL_REST,
      "game.ini:5:18: shuffled on at most 10 files: 'K' in a FEN is no file's letter" },
    { "variant__refuses_start_with_a_missing_letter",
      SMALL_HEAD "start = k5/6/6/6/6/q4K w\n" SMALL_KING,
      "game.ini:4:20: no piece has the letter `Q`" },
    { "variant__refuses_start_that_is_no_position",
      SMALL_HEAD "start = k5/6/6/6/6/5K/9 w\n" SMALL_KING SMALL_REST,
      "game.ini:4:9: FEN: 7 ranks, the board has 6" },
    { "variant__refuses_start_in_which_a_king_can_be_taken",
      SMALL_HEAD "start = kR4/6/6/6/6/5K w\n" SMALL_KING SMALL_REST,
      "game.ini:4:9: the side that is not to move is in check" },
    { "variant__refuses_start_with_more_men_than_an_army",
      SMALL_HEAD "start = k5/6/6/6/1R3R/5K w\n" SMALL_KING SMALL_REST,
      "game.ini:4:9: more men of [piece rook] than its army, 1" },
    { "variant__refuses_start_with_more_black_men_than_an_army",
      SMALL_HEAD "start = k5/1r3r/6/6/6/5K w\n" SMALL_KING SMALL_REST,
      "game.ini:4:9: more men of [piece rook] than its army, 1" },
    { "nmove__needs_to_know_what_zeroes", SMALL_HEAD "n-move = 50\n" SMALL_KING SMALL_REST,
      "game.ini:4:10: `n-move` needs zeroing, too" },
    { "zeroing__is_nothing_without_a_rule", SMALL_HEAD "zeroing = captures\n" SMALL_KING SMALL_REST,
      "game.ini:4:11: `zeroing` needs n-move" },
    { "nmove__has_a_thousand_moves_at_most", SMALL_HEAD "n-move = 1001\n" SMALL_KING SMALL_REST,
      "game.ini:4:10: expected a number from 1 to 1000" },
    { "zeroing__refuses_men_that_go_to_and_fro",
      SMALL_HEAD "n-move = 50\nzeroing = captures + R\n" SMALL_KING SMALL_REST,
      "game.ini:5:11: R can go to and fro; with captures + irreversible moves zero from which a "
      "man "
      "can never come back" },
    { "zeroing__refuses_pawns_that_sit",
      SMALL_HEAD "n-move = 50\nzeroing = captures + P\n" SMALL_KING SMALL_REST
                 "[piece pawn]\nletter = P\nmove = mfWcfF\nzone-ranks = 6\nzone-move = sW\n",
      "game.ini:5:11: P can go to and fro; with captures + irreversible moves zero from which a "
      "man "
      "can never come back" },
    { "zeroing__refuses_other_words",
      SMALL_HEAD "n-move = 50\nzeroing = pawns\n" SMALL_KING SMALL_REST,
      "game.ini:5:11: expected captures, captures + LETTERS or captures + irreversible" },
    { "zeroing__refuses_letters_without_a_sign",
      SMALL_HEAD "n-move = 50\nzeroing = captures R\n" SMALL_KING SMALL_REST,
      "game.ini:5:20: expected `+`" },
    { "zeroing__refuses_letters_and_irreversible",
      SMALL_HEAD "n-move = 50\nzeroing = captures + irreversible R\n" SMALL_KING SMALL_REST,
      "game.ini:5:35: unexpected `R`" },
    { "nmove__refuses_a_limit_of_turns_beside_it",
      SMALL_HEAD "game-length-turns = 9\nn-move = 5\nzeroing = captures\n" SMALL_KING SMALL_REST,
      "game.ini:5:10: it does not go with game-length-turns: a win would have to keep both" },
    { "nmove__refuses_hands",
      SMALL_HEAD
      "bare-king = wins\nhand = captured\nn-move = 5\nzeroing = captures\n" SMALL_KING SMALL_REST,
      "game.ini:6:10: it does not go with hand = captured" },
    { "betza__refuses_unknown_atom", SMALL "zone-ranks = 6\nzone-move = fWX\n",
      "game.ini:13:15: `X` is not an atom" },
    { "betza__refuses_unknown_modifier", SMALL "zone-ranks = 6\nzone-move = gW\n",
      "game.ini:13:13: modifier `g` is not known here" },
    { "betza__refuses_modifiers_without_atom", SMALL "zone-ranks = 6\nzone-move = Wmf\n",
      "game.ini:13:16: an atom is missing" },
    { "betza__refuses_modifier_twice", SMALL "zone-ranks = 6\nzone-move = mmW\n",
      "game.ini:13:14: modifier `m` stands twice" },
    { "betza__refuses_ambiguous_oblique_direction", SMALL "zone-ranks = 6\nzone-move = WfN\n",
      "game.ini:13:14: an oblique leap needs pairs of directions: ff fs bb bs ll lv rr rv" },
    { "betza__refuses_sideways_diagonals", SMALL "zone-ranks = 6\nzone-move = sF\n",
      "game.ini:13:13: `s` chooses no diagonal; write f, b, l or r" },
    { "betza__refuses_hop_of_one_step", SMALL "zone-ranks = 6\nzone-move = cpW\n",
      "game.ini:13:13: `p` hops along a line: give the atom a range, as in pR or pW4" },
    { "betza__refuses_huge_range", SMALL "zone-ranks = 6\nzone-move = W4294967297\n",
      "game.ini:13:14: the number is larger than any board" },
    { "betza__refuses_leap_of_nothing", SMALL "zone-ranks = 6\nzone-move = (0,0)\n",
      "game.ini:13:13: (0,0) goes nowhere" },
    { "betza__refuses_open_leap", SMALL "zone-ranks = 6\nzone-move = (1,2\n",
      "game.ini:13:17: expected `)`" },
    { "betza__refuses_too_many_atoms",
      SMALL "zone-ranks = 6\nzone-move = NCZ(1,4)(2,4)(3,4)(1,5)\n",
      "game.ini:13:31: too many atoms: a man has at most 48 directions" },
};

enum { NREFUSALS = sizeof refusals / sizeof *refusals };

static void is_refused(void **state)
{
    const struct refusal *r = *state;
    struct bk_variant *v = NULL;
    struct bk_report why = { "" };

    assert_int_equal(bk_variant_parse(&v, "game.ini", r->text, &why), BK_E_USAGE);
    assert_string_equal(why.text, r->want);
    assert_null(v);
    assert_int_equal(bk_variant_parse(&v, "game.ini", r->text, NULL), BK_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(betza__counts_directions),
        cmocka_unit_test(betza__joins_what_differs_only_in_purpose),
        cmocka_unit_test(betza__reads_ranges),
        cmocka_unit_test(rules_id__ignores_what_decides_nothing),
        cmocka_unit_test(variant__holes_may_take_several_lines),
        cmocka_unit_test(rules_id__changes_with_every_rule),
        cmocka_unit_test(rules_id__knows_nothing_of_the_n_move_rule),
        cmocka_unit_test(becomes__takes_its_words_in_any_order),
        cmocka_unit_test(finish__agrees_with_the_parser),
        cmocka_unit_test(variant__reads_crlf_and_comments),
    };
    int failed = cmocka_run_group_tests_name("ini", tests, NULL, NULL);

    return failed + refusals_run(refusals, NREFUSALS, is_refused) ? EXIT_FAILURE : EXIT_SUCCESS;
}
