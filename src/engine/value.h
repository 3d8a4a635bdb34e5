/*
 * value.h - evaluates a position that no table answers: men by their mobility.
 *
 * A man is worth the squares that he reaches, on average over a board that is half full; one that
 * may become another is worth a share of the gain on top, the more the nearer he is to it.  Nothing
 * is tuned and nothing asks which game it is.
 */
#ifndef BE_VALUE_H
#define BE_VALUE_H

#include "engine/game.h"

struct be_values {
    int man[BK_TYPES_MAX];                  /* royal 0; a knight's is about 300 */
    int16_t on[BK_TYPES_MAX][2][BK_SQ_MAX]; /* what a colour's man gains or loses on each square */
};

void be_values_of(struct be_values *out, const struct bk_variant *v);
/* Evaluates from the mover's side, BE_LEAD_MAX at most: less than any win (search.h).  A few
   hundred are for squares. */
#define BE_LEAD_MAX 19000
int be_evaluate(const struct be_values *values, const struct be_game *g, const struct be_board *b);

#endif
