/*
 * unit_rates.h - in how many cells each question meets exceptions, and the rates that follow.
 *
 * What questions meet is counted in all pieces of a small unit; in some of a
 * large one, if the effort says so, and then estimated for all (effort.h).
 */
#ifndef BK_UNIT_RATES_H
#define BK_UNIT_RATES_H

#include "tb/encode/unit_run.h"

/* Sets u->leaf and u->met_by_odd, by comparing the guesses with the counts: when there are codes.
 */
enum bk_err bk_unit_judge_guesses(struct bk_unit_run *u, struct bk_report *why);

/* Chooses the rates of all questions, after bk_unit_judge_guesses(), and copies those of first
   questions to u->leaf.  Frees the counts.  Fails with BK_E_SYSTEM. */
enum bk_err bk_unit_choose_rates(struct bk_unit_run *u, struct bk_report *why);

#endif
