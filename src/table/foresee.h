/*
 * foresee.h - the bytes that a question will read, noted ahead of time.
 *
 * Settling (settle.h) asks one thing after the other: each answer says whether the next is needed.
 * For a disk that is best.  With a host that brings bytes from afar (readers.h) each step would be
 * a round trip of its own.  So if a question has failed for want of bytes, all bytes that its
 * answer may need are noted as needed, even those of later steps:
 *
 *      the position's wdl, what its exits bring, and its distance, if a win is likely by the model
 *      once it is known to be lost, or likely to be: the distances of all positions that its moves
 *      lead to, and once it is known, of what their exits lead to, as if that were lost
 *
 * Touching too little costs another round trip, too much costs bytes; no answer depends on it.
 */
#ifndef BK_FORESEE_H
#define BK_FORESEE_H

#include "table/settle.h"

/* Notes the bytes that settling `p`, which is legal, will read, and does nothing else.  The caller
   is in a read section.  distances: they will be asked for. */
void bk_foresee(const struct bk_tables *t, const struct bk_pos *p, bool distances);

#endif
