/*
 * move.c - moves of one position, one after the other, and their names.
 *
 * Idea: core/geometry.h knows where every man can go and what must be empty
 * for that; rules.h knows what it may be when it gets there; attack.h knows
 * check.  What is left for this file: who stands where, en passant, castling.
 *
 * Invariant: no move takes a royal, so if a game has royals both are always on the board.
 * A legal move is a pseudo-legal one that does not leave the own royal
 * attacked; if that is in doubt it is tried on a scratch copy and taken back.
 *
 * A name that is read becomes squares and a man, which are compared with those
 * of each legal move; so whatever is written can be read, in every game.
 *
 * Cost: one copy of the position per list of legal moves; per king's move one
 * look backwards from the king (bk_attacked), a few dozen comparisons.
 * Measured: 40 ns a leaf in perft of chess, 55 in Atlantean.
 */
#include "core/move.h"

#include <string.h>

#include "core/attack.h"
#include "core/geometry.h"
#include "core/land.h"
#include "core/letter.h"
#include "core/rules.h"

/* == Homes == */

/* The first square of the rank on which the mover castles. */
static unsigned home_rank(const struct bk_variant *v, unsigned colour)
{
    return bk_sq(v, 0, bk_rules_home_rank(v, colour));
}

/* The castling rights that depend on a square: those of a rook's home, or both of a king's. */
static unsigned rights_of(const struct bk_variant *v, unsigned sq)
{
    const struct bk_castling *c = &v->castling;
    unsigned rights = 0;

    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned side = 0; side < 2; side++)
            if (sq == home_rank(v, colour) + c->king_file ||
                sq == home_rank(v, colour) + c->rook_file[side])
                rights |= 1u << (2 * colour + side);
    return rights;
}

/* == Pseudo-legal moves == */

/* The list being made, and the man it is being made for. */
struct making {
    const struct bk_variant *v;
    const struct bk_pos *p;
    struct bk_move *out;
    unsigned room;     /* of `out`, in moves */
    unsigned first, n; /* n: moves found; `out` gets the first-th and as many more as fit */
    bool exits_only;
    bool captures_only;
    unsigned us, type, from;
    struct bk_bits closed; /* squares that block */
    /* live terrain */
    bool destroys;   /* somebody may destroy at the end of the turn, perhaps */
    uint8_t created; /* as bk_move.creates, of the moves that are made now */
};

static struct making begin_with(const struct bk_variant *v, const struct bk_pos *p,
                                struct bk_move *out, unsigned room)
{
    return (struct making){
        .v = v,
        .p = p,
        .out = out,
        .room = room,
        .us = p->stm,
        .closed = bk_pos_closed(p),
        .destroys = bk_rules_land_lives(v) && p->turn & 1,
    };
}

static struct making begin(const struct bk_variant *v, const struct bk_pos *p,
                           struct bk_move out[BK_MOVES_MAX])
{
    return begin_with(v, p, out, BK_MOVES_MAX);
}

/* Does the move change the material, rights included? */
static bool is_exit(const struct bk_variant *v, const struct bk_pos *p, const struct bk_move *m)
{
    return m->takes != BK_SQ_NONE || m->becomes != BK_STAYS || m->castles ||
           (p->rights && p->rights & (rights_of(v, m->from) | rights_of(v, m->to)));
}

static void push_turn(struct making *g, struct bk_move m)
{
    unsigned nth;

    nth = g->n++ - g->first; /* before the first-th it wraps round, so it is large */
    if (nth < g->room)
        g->out[nth] = m;
}

static struct bk_bits destroyable_after(const struct making *g, const struct bk_move *m);

/* Adds a move, and once more with each square that may be destroyed after it. */
static void push(struct making *g, struct bk_move m)
{
    struct bk_bits squares;

    if (g->exits_only && !is_exit(g->v, g->p, &m))
        return;
    if (g->captures_only && m.takes == BK_SQ_NONE)
        return;
    m.creates = g->created;
    push_turn(g, m);
    if (!g->destroys || g->exits_only)
        return;
    squares = destroyable_after(g, &m);
    for (unsigned sq; (sq = bk_bits_pop(&squares)) != BK_SQ_NONE;) {
        m.destroys = (uint8_t)(sq + 1);
        push_turn(g, m);
    }
}

/* How many moves have been written. */
static unsigned written(const struct making *g)
{
    unsigned n = g->n > g->first ? g->n - g->first : 0;

    return n < g->room ? n : g->room;
}

/* Adds `m` once for each type that the man may have on arrival.  A man that changes at the end of a
   double step cannot be captured en passant. */
