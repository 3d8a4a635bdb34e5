/*
 * test_api.c - the library as an engine uses it: by its own board, within a budget, at the root.
 *
 * Oracles: FENs of the same positions; the slow generator of ref.c for lists of moves; the library
 * asked with all memory in the world for the library that has little.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/derive.h"
#include "core/load.h"
#include "core/move.h"
#include "probe/bareking.h"
#include "table/material.h"
#include "tests/lines.h"
#include "tests/random_variant.h"
#include "tests/ref.h"

#define KRVK "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"

static struct bk_lib *lib_with(const char *game, const struct bk_options *o)
{
    struct bk_lib *lib;

    if (bk_open_with(&lib, game, o))
        fail_msg("%s", bk_error(lib));
    return lib;
}

static struct bk_lib *lib_of(const char *game, const char *paths)
{
    const struct bk_options o = { .struct_size = sizeof o, .paths = paths };

    return lib_with(game, &o);
}

/* == By position == */

#define EACH 60 /* positions a line */

static void assert_same(const struct bk_answer *a, const struct bk_answer *b, const char *fen)
{
    if (memcmp(a, b, sizeof *a))
        fail_msg("%s: %+d in %d, or %+d in %d", fen, a->wdl, a->dtw, b->wdl, b->dtw);
}

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
        int wdl, by_fen;

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

/* An answer by one handle does not change the error of another. */
static void error__of_a_handle_stays_when_another_answers(void **state)
{
    struct bk_lib *chess = lib_of("chess", NULL), *shatranj = lib_of("shatranj", NULL);
    char text[512];
    int wdl;

    (void)state;
    assert_int_equal(bk_probe_fen_wdl(chess, "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1", 0, &wdl),
                     BK_LIB_NO_TABLE);
    snprintf(text, sizeof text, "%s", bk_error(chess));
    /* mate, with more men than tables have */
    assert_int_equal(bk_probe_fen_wdl(shatranj, "R5k1/R4ppp/8/8/8/8/5PPP/6K1 b - - 0 1", 0, &wdl),
                     BK_LIB_OK);
    assert_int_equal(wdl, -1);
    assert_string_equal(bk_error(chess), text);
    bk_close(chess);
    bk_close(shatranj);
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
    struct bk_lib_pos wrong[5] = { right, right, right, right, right };
    struct bk_answer a;

    (void)state;
    wrong[0].black_to_move = 2;
    wrong[1].limited = 2;
    wrong[2].reserved[0] = 1;
    wrong[3].reserved[1] = 1;
    wrong[4].further = man;
    assert_int_equal(bk_probe(lib, &right, 0, &a), BK_LIB_OK);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(bk_probe(lib, &wrong[i], 0, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_men(lib, man, 3, 1, &a), BK_LIB_OK);
    assert_int_equal(bk_probe_men(lib, man, 3, 2, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_men(lib, man, 3, -1, &a), BK_LIB_USAGE);
    bk_close(lib);
    assert_int_equal(bk_open_with(&lib, "chess", &o), BK_LIB_USAGE);
    bk_close(lib);
}

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

/* A host that has no file and counts the calls. */
static int64_t no_size(void *asked, const char *path)
{
    (void)path;
    ++*(unsigned *)asked;
    return BK_LIB_NONE;
}

static int no_read(void *asked, const char *path, uint64_t at, void *to, size_t bytes)
{
    (void)path;
    (void)at;
    (void)to;
    (void)bytes;
    ++*(unsigned *)asked;
    return BK_LIB_BROKEN;
}

/* A later program's structs are longer; they are taken if all that is unknown in them is 0. */
static void options__of_a_later_version_are_refused_if_they_are_used(void **state)
{
    struct {
        struct bk_options known;
        uint64_t more;
    } later = { .known = { .struct_size = sizeof later, .paths = GOLDEN "/normal" } };
    struct {
        struct bk_host known;
        uint64_t more;
    } host = { .known = { sizeof host, NULL, no_size, no_read } };
    struct bk_lib *lib;

    (void)state;
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

static void files__of_a_later_version_have_an_error_of_their_own(void **state)
{
    static const char fen[] = "8/8/8/3k4/8/1KB5/8/8 w - - 0 1";
    struct bk_lib *lib = lib_of("chess", "tests/newer");
    struct bk_answer a;
    int wdl;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, fen, &a), BK_LIB_NEWER);
    assert_non_null(strstr(bk_error(lib), "KBvK.bkw: needs a newer bareking (format version 2)"));
    assert_int_equal(bk_probe_fen_wdl(lib, fen, 0, &wdl), BK_LIB_NEWER);
    bk_close(lib);
}

/* == The root == */

static enum bk_lib_err value_after(struct line *l, const struct bk_lib_ranked *move,
                                   const char *fen, struct bk_answer *out)
{
    char after[BK_LIB_FEN_MAX];

    if (bk_play(l->lib, fen, move->name, after))
        fail_msg("%s %s: %s", fen, move->name, bk_error(l->lib));
    return bk_probe_fen(l->lib, after, out);
}

static bool has_move(const struct ref_moves *moves, const struct bk_variant *v, const char *name)
{
    char text[16];

    for (unsigned i = 0; i < moves->n; i++) {
        ref_move_text(v, &moves->move[i], text);
        if (!strcmp(text, name))
            return true;
    }
    return false;
}

static unsigned roots;

/* Checks that the rules alone list the same moves, by name, and know if the game is over. */
static void same_without_tables(struct line *l, const char *fen, enum bk_lib_end over,
                                const struct bk_lib_ranked *move, size_t n)
{
    struct bk_lib_ranked legal[512];
    enum bk_lib_end end;
    size_t all;
    int wdl;

    assert_int_equal(bk_is_over_fen(l->lib, fen, &end, &wdl), BK_LIB_OK);
    assert_int_equal(end, over);
    assert_int_equal(bk_legal_moves_fen(l->lib, fen, legal, 512, &all), BK_LIB_OK);
    assert_int_equal(all, n);
    for (size_t k = 0; k < n; k++) {
        size_t i = 0;

        while (i < n && strcmp(legal[i].name, move[k].name))
            i++;
        assert_true(i < n && legal[i].end == move[k].end);
        assert_true(!k || strcmp(legal[k - 1].name, legal[k].name) < 0);
    }
}

/* Returns how many positions of each line are tested: ROOTS in the environment, or EACH. */
static unsigned roots_each(void)
{
    const char *n = getenv("ROOTS");

    return n ? (unsigned)strtoul(n, NULL, 10) : EACH;
}

static void ranked_as_the_slow_generator(struct line *l)
{
    uint64_t seed = 11;
    unsigned each = roots_each();
    struct ref_moves slow = { 0 };
    struct bk_pos p;

    if (l->alone) /* the tables it leads to are missing */
        return;
    for (unsigned i = 0; i < each && lines_position(&p, l->v, &l->m, &seed); i++) {
        struct bk_lib_ranked move[512];
        struct bk_answer root;
        struct ref_pos ref;
        char fen[BK_FEN_MAX];
        int best = -1;
        size_t n;

        bk_pos_to_fen(&p, l->v, fen);
        if (bk_probe_fen(l->lib, fen, &root) || bk_rank_moves_fen(l->lib, fen, 0, 0, move, 512, &n))
            fail_msg("%s: %s", fen, bk_error(l->lib));
        same_without_tables(l, fen, root.end, move, n);
        if (root.end != BK_LIB_GOES_ON) {
            assert_int_equal(n, 0);
            continue;
        }
        assert_true(ref_from_fen(l->v, fen, &ref));
        ref_moves(l->v, &ref, &slow);
        assert_int_equal(n, slow.n);
        for (size_t k = 0; k < n; k++) {
            struct bk_answer a;

            if (!has_move(&slow, l->v, move[k].name))
                fail_msg("%s: %s is no move", fen, move[k].name);
            assert_int_equal(value_after(l, &move[k], fen, &a), BK_LIB_OK);
            assert_int_equal(move[k].wdl, -a.wdl);
            assert_int_equal(move[k].dtw, a.dtw < 0 ? -1 : a.dtw + 1);
            assert_int_equal(move[k].end, a.end);
            best = move[k].clocked_wdl > best ? move[k].clocked_wdl : best;
            assert_int_equal(move[k].keeps, move[k].clocked_wdl == move[0].clocked_wdl);
        }
        assert_int_equal(move[0].wdl, root.wdl);
        if (l->distances)
            assert_int_equal(move[0].dtw, root.dtw);
        assert_int_equal(move[0].clocked_wdl, best);
        roots++;
    }
    ref_moves_free(&slow);
}

static void root__equals_one_ply_of_the_slow_generator_in_every_game(void **state)
{
    (void)state;
    roots = 0;
    lines_each(ranked_as_the_slow_generator);
    print_message("%u roots\n", roots);
    assert_true(roots > 500);
}

static void root__unknown_moves_do_not_hide_the_others(void **state)
{
    /* KRvKP of chess without KRvKQ and its like: promotions are unknown */
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
    struct bk_lib_piece men[] = { { 'K', 0, 6 }, { 'P', 0, 50 }, { 'K', 1, 35 }, { 'R', 1, 59 } };
    struct bk_lib_pos p = { .men = men, .n = 4 };
    struct bk_lib_ranked move[64], legal[64];
    size_t n, all;
    enum bk_lib_err err = bk_rank_moves(lib, &p, 0, 0, move, 64, &n);

    (void)state;
    assert_int_equal(bk_legal_moves(lib, &p, legal, 64, &all), BK_LIB_OK);
    assert_int_equal(n, all);
    assert_int_equal(err, BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "no table "));
    assert_int_equal(move[n - 1].err, BK_LIB_NO_TABLE);
    assert_int_equal(move[n - 1].keeps, 0);
    bk_close(lib);
}

