/*
 * settle.h - what a position is worth: by rules, exits and files.
 *
 * A file says something that is not better than the value, and the value itself if no exit attains
 * it (docs/format.md 9).  An exit (a conversion) is a move that changes the material; what it
 * brings is said by rule or by another table.  settle.c has the equations.
 *
 * This is the one place that settles: the library and `verify` both ask here.  They say which files
 * are open (bk_tables.find).
 *
 * Threads: any number, if find() allows it.  Stack: less than 50 KB.
 */
#ifndef BK_SETTLE_H
#define BK_SETTLE_H

#include "core/end.h"
#include "core/move.h"
#include "table/memo.h"
#include "table/tables.h"

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

/* The same, of which *five says whether the position's table has results by the n-move rule. */
enum bk_err bk_settle_noting(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                             int *plies, bool *five, struct bk_report *why);
enum bk_err bk_settle_wdl_noting(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                                 bool *five, struct bk_report *why);

/* Sets *plies of a position that is known to be won (wdl +1) or lost (-1), as far as `window` asks:
   a narrow one takes less time.  BK_E_NO_TABLE also where there are no distances. */
enum bk_err bk_settle_plies(const struct bk_tables *t, const struct bk_pos *p, int wdl,
                            struct bk_window window, int *plies, struct bk_report *why);

/*
 * By the n-move rule, with its counter at 0: sets *five to 2 won, 1 cursed win, 0 drawn, -1 blessed
 * loss, -2 lost.  d, unless NULL: set to the plies to the next zeroing move or the end; -1 of a
 * draw.  With c plies on the counter a decided position stands if d + c is at most the rule's plies
 * (docs/rules.md).
 *
 * BK_E_NO_TABLE: the table, or one after a zeroing exit, has no such file.  Cost of `d`: that of a
 * result and a file; of a lost position for each of its moves.
 */
enum bk_err bk_settle_five(const struct bk_tables *t, const struct bk_pos *p, int *five, int *d,
                           struct bk_report *why);

/* Sets *d as bk_settle_five() of a position whose result is known, not 0.  A lost one of `high`
   plies or more may be answered by any number from `high` up, which takes less time. */
enum bk_err bk_settle_zeroing(const struct bk_tables *t, const struct bk_pos *p, int five, int high,
                              int *d, struct bk_report *why);

/* What a move brings: the value of the position after it, for the side to move there. */
struct bk_brought {
    bool known; /* false: the other fields mean nothing */
    int wdl;
    int plies; /* to the end; -1: a draw, not asked for, or the table has no distances */
    enum bk_end end;
};

/*
 * Calls `visit` for each legal move of a position, in no order, with what the move brings: mate and
 * stalemate told apart, and plies if `distances`.  brought->known is false after a double step that
 * may be taken in passing, or if anything goes wrong: such a move is to be asked by itself.
 * False, without a call: the position's own table is missing, or it has castling rights, men who
 * take two, or an en passant square.
 * Cost: some 250 ns a move; some 1.5 us if the other side is lost then.
 */
typedef void bk_move_visit(void *context, const struct bk_move *move,
                           const struct bk_brought *brought);
bool bk_settle_moves(const struct bk_tables *t, const struct bk_pos *p, bool distances,
                     bk_move_visit *visit, void *context);

#endif