static void push_changes(struct making *g, struct bk_move m)
{
    struct bk_change change[BK_TYPES_MAX + 1];
    const bool doubles = m.doubles;
    unsigned n;

    if (!bk_rules_changes_ever(g->v, g->type)) {
        if (bk_rules_may_stand(g->v, g->type, g->us, m.to))
            push(g, m);
        return;
    }
    n = bk_rules_changes(g->v, g->p->count[g->us], g->p->left[g->us], g->type, g->us, m.to,
                         m.from == m.to, change);
    for (unsigned i = 0; i < n; i++) {
        m.becomes = change[i].type;
        m.counted = change[i].counted;
        m.doubles = doubles && m.becomes == BK_STAYS;
        push(g, m);
    }
}

static struct bk_move plain(const struct making *g, unsigned to, unsigned takes)
{
    return (struct bk_move){ .from = (uint8_t)g->from,
                             .to = (uint8_t)to,
                             .becomes = BK_STAYS,
                             .takes = (uint8_t)takes,
                             .also = BK_SQ_NONE };
}

/* Might a man go quietly from one square to another, whatever stands on the way? */
static bool might_go(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                     unsigned to)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, type, colour, from, &n);

    for (; n--; r++)
        if (r->to == to && r->how & BK_QUIET)
            return true;
    return false;
}

/* Adds the en passant capture of the man that has just passed over r->to, if `r` makes it; tells
   whether it does. */
static bool en_passant(struct making *g, const struct bk_reach *r)
{
    struct bk_move m;
    unsigned victim;

    if (r->to != g->p->ep || !(r->how & BK_TAKES) ||
        !bk_rules_takes_passing(g->v, g->type, g->us, g->from, r->to))
        return false;
    victim = (unsigned)((int)r->to - bk_ahead(g->v, g->us));
    if (!bk_bits_has(&g->p->by[!g->us], victim) || victim == g->p->king[!g->us] ||
        !bk_land_open(g->v, g->p, r, &g->closed))
        return false;
    m = plain(g, r->to, victim);
    m.tells = might_go(g->v, g->type, g->us, g->from, r->to);
    push_changes(g, m);
    return true;
}

/* Does the BK_TWICE move `r` take, on its way, the man that has just passed over r->to?  Then it is
   the en passant capture. */
static bool takes_passer(const struct making *g, const struct bk_reach *r)
{
    unsigned ep = g->p->ep;

    return ep != BK_SQ_NONE && r->to == ep &&
           bk_reach_via(g->v, r) == (unsigned)((int)ep - bk_ahead(g->v, g->us));
}

/* Adds the move that takes on the way and goes on from there; tells whether it is possible. */
static bool take_on_way(struct making *g, const struct bk_reach *r)
{
    const struct bk_pos *p = g->p;
    unsigned via = bk_reach_via(g->v, r);
    struct bk_move m;

    if (!bk_bits_has(&p->by[!g->us], via) || via == p->king[!g->us])
        return false;
    m = plain(g, r->to, via);
    m.tells = true;
    if (p->at[r->to]) {
        m.takes = r->to;
        m.also = (uint8_t)via;
    }
    push_changes(g, m);
    return true;
}

/* Adds an ordinary move, quiet or taking where it ends; tells whether it is possible. */
static bool move_or_take(struct making *g, const struct bk_reach *r)
{
    bool empty = !g->p->at[r->to];
    struct bk_move m;

    if (!(r->how & (empty ? BK_QUIET : BK_TAKES)) || !bk_land_open(g->v, g->p, r, &g->closed))
        return false;
    m = plain(g, r->to, empty ? BK_SQ_NONE : r->to);
    m.doubles = empty && bk_rules_is_double(g->v, g->type, g->us, g->from, r->to);
    push_changes(g, m);
    return true;
}

static void man_moves(struct making *g)
{
    const struct bk_pos *p = g->p;
    unsigned n, done = BK_SQ_NONE;
    bool passed = p->ep == BK_SQ_NONE; /* en passant added, if possible: other ways are the same */
    const struct bk_reach *r = bk_reach_from(g->v, g->type, g->us, g->from, &n);

    for (; n--; r++) {
        if (bk_bits_has(&p->by[g->us], r->to) || r->to == p->king[!g->us] ||
            bk_bits_has(&p->sea, r->to))
            continue;
        if (r->how & BK_TWICE) {
            bool passer = takes_passer(g, r);

            if (!(passer && passed) && take_on_way(g, r))
                passed |= passer;
            continue;
        }
        if (r->to != done && move_or_take(g, r))
            done = r->to; /* entries come sorted by `to`: another way is the same move */
        if (!passed)
            passed = en_passant(g, r);
    }
    if (bk_rules_changes_in_place(g->v, g->type))
        push_changes(g, plain(g, g->from, BK_SQ_NONE));
}

