/*
 * block.c - solves one block, or those of a group, ply after ply.
 *
 *   prepare    a setup with its exits; arrays for the state, and what threads have of their own
 *   iterate    ply after ply, until nothing is found any more:
 *                ply 0        init of every slice, then mated
 *                odd plies    win
 *                even plies   lose
 *              to zeroing each ply has both, lose before win
 *   settle     results become codes, and are counted
 *   hand over  the table has them; of a shared block, the processes that read them, too
 *
 * A pass takes each slice once for each side to move, by any thread.  It writes that slice only,
 * and what it reads of other slices does not change in it.  So the order of slices is free: it
 * follows what is still in the cache, or in memory.  After a pass processes tell each other what
 * they have found.  The state between two plies is all that a checkpoint needs (resume.h).
 *
 * A group is solved as a block is: it only has more configurations.  Files and views know of
 * blocks only, so its blocks are taken out of it at the end.
 *
 * Three things are mostly absent: a share, where several processes work on some slices each
 * (share.h); a ledger, which keeps distances apart from the state (ledger.h); and with a ledger
 * paging, where slices may be on disk (paging.h).
 */
#include "tb/solve/block.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "tb/solve/exits.h"
#include "tb/solve/ledger.h"
#include "tb/solve/paging.h"
#include "tb/solve/prepare.h"
#include "tb/solve/resume.h"
#include "tb/solve/share.h"

/* == A block under way == */

/* Memory of each thread's own, for the passes. */
struct scratch {
    void **of_thread;
    unsigned n; /* threads */
};

/* False: no memory; scratch_free() frees what there is. */
static bool scratch_new(struct scratch *x, unsigned threads, size_t bytes)
{
    bool ok;

    x->of_thread = calloc(threads, sizeof *x->of_thread);
    x->n = x->of_thread ? threads : 0;
    ok = x->of_thread != NULL;
    for (unsigned i = 0; ok && i < threads; i++)
        ok = (x->of_thread[i] = bk_spill_new(NULL, bytes)) != NULL;
    return ok;
}

static void scratch_free(struct scratch *x) /* zeroed is fine */
{
    for (unsigned i = 0; i < x->n; i++)
        bk_spill_free(x->of_thread[i]);
    free(x->of_thread);
    *x = (struct scratch){ 0 };
}

/* A block of a group, and where its values go. */
struct handing {
    struct bk_delivery d;
    struct bk_setup *block; /* owned, as conf; NULL in a dry run, where conf stands for both */
    uint32_t *conf;
    uint8_t map[BK_SQ_MAX];
};

/* A block or group under way: what the steps from its setup to its codes share. */
struct work {
    struct bk_run *run;
    const struct bk_blocks *b;
    const struct bk_kernel *k;
    struct bk_memtable *t;
    struct bk_setup *setup;   /* owned, as what follows */
    struct bk_solver solver;  /* the setup with its state and kernel */
    struct bk_ledger *ledger; /* distances as they are found; NULL: the state's array BK_DTW has
                                 them, or there are none */
    struct bk_memblock *mb;   /* with a ledger: receives the block's values */
    struct bk_paging *paging; /* with a ledger: which slices are in memory; NULL: all */
    struct bk_share *share;   /* slices of several processes; NULL: all slices are worked on here */
    struct bk_share *as;      /* how several processes would share the block, for what they would
                                 send; or NULL */
    struct scratch scratch;
    uint32_t *by_black; /* slices by the black king's square; NULL: both sides in turn, by number */
    struct bk_tally *tally; /* by thread */
    /* the present pass over slices and sides */
    bool (*pass)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    atomic_bool found;
    bool failed; /* memory, or the scratch disk, was refused */
    /* for a group whose blocks have its frame: the blocks, and where each configuration goes; else
       NULL */
    struct handing *handing;
    struct bk_landing *landing;
};

/* Returns how many slices are worked on here. */
static uint32_t slices_here(const struct work *w)
{
    return w->share ? w->share->nown : w->setup->nslices;
}

/* Returns the nth slice that is worked on here. */
static uint32_t slice_here(const struct work *w, uint64_t nth)
{
    return w->share ? w->share->own[nth] : (uint32_t)nth;
}

/* Has the scratch disk, or memory, been refused? */
static bool is_refused(const struct work *w)
{
    return (w->ledger && bk_ledger_failed(w->ledger)) || (w->paging && bk_paging_failed(w->paging));
}

/* == Numbers of one byte that become two == */

/* Returns whether that can be done with the block half solved.  Others of its table would have to
   be made anew, a ledger has notes of its own, and processes would have to agree. */
static bool may_widen(const struct work *w)
{
    const struct bk_setup *s = w->setup;

    return s->dtw_bytes == 1 && w->t->ix->nblocks == 1 && !s->ledger && !s->by_kings &&
           !w->run->job->owners;
}

/* Makes numbers, and the codes that they will be, two bytes wide. */
static enum bk_err widen(struct work *w, struct bk_report *why)
{
    const struct bk_sink *sink = w->run->job->sink;

