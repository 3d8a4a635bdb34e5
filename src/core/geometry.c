/*
 * geometry.c - writes every move out as (from, to, ways).
 *
 * Idea: collect raw (to, how, squares between) triples per man and square,
 * then join those that share `to` and `how` into one entry with several
 * paths.  A way with nothing between makes the others irrelevant.
 */
#include "core/geometry.h"

#include <stdlib.h>
#include <string.h>

#include "core/facts/game.h"

struct way {
    uint8_t to, how;
    struct bk_bits between;
};

struct ways {
    struct way *way;
    size_t n, room;
    bool failed;
};

static void ways_add(struct ways *w, unsigned to, unsigned how, struct bk_bits between)
{
    if (w->n == w->room) {
        size_t room = w->room ? w->room * 2 : 256;
        struct way *more = realloc(w->way, room * sizeof *more);

        if (!more) {
            w->failed = true;
            return;
        }
        w->way = more;
        w->room = room;
    }
    w->way[w->n++] = (struct way){ (uint8_t)to, (uint8_t)how, between };
}

/* The square (df, dr) away, or BK_SQ_NONE off the rectangle.  Holes included. */
static unsigned beyond(const struct bk_variant *v, unsigned sq, int df, int dr)
{
    int file = (int)(sq % v->files) + df, rank = (int)(sq / v->files) + dr;

    if (file < 0 || file >= v->files || rank < 0 || rank >= v->ranks)
        return BK_SQ_NONE;
    return (unsigned)(rank * v->files + file);
}

/* The same, and the square must exist. */
static unsigned step_to(const struct bk_variant *v, unsigned sq, int df, int dr)
{
    unsigned to = beyond(v, sq, df, dr);

    return to != BK_SQ_NONE && bk_bits_has(&v->board, to) ? to : BK_SQ_NONE;
}

/* Repeats one step over empty squares; a hopper's ends need one man between. */
static void ride(struct ways *w, const struct bk_variant *v, unsigned from, const struct bk_step *s,
                 int dr)
{
    struct bk_bits between = { { 0 } };
    unsigned sq = from;

    for (unsigned i = 1; s->range == 0 || i <= s->range; i++) {
        sq = step_to(v, sq, s->df, dr);
        if (sq == BK_SQ_NONE)
            return;
        if (!(s->how & BK_HOPS) || i > 1)
            ways_add(w, sq, s->how, between);
        bk_bits_set(&between, sq);
    }
}

static int sign(int x) { return (x > 0) - (x < 0); }

/* May `second` follow `first` in one move? */
static bool follows(const struct bk_movement *m, const struct bk_step *first,
                    const struct bk_step *second)
{
    return m->bend || (sign(first->df) == sign(second->df) && sign(first->dr) == sign(second->dr));
}

/* Two leaps with a square between that is empty or, for takes_twice, hostile. */
static void two_steps(struct ways *w, const struct bk_variant *v, unsigned from,
                      const struct bk_movement *m, int forward)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        unsigned mid = step_to(v, from, m->step[i].df, forward * m->step[i].dr);
        struct bk_bits between = { { 0 } };

        if (mid == BK_SQ_NONE)
            continue;
        bk_bits_set(&between, mid);
        for (unsigned j = 0; j < m->nsteps; j++) {
            const struct bk_step *s = &m->step[j];
            unsigned to = step_to(v, mid, s->df, forward * s->dr);

            if (to == BK_SQ_NONE || !follows(m, &m->step[i], s))
                continue;
            if (to != from && m->step[i].how & BK_QUIET)
                ways_add(w, to, s->how, between);
            if (to != from && m->takes_twice)
                ways_add(w, to, BK_TWICE, between);
        }
    }
}

static void movement_ways(struct ways *w, const struct bk_variant *v, unsigned from,
                          const struct bk_movement *m, int forward)
{
    for (unsigned i = 0; i < m->nsteps; i++)
        ride(w, v, from, &m->step[i], forward * m->step[i].dr);
    if (m->steps_max == 2)
        two_steps(w, v, from, m, forward);
}

/* Everything a man standing on `from` can do. */
static void man_ways(struct ways *w, const struct bk_variant *v, unsigned type, unsigned colour,
                     unsigned from)
{
    const struct bk_piece *p = &v->piece[type];
    int forward = colour == BK_WHITE ? 1 : -1;
    unsigned own_rank = bk_own_rank(v, from, colour);

    w->n = 0;
    if (!bk_bits_has(&v->board, from) || !(p->ranks >> own_rank & 1))
        return;
    movement_ways(w, v, from, p->zone_ranks >> own_rank & 1 ? &p->zone : &p->move, forward);
    if (p->double_ranks >> own_rank & 1) {
        unsigned mid = step_to(v, from, 0, forward);
        unsigned to = mid == BK_SQ_NONE ? BK_SQ_NONE : step_to(v, mid, 0, forward);
        struct bk_bits between = { { 0 } };

        if (to != BK_SQ_NONE) {
            bk_bits_set(&between, mid);
            ways_add(w, to, BK_QUIET, between);
        }
    }
}

/* Splits QUIET|TAKES so that equal ends join whatever way they came. */
static void split(struct ways *w)
{
    size_t n = w->n;

    for (size_t i = 0; i < n; i++)
        if ((w->way[i].how & (BK_QUIET | BK_TAKES)) == (BK_QUIET | BK_TAKES)) {
            unsigned rest = w->way[i].how & ~(unsigned)(BK_QUIET | BK_TAKES);

            ways_add(w, w->way[i].to, rest | BK_TAKES, w->way[i].between);
            w->way[i].how = (uint8_t)(rest | BK_QUIET);
        }
}

