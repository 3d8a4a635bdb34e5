/*
 * worth.h - how many rows a unit is worth learning from.
 *
 * Three times the rows make a unit's bytes a fifth fewer: much of a large unit, and hardly anything
 * of one that a few facts tell all about.  So a first, small tree is made, and what that leaves
 * open says what more rows are worth.
 */
#ifndef BK_WORTH_H
#define BK_WORTH_H

#include "tb/encode/entropy.h"
#include "tb/encode/input.h"
#include "tb/encode/sample.h"
#include "tb/memory/pool.h"
#include "tb/memory/spill.h"

/*
 * Sets the `rows` of n samples for bk_samples_take(), which has the same units: as many as may be
 * for units that may hardly have more than the effort's least, and for all if it has no `glance`.
 *
 * Cost: that of a sample and a tree of 2^13 rows for each of the other units.
 *
 * Fails as bk_samples_take() does.
 */
enum bk_err bk_rows_worth(struct bk_sample *out, const struct bk_unit_source *const *src,
                          unsigned n, enum bk_effort effort, const struct bk_logs *logs,
                          struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why);

#endif
