/*
 * settle.c - see settle.h.
 *
 * Distances are settled with bounds, as in alpha-beta search.  What a file says
 * of a won position is never too short, so most moves of a lost one need no
 * more than that: its longest so far is already as long.  An exit of a won one
 * is left as soon as it takes longer than the best.
 *
 * Tables know no en passant square.  It adds captures to the moves of the same
 * position without one; so
 *
 *      value(p) = best of value(p without the square) and its en passant captures   (2)
 *
 * where the first is left out if p without the square has no move: then it is
 * the capture that lifts mate or stalemate.  A capture uses up a pawn, so the
 * captures of (2) never lead back to themselves.
 *
 * Castling rights have no such formula: kings and rooks of the other side may
 * shuffle for ever while a right is kept, so those positions have tables of
 * their own, and a move that ends a right is an exit.
 */
#include "table/settle.h"

#include <string.h>

#define NO_VALUE (-2)
#define ENDLESS  (1 << 20) /* more than any number of plies */

/* A position and what has been found out about its place in the files. */
struct asked {
    const struct bk_pos *p;
    const struct bk_table *table;
    bool placed;
    struct bk_spot spot; /* in the wdl file */
};

/* == Files == */

void bk_table_finish(struct bk_table *t)
{
    const struct bk_file_info *w = bk_file_info(t->wdl), *d;

    t->same_numbers = true;
    if (!t->dtw)
        return;
    d = bk_file_info(t->dtw);
    t->same_numbers = w->norder == d->norder && !memcmp(w->order, d->order, w->norder) &&
                      w->one_side == d->one_side;
}

/* The position as the other side sees it. */
static void exchange(struct bk_pos *out, const struct bk_variant *v, const struct bk_pos *p,
                     const uint8_t *swap)
{
    bk_pos_init(out, v);
    for (unsigned colour = 0; colour < 2; colour++) {
        struct bk_bits men = p->by[colour];

        for (unsigned sq; (sq = bk_bits_pop(&men)) != BK_SQ_NONE;)
            bk_pos_put(out, v, bk_man_type(p->at[sq]), !colour, swap[sq]);
    }
    out->stm = !p->stm;
    out->rights = (uint8_t)((p->rights & 3) << 2 | p->rights >> 2);
}

static bool place_exchanged(const struct bk_index *ix, const struct bk_pos *p, const uint8_t *swap,
                            struct bk_placement *at)
{
    struct bk_pos turned;

    if (!p->rights)
        return bk_index_place_exchanged(ix, p, swap, at);
    exchange(&turned, ix->v, p, swap);
    return bk_index_place(ix, &turned, at);
}

enum bk_err bk_spot_of(struct bk_spot *out, const struct bk_table *t, const struct bk_file *f,
                       const struct bk_pos *p, struct bk_report *why)
{
    const struct bk_index *ix = bk_file_index(f);
    bool one_side = bk_file_info(f)->one_side;
    bool exchanged = one_side ? p->stm == BK_BLACK : t->exchanged;
    bool placed =
        exchanged ? place_exchanged(ix, p, t->swap, &out->at) : bk_index_place(ix, p, &out->at);

    out->side = one_side ? 0 : p->stm ^ exchanged;
    out->number = placed ? bk_index_rank_turned(ix, &out->at) : UINT64_MAX;
    if (out->number != UINT64_MAX)
        return BK_OK;
    return bk_fail(why, BK_E_ILLEGAL, "%s has no number for this position", bk_file_path(f));
}

static enum bk_err find(const struct bk_tables *t, struct asked *q, struct bk_report *why)
{
    return q->table ? BK_OK : t->find(t->context, q->p, &q->table, why);
}

/* What the wdl file says: -1, 0, +1. */
static enum bk_err stored_wdl(struct asked *q, int *wdl, struct bk_report *why)
{
    struct bk_file *f = q->table->wdl;
    unsigned value = 0;
    enum bk_err err = q->placed ? BK_OK : bk_spot_of(&q->spot, q->table, f, q->p, why);

    q->placed = !err;
    if (!err)
        err = bk_file_value(f, q->spot.side, q->spot.number, &q->spot.at, &value, why);
    if (!err && value > BK_WDL_LOSS)
        err = bk_fail(why, BK_E_CORRUPT, "%s: damaged: value %u of position %llu", bk_file_path(f),
                      value, (unsigned long long)q->spot.number);
    *wdl = BK_WDL_DRAW - (int)value;
    return err;
}

