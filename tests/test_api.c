/*
 * test_api.c - the library as an engine uses it: asked about its own board.
 *
 * Oracle: FENs of the same positions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/bareking.h"
#include "tests/handle.h"
#include "tests/lines.h"

/* == Positions == */

#define EACH 60 /* positions a line */

static void same_both_ways(struct line *l)
{
    uint64_t seed = 3;
    struct bk_pos p;

    if (l->derived)
        return;
    for (unsigned i = 0; i < EACH && lines_position(&p, l->v, &l->m, &seed); i++) {
        struct bk_lib_piece men[32];
        struct bk_lib_pos pos;
        struct bk_answer a, b;
        char fen[BK_FEN_MAX], again[BK_FEN_MAX];
        int wdl = 2, by_fen = 2;

        bk_pos_to_fen(&p, l->v, fen);
        assert_int_equal(bk_read_fen(l->lib, fen, men, 32, &pos), BK_LIB_OK);
        assert_int_equal(bk_write_fen(l->lib, &pos, again), BK_LIB_OK);
        assert_string_equal(again, fen);
        if (bk_probe(l->lib, &pos, 0, &a) || bk_probe_fen(l->lib, fen, &b) ||
            bk_probe_wdl(l->lib, &pos, 0, &wdl) || bk_probe_fen_wdl(l->lib, fen, 0, &by_fen))
            fail_msg("%s: %s", fen, bk_error(l->lib));
        assert_same(&a, &b, fen);
        assert_int_equal(wdl, a.wdl);
        assert_int_equal(by_fen, a.wdl);
        assert_int_equal(bk_probe(l->lib, &pos, BK_LIB_CACHE_ONLY, &b), BK_LIB_OK);
        assert_same(&a, &b, fen);
    }
}

static void position__is_worth_what_its_fen_is_in_every_game(void **state)
{
    (void)state;
    assert_true(lines_each(same_both_ways) > 0);
}

static void position__keeps_en_passant_and_castling(void **state)
{
    static const char *const fens[] = { "8/8/8/8/3Pp3/8/8/k1K5 b - d3 0 7",
                                        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                                        "r3k3/8/8/8/8/8/8/4K2R b Kq - 3 9" };
    struct bk_lib_piece all[32];
    struct bk_lib *lib = lib_of("chess", NULL);
    struct bk_lib_pos start;

    (void)state;
    assert_int_equal(bk_read_fen(lib, " startpos\n", all, 32, &start), BK_LIB_OK);
    assert_int_equal(start.n, 32);
    for (size_t i = 0; i < sizeof fens / sizeof *fens; i++) {
        struct bk_lib_piece men[8];
        struct bk_lib_pos p;
        char fen[BK_LIB_FEN_MAX], board[64];

        assert_int_equal(bk_read_fen(lib, fens[i], men, 8, &p), BK_LIB_OK);
        assert_int_equal(bk_write_fen(lib, &p, fen), BK_LIB_OK);
        snprintf(board, sizeof board, "%.*s", (int)(strrchr(fens[i], ' ') - fens[i]) - 2, fens[i]);
        assert_memory_equal(fen, board, strlen(board));
    }
    bk_close(lib);
}

/* Where the struct cannot say what a FEN says of its board or rooks, `elsewhere` is set, and no
   call takes it for a position of the game's own board. */
