/*
 * kings.c - blocks in which the kings move, and no man that could be the inner one.  HOT.
 *
 * In KPvKP every placement of the pawns is a block of its own, with 64 x 63
 * positions a side and nothing but kings to move.  There the black king is
 * the inner man: one set a white king square and side to move.
 *
 *   un-moves of the white king   OR of the rows of its neighbour squares
 *   un-moves of the black king   shifts within a row
 *
 * A pawn that shuffles in a zone (Grand Shatranj's on the last rank) has a cell of some squares
 * there: each is a configuration, with all that a block of kings alone has, and his quiet moves are
 * ORs of the same row of another configuration.  A man that moves otherwise there than elsewhere
 * cannot be the inner man of passes.c; with one bit a set a position cost ninety times as much.
 *
 * The exits (pawn moves, captures: conversions) are looked up for whole planes of
 * king pairs at once.  Everything else, and the invariants, are as in passes.c.
 *
 * Of kings alone all fits the first-level cache, so what costs is operations: a row of
 * scores or of stored numbers is worked on as a whole (squares.h), and a ply looks
 * only at rows that something has reached or that have waited for it.  Compiled
 * for each instruction set, as passes.c.
 * Cost: some 0.07 ms a configuration of an 8x8 board.
 */
#include <stdlib.h>
#include <string.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "core/geometry.h"
#include "core/rules.h"
#include "tb/kernel/classes.h"
#include "tb/kernel/kings.h"
#include "tb/kernel/passing.h"
#include "tb/kernel/setup.h"
#include "tb/kernel/squares.h"
#include "tb/kernel/tally.h"
#include "tb/kernel/ways.h"
#include "tb/kernel/zeroing.h"
#include "tb/memory/spill.h"

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)

/* == A block == */

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
    struct frontier wins[2], losses[2][2]; /* losses of even and, to zeroing, of odd plies */
    set reached[BK_SQ_MAX]; /* reached by un-moves; valid in rows that are looked at */
    set waits[2][WAITS];    /* rows in which something waits for so large a k (the last: or more) */
    int16_t *exit[2]; /* nsq * nsq scores: best exits to other materials; NULL unless `attains` */
    char *k[2]; /* numbers k, then codes: nsq * nsq of dtw_bytes each; none without distances */
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

