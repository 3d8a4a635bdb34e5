/*
 * settle.h - what a position is worth: by rules, exits and files.
 *
 * A file says something that is not better than the value, and the value
 * itself where no exit attains it (docs/format.md 9).  An exit is a move that
 * changes the material; what it brings is said by rule or by another table.
 *
 *      value = the better of what the file says and the best exit            (1)
 *
 * So a wdl question asks a file, and for each exit that may be better another
 * one, until a win is found.  A position that the mover wins has a distance in
 * its file, likewise settled.  One that he loses takes one ply more than the
 * longest of the won positions that its moves lead to.
 *
 * This is the one place that settles: the library and `verify` both ask here.
 * They say which files are open (bk_tables.find).
 *
 * Threads: any number, if find() allows it.  Stack: less than 50 KB.
 */
#ifndef BK_SETTLE_H
#define BK_SETTLE_H

#include "core/move.h"
#include "table/brought.h"

/*
 * Is the position won (+1), drawn or lost (-1) for the side to move?  Reads no distance.
 *
 * p  legal; may be over
 *
 * Returns BK_OK; BK_E_NO_TABLE (a table that decides it is missing, its own or that after an exit);
 * BK_E_CORRUPT; BK_E_NEWER; BK_E_SYSTEM.
 */
enum bk_err bk_settle_wdl(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                          struct bk_report *why);

/*
 * Is it as good as `enough` (0 or 1)?  If it is, *wdl is some number from `enough` to the value,
 * else the value.  Costs less than the value.
 */
enum bk_err bk_settle_least(const struct bk_tables *t, const struct bk_pos *p, int enough, int *wdl,
                            struct bk_report *why);

/*
 * As bk_settle_wdl(), and sets *plies to the plies until the end: -1 of a draw, and where the
 * position's table has no distances; 0 where it is over.
 */
enum bk_err bk_settle(const struct bk_tables *t, const struct bk_pos *p, int *wdl, int *plies,
                      struct bk_report *why);

/* Sets *plies of a position that is known to be won (wdl +1) or lost (-1), as far as `window` asks:
   a narrow one takes less time.  BK_E_NO_TABLE also where there are no distances. */
enum bk_err bk_settle_plies(const struct bk_tables *t, const struct bk_pos *p, int wdl,
                            struct bk_window window, int *plies, struct bk_report *why);

/*
 * Calls `visit` for each legal move of a position, in no order, with what the move brings, as far
 * as squares alone settle it; positions after the others are to be asked one by one.  False,
 * without a call, where squares are not enough for the position itself: its own table is missing or
 * of another kind, it has castling rights or an en passant square.
 * Cost: some 250 ns a move; some 1.5 us if the other side is lost then.
 */
typedef void bk_move_visit(void *context, const struct bk_move *move,
                           const struct bk_brought *brought);
bool bk_settle_moves(const struct bk_tables *t, const struct bk_pos *p, bool distances,
                     bk_move_visit *visit, void *context);

#endif
