/*
 * init.h - the first pass over a slice: what is illegal, and what the exits are worth.
 */
#ifndef BK_KERNEL_INIT_H
#define BK_KERNEL_INIT_H

#include "tb/kernel/exits.h"
#include "tb/kernel/legal.h"

/* Writes k of the best exits of the positions `x` to dtw, the configuration's row.  Returns
   the mask of these numbers. */
static uint64_t store_exits(const struct bk_setup *s, void *dtw, set x, const int16_t *best)
{
    uint64_t waits = 0;

    if (s->dtw_bytes == 1)
        return put_k(dtw, s->width, x, best, BK_SCORE_WIN, s->k_limit, s->shift);
    EACH (sq, x) {
        int score = best[sq];
        unsigned k = (unsigned)(BK_SCORE_WIN - (score > 0 ? score : -score)) >> s->shift;

        if (k > s->k_limit)
            k = s->k_limit; /* the solve is given up and begun anew with wider numbers */
        dtw_put(s, dtw, sq, k);
        waits |= bk_wait_bit(k);
    }
    return waits;
}

/* The largest k stored for x, whose mask is `waits`. */
static unsigned latest(const struct bk_setup *s, const void *dtw, set x, uint64_t waits)
{
    unsigned most = 63 - (unsigned)__builtin_clzll(waits);

    if (most < 63)
        return most;
    EACH (sq, x) {
        unsigned k = dtw_get(s, dtw, sq);

        most = k > most ? k : most;
    }
    return most;
}

/* Notes that exits delay losses in a vector until the ply of k = most. */
static void note_delay(const struct ctx *c, unsigned side, uint32_t vector, unsigned most)
{
    uint16_t *delay = (uint16_t *)bk_state_slice(c->st, BK_DELAYS, side, c->slice) + vector;

    if (most > *delay)
        *delay = (uint16_t)most;
}

/* Stores the plies of exits that do not count at once: of losing ones, and of `later` wins. */
static void settle_later(struct scratch *w, struct bk_state *st, unsigned side, uint32_t conf,
                         set losing, set later)
{
    const struct ctx *c = &w->ctx;
    const struct bk_setup *s = c->s;
    const int16_t *best = w->best + (size_t)conf * s->width;
    void *dtw = dtw_of(s, st, side, c->slice, conf);
    uint64_t waits = any(losing) ? store_exits(s, dtw, losing, best) : 0;

    if (waits)
        note_delay(c, side, conf / LANES, latest(s, dtw, losing, waits));
    if (s->ledger)
        ((set *)sets_of(st, BK_LATER, side, c->slice))[conf] = losing;
    waits = any(later) ? store_exits(s, dtw, later, best) : 0;
    if (waits && s->ledger)
        bk_raise_to(&st->last_wait, latest(s, dtw, later, waits));
    else if (waits)
        note_wait(c, st, side, false, conf, waits, latest(s, dtw, later, waits));
}

/* Enters the best exit of every position of a configuration. */
static void settle(struct scratch *w, struct bk_state *st, unsigned side, uint32_t conf)
{
    const struct bk_setup *s = w->ctx.s;
    uint32_t slice = w->ctx.slice;
    struct by_score way = sort_scores(w->best + (size_t)conf * s->width, s->width, BK_SCORE_NONE,
                                      s->distances ? BK_SCORE_WIN - 2 : 0);
    set losing = way.any & ~way.saving, later = way.winning & ~way.soon;

    if (s->compact)
        ((set *)sets_of(st, BK_WON, side, slice))[conf] |= way.saving;
    else
        ((set *)sets_of(st, BK_OPEN, side, slice))[conf] &= ~way.saving;
    ((set *)sets_of(st, BK_LOSSES, side, slice))[conf] = losing;
    ((set *)sets_of(st, BK_WINS, side, slice))[conf] = way.soon;
    if (s->exits_once)
        ((set *)sets_of(st, BK_EXIT_WINS, side, slice))[conf] = way.winning;
    if (any(way.soon)) {
        mark(bk_state_slice(st, BK_WIN_MARKS, side, slice), conf / LANES);
        *(uint8_t *)bk_state_slice(st, BK_ANY_WIN, side, slice) = 1;
    }
    if (s->distances)
        settle_later(w, st, side, conf, losing, later);
}

/* Begins the sets of a slice: legal positions are undecided, but for configurations whose equal men
   are not in order: they are not solved. */
