/*
 * block_prepare.h - what a block or group needs before its first ply: a setup, arrays for its
 * state and what threads have of their own.
 *
 * A ledger's state takes budget_of() bytes at most: where that is not enough,
 * slices are paged.
 */
#ifndef BK_BLOCK_PREPARE_H
#define BK_BLOCK_PREPARE_H

#include "tb/solve/block_work.h"
#include "tb/solve/prepare.h"

/* Returns what the setup of the block, or group, is made from. */
struct bk_setup_request bk_block_request(const struct bk_block_work *w);

/* Makes w->setup, with its exits. */
enum bk_err bk_block_prepare(struct bk_block_work *w, struct bk_report *why);

/* Allocates arrays, scratch and tallies. */
enum bk_err bk_block_allocate(struct bk_block_work *w, struct bk_report *why);

/* Returns the memory that goes from one block's state to the next one's; NULL: this one's does not.
 */
struct bk_spares *bk_block_spares(const struct bk_block_work *w);

/* Allocates arrays for the values of a block, where those of its state are not handed on. */
bool bk_block_make_room(const struct bk_block_work *w, const struct bk_setup *s,
                        struct bk_memblock *mb);

#endif