static enum bk_err no_distances(const struct asked *q, struct bk_report *why)
{
    return bk_fail(why, BK_E_NO_TABLE, "no distances of %s", bk_file_info(q->table->wdl)->material);
}

/* k of the distances' file. */
static enum bk_err stored_k(struct asked *q, int *k, struct bk_report *why)
{
    struct bk_file *f = q->table->dtw;
    struct bk_spot own, *spot = &q->spot;
    unsigned value = 0;
    enum bk_err err = BK_OK;

    if (!q->table->same_numbers)
        err = bk_spot_of(spot = &own, q->table, f, q->p, why);
    else if (!q->placed)
        err = bk_spot_of(spot, q->table, f, q->p, why);
    q->placed |= spot == &q->spot && !err;
    if (!err)
        err = bk_file_value(f, spot->side, spot->number, &spot->at, &value, why);
    *k = (int)value;
    return err;
}

/* == Wins, draws, losses == */

/* bk_settle_least() */
static enum bk_err wdl_of(const struct bk_tables *t, struct asked *q, int enough, int *wdl,
                          struct bk_report *why);

/* Raises *best by what those of the n moves bring that are legal, until it is `enough`. */
static enum bk_err best_of(const struct bk_tables *t, const struct bk_pos *p,
                           const struct bk_move *move, unsigned n, int enough, int *best,
                           bool *missing, struct bk_report *why)
{
    for (unsigned i = 0; i < n && *best < enough; i++) {
        struct bk_pos after = *p;
        struct asked q = { .p = &after };
        enum bk_err err;
        int wdl = 0;

        bk_pos_play(&after, t->v, &move[i]);
        if (!bk_pos_legal(t->v, &after))
            continue;
        err = wdl_of(t, &q, *best == 0 ? 0 : 1, &wdl, why); /* no better than a draw is no gain */
        if (err && err != BK_E_NO_TABLE)
            return err;
        *missing |= err == BK_E_NO_TABLE;
        if (!err && -wdl > *best)
            *best = -wdl;
    }
    return BK_OK;
}

static enum bk_err raise_by_file(struct asked *q, int *best, struct bk_report *why)
{
    int stored;
    enum bk_err err = stored_wdl(q, &stored, why);

    if (!err && stored > *best)
        *best = stored;
    return err;
}

/* The exits of a position, in the order in which they are asked. */
struct exits {
    struct bk_move move[BK_MOVES_MAX];
    unsigned n, baring; /* of them, those that bare a king and so need no file come first */
    bool possible, made;
};

static bool captures_bare(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_bits men = p->by[!p->stm];

    bk_bits_clear(&men, p->king[!p->stm]);
    return bk_rules_bare_loses(v) && bk_bits_single(&men);
}

static void exits_make(struct exits *e, const struct bk_variant *v, const struct bk_pos *p)
{
    if (!e->made)
        e->n = bk_moves_exits(v, p, e->move);
    e->made = true;
}

/* Looks for exits, and makes those that bare a king. */
static void exits_begin(struct exits *e, const struct bk_variant *v, const struct bk_pos *p,
                        const struct bk_file *f)
{
    e->n = e->baring = 0;
    e->made = false;
    e->possible = !bk_file_info(f)->standalone && bk_exits_may_be(v, p);
    if (!e->possible || !captures_bare(v, p))
        return;
    exits_make(e, v, p);
    for (unsigned i = 0; i < e->n; i++)
        if (e->move[i].takes != BK_SQ_NONE) {
            struct bk_move swap = e->move[e->baring];

            e->move[e->baring++] = e->move[i];
            e->move[i] = swap;
        }
}

/* (1), of a position without en passant square that no bare king decides. */
static enum bk_err wdl_without(const struct bk_tables *t, struct asked *q, int enough, int *wdl,
                               struct bk_report *why)
{
    struct exits e;
    int best = NO_VALUE;
    bool missing = false;
    enum bk_err err = find(t, q, why);