/* Is nothing but this king and rook on the first rank from `a` to `b`? */
static bool way_free(const struct making *g, unsigned a, unsigned b, unsigned king, unsigned rook)
{
    if (a > b)
        return way_free(g, b, a, king, rook);
    for (unsigned sq = a; sq <= b; sq++)
        if (!bk_bits_has(&g->v->board, sq) || (g->p->at[sq] && sq != king && sq != rook))
            return false;
    return true;
}

/* Each square is tested with the king lifted off its home, so that it is no screen there. */
bool bk_castling_safe(const struct bk_variant *v, const struct bk_pos *p, unsigned side)
{
    unsigned us = p->stm, from = p->king[us];
    unsigned to = home_rank(v, us) + v->castling.king_to[side];
    int step = to > from ? 1 : -1;
    struct bk_pos away = *p;

    if (bk_in_check(v, p, us))
        return false;
    bk_pos_lift(&away, v, from);
    for (unsigned sq = from; sq != to;) {
        sq = (unsigned)((int)sq + step);
        if (bk_attacked(v, &away, sq, !us))
            return false;
    }
    return true;
}

/* Would the king's squares name a single step, or another move of the king? */
static bool looks_plain(const struct making *g, unsigned king, unsigned to)
{
    return (to + 1 >= king && king + 1 >= to) || might_go(g->v, g->v->royal, g->us, king, to);
}

static void castle(struct making *g, unsigned side)
{
    const struct bk_castling *c = &g->v->castling;
    unsigned home = home_rank(g->v, g->us);
    unsigned king = home + c->king_file, king_to = home + c->king_to[side];
    unsigned rook = home + c->rook_file[side], rook_to = home + c->rook_to[side];

    if (!(g->p->rights >> (2 * g->us + side) & 1) || g->p->king[g->us] != king ||
        g->p->at[rook] != bk_man(c->rook, g->us))
        return;
    if (way_free(g, king, king_to, king, rook) && way_free(g, rook, rook_to, king, rook) &&
        way_free(g, king, rook, king, rook) && bk_castling_safe(g->v, g->p, side))
        push(g, (struct bk_move){ .from = (uint8_t)king,
                                  .to = (uint8_t)king_to,
                                  .becomes = BK_STAYS,
                                  .takes = BK_SQ_NONE,
                                  .also = (uint8_t)rook,
                                  .castles = true,
                                  .tells = looks_plain(g, king, king_to) });
}

static void castles(struct making *g)
{
    if (bk_rules_castles(g->v) && g->p->rights) {
        castle(g, 0);
        castle(g, 1);
    }
}

static void all_moves(struct making *g)
{
    struct bk_bits men = g->p->by[g->us];

    while ((g->from = bk_bits_pop(&men)) != BK_SQ_NONE) {
        g->type = bk_man_type(g->p->at[g->from]);
        man_moves(g);
    }
    castles(g);
}

/* Calls made() with the position as it is, and once more for each square that may be created before
   the move, until it returns true; then true. */
static bool each_creation(struct making *g, bool (*made)(struct making *, void *), void *context)
{
    const struct bk_pos *before = g->p;
    struct bk_bits squares = bk_land_creatable(g->v, before);
    struct bk_pos after;
    bool stop = made(g, context);

    for (unsigned sq; !stop && (sq = bk_bits_pop(&squares)) != BK_SQ_NONE;) {
        after = *before;
        bk_bits_clear(&after.sea, sq);
        g->p = &after;
        g->closed = bk_pos_closed(&after);
        g->created = (uint8_t)(sq + 1);
        stop = made(g, context);
    }
    g->p = before;
    g->closed = bk_pos_closed(before);
    g->created = 0;
    return stop;
}

static bool make_all(struct making *g, void *context)
{
    (void)context;
    all_moves(g);
    return false;
}

static bool must_capture(const struct bk_variant *v, const struct bk_pos *p);

/* Writes the moves from the *first-th on, as many as there is room for, and returns how many;
 *first becomes where the next portion begins. */
unsigned bk_moves_pseudo_portion(const struct bk_variant *v, const struct bk_pos *p,
                                 unsigned *first, struct bk_move out[BK_MOVES_MAX])
{
    struct making g = begin(v, p, out);

    g.first = *first;
    g.captures_only = must_capture(v, p);
    if (bk_rules_land_lives(v))
        each_creation(&g, make_all, NULL);
    else
        all_moves(&g);
    *first = g.n > g.first + BK_MOVES_MAX ? g.first + BK_MOVES_MAX : BK_MOVES_END;
    return written(&g);
}

unsigned bk_moves_pseudo(const struct bk_variant *v, const struct bk_pos *p,
                         struct bk_move out[BK_MOVES_MAX])
{
    unsigned first = 0;

    return bk_moves_pseudo_portion(v, p, &first, out);
}

/* == Exits (conversions) == */

