/*
 * alike.h - is a problem like one that was shown?
 *
 * Positions are *the same* if a symmetry of the board under which all their men move alike makes
 * one of the other, with the same side to move, rights, allowances and square of en passant.
 * Lines of problems are alike
 *
 *   (1) if they meet: a position of one is the same as one of the other, their ends left aside,
 *       at which all mates look alike; or
 *   (2) if a symmetry of the table turns the moves of one into those of the other, and men of the
 *       same kind move and are taken.  Then it is idle men alone that stand elsewhere.
 *
 * Positions are compared by where the men stand, not by their numbers: those with an en passant
 * square have none, and where a symmetry keeps the kings two numbers are one position.
 *
 * Threads: one at a time.   Memory: 1 KB for every ten plies.
 */
#ifndef BK_STUDY_ALIKE_H
#define BK_STUDY_ALIKE_H

#include "core/move.h"
#include "table/index.h"

struct study_alike;

/* Makes an empty set.  ix: the index of the problems' table; borrowed.  NULL: no memory. */
struct study_alike *study_alike_new(const struct bk_index *ix);
void study_alike_free(struct study_alike *a); /* NULL is fine */

/*
 * Keeps a line of n > 0 moves from p, unless it is like one that is kept.
 * fresh  out: it is kept
 * False: no memory.  Cost: some 10 us a ply.
 */
bool study_alike_add(struct study_alike *a, const struct bk_pos *p, const struct bk_move *move,
                     unsigned n, bool *fresh);

#endif
