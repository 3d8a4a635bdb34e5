/*
 * ply.h - the passes of a ply: mates, then wins and losses in turn.
 */
#ifndef BK_KERNEL_PLY_H
#define BK_KERNEL_PLY_H

#include "tb/kernel/moves.h"
#include "tb/memory/notes.h"

/* == What is to be done where == */

static inline _Atomic uint8_t *todo_of(const struct bk_state *st, unsigned side, bool to_win,
                                       uint32_t slice)
{
    /* lose() sets what win() of the next ply takes */
    uint32_t by = st->losing ? st->ply : st->ply - 1;

    return bk_state_slice(st, to_win ? bk_todo_win_of(by) : BK_TODO_LOSE, side, slice);
}

static inline void set_todo(const struct bk_state *st, unsigned side, bool to_win, uint32_t slice)
{
    atomic_store_explicit(todo_of(st, side, to_win, slice), 1, memory_order_relaxed);
}

/* Returns whether the next pass has anything to do in the slice, and clears that. */
static inline bool take_todo(const struct bk_state *st, unsigned side, bool to_win, uint32_t slice)
{
    _Atomic uint8_t *todo = todo_of(st, side, to_win, slice);

    if (!atomic_load_explicit(todo, memory_order_relaxed))
        return false;
    atomic_store_explicit(todo, 0, memory_order_relaxed);
    return true;
}

/*
 * Notes that this slice has new results: `side` may move into them from here,
 * and from where its king comes from.  Bytes are only ever set to 1 in a pass.
 */
static void wake(const struct ctx *c, unsigned side, bool to_win)
{
    const struct bk_king_moves *kings = c->s->kings;
    const uint32_t *first = kings->back_first[side] + c->slice;

    set_todo(c->st, side, to_win, c->slice);
    for (uint32_t i = first[0]; i < first[1]; i++)
        set_todo(c->st, side, to_win, kings->back[side][i]);
}

/* == A pass over a slice == */

/* What a pass over a slice works with. */
struct sweep {
    const struct bk_setup *s;
    struct bk_state *st;
    struct scratch *w;
    uint32_t slice;
    unsigned side, k;
    uint64_t due; /* the bit of this ply, if anything in the slice waits for it */
    lanes *won, *undecided, *open, *fresh, *later;
    uint64_t *marks; /* of `fresh` */
    uint8_t *any;
    const uint64_t *waits; /* by configuration */
    const uint16_t *delay; /* by vector */
    char *dtw;             /* of the slice; NULL: distances are noted elsewhere, or not at all */
    bool found;
};

/* Lets the processor find out where the pages of an array lie, all at once, some time before they
   are used: one after the other, each would hold it up for as long as memory takes. */
static inline void look_up_pages(const char *at, size_t bytes)
{
    const size_t page = 4096; /* or more: then some are looked up in vain, which costs little */

    for (size_t i = 0; i < bytes; i += page)
        __builtin_prefetch(at + i, 1);
}

static struct sweep begin_sweep(struct bk_solver *b, void *scratch, uint32_t slice, unsigned side,
                                bool losses)
{
    const struct bk_setup *s = b->setup;
    struct bk_state *st = &b->state;
    struct sweep p = {
        .s = s,
        .st = st,
        .w = enter(b, slice, scratch),
        .slice = slice,
        .side = side,
        .k = bk_state_k(st),
        .due = bk_state_due(st, side, losses, slice),
        .won = sets_of(st, BK_WON, side, slice),
        .undecided = sets_of(st, BK_UNDECIDED, side, slice),
        .open = s->compact ? NULL : sets_of(st, BK_OPEN, side, slice),
        .fresh = sets_of(st, losses ? bk_losses_of(st->ply) : BK_WINS, side, slice),
        .marks = bk_state_slice(st, losses ? bk_loss_marks_of(st->ply) : BK_WIN_MARKS, side, slice),
        .any = bk_state_slice(st, losses ? bk_any_loss_of(st->ply) : BK_ANY_WIN, side, slice),
    };

    if (s->distances)
        p.delay = bk_state_slice(st, BK_DELAYS, side, slice);
    if (s->ledger)
        p.later = sets_of(st, BK_LATER, side, slice);
    else if (s->distances) {
        p.waits = bk_state_slice(st, BK_WAITS, side, slice);
        p.dtw = bk_state_slice(st, BK_DTW, side, slice);
        if (s->nmarks <= FETCHED_MARKS_MAX)
            look_up_pages(p.dtw, st->slice_bytes[BK_DTW]);
    }
    return p;
}

