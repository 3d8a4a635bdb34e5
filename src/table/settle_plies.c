/*
 * settle_plies.c - see settle_plies.h.
 */
#include "table/settle_plies.h"

#include "core/attack.h"
#include "core/end.h"
#include "table/plies.h"
#include "table/settle_exits.h"
#include "table/settle_wdl.h"

/* == Memo and file == */

static bool knows_plies(struct bk_settling *s, const struct bk_sought *q, struct bk_window w,
                        int *plies)
{
    return bk_memo_plies(&s->memo, q->table->wdl, q->spot.number << 1 | q->spot.side, w, plies);
}

static void note_plies(struct bk_settling *s, const struct bk_sought *q, struct bk_window w,
                       int plies)
{
    bk_memo_note_plies(&s->memo, q->table->wdl, q->spot.number << 1 | q->spot.side, w, plies);
}

/* Sets *k to what the file of distances says. */
static enum bk_err stored_k(struct bk_sought *q, int *k, struct bk_report *why)
{
    struct bk_file *f = q->table->dtw;
    struct bk_spot own, *spot = &q->spot;
    unsigned value = 0;
    enum bk_err err = BK_OK;

    if (!q->table->same_numbers)
        err = bk_spot_of(spot = &own, q->table, f, q->p, why);
    else
        err = bk_settling_place(q, why);
    if (!err)
        err = bk_file_value(f, spot->side, spot->number, &spot->at, &value, why);
    *k = (int)value;
    return err;
}

/* == Won positions == */

/* Lowers *best to the fewest plies in which one of the n moves wins. */
static enum bk_err soonest_of(struct bk_settling *s, const struct bk_pos *p, struct bk_move *move,
                              unsigned n, struct bk_window w, int *best, struct bk_report *why)
{
    bk_settling_good_first(s, move, n);
    for (unsigned i = 0; w.low < *best && i < n; i++) {
        struct bk_pos after = *p;
        struct bk_sought q = { .p = &after };
        int wdl = 0, plies = 0, high = *best < w.high ? *best : w.high;
        enum bk_err err = BK_OK;

        bk_pos_play(&after, s->v, &move[i]);
        if (!bk_pos_legal(s->v, &after))
            continue;
        s->depth++;
        if (bk_pos_bare(s->v, &after, &wdl) == BK_END_NONE) {
            err = bk_settle_wdl_of(s, &q, 0, &wdl, why);
            if (!err && wdl < 0)
                err = bk_settle_loss_plies(s, &q, (struct bk_window){ w.low - 1, high - 1 }, &plies,
                                           why);
        }
        s->depth--;
        if (err)
            return err;
        if (wdl < 0 && plies + 1 < *best) {
            *best = plies + 1;
            bk_settling_note_good(s, &move[i]);
        }
    }
    return BK_OK;
}

static enum bk_err lower_by_file(struct bk_sought *q, int *best, struct bk_report *why)
{
    int k;
    enum bk_err err = stored_k(q, &k, why);

    if (!err && 2 * k + 1 < *best)
        *best = 2 * k + 1;
    return err;
}

/* Lowers *best, the fewest plies by all else, by the exits of a won position that bare no king. */
static enum bk_err soonest_others(struct bk_settling *s, struct bk_sought *q,
                                  struct bk_settle_exits *e, struct bk_window w, int *best,
                                  struct bk_report *why)
{
    enum bk_err err = bk_settling_place(q, why);
    int known;

    if (err)
        return err;
    if (knows_plies(s, q, w, &known)) {
        *best = known;
        return BK_OK;
    }
    err = bk_settle_exits_make(s, e, q->p, why);
    if (!err)
        err = soonest_of(s, q->p, e->list.move + e->baring, e->list.n - e->baring, w, best, why);
    if (!err)
        note_plies(s, q, w, *best);
    return err;
}

static enum bk_err has_distances(const struct bk_settling *s, struct bk_sought *q,
                                 struct bk_report *why)
{
    enum bk_err err = bk_settling_find(s, q, why);

    return err || q->table->dtw ? err : bk_table_no_distances(q->table, why);
}

/* Tries squares alone, as wdl_direct() of settle_wdl.c. */
static __attribute__((noinline)) enum bk_err plies_direct(struct bk_settling *s,
                                                          const struct bk_sought *q, int wdl,
                                                          struct bk_window w, int *out, bool *done,
                                                          struct bk_report *why)
{
    struct bk_view view;
    enum bk_err err = bk_view_begin(&view, &s->direct.way, q->table, q->p, why);

