/*
 * prepare.h - a block's solver, ready for a kernel: everything as plain arrays.
 *
 * Which man is the inner one, the quiet moves of the others as differences of
 * configuration numbers, the kings' moves from slice to slice.  Ways out are
 * apart: exits.h.
 */
#ifndef BK_PREPARE_H
#define BK_PREPARE_H

#include "tb/kernel/state.h"

/* Sorts the men of s->b into inner, outer and fixed ones, and the sizes that follow.  s: zero but
   for v, ix and b. */
void bk_solver_sort_men(struct bk_solver *s);

/* How the solver lays out this block's codes, or its two bitmaps: there a set is a row. */
void bk_solver_lay_out_codes(const struct bk_solver *s, struct bk_memblock *mb,
                             unsigned code_bytes);

/*
 * Everything but the state: men, moves, configurations.
 *
 * for_kernel  compile moves even if only kings move
 * first       of the chain, whose kings' moves this one borrows; or NULL
 * Owned: bk_solver_free().  NULL: no memory.
 */
struct bk_solver *bk_solver_new(const struct bk_index *ix, uint32_t block,
                                const struct bk_kernel *k, bool for_kernel,
                                const struct bk_solver *first);

/* The state, and scratch for so many threads if it borrows none.  False: no memory. */
bool bk_solver_allocate(struct bk_solver *s, const struct bk_kernel *k, unsigned threads,
                        struct bk_spares *spares);

/* spares: get what can be used again; NULL: nobody does. */
void bk_solver_free(struct bk_solver *s, unsigned threads, struct bk_spares *spares);

#endif
