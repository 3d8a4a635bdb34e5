/*
 * settle.c - see settle.h.
 *
 * Distances are settled with bounds, as in alpha-beta search.  What a file says
 * of a won position is never too short, so most moves of a lost one need no
 * more than that: the longest found so far is already as long.  An exit of a
 * won one is left as soon as it takes longer than the best.
 *
 * Tables know no en passant square.  It adds captures to the moves of the same
 * position without one; so
 *
 *      value(p) = best of value(p without the square) and its en passant captures   (2)
 *
 * where the first is left out if p without the square has no move: then it is
 * the capture that lifts mate or stalemate.  A capture uses up a pawn, so the
 * captures of (2) never lead back to themselves.
 *
 * Castling rights have no such formula: kings and rooks of the other side may
 * shuffle for ever while a right is kept, so those positions have tables of
 * their own, and a move that ends a right is an exit.
 *
 * In games whose men evolve most positions have exits, and most of those exits
 * again.  Three things keep that small: of a lost position's moves those that
 * are settled by their file alone come first, then those that their file lets
 * hold out longest; a memo keeps what has been found out during a question; and
 * so that such recursion needs little stack, lists of moves lie behind each other
 * in one array of the question, which is on the heap.
 */
#include "table/settle.h"

#include <stdlib.h>
#include <string.h>

#define NO_VALUE (-2)

#define MOVES (BK_MOVES_MAX + 256) /* shared by all open lists; when full, a list has its own */

/* A position and what has been found out about its place in the files. */
struct asked {
    const struct bk_pos *p;
    const struct bk_table *table;
    bool placed;
    struct bk_spot spot; /* in the wdl file */
};

#define DEPTH 16

/* A question. */
struct settling {
    const struct bk_tables *t;
    const struct bk_variant *v;
    struct bk_direct direct;
    unsigned used;  /* of move[] */
    unsigned depth; /* moves made */
    /* by depth: the move that last did best; `from` BK_SQ_NONE: none yet */
    struct bk_move good[DEPTH];
    bool begun; /* the rest is set */
    struct bk_memo memo;
    struct bk_move *move; /* owned, MOVES of them; NULL: no list has been opened */
    uint16_t *bound;      /* behind them, by move: `bound` of latest_by_file() */
};

/* Sets what lists of moves need; most questions are settled without: direct.h. */
static void begin(struct settling *s)
{
    if (s->begun)
        return;
    s->begun = true;
    s->used = s->depth = 0;
    for (unsigned i = 0; i < DEPTH; i++)
        s->good[i].from = BK_SQ_NONE;
}

static bool same_move(const struct bk_move *a, const struct bk_move *b)
{
    return a->from == b->from && a->to == b->to && a->becomes == b->becomes && a->takes == b->takes;
}

/* Puts the move first that last did best at this depth; false: it is not among these. */
static bool good_first(const struct settling *s, struct bk_move *move, unsigned n)
{
    const struct bk_move *good = &s->good[s->depth % DEPTH];

    for (unsigned i = 0; i < n && good->from != BK_SQ_NONE; i++)
        if (same_move(&move[i], good)) {
            struct bk_move swap = move[0];

            move[0] = move[i];
            move[i] = swap;
            return true;
        }
    return false;
}

static void note_good(struct settling *s, const struct bk_move *move)
{
    s->good[s->depth % DEPTH] = *move;
}

/* == Lists of moves == */

/* Up to BK_MOVES_MAX moves, on top of the lists that are open. */
struct list {
    struct bk_move *move;
    uint16_t *bound;
    unsigned n;
    unsigned before;
    void *own; /* NULL: in the question's array */
};

/* Room for n moves, with their bounds behind them; NULL: no memory. */
static struct bk_move *new_moves(size_t n, uint16_t **bound, struct bk_report *why)
{
    struct bk_move *move = malloc(n * (sizeof *move + sizeof **bound));

    *bound = (uint16_t *)(void *)(move + (move ? n : 0));
    if (!move)
        bk_fail(why, BK_E_SYSTEM, "no memory for a list of moves");
    return move;
}

