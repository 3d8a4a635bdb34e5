/*
 * ref.c - the slow solver; see ref.h.
 *
 * Read it in this order: how a man goes (reaches), what it may turn into
 * (choices), legal moves, what ends a game (settled), then one material as an
 * explicit graph that is evaluated over and over until nothing changes.
 *
 * Nothing here is clever on purpose.  A king is in check if some enemy move
 * takes it; a move is legal if afterwards the king is not in check.
 */
#include "ref.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *old, size_t n, size_t size)
{
    void *p = realloc(old, n * size);

    if (!p) {
        fprintf(stderr, "ref: no memory for %zu x %zu bytes\n", n, size);
        abort();
    }
    return p;
}

/* == The board == */

static int code_of(unsigned colour, unsigned type)
{
    return colour == BK_WHITE ? (int)type + 1 : -((int)type + 1);
}

static unsigned type_of(int code) { return (unsigned)(abs(code) - 1); }

static unsigned colour_of(int code) { return code > 0 ? BK_WHITE : BK_BLACK; }

/* The square (df, dr) away if it exists and is no hole, else BK_SQ_NONE. */
static unsigned away(const struct bk_variant *v, unsigned sq, int df, int dr)
{
    int file = (int)(sq % v->files) + df, rank = (int)(sq / v->files) + dr;

    if (file < 0 || rank < 0 || file >= v->files || rank >= v->ranks)
        return BK_SQ_NONE;
    sq = (unsigned)(rank * v->files + file);
    return bk_bits_has(&v->board, sq) ? sq : BK_SQ_NONE;
}

/* Is the square on one of the ranks of the mask, as `colour` counts them? */
static bool on_ranks(const struct bk_variant *v, unsigned mask, unsigned sq, unsigned colour)
{
    unsigned rank = sq / v->files;

    return mask >> (colour == BK_WHITE ? rank : v->ranks - 1u - rank) & 1;
}

static unsigned count_men(const struct bk_variant *v, const struct ref_pos *pos, int code)
{
    unsigned n = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        n += pos->at[sq] == code;
    return n;
}

/* Returns the number of men of `colour` other than the king. */
static unsigned count_others(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour)
{
    unsigned n = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        n += pos->at[sq] && colour_of(pos->at[sq]) == colour && type_of(pos->at[sq]) != v->royal;
    return n;
}

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

static int sign(int x) { return (x > 0) - (x < 0); }

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
    unsigned king = king_square(v, pos, colour);

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

struct castle {
    unsigned king, rook, king_to, rook_to;
};

static struct castle castle_squares(const struct bk_variant *v, unsigned colour, unsigned wing)
{
    const struct bk_castling *c = &v->castling;
    unsigned home = colour == BK_WHITE ? 0 : (v->ranks - 1u) * v->files;

