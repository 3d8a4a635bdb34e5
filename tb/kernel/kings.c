/*
 * kings.c - blocks in which only the kings move.
 *
 * In KPvKP every placement of the pawns is a block of its own, with 64 x 63
 * positions a side and nothing but kings to move.  There the black king is
 * the inner man: one set a white king square and side to move.
 *
 *   un-moves of the white king   OR of the rows of its neighbour squares
 *   un-moves of the black king   shifts within a row
 *
 * The exits (pawn moves, captures) are looked up for whole planes of king
 * pairs at once.  Everything else, and the invariants, are as in passes.c.
 *
 * All of it fits the first-level cache, so what costs is operations: a row of
 * scores or of stored numbers is worked on as a whole (squares.h), and a ply looks
 * only at rows that something has reached or that have waited for it.  Compiled
 * for each instruction set, as passes.c.
 * Cost: some 0.07 ms a block of an 8x8 board.
 */
#include <stdlib.h>
#include <string.h>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "core/geometry.h"
#include "core/rules.h"
#include "tb/kernel/kings.h"
#include "tb/kernel/squares.h"
#include "tb/kernel/passing.h"
#include "tb/kernel/tally.h"

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)

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
    set at[BK_SQ_MAX]; /* of other rows, anything */
};

struct kings {
    const struct bk_setup *s;
    unsigned nsq;
    struct bk_placement at; /* of the fixed men */
    set board, men;         /* squares; those of the fixed men */
    bool clash;             /* two fixed men on one square: no position is legal */
    struct back_step step[BK_STEPS_MAX];
    unsigned nsteps;
    uint8_t squares[BK_SQ_MAX];
    unsigned nsquares;
    /* by side to move and white king square */
    set illegal[2][BK_SQ_MAX], legal[2][BK_SQ_MAX];
    set won[2][BK_SQ_MAX], undecided[2][BK_SQ_MAX], open[2][BK_SQ_MAX];
    set losing[2][BK_SQ_MAX]; /* have a losing exit */
    set slices[BK_SQ_MAX];    /* pairs of kings that are slices */
    struct frontier wins[2], losses[2];
    set reached[BK_SQ_MAX]; /* by un-moves, in the rows that are looked at */
    set waits[2]
             [WAITS]; /* rows in which something waits for so many plies / 2 (the last: or more) */
    unsigned k_wait_max;
    int last_win[2], last_loss[2]; /* plies; -1: none */
    uint32_t ply;
    int16_t *plane;   /* nsq * nsq */
    int16_t *best[2]; /* nsq * nsq */
    int16_t *exit[2]; /* the same, of the moves to other materials alone */
    char *k[2]; /* plies / 2, then codes: nsq * nsq of dtw_bytes each; NULL without distances */
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

/* Black king squares that leave a way open, the rest of the board being `occ`. */
static set open_to(const struct kings *g, const struct bk_reach *r, set occ)
{
    const struct bk_bits *path = g->s->v->geometry->path + r->path;
    set blocked = ~NONE;
    bool way = false;

    if (r->how & BK_HOPS) {
        unsigned screens = count(set_of(path) & occ);

        return screens == 0 ? set_of(path) : screens == 1 ? ~set_of(path) : NONE;
    }
    for (unsigned i = 0; i < r->npaths; i++)
        if (!any(set_of(path + i) & occ)) {
            blocked &= set_of(path + i);
            way = true;
        }
    return r->npaths == 0 ? ~NONE : way ? ~blocked : NONE;
}

/* The black king's squares on which some white man attacks it. */
static set white_attacks(const struct kings *g, unsigned wk)
{
    const struct bk_setup *s = g->s;
    set attacked = NONE, occ = g->men | bit(wk);
    unsigned n;
    const struct bk_reach *r = bk_reach_from(s->v, s->v->royal, BK_WHITE, wk, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].how & BK_TAKES)
            attacked |= bit(r[i].to);
    for (unsigned i = 0; i < s->fixed.n; i++) {
        if (s->ix->colour[s->fixed.slot[i]] != BK_WHITE)
            continue;
        r = bk_reach_from(s->v, s->ix->type[s->fixed.slot[i]], BK_WHITE, s->fixed.sq[i], &n);
        for (unsigned j = 0; j < n; j++) /* the black king is where it ends, never between */
            if (r[j].how & BK_TAKES && has(open_to(g, &r[j], occ), r[j].to))
                attacked |= bit(r[j].to);
    }
    return attacked;
}

