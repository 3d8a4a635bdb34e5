/*
 * moves_fit.h - how many moves there can be.
 *
 * The most that each man has from any square, by the geometry alone, times the men.
 */
#ifndef BK_MOVES_FIT_H
#define BK_MOVES_FIT_H

#include "core/move.h"

/* Are BK_MOVES_MAX moves enough for every position with these men?  False may be wrong: the number
   of moves is estimated from above. */
bool bk_moves_fit(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX]);

#endif
