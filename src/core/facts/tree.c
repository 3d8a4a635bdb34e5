/*
 * tree.c - see tree.h.
 */
#include "core/facts/tree.h"

#include <stdlib.h>

static struct tree_node node_of(const struct bk_facts *f, const struct bk_fact_node *node)
{
    struct tree_node out = { .asks = NODE_LEAF, .no = node->yes };
    const struct fact_item *item;

    if (node->fact == BK_FACT_LEAF)
        return out;
    out.no = node->no;
    item = &f->item[node->fact];
    switch ((enum fact_kind)item->kind) {
    case FACT_PLACE: /* of one man, with a stride of 0, or of two */
        out.asks = f->group[item->group].metric;
        out.men = (uint8_t)((item->stride ? item->i : NODE_NOBODY) | item->j << 4);
        out.least = item->least;
        return out;
    case FACT_ATTACKS:
        out.asks = NODE_ATTACKS;
        out.men = (uint8_t)(item->i | item->j << 4);
        return out;
    default:
        out.asks = NODE_FACT;
        out.men = (uint8_t)node->fact;
        out.least = (uint8_t)(node->fact >> 8);
        return out;
    }
}

enum bk_err bk_fact_tree_new(struct bk_fact_tree **out, const struct bk_facts *f,
                             const struct bk_fact_node *tree, uint32_t nodes, struct bk_report *why)
{
    struct bk_fact_tree *t = malloc(sizeof *t + nodes * sizeof *t->node);

    if (!t)
        return bk_fail(why, BK_E_SYSTEM, "no memory for a tree of %u nodes", nodes);
    t->f = f;
    for (uint32_t i = 0; i < nodes; i++)
        t->node[i] = node_of(f, &tree[i]);
    *out = t;
    return BK_OK;
}

void bk_fact_tree_free(struct bk_fact_tree *tree) { free(tree); }
