/*
 * settle.c - see settle.h.
 *
 * The value of a position p, for the side to move:
 *
 *   by rule      a bare king decides; else                                                    (1)
 *   wdl(p)     = the better of what the file says and the best exit                           (2)
 *   plies(p)   = if p is won: the fewest of what the file says and 1 + plies of an exit
 *                that wins; what the file says is never too few                               (3)
 *              = if p is lost: 1 + the most plies of the positions that its moves lead to     (4)
 *   standalone   what the file says, alone                                                    (5)
 *   n-move rule  (2) with the five results of the rule, and of the exits only those that zero (7)
 *   zeroing(p) = if p is won: what the file says, or 1 or N + 1 by an exit that zeroes          (8)
 *              = if p is lost: the most of 1 or N + 1 by moves that zero, by the results of what
 *                they lead to, and of 1 + zeroing of what the others lead to (9) en passant   best
 * of p without the square, unless p has no other move, and the captures in passing (6)
 *
 * (2) and (3) are an alpha-beta search over exits: it ends as soon as the answer is `enough`, or
 * outside a window.  (4) asks the files of all moves first: a move that its file alone settles is
 * done; the others wait, and are settled with the longest bound first: one of them mostly spares
 * the rest.  Exits are tried in the order of promise: those that end the game; that which last did
 * best at this depth; the rest.
 *
 * A view (view.h) says what the men may do.  A board is set up for (6) and for the moves of listed
 * tables alone.
 *
 * Stack: a view each for an exit that follows another, and for (4) one or two; from VIEWS_ON_STACK
 * moves on, and for (6), they are on the heap.
 */
#include "table/settle.h"

#include <stdlib.h>
#include <string.h>

#include "core/end.h"
#include "core/geometry.h"
#include "table/memo.h"
#include "table/view.h"

#define NO_VALUE       (-3)
#define VIEWS_ON_STACK 8 /* moves */

/* A question under way. */
struct question {
    const struct bk_tables *t;
    unsigned depth;  /* moves made */
    bool five_there; /* the table of the position that was asked has five results */
    bool five; /* results are those of the n-move rule: 2 win, 1 cursed, 0, -1 blessed, -2 loss */
    /* by depth: the step that last did best; `by` BK_FACT_NOBODY: none yet */
    struct bk_step_of_men good[VIEWS_ON_STACK + 1];
    struct bk_memo memo; /* of positions in tables whose men may change */
};

static const struct bk_window all_plies = { -1, BK_ENDLESS };

static enum bk_err wdl_of_view(struct question *q, struct bk_view *view, int enough, int *wdl,
                               struct bk_report *why);
static enum bk_err wdl_of(struct question *q, const struct bk_pos *p, int enough, int *wdl,
                          struct bk_report *why);
static enum bk_err plies_of_view(struct question *q, struct bk_view *view, int wdl,
                                 struct bk_window w, int *plies, struct bk_report *why);
static enum bk_err plies_of(struct question *q, const struct bk_pos *p, int wdl, struct bk_window w,
                            int *plies, struct bk_report *why);

static enum bk_err find(const struct question *q, const struct bk_pos *p,
                        const struct bk_table **table, struct bk_report *why)
{
    return q->t->find(q->t->context, p, table, why);
}

/* Returns the place of the step that last did best after so many moves. */
static struct bk_step_of_men *good_at(struct question *q, unsigned depth)
{
    return &q->good[depth < VIEWS_ON_STACK ? depth : VIEWS_ON_STACK];
}

static bool is_deep(const struct question *q) { return q->depth >= VIEWS_ON_STACK; }

static struct bk_view *view_on_heap(struct bk_report *why)
{
    struct bk_view *view = malloc(sizeof *view);

    if (!view)
        bk_fail(why, BK_E_SYSTEM, "no memory for a position");
    return view;
}

/* == Won, drawn or lost: (2) == */

static enum bk_err no_value(const struct bk_view *view, const struct bk_file *f, unsigned value,
                            struct bk_report *why)
{
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: value %u of position %llu", bk_file_path(f),
                   value, (unsigned long long)view->men.spot.number);
}

static enum bk_err stored_wdl(struct bk_view *view, int *wdl, struct bk_report *why)
{
    struct bk_file *f = view->men.table->wdl;
    unsigned value;
    enum bk_err err = bk_view_told(view, f, &value, why);

    *wdl = bk_table_result(view->men.table, value);
    return !err && *wdl < -1 ? no_value(view, f, value, why) : err;
}

/* What a file says that may number positions otherwise than the results do; alike: it does not. */
static enum bk_err stored_in(struct bk_view *view, struct bk_file *f, bool alike, unsigned *value,
                             struct bk_report *why);

/* stored_wdl() by the n-move rule. */
static __attribute__((noinline)) enum bk_err stored_five(struct bk_view *view, int *five,
                                                         struct bk_report *why)
{
    const struct bk_table *t = view->men.table;
    unsigned value = 0;
    enum bk_err err =
        t->five ? stored_in(view, t->five, t->same_five, &value, why) : bk_table_no_five(t, why);

    *five = BK_FIVE_DRAW - (int)value;
    return !err && value > BK_FIVE_LOSS ? no_value(view, t->five, value, why) : err;
}

static enum bk_err stored_result(const struct question *q, struct bk_view *view, int *result,
                                 struct bk_report *why)
{
    return q->five ? stored_five(view, result, why) : stored_wdl(view, result, why);
}

/* Does an exit zero the counter of the n-move rule?  As bk_move_zeroes(). */
static bool exit_zeroes(const struct bk_view *view, struct bk_step_of_men exit)
{
    const struct bk_index *ix = bk_view_index(view);
    const struct bk_variant *v = ix->v;

    return exit.taken ||
           (exit.by > 1 && (bk_rules_kind_zeroes(v, ix->type[exit.by - 2]) ||
                            (bk_rules_irreversible_zeroes(v) && exit.becomes != BK_STAYS)));
}

