/*
 * transport_mpi.c - several processes, by MPI: see memory/transport.h.
 *
 * Messages are two-sided: over TCP a one-sided read from a process that computes
 * waits until it has computed.  Counts of MPI are ints, so that long messages go
 * in parts.  Faults are MPI's to tell: its default is to end all processes.
 *
 * A process that waits for the others sleeps, a little longer each time.  MPI
 * alone would ask again and again, which takes a core from whoever is waited
 * for when there are more processes than cores.
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "tb/memory/transport.h"

#define PART ((size_t)1 << 30) /* bytes of a message */

static int rank, ranks = 1;
static uint64_t sent;

unsigned bk_transport_rank(void) { return (unsigned)rank; }
unsigned bk_transport_ranks(void) { return (unsigned)ranks; }

void bk_transport_abandon(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    abort();
}

/* How requests are waited for: tested AT_ONCE times in a row, then after pauses of 10 us to 1 ms.
   Testing more often would be quicker by microseconds a ply, and take the core from the process
   that is waited for. */
enum { AT_ONCE = 20, PAUSE_LEAST = 10000, PAUSE_MOST = 1000000 };

static void wait_for(int n, MPI_Request *request)
{
    long pause = PAUSE_LEAST;
    int done = 0;

    for (unsigned asked = 0; MPI_Testall(n, request, &done, MPI_STATUSES_IGNORE), !done; asked++)
        if (asked >= AT_ONCE) {
            const struct timespec t = { .tv_nsec = pause };

            nanosleep(&t, NULL);
            pause = pause < PAUSE_MOST ? pause + pause / 2 : PAUSE_MOST;
        }
}

void bk_transport_open(int *argc, char ***argv)
{
    int threads;

    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

void bk_transport_close(void) { MPI_Finalize(); }

uint64_t bk_transport_sent(void) { return sent; }
uint64_t bk_transport_bytes(void) { return UINT64_C(18) << 20; } /* measured, Open MPI 4.1 */

void bk_transport_max(int64_t *x, unsigned n)
{
    MPI_Request request;

    sent += bk_transport_reduced(n * sizeof *x, (unsigned)ranks);
    MPI_Iallreduce(MPI_IN_PLACE, x, (int)n, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
    wait_for(1, &request);
}

void bk_transport_sum(uint64_t *x, size_t n)
{
    const size_t most = PART / sizeof *x;

    sent += bk_transport_reduced(n * sizeof *x, (unsigned)ranks);
    for (size_t part; n; n -= part, x += part) {
        MPI_Request request;

        part = n < most ? n : most;
        MPI_Iallreduce(MPI_IN_PLACE, x, (int)part, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
        wait_for(1, &request);
    }
}

void bk_transport_tell(void *x, size_t bytes, unsigned from)
{
    char *at = x;

    sent += from == bk_transport_rank() ? bytes * (uint64_t)(ranks - 1) : 0;
    for (size_t part; bytes; bytes -= part, at += part) {
        MPI_Request request;

        part = bytes < PART ? bytes : PART;
        MPI_Ibcast(at, (int)part, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
        wait_for(1, &request);
    }
}

void bk_transport_numbers(const uint64_t *out, uint64_t *in, unsigned n)
{
    MPI_Request request;

    sent += n * sizeof *out * (uint64_t)(ranks - 1);
    MPI_Ialltoall(out, (int)n, MPI_UINT64_T, in, (int)n, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    wait_for(1, &request);
}

/* With each other rank in turn: in step k with the one k on, and the one k back. */
void bk_transport_swap(const struct bk_parcel *out, const struct bk_parcel *in)
{
    for (int k = 1; k < ranks; k++) {
        int to = (rank + k) % ranks, from = (rank - k + ranks) % ranks;
        size_t put = out[to].bytes, get = in[from].bytes;

        sent += put;
        for (size_t at = 0; at < put || at < get; at += PART) {
            size_t send = at >= put ? 0 : put - at < PART ? put - at : PART;
            size_t receive = at >= get ? 0 : get - at < PART ? get - at : PART;
            MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };

            if (receive)
                MPI_Irecv(in[from].at + at, (int)receive, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                          &request[0]);
            if (send)
                MPI_Isend(out[to].at + at, (int)send, MPI_BYTE, to, 0, MPI_COMM_WORLD, &request[1]);
            wait_for(2, request);
        }
    }
}
