/*
 * all.h - all facts of a row at once.  HOT: samples for learning, at random places.
 *
 * On the way down a tree a fact is computed when a node asks for it (row.h).  Where all facts are
 * wanted, it is quicker to visit each square that a man may go to once, and to collect there what
 * every fact about that man needs.  The results are left in the row as if they had been asked for.
 */
#ifndef BK_FACTS_ALL_H
#define BK_FACTS_ALL_H

#include "core/facts/row.h"

/* Fills r->at[i][t] for every square t. */
static void all_attacks(struct row *r, unsigned i)
{
    const struct kind_reach *k = r->reach->of[i];
    set *at = r->at[i], to;

    r->have_at[i] = ~NONE;
    if (i == r->head.inner) {
        for (unsigned t = 0; t < k->nsq; t++)
            at[t] = attacks_into(k, t, r->occupied) & ~bit(t);
        return;
    }
    memset(at, 0, k->nsq * sizeof *at);
    to = k->to[r->sq[i]];
    EACH (t, to)
        at[t] = attacks_past(k, r->sq[i], t, r->occupied);
}

/* Fills r->side[colour][t] for every square t from what all_attacks() found.  Only squares behind
   the other king, which `colour` looks through, are computed anew. */
static void all_side(struct row *r, unsigned colour)
{
    const struct bk_facts *f = r->head.f;
    unsigned inner = r->head.inner, king = r->sq[!colour];
    set *side = r->side[colour];

    r->have_side[colour] = ~NONE;
    memset(side, 0, f->v->nsq * sizeof *side);
    for (unsigned i = 0; i < f->men.n; i++) {
        const struct kind_reach *k = r->reach->of[i];
        const set *at = r->at[i];
        set to, behind;

        if (f->men.colour[i] != colour)
            continue;
        if (inner == !colour) { /* the other king is x: not in `occupied` */
            to = attacks_from(k, r->sq[i], r->occupied);
            EACH (t, to)
                side[t] = ~NONE;
        } else if (i == inner) {
            behind = k->shape == LEAPS ? NONE : k->past[king];
            for (unsigned t = 0; t < k->nsq; t++)
                side[t] |=
                    has(behind, t) ? attacks_into(k, t, r->occupied & ~bit(king)) & ~bit(t) : at[t];
        } else {
            to = k->to[r->sq[i]];
            behind = k->shape == LEAPS ? NONE : k->touch_to[r->sq[i] * k->nsq + king];
            EACH (t, to)
                side[t] |=
                    has(behind, t) ? attacks_past(k, r->sq[i], t, r->occupied & ~bit(king)) : at[t];
        }
    }
}

/* Where man i may go, and what it then attacks. */
struct goings {
    unsigned i;
    set rest;             /* the squares of all men but i and the inner man */
    set hits[BK_MEN_MAX]; /* [j]: squares from which i may attack enemy j, not the inner man */
    set near;             /* squares from which i may attack some enemy */
};

/* Fills g->hits and g->near, for all squares at once. */
static void all_near(struct row *r, struct goings *g)
{
    const struct bk_facts *f = r->head.f;
    const struct kind_reach *k = r->reach->of[g->i];

    g->near = NONE;
    for (unsigned n = 0; n < f->nenemies[g->i]; n++) {
        unsigned j = f->enemy[g->i][n];

        if (j == r->head.inner) {
            g->near = ~NONE;
            continue;
        }
        if (g->i == r->head.inner)
            g->hits[j] = attacks_into(k, r->sq[j], g->rest);
        else
            g->hits[j] = k->into[r->sq[j]];
        g->near |= g->hits[j];
    }
}

/* Sets hit[j] to the x of `go` for which man i, gone to t, attacks enemy j.  Returns the mask of
   the j that have such an x; hit[] of all others may be unset. */
INLINE unsigned all_hits(const struct row *r, const struct goings *g, unsigned t, set go, set *hit)
{
    const struct bk_facts *f = r->head.f;
    const struct kind_reach *k = r->reach->of[g->i];
    unsigned mask = 0;

    for (unsigned n = 0; n < f->nenemies[g->i]; n++) {
        unsigned j = f->enemy[g->i][n];

        if (j == r->head.inner)
            hit[j] = attacks_from(k, t, g->rest) & go;
        else if (!has(g->hits[j], t))
            continue;
        else if (g->i == r->head.inner)
            hit[j] = go;
        else
            hit[j] = attacks_past(k, t, r->sq[j], g->rest) & go;
        mask |= (unsigned)any(hit[j]) << j;
    }
    return mask;
}

/* Adds the squares `hit` to a fork's facts: fact[0] where the man is safe, fact[1] where it is safe
   or covered. */
INLINE void all_fork(struct row *r, const uint16_t fact[2], set hit, set safe, set covered)
{
    if (fact[0] != FACT_NONE)
        r->fact[fact[0]] |= hit & safe;
    if (fact[1] != FACT_NONE)
        r->fact[fact[1]] |= hit & covered;
}

static void all_skewers(struct row *r, const struct goings *g, unsigned t, set hit)
{
    const struct bk_facts *f = r->head.f;
    unsigned king = f->enemy[g->i][0];

    for (unsigned n = 1; n < f->nenemies[g->i]; n++) {
        unsigned j = f->enemy[g->i][n], fact = f->skewer_fact[g->i][j];
        struct fact_fork fork = { (uint8_t)king, (uint8_t)j, false, true };

        if (fact != FACT_NONE && (j == r->head.inner || has(r->reach->of[g->i]->into[r->sq[j]], t)))
            r->fact[fact] |= hit & row_hits_behind(r, g->i, t, fork, g->rest);
    }
}