static enum bk_err list_open(struct settling *s, struct list *l, struct bk_report *why)
{
    *l = (struct list){ .before = s->used };
    if (!s->move && !(s->move = new_moves(MOVES, &s->bound, why)))
        return BK_E_SYSTEM;
    if (s->used + BK_MOVES_MAX <= MOVES) {
        l->move = s->move + s->used;
        l->bound = s->bound + s->used;
        return BK_OK;
    }
    l->own = l->move = new_moves(BK_MOVES_MAX, &l->bound, why);
    return l->own ? BK_OK : BK_E_SYSTEM;
}

/* Sets the list's length; lists opened after it begin behind these n. */
static void list_fill(struct settling *s, struct list *l, unsigned n)
{
    l->n = n;
    if (!l->own)
        s->used = l->before + n;
}

static void list_close(struct settling *s, struct list *l)
{
    s->used = l->before;
    free(l->own);
}

/* == What has been found out == */

static bool knows_wdl(struct settling *s, const struct asked *q, int enough, int *wdl)
{
    return bk_memo_wdl(&s->memo, q->table->wdl, q->spot.number << 1 | q->spot.side, enough, wdl);
}

static void note_wdl(struct settling *s, const struct asked *q, int enough, int wdl)
{
    bk_memo_note_wdl(&s->memo, q->table->wdl, q->spot.number << 1 | q->spot.side, enough, wdl);
}

static bool knows_plies(struct settling *s, const struct asked *q, struct bk_window w, int *plies)
{
    return bk_memo_plies(&s->memo, q->table->wdl, q->spot.number << 1 | q->spot.side, w, plies);
}

static void note_plies(struct settling *s, const struct asked *q, struct bk_window w, int plies)
{
    bk_memo_note_plies(&s->memo, q->table->wdl, q->spot.number << 1 | q->spot.side, w, plies);
}

/* == Files == */

static enum bk_err find(const struct settling *s, struct asked *q, struct bk_report *why)
{
    return q->table ? BK_OK : s->t->find(s->t->context, q->p, &q->table, why);
}

/* Finds the position's place in the wdl file. */
static enum bk_err place(struct asked *q, struct bk_report *why)
{
    enum bk_err err = q->placed ? BK_OK : bk_spot_of(&q->spot, q->table, q->table->wdl, q->p, why);

    q->placed = !err;
    return err;
}

/* Sets *wdl to what the wdl file says: -1, 0, +1. */
static enum bk_err stored_wdl(struct asked *q, int *wdl, struct bk_report *why)
{
    struct bk_file *f = q->table->wdl;
    unsigned value = 0;
    enum bk_err err = place(q, why);

    if (!err)
        err = bk_file_value(f, q->spot.side, q->spot.number, &q->spot.at, &value, why);
    if (!err && value > BK_WDL_LOSS)
        err = bk_fail(why, BK_E_CORRUPT, "%s: damaged: value %u of position %llu", bk_file_path(f),
                      value, (unsigned long long)q->spot.number);
    *wdl = BK_WDL_DRAW - (int)value;
    return err;
}

/* Sets *k to what the file of distances says. */
static enum bk_err stored_k(struct asked *q, int *k, struct bk_report *why)
{
    struct bk_file *f = q->table->dtw;
    struct bk_spot own, *spot = &q->spot;
    unsigned value = 0;
    enum bk_err err = BK_OK;

    if (!q->table->same_numbers)
        err = bk_spot_of(spot = &own, q->table, f, q->p, why);
    else
        err = place(q, why);
    if (!err)
        err = bk_file_value(f, spot->side, spot->number, &spot->at, &value, why);
    *k = (int)value;
    return err;
}

/* == By squares alone == */

static enum bk_err wdl_again(void *settling, const struct bk_pos *p, int enough, int *wdl,
                             struct bk_report *why);
static enum bk_err plies_again(void *settling, const struct bk_pos *p, int wdl, struct bk_window w,
                               int *plies, struct bk_report *why);

static void open_question(struct settling *s, const struct bk_tables *t)
{
    s->t = t;
    s->v = t->v;
    s->begun = false;
    s->move = NULL;
    bk_memo_begin(&s->memo);
    bk_direct_begin(&s->direct, t, &s->memo, s);
    s->direct.wdl = wdl_again;
    s->direct.plies = plies_again;
}

static void close_question(struct settling *s) { free(s->move); }

static unsigned visit_begin(const struct bk_tables *t)
{
    return t->cache ? bk_visit_begin(t->cache) : 0;
}

static void visit_end(const struct bk_tables *t, unsigned visit)
{
    if (t->cache)
        bk_visit_end(t->cache, visit);
}

