/*
 * block_group.h - the blocks of a group, out of its arrays into their own.
 *
 * Files and views know of blocks only (kernel/deliver.h).  Where these have the
 * group's frame, codes go straight to them when they are made:
 * bk_block_lands_at_once().  Else finish() leaves codes in the group's arrays, and
 * each block is copied out.
 */
#ifndef BK_BLOCK_GROUP_H
#define BK_BLOCK_GROUP_H

#include "tb/solve/block_work.h"

/* Returns whether finish_group() may write the group's codes straight to its blocks. */
bool bk_block_lands_at_once(const struct bk_block_work *w);

/* Finds where each configuration of the group goes.  False: no memory. */
bool bk_block_find_landings(struct bk_block_work *w);

/* Copies out the blocks, unless finish_group() has delivered them.  False: no memory. */
bool bk_block_hand_over_group(struct bk_block_work *w);

/* Frees what is owned; of zeroes, too. */
void bk_block_release_handing(struct bk_block_handing *h);

#endif
