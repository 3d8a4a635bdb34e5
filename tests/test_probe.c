/*
 * test_probe.c - the library, over real tables: values, moves, many questions at once.
 *
 * Tables are those of built.h, and some of small games with pawns and en passant.  Oracles:
 * problems of the old masters, the slow solver of ref.c, and the library against itself (a position
 * is worth its best move; colours exchanged).
 */
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/attack.h"
#include "core/load.h"
#include "probe/bareking.h"
#include "table/memo.h"
#include "tests/built.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/handle.h"
#include "tests/proof.h"
#include "tests/random_variant.h"
#include "tests/ref.h"

/* == Values == */

static void probe__answers_al_sulis_diamond(void **state)
{
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    struct bk_answer a = answer_to(lib, DIAMOND);
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
    assert_int_equal(answer_to(lib, "3Q3k/8/8/K7/8/8/8/q7 w - - 0 1").dtw, 53); /* as-Suli's */
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
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    struct bk_lib_ranked move[64];
    size_t n = 1;

    (void)state;
    for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
        struct bk_answer a = answer_to(lib, over[i].fen);
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
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    uint64_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        struct bk_pos p = built_position(built.shatranj, "KRvKN", &seed);
        char fen[BK_FEN_MAX], other[BK_FEN_MAX];
        struct bk_answer a = answer_to(lib, bk_pos_to_fen(&p, built.shatranj, fen)), b;

        exchange(other, built.shatranj, &p);
        b = answer_to(lib, other);
        assert_same(&a, &b, fen);
    }
    bk_close(lib);
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
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    uint64_t seed = 2;

    (void)state;
    for (unsigned i = 0; i < 1500; i++) {
        struct bk_lib_move move[64], two[2];
        char fen[BK_FEN_MAX];
        struct bk_answer a;
        size_t n, n2;

        a = answer_to(lib, built_fen(fen, built.shatranj, name[i % 3], &seed));
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
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    struct bk_answer a;

    (void)state;
    assert_int_equal(bk_probe_men(lib, men, 4, 0, &a), BK_LIB_OK);
    assert_int_equal(a.wdl, 1);
    assert_int_equal(a.dtw, 39);
    assert_int_equal(bk_probe_men(lib, men, 4, 1, &a), BK_LIB_OK);
    assert_int_equal(a.dtw, answer_to(lib, "8/8/8/3k4/8/1KQ5/8/q7 b - - 0 1").dtw);
    bk_close(lib);
}

/* Castling gives check and attacks the rook on b2: it is the one winning move. */
static void probe__castling_counts_as_a_move(void **state)
{
    struct bk_variant *chess;
    struct bk_lib *lib;
    struct bk_lib_move move[64];
    struct bk_answer a;
    size_t n;

    (void)state;
    assert_int_equal(bk_variant_load(&chess, "chess", NULL), BK_OK);
    proof_build(chess, built.dir, "KRvKR+Q");
    lib = lib_of("chess", built.dir);
    a = answer_to(lib, "8/3k4/8/8/8/8/1r6/R3K3 w Q -");
    assert_int_equal(a.wdl, 1);
    assert_int_equal(bk_probe_moves(lib, "8/3k4/8/8/8/8/1r6/R3K3 w Q -", move, 64, &n), BK_LIB_OK);
    assert_string_equal(move[0].name, "e1c1");
    assert_int_equal(move[0].wdl, 1);
    assert_int_equal(move[0].dtw, a.dtw);
    assert_int_equal(move[1].wdl, 0); /* nothing else wins */
    assert_int_equal(answer_to(lib, "8/3k4/8/8/8/8/1r6/R3K3 w - -").wdl, 0);
    assert_int_equal(answer_to(lib, "r3k3/1R6/8/8/8/8/3K4/8 b q -").dtw,
                     a.dtw); /* colours exchanged */
    assert_int_equal(answer_to(lib, "r3k3/1R6/8/8/8/8/3K4/8 b - -").wdl, 0);
    bk_close(lib);
    bk_variant_free(chess);
}

