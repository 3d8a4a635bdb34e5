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
    uint16_t wide[BK_MEN_MAX + 1]; /* by man: game->wide of its square; [NODE_NOBODY]: 0 */
    uint8_t sq[BK_MEN_MAX];
    set occupied, own[2];
    uint8_t have, have_side, have_attackers; /* which of attacks, side, attackers are known */
    uint8_t attackers[BK_MEN_MAX]; /* by man: mask of its attackers; no king attacks a king */
    set attacks[BK_MEN_MAX];       /* by man: the squares that it attacks */
    set span[2];                   /* by side: what its men in `have` attack */
    set side[2];                   /* by side: what it attacks, looking through the other king */
};
_Static_assert(BK_MEN_MAX <= 8, "a bit a man");

/* for each man `i` of a mask, which is used up */
#define EACH_MAN(i, men)                                                                           \
    for (unsigned i; (men) && (i = (unsigned)__builtin_ctz(men), (men) &= (men)-1, true);)

/* Begins with a position whose men stand in sq[] and wide[]; white, black: the sides' squares. */
INLINE void one_begin(struct one *o, const struct bk_facts *f, set white, set black)
{
    o->f = f;
    o->reach = f->reach;
    o->own[BK_WHITE] = white;
    o->own[BK_BLACK] = black;
    o->occupied = white | black;
    o->have_attackers = 0;
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

/* Computes side[colour].  Riders that may look through the other king are computed anew. */
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
        if (k->shape == WANDERS) /* without the king as its screen, a man may attack less */
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

    for (unsigned i = 0; i < n; i++) /* bits of men in `rest` mean nothing yet */
        men |= (unsigned)has(o->attacks[i], sq) << i;
    men &= o->have;
    EACH_MAN (i, rest)
        men |= (unsigned)reaches(o->reach->of[i], o->sq[i], sq, o->occupied) << i;
    men &= j < 2 ? ~3u : ~(1u << j);
    o->attackers[j] = (uint8_t)men;
    o->have_attackers |= (uint8_t)(1u << j);
    return men;
}

/* Returns the mask of the men that attack man j; a king does not count as attacker of a king. */
INLINE unsigned one_attackers(struct one *o, unsigned j)
{
    return o->have_attackers >> j & 1 ? o->attackers[j] : one_attackers_anew(o, j);
}

/* Is one of the squares `at` defended by a man other than i, and attacked by no enemy but the
   king? */
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

/* == Facts by kind == */

static bool one_orbit(struct one *o, const struct tree_node *node)
{
    return o->f->metric[node->asks][o->sq[node->i] * o->f->v->nsq + o->sq[node->j]] <= node->least;
}

static bool one_king_diff(struct one *o, const struct tree_node *node)
{
    const uint8_t *distance = o->f->game->step_metric[METRIC_DISTANCE];
    int i = o->wide[node->i];

    return distance[i - o->wide[0]] + 2 <= distance[i - o->wide[1]] + node->least;
}

static bool one_attack(struct one *o, const struct tree_node *node)
{
    return one_attacks_man(o, node->i, node->j);
}

/* More than `least` men of side j attack man i. */
static bool one_counts(struct one *o, const struct tree_node *node)
{
    unsigned men = one_attackers(o, node->i) & o->reach->side[node->j];

    for (unsigned n = node->least; n--;)
        men &= men - 1; /* 0 stays 0 */
    return men;
}

/* Side i attacks more than `least` men that are not defended. */
static bool one_hanging(struct one *o, const struct tree_node *node)
{
    unsigned colour = node->i, n = node->least, theirs = o->reach->side[!colour] & ~3u;

    EACH_MAN (j, theirs) {
        unsigned men = one_attackers(o, j);

        if (men & o->reach->side[colour] && !(men & o->reach->side[!colour]) && !n--)
            return true;
    }
    return false;
}

INLINE bool one_safe_squares(struct one *o, unsigned i, set but, unsigned more)
{
    unsigned colour = o->reach->side[BK_BLACK] >> i & 1;
    set at = one_attacks(o, i) & ~o->own[colour] & ~but;

    return any(at) && more_than(at & ~one_side(o, !colour), more);
}

static bool one_king_safe(struct one *o, const struct tree_node *node)
{
    return one_safe_squares(o, node->i, node->least >= 4 ? o->occupied : NONE, node->least % 4);
}

static bool one_man_safe(struct one *o, const struct tree_node *node)
{
    return one_safe_squares(o, node->i, NONE, node->least);
}

/* Is one of the squares `at` safe, or covered where the node accepts that? */
INLINE bool one_forks_from(struct one *o, const struct tree_node *node, set at)
{
    unsigned colour = o->reach->side[BK_BLACK] >> node->i & 1;

    return any(at) &&
           (any(at & ~one_side(o, !colour)) || (node->least && one_held(o, node->i, at)));
}

/* The squares that man i attacks and no man of its own side holds. */
INLINE set one_free(struct one *o, unsigned i)
{
    return one_attacks(o, i) & ~o->own[o->reach->side[BK_BLACK] >> i & 1];
}

static bool one_fork_of_one(struct one *o, const struct tree_node *node)
{
    unsigned i = node->i;
    set rest = o->occupied & ~bit(o->sq[i]);

    return one_forks_from(
        o, node, one_free(o, i) & attacks_into(o->reach->of[i], o->sq[node->j & 15], rest));
}

static bool one_fork_of_two(struct one *o, const struct tree_node *node)
{
    const struct kind_reach *k = o->reach->of[node->i];
    set rest = o->occupied & ~bit(o->sq[node->i]);
    set at = one_free(o, node->i) & attacks_into(k, o->sq[node->j & 15], rest);

    return any(at) && one_forks_from(o, node, at & attacks_into(k, o->sq[node->j >> 4], rest));
}

/* Is there a square from which man i attacks a, and would attack b if a were not there? */
static bool one_skewer(struct one *o, const struct tree_node *node)
{
    const struct kind_reach *k = o->reach->of[node->i];
    unsigned a = o->sq[node->j & 15], b = o->sq[node->j >> 4];
    set rest = o->occupied & ~bit(o->sq[node->i]);
    set at = one_free(o, node->i) & attacks_into(k, a, rest);

    return any(at) &&
           one_forks_from(o, node,
                          at & attacks_into(k, b, rest & ~bit(a)) & ~attacks_into(k, b, rest));
}

typedef bool one_asked(struct one *o, const struct tree_node *node);

/* The functions that answer a node, by node->asks - METRIC_ORBIT. */
static one_asked *const one_fact[] = {
    one_orbit,
    one_orbit,
    one_orbit,
    one_orbit,
    one_orbit,
    one_orbit,
    one_orbit,
    one_orbit,
    [BK_MEN_MAX + FACT_KING_DIFF] = one_king_diff,
    [BK_MEN_MAX + FACT_ATTACKS] = one_attack,
    [BK_MEN_MAX + FACT_COUNTS] = one_counts,
    [BK_MEN_MAX + FACT_HANGING] = one_hanging,
    [BK_MEN_MAX + FACT_KING_SAFE] = one_king_safe,
    [BK_MEN_MAX + FACT_MAN_SAFE] = one_man_safe,
    [NODE_FORK_OF_ONE - METRIC_ORBIT] = one_fork_of_one,
    [NODE_FORK_OF_TWO - METRIC_ORBIT] = one_fork_of_two,
    [NODE_SKEWER - METRIC_ORBIT] = one_skewer,
};
_Static_assert(NODE_FACT == METRIC_ORBIT + BK_MEN_MAX, "kinds of facts follow the orbits");

#endif
