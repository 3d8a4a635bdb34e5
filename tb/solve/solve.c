/*
 * solve.c - a table, level after level: blocks that do not lead to each other,
 * or those of a group.
 */
#include "tb/solve/solve.h"

#include <stdlib.h>

#include "core/rules.h"
#include "table/rows.h"
#include "tb/memory/ranks.h"
#include "tb/solve/block.h"
#include "tb/solve/resume.h"
#include "tb/solve/run.h"

/* == The blocks of a level == */

struct level {
    struct bk_run *run;
    const uint32_t *block;
    uint32_t n;
};

static bool is_solved(const struct level *l, uint32_t i)
{
    return l->run->job->t->block[l->block[i]].solved;
}

/* Counts n blocks of a level, from `first` on, as done. */
static void add_done(const struct level *l, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++)
        l->run->done += 2 * l->run->job->t->ix->block[l->block[i]].size;
}

/* Returns the part of the table's positions that are in n blocks of a level, from `first` on, and
   not solved. */
static double part_of(const struct level *l, uint32_t first, uint32_t n)
{
    const struct bk_index *ix = l->run->job->t->ix;
    uint64_t positions = 0;

    for (uint32_t i = first; i < first + n; i++)
        positions += is_solved(l, i) ? 0 : ix->block[l->block[i]].size;
    return (double)positions / (double)ix->positions;
}

/* Saves what is solved, with nothing under way. */
static void save_between(struct bk_run *run)
{
    static const struct bk_under_way nothing;

    bk_resume_save(run, &nothing);
}

/* Solves the blocks of a level together: they are a group. */
static enum bk_err solve_together(const struct level *l, struct bk_report *why)
{
    struct bk_run *run = l->run;
    struct bk_group group;
    struct bk_blocks b = {
        .block = l->block, .n = l->n, .group = &group, .pool = run->job->pool, .tally = run->tally
    };
    enum bk_err err = BK_OK;
    uint32_t solved = 0;

    while (solved < l->n && is_solved(l, solved))
        solved++;
    if (solved < l->n) { /* else a checkpoint has them */
        bk_meter_step(run->job->meter, BK_SOLVING, part_of(l, 0, l->n));
        bk_order_group(&run->order, run->job->t->ix, run->level, &group);
        err = bk_blocks_solve(run, &b, why);
    }
    add_done(l, 0, l->n);
    return err;
}

/* Returns whether the table is one block that several processes share.  When it is solved each of
   them has what it encodes, and none the whole of it. */
static bool is_only_block(const struct bk_run *run)
{
    return run->by_share && run->job->t->ix->nblocks == 1;
}

/* Solves the blocks of a level one after the other, each by all threads. */
static enum bk_err solve_in_turn(const struct level *l, struct bk_report *why)
{
    struct bk_run *run = l->run;
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; !err && i < l->n; i++) {
        struct bk_blocks b = {
            .block = &l->block[i], .n = 1, .pool = run->job->pool, .tally = run->tally
        };

        if (bk_run_is_stopped(run) || run->finishing)
            err = bk_interrupted(why);
        err = bk_ranks_agree(err, why);
        if (!is_solved(l, i))
            bk_meter_step(run->job->meter, BK_SOLVING, part_of(l, i, 1));
        if (!err && !is_solved(l, i))
            err = bk_ranks_agree(bk_blocks_solve(run, &b, why), why);
        add_done(l, i, 1);
        if (!err && !is_only_block(run))
            save_between(run);
    }
    return err;
}

/* Some blocks side by side, one a thread; of several processes each takes its share of them. */
struct round {
    const struct level *l;
    uint32_t first, n;
    struct bk_tally *tally; /* by block: which thread takes it must not matter */
    struct bk_first_error failed;
};

/* Returns the rank that solves block `i` of a round. */
static unsigned rank_of(uint32_t i) { return i % bk_ranks(); }

static void solve_one(void *context, uint64_t item, unsigned thread)
{
    struct round *r = context;
    uint32_t i = r->first + (uint32_t)item;
    struct bk_blocks b = {
        .block = &r->l->block[i], .n = 1, .apart = true, .tally = &r->tally[item]
    };
    struct bk_report why = { "" };

    (void)thread;
    if (rank_of((uint32_t)item) == bk_rank() && !bk_first_error_any(&r->failed) &&
        !is_solved(r->l, i)) {
        double part = part_of(r->l, i, 1);

        bk_first_error_keep(&r->failed, bk_blocks_solve(r->l->run, &b, &why), &why);
        bk_meter_done(r->l->run->job->meter, BK_SOLVING, part);
    }
}

