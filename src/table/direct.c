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

/* == What did best == */

void bk_direct_begin(struct bk_direct *d, const struct bk_tables *tables, struct bk_memo *memo,
                     void *context)
{
    *d = (struct bk_direct){ .tables = tables, .memo = memo, .context = context };
    for (unsigned i = 0; i <= BK_DIRECT_DEPTH; i++)
        d->good[i].by = BK_FACT_NOBODY;
}

static bool same_step(struct bk_step_of_men a, struct bk_step_of_men b)
{
    return a.by == b.by && a.to == b.to && a.taken == b.taken && a.becomes == b.becomes;
}

/* Puts the one of some exits first that did best in a position like this one. */
static void good_first(const struct bk_direct *d, struct bk_view *view, unsigned first,
                       unsigned end)
{
    struct bk_step_of_men good = d->good[d->depth];

    for (unsigned i = first; i < end && good.by != BK_FACT_NOBODY; i++)
        if (same_step(view->exit[i], good)) {
            view->exit[i] = view->exit[first];
            view->exit[first] = good;
            return;
        }
}

static uint64_t place_of(const struct bk_view *view)
{
    return view->men.spot.number << 1 | view->men.spot.side;
}

/* == Looking == */

/* The men of a view and who they are. */
static const struct bk_index *index_of(const struct bk_view *view) { return view->men.table->ix; }

static const uint8_t *squares(const struct bk_view *view)
{
    return bk_placement_squares(&view->men.spot.at);
}

/* May man i, who is to move, change from where he stands? */
static bool may_change(const struct bk_view *view, const struct bk_table_men *of, unsigned i)
{
    return of->changes[view->men.spot.side] >> i & 1 &&
           bk_bits_has(&of->change[i], squares(view)[i]);
}

/* Adds an exit if it is legal; false: there is no room. */
static bool add_exit(struct bk_view *view, struct bk_step_of_men exit)
{
    unsigned taken = exit.taken ? exit.taken : BK_FACT_NOBODY;

    if (bk_fact_look_exposes(&view->look, exit.by, exit.to, taken))
        return true;
    if (view->exits == BK_VIEW_EXITS)
        return false;
    view->exit[view->exits++] = exit;
    if (exit.taken) { /* captures come first */
        view->exit[view->exits - 1] = view->exit[view->takes];
        view->exit[view->takes++] = exit;
    }
    return true;
}

/* The captures of men who do not change, out of n. */
static bool see_takes(struct bk_view *view, const struct bk_table_men *of,
                      const struct bk_fact_take *take, unsigned n)
{
    const uint8_t *sq = squares(view);

    for (unsigned i = 0; i < n; i++) {
        unsigned to = sq[take[i].taken];

        if (bk_bits_has(&of->stand[take[i].by], to) && !may_change(view, of, take[i].by) &&
            !add_exit(view, (struct bk_step_of_men){ .by = take[i].by,
                                                     .to = (uint8_t)to,
                                                     .taken = take[i].taken,
                                                     .becomes = BK_STAYS }))
            return false;
    }
    return true;
}

/* What a man may be who ends on `to`; as bk_rules_changes(). */
static unsigned changes_of(const struct bk_view *view, unsigned i, unsigned to, bool in_place,
                           struct bk_change change[BK_TYPES_MAX + 1])
{
    const struct bk_index *ix = index_of(view);
    unsigned colour = view->men.spot.side;

    return bk_rules_changes(ix->v, ix->m.count[colour], ix->m.left[colour], bk_index_type(ix, i),
                            colour, to, in_place, change);
}

static bool add_changes(struct bk_view *view, unsigned i, unsigned to, unsigned taken,
                        bool in_place)
{
    struct bk_change change[BK_TYPES_MAX + 1];
    unsigned n = changes_of(view, i, to, in_place, change);

    for (unsigned k = 0; k < n; k++)
        if ((taken || change[k].type != BK_STAYS) &&
            !add_exit(view, (struct bk_step_of_men){ .by = (uint8_t)i,
                                                     .to = (uint8_t)to,
                                                     .taken = (uint8_t)taken,
                                                     .becomes = change[k].type,
                                                     .counted = change[k].counted }))
            return false;
    return true;
}

