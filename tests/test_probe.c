/*
 * test_probe.c - the library, over real tables.
 *
 * Tables are built into a temporary folder: Shatranj KRvKN and KQvKQ, and tables
 * of small games with pawns and en passant, one with a limit of turns.  Oracles:
 * problems of the old masters, the slow solver of ref.c, and the library
 * against itself (a position is worth its best move; colours exchanged; a
 * damaged file against the sound one).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "core/load.h"
#include "core/move.h"
#include "probe/bareking.h"
#include "table/format.h"
#include "table/index_blocks.h"
#include "table/memo.h"
#include "tb/build/build.h"
#include "tb/encode/encode.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/handle.h"
#include "tests/proof.h"
#include "tests/random_variant.h"
#include "tests/ref.h"
#include "tests/solved.h"

#define DIAMOND "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"
#define TURNS   12

static const char mini_text[] = "[variant]\n"
                                "name = mini\n"
                                "title = Pawns on three files\n"
                                "source = tests/test_probe.c\n"
                                "board = 3x6\n"
                                "bare-king = nothing\n"
                                "stalemate = draw\n"
                                "en-passant = yes\n"
                                "game-length-turns = 12\n"
                                "[piece king]\n"
                                "letter = K\n"
                                "royal = yes\n"
                                "move = K\n"
                                "army = 1\n"
                                "[piece rook]\n"
                                "letter = R\n"
                                "move = R\n"
                                "army = 1\n"
                                "[piece pawn]\n"
                                "letter = P\n"
                                "move = mfWcfF\n"
                                "army = 3\n"
                                "ranks = 2-5\n"
                                "double-step = 2\n"
                                "becomes = 6 must R\n";

/* A game whose pawns never change and in which a capture in passing may bare the king: the end. */
static const char few_text[] = "[variant]\n"
                               "name = few-%s\n"
                               "title = Pawns that stay pawns\n"
                               "source = tests/test_probe.c\n"
                               "board = 3x5\n"
                               "bare-king = wins\n"
                               "stalemate = %s\n"
                               "en-passant = yes\n"
                               "[piece king]\n"
                               "letter = K\n"
                               "royal = yes\n"
                               "move = K\n"
                               "army = 1\n"
                               "[piece pawn]\n"
                               "letter = P\n"
                               "move = mfWcfF\n"
                               "army = 3\n"
                               "ranks = 2-4\n"
                               "double-step = 2\n";

static char dir[PROOF_DIR_MAX], mini_path[PROOF_DIR_MAX + 16]; /* made by the group's setup */
static struct bk_variant *shatranj, *mini;

/* == Folders, files, tables ============================================== */

/* Makes an empty folder DIR/name/GAME for table files; sets `path` to DIR/name. */
static void make_folder(char *path, const char *name, const char *game)
{
    char inner[PATH_MAX];

    snprintf(path, PATH_MAX, "%s/%s", dir, name);
    proof_remove(path);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(inner, sizeof inner, "%s/%s", path, game);
    assert_int_equal(mkdir(inner, 0777), 0);
}

/* Sets `out` to the path of a table's file; the file's colours may be those of `name` exchanged. */
static char *table_path(char *out, const char *in, const struct bk_variant *v, const char *name,
                        enum bk_kind kind)
{
    struct bk_material m = material(v, name);

    bk_material_canonical(&m, v);
    return bk_table_path(out, in, v, &m, kind);
}

static enum bk_err build(const struct bk_variant *v, const char *const *names, unsigned n)
{
    struct bk_material m[8];
    struct bk_plan *plan;
    struct bk_report why;
    struct bk_build_options o = { .pool = NULL };
    enum bk_err err;

    for (unsigned i = 0; i < n; i++)
        m[i] = material(v, names[i]);
    err = bk_plan_new(&plan, v, dir, m, n, 0, true, &why);
    if (!err)
        err = bk_build(plan, &o, &why);
    if (err)
        print_error("%s\n", why.text);
    else
        bk_plan_free(plan);
    return err;
}

static int set_up(void **state)
{
    static const char *const of_shatranj[] = { "KRvKN", "KQvKQ" }, *const of_mini[] = { "KPvKP" };
    struct bk_report why;

    (void)state;
    snprintf(mini_path, sizeof mini_path, "%s/mini.ini", proof_folder(dir));
    spill(mini_path, mini_text, sizeof mini_text - 1);
    if (bk_variant_load(&shatranj, "shatranj", &why) || bk_variant_load(&mini, mini_path, &why)) {
        print_error("%s\n", why.text);
        return -1;
    }
    return build(shatranj, of_shatranj, 2) || build(mini, of_mini, 1) ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    bk_variant_free(shatranj);
    bk_variant_free(mini);
    return 0;
}

static struct bk_answer ask(struct bk_lib *lib, const char *fen)
{
    struct bk_answer a;

    if (bk_probe_fen(lib, fen, &a))
        fail_msg("%s: %s", fen, bk_error(lib));
    return a;
}

/* == Positions =========================================================== */

/* Returns a legal position with the men of `name` on random squares. */
static struct bk_pos random_position(const struct bk_variant *v, const char *name, uint64_t *seed)
{
    struct bk_material m = material(v, name);
    struct bk_pos p;

    do {
        bk_pos_init(&p, v);
        p.stm = (uint8_t)random_below(seed, 2);
        for (unsigned man = 0; man < 2u * v->ntypes; man++)
            for (unsigned i = 0; i < m.count[man & 1][man >> 1]; i++) {
                unsigned sq;

                do
                    sq = random_below(seed, v->nsq);
                while (p.at[sq]);
                bk_pos_put(&p, v, man >> 1, man & 1, sq);
            }
    } while (!bk_pos_legal(v, &p));
    return p;
}

static char *random_fen(char fen[BK_FEN_MAX], const struct bk_variant *v, const char *name,
                        uint64_t *seed)
{
    struct bk_pos p = random_position(v, name, seed);

    return bk_pos_to_fen(&p, v, fen);
}

static void assert_same(const struct bk_answer *a, const struct bk_answer *b, const char *fen)
{
    if (a->wdl != b->wdl || a->dtw != b->dtw || a->end != b->end ||
        a->clocked_wdl != b->clocked_wdl || a->plies_left != b->plies_left)
        fail_msg("%s: %+d in %d, or %+d in %d", fen, a->wdl, a->dtw, b->wdl, b->dtw);
}

/* == Values ============================================================== */

