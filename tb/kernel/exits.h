/*
 * exits.h - what the exits of a slice are worth: the best score of each position.
 */
#ifndef BK_KERNEL_EXITS_H
#define BK_KERNEL_EXITS_H

#include "core/move.h"
#include "tb/kernel/inner.h"
#include "tb/kernel/passing.h"
#include "tb/kernel/zeroing.h"

static void offer_row(struct scratch *w, uint32_t conf, set from, const int16_t *row)
{
    w->touched[conf] = 1;
    raise_to_row(w->best + (size_t)conf * w->ctx.s->width, w->ctx.s->width, from, row, 0);
}

/* Offers `score`, if there is one, to one position of a configuration. */
static inline void offer_at(struct scratch *w, uint32_t conf, unsigned sq, int16_t score)
{
    int16_t *best = w->best + (size_t)conf * w->ctx.s->width + sq;

    if (score == BK_SCORE_NONE)
        return;
    w->touched[conf] = 1;
    *best = score > *best ? score : *best;
}

static void offer_one(struct scratch *w, uint32_t conf, set from, int16_t score)
{
    if (score == BK_SCORE_NONE)
        return;
    w->touched[conf] = 1;
    raise_to_row(w->best + (size_t)conf * w->ctx.s->width, w->ctx.s->width, from, NULL, score);
}

/*
 * A view: free men are the outers but for those taken, then the inner man
 * unless taken.  A mover of several cells is not free: what it may do differs
 * from square to square, and each square it goes to gets a view of its own.
 */
struct view {
    struct bk_free_man men[BK_SLOTS_MAX];
    unsigned n;
    uint32_t stride[BK_OUTERS_MAX];      /* by outer */
    const uint8_t *digit[BK_OUTERS_MAX]; /* by outer: its digit by square; NULL: it is not free, or
                                            has one place only */
    uint8_t target;                      /* the square of a fixed man that an outer one takes, or
                                            BK_SQ_NONE */
    bool has_inner;
    bool like_conf; /* all outers are in the view, numbered as configurations are */
    int without;    /* the only outer that is not, the others being numbered likewise; -1: none */
};

/* Returns whether a man has cells, or a castling right, to which there is no way back, or is an
   anchor.  It is fixed then, or its moves may lead out of the block. */
static inline bool leaves(const struct bk_setup *s, unsigned slot)
{
    return slot != BK_KINGS_SLOT && (s->ix->cells[slot]->n > 1 || s->ix->right[slot] >= 0 ||
                                     bk_index_is_anchor(s->ix, slot));
}

static inline bool is_taken(const struct bk_exit *e, unsigned slot)
{
    return (int)slot == e->taken || (int)slot == e->also;
}

/* Returns the square of the fixed man that an exit takes; BK_SQ_NONE: no such man is taken, or the
   mover takes twice. */
static uint8_t target_of(const struct ctx *c, const struct bk_exit *e)
{
    const struct bk_setup *s = c->s;

    if (e->mover != BK_KINGS_SLOT && bk_rules_takes_twice(s->v, s->ix->type[e->mover]))
        return BK_SQ_NONE;
    for (unsigned i = 0; i < c->fixed.n; i++)
        if ((int)c->fixed.slot[i] == e->taken)
            return c->fixed.sq[i];
    return BK_SQ_NONE;
}

/* Returns the outer man whose squares `out` has in the exit's view: itself; or, if it takes an
   outer man that is only on some squares, that one. */
static const struct bk_outer *squares_for(const struct bk_setup *s, const struct bk_exit *e,
                                          const struct bk_outer *out)
{
    const struct bk_outer *taken = &s->outer[bk_setup_outer(s, e->taken)];

    if (out->slot != e->mover || e->taken < 0 || taken == s->outer + s->nouter || !taken->several ||
        bk_rules_takes_twice(s->v, out->type))
        return out;
    return taken;
}

/* Does an outer man have the same digits in a view as in configurations? */
static bool has_same_digits(const struct view *view, const struct bk_outer *out, unsigned o)
{
    return view->digit[o] == out->digit && out->nsq == out->n;
}

/* Sets like_conf and without: are configurations, or those in which one man stands on one square,
   numbered as the places of a view are?  Then offsets need not be worked out. */
