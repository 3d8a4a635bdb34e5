/*
 * settle_plies.h - in how many plies is a position won or lost?  Within a question (settling.h).
 *
 * Distances are settled with bounds, as in alpha-beta search.  What a file says
 * of a won position is never too short, so most moves of a lost one need no
 * more than that: the longest found so far is already as long.  An exit of a
 * won one is left as soon as it takes longer than the best.
 *
 * Of a lost position's moves those that are settled by their file alone come first,
 * then those that their file lets hold out longest.
 */
#ifndef BK_SETTLE_PLIES_H
#define BK_SETTLE_PLIES_H

#include "table/settling.h"

/* As bk_settle_plies(), of a won position that is not over. */
enum bk_err bk_settle_win_plies(struct bk_settling *s, struct bk_sought *q, struct bk_window w,
                                int *out, struct bk_report *why);
/* As bk_settle_plies(), of a lost position that no bare king decides. */
enum bk_err bk_settle_loss_plies(struct bk_settling *s, struct bk_sought *q, struct bk_window w,
                                 int *out, struct bk_report *why);
/* As bk_settle_plies(), for struct bk_direct. */
enum bk_err bk_settle_plies_again(void *settling, const struct bk_pos *p, int wdl,
                                  struct bk_window w, int *plies, struct bk_report *why);

#endif