    return (struct castle){ home + c->king_file, home + c->rook_file[wing], home + c->king_to[wing],
                            home + c->rook_to[wing] };
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

/* Do the king and the rook of a castling right stand on their home squares? */
static bool at_home(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour,
                    unsigned wing)
{
    struct castle c = castle_squares(v, colour, wing);

    return pos->at[c.king] == code_of(colour, v->royal) &&
           pos->at[c.rook] == code_of(colour, v->castling.rook);
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

/* == Text == */

static int square_text(const struct bk_variant *v, unsigned sq, char *text)
{
    return sprintf(text, "%c%u", 'a' + (char)(sq % v->files), sq / v->files + 1);
}

void ref_move_text(const struct bk_variant *v, const struct ref_move *move, char text[16])
{
    text += square_text(v, move->from, text);
    if (move->mid != BK_SQ_NONE)
        text += square_text(v, move->mid, text);
    text += square_text(v, move->to, text);
    if (move->changed)
        sprintf(text, "=%c", v->piece[move->type].letter);
}

static int find_letter(const struct bk_variant *v, char letter)
{
    for (unsigned t = 0; t < v->ntypes; t++)
        if (v->piece[t].letter == toupper((unsigned char)letter))
            return (int)t;
    return -1;
}

/* Reads one rank of a FEN, from `sq` on; returns the text behind it, or NULL if it is wrong. */
static const char *read_rank(const struct bk_variant *v, const char *s, unsigned sq,
                             struct ref_pos *pos)
{
    unsigned end = sq + v->files;

    while (sq < end) {
        if (isdigit((unsigned char)*s)) {
            char *after;
            unsigned long gap = strtoul(s, &after, 10);

            if (gap > end - sq)
                return NULL;
            for (unsigned i = 0; i < gap; i++)
                if (!bk_bits_has(&v->board, sq++))
                    return NULL;
            s = after;
        } else if (*s == '*') {
            if (bk_bits_has(&v->board, sq++))
                return NULL;
            s++;
        } else {
            int type = find_letter(v, *s);
            unsigned colour = isupper((unsigned char)*s) ? BK_WHITE : BK_BLACK;

            if (type < 0 || !bk_bits_has(&v->board, sq))
                return NULL;
            pos->at[sq++] = (int8_t)code_of(colour, (unsigned)type);
            s++;
        }
    }
    return s;
}

/* Reads "[RRCCEE]", the evolutions still allowed; returns the text behind it, or NULL. */
static const char *read_allowances(const struct bk_variant *v, const char *s, struct ref_pos *pos)
{
    memset(pos->left, 0, sizeof pos->left);
    for (s++; *s && *s != ']'; s++) {
        int type = find_letter(v, *s);

        if (*s == '-')
            continue;
        if (type < 0)
            return NULL;
        pos->left[isupper((unsigned char)*s) ? BK_WHITE : BK_BLACK][type]++;
    }
    for (unsigned t = 0; t < v->ntypes; t++)
        if (pos->left[0][t] > v->limit[t] || pos->left[1][t] > v->limit[t])
            return NULL;
    return *s ? s + 1 : NULL;
}

/* Returns the file of a side's king if he is on his first rank, else BK_FILES_MAX. */
static unsigned king_file(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour)
{
    unsigned first = colour == BK_WHITE ? 0 : (v->ranks - 1u) * v->files;

    for (unsigned file = 0; file < v->files; file++)
        if (pos->at[first + file] == code_of(colour, v->royal))
            return file;
    return BK_FILES_MAX;
}

static const char *read_castling(const struct bk_variant *v, const char *s, struct ref_pos *pos)
{
    for (; *s && *s != ' '; s++) {
        unsigned colour = isupper((unsigned char)*s) ? BK_WHITE : BK_BLACK;
        char lower = (char)tolower((unsigned char)*s);

        if (*s == '-')
            continue;
        if (lower == 'k' || lower == 'q')
            pos->rights |= REF_RIGHT(colour, lower == 'k');
        else if (lower >= 'a' && lower < 'a' + v->files)
            pos->rights |= REF_RIGHT(colour, (unsigned)(lower - 'a') > king_file(v, pos, colour));
        else
            return NULL;
    }
    return s;
}

/* Returns the file of the rook that a castling `letter` names; BK_FILES_MAX if there is none. */
static unsigned rook_file(const struct bk_variant *v, const struct ref_pos *pos, char letter)
{
    unsigned colour = isupper((unsigned char)letter) ? BK_WHITE : BK_BLACK, found = BK_FILES_MAX;
    unsigned first = colour == BK_WHITE ? 0 : (v->ranks - 1u) * v->files;
    unsigned king = king_file(v, pos, colour);
    char lower = (char)tolower((unsigned char)letter);

    for (unsigned file = 0; file < v->files; file++) {
        if (pos->at[first + file] != code_of(colour, v->castling.rook))
            continue;
        if (lower == (char)('a' + file))
            return file;
        if ((lower == 'k' && file > king) || /* the last one found is the outermost */
            (lower == 'q' && file < king && found == BK_FILES_MAX))
            found = file;
    }
    return found;
}

bool ref_take_homes(struct bk_variant *v, const char *fen)
{
    struct bk_castling *c = &v->castling;
    const char *s = strchr(fen, ' ');
    struct ref_pos pos;

    if (!s || !ref_from_fen(v, fen, &pos))
        return false;
    c->allowed = true;
    c->rook_file[0] = 0;
    c->rook_file[1] = v->files - 1;
    for (s += strlen(" w "); *s && *s != ' '; s++) {
        unsigned king = king_file(v, &pos, isupper((unsigned char)*s) ? BK_WHITE : BK_BLACK);
        unsigned rook = rook_file(v, &pos, *s);

        if (king == BK_FILES_MAX || rook == BK_FILES_MAX)
            return false;
        c->king_file = (uint8_t)king;
        c->rook_file[rook > king] = (uint8_t)rook;
    }
    return true;
}

static bool read_ep(const struct bk_variant *v, const char *s, struct ref_pos *pos)
{
    unsigned file, rank;

    if (!*s || *s == '-')
        return true;
    file = (unsigned)(*s - 'a');
    rank = (unsigned)strtoul(s + 1, NULL, 10);
    if (file >= v->files || rank < 1 || rank > v->ranks)
        return false;
    pos->ep = (uint8_t)((rank - 1) * v->files + file);
    return true;
}

static const char *skip_spaces(const char *s)
{
    while (*s == ' ')
        s++;
    return s;
}

bool ref_from_fen(const struct bk_variant *v, const char *fen, struct ref_pos *pos)
{
    const char *s = fen;

    ref_pos_init(v, pos);
    for (unsigned rank = v->ranks; rank-- > 0;) {
        s = read_rank(v, s, rank * v->files, pos);
        if (!s || (rank && *s++ != '/'))
            return false;
    }
    if (*s == '[') {
        s = read_allowances(v, s, pos);
        if (!s)
            return false;
    }
    s = skip_spaces(s);
    if (*s != 'w' && *s != 'b' && *s)
        return false;
    pos->stm = *s == 'b' ? BK_BLACK : BK_WHITE;
    s = read_castling(v, skip_spaces(*s ? s + 1 : s), pos);
    return s && read_ep(v, skip_spaces(s), pos);
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

/* == What ends a game == */

/*
 * Scores, from the mover's side: a win in d plies is BIG - d, a loss -BIG + d,
 * a draw (and: not known yet) 0.  So "better" is simply "greater".
 */
enum { BIG = 30000, ILLEGAL = -32000, NOTHING_YET = -31000 };

/* Returns the mover's score of a move to a position where the opponent's score is `score`. */
static int one_ply_back(int score)
{
    score = -score;
    return score > 0 ? score - 1 : score < 0 ? score + 1 : 0;
}

static bool can_bare_back(const struct bk_variant *v, const struct ref_pos *pos,
                          const struct ref_moves *moves)
{
    for (unsigned i = 0; i < moves->n; i++) {
        struct ref_pos after = *pos;

        ref_apply(v, &after, &moves->move[i]);
        if (!count_others(v, &after, !pos->stm))
            return true;
    }
    return false;
}

/* Is the game over?  Then *score says how.  `moves` are the legal moves of pos. */
static bool settled(const struct bk_variant *v, const struct ref_pos *pos,
                    const struct ref_moves *moves, int *score)
{
    bool bare = !count_others(v, pos, pos->stm);
    bool opponent_bare = !count_others(v, pos, !pos->stm);

    if (bare && opponent_bare) {
        *score = 0;
        return true;
    }
    if (v->bare != BK_BARE_NOTHING && opponent_bare) {
        *score = BIG;
        return true;
    }
    if (v->bare != BK_BARE_NOTHING && bare) {
        *score = v->bare == BK_BARE_BACK && can_bare_back(v, pos, moves) ? 0 : -BIG;
        return true;
    }
    if (moves->n)
        return false;
    *score = ref_in_check(v, pos, pos->stm) || v->stalemate == BK_STALEMATE_LOSS ? -BIG : 0;
    return true;
}

/* == One material == */

/* What all positions of a table share: the men, the evolutions left, the castling rights. */
struct key {
    uint8_t count[2][BK_TYPES_MAX];
    uint8_t left[2][BK_TYPES_MAX];
    uint8_t rights;
};

/* k equal men on n squares; a set of squares has the rank sum C(square_i, i + 1). */
struct group {
    unsigned colour, type, k, n;
    uint8_t sq[BK_SQ_MAX];    /* squares the men may stand on, ascending */
    uint8_t index[BK_SQ_MAX]; /* its inverse; BK_SQ_NONE elsewhere       */
    uint64_t sets;            /* C(n, k)                                 */
    uint8_t *set;             /* all sets, k squares each, by rank       */
};

struct material {
    struct key key;
    struct group group[2 * BK_TYPES_MAX];
    unsigned ngroups;
    uint8_t group_of[2 * BK_TYPES_MAX + 1]; /* by code + BK_TYPES_MAX */
    int8_t home[BK_SQ_MAX];                 /* men that castling rights hold in place */
    uint64_t size;                          /* nodes: sets of all groups, times two   */
    int16_t *score;
    enum { BUILDING, SOLVED, TOO_BIG } state;
};

struct ref_table {
    const struct bk_variant *v;
    struct material **material; /* [0] is the one asked for */
    unsigned n;
    uint64_t nodes, nodes_max;
    bool too_big;
};

/* C(n, k) in doubles: exact where it matters, and it cannot wrap round. */
static double choose(unsigned n, unsigned k)
{
    double c = 1;

    for (unsigned i = 1; i <= k; i++)
        c = c * (n + 1.0 - i) / i;
    return n < k ? 0 : c;
}

static uint64_t choose_int(unsigned n, unsigned k)
{
    uint64_t c = 1;

    if (n < k)
        return 0;
    for (unsigned i = 1; i <= k; i++)
        c = c * (n + 1 - i) / i;
    return c;
}

/* Writes out all k-sets of 0..n-1 as squares, in the order of their rank. */
static void list_sets(struct group *g)
{
    unsigned c[BK_SQ_MAX + 1];

    g->set = grow(NULL, g->sets * g->k + 1, 1);
    for (unsigned i = 0; i < g->k; i++)
        c[i] = i;
    for (uint64_t s = 0; s < g->sets; s++) {
        unsigned i = 0;

        for (unsigned j = 0; j < g->k; j++)
            g->set[s * g->k + j] = g->sq[c[j]];
        while (i + 1 < g->k && c[i] + 1 == c[i + 1]) {
            c[i] = i;
            i++;
        }
        c[i]++;
    }
}

static void make_group(const struct bk_variant *v, struct material *m, unsigned colour,
                       unsigned type, unsigned k)
{
    struct group *g = &m->group[m->ngroups];

    m->group_of[code_of(colour, type) + BK_TYPES_MAX] = (uint8_t)m->ngroups++;
    g->colour = colour;
    g->type = type;
    g->k = k;
    memset(g->index, BK_SQ_NONE, sizeof g->index);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (!bk_bits_has(&v->board, sq) || m->home[sq] ||
            !on_ranks(v, v->piece[type].ranks, sq, colour))
            continue;
        g->index[sq] = (uint8_t)g->n;
        g->sq[g->n++] = (uint8_t)sq;
    }
    g->sets = choose_int(g->n, k);
}

/* Puts the men of castling rights on m->home; makes groups of the others by colour and type. */
static void make_groups(const struct bk_variant *v, struct material *m)
{
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned wing = 0; wing < 2; wing++)
            if (m->key.rights & REF_RIGHT(colour, wing)) {
                struct castle c = castle_squares(v, colour, wing);

                m->home[c.king] = (int8_t)code_of(colour, v->royal);
                m->home[c.rook] = (int8_t)code_of(colour, v->castling.rook);
            }
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < v->ntypes; type++) {
            unsigned k = m->key.count[colour][type];

            for (unsigned sq = 0; sq < v->nsq; sq++)
                k -= m->home[sq] == code_of(colour, type);
            if (k)
                make_group(v, m, colour, type, k);
        }
}

