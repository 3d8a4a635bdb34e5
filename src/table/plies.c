/*
 * plies.c - see plies.h.
 *
 * A loss is settled move by move.  Mostly the file alone settles a move; the other moves wait, and
 * are settled with the longest bound first: one of them mostly spares the rest.
 */
#include "table/plies.h"

/* == Wins: by their file, or a quicker exit == */

static enum bk_err stored_k(struct bk_view *view, int *k, struct bk_report *why)
{
    const struct bk_table *t = view->men.table;
    unsigned value = 0;
    enum bk_err err =
        t->dtw ? bk_view_told(view, t->dtw, &value, why) : bk_table_no_distances(t, why);

    *k = err ? 0 : (int)value;
    return err;
}

/* Asks the caller, where squares are not enough. */
static enum bk_err ask_plies(struct bk_direct *d, const struct bk_men *m, int wdl,
                             struct bk_window w, int *plies, struct bk_report *why)
{
    struct bk_pos p;

    bk_men_position(m, &p);
    return d->plies(d->context, &p, wdl, w, plies, why);
}

/* Sets *wdl to what an exit brings the side to move after it; *plies, of a loss, to its plies, else
   0. */
static enum bk_err loss_after(struct bk_direct *d, const struct bk_view *view,
                              struct bk_step_of_men exit, struct bk_window w, int *wdl, int *plies,
                              struct bk_report *why)
{
    struct bk_view after;
    enum bk_err err;

    *plies = 0;
    if (bk_view_ends(view, exit)) {
        *wdl = -bk_view_bares(view, exit);
        return BK_OK;
    }
    err = bk_direct_exit(d, view, exit, 0, &after, wdl, why);
    if (err || *wdl >= 0)
        return err;
    d->way.depth++;
    err = bk_direct_plies(d, &after, -1, w, plies, why);
    d->way.depth--;
    return err;
}

/* Lowers *best by those of the exits first to end - 1 of a won position that win. */
static enum bk_err lower_by_exits(struct bk_direct *d, struct bk_view *view, unsigned first,
                                  unsigned end, struct bk_window w, int *best,
                                  struct bk_report *why)
{
    for (unsigned i = first; i<end && * best> w.low && *best > 1; i++) {
        struct bk_window after = { w.low - 1, (*best < w.high ? *best : w.high) - 1 };
        int wdl, plies;
        enum bk_err err = loss_after(d, view, view->exit[i], after, &wdl, &plies, why);

        if (err)
            return err;
        if (wdl < 0 && plies + 1 < *best) {
            *best = plies + 1;
            d->good[d->way.depth] = view->exit[i];
        }
    }
    return BK_OK;
}

/* Lowers *best by the exits that do not end the game, unless the memo has the result. */
static enum bk_err lower_by_others(struct bk_direct *d, struct bk_view *view, struct bk_window w,
                                   int *best, struct bk_report *why)
{
    const struct bk_file *f = view->men.table->wdl;
    enum bk_err err;
    int known;

    if (bk_view_repeats(view) && bk_memo_plies(d->memo, f, bk_view_place(view), w, &known)) {
        *best = known;
        return BK_OK;
    }
    bk_view_see(view);
    if (!view->direct)
        return ask_plies(d, &view->men, 1, w, best, why);
    if (view->exits == bk_view_endings(view))
        return BK_OK;
    err = lower_by_exits(d, view, bk_view_endings(view), view->exits, w, best, why);
    if (!err && view->evolves)
        bk_memo_note_plies(d->memo, f, bk_view_place(view), w, *best);
    return err;
}

/* Sets *out to the plies of a won position.  bound: what the file says, if it has been asked, else
   BK_ENDLESS. */
static enum bk_err win_plies(struct bk_direct *d, struct bk_view *view, int bound,
                             struct bk_window w, int *out, struct bk_report *why)
{
    enum bk_err err = BK_OK;
    int k;

