/*
 * tree.h - trees of facts as looks go down them: eight bytes a node, its two answers side by side.
 *
 * A fact of place is the comparison of a byte with a constant, whatever the metric: three quarters
 * of what learned trees ask.  A node has all that the others are told apart by, so that nobody
 * looks into the list of facts.
 *
 * Large trees do not fit the second-level cache, and a way down one is some 27 nodes long: mostly
 * it waits for memory.  So each line of 64 bytes holds four pairs of answers that follow each
 * other, of all that could stand there those with most leaves below them; and where the answers to
 * a question lie is known before it is answered.
 *
 * Rejected: nodes in preorder, `yes` behind its question; each `no` was another line.  Bytes for
 * all that the pairs of men tell (attacks, counts, what hangs), made with the look, so that these
 * facts need no branch: made for 25 pairs they take 500 instructions more than the few that are
 * asked.  Nodes of four bytes, twelve bits a question's place in a list: large trees are gone down
 * in 0.93 of a probe, small ones in 1.02, and two forms are needed.  Large pages: nothing.
 */
#ifndef BK_FACTS_TREE_H
#define BK_FACTS_TREE_H

#include "core/facts/list.h"

/* What a node asks: a metric; or a fact of another kind, NODE_FACT + its kind; or nothing. */
enum {
    NODE_FACT = METRICS,
    NODE_LEAF = NODE_FACT + FACT_KINDS /* `then` is what the leaf says */
};

struct tree_node {
    uint8_t asks;
    uint8_t i, j;  /* as of the fact; of a metric NODE_NOBODY counts as square 0; j of a fork: its
                      a and b << 4 */
    uint8_t least; /* of a metric; else q; of a fork: covered, and skewer << 1 */
    uint32_t then; /* the node after `yes`; that after `no` is the next one */
};
#define NODE_NOBODY    BK_MEN_MAX
#define NODES_OF_LINE  8 /* of memory */
#define NODE_PAIRS_MAX (NODES_OF_LINE / 2)

struct bk_fact_tree {
    const struct bk_facts *f; /* borrowed */
    struct tree_node *node;   /* in `room`, at the beginning of a line; the second is unused */
    struct tree_node room[];
};

#endif
