/*
 * test_budget.c - the library within a budget: what is in memory, how much of it, and who shares
 * it.
 *
 * Oracle: the library asked with all memory in the world.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe/bareking.h"
#include "tests/handle.h"
#include "tests/left_out.h"
#include "tests/lines.h"

/* == What is in memory == */

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
    unsigned all = 0;

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
        all += before >= 50;
    }
    assert_true(all > 10);
    bk_close(lib);
}

/* The error names a missing table without a call to the host. */
static void cache_only__names_what_is_missing_without_a_look(void **state)
{
    unsigned asked = 0, before;
    const struct bk_host host = no_host(&asked);
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

/* == Too little == */

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
    leave_out("a sanitizer needs the address space for itself");
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
        leave_out("a sanitizer's memory is its own");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_only__reads_nothing),
        cmocka_unit_test(prefetch__keeps_what_it_has_read),
        cmocka_unit_test(cache_only__names_what_is_missing_without_a_look),
        cmocka_unit_test(memory__too_little_is_said_and_enough_is_obeyed),
        cmocka_unit_test(memory__that_is_not_there_is_no_damage),
        cmocka_unit_test(refresh__does_not_disturb_those_who_ask),
        cmocka_unit_test(boards__that_made_room_are_made_again),
        cmocka_unit_test(boards__take_no_more_memory_the_more_there_are),
    };

    return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