    bk_view_see_ends(view);
    *out = bound;
    if (view->direct)
        err = lower_by_exits(d, view, 0, bk_view_endings(view), w, out, why);
    if (!err && bound == BK_ENDLESS && *out > w.low && *out > 1) {
        err = stored_k(view, &k, why);
        if (!err && 2 * k + 1 < *out)
            *out = 2 * k + 1;
    }
    if (!err && *out > w.low && *out > 1)
        err = lower_by_others(d, view, w, out, why);
    return err;
}

/* == Losses: by their moves == */

#define WAITING 32

/* A move of a lost position whose file alone does not say what it brings. */
struct waiting {
    int bound; /* plies at most */
    struct bk_step_of_men step;
    bool passing; /* sets an en passant square */
};

/* A move whose file has been asked.  The answer is heard when the next file has been asked, so that
   it has come to the processor meanwhile. */
struct asked_move {
    struct bk_view after;
    struct waiting m;
};

struct loss {
    struct bk_direct *d;
    struct bk_view *view;
    struct bk_window w;
    int best;
    struct waiting wait[WAITING]; /* the longest bound first */
    unsigned waits;
    struct asked_move *asked; /* two; one if each answer is heard at once */
    unsigned nth, heard; /* which of `asked` is used next; which is to be heard, if one_asked */
    bool one_asked;
    bool good_only; /* try only the move that last did best */
    bool good_done; /* that move has been tried */
    struct bk_step_of_men good;
    struct bk_report *why;
};

/* Begins a loss; its large arrays are left as they are. */
static void loss_begin(struct loss *l, struct bk_direct *d, struct bk_view *view,
                       struct bk_window w, struct asked_move *asked, struct bk_report *why)
{
    l->d = d;
    l->view = view;
    l->w = w;
    l->best = 0;
    l->asked = asked;
    l->waits = l->nth = l->heard = 0;
    l->one_asked = l->good_only = l->good_done = false;
    l->good = d->good[d->way.depth];
    l->why = why;
}

static int low_of(const struct loss *l) { return l->best > l->w.low ? l->best : l->w.low; }

/* Asks the caller after a double step: the position has an en passant square, which men alone do
   not know. */
static enum bk_err plies_passing(struct loss *l, const struct waiting *m, struct bk_window w,
                                 int *plies)
{
    const struct bk_index *ix = bk_file_index(l->view->men.table->wdl);
    const struct bk_men *before = &l->view->men;
    struct bk_pos p;
    struct bk_move move = { .from = bk_placement_squares(&before->spot.at)[m->step.by],
                            .to = m->step.to,
                            .becomes = BK_STAYS,
                            .takes = BK_SQ_NONE,
                            .also = BK_SQ_NONE,
                            .doubles = true };

    bk_men_position(before, &p);
    bk_pos_play(&p, ix->v, &move);
    return l->d->plies(l->d->context, &p, 1, w, plies, l->why);
}

/* Raises l->best by what a move brings. */
static enum bk_err raise_by(struct loss *l, const struct waiting *m, struct bk_view *after)
{
    struct bk_window w = { low_of(l) - 1, l->w.high - 1 };
    int plies = 0;
    enum bk_err err;

    if (m->passing)
        err = plies_passing(l, m, w, &plies);
    else if (after->direct)
        err = win_plies(l->d, after, m->bound, w, &plies, l->why);
    else
        err = ask_plies(l->d, &after->men, 1, w, &plies, l->why);
    if (!err && plies + 1 > l->best) {
        l->best = plies + 1;
        l->d->good[l->d->way.depth - 1] = m->step;
    }
    return err;
}

/* Puts a move off, or settles it now where too many wait. */
static enum bk_err wait_with(struct loss *l, const struct waiting *m, struct bk_view *after)
{
    unsigned i = l->waits;

    if (i == WAITING)
        return raise_by(l, m, after);
    for (; i && l->wait[i - 1].bound < m->bound; i--)
        l->wait[i] = l->wait[i - 1];
    l->wait[i] = *m;
    l->waits++;
    return BK_OK;
}

/* Does some capture win there and then? */
static bool bares_at_once(const struct bk_view *view)
{
    for (unsigned i = 0; i < bk_view_endings(view); i++)
        if (bk_view_bares(view, view->exit[i]) > 0)
            return true;
    return false;
}

