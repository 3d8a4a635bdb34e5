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
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/bareking.h"
#include "tests/left_out.h"

#define GOLDEN "tests/golden/normal"
#define KRVK   "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"
#define STACK  (64u << 10) /* bytes: what bareking.h asks for */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURED false /* frames are larger, and stacks watched */
#else
#define MEASURED true
#endif

/* Games, and positions of each whose tables are in GOLDEN. */
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

/* Asks all positions in several ways and counts the answers in `context`; NULL: cannot open. */
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

/* A host that reads files if its context, a bool, is true; else every read is put off (LATER). */
static int64_t far_size(void *context, const char *path)
{
    FILE *in = fopen(path, "rb");
    long bytes = BK_LIB_NONE;

    (void)context;
    if (in && !fseek(in, 0, SEEK_END))
        bytes = ftell(in);
    if (in)
        fclose(in);
    return bytes;
}

static int far_read(void *context, const char *path, uint64_t at, void *to, size_t bytes)
{
    bool *bring = context;
    FILE *in = *bring ? fopen(path, "rb") : NULL;
    bool read = in && !fseek(in, (long)at, SEEK_SET) && fread(to, 1, bytes, in) == bytes;

    if (in)
        fclose(in);
    return read ? BK_LIB_HOST_OK : BK_LIB_LATER;
}

static void *ask_far(void *context)
{
    static bool bring;
    const struct bk_host host = { sizeof host, &bring, far_size, far_read };
    const struct bk_options o = { .struct_size = sizeof o, .paths = GOLDEN, .host = &host };
    unsigned *answered = context;

    for (size_t g = 0; g < GAMES; g++) {
        struct bk_lib *lib;

        if (bk_open_with(&lib, asked[g].game, &o))
            return NULL;
        for (unsigned i = 0; i < 4 && asked[g].fen[i]; i++) {
            struct bk_lib_ranked move[64];
            size_t n;

            /* reads succeed in every second round; in the others each move notes what it lacks */
            for (unsigned round = 0; round < 4; round++) {
                bring = round % 2;
                *answered += !bk_rank_moves_fen(lib, asked[g].fen[i], 0, 0, move, 64, &n);
            }
        }
        bk_close(lib);
    }
    return context;
}

/* Returns how many bytes of a stack of `bytes` bytes a thread with `run` touches. */
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
        leave_out("a sanitizer's memory is its own");
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
    answered = 0;
    assert_true(stack_of(ask_far, &answered, STACK) <= STACK);
    assert_true(answered >= 12);
}

/* Pawns on a board of 4x6 that take and promote one after the other, each into a table that has to
   be opened: the longest way down that four men have. */
#define CHAINS "k3/p3/4/4/P3/K3 w"

/* Builds the tables with ../bareking.  The builder is not linked here: its thread-local variables
   would not fit on a small stack. */
static void build_chains(const char *dir)
{
    char self[1024], command[2 * sizeof self + 128];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(n > 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(command, sizeof command,
             "'%s/../bareking' build chess KPvKP --for '" CHAINS "' --dir '%s' --quiet", self, dir);
    assert_int_equal(system(command), 0);
}

struct chains {
    const char *dir;
    unsigned answered;
};

/* Sets `fen` to up to four men on random squares; many such positions are refused. */
static void random_fen(uint64_t *seed, char fen[64])
{
    char at[24] = { 0 };
    size_t n = 0;

    for (const char *man = "KPkp"; *man; man++) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        at[(*seed >> 33) % sizeof at] = *man;
    }
    for (unsigned sq = 0, gap = 0; sq < sizeof at; sq++) {
        gap += !at[sq];
        if (gap && (at[sq] || sq % 4 == 3)) {
            fen[n++] = (char)('0' + gap);
            gap = 0;
        }
        if (at[sq])
            fen[n++] = at[sq];
        if (sq % 4 == 3 && sq + 1 < sizeof at)
            fen[n++] = '/';
    }
    strcpy(fen + n, *seed >> 63 ? " w - - 0 1" : " b - - 0 1");
}

static void *ask_chains(void *context)
{
    static struct bk_lib_ranked move[64];
    struct chains *c = context;
    struct bk_lib *lib;
    uint64_t seed = 1;

    if (bk_open(&lib, "chess", c->dir))
        return NULL;
    for (unsigned i = 0; i < 3000 && c->answered < 300; i++) {
        char fen[64];
        size_t n;

        random_fen(&seed, fen);
        bk_refresh(lib); /* so that all tables are opened on the way down */
        c->answered += !bk_rank_moves_fen(lib, fen, 0, 0, move, 64, &n);
    }
    bk_close(lib);
    return context;
}

