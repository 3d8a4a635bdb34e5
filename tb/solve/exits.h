/*
 * exits.h - the ways out of a block: moves that lead to another table, or to a
 * block that is solved.
 */
#ifndef BK_EXITS_H
#define BK_EXITS_H

#include "tb/solve/solve.h"

/*
 * Lists the ways out of a prepared block and finds the table of each.  Equal
 * men can be told apart by their squares alone: each is taken by itself.
 * Returns BK_OK; BK_E_NO_TABLE, naming it; BK_E_SYSTEM (memory).
 */
enum bk_err bk_exits_find(struct bk_solver *s, const struct bk_solve_job *job,
                          struct bk_report *why);

/*
 * En passant looks at double steps as ways out of a block.  A man that can come
 * back to where its double step began (a commoner, say) makes them within it.
 */
bool bk_exits_doubles_within_cell(const struct bk_index *ix);

/*
 * What a double step is really worth when it can be answered en passant:
 * corrects view[], all positions of `men` (mixed radix) after the step.
 */
void bk_solve_passing(struct bk_solver *s, const struct bk_exit *e, unsigned from, unsigned to,
                      const struct bk_placement *at, const struct bk_free_man *men, unsigned nfree,
                      int16_t *view);

/* Do check and squares under attack let `e`, which castles, be played?  That its way is
   free has been looked at. */
bool bk_solve_may_castle(const struct bk_solver *s, const struct bk_exit *e,
                         const struct bk_placement *at);

#endif
