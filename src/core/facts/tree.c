/*
 * tree.c - see tree.h.
 */
#include "core/facts/tree.h"

#include <stdlib.h>

static struct tree_node node_of(const struct bk_facts *f, unsigned fact)
{
    const struct fact_item *item = &f->item[fact];
    struct tree_node out = {
        .asks = (uint8_t)(NODE_FACT + item->kind), .i = item->i, .j = item->j, .least = item->q
    };

    if (item->kind == FACT_PLACE) { /* a metric of one man has a stride of 0 */
        out.asks = f->group[item->group].metric;
        out.i = item->stride ? item->i : NODE_NOBODY;
        out.least = item->least;
    } else if (item->kind == FACT_FORK) {
        out.j = (uint8_t)(item->fork.a | item->fork.b << 4);
        out.least = item->fork.covered;
        out.asks = item->fork.skewer              ? NODE_SKEWER
                   : item->fork.a != item->fork.b ? NODE_FORK_OF_TWO
                                                  : NODE_FORK_OF_ONE;
    }
    return out;
}

/* == Laying out == */

/* A node of `tree` that is to be laid out, and the answer that leads to it. */
struct waiting {
    uint32_t from; /* index in `tree` */
    tree_way *to_it;
};

struct layout {
    struct bk_fact_tree *out;
    const struct bk_fact_node *tree;
    const int32_t *leaf;
    uint32_t *leaves; /* [node of `tree`]: leaves below it */
    struct waiting *wait;
    uint32_t n, waits;
};

static void count_leaves(struct layout *l, uint32_t nodes)
{
    for (uint32_t i = nodes; i-- > 0;)
        l->leaves[i] = l->tree[i].fact == BK_FACT_LEAF
                           ? 1
                           : l->leaves[l->tree[i].yes] + l->leaves[l->tree[i].no];
}

/* Has *to_it lead to node `from` of `tree`: a leaf's value is written at once, a question waits to
   be laid out.  wait[line] and those behind it are in the order of their leaves, most last. */
static void lead_to(struct layout *l, tree_way *to_it, uint32_t from, uint32_t line)
{
    const struct bk_fact_node *node = &l->tree[from];
    uint32_t i = l->waits;

    if (node->fact == BK_FACT_LEAF) {
        *to_it = way_to_leaf(l->leaf ? l->leaf[node->yes] : (int32_t)node->yes);
        return;
    }
    for (; i > line && l->leaves[l->wait[i - 1].from] > l->leaves[from]; i--)
        l->wait[i] = l->wait[i - 1];
    l->wait[i] = (struct waiting){ from, to_it };
    l->waits++;
}

static tree_way place_of(uint32_t nth)
{
    return (tree_way)(nth / NODES_OF_LINE * LINE_WORDS + nth % NODES_OF_LINE * NODE_WORDS);
}

/* Lays out the node that waits last, with its answers waiting behind it, until none waits.  Nodes
   that wait when a cache line begins are below wait[line] and come after those found in the
   line. */
static void lay_out(struct layout *l)
{
    uint32_t line = 0;

    lead_to(l, &l->out->root, 0, line);
    while (l->waits) {
        struct waiting w = l->wait[--l->waits];
        tree_way at = place_of(l->n);
        struct tree_node *node = (struct tree_node *)(void *)(l->out->word + at);

        if (l->n++ % NODES_OF_LINE == 0 || line > l->waits)
            line = l->waits;
        *w.to_it = at;
        *node = node_of(l->out->f, l->tree[w.from].fact);
        lead_to(l, &node->yes, l->tree[w.from].yes, line);
        lead_to(l, &node->no, l->tree[w.from].no, line);
    }
}

/* The first place in `room` that begins a cache line. */
static uint32_t *line_in(struct bk_fact_tree *t)
{
    size_t over = (uintptr_t)t->room / sizeof *t->room % LINE_WORDS;

    return t->room + (over ? LINE_WORDS - over : 0);
}

size_t bk_fact_tree_bytes(uint32_t nodes)
{
    size_t questions = nodes / 2, lines = questions / NODES_OF_LINE + 2;

    return sizeof(struct bk_fact_tree) + lines * LINE_WORDS * sizeof(uint32_t);
}

enum bk_err bk_fact_tree_new(struct bk_fact_tree **out, const struct bk_facts *f,
                             const struct bk_fact_node *tree, uint32_t nodes, const int32_t *leaf,
                             struct bk_report *why)
{
    struct layout l = { .out = malloc(bk_fact_tree_bytes(nodes)),
                        .tree = tree,
                        .leaf = leaf,
                        .leaves = malloc(nodes * sizeof *l.leaves),
                        .wait = malloc(nodes * sizeof *l.wait) };
    bool room = l.out && l.leaves && l.wait;

    if (room) {
        l.out->f = f;
        l.out->word = line_in(l.out);
        count_leaves(&l, nodes);
        lay_out(&l);
        *out = l.out;
    } else {
        free(l.out);
    }
    free(l.leaves);
    free(l.wait);
    return room ? BK_OK : bk_fail(why, BK_E_SYSTEM, "no memory for a tree of %u nodes", nodes);
}

void bk_fact_tree_free(struct bk_fact_tree *tree) { free(tree); }
