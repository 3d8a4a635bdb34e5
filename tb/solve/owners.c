/*
 * owners.c - see owners.h.
 *
 * Classes of king pairs are the nodes of a graph, the kings' moves its edges.
 * The graph is halved, and the halves again (for three ranks one gets a third):
 * a half grows from some class, nearest first, and is then mended by exchanging
 * classes as long as that cuts fewer edges (Fiduccia and Mattheyses: always the
 * class that gains most, even at a loss, each once; the best state on the way
 * counts).  Several beginnings are tried.
 */
#include "tb/solve/owners.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "core/symmetry.h"

enum { BEGINNINGS = 12, ROUNDS = 16 };

struct edge {
    uint32_t to, weight;
};

struct graph {
    uint32_t n;
    int32_t *class_of; /* by pair; -1: the kings attack each other */
    uint32_t *pair_of; /* by class: the pair that stands for it */
    uint32_t *first;   /* by class, and one more: in edge[] */
    struct edge *edge;
};

/* == The graph == */

/* Returns whether kings may stand so, as in the index: where kings move one way, one may attack the
   other. */
static bool may_be(const struct bk_variant *v, unsigned white, unsigned black)
{
    return white != black && bk_bits_has(&v->board, white) && bk_bits_has(&v->board, black) &&
           !(bk_king_attacks(v, BK_WHITE, white, black) &&
             bk_king_attacks(v, BK_BLACK, black, white));
}

/* Numbers the classes of king pairs.  The first pair seen of a class stands for it; the others are
   its images. */
static void find_classes(struct graph *g, const struct bk_variant *v)
{
    uint8_t map[BK_SYMMETRIES][BK_SQ_MAX];
    unsigned nsq = v->nsq, keeps = 0;

    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        keeps |= (unsigned)bk_symmetry_map(v, sym, map[sym]) << sym;
    for (uint32_t pair = 0; pair < nsq * nsq; pair++)
        g->class_of[pair] = -1;
    for (unsigned white = 0; white < nsq; white++)
        for (unsigned black = 0; black < nsq; black++) {
            if (g->class_of[white * nsq + black] >= 0 || !may_be(v, white, black))
                continue;
            g->pair_of[g->n] = white * nsq + black;
            for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
                if (keeps >> sym & 1)
                    g->class_of[map[sym][white] * nsq + map[sym][black]] = (int32_t)g->n;
            g->n++;
        }
}

/* Appends the classes to which a king of `side` goes from this pair. */
static struct edge *add_moves(const struct graph *g, const struct bk_variant *v, uint32_t pair,
                              unsigned side, struct edge *begin, struct edge *end)
{
    unsigned king[2] = { pair / v->nsq, pair % v->nsq }, n;
    const struct bk_reach *r = bk_reach_from(v, v->royal, side, king[side], &n);
    int32_t self = g->class_of[pair];

    for (unsigned i = 0; i < n; i++) {
        struct edge *e = begin;
        int32_t to;

        king[side] = r[i].to;
        to = g->class_of[king[0] * v->nsq + king[1]];
        if (!(r[i].how & BK_QUIET) || to < 0 || to == self)
            continue;
        while (e < end && e->to != (uint32_t)to)
            e++;
        if (e == end)
            *end++ = (struct edge){ (uint32_t)to, 0 };
        e->weight++;
    }
    return end;
}

static bool graph_new(struct graph *g, const struct bk_variant *v)
{
    size_t pairs = (size_t)v->nsq * v->nsq;
    struct edge *end;

    *g = (struct graph){ .class_of = malloc(pairs * sizeof *g->class_of),
                         .pair_of = malloc(pairs * sizeof *g->pair_of) };
    if (!g->class_of || !g->pair_of)
        return false;
    find_classes(g, v);
    g->first = malloc((g->n + 1u) * sizeof *g->first);
    g->edge = end = malloc((size_t)(g->n + 1) * 2 * BK_SQ_MAX * sizeof *g->edge);
    if (!g->first || !g->edge)
        return false;
    for (uint32_t i = 0; i < g->n; i++) {
        struct edge *begin = end;

        g->first[i] = (uint32_t)(begin - g->edge);
        end = add_moves(g, v, g->pair_of[i], BK_WHITE, begin, end);
        end = add_moves(g, v, g->pair_of[i], BK_BLACK, begin, end);
    }
    g->first[g->n] = (uint32_t)(end - g->edge);
    return true;
}

static void graph_free(struct graph *g)
{
    free(g->class_of);
    free(g->pair_of);
    free(g->first);
    free(g->edge);
}

/* == Halving == */

/* Some classes, to be split into [0] and [1]. */
struct split {
    const struct graph *g;
    const uint32_t *node; /* the classes */
    uint32_t n, want;     /* how many; how many of them in [1] */
    uint8_t *in;          /* by class: 0, 1, or 2: not one of them */
    int32_t *gain;        /* by class: weight that is no longer cut when it changes sides */
    bool *moved;          /* by class */
    uint32_t *order;      /* moves of a round, or a queue */
};

