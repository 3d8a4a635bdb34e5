/*
 * slow_exchange.h - games in which a drop is a turn of its own, solved slowly.
 *
 * Written from docs/whole.md 10; shares nothing with src/core/exchange.c and tb/whole.c but the
 * variant as data.  No castling and no zones.  No memory, and games that cannot be read: abort().
 */
#ifndef SLOW_EXCHANGE_H
#define SLOW_EXCHANGE_H

#include "core/position.h"

/* A game of men K Q R B N C P; ranks and lists as in a variant file. */
struct exchange_rules {
    bool hostage, en_passant;
    const char *board, *holes, *stalemate;
    const char *pawn_ranks, *double_step, *promotion; /* "4 must Q N"; NULL: none */
};
struct bk_variant *exchange_game(const struct exchange_rules *r); /* owned */

/*
 * How many states of the men of both sides, "KRkf", the fast solver values otherwise, or counts too
 * many or too few; prints the first.
 */
unsigned exchange_check_army(const struct bk_variant *v, const char *army);

/* Random small games and armies; a seed always draws the same. */
unsigned exchange_check_random(uint64_t seed);

#endif
