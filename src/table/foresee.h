/*
 * foresee.h - what a question will read, noted ahead of time.
 *
 * Settling (settle.h) asks one thing after the other: each answer says whether the next is needed.
 * Of a disk that is best.  Of a host who brings bytes from afar (host.h) each step would be a
 * journey of its own; so where a question has failed for want of bytes, everything is touched that
 * its answer may want, past all that is not there yet:
 *
 *      the position's wdl, what its exits bring, and its distance, if a win is likely by the model
 *      once it is known to be lost, or likely to be: the distances of all positions that its moves
 *      lead to, and once it is known, of what their exits lead to, as if that were lost
 *
 * Touching too little costs another journey, too much costs bytes; no answer depends on it.
 */
#ifndef BK_FORESEE_H
#define BK_FORESEE_H

#include "table/settle.h"

/* p: legal.  distances: they will be asked.  Notes needs, and nothing else; in a visit. */
void bk_foresee(const struct bk_tables *t, const struct bk_pos *p, bool distances);

#endif