/* Stores k of the best exits of the positions x, and notes that the row waits for them. */
static void store_waits(struct kings *g, struct conf *c, unsigned side, unsigned wk, set x)
{
    const int16_t *best = g->best[side] + wk * g->nsq;
    uint64_t seen = 0;
    set todo = x;

    if (g->s->dtw_bytes == 1) {
        seen = put_k(row_of(g, c, side, wk), g->nsq, x, best, BK_SCORE_WIN, g->s->k_limit,
                     g->s->shift);
    } else {
        EACH (bk, todo) {
            int score = best[bk] > 0 ? best[bk] : -best[bk];
            unsigned k = (unsigned)(BK_SCORE_WIN - score) >> g->s->shift;

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

/* == Exits == */

/* Offers the scores of `row` to the positions `from` of row `wk`.  fixed_bk: the square to which
   the black king goes from all of them, or -1 where it does not move. */
static void offer(struct kings *g, const struct conf *c, unsigned side, unsigned wk, set from,
                  const int16_t *row, int fixed_bk)
{
    int16_t *best = g->best[side] + wk * g->nsq;

    from &= c->undecided[side][wk];
    if (any(from))
        raise_to_row(best, g->nsq, from, fixed_bk >= 0 ? NULL : row,
                     fixed_bk >= 0 ? row[fixed_bk] : 0);
}

/* Turns the scores of an exit into those of moves that zero the counter, if it does. */
static void zero_plane(struct kings *g, const struct bk_exit *e)
{
    if (e->zeroes)
        bk_zero_scores(g->plane, (size_t)g->nsq * g->nsq, g->s->nmove);
}

/* Values an exit by which a king takes a man. */
static void king_takes(struct kings *g, struct conf *c, const struct bk_exit *e)
{
    const struct bk_setup *s = g->s;
    struct bk_king_squares kings[2] = { { c->squares, c->nsquares }, { c->squares, c->nsquares } };
    uint8_t target = c->at.sq[e->taken];
    unsigned n;
    const struct bk_reach *r;

    if (!bk_rules_may_stand(s->v, s->v->royal, e->colour, target))
        return;
    kings[e->colour] = (struct bk_king_squares){ &target, 1 };
    bk_view_kings(&e->plan, &c->at, kings, g->plane);
    zero_plane(g, e);
    r = bk_reach_into(s->v, s->v->royal, e->colour, target, &n);
    if (e->colour == BK_WHITE) {
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_TAKES)
                offer(g, c, BK_WHITE, r[i].to, ~NONE, g->plane + target * g->nsq, -1);
        return;
    }
    for (unsigned wk = 0; wk < g->nsq; wk++)
        offer(g, c, BK_BLACK, wk, black_from(g, bit(target), BK_TAKES), g->plane + wk * g->nsq,
              target);
}

/* Corrects the scores after a double step.  En passant answers depend on the kings: one pair at a
   time. */
static void correct_passing(struct kings *g, struct conf *c, const struct bk_exit *e, unsigned from,
                            unsigned to)
{
    for (unsigned i = 0; i < c->nsquares; i++)
        for (unsigned j = 0; j < c->nsquares; j++) {
            int16_t *score = &g->plane[c->squares[i] * g->nsq + c->squares[j]];

            if (*score == BK_SCORE_NONE)
                continue;
            c->at.king[0] = c->squares[i];
            c->at.king[1] = c->squares[j];
            bk_passing_correct(
                g->s, &(struct bk_double_step){ e, (uint8_t)from, (uint8_t)to, &c->at, NULL, 0 },
                score);
        }
}

static void offer_all(struct kings *g, const struct conf *c, const struct bk_exit *e,
                      const struct bk_reach *r)
{
    for (unsigned i = 0; i < c->nsquares; i++) {
        unsigned wk = c->squares[i];
        set from = ~NONE, occ = c->men | bit(wk);

        if (r) {
            if (e->taken < 0 && has(occ, r->to))
                continue;
            from = open_to(g, r, occ) & ~bit(r->to);
        }
        offer(g, c, e->colour, wk, from, g->plane + wk * g->nsq, -1);
    }
}

/* Does a quiet move keep the man in its cell?  Then it is no exit. */
static bool stays_in_cell(const struct bk_setup *s, const struct bk_exit *e, unsigned to)
{
    unsigned o = bk_setup_outer(s, e->mover);

    return e->taken < 0 && e->becomes == BK_STAYS && o < s->nouter &&
           s->outer[o].digit[to] != BK_SQ_NONE;
}

/* May the mover of an exit go this way, kings aside? */
static bool goes(const struct bk_setup *s, const struct conf *c, const struct bk_exit *e,
                 const struct bk_reach *r)
{
    if (!(r->how & (e->taken >= 0 ? BK_TAKES : BK_QUIET)) || !bk_exit_may_end(s, e, r->to) ||
        stays_in_cell(s, e, r->to))
        return false;
    return e->taken >= 0 ? c->at.sq[e->taken] == r->to : !has(c->men, r->to);
}

static void man_leaves(struct kings *g, struct conf *c, const struct bk_exit *e)
{
    const struct bk_setup *s = g->s;
    const struct bk_king_squares anywhere[2] = { { c->squares, c->nsquares },
                                                 { c->squares, c->nsquares } };
    unsigned slot = e->mover, home = c->at.sq[slot], n;
    const struct bk_reach *r = bk_reach_from(s->v, s->ix->type[slot], e->colour, home, &n);

    for (unsigned i = 0; i < n; i++) {
        if (!goes(s, c, e, &r[i]))
            continue;
        c->at.sq[slot] = r[i].to;
        bk_view_kings(&e->plan, &c->at, anywhere, g->plane);
        if (e->in_block && bk_rules_en_passant(s->v) && bk_rules_doubles(s->v, s->ix->type[slot]))
            correct_passing(g, c, e, home, r[i].to);
        zero_plane(g, e);
        offer_all(g, c, e, &r[i]);
        c->at.sq[slot] = (uint8_t)home;
    }
    if (bk_exit_in_place(s, e, home)) {
        bk_view_kings(&e->plan, &c->at, anywhere, g->plane);
        zero_plane(g, e);
        offer_all(g, c, e, NULL);
    }
}

/* Enters the best exit of each position of a row, as init.h's settle(). */
static void settle(struct kings *g, struct conf *c, unsigned side, unsigned wk)
{
    struct by_score way = sort_scores(g->best[side] + wk * g->nsq, g->nsq, BK_SCORE_NONE,
                                      g->s->distances ? BK_SCORE_WIN - 2 : 0);

    c->open[side][wk] &= ~way.saving;
    c->losing[side][wk] = way.any & ~way.saving;
    c->wins[side].at[wk] = way.soon;
    if (any(way.soon))
        c->wins[side].rows |= bit(wk);
    if (g->s->distances)
        store_waits(g, c, side, wk, (way.any & ~way.saving) | (way.winning & ~way.soon));
}

/* Values the exits that a file may leave values to, or (not attaining) the others. */
static void value_exits(struct kings *g, struct conf *c, bool attaining)
{
    const struct bk_setup *s = g->s;

    for (uint32_t i = 0; i < s->nexit; i++) {
        if (bk_exit_attains(s, &s->exit[i]) != attaining)
            continue;
        if (s->exit[i].mover == BK_KINGS_SLOT)
            king_takes(g, c, &s->exit[i]);
        else
            man_leaves(g, c, &s->exit[i]);
    }
}

static void find_ways_out(struct kings *g, struct conf *c)
{
    size_t pairs = (size_t)g->nsq * g->nsq;

    for (size_t i = 0; i < pairs; i++)
        g->best[0][i] = g->best[1][i] = BK_SCORE_NONE;
    value_exits(g, c, true);
    for (unsigned side = 0; g->s->attains && side < 2; side++)
        memcpy(c->exit[side], g->best[side], pairs * sizeof *c->exit[side]);
    value_exits(g, c, false);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned wk = 0; wk < g->nsq; wk++)
            settle(g, c, side, wk);
}

/* == Plies == */

static inline set *reach_row(struct conf *c, set *rows, unsigned wk)
{
    if (!has(*rows, wk))
        c->reached[wk] = NONE;
    *rows |= bit(wk);
    return &c->reached[wk];
}

/* Returns the frontier that this ply's pass makes un-moves from: the last wins, or the losses of
   the ply before. */
static const struct frontier *frontier_of(const struct kings *g, const struct conf *c,
                                          unsigned side, bool losses)
{
    return losses ? &c->losses[side][(g->ply - 1) & 1] : &c->wins[side];
}

static inline unsigned k_of_ply(const struct kings *g) { return g->ply >> g->s->shift; }

/* A quiet move of a man within its cell, from configuration c to another one. */
struct shuffle {
    const struct bk_kmove *move;
    const struct conf *to; /* what it leads to, with equal men in order */
};

static inline struct shuffle shuffle_of(const struct kings *g, const struct conf *c,
                                        const struct bk_klist *list, unsigned i)
{
    const struct bk_setup *s = g->s;
    const struct bk_kmove *m = &s->moves.one[list->first + i];
    uint32_t to = (uint32_t)((c - g->conf) + m->delta);

    return (struct shuffle){ m, &g->conf[s->conf.sorted ? s->conf.sorted[to] : to] };
}

/* Returns the moves of an outer man from where it stands; none if it is not of `side`. */
static inline const struct bk_klist *shuffles_of(const struct bk_outer *out, const struct conf *c,
                                                 unsigned side)
{
    static const struct bk_klist none;

    return out->colour == side ? &out->from[out->digit[c->at.sq[out->slot]]] : &none;
}

/* Returns the black king's squares that leave the way of `m` open, the white one being on wk. */
static inline set open_for(const struct kings *g, const struct conf *c, const struct bk_kmove *m,
                           unsigned wk)
{
    return squares_off_way(g->s->v->geometry->path + m->path, m->hops, m->npaths, ~NONE,
                           (c->men & ~bit(m->from)) | bit(wk));
}

/* Adds to c->reached the positions from which men of `side` can shuffle into the opponent's last
   losses, or wins. */
static void unshuffle(const struct kings *g, struct conf *c, unsigned side, bool losses, set *rows)
{
    for (unsigned o = 0; o < g->s->nouter && !c->idle; o++) {
        const struct bk_klist *list = shuffles_of(&g->s->outer[o], c, side);

        for (unsigned i = 0; i < list->n; i++) {
            struct shuffle x = shuffle_of(g, c, list, i);
            const struct frontier *f = frontier_of(g, x.to, !side, losses);
            set todo = f->rows;

            EACH (wk, todo)
                *reach_row(c, rows, wk) |= f->at[wk] & open_for(g, c, x.move, wk);
        }
    }
}

/* Sets c->reached to the positions from which `side` can move into the opponent's last losses, or
   wins.  Returns the rows that it has reached. */
static set unmoves(const struct kings *g, struct conf *c, unsigned side, bool losses)
{
    const struct bk_setup *s = g->s;
    const struct frontier *f = frontier_of(g, c, !side, losses);
    set rows = NONE, todo = f->rows;

    EACH (wk, todo) {
        unsigned n;
        const struct bk_reach *r;

        if (side == BK_BLACK) {
            c->reached[wk] = black_from(g, f->at[wk], BK_QUIET);
            rows |= bit(wk);
            continue;
        }
        r = bk_reach_into(s->v, s->v->royal, BK_WHITE, wk, &n);
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_QUIET)
                *reach_row(c, &rows, r[i].to) |= f->at[wk];
    }
    unshuffle(g, c, side, losses, &rows);
    return rows;
}

