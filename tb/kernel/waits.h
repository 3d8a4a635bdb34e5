/*
 * waits.h - positions that wait for a ply of their own.
 *
 * An exit wins, or ends what it delays, at its own ply, whatever moved before:
 * masks of plies / 2 say of a configuration, a vector and a slice at which plies
 * something in them is to be looked at.  Wins that wait and losses are told apart
 * by vectors and slices: most that waits is to be won, so that even plies
 * would look at five times as many configurations as have anything for them.
 */
#ifndef BK_KERNEL_WAITS_H
#define BK_KERNEL_WAITS_H

#include "tb/kernel/slice.h"

/* The masks of a slice's vectors, for odd plies or for even ones. */
static inline uint64_t *vector_waits_of(const struct bk_setup *s, const struct bk_state *st,
                                        unsigned side, bool losses, uint32_t slice)
{
    return (uint64_t *)bk_state_slice(st, BK_VECTOR_WAITS, side, slice) + (losses ? s->nvec : 0);
}

/* Notes that positions of a configuration wait, to be won or to be lost, for the plies of the mask
   `waits`, the last of them 2 * most. */
static void note_wait(const struct ctx *c, struct bk_state *st, unsigned side, bool losses,
                      uint32_t conf, uint64_t waits, unsigned most)
{
    ((uint64_t *)bk_state_slice(st, BK_WAITS, side, c->slice))[conf] |= waits;
    vector_waits_of(c->s, st, side, losses, c->slice)[conf / LANES] |= waits;
    *bk_state_waits(st, side, losses, c->slice) |= waits;
    bk_raise_to(&st->last_wait, most);
}

#endif