/* Of the exits first to end - 1 puts the one first that last did best at this depth. */
static void good_first(struct question *q, struct bk_view *view, unsigned first, unsigned end)
{
    struct bk_step_of_men good = *good_at(q, q->depth);

    for (unsigned i = first; i < end && good.by != BK_FACT_NOBODY; i++)
        if (bk_same_step(view->exit[i], good)) {
            good = view->exit[i]; /* as it is here: `counted` may differ */
            view->exit[i] = view->exit[first];
            view->exit[first] = good;
            return;
        }
}

/* The value after an exit that ends nothing, and in `after` the view of that position, which is to
   be released whatever is returned. */
static enum bk_err wdl_in(struct question *q, const struct bk_view *view,
                          struct bk_step_of_men exit, int enough, struct bk_view *after, int *wdl,
                          struct bk_report *why)
{
    enum bk_err err;

    q->depth++;
    err = bk_view_after(after, q->t, view, exit, why);
    if (!err)
        err = wdl_of_view(q, after, enough, wdl, why);
    q->depth--;
    return err;
}

/* wdl_of() after a step that sets an en passant square. */
static __attribute__((noinline)) enum bk_err
wdl_passing_after(struct question *q, const struct bk_view *view, struct bk_step_of_men step,
                  int enough, int *wdl, struct bk_report *why)
{
    struct bk_pos p;
    enum bk_err err;

    bk_view_play(view, step, &p);
    q->depth++;
    err = wdl_of(q, &p, enough, wdl, why);
    q->depth--;
    return err;
}

static __attribute__((noinline)) enum bk_err wdl_deep(struct question *q,
                                                      const struct bk_view *view,
                                                      struct bk_step_of_men exit, int enough,
                                                      int *wdl, struct bk_report *why)
{
    struct bk_view *after = view_on_heap(why);
    enum bk_err err = after ? wdl_in(q, view, exit, enough, after, wdl, why) : BK_E_SYSTEM;

    if (after)
        bk_view_release(after);
    free(after);
    return err;
}

/* Sets *wdl to what an exit brings, as bk_settle_least(), for the side to move after it. */
static enum bk_err wdl_after(struct question *q, const struct bk_view *view,
                             struct bk_step_of_men exit, int enough, int *wdl,
                             struct bk_report *why)
{
    struct bk_view after;
    enum bk_err err;

    if (bk_view_ends(view, exit)) {
        *wdl = -bk_view_bares(view, exit) * (q->five ? 2 : 1);
        return BK_OK;
    }
    if (exit.how & BK_STEP_PASSING)
        return wdl_passing_after(q, view, exit, enough, wdl, why);
    if (is_deep(q))
        return wdl_deep(q, view, exit, enough, wdl, why);
    err = wdl_in(q, view, exit, enough, &after, wdl, why);
    bk_view_release(&after);
    return err;
}

/* Raises *best by what the exits first to end - 1 bring, until it is `enough`; *missing: one leads
   to a table that is not there. */
static enum bk_err raise_by_exits(struct question *q, struct bk_view *view, unsigned first,
                                  unsigned end, int enough, int *best, bool *missing,
                                  struct bk_report *why)
{
    if (end - first > 1)
        good_first(q, view, first, end);
    for (unsigned i = first; i < end && *best < enough; i++) {
        int wdl = 0, least = *best == 0 ? 0 : 1; /* no better than a draw is no gain */
        enum bk_err err;

        if (q->five) {
            if (!exit_zeroes(view, view->exit[i]))
                continue; /* the file heeds it */
            least = *best == NO_VALUE ? 2 : -*best;
        }
        err = wdl_after(q, view, view->exit[i], least, &wdl, why);
        if (err && err != BK_E_NO_TABLE)
            return err;
        *missing |= err == BK_E_NO_TABLE;
        if (!err && -wdl > *best) {
            *best = -wdl;
            *good_at(q, q->depth) = view->exit[i];
        }
    }
    return BK_OK;
}

/* Raises *best by the exits but the first `tried`, unless the memo has the result. */
static enum bk_err raise_by_others(struct question *q, struct bk_view *view, unsigned tried,
                                   int enough, int *best, bool *missing, struct bk_report *why)
{
    const struct bk_file *f = view->men.table->wdl;
    enum bk_err err;
    int known;

    if (bk_view_repeats(view) && bk_memo_wdl(&q->memo, f, bk_view_place(view), enough, &known)) {
        *best = known;
        return BK_OK;
    }
    err = bk_view_see(view, why);
    if (err || view->exits == tried)
        return err;
    err = raise_by_exits(q, view, tried, view->exits, enough, best, missing, why);
    if (!err && view->evolves && !*missing)
        bk_memo_note_wdl(&q->memo, f, bk_view_place(view), enough, *best);
    return err;
}

static enum bk_err wdl_of_view(struct question *q, struct bk_view *view, int enough, int *wdl,
                               struct bk_report *why)
{
    int best = NO_VALUE, stored;
    unsigned tried;
    bool missing = false;
    enum bk_err err = BK_OK;