static void stack__of_64_KiB_suffices_for_long_chains(void **state)
{
    char dir[] = "/tmp/bareking-needs-XXXXXX", remove[64];
    struct chains c = { .dir = dir };
    size_t used;

    (void)state;
    if (!MEASURED)
        leave_out("a sanitizer's memory is its own");
    assert_non_null(mkdtemp(dir));
    build_chains(dir);
    used = stack_of(ask_chains, &c, 1 << 20);
    if (getenv("NEEDS_TOLD"))
        fprintf(stderr, "%zu bytes of stack down a chain, %u answers\n", used, c.answered);
    snprintf(remove, sizeof remove, "rm -r %s", dir);
    assert_int_equal(system(remove), 0);
    assert_true(c.answered >= 100);
    assert_true(used <= STACK);
}

/* == Descriptors == */

#define FDS 1024
static bool inherited[FDS];

/* Returns the number of open descriptors; fails if one that was not inherited outlives exec(). */
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
    assert_int_equal(descriptors(), before + 2); /* a missing table takes none */
    assert_int_equal(bk_set_paths(lib, GOLDEN), BK_LIB_OK);
    assert_int_equal(descriptors(), before);
    assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_OK);
    bk_close(lib);
    assert_int_equal(descriptors(), before);
}

/* Returns the RLIMIT_NOFILE below which exactly `free_ones` descriptors are free. */
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

/* Without a descriptor to read the folder, an empty list would be a false answer. */
static void descriptors__that_run_out_do_not_empty_a_list(void **state)
{
    struct rlimit limit, little;
    struct bk_lib *lib;
    enum bk_lib_err err;
    size_t n = 7;
    char why[200];

    (void)state;
    assert_int_equal(bk_open(&lib, "chess", "nowhere:" GOLDEN), BK_LIB_OK);
    getrlimit(RLIMIT_NOFILE, &limit);
    little = (struct rlimit){ room_for(0), limit.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &little), 0);
    err = bk_list_tables(lib, NULL, 0, &n);
    snprintf(why, sizeof why, "%s", bk_error(lib));
    setrlimit(RLIMIT_NOFILE, &limit);
    assert_int_equal(err, BK_LIB_SYSTEM);
    assert_non_null(strstr(why, "Too many open files"));
    assert_int_equal(n, 7);
    assert_int_equal(bk_list_tables(lib, NULL, 0, &n), BK_LIB_OK);
    assert_true(n > 0 && n != 7);
    bk_close(lib);
}

/* == fork() == */

/* Asks three positions 300 times; returns how many answers differ from `right`. */
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

/* Forks with a handle whose files are open, then with one whose files are yet to be opened. */
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
        assert_int_equal(ask_again(lib, right), 0); /* the children closed only their copies */
    }
    bk_close(lib);
}

/* == Memory: many tables == */

/* Handles of one game that share a budget; each opens its own tables. */
struct crowd {
    struct bk_lib *lib[200];
    unsigned n, ntables; /* handles; tables of each */
    struct bk_lib_table table[16];
    uint64_t seed;
};

static unsigned below(struct crowd *c, unsigned n)
{
    c->seed = c->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(c->seed >> 33) % n;
}

static void crowd_open(struct crowd *c, unsigned tables, uint64_t bytes, unsigned files)
{
    struct bk_options o = {
        .struct_size = sizeof o, .paths = GOLDEN, .memory_bytes = bytes, .open_files = files
    };
    size_t found = 0;

    memset(c, 0, sizeof *c);
    do {
        assert_true(c->n < sizeof c->lib / sizeof *c->lib);
        assert_int_equal(bk_open_with(&c->lib[c->n], "chess", &o), BK_LIB_OK);
        o.share = c->lib[0];
        assert_int_equal(bk_list_tables(c->lib[c->n++], c->table, 16, &found), BK_LIB_OK);
        assert_in_range(found, 5, 16);
        c->ntables = (unsigned)found;
    } while (c->n * c->ntables < tables);
}

static void crowd_close(struct crowd *c)
{
    for (unsigned i = 0; i < c->n; i++)
        bk_close(c->lib[i]);
}

/* Puts the men of a material, without castling rights, on random squares; returns how many. */
static unsigned scatter(struct crowd *c, const char *material, struct bk_lib_piece men[8])
{
    unsigned n = 0;
    uint8_t colour = 0;

    for (const char *s = material; *s && *s != '+'; s++)
        if (*s == 'v')
            colour = 1;
        else
            men[n++] = (struct bk_lib_piece){ (uint8_t)*s, colour, (uint16_t)below(c, 64) };
    return n;
}

/* Asks a random position of a table; returns 1 if there is an answer.  Fails on any error but of a
   bad position or a missing table, so if memory is short. */