static set without_king_escapes(const struct kings *g, const struct conf *c, unsigned side,
                                unsigned wk, set cand)
{
    const struct bk_setup *s = g->s;
    unsigned n;
    const struct bk_reach *r;

    if (side == BK_BLACK)
        return cand & ~black_from(g, ~c->won[!side][wk] & g->board, BK_QUIET);
    r = bk_reach_from(s->v, s->v->royal, BK_WHITE, wk, &n);
    for (unsigned i = 0; i < n && any(cand); i++)
        if (r[i].how & BK_QUIET)
            cand &= c->won[!side][r[i].to];
    return cand;
}

static set without_escapes(const struct kings *g, const struct conf *c, unsigned side, unsigned wk,
                           set cand)
{
    cand = without_king_escapes(g, c, side, wk, cand);
    for (unsigned o = 0; o < g->s->nouter && any(cand); o++) {
        const struct bk_klist *list = shuffles_of(&g->s->outer[o], c, side);

        for (unsigned i = 0; i < list->n; i++) {
            struct shuffle x = shuffle_of(g, c, list, i);

            cand &= x.to->won[!side][wk] | ~open_for(g, c, x.move, wk);
        }
    }
    return cand;
}

/* Adds to `rows`, which are looked at, those in which something waits for this ply; returns the
   latter. */
static set rows_due(const struct kings *g, struct conf *c, unsigned side, set *rows)
{
    unsigned k = k_of_ply(g);
    set due, todo;

    if (!g->s->distances || (g->ply == 1 && g->s->shift))
        return NONE;
    due = todo = c->waits[side][k < WAITS - 1 ? k : WAITS - 1];
    EACH (wk, todo)
        reach_row(c, rows, wk);
    return due;
}

