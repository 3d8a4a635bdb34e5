/*
 * index_blocks.h - the blocks of an index, and what a step of each digit weighs.
 *
 * A block is a choice of a cell for every man, up to symmetry (index.h); a key made
 * of the cells tells which (bk_index_key()).
 */
#ifndef BK_INDEX_BLOCKS_H
#define BK_INDEX_BLOCKS_H

#include "table/index.h"

/*
 * Makes the blocks of an index whose slots, cells, symmetries and order are set, with their pairs,
 * digits and keys.  After a failure what has been made stays in ix, for bk_index_free().
 * Returns BK_OK; BK_E_USAGE (too many choices of cells); BK_E_SYSTEM (memory).
 */
enum bk_err bk_index_blocks_new(struct bk_index *ix, struct bk_report *why);

/* Numbers positions by another order of digits.  Nobody else may be asking. */
void bk_index_reorder(struct bk_index *ix, const uint8_t *order);

#endif