bool bk_man_may_change(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq)
{
    unsigned n;
    const struct bk_reach *r;

    if (!bk_rules_changes_ever(v, type))
        return false;
    if (bk_rules_may_change(v, type, colour, sq) && bk_rules_changes_in_place(v, type))
        return true;
    r = bk_reach_from(v, type, colour, sq, &n);
    for (unsigned i = 0; i < n; i++)
        if (bk_rules_may_change(v, type, colour, r[i].to))
            return true;
    return false;
}

bool bk_man_moves_as_he_takes(const struct bk_variant *v, unsigned type, unsigned colour)
{
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(v, type, colour, sq, &n);

        for (unsigned i = 0; i < n; i++)
            if (r[i].how != (BK_QUIET | BK_TAKES))
                return false;
    }
    return true;
}

/* The other side's men that may be taken: all but the royal. */
static struct bk_bits takeable(const struct bk_pos *p)
{
    struct bk_bits theirs = p->by[!p->stm];

    if (p->king[!p->stm] != BK_SQ_NONE)
        bk_bits_clear(&theirs, p->king[!p->stm]);
    return theirs;
}

bool bk_exits_may_be(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_bits men = p->by[p->stm], theirs = takeable(p);

    if (p->rights >> 2 * p->stm & 3)
        return true;
    for (unsigned from; (from = bk_bits_pop(&men)) != BK_SQ_NONE;) {
        unsigned type = bk_man_type(p->at[from]);

        if (bk_bits_meet(bk_takes_from(v, type, p->stm, from), &theirs) ||
            bk_man_may_change(v, type, p->stm, from))
            return true;
    }
    return false;
}

/* The captures of a man that neither takes on the way nor changes. */
static void plain_captures(struct making *g, const struct bk_bits *theirs)
{
    unsigned n, done = BK_SQ_NONE;
    const struct bk_reach *r = bk_reach_from(g->v, g->type, g->us, g->from, &n);

    for (; n--; r++)
        if (bk_bits_has(theirs, r->to) && r->to != done && move_or_take(g, r))
            done = r->to;
}

unsigned bk_moves_exits(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX])
{
    struct making g = begin(v, p, out);
    struct bk_bits men = p->by[g.us], theirs = takeable(p);
    bool rights = p->rights >> 2 * g.us & 3;

    g.exits_only = true;
    g.captures_only = must_capture(v, p);
    while ((g.from = bk_bits_pop(&men)) != BK_SQ_NONE) {
        g.type = bk_man_type(p->at[g.from]);
        if (rights || bk_rules_takes_twice(v, g.type) || bk_man_may_change(v, g.type, g.us, g.from))
            man_moves(&g);
        else if (bk_bits_meet(bk_takes_from(v, g.type, g.us, g.from), &theirs))
            plain_captures(&g, &theirs);
    }
    castles(&g);
    return written(&g);
}

/* == Playing == */

unsigned bk_castled_rook(const struct bk_variant *v, const struct bk_move *m)
{
    const struct bk_castling *c = &v->castling;
    unsigned file = m->also % v->files;

    return m->also - file + c->rook_to[file == c->rook_file[1]];
}

/* What move_men() needs to be undone. */
struct undo {
    uint8_t man, taken, also;
};

static void lift_taken(struct bk_pos *p, const struct bk_variant *v, unsigned sq, uint8_t *man)
{
    *man = 0;
    if (sq == BK_SQ_NONE)
        return;
    *man = p->at[sq];
    bk_pos_lift(p, v, sq);
}

/* The part of a move that happens on the board. */
static struct undo move_men(struct bk_pos *p, const struct bk_variant *v, const struct bk_move *m)
{
    unsigned colour = p->stm;
    struct undo u = { .man = p->at[m->from] };

    lift_taken(p, v, m->takes, &u.taken);
    lift_taken(p, v, m->also, &u.also); /* of castling: the own rook */
    bk_pos_lift(p, v, m->from);
    bk_pos_put(p, v, m->becomes == BK_STAYS ? bk_man_type(u.man) : m->becomes, colour, m->to);
    if (m->castles)
        bk_pos_put(p, v, v->castling.rook, colour, bk_castled_rook(v, m));
    return u;
}

static void put_back(struct bk_pos *p, const struct bk_variant *v, unsigned sq, uint8_t man)
{
    if (man)
        bk_pos_put(p, v, bk_man_type(man), bk_man_colour(man), sq);
}

static void unmove_men(struct bk_pos *p, const struct bk_variant *v, const struct bk_move *m,
                       struct undo u)
{
    if (m->castles)
        bk_pos_lift(p, v, bk_castled_rook(v, m));
    bk_pos_lift(p, v, m->to);
    put_back(p, v, m->from, u.man);
    put_back(p, v, m->also, u.also);
    put_back(p, v, m->takes, u.taken);
}

