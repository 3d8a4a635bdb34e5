/*
 * tree.h - decision trees in the form that looks read: twelve bytes a question, none for a leaf.
 *
 * A fact of place compares a byte with a constant, whatever the metric; three quarters of the nodes
 * of learned trees are such facts.  A node holds the parameters of other facts, too, so looks do
 * not read the list of facts.
 *
 * Large trees do not fit the second-level cache, and a descent visits some 27 nodes: it mostly
 * waits for memory.  So the value of a leaf is stored in its parent, and each cache line of 64
 * bytes holds a parent and its descendants, five nodes: those with most leaves below them.
 *
 * Rejected: nodes in preorder, `yes` behind its question; each `no` was another line.  Leaves as
 * nodes, the two answers of a question side by side: a third more memory, and a node more to visit.
 * Bytes for all facts of pairs of men (attacks, counts, hanging men), filled with the look, so that
 * these facts need no branch: for 25 pairs that takes 500 instructions more than the few that are
 * asked.  Nodes of four bytes, with twelve bits for the question's place in a list: a probe takes
 * 0.93 of the time in large trees, 1.02 in small ones, and two forms are needed.  Large pages: no
 * gain.
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

/* Where an answer leads: the next node, in words behind the first one; or, negative, a leaf, as its
   value in 31 bits. */
typedef int32_t tree_way;

struct tree_node {
    uint8_t asks;  /* a metric; or a fact of another kind, NODE_FACT + its kind */
    uint8_t i, j;  /* as in the fact; of a metric, NODE_NOBODY counts as square 0; j of a fork: its
                      a | b << 4 */
    uint8_t least; /* the bound of a metric; of a fork: covered; of others: q */
    tree_way no, yes;
};
#define NODE_NOBODY   BK_MEN_MAX
#define LINE_WORDS    16 /* of a cache line, of four bytes each */
#define NODE_WORDS    3
#define NODES_OF_LINE (LINE_WORDS / NODE_WORDS)
_Static_assert(sizeof(struct tree_node) == 4 * NODE_WORDS, "a node has no gaps");

struct bk_fact_tree {
    const struct bk_facts *f; /* borrowed */
    tree_way root;
    uint32_t *word; /* the first node, at the first cache line in `room` */
    uint32_t room[];
};

/* Values of leaves have 31 bits. */
static inline tree_way way_to_leaf(int32_t says) { return (tree_way)((uint32_t)says | 1u << 31); }
static inline int32_t leaf_says(tree_way way) { return (int32_t)((uint32_t)way << 1) >> 1; }

static inline const struct tree_node *tree_node_at(const uint32_t *word, tree_way way)
{
    return (const struct tree_node *)(const void *)(word + (uint32_t)way);
}

#endif