static void probe__answers_al_sulis_diamond(void **state)
{
    struct bk_lib *lib = lib_of("shatranj", dir);
    struct bk_answer a = ask(lib, DIAMOND);
    struct bk_lib_move move[64];
    size_t n;

    (void)state;
    assert_int_equal(a.wdl, 1);
    assert_int_equal(a.dtw, 39);
    assert_int_equal(a.end, BK_LIB_GOES_ON);
    assert_int_equal(a.clocked_wdl, 1);
    assert_int_equal(a.plies_left, -1);
    assert_int_equal(bk_probe_moves(lib, DIAMOND, move, 64, &n), BK_LIB_OK);
    assert_string_equal(move[0].name, "b3b4");
    assert_int_equal(move[0].dtw, 39);
    assert_int_equal(ask(lib, "3Q3k/8/8/K7/8/8/8/q7 w - - 0 1").dtw, 53); /* as-Suli's */
    bk_close(lib);
}

static void probe__tells_how_a_game_has_ended(void **state)
{
    static const struct {
        const char *fen;
        int wdl, dtw;
        enum bk_lib_end end;
    } over[] = {
        { "6Nk/8/6K1/8/8/8/8/R7 b - - 0 1", -1, 0, BK_LIB_BARE },
        { "7k/8/6KN/8/8/8/8/8 w - - 0 1", 1, 0, BK_LIB_BARE },
        { "7k/7R/6K1/8/8/8/8/8 b - - 0 1", -1, 0, BK_LIB_BARE },
        { "8/7k/7R/8/6K1/8/8/8 b - - 0 1", 0, -1, BK_LIB_BARE_DRAW },
        { "8/7k/8/8/6K1/8/8/8 b - - 0 1", 0, -1, BK_LIB_BARE_DRAW },
        { "R6k/8/6K1/8/8/8/8/n7 b - - 0 1", -1, 0, BK_LIB_CHECKMATE },
        { "k7/1R6/1K6/8/8/7p/7P/8 b - - 0 1", -1, 0, BK_LIB_STALEMATE },
    };
    struct bk_lib *lib = lib_of("shatranj", dir);
    struct bk_lib_ranked move[64];
    size_t n = 1;

    (void)state;
    for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
        struct bk_answer a = ask(lib, over[i].fen);
        int wdl = 77;

        assert_int_equal(bk_probe_fen_wdl(lib, over[i].fen, 0, &wdl), BK_LIB_OK);
        assert_int_equal(wdl, over[i].wdl);
        assert_int_equal(bk_rank_moves_fen(lib, over[i].fen, 0, 0, move, 64, &n), BK_LIB_OK);
        assert_int_equal(n, 0); /* the game is over: a bare king's moves are not listed */

        if (a.wdl != over[i].wdl || a.dtw != over[i].dtw || a.end != over[i].end)
            fail_msg("%s: %d %d %d", over[i].fen, a.wdl, a.dtw, a.end);
    }
    bk_close(lib);
    lib = lib_of("shatranj", NULL); /* taking the last man wins by rule: no table is needed */
    assert_int_equal(
        bk_rank_moves_fen(lib, "7k/8/6K1/8/8/8/7n/7R w", 0, BK_LIB_WDL_ONLY, move, 64, &n),
        BK_LIB_NO_TABLE);
    assert_string_equal(move[0].name, "h1h2");
    assert_int_equal(move[0].wdl, 1);
    bk_close(lib);
}

/* Sets `out` to the FEN of p with the ranks mirrored, colours and side to move exchanged. */
static void exchange(char out[BK_FEN_MAX], const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_pos q;

    bk_pos_init(&q, v);
    q.stm = !p->stm;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq])
            bk_pos_put(&q, v, bk_man_type(p->at[sq]), !bk_man_colour(p->at[sq]),
                       bk_sq(v, sq % v->files, v->ranks - 1u - sq / v->files));
    bk_pos_to_fen(&q, v, out);
}

static void probe__exchanged_colours_are_worth_the_same(void **state)
{
    struct bk_lib *lib = lib_of("shatranj", dir);
    uint64_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        struct bk_pos p = random_position(shatranj, "KRvKN", &seed);
        char fen[BK_FEN_MAX], other[BK_FEN_MAX];
        struct bk_answer a = ask(lib, bk_pos_to_fen(&p, shatranj, fen)), b;

        exchange(other, shatranj, &p);
        b = ask(lib, other);
        assert_same(&a, &b, fen);
    }
    bk_close(lib);
}

/* Fails unless `a` is the value of the best of n moves, or the game is over and n is 0. */
static void assert_best_move(const struct bk_answer *a, const struct bk_lib_move *best, size_t n,
                             const char *fen)
{
    if (a->end != BK_LIB_GOES_ON)
        assert_int_equal(n, 0);
    else if (best->wdl != a->wdl || best->dtw != a->dtw)
        fail_msg("%s: worth %+d in %d, but %s brings %+d in %d", fen, a->wdl, a->dtw, best->name,
                 best->wdl, best->dtw);
}

/* Fails unless each move's value is that of the position after it, seen by the side that moves. */
static void assert_moves_true(struct bk_lib *lib, const char *fen, const struct bk_lib_move *move,
                              size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char after[BK_LIB_FEN_MAX];
        struct bk_answer a;

        assert_int_equal(bk_play(lib, fen, move[i].name, after), BK_LIB_OK);
        a = ask(lib, after);
        assert_int_equal(move[i].wdl, -a.wdl);
        assert_int_equal(move[i].dtw, a.dtw < 0 ? -1 : a.dtw + 1);
    }
}

static void assert_sorted(const struct bk_lib_move *move, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct bk_lib_move *a = &move[i - 1], *b = &move[i];

        assert_true(a->wdl >= b->wdl);
        if (a->wdl == b->wdl && a->dtw == b->dtw)
            assert_true(strcmp(a->name, b->name) < 0);
        else if (a->wdl == b->wdl)
            assert_true(a->wdl > 0 ? a->dtw < b->dtw : a->dtw > b->dtw);
    }
}

static void probe__a_position_is_worth_its_best_move(void **state)
{
    static const char *const name[] = { "KRvKN", "KNvKR", "KQvKQ" };
    struct bk_lib *lib = lib_of("shatranj", dir);
    uint64_t seed = 2;

    (void)state;
    for (unsigned i = 0; i < 1500; i++) {
        struct bk_lib_move move[64], two[2];
        char fen[BK_FEN_MAX];
        struct bk_answer a;
        size_t n, n2;

        a = ask(lib, random_fen(fen, shatranj, name[i % 3], &seed));
        assert_int_equal(bk_probe_moves(lib, fen, move, 64, &n), BK_LIB_OK);
        assert_best_move(&a, move, n, fen);
        assert_moves_true(lib, fen, move, n);
        assert_sorted(move, n);
        assert_int_equal(bk_probe_moves(lib, fen, two, 2, &n2), BK_LIB_OK);
        assert_int_equal(n, n2);
        assert_memory_equal(move, two, (n < 2 ? n : 2) * sizeof *move);
    }
    bk_close(lib);
}

