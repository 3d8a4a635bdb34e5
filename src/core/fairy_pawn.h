/*
 * fairy_pawn.h - pawns in Fairy-Stockfish's variants.ini: promotion, double steps, en passant.
 *
 * "The program", Fairy-Stockfish, has defaults that differ between its versions where the board has
 * not eight ranks (where pawns promote, from where they go two).  There we ask for the key rather
 * than guess.
 */
#ifndef BK_FAIRY_PAWN_H
#define BK_FAIRY_PAWN_H

#include "core/fairy_value.h"

/* Reads all that is said of the piece with the key `pawn`, if there is one, after the array.
   False: what is wrong is told (fairy_value.h). */
bool bk_fairy_read_pawn(struct bk_fairy_game *f);

#endif
