/*
 * symmetry.h - the turns and reflections of a board, and whether they keep its rules.
 */
#ifndef BK_SYMMETRY_H
#define BK_SYMMETRY_H

#include "core/variant.h"

/* The eight symmetries: bit 0 mirrors the files, bit 1 the ranks, bit 2 then
   exchanges files and ranks.  0 is the identity. */
#define BK_SYMMETRIES 8

/* map[sq] = image; false when the board (with its holes) is not invariant. */
bool bk_symmetry_map(const struct bk_variant *v, unsigned sym, uint8_t map[BK_SQ_MAX]);
/* The symmetries that keep all rules of a piece, for both colours, as a mask: bit `sym`.  The game
   keeps it in v->keeps[type]. */
uint8_t bk_symmetries_of(const struct bk_variant *v, unsigned type);
/* Does `sym` keep all rules of a piece? */
static inline bool bk_symmetry_keeps(const struct bk_variant *v, unsigned type, unsigned sym)
{
    return v->keeps[type] >> sym & 1;
}

#endif
