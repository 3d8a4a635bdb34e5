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

/* What the men of a side attack who neither bend nor hop; where that is all of them the side is
   known, looking through the king, too, so that no question need ask. */
INLINE void look_side(struct one *o, unsigned colour)
{
    const struct reach *reach = o->reach;
    unsigned men = reach->side[colour] & ~reach->wanderers;
    set span = NONE, past = NONE, king = bit(o->sq[!colour]);

    EACH_MAN (i, men) {
        const struct kind_reach *k = reach->of[i];
        unsigned s = o->sq[i];
        set at = k->open_to[s];

        if (k->shape == RIDES && any(k->mid_to[s] & o->occupied)) {
            at = attacks_from(k, s, o->occupied);
            if (any(k->mid_to[s] & king))
                past |= attacks_from(k, s, o->occupied & ~king);
        }
        o->attacks[i] = at;
        span |= at;
    }
    o->span[colour] = span;
    o->side[colour] = span | past;
}

static void look_init(struct bk_fact_look *look, const struct bk_facts *f, const uint8_t *sq)
{
    struct look *l = (struct look *)(void *)look;
    struct one *o = &l->one;
    const struct reach *reach = f->reach;
    unsigned nsq = f->v->nsq;

    memcpy(l->sq, sq, BK_MEN_MAX);
    l->sq[NODE_NOBODY] = 0;
    for (unsigned i = 0; i < BK_MEN_MAX; i++)
        l->row[i] = (uint16_t)(l->sq[i] * nsq);
    l->row[NODE_NOBODY] = 0;
    one_init(o, f, l->sq);
    look_side(o, BK_WHITE);
    look_side(o, BK_BLACK);
    o->have = (uint8_t)~reach->wanderers; /* of men who are not there, too */
    o->have_side = reach->simple;
}

static int32_t look_leaf(struct bk_fact_look *look, const struct bk_fact_tree *tree)
{
    struct look *l = (struct look *)(void *)look;
    const struct bk_facts *f = tree->f;
    const struct tree_node *at = tree->node;

    for (;;) {
        struct tree_node node = *at;
        bool is;

        __builtin_prefetch(&tree->node[node.then]);
        if (node.asks < METRICS) {
            unsigned pair = (unsigned)l->row[node.i] + l->sq[node.j];

            is = f->metric[node.asks][pair] <= node.least;
        } else if (node.asks != NODE_LEAF) {
            is = one_fact(&l->one, node);
        } else {
            return (int32_t)node.then;
        }
        at = tree->node + node.then;
        if (!is) {
            at++;
            __asm__("" : "+r"(at)); /* a branch, that is guessed: not a sum, that is waited for */
        }
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

/*
 * A king may go where no enemy attacks, looking through him.  Of another man's squares each enemy
 * leaves those on which he stands in the enemy's way, if that is needed; all, as a rule.
 */
static void look_quiet(struct bk_fact_look *look, unsigned by, struct bk_bits *out)
{
    struct look *l = (struct look *)(void *)look;
    struct one *o = &l->one;
    unsigned colour = o->reach->side[BK_BLACK] >> by & 1, king = l->sq[colour];
    unsigned theirs = o->reach->side[!colour];
    set to = one_attacks(o, by) & ~o->occupied, rest = o->occupied & ~bit(l->sq[by]);

    if (by == colour)
        to &= ~one_side(o, !colour);
    else
        EACH_MAN (e, theirs)
            to &= ~attacks_past(o->reach->of[e], l->sq[e], king, rest);
    *out = bits_of(to);
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