static void probe__a_list_of_men_is_as_good_as_a_fen(void **state)
{
    static const struct bk_lib_man men[] = {
        { 'q', 0, 0 }, { 'K', 1, 2 }, { 'Q', 2, 2 }, { 'k', 3, 4 }
    };
    struct bk_lib *lib = lib_of("shatranj", dir);
    struct bk_answer a;

    (void)state;
    assert_int_equal(bk_probe_men(lib, men, 4, 0, &a), BK_LIB_OK);
    assert_int_equal(a.wdl, 1);
    assert_int_equal(a.dtw, 39);
    assert_int_equal(bk_probe_men(lib, men, 4, 1, &a), BK_LIB_OK);
    assert_int_equal(a.dtw, ask(lib, "8/8/8/3k4/8/1KQ5/8/q7 b - - 0 1").dtw);
    bk_close(lib);
}

/* == Small games: en passant, the clock ================================== */

static void assert_ref(struct bk_lib *lib, const struct bk_variant *v, const struct ref_pos *r,
                       const struct ref_value *value)
{
    struct bk_pos p = proof_pos(v, r);
    char fen[BK_FEN_MAX];
    struct bk_answer a = ask(lib, bk_pos_to_fen(&p, v, fen));

    if (a.wdl != value->wdl || (a.wdl && a.dtw != value->dtw))
        fail_msg("%s: %+d in %d, the slow solver says %+d in %d", fen, a.wdl, a.dtw, value->wdl,
                 value->dtw);
}

/* Compares the positions after each double step from `r` with `ref`; returns their number. */
static unsigned assert_after_doubles(struct bk_lib *lib, const struct bk_variant *v,
                                     struct ref_table *ref, const struct ref_pos *r,
                                     struct ref_moves *moves)
{
    unsigned n = 0;

    ref_moves(v, r, moves);
    for (unsigned i = 0; i < moves->n; i++) {
        struct ref_pos after = *r;
        struct ref_value value;

        if (moves->move[i].ep == BK_SQ_NONE)
            continue;
        ref_apply(v, &after, &moves->move[i]);
        assert_true(ref_value(ref, &after, &value));
        assert_ref(lib, v, &after, &value);
        n++;
    }
    return n;
}

/* Compares every position of a table, and every position after a double step, with the slow solver;
   returns the number of the latter. */
static unsigned assert_table(const struct bk_variant *v, const char *path, const char *name)
{
    const struct bk_material m = material(v, name);
    struct bk_lib *lib = lib_of(path, dir);
    struct ref_moves moves = { 0 };
    struct ref_table *ref = ref_solve(v, m.count, NULL, 0);
    unsigned doubles = 0;

    assert_non_null(ref);
    for (uint64_t i = 0; i < ref_size(ref); i++) {
        struct ref_value value;
        struct ref_pos r;

        if (!ref_at(ref, i, &r, &value))
            continue;
        assert_ref(lib, v, &r, &value);
        doubles += assert_after_doubles(lib, v, ref, &r, &moves);
    }
    ref_moves_free(&moves);
    ref_free(ref);
    bk_close(lib);
    return doubles;
}

static void probe__every_small_position_equals_the_slow_solver(void **state)
{
    (void)state;
    assert_true(assert_table(mini, mini_path, "KPvKP") > 1000);
}

/* In a lost position a double step may be answered by a double step that can itself be taken in
   passing: the loss may then come sooner than the file says of the other moves.  A side whose only
   legal move is a capture in passing must make it, even where stalemate would be better. */
static void probe__a_double_step_may_answer_another(void **state)
{
    static const char *const stalemate[] = { "loss", "draw" }, *const name[] = { "KPPvKP" };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char path[PATH_MAX], text[sizeof few_text + 8];
        struct bk_variant *few;

        snprintf(path, sizeof path, "%s/few-%s.ini", dir, stalemate[i]);
        spill(path, text, (size_t)sprintf(text, few_text, stalemate[i], stalemate[i]));
        assert_int_equal(bk_variant_load(&few, path, NULL), BK_OK);
        assert_int_equal(build(few, name, 1), BK_OK);
        assert_true(assert_table(few, path, name[0]) > 1000);
        bk_variant_free(few);
    }
}

/* Black is stalemated, which loses here; no pawn can take on c3, and no table is needed. */
static void probe__a_double_step_may_stalemate(void **state)
{
    char path[PATH_MAX], text[sizeof mini_text];
    struct bk_answer a;
    struct bk_lib *lib;

    (void)state;
    strcpy(text, mini_text);
    memcpy(strstr(text, "= draw"), "= loss", 6);
    snprintf(path, sizeof path, "%s/loss.ini", dir);
    spill(path, text, strlen(text));
    lib = lib_of(path, NULL);
    a = ask(lib, "k2/3/K1P/3/3/1R1 b - c3 0 1");
    assert_int_equal(a.wdl, -1);
    assert_int_equal(a.dtw, 0);
    assert_int_equal(a.end, BK_LIB_STALEMATE);
    bk_close(lib);
}

static void probe__the_clock_stops_a_win_that_comes_too_late(void **state)
{
    struct bk_lib *lib = lib_of(mini_path, dir);
    unsigned late = 0;
    uint64_t seed = 3;

    (void)state;
    for (unsigned i = 0; i < 500; i++) {
        struct bk_pos p = random_position(mini, "KRvK", &seed);
        char fen[BK_FEN_MAX];

        for (p.turn = 1; p.turn <= TURNS + 2; p.turn++) {
            struct bk_answer a = ask(lib, bk_pos_to_fen(&p, mini, fen));
            int left = 2 * (TURNS + 1 - p.turn) - (p.stm == BK_BLACK);

            assert_int_equal(a.plies_left, left < 0 ? 0 : left);
            assert_true(a.clocked_known);
            assert_int_equal(a.clocked_wdl, a.wdl && a.dtw <= left ? a.wdl : 0);
            late += a.wdl && !a.clocked_wdl;
        }
    }
    assert_true(late > 100);
    bk_close(lib);
}

/* == Without all the files =============================================== */

