/*
 * build.c - makes the tables of a plan that are not there yet.
 *
 * Tables already made stay in memory while later ones need them and the limit
 * allows; otherwise they are read back from their files.
 */
#include "tb/build/build.h"
#include "tb/build/resident.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define NEXT_MAX 1024

/* Goes up with every change of what the state of a table is. */
#define BK_STATE_VERSION 3

struct builder {
    struct bk_plan *p;
    const struct bk_build_options *o;
    struct bk_hold hold;
    struct bk_spill *store;       /* of the present table, if it works on disk */
    struct bk_memtable **on_disk; /* then: the tables it leads to, as its plan's next[] */
    struct bk_memtable **by_rule; /* those that have no file */
    unsigned nby_rule;
    unsigned nth;
};

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* == The tables that the present one leads to == */

static const struct bk_memtable *find_table(void *context, const struct bk_material *m)
{
    const struct builder *b = context;
    const struct bk_plan_table *pt = &b->p->table[b->nth];

    for (unsigned i = 0; i < pt->nnext; i++)
        if (bk_material_equal(&b->p->table[pt->next[i]].m, m))
            return b->store ? b->on_disk[i] : bk_hold_find(&b->hold, pt->next[i])->t;
    /* not in the plan: */
    for (unsigned i = 0; i < b->nby_rule; i++)
        if (bk_material_equal(&b->by_rule[i]->ix->m, m))
            return b->by_rule[i];
    return NULL;
}

static void forget_rules(struct builder *b)
{
    for (unsigned i = 0; i < b->nby_rule; i++)
        bk_memtable_free(b->by_rule[i]);
    free(b->by_rule);
    b->by_rule = NULL;
    b->nby_rule = 0;
}

/* Tables that are decided by rule have no values, but an index. */
static enum bk_err find_rules(struct builder *b, struct bk_report *why)
{
    const struct bk_variant *v = b->p->v;
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    unsigned n = next ? bk_material_next(&b->p->table[b->nth].m, v, next, NEXT_MAX) : 0;
    enum bk_err err = BK_OK;

    b->by_rule = calloc(NEXT_MAX, sizeof *b->by_rule);
    if (!next || !b->by_rule)
        err = bk_fail(why, BK_E_SYSTEM, "out of memory");
    for (unsigned i = 0; !err && i < n && i < NEXT_MAX; i++) {
        bk_material_canonical(&next[i], v);
        if (bk_material_by_rule(&next[i], v) && !find_table(b, &next[i])) {
            err = bk_memtable_new(&b->by_rule[b->nby_rule], v, &next[i], why);
            b->nby_rule += !err;
        }
    }
    free(next);
    return err;
}

static enum bk_err fetch_tables(struct builder *b, struct bk_report *why)
{
    const struct bk_plan_table *pt = &b->p->table[b->nth];
    enum bk_err err = find_rules(b, why);

    bk_hold_make_room(&b->hold, b->nth);
    for (unsigned i = 0; !err && i < pt->nnext; i++) {
        struct bk_memtable *t;

        if (!b->store && bk_hold_find(&b->hold, pt->next[i]))
            continue;
        err = bk_load_sides(&t, b->p->v, b->p->dir, &b->p->table[pt->next[i]].m, b->p->distances,
                            true, bk_hold_sides(b->p, b->nth, pt->next[i]), b->store, b->o->pool,
                            why);
        if (!err && b->store)
            b->on_disk[i] = t;
        else if (!err)
            err = bk_hold_add(&b->hold, pt->next[i], t, bk_memtable_bytes(t), b->nth, why);
    }
    return err;
}

/* Begins to work on disk: nothing stays in memory between tables. */
static enum bk_err go_to_disk(struct builder *b, struct bk_report *why)
{
    const struct bk_plan_table *pt = &b->p->table[b->nth];
    const char *dir = b->o->scratch ? b->o->scratch : b->p->dir;
    enum bk_err err;

    bk_hold_release(&b->hold);
    b->on_disk = calloc(pt->nnext + 1u, sizeof *b->on_disk);
    if (!b->on_disk)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    err = bk_spill_open(&b->store, dir, b->o->memory_limit, pt->store_room, why);
    if (err)
        free(b->on_disk);
    return err;
}

