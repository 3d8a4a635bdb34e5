/*
 * paging.c - see paging.h.
 *
 * A unit is a slice of one array, of one side.  One lock guards what is known
 * of units; it is not held while a unit is moved, whose `place` is MOVING then.
 * A thread that moves a unit holds no other that is being moved, so that
 * threads do not wait for each other in a ring.
 */
#include "tb/solve/paging.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tb/memory/log.h"

/* The last one is there to zeroing alone: state.h. */
enum kind { WON, UNDECIDED, LATER, WINS, LOSSES, LOSSES_ODD, KINDS };
static const enum bk_array array_of[KINDS] = { BK_WON,  BK_UNDECIDED, BK_LATER,
                                               BK_WINS, BK_LOSSES,    BK_LOSSES_ODD };

enum place { ABSENT, MOVING, THERE };

/* How a pass touches a unit. */
enum use {
    READ,
    CHANGE, /* written if something is found */
    WRITE,
    FILL /* what was in it does not count */
};

#define NONE       UINT32_MAX
#define YARD_MOST  16
#define YARD_SHARE 64 /* the yard is at most this part of the budget: one in 64 */

struct unit {
    uint8_t place, changed, stored; /* changed since it was stored */
    uint16_t pins;
    uint32_t before, after; /* list of the units that may go, by last use: the one before, and the
                               one after */
    uint32_t bytes;         /* of memory that the unit takes */
};

struct scratch {
    uint32_t *unit; /* the units that the thread has pinned; `use`: how */
    uint8_t *use;
    unsigned n;
};

struct bk_paging {
    struct bk_solver *b;
    struct bk_ledger *h;
    struct bk_log *file; /* a place for each unit that is stored */
    uint32_t nslices;
    size_t slice_bytes;
    uint64_t budget, used;
    struct unit *unit;
    uint32_t *order; /* of slices */
    uint32_t oldest, newest;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    struct scratch *scratch;
    unsigned threads;
    /* memory of units that have gone, for those that come: it has been found and cleared once */
    char *yard;                                /* owned; NULL: none */
    uint8_t empty[YARD_MOST], full[YARD_MOST]; /* places in it */
    unsigned nempty, nfull;
};

/* == Units == */

static uint32_t unit_of(const struct bk_paging *g, enum kind kind, unsigned side, uint32_t slice)
{
    return (kind * 2 + side) * g->nslices + slice;
}

static enum kind kind_of(const struct bk_paging *g, uint32_t u)
{
    return (enum kind)(u / g->nslices / 2);
}

static unsigned side_of(const struct bk_paging *g, uint32_t u) { return u / g->nslices & 1; }

static void *sets_of(const struct bk_paging *g, uint32_t u)
{
    return bk_state_slice(&g->b->state, array_of[kind_of(g, u)], side_of(g, u), u % g->nslices);
}

static bool is_frontier(const struct bk_paging *g, uint32_t u) { return kind_of(g, u) >= WINS; }

static const uint64_t *marks_of(const struct bk_paging *g, uint32_t u)
{
    enum kind kind = kind_of(g, u);

    return bk_state_slice(&g->b->state,
                          kind == WINS ? BK_WIN_MARKS : bk_loss_marks_of(kind == LOSSES_ODD),
                          side_of(g, u), u % g->nslices);
}

/* Returns the bytes of a frontier's pages with marked vectors: 64 vectors, a word of marks, are 4
   KiB. */
static uint32_t frontier_bytes(const struct bk_paging *g, uint32_t u)
{
    const uint64_t *marks = marks_of(g, u);
    uint64_t bytes = 4096;

    for (uint32_t i = 0; i < g->b->setup->nmarks; i++)
        bytes += marks[i] ? 4096 : 0;
    return (uint32_t)(bytes < g->slice_bytes ? bytes : g->slice_bytes);
}

/* Frees the unmarked pages of a frontier: the first pass writes all of it, later ones what they
   mark. */