static void root__keeps_what_lasts_within_the_plies(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
    struct bk_lib_ranked move[64];
    size_t n, kept = 0;

    (void)state;
    assert_int_equal(bk_rank_moves_fen(lib, KRVK, 0, 0, move, 64, &n), BK_LIB_OK);
    assert_int_equal(move[0].wdl, 1);
    assert_int_equal(bk_rank_moves_fen(lib, KRVK, move[0].dtw, 0, move, 64, &n), BK_LIB_OK);
    for (size_t i = 0; i < n; i++) {
        kept += (size_t)move[i].keeps;
        assert_int_equal(move[i].keeps, move[i].wdl == 1 && move[i].dtw == move[0].dtw);
    }
    assert_in_range(kept, 1, n - 1);
    assert_int_equal(bk_rank_moves_fen(lib, KRVK, -1, 0, move, 64, &n), BK_LIB_USAGE);
    assert_int_equal(n, 0);
    bk_close(lib);
}

/* Sets `fen` to White's king and queens and Black's king on random squares. */
static void draw_queens(char fen[100], unsigned queens, uint64_t *seed)
{
    char board[64] = "Kk";

    memset(board + 2, 'Q', queens);
    for (unsigned i = 63; i; i--) {
        unsigned other = random_below(seed, i + 1);
        char man = board[i];

        board[i] = board[other];
        board[other] = man;
    }
    for (unsigned sq = 0, gap = 0; sq < 64; sq++) {
        gap += !board[sq];
        if (gap && (board[sq] || sq % 8 == 7)) {
            *fen++ = (char)('0' + gap);
            gap = 0;
        }
        if (board[sq])
            *fen++ = board[sq];
        if (sq % 8 == 7)
            *fen++ = sq < 63 ? '/' : ' ';
    }
    strcpy(fen, "w - - 0 1");
}

