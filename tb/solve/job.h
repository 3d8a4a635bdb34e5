/*
 * job.h - what the solver is asked to do, and the functions that tell of its
 * progress.
 */
#ifndef BK_JOB_H
#define BK_JOB_H

#include "tb/kernel/kernel.h"
#include "tb/memory/checkpoint.h"
#include "tb/memory/memtable.h"
#include "tb/memory/meter.h"
#include "tb/memory/pool.h"
#include "tb/memory/ranks.h"
#include "tb/solve/exits.h"
#include "tb/solve/order.h"
#include "tb/solve/owners.h"

struct bk_progress {
    uint32_t ply;
    uint64_t positions; /* solved so far, both sides */
};

/* The bytes that processes would send each other after a ply of a block that they share, or of a
   group. */
struct bk_news {
    uint32_t block, ply; /* the block, or the first of the group */
    uint64_t bytes;      /* of all processes, packed; without what MPI and the network add */
};

/* Called in the caller's thread as a table is solved; any of the functions may be NULL. */
struct bk_sink {
    void *context;
    /* Solving begins: the table's order of digits and code_bytes are set.  Called once more if
       distances turn out to be longer than one byte holds: then all earlier results are void. */
    enum bk_err (*begin)(void *context, struct bk_report *why);
    enum bk_err (*solved)(void *context, const uint32_t *block, uint32_t n, struct bk_report *why);
    /* Writes what the sink has so far to a checkpoint; load() reads it back after begin(), and
       returns false if it cannot. */
    void (*save)(void *context, struct bk_writer *w);
    bool (*load)(void *context, struct bk_reader *r);
    /* Returns those of several processes (memory/ranks.h), a bit each, that encode what `side` to
       move is worth in a slice of a block; NULL: none does. */
    uint64_t (*readers)(void *context, uint32_t block, uint32_t slice, unsigned side);
    void (*progress)(void *context, const struct bk_progress *p);
    void (*note)(void *context, const char *text); /* a message that is no error */
    void (*news)(void *context, const struct bk_news *n);
};

/*
 * A dry run (docs/memory.md): the arena is dry, the pool too, exits are not looked for and plies
 * not run.  What the table takes is in the arena afterwards, and here.
 */
struct bk_dry {
    struct bk_arena *arena; /* this thread's */
    uint64_t room;          /* set: bytes of the state that one piece of work of each thread
                               touches */
    bool groups;            /* set: some blocks are solved in groups */
    /* Of several processes, which solve all blocks of the table together, the one that takes most:
     */
    struct bk_some_ranks some; /* of these */
    double kept;               /* of the values, how much it reads: bk_share_kept() */
    double (*encodes)(const void *context,
                      uint32_t block); /* and how much of a block's it encodes */
    const void *context;
};

struct bk_solve_job {
    struct bk_memtable *t; /* filled: codes of every block that was not let go */
    const struct bk_kernel *kernel;
    struct bk_exit_tables tables; /* where exits lead to; `own` is t */
    bool distances;
    bool attain; /* fill bk_memblock.attained of every block */
    enum bk_strategy strategy;
    bool let_go;    /* free a block once it is `encoded` and nothing to be solved leads to it */
    unsigned k_max; /* k (state.h) that one byte may hold, for tests; 0: as many as it can */
    uint64_t sets_bytes; /* with a ledger: bytes of sets in memory, for tests; 0: by the limit */
    const struct bk_sink *sink;
    struct bk_meter *meter;                 /* told how far solving is; NULL is fine */
    const struct bk_checkpoint *checkpoint; /* NULL: none */
    struct bk_pool *pool;
    const struct bk_owners
        *owners; /* who owns which slices, if several processes solve it together; NULL: one does */
    const struct bk_owners
        *as; /* one process: `news` is told of what these owners would send each other; else NULL */
    struct bk_dry *dry;               /* NULL: the table is solved */
    const struct bk_reading *reading; /* which slices of the table each process keeps; NULL: all */
    const volatile int *stop;         /* set by a signal: give up with BK_E_SYSTEM */
    const volatile int *finish; /* the same, but between two plies or blocks, after a checkpoint;
                                   NULL is fine */
};

#endif
