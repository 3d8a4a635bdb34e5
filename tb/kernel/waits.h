/*
 * waits.h - positions that wait for a ply of their own.
 *
 * An exit wins, or ends what it delays, at its own ply, whatever moved before:
 * masks of plies / 2 say of a configuration, a vector and a slice at which plies
 * something in them is to be looked at.
 */
#ifndef BK_KERNEL_WAITS_H
#define BK_KERNEL_WAITS_H

#include "tb/kernel/slice.h"

static inline uint64_t wait_bit(unsigned k) { return UINT64_C(1) << (k < 63 ? k : 63); }

/* Something in this configuration waits for the plies of `waits`, the last of them 2 * most. */
static void note_wait(const struct ctx *c, struct bk_state *st, unsigned side, uint32_t conf,
                      uint64_t waits, unsigned most)
{
    uint64_t *slice = bk_state_slice(st, BK_SLICE_WAITS, side, c->slice);

    ((uint64_t *)bk_state_slice(st, BK_WAITS, side, c->slice))[conf] |= waits;
    ((uint64_t *)bk_state_slice(st, BK_VECTOR_WAITS, side, c->slice))[conf / LANES] |= waits;
    *slice |= waits;
    bk_raise_to(&st->last_wait, most);
}

#endif