static bool fits(const struct ref_table *t, const struct material *m)
{
    double size = 2;

    for (unsigned i = 0; i < m->ngroups; i++)
        size *= choose(m->group[i].n, m->group[i].k);
    if (t->nodes_max && (double)t->nodes + size > (double)t->nodes_max)
        return false;
    return size < 1e9; /* successors are numbered in 32 bits */
}

static void free_material(struct material *m)
{
    for (unsigned i = 0; i < m->ngroups; i++)
        free(m->group[i].set);
    free(m->score);
    free(m);
}

/* Sets `pos` to the position of node i; false if two men share a square. */
static bool place(const struct material *m, uint64_t i, struct ref_pos *pos)
{
    memset(pos, 0, sizeof *pos);
    memcpy(pos->at, m->home, sizeof pos->at);
    memcpy(pos->left, m->key.left, sizeof pos->left);
    pos->rights = m->key.rights;
    pos->ep = BK_SQ_NONE;
    pos->stm = i & 1;
    i >>= 1;
    for (unsigned g = 0; g < m->ngroups; g++) {
        const struct group *group = &m->group[g];
        const uint8_t *set = &group->set[i % group->sets * group->k];

        i /= group->sets;
        for (unsigned j = 0; j < group->k; j++) {
            if (pos->at[set[j]])
                return false;
            pos->at[set[j]] = (int8_t)code_of(group->colour, group->type);
        }
    }
    return true;
}

