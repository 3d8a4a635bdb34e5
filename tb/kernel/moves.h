/*
 * moves.h - un-moves and escapes: quiet moves within the block, or the group.
 */
#ifndef BK_KERNEL_MOVES_H
#define BK_KERNEL_MOVES_H

#include "tb/kernel/inner.h"

/* The positions of a part of a vector in which `path` is empty. */
static inline part way_open(const struct ctx *c, uint32_t vector, unsigned p, part path)
{
    return part_without(path & part_occupied(c, vector, p)) & ~(path & part_with(c->live));
}

/* Returns the moves of an outer man into, or from, its squares in a vector. */
static inline const struct bk_klist *list_of(const struct bk_outer *out, uint32_t vector, bool into)
{
    unsigned first = (unsigned)((size_t)vector * LANES / out->stride % out->n);

    if (out->lookup == BK_BY_DIGIT)
        return into ? &out->into[first] : &out->from[first];
    return into ? &out->vinto[first / LANES] : &out->vfrom[first / LANES];
}

static inline void reach_parts(struct scratch *w, uint32_t vector, const part x[PARTS])
{
    part some = x[0];

    for (unsigned p = 1; p < PARTS; p++)
        some |= x[p];
    if (!part_any(some))
        return;
    EACH_PART (p)
        set_part(&w->acc[vector], p, part_of(&w->acc[vector], p) | x[p]);
    mark(w->dirty, vector);
}

/* Un-moves of an outer man that stands on one square in the whole vector: one OR a move. */
static void unmoves_by_digit(const struct bk_setup *s, struct scratch *w,
                             const struct bk_outer *out, uint32_t vector, const lanes *to)
{
    const struct bk_klist *list = list_of(out, vector, true);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_kmove *m = &s->moves.one[list->first + i];
        part x[PARTS];

        EACH_PART (p) {
            x[p] = part_of(to, p);
            if (m->npaths)
                x[p] &= way_open(&w->ctx, vector, p, part_with(set_of(&w->ctx.path[m->path])));
        }
        reach_parts(w, vector + (uint32_t)(m->delta / LANES), x);
    }
}

/* Un-moves of an outer man whose squares follow each other in the vector. */
static void unmoves_by_vector(const struct bk_setup *s, struct scratch *w,
                              const struct bk_outer *out, uint32_t vector, const lanes *to)
{
    const struct bk_klist *list = list_of(out, vector, true);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_vmove *m = &s->moves.vector[list->first + i];
        const lanes *path = &((const lanes *)s->moves.path)[m->path];
        part x[PARTS];

        EACH_PART (p) {
            x[p] = part_only(part_of(to, p), m->words, p);
            if (!m->free)
                x[p] &= way_open(&w->ctx, vector, p, part_of(path, p));
        }
        parts_turn(x, m->turn);
        reach_parts(w, (uint32_t)((int32_t)vector + m->vectors), x);
    }
}

/* Un-moves of any outer man, in one configuration. */
static void unmoves_by_lane(const struct bk_setup *s, struct scratch *w, unsigned o, uint32_t conf,
                            set to)
{
    struct ctx *c = &w->ctx;
    const struct bk_outer *out = &s->outer[o];
    unsigned sq = s->conf.sq[conf][o];
    const struct bk_klist *list = &out->into[out->digit[sq]];
    set rest = (c->base_occ | ((const set *)s->conf.occ)[conf]) & ~bit(sq);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_kmove *m = &s->moves.one[list->first + i];
        set x = to;

        if (m->npaths)
            x &= open_squares(c, m->hops, m->npaths, m->path, rest);
        if (any(x)) {
            uint32_t into = conf + (uint32_t)m->delta;

            ((set *)w->acc)[into] |= x;
            mark(w->dirty, into / LANES);
        }
    }
}

/* Adds the un-moves of the outer men of `side` from `to`, sets of a vector, to w->acc. */
static void outer_unmoves(const struct bk_setup *s, struct scratch *w, unsigned side,
                          uint32_t vector, const lanes *to)
{
    for (unsigned o = 0; o < s->nouter; o++) {
        const struct bk_outer *out = &s->outer[o];
        lane_sets one;
        unsigned words;

        if (out->colour != side)
            continue;
        if (out->lookup == BK_BY_DIGIT) {
            unmoves_by_digit(s, w, out, vector, to);
            continue;
        }
        if (out->lookup == BK_BY_VECTOR) {
            unmoves_by_vector(s, w, out, vector, to);
            continue;
        }
        *(lanes *)one = *to;
        words = lanes_words(*to);
        EACH_LANE (i, words)
            unmoves_by_lane(s, w, o, vector * LANES + i, one[i]);
    }
}

