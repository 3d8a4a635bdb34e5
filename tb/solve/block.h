/*
 * block.h - solves one block, or those of a group, ply after ply.
 */
#ifndef BK_SOLVE_BLOCK_H
#define BK_SOLVE_BLOCK_H

#include "tb/kernel/tally.h"
#include "tb/memory/pool.h"
#include "tb/solve/order.h"
#include "tb/solve/run.h"

/* Which blocks are solved together, and by which threads. */
struct bk_blocks {
    const uint32_t *block; /* one block, or the blocks of a group */
    uint32_t n;
    const struct bk_group *group; /* NULL: one block */
    struct bk_pool *pool;         /* NULL: in this thread */
    bool apart;                   /* other blocks are being solved at the same time: this one tells
                                     no progress and makes no checkpoint */
    struct bk_tally *tally;       /* the blocks' counts are added to it */
};

/*
 * Solves the blocks.  Their codes are then in the table, which keeps nothing of
 * them on failure.  A distance that does not fit sets run->too_far and is an
 * error.
 */
enum bk_err bk_blocks_solve(struct bk_run *run, const struct bk_blocks *b, struct bk_report *why);

/* The same in a dry run, for a block by itself.  b->pool: dry.  Blocks that are alike are done
   once. Returns its kind, by which it took memory; NULL: no memory, *err says so. */
const struct bk_dry_kind *bk_block_measure(struct bk_run *run, const struct bk_blocks *b,
                                           enum bk_err *err, struct bk_report *why);

#endif
