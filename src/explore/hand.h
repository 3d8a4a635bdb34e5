/*
 * hand.h - the turns of games in which captured men come back (core/hands.h).
 */
#ifndef BK_EXPLORE_HAND_H
#define BK_EXPLORE_HAND_H

#include "explore/games.h"

#define EX_TURNS_MAX 1500 /* turns in one answer */

/* Answers /moves: every position that a turn leads to, once, with the turn's name.  Values are
   known where the army has been solved (g->armies; `counting`: it is being), and where the game
   ends.  False: fen says nothing of hands, and nothing was answered. */
bool ex_hand_moves(struct ex_games *g, struct ex_game *game, const char *fen,
                   struct ex_reply *reply);

#endif