/* == Small games: en passant, the clock == */

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
        proof_agree(lib, v, &after, &value);
        n++;
    }
    return n;
}

/* Compares every position of a table, and every position after a double step, with the slow solver;
   returns the number of the latter. */
static unsigned assert_table(const struct bk_variant *v, const char *path, const char *name)
{
    const struct bk_material m = material(v, name);
    struct bk_lib *lib = lib_of(path, built.dir);
    struct ref_moves moves = { 0 };
    struct ref_table *ref = ref_solve(v, m.count, NULL, 0);
    unsigned doubles = 0;

    assert_non_null(ref);
    for (uint64_t i = 0; i < ref_size(ref); i++) {
        struct ref_value value;
        struct ref_pos r;

        if (!ref_at(ref, i, &r, &value))
            continue;
        proof_agree(lib, v, &r, &value);
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
    assert_true(assert_table(built.mini, built.mini_path, "KPvKP") > 1000);
}

/* In a lost position a double step may be answered by a double step that can itself be taken in
   passing: the loss may then come sooner than the file says of the other moves.  A side whose only
   legal move is a capture in passing must make it, even where stalemate would be better. */
static void probe__a_double_step_may_answer_another(void **state)
{
    static const char *const stalemate[] = { "loss", "draw" };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char path[PATH_MAX], text[sizeof few_text + 8];
        struct bk_variant *few;

        snprintf(path, sizeof path, "%s/few-%s.ini", built.dir, stalemate[i]);
        spill(path, text, (size_t)sprintf(text, few_text, stalemate[i], stalemate[i]));
        assert_int_equal(bk_variant_load(&few, path, NULL), BK_OK);
        proof_build(few, built.dir, "KPPvKP");
        assert_true(assert_table(few, path, "KPPvKP") > 1000);
        bk_variant_free(few);
    }
}

/* Black is stalemated, which loses here; no pawn can take on c3, and no table is needed. */
static void probe__a_double_step_may_stalemate(void **state)
{
    char path[PATH_MAX], *text;
    struct bk_answer a;
    struct bk_lib *lib;
    size_t n;

    (void)state;
    text = (char *)slurp(built.mini_path, &n);
    text[n] = '\0';
    memcpy(strstr(text, "= draw"), "= loss", 6);
    snprintf(path, sizeof path, "%s/loss.ini", built.dir);
    spill(path, text, n);
    free(text);
    lib = lib_of(path, NULL);
    a = answer_to(lib, "k2/3/K1P/3/3/1R1 b - c3 0 1");
    assert_int_equal(a.wdl, -1);
    assert_int_equal(a.dtw, 0);
    assert_int_equal(a.end, BK_LIB_STALEMATE);
    bk_close(lib);
}

static void probe__the_clock_stops_a_win_that_comes_too_late(void **state)
{
    struct bk_lib *lib = lib_of(built.mini_path, built.dir);
    unsigned late = 0;
    uint64_t seed = 3;

    (void)state;
    for (unsigned i = 0; i < 500; i++) {
        struct bk_pos p = built_position(built.mini, "KRvK", &seed);
        char fen[BK_FEN_MAX];

        for (p.turn = 1; p.turn <= BUILT_TURNS + 2; p.turn++) {
            struct bk_answer a = answer_to(lib, bk_pos_to_fen(&p, built.mini, fen));
            int left = 2 * (BUILT_TURNS + 1 - p.turn) - (p.stm == BK_BLACK);

            assert_int_equal(a.plies_left, left < 0 ? 0 : left);
            assert_true(a.clocked_known);
            assert_int_equal(a.clocked_wdl, a.wdl && a.dtw <= left ? a.wdl : 0);
            late += a.wdl && !a.clocked_wdl;
        }
    }
    assert_true(late > 100);
    bk_close(lib);
}

/* == What a question remembers == */

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