/* The numbers stored for a configuration. */
static inline void *row_of(const struct sweep *p, uint32_t conf)
{
    return p->dtw + (size_t)conf * p->s->width * p->s->dtw_bytes;
}

/* Appends the rows of the positions x of a vector to `rows`, and prefetches three rows: as many as
   usually come at a time, without a branch that is hard to predict. */
static inline void list_rows(const struct sweep *p, struct rows *rows, uint32_t vector, lanes x)
{
    rows->n += lanes_list(rows->squares + rows->n, rows->conf + rows->n, x, vector * LANES);
    for (unsigned i = 0; i < 3; i++) {
        __builtin_prefetch(row_of(p, rows->conf[rows->fetched]), 1);
        rows->fetched += rows->fetched < rows->n;
    }
}

/* Empties a frontier: what is not marked is not read, so the sets may stay as they are. */
static void clear_frontier(const struct bk_solver *b, unsigned side, bool losses, uint32_t slice)
{
    const struct bk_state *st = &b->state;
    uint8_t *any_of =
        bk_state_slice(st, losses ? bk_any_loss_of(st->ply) : BK_ANY_WIN, side, slice);

    if (!*any_of)
        return;
    *any_of = 0;
    memset(bk_state_slice(st, losses ? bk_loss_marks_of(st->ply) : BK_WIN_MARKS, side, slice), 0,
           b->setup->nmarks * sizeof(uint64_t));
}

/* == Stored numbers k == */

/* Lists positions x of a configuration that an exit wins at this ply. */
static inline void list_as_soon(struct scratch *w, uint32_t conf, set x)
{
    w->soon.conf[w->soon.n] = conf;
    w->soon.squares[w->soon.n] = x;
    w->soon.n += any(x);
}

/* Stores k for the positions x of a configuration. */
static inline void store_k(const struct sweep *p, uint32_t conf, set x, unsigned k)
{
    void *row = row_of(p, conf);

    if (p->s->dtw_bytes == 1) {
        put_where(row, p->s->width, x, k);
        return;
    }
    EACH (sq, x)
        dtw_put(p->s, row, sq, k);
}

/* Stores k for all positions that are listed as found; the list is then empty. */
static void store_found(const struct sweep *p)
{
    struct rows *rows = &p->w->found;

    for (uint32_t i = 0; i < rows->n; i++)
        store_k(p, rows->conf[i], rows->squares[i], p->k);
    rows->n = rows->fetched = 0;
}

/* After store_found(): stores k with a mark for the positions that an exit wins as soon. */
static void store_as_soon(const struct sweep *p)
{
    struct soon *soon = &p->w->soon;
    unsigned marked = p->k | (p->s->dtw_bytes == 1 ? DTW_AS_SOON8 : DTW_AS_SOON16);

    for (uint32_t i = 0; i < soon->n; i++)
        store_k(p, soon->conf[i], soon->squares[i], marked);
    soon->n = 0;
}

/* Returns the squares of x whose number in a row is k; stored_later(): larger than k. */
static inline set stored(const struct bk_setup *s, const void *row, set x, unsigned k)
{
    set found = NONE;

    if (s->dtw_bytes == 1)
        return where_is(row, s->width, x, k, false);
    EACH (sq, x)
        if (dtw_get(s, row, sq) == k)
            found |= bit(sq);
    return found;
}

static inline set stored_later(const struct bk_setup *s, const void *row, set x, unsigned k)
{
    set found = NONE;

    if (s->dtw_bytes == 1)
        return where_is(row, s->width, x, k, true);
    EACH (sq, x)
        if (dtw_get(s, row, sq) > k)
            found |= bit(sq);
    return found;
}

