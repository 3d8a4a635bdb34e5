/*
 * budget.h - how much memory the tables of a plan will take, and with what
 * strategy each is solved within it.
 */
#ifndef BK_BUDGET_H
#define BK_BUDGET_H

#include "tb/make/plan.h"

/*
 * Predicts memory_bytes of the tables that are missing: the resident size of
 * the whole process at its worst, with the tables that are held meanwhile, the
 * threads' scratch and the encoder's buffers.  threads, memory_limit: as the
 * build's; 0 threads: one a core.  Tested to be right within 10 percent for
 * tables that take more than some ten MiB.  Of several processes (p->processes) it is the one that
 * takes most, which is the first: it learns for all.
 * Cost: some ms to some 100 ms a table; none if the same was predicted before and the plan is as it
 * was then, so that a caller who asks before bk_build() does not pay twice.
 */
enum bk_err bk_plan_memory(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                           struct bk_report *why);
/* Predicts the same for builds of one table each, when all others are there and nothing is held
   from before: what the table moves into is solved anew. */
enum bk_err bk_plan_memory_alone(struct bk_plan *p, unsigned threads, struct bk_report *why);
/* Returns the most memory that a missing table takes, as predicted; 0: none is missing. */
uint64_t bk_plan_peak(const struct bk_plan *p);

#endif