    if (view->men.table->men->alone[q->five ? BK_KIND_FIVE : BK_KIND_WDL])
        return stored_result(q, view, wdl, why); /* (5) */
    if (!view->listed)                           /* its file is quicker than its list */
        err = bk_view_see_ends(view, why);
    tried = view->endings;
    if (!err && tried)
        err = raise_by_exits(q, view, 0, tried, enough, &best, &missing, why);
    if (!err && best < enough) {
        err = stored_result(q, view, &stored, why);
        if (!err && stored > best)
            best = stored;
    }
    if (!err && best < enough)
        err = raise_by_others(q, view, tried, enough, &best, &missing, why);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

/* == In how many plies it is won: (3) == */

/* What a file says that numbers positions otherwise than the results do. */
static __attribute__((noinline)) enum bk_err
stored_apart(const struct bk_view *view, struct bk_file *f, unsigned *value, struct bk_report *why)
{
    struct bk_table kept = *view->men.table;
    struct bk_pos p;
    struct bk_spot spot;
    enum bk_err err;

    kept.exchanged = false; /* the men are as the files have them */
    bk_men_position(&view->men, &p);
    err = bk_spot_of(&spot, &kept, f, &p, why);
    return err ? err : bk_file_value(f, spot.side, spot.number, &spot.at, value, why);
}

static enum bk_err stored_in(struct bk_view *view, struct bk_file *f, bool alike, unsigned *value,
                             struct bk_report *why)
{
    return alike ? bk_view_told(view, f, value, why) : stored_apart(view, f, value, why);
}

static enum bk_err stored_k(struct bk_view *view, int *k, struct bk_report *why)
{
    const struct bk_table *t = view->men.table;
    unsigned value = 0;
    enum bk_err err = t->dtw ? stored_in(view, t->dtw, t->same_numbers, &value, why)
                             : bk_table_no_distances(t, why);

    *k = err ? 0 : (int)value;
    return err;
}

/* Sets *wdl to what an exit that ends nothing brings the side to move after it; *plies, of a loss,
   to its plies, else 0.  after: as of wdl_in(). */
static enum bk_err loss_in(struct question *q, const struct bk_view *view,
                           struct bk_step_of_men exit, struct bk_window w, struct bk_view *after,
                           int *wdl, int *plies, struct bk_report *why)
{
    enum bk_err err = wdl_in(q, view, exit, 0, after, wdl, why);

    *plies = 0;
    if (err || *wdl >= 0)
        return err;
    q->depth++;
    err = plies_of_view(q, after, -1, w, plies, why);
    q->depth--;
    return err;
}

static __attribute__((noinline)) enum bk_err
loss_passing_after(struct question *q, const struct bk_view *view, struct bk_step_of_men step,
                   struct bk_window w, int *wdl, int *plies, struct bk_report *why)
{
    struct bk_pos p;
    enum bk_err err;

    bk_view_play(view, step, &p);
    q->depth++;
    err = wdl_of(q, &p, 0, wdl, why);
    if (!err && *wdl < 0)
        err = plies_of(q, &p, -1, w, plies, why);
    q->depth--;
    return err;
}

static __attribute__((noinline)) enum bk_err
loss_deep(struct question *q, const struct bk_view *view, struct bk_step_of_men exit,
          struct bk_window w, int *wdl, int *plies, struct bk_report *why)
{
    struct bk_view *after = view_on_heap(why);
    enum bk_err err = after ? loss_in(q, view, exit, w, after, wdl, plies, why) : BK_E_SYSTEM;

    if (after)
        bk_view_release(after);
    free(after);
    return err;
}

/* Sets *wdl and *plies as loss_in(), of any exit. */
static enum bk_err loss_after(struct question *q, const struct bk_view *view,
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
    if (exit.how & BK_STEP_PASSING)
        return loss_passing_after(q, view, exit, w, wdl, plies, why);
    if (is_deep(q))
        return loss_deep(q, view, exit, w, wdl, plies, why);
    err = loss_in(q, view, exit, w, &after, wdl, plies, why);
    bk_view_release(&after);
    return err;
}

/* Lowers *best by those of the exits first to end - 1 of a won position that win. */
static enum bk_err lower_by_exits(struct question *q, struct bk_view *view, unsigned first,
                                  unsigned end, struct bk_window w, int *best,
                                  struct bk_report *why)
{
    for (unsigned i = first; i<end && * best> w.low && *best > 1; i++) {
        struct bk_window after = { w.low - 1, (*best < w.high ? *best : w.high) - 1 };
        int wdl, plies;
        enum bk_err err = loss_after(q, view, view->exit[i], after, &wdl, &plies, why);

        if (err)
            return err;
        if (wdl < 0 && plies + 1 < *best) {
            *best = plies + 1;
            *good_at(q, q->depth) = view->exit[i];
        }
    }
    return BK_OK;
}

/* Lowers *best by the exits but the first `tried`, unless the memo has the result. */
static enum bk_err lower_by_others(struct question *q, struct bk_view *view, unsigned tried,
                                   struct bk_window w, int *best, struct bk_report *why)
{
    const struct bk_file *f = view->men.table->wdl;
    enum bk_err err;
    int known;

    if (bk_view_repeats(view) && bk_memo_plies(&q->memo, f, bk_view_place(view), w, &known)) {
        *best = known;
        return BK_OK;
    }
    err = bk_view_see(view, why);
    if (err || view->exits == tried)
        return err;
    err = lower_by_exits(q, view, tried, view->exits, w, best, why);
    if (!err && view->evolves)
        bk_memo_note_plies(&q->memo, f, bk_view_place(view), w, *best);
    return err;
}

/* Sets *out to the plies of a position whose file answers alone: (5). */
static enum bk_err plies_alone(struct bk_view *view, int won, int *out, struct bk_report *why)
{
    enum bk_err err = stored_k(view, out, why);

    *out = 2 * *out + won;
    return err;
}

/* Sets *out to the plies of a won position.  bound: what the file says, if it has been asked, else
   BK_ENDLESS. */
static enum bk_err win_plies(struct question *q, struct bk_view *view, int bound,
                             struct bk_window w, int *out, struct bk_report *why)
{
    unsigned tried;
    enum bk_err err;
    int k;

