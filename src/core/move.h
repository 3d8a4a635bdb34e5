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
    bool tells : 1;   /* its name tells where it takes, or the rook's home: bk_move_between() */
    bool doubles;     /* sets the en passant square */
    bool counted;     /* the change uses up an allowance */
};

/*
 * Lists have room for BK_MOVES_MAX moves.  That is enough where bk_moves_fit():
 * in every position of a table.  Elsewhere, as on a board of 14x14 full of men,
 * there may be more, and a caller that needs all of them asks for portions:
 *
 *     for (unsigned first = 0; first != BK_MOVES_END;) {
 *         unsigned n = bk_moves_portion(v, p, &first, move);
 *         ...
 *     }
 */
unsigned bk_moves_portion(const struct bk_variant *v, const struct bk_pos *p, unsigned *first,
                          struct bk_move out[BK_MOVES_MAX]);
/* Are BK_MOVES_MAX moves enough for every position with these men?  False may be wrong: the number
   of moves is estimated from above. */
bool bk_moves_fit(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX]);

/* Pseudo-legal moves of the side to move, the first BK_MOVES_MAX; returns how many. */
unsigned bk_moves_pseudo(const struct bk_variant *v, const struct bk_pos *p,
                         struct bk_move out[BK_MOVES_MAX]);
/* Legal moves: the pseudo-legal ones that do not leave the own royal attacked; returns how many. */
unsigned bk_moves_legal(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX]);
/*
 * Exits: moves after which another material stands on the board: captures, changes, moves that end
 * a castling right.  bk_exits_may_be() tells quickly whether there may be one: false is certain,
 * true may be wrong.  bk_moves_exits() writes the pseudo-legal exits, but en passant captures may
 * be missing; returns how many.  Cost: about 10 ns, and 50.
 */
bool bk_exits_may_be(const struct bk_variant *v, const struct bk_pos *p);
unsigned bk_moves_exits(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX]);
/* May a man of this type and colour become another by a move from `sq`, or by a turn in place?
   False is certain. */
bool bk_man_may_change(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq);
/* Does a man of this type and colour, wherever it stands, go to all empty squares where it would
   take, and to no others? */
bool bk_man_moves_as_he_takes(const struct bk_variant *v, unsigned type, unsigned colour);
/* Plays a move on a position in place. */
void bk_pos_play(struct bk_pos *p, const struct bk_variant *v, const struct bk_move *m);

/* Does `colour` attack `sq` (could it capture a man of the other colour there)? */
bool bk_attacked(const struct bk_variant *v, const struct bk_pos *p, unsigned sq, unsigned colour);
bool bk_in_check(const struct bk_variant *v, const struct bk_pos *p, unsigned colour);
/* Are all squares safe that the king of the side to move crosses when it castles to `side`, its
   home and its last square included?  The king is at home. */
bool bk_castling_safe(const struct bk_variant *v, const struct bk_pos *p, unsigned side);
/* True if the side that has just moved is not in check. */
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
 * Is the game over?  `*wdl` (-1, 0, +1 from the side to move) is set when it is.
 * Baring is looked at before mate and stalemate.  King against king is
 * BK_END_BARE_DRAW in every game.
 */
enum bk_end bk_pos_end(const struct bk_variant *v, const struct bk_pos *p, int *wdl);
/* The part of bk_pos_end() that needs no moves of ordinary men: bare kings only. */
enum bk_end bk_pos_bare(const struct bk_variant *v, const struct bk_pos *p, int *wdl);
/* Has each side more than its king?  Then bk_pos_bare() says BK_END_NONE: this spares most
   positions the call. */
static inline bool bk_pos_none_bare(const struct bk_pos *p)
{
    return !bk_bits_single(&p->by[BK_WHITE]) && !bk_bits_single(&p->by[BK_BLACK]);
}
/* Has each side only its king?  This is one of two ways to a BK_END_BARE_DRAW; in the other the
   bared king takes the last man at once. */
static inline bool bk_pos_both_bare(const struct bk_pos *p)
{
    return bk_bits_single(&p->by[BK_WHITE]) && bk_bits_single(&p->by[BK_BLACK]);
}

/*
 * Names a move: "a1b1", "b9b10=M", "c7c8=R", "a10a10=H" (in place); castling by the king's
 * squares ("e1g1"), or by the king's and the rook's where the king moves less than two squares or
 * could go there without castling ("b1a1").  A capture on the way names the square between
 * ("a1b2c3"), and so does an en passant capture by a man that could go there without capturing.
 * No two moves of a position have one name.  Returns `out`.
 */
char *bk_move_name(const struct bk_variant *v, const struct bk_move *m, char out[16]);

/* The middle square of a move's name, where a man is taken; BK_SQ_NONE: the name has none. */
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