static unsigned crowd_ask(struct crowd *c, unsigned lib, unsigned table, struct bk_answer *a)
{
    struct bk_lib_piece men[8];
    struct bk_lib_pos p = { .men = men, .black_to_move = (uint8_t)below(c, 2) };
    enum bk_lib_err err;

    p.n = scatter(c, c->table[table].material, men);
    err = bk_probe(c->lib[lib], &p, 0, a);
    if (err && err != BK_LIB_USAGE && err != BK_LIB_ILLEGAL && err != BK_LIB_NO_TABLE)
        fail_msg("%s: %s", c->table[table].material, bk_error(c->lib[lib]));
    return !err;
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
/* Returns the bytes that the process holds from malloc(); 0: unknown. */
static uint64_t taken(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}
#else
static uint64_t taken(void) { return 0; }
#endif

/* Returns the bytes taken outside the budget, once every handle has made all that it makes once. */
static uint64_t taken_besides(struct crowd *c)
{
    struct bk_answer a;
    uint64_t used;

    for (unsigned i = 0; i < 40 * c->ntables; i++)
        for (unsigned k = 0; k < c->n; k++)
            crowd_ask(c, k, i % c->ntables, &a);
    assert_int_equal(bk_set_memory(c->lib[0], 1), BK_LIB_OK);
    assert_int_equal(bk_memory(c->lib[0], &used, NULL), BK_LIB_OK);
    return taken() - used;
}

/* Asks random positions of random tables; returns the most bytes taken, less `besides`. */
static uint64_t most_taken(struct crowd *c, unsigned questions, uint64_t besides)
{
    uint64_t most = 0;
    unsigned answered = 0;

    for (unsigned i = 0; i < questions; i++) {
        struct bk_answer a;

        answered += crowd_ask(c, below(c, c->n), below(c, c->ntables), &a);
        most = taken() - besides > most ? taken() - besides : most;
    }
    assert_true(answered > questions / 4);
    return most;
}

/* Fails unless `tables` tables fill a budget of `mib` MiB, as malloc() counts, and keep to it. */
static void ask_within(uint64_t mib, unsigned tables)
{
    static struct crowd c;
    uint64_t budget = mib << 20, besides, used, most;

    crowd_open(&c, tables, UINT64_C(1) << 30, 0);
    besides = taken_besides(&c);
    assert_int_equal(bk_set_memory(c.lib[0], budget), BK_LIB_OK);
    most = most_taken(&c, 5000, besides);
    assert_int_equal(bk_memory(c.lib[0], &used, NULL), BK_LIB_OK);
    if (getenv("NEEDS_TOLD"))
        fprintf(stderr, "%u tables, %u MiB: %.2f %% of it taken at most; said: %.2f, is %.2f\n",
                c.n * c.ntables, (unsigned)mib, 100.0 * (double)most / (double)budget,
                100.0 * (double)used / (double)budget,
                100.0 * (double)(taken() - besides) / (double)budget);
    assert_true(most <= budget + budget / 20);
    assert_true(most >= budget - budget / 10); /* the budget is used */
    crowd_close(&c);
}

static void memory__is_what_was_said_over_100_tables_and_more(void **state)
{
    (void)state;
    if (!MEASURED || !taken())
        leave_out("a sanitizer's memory is its own, or nothing counts what malloc() has");
    ask_within(4, 100);
    ask_within(8, 200);
    ask_within(32, 800);
}

static void memory__that_is_little_changes_no_answer(void **state)
{
    static struct crowd little, much;

    (void)state;
    crowd_open(&little, 30, 700 << 10, 0);
    crowd_open(&much, 30, UINT64_C(1) << 30, 0);
    for (unsigned i = 0; i < 3000; i++) {
        unsigned lib = below(&little, little.n), table = below(&little, little.ntables);
        struct bk_answer a = { 0 }, b = { 0 };

        much.seed = little.seed;
        assert_int_equal(crowd_ask(&little, lib, table, &a), crowd_ask(&much, lib, table, &b));
        assert_memory_equal(&a, &b, sizeof a);
    }
    crowd_close(&little);
    crowd_close(&much);
}

/* == Memory: a thread that waits == */

#define WITHIN (UINT64_C(8) << 20)

/* A host whose reads block in the thread that has `must_wait`, until `may_go_on`. */
static _Thread_local bool must_wait;
static _Atomic bool waits, may_go_on;

static int slow_read(void *context, const char *path, uint64_t at, void *to, size_t bytes)
{
    bool bring = true;

    (void)context;
    while (must_wait && !may_go_on) {
        waits = true;
        usleep(1000);
    }
    return far_read(&bring, path, at, to, bytes);
}

static void *ask_and_wait(void *crowd)
{
    struct crowd c = *(struct crowd *)crowd;
    struct bk_answer a;

    must_wait = true;
    crowd_ask(&c, 0, 0, &a);
    while (!waits)
        crowd_ask(&c, below(&c, c.n), below(&c, c.ntables), &a);
    return NULL;
}

struct going_on {
    struct crowd c;
    _Atomic unsigned asked;
    _Atomic uint64_t most;
};

static void *ask_on(void *going_on)
{
    struct going_on *g = going_on;

    for (g->asked = 0; g->asked < 3000; g->asked++) {
        struct bk_answer a;

        crowd_ask(&g->c, below(&g->c, g->c.n), below(&g->c, g->c.ntables), &a);
    }
    return NULL;
}

/* Returns when the thread of ask_on() has asked all or made no progress for 300 ms; keeps in
   g->most the most bytes that tables took meanwhile. */
static void see_it_stop(struct going_on *g)
{
    for (unsigned same = 0, before = 0; same < 300 && g->asked < 3000; same++) {
        uint64_t used;

        usleep(1000);
        assert_int_equal(bk_memory(g->c.lib[0], &used, NULL), BK_LIB_OK); /* never blocks */
        g->most = used > g->most ? used : g->most;
        if (g->asked != before)
            same = 0;
        before = g->asked;
    }
}

/* What other threads evict stays readable for a thread that waits, so it still takes memory: they
   must not evict for ever. */
static void memory__is_what_was_said_while_a_thread_waits(void **state)
{
    static const struct bk_host host = { sizeof host, NULL, far_size, slow_read };
    static struct going_on g;
    struct crowd *c = &g.c;
    struct bk_options o = {
        .struct_size = sizeof o, .paths = GOLDEN, .memory_bytes = WITHIN, .host = &host
    };
    pthread_t one, other;
    struct bk_answer a;
    size_t found;

    (void)state;
    crowd_open(c, 200, WITHIN, 0); /* to list the tables: a host lists none */
    crowd_close(c);
    found = c->n;
    for (c->n = 0; c->n < found; o.share = c->lib[0])
        assert_int_equal(bk_open_with(&c->lib[c->n++], "chess", &o), BK_LIB_OK);
    for (unsigned i = 0; i < 4000; i++)
        crowd_ask(c, below(c, c->n), below(c, c->ntables), &a);
    assert_int_equal(pthread_create(&one, NULL, ask_and_wait, c), 0);
    while (!waits)
        usleep(1000);
    assert_int_equal(pthread_create(&other, NULL, ask_on, &g), 0);
    see_it_stop(&g);
    if (getenv("NEEDS_TOLD"))
        fprintf(stderr, "while one waits: %u asked, %.2f %% of the budget at most\n",
                (unsigned)g.asked, 100.0 * (double)g.most / (double)WITHIN);
    assert_true(g.most <= WITHIN + WITHIN / 20);
    may_go_on = true;
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert_int_equal(g.asked, 3000);
    crowd_close(c);
}

/* With `ulimit -n 64` the library takes half of the descriptors. */
static void descriptors__of_64_suffice_for_1000_tables(void **state)
{
    static struct crowd c;
    struct rlimit limit, few;
    unsigned answered = 0, most = 0;

    (void)state;
    getrlimit(RLIMIT_NOFILE, &limit);
    few = (struct rlimit){ 64, limit.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    crowd_open(&c, 1000, 64 << 20, 0);
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < c.n * c.ntables; i++) {
            struct bk_answer a;
            unsigned open;

            answered += crowd_ask(&c, i / c.ntables, i % c.ntables, &a);
            if (i % 100 == 0 && (open = descriptors()) > most)
                most = open;
        }
    setrlimit(RLIMIT_NOFILE, &limit);
    if (getenv("NEEDS_TOLD"))
        fprintf(stderr, "%u tables, %u answers, %u descriptors at most\n", c.n * c.ntables,
                answered, most);
    assert_true(answered > c.n * c.ntables);
    assert_true(most <= 64);
    crowd_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack__of_64_KiB_suffices_for_opening_and_asking),
        cmocka_unit_test(stack__of_64_KiB_suffices_for_long_chains),
        cmocka_unit_test(descriptors__are_one_a_file_that_was_asked),
        cmocka_unit_test(descriptors__that_run_out_are_an_error_that_passes),
        cmocka_unit_test(descriptors__that_run_out_do_not_empty_a_list),
        cmocka_unit_test(fork__leaves_both_processes_a_handle_that_answers),
        cmocka_unit_test(memory__is_what_was_said_over_100_tables_and_more),
        cmocka_unit_test(memory__that_is_little_changes_no_answer),
        cmocka_unit_test(memory__is_what_was_said_while_a_thread_waits),
        cmocka_unit_test(descriptors__of_64_suffice_for_1000_tables),
    };

    return cmocka_run_group_tests(tests, note_inherited, NULL);
}