/* Adds to w->acc the positions, among the rows listed, that have waited for this ply: they are
   looked at whatever moved.  In win() they have won by an exit. */
static void rouse_listed(const struct sweep *p)
{
    struct rows *rows = &p->w->due;
    bool attains = p->s->exits_once && !p->st->losing;

    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t conf = rows->conf[i];
        set due = stored(p->s, row_of(p, conf), rows->squares[i], p->k);

        if (attains)
            list_as_soon(p->w, conf, due);
        ((set *)p->w->acc)[conf] |= due;
        p->w->dirty[conf / LANES / 64] |= (uint64_t)any(due) << conf / LANES % 64;
    }
    rows->n = rows->fetched = 0;
}

/* Marks in w->due_in the vectors in which something has waited for this ply, and prefetches what
   list_due() needs of them. */
static void find_due(const struct sweep *p, bool losses)
{
    const struct bk_setup *s = p->s;
    const uint64_t *waits = vector_waits_of(s, p->st, p->side, losses, p->slice);

    for (uint32_t i = 0; i < s->nmarks; i++) {
        uint64_t due = 0;

        for (uint32_t first = 64 * i; first < s->nvec && first < 64 * (i + 1); first += 8)
            due |= (uint64_t)masks_with(waits + first, s->nvec - first < 8 ? s->nvec - first : 8,
                                        p->due)
                   << first % 64;
        p->w->due_in[i] = due;
    }
    EACH_MARKED (vector, p->w->due_in, s->nmarks) {
        __builtin_prefetch(p->waits + (size_t)vector * LANES);
        __builtin_prefetch(&p->undecided[vector]);
        __builtin_prefetch(&p->open[vector]);
    }
}

/*
 * Lists the configurations in which something has waited for this ply, with the positions that an
 * exit may win, or, for losses, that no exit saves.  Their stored numbers are read after the
 * un-moves.
 */
static void list_due(const struct sweep *p, bool losses)
{
    const struct bk_setup *s = p->s;

    EACH_MARKED (vector, p->w->due_in, s->nmarks) {
        unsigned confs = masks_with(p->waits + (size_t)vector * LANES, LANES, p->due);
        lanes from = p->undecided[vector] & (losses ? p->open[vector] : ~p->open[vector]);

        if (p->w->due.n > ROWS_MAX - LANES)
            rouse_listed(p);
        list_rows(p, &p->w->due, (uint32_t)vector, lanes_only(from, words_of_lanes(confs)));
    }
}

/* The positions among a vector's x, all of whose quiet moves are refuted, that a losing exit
   delays. */
static lanes delayed(const struct sweep *p, uint32_t vector, lanes x)
{
    unsigned words = lanes_words(x);
    lane_sets late;

    if (p->later)
        return x & p->later[vector];
    *(lanes *)late = x;
    EACH_LANE (i, words)
        late[i] = stored_later(p->s, row_of(p, vector * LANES + i), late[i], p->k);
    return *(const lanes *)late;
}

/*
 * Puts off positions whose quiet moves are all refuted, but whose losing exit
 * takes longer: they come back at its ply.  With a ledger all positions with
 * such an exit come back, refuted or not; only the last of these plies is
 * noted.
 */
static void defer(struct sweep *p, uint32_t vector, lanes late)
{
    lane_sets x;
    unsigned words = lanes_words(late);

    if (p->later) {
        bk_raise_to(&p->st->last_wait, p->delay[vector]);
        return;
    }
    *(lanes *)x = late;
    EACH_LANE (i, words)
        EACH (sq, x[i]) {
            unsigned k = dtw_get(p->s, row_of(p, vector * LANES + i), sq);

            note_wait(&p->w->ctx, p->st, p->side, true, vector * LANES + i, bk_wait_bit(k), k);
        }
}

/* == Results == */

/* Returns the positions of a vector that are undecided and that no exit saves. */
static inline lanes still_open(const struct sweep *p, uint32_t vector)
{
    return p->undecided[vector] & (p->s->compact ? ~p->won[vector] : p->open[vector]);
}