static void position__of_another_board_is_refused(void **state)
{
    static const struct {
        const char *game, *fen;
        bool elsewhere;
    } row[] = {
        { "shatranj", "8/8/8/3k4/8/1KQ4*/8/q7 w - - 0 1", true },
        { "shatranj", "7/7/7/3k3/7/1KQ4/7/q6 w - - 0 1", true },
        { "shatranj", "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1", false },
        { "sultan-random", "5k4/10/10/10/10/10/10/R1R2K4 w C - 0 1", true },
        { "sultan-random", "5k4/10/10/10/10/10/10/R1R2K4 w A - 0 1", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_lib *lib = lib_of(row[i].game, NULL);
        struct bk_lib_piece men[8];
        struct bk_lib_pos p;
        char fen[BK_LIB_FEN_MAX];
        enum bk_lib_end end;
        int wdl;

        assert_int_equal(bk_read_fen(lib, row[i].fen, men, 8, &p), BK_LIB_OK);
        assert_int_equal(p.elsewhere, row[i].elsewhere);
        assert_int_equal(bk_write_fen(lib, &p, fen), p.elsewhere ? BK_LIB_USAGE : BK_LIB_OK);
        assert_int_equal(bk_is_over(lib, &p, &end, &wdl), p.elsewhere ? BK_LIB_USAGE : BK_LIB_OK);
        bk_close(lib);
    }
}

/* The library knows nothing of men in hand: where they would matter it has no answer. */
static void position__in_which_men_come_back_has_no_answer(void **state)
{
    static const char *const fen = "k1**/F1**/3r/K1N1 w - - 0 1"; /* White has won already */
    struct bk_lib *lib = lib_of("puzzle-mini", NULL);
    char after[BK_LIB_FEN_MAX];
    enum bk_lib_end end;
    size_t n;
    int wdl;

    (void)state;
    assert_int_equal(bk_is_over_fen(lib, fen, &end, &wdl), BK_LIB_NO_TABLE);
    assert_int_equal(bk_legal_moves_fen(lib, fen, NULL, 0, &n), BK_LIB_NO_TABLE);
    assert_int_equal(bk_play(lib, fen, "a1b1", after), BK_LIB_NO_TABLE);
    assert_int_equal(bk_probe_fen_wdl(lib, fen, 0, &wdl), BK_LIB_NO_TABLE);
    assert_int_equal(bk_list_missing(lib, "KNFvKR", NULL, 0, &n), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "KNFvKR: captured men come back in puzzle-mini"));
    assert_int_equal(bk_list_missing(lib, "KNvKR", NULL, 0, &n), BK_LIB_OK);
    assert_int_equal(n, 1);
    bk_close(lib);
}