/* == Wins, draws, losses == */

/* As bk_settle_least(), within a question. */
static enum bk_err wdl_of(struct settling *s, struct asked *q, int enough, int *wdl,
                          struct bk_report *why);

/* Raises *best by what the legal ones of n moves bring, until it is `enough`; *missing: one leads
   to a table that is not there. */
static enum bk_err best_of(struct settling *s, const struct bk_pos *p, struct bk_move *move,
                           unsigned n, int enough, int *best, bool *missing, struct bk_report *why)
{
    good_first(s, move, n);
    for (unsigned i = 0; i < n && *best < enough; i++) {
        struct bk_pos after = *p;
        struct asked q = { .p = &after };
        enum bk_err err;
        int wdl = 0;

        bk_pos_play(&after, s->v, &move[i]);
        if (!bk_pos_legal(s->v, &after))
            continue;
        s->depth++;
        err = wdl_of(s, &q, *best == 0 ? 0 : 1, &wdl, why); /* no better than a draw is no gain */
        s->depth--;
        if (err && err != BK_E_NO_TABLE)
            return err;
        *missing |= err == BK_E_NO_TABLE;
        if (!err && -wdl > *best) {
            *best = -wdl;
            note_good(s, &move[i]);
        }
    }
    return BK_OK;
}

static enum bk_err raise_by_file(struct asked *q, int *best, struct bk_report *why)
{
    int stored;
    enum bk_err err = stored_wdl(q, &stored, why);

    if (!err && stored > *best)
        *best = stored;
    return err;
}

/* The exits of a position, in the order in which they are asked. */
struct exits {
    struct list list;
    unsigned baring; /* how many bare a king and so need no file; they come first */
    bool possible, made;
};

/* Can the side to move perhaps take the other's last man, and does that decide the game? */
static bool captures_bare(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_bits men = p->by[!p->stm];

    bk_bits_clear(&men, p->king[!p->stm]);
    return bk_rules_bare_loses(v) && bk_bits_single(&men) &&
           bk_attacked(v, p, bk_bits_first(&men), p->stm);
}

static enum bk_err exits_make(struct settling *s, struct exits *e, const struct bk_pos *p,
                              struct bk_report *why)
{
    enum bk_err err;

    if (e->made)
        return BK_OK;
    err = list_open(s, &e->list, why);
    e->made = !err;
    if (!err)
        list_fill(s, &e->list, bk_moves_exits(s->v, p, e->list.move));
    return err;
}

static void exits_drop(struct settling *s, struct exits *e)
{
    if (e->made)
        list_close(s, &e->list);
}

/* Finds out whether exits are possible, and lists them if one may bare a king.  exits_drop() must
   follow. */
static enum bk_err exits_begin(struct settling *s, struct exits *e, const struct bk_pos *p,
                               const struct bk_file *f, struct bk_report *why)
{
    enum bk_err err;

    e->baring = 0;
    e->made = false;
    e->possible = !bk_file_info(f)->standalone && bk_exits_may_be(s->v, p);
    if (!e->possible || !captures_bare(s->v, p))
        return BK_OK;
    err = exits_make(s, e, p, why);
    for (unsigned i = 0; !err && i < e->list.n; i++)
        if (e->list.move[i].takes != BK_SQ_NONE) {
            struct bk_move swap = e->list.move[e->baring];

            e->list.move[e->baring++] = e->list.move[i];
            e->list.move[i] = swap;
        }
    return err;
}

/* Raises *best by the exits that bare a king. */
static enum bk_err best_baring(struct settling *s, const struct asked *q, struct exits *e,
                               int enough, int *best, bool *missing, struct bk_report *why)
{
    if (!e->baring)
        return BK_OK;
    return best_of(s, q->p, e->list.move, e->baring, enough, best, missing, why);
}

/* Raises *best by the other exits, unless the memo has the result. */
static enum bk_err best_others(struct settling *s, const struct asked *q, struct exits *e,
                               int enough, int *best, bool *missing, struct bk_report *why)
{
    int known;
    enum bk_err err;

    if (knows_wdl(s, q, enough, &known)) {
        *best = known;
        return BK_OK;
    }
    err = exits_make(s, e, q->p, why);
    if (!err)
        err = best_of(s, q->p, e->list.move + e->baring, e->list.n - e->baring, enough, best,
                      missing, why);
    if (!err && !*missing)
        note_wdl(s, q, enough, *best);
    return err;
}