    *done = err || view.direct;
    return err || !view.direct ? err : bk_direct_plies(&s->direct, &view, wdl, w, out, why);
}

/* The plies of a won position that is not over and has no en passant square. */
static enum bk_err win_without(struct bk_settling *s, struct bk_sought *q, struct bk_window w,
                               int *out, struct bk_report *why)
{
    struct bk_settle_exits e;
    bool done = true;
    enum bk_err err = has_distances(s, q, why);

    if (!err)
        err = plies_direct(s, q, 1, w, out, &done, why);
    if (done)
        return err;
    bk_settling_begin(s);
    *out = BK_ENDLESS;
    err = bk_settle_exits_begin(s, &e, q->p, q->table->dtw, why);
    if (!err && e.baring)
        err = soonest_of(s, q->p, e.list.move, e.baring, w, out, why);
    if (!err && *out > w.low && *out > 1)
        err = lower_by_file(q, out, why);
    if (!err && *out > w.low && *out > 1 && e.possible)
        err = soonest_others(s, q, &e, w, out, why);
    bk_settle_exits_drop(s, &e);
    return err;
}

/* (2) of settle_exits.h, of a won position. */
static enum bk_err win_passing(struct bk_settling *s, const struct bk_pos *p, struct bk_window w,
                               int *out, struct bk_report *why)
{
    struct bk_settle_two two;
    struct bk_sought q = { .p = &two.without };
    int wdl = 0;
    enum bk_err err = bk_settle_two_open(s, &two, p, why);

    if (err)
        return err;
    *out = BK_ENDLESS;
    if (two.counts)
        err = bk_settle_wdl_without(s, &q, 1, &wdl, why);
    if (!err && wdl > 0)
        err = win_without(s, &q, w, out, why);
    if (!err)
        err = soonest_of(s, p, two.captures.move, two.captures.n, w, out, why);
    bk_settle_two_close(s, &two);
    return err;
}

enum bk_err bk_settle_win_plies(struct bk_settling *s, struct bk_sought *q, struct bk_window w,
                                int *out, struct bk_report *why)
{
    if (q->p->ep != BK_SQ_NONE)
        return win_passing(s, q->p, w, out, why);
    return win_without(s, q, w, out, why);
}

/* == Lost positions == */

/* Does the move surely leave the material as it is? */
static bool is_quiet(const struct bk_pos *p, const struct bk_move *m)
{
    return m->takes == BK_SQ_NONE && m->becomes == BK_STAYS && !p->rights;
}

/* Plays a move of a lost position; a quiet one stays in its table. */
static struct bk_sought play(const struct bk_settling *s, struct bk_pos *after,
                             const struct bk_sought *q, const struct bk_move *m)
{
    *after = *q->p;
    bk_pos_play(after, s->v, m);
    return (struct bk_sought){ .p = after, .table = is_quiet(q->p, m) ? q->table : NULL };
}

/* Raises *best by what a move brings: one ply more than it lets the winner take. */
static enum bk_err latest_by(struct bk_settling *s, const struct bk_sought *q,
                             const struct bk_move *m, struct bk_window w, int *best,
                             struct bk_report *why)
{
    struct bk_pos pos;
    struct bk_sought after = play(s, &pos, q, m);
    int plies = 0, wdl, low = *best > w.low ? *best : w.low;
    enum bk_err err = BK_OK;

    s->depth++;
    if (after.table || bk_pos_bare(s->v, &pos, &wdl) == BK_END_NONE)
        err =
            bk_settle_win_plies(s, &after, (struct bk_window){ low - 1, w.high - 1 }, &plies, why);
    s->depth--;
    if (!err && plies + 1 > *best) {
        *best = plies + 1;
        bk_settling_note_good(s, m);
    }
    return err;
}

/*
 * As latest_by(), where the file alone says what the move brings; then *bound is 0.  Else *best
 * stays, and *bound is the most plies that the position after the move may take, or BK_ENDLESS.
 */
