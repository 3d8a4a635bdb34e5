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

#include "core/array.h"
#include "core/rules.h"

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
    if (!BK_ARRAY_ROOM(w->way, w->room, w->n + 1)) {
        w->failed = true;
        return;
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

/* The square (df, dr) away if it exists, or BK_SQ_NONE. */
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
    int forward = colour == BK_WHITE ? 1 : -1;

    w->n = 0;
    if (!bk_rules_may_stand(v, type, colour, from))
        return;
    movement_ways(w, v, from, bk_rules_movement(v, type, bk_own_rank(v, from, colour)), forward);
    if (bk_rules_doubles_from(v, type, colour, from)) {
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

/* What grows while a geometry is made. */
struct making {
    struct bk_geometry *g;
    const struct bk_variant *v;
    struct ways ways; /* of one man on one square */
    size_t room_reach, room_path;
};

/* Appends the entries of a man on a square.  False: no memory. */
static bool append_man(struct making *m, unsigned type, unsigned colour, unsigned sq)
{
    struct bk_geometry *g = m->g;
    struct ways *w = &m->ways;
    uint32_t first = g->nreach;

    man_ways(w, m->v, type, colour, sq);
    split(w);
    if (w->failed || !BK_ARRAY_ROOM(g->reach, m->room_reach, g->nreach + w->n) ||
        !BK_ARRAY_ROOM(g->path, m->room_path, g->npath + w->n))
        return false;
    if (w->n)
        qsort(w->way, w->n, sizeof *w->way, by_end);
    for (size_t i = 0, j; i < w->n; i = j) {
        for (j = i + 1; j < w->n && w->way[j].to == w->way[i].to && w->way[j].how == w->way[i].how;)
            j++;
        append(g, first, w->way + i, j - i);
    }
    g->first[type][colour][sq] = first;
    g->count[type][colour][sq] = (uint16_t)(g->nreach - first);
    return true;
}

static bool append_all(struct making *m)
{
    for (unsigned type = 0; type < m->v->ntypes; type++)
        for (unsigned colour = 0; colour < 2; colour++)
            for (unsigned sq = 0; sq < m->v->nsq; sq++)
                if (!append_man(m, type, colour, sq))
                    return false;
    return true;
}

/* Fills `takes`. */
static bool find_takes(struct bk_geometry *g, const struct bk_variant *v)
{
    struct bk_bits *set = calloc((size_t)v->ntypes * 2 * v->nsq + 1, sizeof *set);

    g->takes = set;
    if (!set)
        return false;
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned colour = 0; colour < 2; colour++)
            for (unsigned sq = 0; sq < v->nsq; sq++, set++)
                for (unsigned i = 0; i < g->count[type][colour][sq]; i++) {
                    const struct bk_reach *r = &g->reach[g->first[type][colour][sq] + i];

                    if (r->how & (BK_TAKES | BK_TWICE))
                        bk_bits_set(set, r->to);
                    if (r->how & BK_TWICE)
                        bk_bits_set(set, bk_bits_first(&g->path[r->path]));
                }
    return true;
}

enum bk_err bk_geometry_new(struct bk_geometry **out, const struct bk_variant *v,
                            struct bk_report *why)
{
    struct making m = { .g = calloc(1, sizeof *m.g), .v = v };
    bool ok = m.g && append_all(&m) && reverse(m.g, v) && find_takes(m.g, v);

    free(m.ways.way);
    if (!ok) {
        bk_geometry_free(m.g);
        return bk_no_memory(why);
    }
    *out = m.g;
    return BK_OK;
}

void bk_geometry_free(struct bk_geometry *g)
{
    if (g) {
        if (g->derived)
            g->derived->free(g->derived);
        free(g->reach);
        free(g->reach_into);
        free(g->path);
        free(g->takes);
        free(g->ways);
        free(g);
    }
}

uint64_t bk_geometry_bytes(const struct bk_geometry *g, const struct bk_variant *v)
{
    return sizeof *g + UINT64_C(2) * g->nreach * sizeof *g->reach +
           (uint64_t)g->npath * sizeof *g->path +
           UINT64_C(2) * v->ntypes * v->nsq * sizeof *g->takes * (g->ways ? 2 : 1);
}

/* == Ways == */

void bk_man_ways(struct bk_bits from[BK_SQ_MAX], const struct bk_variant *v, unsigned type,
                 unsigned colour)
{
    bool grew = true;

    memset(from, 0, BK_SQ_MAX * sizeof *from);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned n;
        const struct bk_reach *reach = bk_reach_from(v, type, colour, sq, &n);

        bk_bits_set(&from[sq], sq);
        if (!bk_rules_may_stand(v, type, colour, sq))
            continue;
        for (unsigned i = 0; i < n; i++)
            if (reach[i].how & BK_QUIET && bk_rules_may_stand(v, type, colour, reach[i].to))
                bk_bits_set(&from[sq], reach[i].to);
    }
    while (grew) {
        grew = false;
        for (unsigned sq = 0; sq < v->nsq; sq++) {
            struct bk_bits todo = from[sq], all = todo;

            for (unsigned t; (t = bk_bits_pop(&todo)) != BK_SQ_NONE;)
                for (unsigned w = 0; w < 4; w++)
                    all.w[w] |= from[t].w[w];
            if (memcmp(&all, &from[sq], sizeof all)) {
                from[sq] = all;
                grew = true;
            }
        }
    }
}

bool bk_ways_go_for_good(const struct bk_bits from[BK_SQ_MAX], const struct bk_variant *v)
{
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        struct bk_bits todo = from[sq];

        for (unsigned t; (t = bk_bits_pop(&todo)) != BK_SQ_NONE;)
            if (!bk_bits_has(&from[t], sq))
                return true;
    }
    return false;
}

bool bk_man_comes_back(const struct bk_variant *v, unsigned type, unsigned colour)
{
    struct bk_bits from[BK_SQ_MAX];

    bk_man_ways(from, v, type, colour);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        struct bk_bits todo = from[sq];

        for (unsigned t; (t = bk_bits_pop(&todo)) != BK_SQ_NONE;)
            if (t != sq && bk_bits_has(&from[t], sq))
                return true;
    }
    return false;
}

bool bk_man_goes_for_good(const struct bk_variant *v, unsigned type, unsigned colour)
{
    struct bk_bits from[BK_SQ_MAX];

    bk_man_ways(from, v, type, colour);
    return bk_ways_go_for_good(from, v);
}

bool bk_geometry_keep_ways(struct bk_geometry *g, const struct bk_variant *v)
{
    struct bk_bits from[BK_SQ_MAX];

    g->ways = calloc((size_t)v->ntypes * 2 * v->nsq + 1, sizeof *g->ways);
    for (unsigned i = 0; g->ways && i < 2u * v->ntypes; i++) {
        bk_man_ways(from, v, i / 2, i % 2);
        memcpy(g->ways + (size_t)i * v->nsq, from, v->nsq * sizeof *from);
    }
    return g->ways;
}
