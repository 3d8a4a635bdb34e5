/*
 * index_cells.h - the cells of a man: sets of squares within which it moves to and fro.
 *
 * What a cell is for, and examples: index.h.
 */
#ifndef BK_INDEX_CELLS_H
#define BK_INDEX_CELLS_H

#include "table/index.h"

/* Returns the cells of the man in a slot, whose type, colour and right are set; owned, by free().
   NULL: no memory. */
struct bk_cells *bk_index_cells_new(const struct bk_index *ix, unsigned slot);

#endif
