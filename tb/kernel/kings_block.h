/*
 * kings_block.h - a block that kings.c solves: what it keeps, and which positions are legal.
 *
 * Part of kings.c, as the other kings_*.h.
 */
#ifndef BK_KERNEL_KINGS_BLOCK_H
#define BK_KERNEL_KINGS_BLOCK_H

#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "tb/kernel/setup.h"
#include "tb/kernel/squares.h"
#include "tb/kernel/ways.h"

enum { WAITS = 256 };

/* A step of the black king, backwards. */
struct back_step {
    int by;  /* square numbers */
    set src; /* from where it stays on the board */
    uint8_t how;
};

/* The last results of a side, by white king square: rows that have any. */
struct frontier {
    set rows;
    set at[BK_SQ_MAX]; /* undefined in other rows */
};

/*
 * A configuration: all men but the kings on their squares.  Sets are by white king square, bit s
 * being "true with the black king on s".
 */
struct conf {
    struct bk_placement at; /* of the men; exits move the kings, too */
    set men;                /* their squares */
    bool idle; /* nothing is solved: two men on one square, or equal men are not in order */
    uint8_t squares[BK_SQ_MAX]; /* free for kings */
    unsigned nsquares;
    /* by side to move and white king square */
    set illegal[2][BK_SQ_MAX], legal[2][BK_SQ_MAX];
    set won[2][BK_SQ_MAX], undecided[2][BK_SQ_MAX], open[2][BK_SQ_MAX];
    union {
        set losing[2][BK_SQ_MAX]; /* the best exit is a losing one */
        set told[2][BK_SQ_MAX];   /* at the end: what two bitmaps are made of */
    };
    struct frontier wins[2], losses[2];
    set reached[BK_SQ_MAX]; /* reached by un-moves; valid in rows that are looked at */
    set waits[2]
             [WAITS]; /* rows in which something waits for so many plies / 2 (the last: or more) */
    int16_t *exit[2]; /* nsq * nsq scores: best exits to other materials; NULL unless `attains` */
    char *k[2]; /* plies / 2, then codes: nsq * nsq of dtw_bytes each; none without distances */
};

struct kings {
    const struct bk_setup *s;
    unsigned nsq;
    set board;
    struct back_step step[BK_STEPS_MAX];
    unsigned nsteps;
    set slices[BK_SQ_MAX]; /* by white king square: black ones with which it makes a slice */
    struct conf *conf;
    uint32_t nconf;
    unsigned k_wait_max;
    int last_win[2], last_loss[2]; /* plies; -1: none */
    uint32_t ply;
    int16_t *plane;   /* nsq * nsq scores of one exit */
    int16_t *best[2]; /* by side: nsq * nsq best scores of one configuration */
};

/* == The black king's moves as shifts == */

static inline set moved(set x, int by)
{
#if BK_SET_BITS == 64
    return x << (by & 63) | x >> (-by & 63); /* what wraps around is no square of `src` */
#else
    return shifted(x, by);
#endif
}

static inline set black_from(const struct kings *g, set to, unsigned how)
{
    set from = NONE;

    for (unsigned i = 0; i < g->nsteps; i++)
        if (g->step[i].how & how)
            from |= moved(to, g->step[i].by) & g->step[i].src;
    return from;
}

static void find_steps(struct kings *g)
{
    const struct bk_variant *v = g->s->v;
    const struct bk_movement *m = &v->piece[v->royal].move;

    g->nsteps = m->nsteps;
    for (unsigned i = 0; i < m->nsteps; i++) { /* Black's steps are White's upside down */
        g->step[i] =
            (struct back_step){ m->step[i].dr * v->files - m->step[i].df, NONE, m->step[i].how };
        for (int r = 0, sq = 0; r < v->ranks; r++)
            for (int f = 0; f < v->files; f++, sq++) {
                int file = f + m->step[i].df, rank = r - m->step[i].dr;

                if (file >= 0 && file < v->files && rank >= 0 && rank < v->ranks)
                    g->step[i].src |= bit((unsigned)sq);
            }
        g->step[i].src &= g->board;
    }
}

/* == Illegal positions == */

/* Returns the black king's squares that leave a way open, the rest of the board being `occ`. */
static inline set open_to(const struct kings *g, const struct bk_reach *r, set occ)
{
    return squares_off_way(g->s->v->geometry->path + r->path, r->how & BK_HOPS, r->npaths, ~NONE,
                           occ);
}

/* The black king's squares on which some white man attacks it. */
static set white_attacks(const struct kings *g, const struct conf *c, unsigned wk)
{
    const struct bk_setup *s = g->s;
    set attacked = NONE, occ = c->men | bit(wk);
    unsigned n;
    const struct bk_reach *r = bk_reach_from(s->v, s->v->royal, BK_WHITE, wk, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].how & BK_TAKES)
            attacked |= bit(r[i].to);
    for (unsigned slot = 0; slot < s->ix->nslots; slot++) {
        if (s->ix->colour[slot] != BK_WHITE)
            continue;
        r = bk_reach_from(s->v, s->ix->type[slot], BK_WHITE, c->at.sq[slot], &n);
        for (unsigned j = 0; j < n; j++) /* the black king is where it ends, never between */
            if (r[j].how & BK_TAKES && has(open_to(g, &r[j], occ), r[j].to))
                attacked |= bit(r[j].to);
    }
    return attacked;
}