/* Who stands on a square; 0: nobody who may be taken. */
static unsigned man_on(const struct bk_view *view, const struct bk_table_men *of, unsigned sq)
{
    for (unsigned i = 2; i < of->n; i++)
        if (squares(view)[i] == sq)
            return i;
    return 0;
}

static struct bk_bits all_men(const struct bk_view *view)
{
    unsigned n = 2 + index_of(view)->nslots;
    struct bk_bits men = { { 0 } };

    for (unsigned i = 0; i < n; i++)
        bk_bits_set(&men, squares(view)[i]);
    return men;
}

/* All exits of a man who may change. */
static bool see_changes(struct bk_view *view, const struct bk_table_men *of, unsigned i,
                        const struct bk_bits *occupied)
{
    const struct bk_index *ix = index_of(view);
    const struct bk_variant *v = ix->v;
    unsigned us = view->men.spot.side, from = squares(view)[i], done = BK_SQ_NONE, n;
    const struct bk_reach *r = bk_reach_from(v, bk_index_type(ix, i), us, from, &n);

    for (; n--; r++) {
        bool taken = bk_bits_has(occupied, r->to);
        unsigned man = taken ? man_on(view, of, r->to) : 0;

        if (r->to == done || !(r->how & (taken ? BK_TAKES : BK_QUIET)) ||
            (taken && (!man || bk_index_colour(ix, man) == us)) || !bk_reach_open(v, r, occupied))
            continue;
        done = r->to; /* sorted: another way is the same move */
        if (!add_changes(view, i, r->to, man, false))
            return false;
    }
    return !bk_rules_changes_in_place(v, bk_index_type(ix, i)) ||
           add_changes(view, i, from, 0, true);
}

static bool see_all(struct bk_view *view, const struct bk_table_men *of,
                    const struct bk_fact_take *take, unsigned n)
{
    if (!see_takes(view, of, take, n))
        return false;
    for (unsigned left = of->changes[view->men.spot.side]; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct bk_bits occupied;

        if (!may_change(view, of, i))
            continue;
        occupied = all_men(view);
        if (!see_changes(view, of, i, &occupied))
            return false;
    }
    return true;
}

/* Finds the exits, once; where there are too many the view is direct no more.  captures: only if
   there are any. */
static void see_some(struct bk_view *view, bool captures)
{
    const struct bk_table_men *of = view->men.table->men;
    struct bk_fact_take take[BK_FACT_TAKES_MAX];
    unsigned n;

    if (view->seen)
        return;
    n = bk_fact_look_takes(&view->look, view->men.spot.side, take);
    if (captures && !n && of->changes[view->men.spot.side])
        return;
    view->seen = true;
    if ((n || of->changes[view->men.spot.side]) && !see_all(view, of, take, n))
        view->direct = false;
}

static void see_exits(struct bk_view *view) { see_some(view, false); }

/* Finds them where one may bare a king: that is looked at before all else. */
static void see_ends(struct bk_view *view)
{
    if (view->bares)
        see_some(view, true);
}

/* Is it worth a place of the memo?  Men change in its table, and there may be exits. */
static bool remembers(const struct bk_view *view)
{
    const struct bk_table_men *of = view->men.table->men;
    struct bk_fact_take take[BK_FACT_TAKES_MAX];

    if (!view->evolves || view->seen)
        return view->evolves && view->exits;
    for (unsigned left = of->changes[view->men.spot.side]; left; left &= left - 1)
        if (may_change(view, of, (unsigned)__builtin_ctz(left)))
            return true;
    return bk_fact_look_takes(&view->look, view->men.spot.side, take);
}

/* How many of the exits end the game; they come first. */
static unsigned endings(const struct bk_view *view) { return view->bares ? view->takes : 0; }

/* Looks at what the men of a view attack. */
static enum bk_err view_see(struct bk_view *view, const struct bk_table_men *of,
                            struct bk_report *why)
{
    struct bk_men *m = &view->men;
    unsigned us = m->spot.side;

