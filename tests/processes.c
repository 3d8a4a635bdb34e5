/*
 * processes.c - see processes.h.
 */
#include "tests/processes.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tb/memory/ranks.h"

/* == The transport == */

unsigned rank, ranks;
static int line[PROCESSES_MOST][PROCESSES_MOST]; /* line[a][b]: where a talks to b */
static uint64_t sent;

static void put(unsigned to, const void *from, size_t bytes)
{
    const char *at = from;

    for (ssize_t n; bytes; at += n, bytes -= (size_t)n)
        CHECK((n = write(line[rank][to], at, bytes)) > 0);
}

static void get(unsigned from, void *to, size_t bytes)
{
    char *at = to;

    for (ssize_t n; bytes; at += n, bytes -= (size_t)n)
        CHECK((n = read(line[rank][from], at, bytes)) > 0);
}

unsigned bk_transport_rank(void) { return rank; }
unsigned bk_transport_ranks(void) { return ranks; }
uint64_t bk_transport_bytes(void) { return 0; }
uint64_t bk_transport_sent(void) { return sent; }
void bk_transport_abandon(int status) { _exit(status); }

void bk_transport_open(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

void bk_transport_close(void) {}

void bk_transport_tell(void *x, size_t bytes, unsigned from)
{
    sent += rank == from ? bytes * (ranks - 1) : 0;
    for (unsigned r = 0; r < ranks; r++)
        if (r != from && rank == from)
            put(r, x, bytes);
        else if (r != from && rank == r)
            get(from, x, bytes);
}

/* Of every two the lower sends first; all of them come in the same order. */
void bk_transport_swap(const struct bk_parcel *out, const struct bk_parcel *in)
{
    for (unsigned a = 0; a < ranks; a++)
        for (unsigned b = a + 1; b < ranks; b++) {
            unsigned other = rank == a ? b : a;

            if (rank != a && rank != b)
                continue;
            if (rank == a)
                put(b, out[b].at, out[b].bytes);
            get(other, in[other].at, in[other].bytes);
            if (rank == b)
                put(a, out[a].at, out[a].bytes);
            sent += out[other].bytes;
        }
}

void bk_transport_numbers(const uint64_t *out, uint64_t *in, unsigned n)
{
    struct bk_parcel from[PROCESSES_MOST], to[PROCESSES_MOST];

    for (unsigned r = 0; r < ranks; r++) {
        from[r] = (struct bk_parcel){ (char *)(uintptr_t)&out[r * n], n * sizeof *out };
        to[r] = (struct bk_parcel){ (char *)&in[r * n], n * sizeof *in };
    }
    memcpy(&in[rank * n], &out[rank * n], n * sizeof *in);
    bk_transport_swap(from, to);
}

/* Calls `join` for each number of each rank; the first adds up, and tells. */
static void reduce(void *x, size_t n, void (*join)(void *x, const void *y, size_t i))
{
    uint64_t before = sent;
    uint64_t *other = malloc((n + 1) * sizeof *other);

    CHECK(other);
    for (unsigned r = 1; r < ranks; r++) {
        if (rank == r)
            put(0, x, n * sizeof *other);
        if (rank)
            continue;
        get(r, other, n * sizeof *other);
        for (size_t i = 0; i < n; i++)
            join(x, other, i);
    }
    bk_transport_tell(x, n * sizeof *other, 0);
    free(other);
    sent = before + bk_transport_reduced(n * sizeof *other, ranks);
}

static void join_max(void *x, const void *y, size_t i)
{
    int64_t *a = x;
    const int64_t *b = y;

    a[i] = b[i] > a[i] ? b[i] : a[i];
}

static void join_sum(void *x, const void *y, size_t i)
{
    ((uint64_t *)x)[i] += ((const uint64_t *)y)[i];
}

void bk_transport_max(int64_t *x, unsigned n) { reduce(x, n, join_max); }
void bk_transport_sum(uint64_t *x, size_t n) { reduce(x, n, join_sum); }

/* == Processes == */

void processes_run(unsigned n, void (*work)(void), int status[])
{
    pid_t pid[PROCESSES_MOST];

    ranks = n;
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++) {
            int pair[2];

            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
            line[a][b] = pair[0];
            line[b][a] = pair[1];
        }
    for (rank = 0; rank < n; rank++)
        if ((pid[rank] = fork()) == 0) {
            alarm(300);
            work();
            _exit(0);
        }
    for (unsigned r = 0; r < n; r++) {
        assert_int_equal(waitpid(pid[r], &status[r], 0), pid[r]);
        assert_true(WIFEXITED(status[r]));
        status[r] = WEXITSTATUS(status[r]);
    }
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = 0; b < n; b++)
            if (a != b)
                close(line[a][b]);
}

void processes_begin(void)
{
    int status = 77;

    CHECK(bk_ranks_wait(&status));
    bk_ranks_begin();
}
