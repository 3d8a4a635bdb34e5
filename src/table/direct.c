/*
 * direct.c - see direct.h.
 *
 * The bounds are those of settle.c: what a file says of a won position is never too short, and an
 * exit is left as soon as it takes longer than the best.
 */
#include "table/direct.h"

#include "core/geometry.h"

#define NO_VALUE (-2)
#define ENDLESS  (1 << 20) /* more than any number of plies */

/* == Looking == */

/* May a man of the side to move change? */
static bool may_change(const struct bk_men *m, const struct bk_table_men *of)
{
    const uint8_t *sq = bk_placement_squares(&m->spot.at);

    for (unsigned left = of->changes[m->spot.side]; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        if (bk_bits_has(&of->change[i], sq[i]))
            return true;
    }
    return false;
}

/* Keeps the captures that are legal. */
static void see_takes(struct bk_view *view, const struct bk_table_men *of)
{
    const uint8_t *sq = bk_placement_squares(&view->men.spot.at);
    unsigned n = bk_fact_look_takes(&view->look, view->men.spot.side, view->take);

    view->takes = 0;
    for (unsigned i = 0; i < n; i++) {
        struct bk_fact_take take = view->take[i];

        if (bk_bits_has(&of->stand[take.by], sq[take.taken]) &&
            !bk_fact_look_exposes(&view->look, take.by, sq[take.taken], take.taken))
            view->take[view->takes++] = take;
    }
}

/* Of a view whose men are placed. */
static enum bk_err view_look(struct bk_view *view, struct bk_report *why)
{
    const struct bk_table_men *of = bk_table_men_of(view->men.table);
    struct bk_men *m = &view->men;
    enum bk_err err;

    view->direct = of && of->captures_only && !may_change(m, of);
    if (!view->direct)
        return BK_OK;
    err = bk_men_number(m, why);
    if (!err)
        err = bk_file_look(m->table->wdl, &m->spot.at, &view->look, why);
    if (err)
        return err;
    see_takes(view, of);
    view->bares =
        of->of[!m->spot.side] == 2 &&
        (of->of[m->spot.side] == 1 || bk_rules_bare_loses(bk_file_index(m->table->wdl)->v));
    return BK_OK;
}

enum bk_err bk_view_begin(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                          struct bk_report *why)
{
    const struct bk_table_men *of = bk_table_men_of(t);

    view->direct = of && of->captures_only;
    if (!view->direct)
        return BK_OK;
    bk_men_place(&view->men, t, p);
    return view_look(view, why);
}

/* After a move; the same errors as bk_men_move(). */
static enum bk_err view_after(struct bk_view *view, const struct bk_direct *d,
                              const struct bk_view *before, unsigned by, unsigned to,
                              unsigned taken, struct bk_report *why)
{
    enum bk_err err = bk_men_move(d->tables, &before->men, by, to, taken, &view->men, why);

    return err ? err : view_look(view, why);
}

static enum bk_err view_taken(struct bk_view *view, const struct bk_direct *d,
                              const struct bk_view *before, struct bk_fact_take take,
                              struct bk_report *why)
{
    unsigned to = bk_placement_squares(&before->men.spot.at)[take.taken];

    return view_after(view, d, before, take.by, to, take.taken, why);
}

/* What a capture that bares a king brings who makes it: 0 or 1. */
static int bares(const struct bk_view *view, struct bk_fact_take take)
{
    const struct bk_men *m = &view->men;
    const struct bk_table_men *of = bk_table_men_of(m->table);
    const struct bk_variant *v = bk_file_index(m->table->wdl)->v;
    const uint8_t *sq = bk_placement_squares(&m->spot.at);
    unsigned us = m->spot.side, last = 2;

    if (of->of[us] == 1) /* both are bare */
        return 0;
    if (of->of[us] > 2 || !bk_rules_bares_back(v))
        return 1;
    while (bk_file_index(m->table->wdl)->colour[last - 2] != us)
        last++;
    return !(bk_fact_look_bares_back(&view->look, take) &&
             bk_bits_has(&of->stand[!us], sq[take.by == last ? take.taken : last]));
}