    view->ask.of = NULL;
    view->seen = false;
    view->exits = view->takes = 0;
    view->evolves = of->changes[0] | of->changes[1];
    view->bares = of->bares[us];
    return bk_file_look(m->table->wdl, &m->spot.at, &view->look, why);
}

/* Of a view whose men are placed. */
static enum bk_err view_look(struct bk_view *view, const struct bk_direct *d, struct bk_report *why)
{
    const struct bk_table_men *of = view->men.table->men;
    enum bk_err err;

    view->direct = of && of->plain && d->depth < BK_DIRECT_DEPTH;
    if (!view->direct)
        return BK_OK;
    err = bk_men_number(&view->men, why);
    return err ? err : view_see(view, of, why);
}

enum bk_err bk_view_root(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why)
{
    const struct bk_table_men *of = t->men;

    view->direct = of && of->plain;
    if (!view->direct)
        return BK_OK;
    bk_men_place(&view->men, t, p);
    return view_see(view, of, why);
}

enum bk_err bk_view_begin(struct bk_view *view, const struct bk_direct *d, const struct bk_table *t,
                          const struct bk_pos *p, struct bk_report *why)
{
    const struct bk_table_men *of = t->men;

    view->direct = of && of->plain && d->depth < BK_DIRECT_DEPTH;
    if (!view->direct)
        return BK_OK;
    bk_men_place(&view->men, t, p);
    return view_look(view, d, why);
}

/* After a step; the same errors as bk_men_move(). */
static enum bk_err view_after(struct bk_view *view, const struct bk_direct *d,
                              const struct bk_view *before, struct bk_step_of_men step,
                              struct bk_report *why)
{
    enum bk_err err = BK_OK;

    if (bk_step_stays(&before->men, step))
        bk_men_stay(&before->men, step, &view->men);
    else
        err = bk_men_move(d->tables, &before->men, step, &view->men, why);
    return err ? err : view_look(view, d, why);
}

/* Does this exit bare a king who may lose by it? */
static bool ends(const struct bk_view *view, struct bk_step_of_men exit)
{
    return view->bares && exit.taken;
}

/* What such an exit brings who makes it: 0 or 1. */
static int bares(const struct bk_view *view, struct bk_step_of_men exit)
{
    const struct bk_table_men *of = view->men.table->men;
    const struct bk_index *ix = index_of(view);
    struct bk_fact_take take = { exit.by, exit.taken };
    unsigned us = view->men.spot.side, last = 2;

    if (of->of[us] == 1) /* both are bare */
        return 0;
    if (of->of[us] > 2 || !bk_rules_bares_back(ix->v))
        return 1;
    while (bk_index_colour(ix, last) != us)
        last++;
    return !(bk_fact_look_bares_back(&view->look, take) &&
             bk_bits_has(&of->stand[!us], squares(view)[exit.by == last ? exit.taken : last]));
}

/* == Files == */

static enum bk_err ask_file(struct bk_view *view, struct bk_file *f, struct bk_report *why)
{
    return bk_file_ask(&view->ask, f, &view->men.spot, &view->look, why);
}

/* It may have been asked. */
static enum bk_err stored(struct bk_view *view, struct bk_file *f, unsigned *value,
                          struct bk_report *why)
{
    enum bk_err err = view->ask.of == f ? BK_OK : ask_file(view, f, why);

    *value = err ? 0 : bk_file_told(&view->ask);
    return err;
}

/* Will be asked soon: what says so comes to the processor meanwhile. */
static enum bk_err ask_ahead(struct bk_view *view, struct bk_file *f, struct bk_report *why)
{
    enum bk_err err = ask_file(view, f, why);

    if (!err)
        bk_file_ahead(&view->ask);
    return err;
}

/* == Wins, draws, losses == */

static enum bk_err stored_wdl(struct bk_view *view, int *wdl, struct bk_report *why)
{
    const struct bk_spot *spot = &view->men.spot;
    struct bk_file *f = view->men.table->wdl;
    unsigned value;
    enum bk_err err = stored(view, f, &value, why);