/* Sets `node` to the node of a position of `m`; false if a man stands where it may not. */
static bool node_of(const struct ref_table *t, const struct material *m, const struct ref_pos *pos,
                    uint64_t *node)
{
    uint64_t rank[2 * BK_TYPES_MAX] = { 0 }, i = 0;
    unsigned seen[2 * BK_TYPES_MAX] = { 0 };

    for (unsigned sq = 0; sq < t->v->nsq; sq++) {
        unsigned g;

        if (!pos->at[sq] || m->home[sq])
            continue;
        g = m->group_of[pos->at[sq] + BK_TYPES_MAX];
        if (m->group[g].index[sq] == BK_SQ_NONE)
            return false;
        rank[g] += choose_int(m->group[g].index[sq], ++seen[g]);
    }
    for (unsigned g = m->ngroups; g-- > 0;)
        i = i * m->group[g].sets + rank[g];
    *node = i * 2 + pos->stm;
    return true;
}

/* == The graph of one material == */

/*
 * Nodes 0 .. size - 1 are the placements; after them, one node for each double
 * step that can be answered en passant.  Edges stay inside the material; the
 * best of all moves that leave it is the number `outside`.
 */
struct graph {
    struct material *m;
    uint64_t nodes, nodes_room;
    uint64_t *first;  /* edges of node i: first[i] .. first[i + 1] - 1 */
    int16_t *outside; /* of a node without edges its own score */
    uint32_t *edge;
    uint64_t edges, edges_room;
    struct ref_pos *passing; /* positions of the nodes from `size` on  */
    uint64_t npassing, passing_room;
};

