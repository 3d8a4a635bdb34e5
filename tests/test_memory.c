/*
 * test_memory.c - the library without memory.
 *
 * Each allocation of a series of calls is refused in turn: alone, and with all after it.  A call
 * must then fail for want of memory, and say so, or give the right answer.  With memory again the
 * same handle must give the right answer.
 *
 * The linker puts the functions below in the place of malloc() and its like (Makefile); memory that
 * zstd takes is not seen (test_budget.c, test_damage.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/bareking.h"
#include "tests/left_out.h"

#define GOLDEN "tests/golden/normal"

/* == Memory == */

static uint64_t taken;                       /* allocations since refuse() */
static uint64_t first = UINT64_MAX, end = 0; /* numbers `first` to end - 1 are refused */
static unsigned refused;

static bool is_refused(void)
{
    bool is = taken >= first && taken < end;

    taken++;
    refused += is;
    return is;
}

static void refuse(uint64_t nth, uint64_t before)
{
    taken = refused = 0;
    first = nth;
    end = before;
}

static void refuse_nothing(void) { refuse(UINT64_MAX, 0); }

#define STAND_IN(type, name, parameters, arguments)                                                \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters { return is_refused() ? NULL : __real_##name arguments; }

STAND_IN(void *, malloc, (size_t n), (n))
STAND_IN(void *, calloc, (size_t n, size_t size), (n, size))
STAND_IN(void *, realloc, (void *p, size_t n), (p, n))
STAND_IN(void *, aligned_alloc, (size_t alignment, size_t n), (alignment, n))
STAND_IN(char *, strdup, (const char *s), (s))

/* == What is asked == */

static const struct {
    const char *game, *fen;
} asked[] = {
    { "chess", "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1" },
    { "chess", "8/4P3/8/3k4/8/8/8/4K3 w - - 0 1" },
    { "chess", "4k2r/8/8/8/8/8/8/4K2R b Kk - 0 1" },
    { "shatranj", "3*/*k2/B1b1/K1N* b - - 0 1" }, /* boards of their own */
    { "shatranj", "3*/*1P1/K1p1/*3/*2k b - - 0 1" },
    { "puzzle-mini", "2**/2**/3f/KNk1 b - - 0 1" },
    { "atlantean", "3**/1x3/kP2K/4*/**3 w" },
    { "grand-shatranj", "K2*/*1P*/4/2n1/*k2 b - - 0 1" },
    { "darwinian", "f2*/*1W1/4/3K/*k2[e] b - - 0 1" },
};

enum { CALLS = 12 };

struct answers {
    enum bk_lib_err err[CALLS];
    struct bk_answer one, of_batch;
    enum bk_lib_err each;
    int wdl;
    struct bk_lib_ranked ranked[64], legal[64];
    struct bk_lib_move move[64];
    struct bk_lib_table table[64];
    struct bk_lib_move_text text[64];
    size_t n[4];
    char fen[BK_LIB_FEN_MAX];
};

typedef enum bk_lib_err call(struct bk_lib *lib, const char *fen, struct answers *out);

static enum bk_lib_err probe(struct bk_lib *lib, const char *fen, struct answers *out)
{
    return bk_probe_fen(lib, fen, &out->one);
}

static enum bk_lib_err probe_wdl(struct bk_lib *lib, const char *fen, struct answers *out)
{
    return bk_probe_fen_wdl(lib, fen, 0, &out->wdl);
}

static enum bk_lib_err probe_batch(struct bk_lib *lib, const char *fen, struct answers *out)
{
    return bk_probe_batch(lib, &fen, 1, &out->of_batch, &out->each);
}

static enum bk_lib_err rank(struct bk_lib *lib, const char *fen, struct answers *out)
{
    return bk_rank_moves_fen(lib, fen, 0, 0, out->ranked, 64, &out->n[0]);
}

static enum bk_lib_err legal(struct bk_lib *lib, const char *fen, struct answers *out)
{
    return bk_legal_moves_fen(lib, fen, out->legal, 64, &out->n[1]);
}

static enum bk_lib_err probe_moves(struct bk_lib *lib, const char *fen, struct answers *out)
{
    return bk_probe_moves(lib, fen, out->move, 64, &out->n[2]);
}

static enum bk_lib_err list(struct bk_lib *lib, const char *fen, struct answers *out)
{
    (void)fen;
    return bk_list_tables(lib, out->table, 64, &out->n[3]);
}

static enum bk_lib_err play(struct bk_lib *lib, const char *fen, struct answers *out)
{
    return out->n[1] ? bk_play(lib, fen, out->legal[0].name, out->fen) : BK_LIB_OK;
}

static enum bk_lib_err write_moves(struct bk_lib *lib, const char *fen, struct answers *out)
{
    return bk_write_moves_fen(lib, fen, out->legal, out->n[1], out->text);
}

static enum bk_lib_err refresh(struct bk_lib *lib, const char *fen, struct answers *out)
{
    (void)fen;
    (void)out;
    return bk_refresh(lib);
}

static enum bk_lib_err take_folders(struct bk_lib *lib, const char *fen, struct answers *out)
{
    (void)fen;
    (void)out;
    return bk_set_paths(lib, "nowhere:" GOLDEN);
}

static call *const calls[CALLS] = { probe_wdl,   probe, rank,        legal,   probe_moves,  play,
                                    write_moves, list,  probe_batch, refresh, take_folders, probe };

/* == What becomes of it == */