    if (!err && value > BK_WDL_LOSS)
        err = bk_fail(why, BK_E_CORRUPT, "%s: damaged: value %u of position %llu", bk_file_path(f),
                      value, (unsigned long long)spot->number);
    *wdl = BK_WDL_DRAW - (int)value;
    return err;
}

/* Where squares are not enough. */
static enum bk_err ask_wdl(struct bk_direct *d, const struct bk_men *m, int enough, int *wdl,
                           struct bk_report *why)
{
    struct bk_pos p;

    bk_men_position(m, &p);
    return d->wdl(d->context, &p, enough, wdl, why);
}

/* What a position after an exit is worth to who is to move then, if less than `enough`; where w is
   given, a loss's plies, too (else 0). */
static enum bk_err value_after(struct bk_direct *d, const struct bk_view *view,
                               struct bk_step_of_men exit, int enough, const struct bk_window *w,
                               int *wdl, int *plies, struct bk_report *why)
{
    struct bk_view after;
    enum bk_err err;

    *plies = 0;
    if (ends(view, exit)) {
        *wdl = -bares(view, exit);
        return BK_OK;
    }
    d->depth++;
    err = view_after(&after, d, view, exit, why);
    if (!err)
        err = bk_direct_least(d, &after, enough, wdl, why);
    if (!err && w && *wdl < 0)
        err = bk_direct_plies(d, &after, -1, *w, plies, why);
    d->depth--;
    return err;
}

/* Raises *best by what exits bring, from the first-th on. */
static enum bk_err raise_by_exits(struct bk_direct *d, struct bk_view *view, unsigned first,
                                  unsigned end, int enough, int *best, bool *missing,
                                  struct bk_report *why)
{
    if (end - first > 1)
        good_first(d, view, first, end);
    for (unsigned i = first; i < end && *best < enough; i++) {
        int wdl = 0, none, least = *best == 0 ? 0 : 1; /* no better than a draw is no gain */
        enum bk_err err = value_after(d, view, view->exit[i], least, NULL, &wdl, &none, why);

        if (err && err != BK_E_NO_TABLE)
            return err;
        *missing |= err == BK_E_NO_TABLE;
        if (!err && -wdl > *best) {
            *best = -wdl;
            d->good[d->depth] = view->exit[i];
        }
    }
    return BK_OK;
}

/* The same by those that end nothing, if it is not known already. */
static enum bk_err raise_by_others(struct bk_direct *d, struct bk_view *view, int enough, int *best,
                                   bool *missing, struct bk_report *why)
{
    const struct bk_file *f = view->men.table->wdl;
    enum bk_err err;
    int known;

    if (remembers(view) && bk_memo_wdl(d->memo, f, place_of(view), enough, &known)) {
        *best = known;
        return BK_OK;
    }
    see_exits(view);
    if (!view->direct)
        return ask_wdl(d, &view->men, enough, best, why);
    if (view->exits == endings(view))
        return BK_OK;
    err = raise_by_exits(d, view, endings(view), view->exits, enough, best, missing, why);
    if (!err && view->evolves && !*missing)
        bk_memo_note_wdl(d->memo, f, place_of(view), enough, *best);
    return err;
}

enum bk_err bk_direct_least(struct bk_direct *d, struct bk_view *view, int enough, int *wdl,
                            struct bk_report *why)
{
    int best = NO_VALUE, stored;
    bool missing = false;
    enum bk_err err = BK_OK;

    if (view->direct)
        see_ends(view);
    if (!view->direct)
        return ask_wdl(d, &view->men, enough, wdl, why);
    if (endings(view))
        err = raise_by_exits(d, view, 0, endings(view), enough, &best, &missing, why);
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

/* == Distances == */

static enum bk_err no_distances(const struct bk_table *t, struct bk_report *why)
{
    return bk_fail(why, BK_E_NO_TABLE, "no distances of %s", bk_file_info(t->wdl)->material);
}

static enum bk_err stored_k(struct bk_view *view, int *k, struct bk_report *why)
{
    const struct bk_table *t = view->men.table;
    unsigned value;
    enum bk_err err = t->dtw ? stored(view, t->dtw, &value, why) : no_distances(t, why);

