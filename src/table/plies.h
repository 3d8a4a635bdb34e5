/*
 * plies.h - how many plies a position takes, by the squares of its men.
 *
 * The bounds are those of settle_plies.h: what a file says of a won position is never too short,
 * and an exit is left as soon as it takes longer than the best.  A lost position takes one ply more
 * than the longest of the won ones that its moves lead to.
 *
 * Threads, stack: as of direct.h.
 */
#ifndef BK_PLIES_H
#define BK_PLIES_H

#include "table/direct.h"

/* As bk_settle_plies(), of a won position (wdl +1) or a lost one (-1).  The view's men are placed.
 */
enum bk_err bk_direct_plies(struct bk_direct *d, struct bk_view *view, int wdl, struct bk_window w,
                            int *plies, struct bk_report *why);

#endif
