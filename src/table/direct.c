/*
 * direct.c - see direct.h.
 */
#include "table/direct.h"

#include <string.h>

#define NO_VALUE (-2)

/* == What did best == */

void bk_direct_begin(struct bk_direct *d, const struct bk_tables *tables, struct bk_memo *memo,
                     void *context)
{
    d->way = (struct bk_way){ .tables = tables };
    d->memo = memo;
    d->context = context;
    memset(d->good, BK_FACT_NOBODY, sizeof d->good);
}

/* Of the exits first to end - 1 puts the one first that last did best at this depth. */
static void good_first(const struct bk_direct *d, struct bk_view *view, unsigned first,
                       unsigned end)
{
    struct bk_step_of_men good = d->good[d->way.depth];

    for (unsigned i = first; i < end && good.by != BK_FACT_NOBODY; i++)
        if (bk_same_step(view->exit[i], good)) {
            good = view->exit[i]; /* as it is here: `counted` may differ */
            view->exit[i] = view->exit[first];
            view->exit[first] = good;
            return;
        }
}

/* == Wins, draws, losses == */

static enum bk_err stored_wdl(struct bk_view *view, int *wdl, struct bk_report *why)
{
    const struct bk_spot *spot = &view->men.spot;
    struct bk_file *f = view->men.table->wdl;
    unsigned value;
    enum bk_err err = bk_view_told(view, f, &value, why);

    if (!err && value > BK_WDL_LOSS)
        err = bk_fail(why, BK_E_CORRUPT, "%s: damaged: value %u of position %llu", bk_file_path(f),
                      value, (unsigned long long)spot->number);
    *wdl = BK_WDL_DRAW - (int)value;
    return err;
}

/* Asks the caller, where squares are not enough. */
static enum bk_err ask_wdl(struct bk_direct *d, const struct bk_men *m, int enough, int *wdl,
                           struct bk_report *why)
{
    struct bk_pos p;

    bk_men_position(m, &p);
    return d->wdl(d->context, &p, enough, wdl, why);
}

enum bk_err bk_direct_exit(struct bk_direct *d, const struct bk_view *view,
                           struct bk_step_of_men exit, int enough, struct bk_view *after, int *wdl,
                           struct bk_report *why)
{
    enum bk_err err;

    d->way.depth++;
    err = bk_view_after(after, &d->way, view, exit, why);
    if (!err)
        err = bk_direct_least(d, after, enough, wdl, why);
    d->way.depth--;
    return err;
}

/* Sets *wdl to what an exit brings, as bk_direct_least(), for the side to move after it. */
static enum bk_err value_after(struct bk_direct *d, const struct bk_view *view,
                               struct bk_step_of_men exit, int enough, int *wdl,
                               struct bk_report *why)
{
    struct bk_view after;

    if (!bk_view_ends(view, exit))
        return bk_direct_exit(d, view, exit, enough, &after, wdl, why);
    *wdl = -bk_view_bares(view, exit);
    return BK_OK;
}

/* Raises *best by what the exits first to end - 1 bring, until it is `enough`; *missing: one leads
   to a table that is not there. */
static enum bk_err raise_by_exits(struct bk_direct *d, struct bk_view *view, unsigned first,
                                  unsigned end, int enough, int *best, bool *missing,
                                  struct bk_report *why)
{
    if (end - first > 1)
        good_first(d, view, first, end);
    for (unsigned i = first; i < end && *best < enough; i++) {
        int wdl = 0, least = *best == 0 ? 0 : 1; /* no better than a draw is no gain */
        enum bk_err err = value_after(d, view, view->exit[i], least, &wdl, why);

        if (err && err != BK_E_NO_TABLE)
            return err;
        *missing |= err == BK_E_NO_TABLE;
        if (!err && -wdl > *best) {
            *best = -wdl;
            d->good[d->way.depth] = view->exit[i];
        }
    }
    return BK_OK;
}

/* Raises *best by the exits that do not end the game, unless the memo has the result. */
static enum bk_err raise_by_others(struct bk_direct *d, struct bk_view *view, int enough, int *best,
                                   bool *missing, struct bk_report *why)
{
    const struct bk_file *f = view->men.table->wdl;
    enum bk_err err;
    int known;

    if (bk_view_repeats(view) && bk_memo_wdl(d->memo, f, bk_view_place(view), enough, &known)) {
        *best = known;
        return BK_OK;
    }
    bk_view_see(view);
    if (!view->direct)
        return ask_wdl(d, &view->men, enough, best, why);
    if (view->exits == bk_view_endings(view))
        return BK_OK;
    err = raise_by_exits(d, view, bk_view_endings(view), view->exits, enough, best, missing, why);
    if (!err && view->evolves && !*missing)
        bk_memo_note_wdl(d->memo, f, bk_view_place(view), enough, *best);
    return err;
}

enum bk_err bk_direct_least(struct bk_direct *d, struct bk_view *view, int enough, int *wdl,
                            struct bk_report *why)
{
    int best = NO_VALUE, stored;
    bool missing = false;
    enum bk_err err = BK_OK;

    if (view->direct)
        bk_view_see_ends(view);
    if (!view->direct)
        return ask_wdl(d, &view->men, enough, wdl, why);
    if (bk_view_endings(view))
        err = raise_by_exits(d, view, 0, bk_view_endings(view), enough, &best, &missing, why);
    if (!err && best < enough) {
        err = stored_wdl(view, &stored, why);
        if (!err && stored > best)
            best = stored;
    }
    if (!err && best < enough)
        err = raise_by_others(d, view, enough, &best, &missing, why);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}