    *k = err ? 0 : (int)value;
    return err;
}

/* Where squares are not enough. */
static enum bk_err ask_plies(struct bk_direct *d, const struct bk_men *m, int wdl,
                             struct bk_window w, int *plies, struct bk_report *why)
{
    struct bk_pos p;

    bk_men_position(m, &p);
    return d->plies(d->context, &p, wdl, w, plies, why);
}

/* Lowers *best by the exits of a won position that win, from the first-th on. */
static enum bk_err lower_by_exits(struct bk_direct *d, struct bk_view *view, unsigned first,
                                  unsigned end, struct bk_window w, int *best,
                                  struct bk_report *why)
{
    for (unsigned i = first; i<end && * best> w.low && *best > 1; i++) {
        struct bk_window after = { w.low - 1, (*best < w.high ? *best : w.high) - 1 };
        int wdl, plies;
        enum bk_err err = value_after(d, view, view->exit[i], 0, &after, &wdl, &plies, why);

        if (err)
            return err;
        if (wdl < 0 && plies + 1 < *best) {
            *best = plies + 1;
            d->good[d->depth] = view->exit[i];
        }
    }
    return BK_OK;
}

/* The same by those that end nothing, if it is not known already. */
static enum bk_err lower_by_others(struct bk_direct *d, struct bk_view *view, struct bk_window w,
                                   int *best, struct bk_report *why)
{
    const struct bk_file *f = view->men.table->wdl;
    enum bk_err err;
    int known;

    if (remembers(view) && bk_memo_plies(d->memo, f, place_of(view), w, &known)) {
        *best = known;
        return BK_OK;
    }
    see_exits(view);
    if (!view->direct)
        return ask_plies(d, &view->men, 1, w, best, why);
    if (view->exits == endings(view))
        return BK_OK;
    err = lower_by_exits(d, view, endings(view), view->exits, w, best, why);
    if (!err && view->evolves)
        bk_memo_note_plies(d->memo, f, place_of(view), w, *best);
    return err;
}

/* `bound`: what the file says, if it has been asked, else ENDLESS. */
static enum bk_err win_plies(struct bk_direct *d, struct bk_view *view, int bound,
                             struct bk_window w, int *out, struct bk_report *why)
{
    enum bk_err err = BK_OK;
    int k;

    see_ends(view);
    *out = bound;
    if (view->direct)
        err = lower_by_exits(d, view, 0, endings(view), w, out, why);
    if (!err && bound == ENDLESS && *out > w.low && *out > 1) {
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

/* A move whose file has been asked, and will have told by the time that the next one has. */
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
    struct asked_move *asked; /* two; one if each is heard at once */
    unsigned nth, heard;      /* which of them is next; which is to be heard, if */
    bool one_asked;
    bool good_only; /* just what did best before, at once */
    bool good_done; /* it has been tried */
    struct bk_step_of_men good;
    struct bk_report *why;
};

/* The large arrays are left as they are. */
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
    l->good = d->good[d->depth];
    l->why = why;
}

static int low_of(const struct loss *l) { return l->best > l->w.low ? l->best : l->w.low; }

/* The position after a double step has a square that our men know nothing of. */
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
        err = ask_plies(l->d, &after->men, 1, w, &plies, l->why);
    if (!err && plies + 1 > l->best) {
        l->best = plies + 1;
        l->d->good[l->d->depth - 1] = m->step;
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
    for (unsigned i = 0; i < endings(view); i++)
        if (bares(view, view->exit[i]) > 0)
            return true;
    return false;
}

/* Raises the best by what the file says of the move that has been asked last, or lets it wait. */
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
        see_exits(&a->after);
        a->m.bound = 2 * k + 1;
        if (!a->after.direct || a->after.exits)
            return wait_with(l, &a->m, &a->after);
    }
    if (2 * k + 2 > l->best) {
        l->best = 2 * k + 2;
        l->d->good[l->d->depth - 1] = a->m.step;
    }
    return BK_OK;
}