    if (!bk_state_widen(&w->solver.state, w->setup->exits_once, w->t->spill))
        return bk_no_memory(why);
    w->setup->dtw_bytes = w->t->code_bytes = 2;
    w->setup->k_limit = BK_CODE_K_MAX16;
    return sink->begin ? sink->begin(sink->context, why) : BK_OK;
}

/* Returns the largest k that codes of one byte may hold. */
static unsigned code_k_max(const struct work *w)
{
    return w->run->job->k_max ? w->run->job->k_max : BK_CODE_K_MAX;
}

/* Are numbers of one byte too large for codes of one?  To zeroing they may be: they go up to 254,
   and a code has to say as well who wins. */
static bool is_beyond_codes(const struct work *w)
{
    const struct bk_state *st = &w->solver.state;
    bool beyond = false;

    for (unsigned side = 0; side < 2; side++)
        beyond = beyond || st->last_win[side] >> st->shift > (int)code_k_max(w) ||
                 st->last_loss[side] >> st->shift > (int)code_k_max(w);
    return w->setup->dtw_bytes == 1 && beyond;
}

/* == Prepare: a setup with its exits == */

/* Returns the request from which the setup of the block, or group, is made. */
static struct bk_setup_request request_of(const struct work *w)
{
    const struct bk_solve_job *job = w->run->job;

    return (struct bk_setup_request){ .ix = w->t->ix,
                                      .block = w->b->block[0],
                                      .group = w->b->group,
                                      .kernel = w->k,
                                      .distances = job->distances,
                                      .attains = job->attain,
                                      .compact = w->run->strategy == BK_COMPACT,
                                      .dtw_bytes = w->t->code_bytes,
                                      .nmove = w->t->nmove,
                                      .k_limit =
                                          w->t->code_bytes > 1 ? BK_CODE_K_MAX16 : code_k_max(w) };
}

/* In a dry run: notes what one piece of work of each thread touches of the state: its own slice and
   neighbours' frontiers. */
static void note_room(const struct work *w)
{
    const struct bk_setup *s = w->setup;
    const struct bk_state *st = &w->solver.state;
    uint64_t room = s->nslices ? bk_state_bytes(st) / s->nslices * 2 : 0;

    if (s->ledger)
        room = bk_paging_room(s, st->slice_bytes[BK_WON]);
    room *= bk_pool_threads(w->run->job->pool);
    if (!s->by_kings && room > w->run->job->dry->room)
        w->run->job->dry->room = room;
}

/* Makes w->setup, with its exits. */
static enum bk_err prepare(struct work *w, struct bk_report *why)
{
    struct bk_setup_request r = request_of(w);
    struct bk_setup *s = w->b->group ? NULL : bk_run_take_still(w->run, r.block);
    bool has_exits = s;

    s = w->setup = s ? s : bk_setup_new(&r);
    if (!s)
        return bk_no_memory(why);
    if (s->nmove && !w->run->job->k_max && may_widen(w))
        s->k_limit = UINT8_MAX - 1;
    w->solver.setup = s;
    w->solver.kernel = w->k;
    bk_state_measure(&w->solver.state, s, w->k->set_bytes);
    if (!w->b->group)
        bk_setup_lay_out_codes(s, w->k, false, &w->t->block[w->b->block[0]], w->t->code_bytes);
    if (w->run->job->dry)
        note_room(w);
    return has_exits || w->run->job->dry ? BK_OK : bk_exits_find(s, &w->run->job->tables, why);
}

/* == Prepare: memory == */

/* Returns the memory that goes from one block's state to the next one's; NULL: this one's does not.
 */
static struct bk_spares *spares_of(const struct work *w)
{
    return w->b->apart || w->share || w->setup->ledger ? NULL : &w->run->spares;
}

/* Returns the bytes that a block's sets may take of the limit on memory.  An eighth of the limit is
   left for mapped memory.  Slices are paged if the state takes more. */
static uint64_t budget_of(const struct work *w)
{
    const struct bk_run *run = w->run;
    uint64_t most = run->job->sets_bytes, threads = bk_pool_threads(run->job->pool);
    uint64_t own = threads * (w->k->scratch_bytes(w->setup) + bk_ledger_bytes(w->setup));
    uint64_t limit = w->t->spill ? bk_spill_limit(w->t->spill) / 8 * 7 : UINT64_MAX;

    if (most)
        return most;
    limit = limit > own ? limit - own : 0;
    return w->b->apart ? limit / threads : limit;
}

/* Allocates a ledger and the state: in memory, or paged if not all slices have room. */
static enum bk_err allocate_ledger(struct work *w, unsigned threads, struct bk_report *why)
{
    struct bk_spill *spill = w->t->spill;
    struct bk_state *st = &w->solver.state;
    enum bk_err err = bk_ledger_new(&w->ledger, w->setup, spill, threads, why);

    st->sparse = bk_state_bytes(st) > budget_of(w);
    if (!err && !bk_state_new(st, w->run->job->dry ? spill : NULL, NULL)) /* else it may be paged */
        err = bk_no_memory(why);
    if (!err && st->sparse)
        err = bk_paging_new(&w->paging, &w->solver, w->ledger, spill, budget_of(w), threads, why);
    return err;
}