bool bk_move_zeroes(const struct bk_variant *v, const struct bk_pos *p, const struct bk_move *m)
{
    unsigned type = bk_man_type(p->at[m->from]), colour = p->stm;
    const struct bk_bits *ways;

    if (m->castles)
        return false;
    if (m->takes != BK_SQ_NONE || m->also != BK_SQ_NONE || bk_rules_kind_zeroes(v, type))
        return true;
    if (!bk_rules_irreversible_zeroes(v) || type == v->royal)
        return false;
    ways = v->geometry->ways + (size_t)(type * 2 + colour) * v->nsq;
    return m->becomes != BK_STAYS || !bk_bits_has(&ways[m->to], m->from);
}

static struct bk_bits destroyable_after(const struct making *g, const struct bk_move *m)
{
    struct bk_pos after = *g->p;

    move_men(&after, g->v, m);
    if (bk_rules_bare_loses(g->v) && bk_bits_single(&after.by[!g->us]))
        return (struct bk_bits){ { 0 } }; /* over at the capture */
    return bk_land_destroyable(g->v, &after);
}

/* Creates, or takes back what was destroyed. */
static void raise_land(struct bk_pos *p, uint8_t square)
{
    if (square)
        bk_bits_clear(&p->sea, square - 1u);
}

static void sink_land(struct bk_pos *p, uint8_t square)
{
    if (square)
        bk_bits_set(&p->sea, square - 1u);
}

void bk_pos_play(struct bk_pos *p, const struct bk_variant *v, const struct bk_move *m)
{
    unsigned us = p->stm;

    raise_land(p, m->creates);
    sink_land(p, m->destroys);
    p->begun |= m->destroys != 0;
    move_men(p, v, m);
    if (p->rights) /* a move onto a home square takes what stood there, or the right is gone */
        p->rights &= (uint8_t) ~(rights_of(v, m->from) | rights_of(v, m->to) |
                                 rights_of(v, m->takes) | rights_of(v, m->also));
    if (m->counted && p->left[us][m->becomes])
        p->left[us][m->becomes]--;
    p->ep =
        m->doubles && bk_rules_en_passant(v) ? (uint8_t)(m->from + bk_ahead(v, us)) : BK_SQ_NONE;
    p->turn = (uint16_t)(p->turn + (us == BK_BLACK && p->turn < UINT16_MAX));
    p->clock = 0;
    p->stm = !us;
}

/* == Legal moves == */

/*
 * Which moves need a trial.  Out of check, a man that is not the king exposes
 * it only by leaving a square between the king and an enemy that reaches it
 * (or by taking a man off such a square other than the one it ends on).  All
 * other moves are legal unseen: most of them.  No such luck when in check, or
 * with enemies whose attack may begin by putting a man on a square (BK_HOPS,
 * BK_TWICE); then every move is tried.
 */
struct doubt {
    bool all;
    struct bk_bits lines;
};

static void doubt_reach(struct doubt *d, const struct bk_variant *v, const struct bk_reach *r,
                        const struct bk_bits *closed)
{
    if (!(r->how & (BK_TAKES | BK_TWICE)))
        return;
    if (r->how & (BK_HOPS | BK_TWICE) || bk_reach_open(v, r, closed)) {
        d->all = true;
        return;
    }
    for (unsigned i = 0; i < r->npaths; i++)
        for (unsigned w = 0; w < 4; w++)
            d->lines.w[w] |= v->geometry->path[r->path + i].w[w];
}

static struct doubt doubt_of(const struct bk_variant *v, const struct bk_pos *p)
{
    struct doubt d = { .all = false };
    unsigned them = !p->stm;
    struct bk_bits closed = bk_pos_closed(p);

    for (unsigned type = 0; type < v->ntypes && !d.all && bk_rules_royal(v); type++) {
        unsigned n;
        const struct bk_reach *r;

        if (!p->count[them][type])
            continue;
        d.all = bk_rules_takes_twice(v, type);
        r = bk_reach_into(v, type, them, p->king[p->stm], &n);
        for (unsigned i = 0; i < n && !d.all; i++)
            if (p->at[r[i].to] == bk_man(type, them))
                doubt_reach(&d, v, &r[i], &closed);
    }
    return d;
}

static bool needs_trial(const struct doubt *d, const struct bk_pos *p, const struct bk_move *m)
{
    return d->all || m->from == p->king[p->stm] || bk_bits_has(&d->lines, m->from) ||
           m->also != BK_SQ_NONE || m->creates || m->destroys ||
           (m->takes != BK_SQ_NONE && m->takes != m->to && bk_bits_has(&d->lines, m->takes));
}