static void leave_disk(struct builder *b)
{
    for (unsigned i = 0; b->store && i < b->p->table[b->nth].nnext; i++)
        bk_memtable_free(b->on_disk[i]);
    if (b->store)
        free(b->on_disk);
    bk_spill_close(b->store);
    b->on_disk = NULL;
    b->store = NULL;
}

/* == One table == */

static void summarise(const struct bk_memtable *t, const struct bk_tally *y, bool distances,
                      struct bk_summary *s)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct bk_longest *w = &y->longest_win[side], *l = &y->longest_loss[side];

        s->win[side] = y->win[side];
        s->draw[side] = y->draw[side];
        s->loss[side] = y->loss[side];
        s->all_win[side] = y->all_win[side];
        s->all_draw[side] = y->all_draw[side];
        s->all_loss[side] = y->all_loss[side];
        s->win_plies[side] = distances ? w->plies : -1;
        s->loss_plies[side] = distances ? l->plies : -1;
        s->win_number[side] = w->plies >= 0 ? bk_index_rank(t->ix, &w->at) : 0;
        s->loss_number[side] = l->plies >= 0 ? bk_index_rank(t->ix, &l->at) : 0;
    }
}

static void pass_progress(void *context, const struct bk_progress *p)
{
    struct builder *b = context;

    b->o->progress(b->o->context, &b->p->table[b->nth], b->nth, p);
}

/* The table under way: solved blocks go into chunks at once. */
struct sink {
    struct builder *b;
    struct bk_memtable *t;
    struct bk_encoder *encoder;
    double cpu; /* spent on encoding */
};

static enum bk_err begin_encoding(void *context, struct bk_report *why)
{
    struct sink *sink = context;

    bk_encoder_close(sink->encoder);
    sink->encoder = NULL;
    return bk_encoder_open(&sink->encoder, sink->t, sink->b->p->dir, sink->b->p->distances,
                           sink->b->o->level, sink->b->o->pool, why);
}

static enum bk_err encode_blocks(void *context, const uint32_t *block, uint32_t n,
                                 struct bk_report *why)
{
    struct sink *sink = context;
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum bk_err err = bk_encoder_blocks(sink->encoder, block, n, why);

    sink->cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return err;
}

static void save_chunks(void *context, struct bk_writer *w)
{
    bk_encoder_save(((struct sink *)context)->encoder, w);
}

static bool load_chunks(void *context, struct bk_reader *r)
{
    return bk_encoder_load(((struct sink *)context)->encoder, r);
}

static void tell(void *context, const char *text)
{
    const struct bk_build_options *o = ((struct sink *)context)->b->o;

    if (o->note)
        o->note(o->context, text);
}

/* DIR/VARIANT/.MATERIAL.ckpt: beside the table that it will be. */
static void checkpoint_path(const struct builder *b, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s/.%s.ckpt", b->p->dir, b->p->v->name, b->p->table[b->nth].name);
}

/* Of everything on which the state of a table, or the bytes of its chunks, depend. */
static uint64_t fingerprint(const struct builder *b)
{
    const struct bk_variant *v = b->p->v;
    char text[256];

    snprintf(text, sizeof text, "%d %016llx %s %d %d %u %u %u %u", BK_STATE_VERSION,
             (unsigned long long)v->rules_id, b->p->table[b->nth].name, b->p->distances,
             b->o->level, ZSTD_versionNumber(), BK_FORMAT_VERSION, bk_kernel_for(v->nsq)->set_bits,
             bk_kernel_for(v->nsq)->lanes);
    return XXH64(text, strlen(text), 0);
}

/* Are all blocks in memory?  Some may have been let go before a checkpoint. */
static bool is_whole(const struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++)
        if (!t->block[i].code[0])
            return false;
    return true;
}

static enum bk_err build_table(struct builder *b, struct bk_report *why)
{
    struct bk_plan_table *pt = &b->p->table[b->nth];
    struct bk_built built = { .table = pt };
    struct bk_solve_job job = { .distances = b->p->distances,
                                .k_max = b->o->k_max,
                                .find = find_table,
                                .find_context = b,
                                .pool = b->o->pool,
                                .progress = b->o->progress ? pass_progress : NULL,
                                .progress_context = b,
                                .stop = b->o->stop };
    double wall = seconds(CLOCK_MONOTONIC), cpu;
    struct sink sink = { .b = b };
    struct bk_tally tally;
    char path[PATH_MAX];
    struct bk_checkpoint checkpoint = {
        .path = path, .seconds = b->o->checkpoint_seconds, .pool = b->o->pool, .store = b->store
    };
    uint64_t bytes[2];
    enum bk_err err = bk_memtable_new(&job.t, b->p->v, &pt->m, why);