/* Has `side` any outer men? */
static bool has_outers(const struct bk_setup *s, unsigned side)
{
    for (unsigned o = 0; o < s->nouter; o++)
        if (s->outer[o].colour == side)
            return true;
    return false;
}

static void inner_unmoves(struct scratch *w, uint32_t vector, const lanes *to)
{
    const struct ctx *c = &w->ctx;
    part board = part_with(c->board), stay = part_of(&c->inner_stay, 0);

    EACH_PART (p) {
        part there = part_of(to, p) & stay, empty = board & ~part_occupied(c, vector, p);

        if (part_any(there))
            set_part(&w->acc[vector], p,
                     part_of(&w->acc[vector], p) | inner_into_part(c, there, empty, BK_QUIET));
    }
    mark(w->dirty, vector);
}

/* Adds the un-moves of all men but the king: they stay within the slice. */
static void unmoves_within(const struct bk_setup *s, struct scratch *w, unsigned side,
                           const lanes *target, const uint64_t *marks)
{
    bool outers = has_outers(s, side), inner = s->inner.slot >= 0 && s->inner.colour == side;

    EACH_MARKED (vector, marks, s->nmarks) {
        if (outers)
            outer_unmoves(s, w, side, (uint32_t)vector, &target[vector]);
        if (inner)
            inner_unmoves(w, (uint32_t)vector, &target[vector]);
    }
}

/* Adds the un-moves of the king out of the slice of the frontier `from`. */
static void king_unmoves(const struct bk_setup *s, struct scratch *w, const struct frontier *from)
{
    const lanes *there = from->sets;
    unsigned back = inverse(from->sym);

    if (!from->sym) {
        EACH_MARKED (vector, from->marks, s->nmarks) /* reach_by_king() has set the marks */
            w->acc[vector] |= there[vector];
        return;
    }
    EACH_MARKED (vector, from->marks, s->nmarks) {
        unsigned words = lanes_words(there[vector]);

        EACH_LANE (i, words) {
            uint32_t conf = (uint32_t)vector * LANES + i, into = s->conf.turned[back][conf];

            ((set *)w->acc)[into] |= turned(s, back, ((const set *)there)[conf]);
            mark(w->dirty, into / LANES);
        }
    }
}

/* king_unmoves() of an anchor who rides: where his way is empty. */
BK_SELDOM static void rider_unmoves(const struct bk_setup *s, struct scratch *w,
                                    const struct frontier *from)
{
    unsigned back = inverse(from->sym);

    EACH_MARKED (vector, from->marks, s->nmarks) {
        unsigned words = lanes_words(from->sets[vector]);

        EACH_LANE (i, words) {
            uint32_t conf = (uint32_t)vector * LANES + i;
            uint32_t into = from->sym ? s->conf.turned[back][conf] : conf;
            set x = ((const set *)from->sets)[conf];

            x = from->sym ? turned(s, back, x) : x;
            if (from->path != BK_NO_PATH)
                x &= open_squares(&w->ctx, false, 1, from->path,
                                  w->ctx.base_occ | ((const set *)s->conf.occ)[into]);
            ((set *)w->acc)[into] |= x;
            mark(w->dirty, into / LANES);
        }
    }
}

/* Is there anything in the frontier that this pass makes un-moves from, of a side in a slice? */
static inline bool has_frontier(const struct bk_state *st, unsigned side, bool losses,
                                uint32_t slice)
{
    return *(const uint8_t *)bk_state_slice(st, losses ? bk_any_loss_of(st->ply - 1) : BK_ANY_WIN,
                                            side, slice);
}

/* Field by field: a struct returned by value is copied 16 bytes at a time right after it was
   written by 8, and waits until the stores have left the processor: a sixth of the time of small
   slices. */
static inline void find_frontier(struct frontier *f, const struct bk_state *st, unsigned side,
                                 bool losses, uint32_t slice, unsigned sym)
{
    f->sets = sets_of(st, losses ? bk_losses_of(st->ply - 1) : BK_WINS, side, slice);
    f->marks =
        bk_state_slice(st, losses ? bk_loss_marks_of(st->ply - 1) : BK_WIN_MARKS, side, slice);
    f->sym = (uint8_t)sym;
}