/* (1), by lists of exits. */
static enum bk_err wdl_by_exits(struct settling *s, struct asked *q, int enough, int *wdl,
                                struct bk_report *why)
{
    struct exits e;
    int best = NO_VALUE;
    bool missing = false;
    enum bk_err err;

    begin(s);
    err = exits_begin(s, &e, q->p, q->table->wdl, why);
    if (!err)
        err = best_baring(s, q, &e, enough, &best, &missing, why);
    if (!err && best < enough)
        err = raise_by_file(q, &best, why);
    if (!err && best < enough && e.possible)
        err = best_others(s, q, &e, enough, &best, &missing, why);
    exits_drop(s, &e);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

/* Tries squares alone.  *done: they were enough, or it failed.  The table is known.  Not inline, so
   that a long chain of exits settled by lists keeps no views on the stack. */
static __attribute__((noinline)) enum bk_err wdl_direct(struct settling *s, const struct asked *q,
                                                        int enough, int *wdl, bool *done,
                                                        struct bk_report *why)
{
    struct bk_view view;
    enum bk_err err = bk_view_begin(&view, &s->direct.way, q->table, q->p, why);

    *done = err || view.direct;
    return err || !view.direct ? err : bk_direct_least(&s->direct, &view, enough, wdl, why);
}

/* (1), of a position without en passant square that no bare king decides. */
static enum bk_err wdl_without(struct settling *s, struct asked *q, int enough, int *wdl,
                               struct bk_report *why)
{
    bool done = true;
    enum bk_err err = find(s, q, why);

    if (!err)
        err = wdl_direct(s, q, enough, wdl, &done, why);
    return done ? err : wdl_by_exits(s, q, enough, wdl, why);
}

/* Does the move end on the en passant square and take elsewhere? */
static bool is_en_passant(const struct bk_pos *p, const struct bk_move *m)
{
    return m->to == p->ep && m->takes != BK_SQ_NONE && m->takes != m->to;
}

/* The en passant captures of p; and whether it has another legal move. */
static enum bk_err passing(struct settling *s, const struct bk_pos *p, struct list *l, bool *others,
                           struct bk_report *why)
{
    unsigned first = 0, all = bk_moves_portion(s->v, p, &first, l->move), n = 0;

    if (first != BK_MOVES_END) /* no table has such a position */
        return bk_fail(why, BK_E_NO_TABLE, "no table for positions with more than %d moves",
                       BK_MOVES_MAX);
    for (unsigned i = 0; i < all; i++)
        if (is_en_passant(p, &l->move[i]))
            l->move[n++] = l->move[i];
    *others = all > n;
    list_fill(s, l, n);
    return BK_OK;
}

/* The two sides of (2): the position without its square, and the captures that it adds. */
struct two {
    struct bk_pos without;
    bool counts; /* the first side of (2) counts: else the captures lift mate or stalemate */
    struct list captures;
};

/* two_close() must follow, if there is no error. */
static enum bk_err two_open(struct settling *s, struct two *two, const struct bk_pos *p,
                            struct bk_report *why)
{
    bool others = false;
    enum bk_err err;

    begin(s);
    if ((err = list_open(s, &two->captures, why)) != BK_OK)
        return err;
    if ((err = passing(s, p, &two->captures, &others, why)) != BK_OK) {
        list_close(s, &two->captures);
        return err;
    }
    two->without = *p;
    two->without.ep = BK_SQ_NONE;
    two->counts = others || !two->captures.n;
    return BK_OK;
}

static void two_close(struct settling *s, struct two *two) { list_close(s, &two->captures); }

/* (2) */
static enum bk_err wdl_passing(struct settling *s, const struct bk_pos *p, int enough, int *wdl,
                               struct bk_report *why)
{
    struct two two;
    struct asked q = { .p = &two.without };
    bool missing = false;
    int best = NO_VALUE;
    enum bk_err err = two_open(s, &two, p, why);