/* Hears what the file says of the move that was asked last: raises l->best by it, or lets the move
   wait. */
static enum bk_err hear(struct loss *l)
{
    struct asked_move *a = &l->asked[l->heard];
    int k;
    enum bk_err err;

    if (!l->one_asked)
        return BK_OK;
    l->one_asked = false;
    err = stored_k(&a->after, &k, l->why);
    if (err)
        return err;
    if (2 * k + 2 > low_of(l)) {
        bk_view_see(&a->after);
        a->m.bound = 2 * k + 1;
        if (!a->after.direct || a->after.exits)
            return wait_with(l, &a->m, &a->after);
    }
    if (2 * k + 2 > l->best) {
        l->best = 2 * k + 2;
        l->d->good[l->d->way.depth - 1] = a->m.step;
    }
    return BK_OK;
}

/* May a single answer be enough?  Then each is heard at once. */
static bool one_by_one(struct bk_window w) { return w.high < BK_ENDLESS; }

/* Asks the file about a move, and hears the answer for the one before; or lets the move wait. */
static enum bk_err raise_or_wait(struct loss *l, const struct waiting *m)
{
    struct asked_move *a = &l->asked[l->nth];
    enum bk_err err;

    if (m->passing)
        return wait_with(l, m, NULL);
    err = bk_view_after(&a->after, &l->d->way, l->view, m->step, l->why);
    if (err)
        return err;
    if (!a->after.direct)
        return wait_with(l, m, &a->after);
    bk_view_see_ends(&a->after);
    if (bares_at_once(&a->after)) { /* no file is needed */
        l->best = l->best < 2 ? 2 : l->best;
        return BK_OK;
    }
    a->m = *m;
    err = a->after.men.table->dtw ? bk_view_ask_ahead(&a->after, a->after.men.table->dtw, l->why)
                                  : bk_table_no_distances(a->after.men.table, l->why);
    if (!err)
        err = hear(l);
    l->heard = l->nth;
    l->one_asked = true;
    if (err || one_by_one(l->w))
        return err ? err : hear(l);
    l->nth = !l->nth;
    return BK_OK;
}

/* Is the move to be tried now?  It may be that which last did best, and has its own turn. */
static bool is_next(const struct loss *l, struct bk_step_of_men step)
{
    bool good = bk_same_step(step, l->good);

    return l->good_only ? good : !(good && l->good_done);
}

/* Raises l->best by a move while no answer is still to be heard: so the view of asked[0] is free,
   and the stack need not carry a second one. */
static enum bk_err raise_at_once(struct loss *l, const struct waiting *m)
{
    struct bk_view *after = &l->asked[0].after;
    enum bk_err err = BK_OK;

    if (!m->passing)
        err = bk_view_after(after, &l->d->way, l->view, m->step, l->why);
    return err ? err : raise_by(l, m, after);
}

/* Tries the move that last did best: that may be enough. */
static enum bk_err raise_by_good(struct loss *l, const struct waiting *m)
{
    l->good_done = true;
    return raise_at_once(l, m);
}

static enum bk_err try_move(struct loss *l, struct waiting *m)
{
    m->bound = BK_ENDLESS;
    return l->good_only ? raise_by_good(l, m) : raise_or_wait(l, m);
}

/* Tries the moves of man i that are no exits. */
static enum bk_err quiet_moves(struct loss *l, unsigned i, const struct bk_bits *occupied)
{
    unsigned to;
    struct bk_quiet q;
    enum bk_err err = BK_OK;

    bk_quiet_begin(&q, l->view, i, occupied);
    while (!err && l->best < l->w.high && (to = bk_quiet_next(l->view, &q)) != BK_SQ_NONE) {
        struct waiting m = { .step = { .by = (uint8_t)i, .to = (uint8_t)to, .becomes = BK_STAYS },
                             .passing = bk_quiet_passes(l->view, i, to) };

        if (is_next(l, m.step))
            err = try_move(l, &m);
    }
    return err;
}