static void forget_unmarked(const struct bk_paging *g, uint32_t u)
{
    const uint64_t *marks = marks_of(g, u);
    char *sets = sets_of(g, u);
    uint32_t from = 0;

    for (uint32_t i = 0; i <= g->b->setup->nmarks; i++) {
        size_t at = (size_t)from * 4096, end = (size_t)i * 4096;

        if (i < g->b->setup->nmarks && !marks[i])
            continue;
        end = end < g->slice_bytes ? end : g->slice_bytes;
        if (at < end)
            bk_spill_forget(sets + at, end - at);
        from = i + 1;
    }
}

/* == Which go first == */

static void take_out(struct bk_paging *g, uint32_t u)
{
    struct unit *x = &g->unit[u];

    *(x->before == NONE ? &g->oldest : &g->unit[x->before].after) = x->after;
    *(x->after == NONE ? &g->newest : &g->unit[x->after].before) = x->before;
}

static void put_in(struct bk_paging *g, uint32_t u)
{
    struct unit *x = &g->unit[u];

    x->before = g->newest;
    x->after = NONE;
    *(g->newest == NONE ? &g->oldest : &g->unit[g->newest].after) = u;
    g->newest = u;
}

/* == Moving == */

/* Takes a place of the yard, empty or full; NULL: there is none.  With the lock, as put_place(). */
static char *take_place(struct bk_paging *g, bool full)
{
    if (!(full ? g->nfull : g->nempty))
        return NULL;
    return g->yard + g->slice_bytes * (full ? g->full[--g->nfull] : g->empty[--g->nempty]);
}

static void put_place(struct bk_paging *g, const char *at, bool full)
{
    uint8_t place = (uint8_t)((size_t)(at - g->yard) / g->slice_bytes);

    if (full)
        g->full[g->nfull++] = place;
    else
        g->empty[g->nempty++] = place;
}

/* All functions down to pin() are called with the lock, and give it up while they move a unit. */
static void begin_move(struct bk_paging *g, struct unit *x)
{
    x->place = MOVING;
    pthread_mutex_unlock(&g->lock);
}

static void end_move(struct bk_paging *g, struct unit *x, enum place place)
{
    pthread_mutex_lock(&g->lock);
    x->place = (uint8_t)place;
    pthread_cond_broadcast(&g->moved);
}

static void let_go(struct bk_paging *g, uint32_t u)
{
    struct unit *x = &g->unit[u];
    char *place = is_frontier(g, u) ? NULL : take_place(g, false);
    bool moved;

    take_out(g, u);
    begin_move(g, x);
    if (x->changed && !is_frontier(g, u)) {
        bk_log_write(g->file, (uint64_t)u * g->slice_bytes, sets_of(g, u), g->slice_bytes);
        x->stored = true;
    }
    x->changed = false;
    moved = place && bk_spill_move(place, sets_of(g, u), g->slice_bytes);
    if (!moved)
        bk_spill_forget(sets_of(g, u), g->slice_bytes);
    end_move(g, x, ABSENT);
    if (place)
        put_place(g, place, moved);
    g->used -= x->bytes;
    x->bytes = 0;
}

static void make_room(struct bk_paging *g)
{
    while (g->used > g->budget && g->oldest != NONE)
        let_go(g, g->oldest);
}

static void bring_in(struct bk_paging *g, uint32_t u, enum use use, unsigned thread)
{
    struct unit *x = &g->unit[u];
    bool stored = use != FILL && !is_frontier(g, u) && x->stored; /* else it begins as zeros */
    char *place = stored ? take_place(g, true) : NULL;
    bool moved;

    x->bytes = (uint32_t)g->slice_bytes;
    g->used += x->bytes;
    begin_move(g, x);
    moved = place && bk_spill_move(sets_of(g, u), place, g->slice_bytes);
    if (stored)
        bk_log_read(g->file, (uint64_t)u * g->slice_bytes, sets_of(g, u), g->slice_bytes);
    else if (use != FILL && is_frontier(g, u))
        bk_ledger_frontier(g->h, g->b, u % g->nslices, side_of(g, u), array_of[kind_of(g, u)],
                           thread);
    end_move(g, x, THERE);
    if (place)
        put_place(g, place, !moved);
}

