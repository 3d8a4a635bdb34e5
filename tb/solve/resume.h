/*
 * resume.h - going on from a checkpoint.
 *
 * Between two plies of a block, or two blocks, everything that is known is
 * written down: which blocks are solved, with the values of those still in
 * memory; what the sink has made of them; and the arrays of the block or
 * group under way.  Nothing else is kept from one ply to the next.
 *
 * Of several processes each writes its slices of these arrays, and of the solved blocks, to files
 * of its own, and when all have, the first writes the rest.  Any number of processes goes on from
 * that, one too.
 */
#ifndef BK_RESUME_H
#define BK_RESUME_H

#include "tb/kernel/solver.h"
#include "tb/solve/ledger.h"
#include "tb/solve/paging.h"
#include "tb/solve/run.h"
#include "tb/solve/share.h"

/* Goes up with every change of what the state of a table is. */
#define BK_RESUME_VERSION 11

/* A block or a group under way; solver NULL: none is. */
struct bk_under_way {
    struct bk_solver *solver;
    const struct bk_share *share; /* the slices that are worked on here; NULL: all */
    struct bk_ledger *ledger;     /* of what is found; NULL: the state has it */
    struct bk_paging *paging;     /* which slices are in memory; NULL: all */
    struct bk_moment *m;
};

/*
 * Writes a checkpoint if it is time, or if the job is to end here:
 * run->finishing says so.  One that fails is no error, but noted: that before
 * it is still there.
 */
void bk_resume_save(struct bk_run *run, const struct bk_under_way *u);

/*
 * Begins the run, from a checkpoint if there is one that fits, else from nothing.  One that cannot
 * be used is noted, and passed over; but where a good one finds no memory, or no disk, that is an
 * error (BK_E_SYSTEM), and the checkpoint stays.
 */
enum bk_err bk_resume_begin(struct bk_run *run, struct bk_report *why);

/* Was this block, or the group of which it is the first, under way?  Then bk_resume_block() has to
   be called when it is prepared. */
bool bk_resume_has(const struct bk_run *run, uint32_t block);
/* Restores the block, and u->m, from the checkpoint.  BK_E_CORRUPT: it cannot be read; BK_E_SYSTEM:
   no memory, or no disk; of a shared block perhaps here alone. */
enum bk_err bk_resume_block(struct bk_run *run, const struct bk_under_way *u,
                            struct bk_report *why);

#endif
