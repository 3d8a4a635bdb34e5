/*
 * block_prepare.c - see block_prepare.h.
 */
#include "tb/solve/block_prepare.h"

#include <stdlib.h>

#include "core/geometry.h"
#include "tb/solve/exits.h"

/* == Setup == */

struct bk_setup_request bk_block_request(const struct bk_block_work *w)
{
    const struct bk_solve_job *job = w->run->job;
    unsigned k_max = job->k_max ? job->k_max : BK_CODE_K_MAX;

    return (struct bk_setup_request){ .ix = w->t->ix,
                                      .block = w->b->block[0],
                                      .group = w->b->group,
                                      .kernel = w->k,
                                      .distances = job->distances,
                                      .attains = job->attain,
                                      .compact = w->run->strategy == BK_COMPACT,
                                      .dtw_bytes = w->t->code_bytes,
                                      .k_limit = w->t->code_bytes > 1 ? BK_CODE_K_MAX16 : k_max };
}

/* Makes w->setup, with its exits. */
enum bk_err bk_block_prepare(struct bk_block_work *w, struct bk_report *why)
{
    struct bk_setup_request r = bk_block_request(w);
    struct bk_setup *s = w->b->group ? NULL : bk_run_take_still(w->run, r.block);
    bool has_exits = s;

    s = w->setup = s ? s : bk_setup_new(&r);
    if (!s)
        return bk_no_memory(why);
    w->solver.setup = s;
    w->solver.kernel = w->k;
    bk_state_measure(&w->solver.state, s, w->k->set_bytes);
    if (!w->b->group)
        bk_setup_lay_out_codes(s, w->k, false, &w->t->block[w->b->block[0]], w->t->code_bytes);
    return has_exits ? BK_OK : bk_exits_find(s, &w->run->job->tables, why);
}

/* == Memory == */

struct bk_spares *bk_block_spares(const struct bk_block_work *w)
{
    return w->b->apart || w->share || w->setup->ledger ? NULL : &w->run->spares;
}

/* Returns the bytes that a block's sets may take of the limit: an eighth is left for what is
   mapped. */
static uint64_t budget_of(const struct bk_block_work *w)
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
static enum bk_err allocate_ledger(struct bk_block_work *w, unsigned threads, struct bk_report *why)
{
    struct bk_spill *spill = w->t->spill;
    struct bk_state *st = &w->solver.state;
    enum bk_err err = bk_ledger_new(&w->ledger, w->setup, spill, threads, why);

    st->sparse = bk_state_bytes(st) > budget_of(w);
    if (!err && !bk_state_new(st, NULL, NULL))
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
enum bk_err bk_block_allocate(struct bk_block_work *w, struct bk_report *why)
{
    unsigned threads = bk_pool_threads(w->b->pool);
    bool ok = true;

    if (w->setup->ledger) {
        enum bk_err err = allocate_ledger(w, threads, why);

        if (err)
            return err;
    } else {
        w->solver.state.sparse = w->share;
        ok = bk_state_new(&w->solver.state, w->t->spill, bk_block_spares(w));
    }
    if (!w->share && !w->t->spill && !w->paging)
        w->by_black = order_by_black(w->setup);
    w->tally = calloc(threads, sizeof *w->tally);
    ok = ok && w->tally && bk_scratch_new(&w->scratch, threads, w->k->scratch_bytes(w->setup));
    for (unsigned i = 0; ok && i < threads; i++)
        bk_tally_init(&w->tally[i]);
    return ok ? BK_OK : bk_no_memory(why);
}

bool bk_block_make_room(const struct bk_block_work *w, const struct bk_setup *s,
                        struct bk_memblock *mb)
{
    size_t bytes = bk_memblock_array_bytes(s->nslices * mb->bit_slice_stride, 0);
    bool ok = bk_memtable_alloc(w->t, (uint32_t)(s->b - s->ix->block));

    for (unsigned told = 0; s->attains && told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++)
            ok = ok && (mb->attained[told][side] = bk_memtable_array(w->t, bytes));
    return ok;
}
