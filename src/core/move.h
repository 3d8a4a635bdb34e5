/*
 * move.h - the plain move generator, and how a game ends.
 *
 * One position at a time, easy to read; the yardstick that `perft` and
 * `verify` trust.  The kernels of tb/ use the same geometry but none of this.
 */
#ifndef BK_MOVE_H
#define BK_MOVE_H

#include "core/position.h"
#include "core/rules.h"

#define BK_MOVES_MAX 2048
#define BK_MOVES_END (~0u)

struct bk_move {
    uint8_t from, to; /* equal: promotion in place */
    uint8_t becomes;  /* type, or BK_STAYS */
    uint8_t takes;    /* square of the man taken (en passant: not `to`), or BK_SQ_NONE */
    uint8_t also;     /* second man taken on the way, or BK_SQ_NONE; castling: rook's home */
    bool castles : 1; /* `to` is the king's target square, `also` the rook's home */
    bool tells : 1;   /* its name says where it takes, or the rook's home: bk_move_between() */
    bool doubles;     /* sets the en passant square */
    bool counted;     /* the change uses up an allowance */
};

/*
 * Lists have room for BK_MOVES_MAX moves.  That is enough where bk_moves_fit():
 * in every position of a table.  Elsewhere, as on a board of 14x14 full of men,
 * there may be more, and whoever needs all of them asks in portions:
 *
 *     for (unsigned first = 0; first != BK_MOVES_END;) {
 *         unsigned n = bk_moves_portion(v, p, &first, move);
 *         ...
 *     }
 */
unsigned bk_moves_portion(const struct bk_variant *v, const struct bk_pos *p, unsigned *first,
                          struct bk_move out[BK_MOVES_MAX]);
/* Has no position with these men more than BK_MOVES_MAX moves?  An estimate from above. */
bool bk_moves_fit(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX]);

/* Pseudo-legal moves of the side to move, the first BK_MOVES_MAX; returns how many. */
unsigned bk_moves_pseudo(const struct bk_variant *v, const struct bk_pos *p,
                         struct bk_move out[BK_MOVES_MAX]);
/* Legal moves: those of them that do not leave the own royal attacked; returns how many. */
unsigned bk_moves_legal(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX]);
/*
 * Exits: moves after which another material stands on the board: captures, changes, moves that
 * end a castling right.  The first tells quickly whether there may be one: false is certain, true
 * may be wrong.  The second makes them, en passant apart, pseudo-legal; returns how many.
 * Cost: about 10 ns, and 50.
 */
bool bk_exits_may_be(const struct bk_variant *v, const struct bk_pos *p);
unsigned bk_moves_exits(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX]);
/* May some move of such a man from `sq`, or a turn where he stands, change what he is?  False is
   certain. */
bool bk_man_may_change(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq);
/* Does such a man go, wherever he stands, to the empty squares where he would take, and to no
   others? */
bool bk_man_moves_as_he_takes(const struct bk_variant *v, unsigned type, unsigned colour);
/* Plays a move on a position in place. */
void bk_pos_play(struct bk_pos *p, const struct bk_variant *v, const struct bk_move *m);

/* Does `colour` attack `sq` (could it capture a man of the other colour there)? */
bool bk_attacked(const struct bk_variant *v, const struct bk_pos *p, unsigned sq, unsigned colour);
bool bk_in_check(const struct bk_variant *v, const struct bk_pos *p, unsigned colour);
/* Is no square attacked that the king of the side to move, at home, crosses when it
   castles to `side`, its own and the last among them? */
bool bk_castling_safe(const struct bk_variant *v, const struct bk_pos *p, unsigned side);
/* The side that has just moved is not in check. */
bool bk_pos_legal(const struct bk_variant *v, const struct bk_pos *p);

/* How the game has ended in a position, if it has. */
enum bk_end {
    BK_END_NONE,
    BK_END_CHECKMATE,
    BK_END_STALEMATE,
    BK_END_BARE,      /* one side is bare and that decides it        */
    BK_END_BARE_DRAW, /* the bared side bares back; or both are bare */
};

/* "checkmate", "stalemate", "bare", "bare-draw", as in answers; NULL: it is not over. */
const char *bk_end_name(enum bk_end end);

/*
 * Is it over?  `*wdl` (-1, 0, +1 from the side to move) is set when it is.
 * Baring is looked at before mate and stalemate.  King against king is
 * BK_END_BARE_DRAW in every game.
 */
enum bk_end bk_pos_end(const struct bk_variant *v, const struct bk_pos *p, int *wdl);
/* The part of bk_pos_end() that needs no moves of ordinary men: bare kings only. */
enum bk_end bk_pos_bare(const struct bk_variant *v, const struct bk_pos *p, int *wdl);
/* Has neither side but its king?  Then it says BK_END_NONE; spares most positions the call. */
static inline bool bk_pos_none_bare(const struct bk_pos *p)
{
    return !bk_bits_single(&p->by[BK_WHITE]) && !bk_bits_single(&p->by[BK_BLACK]);
}
/* Have both sides nothing else?  Of two ways to a BK_END_BARE_DRAW this is one; the other is that
   the bared king takes the last man at once. */
static inline bool bk_pos_both_bare(const struct bk_pos *p)
{
    return bk_bits_single(&p->by[BK_WHITE]) && bk_bits_single(&p->by[BK_BLACK]);
}

/*
 * "a1b1", "b9b10=M", "c7c8=R", "a10a10=H" (in place); castling by the king's
 * squares ("e1g1"), or by his and his rook's where he moves less than two or might go there
 * without ("b1a1"); a capture on the way names the square between ("a1b2c3"), and so does one in
 * passing by a man who might go there without.  No two moves of a position have one name.
 * Returns `out`.
 */
char *bk_move_name(const struct bk_variant *v, const struct bk_move *m, char out[16]);

/* The square between that the name tells, where a man is taken; or BK_SQ_NONE. */
static inline unsigned bk_move_between(const struct bk_move *m)
{
    if (m->castles)
        return BK_SQ_NONE;
    if (m->also != BK_SQ_NONE)
        return m->also;
    return m->tells ? m->takes : BK_SQ_NONE;
}

/* Leaf count of the legal move tree; a bared king plays on. */
uint64_t bk_perft(const struct bk_variant *v, const struct bk_pos *p, unsigned depth);

#endif
