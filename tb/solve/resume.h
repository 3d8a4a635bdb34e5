/*
 * resume.h - going on from a checkpoint.
 *
 * Between two plies of a block, or two blocks, everything that is known is
 * written down: which blocks are solved, with the values of those still in
 * memory; what the sink has made of them; and the arrays of the block or
 * group under way.  Nothing else is kept from one ply to the next.
 */
#ifndef BK_RESUME_H
#define BK_RESUME_H

#include "tb/kernel/solver.h"
#include "tb/solve/run.h"

/* Goes up with every change of what the state of a table is. */
#define BK_RESUME_VERSION 6

/*
 * Writes one if it is time.  under_way: a block or a group at a moment; NULL: none is.
 * One that fails is no error, but noted: that before it is still there.
 */
void bk_resume_save(struct bk_run *run, const struct bk_solver *under_way,
                    const struct bk_moment *m);

/*
 * Begins the run, from a checkpoint if there is one that fits, else from
 * nothing.  A false start is noted and forgotten.
 */
enum bk_err bk_resume_begin(struct bk_run *run, struct bk_report *why);

/* Was this block, or the group of which it is the first, under way?  Then bk_resume_block() has to
   be called when it is prepared. */
bool bk_resume_has(const struct bk_run *run, uint32_t block);
/* What the checkpoint has of it.  False: it cannot be read, or no memory. */
bool bk_resume_block(struct bk_run *run, struct bk_solver *under_way, struct bk_moment *m);

#endif