/* Lists get more room as they grow: around 48 and 96 moves none is lost. */
static void moves__of_any_number_are_all_there(void **state)
{
    struct bk_lib *lib = lib_of("chess", NULL);
    static struct bk_lib_ranked move[256];
    static struct bk_move legal[BK_MOVES_MAX];
    unsigned seen = 0, wanted = 12; /* 46 to 51 and 94 to 99 moves */
    bool known[256] = { false };
    struct bk_variant *v;
    uint64_t seed = 1;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "chess", NULL), BK_OK);
    for (unsigned i = 0; i < 100000 && seen < wanted; i++) {
        char fen[100], after[BK_LIB_FEN_MAX];
        struct bk_pos p;
        size_t n;

        draw_queens(fen, 2 + i % 6, &seed);
        if (bk_legal_moves_fen(lib, fen, move, 256, &n) || known[n])
            continue; /* or the king could be taken */
        assert_int_equal(bk_pos_from_fen(&p, v, fen, NULL), BK_OK);
        assert_int_equal(n, bk_moves_legal(v, &p, legal));
        known[n] = true;
        seen += n % 48 > 45 || (n > 47 && n % 48 < 4);
        for (size_t k = 0; k < n; k++) {
            assert_true(!k || strcmp(move[k - 1].name, move[k].name) < 0);
            assert_int_equal(bk_play(lib, fen, move[k].name, after), BK_LIB_OK);
            assert_int_equal(move[k].err, move[k].end ? BK_LIB_OK : BK_LIB_NO_TABLE);
            assert_false(move[k].keeps);
        }
    }
    assert_int_equal(seen, wanted);
    bk_variant_free(v);
    bk_close(lib);
}

/* A bound on plies changes nothing if the game's own clock ends the game sooner. */
static void root__keeps_what_lasts_within_the_game(void **state)
{
    static const char fen[] =
        "3**/k2M1/5/1K2*/**2x w - - 0 %d"; /* wins in 5 plies, by some moves */
    struct bk_lib *lib = lib_of("atlantean", GOLDEN "/normal");
    struct bk_lib_ranked move[64];
    size_t n, kept[2][2] = { { 0 } };
    char at[64];

    (void)state;
    for (int late = 0; late < 2; late++)
        for (int bound = 0; bound < 2; bound++) {
            snprintf(at, sizeof at, fen, late ? 49 : 1); /* of 50 turns: 4 plies are left, or all */
            assert_int_equal(bk_rank_moves_fen(lib, at, bound ? 60 : 0, 0, move, 64, &n),
                             BK_LIB_OK);
            assert_int_equal(move[0].dtw, 5);
            assert_int_equal(move[0].clocked_wdl, !late);
            for (size_t i = 0; i < n; i++)
                kept[late][bound] += (size_t)move[i].keeps;
        }
    assert_int_equal(kept[0][0], kept[0][1]);
    assert_int_equal(kept[1][0], kept[1][1]);
    assert_true(kept[1][0] > kept[0][0]); /* if no move wins in time, all that draw keep */
    snprintf(at, sizeof at, fen, 51);     /* no time at all: that needs no distance */
    assert_int_equal(bk_rank_moves_fen(lib, at, 0, BK_LIB_WDL_ONLY, move, 64, &n), BK_LIB_OK);
    for (size_t i = 0; i < n; i++)
        assert_true(move[i].clocked_known && !move[i].clocked_wdl && move[i].keeps);
    bk_close(lib);
}

/* With the clock, too, a move has the negated value of the position after it, even a move that ends
   a game which was over by its length before. */
static void root__is_clocked_as_the_positions_after_it(void **state)
{
    struct bk_lib *lib = lib_of("atlantean", GOLDEN "/normal");
    unsigned in_time = 0, late = 0;

    (void)state;
    for (int turn = 46; turn < 53; turn++) {
        struct bk_lib_ranked move[64];
        char fen[BK_LIB_FEN_MAX], after[BK_LIB_FEN_MAX];
        size_t n = 1;

        snprintf(fen, sizeof fen, "3**/k2M1/5/1K2*/**2x w - - 0 %d", turn);
        while (n) {
            assert_int_equal(bk_rank_moves_fen(lib, fen, 0, 0, move, 64, &n), BK_LIB_OK);
            for (size_t i = n; i--;) { /* the best one last */
                struct bk_answer a;

                assert_int_equal(bk_play(lib, fen, move[i].name, after), BK_LIB_OK);
                assert_int_equal(bk_probe_fen(lib, after, &a), BK_LIB_OK);
                assert_int_equal(move[i].clocked_wdl, -a.clocked_wdl);
                in_time += move[i].end != BK_LIB_GOES_ON && a.clocked_wdl;
                late += move[i].end != BK_LIB_GOES_ON && a.wdl && !a.clocked_wdl;
            }
            memcpy(fen, after, sizeof fen);
        }
    }
    assert_true(in_time > 0 && late > 0);
    bk_close(lib);
}

/* == Memory == */

static void cache_only__reads_nothing(void **state)
{
    const char *const fens[] = { KRVK, "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1" };
    const unsigned only = BK_LIB_CACHE_ONLY | BK_LIB_WDL_ONLY;
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
    enum bk_lib_err err[2];
    struct bk_answer a[2];
    int wdl;

    (void)state;
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_NOT_IN_MEMORY);
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, 0, &wdl), BK_LIB_OK);
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_OK);
    assert_int_equal(bk_probe_many_fen(lib, fens, 2, only, a, err), BK_LIB_NOT_IN_MEMORY);
    assert_int_equal(err[0], BK_LIB_OK);
    assert_int_equal(a[0].wdl, 1);
    assert_int_equal(a[0].dtw, -1);
    assert_int_equal(err[1], BK_LIB_NOT_IN_MEMORY);
    assert_int_equal(bk_refresh(lib), BK_LIB_OK);
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_NOT_IN_MEMORY);
    assert_int_equal(bk_prefetch(lib, "KRvK", 0), BK_LIB_OK);
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_OK);
    bk_close(lib);
}

/* Counts KPvK's positions with White's king on a1 and pawn on e4 that are answered from memory. */
static unsigned in_memory(struct bk_lib *lib)
{
    struct bk_lib_piece men[] = { { 'K', 0, 0 }, { 'P', 0, 28 }, { 'K', 1, 0 } };
    struct bk_lib_pos p = { .men = men, .n = 3 };
    unsigned n = 0;
    int wdl;

    for (men[2].square = 2; men[2].square < 64; men[2].square++)
        n += !bk_probe_wdl(lib, &p, BK_LIB_CACHE_ONLY, &wdl);
    return n;
}