/*
 * Returns the slices by the black king's square.  A pass reads of other slices
 * those that the mover's king can go to.  Slices are numbered by the white
 * king's square, then the black one's: with black to move such slices are near
 * each other, and still in the cache.  With white to move they are when the
 * black king's square comes first.  Owned; NULL: no memory.
 */
static uint32_t *order_by_black(const struct bk_setup *s)
{
    uint32_t *order = malloc(s->nslices * sizeof *order), place[BK_SQ_MAX + 1] = { 0 };

    for (uint32_t slice = 0; slice < s->nslices; slice++)
        place[s->pairs->king[slice][1] + 1]++;
    for (unsigned bk = 0; bk < s->v->nsq; bk++)
        place[bk + 1] += place[bk];
    for (uint32_t slice = 0; order && slice < s->nslices; slice++)
        order[place[s->pairs->king[slice][1]]++] = slice;
    return order;
}

/* Allocates arrays, scratch and tallies. */
static enum bk_err allocate(struct work *w, struct bk_report *why)
{
    unsigned threads = bk_pool_threads(w->b->pool);
    bool ok = true;

    if (w->setup->ledger) {
        enum bk_err err = allocate_ledger(w, threads, why);

        if (err)
            return err;
    } else {
        w->solver.state.sparse = w->share;
        ok = bk_state_new(&w->solver.state, w->t->spill, spares_of(w));
    }
    if (!w->share && !w->t->spill && !w->paging && !w->run->job->dry)
        w->by_black = order_by_black(w->setup);
    w->tally = calloc(threads, sizeof *w->tally);
    ok = ok && w->tally && scratch_new(&w->scratch, threads, w->k->scratch_bytes(w->setup));
    for (unsigned i = 0; ok && i < threads; i++)
        bk_tally_init(&w->tally[i]);
    return ok ? BK_OK : bk_no_memory(why);
}

/* Allocates arrays for the values of a block that is laid out, if those of its state are not handed
   on. */
static bool make_room(const struct work *w, uint32_t block)
{
    const struct bk_solve_job *job = w->run->job;
    struct bk_memblock *mb = &w->t->block[block];
    uint64_t places = w->t->ix->block[block].pairs->nslices * mb->bit_slice_stride;
    bool ok = bk_memtable_alloc(w->t, block);

    for (unsigned told = 0; job->attain && told < (job->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++)
            ok = ok && (mb->attained[told][side] =
                            bk_memtable_array(w->t, bk_memblock_array_bytes(places, 0)));
    return ok;
}

/* == A slice == */

static void run_init(void *context, uint64_t item, unsigned thread)
{
    struct work *w = context;
    uint32_t slice = slice_here(w, item);
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
    struct work *w = context;

    bk_share_init_halo(w->share, &w->solver, (uint32_t)item, w->scratch.of_thread[thread]);
}

/* Returns whether the pass reads the slice's sets.  A pass that only clears the positions found two
   plies ago does not: it changes marks, which are always in memory. */
static bool has_work(const struct work *w, uint32_t slice, unsigned side)
{
    const struct bk_state *st = &w->solver.state;

    return w->pass == w->k->mated || bk_state_todo(st, side, slice) ||
           bk_ledger_is_due(w->ledger, st, slice, side);
}

/* Returns the slice that a pass takes as `item`, and sets `side`. */
static uint32_t nth_slice(const struct work *w, uint64_t item, unsigned *side)
{
    uint32_t n = w->setup->nslices;

    *side = item & 1;
    if (w->paging)
        return bk_paging_nth(w->paging, (uint32_t)(item >> 1), !w->solver.state.losing);
    if (!w->by_black)
        return slice_here(w, item >> 1);
    *side = item < n ? BK_WHITE : BK_BLACK;
    return *side == BK_WHITE ? w->by_black[item] : (uint32_t)(item - n);
}

static void run_pass(void *context, uint64_t item, unsigned thread)
{
    struct work *w = context;
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
        atomic_store_explicit(st->losing ? &st->last_loss[side] : &st->last_win[side], (int)st->ply,
                              memory_order_relaxed);
    }
    if (w->paging)
        bk_paging_unpin(w->paging, found, thread);
}

/* == A pass == */

/* Tells the sink what several processes would send each other now.  False: no memory. */
static bool tell_news(struct work *w)
{
    const struct bk_sink *sink = w->run->job->sink;
    const struct bk_news news = { .block = w->b->block[0],
                                  .ply = w->solver.state.ply,
                                  .bytes = bk_share_would_send(w->as, &w->solver) };

    if (news.bytes && sink->news)
        sink->news(sink->context, &news);
    return news.bytes;
}

/* Ends a pass: takes in what other processes have found.  False: a process was stopped, or
   failed. */
