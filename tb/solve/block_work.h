/*
 * block_work.h - a block or group under way: what the steps from its setup to its codes share.
 *
 * block.c tells the order of the steps.  Where several processes share a block,
 * each works on some slices (share.h).  With a ledger distances are not in the
 * state, and slices may be on disk (paging.h).  Mostly there is none of these.
 *
 * Only block.c and the other block_*.c see what is in here.
 */
#ifndef BK_BLOCK_WORK_H
#define BK_BLOCK_WORK_H

#include "tb/solve/block_job.h"
#include "tb/solve/ledger.h"
#include "tb/solve/paging.h"
#include "tb/solve/run.h"
#include "tb/solve/scratch.h"
#include "tb/solve/share.h"

/* A block of a group, and where it goes to. */
struct bk_block_handing {
    struct bk_delivery d;
    struct bk_setup *block; /* owned, as conf */
    uint32_t *conf;
    uint8_t map[BK_SQ_MAX];
};

struct bk_block_work {
    struct bk_run *run;
    const struct bk_blocks *b;
    const struct bk_kernel *k;
    struct bk_memtable *t;
    struct bk_setup *setup;   /* owned, as what follows */
    struct bk_solver solver;  /* the setup with its state and kernel */
    struct bk_ledger *ledger; /* distances as they are found; NULL: BK_DTW has them, or there are
                                 none */
    struct bk_memblock *mb;   /* with a ledger: receives the block's values */
    struct bk_paging *paging; /* with a ledger: which slices are in memory; NULL: all */
    struct bk_share *share;   /* slices of several processes; NULL: all slices are worked on here */
    struct bk_share *as;      /* how several processes would share the block, for what they would
                                 send; or NULL */
    struct bk_scratch scratch;
    uint32_t *by_black; /* slices by the black king's square; NULL: both sides in turn, by number */
    struct bk_tally *tally; /* by thread */
    /* the present pass over slices and sides */
    bool (*pass)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    atomic_bool found;
    bool failed; /* memory, or the scratch disk, was refused */
    /* for a group whose blocks have its frame: the blocks, and where each configuration goes; else
       NULL */
    struct bk_block_handing *handing;
    struct bk_landing *landing;
};

/* Returns how many slices are worked on here; bk_block_slice_here(): the nth of them. */
static inline uint32_t bk_block_slices_here(const struct bk_block_work *w)
{
    return w->share ? w->share->nown : w->setup->nslices;
}

static inline uint32_t bk_block_slice_here(const struct bk_block_work *w, uint64_t nth)
{
    return w->share ? w->share->own[nth] : (uint32_t)nth;
}

/* Has the scratch disk, or memory, been refused? */
static inline bool bk_block_is_refused(const struct bk_block_work *w)
{
    return (w->ledger && bk_ledger_failed(w->ledger)) || (w->paging && bk_paging_failed(w->paging));
}

#endif