/* Enters new results of a row: no longer undecided or open, and next ply's frontier. */
static void add_fresh(const struct kings *g, struct conf *c, struct frontier *f, unsigned side,
                      unsigned wk, set add)
{
    f->at[wk] = add;
    f->rows |= bit(wk);
    c->undecided[side][wk] &= ~add;
    c->open[side][wk] &= ~add;
    store(g, c, side, wk, add, k_of_ply(g));
}

static void mated(const struct kings *g, struct conf *c, unsigned side, unsigned wk)
{
    set losing = c->losing[side][wk], check = c->illegal[!side][wk], lost = NONE, stuck;

    if (!any(c->open[side][wk]))
        return;
    stuck = without_escapes(g, c, side, wk, c->open[side][wk]);
    if (!g->s->distances)
        lost = stuck & losing;
    stuck &= ~losing;
    if (!bk_rules_stalemate_loses(g->s->v))
        c->open[side][wk] &= ~(stuck & ~check);
    else
        lost |= stuck & ~check;
    lost |= stuck & check;
    if (any(lost))
        add_fresh(g, c, &c->losses[side][0], side, wk, lost);
}

/* win() of a configuration.  Returns whether anything was won. */
static bool win(struct kings *g, struct conf *c, unsigned side)
{
    struct frontier *f = &c->wins[side];
    set rows = unmoves(g, c, side, true), due = rows_due(g, c, side, &rows), todo;

    todo = g->ply == 1 ? f->rows : NONE; /* won by an exit at once */
    EACH (wk, todo)
        *reach_row(c, &rows, wk) |= f->at[wk];
    f->rows = NONE;
    EACH (wk, rows) {
        set undecided = c->undecided[side][wk], add = c->reached[wk] & undecided;

        if (has(due, wk))
            add |= stored(g, c, side, wk, undecided & ~c->open[side][wk], k_of_ply(g), false);
        if (!any(add))
            continue;
        c->won[side][wk] |= add;
        add_fresh(g, c, f, side, wk, add);
    }
    if (any(f->rows))
        g->last_win[side] = (int)g->ply;
    return any(f->rows);
}

/* lose() of a configuration.  Returns whether anything was lost. */
static bool lose(struct kings *g, struct conf *c, unsigned side)
{
    struct frontier *f = &c->losses[side][g->ply & 1];
    set rows = unmoves(g, c, side, false), due = rows_due(g, c, side, &rows);
    unsigned k = k_of_ply(g);

    f->rows = NONE;
    EACH (wk, rows) {
        set cand = c->reached[wk] & c->open[side][wk];

        if (has(due, wk))
            cand |= stored(g, c, side, wk, c->open[side][wk], k, false);
        if (any(cand))
            cand = without_escapes(g, c, side, wk, cand);
        if (g->s->distances && any(cand & c->losing[side][wk]))
            cand &= ~stored(g, c, side, wk, cand & c->losing[side][wk], k, true);
        if (any(cand))
            add_fresh(g, c, f, side, wk, cand);
    }
    if (any(f->rows))
        g->last_loss[side] = (int)g->ply;
    return any(f->rows);
}

/* Ply 0: mates and stalemates with `side` to move. */
static void begin_plies(struct kings *g, unsigned side)
{
    g->last_win[side] = g->last_loss[side] = -1;
    for (uint32_t i = 0; i < g->nconf; i++) {
        for (unsigned wk = 0; wk < g->nsq; wk++)
            mated(g, &g->conf[i], side, wk);
        if (any(g->conf[i].losses[side][0].rows))
            g->last_loss[side] = 0;
    }
}

/*
 * Runs the plies.  False: distances do not fit.  Sides and configurations take
 * turns without copies: win(), in which `won` grows, does not read it of the
 * other side; what lose() reads of the other side it does not change.  To zeroing
 * each ply has both, as passes.c.
 */
static bool iterate(struct kings *g)
{
    unsigned passes = g->s->nmove ? 2 : 1;
    bool before = true;

    for (unsigned side = 0; side < 2; side++)
        begin_plies(g, side);
    if (g->s->distances && g->k_wait_max >= g->s->k_limit)
        return false;
    for (g->ply = 1;; g->ply++) {
        bool found = false;

        for (unsigned pass = 0; pass < passes; pass++) {
            bool losing = passes == 2 ? pass == 0 : !(g->ply & 1);

            for (unsigned side = 0; side < 2; side++)
                for (uint32_t i = 0; i < g->nconf; i++)
                    found |= losing ? lose(g, &g->conf[i], side) : win(g, &g->conf[i], side);
        }
        if (!found && !before && g->ply > g->k_wait_max << g->s->shift)
            return true;
        before = found;
        if (g->s->distances && k_of_ply(g) >= g->s->k_limit)
            return false;
    }
}

/* == Codes, bitmaps and counts == */

static set wins_of(const struct conf *c, unsigned side, unsigned wk)
{
    return c->won[side][wk] & c->legal[side][wk];
}

static set losses_of(const struct conf *c, unsigned side, unsigned wk)
{
    return c->legal[side][wk] & ~c->won[side][wk] & ~c->undecided[side][wk];
}