/* == Wins, draws, losses == */

static enum bk_err stored_wdl(struct bk_view *view, int *wdl, struct bk_report *why)
{
    const struct bk_spot *spot = &view->men.spot;
    struct bk_file *f = view->men.table->wdl;
    unsigned value = 0;
    enum bk_err err =
        bk_file_value_seen(f, spot->side, spot->number, &spot->at, &view->look, &value, why);

    if (!err && value > BK_WDL_LOSS)
        err = bk_fail(why, BK_E_CORRUPT, "%s: damaged: value %u of position %llu", bk_file_path(f),
                      value, (unsigned long long)spot->number);
    *wdl = BK_WDL_DRAW - (int)value;
    return err;
}

/* Where squares are not enough. */
static enum bk_err ask_wdl(const struct bk_direct *d, const struct bk_men *m, int enough, int *wdl,
                           struct bk_report *why)
{
    struct bk_pos p;

    bk_men_position(m, &p);
    return d->wdl(d->context, &p, enough, wdl, why);
}

/* Raises *best by what captures bring. */
static enum bk_err raise_by_takes(const struct bk_direct *d, const struct bk_view *view, int enough,
                                  int *best, bool *missing, struct bk_report *why)
{
    for (unsigned i = 0; i < view->takes && *best < enough; i++) {
        struct bk_view after;
        int wdl = 0;
        enum bk_err err;

        if (view->bares) {
            wdl = -bares(view, view->take[i]);
            err = BK_OK;
        } else {
            err = view_taken(&after, d, view, view->take[i], why);
            if (!err) /* no better than a draw is no gain */
                err = bk_direct_least(d, &after, *best == 0 ? 0 : 1, &wdl, why);
        }
        if (err && err != BK_E_NO_TABLE)
            return err;
        *missing |= err == BK_E_NO_TABLE;
        if (!err && -wdl > *best)
            *best = -wdl;
    }
    return BK_OK;
}

enum bk_err bk_direct_least(const struct bk_direct *d, struct bk_view *view, int enough, int *wdl,
                            struct bk_report *why)
{
    int best = NO_VALUE, stored;
    bool missing = false;
    enum bk_err err = BK_OK;

    if (!view->direct)
        return ask_wdl(d, &view->men, enough, wdl, why);
    if (view->bares)
        err = raise_by_takes(d, view, enough, &best, &missing, why);
    if (!err && best < enough) {
        err = stored_wdl(view, &stored, why);
        if (!err && stored > best)
            best = stored;
    }
    if (!err && best < enough && !view->bares)
        err = raise_by_takes(d, view, enough, &best, &missing, why);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

/* == Distances == */

static enum bk_err stored_k(struct bk_view *view, int *k, struct bk_report *why)
{
    const struct bk_spot *spot = &view->men.spot;
    const struct bk_table *t = view->men.table;
    unsigned value = 0;
    enum bk_err err;

    if (!t->dtw)
        return bk_fail(why, BK_E_NO_TABLE, "no distances of %s", bk_file_info(t->wdl)->material);
    err = bk_file_value_seen(t->dtw, spot->side, spot->number, &spot->at, &view->look, &value, why);
    *k = (int)value;
    return err;
}

/* As bk_direct_plies(), of any view. */
static enum bk_err plies_of(const struct bk_direct *d, struct bk_view *view, int wdl,
                            struct bk_window w, int *plies, struct bk_report *why)
{
    struct bk_pos p;

    if (view->direct)
        return bk_direct_plies(d, view, wdl, w, plies, why);
    bk_men_position(&view->men, &p);
    return d->plies(d->context, &p, wdl, w, plies, why);
}

/* The plies of a capture's loss to the other side; *wdl 0 or 1: it is none. */
static enum bk_err lost_after(const struct bk_direct *d, const struct bk_view *view,
                              struct bk_fact_take take, struct bk_window w, int *wdl, int *plies,
                              struct bk_report *why)
{
    struct bk_view after;
    enum bk_err err;