static enum bk_err latest_by_file(struct bk_settling *s, const struct bk_sought *q,
                                  const struct bk_move *m, struct bk_window w, int *best,
                                  int *bound, struct bk_report *why)
{
    struct bk_pos pos;
    struct bk_sought after = play(s, &pos, q, m);
    int k = 0, low = *best > w.low ? *best : w.low;
    int wdl;
    bool exits;
    enum bk_err err;

    *bound = BK_ENDLESS;
    if (pos.ep != BK_SQ_NONE)
        return BK_OK;
    if (!after.table && bk_pos_bare(s->v, &pos, &wdl) != BK_END_NONE) {
        *bound = 0;
        if (*best < 1)
            *best = 1;
        return BK_OK;
    }
    if ((err = has_distances(s, &after, why)) != BK_OK)
        return err;
    exits = bk_exits_may_be(s->v, &pos);
    if (exits && bk_settle_captures_bare(s->v, &pos)) /* may end it at once: no file is needed */
        return BK_OK;
    err = stored_k(&after, &k, why);
    *bound = exits && 2 * k + 2 > low ? 2 * k + 1 : 0;
    if (!err && !*bound && 2 * k + 2 > *best)
        *best = 2 * k + 2;
    return err;
}

/* Sorts moves, the largest bound first. */
static void list_sort(struct bk_move_list *l)
{
    for (unsigned i = 1; i < l->n; i++) {
        struct bk_move move = l->move[i];
        uint16_t bound = l->bound[i];
        unsigned j = i;

        for (; j && l->bound[j - 1] < bound; j--) {
            l->move[j] = l->move[j - 1];
            l->bound[j] = l->bound[j - 1];
        }
        l->move[j] = move;
        l->bound[j] = bound;
    }
}

/* Raises *best to one ply more than the longest of the won positions that the moves lead to. */
static enum bk_err latest_of(struct bk_settling *s, const struct bk_sought *q,
                             struct bk_move_list *l, struct bk_window w, int *best,
                             struct bk_report *why)
{
    unsigned left = 0, tried = 0;
    enum bk_err err = BK_OK;

    if (w.high < BK_ENDLESS && bk_settling_good_first(s, l->move, l->n)) { /* that may be enough */
        err = latest_by(s, q, &l->move[0], w, best, why);
        tried = 1;
    }
    for (unsigned i = tried; i < l->n && *best < w.high && !err; i++) {
        int bound;

        err = latest_by_file(s, q, &l->move[i], w, best, &bound, why);
        if (bound) {
            l->bound[left] = (uint16_t)(bound < UINT16_MAX ? bound : UINT16_MAX);
            l->move[left++] = l->move[i];
        }
    }
    l->n = left;
    list_sort(l);
    for (unsigned i = 0; i < l->n && *best < w.high && !err; i++)
        if (l->bound[i] >= *best && l->bound[i] >= w.low)
            err = latest_by(s, q, &l->move[i], w, best, why);
    return err;
}

/* The plies of a lost position whose file has distances of won positions alone. */
static enum bk_err loss_by_moves(struct bk_settling *s, struct bk_sought *q, struct bk_window w,
                                 int *out, struct bk_report *why)
{
    bool remembered = q->p->ep == BK_SQ_NONE;
    struct bk_move_list l;
    enum bk_err err = remembered ? bk_settling_place(q, why) : BK_OK;

    if (err || (remembered && knows_plies(s, q, w, out)))
        return err;
    err = bk_move_list_open(s, &l, why);
    if (err)
        return err;
    *out = 0;
    bk_move_list_fill(s, &l, bk_moves_legal(s->v, q->p, l.move));
    err = latest_of(s, q, &l, w, out, why);
    bk_move_list_close(s, &l);
    if (!err && remembered)
        note_plies(s, q, w, *out);
    return err;
}

enum bk_err bk_settle_loss_plies(struct bk_settling *s, struct bk_sought *q, struct bk_window w,
                                 int *out, struct bk_report *why)
{
    bool done = true;
    enum bk_err err = has_distances(s, q, why);
    int k = 0;

    *out = 0;
    if (!err && q->p->ep == BK_SQ_NONE)
        err = plies_direct(s, q, -1, w, out, &done, why);
    if (err || (done && q->p->ep == BK_SQ_NONE))
        return err;
    bk_settling_begin(s);
    if (!bk_file_info(q->table->dtw)->standalone || q->p->ep != BK_SQ_NONE)
        return loss_by_moves(s, q, w, out, why);
    err = stored_k(q, &k, why);
    *out = 2 * k;
    return err;
}

enum bk_err bk_settle_plies_again(void *settling, const struct bk_pos *p, int wdl,
                                  struct bk_window w, int *plies, struct bk_report *why)
{
    struct bk_settling *s = settling;
    struct bk_sought q = { .p = p };
    int by_rule;

    *plies = 0;
    if (bk_pos_bare(s->v, p, &by_rule) != BK_END_NONE)
        return BK_OK;
    return wdl > 0 ? bk_settle_win_plies(s, &q, w, plies, why)
                   : bk_settle_loss_plies(s, &q, w, plies, why);
}
