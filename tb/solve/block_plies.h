/*
 * block_plies.h - ply after ply over all slices of a block or group.
 */
#ifndef BK_BLOCK_PLIES_H
#define BK_BLOCK_PLIES_H

#include "tb/solve/block_work.h"

/* Runs ply after ply until two in turn find nothing and nothing waits; goes on from a checkpoint if
   it has the block. */
enum bk_err bk_block_iterate(struct bk_block_work *w, struct bk_report *why);

#endif