static void assert_same(const struct answers *a, const struct answers *b, size_t i, uint64_t nth)
{
    if (memcmp(a, b, sizeof *a))
        fail_msg("%s, allocation %llu: another answer", asked[i].fen, (unsigned long long)nth);
}

static void assert_short(const struct bk_lib *lib, enum bk_lib_err err, size_t i, uint64_t nth)
{
    if (err != BK_LIB_SYSTEM || !strstr(bk_error(lib), "memory"))
        fail_msg("%s, allocation %llu: %s: %s", asked[i].fen, (unsigned long long)nth,
                 bk_lib_strerror(err), bk_error(lib));
}

/* Makes all calls; one that fails for want of memory is repeated with memory.  Returns how many
   calls were refused an allocation. */
static unsigned ask(size_t i, uint64_t nth, bool all_after, struct answers *out)
{
    unsigned some = 0;
    struct bk_lib *lib;
    enum bk_lib_err err;

    memset(out, 0, sizeof *out);
    refuse(nth, all_after ? UINT64_MAX : nth + 1);
    err = bk_open(&lib, asked[i].game, GOLDEN);
    some += refused != 0;
    if (err) {
        assert_true(refused > 0);
        assert_short(lib, err, i, nth);
        bk_close(lib);
        refuse_nothing();
        err = bk_open(&lib, asked[i].game, GOLDEN);
        assert_int_equal(err, BK_LIB_OK);
    }
    for (size_t c = 0; c < CALLS; c++) {
        out->err[c] = calls[c](lib, asked[i].fen, out);
        some += refused != 0;
        if (out->err[c] != BK_LIB_SYSTEM)
            continue;
        assert_true(refused > 0);
        assert_short(lib, out->err[c], i, nth);
        refuse_nothing();
        out->err[c] = calls[c](lib, asked[i].fen, out);
    }
    bk_close(lib);
    refuse_nothing();
    return some;
}

/* Each allocation; in the short form every fifth, of each position others. */
static void every_allocation(bool all_after)
{
    uint64_t tried = 0, step = tries_all() ? 1 : 5;

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        static struct answers right, other;
        uint64_t nth = i % step;

        assert_int_equal(ask(i, UINT64_MAX - 1, false, &right), 0);
        while (ask(i, nth, all_after, &other)) {
            assert_same(&right, &other, i, nth);
            nth += step;
        }
        assert_same(&right, &other, i, nth);
        assert_int_equal(right.err[1], BK_LIB_OK); /* else the test would show nothing */
        assert_true(nth > 50);
        tried += nth / step;
    }
    if (getenv("MEMORY_TOLD"))
        fprintf(stderr, "%llu allocations refused\n", (unsigned long long)tried);
}

static void memory__refused_once_is_an_error_or_the_right_answer(void **state)
{
    (void)state;
    every_allocation(false);
}

static void memory__refused_from_then_on_is_an_error_or_the_right_answer(void **state)
{
    (void)state;
    every_allocation(true);
}

/* == Boards of their own == */

/* Returns the allocations that listing the moves on the nth board with holes takes; the board has
   as many ranks as `files`. */
static uint64_t taken_for(struct bk_lib *lib, unsigned files, unsigned nth)
{
    char fen[BK_LIB_FEN_MAX], *at = fen + sprintf(fen, "k%u/", files - 1);
    size_t n;

    for (unsigned row = 0; row + 2 < files; row++, nth /= 3)
        at += sprintf(at, "%s%u/", (const char *[]){ "3n", "2*N", "1*1N" }[nth % 3], files - 4);
    sprintf(at, "%uK w - - 0 1", files - 1);
    refuse_nothing();
    assert_int_equal(bk_legal_moves_fen(lib, fen, NULL, 0, &n), BK_LIB_OK);
    return taken;
}

/* When there are more boards than are kept, the least recently asked go. */
static void boards__that_were_asked_last_are_not_made_again(void **state)
{
    enum { KEPT = 64, MORE = 100 };
    struct bk_lib *lib;
    uint64_t again;

    (void)state;
    assert_int_equal(bk_open(&lib, "shatranj", "nowhere"), BK_LIB_OK);
    taken_for(lib, 8, 1);
    again = taken_for(lib, 8, 1);
    for (unsigned i = 2; i < MORE; i++) {
        assert_true(taken_for(lib, 8, i) > again + 10);
        assert_int_equal(taken_for(lib, 8, 1), again); /* a board asked now and then stays */
    }
    for (unsigned i = MORE - KEPT + 1; i < MORE; i++)
        assert_int_equal(taken_for(lib, 8, i), again);
    assert_true(taken_for(lib, 8, 2) > again + 10);
    bk_close(lib);
}

/* Of boards of 1.3 MiB each 64 MiB are kept, which is fewer than 64. */
static void boards__that_are_large_are_fewer(void **state)
{
    struct bk_lib *lib;
    uint64_t again;

    (void)state;
    assert_int_equal(bk_open(&lib, "atlantean", "nowhere"), BK_LIB_OK);
    for (unsigned i = 1; i <= 60; i++)
        taken_for(lib, 10, i);
    again = taken_for(lib, 10, 60);
    assert_int_equal(taken_for(lib, 10, 30), again);
    assert_true(taken_for(lib, 10, 1) > again + 10);
    bk_close(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boards__that_were_asked_last_are_not_made_again),
        cmocka_unit_test(boards__that_are_large_are_fewer),
        cmocka_unit_test(memory__refused_once_is_an_error_or_the_right_answer),
        cmocka_unit_test(memory__refused_from_then_on_is_an_error_or_the_right_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
