/*
 * sums.h - questions about tables: which there are, what they add up to, how long wins take.
 *
 * Costly answers are kept with the game (kept.h) until the tables in the folders change: then they
 * are found anew, and the game's handle looks again (bk_refresh()).
 */
#ifndef BK_EXPLORE_SUMS_H
#define BK_EXPLORE_SUMS_H

#include "explore/games.h"
#include "explore/query.h"

#define EX_SAMPLE 20000 /* positions of either side that a histogram looks at */

/* All games: boards, holes, men, beginnings, rules in words. */
void ex_sum_variants(struct ex_games *g, const struct ex_query *q, struct ex_reply *reply);
/* The tables of a game; with material=, where that leads. */
void ex_sum_tables(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                   struct ex_reply *reply);
/* Wins, draws, losses of material=, the longest, and a histogram of distances. */
void ex_sum_stats(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                  struct ex_reply *reply);
/* Zugzwangs, only moves and problems of material=: examples.h. */
void ex_sum_examples(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                     struct ex_reply *reply);
/* The longest wins of all tables. */
void ex_sum_longest(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                    struct ex_reply *reply);

#endif
