/*
 * resume.h - going on from a checkpoint.
 *
 * A checkpoint is written between two plies of a block, or between two blocks.  It holds which
 * blocks are solved, with the values of those still in memory; the sink's own state; and the arrays
 * of the block or group under way.  The solver keeps nothing else from one ply to the next.
 *
 * Each of several processes writes its slices of these arrays, and of the solved blocks, to files
 * of its own; when all have, the first writes the rest.  Any number of processes, one too, can go
 * on from such a checkpoint.
 */
#ifndef BK_RESUME_H
#define BK_RESUME_H

#include "tb/kernel/solver.h"
#include "tb/solve/ledger.h"
#include "tb/solve/paging.h"
#include "tb/solve/run.h"
#include "tb/solve/share.h"

/* Incremented whenever a checkpoint's contents change. */
#define BK_RESUME_VERSION 12

/* A block or a group under way; solver NULL: none is. */
struct bk_under_way {
    struct bk_solver *solver;
    const struct bk_share *share; /* the slices that are worked on here; NULL: all */
    struct bk_ledger *ledger;     /* distances; NULL: the state has them */
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

/*
 * == Room for codes ==
 *
 * Memory for codes that come from a checkpoint or from another process, laid out as the solver
 * does.
 */

/* Allocates a block's codes, zeroed.  taken: as in prepare.h. */
enum bk_err bk_layout_block(struct bk_memtable *t, uint32_t block, const struct bk_kernel *k,
                            bool taken, struct bk_report *why);
/* Allocates the bitmaps of what exits attain in a block that is laid out, zeroed. */
enum bk_err bk_layout_attained(struct bk_memtable *t, uint32_t block, struct bk_report *why);

/* Return the bytes of one array of a block's codes, and of one of its bitmaps. */
size_t bk_layout_code_bytes(const struct bk_memtable *t, uint32_t block);
size_t bk_layout_bit_bytes(const struct bk_memtable *t, uint32_t block);

#endif