static void pin(struct bk_paging *g, uint32_t u, enum use use, unsigned thread)
{
    struct scratch *w = &g->scratch[thread];
    struct unit *x = &g->unit[u];

    while (x->place == MOVING)
        pthread_cond_wait(&g->moved, &g->lock);
    if (x->place == ABSENT)
        bring_in(g, u, use, thread);
    else if (!x->pins)
        take_out(g, u);
    x->pins++;
    x->changed = x->changed || use >= WRITE;
    w->unit[w->n] = u;
    w->use[w->n++] = (uint8_t)use;
}

void bk_paging_unpin(struct bk_paging *g, bool found, unsigned thread)
{
    struct scratch *w = &g->scratch[thread];

    pthread_mutex_lock(&g->lock);
    for (unsigned i = 0; i < w->n; i++) {
        struct unit *x = &g->unit[w->unit[i]];

        x->changed = x->changed || (found && w->use[i] == CHANGE);
        if (is_frontier(g, w->unit[i]) && w->use[i] == FILL) {
            uint32_t bytes = frontier_bytes(g, w->unit[i]);

            if (!g->b->state.ply)
                forget_unmarked(g, w->unit[i]);
            g->used = g->used - x->bytes + bytes;
            x->bytes = bytes;
        }
        if (!--x->pins)
            put_in(g, w->unit[i]);
    }
    w->n = 0;
    pthread_mutex_unlock(&g->lock);
}

void bk_paging_drop(struct bk_paging *g, unsigned thread)
{
    struct scratch *w = &g->scratch[thread];

    pthread_mutex_lock(&g->lock);
    while (w->n) {
        uint32_t u = w->unit[--w->n];

        g->unit[u].changed = false;
        if (--g->unit[u].pins)
            continue;
        put_in(g, u);
        let_go(g, u);
    }
    pthread_mutex_unlock(&g->lock);
}

static enum kind losses_of(uint32_t ply) { return ply & 1 ? LOSSES_ODD : LOSSES; }

void bk_paging_forget(struct bk_paging *g)
{
    const struct bk_state *st = &g->b->state;
    uint32_t first = unit_of(g, st->losing ? WINS : losses_of(st->ply - 1), 0, 0);

    pthread_mutex_lock(&g->lock);
    for (uint32_t u = first; u < first + 2 * g->nslices; u++)
        if (g->unit[u].place == THERE && !g->unit[u].pins)
            let_go(g, u);
    pthread_mutex_unlock(&g->lock);
}

/* == What a pass touches == */

/* Pins what a pass reads of the other side, in this slice or one where the king goes: its last
   frontier, and in lose() what it has won. */
static void pin_other(struct bk_paging *g, uint32_t slice, unsigned side, bool losses,
                      bool frontier, unsigned thread)
{
    uint32_t before = g->b->state.ply - 1;
    const uint8_t *any =
        bk_state_slice(&g->b->state, losses ? BK_ANY_WIN : bk_any_loss_of(before), side, slice);

    if (frontier && *any)
        pin(g, unit_of(g, losses ? WINS : losses_of(before), side, slice), READ, thread);
    if (losses) {
        pin(g, unit_of(g, WON, side, slice), READ, thread);
        pin(g, unit_of(g, UNDECIDED, side, slice), READ, thread);
    }
}