/* The black king's squares for which some black man attacks the white king. */
static set black_attacks(const struct kings *g, const struct conf *c, unsigned wk)
{
    const struct bk_setup *s = g->s;
    set attacked = black_from(g, bit(wk), BK_TAKES);

    for (unsigned slot = 0; slot < s->ix->nslots; slot++) {
        unsigned n;
        const struct bk_reach *r;

        if (s->ix->colour[slot] != BK_BLACK)
            continue;
        r = bk_reach_from(s->v, s->ix->type[slot], BK_BLACK, c->at.sq[slot], &n);
        for (unsigned j = 0; j < n; j++)
            if (r[j].how & BK_TAKES && r[j].to == wk)
                attacked |= open_to(g, &r[j], c->men | bit(wk));
    }
    return attacked;
}

static void find_legal(const struct kings *g, struct conf *c)
{
    const struct bk_variant *v = g->s->v;
    set black = g->board & ~c->men;

    for (unsigned sq = 0; sq < g->nsq; sq++)
        if (!bk_rules_may_stand(v, v->royal, BK_BLACK, sq))
            black &= ~bit(sq);
    for (unsigned wk = 0; wk < g->nsq; wk++) {
        bool stands = !c->idle && has(g->board & ~c->men, wk) &&
                      bk_rules_may_stand(v, v->royal, BK_WHITE, wk);
        set placed = stands ? black & ~bit(wk) : NONE;

        for (unsigned side = 0; side < 2; side++) {
            set bad = NONE;

            if (any(placed))
                bad = side == BK_WHITE ? white_attacks(g, c, wk) : black_attacks(g, c, wk);
            c->illegal[side][wk] = bad;
            c->legal[side][wk] = placed & ~bad;
            c->won[side][wk] = ~c->legal[side][wk];
            c->undecided[side][wk] = c->open[side][wk] = c->legal[side][wk];
        }
    }
}

/* == What is stored == */

static void *row_of(const struct kings *g, const struct conf *c, unsigned side, unsigned wk)
{
    return c->k[side] + (size_t)wk * g->nsq * g->s->dtw_bytes;
}

static unsigned k_of(const struct kings *g, const void *row, unsigned bk)
{
    return g->s->dtw_bytes == 1 ? ((const uint8_t *)row)[bk] : ((const uint16_t *)row)[bk];
}

static void store(const struct kings *g, struct conf *c, unsigned side, unsigned wk, set x,
                  unsigned k)
{
    if (!g->s->distances)
        return;
    if (g->s->dtw_bytes == 1) {
        put_where(row_of(g, c, side, wk), g->nsq, x, k);
        return;
    }
    EACH (bk, x)
        ((uint16_t *)row_of(g, c, side, wk))[bk] = (uint16_t)k;
}

/* Returns the squares of x for which k is stored; if `more`, for which a larger number is. */
static set stored(const struct kings *g, const struct conf *c, unsigned side, unsigned wk, set x,
                  unsigned k, bool more)
{
    const uint16_t *row = row_of(g, c, side, wk);
    set found = NONE;

    if (g->s->dtw_bytes == 1)
        return where_is(row_of(g, c, side, wk), g->nsq, x, k, more);
    EACH (bk, x)
        if (more ? row[bk] > k : row[bk] == k)
            found |= bit(bk);
    return found;
}

static void note_wait(struct kings *g, struct conf *c, unsigned side, unsigned wk, unsigned k)
{
    c->waits[side][k < WAITS - 1 ? k : WAITS - 1] |= bit(wk);
    g->k_wait_max = k > g->k_wait_max ? k : g->k_wait_max;
}

/* Stores plies / 2 of the best exits of the positions x, and notes that the row waits for them. */
static void store_waits(struct kings *g, struct conf *c, unsigned side, unsigned wk, set x)
{
    const int16_t *best = g->best[side] + wk * g->nsq;
    uint64_t seen = 0;
    set todo = x;

    if (g->s->dtw_bytes == 1) {
        seen = put_half_plies(row_of(g, c, side, wk), g->nsq, x, best, BK_SCORE_WIN, g->s->k_limit);
    } else {
        EACH (bk, todo) {
            int score = best[bk] > 0 ? best[bk] : -best[bk];
            unsigned k = (unsigned)(BK_SCORE_WIN - score) >> 1;

            ((uint16_t *)row_of(g, c, side, wk))[bk] = (uint16_t)k;
            seen |= UINT64_C(1) << (k < 63 ? k : 63);
        }
    }
    todo = seen >> 63 ? x : NONE;
    while (any(todo)) { /* each k once */
        unsigned k = k_of(g, row_of(g, c, side, wk), lowest(todo));

        note_wait(g, c, side, wk, k);
        todo &= ~stored(g, c, side, wk, todo, k, false);
    }
    for (seen &= INT64_MAX; seen; seen &= seen - 1)
        note_wait(g, c, side, wk, (unsigned)__builtin_ctzll(seen));
}

#endif