    if (err)
        return err;
    if (two.counts)
        err = wdl_without(s, &q, enough, &best, why);
    if (!err)
        err = best_of(s, p, two.captures.move, two.captures.n, enough, &best, &missing, why);
    two_close(s, &two);
    *wdl = best;
    return !err && missing && best < enough ? BK_E_NO_TABLE : err;
}

static enum bk_err wdl_of(struct settling *s, struct asked *q, int enough, int *wdl,
                          struct bk_report *why)
{
    if (!bk_pos_none_bare(q->p) && bk_pos_bare(s->v, q->p, wdl) != BK_END_NONE)
        return BK_OK;
    if (q->p->ep == BK_SQ_NONE)
        return wdl_without(s, q, enough, wdl, why);
    return wdl_passing(s, q->p, enough, wdl, why);
}

static enum bk_err wdl_again(void *settling, const struct bk_pos *p, int enough, int *wdl,
                             struct bk_report *why)
{
    struct asked q = { .p = p };

    return wdl_of(settling, &q, enough, wdl, why);
}

enum bk_err bk_settle_least(const struct bk_tables *t, const struct bk_pos *p, int enough, int *wdl,
                            struct bk_report *why)
{
    struct settling s;
    struct asked q = { .p = p };
    unsigned visit = visit_begin(t);
    enum bk_err err;

    open_question(&s, t);
    err = wdl_of(&s, &q, enough, wdl, why);
    close_question(&s);
    visit_end(t, visit);
    return err;
}

enum bk_err bk_settle_wdl(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                          struct bk_report *why)
{
    return bk_settle_least(t, p, 1, wdl, why);
}

/* == Distances == */

static enum bk_err loss_plies(struct settling *s, struct asked *q, struct bk_window w, int *out,
                              struct bk_report *why);

/* Lowers *best to the fewest plies in which one of the n moves wins. */
static enum bk_err soonest_of(struct settling *s, const struct bk_pos *p, struct bk_move *move,
                              unsigned n, struct bk_window w, int *best, struct bk_report *why)
{
    good_first(s, move, n);
    for (unsigned i = 0; w.low < *best && i < n; i++) {
        struct bk_pos after = *p;
        struct asked q = { .p = &after };
        int wdl = 0, plies = 0, high = *best < w.high ? *best : w.high;
        enum bk_err err = BK_OK;

        bk_pos_play(&after, s->v, &move[i]);
        if (!bk_pos_legal(s->v, &after))
            continue;
        s->depth++;
        if (bk_pos_bare(s->v, &after, &wdl) == BK_END_NONE) {
            err = wdl_of(s, &q, 0, &wdl, why);
            if (!err && wdl < 0)
                err = loss_plies(s, &q, (struct bk_window){ w.low - 1, high - 1 }, &plies, why);
        }
        s->depth--;
        if (err)
            return err;
        if (wdl < 0 && plies + 1 < *best) {
            *best = plies + 1;
            note_good(s, &move[i]);
        }
    }
    return BK_OK;
}

static enum bk_err lower_by_file(struct asked *q, int *best, struct bk_report *why)
{
    int k;
    enum bk_err err = stored_k(q, &k, why);

    if (!err && 2 * k + 1 < *best)
        *best = 2 * k + 1;
    return err;
}

/* Lowers *best, the fewest plies by all else, by the exits of a won position that bare no king. */
static enum bk_err soonest_others(struct settling *s, struct asked *q, struct exits *e,
                                  struct bk_window w, int *best, struct bk_report *why)
{
    enum bk_err err = place(q, why);
    int known;

    if (err)
        return err;
    if (knows_plies(s, q, w, &known)) {
        *best = known;
        return BK_OK;
    }
    err = exits_make(s, e, q->p, why);
    if (!err)
        err = soonest_of(s, q->p, e->list.move + e->baring, e->list.n - e->baring, w, best, why);
    if (!err)
        note_plies(s, q, w, *best);
    return err;
}

static enum bk_err has_distances(const struct settling *s, struct asked *q, struct bk_report *why)
{
    enum bk_err err = find(s, q, why);

    return err || q->table->dtw ? err : bk_table_no_distances(q->table, why);
}

/* As wdl_direct(), for plies. */
static __attribute__((noinline)) enum bk_err plies_direct(struct settling *s, const struct asked *q,
                                                          int wdl, struct bk_window w, int *out,
                                                          bool *done, struct bk_report *why)
{
    struct bk_view view;
    enum bk_err err = bk_view_begin(&view, &s->direct.way, q->table, q->p, why);

    *done = err || view.direct;
    return err || !view.direct ? err : bk_direct_plies(&s->direct, &view, wdl, w, out, why);
}

/* The plies of a won position that is not over and has no en passant square. */
static enum bk_err win_without(struct settling *s, struct asked *q, struct bk_window w, int *out,
                               struct bk_report *why)
{
    struct exits e;
    bool done = true;
    enum bk_err err = has_distances(s, q, why);