static void add_edge(struct graph *g, uint64_t node)
{
    if (g->edges == g->edges_room) {
        g->edges_room = g->edges_room ? g->edges_room * 2 : 1024;
        g->edge = grow(g->edge, g->edges_room, sizeof *g->edge);
    }
    g->edge[g->edges++] = (uint32_t)node;
}

static uint64_t add_passing(struct graph *g, const struct ref_pos *pos)
{
    if (g->npassing == g->passing_room) {
        g->passing_room = g->passing_room ? g->passing_room * 2 : 64;
        g->passing = grow(g->passing, g->passing_room, sizeof *g->passing);
    }
    g->passing[g->npassing] = *pos;
    return g->m->size + g->npassing++;
}

static struct material *material_of(struct ref_table *t, const struct ref_pos *pos);

/* Forgets an en passant square nobody can use: then the table knows the position. */
static void drop_idle_ep(const struct bk_variant *v, struct ref_pos *pos)
{
    struct ref_moves moves = { 0 };
    bool used = false;

    if (pos->ep == BK_SQ_NONE)
        return;
    ref_moves(v, pos, &moves);
    for (unsigned i = 0; i < moves.n; i++)
        used |= moves.move[i].to == pos->ep && moves.move[i].taken != BK_SQ_NONE;
    ref_moves_free(&moves);
    if (!used)
        pos->ep = BK_SQ_NONE;
}