/* Turns a row of stored numbers k into codes. */
static void make_codes(const struct kings *g, struct conf *c, unsigned side, unsigned wk)
{
    set wins = wins_of(c, side, wk), losses = losses_of(c, side, wk);
    set draws = c->undecided[side][wk];
    uint16_t *row = row_of(g, c, side, wk);

    if (g->s->dtw_bytes == 1) {
        put_codes(row_of(g, c, side, wk), g->nsq, wins, losses, draws, BK_CODE_WIN, BK_CODE_LOSS8,
                  BK_CODE_DRAW);
        return;
    }
    for (unsigned bk = 0; bk < g->nsq; bk++)
        row[bk] = (uint16_t)(has(wins, bk)     ? BK_CODE_WIN + row[bk]
                             : has(losses, bk) ? BK_CODE_LOSS16 + row[bk]
                             : has(draws, bk)  ? BK_CODE_DRAW
                                               : BK_CODE_ILLEGAL);
}

#ifdef __BMI2__
/* A bitmap being written: `word` has its last n bits, less than a word. */
struct bits {
    uint64_t *to, word;
    unsigned n;
};

static inline void append(struct bits *b, uint64_t bits, unsigned n)
{
    b->word |= bits << b->n;
    b->n += n;
    if (b->n < 64)
        return;
    *b->to++ = b->word;
    b->n -= 64;
    b->word = n - b->n < 64 ? bits >> (n - b->n) : 0;
}

/* Writes rows to a bitmap where kings have no symmetry: there the slices of a row follow each
   other. */
static void put_rows(const struct kings *g, const set *rows, uint64_t *map)
{
    struct bits b = { map, 0, 0 };

    for (unsigned wk = 0; wk < g->nsq; wk++)
        for (unsigned w = 0; w < WORDS; w++) {
            uint64_t there = word_of(g->slices[wk], w);

            append(&b, _pext_u64(word_of(rows[wk], w), there),
                   (unsigned)__builtin_popcountll(there));
        }
    if (b.n)
        *b.to = b.word;
}
#endif

/* Returns the configuration that is solved for `conf`: of equal men one order is solved. */
static const struct conf *solved_for(const struct kings *g, uint32_t conf)
{
    return &g->conf[g->s->conf.sorted ? g->s->conf.sorted[conf] : conf];
}

/* Writes told[which] of all configurations as a bitmap, by slice and configuration. */
static void put_bits(const struct kings *g, unsigned which, uint64_t *map)
{
    const struct bk_pairs *pairs = g->s->pairs;
    uint64_t bits = 0, n = 0;

#ifdef __BMI2__
    if (g->nconf == 1 && pairs->group == 1) {
        put_rows(g, g->conf->told[which], map);
        return;
    }
#endif
    for (uint32_t slice = 0; slice < pairs->nslices; slice++)
        for (uint32_t i = 0; i < g->nconf; i++) {
            const uint8_t *king = pairs->king[slice];

            bits |= (uint64_t)has(solved_for(g, i)->told[which][king[0]], king[1]) << n % 64;
            if (++n % 64 == 0) {
                map[n / 64 - 1] = bits;
                bits = 0;
            }
        }
    if (n % 64)
        map[n / 64] = bits;
}

#if SET_IS_NUMBER
/* Copies codes where kings have no symmetry: of each row a few pieces; what lies between are the
   squares beside the white king. */
static void put_code_rows(const struct kings *g, const char *codes, char *out)
{
    size_t bytes = g->s->dtw_bytes;

    for (unsigned wk = 0; wk < g->nsq; wk++, codes += g->nsq * bytes)
        for (set left = g->slices[wk]; any(left);) {
            unsigned first = lowest(left);
            unsigned n = lowest(~shifted(left, -(int)first)); /* his own square is a gap */

            memcpy(out, codes + first * bytes, n * bytes);
            out += n * bytes;
            left &= ~((bit(n) - 1) << first);
        }
}
#endif

/* Slices whose codes are put together, so that the cache lines of each configuration are at
   hand. */
enum { SLICES_AT_ONCE = 64 };

static void put_codes_of(const struct kings *g, unsigned side, uint32_t conf, uint32_t first,
                         uint32_t end, void *out)
{
    const struct bk_pairs *pairs = g->s->pairs;
    const void *codes = solved_for(g, conf)->k[side];

    for (uint32_t slice = first; slice < end; slice++) {
        unsigned at = pairs->king[slice][0] * g->nsq + pairs->king[slice][1];
        size_t to = (size_t)slice * g->nconf + conf;

        if (g->s->dtw_bytes == 1)
            ((uint8_t *)out)[to] = ((const uint8_t *)codes)[at];
        else
            ((uint16_t *)out)[to] = ((const uint16_t *)codes)[at];
    }
}

static void put_codes_by_slice(const struct kings *g, unsigned side, void *out)
{
    uint32_t nslices = g->s->pairs->nslices;

#if SET_IS_NUMBER
    if (g->nconf == 1 && g->s->pairs->group == 1) {
        put_code_rows(g, g->conf->k[side], out);
        return;
    }
#endif
    for (uint32_t first = 0; first < nslices; first += SLICES_AT_ONCE)
        for (uint32_t i = 0; i < g->nconf; i++)
            put_codes_of(g, side, i, first,
                         nslices - first < SLICES_AT_ONCE ? nslices : first + SLICES_AT_ONCE, out);
}

