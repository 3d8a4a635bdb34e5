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
 * The exits (pawn moves, captures) are looked up for whole planes of king
 * pairs at once.  Everything else, and the invariants, are as in passes.c.
 *
 * Of kings alone all fits the first-level cache, so what costs is operations: a row of
 * scores or of stored numbers is worked on as a whole (squares.h), and a ply looks
 * only at rows that something has reached or that have waited for it.  Compiled
 * for each instruction set, as passes.c.  The parts: kings_block.h what is kept, kings_exits.h,
 * kings_codes.h the end.
 * Cost: some 0.07 ms a configuration of an 8x8 board.
 */
#include <stdlib.h>
#include <string.h>

#include "tb/kernel/kings.h"
#include "tb/kernel/kings_codes.h"
#include "tb/kernel/kings_exits.h"
#include "tb/memory/spill.h"

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)

/* == Plies == */

static inline set *reach_row(struct conf *c, set *rows, unsigned wk)
{
    if (!has(*rows, wk))
        c->reached[wk] = NONE;
    *rows |= bit(wk);
    return &c->reached[wk];
}

static const struct frontier *frontier_of(const struct conf *c, unsigned side, bool losses)
{
    return losses ? &c->losses[side] : &c->wins[side];
}

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
            const struct frontier *f = frontier_of(x.to, !side, losses);
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
    const struct frontier *f = frontier_of(c, !side, losses);
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
    unsigned k = g->ply >> 1;
    set due, todo;

    if (!g->s->distances || g->ply == 1)
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
    store(g, c, side, wk, add, g->ply >> 1);
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
    if (bk_rules_stalemate_wdl(g->s->v) == 0)
        c->open[side][wk] &= ~(stuck & ~check);
    else
        lost |= stuck & ~check;
    lost |= stuck & check;
    if (any(lost))
        add_fresh(g, c, &c->losses[side], side, wk, lost);
}

/* An odd ply of a configuration.  Returns whether anything was won. */
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
            add |= stored(g, c, side, wk, undecided & ~c->open[side][wk], g->ply >> 1, false);
        if (!any(add))
            continue;
        c->won[side][wk] |= add;
        add_fresh(g, c, f, side, wk, add);
    }
    if (any(f->rows))
        g->last_win[side] = (int)g->ply;
    return any(f->rows);
}

/* An even ply of a configuration.  Returns whether anything was lost. */
static bool lose(struct kings *g, struct conf *c, unsigned side)
{
    struct frontier *f = &c->losses[side];
    set rows = unmoves(g, c, side, false), due = rows_due(g, c, side, &rows);
    unsigned k = g->ply >> 1;

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
        if (any(g->conf[i].losses[side].rows))
            g->last_loss[side] = 0;
    }
}

/*
 * Runs the plies.  False: distances do not fit.  Sides and configurations take
 * turns without copies: odd plies, in which `won` grows, do not read it of the
 * other side; what even plies read of the other side they do not change.
 */
static bool iterate(struct kings *g)
{
    bool before = true;

    for (unsigned side = 0; side < 2; side++)
        begin_plies(g, side);
    for (g->ply = 1;; g->ply++) {
        bool found = false;

        for (unsigned side = 0; side < 2; side++)
            for (uint32_t i = 0; i < g->nconf; i++)
                found |= g->ply & 1 ? win(g, &g->conf[i], side) : lose(g, &g->conf[i], side);
        if (!found && !before && g->ply > 2 * g->k_wait_max)
            return true;
        before = found;
        if (g->s->distances && g->ply >> 1 >= g->s->k_limit)
            return false;
    }
}

/* == A block == */

static bool allocate_attained(const struct bk_setup *s, struct bk_spill *spill,
                              struct bk_memblock *mb)
{
    size_t bytes = bk_memblock_array_bytes((uint64_t)s->nslices * s->nconf, 0);
    bool ok = true;

    for (unsigned told = 0; told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++)
            ok = ok && (mb->attained[told][side] = bk_spill_new(spill, bytes));
    return ok;
}

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

/* == All of it == */

static size_t whole_lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Number of planes, nsq * nsq scores each: one exit's, the best of each side, and what
   configurations keep. */
static size_t score_planes(const struct bk_setup *s)
{
    return 3 + (s->attains ? (size_t)2 * s->nconf : 0);
}

/* Bytes of the plies / 2 of both sides and all configurations. */
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

size_t NAME1(bk_kings_bytes_, BK_KERNEL)(const struct bk_setup *s)
{
    return sizeof(struct kings) + zeroed_bytes(s) + plane_bytes(s);
}

/*
 * Returns a piece; NULL: no memory.  A large one is an array as others are: the stock
 * (tb/memory/stock.h) gives it what it has kept, and keeps no more than there is room for beside
 * it.  A small one comes and goes thousands of times in a table, and is the allocator's:
 * bk_spill_new() would map it each time, as the allocator does from 128 KiB on (src/cli/machine.c).
 * In one piece KPvKP's blocks on 10x10 were above that, and a fifth slower.
 */
static void *piece_new(size_t bytes)
{
    return bytes >= BK_STOCK_UNIT ? bk_spill_new(NULL, bytes) : aligned_alloc(64, bytes);
}

static void piece_free(void *piece, size_t bytes)
{
    if (bytes >= BK_STOCK_UNIT)
        bk_spill_free(piece);
    else
        free(piece);
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
    piece_free(g->conf, zeroed_bytes(g->s));
    piece_free(g->plane, plane_bytes(g->s));
    free(g);
}

bool NAME1(bk_kings_, BK_KERNEL)(const struct bk_setup *s, struct bk_spill *spill,
                                 struct bk_memblock *mb, struct bk_tally *tally, bool *too_far)
{
    struct kings *g = aligned_alloc(64, whole_lines(sizeof *g));
    bool ok = g && begin(g, s);

    ok = ok && bk_memblock_alloc(mb, spill, (uint64_t)s->pairs->nslices * s->nconf, s->dtw_bytes) &&
         (!s->attains || allocate_attained(s, spill, mb));
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