    *plies = 0;
    if (view->bares) {
        *wdl = -bares(view, take);
        return BK_OK;
    }
    err = view_taken(&after, d, view, take, why);
    if (!err)
        err = bk_direct_least(d, &after, 0, wdl, why);
    if (!err && *wdl < 0)
        err = plies_of(d, &after, -1, w, plies, why);
    return err;
}

/* Lowers *best by the captures of a won position that win. */
static enum bk_err lower_by_takes(const struct bk_direct *d, const struct bk_view *view,
                                  struct bk_window w, int *best, struct bk_report *why)
{
    for (unsigned i = 0; i<view->takes && * best> w.low && *best > 1; i++) {
        struct bk_window after = { w.low - 1, (*best < w.high ? *best : w.high) - 1 };
        int wdl, plies;
        enum bk_err err = lost_after(d, view, view->take[i], after, &wdl, &plies, why);

        if (err)
            return err;
        if (wdl < 0 && plies + 1 < *best)
            *best = plies + 1;
    }
    return BK_OK;
}

/* `bound`: what the file says, if it has been asked, else ENDLESS. */
static enum bk_err win_plies(const struct bk_direct *d, struct bk_view *view, int bound,
                             struct bk_window w, int *out, struct bk_report *why)
{
    enum bk_err err = BK_OK;
    int k;

    *out = bound;
    if (view->bares)
        err = lower_by_takes(d, view, w, out, why);
    if (!err && bound == ENDLESS && *out > w.low && *out > 1) {
        err = stored_k(view, &k, why);
        if (!err && 2 * k + 1 < *out)
            *out = 2 * k + 1;
    }
    if (!err && !view->bares)
        err = lower_by_takes(d, view, w, out, why);
    return err;
}

/* == Losses: by their moves == */

#define WAITING 32

/* A move of a lost position whose file alone does not say what it brings. */
struct waiting {
    int bound; /* plies at most */
    uint8_t by, to, taken;
    bool passing; /* sets an en passant square */
};

struct loss {
    const struct bk_direct *d;
    struct bk_view *view;
    struct bk_window w;
    int best;
    struct waiting wait[WAITING]; /* the longest bound first */
    unsigned waits;
    struct bk_report *why;
};

static int low_of(const struct loss *l) { return l->best > l->w.low ? l->best : l->w.low; }

/* The position after a double step has a square that our men know nothing of. */
static enum bk_err plies_passing(struct loss *l, const struct waiting *m, struct bk_window w,
                                 int *plies)
{
    const struct bk_index *ix = bk_file_index(l->view->men.table->wdl);
    const struct bk_men *before = &l->view->men;
    struct bk_pos p;
    struct bk_move move = { .from = bk_placement_squares(&before->spot.at)[m->by],
                            .to = m->to,
                            .becomes = BK_STAYS,
                            .takes = BK_SQ_NONE,
                            .also = BK_SQ_NONE,
                            .doubles = true };

    bk_men_position(before, &p);
    bk_pos_play(&p, ix->v, &move);
    return l->d->plies(l->d->context, &p, 1, w, plies, l->why);
}

/* Raises the best by what a move brings. */
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
        err = plies_of(l->d, after, 1, w, &plies, l->why);
    if (!err && plies + 1 > l->best)
        l->best = plies + 1;
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
    for (unsigned i = 0; i < view->takes; i++)
        if (bares(view, view->take[i]) > 0)
            return true;
    return false;
}

/* Raises the best by what the file says of a move, or lets it wait. */
static enum bk_err raise_or_wait(struct loss *l, struct waiting *m)
{
    struct bk_view after;
    enum bk_err err;
    int k;

    m->bound = ENDLESS;
    if (m->passing)
        return wait_with(l, m, NULL);
    err = view_after(&after, l->d, l->view, m->by, m->to, m->taken, l->why);
    if (err)
        return err;
    if (!after.direct)
        return wait_with(l, m, &after);
    if (after.bares && bares_at_once(&after)) { /* no file is needed */
        l->best = l->best < 2 ? 2 : l->best;
        return BK_OK;
    }
    err = stored_k(&after, &k, l->why);
    if (err)
        return err;
    if (after.takes && 2 * k + 2 > low_of(l)) {
        m->bound = 2 * k + 1;
        return wait_with(l, m, &after);
    }
    if (2 * k + 2 > l->best)
        l->best = 2 * k + 2;
    return BK_OK;
}

