/*
 * ask.h - questions about positions: probe, moves, board, line, map, batch.
 *
 * Each fills *reply, with an error where it has no answer.  Threads: any number.
 */
#ifndef BK_EXPLORE_ASK_H
#define BK_EXPLORE_ASK_H

#include "explore/games.h"
#include "explore/query.h"

#define EX_BATCH_MAX 500  /* positions at once */
#define EX_TURNS_MAX 1500 /* turns in one answer, of games with hands */

/* What a position and each of its moves are worth. */
void ex_ask_probe(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                  struct ex_reply *reply);
/* The legal moves by the rules alone, whatever tables there are.  In games with hands: every
   position that a turn leads to, once, EX_TURNS_MAX at most; with values if the army has been
   solved. */
void ex_ask_moves(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                  struct ex_reply *reply);
/* A board as we write it, be it a position or, without kings, none yet; or what is wrong with it.
 */
void ex_ask_board(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                  struct ex_reply *reply);
/* The best play to the end. */
void ex_ask_line(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                 struct ex_reply *reply);
/* What the position would be worth with the man on `square` on each other square. */
void ex_ask_map(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                struct ex_reply *reply);
/* Many positions, without their moves; body: {"fens": [...]}, n bytes. */
void ex_ask_batch(struct ex_games *g, struct ex_game *game, const char *body, size_t n,
                  struct ex_reply *reply);

#endif
