/*
 * split.h - the fact by which the positions of a node are best split in two.
 *
 * That is the fact that leaves the fewest bits of entropy in the two parts, less a share for the
 * cost of asking it.  There is none where the best gains less than a leaf has to
 * (l->min_gain): the node is a leaf.
 *
 * Cost: every column of the set is counted against every class of its values, over the words that
 * it is judged by.
 */
#ifndef BK_SPLIT_H
#define BK_SPLIT_H

#include "tb/encode/subset.h"
#include "tb/memory/pool.h"

/* Sets and returns s->leaf: will bk_find_split() find no split, whatever the facts?  Only values
   are looked at.  keep: keeps the classes in s->told for it.  histogram: 2^src->bits numbers, all
   0, and again after. */
bool bk_is_leaf(struct bk_learner *l, struct bk_subset *s, uint32_t *histogram, bool keep);

/* Returns the column to split by, or -1.  Drops columns that are the same everywhere, and twins.
   pool: shares the columns out; NULL: one thread.  Sets l->failed if there is no memory. */
int bk_find_split(struct bk_learner *l, struct bk_pool *pool, struct bk_subset *s,
                  uint32_t *histogram);

#endif
