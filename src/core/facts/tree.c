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
        out.no = leaf ? (uint32_t)leaf[node->yes] : node->yes;
        return out;
    }
    out.no = node->no;
    item = &f->item[node->fact];
    switch ((enum fact_kind)item->kind) {
    case FACT_PLACE: /* of one man, with a stride of 0, or of two */
        out.asks = f->group[item->group].metric;
        out.i = item->stride ? item->i : NODE_NOBODY;
        out.j = item->j;
        out.least = item->least;
        return out;
    case FACT_ATTACKS:
        out.asks = NODE_ATTACKS;
        out.i = item->i;
        out.j = item->j;
        return out;
    default:
        out.asks = NODE_FACT;
        out.i = (uint8_t)node->fact;
        out.j = (uint8_t)(node->fact >> 8);
        return out;
    }
}

/* The nodes in preorder, whatever order they are in.  wait: room for as many. */
static void lay_out(struct bk_fact_tree *t, const struct bk_fact_node *tree, const int32_t *leaf,
                    uint32_t *wait)
{
    uint32_t n = 0, waits = 0, from = 0;

    for (;;) {
        t->node[n] = node_of(t->f, &tree[from], leaf);
        if (t->node[n].asks != NODE_LEAF) {
            wait[waits++] = n++; /* its `no` is still that of the other tree */
            from = tree[from].yes;
            continue;
        }
        n++;
        if (!waits)
            return;
        from = t->node[wait[--waits]].no;
        t->node[wait[waits]].no = n;
    }
}

enum bk_err bk_fact_tree_new(struct bk_fact_tree **out, const struct bk_facts *f,
                             const struct bk_fact_node *tree, uint32_t nodes, const int32_t *leaf,
                             struct bk_report *why)
{
    struct bk_fact_tree *t = malloc(sizeof *t + nodes * sizeof *t->node);
    uint32_t *wait = malloc(nodes * sizeof *wait);

    if (!t || !wait) {
        free(t);
        free(wait);
        return bk_fail(why, BK_E_SYSTEM, "no memory for a tree of %u nodes", nodes);
    }
    t->f = f;
    lay_out(t, tree, leaf, wait);
    free(wait);
    *out = t;
    return BK_OK;
}

size_t bk_fact_tree_bytes(uint32_t nodes)
{
    return sizeof(struct bk_fact_tree) + nodes * sizeof(struct tree_node);
}

void bk_fact_tree_free(struct bk_fact_tree *tree) { free(tree); }