static void compare_with_conf(const struct bk_setup *s, struct view *view)
{
    unsigned differ = 0;

    view->without = -1;
    for (unsigned o = 0; o < s->nouter; o++)
        if (!has_same_digits(view, &s->outer[o], o)) {
            differ++;
            view->without = view->stride[o] || view->digit[o] ? -1 : (int)o;
        }
    view->like_conf = !differ;
    if (differ != 1)
        view->without = -1;
}

static void shape_view(const struct ctx *c, const struct bk_exit *e, struct view *view)
{
    const struct bk_setup *s = c->s;
    size_t stride = 1;

    memset(view, 0, sizeof *view);
    view->target = target_of(c, e);
    for (unsigned o = 0; o < s->nouter; o++) {
        const struct bk_outer *out = &s->outer[o];
        struct bk_free_man *man = &view->men[view->n];

        if (is_taken(e, out->slot) || (out->slot == e->mover && leaves(s, e->mover)))
            continue;
        if (out->slot == e->mover && e->becomes == BK_STAYS && view->target != BK_SQ_NONE) {
            *man = (struct bk_free_man){ out->slot, 1, &view->target };
        } else if (out->slot == e->mover && e->becomes != BK_STAYS) {
            view->digit[o] = s->all_sq;
            *man = (struct bk_free_man){ out->slot, s->v->nsq, s->all_sq };
        } else {
            out = squares_for(s, e, out);
            view->digit[o] = out->digit;
            *man = (struct bk_free_man){ s->outer[o].slot, out->nsq, out->sq };
        }
        view->n++;
    }
    view->has_inner = s->inner.slot >= 0 && !is_taken(e, (unsigned)s->inner.slot);
    if (view->has_inner)
        view->men[view->n++] = (struct bk_free_man){ (uint8_t)s->inner.slot, s->v->nsq, s->all_sq };
    for (unsigned i = view->n; i-- > 0; stride *= view->men[i].n)
        if (view->men[i].slot != s->inner.slot)
            view->stride[bk_setup_outer(s, view->men[i].slot)] = (uint32_t)stride;
    compare_with_conf(s, view);
}

/* Offset of a configuration in a view, with outer `moved` (or -1) on `to`. */
static inline size_t view_offset(const struct bk_setup *s, const struct view *view, uint32_t conf,
                                 int moved, unsigned to)
{
    size_t at = 0;

    for (unsigned o = 0; o < s->nouter; o++) {
        unsigned sq = (int)o == moved ? to : s->conf.sq[conf][o];

        if (view->digit[o])
            at += (size_t)view->stride[o] * view->digit[o][sq];
    }
    return at;
}

/* Returns the positions among `placed`, of a configuration, in which the man of `slot` is on
   `sq`. */
static inline set stands_on(const struct ctx *c, int slot, uint32_t conf, unsigned sq, set placed)
{
    const struct bk_setup *s = c->s;

    if (slot == s->inner.slot)
        return placed & bit(sq);
    for (unsigned o = 0; o < s->nouter; o++)
        if (s->outer[o].slot == slot)
            return s->conf.sq[conf][o] == sq ? placed : NONE;
    for (unsigned i = 0; i < c->fixed.n; i++)
        if (c->fixed.slot[i] == slot)
            return c->fixed.sq[i] == sq ? placed : NONE;
    return NONE;
}

struct exits {
    struct scratch *w;
    const struct bk_exit *e;
    struct view view;
    const set *legal; /* by configuration: positions with the mover to move */
    struct bk_placement at;
};

/* Turns the scores of a view into those of moves that zero the counter. */
static void zero_view(struct exits *x)
{
    size_t n = 1;

    for (unsigned i = 0; i < x->view.n; i++)
        n *= x->view.men[i].n;
    bk_zero_scores(x->w->view, n, x->w->ctx.s->nmove);
}

static void fill(struct exits *x)
{
    const struct bk_exit *e = x->e;

    if (e->cache)
        bk_view_fill_kept(e->cache, &e->plan, &x->at,
                          leaves(x->w->ctx.s, e->mover) ? x->at.sq[e->mover] : 0, x->view.men,
                          x->view.n, x->w->view);
    else
        bk_view_fill(&e->plan, &x->at, x->view.men, x->view.n, x->w->view);
    if (e->zeroes && !e->in_block) /* steps: when en passant is looked at */
        zero_view(x);
}