/* May some answer be enough?  Then each is heard at once. */
static bool one_by_one(struct bk_window w) { return w.high < ENDLESS; }

/* Asks the file about a move, and hears of the one before; or lets it wait. */
static enum bk_err raise_or_wait(struct loss *l, const struct waiting *m)
{
    struct asked_move *a = &l->asked[l->nth];
    enum bk_err err;

    if (m->passing)
        return wait_with(l, m, NULL);
    err = view_after(&a->after, l->d, l->view, m->step, l->why);
    if (err)
        return err;
    if (!a->after.direct)
        return wait_with(l, m, &a->after);
    see_ends(&a->after);
    if (bares_at_once(&a->after)) { /* no file is needed */
        l->best = l->best < 2 ? 2 : l->best;
        return BK_OK;
    }
    a->m = *m;
    err = a->after.men.table->dtw ? ask_ahead(&a->after, a->after.men.table->dtw, l->why)
                                  : no_distances(a->after.men.table, l->why);
    if (!err)
        err = hear(l);
    l->heard = l->nth;
    l->one_asked = true;
    if (err || one_by_one(l->w))
        return err ? err : hear(l);
    l->nth = !l->nth;
    return BK_OK;
}

/* Is it this move's turn? */
static bool is_next(const struct loss *l, struct bk_step_of_men step)
{
    bool good = same_step(step, l->good);

    return l->good_only ? good : !(good && l->good_done);
}

/* The move that did best before: that may be enough. */
static enum bk_err raise_by_good(struct loss *l, const struct waiting *m)
{
    struct bk_view after;
    enum bk_err err = BK_OK;

    l->good_done = true;
    if (!m->passing)
        err = view_after(&after, l->d, l->view, m->step, l->why);
    return err ? err : raise_by(l, m, &after);
}

static enum bk_err try_move(struct loss *l, struct waiting *m)
{
    m->bound = ENDLESS;
    return l->good_only ? raise_by_good(l, m) : raise_or_wait(l, m);
}

/* May man i stay what he is when he has gone to `to`? */
static bool stays(const struct bk_view *view, const struct bk_table_men *of, unsigned i,
                  unsigned to)
{
    struct bk_change change[BK_TYPES_MAX + 1];

    if (!may_change(view, of, i))
        return bk_bits_has(&of->stand[i], to);
    return changes_of(view, i, to, false, change) && change[0].type == BK_STAYS;
}

/*
 * The legal moves of man i that are no exits, one after the other.  Of who moves as he takes they
 * are a set, all at once; of others each way is tried.
 */
struct quiet {
    unsigned i;
    bool alike, changes;            /* he moves as he takes; he may change on his way */
    struct bk_bits to;              /* who moves as he takes: where to; */
    const struct bk_bits *occupied; /* others: */
    unsigned left, done;            /* entries of his reach; where the last one went */
    const struct bk_reach *at;
};

static void quiet_begin(struct quiet *q, struct bk_view *view, unsigned i,
                        const struct bk_bits *occupied)
{
    const struct bk_index *ix = index_of(view);
    const struct bk_table_men *of = view->men.table->men;

    q->i = i;
    q->alike = of->alike >> i & 1;
    q->changes = may_change(view, of, i);
    if (q->alike) {
        bk_fact_look_quiet(&view->look, i, &q->to);
        for (unsigned w = 0; w < 4 && !q->changes; w++)
            q->to.w[w] &= of->stand[i].w[w];
        return;
    }
    q->occupied = occupied;
    q->done = BK_SQ_NONE;
    q->at =
        bk_reach_from(ix->v, bk_index_type(ix, i), view->men.spot.side, squares(view)[i], &q->left);
}

/* The next one of who goes other ways than he takes. */
static unsigned quiet_way(const struct bk_view *view, struct quiet *q)
{
    const struct bk_variant *v = index_of(view)->v;

    for (; q->left; q->left--, q->at++) {
        unsigned to = q->at->to;

        if (!(q->at->how & BK_QUIET) || to == q->done || bk_bits_has(q->occupied, to) ||
            !bk_reach_open(v, q->at, q->occupied))
            continue;
        q->done = to; /* sorted: another way is the same move */
        if (stays(view, view->men.table->men, q->i, to) &&
            !bk_fact_look_exposes(&view->look, q->i, to, BK_FACT_NOBODY))
            return to;
    }
    return BK_SQ_NONE;
}