/* Notes that positions x of a vector cannot be lost any more. */
static inline void save(struct sweep *p, uint32_t vector, lanes x)
{
    if (p->s->compact)
        p->won[vector] |= x;
    else
        p->open[vector] &= ~x;
}

/* Enters new results of a vector: no longer undecided, and next ply's frontier. */
static inline void add_fresh(struct sweep *p, uint32_t vector, lanes add)
{
    if (p->dtw) {
        if (p->w->found.n > ROWS_MAX - LANES)
            store_found(p);
        list_rows(p, &p->w->found, vector, add);
    }
    p->undecided[vector] &= ~add;
    p->fresh[vector] = add;
    mark(p->marks, vector);
    p->found = true;
}

/* Returns whether the pass has found anything.  If so, the next one has to look at all slices from
   where the opponent of `side` comes here. */
static bool end_sweep(struct sweep *p, bool to_win)
{
    if (!p->found)
        return false;
    store_found(p);
    store_as_soon(p);
    *p->any = 1;
    wake(&p->w->ctx, !p->side, to_win);
    return true;
}

/* == What a ledger has == */

/*
 * Adds the positions of `notes`, whose exit counts at this ply, to w->acc, for
 * the pass that comes next with the same scratch: they are looked at whatever
 * moved.
 */
static void ripen(struct bk_solver *b, uint32_t slice, unsigned side, bool losses,
                  const uint8_t *notes, size_t bytes, void *scratch)
{
    struct sweep p = begin_sweep(b, scratch, slice, side, losses);
    const uint8_t *end = notes + bytes;
    uint32_t vector, next = 0;
    bool some = false;
    uint64_t word[8];

    while (bk_note_take(&notes, end, &next, &vector, word) && vector < p.s->nvec) {
        lanes x, ripe;

        memcpy(&x, word, sizeof x);
        ripe = x & (losses ? still_open(&p, vector) : p.undecided[vector]);
        if (losses)
            p.later[vector] &= ~x;
        if (!lanes_any(ripe))
            continue;
        p.w->acc[vector] = ripe;
        mark(p.w->dirty, vector);
        some = true;
    }
    if (some)
        set_todo(p.st, side, !losses, slice);
}

/* == Equal men == */

/*
 * Of two configurations in which equal men have changed places one is solved, the sorted one: moves
 * there what un-moves reach of the other, the spare one.  Wins of the sorted one are copied to the
 * spare one (tell_twins()), since an escape looks at the configuration that a move leads to.
 */
static void sort_reached(struct scratch *w)
{
    const struct bk_setup *s = w->ctx.s;
    set *acc = (set *)w->acc;

    if (!s->conf.sorted)
        return;
    EACH_MARKED (vector, w->dirty, s->nmarks) {
        unsigned words = lanes_words(w->acc[vector]) & s->conf.spare[vector];

        EACH_LANE (i, words) {
            uint32_t conf = (uint32_t)vector * LANES + i, sorted = s->conf.sorted[conf];

            acc[sorted] |= acc[conf];
            acc[conf] = NONE;
            mark(w->dirty, sorted / LANES);
        }
    }
}

/* Copies the wins of a vector, after `add` was entered, to the twins of its configurations. */
static void tell_twins(const struct sweep *p, uint32_t vector, lanes add)
{
    const uint32_t *twin = p->s->conf.twin;
    unsigned words = twin ? lanes_words(add) : 0;
    lane_sets won;

    *(lanes *)won = p->won[vector] & ~p->undecided[vector];
    EACH_LANE (i, words)
        for (uint32_t conf = twin[vector * LANES + i]; conf < p->s->nconf; conf = twin[conf])
            ((set *)p->won)[conf] = won[i];
}

/* == The passes == */

/* Enters stalemates that win: the mover claims them with the next ply, as he wins by an exit. */
BK_SELDOM static void claim(struct sweep *p, uint32_t vector, lanes x)
{
    if (!lanes_any(x))
        return;
    save(p, vector, x);
    sets_of(p->st, BK_WINS, p->side, p->slice)[vector] |= x;
    mark(bk_state_slice(p->st, BK_WIN_MARKS, p->side, p->slice), vector);
    *(uint8_t *)bk_state_slice(p->st, BK_ANY_WIN, p->side, p->slice) = 1;
}