static int32_t gain_of(const struct split *s, uint32_t x)
{
    int32_t gain = 0;

    for (uint32_t i = s->g->first[x]; i < s->g->first[x + 1]; i++) {
        uint8_t there = s->in[s->g->edge[i].to];

        if (there < 2)
            gain +=
                there == s->in[x] ? -(int32_t)s->g->edge[i].weight : (int32_t)s->g->edge[i].weight;
    }
    return gain;
}

/* Weight of the edges between [0] and [1], twice. */
static uint64_t cut_of(const struct split *s)
{
    uint64_t cut = 0;

    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t x = s->node[k];

        for (uint32_t i = s->g->first[x]; i < s->g->first[x + 1]; i++)
            cut += s->in[s->g->edge[i].to] == !s->in[x] ? s->g->edge[i].weight : 0;
    }
    return cut;
}

/* Puts the s->want classes nearest to `from` into [1], the others into [0]. */
static void grow(struct split *s, uint32_t from)
{
    uint32_t done = 0, queued = 0, taken = 0;

    for (uint32_t k = 0; k < s->n; k++) {
        s->in[s->node[k]] = 0;
        s->moved[s->node[k]] = false;
    }
    for (uint32_t next = 0; taken < s->want; taken++) {
        uint32_t x;

        if (done == queued) { /* the rest is not connected: from the first that is left */
            x = from;
            while (s->moved[x])
                x = s->node[next++];
            s->moved[x] = true;
            s->order[queued++] = x;
        }
        x = s->order[done++];
        s->in[x] = 1;
        for (uint32_t i = s->g->first[x]; i < s->g->first[x + 1]; i++) {
            uint32_t to = s->g->edge[i].to;

            if (s->in[to] < 2 && !s->moved[to]) {
                s->moved[to] = true;
                s->order[queued++] = to;
            }
        }
    }
}

/* The class whose change of sides gains most and keeps the halves' sizes, or -1. */
static int64_t best_move(const struct split *s, uint32_t in_one)
{
    int64_t best = -1;

    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t x = s->node[k];

        if (!s->moved[x] && s->in[x] == (in_one > s->want) &&
            (best < 0 || s->gain[x] > s->gain[best]))
            best = x;
    }
    return best;
}

static void change_sides(struct split *s, uint32_t x)
{
    s->in[x] = !s->in[x];
    s->gain[x] = -s->gain[x];
    for (uint32_t i = s->g->first[x]; i < s->g->first[x + 1]; i++) {
        const struct edge *e = &s->g->edge[i];

        if (s->in[e->to] < 2)
            s->gain[e->to] +=
                2 * (s->in[e->to] == s->in[x] ? -(int32_t)e->weight : (int32_t)e->weight);
    }
}

/* One round: pairs of classes change sides, the best first.  Returns what that has gained. */
static int64_t mend(struct split *s)
{
    int64_t sum = 0, best = 0;
    uint32_t n = 0, keep = 0, in_one = s->want;

    for (uint32_t k = 0; k < s->n; k++) {
        s->moved[s->node[k]] = false;
        s->gain[s->node[k]] = gain_of(s, s->node[k]);
    }
    for (;;) {
        int64_t x = best_move(s, in_one);

        if (x < 0)
            break;
        sum += s->gain[x];
        in_one = s->in[x] ? in_one - 1 : in_one + 1;
        change_sides(s, (uint32_t)x);
        s->moved[x] = true;
        s->order[n++] = (uint32_t)x;
        if (in_one == s->want && sum > best) {
            best = sum;
            keep = n;
        }
    }
    while (n > keep)
        change_sides(s, s->order[--n]);
    return best;
}

/* Leaves the best split found in s->in.  False: no memory. */
static bool halve(struct split *s)
{
    uint8_t *best = malloc(s->g->n + 1u);
    uint64_t least = UINT64_MAX;

    if (!best)
        return false;
    for (uint32_t i = 0; i < BEGINNINGS; i++) {
        uint64_t cut;

        grow(s, s->node[(uint64_t)i * s->n / BEGINNINGS]);
        for (unsigned round = 0; round < ROUNDS && mend(s); round++)
            ;
        cut = cut_of(s);
        if (cut < least) {
            least = cut;
            memcpy(best, s->in, s->g->n);
        }
    }
    memcpy(s->in, best, s->g->n);
    free(best);
    return true;
}

/* == Ranks == */

/* Shares the classes of ranks [first, first + ranks), which are all `first`'s, among them.  False:
   no memory. */
