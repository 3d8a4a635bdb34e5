/*
 * build.c - makes the tables of a plan that are not there yet.
 *
 * Tables already made stay in memory while later ones need them and the limit
 * allows; otherwise they are read back from their files.
 */
#include "tb/build/build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "tb/build/lock.h"
#include "tb/build/resident.h"
#include "core/err.h"
#include "tb/solve/resume.h"

struct builder {
    struct bk_plan *p;
    const struct bk_build_options *o;
    struct bk_resident resident;
    struct bk_spill *spill;       /* of the present table, if it works on disk */
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
            return b->spill ? b->on_disk[i] : bk_resident_find(&b->resident, pt->next[i])->t;
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
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);
    unsigned n = next ? bk_material_next(&b->p->table[b->nth].m, v, next, BK_NEXT_MAX) : 0;
    enum bk_err err = BK_OK;

    b->by_rule = calloc(BK_NEXT_MAX, sizeof *b->by_rule);
    if (!next || !b->by_rule)
        err = bk_no_memory(why);
    for (unsigned i = 0; !err && i < n && i < BK_NEXT_MAX; i++) {
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

    bk_resident_make_room(&b->resident, b->nth);
    for (unsigned i = 0; !err && i < pt->nnext; i++) {
        struct bk_memtable *t;

        if (!b->spill && bk_resident_find(&b->resident, pt->next[i]))
            continue;
        err = bk_load_sides(&t, b->p->v, b->p->dir, &b->p->table[pt->next[i]].m, b->p->distances,
                            true, bk_resident_sides(b->p, b->nth, pt->next[i]), b->spill,
                            b->o->pool, why);
        if (!err && b->spill)
            b->on_disk[i] = t;
        else if (!err)
            err = bk_resident_add(&b->resident, pt->next[i], t, bk_memtable_bytes(t), b->nth, why);
    }
    return err;
}

/* Begins to work on disk: nothing stays in memory between tables. */
static enum bk_err go_to_disk(struct builder *b, struct bk_report *why)
{
    const struct bk_plan_table *pt = &b->p->table[b->nth];
    const char *dir = b->o->scratch ? b->o->scratch : b->p->dir;
    enum bk_err err;

    bk_resident_release(&b->resident);
    b->on_disk = calloc(pt->nnext + 1u, sizeof *b->on_disk);
    if (!b->on_disk)
        return bk_no_memory(why);
    err = bk_spill_open(&b->spill, dir, b->o->memory_limit, pt->spill_room, why);
    if (err)
        free(b->on_disk);
    return err;
}

