/*
 * kernel.c - the passes over one slice.  HOT.
 *
 * Compiled once for each width of a set (BK_SET_BITS) and each instruction
 * set; BK_KERNEL names the result.  All squares of the inner man are one word:
 * bit s is "true with the inner man on s"; LANES configurations are worked on
 * at once (lanes.h).  A slice has `pitch` sets, a whole number of such vectors;
 * what is beyond its nconf configurations counts as won and never changes.  A
 * pass reads any slice but writes only its own, so slices are worked on side by
 * side without locks.
 *
 * Invariants, for every configuration and side to move:
 *   won    grows; it holds illegal positions and clashes (two men on one
 *          square) from the start, so that moving there is never an escape
 *   und    legal and undecided; shrinks
 *   open   subset of und: no way out of the block saves the mover
 *   fwin   what the last odd ply added to won; floss what the last even ply lost
 *          Without distances it may have no set of its own (compact): a position
 *          that a way out saves is both won and undecided, which no other is
 *   dtw    of a decided position plies / 2; of an undecided one plies / 2 at
 *          which a way out counts (a win if not open, a delay of the loss if open)
 */
#include <stdlib.h>
#include <string.h>

#include "tb/kernel/attain.h"
#include "tb/kernel/compile.h"
#include "tb/kernel/exits.h"
#include "tb/kernel/legal.h"
#include "tb/kernel/moves.h"

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)
#define KERNEL_NAME NAME1(bk_kernel_, BK_KERNEL)
#define STRING2(x)  #x
#define STRING1(x)  STRING2(x)

/* == First pass: what is illegal, and what the ways out are worth == */

static inline unsigned dtw_get(const struct bk_solver *s, const void *dtw, size_t i)
{
    return s->dtw_bytes == 1 ? ((const uint8_t *)dtw)[i] : ((const uint16_t *)dtw)[i];
}

static inline void dtw_put(const struct bk_solver *s, void *dtw, size_t i, unsigned k)
{
    if (s->dtw_bytes == 1)
        ((uint8_t *)dtw)[i] = (uint8_t)k;
    else
        ((uint16_t *)dtw)[i] = (uint16_t)k;
}

static inline uint64_t wait_bit(unsigned k) { return UINT64_C(1) << (k < 63 ? k : 63); }

