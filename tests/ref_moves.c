/*
 * ref_moves.c - the slow solver's moves; see ref.h.
 *
 * Read it in this order: how a man goes (reaches), what it may turn into (choices), legal moves.
 *
 * Nothing here is clever on purpose.  A king is in check if some enemy move
 * takes it; a move is legal if afterwards the king is not in check.
 */
#include "tests/ref.h"

#include <stdlib.h>
#include <string.h>

#include "tests/ref_board.h"

static unsigned king_square(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour)
{
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (pos->at[sq] == code_of(colour, v->royal))
            return sq;
    return BK_SQ_NONE;
}

void ref_pos_init(const struct bk_variant *v, struct ref_pos *pos)
{
    memset(pos, 0, sizeof *pos);
    pos->stm = BK_WHITE;
    pos->ep = BK_SQ_NONE;
    memcpy(pos->left[BK_WHITE], v->limit, sizeof v->limit);
    memcpy(pos->left[BK_BLACK], v->limit, sizeof v->limit);
}

/* == Where a man can go == */

/* One end of a move.  mid: square of an enemy taken on the way, or BK_SQ_NONE; ep: en passant. */
struct reach {
    uint8_t to, mid;
    bool ep;
};

struct reaches {
    struct reach r[4096];
    unsigned n;
    struct bk_bits plain, passing; /* ends listed without a mid; en passant */
};

/* Appends an end to `out`, unless another way has led there already. */
static void add_reach(struct reaches *out, unsigned to, unsigned mid, bool ep)
{
    struct bk_bits *seen = ep ? &out->passing : &out->plain;

    if (mid == BK_SQ_NONE) {
        if (bk_bits_has(seen, to))
            return;
        bk_bits_set(seen, to);
    } else {
        for (unsigned i = 0; i < out->n; i++)
            if (out->r[i].to == to && out->r[i].mid == mid && out->r[i].ep == ep)
                return;
    }
    out->r[out->n++] = (struct reach){ (uint8_t)to, (uint8_t)mid, ep };
}

/* Adds the end `to` if what stands there suits `how`.  `ep`: see all_reaches(). */
static void end_on(const struct ref_pos *pos, unsigned colour, unsigned how, unsigned to,
                   unsigned mid, unsigned ep, struct reaches *out)
{
    int there = pos->at[to];

    if (!there && (how & BK_QUIET))
        add_reach(out, to, mid, false);
    if (!there && (how & BK_TAKES) && to == ep)
        add_reach(out, to, mid, true);
    if (there && colour_of(there) != colour && (how & BK_TAKES))
        add_reach(out, to, mid, false);
}

/* One step in one direction: a leap, a ride, or a hop over one screen. */
static void one_step(const struct bk_variant *v, const struct ref_pos *pos, unsigned from,
                     unsigned colour, const struct bk_step *s, unsigned ep, struct reaches *out)
{
    unsigned screens = 0, needed = s->how & BK_HOPS ? 1 : 0, sq = from;
    int dr = colour == BK_WHITE ? s->dr : -s->dr;

    for (unsigned i = 1; s->range == 0 || i <= s->range; i++) {
        sq = away(v, sq, s->df, dr);
        if (sq == BK_SQ_NONE)
            return;
        if (screens == needed)
            end_on(pos, colour, s->how, sq, BK_SQ_NONE, ep, out);
        screens += pos->at[sq] != 0;
        if (screens > needed)
            return;
    }
}

/* Adds the ends of two leaps in one turn; the second may not lead back to `from`. */
static void two_steps(const struct bk_variant *v, const struct ref_pos *pos, unsigned from,
                      unsigned colour, const struct bk_movement *m, unsigned ep,
                      struct reaches *out)
{
    int forward = colour == BK_WHITE ? 1 : -1;

    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *a = &m->step[i];
        unsigned mid = away(v, from, a->df, forward * a->dr);
        unsigned taken = BK_SQ_NONE;

        if (mid == BK_SQ_NONE)
            continue;
        if (pos->at[mid]) {
            if (!m->takes_twice || colour_of(pos->at[mid]) == colour)
                continue;
            taken = mid;
        }
        for (unsigned j = 0; j < m->nsteps; j++) {
            const struct bk_step *b = &m->step[j];
            unsigned to = away(v, mid, b->df, forward * b->dr);
            bool straight = sign(a->df) == sign(b->df) && sign(a->dr) == sign(b->dr);

            if (to != BK_SQ_NONE && to != from && (m->bend || straight))
                end_on(pos, colour, b->how, to, taken, ep, out);
        }
    }
}