static bool share_out(const struct graph *g, uint8_t *rank_of, unsigned first, unsigned ranks)
{
    unsigned right = ranks / 2;
    uint32_t *node = malloc((g->n + 1u) * sizeof *node);
    struct split s = { .g = g, .node = node, .in = malloc(g->n + 1u) };
    bool ok = ranks < 2;

    s.gain = malloc((g->n + 1u) * sizeof *s.gain);
    s.moved = calloc(g->n + 1u, sizeof *s.moved);
    s.order = malloc((g->n + 1u) * sizeof *s.order);
    if (!ok && node && s.in && s.gain && s.moved && s.order) {
        for (uint32_t i = 0; i < g->n; i++) {
            s.in[i] = rank_of[i] == first ? 0 : 2;
            if (!s.in[i])
                node[s.n++] = i;
        }
        s.want = (uint32_t)((uint64_t)s.n * right / ranks);
        ok = !s.n || halve(&s);
        for (uint32_t k = 0; ok && k < s.n; k++)
            if (s.in[node[k]])
                rank_of[node[k]] = (uint8_t)(first + ranks - right);
        ok = ok && share_out(g, rank_of, first, ranks - right) &&
             share_out(g, rank_of, first + ranks - right, right);
    }
    free(node);
    free(s.in);
    free(s.gain);
    free(s.moved);
    free(s.order);
    return ok;
}

/* == Who reads which == */

/* `of`: the ranks that read each class, a bit each, for one kind of reading. */
struct class_readers {
    const struct graph *g;
    unsigned nsq;
    bool exchanged;
    uint64_t *of;
};

static void add_reader(const struct class_readers *c, unsigned white, unsigned black, unsigned rank)
{
    size_t pair = (size_t)(c->exchanged ? black : white) * c->nsq + (c->exchanged ? white : black);

    if (c->g->class_of[pair] >= 0)
        c->of[c->g->class_of[pair]] |= UINT64_C(1) << rank;
}

/* Adds `rank` to the readers of its own pair, and of those to which the king of `mover` goes from
   it, captures and castling included. */
static void add_pair(const struct class_readers *c, const struct bk_variant *v, unsigned mover,
                     const unsigned king[2], unsigned rank)
{
    unsigned at[2] = { king[0], king[1] }, n;
    const struct bk_reach *r = bk_reach_from(v, v->royal, mover, king[mover], &n);

    add_reader(c, at[0], at[1], rank);
    for (unsigned i = 0; i < n; i++) {
        at[mover] = r[i].to;
        add_reader(c, at[0], at[1], rank);
    }
    for (unsigned wing = 0; bk_rules_castles(v) && wing < 2; wing++) {
        if (v->castling.rook_file[wing] == BK_NO_HOME)
            continue;
        at[mover] = king[mover] - king[mover] % v->files + v->castling.king_to[wing];
        add_reader(c, at[0], at[1], rank);
    }
}

/* Sets o->readers[side][exchanged].  side: to move after the move, in the table's colours.  False:
   no memory. */
static bool find_readers(struct bk_owners *o, const struct graph *g, const struct bk_variant *v,
                         unsigned side, bool exchanged)
{
    uint64_t *of = calloc(g->n + 1u, sizeof *of), *by_pair;
    const struct class_readers c = { g, v->nsq, exchanged, of };
    size_t pairs = (size_t)v->nsq * v->nsq;

    by_pair = o->readers[side][exchanged] = malloc(pairs * sizeof *by_pair);
    for (size_t i = 0; of && by_pair && i < pairs; i++)
        if (g->class_of[i] >= 0) {
            const unsigned king[2] = { (unsigned)(i / v->nsq), (unsigned)(i % v->nsq) };

            add_pair(&c, v, exchanged ? side : !side, king, o->of[i]);
        }
    for (size_t i = 0; of && by_pair && i < pairs; i++)
        by_pair[i] = g->class_of[i] < 0 ? ~UINT64_C(0) : of[g->class_of[i]];
    free(of);
    return of && by_pair;
}

uint64_t bk_owners_readers(const struct bk_owners *o, const struct bk_reading *r, unsigned side,
                           unsigned white, unsigned black)
{
    uint64_t readers = 0;

    for (unsigned exchanged = 0; exchanged < 2; exchanged++)
        if (r->by[side][exchanged])
            readers |= o->readers[side][exchanged][(size_t)white * o->nsq + black];
    return readers;
}

enum bk_err bk_owners_new(struct bk_owners *out, const struct bk_variant *v, unsigned ranks,
                          struct bk_report *why)
{
    size_t pairs = (size_t)v->nsq * v->nsq;
    struct graph g;
    bool ok = graph_new(&g, v);
    uint8_t *rank_of = calloc(g.n + 1u, 1);

    *out =
        (struct bk_owners){ .ranks = ranks, .nsq = v->nsq, .of = calloc(pairs, 1), .classes = g.n };
    ok = ok && rank_of && out->of && share_out(&g, rank_of, 0, ranks);
    for (size_t i = 0; ok && i < pairs; i++)
        if (g.class_of[i] >= 0)
            out->of[i] = rank_of[g.class_of[i]];
    for (unsigned i = 0; i < 4; i++)
        ok = ok && find_readers(out, &g, v, i >> 1, i & 1);
    free(rank_of);
    graph_free(&g);
    if (ok)
        return BK_OK;
    bk_owners_free(out);
    return bk_no_memory(why);
}

void bk_owners_free(struct bk_owners *o)
{
    free(o->of);
    for (unsigned i = 0; i < 4; i++)
        free(o->readers[i >> 1][i & 1]);
    *o = (struct bk_owners){ 0 };
}
