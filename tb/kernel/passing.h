/*
 * passing.h - en passant.
 *
 * A man that goes two squares may be taken by an enemy pawn as if it had gone
 * one.  The position after the double step is worth what it is worth without
 * that right, or what the best such capture brings the opponent, if that is
 * more; and where the opponent had no other move at all, what it brings him.
 */
#ifndef BK_PASSING_H
#define BK_PASSING_H

#include "tb/kernel/setup.h"

/* A double step by an exit, from one square to another, for all positions of the free men `men`. */
struct bk_double_step {
    const struct bk_exit *exit; /* of s */
    uint8_t from, to;
    const struct bk_placement *after; /* every man that is not free, the mover on `to` */
    const struct bk_free_man *men;
    unsigned nfree;
};

/*
 * Corrects view[], the scores of all positions of the free men (mixed radix)
 * after the step, where the step can be answered en passant.  Does nothing if
 * it is no double step or nobody can answer it.
 */
void bk_passing_correct(const struct bk_setup *s, const struct bk_double_step *d, int16_t *view);

#endif