/* Where the next one goes, or BK_SQ_NONE. */
static unsigned quiet_next(const struct bk_view *view, struct quiet *q)
{
    unsigned to;

    if (!q->alike)
        return quiet_way(view, q);
    do
        to = bk_bits_pop(&q->to);
    while (q->changes && to != BK_SQ_NONE && !stays(view, view->men.table->men, q->i, to));
    return to;
}

/* His move there; does it set an en passant square? */
static struct waiting quiet_to(const struct bk_view *view, unsigned i, unsigned to)
{
    const struct bk_index *ix = index_of(view);

    return (struct waiting){
        .step = { .by = (uint8_t)i, .to = (uint8_t)to, .becomes = BK_STAYS },
        .passing = bk_rules_en_passant(ix->v) &&
                   bk_rules_is_double(ix->v, bk_index_type(ix, i), view->men.spot.side,
                                      squares(view)[i], to),
    };
}

/* The moves of man i that are no exits. */
static enum bk_err quiet_moves(struct loss *l, unsigned i, const struct bk_bits *occupied)
{
    unsigned to;
    struct quiet q;
    enum bk_err err = BK_OK;

    quiet_begin(&q, l->view, i, occupied);
    while (!err && l->best < l->w.high && (to = quiet_next(l->view, &q)) != BK_SQ_NONE) {
        struct waiting m = quiet_to(l->view, i, to);

        if (is_next(l, m.step))
            err = try_move(l, &m);
    }
    return err;
}

static enum bk_err all_moves(struct loss *l)
{
    struct bk_view *view = l->view;
    const struct bk_index *ix = index_of(view);
    struct bk_bits occupied = all_men(view);
    enum bk_err err = BK_OK;

    for (unsigned i = 0; i < 2 + ix->nslots && !err && l->best < l->w.high; i++)
        if (bk_index_colour(ix, i) == view->men.spot.side)
            err = quiet_moves(l, i, &occupied);
    for (unsigned i = 0; i < view->exits && !err && l->best < l->w.high; i++) {
        struct waiting m = { .step = view->exit[i] };

        if (!is_next(l, m.step))
            continue;
        if (ends(view, m.step)) /* of a lost position: it goes on, or is over */
            l->best = l->best < 1 ? 1 : l->best;
        else
            err = try_move(l, &m);
    }
    return err ? err : hear(l);
}

/* Those that wait, the longest bound first. */
static enum bk_err settle_waiting(struct loss *l)
{
    enum bk_err err = BK_OK;

    for (unsigned i = 0; i < l->waits && l->best < l->w.high && !err; i++) {
        const struct waiting *m = &l->wait[i];
        struct bk_view after;

        if (m->bound < l->best || m->bound < l->w.low)
            continue;
        if (!m->passing)
            err = view_after(&after, l->d, l->view, m->step, l->why);
        if (!err)
            err = raise_by(l, m, &after);
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

    if (view->evolves && bk_memo_plies(d->memo, f, place_of(view), w, out))
        return BK_OK;
    see_exits(view);
    if (!view->direct)
        return ask_plies(d, &view->men, -1, w, out, why);
    loss_begin(&l, d, view, w, asked, why);
    d->depth++;
    err = loss_by_moves(&l);
    d->depth--;
    *out = l.best;
    if (!err && view->evolves)
        bk_memo_note_plies(d->memo, f, place_of(view), w, *out);
    return err;
}

/* Of who is asked at first; its moves lead to others with bounds, where one place does. */
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
        return bk_fail(why, BK_E_NO_TABLE, "no distances of %s",
                       bk_file_info(view->men.table->wdl)->material);
    if (!view->direct)
        return ask_plies(d, &view->men, wdl, w, plies, why);
    return wdl > 0 ? win_plies(d, view, ENDLESS, w, plies, why)
                   : loss_plies(d, view, w, plies, why);
}