    if (err)
        return err;
    exits_begin(&e, t->v, q->p, q->table->wdl);
    err = best_of(t, q->p, e.move, e.baring, enough, &best, &missing, why);
    if (!err && best < enough)
        err = raise_by_file(q, &best, why);
    if (!err && best < enough && e.possible) {
        exits_make(&e, t->v, q->p);
        err = best_of(t, q->p, e.move + e.baring, e.n - e.baring, enough, &best, &missing, why);
    }
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

/* Ends on the en passant square and takes elsewhere. */
static bool is_en_passant(const struct bk_pos *p, const struct bk_move *m)
{
    return m->to == p->ep && m->takes != BK_SQ_NONE && m->takes != m->to;
}

/* The en passant captures of p; and whether it has another legal move. */
static unsigned passing(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX], bool *others)
{
    unsigned all = bk_moves_legal(v, p, out), n = 0;

    for (unsigned i = 0; i < all; i++)
        if (is_en_passant(p, &out[i]))
            out[n++] = out[i];
    *others = all > n;
    return n;
}

/* (2) */
static enum bk_err wdl_passing(const struct bk_tables *t, const struct bk_pos *p, int enough,
                               int *wdl, struct bk_report *why)
{
    struct bk_pos without = *p;
    struct asked q = { .p = &without };
    struct bk_move move[BK_MOVES_MAX];
    bool others, missing = false;
    unsigned n = passing(t->v, p, move, &others);
    int best = NO_VALUE;
    enum bk_err err = BK_OK;

    without.ep = BK_SQ_NONE;
    if (others || !n)
        err = wdl_without(t, &q, enough, &best, why);
    if (!err)
        err = best_of(t, p, move, n, enough, &best, &missing, why);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

static enum bk_err wdl_of(const struct bk_tables *t, struct asked *q, int enough, int *wdl,
                          struct bk_report *why)
{
    if (bk_pos_bare(t->v, q->p, wdl) != BK_END_NONE)
        return BK_OK;
    if (q->p->ep == BK_SQ_NONE)
        return wdl_without(t, q, enough, wdl, why);
    return wdl_passing(t, q->p, enough, wdl, why);
}

enum bk_err bk_settle_least(const struct bk_tables *t, const struct bk_pos *p, int enough, int *wdl,
                            struct bk_report *why)
{
    struct asked q = { .p = p };

    return wdl_of(t, &q, enough, wdl, why);
}

enum bk_err bk_settle_wdl(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                          struct bk_report *why)
{
    return bk_settle_least(t, p, 1, wdl, why);
}

/* == Distances == */

static enum bk_err loss_plies(const struct bk_tables *t, struct asked *q, struct bk_window w,
                              int *out, struct bk_report *why);

/* Lowers *best by what those of the n moves bring that win. */
static enum bk_err soonest_of(const struct bk_tables *t, const struct bk_pos *p,
                              const struct bk_move *move, unsigned n, struct bk_window w, int *best,
                              struct bk_report *why)
{
    for (unsigned i = 0; i<n && * best> w.low; i++) {
        struct bk_pos after = *p;
        struct asked q = { .p = &after };
        int wdl = 0, plies = 0, high = *best < w.high ? *best : w.high;
        enum bk_err err = BK_OK;

        bk_pos_play(&after, t->v, &move[i]);
        if (!bk_pos_legal(t->v, &after))
            continue;
        if (bk_pos_bare(t->v, &after, &wdl) == BK_END_NONE) {
            err = wdl_of(t, &q, 0, &wdl, why);
            if (!err && wdl < 0)
                err = loss_plies(t, &q, (struct bk_window){ w.low - 1, high - 1 }, &plies, why);
        }
        if (err)
            return err;
        if (wdl < 0 && plies + 1 < *best)
            *best = plies + 1;
    }
    return BK_OK;
}

static enum bk_err lower_by_file(struct asked *q, int *best, struct bk_report *why)
{
    int k;
    enum bk_err err = stored_k(q, &k, why);

    if (!err && 2 * k + 1 < *best)
        *best = 2 * k + 1;
    return err;
}

/* The plies of a won position that is not over and has no en passant square. */
static enum bk_err win_without(const struct bk_tables *t, struct asked *q, struct bk_window w,
                               int *out, struct bk_report *why)
{
    struct exits e;
    enum bk_err err = find(t, q, why);

    if (!err && !q->table->dtw)
        err = no_distances(q, why);
    if (err)
        return err;
    exits_begin(&e, t->v, q->p, q->table->dtw);
    *out = ENDLESS;
    err = soonest_of(t, q->p, e.move, e.baring, w, out, why);
    if (!err && *out > w.low && *out > 1)
        err = lower_by_file(q, out, why);
    if (!err && *out > w.low && *out > 1 && e.possible) {
        exits_make(&e, t->v, q->p);
        err = soonest_of(t, q->p, e.move + e.baring, e.n - e.baring, w, out, why);
    }
    return err;
}

/* (2) of a won position */
static enum bk_err win_passing(const struct bk_tables *t, const struct bk_pos *p,
                               struct bk_window w, int *out, struct bk_report *why)
{
    struct bk_pos without = *p;
    struct asked q = { .p = &without };
    struct bk_move move[BK_MOVES_MAX];
    bool others;
    unsigned n = passing(t->v, p, move, &others);
    int wdl = 0;
    enum bk_err err = BK_OK;

    without.ep = BK_SQ_NONE;
    *out = ENDLESS;
    if (others || !n)
        err = wdl_without(t, &q, 1, &wdl, why);
    if (!err && wdl > 0)
        err = win_without(t, &q, w, out, why);
    return err ? err : soonest_of(t, p, move, n, w, out, why);
}

static enum bk_err win_plies(const struct bk_tables *t, struct asked *q, struct bk_window w,
                             int *out, struct bk_report *why)
{
    if (q->p->ep != BK_SQ_NONE)
        return win_passing(t, q->p, w, out, why);
    return win_without(t, q, w, out, why);
}

/* Does the move surely leave the material as it is? */
static bool is_quiet(const struct bk_pos *p, const struct bk_move *m)
{
    return m->takes == BK_SQ_NONE && m->becomes == BK_STAYS && !p->rights;
}

/* One ply more than the longest of the won positions that the moves lead to. */
static enum bk_err latest_of(const struct bk_tables *t, const struct bk_pos *p,
                             const struct bk_table *own, const struct bk_move *move, unsigned n,
                             struct bk_window w, int *best, struct bk_report *why)
{
    for (unsigned i = 0; i < n && *best < w.high; i++) {
        struct bk_pos after = *p;
        struct asked q = { .p = &after, .table = is_quiet(p, &move[i]) ? own : NULL };
        int plies = 0, wdl, low = *best > w.low ? *best : w.low;
        enum bk_err err = BK_OK;

        bk_pos_play(&after, t->v, &move[i]);
        if (q.table || bk_pos_bare(t->v, &after, &wdl) == BK_END_NONE)
            err = win_plies(t, &q, (struct bk_window){ low - 1, w.high - 1 }, &plies, why);
        if (err)
            return err;
        if (plies + 1 > *best)
            *best = plies + 1;
    }
    return BK_OK;
}

/* The plies of a lost position that no bare king decides. */
static enum bk_err loss_plies(const struct bk_tables *t, struct asked *q, struct bk_window w,
                              int *out, struct bk_report *why)
{
    struct bk_move move[BK_MOVES_MAX];
    enum bk_err err = find(t, q, why);
    int k = 0;

    *out = 0;
    if (!err && !q->table->dtw)
        err = no_distances(q, why);
    if (err)
        return err;
    if (bk_file_info(q->table->dtw)->standalone && q->p->ep == BK_SQ_NONE) {
        err = stored_k(q, &k, why);
        *out = 2 * k;
        return err;
    }
    return latest_of(t, q->p, q->table, move, bk_moves_legal(t->v, q->p, move), w, out, why);
}

enum bk_err bk_settle(const struct bk_tables *t, const struct bk_pos *p, int *wdl, int *plies,
                      struct bk_report *why)
{
    struct bk_window all = { -1, ENDLESS };
    struct asked q = { .p = p };
    enum bk_err err;

    *plies = -1;
    if (bk_pos_bare(t->v, p, wdl) != BK_END_NONE) {
        *plies = *wdl ? 0 : -1;
        return BK_OK;
    }
    err = wdl_of(t, &q, 1, wdl, why);
    if (!err && *wdl)
        err = find(t, &q, why);
    if (err || !*wdl || !q.table->dtw)
        return err;
    return *wdl > 0 ? win_plies(t, &q, all, plies, why) : loss_plies(t, &q, all, plies, why);
}

enum bk_err bk_settle_plies(const struct bk_tables *t, const struct bk_pos *p, int wdl,
                            struct bk_window window, int *plies, struct bk_report *why)
{
    struct asked q = { .p = p };
    int by_rule;

    *plies = 0;
    if (bk_pos_bare(t->v, p, &by_rule) != BK_END_NONE)
        return BK_OK;
    return wdl > 0 ? win_plies(t, &q, window, plies, why) : loss_plies(t, &q, window, plies, why);
}
