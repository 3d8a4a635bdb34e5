/*
 * prepare.h - makes a block's setup: everything as plain arrays, for a kernel.
 *
 * Which man is the inner one, the quiet moves of the others as differences of
 * configuration numbers, the kings' moves from slice to slice.  Exits are apart:
 * exits.h.
 */
#ifndef BK_PREPARE_H
#define BK_PREPARE_H

#include "tb/kernel/kernel.h"
#include "tb/kernel/setup.h"
#include "tb/solve/order.h"

/* A block of fewer configurations keeps no ledger. */
#define BK_LEDGER_FROM 16

struct bk_setup_request {
    const struct bk_index *ix;    /* borrowed */
    uint32_t block;               /* the block; of a group, the first one */
    const struct bk_group *group; /* borrowed; NULL: the block by itself */
    const struct bk_kernel *kernel;
    bool distances, attains;
    bool compact; /* asks for bk_setup.compact; with distances only together with .ledger, where
                     that can be */
    unsigned dtw_bytes, k_limit; /* 0 without distances */
    unsigned nmove;              /* distances to zeroing: plies of the n-move rule; 0: to the end */
    bool to_count;               /* prepares configurations, but no moves */
};

/* Can this man's squares be the bits of a word?  It must have one cell and one way to move. */
bool bk_setup_can_be_inner(const struct bk_index *ix, unsigned slot);

/* Returns whether the configurations of all the table's blocks can be numbered: 8 men of more than
   73 squares each have too many. */
bool bk_setup_can_be(const struct bk_index *ix);

/* Sets `s` to a setup with men sorted into inner, outer and fixed ones, and the sizes that follow:
   nothing to free. */
void bk_setup_init(struct bk_setup *s, const struct bk_setup_request *r);

/* Makes a setup with everything but the exits.  Owned: bk_setup_free().  NULL: no memory. */
struct bk_setup *bk_setup_new(const struct bk_setup_request *r);
void bk_setup_free(struct bk_setup *s); /* NULL is fine */

/* Turns a setup in which only kings move, with its exits, into that of another such block of its
   table.  False: men move there. */
bool bk_setup_move(struct bk_setup *s, uint32_t block);

/* Visits every change that a man may make, BK_STAYS included, on every square of the board: where
   it arrives, and in place. */
typedef void bk_visit_change(void *context, unsigned slot, const struct bk_change *change,
                             unsigned sq, bool in_place);
void bk_each_change(const struct bk_index *ix, unsigned slot, bk_visit_change *visit,
                    void *context);

/* Sets in `mb` how a block's codes lie, or its two bitmaps, in which a set is a row.  taken: copied
   out of a group, else they are the solver's own, with slices that fill up vectors. */
void bk_setup_lay_out_codes(const struct bk_setup *s, const struct bk_kernel *k, bool taken,
                            struct bk_memblock *mb, unsigned code_bytes);

#endif