    if (view->men.table->men->alone[1])
        return plies_alone(view, 1, out, why);
    err = bk_view_see_ends(view, why);
    tried = view->endings;
    *out = bound;
    if (!err)
        err = lower_by_exits(q, view, 0, tried, w, out, why);
    if (!err && bound == BK_ENDLESS && *out > w.low && *out > 1) {
        err = stored_k(view, &k, why);
        if (!err && 2 * k + 1 < *out)
            *out = 2 * k + 1;
    }
    if (!err && *out > w.low && *out > 1)
        err = lower_by_others(q, view, tried, w, out, why);
    return err;
}

/* == In how many plies it is lost: (4) == */

#define WAITING 32

/* A move of a lost position whose file alone does not say what it brings. */
struct waiting {
    int bound; /* plies at most */
    struct bk_step_of_men step;
};

/* A move whose file has been asked.  The answer is heard when the next file has been asked, so that
   it has come to the processor meanwhile. */
struct asked_move {
    struct bk_view after;
    struct waiting m;
};

struct loss {
    struct question *q;
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
static void loss_begin(struct loss *l, struct question *q, struct bk_view *view, struct bk_window w,
                       struct asked_move *asked, struct bk_report *why)
{
    l->q = q;
    l->view = view;
    l->w = w;
    l->best = 0;
    l->asked = asked;
    l->waits = l->nth = l->heard = 0;
    l->one_asked = l->good_only = l->good_done = false;
    l->good = *good_at(q, q->depth);
    l->why = why;
}

static int low_of(const struct loss *l) { return l->best > l->w.low ? l->best : l->w.low; }

/* Raises l->best to the plies of a move. */
static void raise_to(struct loss *l, const struct waiting *m, int plies)
{
    if (plies > l->best) {
        l->best = plies;
        *good_at(l->q, l->q->depth - 1) = m->step;
    }
}

/* Raises l->best by what a move brings.  after: its view; NULL: the move sets an en passant square.
 */
static enum bk_err raise_by(struct loss *l, const struct waiting *m, struct bk_view *after)
{
    struct bk_window w = { low_of(l) - 1, l->w.high - 1 };
    int plies = 0;
    enum bk_err err;

    if (after) {
        err = win_plies(l->q, after, m->bound, w, &plies, l->why);
    } else {
        struct bk_pos p;

        bk_view_play(l->view, m->step, &p);
        err = plies_of(l->q, &p, 1, w, &plies, l->why);
    }
    if (!err)
        raise_to(l, m, plies + 1);
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
    for (unsigned i = 0; i < view->endings; i++)
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
    if (2 * k + 2 > low_of(l) && !a->after.men.table->men->alone[1]) {
        err = bk_view_see(&a->after, l->why);
        a->m.bound = 2 * k + 1;
        if (err || a->after.exits)
            return err ? err : wait_with(l, &a->m, &a->after);
    }
    raise_to(l, &a->m, 2 * k + 2);
    return BK_OK;
}

/* May a single answer be enough?  Then each is heard at once. */
static bool one_by_one(struct bk_window w) { return w.high < BK_ENDLESS; }

/* Makes the view after a move in the place of an older one. */
static enum bk_err look_after(struct loss *l, struct bk_view *after, struct bk_step_of_men step)
{
    bk_view_release(after);
    return bk_view_after(after, l->q->t, l->view, step, l->why);
}

/* Asks the file about a move, and hears the answer for the one before; or lets the move wait. */
static enum bk_err raise_or_wait(struct loss *l, const struct waiting *m)
{
    struct asked_move *a = &l->asked[l->nth];
    const struct bk_table *t;
    enum bk_err err;

    if (m->step.how & BK_STEP_PASSING)
        return wait_with(l, m, NULL);
    err = look_after(l, &a->after, m->step);
    if (!err)
        err = bk_view_see_ends(&a->after, l->why);
    if (err)
        return err;
    if (bares_at_once(&a->after)) { /* no file is needed */
        l->best = l->best < 2 ? 2 : l->best;
        return BK_OK;
    }
    a->m = *m;
    t = a->after.men.table;
    if (!t->dtw)
        err = bk_table_no_distances(t, l->why);
    else if (t->same_numbers)
        err = bk_view_ask_ahead(&a->after, t->dtw, l->why);
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
    enum bk_err err;

    if (m->step.how & BK_STEP_PASSING)
        return raise_by(l, m, NULL);
    err = look_after(l, after, m->step);
    return err ? err : raise_by(l, m, after);
}

static enum bk_err try_move(struct loss *l, struct bk_step_of_men step)
{
    struct waiting m = { .bound = BK_ENDLESS, .step = step };

    if (!l->good_only)
        return raise_or_wait(l, &m);
    l->good_done = true; /* that may be enough */
    return raise_at_once(l, &m);
}

static enum bk_err all_moves(struct loss *l)
{
    struct bk_view *view = l->view;
    struct bk_step_of_men step;
    struct bk_quiet quiet;
    enum bk_err err = bk_quiet_begin(&quiet, view, l->why);

