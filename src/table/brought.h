/*
 * brought.h - all moves of a position, and what they bring, by the squares of its men.
 */
#ifndef BK_BROUGHT_H
#define BK_BROUGHT_H

#include "core/move.h"
#include "table/plies.h"

/* What a move brings: of the position after it, from who is to move then. */
struct bk_brought {
    bool known; /* else nothing of the rest is set */
    int wdl;
    int plies; /* -1: a draw, or not asked, or there are no distances */
    enum bk_end end;
};
typedef void bk_step_visit(void *context, struct bk_step_of_men step,
                           const struct bk_brought *brought);

/*
 * All legal moves of a view that bk_view_root() has made, and what they bring, mate and stalemate
 * told apart; with plies, if `distances`.  Not known are those that squares alone do not settle:
 * double steps where they may be taken in passing, and whatever goes wrong.
 * Returns false, having told of none, where the moves are too many to be told so.
 */
bool bk_direct_moves(struct bk_direct *d, struct bk_view *root, bool distances,
                     bk_step_visit *visit, void *context);

#endif
