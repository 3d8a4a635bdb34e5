/*
 * parts.h - what tables of a plan read of each other.
 */
#ifndef BK_PARTS_H
#define BK_PARTS_H

#include "tb/build/plan.h"

/* Sets the part of each table that those of the plan which move into it read: who is to move then,
   and where the man stands that a pawn, or any other man who changes, has become. */
void bk_plan_parts(struct bk_plan *p);

#endif