/* Is `m` legal on `scratch`, which is left as it was? */
static bool is_legal(const struct bk_variant *v, struct bk_pos *scratch, const struct doubt *d,
                     const struct bk_move *m)
{
    struct undo u;
    bool legal;

    if (!needs_trial(d, scratch, m))
        return true;
    raise_land(scratch, m->creates);
    sink_land(scratch, m->destroys);
    u = move_men(scratch, v, m);
    legal = !bk_in_check(v, scratch, scratch->stm);
    unmove_men(scratch, v, m, u);
    raise_land(scratch, m->destroys);
    sink_land(scratch, m->creates);
    return legal;
}

unsigned bk_moves_portion(const struct bk_variant *v, const struct bk_pos *p, unsigned *first,
                          struct bk_move out[BK_MOVES_MAX])
{
    struct bk_pos scratch = *p;
    struct doubt d = doubt_of(v, p);
    unsigned n = bk_moves_pseudo_portion(v, p, first, out), kept = 0;

    for (unsigned i = 0; i < n; i++)
        if (is_legal(v, &scratch, &d, &out[i]))
            out[kept++] = out[i];
    return kept;
}

unsigned bk_moves_legal(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX])
{
    unsigned first = 0;

    return bk_moves_portion(v, p, &first, out);
}

/* Moves per portion where only "is there a legal move?" is asked: few, for the caller may be deep
   in a small stack. */
#define FEW 128

static bool any_is_legal(const struct making *g, struct bk_pos *scratch, const struct doubt *d)
{
    unsigned n = written(g);

    for (unsigned i = 0; i < n; i++)
        if (is_legal(g->v, scratch, d, &g->out[i]))
            return true;
    return false;
}

/* Has the man on g->from a legal move?  Its moves are made in portions of g->room. */
static bool man_can_move(struct making *g, struct bk_pos *scratch, const struct doubt *d)
{
    for (g->first = 0;; g->first += g->room) {
        g->n = 0;
        man_moves(g);
        if (any_is_legal(g, scratch, d))
            return true;
        if (g->n <= g->first + g->room)
            return false;
    }
}

/* Has a man of the side to move a legal move, castling aside? */
static bool men_can_move(struct making *g, struct bk_pos *scratch, const struct doubt *d)
{
    struct bk_bits men = g->p->by[g->us];

    while ((g->from = bk_bits_pop(&men)) != BK_SQ_NONE) {
        g->type = bk_man_type(g->p->at[g->from]);
        if (man_can_move(g, scratch, d))
            return true;
    }
    return false;
}

/* What is asked of legal moves alone: the position, and which moves need a trial. */
struct trial {
    struct bk_pos scratch;
    struct doubt d;
};

static bool anybody_can_move(struct making *g, void *context)
{
    struct trial *t = context;

    if (men_can_move(g, &t->scratch, &t->d))
        return true;
    g->first = g->n = 0;
    castles(g);
    return any_is_legal(g, &t->scratch, &t->d);
}

bool bk_moves_any(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_move move[FEW];
    struct making g = begin_with(v, p, move, FEW);
    struct trial t = { .scratch = *p, .d = doubt_of(v, p) };

    return bk_rules_land_lives(v) ? each_creation(&g, anybody_can_move, &t)
                                  : anybody_can_move(&g, &t);
}

/* Must the side to move capture: does the game say so, and has it a legal capture? */
static bool must_capture(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_move move[FEW];
    struct making g;
    struct bk_pos scratch;
    struct doubt d;

    if (!bk_rules_must_capture(v))
        return false;
    g = begin_with(v, p, move, FEW);
    g.captures_only = true;
    scratch = *p;
    d = doubt_of(v, p);
    return men_can_move(&g, &scratch, &d);
}

bool bk_moves_king_takes(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_move move[FEW];
    struct making g = begin_with(v, p, move, FEW);
    struct bk_bits theirs = takeable(p);
    struct bk_pos scratch = *p;
    struct doubt d = { .all = true };

    g.exits_only = true; /* a royal never changes, and this one is alone: only captures */
    g.from = p->king[g.us];
    g.type = v->royal;
    return bk_bits_meet(bk_takes_from(v, g.type, g.us, g.from), &theirs) &&
           man_can_move(&g, &scratch, &d);
}

/* == How many there can be == */

/* The most moves of one man from one square with `enemies` enemy men about, changes left aside. */
static unsigned ends_max(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq,
                         unsigned enemies)
{
    unsigned n, plain = 0, twice = 0, by_via = enemies * BK_STEPS_MAX;
    const struct bk_reach *r = bk_reach_from(v, type, colour, sq, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].how & BK_TWICE)
            twice++;
        else
            plain += i == 0 || r[i - 1].how & BK_TWICE || r[i - 1].to != r[i].to;
    return plain + (twice < by_via ? twice : by_via) + 2; /* en passant; in place */
}

static unsigned moves_of_one_max(const struct bk_variant *v, unsigned type, unsigned colour,
                                 unsigned enemies)
{
    unsigned most = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned n = ends_max(v, type, colour, sq, enemies);

        most = n > most ? n : most;
    }
    return most * (1 + bk_rules_changes_max(v, type));
}