static bool join(struct work *w, bool done)
{
    struct bk_state *st = &w->solver.state;
    struct bk_joined x = { .found = w->found, .stopped = !done, .failed = w->failed };

    if (w->paging)
        bk_paging_forget(w->paging);
    if (!w->share) {
        w->failed = is_refused(w) || (done && w->as && !tell_news(w));
        return done && !w->failed;
    }
    bk_share_join(st, &x);
    w->found = x.found;
    w->failed = x.failed;
    done = !x.stopped && !x.failed;
    if (done)
        w->failed = bk_share_news(w->share, &w->solver, NULL) != BK_OK;
    return done;
}

/* Returns why a pass was the last one. */
static enum bk_err not_done(const struct work *w, struct bk_report *why)
{
    return w->failed ? bk_no_memory(why) : bk_interrupted(why);
}

/* Ply 0: legality, exits, mates.  False: stopped, or failed. */
static bool first_passes(struct work *w)
{
    struct bk_state *st = &w->solver.state;
    uint32_t n = slices_here(w);

    for (unsigned side = 0; side < 2; side++) {
        st->last_win[side] = -1;
        st->last_loss[side] = -1;
    }
    w->pass = w->k->mated;
    st->losing = true;
    return join(w, bk_pool_try(w->b->pool, n, run_init, w) &&
                       (!w->share || bk_pool_try(w->b->pool, w->share->nhalo, run_init_halo, w)) &&
                       bk_pool_try(w->b->pool, 2 * (uint64_t)n, run_pass, w));
}

/* Runs lose() or win() of a ply over all slices.  False: stopped, or failed. */
static bool run_passes(struct work *w, bool losing)
{
    bool done;

    w->solver.state.losing = losing;
    w->pass = losing ? w->k->lose : w->k->win;
    done = bk_pool_try(w->b->pool, 2 * (uint64_t)slices_here(w), run_pass, w);
    return join(w, done && !bk_run_is_stopped(w->run));
}

/* Runs one ply; w->found says whether anything was found.  False: stopped, or failed. */
static bool run_ply(struct work *w, uint32_t ply)
{
    w->solver.state.ply = ply;
    w->found = false;
    if (w->setup->nmove)
        return run_passes(w, true) && run_passes(w, false);
    return run_passes(w, !(ply & 1));
}

/* == Ply after ply == */

/* Restores a block from a checkpoint; if it is shared, the halo from its owners. */
static enum bk_err resume(struct work *w, const struct bk_under_way *u, struct bk_report *why)
{
    enum bk_err err = bk_resume_block(w->run, u, why);

    if (!w->share)
        return err;
    err = bk_ranks_agree(err, why);
    if (!err)
        err = bk_ranks_agree(bk_share_restore(w->share, &w->solver, u->m->ply, why), why);
    return err;
}

/* Runs the first passes, or restores what a checkpoint has of them and later ones. */
static enum bk_err begin_plies(struct work *w, const struct bk_under_way *u, struct bk_report *why)
{
    *u->m = (struct bk_moment){ .block = w->b->block[0], .before = true, .there = true };
    if (bk_resume_has(w->run, u->m->block))
        return resume(w, u, why);
    return first_passes(w) ? BK_OK : not_done(w, why);
}

/* Runs ply after ply until two in turn find nothing and no position waits for a later ply.  Goes on
   from a checkpoint if it has the block. */
static enum bk_err iterate(struct work *w, struct bk_report *why)
{
    const struct bk_setup *s = w->setup;
    struct bk_moment m;
    const struct bk_under_way u = { &w->solver, w->share, w->ledger, w->paging, &m };
    enum bk_err err = begin_plies(w, &u, why);

    if (err)
        return err;
    if (s->distances && w->solver.state.last_wait >= s->k_limit)
        return bk_run_too_far(w->run, why); /* what waits so long is decided late */
    for (m.ply++;; m.ply++) {
        if (!run_ply(w, m.ply))
            return not_done(w, why);
        if (!w->found && !m.before && m.ply > w->solver.state.last_wait << s->shift)
            return BK_OK;
        m.before = w->found;
        if (s->distances && bk_state_k(&w->solver.state) >= s->k_limit) {
            err = may_widen(w) ? widen(w, why) : bk_run_too_far(w->run, why);
            if (err)
                return err;
        }
        if (w->b->apart)
            continue;
        bk_run_progress(w->run, m.ply);
        bk_resume_save(w->run, &u);
        if (w->run->finishing)
            return bk_interrupted(why);
    }
}

/* == Blocks that are alike, in a dry run == */

static struct bk_likeness likeness_of(const struct bk_index *ix, uint32_t block, bool taken)
{
    const struct bk_block *b = &ix->block[block];
    struct bk_likeness l;

    memset(&l, 0, sizeof l);
    l.nslices = b->pairs->nslices;
    l.group = b->group;
    l.taken = taken;
    for (unsigned slot = 0; slot < ix->nslots; slot++)
        l.size[slot] = ix->cells[slot]->size[b->cell[slot]];
    return l;
}

