/*
 * block_hand.h - a solved block, or those of a group, to the table and to whoever reads it.
 */
#ifndef BK_BLOCK_HAND_H
#define BK_BLOCK_HAND_H

#include "tb/solve/block_work.h"

/* Moves the values of the blocks to the table, and adds up their counts unless they are shared. */
enum bk_err bk_block_hand_over(struct bk_block_work *w, struct bk_report *why);

/* Hands over a shared block: slices go from their owners to the processes that want them.  Without
   an inner man bits of several slices share words: then every process gets all slices first. */
enum bk_err bk_block_hand_over_shared(struct bk_block_work *w, struct bk_report *why);

#endif
