/*
 * one.h - facts of one position, each computed when it is asked.  HOT.
 *
 * What men attack, and what a side attacks, is kept on the stack once it has been asked for.
 *
 * A look (bk_fact_look()) is a `struct one` that begins with what leapers and riders attack: nearly
 * every tree asks for it, and so do questions about captures.  Attacks of men that bend or hop are
 * computed when they are needed.
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

/* == Looks == */

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