static void probe__without_distances_there_is_still_a_verdict(void **state)
{
    char alone[PATH_MAX], path[PATH_MAX], fen[BK_FEN_MAX];
    struct bk_lib *lib = lib_of(mini_path, dir), *wdl;
    unsigned char *data;
    uint64_t seed = 4;
    size_t n;

    (void)state;
    make_folder(alone, "alone", "mini");
    data = slurp(table_path(path, dir, mini, "KRvK", BK_KIND_WDL), &n);
    spill(table_path(path, alone, mini, "KRvK", BK_KIND_WDL), data, n);
    free(data);
    wdl = lib_of(mini_path, alone);
    for (unsigned i = 0; i < 300; i++) {
        struct bk_answer a = ask(lib, random_fen(fen, mini, "KRvK", &seed)), b = ask(wdl, fen);

        assert_int_equal(a.wdl, b.wdl);
        assert_int_equal(b.dtw, b.end && b.wdl ? 0 : -1);
        assert_int_equal(b.clocked_known, !b.wdl || b.end != BK_LIB_GOES_ON);
    }
    bk_close(wdl);
    bk_close(lib);
}

static void probe__a_missing_table_is_named(void **state)
{
    struct bk_lib *lib = lib_of("shatranj", "/nowhere:/there");
    struct bk_answer a;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k3n/8/1K6/8/R7 w", &a), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib), "no table KRvKN of shatranj in /nowhere:/there");
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k3N/8/1K6/8/r7 w", &a), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib), "no table KRvKN of shatranj in /nowhere:/there");
    assert_int_equal(bk_set_paths(lib, NULL), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(lib, DIAMOND, &a), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib), "no table KQvKQ of shatranj: no folder given");
    assert_int_equal(bk_probe_fen(lib, "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w", &a), BK_LIB_NO_TABLE);
    assert_int_equal(bk_set_paths(lib, dir), BK_LIB_OK);
    assert_int_equal(ask(lib, DIAMOND).dtw, 39);
    bk_close(lib);
}

/* == Tables that are missing == */

/* Writes the ranks of `board` at `fen`, top first, and a space; returns the end of the text. */
static char *put_rows(char *fen, const char *board, unsigned files, unsigned ranks)
{
    for (unsigned rank = ranks; rank-- > 0; *fen++ = rank ? '/' : ' ')
        for (unsigned file = 0, empty = 1; file < files; file++, empty++) {
            char man = board[rank * files + file];

            if (!man && file + 1 < files && !board[rank * files + file + 1])
                continue;
            *fen++ = man ? man : (char)('0' + empty);
            empty = 0;
        }
    return fen;
}

static void put_man(char *board, unsigned first, unsigned n, char man, uint64_t *seed)
{
    unsigned sq;

    do
        sq = first + random_below(seed, n);
    while (board[sq]);
    board[sq] = man;
}

/* Draws a position with a castling right; moves of its king and rook lead to another table. */
static void draw_castling(char *fen, uint64_t *seed)
{
    char board[64] = { [4] = 'K', [7] = 'R' };

    put_man(board, 0, 64, 'k', seed);
    put_man(board, 0, 64, 'r', seed);
    strcpy(put_rows(fen, board, 8, 8), random_once_in(seed, 2) ? "w K -" : "b K -");
}

/* Draws a position, with an en passant square if a pawn can just have made a double step. */
static void draw_passing(char *fen, uint64_t *seed)
{
    char board[18] = { 0 }, ep[] = "-\0";
    bool black = random_once_in(seed, 2);

    put_man(board, 0, 18, 'K', seed);
    put_man(board, 0, 18, 'k', seed);
    put_man(board, 3, 12, 'P', seed);
    put_man(board, 3, 12, 'p', seed);
    for (unsigned file = 0; file < 3; file++)
        if (board[(black ? 9 : 6) + file] == (black ? 'P' : 'p') &&
            !board[(black ? 6 : 9) + file] && !board[(black ? 3 : 12) + file]) {
            ep[0] = (char)('a' + file);
            ep[1] = black ? '3' : '4';
        }
    sprintf(put_rows(fen, board, 3, 6), "%c - %s", black ? 'b' : 'w', ep);
}

enum lack { NOT_THERE, DAMAGED, NO_DISTANCES, LACKS };

/* Links in `to` all tables of `from`; `lack`: `name` is absent, damaged or without distances. */
static void link_all_but(const char *to, const char *from, const char *name, enum lack lack)
{
    DIR *d = opendir(from);
    struct dirent *e;

    assert_non_null(d);
    while ((e = readdir(d))) {
        char one[2 * PATH_MAX], other[2 * PATH_MAX], real[PATH_MAX];
        size_t n = strcspn(e->d_name, ".");

        bool it = n == strlen(name) && !strncmp(e->d_name, name, n);

        if (!n ||
            (it && (lack == NOT_THERE || (lack == NO_DISTANCES && !strcmp(e->d_name + n, ".bkd")))))
            continue;
        snprintf(one, sizeof one, "%s/%s", from, e->d_name);
        snprintf(other, sizeof other, "%s/%s", to, e->d_name);
        if (it && lack == DAMAGED) {
            unsigned char *data = slurp(one, &n);

            for (size_t i = n / 2; i < n; i++)
                data[i] ^= 0x55;
            spill(other, data, n);
            free(data);
            continue;
        }
        assert_non_null(realpath(one, real));
        assert_int_equal(symlink(real, other), 0);
    }
    closedir(d);
}

/* Fails unless, with the table `missing` absent or damaged, each answer is the same as with all
   tables, or an error; where its distances alone are absent, the same answer or one without dtw. */
static void same_or_none(const char *game, const char *name, const char *from, const char *missing,
                         enum lack lack, void (*draw)(char *fen, uint64_t *seed))
{
    enum bk_lib_err none = lack == DAMAGED ? BK_LIB_CORRUPT : BK_LIB_NO_TABLE;
    char path[PATH_MAX], inner[PATH_MAX + 20], all[PATH_MAX];
    unsigned answered = 0, refused = 0, vague = 0;
    struct bk_lib *whole, *part;
    uint64_t seed = 1;

    make_folder(path, "part", name);
    snprintf(inner, sizeof inner, "%s/%s", path, name);
    snprintf(all, sizeof all, "%s/%s", from, name);
    link_all_but(inner, all, missing, lack);
    whole = lib_of(game, from);
    part = lib_of(game, path);
    for (unsigned i = 0; i < 1500; i++) {
        struct bk_answer a, b;
        char fen[100];
        enum bk_lib_err err;

        draw(fen, &seed);
        if (bk_probe_fen(whole, fen, &a))
            continue;
        err = bk_probe_fen(part, fen, &b);
        if (err != none &&
            (err || a.wdl != b.wdl || (a.dtw != b.dtw && (lack != NO_DISTANCES || b.dtw != -1))))
            fail_msg("without %s: %s: %+d in %d, not %+d in %d", missing, fen, b.wdl, b.dtw, a.wdl,
                     a.dtw);
        refused += err == none;
        answered += !err;
        vague += !err && a.dtw != b.dtw;
    }
    assert_true(answered > 100);
    assert_true(lack == NO_DISTANCES ? !refused && vague > 5 : refused > 10);
    bk_close(part);
    bk_close(whole);
}