static void enter_legal(const struct ctx *c)
{
    const struct bk_setup *s = c->s;
    const struct bk_state *st = c->st;
    static _Thread_local struct legality legality;

    find_legality(c, &legality);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        lanes placed = placed_in(c, vector);

        for (unsigned side = 0; side < 2; side++) {
            lanes legal = legal_of(c, &legality, side, vector, placed);
            lanes solved =
                s->conf.spare ? lanes_only(legal, ~s->conf.spare[vector] & 0xffu) : legal;

            sets_of(st, BK_WON, side, c->slice)[vector] = ~legal;
            sets_of(st, BK_UNDECIDED, side, c->slice)[vector] = solved;
            if (!s->compact)
                sets_of(st, BK_OPEN, side, c->slice)[vector] = solved;
            sets_of(st, BK_WINS, side, c->slice)[vector] = NO_LANES;
            sets_of(st, BK_LOSSES, side, c->slice)[vector] = NO_LANES;
            if (s->exits_once)
                sets_of(st, BK_EXIT_WINS, side, c->slice)[vector] = NO_LANES;
        }
    }
}

/* Offers the scores of the exit x->e to the positions of the slice. */
static void offer_exit(struct exits *x)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_setup *s = c->s;

    x->at.king[0] = (uint8_t)c->king[0];
    x->at.king[1] = (uint8_t)c->king[1];
    for (unsigned j = 0; j < c->fixed.n; j++)
        x->at.sq[c->fixed.slot[j]] = c->fixed.sq[j];
    shape_view(c, x->e, &x->view);
    if (x->e->castles >= 0)
        castling_exits(x);
    else if (x->e->mover == BK_KINGS_SLOT)
        king_exits(x);
    else if ((int)x->e->mover == s->inner.slot)
        inner_exits(x);
    else if (leaves(s, x->e->mover))
        leaver_exits(x);
    else
        outer_exits(x);
}

static void begin_offers(struct scratch *w)
{
    const struct bk_setup *s = w->ctx.s;

    for (size_t j = 0; j < (size_t)s->nconf * s->width; j++)
        w->best[j] = BK_SCORE_NONE;
    memset(w->touched, 0, s->nconf);
}

/*
 * Where captures are forced, after they have been offered: notes in BK_FORCED which positions have
 * one, those with a score, since what is illegal has none.  Leaves the others in w->quiet.
 */
static void find_forced(struct scratch *w, unsigned side, const set *legal, bool used)
{
    const struct bk_setup *s = w->ctx.s;
    set *forced = (set *)sets_of(w->ctx.st, BK_FORCED, side, w->ctx.slice);

    for (uint32_t conf = 0; conf < s->pitch; conf++) {
        bool some = used && conf < s->nconf && w->touched[conf];

        forced[conf] =
            some ? sort_scores(w->best + (size_t)conf * s->width, s->width, BK_SCORE_NONE, 0).any
                 : NONE;
        w->quiet[conf] = legal[conf] & ~forced[conf];
    }
}

/*
 * Offers the scores of all exits of a side to the positions `legal`, by
 * configuration: the best ones go to w->best, where w->touched says so.
 * leave_table  only exits that a file leaves values to: to another material, and to zeroing those
 *              that zero
 * False: the side has none, and nothing was written.
 */
static bool offer_exits(struct scratch *w, unsigned side, const set *legal, bool leave_table)
{
    const struct bk_setup *s = w->ctx.s;
    struct exits x = { .w = w, .legal = legal };
    bool used = false;

    for (unsigned quiet = !s->must_capture; quiet < 2; quiet++) {
        for (uint32_t i = 0; i < s->nexit; i++) {
            x.e = &s->exit[i];
            if (x.e->colour != side || (leave_table && !bk_exit_attains(s, x.e)) ||
                (s->must_capture && quiet != (x.e->taken < 0)))
                continue;
            if (!used)
                begin_offers(w);
            used = true;
            offer_exit(&x);
        }
        if (!quiet) {
            find_forced(w, side, legal, used);
            x.legal = w->quiet;
        }
    }
    return used;
}

static void enter_exits(struct scratch *w, struct bk_state *st, unsigned side)
{
    const set *legal = (const set *)sets_of(st, BK_UNDECIDED, side, w->ctx.slice);

    if (!offer_exits(w, side, legal, false))
        return;
    for (uint32_t conf = 0; conf < w->ctx.s->nconf; conf++)
        if (w->touched[conf])
            settle(w, st, side, conf);
}

static void init(struct bk_solver *b, uint32_t slice, void *scratch)
{
    struct scratch *w = enter(b, slice, scratch);

    enter_legal(&w->ctx);
    for (unsigned side = 0; side < 2 && !w->ctx.void_slice; side++)
        enter_exits(w, &b->state, side);
}

#endif
