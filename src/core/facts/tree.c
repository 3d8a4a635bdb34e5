/*
 * tree.c - see tree.h.
 */
#include "core/facts/tree.h"

#include <stdlib.h>

/* leaf: what each leaf says; NULL: its number. */
static struct tree_node node_of(const struct bk_facts *f, const struct bk_fact_node *node,
                                const int32_t *leaf)
{
    struct tree_node out = { .asks = NODE_LEAF };
    const struct fact_item *item;

    if (node->fact == BK_FACT_LEAF) {
        out.then = leaf ? (uint32_t)leaf[node->yes] : node->yes;
        return out;
    }
    item = &f->item[node->fact];
    out.i = item->i;
    out.j = item->j;
    out.least = item->q;
    out.asks = (uint8_t)(NODE_FACT + item->kind);
    if (item->kind == FACT_PLACE) { /* of one man, with a stride of 0, or of two */
        out.asks = f->group[item->group].metric;
        out.i = item->stride ? item->i : NODE_NOBODY;
        out.least = item->least;
    } else if (item->kind == FACT_FORK) {
        out.j = (uint8_t)(item->fork.a | item->fork.b << 4);
        out.least = (uint8_t)(item->fork.covered | item->fork.skewer << 1);
    }
    return out;
}

/* == Laying out == */

/* A question that stands in the tree, and whose answers do not. */
struct waiting {
    uint32_t from; /* node of the other tree */
    uint32_t at;
};

struct layout {
    struct bk_fact_tree *out;
    const struct bk_fact_node *tree;
    const int32_t *leaf;
    uint32_t *leaves; /* by node of the other tree: below it */
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

/* Puts a node; the more leaves are below it, the later among those of its line it waits. */
static void put_node(struct layout *l, uint32_t from, uint32_t line)
{
    uint32_t at = l->n++, i = l->waits;

    l->out->node[at] = node_of(l->out->f, &l->tree[from], l->leaf);
    if (l->tree[from].fact == BK_FACT_LEAF)
        return;
    for (; i > line && l->leaves[l->wait[i - 1].from] > l->leaves[from]; i--)
        l->wait[i] = l->wait[i - 1];
    l->wait[i] = (struct waiting){ from, at };
    l->waits++;
}

/* Whole trees hang on what waits when a line begins; the one that has most leaves is next. */
static void lay_out(struct layout *l)
{
    uint32_t line = 0;

    put_node(l, 0, line);
    l->n++;
    while (l->waits) {
        struct waiting w = l->wait[--l->waits];

        if (l->n % NODES_OF_LINE == 0)
            line = l->waits;
        if (line > l->waits)
            line = l->waits;
        l->out->node[w.at].then = l->n;
        put_node(l, l->tree[w.from].yes, line);
        put_node(l, l->tree[w.from].no, line);
    }
}

/* The first place in `room` that begins a line. */
static struct tree_node *line_in(struct bk_fact_tree *t)
{
    const size_t bytes = NODES_OF_LINE * sizeof(struct tree_node);
    size_t over = (uintptr_t)t->room % bytes / sizeof(struct tree_node);

    return t->room + (over ? NODES_OF_LINE - over : 0);
}

size_t bk_fact_tree_bytes(uint32_t nodes)
{
    return sizeof(struct bk_fact_tree) + (nodes + NODES_OF_LINE) * sizeof(struct tree_node);
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
        l.out->node = line_in(l.out);
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