static void probe__without_a_table_the_answer_is_the_same_or_none(void **state)
{
    static const char *const of_chess[] = { "KRvKR", "KRvK" };
    static const char *const of_mini[] = { "KPvK", "KRvKP", "KRvKR", "KRvK" };

    (void)state;
    for (enum lack lack = 0; lack < LACKS; lack++) {
        for (unsigned i = 0; i < 2; i++)
            same_or_none("chess", "chess", "tests/golden/normal", of_chess[i], lack, draw_castling);
        for (unsigned i = 0; i < 4; i++)
            same_or_none(mini_path, "mini", dir, of_mini[i], lack, draw_passing);
    }
}

/* Moves that end a castling right lead to other tables, and so do captures in passing.  In a lost
   position some moves of either kind are worth less than the position's own table says. */
static void probe__with_rights_or_in_passing_the_best_move_tells(void **state)
{
    struct bk_lib *lib[2] = { lib_of("chess", "tests/golden/normal"), lib_of(mini_path, dir) };
    unsigned lost[2] = { 0 };
    uint64_t seed = 3;

    (void)state;
    for (unsigned i = 0; i < 6000; i++) {
        struct bk_lib_move move[64];
        struct bk_answer a;
        char fen[100];
        size_t n;

        (i & 1 ? draw_passing : draw_castling)(fen, &seed);
        if (bk_probe_fen(lib[i & 1], fen, &a))
            continue;
        assert_int_equal(bk_probe_moves(lib[i & 1], fen, move, 64, &n), BK_LIB_OK);
        assert_best_move(&a, move, n, fen);
        if (a.wdl < 0)
            assert_moves_true(lib[i & 1], fen, move, n);
        lost[i & 1] += a.wdl < 0;
    }
    assert_true(lost[0] > 50 && lost[1] > 50);
    bk_close(lib[0]);
    bk_close(lib[1]);
}

/* White wins by taking the rook; the tables of his other moves are missing. */
static void probe__a_win_is_one_whatever_other_tables_are_missing(void **state)
{
    static const char *const names[] = { "KRvKR+K", "KRvK" };
    char path[PATH_MAX];
    unsigned wins = 0, legal = 0;
    struct bk_lib *lib;
    struct bk_answer a;

    (void)state;
    make_folder(path, "win", "chess");
    for (unsigned i = 0; i < 2; i++) {
        char from[100], to[PATH_MAX + 40];
        unsigned char *data;
        size_t n;

        snprintf(from, sizeof from, "tests/golden/normal/chess/%s.bkw", names[i]);
        snprintf(to, sizeof to, "%s/chess/%s.bkw", path, names[i]);
        data = slurp(from, &n);
        spill(to, data, n);
        free(data);
    }
    lib = lib_of("chess", path);
    for (unsigned king = 0; king < 64; king++) /* whatever the table of KRvKR+K says */
        for (unsigned rank = 2; rank < 8; rank++) {
            char board[64] = { [4] = 'K', [7] = 'R' }, fen[100];

            if (king % 8 > 5 || board[king])
                continue;
            board[8 * rank + 7] = 'r';
            board[king] = 'k';
            strcpy(put_rows(fen, board, 8, 8), "w K -");
            wins += !bk_probe_fen(lib, fen, &a) && a.wdl == 1;
            legal += bk_probe_fen(lib, fen, &a) != BK_LIB_ILLEGAL;
        }
    assert_int_equal(wins, legal);
    assert_in_range(wins, 200, 300);
    assert_int_equal(bk_probe_fen(lib, "k5r1/8/8/8/8/8/8/4K2R w K -", &a), BK_LIB_NO_TABLE);
    bk_close(lib);
}

static void probe__castling_rights_have_tables_of_their_own(void **state)
{
    struct bk_lib *lib = lib_of("chess", dir);
    struct bk_answer a;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k4/8/8/8/R3K3 w Q -", &a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "KRvK+Q of chess"));
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k4/8/8/8/R3K3 w - -", &a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "KRvK of chess"));
    a = ask(lib, "k3r3/8/8/8/8/8/4q3/4K2R w K -"); /* mate needs no table */
    assert_int_equal(a.end, BK_LIB_CHECKMATE);
    assert_int_equal(a.wdl, -1);
    assert_int_equal(a.dtw, 0);
    bk_close(lib);
}

/* Castling gives check and attacks the rook on b2: it is the one winning move. */
static void probe__castling_counts_as_a_move(void **state)
{
    static const char *const names[] = { "KRvKR+Q" };
    struct bk_variant *chess;
    struct bk_lib *lib;
    struct bk_lib_move move[64];
    struct bk_answer a;
    size_t n;

    (void)state;
    assert_int_equal(bk_variant_load(&chess, "chess", NULL), BK_OK);
    assert_int_equal(build(chess, names, 1), 0);
    lib = lib_of("chess", dir);
    a = ask(lib, "8/3k4/8/8/8/8/1r6/R3K3 w Q -");
    assert_int_equal(a.wdl, 1);
    assert_int_equal(bk_probe_moves(lib, "8/3k4/8/8/8/8/1r6/R3K3 w Q -", move, 64, &n), BK_LIB_OK);
    assert_string_equal(move[0].name, "e1c1");
    assert_int_equal(move[0].wdl, 1);
    assert_int_equal(move[0].dtw, a.dtw);
    assert_int_equal(move[1].wdl, 0); /* nothing else wins */
    assert_int_equal(ask(lib, "8/3k4/8/8/8/8/1r6/R3K3 w - -").wdl, 0);
    assert_int_equal(ask(lib, "r3k3/1R6/8/8/8/8/3K4/8 b q -").dtw, a.dtw); /* colours exchanged */
    assert_int_equal(ask(lib, "r3k3/1R6/8/8/8/8/3K4/8 b - -").wdl, 0);
    bk_close(lib);
    bk_variant_free(chess);
}

/* == Files that number positions otherwise == */