static int by_end(const void *a, const void *b)
{
    const struct way *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->how != y->how)
        return x->how < y->how ? -1 : 1;
    return memcmp(&x->between, &y->between, sizeof x->between);
}

static bool same_paths(const struct bk_geometry *g, const struct bk_reach *a,
                       const struct bk_reach *b)
{
    return a->npaths == b->npaths &&
           !memcmp(g->path + a->path, g->path + b->path, a->npaths * sizeof *g->path);
}

/* Appends one entry for way[0..n), which share `to` and `how`. */
static void append(struct bk_geometry *g, uint32_t first, const struct way *way, size_t n)
{
    struct bk_reach *r = &g->reach[g->nreach];
    bool single = way->how & (BK_HOPS | BK_TWICE); /* each way is a move of its own */

    for (size_t i = 0; i < n; i++) {
        if (i && !by_end(&way[i], &way[i - 1]))
            continue;
        if (i == 0 || single) {
            r = &g->reach[g->nreach++];
            *r = (struct bk_reach){ way->to, way->how, 0, g->npath };
        }
        if (!single && bk_bits_empty(&way[i].between)) {
            g->npath = r->path;
            r->npaths = 0;
            break;
        }
        g->path[g->npath++] = way[i].between;
        r->npaths++;
    }
    /* a quiet and a taking entry with the same ways are one */
    if (g->nreach - first >= 2 && !single) {
        struct bk_reach *before = r - 1;

        if (before->to == r->to && !((before->how | r->how) & (BK_HOPS | BK_TWICE)) &&
            same_paths(g, before, r)) {
            before->how |= r->how;
            g->npath = r->path;
            g->nreach--;
        }
    }
}

static bool grow(struct bk_geometry *g, size_t more, size_t *room_reach, size_t *room_path)
{
    if (g->nreach + more > *room_reach) {
        struct bk_reach *r;

        *room_reach = (*room_reach + more) * 2;
        r = realloc(g->reach, *room_reach * sizeof *r);
        if (!r)
            return false;
        g->reach = r;
    }
    if (g->npath + more > *room_path) {
        struct bk_bits *p;

        *room_path = (*room_path + more) * 2;
        p = realloc(g->path, *room_path * sizeof *p);
        if (!p)
            return false;
        g->path = p;
    }
    return true;
}

/* Fills reach_into by a counting sort of reach on `to`. */
static bool reverse(struct bk_geometry *g, const struct bk_variant *v)
{
    uint32_t next = 0;

    g->reach_into = malloc((g->nreach ? g->nreach : 1) * sizeof *g->reach_into);
    if (!g->reach_into)
        return false;
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned colour = 0; colour < 2; colour++) {
            for (unsigned sq = 0; sq < v->nsq; sq++)
                for (unsigned i = 0; i < g->count[type][colour][sq]; i++)
                    g->count_into[type][colour][g->reach[g->first[type][colour][sq] + i].to]++;
            for (unsigned sq = 0; sq < v->nsq; sq++) {
                g->first_into[type][colour][sq] = next;
                next += g->count_into[type][colour][sq];
                g->count_into[type][colour][sq] = 0;
            }
            for (unsigned sq = 0; sq < v->nsq; sq++)
                for (unsigned i = 0; i < g->count[type][colour][sq]; i++) {
                    struct bk_reach r = g->reach[g->first[type][colour][sq] + i];
                    unsigned to = r.to;

                    r.to = (uint8_t)sq;
                    g->reach_into[g->first_into[type][colour][to] +
                                  g->count_into[type][colour][to]++] = r;
                }
        }
    return true;
}

enum bk_err bk_geometry_new(struct bk_geometry **out, const struct bk_variant *v,
                            struct bk_report *why)
{
    struct bk_geometry *g = calloc(1, sizeof *g);
    struct ways w = { 0 };
    size_t room_reach = 0, room_path = 0;

    if (!g)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned colour = 0; colour < 2; colour++)
            for (unsigned sq = 0; sq < v->nsq; sq++) {
                uint32_t first = g->nreach;

                man_ways(&w, v, type, colour, sq);
                split(&w);
                if (w.failed || !grow(g, w.n, &room_reach, &room_path))
                    goto no_memory;
                if (w.n)
                    qsort(w.way, w.n, sizeof *w.way, by_end);
                for (size_t i = 0, j; i < w.n; i = j) {
                    for (j = i + 1;
                         j < w.n && w.way[j].to == w.way[i].to && w.way[j].how == w.way[i].how; j++)
                        ;
                    append(g, first, w.way + i, j - i);
                }
                g->first[type][colour][sq] = first;
                g->count[type][colour][sq] = (uint16_t)(g->nreach - first);
            }
    if (!reverse(g, v))
        goto no_memory;
    free(w.way);
    *out = g;
    return BK_OK;

no_memory:
    free(w.way);
    bk_geometry_free(g);
    return bk_fail(why, BK_E_SYSTEM, "out of memory");
}

void bk_geometry_free(struct bk_geometry *g)
{
    if (g) {
        bk_fact_game_free(g->facts);
        free(g->reach);
        free(g->reach_into);
        free(g->path);
        free(g);
    }
}
