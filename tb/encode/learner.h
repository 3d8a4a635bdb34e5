/*
 * learner.h - what every part of learning a tree knows of it.
 *
 * One struct a tree, filled by bk_learn(); all threads read it, and only `failed` changes
 * meanwhile.
 *
 * Who does what:
 *   learn.c          grows the tree, node after node
 *   parting.c        parts the positions of a node in two
 *   split.c          finds the fact that a node is best split by
 *   value_classes.c  sorts a node's values into classes, by which splits are judged
 *   subset.c         the positions of a node, as columns of bits
 */
#ifndef BK_LEARNER_H
#define BK_LEARNER_H

#include <stdbool.h>

#include "tb/encode/columns.h"
#include "tb/encode/entropy.h"
#include "tb/encode/input.h"
#include "tb/memory/spill.h"

#define BK_LEARN_BATCH 8 /* columns that a thread takes at a time */

struct bk_learner {
    const struct bk_unit_source *src;
    const struct bk_logs *logs;
    struct bk_columns ops;
    struct bk_spill *spill;
    unsigned facts, planes;
    bool small;  /* each value is a class */
    bool partly; /* not all rows are learned from */
    int64_t min_gain;
    _Atomic bool failed; /* no memory */
};

/* Returns how many bits of these words are set. */
static inline uint64_t bk_learner_count(const struct bk_learner *l, const uint64_t *a, size_t words)
{
    uint32_t n;

    l->ops.count(a, &a, 1, words, &n);
    return n;
}

#endif