/*
 * Sets `out` to every end of a move of the man on `from`, promotion aside.  `ep` is
 * a square on which it may take en passant, or BK_SQ_NONE.
 */
static void all_reaches(const struct bk_variant *v, const struct ref_pos *pos, unsigned from,
                        unsigned ep, struct reaches *out)
{
    unsigned colour = colour_of(pos->at[from]);
    const struct bk_piece *p = &v->piece[type_of(pos->at[from])];
    const struct bk_movement *m = on_ranks(v, p->zone_ranks, from, colour) ? &p->zone : &p->move;

    out->n = 0;
    out->plain = out->passing = (struct bk_bits){ { 0 } };
    for (unsigned i = 0; i < m->nsteps; i++)
        one_step(v, pos, from, colour, &m->step[i], ep, out);
    if (m->steps_max == 2)
        two_steps(v, pos, from, colour, m, ep, out);
}

/* Could a man of the colour `by` take a man on `target` in one move? */
static bool attacked(const struct bk_variant *v, const struct ref_pos *pos, unsigned target,
                     unsigned by)
{
    struct reaches ends;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (!pos->at[sq] || colour_of(pos->at[sq]) != by)
            continue;
        all_reaches(v, pos, sq, BK_SQ_NONE, &ends);
        for (unsigned i = 0; i < ends.n; i++)
            if (ends.r[i].to == target || ends.r[i].mid == target)
                return true;
    }
    return false;
}

bool ref_in_check(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour)
{
    unsigned king = v->royal == BK_NO_ROYAL ? BK_SQ_NONE : king_square(v, pos, colour);

    return king != BK_SQ_NONE && attacked(v, pos, king, !colour);
}

/* == What a man may turn into == */

struct choices {
    bool stay;                   /* may remain what it is                    */
    uint8_t offer[BK_TYPES_MAX]; /* 0 no, 1 costs an allowance, 2 for free */
};

static bool rule_offers(const struct bk_variant *v, const struct ref_pos *pos,
                        const struct bk_become *b, unsigned type)
{
    unsigned us = pos->stm;

    if (b->lost_only && count_men(v, pos, code_of(us, type)) >= v->piece[type].army)
        return false;
    return !b->counted || !v->limit[type] || pos->left[us][type];
}

/* Finds what a man of `type` may become as it arrives on `to`; in_place: as it stands there. */
static void find_choices(const struct bk_variant *v, const struct ref_pos *pos, unsigned type,
                         unsigned to, bool in_place, struct choices *out)
{
    const struct bk_piece *p = &v->piece[type];

    memset(out, 0, sizeof *out);
    out->stay = !in_place;
    for (unsigned i = 0; i < p->nbecomes; i++) {
        const struct bk_become *b = &p->become[i];

        if (!on_ranks(v, b->ranks, to, pos->stm) || (in_place && !b->in_place))
            continue;
        for (unsigned j = 0; j < b->nto; j++) {
            unsigned x = b->to[j];
            uint8_t price = b->counted && v->limit[x] ? 1 : 2;

            if (!rule_offers(v, pos, b, x) || !on_ranks(v, v->piece[x].ranks, to, pos->stm))
                continue; /* what may not stand there is not on offer */
            if (b->must)
                out->stay = false;
            if (out->offer[x] < price)
                out->offer[x] = price;
        }
    }
}

/* == Legal moves == */

static void push_move(const struct bk_variant *v, const struct ref_pos *pos, struct ref_moves *out,
                      struct ref_move move)
{
    struct ref_pos after = *pos;

    if (!on_ranks(v, v->piece[move.type].ranks, move.to, pos->stm))
        return;
    ref_apply(v, &after, &move);
    if (ref_in_check(v, &after, pos->stm))
        return;
    if (out->n == out->room) {
        out->room = out->room ? out->room * 2 : 64;
        out->move = grow(out->move, out->room, sizeof *out->move);
    }
    out->move[out->n++] = move;
}