/* Returns the flags of which a reach must have one to make this exit. */
static inline unsigned ways_of(const struct bk_exit *e)
{
    return e->taken < 0 ? BK_QUIET : e->also < 0 ? BK_TAKES | BK_TWICE : BK_TWICE;
}

static inline set empty_on(const struct ctx *c, unsigned sq, set occ, set from)
{
    return has(occ, sq) ? NONE : from & ~(bit(sq) & c->live);
}

/* Returns the inner squares for which the mover takes what the exit says: on its way by `r`, and
   where that ends, too, if the exit takes two. */
static set taking_twice(const struct exits *x, uint32_t conf, const struct bk_reach *r, set occ)
{
    const struct ctx *c = &x->w->ctx;
    set from = x->legal[conf];
    unsigned via = via_of(c, r);

    if (x->e->also < 0)
        return empty_on(c, r->to, occ, stands_on(c, x->e->taken, conf, via, from));
    return stands_on(c, x->e->also, conf, r->to, stands_on(c, x->e->taken, conf, via, from)) |
           stands_on(c, x->e->taken, conf, r->to, stands_on(c, x->e->also, conf, via, from));
}

/* The inner squares for which the mover may go by `r` and take what the exit says. */
static inline set going(const struct exits *x, uint32_t conf, const struct bk_reach *r, set occ)
{
    const struct ctx *c = &x->w->ctx;
    set from = x->legal[conf];

    if (r->how & BK_TWICE)
        return taking_twice(x, conf, r, occ);
    from = x->e->taken >= 0 ? stands_on(c, x->e->taken, conf, r->to, from)
                            : empty_on(c, r->to, occ, from);
    if (any(from))
        from &= open_squares(c, r->how & BK_HOPS, r->npaths, r->path, occ);
    return from;
}

/* The configurations in which one outer man stands on one square: runs of `run`, with `skip` others
   between them.  All configurations: a run of nconf. */
struct pin {
    uint32_t first, run, skip, end;
};

static inline uint32_t next_pinned(struct pin *p, uint32_t conf)
{
    if (++conf < p->end)
        return conf;
    p->end += p->run + p->skip;
    return conf + p->skip;
}

static struct pin pin_to(const struct bk_setup *s, unsigned o, unsigned sq)
{
    const struct bk_outer *out = &s->outer[o];

    uint32_t first = out->digit[sq] * out->stride;

    if (out->digit[sq] == BK_SQ_NONE) /* the man is never there */
        return (struct pin){ .first = s->nconf };
    return (struct pin){ first, out->stride, (out->n - 1) * out->stride, first + out->stride };
}

/* Returns the configurations in which the mover, if it is an outer man, stands on `home`, or else
   an outer man that is taken stands where `r` ends; all of them if neither is an outer man. */
static struct pin pin_of(const struct exits *x, const struct bk_reach *r, unsigned mover,
                         unsigned home)
{
    const struct bk_setup *s = x->w->ctx.s;

    if (mover < s->nouter)
        return pin_to(s, mover, home);
    for (unsigned o = 0; r && !(r->how & BK_TWICE) && o < s->nouter; o++)
        if ((int)s->outer[o].slot == x->e->taken)
            return pin_to(s, o, r->to);
    return (struct pin){ 0, s->nconf, 0, s->nconf };
}

/* Offers a king's capture of the inner man on `to`, by a leap. */
static void offer_inner_taken(struct exits *x, unsigned to)
{
    const struct bk_setup *s = x->w->ctx.s;

    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        unsigned words = lanes_words(((const lanes *)x->legal)[vector] & lanes_of(bit(to)));

        EACH_LANE (i, words) {
            uint32_t conf = vector * LANES + i;

            offer_at(x->w, conf, to, x->w->view[conf]);
        }
    }
}

/* Offers a king's capture of an outer man, by a leap: possible in all positions of `pin`, with that
   man in place. */
static void offer_outer_taken(struct exits *x, struct pin pin)
{
    const struct bk_setup *s = x->w->ctx.s;
    const int16_t *row = x->w->view;

    for (uint32_t conf = pin.first; conf < s->nconf; conf = next_pinned(&pin, conf)) {
        if (any(x->legal[conf]))
            offer_row(x->w, conf, x->legal[conf], row);
        row += s->width;
    }
}

/* Does offer_arrivals() without offsets, for captures by which a king leaps if places are numbered
   as configurations are.  False: it is another case, and nothing was done. */
