/*
 * legal.h - which positions are illegal: the mover could take the king.
 */
#ifndef BK_KERNEL_LEGAL_H
#define BK_KERNEL_LEGAL_H

#include "tb/kernel/inner.h"

enum {
    WAYS_MAX = 8, /* of one man to attack one square: a leap, a ride, hops of many lengths */
};

/*
 * How a man attacks the enemy king from some square.  A man that takes twice
 * also attacks it behind an enemy on one of `via`; and on its way to one of
 * `ends`, if no man of its own side stands there.
 */
struct attack {
    set via, ends;
    bool twice;
    uint8_t n;
    struct {
        bool hops;
        uint16_t npaths;
        uint32_t path;
    } way[WAYS_MAX];
};

static void find_double_attacks(const struct ctx *c, unsigned type, unsigned colour,
                                struct attack by_square[BK_SQ_MAX])
{
    const struct bk_setup *s = c->s;
    unsigned king = c->king[!colour];

    for (unsigned sq = 0; sq < s->v->nsq; sq++) {
        struct attack *a = &by_square[sq];
        unsigned n;
        const struct bk_reach *r = bk_reach_from(s->v, type, colour, sq, &n);

        for (unsigned i = 0; i < n; i++) {
            if (!(r[i].how & BK_TWICE))
                continue;
            if (r[i].to == king)
                a->via |= bit(via_of(c, &r[i]));
            else if (via_of(c, &r[i]) == king)
                a->ends |= bit(r[i].to);
        }
        a->twice = any(a->via | a->ends);
    }
}

static void find_attacks(const struct ctx *c, unsigned type, unsigned colour,
                         struct attack by_square[BK_SQ_MAX])
{
    const struct bk_setup *s = c->s;
    unsigned n;
    const struct bk_reach *r = bk_reach_into(s->v, type, colour, c->king[!colour], &n);

    memset(by_square, 0, s->v->nsq * sizeof *by_square);
    for (unsigned i = 0; i < n; i++) {
        struct attack *a = &by_square[r[i].to];

        if (!(r[i].how & BK_TAKES) || a->n == WAYS_MAX)
            continue;
        a->way[a->n].hops = r[i].how & BK_HOPS;
        a->way[a->n].npaths = r[i].npaths;
        a->way[a->n++].path = r[i].path;
    }
    if (bk_rules_takes_twice(s->v, type))
        find_double_attacks(c, type, colour, by_square);
}

/* The squares of a side's men but the inner one. */
static set men_of(const struct ctx *c, unsigned side, uint32_t conf)
{
    const struct bk_setup *s = c->s;
    set men = bit(c->king[side]);

    for (unsigned i = 0; i < s->fixed.n; i++)
        if (s->ix->colour[s->fixed.slot[i]] == side)
            men |= bit(s->fixed.sq[i]);
    for (unsigned o = 0; o < s->nouter; o++)
        if (s->outer[o].colour == side)
            men |= bit(s->conf.sq[conf][o]);
    return men;
}

static set attacked_twice(const struct ctx *c, const struct attack *a, unsigned side, uint32_t conf)
{
    const struct bk_inner *in = &c->s->inner;
    set ends = a->ends & ~men_of(c, side, conf), x = NONE;

    if (any(a->via & men_of(c, !side, conf)))
        return ~NONE;
    if (in->slot >= 0 && in->colour != side)
        x = a->via;
    if (count(ends) > 1 || (any(ends) && (in->slot < 0 || in->colour != side)))
        return ~NONE;
    return any(ends) ? x | ~ends : x; /* the inner man may stand on the only end */
}

static inline set attacked_with(const struct ctx *c, const struct attack *a, unsigned side,
                                uint32_t conf, set occ)
{
    set x = a->twice ? attacked_twice(c, a, side, conf) : NONE;

    for (unsigned i = 0; i < a->n; i++)
        x |= open_squares(c, a->way[i].hops, a->way[i].npaths, a->way[i].path, occ);
    return x;
}

/* Returns the inner man's squares from which it takes the king behind another man, or on its
   way. */
static set attacked_twice_by_inner(const struct ctx *c, unsigned side, uint32_t conf)
{
    const struct bk_setup *s = c->s;
    unsigned king = c->king[!side];
    set via = men_of(c, !side, conf) & ~bit(king), x = NONE;
    set ends = ends_of_twice(s, king) & ~men_of(c, side, conf);

    EACH (sq, via)
        x |= beginnings_of_twice(s, sq, king);
    EACH (sq, ends)
        x |= beginnings_of_twice(s, king, sq);
    return x;
}

/* What tells, in one slice, in which positions the side to move could take the king. */
struct legality {
    bool kings_meet[2];
    struct attack fixed[BK_SLOTS_MAX];
    struct attack outer[BK_OUTERS_MAX][BK_SQ_MAX];
    /* `leaps`, by side: no attack of its outer men depends on other men, and the last outer man's
       squares fill whole vectors.  Then `leap`, by outer and digit: all ones where it attacks the
       king */
    bool leaps[2];
    lane_sets leap[BK_OUTERS_MAX][(BK_SQ_MAX + BK_LANES_MAX) / LANES + 1];
};

/* Do none of an outer man's attacks depend on where others stand? */
static bool attacks_by_leaps(const struct bk_outer *out, const struct attack *by_square)
{
    for (unsigned d = 0; d < out->n; d++) {
        const struct attack *a = &by_square[out->sq[d]];

        if (a->twice)
            return false;
        for (unsigned i = 0; i < a->n; i++)
            if (a->way[i].npaths)
                return false;
    }
    return true;
}

