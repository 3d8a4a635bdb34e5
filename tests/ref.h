/*
 * ref.h - the slow solver that keeps the fast one honest.
 *
 * Shares nothing with src/, tb/ and probe/ but the plain fields of struct
 * bk_variant: its own positions, its own FEN reader, its own move generator
 * and the plainest value iteration there is.  Meant to be read and believed,
 * then compared with the fast solver over *all* positions of small boards.
 *
 * Speed is not a goal; 200,000 (8x8) to 600,000 (4x6) nodes a second,
 * 4 bytes a move and 10 a node while a material is being solved.
 * Errors in here are errors in a test: no memory means a message and abort().
 */
#ifndef REF_H
#define REF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/variant.h"

/* Castling rights; bit = REF_RIGHT(colour, wing), wing 0 is the a-side. */
#define REF_RIGHT(colour, wing) (1u << ((colour)*2 + (wing)))

struct ref_pos {
    int8_t at[BK_SQ_MAX];          /* 0 empty or a hole, type + 1 White's, -(type + 1) Black's */
    uint8_t stm;                   /* BK_WHITE, BK_BLACK */
    uint8_t ep;                    /* square a pawn has just passed over, or BK_SQ_NONE */
    uint8_t rights;                /* castling */
    uint8_t left[2][BK_TYPES_MAX]; /* evolutions still allowed; 0 where
                                      v->limit is 0 (no limit)                 */
};

struct ref_move {
    uint8_t from, to;
    uint8_t mid;   /* enemy taken between two steps, or BK_SQ_NONE           */
    uint8_t taken; /* where a man is taken (`to`, or the en passant pawn's
                      square), or BK_SQ_NONE                                 */
    uint8_t type;  /* what stands on `to` afterwards                         */
    uint8_t ep;    /* square passed over by a double step, or BK_SQ_NONE     */
    int8_t wing;   /* castling: 0 a-side, 1 the other; else -1               */
    bool changed;  /* type is new: text ends in "=X"                         */
    bool counted;  /* ... and costs one allowance                            */
};

struct ref_moves {
    struct ref_move *move;
    unsigned n, room;
};

struct ref_value {
    int8_t wdl;   /* -1, 0, +1 for the side to move                      */
    uint16_t dtw; /* plies to the end; 0 for draws and for what is over.
                     Of ref_solve_nmove(): plies to zeroing               */
};

/* An empty board, White to move, no rights, full allowances. */
void ref_pos_init(const struct bk_variant *v, struct ref_pos *pos);

/*
 * Reads "board[allowances] side castling ep ...".  Gaps of several digits,
 * `*` for holes; allowances as in [RRCCEErrccee], absent means all; castling
 * as KQkq (K: the wing away from the a-file), as files of rooks left and right
 * of the king, or '-'.  Later fields may be missing and move counters are
 * ignored.  False: not a position of this board.
 */
bool ref_from_fen(const struct bk_variant *v, const char *fen, struct ref_pos *pos);

/*
 * Shuffled castling: lets `v` castle from where the kings and rooks of the
 * FEN's rights stand.  A wing without rights gets a rook's home of its own
 * choice, which no right ever asks for.  False: there are no such men.
 */
bool ref_take_homes(struct bk_variant *v, const char *fen);

/* Is `colour`'s king attacked? */
bool ref_in_check(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour);

/*
 * All legal moves.  Whether the game is already over (bare kings, no men) is not asked.
 * ref_moves_free() when done; the same struct may be filled again and again.
 */
void ref_moves(const struct bk_variant *v, const struct ref_pos *pos, struct ref_moves *out);
void ref_moves_free(struct ref_moves *moves);

void ref_apply(const struct bk_variant *v, struct ref_pos *pos, const struct ref_move *move);

/*
 * "a1b1", "a7a8=Q", "a10a10=M" (in place), castling is the king's own move, and
 * "a1b2c3" when a man on b2 is taken on the way.  `text` has room for 16 bytes.
 */
void ref_move_text(const struct bk_variant *v, const struct ref_move *move, char text[16]);

/* Number of lines of legal moves; bare kings play on, as engines count it. */
uint64_t ref_perft(const struct bk_variant *v, const struct ref_pos *pos, unsigned depth);

/* == Solving == */

struct ref_table;

/*
 * Solves one material, without castling rights, and all it can lead to.
 *
 * count  men of each type a side, exactly one king each if there are kings
 * left   allowances; NULL: all of v->limit
 * nodes_max  gives up and returns NULL beyond so many nodes (placements times
 *        two, summed over all materials met); 0: no bound
 *
 * `v` is borrowed until ref_free().
 */
struct ref_table *ref_solve(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                            const uint8_t left[2][BK_TYPES_MAX], uint64_t nodes_max);
/* The same with the n-move rule of v->nmove: distances are those to zeroing of docs/rules.md, from
   counter 0; a decided position with more than v->nmove.plies of them is cursed, or blessed. */
struct ref_table *ref_solve_nmove(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                                  uint64_t nodes_max);
/* Does the move, one of ref_moves(), zero the counter of v->nmove? */
bool ref_zeroes(const struct bk_variant *v, const struct ref_pos *pos, const struct ref_move *move);
void ref_free(struct ref_table *table); /* NULL is fine */

/* Nodes of this material; ref_at() takes 0 .. ref_size() - 1. */
uint64_t ref_size(const struct ref_table *table);

/*
 * Node i as a position and its value.  False: not a legal position (two men on
 * a square, the king could be taken); *pos is then garbage.
 */
bool ref_at(const struct ref_table *table, uint64_t i, struct ref_pos *pos,
            struct ref_value *value);

/*
 * The value of any legal position of a material met, with or without en
 * passant; materials or castling rights not met before are solved on demand
 * (within nodes_max).  Side to move, squares and allowances are pos's own.
 * False: illegal, or too big.
 */
bool ref_value(struct ref_table *table, const struct ref_pos *pos, struct ref_value *value);

/* Nodes of all materials solved so far, and how many materials. */
uint64_t ref_nodes(const struct ref_table *table, unsigned *materials);

#endif
