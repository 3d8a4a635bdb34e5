/*
 * view.h - tables in memory as another table's moves see them.
 *
 * A view says what the moves of a plan (view_plan.h) bring: the scores of all positions in which
 * some men are free and the others fixed, in the parent's squares and order.
 *
 * Cost: where the men stand in the table is worked out once a view (view_where.h), and then it is
 * filled row by row (view_rows.h, and scores.h for the time).  Men that may leave their cell are
 * slow: one position at a time.  What many such views have in common can be kept (view_kept.h).
 */
#ifndef BK_VIEW_H
#define BK_VIEW_H

#include "tb/memory/view_plan.h"

/*
 * Fills out[] (mixed radix over `men`, the last varying fastest) with the
 * mover's scores of moving into each position: BK_SCORE_NONE where that would
 * be illegal or two men share a square in a way the table cannot express.
 *
 * at  parent's squares of the kings and of every man that is not free
 */
void bk_view_fill(const struct bk_view_plan *p, const struct bk_placement *at,
                  const struct bk_free_man *men, unsigned nfree, int16_t *out);

/* Squares that a king ranges over. */
struct bk_king_squares {
    const uint8_t *sq;
    unsigned n;
};

/*
 * Scores as from bk_view_fill(), with all men standing still and the kings (white,
 * black) ranging over squares: out[white * nsq + black], the rest of out[] is
 * left as it is.  For tables whose other men are pawns.
 */
void bk_view_kings(const struct bk_view_plan *p, const struct bk_placement *at,
                   const struct bk_king_squares kings[2], int16_t *out);

#endif