/* Returns the block's kind; it is not known if no block like it has been measured lately. */
static struct bk_dry_kind *kind_of(const struct bk_run *run, uint32_t block, bool taken)
{
    const struct bk_index *ix = run->job->t->ix;
    struct bk_likeness l = likeness_of(ix, block, taken);
    uint32_t h = (l.nslices * 31 + l.group) * 2 + taken;
    struct bk_dry_kind *k;

    for (unsigned slot = 0; slot < ix->nslots; slot++)
        h = h * 31 + l.size[slot];
    k = &run->kinds[h % BK_DRY_KINDS];
    if (k->known && memcmp(&k->like, &l, sizeof l) != 0)
        k->known = false;
    k->like = l;
    return k;
}

/* Lays a block out as others of its kind lie; it has no arrays. */
static void lay_out_alike(struct bk_memblock *mb, const struct bk_dry_kind *k)
{
    *mb = k->mb;
    memset(mb->code, 0, sizeof mb->code);
    memset(mb->draw, 0, sizeof mb->draw);
    memset(mb->attained, 0, sizeof mb->attained);
    mb->solved = mb->encoded = mb->trimmed = false;
}

/* == Where a block of a group goes == */

/* Returns the group's configurations, by those of a block.  Owned; NULL: no memory. */
static uint32_t *configurations_of(const struct bk_setup *group, const struct bk_setup *block,
                                   const struct bk_member *m)
{
    uint32_t *conf = bk_spill_new(NULL, block->nconf * sizeof *conf);

    for (unsigned o = 0; conf && o < group->nouter && !bk_arena_is_dry(); o++) {
        const struct bk_outer *out = &group->outer[o];
        unsigned slot = 0, own = 0;

        while (m->slot[slot] != out->slot)
            slot++;
        while (own < block->nouter && block->outer[own].slot != slot)
            own++;
        for (uint32_t i = 0; i < block->nconf; i++) {
            const struct bk_cells *c = block->ix->cells[slot];
            unsigned sq = own < block->nouter ? block->conf.sq[i][own]
                                              : c->sq[c->first[block->b->cell[slot]]];

            conf[i] += out->stride * out->digit[m->map[sq]];
        }
    }
    return conf;
}

/* Frees what `h` owns; of zeroes, too. */
static void release_handing(struct handing *h)
{
    bk_spill_free(h->conf);
    bk_setup_free(h->block);
}

/* Finds where a block of the group goes.  False: no memory; release_handing() anyway. */
static bool find_handing(struct work *w, uint32_t block, struct handing *h)
{
    struct bk_setup_request r = request_of(w);
    struct bk_memblock *mb = &w->t->block[block];
    struct bk_member member;

    r.block = block;
    r.group = NULL;
    r.to_count = true;
    *h = (struct handing){ .block = bk_setup_new(&r) };
    if (!h->block)
        return false;
    bk_group_member(w->b->group, w->t->ix, block, &member);
    bk_setup_lay_out_codes(h->block, w->k, true, mb, w->t->code_bytes);
    memcpy(h->map, member.map, sizeof h->map);
    h->conf = configurations_of(w->setup, h->block, &member);
    h->d = (struct bk_delivery){ h->block, mb, h->conf, h->map, !member.straight };
    return h->conf;
}

/* Takes the memory of find_handing(), as one array.  False: no memory. */
static bool find_handing_dry(struct work *w, uint32_t block, struct handing *h)
{
    struct bk_dry_kind *k = kind_of(w->run, block, true);
    struct bk_arena *arena = w->run->job->dry->arena;
    uint64_t before = arena->live;

    if (!k->known) {
        struct handing own;

        k->known = find_handing(w, block, &own);
        k->mb = w->t->block[block];
        k->own = arena->live - before;
        release_handing(&own);
    }
    lay_out_alike(&w->t->block[block], k);
    *h = (struct handing){ .conf = bk_arena_resize(bk_spill_new_often(0), k->own) };
    return k->known;
}

static bool prepare_handing(struct work *w, uint32_t block, struct handing *h)
{
    return w->run->job->dry ? find_handing_dry(w, block, h) : find_handing(w, block, h);
}

/* == A group whose codes go straight to its blocks == */

/* Returns whether finish_group() may write the group's codes straight to its blocks: these have the
   group's frame. */
static bool lands_at_once(const struct work *w)
{
    const struct bk_setup *s = w->setup;
    bool same = w->b->group && !w->share && s->exits_once && s->inner.slot >= 0;

    for (uint32_t i = 0; same && i < w->b->n; i++) {
        struct bk_member member;

        bk_group_member(w->b->group, w->t->ix, w->b->block[i], &member);
        same = member.straight && w->t->ix->block[w->b->block[i]].pairs == s->pairs;
    }
    return same;
}

/* Finds where each configuration of the group goes.  False: no memory. */
static bool find_landings(struct work *w)
{
    w->handing = calloc(w->b->n, sizeof *w->handing);
    w->landing = bk_spill_new(NULL, w->setup->nconf * sizeof *w->landing);
    if (!w->handing || !w->landing)
        return false;
    for (uint32_t i = 0; i < w->b->n; i++) {
        struct handing *h = &w->handing[i];

        if (!prepare_handing(w, w->b->block[i], h) || !make_room(w, w->b->block[i]))
            return false;
        for (uint32_t conf = 0; h->block && conf < h->block->nconf; conf++)
            w->landing[h->conf[conf]] = (struct bk_landing){ &h->d, conf };
    }
    return true;
}