static void pin_ply(struct bk_paging *g, uint32_t slice, unsigned side, bool mated, unsigned thread)
{
    const struct bk_king_moves *kings = g->b->setup->kings;
    bool losses = g->b->state.losing;

    pin(g, unit_of(g, losses ? losses_of(g->b->state.ply) : WINS, side, slice), FILL, thread);
    pin(g, unit_of(g, WON, side, slice), mated ? WRITE : losses ? READ : CHANGE, thread);
    pin(g, unit_of(g, UNDECIDED, side, slice), CHANGE, thread);
    if (losses && bk_ledger_delays(g->h, &g->b->state, side, slice))
        pin(g, unit_of(g, LATER, side, slice),
            bk_ledger_is_due(g->h, &g->b->state, slice, side) ? WRITE : READ, thread);
    pin_other(g, slice, !side, losses, !mated, thread);
    for (uint32_t i = kings->first[side][slice]; i < kings->first[side][slice + 1]; i++)
        pin_other(g, kings->move[side][i].slice, !side, losses, !mated, thread);
}

void bk_paging_pin(struct bk_paging *g, enum bk_pass pass, uint32_t slice, unsigned side,
                   unsigned thread)
{
    pthread_mutex_lock(&g->lock);
    if (pass == BK_PASS_PLY || pass == BK_PASS_MATED) {
        pin_ply(g, slice, side, pass == BK_PASS_MATED, thread);
    } else {
        for (side = 0; side < 2; side++)
            for (enum kind kind = 0; kind <= LOSSES; kind++)
                if (pass == BK_PASS_INIT || kind != LATER)
                    pin(g, unit_of(g, kind, side, slice),
                        pass == BK_PASS_INIT || kind >= WINS ? FILL : WRITE, thread);
    }
    make_room(g);
    pthread_mutex_unlock(&g->lock);
}

void bk_paging_pin_one(struct bk_paging *g, enum bk_array a, unsigned side, uint32_t slice,
                       bool changes)
{
    enum kind kind = 0;

    while (array_of[kind] != a)
        kind++;
    pthread_mutex_lock(&g->lock);
    pin(g, unit_of(g, kind, side, slice), changes ? FILL : READ, 0);
    make_room(g);
    pthread_mutex_unlock(&g->lock);
}

/* == The order of slices == */

/* Appends to the order the slices to which a king goes from `slice`, if they have no place yet.
   Returns how many have one. */
static uint32_t add_next(struct bk_paging *g, uint32_t slice, bool *placed, uint32_t n)
{
    const struct bk_king_moves *kings = g->b->setup->kings;

    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = kings->first[side][slice]; i < kings->first[side][slice + 1]; i++) {
            uint32_t to = kings->move[side][i].slice;

            if (!placed[to])
                g->order[n++] = to;
            placed[to] = true;
        }
    return n;
}

/* Orders the slices by kings' moves from `first` on, breadth first; those not reached come, too.
   Returns the last. */
static uint32_t spread_from(struct bk_paging *g, uint32_t first, bool *placed)
{
    uint32_t n = 0;

    memset(placed, 0, g->nslices * sizeof *placed);
    for (uint32_t slice = first, done = 0; done < g->nslices; slice = (slice + 1) % g->nslices) {
        if (placed[slice])
            continue;
        placed[slice] = true;
        g->order[n++] = slice;
        for (; done < n; done++)
            n = add_next(g, g->order[done], placed, n);
    }
    return g->nslices ? g->order[g->nslices - 1] : 0;
}

/* Orders the slices.  The last one in an order from any slice is at an end: the order from there
   has narrow waves.  False: no memory. */
static bool put_in_order(struct bk_paging *g)
{
    bool *placed = malloc(g->nslices + (size_t)1);

    if (placed)
        spread_from(g, spread_from(g, 0, placed), placed);
    free(placed);
    return placed;
}

uint32_t bk_paging_nth(const struct bk_paging *g, uint32_t nth, bool back)
{
    return g->order[back ? g->nslices - 1 - nth : nth];
}

/* == Begin and end == */

/* Returns how many units a thread has pinned at most: those of the slice, and of each slice that a
   king goes to. */
static unsigned most_pins(const struct bk_setup *s)
{
    uint32_t most = 0;

    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < s->nslices; i++) {
            uint32_t n = s->kings->first[side][i + 1] - s->kings->first[side][i];

            most = n > most ? n : most;
        }
    return 10 + 3 * (most + 1);
}

