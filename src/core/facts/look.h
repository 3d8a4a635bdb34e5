/*
 * look.h - a look at one position, for several questions.  HOT.
 *
 * Idea: a look is a `struct one` (one.h) that begins with what leapers and riders attack: nearly
 * every tree asks, and so does who wants to know what can be taken.  Men who bend or hop are asked
 * when they are needed.
 */
#ifndef BK_FACTS_LOOK_H
#define BK_FACTS_LOOK_H

#include "core/facts/one.h"
#include "core/facts/tree.h"

struct look {
    struct one one;               /* begins with the facts, as struct look_head */
    uint16_t row[BK_MEN_MAX + 1]; /* nsq * square; of NODE_NOBODY 0 */
    uint8_t sq[BK_MEN_MAX + 1];
};
_Static_assert(sizeof(struct look) <= sizeof(struct bk_fact_look), "a look has room");

static void look_init(struct bk_fact_look *look, const struct bk_facts *f, const uint8_t *sq)
{
    struct look *l = (struct look *)(void *)look;
    struct one *o = &l->one;
    const struct kind_reach *const *of = ((const struct reach *)f->reach)->of;
    unsigned n = f->men.n, nsq = f->v->nsq, have = 0;
    unsigned blacks = ((const struct reach *)f->reach)->side[BK_BLACK];
    set white = NONE, black = NONE;

    for (unsigned i = 0; i < n; i++) {
        l->sq[i] = sq[i];
        l->row[i] = (uint16_t)(sq[i] * nsq);
    }
    l->sq[NODE_NOBODY] = 0;
    l->row[NODE_NOBODY] = 0;
    one_init(o, f, l->sq);
    for (unsigned i = 0; i < n; i++)
        if (of[i]->shape != WANDERS) {
            set at = o->attacks[i] = attacks_from(of[i], sq[i], o->occupied);

            white |= blacks >> i & 1 ? NONE : at;
            black |= blacks >> i & 1 ? at : NONE;
            have |= 1u << i;
        }
    o->span[BK_WHITE] = white;
    o->span[BK_BLACK] = black;
    o->have = (uint8_t)have;
}

static uint32_t look_leaf(struct bk_fact_look *look, const struct bk_fact_tree *tree)
{
    struct look *l = (struct look *)(void *)look;
    const struct bk_facts *f = tree->f;
    const struct tree_node *at = tree->node;

    for (;;) {
        struct tree_node node = *at;
        bool is;

        __builtin_prefetch(&tree->node[node.no]); /* `yes` mostly lies beside */
        if (node.asks < METRICS) {
            unsigned pair = (unsigned)l->row[node.men & 15] + l->sq[node.men >> 4];

            is = f->metric[node.asks][pair] <= node.least;
        } else if (node.asks == NODE_ATTACKS) {
            is = one_attacks_man(&l->one, node.men & 15, node.men >> 4);
        } else if (node.asks == NODE_FACT) {
            is = one_fact(&l->one, &f->item[node.men | node.least << 8]);
        } else {
            return node.no;
        }
        at = is ? at + 1 : tree->node + node.no;
    }
}

static unsigned look_takes(const struct bk_fact_look *look, unsigned colour,
                           struct bk_fact_take *out)
{
    const struct look *l = (const struct look *)(const void *)look;
    const struct one *o = &l->one;
    set theirs = o->own[!colour] & ~bit(l->sq[!colour]);
    unsigned n = 0, ours = o->reach->side[colour];

    if (!any(o->span[colour] & theirs)) /* mostly: then those who bend or hop are left */
        ours &= ~(unsigned)o->have;
    EACH_MAN (i, ours) {
        set at = o->have >> i & 1 ? o->attacks[i] : o->reach->of[i]->to[l->sq[i]];
        unsigned taken = o->reach->side[!colour] & ~3u;

        if (!any(at & theirs))
            continue;
        EACH_MAN (j, taken)
            if (one_attacks_man(o, i, j))
                out[n++] = (struct bk_fact_take){ (uint8_t)i, (uint8_t)j };
    }
    return n;
}

static bool look_exposes(const struct bk_fact_look *look, unsigned by, unsigned to, unsigned taken)
{
    const struct look *l = (const struct look *)(const void *)look;
    const struct reach *r = l->one.reach;
    unsigned colour = l->one.f->men.colour[by], king = by == colour ? to : l->sq[colour];
    unsigned theirs = r->side[!colour] & ~(taken < BK_MEN_MAX ? 1u << taken : 0);
    set occupied = (l->one.occupied & ~bit(l->sq[by])) | bit(to);

    EACH_MAN (e, theirs)
        if (reaches(r->of[e], l->sq[e], king, occupied))
            return true;
    return false;
}

/* Of the men of a side, the one that is no king. */
INLINE unsigned look_last_man(const struct bk_fact_men *men, unsigned colour)
{
    unsigned i = 2;

    while (men->colour[i] != colour)
        i++;
    return i;
}

static bool look_bares_back(const struct bk_fact_look *look, struct bk_fact_take take)
{
    const struct look *l = (const struct look *)(const void *)look;
    const struct reach *r = l->one.reach;
    unsigned us = l->one.f->men.colour[take.by], them = !us;
    unsigned last = look_last_man(&l->one.f->men, us), king = l->sq[us], to = l->sq[take.taken];
    unsigned at = take.by == last ? to : l->sq[last];
    set occupied = l->one.occupied & ~bit(l->sq[take.by]);

    if (take.by != last)
        king = to;
    return reaches(r->of[them], l->sq[them], at, occupied) &&
           !reaches(r->of[us], king, at, occupied & ~bit(l->sq[them]));
}

#endif