/* The quiet moves of man i. */
static enum bk_err quiet_moves(struct loss *l, unsigned i, const struct bk_bits *occupied)
{
    const struct bk_men *men = &l->view->men;
    const struct bk_index *ix = bk_file_index(men->table->wdl);
    const struct bk_table_men *of = bk_table_men_of(men->table);
    unsigned type = i < 2 ? ix->v->royal : ix->type[i - 2], colour = men->spot.side;
    unsigned from = bk_placement_squares(&men->spot.at)[i], done = BK_SQ_NONE, n;
    const struct bk_reach *r = bk_reach_from(ix->v, type, colour, from, &n);
    enum bk_err err = BK_OK;

    for (; n-- && !err && l->best < l->w.high; r++) {
        struct waiting m = { .by = (uint8_t)i, .to = r->to };

        if (!(r->how & BK_QUIET) || r->to == done || bk_bits_has(occupied, r->to) ||
            !bk_bits_has(&of->stand[i], r->to) || !bk_reach_open(ix->v, r, occupied))
            continue;
        done = r->to; /* sorted: another way is the same move */
        m.passing =
            bk_rules_en_passant(ix->v) && bk_rules_is_double(ix->v, type, colour, from, r->to);
        if (!bk_fact_look_exposes(&l->view->look, i, r->to, BK_FACT_NOBODY))
            err = raise_or_wait(l, &m);
    }
    return err;
}

static enum bk_err all_moves(struct loss *l)
{
    const struct bk_men *men = &l->view->men;
    const struct bk_index *ix = bk_file_index(men->table->wdl);
    const uint8_t *sq = bk_placement_squares(&men->spot.at);
    struct bk_bits occupied = { { 0 } };
    enum bk_err err = BK_OK;

    for (unsigned i = 0; i < 2 + ix->nslots; i++)
        bk_bits_set(&occupied, sq[i]);
    for (unsigned i = 0; i < l->view->takes && !err && l->best < l->w.high; i++) {
        struct bk_fact_take take = l->view->take[i];
        struct waiting m = { .by = take.by, .to = sq[take.taken], .taken = take.taken };

        if (l->view->bares) { /* of a lost position: it goes on, or is over */
            l->best = l->best < 1 ? 1 : l->best;
            continue;
        }
        err = raise_or_wait(l, &m);
    }
    for (unsigned i = 0; i < 2 + ix->nslots && !err && l->best < l->w.high; i++)
        if ((i < 2 ? i : ix->colour[i - 2]) == men->spot.side)
            err = quiet_moves(l, i, &occupied);
    return err;
}

static enum bk_err loss_plies(const struct bk_direct *d, struct bk_view *view, struct bk_window w,
                              int *out, struct bk_report *why)
{
    struct loss l = { .d = d, .view = view, .w = w, .why = why };
    enum bk_err err = all_moves(&l);

    for (unsigned i = 0; i < l.waits && l.best < w.high && !err; i++) {
        const struct waiting *m = &l.wait[i];
        struct bk_view after;

        if (m->bound < l.best || m->bound < w.low)
            continue;
        if (!m->passing)
            err = view_after(&after, d, view, m->by, m->to, m->taken, why);
        if (!err)
            err = raise_by(&l, m, &after);
    }
    *out = l.best;
    return err;
}

enum bk_err bk_direct_plies(const struct bk_direct *d, struct bk_view *view, int wdl,
                            struct bk_window w, int *plies, struct bk_report *why)
{
    *plies = 0;
    if (!view->men.table->dtw)
        return bk_fail(why, BK_E_NO_TABLE, "no distances of %s",
                       bk_file_info(view->men.table->wdl)->material);
    return wdl > 0 ? win_plies(d, view, ENDLESS, w, plies, why)
                   : loss_plies(d, view, w, plies, why);
}