/* The black king's squares for which some black man attacks the white king. */
static set black_attacks(const struct kings *g, unsigned wk)
{
    const struct bk_setup *s = g->s;
    set attacked = black_from(g, bit(wk), BK_TAKES);

    for (unsigned i = 0; i < s->fixed.n; i++) {
        unsigned n;
        const struct bk_reach *r;

        if (s->ix->colour[s->fixed.slot[i]] != BK_BLACK)
            continue;
        r = bk_reach_from(s->v, s->ix->type[s->fixed.slot[i]], BK_BLACK, s->fixed.sq[i], &n);
        for (unsigned j = 0; j < n; j++)
            if (r[j].how & BK_TAKES && r[j].to == wk)
                attacked |= open_to(g, &r[j], g->men | bit(wk));
    }
    return attacked;
}

static void find_legal(struct kings *g)
{
    const struct bk_variant *v = g->s->v;
    set black = g->board & ~g->men;

    for (unsigned sq = 0; sq < g->nsq; sq++)
        if (!bk_rules_may_stand(v, v->royal, BK_BLACK, sq))
            black &= ~bit(sq);
    for (unsigned wk = 0; wk < g->nsq; wk++) {
        bool stands = !g->clash && has(g->board & ~g->men, wk) &&
                      bk_rules_may_stand(v, v->royal, BK_WHITE, wk);
        set placed = stands ? black & ~bit(wk) : NONE;

        for (unsigned side = 0; side < 2; side++) {
            set bad = NONE;

            if (any(placed))
                bad = side == BK_WHITE ? white_attacks(g, wk) : black_attacks(g, wk);
            g->illegal[side][wk] = bad;
            g->legal[side][wk] = placed & ~bad;
            g->won[side][wk] = ~g->legal[side][wk];
            g->undecided[side][wk] = g->open[side][wk] = g->legal[side][wk];
        }
    }
}

/* == Exits == */

/* Offers the positions `from` of a row what `row` says; fixed_bk: the black king's square there,
   or -1 where it has not moved. */
static void offer(struct kings *g, unsigned side, unsigned wk, set from, const int16_t *row,
                  int fixed_bk)
{
    int16_t *best = g->best[side] + wk * g->nsq;

    from &= g->undecided[side][wk];
    if (any(from))
        raise_to_row(best, g->nsq, from, fixed_bk >= 0 ? NULL : row,
                     fixed_bk >= 0 ? row[fixed_bk] : 0);
}

/* A king takes a fixed man. */
static void king_takes(struct kings *g, const struct bk_exit *e)
{
    const struct bk_setup *s = g->s;
    struct bk_king_squares kings[2] = { { g->squares, g->nsquares }, { g->squares, g->nsquares } };
    uint8_t target = 0;
    unsigned n;
    const struct bk_reach *r;

    for (unsigned i = 0; i < s->fixed.n; i++)
        if (s->fixed.slot[i] == e->taken)
            target = s->fixed.sq[i];
    if (!bk_rules_may_stand(s->v, s->v->royal, e->colour, target))
        return;
    kings[e->colour] = (struct bk_king_squares){ &target, 1 };
    bk_view_kings(&e->plan, &g->at, kings, g->plane);
    r = bk_reach_into(s->v, s->v->royal, e->colour, target, &n);
    if (e->colour == BK_WHITE) {
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_TAKES)
                offer(g, BK_WHITE, r[i].to, ~NONE, g->plane + target * g->nsq, -1);
        return;
    }
    for (unsigned wk = 0; wk < g->nsq; wk++)
        offer(g, BK_BLACK, wk, black_from(g, bit(target), BK_TAKES), g->plane + wk * g->nsq,
              target);
}