/* Returns the score of a legal position, solving its material first; ILLEGAL if that is too big. */
static int score_of(struct ref_table *t, struct ref_pos *pos)
{
    struct ref_moves moves = { 0 };
    int best = NOTHING_YET;

    drop_idle_ep(t->v, pos);
    if (pos->ep == BK_SQ_NONE) {
        struct material *m = material_of(t, pos);
        uint64_t node;

        if (!m || !node_of(t, m, pos, &node))
            return ILLEGAL;
        return m->score[node];
    }
    ref_moves(t->v, pos, &moves);
    if (!settled(t->v, pos, &moves, &best)) {
        for (unsigned i = 0; i < moves.n; i++) {
            struct ref_pos after = *pos;
            int score;

            ref_apply(t->v, &after, &moves.move[i]);
            score = one_ply_back(score_of(t, &after));
            best = score > best ? score : best;
        }
    }
    ref_moves_free(&moves);
    return best;
}

static bool same_material(const struct bk_variant *v, const struct key *k,
                          const struct ref_pos *pos)
{
    uint8_t count[2][BK_TYPES_MAX] = { { 0 } };

    if (k->rights != pos->rights || memcmp(k->left, pos->left, sizeof k->left))
        return false;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (pos->at[sq])
            count[colour_of(pos->at[sq])][type_of(pos->at[sq])]++;
    return !memcmp(count, k->count, sizeof count);
}

/* Adds one move of the node being built: an edge, or a part of `outside`. */
static void add_child(struct ref_table *t, struct graph *g, struct ref_pos *child, int *outside)
{
    int score;

    drop_idle_ep(t->v, child);
    if (!same_material(t->v, &g->m->key, child)) {
        score = one_ply_back(score_of(t, child));
        *outside = score > *outside ? score : *outside;
    } else if (child->ep != BK_SQ_NONE) {
        add_edge(g, add_passing(g, child));
    } else {
        uint64_t node;

        if (!node_of(t, g->m, child, &node))
            abort(); /* a move to where a man may not stand */
        add_edge(g, node);
    }
}

/* Appends the next node with its moves, or with its score if the game is over or `pos` illegal. */
static void add_node(struct ref_table *t, struct graph *g, bool exists, const struct ref_pos *pos,
                     struct ref_moves *moves)
{
    int outside = NOTHING_YET;

    if (g->nodes + 1 >= g->nodes_room) {
        g->nodes_room = g->nodes_room ? g->nodes_room * 2 : g->m->size + 2;
        g->first = grow(g->first, g->nodes_room, sizeof *g->first);
        g->outside = grow(g->outside, g->nodes_room, sizeof *g->outside);
    }
    if (!exists || ref_in_check(t->v, pos, !pos->stm)) {
        outside = ILLEGAL;
    } else {
        ref_moves(t->v, pos, moves);
        if (!settled(t->v, pos, moves, &outside))
            for (unsigned i = 0; i < moves->n; i++) {
                struct ref_pos child = *pos;

                ref_apply(t->v, &child, &moves->move[i]);
                add_child(t, g, &child, &outside);
            }
    }
    g->outside[g->nodes++] = (int16_t)outside;
    g->first[g->nodes] = g->edges;
}