/* == Settle == */

static void run_finish(void *context, uint64_t item, unsigned thread)
{
    struct work *w = context;
    uint32_t slice = slice_here(w, item);

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
static enum bk_err settle(struct work *w, struct bk_report *why)
{
    w->mb = &w->t->block[w->b->block[0]];
    if (w->setup->distances && is_beyond_codes(w)) {
        enum bk_err err = widen(w, why);

        if (err)
            return err;
    }
    if (w->ledger && !make_room(w, w->b->block[0]))
        return bk_no_memory(why);
    if (lands_at_once(w) && !find_landings(w))
        return bk_no_memory(why);
    if (!bk_pool_try(w->b->pool, slices_here(w), run_finish, w))
        return bk_interrupted(why);
    if (is_refused(w))
        return bk_no_memory(why);
    return BK_OK;
}

/* == Hand over: the blocks of a group, copied out == */

/* One block of a group that is being copied out, slice by slice. */
struct delivering {
    struct work *w;
    const struct handing *h;
};

/* Returns whether this process delivers a slice of the block. */
static bool is_owned(const struct delivering *x, uint32_t slice)
{
    const uint8_t *king = x->h->block->pairs->king[slice];

    return !x->w->share || bk_owner_of(x->w->run->job->owners, king[0], king[1]) == bk_rank();
}

static void run_deliver(void *context, uint64_t item, unsigned thread)
{
    struct delivering *x = context;

    bk_spill_ease(x->w->t->spill);
    if (!is_owned(x, (uint32_t)item))
        return;
    x->w->k->deliver(&x->w->solver, &x->h->d, (uint32_t)item, &x->w->tally[thread]);
}

static bool deliver_block(struct work *w, uint32_t block)
{
    struct handing h;
    struct delivering x = { w, &h };
    bool ok = prepare_handing(w, block, &h) && make_room(w, block);

    if (ok && h.block)
        bk_pool_run(w->b->pool, h.block->nslices, run_deliver, &x);
    release_handing(&h);
    return ok;
}

/* Copies out the blocks, unless finish_group() has written them.  False: no memory. */
static bool hand_over_group(struct work *w)
{
    if (w->landing)
        return true; /* finish_group() has written them */
    for (uint32_t i = 0; i < w->b->n; i++)
        if (!deliver_block(w, w->b->block[i]))
            return false;
    return true;
}

/* == Hand over: bits of sets of one position == */

/*
 * Most arrays of the state become the table's as they are.  Without an inner man a set holds one
 * position, in bit 0: such bits are gathered first.
 */

/* One array of sets that is being gathered. */
struct gathering {
    struct bk_spill *spill;
    const struct bk_setup *s;
    const struct bk_state *st;
    enum bk_array sets;
    unsigned side;
    size_t set_bytes, n;
    uint64_t *bits;
};

enum { WORDS_GATHERED = 1024 };

static void gather_bits(void *context, uint64_t item, unsigned thread)
{
    const struct gathering *g = context;
    size_t first = (size_t)item * WORDS_GATHERED * 64, end = first + WORDS_GATHERED * 64;
    uint32_t nconf = g->s->nconf;

    (void)thread;
    bk_spill_ease(g->spill);
    for (size_t i = first; i < end && i < g->n; i++) {
        const uint64_t *sets = bk_state_slice(g->st, g->sets, g->side, (uint32_t)(i / nconf));

        if (sets[i % nconf * (g->set_bytes / sizeof *sets)] & 1)
            g->bits[i >> 6] |= UINT64_C(1) << (i & 63);
    }
}

/* Writes the lowest bit of each set of an array to a bitmap. */
static void gather(const struct work *w, enum bk_array sets, unsigned side, uint64_t *bits)
{
    const struct bk_setup *s = w->setup;
    size_t n = (size_t)s->nslices * s->nconf;
    struct gathering g = { w->t->spill, s, &w->solver.state, sets, side, w->k->set_bytes, n, bits };

    bk_pool_run(w->b->pool, (n + 64 * WORDS_GATHERED - 1) / (64 * WORDS_GATHERED), gather_bits, &g);
}

static bool gather_codes(const struct work *w, struct bk_memblock *mb)
{
    size_t n = (size_t)w->setup->nslices * w->setup->nconf;

    if (!bk_memblock_alloc(mb, w->t->spill, n, 0))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        gather(w, BK_WON, side, mb->code[side]);
        gather(w, BK_UNDECIDED, side, mb->draw[side]);
    }
    return true;
}

/* == Hand over: a block == */