/* En passant answers depend on the kings: one pair at a time, where a pawn stands right. */
static void correct_passing(struct kings *g, const struct bk_exit *e, unsigned from, unsigned to)
{
    for (unsigned i = 0; i < g->nsquares; i++)
        for (unsigned j = 0; j < g->nsquares; j++) {
            int16_t *score = &g->plane[g->squares[i] * g->nsq + g->squares[j]];

            if (*score == BK_SCORE_NONE)
                continue;
            g->at.king[0] = g->squares[i];
            g->at.king[1] = g->squares[j];
            bk_passing_correct(
                g->s, &(struct bk_double_step){ e, (uint8_t)from, (uint8_t)to, &g->at, NULL, 0 },
                score);
        }
}

static bool takes_on(const struct kings *g, const struct bk_exit *e, unsigned sq)
{
    for (unsigned i = 0; i < g->s->fixed.n; i++)
        if (g->s->fixed.slot[i] == e->taken)
            return g->s->fixed.sq[i] == sq;
    return false;
}

static void offer_all(struct kings *g, const struct bk_exit *e, const struct bk_reach *r)
{
    for (unsigned i = 0; i < g->nsquares; i++) {
        unsigned wk = g->squares[i];
        set from = ~NONE, occ = g->men | bit(wk);

        if (r) {
            if (e->taken < 0 && has(occ, r->to))
                continue;
            from = open_to(g, r, occ) & ~bit(r->to);
        }
        offer(g, e->colour, wk, from, g->plane + wk * g->nsq, -1);
    }
}

static void man_leaves(struct kings *g, const struct bk_exit *e)
{
    const struct bk_setup *s = g->s;
    const struct bk_king_squares anywhere[2] = { { g->squares, g->nsquares },
                                                 { g->squares, g->nsquares } };
    unsigned slot = e->mover, home = g->at.sq[slot], n;
    const struct bk_reach *r = bk_reach_from(s->v, s->ix->type[slot], e->colour, home, &n);

    for (unsigned i = 0; i < n; i++) {
        if (!(r[i].how & (e->taken >= 0 ? BK_TAKES : BK_QUIET)) ||
            !bk_exit_may_end(s, e, r[i].to) || (e->taken >= 0 && !takes_on(g, e, r[i].to)) ||
            (e->taken < 0 && has(g->men, r[i].to)))
            continue;
        g->at.sq[slot] = r[i].to;
        bk_view_kings(&e->plan, &g->at, anywhere, g->plane);
        if (e->in_block && bk_rules_en_passant(s->v) && bk_rules_doubles(s->v, s->ix->type[slot]))
            correct_passing(g, e, home, r[i].to);
        offer_all(g, e, &r[i]);
    }
    g->at.sq[slot] = (uint8_t)home;
    if (bk_exit_in_place(s, e, home)) {
        bk_view_kings(&e->plan, &g->at, anywhere, g->plane);
        offer_all(g, e, NULL);
    }
}

/* == What is stored == */

static void *row_of(const struct kings *g, unsigned side, unsigned wk)
{
    return g->k[side] + (size_t)wk * g->nsq * g->s->dtw_bytes;
}

static unsigned k_of(const struct kings *g, const void *row, unsigned bk)
{
    return g->s->dtw_bytes == 1 ? ((const uint8_t *)row)[bk] : ((const uint16_t *)row)[bk];
}

static void store(struct kings *g, unsigned side, unsigned wk, set x, unsigned k)
{
    if (!g->s->distances)
        return;
    if (g->s->dtw_bytes == 1) {
        put_where(row_of(g, side, wk), g->nsq, x, k);
        return;
    }
    EACH (bk, x)
        ((uint16_t *)row_of(g, side, wk))[bk] = (uint16_t)k;
}

