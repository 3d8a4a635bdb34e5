/*
 * all.h - all facts of a row at once.  HOT: samples for learning, at random places.
 *
 * Going down a tree, facts are computed when asked (row.h).  Where all are wanted it is quicker to
 * look once at each square that a man may go to, and to note there what every fact about that man
 * wants to know.  What is found is left in the row as if it had been asked.
 */
#ifndef BK_FACTS_ALL_H
#define BK_FACTS_ALL_H

#include "core/facts/row.h"

/* at[i][t] for every square. */
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

/* side[colour][t] for every square, from what all_attacks() found: only those behind the king
   who is looked through have to be looked at again. */
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
        if (inner == !colour) { /* the king is nowhere */
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

/* A square t that man i may go to. */
struct going {
    unsigned i, t;
    set go, safe; /* for which x it may, and safely */
    set rest;     /* the men but it and the inner one */
};

/* hit[j]: man i on t attacks enemy j.  Tells whether any is. */
static bool all_hits(const struct row *r, const struct going *g, set *hit)
{
    const struct bk_facts *f = r->head.f;
    set some = NONE;

    for (unsigned n = 0; n < f->nenemies[g->i]; n++) {
        unsigned j = f->enemy[g->i][n];

        hit[j] = row_hits(r, g->i, g->t, j, g->rest) & g->go;
        some |= hit[j];
    }
    return any(some);
}

static void all_forks(struct row *r, const struct going *g)
{
    const struct fact_group *fork = r->head.f->group + r->first_fork[g->i];
    set hit[BK_MEN_MAX], held = NONE;

    if (!r->forks[g->i] || !all_hits(r, g, hit))
        return;
    if (g->i >= 2 && any(g->go & ~g->safe))
        held = row_held(r, g->i, g->t);
    for (unsigned n = 0; n < r->forks[g->i]; n++, fork++) {
        struct fact_fork d = fork->fork;
        set both = hit[d.a] & (d.covered ? g->safe | held : g->safe);

        if (d.skewer && any(both))
            both &= row_hits_behind(r, g->i, g->t, d, g->rest);
        else if (!d.skewer)
            both &= hit[d.b];
        r->fact[fork->first] |= both;
    }
}

static void all_safe(struct row *r, const struct going *g)
{
    const struct fact_group *group = r->head.f->group + r->safe_group[g->i];
    set *out = r->fact + group->first;

    if (g->i >= 2) {
        count_in(out, group->n, g->safe);
        return;
    }
    count_in(out, 4, g->safe);
    if (!has(r->occupied, g->t))
        count_in(out + 4, 3, g->safe & ~bit(g->t));
}

/* The safe squares and forks of a man. */
static void all_goings(struct row *r, unsigned i)
{
    const struct bk_facts *f = r->head.f;
    unsigned colour = row_colour(r, i);
    bool inner_own = i != r->head.inner && row_inner_is(r, colour);
    set to = row_targets(r, i, ~NONE);

    for (unsigned q = 0; q < f->group[r->safe_group[i]].n; q++)
        r->fact[f->group[r->safe_group[i]].first + q] = NONE;
    for (unsigned n = 0; n < r->forks[i]; n++)
        r->fact[f->group[r->first_fork[i] + n].first] = NONE;
    EACH (t, to) {
        struct going g = { .i = i, .t = t };

        g.go = r->at[i][t] & ~(inner_own ? bit(t) : NONE);
        if (!any(g.go))
            continue;
        g.safe = g.go & ~r->side[!colour][t];
        g.rest = r->occupied & ~row_where(r, i);
        all_safe(r, &g);
        all_forks(r, &g);
    }
}

static void row_all(struct bk_fact_row *row, uint64_t *out)
{
    struct row *r = (struct row *)row;
    const struct bk_facts *f = r->head.f;

    for (unsigned i = 0; i < f->men.n; i++)
        all_attacks(r, i);
    all_side(r, BK_WHITE);
    all_side(r, BK_BLACK);
    for (unsigned i = 0; i < f->men.n; i++)
        all_goings(r, i);
    for (unsigned group = 0; group < f->ngroups; group++) {
        bool lacks = row_lacks(r, group);

        if (fact_costly(f->group[group].kind))
            r->known[group] = ~NONE;
        else if (lacks)
            row_group(r, group);
    }
    memcpy(out, r->fact, f->nfacts * sizeof(set));
}

#endif