/* Counts positions x of a configuration: adds the classes to *own, all placements to *all. */
static void count_slices(const struct kings *g, uint32_t conf, const set *x, uint64_t *own,
                         uint64_t *all)
{
    const struct bk_pairs *pairs = g->s->pairs;
    unsigned symmetries = (unsigned)__builtin_popcount(g->s->ix->group);

    if (pairs->group == 1) { /* every pair of kings is a slice */
        uint64_t n = 0;

        for (unsigned wk = 0; wk < g->nsq; wk++)
            n += count(x[wk]);
        *own += n;
        *all += n * symmetries;
        return;
    }
    for (uint32_t slice = 0; slice < pairs->nslices; slice++) {
        unsigned keep = pairs->stabilizer[slice];

        if (!has(x[pairs->king[slice][0]], pairs->king[slice][1]))
            continue;
        *own += any(representatives(g->s, keep & ~1u, conf, bit(0)));
        *all += symmetries / (unsigned)__builtin_popcount(keep);
    }
}

/* Notes in `l` the first position with the code `code`: that of `plies`, the most of the block. */
static void find_longest(const struct kings *g, const void *codes, int plies, unsigned code,
                         struct bk_longest *l)
{
    struct bk_longest this = { .plies = plies,
                               .advance = g->s->b->advance,
                               .block = (uint32_t)(g->s->b - g->s->ix->block) };
    const struct bk_pairs *pairs = g->s->pairs;
    uint64_t n = (uint64_t)pairs->nslices * g->nconf, at = 0;

    if (plies < 0 || plies < l->plies)
        return;
    if (g->s->dtw_bytes == 1) {
        const uint8_t *found = memchr(codes, (int)code, n);

        at = found ? (uint64_t)(found - (const uint8_t *)codes) : n;
    } else {
        while (at < n && ((const uint16_t *)codes)[at] != code)
            at++;
    }
    this.number = at;
    if (at == n || !bk_longest_before(&this, l))
        return;
    *l = this;
    l->at = g->conf[at % g->nconf].at;
    l->at.king[0] = pairs->king[at / g->nconf][0];
    l->at.king[1] = pairs->king[at / g->nconf][1];
}

/* Writes a side's codes, or bitmaps in which what is illegal is both won and drawn. */
static void write_values(struct kings *g, struct bk_memblock *mb, unsigned side)
{
    if (g->s->distances) {
        put_codes_by_slice(g, side, mb->code[side]);
        return;
    }
    for (uint32_t i = 0; i < g->nconf; i++) {
        struct conf *c = &g->conf[i];

        for (unsigned wk = 0; wk < g->nsq; wk++) {
            c->told[0][wk] = c->won[side][wk] | ~c->legal[side][wk];
            c->told[1][wk] = c->undecided[side][wk] | ~c->legal[side][wk];
        }
    }
    put_bits(g, 0, mb->code[side]);
    put_bits(g, 1, mb->draw[side]);
}

/* Returns the squares of x, of a row of codes, with distances beyond the n-move rule; `zero` is the
   code of distance 0. */
static set late(const struct kings *g, const struct conf *c, unsigned side, unsigned wk, set x,
                unsigned zero)
{
    unsigned most = zero + g->s->nmove;

    if (g->s->dtw_bytes == 1 && most >= UINT8_MAX)
        return NONE;
    return stored(g, c, side, wk, x, most, true);
}

static unsigned code_of_loss(const struct kings *g)
{
    return g->s->dtw_bytes == 1 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;
}

/* Counts a configuration's cursed wins and blessed losses; its codes are made. */
static void count_late(const struct kings *g, uint32_t conf, unsigned side, struct bk_tally *t)
{
    const struct conf *c = &g->conf[conf];
    set cursed[BK_SQ_MAX], blessed[BK_SQ_MAX];

    for (unsigned wk = 0; wk < g->nsq; wk++) {
        cursed[wk] = late(g, c, side, wk, wins_of(c, side, wk), BK_CODE_WIN);
        blessed[wk] = late(g, c, side, wk, losses_of(c, side, wk), code_of_loss(g));
    }
    count_slices(g, conf, cursed, &t->cursed[side], &t->all_cursed[side]);
    count_slices(g, conf, blessed, &t->blessed[side], &t->all_blessed[side]);
}

/* Counts a configuration's positions, and makes codes of what is stored. */
static void finish_conf(const struct kings *g, uint32_t conf, unsigned side, struct bk_tally *t)
{
    struct conf *c = &g->conf[conf];
    set wins[BK_SQ_MAX], losses[BK_SQ_MAX];

    for (unsigned wk = 0; wk < g->nsq; wk++) {
        wins[wk] = wins_of(c, side, wk);
        losses[wk] = losses_of(c, side, wk);
        if (g->s->distances)
            make_codes(g, c, side, wk);
    }
    if (c->idle)
        return;
    if (g->s->nmove)
        count_late(g, conf, side, t);
    count_slices(g, conf, wins, &t->win[side], &t->all_win[side]);
    count_slices(g, conf, c->undecided[side], &t->draw[side], &t->all_draw[side]);
    count_slices(g, conf, losses, &t->loss[side], &t->all_loss[side]);
}

