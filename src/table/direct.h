/*
 * direct.h - settles whether a position is won, drawn or lost by the squares of its men, with no
 * board.
 *
 * A view (view.h) sees what squares alone say.  Where they are not enough, or a move sets an en
 * passant square, the caller is asked instead, by the functions in struct bk_direct.  Together they
 * say what settle.h promises.  Distances: plies.h; all moves at once: brought.h.
 *
 * Threads: any.  Stack: 2 KB a capture that follows another.
 */
#ifndef BK_DIRECT_H
#define BK_DIRECT_H

#include "table/memo.h"
#include "table/view.h"

/* Settling by squares alone, and the caller's functions for positions where that is not enough. */
struct bk_direct {
    struct bk_way way;
    struct bk_memo *memo; /* of positions in tables whose men may change */
    /* by depth: the step that last did best; `by` BK_FACT_NOBODY: none yet */
    struct bk_step_of_men good[BK_VIEW_DEPTH + 1];
    void *context;
    /* as bk_settle_least(), of a position of the game */
    enum bk_err (*wdl)(void *context, const struct bk_pos *p, int enough, int *wdl,
                       struct bk_report *why);
    /* as bk_settle_plies(), of a won or a lost one */
    enum bk_err (*plies)(void *context, const struct bk_pos *p, int wdl, struct bk_window w,
                         int *plies, struct bk_report *why);
};

/* Fills in all but the caller's functions. */
void bk_direct_begin(struct bk_direct *d, const struct bk_tables *tables, struct bk_memo *memo,
                     void *context);

/* As bk_settle_least(), of a view whose men are placed. */
enum bk_err bk_direct_least(struct bk_direct *d, struct bk_view *view, int enough, int *wdl,
                            struct bk_report *why);

/*
 * Sets *wdl to what an exit that bares nobody brings, as bk_direct_least(), for the side to move
 * after it, and `after` to the view of that position.
 */
enum bk_err bk_direct_exit(struct bk_direct *d, const struct bk_view *view,
                           struct bk_step_of_men exit, int enough, struct bk_view *after, int *wdl,
                           struct bk_report *why);

#endif