/* Whatever the budget: reading distances drops no results from memory. */
static void prefetch__keeps_what_it_has_read(void **state)
{
    struct bk_lib *lib = lib_of("chess", "tests/golden/normal");
    unsigned some = 0, all = 0;

    (void)state;
    for (uint64_t budget = 50000; budget < 2000000; budget += 50000) {
        uint64_t used;
        unsigned before;

        assert_int_equal(bk_refresh(lib), BK_LIB_OK);
        assert_int_equal(bk_set_memory(lib, budget), BK_LIB_OK);
        assert_int_equal(bk_prefetch(lib, "KPvK", BK_LIB_WDL_ONLY), BK_LIB_OK);
        before = in_memory(lib);
        assert_int_equal(bk_prefetch(lib, "KPvK", 0), BK_LIB_OK);
        assert_true(in_memory(lib) >= before);
        assert_int_equal(bk_memory(lib, &used, NULL), BK_LIB_OK);
        assert_true(used <= budget);
        some += before > 0 && before < 50;
        all += before >= 50;
    }
    assert_true(all > 10);
    bk_close(lib);
}

/* The error names a missing table without a call to the host. */
static void cache_only__names_what_is_missing_without_a_look(void **state)
{
    unsigned asked = 0, before;
    const struct bk_host host = { sizeof host, &asked, no_size, no_read };
    const struct bk_options o = { .struct_size = sizeof o, .paths = "far", .host = &host };
    struct bk_lib *lib = lib_with("chess", &o);
    struct bk_lib_ranked move[64];
    size_t n;
    int wdl;

    (void)state;
    assert_int_equal(bk_prefetch(lib, "KRvK", 0), BK_LIB_OK);
    before = asked;
    assert_true(before > 0);
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib), "no table KRvK of chess in far");
    assert_int_equal(bk_rank_moves_fen(lib, KRVK, 0, BK_LIB_CACHE_ONLY, move, 64, &n),
                     BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib), "no table KRvK of chess in far");
    assert_int_equal(asked, before);
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, 0, &wdl), BK_LIB_NO_TABLE);
    assert_true(asked > before);
    bk_close(lib);
}

/* After bk_probe_moves(), too, bk_error() names the missing table, and no earlier error. */
static void error__of_moves_names_what_is_missing(void **state)
{
    struct bk_lib *lib = lib_of("chess", "nowhere");
    struct bk_lib_move move[64];
    struct bk_answer a;
    size_t n = 7;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, "no FEN", &a), BK_LIB_FEN);
    assert_int_equal(bk_probe_moves(lib, KRVK, move, 64, &n), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib), "no table KRvK of chess in nowhere");
    assert_int_equal(n, 7);
    bk_close(lib);
}

/* For an error message, about a thousand tables are looked for, and no more for a list of moves. */
static void error__looks_for_a_thousand_tables_and_no_more(void **state)
{
    static const char *const fen = "4k3/PPP5/8/8/8/8/ppp5/4K3 w - - 0 1";
    unsigned asked = 0, before;
    const struct bk_host host = { sizeof host, &asked, no_size, no_read };
    const struct bk_options o = { .struct_size = sizeof o, .paths = "far", .host = &host };
    struct bk_lib *lib;
    struct bk_answer a;
    size_t n, missing;

    (void)state;
    lib = lib_with("tests/twelve.ini", &o);
    assert_int_equal(bk_probe_fen(lib, fen, &a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "no table KPPPvKPPP of twelve in far; also missing: "));
    assert_string_equal(bk_error(lib) + strlen(bk_error(lib)) - 10, ", and more");
    assert_true(asked >= 1000 && asked < 1100);
    before = asked;
    assert_int_equal(bk_rank_moves_fen(lib, fen, 0, 0, NULL, 0, &n), BK_LIB_NO_TABLE);
    assert_true(n > 36);
    assert_true(asked - before < 1100); /* each move's own table, and no list for any */
    assert_int_equal(bk_list_missing(lib, "KPvKP", NULL, 0, &missing), BK_LIB_OK);
    assert_int_equal(missing, 13 * 14 / 2 + 13); /* K?vK? both ways alike, K?vK */
    assert_int_equal(bk_list_missing(lib, "KPPvKPP", NULL, 0, &missing), BK_LIB_OK);
    assert_true(missing > 4000); /* all */
    bk_close(lib);
}

/* Checks that rules alone say that the game is over: no table need be in memory, or undamaged. */
static void assert_over(struct bk_lib *lib, const char *fen, unsigned flags, int over)
{
    struct bk_lib_piece men[8];
    struct bk_lib_pos p;
    struct bk_answer a;
    int wdl = 7, by_fen = 7;

    assert_int_equal(bk_read_fen(lib, fen, men, 8, &p), BK_LIB_OK);
    if (bk_probe_wdl(lib, &p, flags, &wdl) || bk_probe_fen_wdl(lib, fen, flags, &by_fen) ||
        bk_probe(lib, &p, flags | BK_LIB_WDL_ONLY, &a))
        fail_msg("%s: %s", fen, bk_error(lib));
    assert_int_equal(wdl, over);
    assert_int_equal(by_fen, over);
    assert_int_equal(a.wdl, over);
    assert_int_not_equal(a.end, BK_LIB_GOES_ON);
}

static void mate_and_stalemate__need_no_table_for_wdl_either(void **state)
{
    static const char *const fens[] = { "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
                                        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1" };
    char dir[] = "/tmp/bareking-over-XXXXXX", path[64];
    FILE *f;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/chess/KQvK.bkw", dir);
    assert_non_null(f = fopen(path, "w"));
    fclose(f);
    for (int i = 0; i < 2; i++) {
        struct bk_lib *cold = lib_of("chess", GOLDEN "/normal"), *damaged = lib_of("chess", dir);

        assert_over(cold, fens[i], BK_LIB_CACHE_ONLY, i - 1);
        assert_over(damaged, fens[i], 0, i - 1);
        bk_close(cold);
        bk_close(damaged);
    }
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path) || rmdir(dir), 0);
}