bool bk_moves_fit(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX])
{
    unsigned men[2] = { 0, 0 };

    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned colour = 0; colour < 2; colour++)
            men[colour] += count[colour][type];
    for (unsigned colour = 0; colour < 2; colour++) {
        unsigned moves = 2; /* castling */

        for (unsigned type = 0; type < v->ntypes; type++)
            if (count[colour][type])
                moves += count[colour][type] * moves_of_one_max(v, type, colour, men[!colour]);
        if (moves > BK_MOVES_MAX)
            return false;
    }
    return true;
}

/* == Perft == */

uint64_t bk_perft(const struct bk_variant *v, const struct bk_pos *p, unsigned depth)
{
    struct bk_move move[BK_MOVES_MAX];
    uint64_t leaves = 0;

    if (depth == 0)
        return 1;
    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(v, p, &first, move);

        if (depth == 1) {
            leaves += n;
            continue;
        }
        for (unsigned i = 0; i < n; i++) {
            struct bk_pos after = *p;

            bk_pos_play(&after, v, &move[i]);
            leaves += bk_perft(v, &after, depth - 1);
        }
    }
    return leaves;
}

/* == Names == */

/* Writes a square's name as bk_sq_name(), at most three characters and no zero; returns the end. */
static char *name_square(const struct bk_variant *v, unsigned sq, char *at)
{
    unsigned rank = sq / v->files + 1;

    *at++ = (char)('a' + sq % v->files);
    if (rank >= 10)
        *at++ = (char)('0' + rank / 10);
    *at++ = (char)('0' + rank % 10);
    return at;
}

/* The square that a move's name ends in. */
static unsigned named_to(const struct bk_move *m)
{
    return m->castles && m->tells ? m->also : m->to;
}

/* Without snprintf(), for speed: whole lists of ranked moves are named. */
char *bk_move_name(const struct bk_variant *v, const struct bk_move *m, char out[16])
{
    unsigned between = bk_move_between(m);
    char *at = out;

    if (m->creates) {
        *at++ = '+';
        at = name_square(v, m->creates - 1u, at);
        *at++ = ',';
    }
    at = name_square(v, m->from, at);
    if (between != BK_SQ_NONE)
        at = name_square(v, between, at);
    at = name_square(v, named_to(m), at);
    if (m->becomes != BK_STAYS) {
        *at++ = '=';
        *at++ = v->piece[m->becomes].letter;
    }
    if (m->destroys) {
        *at++ = ',';
        *at++ = '-';
        at = name_square(v, m->destroys - 1u, at);
    }
    *at = '\0';
    return out;
}

/* == Names that are read == */

/* What a word says. */
struct said {
    unsigned from, between, to; /* between: BK_SQ_NONE if it is not said */
    unsigned becomes;           /* BK_STAYS: not said */
    unsigned creates, destroys; /* as in bk_move */
    int wing;                   /* O-O-O 0, O-O 1; -1: it names squares */
};

/* A word that is read; its zero follows. */
struct word {
    const struct bk_variant *v;
    const char *s;
    unsigned first_rank;
    bool shouts; /* all in capitals: so are its files */
};

static unsigned square_read(struct word *w)
{
    unsigned file = bk_file_read(w->v, w->shouts ? bk_lower(*w->s) : *w->s), rank = 0;
    const char *s = w->s + 1;

    if (file == BK_SQ_NONE || !bk_is_digit(*s))
        return BK_SQ_NONE;
    for (; bk_is_digit(*s) && rank <= BK_RANKS_MAX; s++)
        rank = rank * 10 + (unsigned)(*s - '0');
    if (rank < w->first_rank || rank - w->first_rank >= w->v->ranks)
        return BK_SQ_NONE;
    w->s = s;
    return bk_sq(w->v, file, rank - w->first_rank);
}

/* Passes a mark before a square; `x` at the end is what a man becomes. */
static void mark_skip(struct word *w)
{
    if (*w->s && strchr("-x:,", *w->s) && bk_is_letter(w->s[1]) && bk_is_digit(w->s[2]))
        w->s++;
}

/* Reads the squares.  False: these are none. */
static bool squares_read(struct word *w, struct said *out)
{
    unsigned sq[4] = { BK_SQ_NONE, BK_SQ_NONE, BK_SQ_NONE, BK_SQ_NONE }, n = 0;

    while (n < 4 && (sq[n] = square_read(w)) != BK_SQ_NONE) {
        n++;
        mark_skip(w);
    }
    if (n < 2 || (n == 4 && sq[1] != sq[2]))
        return false;
    out->from = sq[0];
    out->between = n == 2 ? BK_SQ_NONE : sq[1];
    out->to = sq[n - 1];
    return true;
}