/* Those of x for which k is stored; if more, a later one. */
static set stored(const struct kings *g, unsigned side, unsigned wk, set x, unsigned k, bool more)
{
    const uint16_t *row = row_of(g, side, wk);
    set found = NONE;

    if (g->s->dtw_bytes == 1)
        return where_is(row_of(g, side, wk), g->nsq, x, k, more);
    EACH (bk, x)
        if (more ? row[bk] > k : row[bk] == k)
            found |= bit(bk);
    return found;
}

static void note_wait(struct kings *g, unsigned side, unsigned wk, unsigned k)
{
    g->waits[side][k < WAITS - 1 ? k : WAITS - 1] |= bit(wk);
    g->k_wait_max = k > g->k_wait_max ? k : g->k_wait_max;
}

/* x wait for the plies of their best exits. */
static void store_waits(struct kings *g, unsigned side, unsigned wk, set x)
{
    const int16_t *best = g->best[side] + wk * g->nsq;
    uint64_t seen = 0;
    set todo = x;

    if (g->s->dtw_bytes == 1) {
        seen = put_half_plies(row_of(g, side, wk), g->nsq, x, best, BK_SCORE_WIN, g->s->k_limit);
    } else {
        EACH (bk, todo) {
            int score = best[bk] > 0 ? best[bk] : -best[bk];
            unsigned k = (unsigned)(BK_SCORE_WIN - score) >> 1;

            ((uint16_t *)row_of(g, side, wk))[bk] = (uint16_t)k;
            seen |= UINT64_C(1) << (k < 63 ? k : 63);
        }
    }
    todo = seen >> 63 ? x : NONE;
    while (any(todo)) { /* each k once */
        unsigned k = k_of(g, row_of(g, side, wk), lowest(todo));

        note_wait(g, side, wk, k);
        todo &= ~stored(g, side, wk, todo, k, false);
    }
    for (seen &= INT64_MAX; seen; seen &= seen - 1)
        note_wait(g, side, wk, (unsigned)__builtin_ctzll(seen));
}

/* Enters the best exit of each position of a row, as init.h's settle(). */
static void settle(struct kings *g, unsigned side, unsigned wk)
{
    struct by_score way = sort_scores(g->best[side] + wk * g->nsq, g->nsq, BK_SCORE_NONE,
                                      g->s->distances ? BK_SCORE_WIN - 2 : 0);

    g->open[side][wk] &= ~way.saving;
    g->losing[side][wk] = way.any & ~way.saving;
    g->wins[side].at[wk] = way.soon;
    if (any(way.soon))
        g->wins[side].rows |= bit(wk);
    if (g->s->distances)
        store_waits(g, side, wk, (way.any & ~way.saving) | (way.winning & ~way.soon));
}

/* Those that stay in the block's table, or those that do not. */
static void value_exits(struct kings *g, bool in_block)
{
    const struct bk_setup *s = g->s;

    for (uint32_t i = 0; i < s->nexit; i++) {
        if (s->exit[i].in_block != in_block)
            continue;
        if (s->exit[i].mover == BK_KINGS_SLOT)
            king_takes(g, &s->exit[i]);
        else
            man_leaves(g, &s->exit[i]);
    }
}

static void find_ways_out(struct kings *g)
{
    size_t pairs = (size_t)g->nsq * g->nsq;

    for (size_t i = 0; i < pairs; i++)
        g->best[0][i] = g->best[1][i] = BK_SCORE_NONE;
    value_exits(g, false);
    for (unsigned side = 0; side < 2; side++)
        memcpy(g->exit[side], g->best[side], pairs * sizeof *g->exit[side]);
    value_exits(g, true);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned wk = 0; wk < g->nsq; wk++)
            settle(g, side, wk);
}

/* == Plies == */

static inline set *reach_row(struct kings *g, set *rows, unsigned wk)
{
    if (!has(*rows, wk))
        g->reached[wk] = NONE;
    *rows |= bit(wk);
    return &g->reached[wk];
}

