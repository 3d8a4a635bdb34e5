/*
 * reach.h - attacks as bitboards, for each kind of man.
 *
 * Idea: what a man attacks on an empty board is one table look-up; each man in the way takes some
 * squares out of it (or, where a screen is needed, puts some in).  Which ones is a table look-up,
 * too: touch_to[s][o] are the squares whose paths from s pass o.  A man that has several ways
 * to a square (bent riders) or needs a screen (cannons) is checked again for each touched square;
 * all others are simply stopped.
 *
 * Cost: a look-up a man in the way.  Memory of a kind of man: three tables of nsq x nsq sets where
 * it rides; 96 KB on 8x8, 3.7 MB on 14x14.
 */
#ifndef BK_FACTS_REACH_H
#define BK_FACTS_REACH_H

#include <stdlib.h>
#include <string.h>

#include "core/facts/list.h"
#include "core/geometry.h"
#include "core/set.h"

#define ALL_IF(x) ((x) ? ~NONE : NONE)

INLINE bool more_than(set x, unsigned n)
{
    while (n--)
        x = less_lowest(x);
    return any(x);
}

/* How a man is stopped. */
enum shape {
    LEAPS,   /* never */
    RIDES,   /* one way to each square: stopped by anything on it */
    WANDERS, /* several ways, or screens */
};

struct way {
    set path;
    bool hops; /* needs exactly one man on its path */
};

struct kind_reach {
    enum shape shape;
    unsigned nsq;
    set to[BK_SQ_MAX], into[BK_SQ_MAX];           /* attacks from, into it, whatever is between */
    set open_to[BK_SQ_MAX], open_into[BK_SQ_MAX]; /* likewise when nothing is between */
    set mid_to[BK_SQ_MAX], mid_into[BK_SQ_MAX];   /* squares on some way from, into it */
    set past[BK_SQ_MAX];                          /* [o]: ends of ways that pass o */
    set *touch_to, *touch_into;                   /* [s or t][o]: far ends of ways by o; not
                                                     LEAPS */
    set *path;                                    /* [s][t]: the one way; RIDES */
    uint32_t *first_way;                          /* [s][t], and one more: first way; WANDERS */
    struct way *way;
};

/* Facts of place as sets; for rows. */
struct places {
    set *at[METRICS][2]; /* [metric][which man is given: i or j][its square * steps + q]: the
                            squares of the other man, or of the only one, that make the fact true
                            whose bound is least + q */
};

/* The tables of a list of men, by man. */
struct reach {
    const struct kind_reach *of[BK_MEN_MAX]; /* borrowed from the game */
    unsigned nsq;
    const set *open[BK_MEN_MAX];        /* open_to, for looks; of wanderers empty sets */
    const set *touch[BK_MEN_MAX];       /* touch_to of a man that RIDES; else NULL */
    unsigned side[2];                   /* by colour: mask of its men */
    uint8_t men[2], man[2][BK_MEN_MAX]; /* by colour: how many men, and their list */
    unsigned riders;                    /* mask: others may stand in their way */
    unsigned wanderers;                 /* mask: those of them that bend or hop */
    uint8_t simple;                     /* mask of the sides that have no wanderers */
    _Atomic(struct places *) places;    /* owned; made for the first row */
};

/* == Making == */

static const set nowhere[BK_SQ_MAX];

INLINE bool counts(const struct bk_reach *r) { return r->how & BK_TAKES; }

static void reach_count(struct kind_reach *k, const struct bk_reach *r, unsigned n, unsigned *seen)
{
    memset(seen, 0, BK_SQ_MAX * sizeof *seen);
    for (unsigned i = 0; i < n; i++) {
        if (!counts(&r[i]))
            continue;
        if (r[i].npaths && k->shape == LEAPS)
            k->shape = RIDES;
        seen[r[i].to] += r[i].npaths ? r[i].npaths : 1;
        if (seen[r[i].to] > 1 || r[i].how & BK_HOPS)
            k->shape = WANDERS;
    }
}

static bool reach_alloc(struct kind_reach *k, size_t nways)
{
    size_t pairs = (size_t)k->nsq * k->nsq;

    if (k->shape == LEAPS)
        return true;
    k->touch_to = aligned_alloc(32, (pairs * sizeof(set) + 31) / 32 * 32);
    k->touch_into = aligned_alloc(32, (pairs * sizeof(set) + 31) / 32 * 32);
    if (!k->touch_to || !k->touch_into)
        return false;
    memset(k->touch_to, 0, pairs * sizeof(set));
    memset(k->touch_into, 0, pairs * sizeof(set));
    if (k->shape == RIDES) {
        k->path = aligned_alloc(32, (pairs * sizeof(set) + 31) / 32 * 32);
        if (k->path)
            memset(k->path, 0, pairs * sizeof(set));
        return k->path;
    }
    k->first_way = calloc(pairs + 1, sizeof *k->first_way);
    k->way = aligned_alloc(32, ((nways + 1) * sizeof *k->way + 31) / 32 * 32);
    return k->first_way && k->way;
}

