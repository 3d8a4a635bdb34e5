/*
 * index_pairs.h - the slices of a block: pairs of king squares, up to symmetry.
 *
 * Pairs whose kings attack each other do not exist; nor do those in which a king
 * with a castling right is not at home.  Of all images of a pair under a group of
 * symmetries the least is a slice (docs/index.md 3).
 *
 * Cost: squares^2 pairs, times the symmetries; once a group.
 */
#ifndef BK_INDEX_PAIRS_H
#define BK_INDEX_PAIRS_H

#include "table/index.h"

/* Has this side castling rights, and its king is not at home on `sq`? */
bool bk_index_king_strays(const struct bk_index *ix, unsigned colour, unsigned sq);

/* Returns the king pairs of a material under a group of symmetries, a mask; owned.  ix->map is
   set.  NULL: no memory. */
struct bk_pairs *bk_index_pairs_new(const struct bk_index *ix, unsigned group);
void bk_index_pairs_free(struct bk_pairs *p); /* NULL is fine */

#endif
