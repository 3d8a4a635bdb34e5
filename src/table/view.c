/*
 * view.c - see view.h.
 *
 * Captures come with the look at a position: whom men attack has been worked out for the facts.
 * Changes are looked for man by man, as the rules offer them.
 */
#include "table/view.h"

#include "core/geometry.h"

/* == Looking == */

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

static bool is_direct(const struct bk_table *t) { return t->men && t->men->plain; }

/* Finishes a view whose men are placed: finds its number, and looks at it if squares are enough. */
static enum bk_err view_look(struct bk_view *view, const struct bk_way *way, struct bk_report *why)
{
    enum bk_err err;

    view->direct = is_direct(view->men.table) && way->depth < BK_VIEW_DEPTH;
    if (!view->direct)
        return BK_OK;
    err = bk_men_number(&view->men, why);
    return err ? err : view_see(view, view->men.table->men, why);
}

enum bk_err bk_view_root(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why)
{
    view->direct = is_direct(t);
    if (!view->direct)
        return BK_OK;
    bk_men_place(&view->men, t, p);
    return view_see(view, t->men, why);
}

enum bk_err bk_view_begin(struct bk_view *view, const struct bk_way *way, const struct bk_table *t,
                          const struct bk_pos *p, struct bk_report *why)
{
    view->direct = is_direct(t) && way->depth < BK_VIEW_DEPTH;
    if (!view->direct)
        return BK_OK;
    bk_men_place(&view->men, t, p);
    return view_look(view, way, why);
}

enum bk_err bk_view_after(struct bk_view *view, const struct bk_way *way,
                          const struct bk_view *before, struct bk_step_of_men step,
                          struct bk_report *why)
{
    enum bk_err err = BK_OK;

    if (bk_step_stays(&before->men, step))
        bk_men_stay(&before->men, step, &view->men);
    else
        err = bk_men_move(way->tables, &before->men, step, &view->men, why);
    return err ? err : view_look(view, way, why);
}

/* == Its men == */

bool bk_view_in_check(const struct bk_view *view)
{
    unsigned us = view->men.spot.side;

    return bk_fact_look_exposes(&view->look, us, bk_view_squares(view)[us], BK_FACT_NOBODY);
}

/* == Exits == */

