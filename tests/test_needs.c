/*
 * test_needs.c - what libbareking needs of the program around it, as bareking.h says: stack,
 * descriptors, fork().
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

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/bareking.h"

#define GOLDEN "tests/golden/normal"
#define KRVK   "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"
#define STACK  (64u << 10) /* bytes: what bareking.h asks for */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURED false /* frames are larger, and stacks watched */
#else
#define MEASURED true
#endif

/* A game, and positions of it whose tables are in GOLDEN. */
static const struct {
    const char *game, *fen[4];
} asked[] = {
    { "chess",
      { "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", "8/4P3/8/3k4/8/8/8/4K3 w - - 0 1",
        "8/8/8/3k4/8/8/8/R3K3 b - - 0 1", "8/8/8/8/1k6/8/8/R3K2r b Q - 0 1" } },
    { "shatranj", { "3*/*p2/k2K/*P2/*3 w", "3*/*b2/k2K/1BN* w" } }, /* on boards of their own */
    { "puzzle-mini", { "3*/kn2/4/1F1K w - - 0 1", "3*/kn2/4/1F1K b - - 0 1" } },
    { "atlantean", { "3**/1x3/kP2K/4*/**3 w" } },
    { "grand-shatranj", { "10/10/10/3k6/10/10/3KO5/10/10/9o w - - 0 1" } },
    { "darwinian", { "3*/*f2/k2K/1W2/*3[e] w", "3*/*u2/k2K/1Y2/*3 w" } },
};
#define GAMES (sizeof asked / sizeof *asked)

/* == Stack == */

/* Everything that the library does. */
static void *ask_all(void *context)
{
    unsigned *answered = context;

    for (size_t g = 0; g < GAMES; g++) {
        struct bk_lib *lib;

        if (bk_open(&lib, asked[g].game, "nowhere") || bk_set_paths(lib, GOLDEN))
            return NULL;
        for (unsigned i = 0; i < 4 && asked[g].fen[i]; i++) {
            struct bk_lib_move move[64];
            struct bk_answer a;
            char fen[BK_LIB_FEN_MAX];
            size_t n = 0;

            *answered += bk_probe_fen(lib, asked[g].fen[i], &a) == BK_LIB_OK;
            *answered += bk_probe_batch(lib, &asked[g].fen[i], 1, &a, NULL) == BK_LIB_OK;
            if (!bk_probe_moves(lib, asked[g].fen[i], move, 64, &n) && n) {
                bk_play(lib, asked[g].fen[i], move[0].name, fen);
                *answered += bk_probe_fen(lib, fen, &a) == BK_LIB_OK;
            }
            bk_play(lib, asked[g].fen[i], "a1a1", fen);
            bk_set_paths(lib, "nowhere:" GOLDEN);
            bk_error(lib);
        }
        bk_close(lib);
    }
    return context;
}

/* How much of a stack `run` touches, on one of `bytes`. */
static size_t stack_of(void *(*run)(void *), void *context, size_t bytes)
{
    unsigned char *stack =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attr;
    pthread_t thread;
    void *done = NULL;
    size_t free_bytes = 0;

    assert_true(stack != MAP_FAILED);
    memset(stack, 0xa5, bytes);
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstack(&attr, stack, bytes), 0);
    assert_int_equal(pthread_create(&thread, &attr, run, context), 0);
    assert_int_equal(pthread_join(thread, &done), 0);
    assert_ptr_equal(done, context);
    while (free_bytes < bytes && stack[free_bytes] == 0xa5)
        free_bytes++;
    pthread_attr_destroy(&attr);
    munmap(stack, bytes);
    return bytes - free_bytes;
}

static void *do_nothing(void *context) { return context; }

static void stack__of_64_KiB_suffices_for_opening_and_asking(void **state)
{
    unsigned answered = 0;
    size_t used, alone;

    (void)state;
    if (!MEASURED)
        skip();
    alone = stack_of(do_nothing, &answered, 1 << 20); /* the thread's own variables */
    used = stack_of(ask_all, &answered, 1 << 20);
    if (getenv("NEEDS_TOLD"))
        fprintf(stderr, "%zu bytes of stack, %zu of them the thread's; %u answers\n", used, alone,
                answered);
    assert_true(answered >= 12);
    assert_true(used <= STACK);
    answered = 0;
    assert_true(stack_of(ask_all, &answered, STACK) <= STACK);
    assert_true(answered >= 12);
}

/* == Descriptors == */

#define FDS 1024
static bool inherited[FDS];

/* Open descriptors; those that were not inherited must end with exec(). */
static unsigned descriptors(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < FDS; fd++) {
        int flags = fcntl(fd, F_GETFD);

        n += flags >= 0;
        if (flags >= 0 && !inherited[fd])
            assert_true(flags & FD_CLOEXEC);
    }
    return n;
}