static bool offer_to_leap(struct exits *x, const struct bk_reach *r, struct pin pin)
{
    const struct bk_setup *s = x->w->ctx.s;

    if (r->npaths || r->how & BK_TWICE || x->e->taken < 0)
        return false;
    if (x->e->taken == s->inner.slot && x->view.like_conf) {
        offer_inner_taken(x, r->to);
        return true;
    }
    if (x->view.without >= 0 && x->view.has_inner &&
        (int)s->outer[x->view.without].slot == x->e->taken) {
        offer_outer_taken(x, pin);
        return true;
    }
    return false;
}

/*
 * Offers view values to all positions in which the mover can go from `home` by
 * `r` (NULL: changes where it stands).  mover: its number among the outers, or
 * s->nouter if it is none of them: then it stands on `home` anyway.
 */
static void offer_arrivals(struct exits *x, const struct bk_reach *r, unsigned mover, unsigned home)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_setup *s = c->s;

    struct pin pin = pin_of(x, r, mover, home);
    bool in_step = mover < s->nouter && x->view.without == (int)mover;
    size_t places = x->view.has_inner ? s->width : 1, next = 0;

    if (mover == s->nouter && x->e->mover == BK_KINGS_SLOT && offer_to_leap(x, r, pin))
        return;
    for (uint32_t conf = pin.first; conf < s->nconf; conf = next_pinned(&pin, conf)) {
        size_t at = next;
        set occ, from;

        next += places;
        if (!any(x->legal[conf]))
            continue;
        occ = c->base_occ | ((const set *)s->conf.occ)[conf];
        from = r ? going(x, conf, r, occ) : x->legal[conf];
        if (!any(from))
            continue;
        if (!in_step)
            at = view_offset(s, &x->view, conf, -1, 0);
        if (x->view.has_inner)
            offer_row(x->w, conf, from, x->w->view + at);
        else
            offer_one(x->w, conf, from, x->w->view[at]);
    }
}

/* Is there a configuration with the man of `slot` on this square? */
static bool may_stand(const struct ctx *c, int slot, unsigned sq)
{
    const struct bk_setup *s = c->s;

    for (unsigned i = 0; i < c->fixed.n; i++)
        if (c->fixed.slot[i] == slot)
            return c->fixed.sq[i] == sq;
    for (unsigned o = 0; o < s->nouter; o++)
        if (s->outer[o].slot == slot)
            return s->outer[o].digit[sq] != BK_SQ_NONE;
    return true;
}

static void king_exits(struct exits *x)
{
    const struct bk_setup *s = x->w->ctx.s;
    unsigned side = x->e->colour, home = x->at.king[side], n;
    const struct bk_reach *r = bk_reach_from(s->v, s->v->royal, side, home, &n);

    for (unsigned i = 0; i < n; i++) {
        if (!(r[i].how & ways_of(x->e)) || r[i].to == x->at.king[!side] ||
            !may_stand(&x->w->ctx, x->e->taken, r[i].to) ||
            !bk_rules_may_stand(s->v, s->v->royal, side, r[i].to))
            continue;
        x->at.king[side] = r[i].to;
        fill(x);
        offer_arrivals(x, &r[i], s->nouter, home);
    }
    x->at.king[side] = (uint8_t)home;
}

/* The squares that must be empty but for king and rook: from the leftmost to the rightmost
   of where they stand and go. */
static set castling_way(const struct bk_variant *v, unsigned right)
{
    const struct bk_castling *k = &v->castling;
    unsigned side = right & 1, king = bk_right_king(v, right), rook = bk_right_home(v, right);
    unsigned rank = king - k->king_file, low = king, high = king;
    const unsigned other[] = { rook, rank + k->king_to[side], rank + k->rook_to[side] };
    set way = NONE;

    for (unsigned i = 0; i < 3; i++) {
        low = other[i] < low ? other[i] : low;
        high = other[i] > high ? other[i] : high;
    }
    for (unsigned sq = low; sq <= high; sq++)
        if (sq != king && sq != rook)
            way |= bit(sq);
    return way;
}

/* Returns the positions among `from`, with the way free, in which neither check nor an attacked
   square forbids castling. */