/* Lists the frontiers of slices that the king of `side` can go to, without a branch that is hard to
   predict. */
static void find_frontiers(struct scratch *w, unsigned side, bool losses)
{
    const struct ctx *c = &w->ctx;
    unsigned n = 0;

    for (unsigned i = 0; i < c->nking[side]; i++) {
        const struct bk_king_move *m = &c->king_move[side][i];

        find_frontier(&w->from[n], c->st, !side, losses, m->slice, m->sym);
        n += has_frontier(c->st, !side, losses, m->slice);
    }
    w->nfrom = n;
}

/* The same of an anchor who rides. */
BK_SELDOM static void find_frontiers_of_rider(struct scratch *w, unsigned side, bool losses)
{
    const struct ctx *c = &w->ctx;
    unsigned n = 0;

    for (unsigned i = 0; i < c->nking[side]; i++) {
        const struct bk_king_move *m = &c->king_move[side][i];

        find_frontier(&w->from[n], c->st, !side, losses, m->slice, m->sym);
        w->from[n].path = c->king_path[side][i];
        n += has_frontier(c->st, !side, losses, m->slice);
    }
    w->nfrom = n;
}

/* In larger slices what is prefetched so early is pushed out of the cache before it is used. */
enum { FETCHED_MARKS_MAX = 2 };

/*
 * Before unmoves(): marks the vectors that the king's un-moves reach in the
 * same frame, known from the frontiers' marks alone, and prefetches what will
 * be read of them: it is on its way while the un-moves are made.
 */
static void reach_by_king(struct scratch *w, unsigned side, bool losses, const lanes *undecided,
                          const lanes *also, const lanes *fresh)
{
    uint32_t nmarks = w->ctx.s->nmarks;

    if (__builtin_expect(w->ctx.king_path[side] != NULL, false))
        find_frontiers_of_rider(w, side, losses);
    else
        find_frontiers(w, side, losses);
    for (unsigned i = 0; i < w->nfrom; i++)
        for (uint32_t j = 0; !w->from[i].sym && j < nmarks; j++)
            w->dirty[j] |= w->from[i].marks[j];
    if (nmarks > FETCHED_MARKS_MAX)
        return;
    EACH_MARKED (vector, w->dirty, nmarks) {
        __builtin_prefetch(&undecided[vector], 1);
        __builtin_prefetch(&also[vector], 1);
        __builtin_prefetch(&fresh[vector], 1);
    }
}

/*
 * acc |= everything from which `side` can move quietly into what its opponent
 * has lost, or won, last.  After reach_by_king().
 */
static void unmoves(struct scratch *w, unsigned side, bool losses)
{
    struct ctx *c = &w->ctx;

    if (has_frontier(c->st, !side, losses, c->slice)) {
        struct frontier here;

        find_frontier(&here, c->st, !side, losses, c->slice, 0);
        unmoves_within(c->s, w, side, here.sets, here.marks);
    }
    if (__builtin_expect(c->king_path[side] != NULL, false)) {
        for (unsigned i = 0; i < w->nfrom; i++)
            rider_unmoves(c->s, w, &w->from[i]);
        return;
    }
    for (unsigned i = 0; i < w->nfrom; i++)
        king_unmoves(c->s, w, &w->from[i]);
}

/* Removes from `cand` the positions saved by an outer man that stands on one square in the whole
   vector.  won: what the opponent has won in the slice. */
static void save_by_digit(const struct ctx *c, const struct bk_outer *out, struct won won,
                          uint32_t vector, lanes *cand)
{
    const struct bk_klist *list = list_of(out, vector, false);

    EACH_PART (p) {
        part left = part_of(cand, p);

        for (unsigned i = 0; i < list->n; i++) {
            const struct bk_kmove *m = &c->s->moves.one[list->first + i];
            part safe = won_part(won, vector + (size_t)(ptrdiff_t)(m->delta / LANES), p);

            if (m->npaths)
                safe |= ~way_open(c, vector, p, part_with(set_of(&c->path[m->path])));
            left &= safe;
        }
        set_part(cand, p, left);
    }
}