/* Pushes the move with the type unchanged, if that is allowed, and with every change of type. */
static void push_with_changes(const struct bk_variant *v, const struct ref_pos *pos,
                              struct ref_moves *out, struct ref_move move)
{
    struct choices c;

    find_choices(v, pos, move.type, move.to, move.from == move.to, &c);
    if (c.stay)
        push_move(v, pos, out, move);
    move.ep = BK_SQ_NONE;
    move.changed = true;
    for (unsigned x = 0; x < v->ntypes; x++) {
        if (!c.offer[x])
            continue;
        move.type = (uint8_t)x;
        move.counted = c.offer[x] == 1;
        push_move(v, pos, out, move);
    }
}

static struct ref_move blank_move(unsigned from, unsigned to, unsigned type)
{
    return (struct ref_move){ .from = (uint8_t)from,
                              .to = (uint8_t)to,
                              .mid = BK_SQ_NONE,
                              .taken = BK_SQ_NONE,
                              .type = (uint8_t)type,
                              .ep = BK_SQ_NONE,
                              .wing = -1 };
}

/* Where the pawn stands that has just passed over pos->ep: one rank further on. */
static unsigned passed_pawn(const struct bk_variant *v, const struct ref_pos *pos)
{
    return away(v, pos->ep, 0, pos->stm == BK_WHITE ? -1 : 1);
}

/*
 * The square on which the man on `from` might take in passing: a pawn does so by
 * its own forward capture, not by what it may do in a zone, sideways or back.
 */
static unsigned passing_square(const struct bk_variant *v, const struct ref_pos *pos, unsigned from)
{
    const struct bk_piece *p = &v->piece[type_of(pos->at[from])];
    int ranks;

    if (pos->ep == BK_SQ_NONE || !p->double_ranks || on_ranks(v, p->zone_ranks, from, pos->stm))
        return BK_SQ_NONE;
    ranks = (int)(pos->ep / v->files) - (int)(from / v->files);
    return (pos->stm == BK_WHITE ? ranks : -ranks) > 0 ? pos->ep : BK_SQ_NONE;
}

static void man_moves(const struct bk_variant *v, const struct ref_pos *pos, unsigned from,
                      struct ref_moves *out)
{
    unsigned type = type_of(pos->at[from]), ep = passing_square(v, pos, from);
    struct reaches ends;

    all_reaches(v, pos, from, ep, &ends);
    for (unsigned i = 0; i < ends.n; i++) {
        struct ref_move m = blank_move(from, ends.r[i].to, type);

        m.mid = ends.r[i].mid;
        if (ends.r[i].ep)
            m.taken = (uint8_t)passed_pawn(v, pos);
        else if (pos->at[m.to])
            m.taken = m.to;
        push_with_changes(v, pos, out, m);
    }
    push_with_changes(v, pos, out, (blank_move(from, from, type))); /* in place */
}

/* Can the movement `m`, in some way, go two squares straight forward without capturing? */
static bool goes_two(const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *a = &m->step[i];

        if (a->how & BK_QUIET && a->df == 0)
            for (int n = 1; n <= (a->range ? a->range : 2); n++)
                if (n * a->dr == 2)
                    return true;
        for (unsigned j = 0; m->steps_max == 2 && j < m->nsteps; j++) {
            const struct bk_step *b = &m->step[j];
            bool straight = sign(a->df) == sign(b->df) && sign(a->dr) == sign(b->dr);

            if (a->df + b->df == 0 && a->dr + b->dr == 2 && (m->bend || straight))
                return true;
        }
    }
    return false;
}

/* Does the man on `from` reach the empty square `to` by its move, capturing nobody? */
static bool goes_there(const struct bk_variant *v, const struct ref_pos *pos, unsigned from,
                       unsigned to)
{
    struct reaches ends;

    all_reaches(v, pos, from, BK_SQ_NONE, &ends);
    for (unsigned i = 0; i < ends.n; i++)
        if (ends.r[i].to == to && ends.r[i].mid == BK_SQ_NONE)
            return true;
    return false;
}

