/*
 * position.c - see position.h; and FENs for callers.
 *
 * En passant squares and castling rights are seldom, and what makes them right takes a page of
 * rules.  So a position that has them is written as a FEN, and read.
 */
#include "probe/position.h"

#include <stdio.h>
#include <string.h>

#include "core/attack.h"
#include "core/letter.h"
#include "core/rules.h"

/* == Legal? == */

/* Men in hand are no part of a position here, so where they matter there is no answer, with or
   without tables: docs/whole.md 1. */
static enum bk_err check_hands(const struct bk_call *call, const struct bk_pos *p)
{
    const struct bk_variant *v = call->on->v;

    if (!bk_rules_hands(v) || bk_rules_plain_is_exact(v, p->count))
        return BK_OK;
    return bk_fail(call->why, BK_E_NO_TABLE,
                   "no table of %s knows of men who come back: ask `bareking whole`", v->name);
}

static enum bk_err check_legal(const struct bk_call *call, const struct bk_pos *p)
{
    const struct bk_variant *v = call->on->v;
    unsigned them = !p->stm;
    char name[8];

    if (bk_pos_legal(v, p))
        return check_hands(call, p);
    return bk_fail(call->why, BK_E_ILLEGAL,
                   "illegal position: %s is in check, %s to move (the %s on %s could be taken)",
                   them == BK_WHITE ? "White" : "Black", them == BK_WHITE ? "Black" : "White",
                   v->piece[v->royal].name, bk_sq_name(v, p->king[them], name));
}

/* == FEN == */

/* Has the board of a FEN a letter that is no piece, and all its ranks? */
static bool has_stranger(const struct bk_variant *v, const char *fen)
{
    unsigned ranks = 1;
    bool stranger = false;
    struct bk_fen f;
    const char *s;

    bk_fen_split(&f, fen);
    s = f.at[BK_FEN_BOARD];
    for (size_t i = 0; i < f.n[BK_FEN_BOARD] && s[i] != '['; i++) {
        ranks += s[i] == '/';
        stranger |= bk_is_letter(s[i]) && bk_variant_type(v, s[i]) < 0;
    }
    return stranger && ranks == v->ranks;
}

enum bk_err bk_place_fen(struct bk_call *call, struct bk_pos *out, const char *fen, bool legal)
{
    enum bk_err err = bk_call_for_fen(call, fen);

    fen = bk_fen_meant(call->base->v, fen);
    if (!err)
        err = bk_pos_from_fen(out, call->on->v, fen, call->why);
    if (err)
        call->usage = has_stranger(call->base->v, fen) ? BK_LIB_PIECE : BK_LIB_FEN;
    return !err && legal ? check_legal(call, out) : err;
}

/* == Men == */

static enum bk_err no_such_piece(struct bk_call *call, size_t nth, unsigned type)
{
    call->usage = BK_LIB_PIECE;
    return bk_fail(call->why, BK_E_USAGE, "man %zu: its letter (code %u) is no piece of %s",
                   nth + 1, type, call->on->v->name);
}

/* Puts the nth man of the caller's list on a square of the board's rectangle. */
static enum bk_err put_man(const struct bk_call *call, struct bk_pos *p, size_t nth, unsigned type,
                           unsigned colour, unsigned sq)
{
    const struct bk_variant *v = call->on->v;
    char letter, name[8];

    if (bk_rules_may_stand(v, type, colour, sq) && !p->at[sq] &&
        !(type == v->royal && p->count[colour][type])) {
        bk_pos_put(p, v, type, colour, sq);
        return BK_OK;
    }
    letter = bk_man_letter(v, bk_man(type, colour));
    bk_sq_name(v, sq, name);
    if (!bk_rules_may_stand(v, type, colour, sq))
        return bk_fail(call->why, BK_E_USAGE, "man %zu: '%c' may not stand on %s", nth + 1, letter,
                       name);
    if (p->at[sq])
        return bk_fail(call->why, BK_E_USAGE, "man %zu: another man stands on %s", nth + 1, name);
    return bk_fail(call->why, BK_E_USAGE, "man %zu: a second '%c'", nth + 1, letter);
}

static enum bk_err check_kings(const struct bk_call *call, const struct bk_pos *p)
{
    const struct bk_variant *v = call->on->v;

    for (unsigned colour = 0; colour < 2; colour++)
        if (!p->count[colour][v->royal])
            return bk_fail(call->why, BK_E_USAGE, "no %s %s", bk_colour_name(colour),
                           v->piece[v->royal].name);
    return BK_OK;
}

static enum bk_err put_piece(struct bk_call *call, struct bk_pos *p, size_t nth,
                             struct bk_lib_piece man)
{
    const struct bk_variant *v = call->on->v;
    int type = man.type < v->ntypes      ? man.type
               : man.type < BK_TYPES_MAX ? -1
                                         : bk_variant_type(v, (char)man.type);

