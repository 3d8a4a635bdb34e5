/*
 * value_classes.h - the values of a set, sorted into classes: splits are judged by these.
 *
 * Of values below 4 (wdl) the classes are the values themselves, and for each bound those positions
 * that are "at least" it.  Of larger values they are up to eight quantiles of those in the set, and
 * half as many of bounds.
 *
 * Cost: the planes of the words that are judged are read a few times; no fact is.
 */
#ifndef BK_VALUE_CLASSES_H
#define BK_VALUE_CLASSES_H

#include "tb/encode/subset.h"

/* The classes that the positions of a node fall into. */
struct bk_value_classes {
    unsigned n, exact;             /* the first `exact` are values or bins; then come bounds */
    uint8_t value[BK_CLASSES_MAX]; /* of values below 4: the class's value or bound */
    size_t words;                  /* of each column, that are counted */
    uint32_t total[BK_CLASSES_MAX];
    uint64_t *bits[BK_CLASSES_MAX]; /* behind the struct, in its memory */
};

/* Returns the classes of a set, owned: free().  NULL: no memory.  histogram: 2^src->bits numbers,
   all 0, and again after. */
struct bk_value_classes *bk_value_classes_new(const struct bk_learner *l, const struct bk_subset *s,
                                              uint32_t *histogram);

/* Returns the commonest exact value; adds to *left the bits that exact values take.  histogram: as
   above. */
uint16_t bk_guess_value(const struct bk_learner *l, const struct bk_subset *s, uint32_t *histogram,
                        int64_t *left);

#endif
