/*
 * unit_count.h - every row down the tree: how often each value comes in each leaf.
 *
 * This pass goes over all values, and so it is the one that remembers cells for
 * those after it.
 */
#ifndef BK_UNIT_COUNT_H
#define BK_UNIT_COUNT_H

#include "tb/encode/unit_run.h"

/* Sets u->counts, and remembers what cells there is room for; if the unit is shared, every process
   gets the counts of all.  Fails with BK_E_SYSTEM. */
enum bk_err bk_unit_count(struct bk_unit_run *u, struct bk_report *why);

#endif
