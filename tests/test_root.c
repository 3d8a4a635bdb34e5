/*
 * test_root.c - the library at the root: moves, what they are worth, and which of them keep it.
 *
 * Oracles: the slow generator of ref.c for lists of moves; for their values, the positions after
 * them.  ROOTS=N in the environment: so many positions of each line (`make probe-roots`).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/load.h"
#include "core/move.h"
#include "probe/bareking.h"
#include "tests/built.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/handle.h"
#include "tests/lines.h"
#include "tests/random_variant.h"
#include "tests/ref.h"

/* == Beside the slow generator == */

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

/* Checks that moves are written as they are read, no two alike, and lead where bk_play() leads. */
static void written_as_they_are_played(struct line *l, const char *fen,
                                       const struct bk_lib_ranked *move, size_t n)
{
    static struct bk_lib_move_text text[512];

    if (bk_write_moves_fen(l->lib, fen, move, n, text))
        fail_msg("%s: %s", fen, bk_error(l->lib));
    for (size_t k = 0; k < n; k++) {
        char after[BK_LIB_FEN_MAX], last = text[k].san[strlen(text[k].san) - 1];

        assert_int_equal(bk_play(l->lib, fen, move[k].name, after), BK_LIB_OK);
        assert_string_equal(text[k].fen, after);
        assert_int_equal(bk_play(l->lib, fen, text[k].uci, after), BK_LIB_OK);
        assert_string_equal(text[k].fen, after);
        assert_null(strpbrk(text[k].uci, "=ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        assert_int_equal(last == '#', move[k].end && move[k].wdl > 0);
        for (size_t i = 0; i < k; i++)
            if (!strcmp(text[i].san, text[k].san))
                fail_msg("%s: %s and %s are %s", fen, move[i].name, move[k].name, text[k].san);
    }
}

/* Returns how many positions of each line are tested: ROOTS in the environment, or 60. */
static unsigned roots_each(void)
{
    const char *n = getenv("ROOTS");

    return n ? (unsigned)strtoul(n, NULL, 10) : 60;
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
        size_t n = 0;

        bk_pos_to_fen(&p, l->v, fen);
        if (bk_probe_fen(l->lib, fen, &root) || bk_rank_moves_fen(l->lib, fen, 0, 0, move, 512, &n))
            fail_msg("%s: %s", fen, bk_error(l->lib));
        same_without_tables(l, fen, root.end, move, n);
        if (root.end != BK_LIB_GOES_ON) {
            assert_int_equal(n, 0);
            continue;
        }
        written_as_they_are_played(l, fen, move, n);
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

/* == Men who take two == */

static const char twice_text[] = "[variant]\n"
                                 "name = twice\n"
                                 "title = Pawns that learn to take two\n"
                                 "source = tests/test_root.c\n"
                                 "board = 3x4\n"
                                 "bare-king = nothing\n"
                                 "stalemate = draw\n"
                                 "en-passant = no\n"
                                 "[piece king]\n"
                                 "letter = K\n"
                                 "royal = yes\n"
                                 "move = K\n"
                                 "army = 1\n"
                                 "[piece ferz]\n"
                                 "letter = F\n"
                                 "move = F\n"
                                 "army = 1\n"
                                 "[piece tiger]\n"
                                 "letter = T\n"
                                 "move = W\n"
                                 "steps = 2\n"
                                 "bend = free\n"
                                 "takes-twice = yes\n"
                                 "army = 1\n"
                                 "[piece pawn]\n"
                                 "letter = P\n"
                                 "move = mfWcfF\n"
                                 "army = 1\n"
                                 "ranks = 2-4\n"
                                 "becomes = 4 must T\n";

/* The table that a man leaves has none who takes two, that which he comes to has: there a king may
   be mated across a man of his own. */
static void root__tells_mate_from_stalemate_after_a_change_to_a_man_who_takes_two(void **state)
{
    char dir[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16], fen[BK_FEN_MAX];
    uint64_t seed = 5;
    struct bk_variant *v;
    struct bk_material m;
    struct bk_lib *lib;
    struct bk_pos p;
    unsigned mates = 0;

    (void)state;
    snprintf(path, sizeof path, "%s/twice.ini", proof_folder(dir));
    spill(path, twice_text, sizeof twice_text - 1);
    v = load(path);
    m = material(v, "KPvKF");
    proof_build(v, dir, "KPvKF");
    lib = lib_of(path, dir);
    for (unsigned i = 0; i < 3000 && lines_position(&p, v, &m, &seed); i++) {
        struct bk_lib_move move[64];
        struct bk_answer a;
        size_t n;

        bk_pos_to_fen(&p, v, fen);
        a = answer_to(lib, fen);
        assert_int_equal(bk_probe_moves(lib, fen, move, 64, &n), BK_LIB_OK);
        assert_best_move(&a, move, n, fen);
        assert_moves_true(lib, fen, move, n);
        mates += n && move[0].dtw == 1 && strchr(move[0].name, 'T');
    }
    assert_true(mates > 5);
    bk_close(lib);
    bk_variant_free(v);
}

/* == Which moves keep what there is == */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root__equals_one_ply_of_the_slow_generator_in_every_game),
        cmocka_unit_test(moves__of_any_number_are_all_there),
        cmocka_unit_test(root__tells_mate_from_stalemate_after_a_change_to_a_man_who_takes_two),
        cmocka_unit_test(root__unknown_moves_do_not_hide_the_others),
        cmocka_unit_test(root__keeps_what_lasts_within_the_plies),
        cmocka_unit_test(root__keeps_what_lasts_within_the_game),
        cmocka_unit_test(root__is_clocked_as_the_positions_after_it),
    };

    return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
