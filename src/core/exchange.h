/*
 * exchange.h - turns of games in which a drop is a turn of its own.
 *
 * hand = turned: a man taken changes sides, and is dropped instead of a move.  hand = hostage: he
 * keeps his colour, and is exchanged out of prison.  Rules: docs/whole.md 10.  hands.c is the door
 * to all but bk_exchange_before() and bk_turn_move(); calls mean what they mean there.
 *
 * What there is on the board comes from core/move.h, castling, en passant and promotion included.
 */
#ifndef BK_EXCHANGE_H
#define BK_EXCHANGE_H

#include "core/handpos.h"
#include "core/move.h"

/* Reads `board[in hand] w KQkq e3 0 1`, hostage: `board[prisoners]{on airfields} ...`. */
enum bk_err bk_exchange_from_fen(struct bk_hands_pos *p, const struct bk_variant *v,
                                 const char *fen, struct bk_report *why);
char *bk_exchange_to_fen(const struct bk_hands_pos *p, const struct bk_variant *v,
                         char out[BK_FEN_MAX]);

bool bk_exchange_in_check(const struct bk_hands_pos *p, const struct bk_variant *v,
                          unsigned colour);
bool bk_exchange_legal(const struct bk_hands_pos *p, const struct bk_variant *v);
void bk_exchange_turns(const struct bk_hands_pos *p, const struct bk_variant *v, bk_hands_see *see,
                       void *context);
void bk_exchange_play(struct bk_hands_pos *p, const struct bk_variant *v,
                      const struct bk_turn *turn);
/* "a1b1", "b7b8=Q", "N@e4"; a prisoner given back for the man dropped: "q-R@e4". */
char *bk_exchange_name(const struct bk_hands_pos *p, const struct bk_variant *v,
                       const struct bk_turn *turn, char out[BK_TURN_NAME_MAX]);

/* Sets *m to the move that a turn is; false: it is a drop. */
bool bk_turn_move(const struct bk_hands_pos *p, const struct bk_turn *turn, struct bk_move *m);

/*
 * Calls meet() with every position, without rights and without an en passant square, from which a
 * turn may lead to `p`; some more may be among them, and one may come twice.
 *
 * passed  0: one turn leads to `p`.  n: n + 1 turns do, of which the first n are double steps that
 *         could be answered en passant; only the positions before these have no such square.
 */
typedef void bk_exchange_meet(void *context, const struct bk_hands_pos *before, unsigned passed);
void bk_exchange_before(const struct bk_hands_pos *p, const struct bk_variant *v,
                        bk_exchange_meet *meet, void *context);

#endif