/* Pushes a step of two squares straight forward, both empty, unless an ordinary move gets there. */
static void double_step(const struct bk_variant *v, const struct ref_pos *pos, unsigned from,
                        struct ref_moves *out)
{
    unsigned type = type_of(pos->at[from]);
    const struct bk_piece *p = &v->piece[type];
    const struct bk_movement *by = on_ranks(v, p->zone_ranks, from, pos->stm) ? &p->zone : &p->move;
    int forward = pos->stm == BK_WHITE ? 1 : -1;
    unsigned over = away(v, from, 0, forward), to = away(v, from, 0, 2 * forward);
    struct ref_move m;

    if (!on_ranks(v, p->double_ranks, from, pos->stm))
        return;
    if (over == BK_SQ_NONE || to == BK_SQ_NONE || pos->at[over] || pos->at[to] ||
        goes_there(v, pos, from, to))
        return;
    m = blank_move(from, to, type);
    if (v->en_passant && !goes_two(by))
        m.ep = (uint8_t)over;
    push_with_changes(v, pos, out, m);
}

static unsigned min4(struct castle c)
{
    unsigned a = c.king < c.rook ? c.king : c.rook;
    unsigned b = c.king_to < c.rook_to ? c.king_to : c.rook_to;

    return a < b ? a : b;
}

static unsigned max4(struct castle c)
{
    unsigned a = c.king > c.rook ? c.king : c.rook;
    unsigned b = c.king_to > c.rook_to ? c.king_to : c.rook_to;

    return a > b ? a : b;
}

static void castle(const struct bk_variant *v, const struct ref_pos *pos, unsigned wing,
                   struct ref_moves *out)
{
    unsigned us = pos->stm;
    struct castle c = castle_squares(v, us, wing);
    int step = c.king_to > c.king ? 1 : -1;
    struct ref_move m = blank_move(c.king, c.king_to, v->royal);

    if (!(pos->rights & REF_RIGHT(us, wing)) || !at_home(v, pos, us, wing))
        return;
    for (unsigned sq = min4(c); sq <= max4(c); sq++)
        if (!bk_bits_has(&v->board, sq) || (pos->at[sq] && sq != c.king && sq != c.rook))
            return;
    for (unsigned sq = c.king;; sq = (unsigned)((int)sq + step)) {
        struct ref_pos passing = *pos;

        passing.at[c.king] = 0;
        passing.at[sq] = pos->at[c.king];
        if (attacked(v, &passing, sq, !us))
            return;
        if (sq == c.king_to)
            break;
    }
    m.wing = (int8_t)wing;
    push_move(v, pos, out, m);
}

static bool captures(const struct ref_move *m)
{
    return m->taken != BK_SQ_NONE || m->mid != BK_SQ_NONE;
}

/* Drops all moves that are no captures, if some move is one. */
static void drop_quiet(struct ref_moves *moves)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < moves->n; i++)
        if (captures(&moves->move[i]))
            moves->move[kept++] = moves->move[i];
    if (kept)
        moves->n = kept;
}

void ref_moves(const struct bk_variant *v, const struct ref_pos *pos, struct ref_moves *out)
{
    out->n = 0;
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (!pos->at[sq] || colour_of(pos->at[sq]) != pos->stm)
            continue;
        man_moves(v, pos, sq, out);
        double_step(v, pos, sq, out);
    }
    if (v->castling.allowed)
        for (unsigned wing = 0; wing < 2; wing++)
            castle(v, pos, wing, out);
    if (v->must_capture)
        drop_quiet(out);
}

void ref_moves_free(struct ref_moves *moves)
{
    free(moves->move);
    *moves = (struct ref_moves){ 0 };
}

/* Drops, for good, each castling right whose king or rook has left home. */
static void drop_rights(const struct bk_variant *v, struct ref_pos *pos)
{
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned wing = 0; wing < 2; wing++)
            if ((pos->rights & REF_RIGHT(colour, wing)) && !at_home(v, pos, colour, wing))
                pos->rights &= (uint8_t)~REF_RIGHT(colour, wing);
}