static set may_castle(const struct exits *x, struct bk_placement *at, uint32_t conf, set from)
{
    const struct bk_setup *s = x->w->ctx.s;
    struct bk_pos p;
    set yes = NONE;

    for (unsigned o = 0; o < s->nouter; o++)
        at->sq[s->outer[o].slot] = s->conf.sq[conf][o];
    EACH (sq, from) {
        if (s->inner.slot >= 0)
            at->sq[s->inner.slot] = (uint8_t)sq;
        if (bk_index_position(s->ix, at, x->e->colour, &p) &&
            bk_castling_safe(s->v, &p, (unsigned)x->e->castles & 1))
            yes |= bit(sq);
    }
    return yes;
}

static void castling_exits(struct exits *x)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_setup *s = c->s;
    const struct bk_castling *k = &s->v->castling;
    unsigned right = (unsigned)x->e->castles, side = right & 1, slot = 0;
    unsigned rank = bk_right_king(s->v, right) - k->king_file;
    set way = castling_way(s->v, right);
    struct bk_placement before = x->at;

    if (any(way & (c->base_occ | ~c->board)))
        return;
    while (s->ix->right[slot] != (int)right)
        slot++;
    x->at.king[x->e->colour] = (uint8_t)(rank + k->king_to[side]);
    x->at.sq[slot] = (uint8_t)(rank + k->rook_to[side]);
    fill(x);
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        set from = x->legal[conf] & ~(way & c->live);
        size_t at = view_offset(s, &x->view, conf, -1, 0);

        if (any(way & ((const set *)s->conf.occ)[conf]) || !any(from))
            continue;
        from = may_castle(x, &before, conf, from);
        if (x->view.has_inner)
            offer_row(x->w, conf, from, x->w->view + at);
        else
            offer_one(x->w, conf, from, x->w->view[at]);
    }
}

/* Offers the exit for a man of several cells that stands on `home`.  mover: as for
   offer_arrivals(). */
static void exits_from(struct exits *x, unsigned mover, unsigned home)
{
    const struct bk_setup *s = x->w->ctx.s;
    unsigned slot = x->e->mover, n;
    const struct bk_reach *r = bk_reach_from(s->v, s->ix->type[slot], x->e->colour, home, &n);

    for (unsigned i = 0; i < n; i++) {
        if (!(r[i].how & ways_of(x->e)) || !bk_exit_may_end(s, x->e, r[i].to))
            continue;
        if (x->e->taken >= 0 && r[i].how & BK_TAKES && !may_stand(&x->w->ctx, x->e->taken, r[i].to))
            continue;
        if (x->e->in_block && mover < s->nouter && s->outer[mover].digit[r[i].to] != BK_SQ_NONE)
            continue; /* no exit: it stays in its cell, or in the group */
        x->at.sq[slot] = r[i].to;
        fill(x);
        if (x->e->in_block)
            bk_passing_correct(s,
                               &(struct bk_double_step){ x->e, (uint8_t)home, r[i].to, &x->at,
                                                         x->view.men, x->view.n },
                               x->w->view);
        if (x->e->in_block && x->e->zeroes)
            zero_view(x);
        offer_arrivals(x, &r[i], mover, home);
    }
    x->at.sq[slot] = (uint8_t)home;
    if (bk_exit_in_place(s, x->e, home)) {
        fill(x);
        offer_arrivals(x, NULL, mover, home);
    }
}

/* Offers the exit for one reach of an outer man in one configuration. */
static void outer_arrives(struct exits *x, unsigned o, uint32_t conf, const struct bk_reach *r,
                          set occ)
{
    const struct bk_setup *s = x->w->ctx.s;
    set from;
    size_t at;

    if (!bk_exit_may_end(s, x->e, r->to))
        return;
    from = going(x, conf, r, occ);
    if (!any(from))
        return;
    at = view_offset(s, &x->view, conf, (int)o, r->to);
    if (x->view.has_inner)
        offer_row(x->w, conf, from, x->w->view + at);
    else
        offer_one(x->w, conf, from, x->w->view[at]);
}

/* Returns the square of a taken man in this configuration; BK_SQ_NONE if it is the inner man */
static unsigned taken_square(const struct ctx *c, int taken, uint32_t conf)
{
    const struct bk_setup *s = c->s;
    unsigned o = bk_setup_outer(s, taken);

    if (o < s->nouter)
        return s->conf.sq[conf][o];
    for (unsigned i = 0; i < c->fixed.n; i++)
        if (c->fixed.slot[i] == taken)
            return c->fixed.sq[i];
    return BK_SQ_NONE;
}

