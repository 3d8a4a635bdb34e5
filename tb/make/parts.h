/*
 * parts.h - what tables of a plan read of each other.
 */
#ifndef BK_PARTS_H
#define BK_PARTS_H

#include "tb/make/plan.h"

/* Sets the part of each table that tables of the plan read when they move into it: who is to move
   then, and where the man stands that a pawn, or any other man that changes, has become. */
void bk_plan_parts(struct bk_plan *p);

#endif
