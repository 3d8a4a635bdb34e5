/*
 * reach.h - how a man moves, for a picture of it: a white man in the middle of the game's board.
 */
#ifndef BK_EXPLORE_REACH_H
#define BK_EXPLORE_REACH_H

#include <jansson.h>

#include "core/variant.h"

/*
 * Returns { at, goes, takes }, owned: the square where he stands, those that he can go to on an
 * empty board, and those on which he can take a man who stands there alone, or, of a man who takes
 * on his way, who is taken.  Castling, en passant and double steps are left out.  NULL: no memory.
 * Cost: some 10 us a square.
 */
json_t *ex_reach(const struct bk_variant *v, unsigned type);

#endif
