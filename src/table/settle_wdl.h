/*
 * settle_wdl.h - is a position won, drawn or lost?  Within a question (settling.h).
 *
 * Squares alone say so of nearly all positions (direct.h); of the others the exits
 * are listed and asked one after the other, until one is good enough.
 */
#ifndef BK_SETTLE_WDL_H
#define BK_SETTLE_WDL_H

#include "table/settling.h"

/* As bk_settle_least(). */
enum bk_err bk_settle_wdl_of(struct bk_settling *s, struct bk_sought *q, int enough, int *wdl,
                             struct bk_report *why);
/* As bk_settle_wdl_of(), of a position without en passant square that no bare king decides. */
enum bk_err bk_settle_wdl_without(struct bk_settling *s, struct bk_sought *q, int enough, int *wdl,
                                  struct bk_report *why);
/* As bk_settle_wdl_of(), for struct bk_direct. */
enum bk_err bk_settle_wdl_again(void *settling, const struct bk_pos *p, int enough, int *wdl,
                                struct bk_report *why);

#endif