static int note_inherited(void **state)
{
    (void)state;
    for (int fd = 0; fd < FDS; fd++)
        inherited[fd] = fcntl(fd, F_GETFD) >= 0;
    return 0;
}

static void descriptors__are_one_a_file_that_was_asked(void **state)
{
    unsigned before = descriptors();
    struct bk_lib *lib;
    struct bk_answer a;

    (void)state;
    assert_int_equal(bk_open(&lib, "chess", GOLDEN), BK_LIB_OK);
    assert_int_equal(descriptors(), before); /* none until a table is asked */
    assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_OK);
    assert_int_equal(descriptors(), before + 2);
    assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_OK);
    assert_int_equal(descriptors(), before + 2);
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k4/8/8/8/1BN1K3 w - - 0 1", &a), BK_LIB_NO_TABLE);
    assert_int_equal(descriptors(), before + 2); /* nothing for what is missing */
    assert_int_equal(bk_set_paths(lib, GOLDEN), BK_LIB_OK);
    assert_int_equal(descriptors(), before);
    assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_OK);
    bk_close(lib);
    assert_int_equal(descriptors(), before);
}

/* The limit that leaves so many descriptors free: numbers below it that are not taken. */
static rlim_t room_for(rlim_t free_ones)
{
    rlim_t limit = 0;

    for (;; limit++)
        if (fcntl((int)limit, F_GETFD) < 0 && !free_ones--)
            return limit;
}

static void descriptors__that_run_out_are_an_error_that_passes(void **state)
{
    unsigned before = descriptors();
    struct rlimit limit, little;
    struct bk_lib *lib;
    struct bk_answer a;

    (void)state;
    getrlimit(RLIMIT_NOFILE, &limit);
    assert_int_equal(bk_open(&lib, "chess", GOLDEN), BK_LIB_OK);
    for (rlim_t more = 0; more < 3; more++) {
        enum bk_lib_err err;
        char why[200];

        little = (struct rlimit){ room_for(more), limit.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &little), 0);
        err = bk_probe_fen(lib, KRVK, &a);
        snprintf(why, sizeof why, "%s", bk_error(lib));
        setrlimit(RLIMIT_NOFILE, &limit);
        assert_int_equal(err, more < 1 ? BK_LIB_SYSTEM : BK_LIB_OK);
        if (more < 1) { /* one is enough for any number of files */
            assert_non_null(strstr(why, "Too many open files"));
            assert_int_equal(descriptors(), before);
        }
    }
    assert_int_equal(a.wdl, 1);
    bk_close(lib);
}

/* == fork() == */

/* Asks everything again and again; how often it differs from `right`. */
static unsigned ask_again(struct bk_lib *lib, const struct bk_answer *right)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < 300; i++)
        for (unsigned k = 0; k < 3; k++) {
            struct bk_answer a;

            wrong += bk_probe_fen(lib, asked[0].fen[k], &a) || memcmp(&a, &right[k], sizeof a);
        }
    return wrong;
}

/* Of a handle that has been asked, and of one that has files to open yet. */
static void fork__leaves_both_processes_a_handle_that_answers(void **state)
{
    struct bk_answer right[3];
    struct bk_lib *lib;

    (void)state;
    assert_int_equal(bk_open(&lib, "chess", GOLDEN), BK_LIB_OK);
    for (unsigned k = 0; k < 3; k++)
        assert_int_equal(bk_probe_fen(lib, asked[0].fen[k], &right[k]), BK_LIB_OK);
    for (unsigned fresh = 0; fresh < 2; fresh++) {
        pid_t pid[4];

        if (fresh)
            assert_int_equal(bk_set_paths(lib, GOLDEN), BK_LIB_OK);
        else
            assert_int_equal(ask_again(lib, right), 0);
        for (unsigned i = 0; i < 4; i++) {
            pid[i] = fork();
            if (!pid[i]) {
                unsigned wrong = ask_again(lib, right);

                bk_close(lib);
                _exit(wrong > 100 ? 100 : (int)wrong);
            }
        }
        assert_int_equal(ask_again(lib, right), 0);
        for (unsigned i = 0; i < 4; i++) {
            int status;

            assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
            assert_int_equal(status, 0);
        }
        assert_int_equal(ask_again(lib, right), 0); /* their bk_close() was theirs */
    }
    bk_close(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack__of_64_KiB_suffices_for_opening_and_asking),
        cmocka_unit_test(descriptors__are_one_a_file_that_was_asked),
        cmocka_unit_test(descriptors__that_run_out_are_an_error_that_passes),
        cmocka_unit_test(fork__leaves_both_processes_a_handle_that_answers),
    };

    return cmocka_run_group_tests(tests, note_inherited, NULL);
}
