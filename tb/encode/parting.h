/*
 * parting.h - parts the positions of a node in two, by a fact.
 *
 * The *small* part is the fewer positions, the *rest* the others.  The order of positions stays the
 * same in both.  A part that will be a leaf needs no facts: only its values are parted.
 *
 * Memory: a large set is parted where it is, column by column: the rest to the front, the small
 * part behind it.  A column has some words to spare, since both parts begin with a word of their
 * own.  So all large sets together take what the sample takes.
 *
 * Of smaller sets, one a thread, the small part moves out to columns of its own.
 *
 * Cost: each column of the set is read once or twice, and written once.
 */
#ifndef BK_PARTING_H
#define BK_PARTING_H

#include "tb/encode/subset.h"
#include "tb/memory/pool.h"

/*
 * Parts `s` by a column: `small` gets the fewer positions, `s` keeps the others, and loses the
 * column.
 *
 * small_yes  set to whether the fewer are those where the fact is true
 * histogram  2^src->bits numbers, all 0, and again after
 * top        the columns are the sample's: a large set
 * pool       shares the columns out; NULL: one thread
 *
 * Returns false if there is no memory; `small` is to be freed in any case.
 */
bool bk_subset_part(struct bk_learner *l, struct bk_pool *pool, struct bk_subset *s, int column,
                    struct bk_subset *small, bool *small_yes, uint32_t *histogram, bool top);

#endif
