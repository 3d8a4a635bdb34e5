/*
 * tree.h - trees of facts as looks go down them: twelve bytes a question, and none a leaf.
 *
 * A fact of place is the comparison of a byte with a constant, whatever the metric: three quarters
 * of what learned trees ask.  A node has all that the others are told apart by, so that nobody
 * looks into the list of facts.
 *
 * Large trees do not fit the second-level cache, and a way down one is some 27 nodes long: mostly
 * it waits for memory.  So what a leaf says stands in the question that leads to it, and each line
 * of 64 bytes holds five questions that follow each other, of all that could stand there those with
 * most leaves below them.
 *
 * Rejected: nodes in preorder, `yes` behind its question; each `no` was another line.  Leaves as
 * nodes, the two answers of a question side by side: a third more memory, and a node more to visit.
 * Bytes for all that the pairs of men tell (attacks, counts, what hangs), made with the look, so
 * that these facts need no branch: made for 25 pairs they take 500 instructions more than the few
 * that are asked.  Nodes of four bytes, twelve bits a question's place in a list: large trees are
 * gone down in 0.93 of a probe, small ones in 1.02, and two forms are needed.  Large pages:
 * nothing.
 */
#ifndef BK_FACTS_TREE_H
#define BK_FACTS_TREE_H

#include "core/facts/list.h"

#define NODE_FACT METRICS
enum { /* kinds of FACT_FORK */
       NODE_FORK_OF_ONE = NODE_FACT + FACT_FORK,
       NODE_FORK_OF_TWO,
       NODE_SKEWER
};

/* Where an answer leads: to a question, this many words behind the first; or, negative, to what a
   leaf says. */
typedef int32_t tree_way;

struct tree_node {
    uint8_t asks;  /* a metric; or a fact of another kind, NODE_FACT + its kind */
    uint8_t i, j;  /* as of the fact; of a metric NODE_NOBODY counts as square 0; j of a fork: its
                      a and b << 4 */
    uint8_t least; /* of a metric; else q; of a fork: covered */
    tree_way no, yes;
};
#define NODE_NOBODY   BK_MEN_MAX
#define LINE_WORDS    16 /* of memory, of four bytes each */
#define NODE_WORDS    3
#define NODES_OF_LINE (LINE_WORDS / NODE_WORDS)
_Static_assert(sizeof(struct tree_node) == 4 * NODE_WORDS, "a node has no gaps");

struct bk_fact_tree {
    const struct bk_facts *f; /* borrowed */
    tree_way root;
    uint32_t *word; /* in `room`, at the beginning of a line */
    uint32_t room[];
};

/* Leaves say numbers of 31 bits. */
static inline tree_way way_to_leaf(int32_t says) { return (tree_way)((uint32_t)says | 1u << 31); }
static inline int32_t leaf_says(tree_way way) { return (int32_t)((uint32_t)way << 1) >> 1; }

static inline const struct tree_node *tree_node_at(const uint32_t *word, tree_way way)
{
    return (const struct tree_node *)(const void *)(word + (uint32_t)way);
}

#endif
