/*
 * one.h - facts of one position, each computed when it is asked.  HOT.
 *
 * What men attack, and what a side attacks, is kept on the stack once it has been asked for.
 */
#ifndef BK_FACTS_ONE_H
#define BK_FACTS_ONE_H

#include "core/facts/reach.h"

struct one {
    const struct bk_facts *f;
    const struct reach *reach;
    const uint8_t *sq;
    set occupied, own[2];
    unsigned have, have_side; /* which of the following are known */
    set attacks[BK_MEN_MAX];  /* of a man */
    set side[2];              /* of a side, looking through the other king */
};

INLINE void one_init(struct one *o, const struct bk_facts *f, const uint8_t *sq)
{
    o->f = f;
    o->reach = f->reach;
    o->sq = sq;
    o->own[0] = o->own[1] = NONE;
    for (unsigned i = 0; i < f->men.n; i++)
        o->own[f->men.colour[i]] |= bit(sq[i]);
    o->occupied = o->own[0] | o->own[1];
    o->have = o->have_side = 0;
}

INLINE set one_attacks(struct one *o, unsigned i)
{
    if (!(o->have >> i & 1)) {
        o->attacks[i] = attacks_from(o->reach->of[i], o->sq[i], o->occupied);
        o->have |= 1u << i;
    }
    return o->attacks[i];
}

static set one_side(struct one *o, unsigned colour)
{
    if (!(o->have_side >> colour & 1)) {
        unsigned king = o->sq[!colour];
        set all = NONE, seen = o->occupied & ~bit(king);

        for (unsigned i = 0; i < o->f->men.n; i++)
            if (o->f->men.colour[i] == colour) {
                const struct kind_reach *k = o->reach->of[i];

                all |= k->shape != LEAPS && has(k->mid_to[o->sq[i]], king)
                           ? attacks_from(k, o->sq[i], seen)
                           : one_attacks(o, i);
            }
        o->side[colour] = all;
        o->have_side |= 1u << colour;
    }
    return o->side[colour];
}

INLINE bool one_attacks_man(const struct one *o, unsigned i, unsigned j)
{
    if (o->have >> i & 1)
        return has(o->attacks[i], o->sq[j]);
    return reaches(o->reach->of[i], o->sq[i], o->sq[j], o->occupied);
}

/* Do more than n men of `colour` attack man j? */
static bool one_more_attackers(const struct one *o, unsigned colour, unsigned j, unsigned n)
{
    for (unsigned i = 0; i < o->f->men.n; i++)
        if (o->f->men.colour[i] == colour && i != j && !(i < 2 && j < 2) &&
            one_attacks_man(o, i, j) && !n--)
            return true;
    return false;
}

static bool one_more_hanging(const struct one *o, unsigned colour, unsigned n)
{
    for (unsigned j = 2; j < o->f->men.n; j++)
        if (o->f->men.colour[j] != colour && one_more_attackers(o, colour, j, 0) &&
            !one_more_attackers(o, !colour, j, 0) && !n--)
            return true;
    return false;
}

/* Is one of the squares `at` defended by another man than i, and by no enemy but a king attacked?
 */
static bool one_held(struct one *o, unsigned i, set at)
{
    unsigned colour = o->f->men.colour[i];
    set defended = NONE;

    for (unsigned p = 0; p < o->f->men.n; p++) {
        if (o->f->men.colour[p] == colour)
            defended |= p == i ? NONE : one_attacks(o, p);
        else if (p >= 2)
            at &= ~one_attacks(o, p);
    }
    return any(at & defended);
}

static bool one_forks(struct one *o, unsigned i, struct fact_fork fork)
{
    unsigned colour = o->f->men.colour[i];
    const struct kind_reach *k = o->reach->of[i];
    set rest = o->occupied & ~bit(o->sq[i]);
    set at = one_attacks(o, i) & ~o->own[colour];

    at &= any(at) ? attacks_into(k, o->sq[fork.a], rest) : NONE;
    if (fork.skewer && any(at))
        at &= attacks_into(k, o->sq[fork.b], rest & ~bit(o->sq[fork.a])) &
              ~attacks_into(k, o->sq[fork.b], rest);
    else if (fork.b != fork.a && any(at))
        at &= attacks_into(k, o->sq[fork.b], rest);
    if (!any(at))
        return false;
    return any(at & ~one_side(o, !colour)) || (fork.covered && one_held(o, i, at));
}

static bool one_safe_squares(struct one *o, unsigned i, set but, unsigned more)
{
    unsigned colour = o->f->men.colour[i];
    set at = one_attacks(o, i) & ~o->own[colour] & ~but;

    return any(at) && more_than(at & ~one_side(o, !colour), more);
}

INLINE bool one_place(const struct one *o, const struct fact_item *item)
{
    return item->metric[item->stride * o->sq[item->i] + o->sq[item->j]] <= item->least;
}

static bool one_fact(struct one *o, const struct fact_item *item)
{
    const struct bk_facts *f = o->f;
    unsigned i = item->i, j = item->j, q = item->q;

    switch ((enum fact_kind)item->kind) {
    case FACT_PLACE: return one_place(o, item);
    case FACT_KING_DIFF:
        return fact_metric_of(f, METRIC_DISTANCE, o->sq[0], o->sq[i]) + 2 <=
               fact_metric_of(f, METRIC_DISTANCE, o->sq[1], o->sq[i]) + q;
    case FACT_ATTACKS: return one_attacks_man(o, i, j);
    case FACT_COUNTS: return one_more_attackers(o, j, i, q);
    case FACT_HANGING: return one_more_hanging(o, i, q);
    case FACT_KING_SAFE: return one_safe_squares(o, i, q >= 4 ? o->occupied : NONE, q % 4);
    case FACT_MAN_SAFE: return one_safe_squares(o, i, NONE, q);
    case FACT_FORK: return one_forks(o, i, item->fork);
    }
    return false;
}

#endif