/* Offers the exit for a man that has squares without a way back: a pawn. */
static void leaver_exits(struct exits *x)
{
    const struct bk_setup *s = x->w->ctx.s;
    unsigned o = bk_setup_outer(s, x->e->mover);

    if (o == s->nouter)
        exits_from(x, o, x->at.sq[x->e->mover]);
    for (unsigned d = 0; o < s->nouter && d < s->outer[o].nsq; d++)
        exits_from(x, o, s->outer[o].sq[d]);
}

/* Offers an outer man's capture of the inner one by `r` from `home`; the view is numbered as
   configurations are. */
static void take_inner(struct exits *x, unsigned o, unsigned home, const struct bk_reach *r)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_setup *s = c->s;
    const struct bk_outer *out = &s->outer[o];
    struct pin pin = pin_to(s, o, home);
    ptrdiff_t delta = ((ptrdiff_t)out->digit[r->to] - out->digit[home]) * (ptrdiff_t)out->stride;

    if (out->digit[r->to] == BK_SQ_NONE || !s->change_ok[out->slot][BK_STAYS][r->to])
        return;
    for (uint32_t conf = pin.first; conf < s->nconf; conf = next_pinned(&pin, conf)) {
        set occ = c->base_occ | ((const set *)s->conf.occ)[conf];

        if (has(x->legal[conf], r->to) &&
            (!r->npaths || has(open_squares(c, r->how & BK_HOPS, r->npaths, r->path, occ), r->to)))
            offer_at(x->w, conf, r->to, x->w->view[(ptrdiff_t)conf + delta]);
    }
}

/* Offers all captures of the inner man by an outer one that stays what it is.  False: the exit is
   another one, or its view is numbered otherwise. */
static bool inner_taken_by_outer(struct exits *x, unsigned o)
{
    const struct bk_setup *s = x->w->ctx.s;
    const struct bk_outer *out = &s->outer[o];

    if (x->e->taken < 0 || x->e->taken != s->inner.slot || x->e->becomes != BK_STAYS ||
        !x->view.like_conf || bk_rules_takes_twice(s->v, out->type))
        return false;
    for (unsigned d = 0; d < out->nsq; d++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(s->v, out->type, x->e->colour, out->sq[d], &n);

        for (unsigned i = 0; i < n; i++)
            if (r[i].how & ways_of(x->e))
                take_inner(x, o, out->sq[d], &r[i]);
    }
    return true;
}

static void outer_exits(struct exits *x)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_setup *s = c->s;
    unsigned o = bk_setup_outer(s, x->e->mover), slot = x->e->mover;
    unsigned how = ways_of(x->e);
    bool twice = bk_rules_takes_twice(s->v, s->outer[o].type); /* `to` is not all it takes on */
    const struct bk_reach *all = s->v->geometry->reach;

    fill(x);
    if (inner_taken_by_outer(x, o))
        return;
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        unsigned home = s->conf.sq[conf][o], n, to;
        const struct bk_reach *r;
        set occ;

        if (!any(x->legal[conf]))
            continue;
        occ = c->base_occ | ((const set *)s->conf.occ)[conf];
        to = x->e->taken >= 0 && !twice ? taken_square(c, x->e->taken, conf) : BK_SQ_NONE;
        r = bk_reach_from(s->v, s->outer[o].type, x->e->colour, home, &n);
        if (to != BK_SQ_NONE) { /* at most a few ways lead there */
            uint32_t first = s->link[slot][home * s->v->nsq + to];
            const struct bk_reach *end = r + n;

            for (r = first ? all + first - 1 : end; r < end && r->to == to; r++)
                if (r->how & how)
                    outer_arrives(x, o, conf, r, occ);
            continue;
        }
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & how)
                outer_arrives(x, o, conf, &r[i], occ);
        if (bk_exit_in_place(s, x->e, home)) {
            size_t at = view_offset(s, &x->view, conf, (int)o, home);

            if (x->view.has_inner)
                offer_row(x->w, conf, x->legal[conf], x->w->view + at);
            else
                offer_one(x->w, conf, x->legal[conf], x->w->view[at]);
        }
    }
}

