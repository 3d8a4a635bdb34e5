/*
 * attack.h - attacks on a square, and check.
 *
 * Cost: for each type of man one scan of the moves into the square, a few dozen comparisons in all.
 */
#ifndef BK_ATTACK_H
#define BK_ATTACK_H

#include "core/position.h"

/* Does `colour` attack `sq` (could it capture a man of the other colour there)? */
bool bk_attacked(const struct bk_variant *v, const struct bk_pos *p, unsigned sq, unsigned colour);
/* Is the royal of `colour` attacked? */
bool bk_in_check(const struct bk_variant *v, const struct bk_pos *p, unsigned colour);
/* True if the side that has just moved is not in check. */
bool bk_pos_legal(const struct bk_variant *v, const struct bk_pos *p);

#endif
