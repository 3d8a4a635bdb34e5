/*
 * fairy_men.h - the men of a game in Fairy-Stockfish's variants.ini, and how they move.
 *
 * Where the Betza of "the program", Fairy-Stockfish, and ours differ a man is refused.
 */
#ifndef BK_FAIRY_MEN_H
#define BK_FAIRY_MEN_H

#include "core/fairy_value.h"

/* Reads all men from their keys.  False: what is wrong is told (fairy_value.h); so below. */
bool bk_fairy_read_pieces(struct bk_fairy_game *f);
/* Finds the royal piece: the king; or, without one, the one man whose loss loses. */
bool bk_fairy_read_royal(struct bk_fairy_game *f);

/* Returns the type of the piece that has this key; -1: there is none. */
int bk_fairy_piece_named(const struct bk_variant *v, const char *name);

#endif