/* Removes from `cand` those saved by an outer man whose squares follow each other in the vector. */
static void save_by_vector(const struct ctx *c, const struct bk_outer *out, struct won won,
                           uint32_t vector, lanes *cand)
{
    const struct bk_klist *list = list_of(out, vector, false);

    for (unsigned i = 0; i < list->n; i++) {
        const struct bk_vmove *m = &c->s->moves.vector[list->first + i];
        const lanes *path = &((const lanes *)c->s->moves.path)[m->path];
        part safe[PARTS];

        EACH_PART (p)
            safe[p] = won_part(won, vector + (size_t)(ptrdiff_t)m->vectors, p);
        parts_turn(safe, -m->turn & 7u);
        EACH_PART (p) {
            if (!m->free)
                safe[p] |= ~way_open(c, vector, p, part_of(path, p));
            set_part(cand, p, part_and_only(part_of(cand, p), safe[p], m->words, p));
        }
    }
}

/* Returns `cand`, of one configuration, without the positions that an outer man saves. */
static set saved_by_none(const struct ctx *c, const struct bk_outer *out, struct won won,
                         uint32_t conf, set cand)
{
    const struct bk_setup *s = c->s;
    unsigned sq = s->conf.sq[conf][out - s->outer];
    const struct bk_klist *list = &out->from[out->digit[sq]];
    set rest = (c->base_occ | ((const set *)s->conf.occ)[conf]) & ~bit(sq);

    for (unsigned i = 0; any(cand) && i < list->n; i++) {
        const struct bk_kmove *m = &s->moves.one[list->first + i];
        set safe = won_set(won, conf + (size_t)(ptrdiff_t)m->delta);

        if (m->npaths)
            safe |= ~open_squares(c, m->hops, m->npaths, m->path, rest);
        cand &= safe;
    }
    return cand;
}

/* Removes from `cand` the positions of a vector that outer men of `side` save. */
static void save_by_outers(const struct ctx *c, struct won won, uint32_t vector, unsigned side,
                           lanes *cand)
{
    const struct bk_setup *s = c->s;

    for (unsigned o = 0; o < s->nouter && lanes_any(*cand); o++) {
        const struct bk_outer *out = &s->outer[o];
        lane_sets one;
        unsigned words;

        if (out->colour != side)
            continue;
        if (out->lookup == BK_BY_DIGIT) {
            save_by_digit(c, out, won, vector, cand);
            continue;
        }
        if (out->lookup == BK_BY_VECTOR) {
            save_by_vector(c, out, won, vector, cand);
            continue;
        }
        *(lanes *)one = *cand;
        words = lanes_words(*cand);
        EACH_LANE (i, words)
            one[i] = saved_by_none(c, out, won, vector * LANES + i, one[i]);
        *cand = *(const lanes *)one;
    }
}

/* Sets what must be empty on the way to each slice of w->near, of an anchor who rides. */
BK_SELDOM static void find_ways(struct scratch *w, unsigned side)
{
    const struct ctx *c = &w->ctx;
    unsigned plain = 0, turned = 0;

    for (unsigned i = 0; i < c->nking[side]; i++)
        if (c->king_move[side][i].sym)
            w->near.turned_path[turned++] = c->king_path[side][i];
        else
            w->near.path[plain++] = c->king_path[side][i];
}

/* Lists in w->near the slices that the king of `side` can go to; once a slice. */
static void find_near(struct scratch *w, unsigned side)
{
    const struct ctx *c = &w->ctx;
    struct near *near = &w->near;

    near->nplain = near->nturned = 0;
    for (unsigned i = 0; i < c->nking[side]; i++) {
        const struct bk_king_move *m = &c->king_move[side][i];
        struct won there = won_in(c, c->st, !side, m->slice);

        if (m->sym) {
            near->turned[near->nturned++] = m;
            continue;
        }
        near->won[near->nplain] = there.won;
        near->undecided[near->nplain++] = there.undecided;
    }
    near->rides = c->king_path[side];
    near->odd = near->rides || c->s->must_capture;
    if (near->rides)
        find_ways(w, side);
}

/* Removes from `cand` the positions that the king saves by `m`, to a slice in another frame.
   path: what must be empty; BK_NO_PATH: nothing. */