static void build_graph(struct ref_table *t, struct graph *g)
{
    struct ref_moves moves = { 0 };
    struct ref_pos pos;

    g->nodes_room = g->m->size + 2;
    g->first = grow(NULL, g->nodes_room, sizeof *g->first);
    g->outside = grow(NULL, g->nodes_room, sizeof *g->outside);
    g->first[0] = 0;
    for (uint64_t i = 0; i < g->m->size && !t->too_big; i++) {
        bool exists = place(g->m, i, &pos);

        add_node(t, g, exists, &pos, &moves);
    }
    for (uint64_t i = 0; i < g->npassing && !t->too_big; i++) {
        pos = g->passing[i];
        add_node(t, g, true, &pos, &moves);
    }
    ref_moves_free(&moves);
}

/*
 * Value iteration: every node again and again, from the values as they stand,
 * until a whole pass changes nothing.
 *
 * Starts from "nothing is known" (0).  A win or loss, once found, rests on a
 * line that really ends, so it stays one; only its length can still shrink.
 * When nothing changes the lengths obey win = 1 + min and loss = 1 + max, which
 * has one solution only (induction over the length).
 */
static void iterate(const struct graph *g, int16_t *score)
{
    bool changed = true;

    for (uint64_t i = 0; i < g->nodes; i++)
        score[i] = 0;
    while (changed) {
        changed = false;
        for (uint64_t i = 0; i < g->nodes; i++) {
            int best = g->outside[i];

            for (uint64_t e = g->first[i]; e < g->first[i + 1]; e++) {
                int s = one_ply_back(score[g->edge[e]]);

                best = s > best ? s : best;
            }
            changed |= score[i] != best;
            score[i] = (int16_t)best;
        }
    }
}

static void solve(struct ref_table *t, struct material *m)
{
    struct graph g = { .m = m };

    build_graph(t, &g);
    if (!t->too_big) {
        m->score = grow(NULL, g.nodes + 1, sizeof *m->score);
        iterate(&g, m->score);
        m->state = SOLVED;
    } else {
        m->state = TOO_BIG;
    }
    free(g.first);
    free(g.outside);
    free(g.edge);
    free(g.passing);
}

/* == All materials == */

static struct material *find(struct ref_table *t, const struct key *key)
{
    for (unsigned i = 0; i < t->n; i++)
        if (!memcmp(&t->material[i]->key, key, sizeof *key))
            return t->material[i];
    return NULL;
}

static struct material *start(struct ref_table *t, const struct key *key)
{
    struct material *m = grow(NULL, 1, sizeof *m);

    memset(m, 0, sizeof *m);
    m->key = *key;
    make_groups(t->v, m);
    t->material = grow(t->material, t->n + 1, sizeof(struct material *));
    t->material[t->n++] = m;
    return m;
}

/* The solved table of a key; solves it first if need be.  NULL: too big. */
static struct material *get(struct ref_table *t, const struct key *key)
{
    struct material *m = find(t, key);

    if (!m) {
        m = start(t, key);
        if (t->too_big || !fits(t, m)) {
            m->state = TOO_BIG;
        } else {
            m->size = 2;
            for (unsigned i = 0; i < m->ngroups; i++) {
                list_sets(&m->group[i]);
                m->size *= m->group[i].sets;
            }
            t->nodes += m->size;
            solve(t, m);
        }
    } else if (m->state == BUILDING && !t->too_big) {
        fprintf(stderr, "ref: men turn into each other in a circle\n");
        abort();
    }
    t->too_big |= m->state == TOO_BIG;
    return m->state == SOLVED ? m : NULL;
}

static struct material *material_of(struct ref_table *t, const struct ref_pos *pos)
{
    struct key key;