    if (type < 0)
        return no_such_piece(call, nth, man.type);
    if (man.colour > 1)
        return bk_fail(call->why, BK_E_USAGE, "man %zu: colour %u is neither 0 nor 1", nth + 1,
                       man.colour);
    if (man.square >= v->nsq)
        return bk_fail(call->why, BK_E_USAGE, "man %zu: square %u is off the board", nth + 1,
                       man.square);
    return put_man(call, p, nth, (unsigned)type, man.colour, man.square);
}

static enum bk_err set_allowances(const struct bk_call *call, struct bk_pos *p,
                                  const struct bk_lib_pos *from)
{
    const struct bk_variant *v = call->on->v;

    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < BK_TYPES_MAX; type++) {
            unsigned most = type < v->ntypes ? bk_rules_allowance(v, type) : 0;

            if (from->left[colour][type] > most)
                return bk_fail(call->why, BK_E_USAGE,
                               "left[%u][%u]: %u, but the game allows %u at most", colour, type,
                               from->left[colour][type], most);
            p->left[colour][type] = from->left[colour][type];
        }
    return BK_OK;
}

static enum bk_err check_side(const struct bk_call *call, int black_to_move)
{
    if (black_to_move == 0 || black_to_move == 1)
        return BK_OK;
    return bk_fail(call->why, BK_E_USAGE, "black_to_move: %d is neither 0 nor 1", black_to_move);
}

/* Refuses bytes that mean nothing yet: they may mean something one day. */
static enum bk_err check_fields(const struct bk_call *call, const struct bk_lib_pos *p)
{
    if (p->limited > 1)
        return bk_fail(call->why, BK_E_USAGE, "limited: %u is neither 0 nor 1", p->limited);
    if (p->counter > 9999)
        return bk_fail(call->why, BK_E_USAGE, "counter: %u is more than 9999", p->counter);
    if (p->further)
        return bk_fail(call->why, BK_E_USAGE, "reserved: not 0");
    return check_side(call, p->black_to_move);
}

/* Sets `out` to the caller's position without its en passant square and castling rights. */
static enum bk_err place_plain(struct bk_call *call, struct bk_pos *out, const struct bk_lib_pos *p)
{
    enum bk_err err = check_fields(call, p);

    if (err)
        return err;
    bk_pos_init(out, call->on->v);
    out->stm = p->black_to_move ? BK_BLACK : BK_WHITE;
    out->turn = (uint16_t)(p->turn > UINT16_MAX ? UINT16_MAX : p->turn ? p->turn : 1);
    out->clock = bk_rules_nmove(call->on->v) ? p->counter : 0;
    if (p->elsewhere || bk_rules_land_lives(call->on->v))
        return bk_fail(call->why, BK_E_USAGE,
                       "a position on another board, or with other rooks' rights: ask by its FEN");
    if (p->n && !p->men)
        return bk_fail(call->why, BK_E_USAGE, "the list of men is NULL");
    for (size_t i = 0; i < p->n && !err; i++)
        err = put_piece(call, out, i, p->men[i]);
    if (!err && p->limited)
        err = set_allowances(call, out, p);
    return err ? err : check_kings(call, out);
}

/* Writes the FEN of `plain`, "BOARD w - - 3 20", with the rights and en passant square of `p`. */
static enum bk_err fen_with(const struct bk_call *call, const struct bk_pos *plain,
                            const struct bk_lib_pos *p, char fen[BK_FEN_MAX + 16])
{
    char text[BK_FEN_MAX], ep[8], rights[8] = "";
    const char *middle;
    size_t n = 0;

    if (p->castling > 15)
        return bk_fail(call->why, BK_E_USAGE, "castling: %u is no set of rights", p->castling);
    if (p->en_passant >= call->on->v->nsq)
        return bk_fail(call->why, BK_E_USAGE, "en passant: square %u is off the board",
                       p->en_passant);
    for (unsigned i = 0; i < 4; i++)
        if (p->castling >> bk_rights_written[i].bit & 1)
            rights[n++] = bk_rights_written[i].letter;
    if (!n)
        rights[n++] = '-';
    rights[n] = '\0';
    bk_sq_name(call->on->v, p->en_passant ? p->en_passant : BK_SQ_NONE, ep);
    middle = strstr(bk_pos_to_fen(plain, call->on->v, text), " - - ");
    snprintf(fen, BK_FEN_MAX + 16, "%.*s %s %s %s", (int)(middle - text), text, rights, ep,
             middle + 5);
    return BK_OK;
}

/* Refuses a right or en passant square that cannot be, which a FEN may have: a struct says what is
   meant. */
