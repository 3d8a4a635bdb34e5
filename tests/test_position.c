/*
 * test_position.c - FENs in, FENs out, and what is said about bad ones.
 *
 * Oracle: the FEN conventions of Fairy-Stockfish and the examples in
 * docs/rules.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "core/position.h"
#include "tests/given.h"

#define CHESS_START  "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define SULTAN_BOARD "rnbcqkcbnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBCQKCBNR"
#define GRAND_START  "l8l/1nojkmhon1/pppppppppp/10/10/10/10/PPPPPPPPPP/1NOJKMHON1/L8L w - - 0 1"
#define DARWIN_BOARD "wyffkffuw/1w5w1/ppppppppp/9/9/9/PPPPPPPPP/1W5W1/WYFFKFFUW"

/* Fails unless reading `fen` and writing it again gives `back`. */
static void assert_comes_back(const struct bk_variant *v, const char *fen, const char *back)
{
    struct bk_pos p = read_fen(v, fen);
    char out[BK_FEN_MAX];

    assert_string_equal(bk_pos_to_fen(&p, v, out), back);
}

static void assert_refused(const struct bk_variant *v, const char *fen, const char *text)
{
    struct bk_pos p, before;
    struct bk_report why = { "" };

    memset(&p, 0x5a, sizeof p);
    before = p;
    if (bk_pos_from_fen(&p, v, fen, &why) != BK_E_USAGE)
        fail_msg("accepted: %s", fen);
    assert_string_equal(why.text, text);
    assert_memory_equal(&p, &before, sizeof p);
}

/* == Good FENs =========================================================== */

