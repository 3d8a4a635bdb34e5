/*
 * block.h - solves one block, or those of a group, ply after ply.
 */
#ifndef BK_SOLVE_BLOCK_H
#define BK_SOLVE_BLOCK_H

#include "tb/solve/block_job.h"
#include "tb/solve/run.h"

/*
 * Solves the blocks.  Their codes are then in the table, which keeps nothing of
 * them on failure.  A distance that does not fit sets run->too_far and is an
 * error.
 */
enum bk_err bk_blocks_solve(struct bk_run *run, const struct bk_blocks *b, struct bk_report *why);

#endif