/* Writes the files of table `name` into `to`, the two outermost digits of its index exchanged. */
static void write_reordered(const char *to, const char *name)
{
    const struct bk_encode_options how = { .distances = true };
    struct solved *tables = solved_new(mini, &(struct solved_options){ .distances = true });
    struct bk_material m = material(mini, name);
    struct bk_summary sum = { .win_plies = { -1, -1 }, .loss_plies = { -1, -1 } };
    uint8_t order[BK_SLOTS_MAX + 1];
    struct bk_encoder *e;
    struct bk_memtable *t;
    struct bk_pool *pool;
    uint64_t bytes[2];

    bk_material_canonical(&m, mini);
    t = (struct bk_memtable *)(uintptr_t)solved_table(tables, &m);
    memcpy(order, t->ix->order, sizeof order);
    order[0] = t->ix->order[1];
    order[1] = t->ix->order[0];
    bk_index_reorder(t->ix, order);
    assert_int_equal(bk_pool_open(&pool, 1, NULL), BK_OK);
    assert_int_equal(bk_encoder_open(&e, t, to, &how, pool, NULL), BK_OK);
    for (uint32_t block = 0; block < t->ix->nblocks; block++)
        assert_int_equal(bk_encoder_blocks(e, &block, 1, NULL), BK_OK);
    assert_int_equal(bk_encoder_finish(e, &sum, bytes, NULL), BK_OK);
    bk_encoder_close(e);
    bk_pool_close(pool);
    solved_free(tables);
}