    while (!err && l->best < l->w.high && bk_quiet_next(&quiet, &step))
        if (is_next(l, step))
            err = try_move(l, step);
    for (unsigned i = 0; i < view->exits && !err && l->best < l->w.high; i++) {
        if (!is_next(l, view->exit[i]))
            continue;
        if (bk_view_ends(view, view->exit[i])) /* a lost position has none: it would win or draw */
            l->best = l->best < 1 ? 1 : l->best;
        else
            err = try_move(l, view->exit[i]);
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

/* Sets *out to the plies of a lost position.  asked: room for n moves. */
static enum bk_err loss_with(struct question *q, struct bk_view *view, struct bk_window w,
                             struct asked_move *asked, unsigned n, int *out, struct bk_report *why)
{
    struct loss l;
    const struct bk_file *f = view->men.table->wdl;
    enum bk_err err;

    if (view->evolves && bk_memo_plies(&q->memo, f, bk_view_place(view), w, out))
        return BK_OK;
    err = bk_view_see(view, why);
    if (err)
        return err;
    for (unsigned i = 0; i < n; i++)
        asked[i].after.exit = asked[i].after.few; /* nothing to release yet */
    loss_begin(&l, q, view, w, asked, why);
    q->depth++;
    err = loss_by_moves(&l);
    q->depth--;
    for (unsigned i = 0; i < n; i++)
        bk_view_release(&asked[i].after);
    *out = l.best;
    if (!err && view->evolves)
        bk_memo_note_plies(&q->memo, f, bk_view_place(view), w, *out);
    return err;
}

/* The plies of a lost position with no bound from above, as callers mostly ask: two views ask
   ahead.  Further down moves are asked with bounds, where one view does: loss_within(). */
static __attribute__((noinline)) enum bk_err loss_in_full(struct question *q, struct bk_view *view,
                                                          struct bk_window w, int *out,
                                                          struct bk_report *why)
{
    struct asked_move asked[2];

    return loss_with(q, view, w, asked, 2, out, why);
}

static __attribute__((noinline)) enum bk_err loss_within(struct question *q, struct bk_view *view,
                                                         struct bk_window w, int *out,
                                                         struct bk_report *why)
{
    struct asked_move asked;

    return loss_with(q, view, w, &asked, 1, out, why);
}

static __attribute__((noinline)) enum bk_err loss_far_down(struct question *q, struct bk_view *view,
                                                           struct bk_window w, int *out,
                                                           struct bk_report *why)
{
    struct asked_move *asked = malloc(2 * sizeof *asked);
    enum bk_err err = asked ? loss_with(q, view, w, asked, 2, out, why)
                            : bk_fail(why, BK_E_SYSTEM, "no memory for a position");

    free(asked);
    return err;
}

static enum bk_err loss_plies(struct question *q, struct bk_view *view, struct bk_window w,
                              int *out, struct bk_report *why)
{
    if (view->men.table->men->alone[1])
        return plies_alone(view, 0, out, why);
    if (is_deep(q))
        return loss_far_down(q, view, w, out, why);
    return one_by_one(w) ? loss_within(q, view, w, out, why) : loss_in_full(q, view, w, out, why);
}

static enum bk_err plies_of_view(struct question *q, struct bk_view *view, int wdl,
                                 struct bk_window w, int *plies, struct bk_report *why)
{
    *plies = 0;
    if (!view->men.table->dtw)
        return bk_table_no_distances(view->men.table, why);
    return wdl > 0 ? win_plies(q, view, BK_ENDLESS, w, plies, why)
                   : loss_plies(q, view, w, plies, why);
}

/* == En passant: (6) == */

/* The two sides of (6). */
struct passing {
    struct bk_pos without;
    bool counts;         /* the first part does */
    struct bk_view view; /* of `without`, with the captures in passing for exits */
    struct bk_view after;
};

static struct passing *passing_new(struct bk_report *why)
{
    struct passing *x = malloc(sizeof *x);

    if (!x)
        bk_fail(why, BK_E_SYSTEM, "no memory for a position");
    else
        x->view.exit = x->view.few; /* nothing to release yet */
    return x;
}

static void passing_free(struct passing *x)
{
    bk_view_release(&x->view);
    free(x);
}

static enum bk_err passing_open(const struct question *q, struct passing *x, const struct bk_pos *p,
                                struct bk_report *why)
{
    const struct bk_table *table;
    bool others = false;
    enum bk_err err;

    x->without = *p;
    x->without.ep = BK_SQ_NONE;
    err = find(q, &x->without, &table, why);
    if (!err)
        err = bk_view_root(&x->view, table, &x->without, why);
    if (!err)
        err = bk_view_see_passing(&x->view, p, &others, why);
    x->counts = others || !x->view.exits;
    return err;
}

static __attribute__((noinline)) enum bk_err
wdl_passing(struct question *q, const struct bk_pos *p, int enough, int *wdl, struct bk_report *why)
{
    struct passing *x = passing_new(why);
    bool missing = false;
    int best = NO_VALUE;
    enum bk_err err = x ? passing_open(q, x, p, why) : BK_E_SYSTEM;

    if (!err && x->counts)
        err = wdl_of(q, &x->without, enough, &best, why);
    if (!err)
        err = raise_by_exits(q, &x->view, 0, x->view.exits, enough, &best, &missing, why);
    if (x)
        passing_free(x);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

static enum bk_err win_passing(struct question *q, struct passing *x, struct bk_window w, int *out,
                               struct bk_report *why)
{
    int wdl = 0;
    enum bk_err err = BK_OK;

    *out = BK_ENDLESS;
    if (x->counts)
        err = wdl_of(q, &x->without, 1, &wdl, why);
    if (!err && wdl > 0)
        err = plies_of(q, &x->without, 1, w, out, why);
    return err ? err : lower_by_exits(q, &x->view, 0, x->view.exits, w, out, why);
}

/* Sets *out to the plies of a lost position: all its moves lose, captures in passing among them, so
   none of these ends the game. */
static enum bk_err loss_passing(struct question *q, struct passing *x, struct bk_window w, int *out,
                                struct bk_report *why)
{
    enum bk_err err = x->counts ? plies_of(q, &x->without, -1, w, out, why) : BK_OK;

    for (unsigned i = 0; i < x->view.exits && !err && *out < w.high; i++) {
        struct bk_window after = { (*out > w.low ? *out : w.low) - 1, w.high - 1 };
        int plies = 0;

        q->depth++;
        err = bk_view_after(&x->after, q->t, &x->view, x->view.exit[i], why);
        if (!err)
            err = plies_of_view(q, &x->after, 1, after, &plies, why);
        bk_view_release(&x->after);
        q->depth--;
        if (!err && plies + 1 > *out)
            *out = plies + 1;
    }
    return err;
}

static __attribute__((noinline)) enum bk_err plies_passing(struct question *q,
                                                           const struct bk_pos *p, int wdl,
                                                           struct bk_window w, int *plies,
                                                           struct bk_report *why)
{
    struct passing *x = passing_new(why);
    enum bk_err err = x ? passing_open(q, x, p, why) : BK_E_SYSTEM;

    if (!err)
        err = wdl > 0 ? win_passing(q, x, w, plies, why) : loss_passing(q, x, w, plies, why);
    if (x)
        passing_free(x);
    return err;
}

/* == Positions of the game == */

static enum bk_err wdl_of(struct question *q, const struct bk_pos *p, int enough, int *wdl,
                          struct bk_report *why)
{
    const struct bk_table *table;
    struct bk_view view;
    enum bk_err err;

    if (!bk_pos_none_bare(p) && bk_pos_bare(q->t->v, p, wdl) != BK_END_NONE) {
        *wdl *= q->five ? 2 : 1;
        return BK_OK; /* (1) */
    }
    if (p->ep != BK_SQ_NONE)
        return wdl_passing(q, p, enough, wdl, why);
    err = find(q, p, &table, why);
    if (err)
        return err;
    q->five_there |= !q->depth && table->five;
    err = bk_view_begin(&view, table, p, why);
    if (!err)
        err = wdl_of_view(q, &view, enough, wdl, why);
    bk_view_release(&view);
    return err;
}

static enum bk_err plies_of(struct question *q, const struct bk_pos *p, int wdl, struct bk_window w,
                            int *plies, struct bk_report *why)
{
    const struct bk_table *table;
    struct bk_view view;
    int by_rule;
    enum bk_err err;

    *plies = 0;
    if (bk_pos_bare(q->t->v, p, &by_rule) != BK_END_NONE)
        return BK_OK;
    if (p->ep != BK_SQ_NONE)
        return plies_passing(q, p, wdl, w, plies, why);
    err = find(q, p, &table, why);
    if (err)
        return err;
    err = bk_view_begin(&view, table, p, why);
    if (!err)
        err = plies_of_view(q, &view, wdl, w, plies, why);
    bk_view_release(&view);
    return err;
}

/* Value and plies, from one look. */
static enum bk_err both_of_view(struct question *q, struct bk_view *view, int *wdl, int *plies,
                                struct bk_report *why)
{
    enum bk_err err = wdl_of_view(q, view, 1, wdl, why);

    if (err || !*wdl || bk_table_lacks_distances(view->men.table))
        return err;
    return plies_of_view(q, view, *wdl, all_plies, plies, why);
}

static enum bk_err both_of(struct question *q, const struct bk_pos *p, int *wdl, int *plies,
                           struct bk_report *why)
{
    const struct bk_table *table;
    struct bk_view view;
    enum bk_err err = find(q, p, &table, why);

    if (err)
        return err;
    q->five_there = table->five;
    if (p->ep != BK_SQ_NONE) {
        err = wdl_of(q, p, 1, wdl, why);
        if (err || !*wdl || bk_table_lacks_distances(table))
            return err;
        return plies_of(q, p, *wdl, all_plies, plies, why);
    }
    err = bk_view_begin(&view, table, p, why);
    if (!err)
        err = both_of_view(q, &view, wdl, plies, why);
    bk_view_release(&view);
    return err;
}

/* == Questions == */

/* Begins a question; returns the visit for question_end(). */
static unsigned question_begin(struct question *q, const struct bk_tables *t)
{
    q->t = t;
    q->depth = 0;
    q->five = q->five_there = false;
    memset(q->good, BK_FACT_NOBODY, sizeof q->good);
    bk_memo_begin(&q->memo);
    return t->cache ? bk_visit_begin(t->cache) : 0;
}

static void question_end(const struct question *q, unsigned visit)
{
    if (q->t->cache)
        bk_visit_end(q->t->cache, visit);
}

enum bk_err bk_settle_least(const struct bk_tables *t, const struct bk_pos *p, int enough, int *wdl,
                            struct bk_report *why)
{
    struct question q;
    unsigned visit = question_begin(&q, t);
    enum bk_err err = wdl_of(&q, p, enough, wdl, why);

    question_end(&q, visit);
    return err;
}

enum bk_err bk_settle_wdl(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                          struct bk_report *why)
{
    return bk_settle_least(t, p, 1, wdl, why);
}

enum bk_err bk_settle_wdl_noting(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                                 bool *five, struct bk_report *why)
{
    struct question q;
    unsigned visit = question_begin(&q, t);
    enum bk_err err = wdl_of(&q, p, 1, wdl, why);

    *five = q.five_there;
    question_end(&q, visit);
    return err;
}

enum bk_err bk_settle_plies(const struct bk_tables *t, const struct bk_pos *p, int wdl,
                            struct bk_window window, int *plies, struct bk_report *why)
{
    struct question q;
    unsigned visit = question_begin(&q, t);
    enum bk_err err = plies_of(&q, p, wdl, window, plies, why);

    question_end(&q, visit);
    return err;
}

enum bk_err bk_settle(const struct bk_tables *t, const struct bk_pos *p, int *wdl, int *plies,
                      struct bk_report *why)
{
    bool five;

    return bk_settle_noting(t, p, wdl, plies, &five, why);
}

enum bk_err bk_settle_noting(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                             int *plies, bool *five, struct bk_report *why)
{
    struct question q;
    unsigned visit;
    enum bk_err err;

    *five = false;
    *plies = -1;
    if (!bk_pos_none_bare(p) && bk_pos_bare(t->v, p, wdl) != BK_END_NONE) {
        *plies = *wdl ? 0 : -1;
        return BK_OK;
    }
    visit = question_begin(&q, t);
    err = both_of(&q, p, wdl, plies, why);
    *five = q.five_there;
    question_end(&q, visit);
    return err;
}

/* == By the n-move rule: (7), (8), (9) == */

static enum bk_err zeroing_of(struct question *q, const struct bk_pos *p, int five, int high,
                              int *d, struct bk_report *why);

/* What a zeroing move is worth in plies, whose result is a sure one or not. */
static int zeroed(const struct question *q, int five)
{
    return abs(five) == 2 ? 1 : (int)bk_rules_nmove(q->t->v) + 1;
}

/* Sets *d of a position that is won or cursed: (8). */
static enum bk_err zeroing_won(struct question *q, struct bk_view *view, int five, int *d,
                               struct bk_report *why)
{
    const struct bk_table *t = view->men.table;
    int by_exit = zeroed(q, five), best = five - 1;
    unsigned value = 0;
    bool missing = false;
    enum bk_err err =
        t->dtz ? stored_in(view, t->dtz, t->same_dtz, &value, why) : bk_table_no_five(t, why);

    *d = (int)value + 1;
    if (err || *d <= by_exit || t->men->alone[BK_KIND_DTZ])
        return err;
    err = bk_view_see(view, why);
    if (!err)
        err = raise_by_exits(q, view, 0, view->exits, five, &best, &missing, why);
    if (best >= five)
        *d = by_exit;
    return !err && missing && best < five ? BK_E_NO_TABLE : err;
}

/* As exit_zeroes(), of any step. */
static bool step_zeroes(const struct bk_view *view, struct bk_step_of_men step)
{
    const struct bk_index *ix = bk_view_index(view);
    const struct bk_variant *v = ix->v;
    const struct bk_bits *ways;

    if (exit_zeroes(view, step))
        return true;
    if (step.by < 2 || !bk_rules_irreversible_zeroes(v))
        return false;
    ways =
        v->geometry->ways + ((size_t)ix->type[step.by - 2] * 2 + ix->colour[step.by - 2]) * v->nsq;
    return !bk_bits_has(&ways[step.to], bk_view_squares(view)[step.by]);
}

/* Sets *d to what a move of a lost position is worth: (9). */
static enum bk_err zeroing_after(struct question *q, const struct bk_view *view,
                                 struct bk_step_of_men step, int five, int *d,
                                 struct bk_report *why)
{
    bool zeroes = step_zeroes(view, step);
    enum bk_err err = BK_OK;
    int result = 2, plies = 0; /* all moves of a sure loss lead to sure wins */
    struct bk_view after;
    struct bk_pos p;

    if (zeroes && five == -2) {
        *d = 1;
        return BK_OK;
    }
    if (step.how & BK_STEP_PASSING) {
        bk_view_play(view, step, &p);
        if (five == -1)
            err = wdl_of(q, &p, 2, &result, why);
        if (!err && !zeroes)
            err = zeroing_of(q, &p, result, BK_ENDLESS, &plies, why);
    } else {
        err = bk_view_after(&after, q->t, view, step, why);
        if (!err && five == -1)
            err = wdl_of_view(q, &after, 2, &result, why);
        if (!err && !zeroes)
            err = zeroing_won(q, &after, result, &plies, why);
        bk_view_release(&after);
    }
    *d = zeroes ? zeroed(q, result) : plies + 1;
    return err;
}

/* Sets *d of a lost or blessed position: (9).  `high` plies are enough. */
static enum bk_err zeroing_lost(struct question *q, struct bk_view *view, int five, int high,
                                int *d, struct bk_report *why)
{
    enum bk_err err = bk_view_see(view, why);
    struct bk_step_of_men step;
    struct bk_quiet quiet;
    unsigned i = 0;
    int plies;

    *d = 0;
    if (!err)
        err = bk_quiet_begin(&quiet, view, why);
    q->depth++;
    while (!err && *d < high) {
        if (i < view->exits)
            step = view->exit[i++];
        else if (!bk_quiet_next(&quiet, &step))
            break;
        err = zeroing_after(q, view, step, five, &plies, why);
        if (!err && plies > *d)
            *d = plies;
    }
    q->depth--;
    return err;
}

/* The same of a position with an en passant square, by its moves one by one; of a won one the
 * least.
 */
static enum bk_err zeroing_passing(struct question *q, const struct bk_pos *p, int five, int high,
                                   int *d, struct bk_report *why)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move);
    unsigned n = move ? bk_moves_legal(q->t->v, p, move) : 0;
    enum bk_err err = move ? BK_OK : bk_no_memory(why);

    *d = five > 0 ? BK_ENDLESS : 0;
    q->depth++;
    for (unsigned i = 0; i < n && !err && (five > 0 || *d < high); i++) {
        struct bk_pos after = *p;
        bool zeroes = bk_move_zeroes(q->t->v, p, &move[i]);
        int result, plies = 0;

        bk_pos_play(&after, q->t->v, &move[i]);
        err = wdl_of(q, &after, 2, &result, why);
        if (err || (five > 0 && result >= 0))
            continue;
        if (!zeroes)
            err = zeroing_of(q, &after, result, BK_ENDLESS, &plies, why);
        plies = zeroes ? zeroed(q, result) : plies + 1;
        if (five > 0 ? plies < *d : plies > *d)
            *d = plies;
    }
    q->depth--;
    free(move);
    return err;
}

/* Sets *d of a position that is decided, with a known result; high: as of bk_settle_zeroing(). */
static enum bk_err zeroing_of(struct question *q, const struct bk_pos *p, int five, int high,
                              int *d, struct bk_report *why)
{
    const struct bk_table *table;
    struct bk_view view;
    int by_rule;
    enum bk_err err;

    *d = 0;
    if (bk_pos_bare(q->t->v, p, &by_rule) != BK_END_NONE)
        return BK_OK;
    if (p->ep != BK_SQ_NONE)
        return zeroing_passing(q, p, five, high, d, why);
    err = find(q, p, &table, why);
    if (err)
        return err;
    err = bk_view_begin(&view, table, p, why);
    if (!err && five < 0 && !table->men->alone[BK_KIND_DTZ])
        err = zeroing_lost(q, &view, five, high, d, why);
    else if (!err)
        err = zeroing_won(q, &view, five, d, why);
    if (five < 0 && table->men->alone[BK_KIND_DTZ])
        *d -= 1; /* the file has d itself */
    bk_view_release(&view);
    return err;
}

enum bk_err bk_settle_five(const struct bk_tables *t, const struct bk_pos *p, int *five, int *d,
                           struct bk_report *why)
{
    struct question q;
    unsigned visit = question_begin(&q, t);
    enum bk_err err;