/* Moves what exits attain from the frontiers, which hold it, to `mb`.  False: no memory. */
static bool hand_over_attained(struct work *w, struct bk_memblock *mb)
{
    const struct bk_setup *s = w->setup;
    size_t bytes = bk_memblock_array_bytes((size_t)s->nslices * s->nconf, 0);

    for (unsigned told = 0; told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++) {
            enum bk_array sets = told == BK_WDL ? BK_LOSSES : BK_WINS;

            if (s->inner.slot >= 0) {
                mb->attained[told][side] = bk_state_take(&w->solver.state, sets, side);
                continue;
            }
            mb->attained[told][side] = bk_spill_new(w->t->spill, bytes);
            if (!mb->attained[told][side])
                return false;
            gather(w, sets, side, mb->attained[told][side]);
        }
    return true;
}

/* Moves the arrays of a solved block that others read to its table.  False: no memory. */
static bool hand_over_block(struct work *w, struct bk_memblock *mb)
{
    const struct bk_setup *s = w->setup;
    struct bk_state *st = &w->solver.state;

    if (w->ledger)
        return true; /* bk_ledger_finish() has written the values */
    if (s->attains && !hand_over_attained(w, mb))
        return false;
    if (!s->distances && s->inner.slot < 0)
        return gather_codes(w, mb);
    for (unsigned side = 0; side < 2; side++) {
        if (s->distances) {
            mb->code[side] = bk_state_take(st, BK_DTW, side);
        } else {
            mb->code[side] = bk_state_take(st, BK_WON, side);
            mb->draw[side] = bk_state_take(st, BK_UNDECIDED, side);
        }
    }
    return true;
}

/* Moves the values of the blocks to the table, and adds up their counts unless they are shared. */
static enum bk_err hand_over(struct work *w, struct bk_report *why)
{
    struct bk_memblock *block = w->t->block;

    if (!(w->b->group ? hand_over_group(w) : hand_over_block(w, &block[w->b->block[0]])))
        return bk_no_memory(why);
    for (uint32_t i = 0; i < w->b->n; i++)
        block[w->b->block[i]].solved = true;
    for (unsigned i = 0; !w->share && i < w->scratch.n; i++)
        bk_tally_add(w->b->tally, &w->tally[i]);
    return BK_OK;
}

/* == Hand over: a shared block == */

/* Adds the counts of all processes, of a shared block, to b->tally. */
static void add_up(struct work *w)
{
    struct bk_tally own = w->tally[0];

    for (unsigned i = 1; i < w->scratch.n; i++)
        bk_tally_add(&own, &w->tally[i]);
    for (unsigned r = 0; r < bk_ranks(); r++) {
        struct bk_tally tally = own;

        bk_transport_tell(&tally, sizeof tally, r);
        bk_tally_add(w->b->tally, &tally);
    }
}

/* Frees the halo's slices of the arrays that stay: they were read only while the block was
   solved. */
static void forget_halo(const struct work *w)
{
    const struct bk_state *st = &w->solver.state;

    for (enum bk_array a = 0; a < BK_ARRAYS; a++)
        for (unsigned side = 0; bk_state_stays(st, a) && st->slice_bytes[a] && side < 2; side++)
            for (uint32_t i = 0; i < w->share->nhalo; i++)
                bk_spill_forget(bk_state_slice(st, a, side, w->share->halo[i]), st->slice_bytes[a]);
}

/* Hands over a shared block: slices go from their owners to the processes that read them.  Without
   an inner man bits of several slices share words: then every process gets all slices first. */
static enum bk_err hand_over_shared(struct work *w, struct bk_report *why)
{
    bool inner = w->setup->inner.slot >= 0;
    struct bk_value_readers readers = bk_run_value_readers(w->run);
    enum bk_err err = BK_OK;

    bk_ranks_sends(BK_SENDS_VALUES);
    if (inner)
        forget_halo(w);
    else
        err = bk_share_spread(w->share, &w->solver.state, why);
    if (!err)
        err = bk_ranks_agree(hand_over(w, why), why);
    bk_state_free(&w->solver.state, NULL);
    if (!err)
        add_up(w);
    if (!err && inner)
        err = bk_share_hand_out(&readers, w->b->block, w->b->n, why);
    return err;
}

/* == All of it == */

/* Solves a block by kings.c, in this thread. */
static enum bk_err solve_kings(struct work *w, struct bk_report *why)
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

static void release(struct work *w)
{
    if (w->setup)
        bk_state_free(&w->solver.state, spares_of(w));
    bk_paging_free(w->paging);
    bk_ledger_free(w->ledger);
    bk_setup_free(w->setup);
    scratch_free(&w->scratch);
    bk_share_free(w->share);
    bk_share_free(w->as);
    for (uint32_t i = 0; w->handing && i < w->b->n; i++)
        release_handing(&w->handing[i]);
    free(w->handing);
    bk_spill_free(w->landing);
    free(w->tally);
    free(w->by_black);
}

/* Returns whether processes share the work on the block, or would share it. */
static bool is_shared(const struct work *w)
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

/* As make_room(), in a dry run.  Of a table that processes share only parts have memory: what the
   process encodes or reads. */