/* A mate is found in a position with an en passant square, too. */
static void mate__stands_beside_an_en_passant_square(void **state)
{
    struct bk_lib *lib = lib_of("chess", "");

    (void)state;
    assert_over(lib, "R5k1/5ppp/8/8/3P4/8/8/6K1 b - d3 0 1", 0, -1);
    bk_close(lib);
}

/* With an en passant square two positions are probed: the value of the first is no answer. */
static void wdl__is_written_with_an_answer_alone(void **state)
{
    const char *fen = "8/8/8/3k4/3Pp3/8/8/4K3 b - d3 0 1";
    struct bk_lib *lib = lib_of("chess", "");
    int wdl = 7;

    (void)state;
    assert_int_equal(bk_probe_fen_wdl(lib, fen, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_NOT_IN_MEMORY);
    assert_int_equal(wdl, 7);
    assert_int_equal(bk_probe_fen_wdl(lib, fen, 0, &wdl), BK_LIB_NO_TABLE);
    assert_int_equal(wdl, 7);
    bk_close(lib);
}

static void error__of_a_closed_handle_is_no_other_s(void **state)
{
    struct bk_answer a;

    (void)state;
    for (unsigned i = 0; i < 8; i++) { /* a handle mostly has the address of the last */
        struct bk_lib *lib = lib_of("chess", "");

        assert_string_equal(bk_error(lib), "");
        assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_NO_TABLE);
        bk_close(lib);
    }
}

/* A batch first asks what is in memory: what is not there yet leaves no error. */
static void batch__that_is_answered_leaves_no_error(void **state)
{
    const char *fen = KRVK;
    struct bk_answer a;
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");

    (void)state;
    assert_int_equal(bk_probe_batch(lib, &fen, 1, &a, NULL), BK_LIB_OK);
    assert_string_equal(bk_error(lib), "");
    assert_int_equal(bk_refresh(lib), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(lib, "no FEN", &a), BK_LIB_FEN);
    assert_int_equal(bk_probe_batch(lib, &fen, 1, &a, NULL), BK_LIB_OK);
    assert_string_equal(bk_error(lib), "FEN: 1 rank, the board has 8");
    bk_close(lib);
}

/* The table is not in memory; the rules know the mate. */
static void error__of_a_handle_stays_when_rules_answer(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal"), *other = lib_of("chess", "");
    struct bk_lib_piece men[8];
    struct bk_lib_pos mate;
    struct bk_answer a;
    int wdl;

    (void)state;
    assert_int_equal(bk_read_fen(lib, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", men, 8, &mate), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(other, "no FEN", &a), BK_LIB_FEN);
    assert_int_equal(bk_probe(lib, &mate, BK_LIB_CACHE_ONLY, &a), BK_LIB_OK);
    assert_int_equal(bk_probe_wdl(lib, &mate, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_OK);
    assert_string_equal(bk_error(other), "FEN: 1 rank, the board has 8");
    assert_string_equal(bk_error(lib), "");
    bk_close(lib);
    bk_close(other);
}

/* On failure, too, the handle is set, so that it can be closed, as bareking.h says. */
static void handle__opened_without_options_tells_why(void **state)
{
    struct bk_answer a;
    struct bk_lib *lib = (struct bk_lib *)(void *)&a; /* not what it was */

    (void)state;
    assert_int_equal(bk_open_with(&lib, "chess", NULL), BK_LIB_USAGE);
    assert_ptr_not_equal(lib, &a);
    assert_string_equal(bk_error(lib), "an argument is NULL");
    assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_USAGE);
    bk_close(lib);
}

static void memory__too_little_is_said_and_enough_is_obeyed(void **state)
{
    const struct bk_options little = { .struct_size = sizeof little,
                                       .paths = GOLDEN "/normal",
                                       .memory_bytes = 10000 };
    struct bk_lib *lib = lib_with("chess", &little), *other;
    struct bk_options shared = { .struct_size = sizeof shared,
                                 .paths = GOLDEN "/normal",
                                 .share = lib };
    uint64_t used, budget;
    int wdl;

    (void)state;
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, 0, &wdl), BK_LIB_OVER_BUDGET);
    assert_int_equal(bk_set_memory(lib, 1 << 20), BK_LIB_OK);
    assert_int_equal(bk_probe_fen_wdl(lib, KRVK, 0, &wdl), BK_LIB_OK);
    other = lib_with("shatranj", &shared);
    bk_close(lib);
    assert_int_equal(bk_memory(other, &used, &budget), BK_LIB_OK);
    assert_int_equal(budget, 1 << 20);
    assert_true(used <= budget);
    assert_int_equal(bk_set_memory(other, 0), BK_LIB_OK);
    assert_int_equal(bk_memory(other, NULL, &budget), BK_LIB_OK);
    assert_int_equal(budget, 256 << 20);
    bk_close(other);
}

/* Takes all memory that this process may have, but every other piece of `bytes` bytes. */
static void leave_pieces(size_t bytes)
{
    struct rlimit none = { 0, 0 };
    void *last = NULL, *each;

    setrlimit(RLIMIT_AS, &none);
    for (bool second = false; (each = malloc(bytes)) != NULL; second = !second) {
        if (second)
            free(last);
        last = each;
    }
}

/* Returns the answer to a probe in a child process that has only such pieces of memory left. */
static enum bk_lib_err with_pieces(size_t bytes)
{
    pid_t child = fork();
    int status;

