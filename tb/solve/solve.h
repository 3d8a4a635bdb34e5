/*
 * solve.h - solving one table by retrograde analysis.
 *
 * The algorithm is told in docs/solving.md.  The solver does not know who is
 * handed the results, and what becomes of them: bk_sink.
 */
#ifndef BK_SOLVE_H
#define BK_SOLVE_H

#include "tb/kernel/tally.h"
#include "tb/solve/job.h"

/*
 * Solves t->ix's material.  Every table it can move into must be found.
 * Threads: those of the pool.  Cost: docs/performance.md.
 */
enum bk_err bk_solve_table(const struct bk_solve_job *job, struct bk_tally *tally,
                           struct bk_report *why);

#endif
