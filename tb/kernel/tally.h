/*
 * tally.h - what solved blocks add up to.
 */
#ifndef BK_TALLY_H
#define BK_TALLY_H

#include "table/index.h"

/* Where a side's longest result is, to be reported by the table. */
struct bk_longest {
    int plies; /* -1: none */
    struct bk_placement at;
    uint64_t number; /* of equal ones the lowest is kept */
};

/* [side to move] */
struct bk_tally {
    uint64_t win[2], draw[2], loss[2];             /* one a symmetry class */
    uint64_t all_win[2], all_draw[2], all_loss[2]; /* all placements */
    struct bk_longest longest_win[2], longest_loss[2];
};

void bk_tally_init(struct bk_tally *t);
void bk_tally_add(struct bk_tally *into, const struct bk_tally *from);

#endif