    if (!child) {
        struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
        void *room[64];
        struct bk_answer a;

        for (int i = 0; i < 64; i++)
            room[i] = malloc(100000);
        for (int i = 0; i < 64; i++)
            free(room[i]);
        leave_pieces(bytes);
        _exit((int)bk_probe_fen(lib, KRVK, &a));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (enum bk_lib_err)WEXITSTATUS(status);
}

/* A table for which there is no memory to unpack it is not called damaged. */
static void memory__that_is_not_there_is_no_damage(void **state)
{
    unsigned short_of = 0;

    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* they need the address space for themselves */
#endif
    for (size_t bytes = 2000; bytes < 120000; bytes += bytes / 8) {
        enum bk_lib_err err = with_pieces(bytes);
        short_of += err == BK_LIB_SYSTEM;
        assert_true(err == BK_LIB_OK || err == BK_LIB_SYSTEM);
    }
    assert_true(short_of > 0);
}

/* == Threads, and tables that come and go == */

struct asking {
    struct bk_lib *lib;
    _Atomic bool *stop;
    unsigned wrong;
};

static void *ask_on(void *context)
{
    struct asking *me = context;

    while (!*me->stop) {
        struct bk_answer a;
        enum bk_lib_err err = bk_probe_fen(me->lib, KRVK, &a);

        me->wrong += err ? err != BK_LIB_NO_TABLE : a.wdl != 1;
    }
    return NULL;
}

static void refresh__does_not_disturb_those_who_ask(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
    struct asking me[3];
    _Atomic bool stop = false;
    pthread_t id[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        me[i] = (struct asking){ lib, &stop, 0 };
        assert_int_equal(pthread_create(&id[i], NULL, ask_on, &me[i]), 0);
    }
    for (unsigned i = 0; i < 60; i++) {
        assert_int_equal(bk_set_paths(lib, i & 1 ? GOLDEN "/normal" : "nowhere"), BK_LIB_OK);
        assert_int_equal(bk_refresh(lib), BK_LIB_OK);
        assert_int_equal(bk_set_memory(lib, i % 3 ? 2000000 : 0), BK_LIB_OK);
    }
    stop = true;
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(id[i], NULL);
        assert_int_equal(me[i].wrong, 0);
    }
    bk_close(lib);
}

/* == Boards of their own == */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURED false /* what is freed is not given back */
#else
#define MEASURED true
#endif
#define BOARDS 200 /* more than a handle keeps */

/* Writes the nth board with holes: in each of six rows one of two squares, or none. */
static void board_fen(char fen[BK_LIB_FEN_MAX], unsigned nth)
{
    char *at = fen + sprintf(fen, "k7/");

    for (unsigned row = 0; row < 6; row++, nth /= 3)
        at += sprintf(at, "%s/", nth % 3 ? nth % 3 == 1 ? "2*2N2" : "1*3n2" : "5n2");
    sprintf(at, "3*3K w - - 0 1");
}

/* Returns the number of legal moves on the nth board. */
static size_t moves_on(struct bk_lib *lib, unsigned nth)
{
    char fen[BK_LIB_FEN_MAX];
    size_t n;

    board_fen(fen, nth);
    if (bk_legal_moves_fen(lib, fen, NULL, 0, &n))
        fail_msg("%s: %s", fen, bk_error(lib));
    return n;
}

struct boards {
    struct bk_lib *lib;
    const size_t *moves;
    unsigned step, wrong;
};

/* A thread that asks about all boards three times, in an order given by `step`. */
static void *ask_boards(void *context)
{
    struct boards *me = context;

    for (unsigned i = 0; i < 3 * BOARDS; i++) {
        unsigned nth = i * me->step % BOARDS;

        me->wrong += moves_on(me->lib, nth) != me->moves[nth];
        if (i % 100 == 50 && me->step == 1)
            me->wrong += bk_refresh(me->lib) != BK_LIB_OK;
    }
    return NULL;
}

/* A handle that has seen all boards, in any thread, finds the moves that a new handle finds. */
static void boards__that_made_room_are_made_again(void **state)
{
    static size_t moves[BOARDS];
    struct bk_lib *lib = lib_of("shatranj", "nowhere");
    struct boards me[3];
    pthread_t id[3];

    (void)state;
    for (unsigned i = 0; i < BOARDS; i++) {
        struct bk_lib *own = lib_of("shatranj", "nowhere");

        moves[i] = moves_on(own, i);
        bk_close(own);
    }
    for (unsigned i = 0; i < 3; i++) {
        me[i] = (struct boards){ .lib = lib, .moves = moves, .step = i ? 7 * i : 1 };
        assert_int_equal(pthread_create(&id[i], NULL, ask_boards, &me[i]), 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(id[i], NULL);
        assert_int_equal(me[i].wrong, 0);
    }
    bk_close(lib);
}

static double resident_mib(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long all = 0, resident = 0;

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &all, &resident), 2);
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* A board takes 0.3 MiB in shatranj, 1.3 in atlantean: all would take 210 and 800 MiB. */
static void boards__take_no_more_memory_the_more_there_are(void **state)
{
    static const struct {
        const char *game;
        double mib;
    } row[] = { { "shatranj", 40 }, { "atlantean", 120 } };

    (void)state;
    if (!MEASURED)
        skip();
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_lib *lib = lib_of(row[i].game, "nowhere");
        double before = resident_mib();
        struct bk_answer a;
        enum bk_lib_err err;
        char fen[BK_LIB_FEN_MAX];

        for (unsigned nth = 0; nth < 600; nth++) {
            board_fen(fen, nth);
            err = bk_probe_fen(lib, fen, &a); /* some are over by rule */
            if (err && err != BK_LIB_NO_TABLE)
                fail_msg("%s: %s", fen, bk_error(lib));
        }
        if (resident_mib() - before > row[i].mib)
            fail_msg("%s: %.1f MiB", row[i].game, resident_mib() - before);
        bk_close(lib);
    }
}

/* == What is there == */

/* Returns the number of a game's rules. */
static uint64_t lib_rules(const char *game)
{
    struct bk_lib *lib = lib_of(game, NULL);
    struct bk_lib_game g = { .struct_size = sizeof g };

    assert_int_equal(bk_game_of(lib, &g), BK_LIB_OK);
    bk_close(lib);
    return g.rules;
}

