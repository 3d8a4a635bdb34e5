/*
 * budget.h - estimates how much memory the tables of a plan will take, and chooses the strategy by
 * which each is solved within it.
 */
#ifndef BK_BUDGET_H
#define BK_BUDGET_H

#include "tb/make/plan.h"

/*
 * Sets memory_bytes of the tables that are missing to an estimate: the peak resident size of the
 * whole process, with the tables that are resident meanwhile, the threads' scratch and the
 * encoder's buffers.  Of several processes (p->processes) it is that of the first, which takes
 * most: it learns for all.  It is the most that a build may take, whatever values it meets:
 * solving_bytes do not depend on values, and what encoding takes beside does (docs/memory.md).
 *
 * threads, memory_limit  as bk_build() has them; 0 threads: one a core
 *
 * Cost: some ms to some 100 ms a table; none if the plan is as it was when this was called last, so
 * that a caller who asks before bk_build() does not pay twice.
 */
enum bk_err bk_plan_memory(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                           struct bk_report *why);
/* Estimates the same for builds of one table each: all others are on disk and none is resident, so
   that what the table moves into is solved again. */
enum bk_err bk_plan_memory_alone(struct bk_plan *p, unsigned threads, struct bk_report *why);
/* Returns the largest estimate of a missing table; 0: none is missing. */
uint64_t bk_plan_peak(const struct bk_plan *p);

#endif