static void save_by_turn(const struct ctx *c, const struct bk_king_move *m, uint32_t path,
                         unsigned side, uint32_t vector, lanes *cand)
{
    const struct bk_setup *s = c->s;
    struct won there = won_in(c, c->st, !side, m->slice);
    lane_sets safe = { NONE };
    unsigned words = lanes_words(*cand);

    EACH_LANE (i, words) {
        uint32_t conf = s->conf.turned[m->sym][vector * LANES + i];

        safe[i] = turned(s, inverse(m->sym), won_set(there, conf));
        if (path != BK_NO_PATH)
            safe[i] |= ~open_squares(c, false, 1, path,
                                     c->base_occ | ((const set *)s->conf.occ)[vector * LANES + i]);
    }
    *cand &= *(const lanes *)safe;
}

/* Removes from `cand` the positions of a vector that the king saves. */
static inline void save_by_king(const struct scratch *w, unsigned side, uint32_t vector,
                                lanes *cand)
{
    const struct near *near = &w->near;

    EACH_PART (p) {
        part left = part_of(cand, p);

        for (unsigned i = 0; i < near->nplain; i++) /* no branch between: the loads overlap */
            left &= part_of(&near->won[i][vector], p);
        for (unsigned i = 0; w->ctx.s->compact && i < near->nplain; i++)
            left &= ~part_of(&near->undecided[i][vector], p);
        set_part(cand, p, left);
    }
    for (unsigned i = 0; i < near->nturned; i++)
        save_by_turn(&w->ctx, near->turned[i], BK_NO_PATH, side, vector, cand);
}

/* The same by an anchor who rides. */
static void save_by_rider(const struct scratch *w, unsigned side, uint32_t vector, lanes *cand)
{
    const struct near *near = &w->near;

    EACH_PART (p) {
        part left = part_of(cand, p);

        for (unsigned i = 0; i < near->nplain; i++) {
            part safe = part_of(&near->won[i][vector], p);

            if (w->ctx.s->compact)
                safe &= ~part_of(&near->undecided[i][vector], p);
            if (near->path[i] != BK_NO_PATH)
                safe |=
                    ~way_open(&w->ctx, vector, p, part_with(set_of(&w->ctx.path[near->path[i]])));
            left &= safe;
        }
        set_part(cand, p, left);
    }
    for (unsigned i = 0; i < near->nturned; i++)
        save_by_turn(&w->ctx, near->turned[i], near->turned_path[i], side, vector, cand);
}

/* Removes from `cand` the positions of a vector that the inner man saves. */
static inline void save_by_inner(const struct ctx *c, struct won won, uint32_t vector, lanes *cand)
{
    part board = part_with(c->board), stay = part_of(&c->inner_stay, 0) & board;

    EACH_PART (p) {
        part left = part_of(cand, p), empty = board & ~part_occupied(c, vector, p);

        if (part_any(left))
            set_part(cand, p,
                     left & ~inner_into_part(c, ~won_part(won, vector, p) & stay, empty, BK_QUIET));
    }
}

/* Removes from `cand` the positions of a vector that men other than the king save. */
static inline void save_by_others(const struct scratch *w, unsigned side, uint32_t vector,
                                  lanes *cand)
{
    const struct ctx *c = &w->ctx;
    const struct bk_setup *s = c->s;
    struct won here = won_in(c, c->st, !side, c->slice);

    if (!lanes_any(*cand))
        return;
    if (s->inner.slot >= 0 && s->inner.colour == side)
        save_by_inner(c, here, vector, cand);
    save_by_outers(c, here, vector, side, cand);
}

/* drop_escapes() where captures may be forced, which leaves no quiet move to escape by, and
   anchors may ride. */
BK_SELDOM static void drop_odd_escapes(const struct scratch *w, uint32_t vector, unsigned side,
                                       lanes *cand)
{
    const struct ctx *c = &w->ctx;
    lanes forced = NO_LANES;

    if (c->s->must_capture)
        forced = *cand & sets_of(c->st, BK_FORCED, side, c->slice)[vector];
    *cand &= ~forced;
    if (w->near.rides)
        save_by_rider(w, side, vector, cand);
    else
        save_by_king(w, side, vector, cand);
    save_by_others(w, side, vector, cand);
    *cand |= forced;
}

/* Removes from `cand` the positions of a vector from which `side` has a quiet move to a position
   its opponent has not won.  After find_near(). */
static void drop_escapes(const struct scratch *w, uint32_t vector, unsigned side, lanes *cand)
{
    if (__builtin_expect(w->near.odd, false)) {
        drop_odd_escapes(w, vector, side, cand);
        return;
    }
    save_by_king(w, side, vector, cand);
    save_by_others(w, side, vector, cand);
}

#endif