/* From where `side` can move into `f`, to g->reached.  Returns the rows that it has reached. */
static set unmoves(struct kings *g, unsigned side, const struct frontier *f)
{
    const struct bk_setup *s = g->s;
    set rows = NONE, todo = f->rows;

    EACH (wk, todo) {
        unsigned n;
        const struct bk_reach *r;

        if (side == BK_BLACK) {
            g->reached[wk] = black_from(g, f->at[wk], BK_QUIET);
            rows |= bit(wk);
            continue;
        }
        r = bk_reach_into(s->v, s->v->royal, BK_WHITE, wk, &n);
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_QUIET)
                *reach_row(g, &rows, r[i].to) |= f->at[wk];
    }
    return rows;
}

static set without_escapes(const struct kings *g, unsigned side, unsigned wk, set cand)
{
    const struct bk_setup *s = g->s;
    unsigned n;
    const struct bk_reach *r;

    if (side == BK_BLACK)
        return cand & ~black_from(g, ~g->won[!side][wk] & g->board, BK_QUIET);
    r = bk_reach_from(s->v, s->v->royal, BK_WHITE, wk, &n);
    for (unsigned i = 0; i < n && any(cand); i++)
        if (r[i].how & BK_QUIET)
            cand &= g->won[!side][r[i].to];
    return cand;
}

/* Adds to the rows that are looked at those in which something waits for this ply; returns these.
 */
static set rows_due(struct kings *g, unsigned side, set *rows)
{
    unsigned k = g->ply >> 1;
    set due, todo;

    if (!g->s->distances || g->ply == 1)
        return NONE;
    due = todo = g->waits[side][k < WAITS - 1 ? k : WAITS - 1];
    EACH (wk, todo)
        reach_row(g, rows, wk);
    return due;
}

/* New results of a row. */
static void add_fresh(struct kings *g, struct frontier *f, unsigned side, unsigned wk, set add)
{
    f->at[wk] = add;
    f->rows |= bit(wk);
    g->undecided[side][wk] &= ~add;
    g->open[side][wk] &= ~add;
    store(g, side, wk, add, g->ply >> 1);
}

static void mated(struct kings *g, unsigned side, unsigned wk)
{
    set losing = g->losing[side][wk], check = g->illegal[!side][wk], lost = NONE, stuck;

    if (!any(g->open[side][wk]))
        return;
    stuck = without_escapes(g, side, wk, g->open[side][wk]);
    if (!g->s->distances)
        lost = stuck & losing;
    stuck &= ~losing;
    if (bk_rules_stalemate_wdl(g->s->v) == 0)
        g->open[side][wk] &= ~(stuck & ~check);
    else
        lost |= stuck & ~check;
    lost |= stuck & check;
    if (any(lost))
        add_fresh(g, &g->losses[side], side, wk, lost);
}

/* An odd ply. */
static bool win(struct kings *g, unsigned side)
{
    struct frontier *f = &g->wins[side];
    set rows = unmoves(g, side, &g->losses[!side]), due = rows_due(g, side, &rows), todo;

    todo = g->ply == 1 ? f->rows : NONE; /* won by an exit at once */
    EACH (wk, todo)
        *reach_row(g, &rows, wk) |= f->at[wk];
    f->rows = NONE;
    EACH (wk, rows) {
        set undecided = g->undecided[side][wk], add = g->reached[wk] & undecided;

        if (has(due, wk))
            add |= stored(g, side, wk, undecided & ~g->open[side][wk], g->ply >> 1, false);
        if (!any(add))
            continue;
        g->won[side][wk] |= add;
        add_fresh(g, f, side, wk, add);
    }
    if (any(f->rows))
        g->last_win[side] = (int)g->ply;
    return any(f->rows);
}