uint64_t bk_paging_room(const struct bk_setup *s, size_t slice_bytes)
{
    uint64_t moves = 0;

    for (unsigned side = 0; side < 2; side++) {
        int type = bk_index_anchor_type(s->ix, side);
        const struct bk_movement *m = type < 0 ? NULL : &s->v->piece[type].move;

        for (unsigned i = 0, n = 0; m && i < m->nsteps; i++) {
            n += m->step[i].range ? m->step[i].range : BK_FILES_MAX; /* an anchor may ride */
            moves = n > moves ? n : moves;
        }
    }
    return (10 + 3 * (moves + 1)) * slice_bytes;
}

/* Uses large pages for slices that consist of such: they are found, cleared and let go 512 times as
   quickly.  Frontiers are sparse. */
static void use_large_pages(const struct bk_paging *g)
{
    for (uint32_t u = 0; g->slice_bytes % BK_SPILL_LARGE == 0 && u < 2 * KINDS * g->nslices;
         u += g->nslices)
        if (!is_frontier(g, u))
            bk_spill_dense(sets_of(g, u), g->nslices * g->slice_bytes);
}

/* Opens the yard.  It is no more than a small part of the budget, which it is taken from. */
static void open_yard(struct bk_paging *g)
{
    uint64_t places = g->slice_bytes ? g->budget / YARD_SHARE / g->slice_bytes : 0;

    if (places > YARD_MOST)
        places = YARD_MOST;
    g->yard = places ? bk_spill_new_sparse(places * g->slice_bytes) : NULL;
    if (!g->yard)
        return;
    g->budget -= places * g->slice_bytes;
    while (g->nempty < places) {
        g->empty[g->nempty] = (uint8_t)g->nempty;
        g->nempty++;
    }
}

static bool allocate(struct bk_paging *g)
{
    unsigned most = most_pins(g->b->setup);
    bool ok;

    g->unit = calloc(2 * (size_t)KINDS * g->nslices + 1, sizeof *g->unit);
    g->scratch = calloc(g->threads, sizeof *g->scratch);
    g->order = calloc(g->nslices + (size_t)1, sizeof *g->order);
    ok = g->unit && g->scratch && g->order && put_in_order(g);
    for (unsigned i = 0; ok && i < g->threads; i++) {
        g->scratch[i].unit = calloc(most, sizeof *g->scratch[i].unit);
        g->scratch[i].use = calloc(most, sizeof *g->scratch[i].use);
        ok = g->scratch[i].unit && g->scratch[i].use;
    }
    return ok;
}

enum bk_err bk_paging_new(struct bk_paging **out, struct bk_solver *b, struct bk_ledger *h,
                          struct bk_spill *spill, uint64_t budget, unsigned threads,
                          struct bk_report *why)
{
    struct bk_paging *g = calloc(1, sizeof *g);
    enum bk_err err;

    if (!g)
        return bk_no_memory(why);
    *g = (struct bk_paging){ .b = b,
                             .h = h,
                             .nslices = b->setup->nslices,
                             .slice_bytes = b->state.slice_bytes[BK_WON],
                             .budget = budget,
                             .oldest = NONE,
                             .newest = NONE,
                             .threads = threads };
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->moved, NULL);
    use_large_pages(g);
    open_yard(g);
    err = allocate(g) ? bk_log_open(&g->file, spill, why) : bk_no_memory(why);
    if (err)
        bk_paging_free(g);
    else
        *out = g;
    return err;
}

void bk_paging_free(struct bk_paging *g)
{
    if (!g)
        return;
    for (unsigned i = 0; g->scratch && i < g->threads; i++) {
        free(g->scratch[i].unit);
        free(g->scratch[i].use);
    }
    free(g->scratch);
    free(g->unit);
    free(g->order);
    bk_spill_free(g->yard);
    bk_log_close(g->file);
    pthread_cond_destroy(&g->moved);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

bool bk_paging_failed(const struct bk_paging *g) { return bk_log_failed(g->file); }