static void find_leaps(const struct bk_setup *s, struct legality *l)
{
    bool whole = s->nouter && s->outer[s->nouter - 1].n % LANES == 0;

    l->leaps[0] = l->leaps[1] = whole;
    for (unsigned o = 0; whole && o < s->nouter; o++) {
        const struct bk_outer *out = &s->outer[o];

        l->leaps[out->colour] = l->leaps[out->colour] && attacks_by_leaps(out, l->outer[o]);
        for (unsigned d = 0; d < out->n; d++)
            l->leap[o][d / LANES][d % LANES] = l->outer[o][out->sq[d]].n ? ~NONE : NONE;
    }
}

static void find_legality(const struct ctx *c, struct legality *l)
{
    const struct bk_setup *s = c->s;
    static _Thread_local struct attack by_square[BK_SQ_MAX];

    if (s->anchored) /* nobody is royal: legal_of() asks nothing */
        return;
    for (unsigned side = 0; side < 2; side++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(s->v, s->v->royal, side, c->king[side], &n);

        l->kings_meet[side] = false;
        for (unsigned i = 0; i < n; i++)
            if (r[i].to == c->king[!side] && r[i].how & BK_TAKES)
                l->kings_meet[side] = true;
    }
    for (unsigned i = 0; i < s->fixed.n; i++) {
        unsigned slot = s->fixed.slot[i];

        find_attacks(c, s->ix->type[slot], s->ix->colour[slot], by_square);
        l->fixed[i] = by_square[s->fixed.sq[i]];
    }
    for (unsigned o = 0; o < s->nouter; o++)
        find_attacks(c, s->outer[o].type, s->outer[o].colour, l->outer[o]);
    find_leaps(s, l);
}

static set illegal(const struct ctx *c, const struct legality *l, unsigned side, uint32_t conf,
                   set occ)
{
    const struct bk_setup *s = c->s;
    set x = l->kings_meet[side] ? ~NONE : NONE;

    for (unsigned i = 0; i < s->fixed.n; i++)
        if (l->fixed[i].n + l->fixed[i].twice && s->ix->colour[s->fixed.slot[i]] == side)
            x |= attacked_with(c, &l->fixed[i], side, conf, occ);
    for (unsigned o = 0; o < s->nouter; o++) {
        const struct attack *a = &l->outer[o][s->conf.sq[conf][o]];

        if (a->n + a->twice && s->outer[o].colour == side)
            x |= attacked_with(c, a, side, conf, occ);
    }
    return x;
}

/*
 * Returns the squares where the inner man may be in each configuration of a
 * vector, all men standing apart; none in a clash, and none past the last
 * configuration.
 */
static inline lanes placed_in(const struct ctx *c, uint32_t vector)
{
    const struct bk_setup *s = c->s;
    const set *conf_occ = (const set *)s->conf.occ + vector * LANES;
    const uint8_t *clash = s->conf.clash + vector * LANES;
    lane_sets apart;

    for (unsigned i = 0; i < LANES; i++)
        apart[i] = c->void_slice || clash[i] || any(c->base_occ & conf_occ[i]) ? NONE : ~NONE;
    return *(const lanes *)apart & c->inner_cell & ~(occupied(c, vector) & lanes_of(c->live));
}

/* Returns all ones in the lanes in which an outer man of `side` attacks the king by a leap. */
static lanes attacked_by_leaps(const struct bk_setup *s, const struct legality *l, unsigned side,
                               uint32_t vector)
{
    lanes x = NO_LANES;

    for (unsigned o = 0; o < s->nouter; o++) {
        const struct bk_outer *out = &s->outer[o];
        unsigned d = (unsigned)((size_t)vector * LANES / out->stride % out->n);

        if (out->colour != side)
            continue;
        if (o + 1 == s->nouter)
            x |= *(const lanes *)l->leap[o][d / LANES];
        else
            x |= lanes_of(l->leap[o][d / LANES][d % LANES]);
    }
    return x;
}

/* Returns the positions among `placed`, of a vector, that are legal with `side` to move. */
static lanes legal_of(const struct ctx *c, const struct legality *l, unsigned side, uint32_t vector,
                      lanes placed)
{
    const struct bk_setup *s = c->s;
    const set *conf_occ = (const set *)s->conf.occ + vector * LANES;
    lane_sets bad = { NONE };
    unsigned words = lanes_words(placed);

    if (!words || s->anchored)
        return placed;
    if (l->leaps[side] && !l->kings_meet[side] && !s->fixed.n) {
        placed &= ~attacked_by_leaps(s, l, side, vector);
    } else {
        unsigned left = words;

        EACH_LANE (i, left)
            bad[i] = illegal(c, l, side, vector * LANES + i, c->base_occ | conf_occ[i]);
        placed &= ~*(const lanes *)bad;
    }
    if (s->inner.slot < 0 || s->inner.colour != side)
        return placed;
    placed &= ~inner_into(c, lanes_of(bit(c->king[!side])),
                          lanes_of(c->board) & ~occupied(c, vector), BK_TAKES);
    if (s->inner.twice) {
        EACH_LANE (i, words)
            bad[i] = attacked_twice_by_inner(c, side, vector * LANES + i);
        placed &= ~*(const lanes *)bad;
    }
    return placed;
}

#endif