/* row_held() for x in `of`, where all of at[] is known. */
static set all_held(const struct row *r, unsigned i, unsigned t, set of)
{
    const struct bk_facts *f = r->head.f;
    unsigned colour = row_colour(r, i);
    set defended = NONE;

    for (unsigned p = 2; p < f->men.n; p++) {
        if (f->men.colour[p] != colour)
            of &= ~r->at[p][t];
        else if (p != i)
            defended |= r->at[p][t];
    }
    return of & (defended | r->at[colour][t]);
}

static void all_forks(struct row *r, const struct goings *g, unsigned t, set go, set safe)
{
    const struct bk_facts *f = r->head.f;
    set hit[BK_MEN_MAX], some = NONE, covered = safe;
    unsigned mask = all_hits(r, g, t, go, hit);

    for (unsigned a = mask; a; a &= a - 1)
        some |= hit[__builtin_ctz(a)];
    if (g->i >= 2 && any(some & ~safe))
        covered |= all_held(r, g->i, t, some & ~safe);
    if (!any(some & covered))
        return;
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        unsigned a = (unsigned)__builtin_ctz(rest);

        for (unsigned other = rest; other; other &= other - 1) {
            unsigned b = (unsigned)__builtin_ctz(other);

            all_fork(r, f->fork_fact[g->i][a][b], hit[a] & hit[b], safe, covered);
        }
    }
    if (mask >> f->enemy[g->i][0] & 1 && any(hit[f->enemy[g->i][0]] & safe))
        all_skewers(r, g, t, hit[f->enemy[g->i][0]] & safe);
}

/* Counts t among the safe squares of man i, for x in `safe`. */
INLINE void all_safe(struct row *r, set *out, unsigned i, unsigned t, set safe)
{
    if (i >= 2) {
        count_in(out, 3, safe);
        return;
    }
    count_in(out, 4, safe);
    if (!has(r->occupied, t))
        count_in(out + 4, 3, safe & ~bit(t));
}

/* Computes the facts about safe squares and forks of man i, for x in `wanted`. */
static void all_goings(struct row *r, unsigned i, set wanted)
{
    const struct bk_facts *f = r->head.f;
    const struct fact_group *group = &f->group[r->safe_group[i]];
    unsigned colour = row_colour(r, i);
    bool inner_own = i != r->head.inner && row_inner_is(r, colour);
    struct goings g = { .i = i, .rest = r->occupied & ~row_where(r, i) };
    set to = row_targets(r, i, ~NONE), safe_squares[7];

    for (unsigned q = 0; q < 7; q++)
        safe_squares[q] = NONE;
    all_near(r, &g);
    EACH (t, to) {
        set go = r->at[i][t] & ~(inner_own ? bit(t) : NONE) & wanted;
        set safe = go & ~r->side[!colour][t];

        if (any(safe))
            all_safe(r, safe_squares, i, t, safe);
        if (has(g.near, t) && any(go))
            all_forks(r, &g, t, go, safe);
    }
    memcpy(r->fact + group->first, safe_squares, group->n * sizeof(set));
}

/* Fills a group of facts of place.  If it concerns the inner man, its sets lie side by side in
   `from`; if not, each is all squares or none. */
static void all_place(struct row *r, const struct fact_group *g)
{
    const struct row_item *item = &r->item[g->first];
    set *out = r->fact + g->first;

    if (item->how == HOW_SQUARES) {
        const set *from = item->from;

        from += item->stride * r->sq[item->i];
        for (unsigned q = 0; q < g->n; q++)
            out[q] = from[q];
    } else {
        const uint8_t *from = item->from;
        unsigned away = from[item->stride * r->sq[item->i] + r->sq[item->j]];

        for (unsigned q = 0; q < g->n; q++)
            out[q] = ALL_IF(away <= g->least + q);
    }
}

static void row_all(struct bk_fact_row *row, const uint64_t *care, uint64_t *out)
{
    struct row *r = (struct row *)row;
    const struct bk_facts *f = r->head.f;
    set wanted;

    memcpy(&wanted, care, sizeof wanted);
    for (unsigned i = 0; i < f->men.n; i++)
        all_attacks(r, i);
    all_side(r, BK_WHITE);
    all_side(r, BK_BLACK);
    for (unsigned fact = f->first_fork; fact < f->nfacts; fact++)
        r->fact[fact] = NONE;
    for (unsigned i = 0; i < f->men.n; i++)
        all_goings(r, i, wanted);
    for (unsigned group = 0; group < f->ngroups; group++) {
        const struct fact_group *g = &f->group[group];

        if (g->kind == FACT_PLACE)
            all_place(r, g);
        else if (fact_costly(g->kind))
            r->known[group] = wanted; /* all_goings() */
        else if (row_lacks(r, group))
            row_group(r, group);
    }
    for (unsigned w = 0; w < r->words; w++)
        r->have[w] = ~UINT64_C(0);
    memcpy(out, r->fact, f->nfacts * sizeof(set));
}

#endif
