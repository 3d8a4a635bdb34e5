/*
 * one.h - facts of one position, each computed when it is asked.  HOT.
 *
 * What men attack, and what a side attacks, is kept on the stack once it has been asked for.
 */
#ifndef BK_FACTS_ONE_H
#define BK_FACTS_ONE_H

#include "core/facts/reach.h"
#include "core/facts/tree.h"

struct one {
    const struct bk_facts *f;
    const struct reach *reach;
    const uint8_t *sq;
    set occupied, own[2];
    uint8_t have, have_side, have_attackers; /* which of the following are known */
    uint8_t attackers[BK_MEN_MAX]; /* by man: who attacks him, a bit a man; of kings but kings */
    set attacks[BK_MEN_MAX];       /* of a man */
    set span[2];                   /* of those men of a side that are in `have` */
    set side[2];                   /* of a side, looking through the other king */
};
_Static_assert(BK_MEN_MAX <= 8, "a bit a man");

/* for each man `i` of a mask, which is used up */
#define EACH_MAN(i, men)                                                                           \
    for (unsigned i; (men) && (i = (unsigned)__builtin_ctz(men), (men) &= (men)-1, true);)

INLINE void one_init(struct one *o, const struct bk_facts *f, const uint8_t *sq)
{
    const struct reach *reach = f->reach;
    unsigned whites = reach->side[BK_WHITE], blacks = reach->side[BK_BLACK];
    set white = NONE, black = NONE;

    o->f = f;
    o->reach = reach;
    o->sq = sq;
    EACH_MAN (i, whites)
        white |= bit(sq[i]);
    EACH_MAN (i, blacks)
        black |= bit(sq[i]);
    o->own[BK_WHITE] = white;
    o->own[BK_BLACK] = black;
    o->occupied = white | black;
    o->span[0] = o->span[1] = NONE;
    o->have = o->have_side = o->have_attackers = 0;
}

INLINE set one_attacks(struct one *o, unsigned i)
{
    if (!(o->have >> i & 1)) {
        o->attacks[i] = attacks_from(o->reach->of[i], o->sq[i], o->occupied);
        o->span[o->reach->side[BK_BLACK] >> i & 1] |= o->attacks[i];
        o->have |= (uint8_t)(1u << i);
    }
    return o->attacks[i];
}

static set one_side_by_man(struct one *o, unsigned colour, set seen)
{
    unsigned men = o->reach->side[colour];
    set all = NONE;

    EACH_MAN (i, men)
        all |= o->reach->riders >> i & 1 ? attacks_from(o->reach->of[i], o->sq[i], seen)
                                         : one_attacks(o, i);
    o->side[colour] = all;
    o->have_side |= (uint8_t)(1u << colour);
    return all;
}

/* A rider who looks through the king is looked at again. */
static set one_side_anew(struct one *o, unsigned colour)
{
    unsigned king = o->sq[!colour], lacks = o->reach->side[colour] & ~(unsigned)o->have;
    unsigned riders = o->reach->side[colour] & o->reach->riders;
    set all, seen = o->occupied & ~bit(king);

    EACH_MAN (i, lacks)
        one_attacks(o, i);
    all = o->span[colour];
    EACH_MAN (i, riders) {
        const struct kind_reach *k = o->reach->of[i];

        if (!has(k->mid_to[o->sq[i]], king))
            continue;
        if (k->shape == WANDERS) /* a screen that goes may take something away */
            return one_side_by_man(o, colour, seen);
        all |= attacks_from(k, o->sq[i], seen);
    }
    o->side[colour] = all;
    o->have_side |= (uint8_t)(1u << colour);
    return all;
}

INLINE set one_side(struct one *o, unsigned colour)
{
    return o->have_side >> colour & 1 ? o->side[colour] : one_side_anew(o, colour);
}

INLINE bool one_attacks_man(const struct one *o, unsigned i, unsigned j)
{
    if (o->have >> i & 1)
        return has(o->attacks[i], o->sq[j]);
    return reaches(o->reach->of[i], o->sq[i], o->sq[j], o->occupied);
}

static unsigned one_attackers_anew(struct one *o, unsigned j)
{
    unsigned sq = o->sq[j], n = o->f->men.n, men = 0, rest = ((1u << n) - 1) & ~o->have;

    for (unsigned i = 0; i < n; i++) /* of those in `rest`: anything */
        men |= (unsigned)has(o->attacks[i], sq) << i;
    men &= o->have;
    EACH_MAN (i, rest)
        men |= (unsigned)reaches(o->reach->of[i], o->sq[i], sq, o->occupied) << i;
    men &= j < 2 ? ~3u : ~(1u << j);
    o->attackers[j] = (uint8_t)men;
    o->have_attackers |= (uint8_t)(1u << j);
    return men;
}

/* Who attacks man j, as a mask; of a king the other one does not count. */
INLINE unsigned one_attackers(struct one *o, unsigned j)
{
    return o->have_attackers >> j & 1 ? o->attackers[j] : one_attackers_anew(o, j);
}

/* Do more than n men of `colour` attack man j? */
static bool one_more_attackers(struct one *o, unsigned colour, unsigned j, unsigned n)
{
    unsigned men = one_attackers(o, j) & o->reach->side[colour];

    while (n--)
        men &= men - 1; /* of none: none */
    return men;
}

static bool one_more_hanging(struct one *o, unsigned colour, unsigned n)
{
    unsigned theirs = o->reach->side[!colour] & ~3u;

    EACH_MAN (j, theirs) {
        unsigned men = one_attackers(o, j);

        if (men & o->reach->side[colour] && !(men & o->reach->side[!colour]) && !n--)
            return true;
    }
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

INLINE bool one_safe_squares(struct one *o, unsigned i, set but, unsigned more)
{
    unsigned colour = o->reach->side[BK_BLACK] >> i & 1;
    set at = one_attacks(o, i) & ~o->own[colour] & ~but;

    return any(at) && more_than(at & ~one_side(o, !colour), more);
}

/* A node of a tree that asks no metric. */
INLINE bool one_fact(struct one *o, struct tree_node node)
{
    unsigned i = node.i, j = node.j, q = node.least;

    switch (node.asks) {
    case NODE_FACT + FACT_KING_DIFF:
        return fact_metric_of(o->f, METRIC_DISTANCE, o->sq[0], o->sq[i]) + 2 <=
               fact_metric_of(o->f, METRIC_DISTANCE, o->sq[1], o->sq[i]) + q;
    case NODE_FACT + FACT_ATTACKS: return one_attacks_man(o, i, j);
    case NODE_FACT + FACT_COUNTS: return one_more_attackers(o, j, i, q);
    case NODE_FACT + FACT_HANGING: return one_more_hanging(o, i, q);
    case NODE_FACT + FACT_KING_SAFE:
        return one_safe_squares(o, i, q >= 4 ? o->occupied : NONE, q % 4);
    case NODE_FACT + FACT_MAN_SAFE: return one_safe_squares(o, i, NONE, q);
    case NODE_FACT + FACT_FORK:
        return one_forks(
            o, i,
            (struct fact_fork){
                .a = j & 15, .b = (uint8_t)(j >> 4), .covered = q & 1, .skewer = q >> 1 });
    default: return false;
    }
}

#endif
