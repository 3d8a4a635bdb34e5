/*
 * terrain.h - the same pieces on another board, as a FEN shows it.
 *
 * The Destruction of Atlantis: `*` in a FEN is sea.  While nothing changes the
 * terrain, a mask of it is a board like any other, and a game on it a variant:
 * derived from its base, named after both, with tables of its own.
 */
#ifndef BK_TERRAIN_H
#define BK_TERRAIN_H

#include "core/finish.h"

struct bk_terrain {
    uint8_t files, ranks;
    struct bk_bits board;
};

/*
 * Reads the board of a FEN.  False where the FEN is for the base's own board,
 * or for none: ragged, or with another number of ranks but no `*`, which is a
 * slip of the pen far more often than a terrain.  Such a FEN is for
 * bk_pos_from_fen() with the base, which tells what is wrong.  Cheap: no table is touched.
 */
bool bk_terrain_read(struct bk_terrain *t, const struct bk_variant *base, const char *fen);

/* The base's pieces and rules on that board: see docs/rules.md, "The
   Destruction of Atlantis".  *out is owned: bk_variant_free().
   BK_E_USAGE: the rules make no sense there. */
enum bk_err bk_variant_on(struct bk_variant **out, const struct bk_variant *base,
                          const struct bk_terrain *t, struct bk_report *why);

#endif
