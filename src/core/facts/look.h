/*
 * look.h - a look at one position, for several questions.  HOT.
 *
 * Idea: a look is a `struct one` (one.h) that begins with what leapers and riders attack: nearly
 * every tree asks for it, and so do questions about captures.  Attacks of men that bend or hop are
 * computed when they are needed.
 */
#ifndef BK_FACTS_LOOK_H
#define BK_FACTS_LOOK_H

#include "core/facts/one.h"
#include "core/facts/tree.h"

/* struct one begins with the facts, as struct look_head does. */
_Static_assert(sizeof(struct one) <= sizeof(struct bk_fact_look), "a look has room");

INLINE struct one *one_of(struct bk_fact_look *look) { return (struct one *)(void *)look; }
INLINE const struct one *one_in(const struct bk_fact_look *look)
{
    return (const struct one *)(const void *)look;
}

/* Copies the squares of a side's men; returns them as a set.  The caller has just written sq[] byte
   by byte, so it is read byte by byte: a wider load would wait until those stores are done. */
INLINE set look_place(struct one *o, const struct reach *reach, const uint8_t *sq,
                      const uint16_t *wide, unsigned colour)
{
    set own = NONE;

    for (unsigned k = 0; k < reach->men[colour]; k++) {
        unsigned i = reach->man[colour][k];

        o->sq[i] = sq[i];
        o->wide[i] = wide[sq[i]];
        own |= bit(sq[i]);
    }
    return own;
}

/* Returns what rider i attacks of `open`, its attacks on an empty board.  Adds to *side what it
   attacks when it looks through the king of the other side. */
INLINE set look_ride(const struct one *o, unsigned colour, unsigned i, set open, set *side)
{
    const set *touch = o->reach->touch[i] + o->sq[i] * o->reach->nsq;
    set stopped = touch[o->sq[colour]], by_king = touch[o->sq[!colour]];

    for (unsigned j = 2; j < o->f->men.n; j++) /* the rider is on none of its own ways */
        stopped |= touch[o->sq[j]];
    *side |= open & ~stopped;
    return open & ~(stopped | by_king);
}

/* Sets what the men of a side attack, except those that bend or hop.  If there are none of these,
   side[colour], which looks through the other king, is complete: nothing is computed later. */
INLINE void look_round(struct one *o, unsigned colour)
{
    const struct reach *reach = o->reach;
    set span = NONE, side = NONE;

    for (unsigned k = 0; k < reach->men[colour]; k++) {
        unsigned i = reach->man[colour][k];
        set at = reach->open[i][o->sq[i]];

        if (reach->touch[i])
            at = look_ride(o, colour, i, at, &side);
        o->attacks[i] = at;
        span |= at;
    }
    o->span[colour] = span;
    o->side[colour] = side | span;
}

static void look_init(struct bk_fact_look *look, const struct bk_facts *f, const uint8_t *sq)
{
    struct one *o = one_of(look);
    const struct reach *reach = f->reach;
    const uint16_t *wide = f->game->wide;
    set white = look_place(o, reach, sq, wide, BK_WHITE);
    set black = look_place(o, reach, sq, wide, BK_BLACK);

    o->wide[NODE_NOBODY] = 0;
    one_begin(o, f, white, black);
    look_round(o, BK_WHITE);
    look_round(o, BK_BLACK);
    o->have = (uint8_t)~reach->wanderers; /* bits of absent men are set, too */
    o->have_side = reach->simple;
}

/* Prefetches a node that may be next; for a leaf the first node, so that no branch is needed. */
INLINE void look_ahead(const uint32_t *word, tree_way way)
{
    __builtin_prefetch(word + (uint32_t)(way & ~(way >> 31)));
}

static int32_t look_leaf(struct bk_fact_look *look, const struct bk_fact_tree *tree)
{
    struct one *o = one_of(look);
    const uint8_t *const *metric = tree->f->game->step_metric;
    const uint32_t *word = tree->word;
    tree_way at = tree->root;

    while (at >= 0) {
        const struct tree_node *node = tree_node_at(word, at);
        tree_way no = node->no;
        bool is;

        at = node->yes;
        look_ahead(word, at);
        look_ahead(word, no);
        if (node->asks < METRIC_ORBIT)
            is = metric[node->asks][o->wide[node->j] - o->wide[node->i]] <= node->least;
        else
            is = one_fact[node->asks - METRIC_ORBIT](o, node);
        if (!is) {
            at = no;
            __asm__("" : "+r"(at)); /* keeps a predicted branch: a conditional move would wait */
        }
    }
    return leaf_says(at);
}

static uint64_t look_takes(const struct bk_fact_look *look, unsigned colour)
{
    const struct one *o = one_in(look);
    set theirs = o->own[!colour] & ~bit(o->sq[!colour]);
    unsigned ours = o->reach->side[colour];
    uint64_t takes = 0;

    if (!any(o->span[colour] & theirs)) /* the usual case: only men that bend or hop are left */
        ours &= ~(unsigned)o->have;
    EACH_MAN (i, ours) {
        unsigned taken = o->reach->side[!colour] & ~3u;

        EACH_MAN (j, taken)
            takes |= (uint64_t)one_attacks_man(o, i, j) << (BK_MEN_MAX * i + j);
    }
    return takes;
}

static bool look_exposes(const struct bk_fact_look *look, unsigned by, unsigned to, unsigned taken)
{
    const struct one *o = one_in(look);
    const struct reach *r = o->reach;
    unsigned colour = o->f->men.colour[by], king = by == colour ? to : o->sq[colour];
    unsigned theirs = r->side[!colour] & ~(taken < BK_MEN_MAX ? 1u << taken : 0);
    set occupied = (o->occupied & ~bit(o->sq[by])) | bit(to);

    EACH_MAN (e, theirs)
        if (reaches(r->of[e], o->sq[e], king, occupied))
            return true;
    return false;
}

/*
 * A king may go where no enemy attacks, looking through it.  For another man, each enemy takes away
 * the squares from which that man would not keep it from attacking the king: as a rule none.
 */
static void look_quiet(struct bk_fact_look *look, unsigned by, struct bk_bits *out)
{
    struct one *o = one_of(look);
    unsigned colour = o->reach->side[BK_BLACK] >> by & 1, king = o->sq[colour];
    unsigned theirs = o->reach->side[!colour];
    set to = one_attacks(o, by) & ~o->occupied, rest = o->occupied & ~bit(o->sq[by]);

    if (by == colour)
        to &= ~one_side(o, !colour);
    else
        EACH_MAN (e, theirs)
            to &= ~attacks_past(o->reach->of[e], o->sq[e], king, rest);
    *out = bits_of(to);
}

/* The first man of a side that is no king. */
INLINE unsigned look_last_man(const struct bk_fact_men *men, unsigned colour)
{
    unsigned i = 2;

    while (men->colour[i] != colour)
        i++;
    return i;
}

static bool look_bares_back(const struct bk_fact_look *look, struct bk_fact_take take)
{
    const struct one *o = one_in(look);
    const struct reach *r = o->reach;
    unsigned us = o->f->men.colour[take.by], them = !us;
    unsigned last = look_last_man(&o->f->men, us), king = o->sq[us], to = o->sq[take.taken];
    unsigned at = take.by == last ? to : o->sq[last];
    set occupied = o->occupied & ~bit(o->sq[take.by]);

    if (take.by != last)
        king = to;
    return reaches(r->of[them], o->sq[them], at, occupied) &&
           !reaches(r->of[us], king, at, occupied & ~bit(o->sq[them]));
}

#endif
