/*
 * subset.h - sets of positions of a sample: those that reach a node of the tree.
 *
 * A *set* has for every fact still alive a column of bits, one a position, and planes for the
 * values, a column for each of their bits and last one that tells bounds.  The columns of large
 * sets lie in the sample, those of others in a block of their own.
 */
#ifndef BK_SUBSET_H
#define BK_SUBSET_H

#include "tb/encode/learner.h"
#include "tb/encode/sample.h"

struct bk_value_classes; /* value_classes.h */

struct bk_subset {
    uint32_t n;         /* positions */
    size_t words, room; /* of a column: used; allocated */
    unsigned cols;
    uint16_t *fact;                /* by column */
    uint64_t **col;                /* by column; in `block` or, of large sets, in the sample */
    uint64_t **plane;              /* of values, and last the bounds */
    void *block;                   /* owned: these lists, and columns of its own */
    struct bk_value_classes *told; /* owned: its classes, if bk_is_leaf() kept them; else NULL */
    bool leaf;                     /* no split gains enough: the facts are not there */
};

/* Makes `s` a set of up to `n` positions, with columns of its own.  False: no memory. */
bool bk_subset_new(const struct bk_learner *l, struct bk_subset *s, unsigned cols, uint64_t n);
/* As bk_subset_new(), without columns of its own: they lie in the sample's. */
bool bk_subset_new_within(const struct bk_learner *l, struct bk_subset *s, unsigned cols,
                          uint64_t n);
/* Makes `s` the set of all positions of the sample.  False: no memory. */
bool bk_subset_of_sample(const struct bk_learner *l, struct bk_subset *s,
                         const struct bk_sample *sample);
/* Frees what a set owns, and makes it one of no positions. */
void bk_subset_free(struct bk_subset *s);

/* Drops the dead columns; the planes move up behind those that are left. */
void bk_subset_drop(const struct bk_learner *l, struct bk_subset *s, const bool *dead);

/* Returns which bits of a word of its columns stand for positions: all, but perhaps in the last. */
static inline uint64_t bk_subset_bits(const struct bk_subset *s, size_t word)
{
    return 64 * (word + 1) <= s->n ? ~UINT64_C(0) : (UINT64_C(1) << s->n % 64) - 1;
}

#endif