/* Ply 0, the mates and stalemates: no escape at all, before anything else is won. */
static bool mated(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch)
{
    const struct bk_setup *s = b->setup;
    struct sweep p = begin_sweep(b, scratch, slice, side, true);
    const struct ctx *c = &p.w->ctx;

    find_near(p.w, side);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        /* set by init(): the best exit is a losing one */
        lanes losing = p.later ? p.later[vector] : p.fresh[vector];
        lanes stuck = still_open(&p, vector), lost;

        if (!lanes_any(stuck))
            continue;
        drop_escapes(p.w, vector, side, &stuck);
        /* the mover is in check where the opponent has won so far: he could take the king */
        lost = stuck & ~losing;
        if (s->stalemate[side] >= 0) {
            lanes check = won_lanes(won_in(c, c->st, !side, slice), vector);

            if (s->stalemate[side] > 0)
                claim(&p, vector, lost & ~check);
            else if (!s->exits_once) /* else BK_OPEN tells of exits alone; nothing comes back to
                                        these positions anyway */
                save(&p, vector, lost & ~check);
            lost &= check;
        }
        if (!lanes_any(stuck & losing)) /* these are lost, too: all they have are losing exits */
            ;
        else if (s->distances)
            defer(&p, vector, stuck & losing);
        else
            lost |= stuck & losing;
        if (lanes_any(lost))
            add_fresh(&p, vector, lost);
    }
    return end_sweep(&p, true);
}

/* Adds the wins by an exit in one ply, which init() left in the frontier, to w->acc. */
static void begin_with_exits(const struct sweep *p)
{
    EACH_MARKED (vector, p->marks, p->s->nmarks) {
        lane_sets won;
        unsigned words = p->s->exits_once ? lanes_words(p->fresh[vector]) : 0;

        *(lanes *)won = p->w->acc[vector] = p->fresh[vector];
        mark(p->w->dirty, (uint32_t)vector);
        EACH_LANE (i, words)
            list_as_soon(p->w, (uint32_t)vector * LANES + i, won[i]);
    }
}

/*
 * Where captures are forced, after the un-moves: takes out of w->acc what quiet moves reach, and
 * puts back, at the first ply, wins by an exit.  Only then list_due(): if many wait for this ply it
 * adds some of them to w->acc itself, and these must stay.  BK_FORCED knows sorted configurations
 * alone.
 */
BK_SELDOM static void drop_forced(const struct sweep *p, bool losses, bool first_ply)
{
    const lanes *forced = sets_of(p->st, BK_FORCED, p->side, p->slice);

    sort_reached(p->w);
    EACH_MARKED (vector, p->w->dirty, p->s->nmarks)
        p->w->acc[vector] &= ~forced[vector];
    for (uint32_t vector = 0; first_ply && vector < p->s->nvec; vector++) {
        p->w->acc[vector] |= p->fresh[vector];
        mark(p->w->dirty, vector);
    }
    if (p->due)
        list_due(p, losses);
}

/* What moves into the losses of the ply before has won: an odd ply, or, to zeroing, any. */
static bool win(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch)
{
    const struct bk_setup *s = b->setup;
    bool first_ply =
        b->state.ply == 1 && *(const uint8_t *)bk_state_slice(&b->state, BK_ANY_WIN, side, slice);
    struct scratch *w;
    struct sweep p;

    if (!take_todo(&b->state, side, true, slice) && !bk_state_due(&b->state, side, false, slice) &&
        !first_ply) {
        clear_frontier(b, side, false, slice);
        return false;
    }
    p = begin_sweep(b, scratch, slice, side, false);
    w = p.w;
    if (first_ply)
        begin_with_exits(&p);
    clear_frontier(b, side, false, slice);
    if (p.due)
        find_due(&p, false);
    reach_by_king(w, side, true, p.undecided, p.won, p.fresh);
    if (p.due && !s->must_capture)
        list_due(&p, false);
    unmoves(w, side, true);
    if (__builtin_expect(s->must_capture, false))
        drop_forced(&p, false, first_ply);
    if (p.due)
        rouse_listed(&p);
    sort_reached(w);
    EACH_MARKED (vector, w->dirty, s->nmarks) {
        lanes *acc = &w->acc[vector], add = *acc & p.undecided[vector];

        *acc = NO_LANES;
        if (!lanes_any(add))
            continue;
        p.won[vector] |= add;
        add_fresh(&p, (uint32_t)vector, add);
        tell_twins(&p, (uint32_t)vector, add);
    }
    memset(w->dirty, 0, s->nmarks * sizeof *w->dirty);
    return end_sweep(&p, false);
}

