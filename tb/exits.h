/*
 * exits.h - the ways out of a block: moves that lead to another table, or to a
 * block that is solved.
 */
#ifndef BK_EXITS_H
#define BK_EXITS_H

#include "tb/solve.h"

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

#endif