static void fen__comes_back_as_it_was(void **state)
{
    static const struct {
        const char *variant, *fen;
    } row[] = {
        { "chess", CHESS_START },
        { "chess", "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 17" },
        { "chess", "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 65535" },
        { "sultan", SULTAN_BOARD " w KQkq - 0 1" },
        { "sultan", "5k4/10/10/10/3Pp5/10/10/R4K3R b KQ d3 0 9" },
        { "grand-shatranj", GRAND_START },
        { "grand-shatranj", "P8k/10/10/10/10/10/10/10/9p/K8p b - - 0 1" },
        { "puzzle", "4k1**/6**/8/8/8/8/8/4K3 w - - 0 1" },
        { "puzzle", "4kn**/aaa3**/8/8/8/8/8/4K3 b - - 0 1" },
        { "darwinian", DARWIN_BOARD " w - - 0 1" },
        { "darwinian", "4k4/9/9/9/4W4/9/9/9/4K4[RCrrccee] w - - 0 30" },
        { "darwinian", "4k4/9/9/9/4W4/9/9/9/4K4[-] b - - 0 30" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_variant *v = load(row[i].variant);

        assert_comes_back(v, row[i].fen, row[i].fen);
        bk_variant_free(v);
    }
}

static void fen__fills_missing_fields_with_the_usual(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    assert_comes_back(v, "4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    assert_comes_back(v, "4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    assert_comes_back(v, "4k3/8/8/8/8/8/8/4K3 b -", "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    assert_comes_back(v, "4k3/8/8/8/8/8/8/4K3 b - -", "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    assert_comes_back(v, "4k3/8/8/8/8/8/8/4K3 b - - 12", "4k3/8/8/8/8/8/8/4K3 b - - 12 1");
    assert_comes_back(v, "  4k3/8/8/8/8/8/8/4K3\tb - - 12 40\r\n",
                      "4k3/8/8/8/8/8/8/4K3 b - - 12 40");
    /* XBoard leaves out fields before the clocks that say nothing */
    assert_comes_back(v, "4k3/8/8/8/8/8/8/4K3 b 12 40", "4k3/8/8/8/8/8/8/4K3 b - - 12 40");
    assert_comes_back(v, "4k3/8/8/8/8/8/8/4K2R w K 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_refused(v, "4k3/8/8/8/8/8/8/4K3 w 0 x", "FEN move number: 'x' is not 1 to 65535");
    bk_variant_free(v);
}

static void fen__reads_file_letters_as_castling_rights(void **state)
{
    struct bk_variant *chess = load("chess"), *sultan = load("sultan");

    (void)state;
    assert_comes_back(chess, "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
                      "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert_comes_back(sultan, SULTAN_BOARD " w JAja - 0 1", SULTAN_BOARD " w KQkq - 0 1");
    assert_comes_back(sultan, SULTAN_BOARD " w qKkQ - 0 1", SULTAN_BOARD " w KQkq - 0 1");
    bk_variant_free(chess);
    bk_variant_free(sultan);
}

static void fen__reads_k_as_the_tenth_file(void **state)
{
    struct bk_variant *v = load("sultan");

    (void)state;
    assert_comes_back(v, "5k4/10/10/10/8pP/10/10/5K4 b - k3",
                      "5k4/10/10/10/8pP/10/10/5K4 b - j3 0 1");
    bk_variant_free(v);
}

static void fen__without_allowances_allows_everything(void **state)
{
    struct bk_variant *v = load("darwinian");
    struct bk_pos p = read_fen(v, "4k4/9/9/9/9/9/9/9/4K4 w");
    unsigned rook = (unsigned)bk_variant_type(v, 'R');

    (void)state;
    assert_memory_equal(p.left[BK_WHITE], v->limit, sizeof v->limit);
    assert_memory_equal(p.left[BK_BLACK], v->limit, sizeof v->limit);
    p = read_fen(v, "4k4/9/9/9/9/9/9/9/4K4[REc] w");
    assert_int_equal(p.left[BK_WHITE][rook], 1);
    assert_int_equal(p.left[BK_BLACK][rook], 0);
    assert_comes_back(v, "4k4/9/9/9/9/9/9/9/4K4[] w", "4k4/9/9/9/9/9/9/9/4K4[-] w - - 0 1");
    bk_variant_free(v);
}

/* == Bad FENs ============================================================ */

static void fen__names_what_is_wrong_with_the_board(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    assert_refused(v, "", "FEN: empty");
    assert_refused(v, "  \n", "FEN: empty");
    assert_refused(v, "4k3/pppxpppp/8/8/8/8/8/4K3 w",
                   "FEN rank 7: unknown piece letter 'x' at column 8; chess has KQRBNP");
    assert_refused(v,
                   "4k3/8/8/8/8/8/8/4K\x01"
                   "2 w",
                   "FEN rank 1: unknown piece letter \\x01 at column 19; chess has KQRBNP");
    assert_refused(v, "4k3/8/8/8/8/9/8/4K3 w", "FEN: rank 3 has 9 squares, the board has 8");
    assert_refused(v, "4k3/8/8/8/8/pppppppppppppppp/8/4K3 w",
                   "FEN: rank 3 has 16 squares, the board has 8");
    assert_refused(v, "4k3/8/8/8/8/7/8/4K3 w", "FEN: rank 3 has 7 squares, the board has 8");
    assert_refused(v, "4k3/8/8//8/8/8/4K3 w", "FEN: rank 5 has 0 squares, the board has 8");
    assert_refused(v, "4k3/8/8/0/8/8/8/4K3 w", "FEN rank 5: bad gap at column 9");
    assert_refused(v, "4k3/8/8/999999999999999/8/8/8/4K3 w", "FEN rank 5: bad gap at column 9");
    assert_refused(v, "4k3/8/8/8/8/8/4K3 w", "FEN: 7 ranks, the board has 8");
    assert_refused(v, "4k3/8/8/8/8/8/8/8/4K3 w", "FEN: 9 ranks, the board has 8");
    assert_refused(v, "4k3", "FEN: 1 rank, the board has 8");
    assert_refused(v, "4k3/8/8/8/8/8/8/8 w", "FEN: no white king");
    assert_refused(v, "8/8/8/8/8/8/8/4K3 w", "FEN: no black king");
    assert_refused(v, "4k2k/8/8/8/8/8/8/4K3 w", "FEN: two black kings");
    assert_refused(v, "4k3/8/8/8/8/8/8/4KKKK w", "FEN: 4 white kings");
    assert_refused(v, "4k3/8/8/8/8/8/8/P3K3 w", "FEN: white pawn on a1, where it may not stand");
    assert_refused(v, "4k2p/8/8/8/8/8/8/4K3 w", "FEN: black pawn on h8, where it may not stand");
    bk_variant_free(v);
}

static void fen__names_the_hole_that_is_not_there(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    assert_refused(v, "4k3/8/8/8/4*3/8/8/4K3 w", "FEN: '*' at e4 is not a hole of this board");
    bk_variant_free(v);
}

static void fen__names_the_hole_that_is_missing(void **state)
{
    struct bk_variant *v = load("puzzle");

    (void)state;
    assert_refused(v, "4k3/6**/8/8/8/8/8/4K3 w", "FEN: g8 is a hole ('*' expected)");
    assert_refused(v, "4k1**/6*r/8/8/8/8/8/4K3 w", "FEN: h7 is a hole ('*' expected)");
    bk_variant_free(v);
}

static void fen__names_what_is_wrong_with_allowances(void **state)
{
    struct bk_variant *v = load("darwinian"), *chess = load("chess");

    (void)state;
    assert_refused(v, "4k4/9/9/9/9/9/9/9/4K4[RN] w",
                   "FEN allowances: 'N' at column 24 is not a piece with a limit");
    assert_refused(v, "4k4/9/9/9/9/9/9/9/4K4[R?] w",
                   "FEN allowances: '?' at column 24 is not a piece with a limit");
    assert_refused(v, "4k4/9/9/9/9/9/9/9/4K4[R-] w",
                   "FEN allowances: '-' at column 24 is not a piece with a limit");
    assert_refused(v, "4k4/9/9/9/9/9/9/9/4K4[rRrr] w",
                   "FEN allowances: more than 2 'r' at column 26");
    assert_refused(v, "4k4/9/9/9/9/9/9/9/4K4[R w", "FEN allowances: ']' missing at column 24");
    assert_refused(v, "4k4/9/9/9/9/9/9/9/4K4[R", "FEN allowances: ']' missing at column 24");
    assert_refused(v, "4k4/9/9/9/9/9/9/9/4K4[R]x w", "FEN: space expected after ']' at column 25");
    assert_refused(chess, "4k3/8/8/8/8/8/8/4K3[Q] w",
                   "FEN allowances: 'Q' at column 21 is not a piece with a limit");
    bk_variant_free(v);
    bk_variant_free(chess);
}

static void fen__names_what_is_wrong_with_the_other_fields(void **state)
{
    struct bk_variant *v = load("chess"), *grand = load("grand-shatranj");

    (void)state;
#define BOARD "r3k2r/8/8/8/3Pp3/8/8/R3K2R "
    assert_refused(v, BOARD "x", "FEN side to move: 'x' is neither 'w' nor 'b'");
    assert_refused(v, BOARD "white - -", "FEN side to move: 'white' is neither 'w' nor 'b'");
    assert_refused(v, BOARD "w KX", "FEN castling: unknown right 'X' at column 31");
    assert_refused(v, BOARD "w K-", "FEN castling: unknown right '-' at column 31");
    assert_refused(v, BOARD "w KK", "FEN castling: 'K' at column 31 says a right twice");
    assert_refused(grand, "k9/10/10/10/10/10/10/10/10/K9 w KX",
                   "FEN castling: unknown right 'X' at column 34");
    assert_refused(v, BOARD "b - d9", "FEN en passant: 'd9' is no square");
    assert_refused(v, BOARD "b - d3x", "FEN en passant: 'd3x' is no square");
    assert_refused(v, BOARD "b - i3", "FEN en passant: 'i3' is no square");
    assert_refused(grand, "k9/10/10/10/10/10/P9/10/10/K9 b - a0",
                   "FEN en passant: 'a0' is no square");
    assert_refused(v, BOARD "b - - x", "FEN half-move clock: 'x' is not 0 to 9999");
    assert_refused(v, BOARD "b - - -1", "FEN half-move clock: '-1' is not 0 to 9999");
    assert_refused(v, BOARD "b - - 0 65536", "FEN move number: '65536' is not 1 to 65535");
    assert_refused(v, BOARD "b - - 0 7th", "FEN move number: '7th' is not 1 to 65535");
    assert_refused(v, BOARD "b - - 0 1 1", "FEN: '1' after the last field, at column 38");
    /* neither operations of EPD, nor set off by a `;` */
    assert_refused(v, BOARD "b - - moves e1e2", "FEN half-move clock: 'moves' is not 0 to 9999");
    assert_refused(v, BOARD "b - - 0 1 moves e1e2",
                   "FEN: 'moves' after the last field, at column 38");
    assert_refused(v, BOARD "b - - fmvn 99999;", "FEN move number: '99999' is not 1 to 65535");
    bk_variant_free(v);
    bk_variant_free(grand);
}

/* == What is forgiven: docs/rules.md, "How positions are written" == */

static void fen__a_right_without_king_and_rook_at_home_is_none(void **state)
{
    struct bk_variant *v = load("chess"), *grand = load("grand-shatranj");

    (void)state;
    assert_comes_back(v, "4k2r/8/8/8/8/8/8/R3K2R w kqKQ", "4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1");
    assert_comes_back(v, "4k2r/8/8/8/8/8/8/R2K3R b HhKq - 0 1", "4k2r/8/8/8/8/8/8/R2K3R b k - 0 1");
    assert_comes_back(v, BOARD "w BK", BOARD "w K - 0 1");
    assert_comes_back(grand, "k9/10/10/10/10/10/10/10/10/K9 w KQkq - 0 1",
                      "k9/10/10/10/10/10/10/10/10/K9 w - - 0 1");
    bk_variant_free(v);
    bk_variant_free(grand);
}

static void fen__a_square_over_which_nobody_has_passed_is_none(void **state)
{
    struct bk_variant *v = load("chess"), *grand = load("grand-shatranj");
    struct bk_variant *cut = parse("[variant]\nname = cut\nboard = 4x5\nholes = a1\n"
                                   "en-passant = yes\n[piece king]\nletter = K\nroyal = yes\n"
                                   "move = K\n[piece pawn]\nletter = P\nmove = mfWcfF\n"
                                   "double-step = 1\n");
    static const char *const squares[] = { "w - d3", "b - e3", "b - d1", "b - h8" };
    char fen[BK_FEN_MAX], want[BK_FEN_MAX];

    (void)state;
    assert_comes_back(v, BOARD "b - d3 0 1", BOARD "b - d3 0 1");
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
        snprintf(fen, sizeof fen, BOARD "%s", squares[i]);
        snprintf(want, sizeof want, BOARD "%c - - 0 1", *squares[i]);
        assert_comes_back(v, fen, want);
    }
    assert_comes_back(v, "4k3/8/8/8/3P4/8/3R4/4K3 b - d3", "4k3/8/8/8/3P4/8/3R4/4K3 b - - 0 1");
    assert_comes_back(v, "4k3/8/8/8/3P4/3R4/8/4K3 b - d3", "4k3/8/8/8/3P4/3R4/8/4K3 b - - 0 1");
    assert_comes_back(cut, "k3/4/1P2/4/*2K b - b2 0 1", "k3/4/1P2/4/*2K b - b2 0 1");
    assert_comes_back(cut, "k3/4/P3/4/*2K b - a2", "k3/4/P3/4/*2K b - - 0 1"); /* from a hole */
    assert_comes_back(grand, "k9/10/10/10/10/10/P9/10/10/K9 b - a3 0 1",
                      "k9/10/10/10/10/10/P9/10/10/K9 b - - 0 1");
    bk_variant_free(v);
    bk_variant_free(grand);
    bk_variant_free(cut);
}

static void fen__is_read_as_other_programs_write_it(void **state)
{
    static const struct {
        const char *fen, *back;
    } row[] = {
        { "4k3/8/8/8/8/8/8/4K2Q w - - 0 0", "w - - 0 1" }, /* move number 0 */
        { "4k3/8/8/8/8/8/8/4K2Q b - - - -", "b - - 0 1" },
        { "4k3/8/8/8/8/8/8/4K2Q~ b - - 3 9", "b - - 3 9" }, /* who was a pawn */
        { "4k3/8/8/8/8/8/8/4K2Q[] b - - 3 9", "b - - 3 9" },
        { "4k3/8/8/8/8/8/8/4K2Q[-] b - - 3 9", "b - - 3 9" },
        { "\xEF\xBB\xBF"
          "4k3/8/8/8/8/8/8/4K2Q b",
          "b - - 0 1" }, /* a byte order mark */
        { "\t 4k3/8/8/8/8/8/8/4K2Q \t b  -\t-   0 8 \r\n", "b - - 0 8" },
        { "4k3/8/8/8/8/8/8/4K2Q_b_-_-_0_8", "b - - 0 8" }, /* in an address */
        { "4k3/8/8/8/8/8/8/4K2Q b 7", "b - - 7 1" },
        { "4k3/8/8/8/8/8/8/4K2Q b - 7 8", "b - - 7 8" },
        { "4k3/8/8/8/8/8/8/4K2Q b e3 7 8", "b - - 7 8" },
        { "4k3/8/8/8/8/8/8/4K2Q w - - 0 1 ;D1 24 ;D2 96", "w - - 0 1" }, /* for perft */
        { "4k3/8/8/8/8/8/8/4K2Q w - - 0 1;D1 24;D2 96", "w - - 0 1" },
        { "4k3/8/8/8/8/8/8/4K2Q w - -; D1 24", "w - - 0 1" },
        { "4k3/8/8/8/8/8/8/4K2Q w ;D1 24", "w - - 0 1" },
        { "4k3/8/8/8/8/8/8/4K2Q w - - bm Qh8+; id \"a;b\";", "w - - 0 1" }, /* EPD */
        { "4k3/8/8/8/8/8/8/4K2Q w - - bm Qh8+", "w - - 0 1" },
        { "4k3/8/8/8/8/8/8/4K2Q w - - id \"fmvn 7\"; fmvn 12; hmvc 3;", "w - - 0 12" },
        { "4k3/8/8/8/8/8/8/4K2Q w - - 0 3 fmvn 12;", "w - - 0 3" },
        { "4k3/8/8/8/8/8/8/4K2Q w - dm 3;", "w - - 0 1" },
        { "4k3/8/8/8/8/8/8/4K2Q w - - c0 \"c3 is a square, too\"", "w - - 0 1" },
        { "4k3/8/8/8/8/8/8/4K2Q b - - 3+3 5 7", "b - - 5 7" }, /* counts of checks */
        { "4k3/8/8/8/8/8/8/4K2Q b - - 5 7 +0+1", "b - - 5 7" },
    };
    struct bk_variant *v = load("chess");
    char back[BK_FEN_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        snprintf(back, sizeof back, "4k3/8/8/8/8/8/8/4K2Q %s", row[i].back);
        assert_comes_back(v, row[i].fen, back);
    }
    assert_comes_back(v, " startpos ;D1 20 ;D2 400", CHESS_START);
    assert_refused(v, "4k3/8/8/8/8/8/8/4K2~Q w",
                   "FEN rank 1: unknown piece letter '~' at column 20; chess has KQRBNP");
    bk_variant_free(v);
}
#undef BOARD

static void fen__survives_every_truncation_and_every_odd_byte(void **state)
{
    struct bk_variant *v = load("darwinian");
    static const char fen[] = DARWIN_BOARD "[RCrrccee] w - - 0 30";
    struct bk_pos p;
    char text[sizeof fen], out[BK_FEN_MAX];

    (void)state;
    for (size_t at = 0; at < sizeof fen - 1; at++) {
        memcpy(text, fen, sizeof fen);
        text[at] = 0;
        (void)bk_pos_from_fen(&p, v, text, NULL);
        for (unsigned c = 1; c < 256; c++) {
            text[at] = (char)c;
            if (!bk_pos_from_fen(&p, v, text, NULL))
                assert_true(strlen(bk_pos_to_fen(&p, v, out)) < BK_FEN_MAX);
        }
    }
    bk_variant_free(v);
}

/* == Squares and men ===================================================== */

static void square__names_undo_readings(void **state)
{
    struct bk_variant *v = load("grand-shatranj");

    (void)state;
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        char name[8];
        const char *s = bk_sq_name(v, sq, name);

        assert_int_equal(bk_sq_read(v, &s), sq);
        assert_int_equal(*s, 0);
    }
    bk_variant_free(v);
}

static void square__reading_stops_where_the_next_begins(void **state)
{
    struct bk_variant *v = load("grand-shatranj");
    const char *s = "j10k1a0";

    (void)state;
    assert_int_equal(bk_sq_read(v, &s), 99);
    assert_int_equal(bk_sq_read(v, &s), 9); /* k is the tenth file too */
    assert_int_equal(bk_sq_read(v, &s), BK_SQ_NONE);
    assert_string_equal(s, "a0");
    bk_variant_free(v);
}

static void position__put_and_lift_agree(void **state)
{
    struct bk_variant *v = load("chess");
    struct bk_pos p, empty;
    unsigned king = v->royal, rook = (unsigned)bk_variant_type(v, 'R');

    (void)state;
    bk_pos_init(&empty, v);
    p = empty;
    bk_pos_put(&p, v, king, BK_BLACK, 63);
    bk_pos_put(&p, v, rook, BK_WHITE, 0);
    bk_pos_put(&p, v, rook, BK_WHITE, 7);
    assert_int_equal(p.king[BK_BLACK], 63);
    assert_int_equal(p.king[BK_WHITE], BK_SQ_NONE);
    assert_int_equal(p.count[BK_WHITE][rook], 2);
    assert_int_equal(bk_bits_count(&p.by[BK_WHITE]), 2);
    assert_int_equal(p.at[7], bk_man(rook, BK_WHITE));
    bk_pos_lift(&p, v, 7);
    bk_pos_lift(&p, v, 0);
    bk_pos_lift(&p, v, 63);
    assert_memory_equal(&p, &empty, sizeof p);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fen__comes_back_as_it_was),
        cmocka_unit_test(fen__fills_missing_fields_with_the_usual),
        cmocka_unit_test(fen__reads_file_letters_as_castling_rights),
        cmocka_unit_test(fen__reads_k_as_the_tenth_file),
        cmocka_unit_test(fen__without_allowances_allows_everything),
        cmocka_unit_test(fen__names_what_is_wrong_with_the_board),
        cmocka_unit_test(fen__names_the_hole_that_is_not_there),
        cmocka_unit_test(fen__names_the_hole_that_is_missing),
        cmocka_unit_test(fen__names_what_is_wrong_with_allowances),
        cmocka_unit_test(fen__names_what_is_wrong_with_the_other_fields),
        cmocka_unit_test(fen__a_right_without_king_and_rook_at_home_is_none),
        cmocka_unit_test(fen__a_square_over_which_nobody_has_passed_is_none),
        cmocka_unit_test(fen__is_read_as_other_programs_write_it),
        cmocka_unit_test(fen__survives_every_truncation_and_every_odd_byte),
        cmocka_unit_test(square__names_undo_readings),
        cmocka_unit_test(square__reading_stops_where_the_next_begins),
        cmocka_unit_test(position__put_and_lift_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
