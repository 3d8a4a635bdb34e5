/*
 * block_job.h - which blocks are solved together, and by which threads.
 */
#ifndef BK_BLOCK_JOB_H
#define BK_BLOCK_JOB_H

#include "tb/kernel/tally.h"
#include "tb/memory/pool.h"
#include "tb/solve/order.h"

struct bk_blocks {
    const uint32_t *block; /* one block, or the blocks of a group */
    uint32_t n;
    const struct bk_group *group; /* NULL: one block */
    struct bk_pool *pool;         /* NULL: in this thread */
    bool apart;                   /* others are being solved at the same time: no progress is told,
                                     no checkpoint made */
    struct bk_tally *tally;       /* the blocks' counts are added to it */
};

#endif