/* Offers captures by the inner man: it goes to another square in every configuration. */
static void inner_captures(struct exits *x, uint32_t vector)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_setup *s = c->s;
    unsigned to[LANES];
    lane_sets there = { NONE }, from;
    unsigned words = lanes_words(((const lanes *)x->legal)[vector]), left = words;

    EACH_LANE (i, left) {
        to[i] = taken_square(c, x->e->taken, vector * LANES + i);
        if (bk_exit_may_end(s, x->e, to[i]))
            there[i] = bit(to[i]);
    }
    *(lanes *)from =
        ((const lanes *)x->legal)[vector] &
        inner_into(c, *(const lanes *)there, lanes_of(c->board) & ~occupied(c, vector), BK_TAKES);
    EACH_LANE (i, words)
        if (any(from[i]))
            offer_one(x->w, vector * LANES + i, from[i],
                      x->w->view[view_offset(s, &x->view, vector * LANES + i, -1, 0) + to[i]]);
}

/* Offers a move by which the inner man takes on `via` and ends on `to`.  row: the configuration's
   scores, by the inner man's square. */
static void offer_inner_twice(struct exits *x, uint32_t conf, unsigned via, unsigned to,
                              const int16_t *row)
{
    const struct bk_setup *s = x->w->ctx.s;
    set from = x->legal[conf] & beginnings_of_twice(s, via, to);

    if (any(from) && bk_exit_may_end(s, x->e, to))
        offer_one(x->w, conf, from, row[to]);
}

/* Offers moves by which the inner man takes on its way, and goes on to where nobody stands, or
   takes there, too. */
static void inner_takes_twice(struct exits *x, uint32_t vector)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_setup *s = c->s;
    unsigned words = lanes_words(((const lanes *)x->legal)[vector]);

    EACH_LANE (i, words) {
        uint32_t conf = vector * LANES + i;
        const int16_t *row = x->w->view + view_offset(s, &x->view, conf, -1, 0);
        unsigned taken = taken_square(c, x->e->taken, conf);

        if (x->e->also >= 0) {
            unsigned also = taken_square(c, x->e->also, conf);

            offer_inner_twice(x, conf, taken, also, row);
            offer_inner_twice(x, conf, also, taken, row);
        } else {
            set ends = ends_of_twice(s, taken) & ~(c->base_occ | ((const set *)s->conf.occ)[conf]);

            EACH (to, ends)
                offer_inner_twice(x, conf, taken, to, row);
        }
    }
}

/* Offers changes of the inner man, where it arrives or where it stands. */
static void inner_changes(struct exits *x, uint32_t vector)
{
    const struct ctx *c = &x->w->ctx;
    const struct bk_setup *s = c->s;
    const set *legal = x->legal + vector * LANES;
    lanes empty = lanes_of(c->board) & ~occupied(c, vector);
    const int16_t *row[LANES];

    for (unsigned i = 0; i < LANES && vector * LANES + i < s->nconf; i++)
        row[i] = x->w->view + view_offset(s, &x->view, vector * LANES + i, -1, 0);
    for (unsigned sq = 0; sq < s->v->nsq; sq++) {
        lane_sets from;
        lanes to = lanes_of(bit(sq)) & empty;
        unsigned words;

        if (!bk_exit_may_end(s, x->e, sq))
            continue;
        *(lanes *)from = *(const lanes *)legal & inner_into(c, to, empty, BK_QUIET) & ~to;
        words = lanes_words(*(const lanes *)from);
        EACH_LANE (i, words)
            offer_one(x->w, vector * LANES + i, from[i], row[i][sq]);
    }
    for (unsigned i = 0; x->e->becomes != BK_STAYS && i < LANES; i++) {
        set home = legal[i];

        EACH (sq, home)
            if (bk_exit_in_place(s, x->e, sq))
                offer_one(x->w, vector * LANES + i, bit(sq), row[i][sq]);
    }
}

static void inner_exits(struct exits *x)
{
    const struct bk_setup *s = x->w->ctx.s;

    fill(x);
    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        if (!lanes_any(((const lanes *)x->legal)[vector]))
            continue;
        if (x->e->taken < 0)
            inner_changes(x, vector);
        else if (x->e->also < 0)
            inner_captures(x, vector);
        if (x->e->taken >= 0 && s->inner.twice)
            inner_takes_twice(x, vector);
    }
}

#endif