/* Allocates the blocks of a round that other processes have solved. */
static enum bk_err lay_out_round(const struct round *r, struct bk_report *why)
{
    const struct bk_solve_job *job = r->l->run->job;
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; !err && i < r->n; i++) {
        uint32_t block = r->l->block[r->first + i];

        if (rank_of(i) == bk_rank() || is_solved(r->l, r->first + i))
            continue; /* or it is there already, from a checkpoint */
        err = bk_layout_block(job->t, block, job->kernel, false, why);
        if (!err && job->attain)
            err = bk_layout_attained(job->t, block, why);
        job->t->block[block].solved = true;
    }
    return err;
}

/* Sends a block from the rank that has solved it, `from`, to all others. */
static void spread_block(struct bk_memtable *t, uint32_t block, unsigned from)
{
    const struct bk_memblock *mb = &t->block[block];

    for (unsigned side = 0; side < 2; side++) {
        bk_transport_tell(mb->code[side], bk_layout_code_bytes(t, block), from);
        if (mb->draw[side])
            bk_transport_tell(mb->draw[side], bk_layout_code_bytes(t, block), from);
        for (unsigned told = 0; told < 2; told++)
            if (mb->attained[told][side])
                bk_transport_tell(mb->attained[told][side], bk_layout_bit_bytes(t, block), from);
    }
}

/* Sends all blocks of a round, and the counts of each, to every process. */
static enum bk_err bring_together(struct round *r, enum bk_err err, struct bk_report *why)
{
    struct bk_run *run = r->l->run;
    int64_t too_far = run->too_far;

    bk_ranks_sends(BK_SENDS_VALUES);
    bk_transport_max(&too_far, 1);
    run->too_far = too_far;
    err = bk_ranks_agree(err, why);
    if (!err)
        err = bk_ranks_agree(lay_out_round(r, why), why);
    for (uint32_t i = 0; !err && i < r->n; i++) {
        spread_block(run->job->t, r->l->block[r->first + i], rank_of(i));
        bk_transport_tell(&r->tally[i], sizeof r->tally[i], rank_of(i));
    }
    return err;
}

static enum bk_err solve_round(struct round *r, struct bk_report *why)
{
    struct bk_run *run = r->l->run;
    enum bk_err err = BK_OK;
    bool whole;

    for (uint32_t i = 0; i < r->n; i++)
        bk_tally_init(&r->tally[i]);
    bk_meter_step(run->job->meter, BK_SOLVING, part_of(r->l, r->first, r->n));
    whole = bk_pool_try(run->job->pool, r->n, solve_one, r);
    if (bk_first_error_any(&r->failed))
        err = bk_first_error_of(&r->failed, why);
    else if (!whole)
        err = bk_interrupted(why);
    if (bk_ranks_several())
        err = bring_together(r, err, why);
    if (err)
        return err;
    for (uint32_t i = 0; i < r->n; i++)
        bk_tally_add(run->tally, &r->tally[i]);
    add_done(r->l, r->first, r->n);
    bk_run_progress(run, 0);
    return BK_OK;
}

/* Solves the blocks of a level side by side, one a thread, in rounds of some for every thread;
   between rounds there is time to save. */
static enum bk_err solve_apart(const struct level *l, struct bk_report *why)
{
    uint32_t most = 32 * l->run->threads;
    struct round r = { .l = l, .tally = calloc(most, sizeof *r.tally) };
    enum bk_err err = r.tally ? BK_OK : bk_no_memory(why);

    if (bk_ranks_several())
        err = bk_ranks_agree(err, why);
    bk_spares_free(&l->run->spares);
    for (; !err && r.first < l->n; r.first += most) {
        r.n = l->n - r.first < most ? l->n - r.first : most;
        err = solve_round(&r, why);
        if (!err)
            save_between(l->run);
        if (!err && l->run->finishing)
            err = bk_interrupted(why);
    }
    free(r.tally);
    return err;
}

/* Dry: takes the memory of a level's blocks, solved one after the other or (`apart`) side by side,
   one a thread. */
