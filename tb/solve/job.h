/*
 * job.h - what is asked of the solver, and who is told how it goes.
 */
#ifndef BK_JOB_H
#define BK_JOB_H

#include "tb/kernel/kernel.h"
#include "tb/memory/checkpoint.h"
#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"
#include "tb/solve/exits.h"
#include "tb/solve/order.h"
#include "tb/solve/owners.h"

struct bk_progress {
    uint32_t ply;
    uint64_t positions; /* solved so far, both sides */
};

/* What processes would send each other after a ply of a block that they share, or of a group. */
struct bk_news {
    uint32_t block, ply; /* the first block */
    uint64_t bytes;      /* of all processes, packed; without what MPI and the network add */
};

/* Who is told of a table as it is solved, by the caller's thread; any of them NULL is fine. */
struct bk_sink {
    void *context;
    /* The table's order of digits and code_bytes are set.  Once more if distances turn out to be
       longer than one byte holds: then nothing of what was solved counts. */
    enum bk_err (*begin)(void *context, struct bk_report *why);
    enum bk_err (*solved)(void *context, const uint32_t *block, uint32_t n, struct bk_report *why);
    /* What the sink has so far, in order to go on from there; and after begin() the same back,
       false when it cannot. */
    void (*save)(void *context, struct bk_writer *w);
    bool (*load)(void *context, struct bk_reader *r);
    /* Of several processes (memory/ranks.h) those that encode what `side` to move is worth in a
       slice of a block, a bit each; NULL: nobody does. */
    uint64_t (*readers)(void *context, uint32_t block, uint32_t slice, unsigned side);
    void (*progress)(void *context, const struct bk_progress *p);
    void (*note)(void *context, const char *text); /* what is no error */
    void (*news)(void *context, const struct bk_news *n);
};

struct bk_solve_job {
    struct bk_memtable *t; /* filled: codes of every block that was not let go */
    const struct bk_kernel *kernel;
    struct bk_exit_tables tables; /* where exits lead to; `own` is t */
    bool distances;
    bool attain; /* fill bk_memblock.attained of every block */
    enum bk_strategy strategy;
    bool let_go;    /* free a block once it is `encoded` and nothing to be solved leads to it */
    unsigned k_max; /* plies / 2 that one byte may hold, for tests; 0: as many as it can */
    uint64_t sets_bytes; /* of a block with a ledger, in memory, for tests; 0: as the limit says */
    const struct bk_sink *sink;
    const struct bk_checkpoint *checkpoint; /* NULL: none */
    struct bk_pool *pool;
    const struct bk_owners
        *owners; /* of several processes that solve it together; NULL: one does */
    const struct bk_owners
        *as; /* one process: `news` is told of what so many would send each other; else NULL */
    const struct bk_reading *reading; /* which of its slices they keep; NULL: all of them all */
    const volatile int *stop;         /* set by a signal: give up with BK_E_SYSTEM */
    const volatile int *finish; /* the same between two plies or blocks, after a checkpoint; NULL is
                                   fine */
};

#endif
