/*
 * block_plies.c - see block_plies.h.
 *
 *   ply 0        init of every slice, then mated
 *   odd plies    win
 *   even plies   lose
 *
 * A pass takes each slice once for each side to move, by any thread: it writes
 * that slice only, and what it reads of others does not change in it.  So the
 * order of slices is free: it follows what is still in the cache, or in memory.
 * After a pass processes tell each other what they have found.
 *
 * What is there between two plies is all that a checkpoint needs (resume.h).
 */
#include "tb/solve/block_plies.h"

#include "tb/solve/resume.h"

/* == Slices == */

static void run_init(void *context, uint64_t item, unsigned thread)
{
    struct bk_block_work *w = context;
    uint32_t slice = bk_block_slice_here(w, item);
    void *scratch = w->scratch.of_thread[thread];

    bk_spill_ease(w->t->spill);
    if (w->paging)
        bk_paging_pin(w->paging, BK_PASS_INIT, slice, 0, thread);
    if (w->ledger)
        bk_ledger_init(w->ledger, &w->solver, slice, scratch, thread);
    else
        w->k->init(&w->solver, slice, scratch);
    if (w->paging)
        bk_paging_unpin(w->paging, true, thread);
}

static void run_init_halo(void *context, uint64_t item, unsigned thread)
{
    struct bk_block_work *w = context;

    bk_share_init_halo(w->share, &w->solver, (uint32_t)item, w->scratch.of_thread[thread]);
}

/* Returns whether the pass will look at the slice's sets.  If it only clears what it found two
   plies ago it does not: that is a matter of marks, which are always in memory. */
static bool has_work(const struct bk_block_work *w, uint32_t slice, unsigned side)
{
    const struct bk_state *st = &w->solver.state;

    return w->pass == w->k->mated || bk_state_todo(st, side, slice) ||
           bk_ledger_is_due(w->ledger, st, slice, side);
}

/* Returns the slice that a pass takes as `item`, and sets `side`. */
static uint32_t nth_slice(const struct bk_block_work *w, uint64_t item, unsigned *side)
{
    uint32_t n = w->setup->nslices;

    *side = item & 1;
    if (w->paging)
        return bk_paging_nth(w->paging, (uint32_t)(item >> 1), w->solver.state.ply & 1);
    if (!w->by_black)
        return bk_block_slice_here(w, item >> 1);
    *side = item < n ? BK_WHITE : BK_BLACK;
    return *side == BK_WHITE ? w->by_black[item] : (uint32_t)(item - n);
}

static void run_pass(void *context, uint64_t item, unsigned thread)
{
    struct bk_block_work *w = context;
    struct bk_state *st = &w->solver.state;
    void *scratch = w->scratch.of_thread[thread];
    unsigned side;
    uint32_t slice = nth_slice(w, item, &side);
    bool found;

    if (st->ply && !w->ledger && bk_state_rests(st, side, slice))
        return;
    bk_spill_ease(w->t->spill);
    if (w->paging && has_work(w, slice, side))
        bk_paging_pin(w->paging, w->pass == w->k->mated ? BK_PASS_MATED : BK_PASS_PLY, slice, side,
                      thread);
    if (w->ledger)
        bk_ledger_ripen(w->ledger, &w->solver, slice, side, scratch, thread);
    found = w->pass(&w->solver, slice, side, scratch);
    if (found) {
        if (w->ledger)
            bk_ledger_found(w->ledger, &w->solver, slice, side, thread);
        atomic_store_explicit(&w->found, true, memory_order_relaxed);
        atomic_store_explicit(st->ply & 1 ? &st->last_win[side] : &st->last_loss[side],
                              (int)st->ply, memory_order_relaxed);
    }
    if (w->paging)
        bk_paging_unpin(w->paging, found, thread);
}

/* == Passes == */

/* Tells the sink what several processes would send each other now.  False: no memory. */
static bool tell_news(struct bk_block_work *w, bool losses)
{
    const struct bk_sink *sink = w->run->job->sink;
    const struct bk_news news = { .block = w->b->block[0],
                                  .ply = w->solver.state.ply,
                                  .bytes = bk_share_would_send(w->as, &w->solver, losses) };

    if (news.bytes && sink->news)
        sink->news(sink->context, &news);
    return news.bytes;
}

