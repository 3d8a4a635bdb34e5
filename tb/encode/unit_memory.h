/*
 * unit_memory.h - the memory that encoding a unit takes: foretold, and kept to.
 *
 * Learning takes the most, so the rest may take as much, or more if the caller has more;
 * remembered cells fill what is left of it beside counts, codes and questions.
 */
#ifndef BK_UNIT_MEMORY_H
#define BK_UNIT_MEMORY_H

#include "tb/encode/unit_job.h"

struct bk_unit_run; /* unit_run.h */

/*
 * What bk_unit_encode() takes at its worst with so many threads.  How many leaves there will be,
 * and how often a row is asked something, is not known: that share is measured.
 */
struct bk_unit_memory {
    uint64_t columns;  /* what is learned from; there until the tree is grown */
    uint64_t sampling; /* besides, while they are filled */
    uint64_t writing;  /* afterwards, in their place */
    uint64_t own;      /* with a spill: what does not go there */
};
struct bk_unit_memory bk_unit_memory(const struct bk_unit_size *n,
                                     const struct bk_unit_options *options, unsigned threads);

/* Returns the bytes that remembered cells may take beside `counts` bytes of counts and what
   questions meet, which is there before the counts are freed: for distances a third of these,
   measured.  0 where memory is short. */
size_t bk_unit_room_for_cells(const struct bk_unit_run *u, uint64_t counts);

/* Returns how many pieces are asked next: one a thread, or as many more as fit what
   bk_unit_memory() estimates.  For few tables that is not four a thread: Grand KMvKN's took 1.5
   times the estimate. */
uint32_t bk_unit_pieces_at_once(const struct bk_unit_run *u);

#endif
