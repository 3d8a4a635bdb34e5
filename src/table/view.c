/*
 * view.c - see view.h.
 *
 * Captures come with the look at a position: whom men attack has been worked out for the facts.
 * Changes are looked for man by man, as the rules offer them.  Moves of listed tables are made on a
 * board, and become steps of men.
 */
#include "table/view.h"

#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/geometry.h"

/* == Looking == */

/* Begins a view that bk_view_release() may be given whatever comes next. */
static void view_empty(struct bk_view *view)
{
    view->exit = view->few;
    view->room = BK_VIEW_EXITS;
    view->exits = view->takes = view->endings = view->moves = 0;
    view->seen = false;
    view->ask.of = NULL;
}

/* Looks at what the men of a view attack. */
static enum bk_err view_look(struct bk_view *view, struct bk_report *why)
{
    const struct bk_table_men *of = view->men.table->men;
    struct bk_men *m = &view->men;

    view->listed = of->listed;
    view->evolves = of->changes[0] | of->changes[1];
    view->bares = of->bares[m->spot.side];
    return bk_file_look(m->table->wdl, &m->spot.at, &view->look, why);
}

/* Places the men of p in a table. */
static enum bk_err view_place(struct bk_view *view, const struct bk_table *t,
                              const struct bk_pos *p, struct bk_report *why)
{
    view_empty(view);
    return bk_men_place(&view->men, t, p, why);
}

enum bk_err bk_view_root(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why)
{
    enum bk_err err = view_place(view, t, p, why);

    return err ? err : view_look(view, why);
}

enum bk_err bk_view_begin(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                          struct bk_report *why)
{
    enum bk_err err = view_place(view, t, p, why);

    if (!err)
        err = bk_men_number(&view->men, why);
    return err ? err : view_look(view, why);
}

enum bk_err bk_view_after(struct bk_view *view, const struct bk_tables *tables,
                          const struct bk_view *before, struct bk_step_of_men step,
                          struct bk_report *why)
{
    enum bk_err err = BK_OK;

    view_empty(view);
    if (bk_step_stays(&before->men, step))
        bk_men_stay(&before->men, step, &view->men);
    else
        err = bk_men_move(tables, &before->men, step, &view->men, why);
    if (!err)
        err = bk_men_number(&view->men, why);
    return err ? err : view_look(view, why);
}

/* == Its men == */

static __attribute__((noinline)) bool is_checked_on_board(const struct bk_view *view)
{
    struct bk_pos p;

    bk_men_position(&view->men, &p);
    return bk_in_check(bk_view_index(view)->v, &p, p.stm);
}

bool bk_view_in_check(const struct bk_view *view)
{
    unsigned us = view->men.spot.side;

    if (view->listed) /* looks do not know of men who take two */
        return is_checked_on_board(view);
    return bk_fact_look_exposes(&view->look, us, bk_view_squares(view)[us], BK_FACT_NOBODY);
}

/* == Exits == */

/* May man i, who is to move, change from where he stands? */
static bool may_change(const struct bk_view *view, const struct bk_table_men *of, unsigned i)
{
    return of->changes[view->men.spot.side] >> i & 1 &&
           bk_bits_has(&of->change[i], bk_view_squares(view)[i]);
}

/* Doubles the room for exits; false: no memory. */
static bool more_room(struct bk_view *view)
{
    struct bk_step_of_men *more = malloc(2 * view->room * sizeof *more);

    if (!more)
        return false;
    memcpy(more, view->exit, view->room * sizeof *more);
    bk_view_release(view);
    view->exit = more;
    view->room *= 2;
    return true;
}

/* Does it leave the own king attacked if man `by` goes to `to`, and takes man `taken` (0: nobody)?
 */
static bool exposes(const struct bk_view *view, unsigned by, unsigned to, unsigned taken)
{
    return bk_fact_look_exposes(&view->look, by, to, taken ? taken : BK_FACT_NOBODY);
}