static void write_codes(struct kings *g, struct bk_memblock *mb, struct bk_tally *t)
{
    unsigned loss = code_of_loss(g);

    for (unsigned side = 0; side < 2; side++) {
        int win = g->last_win[side], lost = g->last_loss[side];

        for (uint32_t i = 0; i < g->nconf; i++)
            finish_conf(g, i, side, t);
        write_values(g, mb, side);
        if (!g->s->distances)
            continue;
        find_longest(g, mb->code[side], win, BK_CODE_WIN + ((unsigned)win >> g->s->shift),
                     &t->longest_win[side]);
        find_longest(g, mb->code[side], lost, loss + ((unsigned)lost >> g->s->shift),
                     &t->longest_loss[side]);
    }
}

/* Returns the won positions of x, of a row of codes, that their best exit wins as soon. */
static set as_soon(const struct kings *g, const void *codes, set x, const int16_t *score)
{
    set soon = NONE;

    if (g->s->dtw_bytes == 1)
        return won_as_soon(codes, g->nsq, x, score, BK_SCORE_WIN + (BK_CODE_WIN << g->s->shift),
                           g->s->shift);
    EACH (bk, x)
        if (((const uint16_t *)codes)[bk] ==
            BK_CODE_WIN + ((unsigned)(BK_SCORE_WIN - score[bk]) >> g->s->shift))
            soon |= bit(bk);
    return soon;
}

/* To zeroing: returns the positions of a row whose best exit has their result, of five (attain.h).
 */
static set same_result(const struct kings *g, const struct conf *c, unsigned side, unsigned wk,
                       const int16_t *score)
{
    int16_t best = (int16_t)(BK_SCORE_WIN - (int)g->s->nmove - 1); /* of cursed wins */
    struct by_score way = sort_scores(score, g->nsq, (int16_t)(-best - 1), best);
    set wins = wins_of(c, side, wk), cursed = late(g, c, side, wk, wins, BK_CODE_WIN);
    set losses = losses_of(c, side, wk);

    return (way.soon & wins & ~cursed) | (way.winning & cursed) |
           (way.saving & c->undecided[side][wk]) |
           (way.any & late(g, c, side, wk, losses, code_of_loss(g)));
}

/* Sets told[] to what exits attain of a configuration: [0] by wdl, [1] by distance. */
static void find_attained(const struct kings *g, struct conf *c, unsigned side)
{
    for (unsigned wk = 0; wk < g->nsq; wk++) {
        const int16_t *score = c->exit[side] + wk * g->nsq;
        struct by_score way;
        set wins;

        c->told[0][wk] = c->told[1][wk] = NONE;
        if (c->idle)
            continue;
        way = sort_scores(score, g->nsq, BK_SCORE_NONE, 0);
        wins = way.winning & wins_of(c, side, wk);
        c->told[0][wk] = g->s->nmove ? same_result(g, c, side, wk, score)
                                     : wins | (way.saving & c->undecided[side][wk]);
        if (g->s->distances)
            c->told[1][wk] = as_soon(g, row_of(g, c, side, wk), wins, score);
    }
}

/* Writes what exits attain (attain.h), a bit a position; after write_codes(). */
static void write_attained(const struct kings *g, struct bk_memblock *mb)
{
    for (unsigned side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < g->nconf; i++)
            find_attained(g, &g->conf[i], side);
        put_bits(g, 0, mb->attained[BK_WDL][side]);
        if (g->s->distances)
            put_bits(g, 1, mb->attained[BK_DISTANCES][side]);
    }
}

/* == Memory == */

/* Fills g->slices.  Slices of one white king square follow each other: one set at a time is
   built. */
static void find_slices(struct kings *g)
{
    const struct bk_pairs *pairs = g->s->pairs;

    for (uint32_t slice = 0; slice < pairs->nslices;) {
        unsigned wk = pairs->king[slice][0];
        set there = NONE;

        for (; slice < pairs->nslices && pairs->king[slice][0] == wk; slice++)
            there |= bit(pairs->king[slice][1]);
        g->slices[wk] |= there;
    }
}

/* Puts the men of a configuration on their squares, and lists those left for kings. */
static void place_men(const struct kings *g, uint32_t conf)
{
    const struct bk_setup *s = g->s;
    struct conf *c = &g->conf[conf];

    for (unsigned i = 0; i < s->fixed.n; i++)
        c->at.sq[s->fixed.slot[i]] = s->fixed.sq[i];
    for (unsigned o = 0; o < s->nouter; o++)
        c->at.sq[s->outer[o].slot] = s->conf.sq[conf][o];
    c->idle = s->conf.sorted && s->conf.sorted[conf] != conf;
    for (unsigned slot = 0; slot < s->ix->nslots; slot++) {
        c->idle = c->idle || has(c->men, c->at.sq[slot]);
        c->men |= bit(c->at.sq[slot]);
    }
    for (unsigned sq = 0; sq < g->nsq; sq++)
        if (has(g->board, sq) && !has(c->men, sq))
            c->squares[c->nsquares++] = (uint8_t)sq;
}