static void position__faults_are_told_apart(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
    struct bk_lib_piece men[] = { { 'K', 0, 4 }, { 'r', 0, 0 }, { 'k', 1, 35 } };
    struct bk_lib_pos p = { .men = men, .n = 3 };
    struct bk_answer a;
    int wdl;

    (void)state;
    assert_int_equal(bk_probe(lib, &p, 0, &a), BK_LIB_OK);
    assert_int_equal(a.wdl, 1);
    men[1].type = 'X';
    assert_int_equal(bk_probe(lib, &p, 0, &a), BK_LIB_PIECE);
    men[1].type = 31;
    assert_int_equal(bk_probe(lib, &p, 0, &a), BK_LIB_PIECE);
    men[1].type = 'R';
    men[1].square = 64;
    assert_int_equal(bk_probe(lib, &p, 0, &a), BK_LIB_USAGE);
    men[1].square = 4;
    assert_int_equal(bk_probe(lib, &p, 0, &a), BK_LIB_USAGE);
    men[1].square = 32;
    assert_int_equal(bk_probe(lib, &p, 0, &a), BK_LIB_ILLEGAL);
    assert_non_null(strstr(bk_error(lib), "d5"));
    men[1].square = 0;
    p.castling = BK_LIB_WHITE_OTHER;
    assert_int_equal(bk_probe(lib, &p, 0, &a), BK_LIB_USAGE);
    p.castling = 0;
    assert_int_equal(bk_probe(lib, &p, 64, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_fen(lib, "8/8", &a), BK_LIB_FEN);
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k4/8/8/8/X3K3 w - - 0 1", &a), BK_LIB_PIECE);
    assert_int_equal(bk_probe_fen_wdl(lib, "7q/8/8/3k4/8/8/7N/4KB2 w - - 0 1", 0, &wdl),
                     BK_LIB_NO_TABLE);
    bk_close(lib);
}

/* A second king or a fifth castling right is refused; a turn is at most the last a FEN can tell. */
static void position__beyond_what_a_fen_can_say(void **state)
{
    struct bk_lib *lib = lib_of("chess", NULL);
    const struct bk_lib_piece men[] = {
        { 'K', 0, 4 }, { 'R', 0, 0 }, { 'k', 1, 60 }, { 'K', 0, 6 }
    };
    const struct bk_lib_pos good = { .men = men, .n = 3, .turn = 65543 };
    struct bk_lib_pos p = good;
    char fen[BK_LIB_FEN_MAX];

    (void)state;
    assert_int_equal(bk_write_fen(lib, &p, fen), BK_LIB_OK);
    assert_string_equal(fen, "4k3/8/8/8/8/8/8/R3K3 w - - 0 65535");
    p.n = 4;
    assert_int_equal(bk_write_fen(lib, &p, fen), BK_LIB_USAGE);
    assert_string_equal(bk_error(lib), "man 4: a second 'K'");
    p = good;
    p.castling = 16;
    assert_int_equal(bk_write_fen(lib, &p, fen), BK_LIB_USAGE);
    assert_string_equal(bk_error(lib), "castling: 16 is no set of rights");
    bk_close(lib);
}

/* Values without a meaning are refused, not ignored: a later library may give them one. */
static void position__with_values_that_have_no_meaning_is_refused(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
    struct bk_options o = { .struct_size = sizeof o, .reserved = 1 };
    const struct bk_lib_man man[] = { { 'K', 4, 0 }, { 'R', 0, 0 }, { 'k', 3, 4 } };
    const struct bk_lib_piece men[] = { { 'K', 0, 4 }, { 'R', 0, 0 }, { 'k', 1, 35 } };
    const struct bk_lib_pos right = { .men = men, .n = 3, .black_to_move = 1 };
    struct bk_lib_pos wrong[4] = { right, right, right, right };
    struct bk_answer a;

    (void)state;
    wrong[0].black_to_move = 2;
    wrong[1].limited = 2;
    wrong[2].counter = 10000;
    wrong[3].further = man;
    assert_int_equal(bk_probe(lib, &right, 0, &a), BK_LIB_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(bk_probe(lib, &wrong[i], 0, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_men(lib, man, 3, 1, &a), BK_LIB_OK);
    assert_int_equal(bk_probe_men(lib, man, 3, 2, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_men(lib, man, 3, -1, &a), BK_LIB_USAGE);
    bk_close(lib);
    assert_int_equal(bk_open_with(&lib, "chess", &o), BK_LIB_USAGE);
    bk_close(lib);
}

/* == Moves and options == */

/* Castling takes no man: its rook is not listed as taken. */
static void move__of_castling_takes_nobody(void **state)
{
    struct bk_lib *lib = lib_of("chess", NULL);
    struct bk_lib_ranked move[64];
    size_t n = 0;
    unsigned castled = 0;

    (void)state;
    assert_int_equal(bk_legal_moves_fen(lib, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", move, 64, &n),
                     BK_LIB_OK);
    for (size_t i = 0; i < n; i++) {
        castled += (unsigned)move[i].castles;
        assert_int_equal(move[i].takes, BK_LIB_NO_SQUARE);
        assert_int_equal(move[i].also_taken, BK_LIB_NO_SQUARE);
        assert_int_equal(move[i].rook, !move[i].castles ? BK_LIB_NO_SQUARE
                                       : move[i].to > 4 ? 7
                                                        : 0);
    }
    assert_int_equal(castled, 2);
    bk_close(lib);
}

/* Of moves that are asked for, also of some and in another order; the first that is not legal is
   named. */
static void move__is_written_as_people_and_engines_do(void **state)
{
    static const char *const fen = "4k3/8/8/3pP3/8/8/6P1/R3K3 w Q d6 0 7";
    struct bk_lib *lib = lib_of("chess", NULL);
    struct bk_lib_ranked move[] = { { .name = "e5d6" }, { .name = "e1c1" }, { .name = "a1a8" } };
    struct bk_lib_move_text text[3], same[3];
    struct bk_lib_piece men[8];
    struct bk_lib_pos p;

    (void)state;
    assert_int_equal(bk_write_moves_fen(lib, fen, move, 3, text), BK_LIB_OK);
    assert_string_equal(text[0].san, "exd6");
    assert_string_equal(text[0].fen, "4k3/8/3P4/8/8/8/6P1/R3K3 b Q - 0 7");
    assert_string_equal(text[1].san, "O-O-O");
    assert_string_equal(text[1].uci, "e1c1");
    assert_string_equal(text[2].san, "Ra8+");
    assert_int_equal(bk_read_fen(lib, fen, men, 8, &p), BK_LIB_OK);
    assert_int_equal(bk_write_moves(lib, &p, move, 3, same), BK_LIB_OK);
    assert_memory_equal(text, same, sizeof text);
    assert_int_equal(bk_write_moves_fen(lib, "4k3/P7/8/8/8/8/8/4K3 w",
                                        &(struct bk_lib_ranked){ .name = "a7a8=Q" }, 1, text),
                     BK_LIB_OK);
    assert_string_equal(text[0].uci, "a7a8q");
    assert_string_equal(text[0].san, "a8=Q+");
    memcpy(move[2].name, "0123456789abcdef", 16); /* without an end */
    assert_int_equal(bk_write_moves_fen(lib, fen, move, 3, text), BK_LIB_USAGE);
    assert_string_equal(bk_error(lib), "move 3: '0123456789abcdef' is no legal move here");
    assert_string_equal(text[1].san, "O-O-O");
    assert_int_equal(bk_write_moves_fen(lib, fen, NULL, 0, NULL), BK_LIB_OK);
    assert_int_equal(bk_write_moves_fen(lib, fen, NULL, 1, text), BK_LIB_USAGE);
    assert_int_equal(bk_write_moves_fen(lib, fen, move, 1, NULL), BK_LIB_USAGE);
    bk_close(lib);
}

/* A later program's structs are longer; they are taken if all that is unknown in them is 0. */
static void options__of_a_later_version_are_refused_if_they_are_used(void **state)
{
    struct {
        struct bk_options known;
        uint64_t more;
    } later = { .known = { .struct_size = sizeof later, .paths = GOLDEN "/normal" } };
    unsigned asked = 0;
    struct {
        struct bk_host known;
        uint64_t more;
    } host = { .known = no_host(&asked) };
    struct bk_lib *lib;

    (void)state;
    host.known.struct_size = sizeof host;
    for (later.more = 0; later.more < 2; later.more++) {
        assert_int_equal(bk_open_with(&lib, "chess", &later.known),
                         later.more ? BK_LIB_USAGE : BK_LIB_OK);
        bk_close(lib);
    }
    later.more = 0;
    later.known.host = &host.known;
    for (host.more = 0; host.more < 2; host.more++) {
        assert_int_equal(bk_open_with(&lib, "chess", &later.known),
                         host.more ? BK_LIB_USAGE : BK_LIB_OK);
        bk_close(lib);
    }
    later.known.host = NULL;
    later.known.struct_size = (size_t)-1;
    assert_int_equal(bk_open_with(&lib, "chess", &later.known), BK_LIB_USAGE);
    bk_close(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(position__is_worth_what_its_fen_is_in_every_game),
        cmocka_unit_test(position__keeps_en_passant_and_castling),
        cmocka_unit_test(position__of_another_board_is_refused),
        cmocka_unit_test(position__in_which_men_come_back_has_no_answer),
        cmocka_unit_test(position__faults_are_told_apart),
        cmocka_unit_test(position__beyond_what_a_fen_can_say),
        cmocka_unit_test(position__with_values_that_have_no_meaning_is_refused),
        cmocka_unit_test(move__of_castling_takes_nobody),
        cmocka_unit_test(move__is_written_as_people_and_engines_do),
        cmocka_unit_test(options__of_a_later_version_are_refused_if_they_are_used),
    };

    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