/* Ends a pass: takes in what other processes have found.  False: a process was stopped, or
   failed. */
static bool join(struct bk_block_work *w, bool done)
{
    struct bk_state *st = &w->solver.state;
    struct bk_joined x = { .found = w->found, .stopped = !done, .failed = w->failed };
    bool losses = !(st->ply & 1);

    if (w->paging)
        bk_paging_forget(w->paging, !losses); /* the pass has used that */
    if (!w->share) {
        w->failed = bk_block_is_refused(w) || (done && w->as && !tell_news(w, losses));
        return done && !w->failed;
    }
    bk_share_join(st, &x);
    w->found = x.found;
    w->failed = x.failed;
    done = !x.stopped && !x.failed;
    if (done)
        w->failed = bk_share_news(w->share, &w->solver, losses, NULL) != BK_OK;
    return done;
}

/* Why a pass was the last one. */
static enum bk_err not_done(const struct bk_block_work *w, struct bk_report *why)
{
    return w->failed ? bk_no_memory(why) : bk_interrupted(why);
}

/* Ply 0: legality, exits, mates.  False: stopped, or failed. */
static bool first_passes(struct bk_block_work *w)
{
    struct bk_state *st = &w->solver.state;
    uint32_t n = bk_block_slices_here(w);

    for (unsigned side = 0; side < 2; side++) {
        st->last_win[side] = -1;
        st->last_loss[side] = -1;
    }
    w->pass = w->k->mated;
    return join(w, bk_pool_try(w->b->pool, n, run_init, w) &&
                       (!w->share || bk_pool_try(w->b->pool, w->share->nhalo, run_init_halo, w)) &&
                       bk_pool_try(w->b->pool, 2 * (uint64_t)n, run_pass, w));
}

/* Runs one ply; w->found says whether anything was found.  False: stopped, or failed. */
static bool run_ply(struct bk_block_work *w, uint32_t ply)
{
    bool done;

    w->solver.state.ply = ply;
    w->pass = ply & 1 ? w->k->win : w->k->lose;
    w->found = false;
    done = bk_pool_try(w->b->pool, 2 * (uint64_t)bk_block_slices_here(w), run_pass, w);
    return join(w, done && !bk_run_is_stopped(w->run));
}

/* == Ply after ply == */

/* Restores a block from a checkpoint; if it is shared, the halo from its owners. */
static enum bk_err resume(struct bk_block_work *w, const struct bk_under_way *u,
                          struct bk_report *why)
{
    enum bk_err err = bk_resume_block(w->run, u, why);

    if (!w->share)
        return err;
    err = bk_ranks_agree(err, why);
    if (!err)
        err = bk_ranks_agree(bk_share_restore(w->share, &w->solver, !(u->m->ply & 1), why), why);
    return err;
}

/* Runs the first passes, or restores what a checkpoint has of them and later ones. */
static enum bk_err begin_plies(struct bk_block_work *w, const struct bk_under_way *u,
                               struct bk_report *why)
{
    *u->m = (struct bk_moment){ .block = w->b->block[0], .before = true, .there = true };
    if (bk_resume_has(w->run, u->m->block))
        return resume(w, u, why);
    return first_passes(w) ? BK_OK : not_done(w, why);
}

enum bk_err bk_block_iterate(struct bk_block_work *w, struct bk_report *why)
{
    const struct bk_setup *s = w->setup;
    struct bk_moment m;
    const struct bk_under_way u = { &w->solver, w->share, w->ledger, w->paging, &m };
    enum bk_err err = begin_plies(w, &u, why);

    if (err)
        return err;
    for (m.ply++;; m.ply++) {
        if (!run_ply(w, m.ply))
            return not_done(w, why);
        if (!w->found && !m.before && m.ply > 2 * w->solver.state.last_wait)
            return BK_OK;
        m.before = w->found;
        if (s->distances && m.ply >> 1 >= s->k_limit)
            return bk_run_too_far(w->run, why);
        if (w->b->apart)
            continue;
        bk_run_progress(w->run, m.ply);
        bk_resume_save(w->run, &u);
        if (w->run->finishing)
            return bk_interrupted(why);
    }
}
