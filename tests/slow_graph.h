/*
 * slow_graph.h - what slow solvers of whole games share: nodes found by their text, the turns
 * between them, and values repeated until nothing changes.
 *
 * It knows no rule: positions, turns and ends are the solver's.  What has no memory is aborted.
 */
#ifndef BK_SLOW_GRAPH_H
#define BK_SLOW_GRAPH_H

#include "core/variant.h"

enum {
    SLOW_TEXT = 140,
    SLOW_WON = 20000, /* at the end; a win in n is SLOW_WON - n, a loss -SLOW_WON + n */
    SLOW_WORST = -SLOW_WON - 1
};

struct slow_node {
    char text[SLOW_TEXT];
    int score, outside; /* outside: the best turn that ends the game, or what the node is worth
                           as it stands; SLOW_WORST: neither */
    size_t first, end;  /* successors: edge[first .. end - 1] */
};

/* Begins as { .bytes = sizeof(the solver's position) }. */
struct slow_graph {
    size_t bytes;
    struct slow_node *node;
    unsigned char *state;
    size_t n, room, *edge, nedges, edge_room;
    size_t *hash, hash_room; /* node + 1; 0: free */
};

/* realloc() of n things of `size`. */
void *slow_grow(void *old, size_t n, size_t size);
/* Returns the piece of a letter, of either case. */
const struct bk_piece *slow_piece(const struct bk_variant *v, char c);

/* Returns the node of a text, which is added with a copy of `state` if it is not there. */
size_t slow_node_add(struct slow_graph *g, const char *text, const void *state);
/* SIZE_MAX: there is none. */
size_t slow_node_find(const struct slow_graph *g, const char *text);
/* Returns the state of a node; adding a node may move it. */
const void *slow_state(const struct slow_graph *g, size_t node);

/* Appends a successor to those of the node that is explored: its `end` is the solver's to set. */
void slow_edge_add(struct slow_graph *g, size_t to);

/* What a score is worth to the other side, a turn before. */
int slow_back(int score);
/* Sets the scores of all nodes. */
void slow_repeat(struct slow_graph *g);
void slow_graph_free(struct slow_graph *g);

#endif
