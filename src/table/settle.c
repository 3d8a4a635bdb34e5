/*
 * settle.c - see settle.h.
 *
 * Here a question begins and ends: squares alone are tried first (direct.h, plies.h,
 * brought.h), then lists of moves (settle_wdl.h, settle_plies.h), which share what
 * settling.h keeps of the question.
 */
#include "table/settle.h"

#include <stdlib.h>

#include "core/end.h"
#include "table/settle_plies.h"
#include "table/settle_wdl.h"

/* == Questions == */

static void open_question(struct bk_settling *s, const struct bk_tables *t)
{
    s->t = t;
    s->v = t->v;
    s->begun = false;
    s->move = NULL;
    bk_memo_begin(&s->memo);
    bk_direct_begin(&s->direct, t, &s->memo, s);
    s->direct.wdl = bk_settle_wdl_again;
    s->direct.plies = bk_settle_plies_again;
}

static void close_question(struct bk_settling *s) { free(s->move); }

static unsigned visit_begin(const struct bk_tables *t)
{
    return t->cache ? bk_visit_begin(t->cache) : 0;
}

static void visit_end(const struct bk_tables *t, unsigned visit)
{
    if (t->cache)
        bk_visit_end(t->cache, visit);
}

enum bk_err bk_settle_least(const struct bk_tables *t, const struct bk_pos *p, int enough, int *wdl,
                            struct bk_report *why)
{
    struct bk_settling s;
    struct bk_sought q = { .p = p };
    unsigned visit = visit_begin(t);
    enum bk_err err;

    open_question(&s, t);
    err = bk_settle_wdl_of(&s, &q, enough, wdl, why);
    close_question(&s);
    visit_end(t, visit);
    return err;
}

enum bk_err bk_settle_wdl(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                          struct bk_report *why)
{
    return bk_settle_least(t, p, 1, wdl, why);
}

/* Tries squares alone, as wdl_direct() of settle_wdl.c, for wdl and plies from one look. */
static __attribute__((noinline)) enum bk_err both_direct(struct bk_settling *s,
                                                         const struct bk_sought *q, int *wdl,
                                                         int *plies, bool *done,
                                                         struct bk_report *why)
{
    struct bk_window all = { -1, BK_ENDLESS };
    struct bk_view view;
    enum bk_err err = bk_view_begin(&view, &s->direct.way, q->table, q->p, why);

    *done = err || view.direct;
    if (err || !view.direct)
        return err;
    err = bk_direct_least(&s->direct, &view, 1, wdl, why);
    if (err || !*wdl || bk_table_lacks_distances(q->table))
        return err;
    return bk_direct_plies(&s->direct, &view, *wdl, all, plies, why);
}

/* Sets *wdl and *plies of a position that no bare king decides. */
static enum bk_err both(struct bk_settling *s, struct bk_sought *q, int *wdl, int *plies,
                        struct bk_report *why)
{
    struct bk_window all = { -1, BK_ENDLESS };
    bool done = false;
    enum bk_err err = BK_OK;

    if (q->p->ep == BK_SQ_NONE) {
        err = bk_settling_find(s, q, why);
        if (!err)
            err = both_direct(s, q, wdl, plies, &done, why);
        if (err || done)
            return err;
    }
    err = bk_settle_wdl_of(s, q, 1, wdl, why);
    if (!err && *wdl)
        err = bk_settling_find(s, q, why);
    if (err || !*wdl || bk_table_lacks_distances(q->table))
        return err;
    return *wdl > 0 ? bk_settle_win_plies(s, q, all, plies, why)
                    : bk_settle_loss_plies(s, q, all, plies, why);
}

enum bk_err bk_settle(const struct bk_tables *t, const struct bk_pos *p, int *wdl, int *plies,
                      struct bk_report *why)
{
    struct bk_settling s;
    struct bk_sought q = { .p = p };
    unsigned visit;
    enum bk_err err;

    *plies = -1;
    if (!bk_pos_none_bare(p) && bk_pos_bare(t->v, p, wdl) != BK_END_NONE) {
        *plies = *wdl ? 0 : -1;
        return BK_OK;
    }
    visit = visit_begin(t);
    open_question(&s, t);
    err = both(&s, &q, wdl, plies, why);
    close_question(&s);
    visit_end(t, visit);
    return err;
}

enum bk_err bk_settle_plies(const struct bk_tables *t, const struct bk_pos *p, int wdl,
                            struct bk_window window, int *plies, struct bk_report *why)
{
    struct bk_settling s;
    unsigned visit = visit_begin(t);
    enum bk_err err;

    open_question(&s, t);
    err = bk_settle_plies_again(&s, p, wdl, window, plies, why);
    close_question(&s);
    visit_end(t, visit);
    return err;
}

/* == All moves of a position == */

/* The caller's visitor, and how squares of the view become those of the position. */
struct telling {
    const struct bk_view *root;
    const uint8_t *swap; /* where squares go with the sides exchanged, and back; NULL: they stay */
    bk_move_visit *visit;
    void *context;
};

static void tell_move(void *telling, struct bk_step_of_men step, const struct bk_brought *brought)
{
    const struct telling *t = telling;
    const struct bk_men *men = &t->root->men;
    unsigned from = bk_placement_squares(&men->spot.at)[step.by], to = step.to;
    bool quiet = !step.taken && step.becomes == BK_STAYS;
    struct bk_move m = { .becomes = step.becomes, .also = BK_SQ_NONE, .counted = step.counted };

    if (!brought->known && quiet) /* the caller may play it: is it a double step? */
        m.doubles = bk_rules_is_double(men->table->ix->v, bk_index_type(men->table->ix, step.by),
                                       men->spot.side, from, to);
    m.from = t->swap ? t->swap[from] : (uint8_t)from;
    m.to = t->swap ? t->swap[to] : (uint8_t)to;
    m.takes = step.taken ? m.to : BK_SQ_NONE;
    t->visit(t->context, &m, brought);
}

bool bk_settle_moves(const struct bk_tables *t, const struct bk_pos *p, bool distances,
                     bk_move_visit *visit, void *context)
{
    struct bk_settling s;
    struct bk_sought q = { .p = p };
    struct bk_view root;
    struct telling to = { .root = &root, .visit = visit, .context = context };
    unsigned at;
    bool told = false;

    if (p->ep != BK_SQ_NONE || p->rights)
        return false;
    at = visit_begin(t);
    open_question(&s, t);
    if (!bk_settling_find(&s, &q, NULL) && !bk_view_root(&root, q.table, p, NULL) && root.direct) {
        to.swap = bk_men_swap(q.table, p);
        told = bk_direct_moves(&s.direct, &root, distances, tell_move, &to);
    }
    close_question(&s);
    visit_end(t, at);
    return told;
}