static void about__says_game_and_tables(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
    struct bk_lib_game g = { .struct_size = sizeof g };
    struct bk_lib_table *t;
    size_t n, missing;

    (void)state;
    assert_int_equal(bk_game_of(lib, &g), BK_LIB_OK);
    assert_int_equal(g.squares, 64);
    assert_int_equal(g.types, 6);
    assert_int_equal(g.piece[0].letter, 'K');
    assert_int_equal(g.piece[0].royal, 1);
    assert_true(g.rules == lib_rules("src/variants/chess.ini"));
    assert_true(g.rules != lib_rules("shatranj"));
    assert_int_equal(bk_list_tables(lib, NULL, 0, &n), BK_LIB_OK);
    assert_true(n > 0);
    t = calloc(n, sizeof *t);
    assert_int_equal(bk_list_tables(lib, t, n, &n), BK_LIB_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(bk_has(lib, t[i].material), t[i].has);
        assert_true(t[i].bytes > 0);
    }
    assert_int_equal(bk_men_max(lib), t[n - 1].men);
    assert_int_equal(bk_has(lib, "KvKR"), bk_has(lib, "KRvK"));
    assert_int_equal(bk_has(lib, "nonsense"), 0);
    assert_int_equal(bk_list_missing(lib, "KRvK", NULL, 0, &missing), BK_LIB_OK);
    assert_int_equal(missing, 0);
    assert_int_equal(bk_list_missing(lib, "KQQvKQ", t, n, &missing), BK_LIB_OK);
    assert_true(missing > 0);
    free(t);
    bk_close(lib);
}

/* Makes or removes a folder of two tables: KRvK, a link to results whose distances are lost, and
   KQvK, of which only an empty file is left. */
static void with_a_lost_file(const char *dir, bool make)
{
    char cwd[PATH_MAX - 64], real[PATH_MAX], path[PATH_MAX];
    FILE *f;

    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(make ? mkdir(path, 0700) : 0, 0);
    assert_non_null(getcwd(cwd, sizeof cwd));
    snprintf(real, sizeof real, "%s/" GOLDEN "/normal/chess/KRvK.bkw", cwd);
    snprintf(path, sizeof path, "%s/chess/KRvK.bkw", dir);
    assert_int_equal(make ? symlink(real, path) : unlink(path), 0);
    snprintf(path, sizeof path, "%s/chess/KQvK.bkw", dir);
    if (!make)
        assert_int_equal(unlink(path), 0);
    else if ((f = fopen(path, "w")) != NULL)
        fclose(f);
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(make ? 0 : rmdir(path), 0);
}

static int has_listed(struct bk_lib *lib, const char *material)
{
    struct bk_lib_table t[64];
    size_t n;

    if (bk_list_tables(lib, t, 64, &n))
        fail_msg("%s", bk_error(lib));
    for (size_t i = 0; i < n; i++)
        if (!strcmp(t[i].material, material))
            return t[i].has;
    return 0;
}

static void about__tells_lost_distances_from_none(void **state)
{
    char dir[] = "/tmp/bareking-lost-XXXXXX", paths[128];
    struct bk_lib *lost, *none = lib_of("chess", GOLDEN "/wdl"), *both;
    struct bk_lib_table t;
    size_t n;

    (void)state;
    assert_non_null(mkdtemp(dir));
    with_a_lost_file(dir, true);
    lost = lib_of("chess", dir);
    assert_int_equal(has_listed(lost, "KRvK"), BK_LIB_HAS_WDL | BK_LIB_LOST_DTW);
    assert_int_equal(bk_has(lost, "KRvK"), BK_LIB_HAS_WDL);
    assert_int_equal(has_listed(lost, "KQvK"), BK_LIB_HAS_WDL); /* as bk_has() has it */
    assert_int_equal(bk_has(lost, "KQvK"), BK_LIB_HAS_WDL);
    assert_int_equal(bk_list_tables(none, &t, 1, &n), BK_LIB_OK);
    assert_true(n > 0);
    assert_int_equal(t.has, BK_LIB_HAS_WDL);
    assert_int_equal(bk_list_missing(none, "KNvK", &t, 1, &n), BK_LIB_OK);
    assert_int_equal(n, 1); /* results without distances are half of a table */
    assert_string_equal(t.material, "KNvK");
    assert_int_equal(t.has, BK_LIB_HAS_WDL);
    snprintf(paths, sizeof paths, "%s:" GOLDEN "/normal", dir); /* the second answers */
    both = lib_of("chess", paths);
    assert_int_equal(has_listed(both, "KRvK"), BK_LIB_HAS_WDL | BK_LIB_HAS_DTW);
    bk_close(lost);
    bk_close(none);
    bk_close(both);
    with_a_lost_file(dir, false);
    assert_int_equal(rmdir(dir), 0);
}

