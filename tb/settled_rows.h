/*
 * settled_rows.h - the positions of a row: what files, exits and moves say of them.
 *
 * The pass that runs is s->pass (settled.h): 1 reads files and exits, 2 and 3 look at moves,
 * BK_SETTLED_SEARCH shows what is known.  care: a bit a square of the inner man, set where it is
 * wanted.
 */
#ifndef BK_SETTLED_ROWS_H
#define BK_SETTLED_ROWS_H

#include "tb/settled_values.h"

/* Pass 1: stores the codes of a row of s->now.  Returns BK_OK; BK_E_CORRUPT; BK_E_SYSTEM. */
enum bk_err bk_settled_row_settle(struct bk_settled *s, unsigned thread, const struct bk_row *row,
                                  const uint64_t care[4], struct bk_report *why);

/* Another pass: looks at the positions of a row of s->now that are due in it, and shows them to
   s->visit.  Returns as bk_settled_each(). */
enum bk_err bk_settled_row_look(struct bk_settled *s, unsigned thread, const struct bk_row *row,
                                const uint64_t care[4], struct bk_report *why);

#endif