/* Adds a legal exit; false: there is no room. */
static bool add_exit(struct bk_view *view, struct bk_step_of_men exit)
{
    if (view->exits == view->room && !more_room(view))
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
            !exposes(view, take.by, to, take.taken) &&
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
    struct bk_step_of_men exit = { .by = (uint8_t)i, .to = (uint8_t)to, .taken = (uint8_t)taken };
    struct bk_change change[BK_TYPES_MAX + 1];
    unsigned n = changes_of(view, i, to, in_place, change), k = 0;

    if (!taken && n && change[0].type == BK_STAYS)
        k++; /* no exit */
    if (k == n || exposes(view, i, to, taken))
        return true;
    for (; k < n; k++) {
        exit.becomes = change[k].type;
        exit.how = change[k].counted ? BK_STEP_COUNTED : 0;
        if (!add_exit(view, exit))
            return false;
    }
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

/* == Moves on a board == of listed tables */

/* A list of moves on a board, and whose squares they are. */
struct listing {
    struct bk_view *view;
    const struct bk_pos *p;
    const uint8_t *swap; /* where squares of p are in the view; NULL: where they are */
    struct bk_move *move;
    unsigned n;
};

static enum bk_err listing_open(struct listing *l, struct bk_view *view, const struct bk_pos *p,
                                struct bk_report *why)
{
    *l = (struct listing){ .view = view, .p = p, .move = malloc(BK_MOVES_MAX * sizeof *l->move) };
    return l->move ? BK_OK : bk_fail(why, BK_E_SYSTEM, "no memory for a list of moves");
}

/* Returns the man of the view on a square of the board; 0: none. */
static uint8_t man_at(const struct listing *l, unsigned sq)
{
    unsigned n = 2 + bk_view_index(l->view)->nslots, i = 0;

    if (sq == BK_SQ_NONE)
        return 0;
    if (l->swap)
        sq = l->swap[sq];
    while (i < n && bk_view_squares(l->view)[i] != sq)
        i++;
    return i < n ? (uint8_t)i : 0;
}

static uint8_t square_in(const struct listing *l, unsigned sq)
{
    return l->swap ? l->swap[sq] : (uint8_t)sq;
}

/* Returns the rights that a move ends, as the view has the colours. */
static uint8_t rights_ended(const struct listing *l, const struct bk_move *m)
{
    struct bk_pos after = *l->p;
    unsigned ended;

    bk_pos_play(&after, bk_view_index(l->view)->v, m);
    ended = l->p->rights & ~(unsigned)after.rights;
    return (uint8_t)(l->swap ? (ended & 3) << 2 | ended >> 2 : ended);
}

/* Returns a move as a step. */
static struct bk_step_of_men step_of(const struct listing *l, const struct bk_move *m)
{
    const struct bk_variant *v = bk_view_index(l->view)->v;
    struct bk_step_of_men step = { .by = man_at(l, m->from),
                                   .to = square_in(l, m->to),
                                   .taken = man_at(l, m->takes),
                                   .becomes = m->becomes,
                                   .also = man_at(l, m->also),
                                   .how = m->counted ? BK_STEP_COUNTED : 0 };

    if (m->castles)
        step.also_to = square_in(l, bk_castled_rook(v, m));
    if (l->p->rights)
        step.rights = rights_ended(l, m);
    if (m->doubles && bk_rules_en_passant(v))
        step.how |= BK_STEP_PASSING;
    return step;
}

/* Appends a step to the view's; false: no memory. */
static bool append(struct bk_view *view, struct bk_step_of_men step)
{
    if (view->moves == view->room && !more_room(view))
        return false;
    view->exit[view->moves++] = step;
    return true;
}

/* Does a move leave the own king unattacked? */
static bool is_legal(const struct listing *l, const struct bk_move *m)
{
    const struct bk_variant *v = bk_view_index(l->view)->v;
    struct bk_pos after = *l->p;

    bk_pos_play(&after, v, m);
    return bk_pos_legal(v, &after);
}

/* Moves the exits that end the game to the front. */
static void endings_first(struct bk_view *view)
{
    for (unsigned i = 0; i < view->exits && view->bares; i++)
        if (bk_view_ends(view, view->exit[i])) {
            struct bk_step_of_men step = view->exit[i];

            view->exit[i] = view->exit[view->endings];
            view->exit[view->endings++] = step;
        }
}

/* Finds the exits of a listed table's position. */
static __attribute__((noinline)) enum bk_err list_exits(struct bk_view *view, struct bk_report *why)
{
    const struct bk_variant *v = bk_view_index(view)->v;
    struct bk_pos p;
    struct listing l;
    enum bk_err err;

    view->seen = true;
    bk_men_position(&view->men, &p);
    if (!bk_exits_may_be(v, &p))
        return BK_OK;
    err = listing_open(&l, view, &p, why);
    if (err)
        return err;
    l.n = bk_moves_exits(v, &p, l.move);
    for (unsigned i = 0; i < l.n && !err; i++)
        if (is_legal(&l, &l.move[i]) && !append(view, step_of(&l, &l.move[i])))
            err = bk_no_memory(why);
    view->exits = view->moves;
    endings_first(view);
    free(l.move);
    return err;
}

/* Appends the quiet moves of a listed table's position to its exits. */
static __attribute__((noinline)) enum bk_err list_quiet(struct bk_view *view, struct bk_report *why)
{
    const struct bk_variant *v = bk_view_index(view)->v;
    struct bk_pos p;
    struct listing l;
    enum bk_err err = bk_view_see(view, why);

    if (err || view->moves > view->exits)
        return err;
    bk_men_position(&view->men, &p);
    err = listing_open(&l, view, &p, why);
    if (err)
        return err;
    l.n = bk_moves_legal(v, &p, l.move);
    for (unsigned i = 0; i < l.n && !err; i++) {
        struct bk_step_of_men step;

        if (l.move[i].takes != BK_SQ_NONE || l.move[i].becomes != BK_STAYS)
            continue;
        step = step_of(&l, &l.move[i]);
        if (!bk_step_exits(step) && !append(view, step))
            err = bk_no_memory(why);
    }
    free(l.move);
    return err;
}

enum bk_err bk_view_see_passing(struct bk_view *view, const struct bk_pos *p, bool *others,
                                struct bk_report *why)
{
    struct listing l;
    unsigned first = 0;
    enum bk_err err = listing_open(&l, view, p, why);

    if (err)
        return err;
    l.swap = bk_men_swap(view->men.table, p);
    l.n = bk_moves_portion(bk_view_index(view)->v, p, &first, l.move);
    if (first != BK_MOVES_END)
        err = bk_fail(why, BK_E_NO_TABLE, "no table for positions with more than %d moves",
                      BK_MOVES_MAX);
    for (unsigned i = 0; i < l.n && !err; i++) {
        const struct bk_move *m = &l.move[i];

        if (m->to == p->ep && m->takes != BK_SQ_NONE && m->takes != m->to &&
            !append(view, step_of(&l, m)))
            err = bk_no_memory(why);
    }
    view->seen = view->listed = true;
    view->exits = view->moves;
    *others = l.n > view->exits;
    endings_first(view);
    free(l.move);
    return err;
}

void bk_view_play(const struct bk_view *view, struct bk_step_of_men step, struct bk_pos *out)
{
    const struct bk_index *ix = bk_view_index(view);
    const uint8_t *sq = bk_view_squares(view);
    struct bk_move m = { .from = sq[step.by],
                         .to = step.to,
                         .becomes = step.becomes,
                         .takes = step.taken ? sq[step.taken] : BK_SQ_NONE,
                         .also = step.also ? sq[step.also] : BK_SQ_NONE,
                         .castles = step.also && !step.taken,
                         .doubles = step.how & BK_STEP_PASSING,
                         .counted = step.how & BK_STEP_COUNTED };

    bk_men_position(&view->men, out);
    bk_pos_play(out, ix->v, &m);
}

/* == Exits, by either way == */

enum bk_err bk_view_see_some(struct bk_view *view, bool captures, struct bk_report *why)
{
    const struct bk_table_men *of = view->men.table->men;
    bool changes = of->changes[view->men.spot.side];
    uint64_t takes;

    if (view->listed)
        return list_exits(view, why);
    takes = bk_fact_look_takes(&view->look, view->men.spot.side);
    if (captures && !takes && changes)
        return BK_OK;
    view->seen = true;
    if ((takes || changes) && !see_all(view, of, takes))
        return bk_fail(why, BK_E_SYSTEM, "no memory for %u exits", view->exits + 1);
    if (view->bares)
        view->endings = view->takes;
    return BK_OK;
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

/* bk_view_bares() on a board. */
static int bares_on_board(const struct bk_view *view, struct bk_step_of_men exit)
{
    struct bk_pos after;
    int wdl = 0;

    bk_view_play(view, exit, &after);
    bk_pos_bare(bk_view_index(view)->v, &after, &wdl);
    return -wdl;
}

int bk_view_bares(const struct bk_view *view, struct bk_step_of_men exit)
{
    const struct bk_table_men *of = view->men.table->men;
    const struct bk_index *ix = bk_view_index(view);
    struct bk_fact_take take = { exit.by, exit.taken };
    unsigned us = view->men.spot.side, last = 2;

    if (view->listed)
        return bares_on_board(view, exit);
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

/* Begins the moves of man i. */
static void quiet_begin_man(struct bk_quiet *q, unsigned i)
{
    struct bk_view *view = q->view;
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
    q->done = BK_SQ_NONE;
    q->at = bk_reach_from(ix->v, bk_index_type(ix, i), view->men.spot.side,
                          bk_view_squares(view)[i], &q->left);
}

/* Begins the moves of the first man of the side to move from i on; false: there is none. */
static bool quiet_begin_men(struct bk_quiet *q, unsigned i)
{
    const struct bk_index *ix = bk_view_index(q->view);

    while (i < 2 + ix->nslots && bk_index_colour(ix, i) != q->view->men.spot.side)
        i++;
    q->i = i;
    if (i == 2 + ix->nslots)
        return false;
    quiet_begin_man(q, i);
    return true;
}

enum bk_err bk_quiet_begin(struct bk_quiet *q, struct bk_view *view, struct bk_report *why)
{
    q->view = view;
    q->i = view->exits;
    if (view->listed)
        return list_quiet(view, why);
    q->occupied = bk_view_men(view);
    quiet_begin_men(q, 0);
    return BK_OK;
}

/* Returns where a man who moves otherwise than he takes goes next; BK_SQ_NONE: nowhere. */
static unsigned quiet_way(struct bk_quiet *q)
{
    const struct bk_view *view = q->view;
    const struct bk_variant *v = bk_view_index(view)->v;

    for (; q->left; q->left--, q->at++) {
        unsigned to = q->at->to;

        if (!(q->at->how & BK_QUIET) || to == q->done || bk_bits_has(&q->occupied, to) ||
            !bk_reach_open(v, q->at, &q->occupied))
            continue;
        q->done = to; /* sorted: another way is the same move */
        if (stays(view, view->men.table->men, q->i, to) &&
            !bk_fact_look_exposes(&view->look, q->i, to, BK_FACT_NOBODY))
            return to;
    }
    return BK_SQ_NONE;
}

/* Returns where the present man goes next; BK_SQ_NONE: nowhere. */
static unsigned quiet_to(struct bk_quiet *q)
{
    unsigned to;

    if (!q->alike)
        return quiet_way(q);
    do
        to = bk_bits_pop(&q->to);
    while (q->changes && to != BK_SQ_NONE && !stays(q->view, q->view->men.table->men, q->i, to));
    return to;
}

/* Does the present man's move to `to` set an en passant square? */
static bool passes(const struct bk_quiet *q, unsigned to)
{
    const struct bk_view *view = q->view;
    const struct bk_index *ix = bk_view_index(view);

    return view->men.table->men->passes >> q->i & 1 &&
           bk_rules_is_double(ix->v, bk_index_type(ix, q->i), view->men.spot.side,
                              bk_view_squares(view)[q->i], to);
}

bool bk_quiet_next(struct bk_quiet *q, struct bk_step_of_men *step)
{
    const struct bk_view *view = q->view;
    const struct bk_index *ix = bk_view_index(view);
    unsigned to;

    if (view->listed) {
        if (q->i >= view->moves)
            return false;
        *step = view->exit[q->i++];
        return true;
    }
    if (q->i == 2 + ix->nslots)
        return false;
    while ((to = quiet_to(q)) == BK_SQ_NONE)
        if (!quiet_begin_men(q, q->i + 1))
            return false;
    *step = (struct bk_step_of_men){ .by = (uint8_t)q->i,
                                     .to = (uint8_t)to,
                                     .becomes = BK_STAYS,
                                     .how = passes(q, to) ? BK_STEP_PASSING : 0 };
    return true;
}
