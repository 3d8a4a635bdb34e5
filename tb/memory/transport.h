/*
 * transport.h - what several processes that make a table together say to each
 * other: the few calls that need MPI.
 *
 * There are two versions.  transport.c is for one process, in every ordinary
 * program; tb/transport_mpi.c is for several, in bareking-mpi, and nothing else
 * knows of MPI.  Processes are numbered, `ranks`; every call but the first
 * three is made by all of them, in the same order, each by its main thread.
 *
 * A process that is lost, or that ends while others wait for it, ends them all.
 */
#ifndef BK_TRANSPORT_H
#define BK_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

struct bk_parcel { /* of memory */
    char *at;
    size_t bytes;
};

unsigned bk_transport_rank(void);
unsigned bk_transport_ranks(void);
/* Memory that the transport takes where there is but one process. */
uint64_t bk_transport_bytes(void);
/* This process cannot go on: ends all of them with this exit status.  It has said why. */
_Noreturn void bk_transport_abandon(int status);

/* First and last of all; argc and argv may lose what is MPI's. */
void bk_transport_open(int *argc, char ***argv);
void bk_transport_close(void);

/* Returns what each of `ranks` processes is taken to send when `bytes` bytes of numbers are
   reduced: a part to each other, and of its own part the result to each. */
static inline uint64_t bk_transport_reduced(uint64_t bytes, unsigned ranks)
{
    return 2 * bytes / ranks * (ranks - 1);
}

/* Bytes this process has sent so far, by the arguments of the calls below: what is told counts once
   for each receiver, at the sender; numbers that are reduced, as above. */
uint64_t bk_transport_sent(void);

/* Replace each number by the largest one, or by the sum, of all ranks. */
void bk_transport_max(int64_t *x, unsigned n);
void bk_transport_sum(uint64_t *x, size_t n);
/* Copies so many bytes at x from rank `from` to all others. */
void bk_transport_tell(void *x, size_t bytes, unsigned from);
/* out[r], a number for rank r, arrives there as its in[me]; each n numbers. */
void bk_transport_numbers(const uint64_t *out, uint64_t *in, unsigned n);
/* Sends out[r] to rank r; in[]: memory for as many bytes as come.  A rank's own are not touched. */
void bk_transport_swap(const struct bk_parcel *out, const struct bk_parcel *in);

#endif
