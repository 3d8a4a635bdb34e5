/*
 * brought.h - all moves of a position, and what they bring, by the squares of its men.
 */
#ifndef BK_BROUGHT_H
#define BK_BROUGHT_H

#include "core/end.h"
#include "table/plies.h"

/* What a move brings: the value of the position after it, for the side to move there. */
struct bk_brought {
    bool known; /* false: the other fields mean nothing */
    int wdl;
    int plies; /* to the end; -1: a draw, not asked for, or the table has no distances */
    enum bk_end end;
};
typedef void bk_step_visit(void *context, struct bk_step_of_men step,
                           const struct bk_brought *brought);

/*
 * Calls `visit` for each legal move of `root`, a view that bk_view_root() has made, with what the
 * move brings: mate and stalemate told apart, and plies if `distances`.  brought->known is false
 * where squares alone do not settle the move (a double step that may be taken in passing), or where
 * anything goes wrong.
 * Returns false, without a call of `visit`, if there are more exits than a view has room for.
 */
bool bk_direct_moves(struct bk_direct *d, struct bk_view *root, bool distances,
                     bk_step_visit *visit, void *context);

#endif