    if (err)
        return err;
    job.t->store = b->store;
    err = fetch_tables(b, why);
    if (err) {
        bk_memtable_free(job.t);
        return err;
    }
    sink.t = job.t;
    checkpoint_path(b, path);
    checkpoint.fingerprint = fingerprint(b);
    job.begin = begin_encoding;
    job.solved = encode_blocks;
    job.save = save_chunks;
    job.load = load_chunks;
    job.note = tell;
    job.sink_context = &sink;
    job.checkpoint = &checkpoint;
    job.manner = pt->manner;
    job.let_go = b->store || !bk_hold_will_keep(&b->hold, b->nth, pt->code_bytes);
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    err = bk_solve_table(&job, &tally, why);
    built.solve_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu - sink.cpu;
    if (!err) {
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        summarise(job.t, &tally, b->p->distances, &built.summary);
        err = bk_encoder_finish(sink.encoder, &built.summary, bytes, why);
        built.encode_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu + sink.cpu;
    }
    bk_encoder_close(sink.encoder);
    if (err) {
        bk_memtable_free(job.t);
        return err;
    }
    bk_checkpoint_remove(path);
    pt->present = true;
    pt->disk_bytes = bytes[0] + bytes[1];
    built.wdl_bytes = bytes[0];
    built.dtw_bytes = bytes[1];
    built.wall = seconds(CLOCK_MONOTONIC) - wall;
    bk_hold_done(&b->hold, b->nth);
    if (!job.let_go && is_whole(job.t) &&
        bk_hold_will_keep(&b->hold, b->nth, bk_memtable_bytes(job.t)))
        err = bk_hold_add(&b->hold, b->nth, job.t, bk_memtable_bytes(job.t), b->nth + 1, why);
    else
        bk_memtable_free(job.t);
    if (!err && b->o->built)
        b->o->built(b->o->context, &built, b->nth);
    return err;
}

/* In memory, or within the limit on disk. */
static enum bk_err build_within(struct builder *b, struct bk_report *why)
{
    const struct bk_plan_table *pt = &b->p->table[b->nth];
    uint64_t limit = b->o->memory_limit;
    enum bk_err err = BK_OK;

    if (limit && pt->memory_bytes > limit) {
        if (pt->least_bytes > limit)
            return bk_fail(why, BK_E_SYSTEM, "needs a memory limit of %llu MiB, it is %llu MiB",
                           (unsigned long long)((pt->least_bytes >> 20) + 1),
                           (unsigned long long)(limit >> 20));
        err = go_to_disk(b, why);
    }
    if (!err)
        err = build_table(b, why);
    forget_rules(b);
    leave_disk(b);
    return err;
}

enum bk_err bk_build(struct bk_plan *p, const struct bk_build_options *o, struct bk_report *why)
{
    struct builder b = { .p = p, .o = o };
    enum bk_err err;

    p->stop = o->stop;
    err = bk_plan_memory(p, bk_pool_threads(o->pool), o->memory_limit, why);

    bk_hold_init(&b.hold, p, o->memory_limit);
    if (o->frugal) {
        b.hold.limit = 0;
        for (unsigned i = 0; i < p->n; i++)
            p->table[i].manner = p->distances ? p->table[i].manner : BK_COMPACT;
    }
    bk_pool_stop_when(o->pool, o->stop);
    for (b.nth = 0; !err && b.nth < p->n; b.nth++) {
        const struct bk_plan_table *t = &p->table[b.nth];
        struct bk_report inner = { "" };

        if (t->present) {
            char path[PATH_MAX];

            checkpoint_path(&b, path); /* a build may have been killed right after its end */
            bk_checkpoint_remove(path);
            continue;
        }
        if (o->stop && *o->stop)
            err = bk_fail(why, BK_E_SYSTEM, "interrupted before %s", t->name);
        else if ((err = build_within(&b, &inner)))
            bk_fail(why, err, "%s: %s", t->name, inner.text);
    }
    bk_pool_stop_when(o->pool, NULL);
    bk_hold_release(&b.hold);
    return err;
}