static enum bk_err check_kept(const struct bk_call *call, const struct bk_pos *read,
                              const struct bk_lib_pos *p)
{
    char name[8];

    if (read->rights != p->castling)
        return bk_fail(call->why, BK_E_USAGE,
                       "castling: %u, of which %u are rights whose king and rook are at home",
                       p->castling, read->rights);
    if (p->en_passant && read->ep != p->en_passant)
        return bk_fail(call->why, BK_E_USAGE, "en passant: nobody can have passed over %s just now",
                       bk_sq_name(call->on->v, p->en_passant, name));
    return BK_OK;
}

enum bk_err bk_place_pos(struct bk_call *call, struct bk_pos *out, const struct bk_lib_pos *p,
                         bool legal)
{
    char fen[BK_FEN_MAX + 16];
    enum bk_err err = place_plain(call, out, p);

    if (!err && (p->castling || p->en_passant)) {
        err = fen_with(call, out, p, fen);
        if (!err)
            err = bk_place_fen(call, out, fen, false);
        if (!err)
            err = check_kept(call, out, p);
        call->usage = BK_LIB_USAGE;
    }
    return !err && legal ? check_legal(call, out) : err;
}

enum bk_err bk_place_men(struct bk_call *call, struct bk_pos *out, const struct bk_lib_man *men,
                         size_t n, int black_to_move)
{
    const struct bk_variant *v = call->on->v;
    enum bk_err err = check_side(call, black_to_move);

    bk_pos_init(out, v);
    out->stm = black_to_move ? BK_BLACK : BK_WHITE;
    for (size_t i = 0; i < n && !err; i++) {
        int type = bk_variant_type(v, men[i].letter);

        if (type < 0)
            return no_such_piece(call, i, (unsigned char)men[i].letter);
        if (men[i].file >= v->files || men[i].rank >= v->ranks)
            return bk_fail(call->why, BK_E_USAGE, "man %zu: file %d, rank %d is off the board",
                           i + 1, men[i].file, men[i].rank);
        err = put_man(call, out, i, (unsigned)type, men[i].letter >= 'a' ? BK_BLACK : BK_WHITE,
                      bk_sq(v, men[i].file, men[i].rank));
    }
    if (!err)
        err = check_kings(call, out);
    return err ? err : check_legal(call, out);
}

/* == For callers == */

static void position_of(struct bk_lib_pos *out, struct bk_lib_piece *men, const struct bk_pos *p,
                        const struct bk_variant *v)
{
    memset(out, 0, sizeof *out);
    out->men = men;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq])
            men[out->n++] = (struct bk_lib_piece){
                .type = (uint8_t)v->piece[bk_man_type(p->at[sq])].letter,
                .colour = (uint8_t)bk_man_colour(p->at[sq]),
                .square = (uint16_t)sq,
            };
    out->turn = p->turn;
    out->counter = p->clock;
    out->en_passant = p->ep == BK_SQ_NONE ? 0 : p->ep;
    out->black_to_move = p->stm == BK_BLACK;
    out->castling = p->rights;
    out->limited = 1;
    _Static_assert(sizeof out->left == sizeof p->left, "as many types");
    memcpy(out->left, p->left, sizeof out->left);
}

/* Would a position that was read, on a board derived for its FEN, be asked on another one as a
   struct? */
static bool is_elsewhere(const struct bk_call *call, const struct bk_lib_pos *p)
{
    struct bk_report why;
    struct bk_call again = *call;
    struct bk_pos pos;

    if (bk_rules_land_lives(call->base->v)) /* what is land no struct tells */
        return true;
    if (call->on == call->base)
        return false;
    again.on = again.base;
    again.why = &why;
    return bk_place_pos(&again, &pos, p, false) || again.on != call->on;
}

enum bk_lib_err bk_read_fen(struct bk_lib *lib, const char *fen, struct bk_lib_piece *men,
                            size_t room, struct bk_lib_pos *out)
{
    struct bk_call call;
    struct bk_pos p;
    enum bk_err err = bk_call_begin(&call, lib, fen && out && (men || !room), 0, 0);

    if (!err)
        err = bk_place_fen(&call, &p, fen, false);
    if (!err && (!men || bk_bits_count(&p.by[0]) + bk_bits_count(&p.by[1]) > room))
        err = bk_fail(call.why, BK_E_USAGE, "room for %zu men is not enough", room);
    if (!err) {
        position_of(out, men, &p, call.on->v);
        out->elsewhere = is_elsewhere(&call, out);
    }
    return bk_call_end(&call, err);
}

enum bk_lib_err bk_write_fen(struct bk_lib *lib, const struct bk_lib_pos *p, char *out)
{
    struct bk_call call;
    struct bk_pos pos;
    enum bk_err err = bk_call_begin(&call, lib, p && out, 0, 0);

    _Static_assert(BK_LIB_FEN_MAX == BK_FEN_MAX, "room for any FEN");
    if (!err)
        err = bk_place_pos(&call, &pos, p, false);
    if (!err)
        bk_pos_to_fen(&pos, call.on->v, out);
    return bk_call_end(&call, err);
}
