/*
 * perft.h - counts the legal move tree, the yardstick of move generators.
 */
#ifndef BK_PERFT_H
#define BK_PERFT_H

#include "core/position.h"

/* Leaf count of the legal move tree; a bared king plays on. */
uint64_t bk_perft(const struct bk_variant *v, const struct bk_pos *p, unsigned depth);

#endif