/* == Bad input == */

static void probe__bad_input_is_told_from_the_rest(void **state)
{
    static const struct bk_lib_man twice[] = { { 'K', 0, 0 }, { 'k', 0, 0 } },
                                   off[] = { { 'K', 0, 0 }, { 'k', 8, 0 } },
                                   what[] = { { 'K', 0, 0 }, { '\xff', 3, 0 } };
    struct bk_lib *lib = lib_of("shatranj", built.dir), *bad;
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
    assert_int_equal(bk_set_paths(NULL, built.dir), BK_LIB_USAGE);
    assert_int_equal(bk_open(NULL, "shatranj", built.dir), BK_LIB_USAGE);
    assert_int_equal(a.wdl, 77); /* written only on success */
    assert_int_equal(bk_open(&bad, "no-such-game", built.dir), BK_LIB_USAGE);
    assert_non_null(bad);
    assert_non_null(strstr(bk_error(bad), "no-such-game"));
    assert_int_equal(bk_probe_fen(bad, DIAMOND, &a), BK_LIB_USAGE);
    bk_close(bad);
    assert_int_equal(bk_open(&bad, NULL, built.dir), BK_LIB_USAGE);
    bk_close(bad);
    bk_close(NULL);
    bk_close(lib);
}

/* == Many at once == */

static void probe__a_batch_equals_one_by_one(void **state)
{
    enum { N = 2000 };
    static char fen[N][128];
    static const char *fens[N];
    static struct bk_answer out[N];
    static enum bk_lib_err err[N];
    static const char *const name[] = { "KRvKN", "KQvKQ", "KNvKR", "KRvK" };
    struct bk_lib *lib = lib_of("shatranj", built.dir), *fresh = lib_of("shatranj", built.dir);
    char one[BK_FEN_MAX];
    uint64_t seed = 5;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        snprintf(fen[i], sizeof fen[i], "%s", built_fen(one, built.shatranj, name[i & 3], &seed));
        fens[i] = fen[i];
    }
    assert_int_equal(bk_probe_batch(lib, fens, N, out, err), BK_LIB_OK);
    for (unsigned i = 0; i < N; i++) {
        struct bk_answer a = answer_to(fresh, fens[i]);

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
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    struct prober prober[THREADS];
    pthread_t thread[THREADS];
    char one[BK_FEN_MAX];
    uint64_t seed = 6;

    (void)state;
    for (unsigned i = 0; i < SHARED; i++) {
        snprintf(shared_fen[i], sizeof shared_fen[i], "%s",
                 built_fen(one, built.shatranj, name[i & 3], &seed));
        shared_answer[i] = answer_to(lib, shared_fen[i]);
    }
    assert_int_equal(bk_set_paths(lib, built.dir),
                     BK_LIB_OK); /* closes all files: threads reopen them */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe__answers_al_sulis_diamond),
        cmocka_unit_test(probe__tells_how_a_game_has_ended),
        cmocka_unit_test(probe__exchanged_colours_are_worth_the_same),
        cmocka_unit_test(probe__a_position_is_worth_its_best_move),
        cmocka_unit_test(probe__a_list_of_men_is_as_good_as_a_fen),
        cmocka_unit_test(probe__castling_counts_as_a_move),
        cmocka_unit_test(probe__every_small_position_equals_the_slow_solver),
        cmocka_unit_test(probe__a_double_step_may_answer_another),
        cmocka_unit_test(probe__a_double_step_may_stalemate),
        cmocka_unit_test(probe__the_clock_stops_a_win_that_comes_too_late),
        cmocka_unit_test(probe__what_a_question_remembers_is_true),
        cmocka_unit_test(probe__bad_input_is_told_from_the_rest),
        cmocka_unit_test(probe__a_batch_equals_one_by_one),
        cmocka_unit_test(probe__threads_share_a_handle),
    };

    return cmocka_run_group_tests_name("probe", tests, built_set_up, built_tear_down);
}