    q.five = true;
    err = wdl_of(&q, p, 2, five, why);
    if (d)
        *d = -1;
    if (!err && d && *five)
        err = zeroing_of(&q, p, *five, BK_ENDLESS, d, why);
    question_end(&q, visit);
    return err;
}

enum bk_err bk_settle_zeroing(const struct bk_tables *t, const struct bk_pos *p, int five, int high,
                              int *d, struct bk_report *why)
{
    struct question q;
    unsigned visit = question_begin(&q, t);
    enum bk_err err;

    q.five = true;
    err = zeroing_of(&q, p, five, high, d, why);
    question_end(&q, visit);
    return err;
}

/* == All moves of a position == */

/* A position whose moves are told. */
struct telling {
    struct question q;
    struct bk_view root;
    const uint8_t *swap; /* where squares go with the sides exchanged, and back; NULL: they stay */
    bool distances;
    bk_move_visit *visit;
    void *context;
};

/* Has the side to move a legal move? */
static enum bk_err can_move(struct bk_view *view, bool *out)
{
    struct bk_step_of_men step;
    struct bk_quiet quiet;
    enum bk_err err = bk_quiet_begin(&quiet, view, NULL);

    *out = !err && bk_quiet_next(&quiet, &step);
    if (err || *out)
        return err;
    err = bk_view_see(view, NULL);
    *out = view->exits;
    return err;
}

/* Completes *out, whose wdl and plies come from the tables: sets `end` to mate, stalemate or none,
   with which they agree, and `known`. */
static enum bk_err tell_end(struct bk_view *view, struct bk_brought *out)
{
    const struct bk_variant *v = bk_view_index(view)->v;
    bool goes_on =
        out->wdl > 0 || out->plies > 0 || (out->wdl == 0 && view->men.table->men->draws_go_on);
    enum bk_err err = goes_on ? BK_OK : can_move(view, &goes_on);

