/*
 * drawing.h - a position as a picture: /svg.
 */
#ifndef BK_EXPLORE_DRAWING_H
#define BK_EXPLORE_DRAWING_H

#include "explore/games.h"
#include "explore/query.h"

/* fen, and if wanted arrows (b1c3,e2e4:red), marks (e4,d5:green), flip, plain, caption, size. */
void ex_draw(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
             struct ex_reply *reply);

#endif