/* May man i, who is to move, change from where he stands? */
static bool may_change(const struct bk_view *view, const struct bk_table_men *of, unsigned i)
{
    return of->changes[view->men.spot.side] >> i & 1 &&
           bk_bits_has(&of->change[i], bk_view_squares(view)[i]);
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

/* Adds the captures, out of `takes`, of men who do not change; false: there is no room. */
static bool see_takes(struct bk_view *view, const struct bk_table_men *of, uint64_t takes)
{
    const uint8_t *sq = bk_view_squares(view);

    for (; takes; takes &= takes - 1) {
        struct bk_fact_take take = bk_fact_takes_first(takes);
        unsigned to = sq[take.taken];

        if (bk_bits_has(&of->stand[take.by], to) && !may_change(view, of, take.by) &&
            !add_exit(view, (struct bk_step_of_men){ .by = take.by,
                                                     .to = (uint8_t)to,
                                                     .taken = take.taken,
                                                     .becomes = BK_STAYS }))
            return false;
    }
    return true;
}

/* Sets `change` to what man i may become on `to`, as bk_rules_changes(); returns how many. */
static unsigned changes_of(const struct bk_view *view, unsigned i, unsigned to, bool in_place,
                           struct bk_change change[BK_TYPES_MAX + 1])
{
    const struct bk_index *ix = bk_view_index(view);
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

/* Returns the man on a square; 0: none that may be taken. */
static unsigned man_on(const struct bk_view *view, const struct bk_table_men *of, unsigned sq)
{
    for (unsigned i = 2; i < of->n; i++)
        if (bk_view_squares(view)[i] == sq)
            return i;
    return 0;
}

/* Adds all exits of a man who may change; false: there is no room. */
static bool see_changes(struct bk_view *view, const struct bk_table_men *of, unsigned i,
                        const struct bk_bits *occupied)
{
    const struct bk_index *ix = bk_view_index(view);
    const struct bk_variant *v = ix->v;
    unsigned us = view->men.spot.side, from = bk_view_squares(view)[i], done = BK_SQ_NONE, n;
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

static bool see_all(struct bk_view *view, const struct bk_table_men *of, uint64_t takes)
{
    if (!see_takes(view, of, takes))
        return false;
    for (unsigned left = of->changes[view->men.spot.side]; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct bk_bits occupied;

        if (!may_change(view, of, i))
            continue;
        occupied = bk_view_men(view);
        if (!see_changes(view, of, i, &occupied))
            return false;
    }
    return true;
}

void bk_view_see_some(struct bk_view *view, bool captures)
{
    const struct bk_table_men *of = view->men.table->men;
    bool changes = of->changes[view->men.spot.side];
    uint64_t takes;

    if (view->seen)
        return;
    takes = bk_fact_look_takes(&view->look, view->men.spot.side);
    if (captures && !takes && changes)
        return;
    view->seen = true;
    if ((takes || changes) && !see_all(view, of, takes))
        view->direct = false;
}

bool bk_view_repeats(const struct bk_view *view)
{
    const struct bk_table_men *of = view->men.table->men;

    if (!view->evolves || view->seen)
        return view->evolves && view->exits;
    for (unsigned left = of->changes[view->men.spot.side]; left; left &= left - 1)
        if (may_change(view, of, (unsigned)__builtin_ctz(left)))
            return true;
    return bk_fact_look_takes(&view->look, view->men.spot.side);
}

int bk_view_bares(const struct bk_view *view, struct bk_step_of_men exit)
{
    const struct bk_table_men *of = view->men.table->men;
    const struct bk_index *ix = bk_view_index(view);
    struct bk_fact_take take = { exit.by, exit.taken };
    unsigned us = view->men.spot.side, last = 2;

    if (of->of[us] == 1) /* both are bare */
        return 0;
    if (of->of[us] > 2 || !bk_rules_bares_back(ix->v))
        return 1;
    while (bk_index_colour(ix, last) != us)
        last++;
    return !(
        bk_fact_look_bares_back(&view->look, take) &&
        bk_bits_has(&of->stand[!us], bk_view_squares(view)[exit.by == last ? exit.taken : last]));
}

/* == Quiet moves == */

/* May man i stay what he is when he has gone to `to`? */
static bool stays(const struct bk_view *view, const struct bk_table_men *of, unsigned i,
                  unsigned to)
{
    struct bk_change change[BK_TYPES_MAX + 1];

    if (!may_change(view, of, i))
        return bk_bits_has(&of->stand[i], to);
    return changes_of(view, i, to, false, change) && change[0].type == BK_STAYS;
}

void bk_quiet_begin(struct bk_quiet *q, struct bk_view *view, unsigned i,
                    const struct bk_bits *occupied)
{
    const struct bk_index *ix = bk_view_index(view);
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
    q->at = bk_reach_from(ix->v, bk_index_type(ix, i), view->men.spot.side,
                          bk_view_squares(view)[i], &q->left);
}

/* Returns where a man who moves otherwise than he takes goes next; BK_SQ_NONE: nowhere. */
static unsigned quiet_way(const struct bk_view *view, struct bk_quiet *q)
{
    const struct bk_variant *v = bk_view_index(view)->v;

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

unsigned bk_quiet_next(const struct bk_view *view, struct bk_quiet *q)
{
    unsigned to;

    if (!q->alike)
        return quiet_way(view, q);
    do
        to = bk_bits_pop(&q->to);
    while (q->changes && to != BK_SQ_NONE && !stays(view, view->men.table->men, q->i, to));
    return to;
}