/* Lists positions x of a vector that may be lost, and prefetches what is won where the king can
   go. */
static inline void list_candidate(const struct sweep *p, uint32_t vector, lanes x)
{
    struct candidates *cand = &p->w->cand;
    const struct near *near = &p->w->near;

    for (unsigned i = 0; i < near->nplain; i++)
        __builtin_prefetch(&near->won[i][vector]);
    cand->vector[cand->n] = vector;
    cand->sets[cand->n++] = x;
}

/* Drops the candidates that have an escape.  Enters the others as lost; but vectors in which an
   exit may delay a loss stay listed. */
static void refute_candidates(struct sweep *p)
{
    struct candidates *cand = &p->w->cand;
    uint32_t n = 0;

    for (uint32_t i = 0; i < cand->n; i++) {
        uint32_t vector = cand->vector[i];
        lanes *x = &cand->sets[i];
        unsigned words;

        drop_escapes(p->w, vector, p->side, x);
        words = lanes_words(*x);
        if (!words)
            continue;
        if (!p->delay || p->delay[vector] <= p->k) {
            add_fresh(p, vector, *x);
            continue;
        }
        EACH_LANE (j, words)
            if (p->dtw)
                __builtin_prefetch(row_of(p, vector * LANES + j), 1);
        cand->vector[n] = vector;
        cand->sets[n++] = *x;
    }
    cand->n = n;
}

/* Enters the candidates that cannot escape as lost, now or at the ply of a losing exit. */
static void lose_candidates(struct sweep *p)
{
    struct candidates *cand = &p->w->cand;

    refute_candidates(p);
    for (uint32_t i = 0; i < cand->n; i++) {
        uint32_t vector = cand->vector[i];
        lanes lost = cand->sets[i], late = delayed(p, vector, lost);

        if (lanes_any(late)) {
            defer(p, vector, late);
            lost &= ~late;
        }
        if (lanes_any(lost))
            add_fresh(p, vector, lost);
    }
    cand->n = 0;
}

/* Of what moves into the wins of the ply before, that which cannot escape is lost: an even ply, or,
   to zeroing, any. */
static bool lose(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch)
{
    const struct bk_setup *s = b->setup;
    struct scratch *w;
    struct sweep p;

    clear_frontier(b, side, true, slice);
    if (!take_todo(&b->state, side, false, slice) && !bk_state_due(&b->state, side, true, slice))
        return false;
    p = begin_sweep(b, scratch, slice, side, true);
    w = p.w;
    if (p.due)
        find_due(&p, true);
    reach_by_king(w, side, false, p.undecided, s->compact ? p.won : p.open, p.fresh);
    if (p.due && !s->must_capture)
        list_due(&p, true);
    unmoves(w, side, false);
    if (__builtin_expect(s->must_capture, false))
        drop_forced(&p, true, false);
    if (p.due)
        rouse_listed(&p);
    sort_reached(w);
    find_near(w, side);
    w->cand.n = 0;
    EACH_MARKED (vector, w->dirty, s->nmarks) {
        lanes *acc = &w->acc[vector], cand = *acc & still_open(&p, (uint32_t)vector);

        *acc = NO_LANES;
        if (!lanes_any(cand))
            continue;
        if (w->cand.n == CANDIDATES_MAX)
            lose_candidates(&p);
        list_candidate(&p, (uint32_t)vector, cand);
    }
    lose_candidates(&p);
    memset(w->dirty, 0, s->nmarks * sizeof *w->dirty);
    return end_sweep(&p, true);
}

#endif
