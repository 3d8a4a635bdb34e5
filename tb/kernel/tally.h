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
    uint64_t number; /* within its block */
    uint32_t block, advance;
};

/*
 * Returns whether x is kept rather than y: the longer one, else that of the
 * lower number, else that of the block which is solved first if blocks are
 * solved one by one.  So the result is the same in whatever order they are
 * solved.
 */
static inline bool bk_longest_before(const struct bk_longest *x, const struct bk_longest *y)
{
    if (x->plies != y->plies)
        return x->plies > y->plies;
    if (x->number != y->number)
        return x->number < y->number;
    if (x->advance != y->advance)
        return x->advance > y->advance;
    return x->block < y->block;
}

/* Counts and longest results, by side to move. */
struct bk_tally {
    uint64_t win[2], draw[2], loss[2];             /* one a symmetry class */
    uint64_t all_win[2], all_draw[2], all_loss[2]; /* all placements */
    /* to zeroing: of these wins and losses those that the n-move rule makes draws */
    uint64_t cursed[2], blessed[2], all_cursed[2], all_blessed[2];
    struct bk_longest longest_win[2], longest_loss[2];
};

void bk_tally_init(struct bk_tally *t);
void bk_tally_add(struct bk_tally *into, const struct bk_tally *from);

#endif