static void leave_disk(struct builder *b)
{
    for (unsigned i = 0; b->spill && i < b->p->table[b->nth].nnext; i++)
        bk_memtable_free(b->on_disk[i]);
    if (b->spill)
        free(b->on_disk);
    bk_spill_close(b->spill);
    b->on_disk = NULL;
    b->spill = NULL;
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

/* The table under way. */
struct making {
    struct builder *b;
    struct bk_memtable *t;
    struct bk_encoder *encoder; /* solved blocks go into chunks at once */
    double cpu;                 /* spent on encoding */
    bool let_go;                /* its blocks do not stay */
    struct bk_built built;
};

static enum bk_err begin_encoding(void *context, struct bk_report *why)
{
    struct making *m = context;

    bk_encoder_close(m->encoder);
    m->encoder = NULL;
    return bk_encoder_open(&m->encoder, m->t, m->b->p->dir, m->b->p->distances, m->b->o->level,
                           m->b->o->pool, why);
}

static enum bk_err encode_blocks(void *context, const uint32_t *block, uint32_t n,
                                 struct bk_report *why)
{
    struct making *m = context;
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum bk_err err = bk_encoder_blocks(m->encoder, block, n, why);

    m->cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return err;
}

static void save_chunks(void *context, struct bk_writer *w)
{
    bk_encoder_save(((struct making *)context)->encoder, w);
}

static bool load_chunks(void *context, struct bk_reader *r)
{
    return bk_encoder_load(((struct making *)context)->encoder, r);
}

static void pass_progress(void *context, const struct bk_progress *p)
{
    const struct builder *b = ((struct making *)context)->b;

    if (b->o->progress)
        b->o->progress(b->o->context, &b->p->table[b->nth], b->nth, p);
}

static void pass_note(void *context, const char *text)
{
    const struct bk_build_options *o = ((struct making *)context)->b->o;

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

    snprintf(text, sizeof text, "%d %016llx %s %d %d %u %u %zu %u", BK_RESUME_VERSION,
             (unsigned long long)v->rules_id, b->p->table[b->nth].name, b->p->distances,
             b->o->level, ZSTD_versionNumber(), BK_FORMAT_VERSION, b->p->kernel->set_bytes,
             b->p->kernel->lanes);
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

static enum bk_err solve(struct making *m, const char *checkpoint_file, struct bk_tally *tally,
                         struct bk_report *why)
{
    struct builder *b = m->b;
    const struct bk_sink sink = { .context = m,
                                  .begin = begin_encoding,
                                  .solved = encode_blocks,
                                  .save = save_chunks,
                                  .load = load_chunks,
                                  .progress = pass_progress,
                                  .note = pass_note };
    const struct bk_checkpoint checkpoint = { .path = checkpoint_file,
                                              .seconds = b->o->checkpoint_seconds,
                                              .fingerprint = fingerprint(b),
                                              .pool = b->o->pool,
                                              .spill = b->spill };
    const struct bk_solve_job job = { .t = m->t,
                                      .kernel = b->p->kernel,
                                      .tables = { m->t, find_table, b },
                                      .distances = b->p->distances,
                                      .strategy = b->p->table[b->nth].strategy,
                                      .let_go = m->let_go,
                                      .k_max = b->o->k_max,
                                      .sink = &sink,
                                      .checkpoint = &checkpoint,
                                      .pool = b->o->pool,
                                      .stop = b->o->stop };
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum bk_err err = bk_solve_table(&job, tally, why);

    m->built.solve_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu - m->cpu;
    return err;
}

/* The files of a table that is solved. */
static enum bk_err write_files(struct making *m, const struct bk_tally *tally,
                               struct bk_report *why)
{
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t bytes[2];
    enum bk_err err;

    summarise(m->t, tally, m->b->p->distances, &m->built.summary);
    err = bk_encoder_finish(m->encoder, &m->built.summary, bytes, why);
    m->built.encode_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu + m->cpu;
    m->built.wdl_bytes = bytes[0];
    m->built.dtw_bytes = bytes[1];
    return err;
}

/* A table that has its files stays for later ones if it may.  m->t is taken. */
static enum bk_err keep_or_free(struct making *m, struct bk_report *why)
{
    struct builder *b = m->b;
    uint64_t bytes = bk_memtable_bytes(m->t);

    bk_resident_done(&b->resident, b->nth);
    if (!m->let_go && is_whole(m->t) && bk_resident_will_keep(&b->resident, b->nth, bytes))
        return bk_resident_add(&b->resident, b->nth, m->t, bytes, b->nth + 1, why);
    bk_memtable_free(m->t);
    return BK_OK;
}

static enum bk_err build_table(struct builder *b, struct bk_report *why)
{
    struct bk_plan_table *pt = &b->p->table[b->nth];
    struct making m = { .b = b, .built = { .table = pt } };
    double wall = seconds(CLOCK_MONOTONIC);
    struct bk_tally tally;
    char path[PATH_MAX];
    enum bk_err err = bk_memtable_new(&m.t, b->p->v, &pt->m, why);

    if (err)
        return err;
    m.t->spill = b->spill;
    checkpoint_path(b, path);
    err = fetch_tables(b, why);
    m.let_go = b->spill || !bk_resident_will_keep(&b->resident, b->nth, pt->code_bytes);
    if (!err)
        err = solve(&m, path, &tally, why);
    if (!err)
        err = write_files(&m, &tally, why);
    bk_encoder_close(m.encoder);
    if (err) {
        bk_memtable_free(m.t);
        return err;
    }
    bk_checkpoint_remove(path);
    pt->present = true;
    pt->disk_bytes = m.built.wdl_bytes + m.built.dtw_bytes;
    m.built.wall = seconds(CLOCK_MONOTONIC) - wall;
    err = keep_or_free(&m, why);
    if (!err && b->o->built)
        b->o->built(b->o->context, &m.built, b->nth);
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
    if (err == BK_E_SYSTEM && !(b->o->stop && *b->o->stop))
        bk_spill_explain(b->spill, why);
    forget_rules(b);
    leave_disk(b);
    return err;
}

/* Unless somebody else makes it, or has made it since the plan: lock.h. */
static enum bk_err build_locked(struct builder *b, struct bk_report *why)
{
    struct bk_plan_table *t = &b->p->table[b->nth];
    const struct bk_lock_wish wish = { b->p->dir,     b->p->v->name, t->name, b->o->stop,
                                       b->o->context, b->o->wait,    false };
    struct bk_lock *lock;
    bool waited;
    enum bk_err err = bk_lock_take(&lock, &wish, &waited, why);

    if (err)
        return err;
    if (!bk_plan_look(b->p, t))
        err = build_within(b, why);
    bk_lock_free(lock);
    return err;
}

enum bk_err bk_build(struct bk_plan *p, const struct bk_build_options *o, struct bk_report *why)
{
    struct builder b = { .p = p, .o = o };
    enum bk_err err;

    p->stop = o->stop;
    err = bk_plan_memory(p, bk_pool_threads(o->pool), o->memory_limit, why);

    bk_resident_init(&b.resident, p, o->memory_limit);
    if (o->frugal) {
        b.resident.limit = 0;
        for (unsigned i = 0; i < p->n; i++)
            p->table[i].strategy = p->distances ? p->table[i].strategy : BK_COMPACT;
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
        else if ((err = build_locked(&b, &inner)))
            bk_fail(why, err, "%s: %s", t->name, inner.text);
    }
    bk_pool_stop_when(o->pool, NULL);
    bk_resident_release(&b.resident);
    return err;
}