static enum bk_err measure_level(const struct level *l, bool apart, struct bk_report *why)
{
    struct bk_run *run = l->run;
    unsigned threads = bk_pool_threads(run->job->pool);
    struct bk_pool *one = apart ? bk_pool_open_dry(1) : NULL;
    uint64_t bytes = 0, fixed = 0;
    enum bk_err err = apart && !one ? bk_no_memory(why) : BK_OK;

    if (apart)
        bk_spares_free(&run->spares);
    for (uint32_t i = 0; !err && i < l->n; i++) {
        const struct bk_blocks b = { .block = &l->block[i],
                                     .n = 1,
                                     .apart = apart,
                                     .pool = apart ? one : run->job->pool,
                                     .tally = run->tally };
        const struct bk_dry_kind *k = bk_block_measure(run, &b, &err, why);

        bytes = k && k->bytes > bytes ? k->bytes : bytes;
        fixed = k && k->fixed > fixed ? k->fixed : fixed;
    }
    if (apart)
        bk_arena_raise(threads * bytes, threads * fixed);
    bk_pool_close(one);
    return err;
}

/* Hands a level's blocks to the sink.  If the run is asked to end meanwhile, a checkpoint keeps all
   of them, and the units that are made. */
static enum bk_err hand_on(struct bk_run *run, const struct level *l, struct bk_report *why)
{
    enum bk_err err = bk_run_solved(run, l->block, l->n, why);

    if (err && run->job->finish && *run->job->finish && !bk_ranks_several())
        save_between(run);
    return bk_ranks_agree(err, why);
}

static enum bk_err solve_level(struct bk_run *run, struct bk_report *why)
{
    const struct bk_order *o = &run->order;
    uint32_t first = o->first[run->level];
    struct level l = { run, o->block + first, o->first[run->level + 1] - first };
    unsigned threads = run->threads;
    bool under_way = run->reader && run->moment.there;
    enum bk_err err;

    if (o->group[run->level])
        err = solve_together(&l, why);
    else if (run->job->dry)
        err = measure_level(&l, l.n >= 2 * threads && threads > 1 && !run->by_share, why);
    else if (l.n < 2 * threads || threads == 1 || under_way || run->by_share)
        err = solve_in_turn(&l, why); /* a checkpoint is read by all threads: not while each
                                         solves a block */
    else
        err = solve_apart(&l, why);
    if (run->level + 1 == o->nlevels)
        bk_spares_free(&run->spares); /* encoding wants the room */
    return err ? err : hand_on(run, &l, why);
}

/* == A table == */

static enum bk_err solve_levels(struct bk_run *run, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    while (!err && run->level < run->order.nlevels) {
        err = solve_level(run, why);
        run->level++;
        if (!err && run->level < run->order.nlevels)
            save_between(run);
        if (!err && run->level < run->order.nlevels && run->finishing)
            err = bk_interrupted(why);
    }
    return err;
}

/* Returns the part of the positions that a checkpoint had. */
static double part_solved(const struct bk_memtable *t)
{
    uint64_t positions = 0;

    for (uint32_t i = 0; i < t->ix->nblocks; i++)
        positions += t->block[i].solved ? t->ix->block[i].size : 0;
    return (double)positions / (double)t->ix->positions;
}

enum bk_err bk_solve_table(const struct bk_solve_job *job, struct bk_tally *tally,
                           struct bk_report *why)
{
    struct bk_index *ix = job->t->ix;
    struct bk_run run;
    enum bk_err err;

    if (bk_rules_en_passant(ix->v) && bk_exits_doubles_within_cell(ix))
        return bk_fail(why, BK_E_USAGE, "%s: no tables with en passant for men that come back",
                       ix->v->name);
    bk_rows_reorder(ix);
    err = bk_ranks_agree(bk_run_open(&run, job, tally, why), why);
    if (err)
        return err;
    err = bk_ranks_agree(bk_resume_begin(&run, why), why);
    if (job->dry)
        job->dry->groups = run.order.any_group;
    bk_meter_skip(job->meter, BK_SOLVING, part_solved(job->t));
    if (!err)
        err = solve_levels(&run, why);
    if (err && run.too_far && job->t->code_bytes == 1) { /* all anew, with wider codes */
        err = bk_ranks_agree(bk_run_begin(&run, 2, why), why);
        if (!err)
            err = solve_levels(&run, why);
    }
    bk_run_close(&run);
    return err;
}