static bool make_room_dry(const struct work *w, uint32_t block)
{
    const struct bk_dry *dry = w->run->job->dry;
    struct bk_value_readers readers = bk_run_value_readers(w->run);
    struct bk_arena before = *dry->arena;
    double encodes, kept = dry->kept;

    if (!make_room(w, block))
        return false;
    if (!w->run->by_share)
        return true;
    encodes = dry->encodes(dry->context, block);
    bk_share_resize(&readers, block, encodes + kept - encodes * kept, encodes);
    dry->arena->peak = before.peak;
    dry->arena->fixed_peak = before.fixed_peak;
    bk_arena_raise(0, 0);
    return true;
}

/* Takes the memory of a block, or group, that processes share, of the process that takes most: the
   state that it touches; then the values that it encodes or reads. */
static enum bk_err measure_shared(struct work *w, struct bk_report *why)
{
    const struct bk_solve_job *job = w->run->job;
    struct bk_state *st = &w->solver.state;
    void *state = bk_spill_new_sparse(bk_share_bytes(w->setup, st, job->owners, job->dry->some));
    unsigned threads = bk_pool_threads(w->b->pool);
    bool ok = state && scratch_new(&w->scratch, threads, w->k->scratch_bytes(w->setup));

    for (uint32_t i = 0; ok && i < w->b->n; i++) {
        uint32_t block = w->b->block[i];
        struct handing h = { 0 };

        if (w->b->group)
            ok = prepare_handing(w, block, &h);
        else
            state = bk_arena_resize(state, 0); /* its values are a part of it */
        ok = ok && make_room_dry(w, block);
        release_handing(&h);
        w->t->block[block].solved = true;
    }
    bk_spill_free(state);
    return ok ? BK_OK : bk_no_memory(why);
}

static enum bk_err solve_slices(struct work *w, struct bk_report *why)
{
    const struct bk_solve_job *job = w->run->job;
    bool shared = job->owners && is_shared(w);
    enum bk_err err = BK_OK;

    if (shared && job->dry)
        return measure_shared(w, why);
    if (shared)
        err = bk_share_new(&w->share, w->setup, job->owners, why);
    else if (job->as && is_shared(w))
        err = bk_share_new(&w->as, w->setup, job->as, why);
    if (!err)
        err = allocate(w, why);
    err = ended(shared, err, why);
    if (!err && shared)
        bk_ranks_sends(BK_SENDS_NEWS);
    if (!err && !job->dry)
        err = iterate(w, why);
    if (!err)
        err = ended(shared, settle(w, why), why);
    if (!err)
        err = shared ? hand_over_shared(w, why) : hand_over(w, why);
    return err;
}

enum bk_err bk_blocks_solve(struct bk_run *run, const struct bk_blocks *b, struct bk_report *why)
{
    struct work w = { .run = run, .b = b, .k = run->job->kernel, .t = run->job->t };
    enum bk_err err = prepare(&w, why);

    if (!b->apart)
        err = bk_ranks_agree(err, why);
    if (!err)
        err = w.setup->by_kings ? solve_kings(&w, why) : solve_slices(&w, why);
    release(&w);
    for (uint32_t i = 0; err && i < b->n; i++)
        bk_memblock_free(&w.t->block[b->block[i]]);
    return err;
}

/* Measures a block by solving it dry. */
static enum bk_err measure(struct bk_run *run, const struct bk_blocks *b, struct bk_dry_kind *k,
                           struct bk_report *why)
{
    struct bk_arena *arena = run->job->dry->arena, before = *arena;
    enum bk_err err;

    arena->peak = arena->live;
    arena->fixed_peak = arena->resident;
    err = bk_blocks_solve(run, b, why);
    k->known = !err;
    k->mb = run->job->t->block[b->block[0]];
    k->spare = run->spares.n ? run->spares.bytes : 0;
    k->bytes = arena->peak - arena->live;
    k->fixed = arena->fixed_peak - arena->resident;
    if (arena->peak < before.peak)
        arena->peak = before.peak;
    if (arena->fixed_peak < before.fixed_peak)
        arena->fixed_peak = before.fixed_peak;
    return err;
}

const struct bk_dry_kind *bk_block_measure(struct bk_run *run, const struct bk_blocks *b,
                                           enum bk_err *err, struct bk_report *why)
{
    struct work w = { .run = run, .t = run->job->t };
    struct bk_dry_kind *k = kind_of(run, b->block[0], false);
    struct bk_memblock *mb = &w.t->block[b->block[0]];

    *err = BK_OK;
    if (!k->known) {
        *err = measure(run, b, k, why);
        return *err ? NULL : k;
    }
    if (run->spares.n && run->spares.bytes != k->spare)
        bk_spares_free(&run->spares);
    if (k->spare && !run->spares.n)
        run->spares = (struct bk_spares){ { bk_spill_new(w.t->spill, k->spare) }, k->spare, 1 };
    lay_out_alike(mb, k);
    if (!make_room_dry(&w, b->block[0])) {
        *err = bk_no_memory(why);
        return NULL;
    }
    mb->solved = true;
    bk_arena_raise(k->bytes, k->fixed);
    return k;
}