    if (!err)
        err = plies_direct(s, q, 1, w, out, &done, why);
    if (done)
        return err;
    begin(s);
    *out = BK_ENDLESS;
    err = exits_begin(s, &e, q->p, q->table->dtw, why);
    if (!err && e.baring)
        err = soonest_of(s, q->p, e.list.move, e.baring, w, out, why);
    if (!err && *out > w.low && *out > 1)
        err = lower_by_file(q, out, why);
    if (!err && *out > w.low && *out > 1 && e.possible)
        err = soonest_others(s, q, &e, w, out, why);
    exits_drop(s, &e);
    return err;
}

/* (2) of a won position */
static enum bk_err win_passing(struct settling *s, const struct bk_pos *p, struct bk_window w,
                               int *out, struct bk_report *why)
{
    struct two two;
    struct asked q = { .p = &two.without };
    int wdl = 0;
    enum bk_err err = two_open(s, &two, p, why);

    if (err)
        return err;
    *out = BK_ENDLESS;
    if (two.counts)
        err = wdl_without(s, &q, 1, &wdl, why);
    if (!err && wdl > 0)
        err = win_without(s, &q, w, out, why);
    if (!err)
        err = soonest_of(s, p, two.captures.move, two.captures.n, w, out, why);
    two_close(s, &two);
    return err;
}

static enum bk_err win_plies(struct settling *s, struct asked *q, struct bk_window w, int *out,
                             struct bk_report *why)
{
    if (q->p->ep != BK_SQ_NONE)
        return win_passing(s, q->p, w, out, why);
    return win_without(s, q, w, out, why);
}

/* Does the move surely leave the material as it is? */
static bool is_quiet(const struct bk_pos *p, const struct bk_move *m)
{
    return m->takes == BK_SQ_NONE && m->becomes == BK_STAYS && !p->rights;
}

/* Plays a move of a lost position; a quiet one stays in its table. */
static struct asked play(const struct settling *s, struct bk_pos *after, const struct asked *q,
                         const struct bk_move *m)
{
    *after = *q->p;
    bk_pos_play(after, s->v, m);
    return (struct asked){ .p = after, .table = is_quiet(q->p, m) ? q->table : NULL };
}

/* Raises *best by what a move brings: one ply more than it lets the winner take. */
static enum bk_err latest_by(struct settling *s, const struct asked *q, const struct bk_move *m,
                             struct bk_window w, int *best, struct bk_report *why)
{
    struct bk_pos pos;
    struct asked after = play(s, &pos, q, m);
    int plies = 0, wdl, low = *best > w.low ? *best : w.low;
    enum bk_err err = BK_OK;

    s->depth++;
    if (after.table || bk_pos_bare(s->v, &pos, &wdl) == BK_END_NONE)
        err = win_plies(s, &after, (struct bk_window){ low - 1, w.high - 1 }, &plies, why);
    s->depth--;
    if (!err && plies + 1 > *best) {
        *best = plies + 1;
        note_good(s, m);
    }
    return err;
}

/*
 * As latest_by(), where the file alone says what the move brings; then *bound is 0.  Else *best
 * stays, and *bound is the most plies that the position after the move may take, or BK_ENDLESS.
 */
static enum bk_err latest_by_file(struct settling *s, const struct asked *q,
                                  const struct bk_move *m, struct bk_window w, int *best,
                                  int *bound, struct bk_report *why)
{
    struct bk_pos pos;
    struct asked after = play(s, &pos, q, m);
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
    if (exits && captures_bare(s->v, &pos)) /* may end it at once: no file is needed */
        return BK_OK;
    err = stored_k(&after, &k, why);
    *bound = exits && 2 * k + 2 > low ? 2 * k + 1 : 0;
    if (!err && !*bound && 2 * k + 2 > *best)
        *best = 2 * k + 2;
    return err;
}

/* Sorts moves, the largest bound first. */
static void list_sort(struct list *l)
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
static enum bk_err latest_of(struct settling *s, const struct asked *q, struct list *l,
                             struct bk_window w, int *best, struct bk_report *why)
{
    unsigned left = 0, tried = 0;
    enum bk_err err = BK_OK;