/* == A move of another position == */

/* Has the side to move a legal move? */
static bool can_move(struct bk_view *view)
{
    const struct bk_index *ix = index_of(view);
    struct bk_bits occupied = all_men(view);

    for (unsigned i = 0; i < 2 + ix->nslots; i++) {
        struct quiet q;

        if (bk_index_colour(ix, i) != view->men.spot.side)
            continue;
        quiet_begin(&q, view, i, &occupied);
        if (quiet_next(view, &q) != BK_SQ_NONE)
            return true;
    }
    see_exits(view);
    return view->exits || !view->direct; /* too many exits: there are some */
}

static bool in_check(const struct bk_view *view)
{
    unsigned us = view->men.spot.side;

    return bk_fact_look_exposes(&view->look, us, squares(view)[us], BK_FACT_NOBODY);
}

/* Mate or stalemate?  *out as the tables have it, which agree. */
static void tell_end(struct bk_view *view, struct bk_brought *out)
{
    const struct bk_variant *v = index_of(view)->v;

    out->end = BK_END_NONE;
    if (out->wdl > 0 || out->plies > 0 || (out->wdl == 0 && view->men.table->men->draws_go_on) ||
        can_move(view)) {
        out->known = out->wdl >= 0 || out->plies; /* a loss in 0 plies that goes on: who asks? */
        return;
    }
    out->end = in_check(view) ? BK_END_CHECKMATE : BK_END_STALEMATE;
    out->wdl = out->end == BK_END_CHECKMATE ? -1 : bk_rules_stalemate_wdl(v);
    out->plies = out->wdl ? 0 : -1;
    out->known = true;
}

static enum bk_err settle_view(struct bk_direct *d, struct bk_view *view, bool distances,
                               struct bk_brought *out)
{
    struct bk_window all = { -1, ENDLESS };
    enum bk_err err = bk_direct_least(d, view, 1, &out->wdl, NULL);

    out->plies = -1;
    if (!err && out->wdl && distances && view->men.table->dtw)
        err = bk_direct_plies(d, view, out->wdl, all, &out->plies, NULL);
    if (!err && view->direct)
        tell_end(view, out);
    return err;
}

/* What a legal step brings; not known where squares are not enough, or anything goes wrong. */
static void bring(struct bk_direct *d, const struct bk_view *root, struct bk_step_of_men step,
                  bool distances, struct bk_brought *out)
{
    struct bk_view after;
    enum bk_err err;

    out->known = false;
    if (ends(root, step)) {
        out->wdl = -bares(root, step);
        out->plies = out->wdl ? 0 : -1;
        out->end = out->wdl ? BK_END_BARE : BK_END_BARE_DRAW;
        out->known = true;
        return;
    }
    d->depth++;
    err = view_after(&after, d, root, step, NULL);
    if (!err && after.direct)
        err = settle_view(d, &after, distances, out);
    out->known &= !err;
    d->depth--;
}

bool bk_direct_moves(struct bk_direct *d, struct bk_view *root, bool distances,
                     bk_step_visit *visit, void *context)
{
    const struct bk_index *ix = index_of(root);
    struct bk_bits occupied = all_men(root);
    struct bk_brought out;

    see_exits(root);
    if (!root->direct)
        return false;
    for (unsigned i = 0; i < root->exits; i++) {
        bring(d, root, root->exit[i], distances, &out);
        visit(context, root->exit[i], &out);
    }
    for (unsigned i = 0; i < 2 + ix->nslots; i++) {
        struct quiet q;
        unsigned to;

        if (bk_index_colour(ix, i) != root->men.spot.side)
            continue;
        quiet_begin(&q, root, i, &occupied);
        while ((to = quiet_next(root, &q)) != BK_SQ_NONE) {
            struct waiting m = quiet_to(root, i, to);

            out.known = false;
            if (!m.passing)
                bring(d, root, m.step, distances, &out);
            visit(context, m.step, &out);
        }
    }
    return true;
}
