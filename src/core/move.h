/*
 * move.h - the moves of one position: which there are, what they do, and their names.
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
    bool tells : 1;   /* its name tells where it takes, or the rook's home: bk_move_name() */
    bool doubles;     /* sets the en passant square */
    bool counted;     /* the change uses up an allowance */
    uint8_t creates;  /* live terrain: 1 + the square made land before the move; 0: none */
    uint8_t destroys; /* 1 + the square made sea after it; 0: none */
};

/*
 * Lists have room for BK_MOVES_MAX moves.  That is enough if bk_moves_fit(): in every
 * position of a table.  Elsewhere, as on a board of 14x14 full of men, there may be more, and a
 * caller that needs all of them asks for portions:
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
/* The same in portions, all of them. */
unsigned bk_moves_pseudo_portion(const struct bk_variant *v, const struct bk_pos *p,
                                 unsigned *first, struct bk_move out[BK_MOVES_MAX]);
/* Legal moves: the pseudo-legal ones that do not leave the own royal attacked; returns how many. */
unsigned bk_moves_legal(const struct bk_variant *v, const struct bk_pos *p,
                        struct bk_move out[BK_MOVES_MAX]);
/* Are BK_MOVES_MAX moves enough for every position with these men?  False may be wrong: the number
   of moves is estimated from above, by the most that each man has from any square. */
bool bk_moves_fit(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX]);
/* Is there a legal move?  Looked for man by man. */
bool bk_moves_any(const struct bk_variant *v, const struct bk_pos *p);
/* Can the king of the side to move, a bare one, take? */
bool bk_moves_king_takes(const struct bk_variant *v, const struct bk_pos *p);
/*
 * Exits (conversions): moves after which another material stands on the board: captures, changes,
 * moves that end a castling right.  bk_exits_may_be() tells quickly whether there may be one: false
 * is certain, true may be wrong.  bk_moves_exits() writes the pseudo-legal exits, without powers
 * over land, but en passant captures may be missing; returns how many.  Cost: about 10 ns, and 50.
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
/* Does this move of the position zero the counter of the n-move rule?  docs/rules.md.  Needs
   bk_rules_nmove(). */
bool bk_move_zeroes(const struct bk_variant *v, const struct bk_pos *p, const struct bk_move *m);
/* Plays a move, its power included, on a position in place. */
void bk_pos_play(struct bk_pos *p, const struct bk_variant *v, const struct bk_move *m);

/* Are all squares safe that the king of the side to move crosses when it castles to `side`, its
   home and its last square included?  The king is at home. */
bool bk_castling_safe(const struct bk_variant *v, const struct bk_pos *p, unsigned side);

/* Leaf count of the tree of legal moves, the yardstick of move generators; a bared king plays on.
 */
uint64_t bk_perft(const struct bk_variant *v, const struct bk_pos *p, unsigned depth);

/* == Names == as in answers and on command lines */

/*
 * Names a move: "a1b1", "b9b10=M", "c7c8=R", "a10a10=H" (in place); castling by the king's
 * squares ("e1g1"), or by the king's and the rook's where the king moves less than two squares or
 * could go there without castling ("b1a1").  A capture on the way names the square between
 * ("a1b2c3"), and so does an en passant capture by a man that could go there without capturing.
 * A turn with a power says the square that is created or destroyed: "+c3,a1b1", "a1b1,-d4".  No two
 * moves of a position have one name.  Returns `out`.
 */
char *bk_move_name(const struct bk_variant *v, const struct bk_move *m, char out[16]);

/*
 * Reads the legal move that `n` letters mean, as every door does: a name as above, or as clients
 * write it, "b9b10m", "E1-G1", "e7xd8q+".  docs/rules.md, "How positions are written", lists what
 * is forgiven; in short:
 *   capitals of the man who comes to be, `=` before him, marks between squares and at the end, do
 *   not matter
 *   who that is need not be said if only one man can come to be there
 *   castling is the king's squares, the king's and the rook's, or O-O, O-O-O, also with zeros
 *   a square between is named once, or as the end of one leg and the start of another: "a1b2,b2c3"
 * A name that bk_move_name() gives to one move means no other.
 *
 * first_rank  the number of rank 1: 1, or 0 as XBoard has it on boards of ten ranks
 *
 * Returns BK_OK; BK_E_USAGE, in words.  What has no form of a move costs nothing: no move is made.
 */
enum bk_err bk_move_read(struct bk_move *out, const struct bk_variant *v, const struct bk_pos *p,
                         const char *text, size_t n, unsigned first_rank, struct bk_report *why);

/* The middle square of a move's name, where a man is taken; BK_SQ_NONE: the name has none. */
static inline unsigned bk_move_between(const struct bk_move *m)
{
    if (m->castles)
        return BK_SQ_NONE;
    if (m->also != BK_SQ_NONE)
        return m->also;
    return m->tells ? m->takes : BK_SQ_NONE;
}

#endif
