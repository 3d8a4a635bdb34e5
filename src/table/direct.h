/*
 * direct.h - settles whether a position is won, drawn or lost by the squares of its men, with no
 * board.
 *
 * What squares alone say is a view's to see (view.h).  Where a man may change, or a move sets an en
 * passant square, the caller is asked in its stead: struct bk_direct has his answers.  Together
 * they say what settle.h promises.  Distances: plies.h; all moves at once: brought.h.
 *
 * Threads: any.  Stack: 2 KB a capture that follows another.
 */
#ifndef BK_DIRECT_H
#define BK_DIRECT_H

#include "table/memo.h"
#include "table/view.h"

/* Who settles with squares alone, and what he asks of positions where that is not enough. */
struct bk_direct {
    struct bk_way way;
    struct bk_memo *memo; /* where men change */
    /* by depth: what last gave most; `by` BK_FACT_NOBODY: nothing yet */
    struct bk_step_of_men good[BK_VIEW_DEPTH + 1];
    void *context;
    /* as bk_settle_least(), of a position of the game */
    enum bk_err (*wdl)(void *context, const struct bk_pos *p, int enough, int *wdl,
                       struct bk_report *why);
    /* as bk_settle_plies(), of a won or a lost one */
    enum bk_err (*plies)(void *context, const struct bk_pos *p, int wdl, struct bk_window w,
                         int *plies, struct bk_report *why);
};

/* Fills in all but the answers of the caller. */
void bk_direct_begin(struct bk_direct *d, const struct bk_tables *tables, struct bk_memo *memo,
                     void *context);

/* As bk_settle_least().  The view's men are placed. */
enum bk_err bk_direct_least(struct bk_direct *d, struct bk_view *view, int enough, int *wdl,
                            struct bk_report *why);

/*
 * What an exit that bares nobody brings, as bk_direct_least(), to who is to move after it; `after`
 * is looked at.
 */
enum bk_err bk_direct_exit(struct bk_direct *d, const struct bk_view *view,
                           struct bk_step_of_men exit, int enough, struct bk_view *after, int *wdl,
                           struct bk_report *why);

#endif