/* The results file and the distances file of one table may number positions differently. */
static void probe__a_pair_may_number_positions_in_two_ways(void **state)
{
    static const char *const names[] = { "KRvKR", "KRvKP", "KPvKR" };
    char path[PATH_MAX], inner[PATH_MAX + 8], other[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
    char fen[BK_FEN_MAX];
    struct bk_lib *lib = lib_of(mini_path, dir), *mixed;
    unsigned asked = 0;
    uint64_t seed = 11;

    (void)state;
    make_folder(other, "reordered", "mini");
    write_reordered(other, "KRvKR");
    for (enum bk_kind kind = BK_KIND_WDL; kind <= BK_KIND_DTW; kind++) {
        make_folder(path, "mixed", "mini");
        snprintf(inner, sizeof inner, "%s/mini", path);
        snprintf(from, sizeof from, "%s/mini", dir);
        link_all_but(inner, from, "", NOT_THERE);
        table_path(from, other, mini, "KRvKR", kind);
        table_path(to, path, mini, "KRvKR", kind);
        assert_int_equal(unlink(to) | symlink(from, to), 0);
        mixed = lib_of(mini_path, path);
        for (unsigned i = 0; i < 1500; i++) {
            struct bk_answer a, b;

            if (bk_probe_fen(lib, random_fen(fen, mini, names[i % 3], &seed), &a))
                continue; /* a pawn stands where it may not */
            b = ask(mixed, fen);
            assert_same(&a, &b, fen);
            asked++;
        }
        bk_close(mixed);
    }
    assert_true(asked > 1000);
    bk_close(lib);
}

/* == What a question remembers =========================================== */

/* May the memo tell `told` for a position of `plies` plies, asked with window `w` (memo.h)? */
static bool may_be_told(int told, int plies, struct bk_window w)
{
    if (plies <= w.low)
        return plies <= told && told <= w.low;
    return plies >= w.high ? told >= w.high : told == plies;
}

static int tell(int plies, struct bk_window w, uint64_t *seed)
{
    if (plies <= w.low)
        return plies + (int)random_below(seed, (unsigned)(w.low - plies) + 1);
    return plies >= w.high ? w.high + (int)random_below(seed, 4) : plies;
}

static struct bk_window random_window(uint64_t *seed)
{
    int low = (int)random_below(seed, 14) - 1;

    return (struct bk_window){ low, random_once_in(seed, 4)
                                        ? BK_ENDLESS
                                        : low + 1 + (int)random_below(seed, 6) };
}

/* Positions of different files have the same numbers and share the memo's places: the memo never
   confuses them, and never takes a bound for an exact value. */
static void probe__what_a_question_remembers_is_true(void **state)
{
    static const char file[400];
    static struct bk_memo memo;
    unsigned known[2] = { 0 };
    uint64_t seed = 10;

    (void)state;
    bk_memo_begin(&memo);
    for (unsigned i = 0; i < 200000; i++) {
        unsigned at = random_below(&seed, i & 1024 ? 400 : 20), place = random_below(&seed, 3);
        const char *of = &file[at];
        int plies = (int)((at + 5 * place) % 13), wdl = (int)((at + place) % 3) - 1, told;
        int enough = (int)random_below(&seed, 2);
        struct bk_window w = random_window(&seed);

        if (!bk_memo_plies(&memo, of, place, w, &told)) {
            bk_memo_note_plies(&memo, of, place, w, tell(plies, w, &seed));
        } else {
            assert_true(may_be_told(told, plies, w));
            known[0]++;
        }
        if (!bk_memo_wdl(&memo, of, place, enough, &told)) {
            bk_memo_note_wdl(&memo, of, place, enough, wdl > enough ? enough : wdl);
        } else {
            assert_true(wdl < enough ? told == wdl : enough <= told && told <= wdl);
            known[1]++;
        }
    }
    assert_true(known[0] > 20000 && known[1] > 20000);
}

/* == Bad input =========================================================== */

static void probe__bad_input_is_told_from_the_rest(void **state)
{
    static const struct bk_lib_man twice[] = { { 'K', 0, 0 }, { 'k', 0, 0 } },
                                   off[] = { { 'K', 0, 0 }, { 'k', 8, 0 } },
                                   what[] = { { 'K', 0, 0 }, { '\xff', 3, 0 } };
    struct bk_lib *lib = lib_of("shatranj", dir), *bad;
    struct bk_answer a = { .wdl = 77 };
    struct bk_lib_move move;
    char fen[BK_LIB_FEN_MAX];
    size_t n;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, "8/8", &a), BK_LIB_FEN);
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k3R/8/1K6/8/n7 w", &a), BK_LIB_ILLEGAL);
    assert_int_equal(bk_probe_fen(lib, NULL, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_fen(lib, DIAMOND, NULL), BK_LIB_USAGE);
    assert_int_equal(bk_probe_fen(NULL, DIAMOND, &a), BK_LIB_USAGE);
    assert_string_equal(bk_error(NULL), "the handle is NULL");
    assert_string_equal(bk_error(lib), ""); /* the last failure was not this handle's */
    assert_int_equal(bk_probe_men(lib, twice, 2, 0, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_men(lib, off, 2, 0, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_men(lib, what, 2, 0, &a), BK_LIB_PIECE);
    assert_int_equal(bk_probe_men(lib, twice, 1, 0, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_men(lib, NULL, 0, 0, &a), BK_LIB_USAGE);
    assert_int_equal(bk_probe_moves(lib, DIAMOND, NULL, 1, &n), BK_LIB_USAGE);
    assert_int_equal(bk_probe_moves(lib, DIAMOND, NULL, 0, &n), BK_LIB_OK);
    assert_int_equal(bk_probe_moves(lib, DIAMOND, &move, 1, NULL), BK_LIB_USAGE);
    assert_int_equal(bk_play(lib, DIAMOND, "b3b8", fen), BK_LIB_USAGE);
    assert_string_equal(bk_error(lib), "'b3b8' is no legal move here");
    assert_int_equal(bk_set_paths(NULL, dir), BK_LIB_USAGE);
    assert_int_equal(bk_open(NULL, "shatranj", dir), BK_LIB_USAGE);
    assert_int_equal(a.wdl, 77); /* written only on success */
    assert_int_equal(bk_open(&bad, "no-such-game", dir), BK_LIB_USAGE);
    assert_non_null(bad);
    assert_non_null(strstr(bk_error(bad), "no-such-game"));
    assert_int_equal(bk_probe_fen(bad, DIAMOND, &a), BK_LIB_USAGE);
    bk_close(bad);
    assert_int_equal(bk_open(&bad, NULL, dir), BK_LIB_USAGE);
    bk_close(bad);
    bk_close(NULL);
    bk_close(lib);
}

/* == Many at once ======================================================== */

static void probe__a_batch_equals_one_by_one(void **state)
{
    enum { N = 2000 };
    static char fen[N][128];
    static const char *fens[N];
    static struct bk_answer out[N];
    static enum bk_lib_err err[N];
    static const char *const name[] = { "KRvKN", "KQvKQ", "KNvKR", "KRvK" };
    struct bk_lib *lib = lib_of("shatranj", dir), *fresh = lib_of("shatranj", dir);
    char one[BK_FEN_MAX];
    uint64_t seed = 5;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        snprintf(fen[i], sizeof fen[i], "%s", random_fen(one, shatranj, name[i & 3], &seed));
        fens[i] = fen[i];
    }
    assert_int_equal(bk_probe_batch(lib, fens, N, out, err), BK_LIB_OK);
    for (unsigned i = 0; i < N; i++) {
        struct bk_answer a = ask(fresh, fens[i]);

        assert_int_equal(err[i], BK_LIB_OK);
        assert_same(&a, &out[i], fens[i]);
    }
    fens[7] = "8/8/8/3k4/8/1KQ5/8/n7 w";
    fens[9] = "nonsense";
    fens[11] = NULL;
    assert_int_equal(bk_probe_batch(lib, fens, N, out, err), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "no table K"));
    assert_int_equal(err[7], BK_LIB_NO_TABLE);
    assert_int_equal(err[9], BK_LIB_FEN);
    assert_int_equal(err[11], BK_LIB_USAGE);
    assert_int_equal(err[12], BK_LIB_OK);
    assert_int_equal(bk_probe_batch(lib, NULL, 0, NULL, NULL), BK_LIB_OK);
    assert_int_equal(bk_probe_batch(lib, NULL, 1, out, err), BK_LIB_USAGE);
    bk_close(fresh);
    bk_close(lib);
}

#define THREADS 4
#define SHARED  4000

static char shared_fen[SHARED][128];
static struct bk_answer shared_answer[SHARED];

struct prober {
    struct bk_lib *lib;
    unsigned nth, wrong;
};

/* A thread: asks all positions, from its own starting point, and at times for an illegal move. */
static void *probe_all(void *context)
{
    struct prober *me = context;
    struct bk_answer a;
    char bad[16], fen[BK_LIB_FEN_MAX];

    snprintf(bad, sizeof bad, "thread%u", me->nth);
    for (unsigned i = 0; i < SHARED; i++) {
        unsigned nth = (i + me->nth * (SHARED / THREADS)) % SHARED;

        if (bk_probe_fen(me->lib, shared_fen[nth], &a) || memcmp(&a, &shared_answer[nth], sizeof a))
            me->wrong++;
        if (i % 64)
            continue;
        if (bk_play(me->lib, DIAMOND, bad, fen) != BK_LIB_USAGE || !strstr(bk_error(me->lib), bad))
            me->wrong++;
    }
    return NULL;
}

static void probe__threads_share_a_handle(void **state)
{
    static const char *const name[] = { "KRvKN", "KQvKQ", "KNvKR", "KNvK" };
    struct bk_lib *lib = lib_of("shatranj", dir);
    struct prober prober[THREADS];
    pthread_t thread[THREADS];
    char one[BK_FEN_MAX];
    uint64_t seed = 6;

    (void)state;
    for (unsigned i = 0; i < SHARED; i++) {
        snprintf(shared_fen[i], sizeof shared_fen[i], "%s",
                 random_fen(one, shatranj, name[i & 3], &seed));
        shared_answer[i] = ask(lib, shared_fen[i]);
    }
    assert_int_equal(bk_set_paths(lib, dir), BK_LIB_OK); /* closes all files: threads reopen them */
    for (unsigned i = 0; i < THREADS; i++) {
        prober[i] = (struct prober){ .lib = lib, .nth = i };
        assert_int_equal(pthread_create(&thread[i], NULL, probe_all, &prober[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(prober[i].wrong, 0);
    }
    bk_close(lib);
}

/* == Damaged files ======================================================= */

/* A table's two sound files in memory, a folder for damaged copies, and the right answers. */
struct patient {
    char folder[PATH_MAX], path[2][PATH_MAX];
    unsigned char *data[2];
    size_t n[2];
    struct bk_lib *lib;
    struct bk_pos *at;
    struct bk_answer *value;
    unsigned npos;
};

static void patient_values(struct patient *p, const char *name, unsigned n)
{
    struct bk_lib *sound = lib_of(mini_path, dir);
    char fen[BK_FEN_MAX];
    uint64_t seed = 7;

    p->npos = n;
    p->at = malloc(n * sizeof *p->at);
    p->value = malloc(n * sizeof *p->value);
    for (unsigned i = 0; i < n; i++) {
        p->at[i] = random_position(mini, name, &seed);
        p->value[i] = ask(sound, bk_pos_to_fen(&p->at[i], mini, fen));
    }
    bk_close(sound);
}

static struct patient *patient_new(const char *name)
{
    struct patient *p = calloc(1, sizeof *p);
    char from[PATH_MAX];

    make_folder(p->folder, "damaged", "mini");
    for (int kind = 0; kind < 2; kind++) {
        enum bk_kind k = kind ? BK_KIND_DTW : BK_KIND_WDL;

        p->data[kind] = slurp(table_path(from, dir, mini, name, k), &p->n[kind]);
        table_path(p->path[kind], p->folder, mini, name, k);
    }
    p->lib = lib_of(mini_path, p->folder);
    patient_values(p, name, 400);
    return p;
}

static void patient_free(struct patient *p)
{
    bk_close(p->lib);
    free(p->data[0]);
    free(p->data[1]);
    free(p->at);
    free(p->value);
    free(p);
}

/* Opens the files anew and asks all positions; returns the number of errors.  may_lie: any answer
   is allowed. */
static unsigned patient_ask(struct patient *p, bool may_lie)
{
    unsigned errors = 0;
    char fen[BK_FEN_MAX];

    assert_int_equal(bk_set_paths(p->lib, p->folder), BK_LIB_OK);
    for (unsigned i = 0; i < p->npos; i++) {
        struct bk_answer a;
        enum bk_lib_err err = bk_probe_fen(p->lib, bk_pos_to_fen(&p->at[i], mini, fen), &a);

        errors += err != BK_LIB_OK;
        if (may_lie)
            continue;
        if (err)
            assert_int_equal(err, BK_LIB_CORRUPT);
        else
            assert_same(&a, &p->value[i], fen);
    }
    return errors;
}

/* Writes both files, that of `kind` with bits `flip` of byte `at` flipped, or cut there if 0. */
static void mutate(struct patient *p, int kind, size_t at, unsigned flip)
{
    for (int k = 0; k < 2; k++)
        spill(p->path[k], p->data[k], k == kind && !flip ? at : p->n[k]);
    if (flip) {
        p->data[kind][at] ^= (unsigned char)flip;
        spill(p->path[kind], p->data[kind], p->n[kind]);
        p->data[kind][at] ^= (unsigned char)flip;
    }
}

/* Does a full check, of the parts too that no position needs, find one of the files damaged? */
static bool patient_check(const struct patient *p)
{
    bool damaged = false;

    for (int kind = 0; kind < 2; kind++) {
        struct bk_file *f;
        enum bk_err err = bk_file_open(&f, p->path[kind], mini, NULL);

        if (!err) {
            err = bk_file_check(f, NULL);
            bk_file_close(f);
        }
        damaged |= err == BK_E_CORRUPT;
    }
    return damaged;
}

static void probe__a_damaged_file_never_lies(void **state)
{
    struct patient *p = patient_new("KRvK");
    unsigned noticed = 0;
    uint64_t seed = 8;

    (void)state;
    mutate(p, 0, p->n[0], 0); /* nothing cut: sound */
    assert_int_equal(patient_ask(p, false), 0);
    assert_false(patient_check(p));
    for (unsigned i = 0; i < 600; i++) {
        int kind = (int)(i & 1);
        size_t at = random_below(&seed, (unsigned)p->n[kind]);

        mutate(p, kind, at, i % 3 ? 1 + random_below(&seed, 255) : 0);
        noticed += patient_ask(p, false) > 0;
        assert_true(patient_check(p));
    }
    assert_true(noticed > 300); /* the other damage lies in parts that no position needed */
    patient_free(p);
}

/* A header with a wrong byte and a checksum that matches it may give any answer, but no crash. */
static void probe__a_forged_header_does_no_harm(void **state)
{
    struct patient *p = patient_new("KRvK");
    unsigned passed = 0;
    uint64_t seed = 9;

    (void)state;
    for (unsigned i = 0; i < 600; i++) {
        int kind = (int)(i & 1);
        unsigned char *h = p->data[kind], old[512];
        size_t bytes = h[12] | (size_t)h[13] << 8, at = random_below(&seed, (unsigned)bytes - 8);
        uint64_t sum;

        assert_true(bytes <= sizeof old);
        memcpy(old, h, bytes);
        h[at] ^= (unsigned char)(1 + random_below(&seed, 255));
        sum = XXH3_64bits(h, bytes - 8);
        for (unsigned b = 0; b < 8; b++)
            h[bytes - 8 + b] = (unsigned char)(sum >> 8 * b);
        mutate(p, kind, p->n[kind], 0);
        memcpy(h, old, bytes);
        passed += !patient_ask(p, true);
    }
    assert_true(passed > 20); /* else the test would have shown checksum errors alone */
    patient_free(p);
}

static void probe__a_renamed_table_is_refused(void **state)
{
    struct patient *p = patient_new("KRvK");
    char from[PATH_MAX];
    unsigned char *other;
    size_t n;

    (void)state;
    other = slurp(table_path(from, dir, mini, "KPvK", BK_KIND_WDL), &n);
    spill(p->path[0], other, n);
    free(other);
    assert_int_equal(patient_ask(p, true) > 0, true);
    assert_non_null(strstr(bk_error(p->lib), "holds another table than KRvK"));
    spill(p->path[0], p->data[1], p->n[1]); /* distances as verdicts */
    assert_int_equal(patient_ask(p, true) > 0, true);
    assert_non_null(strstr(bk_error(p->lib), "holds another table than KRvK"));
    patient_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe__answers_al_sulis_diamond),
        cmocka_unit_test(probe__tells_how_a_game_has_ended),
        cmocka_unit_test(probe__exchanged_colours_are_worth_the_same),
        cmocka_unit_test(probe__a_position_is_worth_its_best_move),
        cmocka_unit_test(probe__a_list_of_men_is_as_good_as_a_fen),
        cmocka_unit_test(probe__every_small_position_equals_the_slow_solver),
        cmocka_unit_test(probe__a_double_step_may_answer_another),
        cmocka_unit_test(probe__a_double_step_may_stalemate),
        cmocka_unit_test(probe__the_clock_stops_a_win_that_comes_too_late),
        cmocka_unit_test(probe__without_distances_there_is_still_a_verdict),
        cmocka_unit_test(probe__a_missing_table_is_named),
        cmocka_unit_test(probe__without_a_table_the_answer_is_the_same_or_none),
        cmocka_unit_test(probe__with_rights_or_in_passing_the_best_move_tells),
        cmocka_unit_test(probe__a_win_is_one_whatever_other_tables_are_missing),
        cmocka_unit_test(probe__castling_rights_have_tables_of_their_own),
        cmocka_unit_test(probe__castling_counts_as_a_move),
        cmocka_unit_test(probe__a_pair_may_number_positions_in_two_ways),
        cmocka_unit_test(probe__what_a_question_remembers_is_true),
        cmocka_unit_test(probe__bad_input_is_told_from_the_rest),
        cmocka_unit_test(probe__a_batch_equals_one_by_one),
        cmocka_unit_test(probe__threads_share_a_handle),
        cmocka_unit_test(probe__a_damaged_file_never_lies),
        cmocka_unit_test(probe__a_forged_header_does_no_harm),
        cmocka_unit_test(probe__a_renamed_table_is_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