/* Adds one way from s to t, over the squares of `path`. */
static void reach_add(struct kind_reach *k, unsigned s, unsigned t, set path, bool hops)
{
    k->to[s] |= bit(t);
    k->into[t] |= bit(s);
    if (!hops) {
        k->open_to[s] |= bit(t);
        k->open_into[t] |= bit(s);
    }
    if (k->shape == LEAPS)
        return;
    if (k->shape == RIDES)
        k->path[s * k->nsq + t] = path;
    k->mid_to[s] |= path;
    k->mid_into[t] |= path;
    EACH (o, path) {
        k->past[o] |= bit(t);
        k->touch_to[s * k->nsq + o] |= bit(t);
        k->touch_into[t * k->nsq + o] |= bit(s);
    }
}

/* Adds the ways from s, in the order of their ends, to the `nways` so far; returns how many now. */
static uint32_t reach_ways(struct kind_reach *k, const struct bk_variant *v, unsigned s,
                           const struct bk_reach *r, unsigned n, uint32_t nways)
{
    for (unsigned t = 0; t < k->nsq; t++) {
        if (k->first_way)
            k->first_way[s * k->nsq + t] = nways;
        for (unsigned i = 0; i < n; i++) {
            bool hops = r[i].how & BK_HOPS;

            if (r[i].to != t || !counts(&r[i]))
                continue;
            for (unsigned p = 0; p < (r[i].npaths ? r[i].npaths : 1u); p++) {
                set path = r[i].npaths ? set_of(&v->geometry->path[r[i].path + p]) : NONE;

                reach_add(k, s, t, path, hops);
                if (k->way)
                    k->way[nways] = (struct way){ path, hops };
                nways++;
            }
        }
    }
    if (k->first_way)
        k->first_way[(size_t)k->nsq * k->nsq] = nways;
    return nways;
}

static void kind_reach_free(void *kind_reach)
{
    struct kind_reach *k = kind_reach;

    if (k) {
        free(k->touch_to);
        free(k->touch_into);
        free(k->path);
        free(k->first_way);
        free(k->way);
        free(k);
    }
}

static struct kind_reach *kind_reach_new(const struct bk_variant *v, unsigned type, unsigned colour)
{
    struct kind_reach *k = aligned_alloc(32, (sizeof *k + 31) / 32 * 32);
    unsigned n, seen[BK_SQ_MAX];
    uint32_t nways = 0;

    if (!k)
        return NULL;
    memset(k, 0, sizeof *k);
    k->nsq = v->nsq;
    for (unsigned s = 0; s < v->nsq; s++) {
        const struct bk_reach *r = bk_reach_from(v, type, colour, s, &n);

        reach_count(k, r, n, seen);
        for (unsigned t = 0; t < v->nsq; t++)
            nways += seen[t];
    }
    if (!reach_alloc(k, nways)) {
        kind_reach_free(k);
        return NULL;
    }
    nways = 0;
    for (unsigned s = 0; s < v->nsq; s++) {
        const struct bk_reach *r = bk_reach_from(v, type, colour, s, &n);

        nways = reach_ways(k, v, s, r, n, nways);
    }
    return k;
}

/* The tables of a kind of man, made on the first call and kept with the game; NULL: no memory. */
static const struct kind_reach *kind_reach_of(struct bk_fact_game *game, unsigned type,
                                              unsigned colour)
{
    unsigned width = sizeof(set) / 8 / 2; /* 0, 1, 2 */
    _Atomic(void *) *slot = &game->reach[width][type][colour];
    void *there = atomic_load(slot), *mine;

    if (there)
        return there;
    mine = kind_reach_new(game->v, type, colour);
    if (!mine || atomic_compare_exchange_strong(slot, &there, mine))
        return mine;
    kind_reach_free(mine);
    return there;
}

static void places_free(struct places *places)
{
    for (unsigned m = 0; places && m < METRICS; m++) {
        free(places->at[m][0]);
        free(places->at[m][1]);
    }
    free(places);
}

/* Makes places->at[m][which]; of a metric of one square the given one is 0.  False: no memory. */
static bool places_fill(struct places *places, const struct bk_facts *f, unsigned m, unsigned which)
{
    unsigned nsq = f->v->nsq, given = fact_metric_pairs(m) ? nsq : 1, steps = f->steps[m];
    size_t bytes = given * steps * sizeof(set);
    set *out = places->at[m][which] = aligned_alloc(32, (bytes + 31) / 32 * 32);

    if (!out)
        return false;
    for (unsigned a = 0; a < given; a++)
        for (unsigned q = 0; q < steps; q++) {
            set at = NONE;

            for (unsigned x = 0; x < nsq; x++)
                if (fact_metric_of(f, m, which ? x : a, which ? a : x) <= f->least[m] + q)
                    at |= bit(x);
            out[a * steps + q] = at;
        }
    return true;
}