/* Makes or removes links to golden tables of chess, except those of KQvK. */
static void without_queens(const char *dir, bool make)
{
    static const char *const names[] = { "KPvK", "KRvK", "KBvK", "KNvK" };
    char cwd[PATH_MAX - 64], real[PATH_MAX], path[PATH_MAX];

    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(make ? mkdir(path, 0700) : 0, 0);
    assert_non_null(getcwd(cwd, sizeof cwd));
    for (unsigned i = 0; i < 8; i++) {
        const char *kind = i & 1 ? "bkd" : "bkw";

        snprintf(real, sizeof real, "%s/" GOLDEN "/normal/chess/%s.%s", cwd, names[i / 2], kind);
        snprintf(path, sizeof path, "%s/chess/%s.%s", dir, names[i / 2], kind);
        assert_int_equal(make ? symlink(real, path) : unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(make ? 0 : rmdir(path), 0);
}

/* A result is told without its distance where distances are lost, not where a table is missing:
   that is an error. */
static void about__tells_a_missing_table_from_lost_distances(void **state)
{
    char dir[] = "/tmp/bareking-queens-XXXXXX";
    unsigned known = 0, missing = 0;
    struct bk_lib *lib;

    (void)state;
    assert_non_null(mkdtemp(dir));
    without_queens(dir, true);
    lib = lib_of("chess", dir);
    for (unsigned i = 0; i < 64 * 64; i++) { /* a pawn one step before the end */
        struct bk_lib_piece men[] = { { 'K', 0, (uint8_t)(i % 64) },
                                      { 'P', 0, 50 },
                                      { 'K', 1, (uint8_t)(i / 64) } };
        struct bk_lib_pos p = { .men = men, .n = 3 };
        struct bk_answer a;
        enum bk_lib_err err = bk_probe(lib, &p, 0, &a);

        known += !err && a.wdl;
        missing += err == BK_LIB_NO_TABLE;
        assert_true(err || !a.wdl || a.dtw >= 0);
    }
    assert_true(missing > 100);
    print_message("%u known, %u not\n", known, missing);
    bk_close(lib);
    without_queens(dir, false);
    assert_int_equal(rmdir(dir), 0);
}

/* Distances in another folder than their results are not found. */
static void about__distances_lie_beside_their_results(void **state)
{
    char dir[] = "/tmp/bareking-apart-XXXXXX", cwd[PATH_MAX - 64], real[PATH_MAX], path[64];
    char paths[128];
    struct bk_lib *lib;
    struct bk_lib_table t;
    size_t n;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_non_null(getcwd(cwd, sizeof cwd));
    snprintf(real, sizeof real, "%s/" GOLDEN "/normal/chess/KNvK.bkd", cwd);
    snprintf(path, sizeof path, "%s/chess/KNvK.bkd", dir);
    assert_int_equal(symlink(real, path), 0);
    snprintf(paths, sizeof paths, "%s:" GOLDEN "/wdl", dir);
    lib = lib_of("chess", paths);
    assert_int_equal(bk_has(lib, "KNvK"), BK_LIB_HAS_WDL);
    assert_int_equal(bk_list_missing(lib, "KNvK", &t, 1, &n), BK_LIB_OK);
    assert_int_equal(n, 1);
    bk_close(lib);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

/* With a host, this machine's folders of the same names are not listed. */
static void about__lists_nothing_of_a_host(void **state)
{
    unsigned asked = 0;
    const struct bk_host host = { sizeof host, &asked, no_size, no_read };
    const struct bk_options o = { .struct_size = sizeof o,
                                  .paths = GOLDEN "/normal",
                                  .host = &host };
    struct bk_lib *lib = lib_with("chess", &o);
    size_t n = 7;

    (void)state;
    assert_int_equal(bk_list_tables(lib, NULL, 0, &n), BK_LIB_OK);
    assert_int_equal(n, 0);
    assert_int_equal(bk_men_max(lib), 0);
    bk_close(lib);
}

static void about__names_every_built_in_game(void **state)
{
    size_t n = 0;

    (void)state;
    for (; bk_game_name(n); n++) {
        struct bk_lib *lib = lib_of(bk_game_name(n), NULL);

        assert_string_equal(bk_embedded_variants[n].name, bk_game_name(n));
        bk_close(lib);
    }
    assert_null(bk_embedded_variants[n].name);
    assert_null(bk_game_name(n + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(position__is_worth_what_its_fen_is_in_every_game),
        cmocka_unit_test(position__keeps_en_passant_and_castling),
        cmocka_unit_test(position__of_another_board_is_refused),
        cmocka_unit_test(position__in_which_men_come_back_has_no_answer),
        cmocka_unit_test(error__of_a_handle_stays_when_another_answers),
        cmocka_unit_test(position__faults_are_told_apart),
        cmocka_unit_test(position__beyond_what_a_fen_can_say),
        cmocka_unit_test(position__with_values_that_have_no_meaning_is_refused),
        cmocka_unit_test(move__of_castling_takes_nobody),
        cmocka_unit_test(options__of_a_later_version_are_refused_if_they_are_used),
        cmocka_unit_test(files__of_a_later_version_have_an_error_of_their_own),
        cmocka_unit_test(root__equals_one_ply_of_the_slow_generator_in_every_game),
        cmocka_unit_test(root__unknown_moves_do_not_hide_the_others),
        cmocka_unit_test(root__keeps_what_lasts_within_the_plies),
        cmocka_unit_test(moves__of_any_number_are_all_there),
        cmocka_unit_test(root__keeps_what_lasts_within_the_game),
        cmocka_unit_test(root__is_clocked_as_the_positions_after_it),
        cmocka_unit_test(cache_only__reads_nothing),
        cmocka_unit_test(prefetch__keeps_what_it_has_read),
        cmocka_unit_test(cache_only__names_what_is_missing_without_a_look),
        cmocka_unit_test(error__of_moves_names_what_is_missing),
        cmocka_unit_test(error__looks_for_a_thousand_tables_and_no_more),
        cmocka_unit_test(mate_and_stalemate__need_no_table_for_wdl_either),
        cmocka_unit_test(mate__stands_beside_an_en_passant_square),
        cmocka_unit_test(wdl__is_written_with_an_answer_alone),
        cmocka_unit_test(error__of_a_closed_handle_is_no_other_s),
        cmocka_unit_test(batch__that_is_answered_leaves_no_error),
        cmocka_unit_test(error__of_a_handle_stays_when_rules_answer),
        cmocka_unit_test(handle__opened_without_options_tells_why),
        cmocka_unit_test(memory__too_little_is_said_and_enough_is_obeyed),
        cmocka_unit_test(memory__that_is_not_there_is_no_damage),
        cmocka_unit_test(refresh__does_not_disturb_those_who_ask),
        cmocka_unit_test(boards__that_made_room_are_made_again),
        cmocka_unit_test(boards__take_no_more_memory_the_more_there_are),
        cmocka_unit_test(about__says_game_and_tables),
        cmocka_unit_test(about__tells_lost_distances_from_none),
        cmocka_unit_test(about__tells_a_missing_table_from_lost_distances),
        cmocka_unit_test(about__distances_lie_beside_their_results),
        cmocka_unit_test(about__lists_nothing_of_a_host),
        cmocka_unit_test(about__names_every_built_in_game),
    };

    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
