/*
 * settle_wdl.c - see settle_wdl.h.
 */
#include "table/settle_wdl.h"

#include "core/attack.h"
#include "core/end.h"
#include "table/settle_exits.h"

#define NO_VALUE (-2)

/* == Memo and file == */

static bool knows_wdl(struct bk_settling *s, const struct bk_sought *q, int enough, int *wdl)
{
    return bk_memo_wdl(&s->memo, q->table->wdl, q->spot.number << 1 | q->spot.side, enough, wdl);
}

static void note_wdl(struct bk_settling *s, const struct bk_sought *q, int enough, int wdl)
{
    bk_memo_note_wdl(&s->memo, q->table->wdl, q->spot.number << 1 | q->spot.side, enough, wdl);
}

/* Sets *wdl to what the wdl file says: -1, 0, +1. */
static enum bk_err stored_wdl(struct bk_sought *q, int *wdl, struct bk_report *why)
{
    struct bk_file *f = q->table->wdl;
    unsigned value = 0;
    enum bk_err err = bk_settling_place(q, why);

    if (!err)
        err = bk_file_value(f, q->spot.side, q->spot.number, &q->spot.at, &value, why);
    if (!err && value > BK_WDL_LOSS)
        err = bk_fail(why, BK_E_CORRUPT, "%s: damaged: value %u of position %llu", bk_file_path(f),
                      value, (unsigned long long)q->spot.number);
    *wdl = BK_WDL_DRAW - (int)value;
    return err;
}

/* == Exits == */

/* Raises *best by what the legal ones of n moves bring, until it is `enough`; *missing: one leads
   to a table that is not there. */
static enum bk_err best_of(struct bk_settling *s, const struct bk_pos *p, struct bk_move *move,
                           unsigned n, int enough, int *best, bool *missing, struct bk_report *why)
{
    bk_settling_good_first(s, move, n);
    for (unsigned i = 0; i < n && *best < enough; i++) {
        struct bk_pos after = *p;
        struct bk_sought q = { .p = &after };
        enum bk_err err;
        int wdl = 0;

        bk_pos_play(&after, s->v, &move[i]);
        if (!bk_pos_legal(s->v, &after))
            continue;
        s->depth++;
        /* no better than a draw is no gain */
        err = bk_settle_wdl_of(s, &q, *best == 0 ? 0 : 1, &wdl, why);
        s->depth--;
        if (err && err != BK_E_NO_TABLE)
            return err;
        *missing |= err == BK_E_NO_TABLE;
        if (!err && -wdl > *best) {
            *best = -wdl;
            bk_settling_note_good(s, &move[i]);
        }
    }
    return BK_OK;
}

static enum bk_err raise_by_file(struct bk_sought *q, int *best, struct bk_report *why)
{
    int stored;
    enum bk_err err = stored_wdl(q, &stored, why);

    if (!err && stored > *best)
        *best = stored;
    return err;
}

/* Raises *best by the exits that bare a king. */
static enum bk_err best_baring(struct bk_settling *s, const struct bk_sought *q,
                               struct bk_settle_exits *e, int enough, int *best, bool *missing,
                               struct bk_report *why)
{
    if (!e->baring)
        return BK_OK;
    return best_of(s, q->p, e->list.move, e->baring, enough, best, missing, why);
}

/* Raises *best by the other exits, unless the memo has the result. */
static enum bk_err best_others(struct bk_settling *s, const struct bk_sought *q,
                               struct bk_settle_exits *e, int enough, int *best, bool *missing,
                               struct bk_report *why)
{
    int known;
    enum bk_err err;

    if (knows_wdl(s, q, enough, &known)) {
        *best = known;
        return BK_OK;
    }
    err = bk_settle_exits_make(s, e, q->p, why);
    if (!err)
        err = best_of(s, q->p, e->list.move + e->baring, e->list.n - e->baring, enough, best,
                      missing, why);
    if (!err && !*missing)
        note_wdl(s, q, enough, *best);
    return err;
}

/* (1) of settle.h, by lists of exits. */
static enum bk_err wdl_by_exits(struct bk_settling *s, struct bk_sought *q, int enough, int *wdl,
                                struct bk_report *why)
{
    struct bk_settle_exits e;
    int best = NO_VALUE;
    bool missing = false;
    enum bk_err err;

    bk_settling_begin(s);
    err = bk_settle_exits_begin(s, &e, q->p, q->table->wdl, why);
    if (!err)
        err = best_baring(s, q, &e, enough, &best, &missing, why);
    if (!err && best < enough)
        err = raise_by_file(q, &best, why);
    if (!err && best < enough && e.possible)
        err = best_others(s, q, &e, enough, &best, &missing, why);
    bk_settle_exits_drop(s, &e);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

/* Tries squares alone.  *done: they were enough, or it failed.  The table is known.  Not inline, so
   that a long chain of exits settled by lists keeps no views on the stack. */
static __attribute__((noinline)) enum bk_err wdl_direct(struct bk_settling *s,
                                                        const struct bk_sought *q, int enough,
                                                        int *wdl, bool *done, struct bk_report *why)
{
    struct bk_view view;
    enum bk_err err = bk_view_begin(&view, &s->direct.way, q->table, q->p, why);

    *done = err || view.direct;
    return err || !view.direct ? err : bk_direct_least(&s->direct, &view, enough, wdl, why);
}

enum bk_err bk_settle_wdl_without(struct bk_settling *s, struct bk_sought *q, int enough, int *wdl,
                                  struct bk_report *why)
{
    bool done = true;
    enum bk_err err = bk_settling_find(s, q, why);

    if (!err)
        err = wdl_direct(s, q, enough, wdl, &done, why);
    return done ? err : wdl_by_exits(s, q, enough, wdl, why);
}

/* (2) of settle_exits.h */
static enum bk_err wdl_passing(struct bk_settling *s, const struct bk_pos *p, int enough, int *wdl,
                               struct bk_report *why)
{
    struct bk_settle_two two;
    struct bk_sought q = { .p = &two.without };
    bool missing = false;
    int best = NO_VALUE;
    enum bk_err err = bk_settle_two_open(s, &two, p, why);

    if (err)
        return err;
    if (two.counts)
        err = bk_settle_wdl_without(s, &q, enough, &best, why);
    if (!err)
        err = best_of(s, p, two.captures.move, two.captures.n, enough, &best, &missing, why);
    bk_settle_two_close(s, &two);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

enum bk_err bk_settle_wdl_of(struct bk_settling *s, struct bk_sought *q, int enough, int *wdl,
                             struct bk_report *why)
{
    if (!bk_pos_none_bare(q->p) && bk_pos_bare(s->v, q->p, wdl) != BK_END_NONE)
        return BK_OK;
    if (q->p->ep == BK_SQ_NONE)
        return bk_settle_wdl_without(s, q, enough, wdl, why);
    return wdl_passing(s, q->p, enough, wdl, why);
}

enum bk_err bk_settle_wdl_again(void *settling, const struct bk_pos *p, int enough, int *wdl,
                                struct bk_report *why)
{
    struct bk_sought q = { .p = p };

    return bk_settle_wdl_of(settling, &q, enough, wdl, why);
}