    memset(&key, 0, sizeof key);
    for (unsigned sq = 0; sq < t->v->nsq; sq++)
        if (pos->at[sq])
            key.count[colour_of(pos->at[sq])][type_of(pos->at[sq])]++;
    memcpy(key.left, pos->left, sizeof key.left);
    key.rights = pos->rights;
    return get(t, &key);
}

struct ref_table *ref_solve(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                            const uint8_t left[2][BK_TYPES_MAX], uint64_t nodes_max)
{
    struct ref_table *t = grow(NULL, 1, sizeof *t);
    struct key key;

    *t = (struct ref_table){ .v = v, .nodes_max = nodes_max };
    memset(&key, 0, sizeof key);
    memcpy(key.count, count, sizeof key.count);
    for (unsigned c = 0; c < 2; c++)
        memcpy(key.left[c], left ? left[c] : v->limit, sizeof key.left[c]);
    if (get(t, &key))
        return t;
    ref_free(t);
    return NULL;
}

void ref_free(struct ref_table *table)
{
    if (!table)
        return;
    for (unsigned i = 0; i < table->n; i++)
        free_material(table->material[i]);
    free(table->material);
    free(table);
}

/* == Asking == */

static bool score_value(int score, struct ref_value *value)
{
    if (score == ILLEGAL)
        return false;
    value->wdl = (int8_t)sign(score);
    value->dtw = score > 0 ? (uint16_t)(BIG - score) : score < 0 ? (uint16_t)(BIG + score) : 0;
    return true;
}

uint64_t ref_size(const struct ref_table *table) { return table->material[0]->size; }

bool ref_at(const struct ref_table *table, uint64_t i, struct ref_pos *pos, struct ref_value *value)
{
    const struct material *m = table->material[0];

    return place(m, i, pos) && score_value(m->score[i], value);
}

/* Is pos->ep none, or has a pawn just doubled over it, from an empty square over an empty one? */
static bool ep_is_sound(const struct bk_variant *v, const struct ref_pos *pos)
{
    int back = pos->stm == BK_WHITE ? 1 : -1;
    unsigned pawn, from;

    if (pos->ep == BK_SQ_NONE)
        return true;
    pawn = away(v, pos->ep, 0, -back);
    from = away(v, pos->ep, 0, back);
    if (!v->en_passant || pawn == BK_SQ_NONE || from == BK_SQ_NONE || pos->at[from] ||
        pos->at[pos->ep] || !pos->at[pawn] || colour_of(pos->at[pawn]) == pos->stm)
        return false;
    return on_ranks(v, v->piece[type_of(pos->at[pawn])].double_ranks, from, !pos->stm);
}

static bool is_sound(const struct bk_variant *v, const struct ref_pos *pos)
{
    if (count_men(v, pos, code_of(BK_WHITE, v->royal)) != 1 ||
        count_men(v, pos, code_of(BK_BLACK, v->royal)) != 1)
        return false;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (pos->at[sq] &&
            (!bk_bits_has(&v->board, sq) ||
             !on_ranks(v, v->piece[type_of(pos->at[sq])].ranks, sq, colour_of(pos->at[sq]))))
            return false;
    for (unsigned right = 0; right < 4; right++)
        if ((pos->rights >> right & 1) &&
            (!v->castling.allowed || !at_home(v, pos, right / 2, right % 2)))
            return false;
    return ep_is_sound(v, pos) && !ref_in_check(v, pos, !pos->stm);
}

bool ref_value(struct ref_table *table, const struct ref_pos *pos, struct ref_value *value)
{
    struct ref_pos copy = *pos;

    if (!is_sound(table->v, pos))
        return false;
    table->too_big = false;
    return score_value(score_of(table, &copy), value);
}

uint64_t ref_nodes(const struct ref_table *table, unsigned *materials)
{
    if (materials)
        *materials = table->n;
    return table->nodes;
}