    out->end = BK_END_NONE;
    if (err || goes_on) {
        out->known = !err && (out->wdl >= 0 || out->plies); /* a loss in 0 plies with a move is not
                                                               known */
        return err;
    }
    out->end = bk_view_in_check(view) ? BK_END_CHECKMATE : BK_END_STALEMATE;
    out->wdl = out->end == BK_END_CHECKMATE || bk_rules_stalemate_loses(v) ? -1 : 0;
    out->plies = out->wdl ? 0 : -1;
    out->known = true;
    return BK_OK;
}

/* Sets *out to what a legal step brings; out->known is false after a double step that may be taken
   in passing, or if anything goes wrong. */
static void bring(struct telling *t, struct bk_step_of_men step, struct bk_brought *out)
{
    const struct bk_view *root = &t->root;
    struct bk_view after;
    enum bk_err err;

    out->known = false;
    if (step.how & BK_STEP_PASSING)
        return;
    if (bk_view_ends(root, step)) {
        out->wdl = -bk_view_bares(root, step);
        out->plies = out->wdl ? 0 : -1;
        out->end = out->wdl ? BK_END_BARE : BK_END_BARE_DRAW;
        out->known = true;
        return;
    }
    out->plies = -1;
    t->q.depth++;
    err = bk_view_after(&after, t->q.t, root, step, NULL);
    if (!err)
        err = t->distances ? both_of_view(&t->q, &after, &out->wdl, &out->plies, NULL)
                           : wdl_of_view(&t->q, &after, 1, &out->wdl, NULL);
    if (!err)
        tell_end(&after, out);
    t->q.depth--;
    bk_view_release(&after);
}

static void tell_move(struct telling *t, struct bk_step_of_men step)
{
    unsigned from = bk_view_squares(&t->root)[step.by], to = step.to;
    struct bk_move m = { .becomes = step.becomes,
                         .also = BK_SQ_NONE,
                         .counted = step.how & BK_STEP_COUNTED,
                         .doubles = step.how & BK_STEP_PASSING };
    struct bk_brought brought;

    bring(t, step, &brought);
    m.from = t->swap ? t->swap[from] : (uint8_t)from;
    m.to = t->swap ? t->swap[to] : (uint8_t)to;
    m.takes = step.taken ? m.to : BK_SQ_NONE;
    t->visit(t->context, &m, &brought);
}

/* Tells all moves of t->root; false: their list failed, and none is told. */
static bool tell_moves(struct telling *t)
{
    struct bk_step_of_men step;
    struct bk_quiet quiet;

    if (bk_view_see(&t->root, NULL) || bk_quiet_begin(&quiet, &t->root, NULL))
        return false;
    for (unsigned i = 0; i < t->root.exits; i++)
        tell_move(t, t->root.exit[i]);
    while (bk_quiet_next(&quiet, &step))
        tell_move(t, step);
    return true;
}

bool bk_settle_moves(const struct bk_tables *t, const struct bk_pos *p, bool distances,
                     bk_move_visit *visit, void *context)
{
    struct telling to; /* filled in piece by piece: it is large */
    const struct bk_table *table;
    unsigned at;
    bool told = false;

    if (p->ep != BK_SQ_NONE || p->rights)
        return false;
    at = question_begin(&to.q, t);
    if (!find(&to.q, p, &table, NULL)) {
        told = !bk_view_root(&to.root, table, p, NULL) && !to.root.listed;
        if (told) {
            to.swap = bk_men_swap(table, p);
            to.distances = distances;
            to.visit = visit;
            to.context = context;
            told = tell_moves(&to);
        }
        bk_view_release(&to.root);
    }
    question_end(&to.q, at);
    return told;
}