static enum bk_err all_moves(struct loss *l)
{
    struct bk_view *view = l->view;
    const struct bk_index *ix = bk_view_index(view);
    struct bk_bits occupied = bk_view_men(view);
    enum bk_err err = BK_OK;

    for (unsigned i = 0; i < 2 + ix->nslots && !err && l->best < l->w.high; i++)
        if (bk_index_colour(ix, i) == view->men.spot.side)
            err = quiet_moves(l, i, &occupied);
    for (unsigned i = 0; i < view->exits && !err && l->best < l->w.high; i++) {
        struct waiting m = { .step = view->exit[i] };

        if (!is_next(l, m.step))
            continue;
        if (bk_view_ends(view, m.step)) /* a lost position has none: it would win or draw */
            l->best = l->best < 1 ? 1 : l->best;
        else
            err = try_move(l, &m);
    }
    return err ? err : hear(l);
}

/* Settles the moves that wait, the longest bound first. */
static enum bk_err settle_waiting(struct loss *l)
{
    enum bk_err err = BK_OK;

    for (unsigned i = 0; i < l->waits && l->best < l->w.high && !err; i++) {
        const struct waiting *m = &l->wait[i];

        if (m->bound >= l->best && m->bound >= l->w.low)
            err = raise_at_once(l, m);
    }
    return err;
}

static enum bk_err loss_by_moves(struct loss *l)
{
    enum bk_err err = BK_OK;

    if (one_by_one(l->w) && l->good.by != BK_FACT_NOBODY) {
        l->good_only = true;
        err = all_moves(l);
        l->good_only = false;
    }
    if (!err)
        err = all_moves(l);
    return err ? err : settle_waiting(l);
}

static enum bk_err loss_with(struct bk_direct *d, struct bk_view *view, struct bk_window w,
                             struct asked_move *asked, int *out, struct bk_report *why)
{
    struct loss l;
    const struct bk_file *f = view->men.table->wdl;
    enum bk_err err;

    if (view->evolves && bk_memo_plies(d->memo, f, bk_view_place(view), w, out))
        return BK_OK;
    bk_view_see(view);
    if (!view->direct)
        return ask_plies(d, &view->men, -1, w, out, why);
    loss_begin(&l, d, view, w, asked, why);
    d->way.depth++;
    err = loss_by_moves(&l);
    d->way.depth--;
    *out = l.best;
    if (!err && view->evolves)
        bk_memo_note_plies(d->memo, f, bk_view_place(view), w, *out);
    return err;
}

/* The plies of a lost position with no bound from above, as callers mostly ask: two views ask
   ahead.  Further down moves are asked with bounds, where one view does: loss_within(). */
static __attribute__((noinline)) enum bk_err loss_in_full(struct bk_direct *d, struct bk_view *view,
                                                          struct bk_window w, int *out,
                                                          struct bk_report *why)
{
    struct asked_move asked[2];

    return loss_with(d, view, w, asked, out, why);
}

static __attribute__((noinline)) enum bk_err loss_within(struct bk_direct *d, struct bk_view *view,
                                                         struct bk_window w, int *out,
                                                         struct bk_report *why)
{
    struct asked_move asked;

    return loss_with(d, view, w, &asked, out, why);
}

static enum bk_err loss_plies(struct bk_direct *d, struct bk_view *view, struct bk_window w,
                              int *out, struct bk_report *why)
{
    return one_by_one(w) ? loss_within(d, view, w, out, why) : loss_in_full(d, view, w, out, why);
}

enum bk_err bk_direct_plies(struct bk_direct *d, struct bk_view *view, int wdl, struct bk_window w,
                            int *plies, struct bk_report *why)
{
    *plies = 0;
    if (!view->men.table->dtw)
        return bk_table_no_distances(view->men.table, why);
    if (!view->direct)
        return ask_plies(d, &view->men, wdl, w, plies, why);
    return wdl > 0 ? win_plies(d, view, BK_ENDLESS, w, plies, why)
                   : loss_plies(d, view, w, plies, why);
}