/* Reads "O-O", "ooo", "0-0": which wing; -1: it is none of these. */
static int wing_read(const char *s)
{
    unsigned n = 0;

    for (; *s && strchr("Oo0", *s) && n < 4; n++)
        s += 1 + (s[1] == '-' && s[2]);
    return *s || (n != 2 && n != 3) ? -1 : n == 2;
}

/* Reads "+c3,", if it stands there.  False: no square follows. */
static bool creation_read(struct word *w, struct said *out)
{
    unsigned sq;

    if (*w->s != '+' || !bk_rules_land_lives(w->v))
        return true;
    w->s++;
    sq = square_read(w);
    out->creates = sq + 1;
    w->s += *w->s == ',';
    return sq != BK_SQ_NONE;
}

/* Reads ",-d4", if it stands there.  False: no square follows. */
static bool destruction_read(struct word *w, struct said *out)
{
    unsigned sq;

    if (w->s[0] != ',' || w->s[1] != '-' || !bk_rules_land_lives(w->v))
        return true;
    w->s += 2;
    sq = square_read(w);
    out->destroys = sq + 1;
    return sq != BK_SQ_NONE && !*w->s;
}

static bool word_read(struct word *w, struct said *out)
{
    int type;

    *out = (struct said){ .from = BK_SQ_NONE,
                          .between = BK_SQ_NONE,
                          .to = BK_SQ_NONE,
                          .becomes = BK_STAYS,
                          .wing = wing_read(w->s) };
    if (out->wing >= 0)
        return true;
    if (!creation_read(w, out) || !squares_read(w, out))
        return false;
    w->s += *w->s == '=' && w->s[1];
    if (bk_rules_land_lives(w->v) && bk_is_letter(*w->s) && w->s[1] == ',') {
        type = bk_variant_type(w->v, *w->s);
        if (type < 0)
            return false;
        out->becomes = (unsigned)type;
        w->s++;
    }
    if (!destruction_read(w, out))
        return false;
    if (*w->s) {
        type = bk_is_letter(*w->s) ? bk_variant_type(w->v, *w->s) : -1;
        if (type < 0 || w->s[1])
            return false;
        out->becomes = (unsigned)type;
    }
    return true;
}

/* Does the word name this move's squares? */
static bool squares_fit(const struct bk_move *m, const struct said *s)
{
    if (s->wing >= 0)
        return m->castles && (m->also > m->from) == s->wing;
    return s->from == m->from && s->between == bk_move_between(m) &&
           (s->to == named_to(m) || (m->castles && s->to == m->also));
}

/* The legal moves that a word may mean: [0] by its name, [1] by another, [2] with a man who comes
   to be and is not said. */
struct meant {
    unsigned n[3];
    struct bk_move last[3];
};

static void compare(struct meant *out, const struct bk_move *m, const struct said *s)
{
    unsigned way = s->wing < 0 && s->to != named_to(m);

    if (m->creates != s->creates || m->destroys != s->destroys || !squares_fit(m, s) ||
        (s->becomes != m->becomes && s->becomes != BK_STAYS))
        return;
    if (s->becomes != m->becomes)
        way = 2;
    out->n[way]++;
    out->last[way] = *m;
}

/* Reads n letters.  False: they have no form of a move. */
static bool text_read(struct said *out, const struct bk_variant *v, const char *text, size_t n,
                      unsigned first_rank)
{
    char copy[24] = "";
    struct word w = { .v = v, .s = copy, .first_rank = first_rank, .shouts = true };

    while (n && strchr("+#!?", text[n - 1]))
        n--;
    if (!n || n >= sizeof copy)
        return false;
    memcpy(copy, text, n);
    for (const char *at = copy; *at; at++)
        w.shouts &= !bk_is_lower(*at);
    return word_read(&w, out);
}

enum bk_err bk_move_read(struct bk_move *out, const struct bk_variant *v, const struct bk_pos *p,
                         const char *text, size_t n, unsigned first_rank, struct bk_report *why)
{
    struct bk_move move[BK_MOVES_MAX];
    struct meant meant = { .n = { 0 } };
    unsigned way = 0, first = 0;
    struct said s;

    if (!text_read(&s, v, text, n, first_rank))
        first = BK_MOVES_END;
    while (first != BK_MOVES_END) {
        unsigned all = bk_moves_portion(v, p, &first, move);

        for (unsigned i = 0; i < all; i++)
            compare(&meant, &move[i], &s);
    }
    while (way < 2 && !meant.n[way])
        way++;
    if (meant.n[way] == 1) {
        *out = meant.last[way];
        return BK_OK;
    }
    return bk_fail(why, BK_E_USAGE,
                   meant.n[way] ? "'%.*s' may be several moves" : "'%.*s' is no legal move here",
                   n < 16 ? (int)n : 16, text);
}