void ref_apply(const struct bk_variant *v, struct ref_pos *pos, const struct ref_move *move)
{
    unsigned us = pos->stm;

    pos->at[move->from] = 0;
    if (move->mid != BK_SQ_NONE)
        pos->at[move->mid] = 0;
    if (move->taken != BK_SQ_NONE)
        pos->at[move->taken] = 0;
    if (move->wing >= 0) {
        struct castle c = castle_squares(v, us, (unsigned)move->wing);

        pos->at[c.rook] = 0;
        pos->at[c.rook_to] = (int8_t)code_of(us, v->castling.rook);
        pos->rights &= (uint8_t) ~(REF_RIGHT(us, 0) | REF_RIGHT(us, 1));
    } else if (pos->rights) {
        drop_rights(v, pos); /* while `to` is still empty: a rook taken by a rook */
    }
    pos->at[move->to] = (int8_t)code_of(us, move->type);
    if (move->counted)
        pos->left[us][move->type]--;
    pos->ep = move->ep;
    pos->stm = !us;
}

uint64_t ref_perft(const struct bk_variant *v, const struct ref_pos *pos, unsigned depth)
{
    struct ref_moves moves = { 0 };
    uint64_t lines = 0;

    if (depth == 0)
        return 1;
    ref_moves(v, pos, &moves);
    for (unsigned i = 0; i < moves.n; i++) {
        struct ref_pos after = *pos;

        if (depth > 1)
            ref_apply(v, &after, &moves.move[i]);
        lines += depth > 1 ? ref_perft(v, &after, depth - 1) : 1;
    }
    ref_moves_free(&moves);
    return lines;
}

/* == Zeroing moves == */

/* Adds `to` if a man of this type may stand there; tells whether the square is there at all. */
static bool may_go(const struct bk_variant *v, unsigned type, unsigned colour, unsigned to,
                   struct bk_bits *ends)
{
    if (to == BK_SQ_NONE)
        return false;
    if (on_ranks(v, v->piece[type].ranks, to, colour))
        bk_bits_set(ends, to);
    return true;
}

/* Adds where a man gets from `from` by one quiet move, whatever stands between. */
static void quiet_ends(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                       struct bk_bits *ends)
{
    const struct bk_piece *p = &v->piece[type];
    const struct bk_movement *m = on_ranks(v, p->zone_ranks, from, colour) ? &p->zone : &p->move;
    int forward = colour == BK_WHITE ? 1 : -1;

    for (unsigned i = 0; i < m->nsteps; i++) {
        const struct bk_step *s = &m->step[i];
        unsigned sq = from;

        for (unsigned n = 1; s->range == 0 || n <= s->range; n++) {
            struct bk_bits none,
                *out = s->how & BK_QUIET && (n > 1 || !(s->how & BK_HOPS)) ? ends : &none;

            sq = away(v, sq, s->df, forward * s->dr);
            if (!may_go(v, type, colour, sq, out))
                break;
        }
    }
    for (unsigned i = 0; m->steps_max == 2 && i < m->nsteps; i++)
        for (unsigned j = 0; j < m->nsteps; j++) {
            const struct bk_step *a = &m->step[i], *b = &m->step[j];
            unsigned mid = away(v, from, a->df, forward * a->dr);

            if (mid != BK_SQ_NONE &&
                (m->bend || (sign(a->df) == sign(b->df) && sign(a->dr) == sign(b->dr))))
                may_go(v, type, colour, away(v, mid, b->df, forward * b->dr), ends);
        }
    if (on_ranks(v, p->double_ranks, from, colour) && away(v, from, 0, forward) != BK_SQ_NONE)
        may_go(v, type, colour, away(v, from, 0, 2 * forward), ends);
}

/* Does a chain of its quiet moves lead a man from `from` to `to`? */
static bool leads(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                  unsigned to)
{
    struct bk_bits seen = { { 0 } };
    bool grew = true;

    bk_bits_set(&seen, from);
    while (grew) {
        unsigned before = bk_bits_count(&seen);

        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (bk_bits_has(&seen, sq))
                quiet_ends(v, type, colour, sq, &seen);
        grew = bk_bits_count(&seen) > before;
    }
    return bk_bits_has(&seen, to);
}

bool ref_zeroes(const struct bk_variant *v, const struct ref_pos *pos, const struct ref_move *move)
{
    unsigned type = type_of(pos->at[move->from]), colour = colour_of(pos->at[move->from]);

    if (move->taken != BK_SQ_NONE || move->mid != BK_SQ_NONE)
        return true;
    if (move->wing >= 0)
        return false;
    if (v->nmove.kinds >> type & 1)
        return true;
    return v->nmove.irreversible && type != v->royal &&
           (move->changed || !leads(v, type, colour, move->to, move->from));
}