/* An even ply. */
static bool lose(struct kings *g, unsigned side)
{
    struct frontier *f = &g->losses[side];
    set rows = unmoves(g, side, &g->wins[!side]), due = rows_due(g, side, &rows);
    unsigned k = g->ply >> 1;

    f->rows = NONE;
    EACH (wk, rows) {
        set cand = g->reached[wk] & g->open[side][wk];

        if (has(due, wk))
            cand |= stored(g, side, wk, g->open[side][wk], k, false);
        if (any(cand))
            cand = without_escapes(g, side, wk, cand);
        if (g->s->distances && any(cand & g->losing[side][wk]))
            cand &= ~stored(g, side, wk, cand & g->losing[side][wk], k, true);
        if (any(cand))
            add_fresh(g, f, side, wk, cand);
    }
    if (any(f->rows))
        g->last_loss[side] = (int)g->ply;
    return any(f->rows);
}

/*
 * won of one side may grow while the other side's losses are looked for, but
 * only in odd plies; in even plies nothing that is read changes.
 */
static bool iterate(struct kings *g)
{
    bool before = true;

    for (unsigned side = 0; side < 2; side++) {
        g->last_win[side] = g->last_loss[side] = -1;
        for (unsigned wk = 0; wk < g->nsq; wk++)
            mated(g, side, wk);
        if (any(g->losses[side].rows))
            g->last_loss[side] = 0;
    }
    for (g->ply = 1;; g->ply++) {
        bool found = false;

        for (unsigned side = 0; side < 2; side++)
            found |= g->ply & 1 ? win(g, side) : lose(g, side);
        if (!found && !before && g->ply > 2 * g->k_wait_max)
            return true;
        before = found;
        if (g->s->distances && g->ply >> 1 >= g->s->k_limit)
            return false;
    }
}

/* == Codes and counts == */

static set wins_of(const struct kings *g, unsigned side, unsigned wk)
{
    return g->won[side][wk] & g->legal[side][wk];
}

static set losses_of(const struct kings *g, unsigned side, unsigned wk)
{
    return g->legal[side][wk] & ~g->won[side][wk] & ~g->undecided[side][wk];
}