    if (w.high < BK_ENDLESS && good_first(s, l->move, l->n)) { /* that may be enough */
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
static enum bk_err loss_by_moves(struct settling *s, struct asked *q, struct bk_window w, int *out,
                                 struct bk_report *why)
{
    bool remembered = q->p->ep == BK_SQ_NONE;
    struct list l;
    enum bk_err err = remembered ? place(q, why) : BK_OK;

    if (err || (remembered && knows_plies(s, q, w, out)))
        return err;
    err = list_open(s, &l, why);
    if (err)
        return err;
    *out = 0;
    list_fill(s, &l, bk_moves_legal(s->v, q->p, l.move));
    err = latest_of(s, q, &l, w, out, why);
    list_close(s, &l);
    if (!err && remembered)
        note_plies(s, q, w, *out);
    return err;
}

/* The plies of a lost position that no bare king decides. */
static enum bk_err loss_plies(struct settling *s, struct asked *q, struct bk_window w, int *out,
                              struct bk_report *why)
{
    bool done = true;
    enum bk_err err = has_distances(s, q, why);
    int k = 0;

    *out = 0;
    if (!err && q->p->ep == BK_SQ_NONE)
        err = plies_direct(s, q, -1, w, out, &done, why);
    if (err || (done && q->p->ep == BK_SQ_NONE))
        return err;
    begin(s);
    if (!bk_file_info(q->table->dtw)->standalone || q->p->ep != BK_SQ_NONE)
        return loss_by_moves(s, q, w, out, why);
    err = stored_k(q, &k, why);
    *out = 2 * k;
    return err;
}

static enum bk_err plies_again(void *settling, const struct bk_pos *p, int wdl, struct bk_window w,
                               int *plies, struct bk_report *why)
{
    struct settling *s = settling;
    struct asked q = { .p = p };
    int by_rule;

    *plies = 0;
    if (bk_pos_bare(s->v, p, &by_rule) != BK_END_NONE)
        return BK_OK;
    return wdl > 0 ? win_plies(s, &q, w, plies, why) : loss_plies(s, &q, w, plies, why);
}

/* As wdl_direct(), for wdl and plies from one look. */
static __attribute__((noinline)) enum bk_err both_direct(struct settling *s, const struct asked *q,
                                                         int *wdl, int *plies, bool *done,
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
static enum bk_err both(struct settling *s, struct asked *q, int *wdl, int *plies,
                        struct bk_report *why)
{
    struct bk_window all = { -1, BK_ENDLESS };
    bool done = false;
    enum bk_err err = BK_OK;

    if (q->p->ep == BK_SQ_NONE) {
        err = find(s, q, why);
        if (!err)
            err = both_direct(s, q, wdl, plies, &done, why);
        if (err || done)
            return err;
    }
    err = wdl_of(s, q, 1, wdl, why);
    if (!err && *wdl)
        err = find(s, q, why);
    if (err || !*wdl || bk_table_lacks_distances(q->table))
        return err;
    return *wdl > 0 ? win_plies(s, q, all, plies, why) : loss_plies(s, q, all, plies, why);
}

enum bk_err bk_settle(const struct bk_tables *t, const struct bk_pos *p, int *wdl, int *plies,
                      struct bk_report *why)
{
    struct settling s;
    struct asked q = { .p = p };
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
    struct settling s;
    unsigned visit = visit_begin(t);
    enum bk_err err;

    open_question(&s, t);
    err = plies_again(&s, p, wdl, window, plies, why);
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
    struct settling s;
    struct asked q = { .p = p };
    struct bk_view root;
    struct telling to = { .root = &root, .visit = visit, .context = context };
    unsigned at;
    bool told = false;

    if (p->ep != BK_SQ_NONE || p->rights)
        return false;
    at = visit_begin(t);
    open_question(&s, t);
    if (!find(&s, &q, NULL) && !bk_view_root(&root, q.table, p, NULL) && root.direct) {
        to.swap = bk_men_swap(q.table, p);
        told = bk_direct_moves(&s.direct, &root, distances, tell_move, &to);
    }
    close_question(&s);
    visit_end(t, at);
    return told;
}