static size_t whole_lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Number of planes, nsq * nsq scores each: one exit's, the best of each side, and what
   configurations keep. */
static size_t score_planes(const struct bk_setup *s)
{
    return 3 + (s->attains ? (size_t)2 * s->nconf : 0);
}

/* Bytes of the numbers k of both sides and all configurations. */
static size_t number_bytes(const struct bk_setup *s)
{
    return (size_t)2 * s->nconf * s->v->nsq * s->v->nsq * s->dtw_bytes;
}

/* A block lies in two pieces: configurations and numbers, which begin as zeros, and planes. */
static size_t zeroed_bytes(const struct bk_setup *s)
{
    return whole_lines(s->nconf * sizeof(struct conf)) + whole_lines(number_bytes(s));
}

static size_t plane_bytes(const struct bk_setup *s)
{
    return whole_lines(score_planes(s) * s->v->nsq * s->v->nsq * sizeof(int16_t));
}

/*
 * Returns a piece; NULL: no memory.  A large one is an array as others are: the stock
 * (memory/stock.h) gives it freed memory, and keeps no more than there is room for beside
 * it.  A small one comes and goes thousands of times in a table, and is the allocator's:
 * bk_spill_new() would map it each time, as the allocator does from 128 KiB on (src/cli/machine.c).
 * In one piece KPvKP's blocks on 10x10 were above that, and a fifth slower.
 */
static void *piece_new(size_t bytes)
{
    return bytes >= BK_STOCK_UNIT ? bk_spill_new(NULL, bytes) : bk_spill_new_often(bytes);
}

/* Allocates a block's pieces and sets up what lies in them.  False: no memory; end() frees what
   there is. */
static bool begin(struct kings *g, const struct bk_setup *s)
{
    size_t pairs = (size_t)s->v->nsq * s->v->nsq;
    char *zeroed = piece_new(zeroed_bytes(s)), *k;
    int16_t *planes = piece_new(plane_bytes(s));

    *g = (struct kings){ .s = s, .nsq = s->v->nsq, .board = set_of(&s->v->board) };
    g->conf = (void *)zeroed;
    g->plane = planes;
    if (!zeroed || !planes)
        return false;
    if (zeroed_bytes(s) < BK_STOCK_UNIT) /* fresh pages are zeros */
        memset(zeroed, 0, zeroed_bytes(s));
    k = zeroed + whole_lines(s->nconf * sizeof *g->conf);
    g->nconf = s->nconf;
    for (unsigned side = 0; side < 2; side++) {
        g->best[side] = planes + (side + 1) * pairs;
        for (uint32_t i = 0; i < g->nconf; i++) {
            g->conf[i].exit[side] = s->attains ? planes + (3 + 2 * i + side) * pairs : NULL;
            g->conf[i].k[side] = k + (2 * (size_t)i + side) * pairs * s->dtw_bytes;
        }
    }
    find_slices(g);
    find_steps(g);
    for (uint32_t i = 0; i < g->nconf; i++)
        place_men(g, i);
    return true;
}

static void end(struct kings *g)
{
    bk_spill_free(g->conf);
    bk_spill_free(g->plane);
    bk_spill_free(g);
}

/* == All of it == */

/* Allocates the arrays of the block's values. */
static bool allocate_values(const struct bk_setup *s, struct bk_spill *spill,
                            struct bk_memblock *mb)
{
    uint64_t places = (uint64_t)s->nslices * s->nconf;
    bool ok = bk_memblock_alloc(mb, spill, places, s->dtw_bytes);

    for (unsigned told = 0; s->attains && told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++)
            ok = ok && (mb->attained[told][side] =
                            bk_spill_new(spill, bk_memblock_array_bytes(places, 0)));
    return ok;
}

/* In a dry run: takes the memory of solving the block.  False: no memory. */
static bool take_memory(const struct bk_setup *s, struct bk_spill *spill, struct bk_memblock *mb)
{
    void *g = bk_spill_new_often(sizeof(struct kings));
    void *zeroed = piece_new(zeroed_bytes(s)), *planes = piece_new(plane_bytes(s));
    bool ok = allocate_values(s, spill, mb);

    bk_spill_free(planes);
    bk_spill_free(zeroed);
    bk_spill_free(g);
    return ok;
}

bool NAME1(bk_kings_, BK_KERNEL)(const struct bk_setup *s, struct bk_spill *spill,
                                 struct bk_memblock *mb, struct bk_tally *tally, bool *too_far)
{
    struct kings *g;
    bool ok;

    if (bk_arena_is_dry())
        return take_memory(s, spill, mb);
    g = bk_spill_new_often(sizeof *g);
    ok = g && begin(g, s) && allocate_values(s, spill, mb);
    for (uint32_t i = 0; ok && i < g->nconf; i++) {
        find_legal(g, &g->conf[i]);
        if (!g->conf[i].idle)
            find_ways_out(g, &g->conf[i]);
    }
    if (ok)
        *too_far = !iterate(g);
    if (ok && !*too_far)
        write_codes(g, mb, tally);
    if (ok && !*too_far && s->attains)
        write_attained(g, mb);
    if (g)
        end(g);
    return ok;
}