/* What is stored becomes codes. */
static void make_codes(struct kings *g, unsigned side, unsigned wk)
{
    set wins = wins_of(g, side, wk), losses = losses_of(g, side, wk);
    set draws = g->undecided[side][wk];
    uint16_t *row = row_of(g, side, wk);

    if (g->s->dtw_bytes == 1) {
        put_codes(row_of(g, side, wk), g->nsq, wins, losses, draws, BK_CODE_WIN, BK_CODE_LOSS8,
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
/* A bitmap under way: what does not fill a word yet. */
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

/* Without a symmetry of the kings the slices of a row follow each other. */
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

/* Sets, by white king square, as a bitmap by slice. */
static void put_bits(const struct kings *g, const set *rows, uint64_t *map)
{
    const struct bk_pairs *pairs = g->s->pairs;

#ifdef __BMI2__
    if (pairs->group == 1) {
        put_rows(g, rows, map);
        return;
    }
#endif
    for (uint32_t first = 0; first < pairs->nslices; first += 64) {
        uint32_t n = pairs->nslices - first < 64 ? pairs->nslices - first : 64;
        uint64_t bits = 0;

        for (uint32_t i = 0; i < n; i++) {
            const uint8_t *king = pairs->king[first + i];

            bits |= (uint64_t)has(rows[king[0]], king[1]) << i;
        }
        map[first / 64] = bits;
    }
}

#if SET_IS_NUMBER
/* Without a symmetry of the kings codes of a row are copied in a few pieces: what lies between are
   the squares beside the white king. */
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

static void put_codes_by_slice(const struct kings *g, unsigned side, void *out)
{
    const struct bk_pairs *pairs = g->s->pairs;
    const void *codes = g->k[side];

#if SET_IS_NUMBER
    if (pairs->group == 1) {
        put_code_rows(g, codes, out);
        return;
    }
#endif
    for (uint32_t slice = 0; slice < pairs->nslices; slice++) {
        unsigned at = pairs->king[slice][0] * g->nsq + pairs->king[slice][1];

        if (g->s->dtw_bytes == 1)
            ((uint8_t *)out)[slice] = ((const uint8_t *)codes)[at];
        else
            ((uint16_t *)out)[slice] = ((const uint16_t *)codes)[at];
    }
}

/* A position of each slice in x is counted; images: of it in all placements. */
static void count_slices(const struct kings *g, const set *x, uint64_t *own, uint64_t *all)
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
    for (uint32_t slice = 0; slice < pairs->nslices; slice++)
        if (has(x[pairs->king[slice][0]], pairs->king[slice][1])) {
            ++*own;
            *all += symmetries / (unsigned)__builtin_popcount(pairs->stabilizer[slice]);
        }
}

/* The first slice with the code of plies that are the block's most. */
static void find_longest(const struct kings *g, const void *codes, int plies, unsigned code,
                         struct bk_longest *l)
{
    struct bk_longest this = { .plies = plies,
                               .at = g->at,
                               .advance = g->s->b->advance,
                               .block = (uint32_t)(g->s->b - g->s->ix->block) };
    const struct bk_pairs *pairs = g->s->pairs;
    uint32_t slice = 0;

    if (plies < 0 || plies < l->plies)
        return;
    if (g->s->dtw_bytes == 1) {
        const uint8_t *found = memchr(codes, (int)code, pairs->nslices);

        slice = found ? (uint32_t)(found - (const uint8_t *)codes) : pairs->nslices;
    } else {
        while (slice < pairs->nslices && ((const uint16_t *)codes)[slice] != code)
            slice++;
    }
    this.number = slice;
    if (slice == pairs->nslices || !bk_longest_before(&this, l))
        return;
    *l = this;
    l->at.king[0] = pairs->king[slice][0];
    l->at.king[1] = pairs->king[slice][1];
}

static void write_values(struct kings *g, struct bk_memblock *mb, unsigned side)
{
    set won[BK_SQ_MAX], draw[BK_SQ_MAX]; /* as bitmaps have them: what is illegal is in both */

    if (g->s->distances) {
        put_codes_by_slice(g, side, mb->code[side]);
        return;
    }
    for (unsigned wk = 0; wk < g->nsq; wk++) {
        won[wk] = g->won[side][wk] | ~g->legal[side][wk];
        draw[wk] = g->undecided[side][wk] | ~g->legal[side][wk];
    }
    put_bits(g, won, mb->code[side]);
    put_bits(g, draw, mb->draw[side]);
}

static void write_codes(struct kings *g, struct bk_memblock *mb, struct bk_tally *t)
{
    unsigned loss = g->s->dtw_bytes == 1 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;

    for (unsigned side = 0; side < 2; side++) {
        int win = g->last_win[side], lost = g->last_loss[side];
        set wins[BK_SQ_MAX], losses[BK_SQ_MAX];

        for (unsigned wk = 0; wk < g->nsq; wk++) {
            wins[wk] = wins_of(g, side, wk);
            losses[wk] = losses_of(g, side, wk);
            if (g->s->distances)
                make_codes(g, side, wk);
        }
        write_values(g, mb, side);
        count_slices(g, wins, &t->win[side], &t->all_win[side]);
        count_slices(g, g->undecided[side], &t->draw[side], &t->all_draw[side]);
        count_slices(g, losses, &t->loss[side], &t->all_loss[side]);
        if (!g->s->distances)
            continue;
        find_longest(g, mb->code[side], win, BK_CODE_WIN + ((unsigned)win >> 1),
                     &t->longest_win[side]);
        find_longest(g, mb->code[side], lost, loss + ((unsigned)lost >> 1), &t->longest_loss[side]);
    }
}

/* Those of the won positions x of a row of codes that are won by their best exit as soon. */
static set as_soon(const struct kings *g, const void *codes, set x, const int16_t *score)
{
    set soon = NONE;

    if (g->s->dtw_bytes == 1)
        return won_as_soon(codes, g->nsq, x, score, BK_SCORE_WIN + 2 * BK_CODE_WIN);
    EACH (bk, x)
        if (((const uint16_t *)codes)[bk] ==
            BK_CODE_WIN + ((unsigned)(BK_SCORE_WIN - score[bk]) >> 1))
            soon |= bit(bk);
    return soon;
}

/* What exits attain (attain.h), a bit a slice; after write_codes(). */
static void write_attained(const struct kings *g, struct bk_memblock *mb)
{
    for (unsigned side = 0; side < 2; side++) {
        set by_wdl[BK_SQ_MAX], by_plies[BK_SQ_MAX];

        for (unsigned wk = 0; wk < g->nsq; wk++) {
            const int16_t *score = g->exit[side] + wk * g->nsq;
            struct by_score way = sort_scores(score, g->nsq, BK_SCORE_NONE, 0);
            set wins = way.winning & wins_of(g, side, wk);

            by_wdl[wk] = wins | (way.saving & g->undecided[side][wk]);
            if (g->s->distances)
                by_plies[wk] = as_soon(g, row_of(g, side, wk), wins, score);
        }
        put_bits(g, by_wdl, mb->attained[BK_WDL][side]);
        if (g->s->distances)
            put_bits(g, by_plies, mb->attained[BK_DISTANCES][side]);
    }
}

static bool allocate_attained(const struct bk_setup *s, struct bk_spill *spill,
                              struct bk_memblock *mb)
{
    size_t bytes = bk_memblock_array_bytes(s->nslices, 0);
    bool ok = true;

    for (unsigned told = 0; told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++)
            ok = ok && (mb->attained[told][side] = bk_spill_new(spill, bytes));
    return ok;
}

/* Slices of one white square follow each other: its set is in hand meanwhile. */
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

static void begin(struct kings *g, const struct bk_setup *s)
{
    g->s = s;
    g->nsq = s->v->nsq;
    g->board = set_of(&s->v->board);
    for (unsigned i = 0; i < s->fixed.n; i++) {
        g->clash = g->clash || has(g->men, s->fixed.sq[i]);
        g->men |= bit(s->fixed.sq[i]);
        g->at.sq[s->fixed.slot[i]] = s->fixed.sq[i];
    }
    for (unsigned sq = 0; sq < g->nsq; sq++)
        if (has(g->board, sq) && !has(g->men, sq))
            g->squares[g->nsquares++] = (uint8_t)sq;
    find_slices(g);
    find_steps(g);
    find_legal(g);
}

bool NAME1(bk_kings_, BK_KERNEL)(const struct bk_setup *s, struct bk_spill *spill,
                                 struct bk_memblock *mb, struct bk_tally *tally, bool *too_far)
{
    size_t pairs = (size_t)s->v->nsq * s->v->nsq;
    struct kings *g = aligned_alloc(64, (sizeof *g + 63) & ~(size_t)63);
    int16_t *planes = malloc(5 * pairs * sizeof *planes);
    char *k = calloc(2 * pairs + 1, s->distances ? s->dtw_bytes : 1);
    bool ok = g && planes && k;

    ok = ok && bk_memblock_alloc(mb, spill, s->pairs->nslices, s->dtw_bytes) &&
         (!s->attains || allocate_attained(s, spill, mb));
    if (ok) {
        memset(g, 0, sizeof *g);
        g->plane = planes;
        for (unsigned side = 0; side < 2; side++) {
            g->best[side] = planes + (side + 1) * pairs;
            g->exit[side] = planes + (side + 3) * pairs;
            g->k[side] = k + side * pairs * s->dtw_bytes;
        }
        begin(g, s);
        find_ways_out(g);
        *too_far = !iterate(g);
        if (!*too_far)
            write_codes(g, mb, tally);
        if (!*too_far && s->attains)
            write_attained(g, mb);
    }
    free(g);
    free(planes);
    free(k);
    return ok;
}
