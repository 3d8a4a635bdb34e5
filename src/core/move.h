/*
 * move.h - the plain move generator.
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
    bool tells : 1;   /* its name tells where it takes, or the rook's home: move_name.h */
    bool doubles;     /* sets the en passant square */
    bool counted;     /* the change uses up an allowance */
};

/*
 * Lists have room for BK_MOVES_MAX moves.  That is enough where bk_moves_fit() (moves_fit.h):
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

/* Pseudo-legal moves of the side to move, the first BK_MOVES_MAX; returns how many. */
unsigned bk_moves_pseudo(const struct bk_variant *v, const struct bk_pos *p,
                         struct bk_move out[BK_MOVES_MAX]);
/* Legal moves: the pseudo-legal ones that do not leave the own royal attacked; returns how many. */
unsigned bk_moves_legal(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX]);
/* Is there a legal move?  Looked for man by man. */
bool bk_moves_any(const struct bk_variant *v, const struct bk_pos *p);
/* Can the king of the side to move, a bare one, take? */
bool bk_moves_king_takes(const struct bk_variant *v, const struct bk_pos *p);
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
/* Returns where the rook of a castling move ends. */
unsigned bk_castled_rook(const struct bk_variant *v, const struct bk_move *m);
/* Plays a move on a position in place. */
void bk_pos_play(struct bk_pos *p, const struct bk_variant *v, const struct bk_move *m);

/* Are all squares safe that the king of the side to move crosses when it castles to `side`, its
   home and its last square included?  The king is at home. */
bool bk_castling_safe(const struct bk_variant *v, const struct bk_pos *p, unsigned side);

#endif