/* Threads share the maximum. */
static void raise_to(unsigned *max, unsigned k)
{
    unsigned seen = __atomic_load_n(max, __ATOMIC_RELAXED);

    while (seen < k &&
           !__atomic_compare_exchange_n(max, &seen, k, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* The ways out of `x`: their plies / 2 go to dtw.  Returns the mask of them. */
static uint64_t store_ways(struct bk_solver *s, unsigned side, size_t base, set x,
                           const int16_t *best)
{
    uint64_t waits = 0;

    if (s->dtw_bytes == 1)
        return put_half_plies((uint8_t *)s->dtw[side] + base, x, best, BK_SCORE_WIN, s->k_limit);
    EACH (sq, x) {
        int score = best[sq];
        unsigned k = (unsigned)(BK_SCORE_WIN - (score > 0 ? score : -score)) >> 1;

        if (k > s->k_limit)
            k = s->k_limit; /* the solve is given up and begun anew with wider ones */
        dtw_put(s, s->dtw[side], base + sq, k);
        waits |= wait_bit(k);
    }
    return waits;
}

/* The largest k stored for x, whose mask is `waits`. */
static unsigned latest(const struct bk_solver *s, unsigned side, size_t base, set x, uint64_t waits)
{
    unsigned most = 63 - (unsigned)__builtin_clzll(waits);

    if (most < 63)
        return most;
    EACH (sq, x) {
        unsigned k = dtw_get(s, s->dtw[side], base + sq);

        most = k > most ? k : most;
    }
    return most;
}

/* Something in this configuration waits for the plies of `waits`, the last of them 2 * most. */
static void note_wait(struct bk_solver *s, unsigned side, uint32_t slice, uint32_t conf,
                      uint64_t waits, unsigned most)
{
    s->waits[side][(size_t)slice * s->pitch + conf] |= waits;
    s->vector_waits[side][(size_t)slice * s->nvec + conf / LANES] |= waits;
    s->slice_waits[side][slice] |= waits;
    raise_to(&s->k_wait_max, most);
}

/* Ways out of a vector delay losses until ply 2 * most. */
static void note_delay(struct bk_solver *s, unsigned side, uint32_t slice, uint32_t vector,
                       unsigned most)
{
    uint8_t *delay = &s->delay[side][(size_t)slice * s->nvec + vector];

    if (most > *delay)
        *delay = most < 255 ? (uint8_t)most : 255;
}

/* Enters the best way out of every position of a configuration. */
static void settle(struct bk_solver *s, struct scratch *w, unsigned side, uint32_t slice,
                   uint32_t conf)
{
    size_t at = (size_t)slice * s->pitch + conf;
    size_t base = ((size_t)slice * s->nconf + conf) * s->width;
    const int16_t *best = w->best + (size_t)conf * s->width;
    struct by_score way =
        sort_scores(best, s->width, BK_SCORE_NONE, s->distances ? BK_SCORE_WIN - 2 : 0);
    set losing = way.any & ~way.saving, later = way.winning & ~way.soon;
    uint64_t waits;

    if (s->compact)
        ((set *)s->won[side])[at] |= way.saving;
    else
        ((set *)s->open[side])[at] &= ~way.saving;
    ((set *)s->floss[side])[at] = losing;
    ((set *)s->fwin[side])[at] = way.soon;
    if (any(way.soon)) {
        mark(s->fwin_marks[side] + (size_t)slice * s->nmarks, conf / LANES);
        s->fwin_any[side][slice] = 1;
    }
    if (!s->distances)
        return;
    waits = any(losing) ? store_ways(s, side, base, losing, best) : 0;
    if (waits)
        note_delay(s, side, slice, conf / LANES, latest(s, side, base, losing, waits));
    waits = any(later) ? store_ways(s, side, base, later, best) : 0;
    if (waits)
        note_wait(s, side, slice, conf, waits, latest(s, side, base, later, waits));
}

static void init(struct bk_solver *s, uint32_t slice, void *work)
{
    struct scratch *w = lay_out(s, work);
    struct ctx *c = &w->ctx;
    static _Thread_local struct legality legality;
    size_t first = (size_t)slice * s->pitch;

    enter(c, s, slice);
    find_legality(c, &legality);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        lanes placed = placed_in(c, vector);

        for (unsigned side = 0; side < 2; side++) {
            lanes legal = legal_of(c, &legality, side, vector, placed);

            vectors(s->won[side], first)[vector] = ~legal;
            vectors(s->und[side], first)[vector] = legal;
            if (!s->compact)
                vectors(s->open[side], first)[vector] = legal;
            vectors(s->fwin[side], first)[vector] = NO_LANES;
            vectors(s->floss[side], first)[vector] = NO_LANES;
        }
    }
    if (c->void_slice)
        return;
    for (unsigned side = 0; side < 2; side++) {
        bool any_way = value_ways_out(s, w, side, (set *)s->und[side] + first, false);

        for (uint32_t conf = 0; any_way && conf < s->nconf; conf++)
            if (w->touched[conf])
                settle(s, w, side, slice, conf);
    }
}

/* == Plies == */

static inline uint8_t *todo_of(const struct bk_solver *s, unsigned side, bool to_win)
{
    return to_win ? s->todo_win[side] : s->todo_lose[side];
}

/*
 * Something new in this slice: `side` may move into it from here, from where
 * its king comes from, and from blocks where a man steps into this one.  Bytes
 * are only ever set to 1 in a pass.
 */
static void wake(const struct bk_solver *s, unsigned side, bool to_win, uint32_t slice)
{
    const uint32_t *from = s->king_back[side];
    uint8_t *todo = todo_of(s, side, to_win);

    __atomic_store_n(&todo[slice], 1, __ATOMIC_RELAXED);
    for (uint32_t i = s->king_back_first[side][slice]; i < s->king_back_first[side][slice + 1]; i++)
        __atomic_store_n(&todo[from[i]], 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < s->nunstep; i++)
        if (s->unstep[i].colour == side)
            __atomic_store_n(&todo_of(s->unstep[i].other, side, to_win)[slice], 1,
                             __ATOMIC_RELAXED);
}

/* What is not marked is not read, so the sets may stay as they are. */
static void clear_frontier(const struct bk_solver *s, uint64_t *marks, uint8_t *any_flag,
                           uint32_t slice)
{
    if (!any_flag[slice])
        return;
    any_flag[slice] = 0;
    memset(marks + (size_t)slice * s->nmarks, 0, s->nmarks * sizeof *marks);
}

/* k for the positions x of a vector; base: of its first one. */
static void store_k(struct bk_solver *s, unsigned side, size_t base, lanes x, unsigned k)
{
    lane_sets found;
    unsigned words = s->distances ? lanes_words(x) : 0;

    *(lanes *)found = x;
    EACH_LANE (i, words) {
        if (s->dtw_bytes == 1) {
            put_where((uint8_t *)s->dtw[side] + base + i * s->width, found[i], k);
            continue;
        }
        EACH (sq, found[i])
            dtw_put(s, s->dtw[side], base + i * s->width + sq, k);
    }
}

/* Those of a configuration's positions x whose stored k is this one; with a later one. */
static inline set stored(const struct bk_solver *s, unsigned side, size_t base, set x, unsigned k)
{
    set found = NONE;

    if (s->dtw_bytes == 1)
        return where_is((const uint8_t *)s->dtw[side] + base, x, k, false);
    EACH (sq, x)
        if (dtw_get(s, s->dtw[side], base + sq) == k)
            found |= bit(sq);
    return found;
}

static inline set stored_later(const struct bk_solver *s, unsigned side, size_t base, set x,
                               unsigned k)
{
    set found = NONE;

    if (s->dtw_bytes == 1)
        return where_is((const uint8_t *)s->dtw[side] + base, x, k, true);
    EACH (sq, x)
        if (dtw_get(s, s->dtw[side], base + sq) > k)
            found |= bit(sq);
    return found;
}

/* What a pass over a slice works with. */
struct sweep {
    struct bk_solver *s;
    struct scratch *w;
    uint32_t slice;
    unsigned side, k;
    uint64_t due; /* waits of this ply that the slice has */
    lanes *won, *und, *open, *fresh;
    uint64_t *marks; /* of `fresh` */
    uint8_t *any_flag;
    const uint64_t *waits; /* by configuration */
    const uint8_t *delay;  /* by vector */
    size_t base;           /* of dtw */
    uint32_t last;         /* vector found last, whose k is not stored yet */
    bool found;
};

/* The wait of this ply, if anything in the slice has it. */
static inline uint64_t due_in(const struct bk_solver *s, unsigned side, uint32_t slice)
{
    return s->distances && s->ply > 1 ? s->slice_waits[side][slice] & wait_bit(s->ply >> 1) : 0;
}

static struct sweep begin_sweep(struct bk_solver *s, struct scratch *w, uint32_t slice,
                                unsigned side, bool losses)
{
    size_t first = (size_t)slice * s->pitch;

    return (struct sweep){
        .s = s,
        .w = w,
        .slice = slice,
        .side = side,
        .k = s->ply >> 1,
        .due = due_in(s, side, slice),
        .won = vectors(s->won[side], first),
        .und = vectors(s->und[side], first),
        .open = s->compact ? NULL : vectors(s->open[side], first),
        .fresh = vectors(losses ? s->floss[side] : s->fwin[side], first),
        .marks = (losses ? s->floss_marks[side] : s->fwin_marks[side]) + (size_t)slice * s->nmarks,
        .any_flag = losses ? s->floss_any[side] : s->fwin_any[side],
        .waits = s->distances ? s->waits[side] + first : NULL,
        .delay = s->distances ? s->delay[side] + (size_t)slice * s->nvec : NULL,
        .base = (size_t)slice * s->nconf * s->width,
    };
}

/* Row i of a vector's stored numbers will be asked for, or written, soon. */
static inline void fetch_row(const struct sweep *p, uint32_t vector, unsigned i)
{
    const struct bk_solver *s = p->s;

    __builtin_prefetch((const char *)s->dtw[p->side] +
                           (p->base + (size_t)(vector * LANES + i) * s->width) * s->dtw_bytes,
                       1);
}

/*
 * Vectors in which something has waited for this ply are looked at whatever
 * moved: those that have any of x without y (NULL: none).  What is stored there
 * will be asked for after the un-moves.
 */
static void rouse(const struct sweep *p, const lanes *x, const lanes *y)
{
    const struct bk_solver *s = p->s;
    const uint64_t *waits = s->vector_waits[p->side] + (size_t)p->slice * s->nvec;

    if (p->slice + 1 < s->nslices && s->slice_waits[p->side][p->slice + 1] & p->due)
        for (uint32_t i = 0; i < s->pitch && i < 64; i += 8) /* the masks of the next slice */
            __builtin_prefetch(p->waits + s->pitch + i);
    for (uint32_t first = 0; first < s->nvec; first += 8) {
        unsigned due = masks_with(waits + first, s->nvec - first < 8 ? s->nvec - first : 8, p->due);

        EACH_BIT (i, due) {
            uint32_t vector = first + i;
            unsigned rows = masks_with(p->waits + (size_t)vector * LANES, LANES, p->due) &
                            lanes_some(x[vector] & (y ? ~y[vector] : ~NO_LANES));

            if (!rows)
                continue;
            p->w->due[vector] = (uint8_t)rows;
            mark(p->w->dirty, vector);
            EACH_BIT (row, rows)
                fetch_row(p, vector, row);
        }
    }
}

/* Those of a vector's x that have waited for this ply, as rouse() has seen. */
static lanes due_of(const struct sweep *p, uint32_t vector, lanes x)
{
    const struct bk_solver *s = p->s;
    lane_sets from, due = { NONE };
    unsigned rows = p->w->due[vector];

    if (!rows)
        return NO_LANES;
    p->w->due[vector] = 0;
    *(lanes *)from = x;
    EACH_BIT (i, rows)
        due[i] =
            stored(s, p->side, p->base + (size_t)(vector * LANES + i) * s->width, from[i], p->k);
    return *(const lanes *)due;
}

/* Those of a vector's x, all of whose quiet moves are refuted, that a losing way out delays. */
static lanes delayed(const struct sweep *p, uint32_t vector, lanes x)
{
    const struct bk_solver *s = p->s;
    unsigned words = lanes_words(x);
    lane_sets late;

    *(lanes *)late = x;
    EACH_LANE (i, words)
        late[i] = stored_later(s, p->side, p->base + (size_t)(vector * LANES + i) * s->width,
                               late[i], p->k);
    return *(const lanes *)late;
}

/* Undecided, and no way out saves the mover. */
static inline lanes still_open(const struct sweep *p, uint32_t vector)
{
    if (p->s->compact)
        return p->und[vector] & ~p->won[vector];
    return p->open[vector];
}

/* These cannot be lost any more. */
static inline void save(struct sweep *p, uint32_t vector, lanes x)
{
    if (p->s->compact)
        p->won[vector] |= x;
    else
        p->open[vector] &= ~x;
}

static void store_last(struct sweep *p)
{
    if (p->found)
        store_k(p->s, p->side, p->base + (size_t)p->last * LANES * p->s->width, p->fresh[p->last],
                p->k);
}

/*
 * New results of a vector: no longer undecided, and next ply's frontier.  Their
 * k is stored when the next vector is found: its rows, one line of memory a
 * configuration, are on their way meanwhile.
 */
static inline void add_fresh(struct sweep *p, uint32_t vector, lanes add)
{
    unsigned rows = p->s->distances ? lanes_some(add) : 0;

    EACH_BIT (i, rows)
        fetch_row(p, vector, i);
    store_last(p);
    p->und[vector] &= ~add;
    if (!p->s->compact)
        p->open[vector] &= ~add;
    p->fresh[vector] = add;
    p->last = vector;
    mark(p->marks, vector);
    p->found = true;
}

/* The next pass has to look at all from where `side`'s opponent comes here. */
static bool end_sweep(struct sweep *p, bool to_win)
{
    if (!p->found)
        return false;
    store_last(p);
    p->any_flag[p->slice] = 1;
    wake(p->s, !p->side, to_win, p->slice);
    return true;
}

/*
 * Every quiet move of these is refuted, but a losing way out takes longer: they
 * come back at its ply.
 */
static void defer(struct sweep *p, uint32_t vector, lanes late)
{
    struct bk_solver *s = p->s;
    lane_sets x;
    unsigned words = lanes_words(late);

    *(lanes *)x = late;
    EACH_LANE (i, words) {
        uint32_t conf = vector * LANES + i;

        EACH (sq, x[i]) {
            unsigned k = dtw_get(s, s->dtw[p->side], p->base + (size_t)conf * s->width + sq);

            note_wait(s, p->side, p->slice, conf, wait_bit(k), k);
        }
    }
}

/* The mates and stalemates: no escape at all, before anything else is won. */
static bool mated(struct bk_solver *s, uint32_t slice, unsigned side, void *work)
{
    struct scratch *w = lay_out(s, work);
    struct sweep p = begin_sweep(s, w, slice, side, true);
    size_t first = (size_t)slice * s->nvec;

    enter(&w->ctx, s, slice);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        lanes losing = p.fresh[vector]; /* left there by init: has a way out, a losing one */
        lanes stuck = still_open(&p, vector), lost;

        if (!lanes_any(stuck))
            continue;
        stuck = without_escapes(s, &w->ctx, first, vector, side, stuck);
        /* won by the opponent so far: where he could take the king */
        lost = stuck & ~losing;
        if (bk_rules_stalemate_wdl(s->v) == 0) {
            lanes check = won_by(s, !side, first + vector);

            save(&p, vector, lost & ~check);
            lost &= check;
        }
        if (!lanes_any(stuck & losing)) /* all it has are losing ways out: lost too */
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

/* An odd ply: what moves into the last losses has won. */
static bool win(struct bk_solver *s, uint32_t slice, unsigned side, void *work)
{
    bool first_ply = s->ply == 1 && s->fwin_any[side][slice];
    struct scratch *w;
    struct sweep p;

    if (!s->todo_win[side][slice] && !due_in(s, side, slice) && !first_ply) {
        clear_frontier(s, s->fwin_marks[side], s->fwin_any[side], slice);
        return false;
    }
    s->todo_win[side][slice] = 0;
    w = lay_out(s, work);
    p = begin_sweep(s, w, slice, side, false);
    enter(&w->ctx, s, slice);
    if (first_ply) /* wins by a way out, left there by init */
        EACH_MARKED (vector, p.marks, s->nmarks) {
            vectors(w->acc, 0)[vector] = p.fresh[vector];
            mark(w->dirty, (uint32_t)vector);
        }
    clear_frontier(s, s->fwin_marks[side], s->fwin_any[side], slice);
    if (p.due)
        rouse(&p, p.und, p.open);
    unmoves(s, w, slice, side, true);
    EACH_MARKED (vector, w->dirty, s->nmarks) {
        lanes *acc = &vectors(w->acc, 0)[vector], add = *acc & p.und[vector];

        *acc = NO_LANES;
        if (p.due)
            add |= due_of(&p, (uint32_t)vector, p.und[vector] & ~p.open[vector]);
        if (!lanes_any(add))
            continue;
        p.won[vector] |= add;
        add_fresh(&p, (uint32_t)vector, add);
    }
    memset(w->dirty, 0, s->nmarks * sizeof *w->dirty);
    return end_sweep(&p, false);
}

/* An even ply: of what moves into the last wins, that which cannot escape is lost. */
static bool lose(struct bk_solver *s, uint32_t slice, unsigned side, void *work)
{
    struct scratch *w;
    struct sweep p;

    clear_frontier(s, s->floss_marks[side], s->floss_any[side], slice);
    if (!s->todo_lose[side][slice] && !due_in(s, side, slice))
        return false;
    s->todo_lose[side][slice] = 0;
    w = lay_out(s, work);
    p = begin_sweep(s, w, slice, side, true);
    enter(&w->ctx, s, slice);
    if (p.due)
        rouse(&p, p.open, NULL);
    unmoves(s, w, slice, side, false);
    EACH_MARKED (vector, w->dirty, s->nmarks) {
        lanes *acc = &vectors(w->acc, 0)[vector], cand = *acc & still_open(&p, (uint32_t)vector);

        *acc = NO_LANES;
        if (p.due)
            cand |= due_of(&p, (uint32_t)vector, p.open[vector]);
        if (lanes_any(cand))
            cand =
                without_escapes(s, &w->ctx, (size_t)slice * s->nvec, (uint32_t)vector, side, cand);
        if (!lanes_any(cand))
            continue;
        if (p.delay && p.delay[vector] > p.k) {
            lanes late = delayed(&p, (uint32_t)vector, cand);

            if (lanes_any(late)) {
                defer(&p, (uint32_t)vector, late);
                cand &= ~late;
            }
        }
        if (lanes_any(cand))
            add_fresh(&p, (uint32_t)vector, cand);
    }
    memset(w->dirty, 0, s->nmarks * sizeof *w->dirty);
    return end_sweep(&p, true);
}

/* == Last pass: codes and counts == */

static void consider(const struct bk_solver *s, struct bk_longest *l, int plies, uint32_t slice,
                     uint32_t conf, unsigned sq)
{
    uint64_t number = ((uint64_t)slice * s->nconf + conf) * s->width + sq;

    if (plies < l->plies || (plies == l->plies && number >= l->number))
        return;
    l->plies = plies;
    l->number = number;
    l->at.king[0] = s->b->pairs->king[slice][0];
    l->at.king[1] = s->b->pairs->king[slice][1];
    for (unsigned o = 0; o < s->nouter; o++)
        l->at.sq[s->outer[o].slot] = s->conf_sq[conf][o];
    for (unsigned i = 0; i < s->nfixed; i++)
        l->at.sq[s->fixed_slot[i]] = s->fixed_sq[i];
    if (s->inner.slot >= 0)
        l->at.sq[s->inner.slot] = (uint8_t)sq;
}

/* The squares of the mobile men of a position, in slot order. */
static unsigned mobile_squares(const struct bk_solver *s, uint32_t conf, unsigned sq, uint8_t *out,
                               uint8_t *like)
{
    unsigned n = 0;

    for (unsigned slot = 0; slot < s->ix->nslots; slot++) {
        unsigned o = outer_of_slot(s, (int)slot);

        if ((int)slot != s->inner.slot && o == s->nouter)
            continue;
        like[n] = s->ix->like[slot];
        out[n++] = (int)slot == s->inner.slot ? (uint8_t)sq : s->conf_sq[conf][o];
    }
    return n;
}

static void sort_equal(uint8_t *sq, const uint8_t *like, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned j = i; j && like[j - 1] == like[i] && sq[j - 1] > sq[j]; j--) {
            uint8_t swap = sq[j];

            sq[j] = sq[j - 1];
            sq[j - 1] = swap;
        }
}

/* Is a position no larger than its image, equal men being sorted first? */
static bool stands_first(const struct bk_solver *s, unsigned sym, uint32_t conf, unsigned sq)
{
    uint8_t self[BK_SLOTS_MAX], image[BK_SLOTS_MAX], like[BK_SLOTS_MAX];
    unsigned n = mobile_squares(s, conf, sq, self, like);

    for (unsigned i = 0; i < n; i++)
        image[i] = s->ix->map[sym][self[i]];
    sort_equal(self, like, n);
    sort_equal(image, like, n);
    return memcmp(self, image, n) <= 0;
}

/*
 * Which positions of a configuration stand for their class?  Slices kept by a
 * symmetry hold mirrored pairs; the one with the smaller (configuration,
 * square) counts.  With equal men, whose order the mirror may change, every
 * position is looked at by itself.
 */
static set representatives(const struct bk_solver *s, unsigned keep, uint32_t conf, set x)
{
    for (unsigned sym = 1; keep >> sym; sym++) {
        uint32_t image = s->conf_turned[sym] ? s->conf_turned[sym][conf] : conf;
        set todo = x;

        if (!(keep >> sym & 1))
            continue;
        if (image != conf && !s->equal_men) {
            if (image < conf)
                return NONE;
            continue;
        }
        EACH (sq, todo)
            if (s->equal_men ? !stands_first(s, sym, conf, sq)
                             : s->inner.slot >= 0 && s->ix->map[sym][sq] < sq)
                x &= ~bit(sq);
    }
    return x;
}

/* dtw becomes codes in place. */
static void write_codes(struct bk_solver *s, unsigned side, size_t base, set wins, set losses,
                        set draw)
{
    void *dtw = s->dtw[side];

    if (s->dtw_bytes == 1) {
        put_codes((uint8_t *)dtw + base, s->width, wins, losses, draw, BK_CODE_WIN, BK_CODE_LOSS8,
                  BK_CODE_DRAW);
        return;
    }
    for (unsigned sq = 0; sq < s->width; sq++) {
        unsigned k = dtw_get(s, dtw, base + sq);

        dtw_put(s, dtw, base + sq,
                has(wins, sq)     ? BK_CODE_WIN + k
                : has(losses, sq) ? BK_CODE_LOSS16 + k
                : has(draw, sq)   ? BK_CODE_DRAW
                                  : BK_CODE_ILLEGAL);
    }
}

/* Notes the first position whose plies are the block's maximum, `last`. */
static void longest_of(const struct bk_solver *s, unsigned side, size_t at, set x, int last,
                       struct bk_longest *l, uint32_t slice, uint32_t conf)
{
    if (last < 0 || !any(x) || last < l->plies)
        return;
    if (last == l->plies && ((uint64_t)slice * s->nconf + conf) * s->width >= l->number)
        return;
    if (s->dtw_bytes == 1)
        x = where_is((const uint8_t *)s->dtw[side] + at * s->width, x, (unsigned)last >> 1, false);
    EACH (sq, x)
        if (dtw_get(s, s->dtw[side], at * s->width + sq) == (unsigned)last >> 1) {
            consider(s, l, last, slice, conf, sq);
            return;
        }
}

static void finish(struct bk_solver *s, uint32_t slice, struct bk_tally *tally, void *work)
{
    struct scratch *w = lay_out(s, work);
    struct ctx *c = &w->ctx;
    static _Thread_local struct legality legality;
    size_t first = (size_t)slice * s->nconf, first_set = (size_t)slice * s->pitch;
    unsigned keep = s->b->pairs->stabilizer[slice] & ~1u;
    uint64_t images =
        (uint64_t)__builtin_popcount(s->ix->group) / (unsigned)__builtin_popcount(keep | 1);
    lane_sets legal[2];

    enter(c, s, slice);
    find_legality(c, &legality);
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        size_t at = first + conf, base = at * s->width;

        if (conf % LANES == 0) {
            lanes placed = placed_in(c, conf / LANES);

            for (unsigned side = 0; side < 2; side++)
                *(lanes *)legal[side] = legal_of(c, &legality, side, conf / LANES, placed);
        }
        for (unsigned side = 0; side < 2; side++) {
            set here = legal[side][conf % LANES];
            set *won = (set *)s->won[side] + first_set + conf;
            set *und = (set *)s->und[side] + first_set + conf;
            set draw = *und, wins = *won & here & ~draw;
            set losses = here & ~wins & ~draw;
            set mine = ((const set *)s->conf_count)[conf], todo;

            if (s->distances) {
                longest_of(s, side, at, wins, s->last_win[side], &tally->longest_win[side], slice,
                           conf);
                longest_of(s, side, at, losses, s->last_loss[side], &tally->longest_loss[side],
                           slice, conf);
            }
            if (s->distances)
                write_codes(s, side, base, wins, losses, draw);
            *won = wins | ~here; /* illegal positions in both */
            *und = draw | ~here;
            todo = mine;
            tally->all_win[side] += images * count(wins & todo);
            tally->all_draw[side] += images * count(draw & todo);
            tally->all_loss[side] += images * count(losses & todo);
            if (keep && any((wins | draw | losses) & mine))
                todo = representatives(s, keep, conf, (wins | draw | losses) & mine);
            tally->win[side] += count(wins & todo);
            tally->draw[side] += count(draw & todo);
            tally->loss[side] += count(losses & todo);
        }
    }
}

/* Marks the squares `bad` of a configuration illegal. */
static void mark_places(const struct bk_solver *s, struct bk_memblock *mb, unsigned side,
                        unsigned code_bytes, uint32_t slice, uint32_t conf, set bad)
{
    uint64_t *bits[2] = { mb->code[side], mb->draw[side] };
    size_t first = ((size_t)slice * s->nconf + conf) * s->width;

    if (!code_bytes && s->inner.slot >= 0) {
        ((set *)bits[0])[(size_t)slice * s->pitch + conf] |= bad;
        ((set *)bits[1])[(size_t)slice * s->pitch + conf] |= bad;
        return;
    }
    bad &= shifted(~NONE, (int)s->width - BK_SET_BITS); /* squares there are */
    if (code_bytes == 1) {
        put_where((uint8_t *)mb->code[side] + first, bad, BK_CODE_ILLEGAL);
        return;
    }
    EACH (sq, bad) {
        size_t i = first + sq;

        if (code_bytes == 2) {
            ((uint16_t *)mb->code[side])[i] = BK_CODE_ILLEGAL;
        } else { /* slices share words */
            __atomic_fetch_or(&bits[0][i >> 6], UINT64_C(1) << (i & 63), __ATOMIC_RELAXED);
            __atomic_fetch_or(&bits[1][i >> 6], UINT64_C(1) << (i & 63), __ATOMIC_RELAXED);
        }
    }
}

static void mark_illegal(struct bk_solver *s, uint32_t slice, struct bk_memblock *mb,
                         unsigned code_bytes, void *work)
{
    struct scratch *w = lay_out(s, work);
    struct ctx *c = &w->ctx;
    static _Thread_local struct legality legality;

    enter(c, s, slice);
    find_legality(c, &legality);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        lanes placed = placed_in(c, vector);

        for (unsigned side = 0; side < 2; side++) {
            lane_sets bad;

            if (!mb->code[side])
                continue; /* not read */
            *(lanes *)bad = ~legal_of(c, &legality, side, vector, placed);
            for (unsigned i = 0; i < LANES && vector * LANES + i < s->nconf; i++)
                mark_places(s, mb, side, code_bytes, slice, vector * LANES + i, bad[i]);
        }
    }
}

extern const struct bk_kernel KERNEL_NAME;
const struct bk_kernel KERNEL_NAME = {
    .name = STRING1(BK_KERNEL),
    .set_bits = BK_SET_BITS,
    .set_bytes = sizeof(set),
    .lanes = LANES,
    .turn_bytes = (BK_SET_BITS / 8) * 256 * sizeof(set),
    .work_bytes = work_bytes,
    .compile_tables = compile_tables,
    .init = init,
    .mated = mated,
    .win = win,
    .lose = lose,
    .finish = finish,
    .attain = attain,
    .mark_illegal = mark_illegal,
};
