/*
 * block.c - see block.h.
 *
 *   prepare    its setup, exits, arrays (block_prepare.c)
 *   iterate    ply after ply, until nothing is found any more (block_plies.c)
 *   settle     results become codes, and are counted
 *   hand over  the table has them (block_hand.c)
 *
 * What these share is a struct bk_block_work (block_work.h).
 *
 * A group is solved as a block is: it only has more configurations.  When it is
 * done its blocks are taken out of it (block_group.c).
 */
#include "tb/solve/block.h"

#include <stdlib.h>

#include "tb/solve/block_group.h"
#include "tb/solve/block_hand.h"
#include "tb/solve/block_plies.h"
#include "tb/solve/block_prepare.h"

/* == Settle == */

static void run_finish(void *context, uint64_t item, unsigned thread)
{
    struct bk_block_work *w = context;
    uint32_t slice = bk_block_slice_here(w, item);

    bk_spill_ease(w->t->spill);
    if (w->paging)
        bk_paging_pin(w->paging, BK_PASS_FINISH, slice, 0, thread);
    if (w->ledger) {
        bk_ledger_finish(w->ledger, &w->solver, w->mb, slice, &w->tally[thread],
                         w->scratch.of_thread[thread], thread);
        if (w->paging)
            bk_paging_drop(w->paging, thread);
        return;
    }
    if (w->landing) {
        w->k->finish_group(&w->solver, w->landing, slice, &w->tally[thread],
                           w->scratch.of_thread[thread]);
        return;
    }
    w->k->finish(&w->solver, slice, &w->tally[thread], w->scratch.of_thread[thread]);
    if (w->run->job->attain && !w->setup->exits_once)
        w->k->attain(&w->solver, slice, w->scratch.of_thread[thread]);
}

/* Turns results into codes, and counts them; a group may be counted when it is handed over. */
static enum bk_err settle(struct bk_block_work *w, struct bk_report *why)
{
    w->mb = &w->t->block[w->b->block[0]];
    if (w->ledger && !bk_block_make_room(w, w->setup, w->mb))
        return bk_no_memory(why);
    if (bk_block_lands_at_once(w) && !bk_block_find_landings(w))
        return bk_no_memory(why);
    if (!bk_pool_try(w->b->pool, bk_block_slices_here(w), run_finish, w))
        return bk_interrupted(why);
    if (bk_block_is_refused(w))
        return bk_no_memory(why);
    return BK_OK;
}

/* == All of it == */

/* Solves a block by kings.c, in this thread. */
static enum bk_err solve_kings(struct bk_block_work *w, struct bk_report *why)
{
    struct bk_memblock *mb = &w->t->block[w->b->block[0]];
    struct bk_tally own;
    bool too_far = false;

    bk_tally_init(&own);
    if (!w->k->solve_kings(w->setup, w->t->spill, mb, &own, &too_far))
        return bk_no_memory(why);
    if (too_far)
        return bk_run_too_far(w->run, why);
    bk_tally_add(w->b->tally, &own);
    mb->solved = true;
    if (w->setup->nouter == 0) {
        bk_run_keep_still(w->run, w->setup);
        w->setup = NULL;
    }
    return BK_OK;
}

static void release(struct bk_block_work *w)
{
    if (w->setup)
        bk_state_free(&w->solver.state, bk_block_spares(w));
    bk_paging_free(w->paging);
    bk_ledger_free(w->ledger);
    bk_setup_free(w->setup);
    bk_scratch_free(&w->scratch);
    bk_share_free(w->share);
    bk_share_free(w->as);
    for (uint32_t i = 0; w->handing && i < w->b->n; i++)
        bk_block_release_handing(&w->handing[i]);
    free(w->handing);
    free(w->landing);
    free(w->tally);
    free(w->by_black);
}

/* Returns whether processes share the work on the block, or would share it. */
static bool is_shared(const struct bk_block_work *w)
{
    return w->run->by_share || (!w->b->apart && !w->b->group && !w->setup->by_kings &&
                                w->setup->b->size >= bk_shared_from());
}

/* Returns the error of a step that has ended here; of a shared block all processes return the
   same. */
static enum bk_err ended(bool shared, enum bk_err err, struct bk_report *why)
{
    return shared ? bk_ranks_agree(err, why) : err;
}

static enum bk_err solve_slices(struct bk_block_work *w, struct bk_report *why)
{
    const struct bk_solve_job *job = w->run->job;
    bool shared = job->owners && is_shared(w);
    enum bk_err err = BK_OK;

    if (shared)
        err = bk_share_new(&w->share, w->setup, job->owners, why);
    else if (job->as && is_shared(w))
        err = bk_share_new(&w->as, w->setup, job->as, why);
    if (!err)
        err = bk_block_allocate(w, why);
    err = ended(shared, err, why);
    if (!err && shared)
        bk_ranks_sends(BK_SENDS_NEWS);
    if (!err)
        err = bk_block_iterate(w, why);
    if (!err)
        err = ended(shared, settle(w, why), why);
    if (!err)
        err = shared ? bk_block_hand_over_shared(w, why) : bk_block_hand_over(w, why);
    return err;
}

enum bk_err bk_blocks_solve(struct bk_run *run, const struct bk_blocks *b, struct bk_report *why)
{
    struct bk_block_work w = { .run = run, .b = b, .k = run->job->kernel, .t = run->job->t };
    enum bk_err err = bk_block_prepare(&w, why);

    if (!b->apart)
        err = bk_ranks_agree(err, why);
    if (!err)
        err = w.setup->by_kings ? solve_kings(&w, why) : solve_slices(&w, why);
    release(&w);
    for (uint32_t i = 0; err && i < b->n; i++)
        bk_memblock_free(&w.t->block[b->block[i]]);
    return err;
}
