/*
 * run.c - see run.h.
 */
#include "tb/solve/run.h"

#include <stdlib.h>
#include <string.h>

#include "tb/memory/ranks.h"
#include "tb/solve/prepare.h"

enum bk_err bk_run_open(struct bk_run *run, const struct bk_solve_job *job, struct bk_tally *tally,
                        struct bk_report *why)
{
    const struct bk_index *ix = job->t->ix;

    *run = (struct bk_run){
        .job = job, .strategy = job->strategy, .tally = tally, .threads = bk_pool_threads(job->pool)
    };
    bk_ranks_first_says(&run->threads, sizeof run->threads); /* machines differ */
    run->threads *= job->dry ? job->dry->some.ranks : bk_ranks();
    if ((bk_ranks_several() || job->as) && job->distances && run->strategy == BK_COMPACT)
        run->strategy = BK_APART; /* a ledger is of one process */
    run->by_share = (job->owners || job->as) && bk_share_may(ix);
    job->t->by_share = job->owners && run->by_share;
    if (job->checkpoint)
        run->checkpoint = *job->checkpoint;
    run->readers = calloc(ix->nblocks + 1u, sizeof *run->readers);
    run->kinds = job->dry ? calloc(BK_DRY_KINDS, sizeof *run->kinds) : NULL;
    if (run->readers && (run->kinds || !job->dry) &&
        bk_order_new(&run->order, ix, run->strategy, bk_memtable_metric(job->t)))
        return BK_OK;
    free(run->readers);
    free(run->kinds);
    return bk_no_memory(why);
}

static void free_still(struct bk_run *run)
{
    for (unsigned i = 0; i < BK_STILL_MAX; i++)
        bk_setup_free(atomic_exchange(&run->still[i], NULL));
}

struct bk_setup *bk_run_take_still(struct bk_run *run, uint32_t block)
{
    struct bk_setup *s = NULL;

    for (unsigned i = 0; !s && i < BK_STILL_MAX; i++)
        s = atomic_exchange(&run->still[i], NULL);
    if (s && bk_setup_move(s, block))
        return s;
    bk_setup_free(s);
    return NULL;
}

void bk_run_keep_still(struct bk_run *run, struct bk_setup *s)
{
    for (unsigned i = 0; i < BK_STILL_MAX; i++) {
        struct bk_setup *none = NULL;

        if (atomic_compare_exchange_strong(&run->still[i], &none, s))
            return;
    }
    bk_setup_free(s);
}

void bk_run_close(struct bk_run *run)
{
    free_still(run);
    bk_reader_close(run->reader);
    bk_order_free(&run->order);
    bk_spares_free(&run->spares);
    free(run->readers);
    free(run->kinds);
}

static void forget_blocks(struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        bk_memblock_free(&t->block[i]);
        t->block[i].solved = t->block[i].encoded = false;
    }
}

void bk_run_count_readers(struct bk_run *run)
{
    const struct bk_index *ix = run->job->t->ix;
    const struct bk_order *o = &run->order;

    memset(run->readers, 0, ix->nblocks * sizeof *run->readers);
    for (uint32_t i = o->first[run->level]; run->job->let_go && i < ix->nblocks; i++)
        bk_order_read(ix, o->block[i], 1, run->readers);
}

enum bk_err bk_run_begin(struct bk_run *run, unsigned code_bytes, struct bk_report *why)
{
    const struct bk_sink *sink = run->job->sink;

    bk_reader_close(run->reader); /* with codes of another size */
    run->reader = NULL;
    free_still(run);
    forget_blocks(run->job->t);
    run->job->t->code_bytes = (uint8_t)code_bytes;
    run->level = 0;
    run->done = 0;
    atomic_store(&run->too_far, false);
    bk_tally_init(run->tally);
    bk_run_count_readers(run);
    bk_meter_again(run->job->meter);
    return sink->begin ? sink->begin(sink->context, why) : BK_OK;
}

static void let_blocks_go(struct bk_run *run, const uint32_t *block, uint32_t n)
{
    struct bk_memtable *t = run->job->t;

    for (uint32_t i = 0; i < n; i++)
        bk_order_read(t->ix, block[i], -1, run->readers);
    for (uint32_t i = 0; i < t->ix->nblocks; i++)
        if (t->block[i].encoded && !run->readers[i])
            bk_memblock_free(&t->block[i]);
}

struct bk_value_readers bk_run_value_readers(const struct bk_run *run)
{
    const struct bk_solve_job *job = run->job;

    return (struct bk_value_readers){ .t = job->t,
                                      .owners = job->owners,
                                      .reading = job->reading,
                                      .encoders = job->sink->readers,
                                      .context = job->sink->context };
}

/* Frees what only encoding wanted of blocks that are encoded. */
static void trim_blocks(struct bk_run *run)
{
    struct bk_memtable *t = run->job->t;
    struct bk_value_readers readers = bk_run_value_readers(run);

    for (uint32_t i = 0; i < t->ix->nblocks; i++)
        if (t->block[i].encoded && t->block[i].code[0] && !t->block[i].trimmed) {
            if (run->job->dry)
                bk_share_resize(&readers, i, run->job->dry->kept, 0);
            else
                bk_share_trim(&readers, i);
            t->block[i].trimmed = true;
        }
}

enum bk_err bk_run_solved(struct bk_run *run, const uint32_t *block, uint32_t n,
                          struct bk_report *why)
{
    const struct bk_sink *sink = run->job->sink;
    enum bk_err err;

    /* a unit that is being made is no state to go on from: it may as well end at once */
    bk_pool_stop_when(run->job->pool, run->job->finish ? run->job->finish : run->job->stop);
    err = sink->solved ? sink->solved(sink->context, block, n, why) : BK_OK;
    bk_pool_stop_when(run->job->pool, run->job->stop);

    if (!err && run->by_share)
        trim_blocks(run);
    if (!err && run->job->let_go)
        let_blocks_go(run, block, n);
    return err;
}

void bk_run_progress(const struct bk_run *run, uint32_t ply)
{
    const struct bk_sink *sink = run->job->sink;
    struct bk_progress p = { .ply = ply, .positions = run->done };

    bk_meter_ply(run->job->meter, ply);
    if (sink->progress)
        sink->progress(sink->context, &p);
}

void bk_run_note(const struct bk_run *run, const char *text)
{
    const struct bk_sink *sink = run->job->sink;

    if (sink->note)
        sink->note(sink->context, text);
}

enum bk_err bk_run_too_far(struct bk_run *run, struct bk_report *why)
{
    atomic_store_explicit(&run->too_far, true, memory_order_relaxed);
    return bk_fail(why, BK_E_SYSTEM, "distances of more than %u plies", 2 * BK_CODE_K_MAX16);
}
