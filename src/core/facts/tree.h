/*
 * tree.h - trees of facts as looks go down them: eight bytes a node, `yes` behind its question.
 *
 * A fact of place is the comparison of a byte with a constant, whatever the metric, and asked
 * without a look at the list of facts; so is who attacks whom.  These are two thirds of what
 * learned trees ask.  The others keep their number and are asked as ever (one.h).
 *
 * Rejected: bytes for all that the pairs of men tell (attacks, counts, what hangs), made with the
 * look, so that these facts need no branch.  Made for 25 pairs they take 500 instructions more
 * than the few that are asked.
 */
#ifndef BK_FACTS_TREE_H
#define BK_FACTS_TREE_H

#include "core/facts/list.h"

/* What a node asks: a metric, or */
enum {
    NODE_ATTACKS = METRICS, /* man i attacks man j                    */
    NODE_FACT,              /* the fact `i` | `j` << 8                 */
    NODE_LEAF               /* nothing: `no` is what the leaf says     */
};

struct tree_node {
    uint8_t asks;
    uint8_t i, j; /* men; NODE_NOBODY counts as square 0 */
    uint8_t least;
    uint32_t no; /* node; `yes` is the next one */
};
#define NODE_NOBODY BK_MEN_MAX

struct bk_fact_tree {
    const struct bk_facts *f; /* borrowed */
    struct tree_node node[];
};

#endif