static struct places *places_new(const struct bk_facts *f)
{
    struct places *places = calloc(1, sizeof *places);

    for (unsigned m = 0; places && m < METRICS; m++)
        for (unsigned which = 0; f->steps[m] && which < (fact_metric_pairs(m) ? 2 : 1); which++)
            if (!places_fill(places, f, m, which)) {
                places_free(places);
                return NULL;
            }
    return places;
}

/* The places of `f`, made on the first call; NULL: no memory. */
static const struct places *places_of(const struct bk_facts *f)
{
    struct reach *r = f->reach;
    struct places *there = atomic_load(&r->places), *mine;

    if (there)
        return there;
    mine = places_new(f);
    if (!mine || atomic_compare_exchange_strong(&r->places, &there, mine))
        return mine;
    places_free(mine);
    return there;
}

static void reach_free(void *reach)
{
    struct reach *r = reach;

    if (r)
        places_free(r->places);
    free(r);
}

static void *reach_new(const struct bk_facts *f)
{
    struct reach *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->nsq = f->v->nsq;
    for (unsigned i = 0; i < f->men.n; i++) {
        unsigned colour = f->men.colour[i];

        r->side[colour] |= 1u << i;
        r->man[colour][r->men[colour]++] = (uint8_t)i;
        r->of[i] = kind_reach_of(f->game, f->men.type[i], f->men.colour[i]);
        if (!r->of[i]) {
            reach_free(r);
            return NULL;
        }
        r->open[i] = r->of[i]->shape == WANDERS ? nowhere : r->of[i]->open_to;
        r->touch[i] = r->of[i]->shape == RIDES ? r->of[i]->touch_to : NULL;
        r->riders |= (unsigned)(r->of[i]->shape != LEAPS) << i;
        r->wanderers |= (unsigned)(r->of[i]->shape == WANDERS) << i;
    }
    for (unsigned colour = 0; colour < 2; colour++)
        r->simple |= (uint8_t)(!(r->side[colour] & r->wanderers) << colour);
    return r;
}

/* == Asking == */

/* Is one of the ways from s to t open? */
INLINE bool some_way_open(const struct kind_reach *k, unsigned s, unsigned t, set occupied)
{
    size_t at = (size_t)s * k->nsq + t;

    for (uint32_t i = k->first_way[at]; i < k->first_way[at + 1]; i++) {
        set on = k->way[i].path & occupied;

        if (k->way[i].hops ? count(on) == 1 : !any(on))
            return true;
    }
    return false;
}

INLINE bool reaches(const struct kind_reach *k, unsigned s, unsigned t, set occupied)
{
    if (!has(k->to[s], t))
        return false;
    if (k->shape == LEAPS)
        return true;
    if (k->shape == RIDES)
        return !any(k->path[s * k->nsq + t] & occupied);
    return some_way_open(k, s, t, occupied);
}

/* What a man on s attacks.  A wanderer is checked again if a man stands on one of its ways. */
INLINE set attacks_from(const struct kind_reach *k, unsigned s, set occupied)
{
    set touched = NONE, open = k->open_to[s], near = occupied & k->mid_to[s];

    if (!any(near))
        return open;
    EACH (o, near)
        touched |= k->touch_to[s * k->nsq + o];
    open &= ~touched;
    if (k->shape == WANDERS)
        EACH (t, touched)
            if (some_way_open(k, s, t, occupied))
                open |= bit(t);
    return open;
}

/* The squares from which a man attacks t. */
INLINE set attacks_into(const struct kind_reach *k, unsigned t, set occupied)
{
    set touched = NONE, open = k->open_into[t], near = occupied & k->mid_into[t];

    if (!any(near))
        return open;
    EACH (o, near)
        touched |= k->touch_into[t * k->nsq + o];
    open &= ~touched;
    if (k->shape == WANDERS)
        EACH (s, touched)
            if (some_way_open(k, s, t, occupied))
                open |= bit(s);
    return open;
}

/* The x for which a man on s attacks t when x and the squares of `occupied` are occupied. */
INLINE set attacks_past(const struct kind_reach *k, unsigned s, unsigned t, set occupied)
{
    size_t at = (size_t)s * k->nsq + t;
    set open = NONE;

    if (!has(k->to[s], t))
        return NONE;
    if (k->shape == LEAPS)
        return ~NONE;
    if (k->shape == RIDES)
        return any(k->path[at] & occupied) ? NONE : ~k->path[at];
    for (uint32_t i = k->first_way[at]; i < k->first_way[at + 1]; i++) {
        set path = k->way[i].path, on = path & occupied;

        if (!any(on))
            open |= k->way[i].hops ? path : ~path;
        else if (k->way[i].hops && count(on) == 1)
            open |= ~path;
    }
    return open;
}

#endif
