/*
 * build.c - makes the tables of a plan that are not there yet.
 *
 * Tables already made stay in memory while later ones need them and the limit
 * allows; otherwise they are read back from their files.
 */
#include "tb/build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NEXT_MAX 1024

struct held {
    struct bk_memtable *t;
    unsigned uses; /* tables still to be built that move into it */
    uint64_t bytes;
};

struct builder {
    struct bk_plan *p;
    const struct bk_build_options *o;
    struct held *held;
    size_t nheld, room;
    uint64_t held_bytes, held_limit;
    unsigned nth;
};

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* == Tables in memory == */

static struct held *find_held(struct builder *b, const struct bk_material *m)
{
    for (size_t i = 0; i < b->nheld; i++)
        if (bk_material_equal(&b->held[i].t->ix->m, m))
            return &b->held[i];
    return NULL;
}

static const struct bk_memtable *find_table(void *context, const struct bk_material *m)
{
    struct held *h = find_held(context, m);

    return h ? h->t : NULL;
}

static void drop(struct builder *b, struct held *h)
{
    b->held_bytes -= h->bytes;
    bk_memtable_free(h->t);
    *h = b->held[--b->nheld];
}

static enum bk_err hold(struct builder *b, struct bk_memtable *t, unsigned uses,
                        struct bk_report *why)
{
    if (b->nheld == b->room) {
        size_t room = b->room ? b->room * 2 : 32;
        struct held *more = realloc(b->held, room * sizeof *more);

        if (!more) {
            bk_memtable_free(t);
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
        }
        b->held = more;
        b->room = room;
    }
    b->held[b->nheld] = (struct held){ t, uses, bk_memtable_bytes(t) };
    b->held_bytes += b->held[b->nheld++].bytes;
    return BK_OK;
}

/* The canonical materials a material moves into, each once.  out: NEXT_MAX entries. */
static unsigned next_tables(const struct bk_variant *v, const struct bk_material *m,
                            struct bk_material *out)
{
    unsigned all = bk_material_next(m, v, out, NEXT_MAX), n = 0;

    for (unsigned i = 0; i < all && i < NEXT_MAX; i++) {
        struct bk_material next = out[i];
        unsigned j = 0;

        bk_material_canonical(&next, v);
        while (j < n && !bk_material_equal(&out[j], &next))
            j++;
        if (j == n)
            out[n++] = next;
    }
    return n;
}

/* How many tables from the nth on, not yet present, move into `m`. */
static unsigned uses_from(struct builder *b, unsigned nth, const struct bk_material *m)
{
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    unsigned uses = 0;

    for (unsigned i = nth; next && i < b->p->n; i++) {
        unsigned n;

        if (b->p->table[i].present)
            continue;
        n = next_tables(b->p->v, &b->p->table[i].m, next);
        for (unsigned j = 0; j < n; j++)
            uses += bk_material_equal(&next[j], m);
    }
    free(next);
    return uses;
}

/* Makes room for what the next table needs by letting go of what it does not. */
static void make_room(struct builder *b, const struct bk_material *need, unsigned n)
{
    for (size_t i = b->nheld; b->held_bytes > b->held_limit && i-- > 0;) {
        bool needed = false;

        for (unsigned j = 0; j < n; j++)
            needed = needed || bk_material_equal(&b->held[i].t->ix->m, &need[j]);
        if (!needed)
            drop(b, &b->held[i]);
    }
}

static enum bk_err fetch_tables(struct builder *b, const struct bk_material *m,
                                struct bk_report *why)
{
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    enum bk_err err = BK_OK;
    unsigned n;

    if (!next)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    n = next_tables(b->p->v, m, next);
    make_room(b, next, n);
    for (unsigned i = 0; !err && i < n; i++) {
        struct bk_memtable *t;

        if (find_held(b, &next[i]))
            continue;
        err = bk_load(&t, b->p->v, b->p->dir, &next[i], b->p->distances, true, b->o->pool, why);
        if (!err)
            err = hold(b, t, uses_from(b, b->nth, &next[i]), why);
    }
    free(next);
    return err;
}

/* One of the tables that needed these is done. */
static void let_go(struct builder *b, const struct bk_material *m)
{
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    unsigned n = next ? next_tables(b->p->v, m, next) : 0;

    for (unsigned i = 0; i < n; i++) {
        struct held *h = find_held(b, &next[i]);

        if (h && (h->uses == 0 || --h->uses == 0))
            drop(b, h);
    }
    free(next);
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

/* What will be held when this table is done and those go that nothing else needs. */
static uint64_t held_after(struct builder *b, const struct bk_material *m)
{
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    unsigned n = next ? next_tables(b->p->v, m, next) : 0;
    uint64_t bytes = b->held_bytes;

    for (unsigned i = 0; i < n; i++) {
        const struct held *h = find_held(b, &next[i]);

        if (h && h->uses <= 1)
            bytes -= h->bytes;
    }
    free(next);
    return bytes;
}

/* Will this table stay in memory for those that need it? */
static bool will_hold(struct builder *b, const struct bk_memtable *t)
{
    return uses_from(b, b->nth + 1, &t->ix->m) &&
           held_after(b, &t->ix->m) + bk_solve_codes_bytes(t->ix, b->p->distances) <=
               b->held_limit;
}

static enum bk_err build_table(struct builder *b, struct bk_report *why)
{
    struct bk_plan_table *pt = &b->p->table[b->nth];
    struct bk_built built = { .table = pt };
    struct bk_solve_job job = { .distances = b->p->distances,
                                .find = find_table,
                                .find_context = b,
                                .pool = b->o->pool,
                                .progress = b->o->progress ? pass_progress : NULL,
                                .progress_context = b,
                                .stop = b->o->stop };
    double wall = seconds(CLOCK_MONOTONIC), cpu;
    struct sink sink = { .b = b };
    struct bk_tally tally;
    uint64_t bytes[2];
    enum bk_err err = fetch_tables(b, &pt->m, why);

    if (!err)
        err = bk_memtable_new(&job.t, b->p->v, &pt->m, why);
    if (err)
        return err;
    sink.t = job.t;
    job.begin = begin_encoding;
    job.solved = encode_blocks;
    job.sink_context = &sink;
    job.let_go = !will_hold(b, job.t);
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
    pt->present = true;
    pt->disk_bytes = bytes[0] + bytes[1];
    built.wdl_bytes = bytes[0];
    built.dtw_bytes = bytes[1];
    built.wall = seconds(CLOCK_MONOTONIC) - wall;
    let_go(b, &pt->m);
    if (!job.let_go && b->held_bytes + bk_memtable_bytes(job.t) <= b->held_limit)
        err = hold(b, job.t, uses_from(b, b->nth + 1, &pt->m), why);
    else
        bk_memtable_free(job.t);
    if (!err && b->o->built)
        b->o->built(b->o->context, &built, b->nth);
    return err;
}

enum bk_err bk_build(struct bk_plan *p, const struct bk_build_options *o, struct bk_report *why)
{
    struct builder b = { .p = p, .o = o };
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    enum bk_err err = BK_OK;

    if (o->memory_limit && o->memory_limit < memory)
        memory = o->memory_limit;
    b.held_limit = memory / 4;
    for (b.nth = 0; !err && b.nth < p->n; b.nth++) {
        const struct bk_plan_table *t = &p->table[b.nth];
        struct bk_report inner = { "" };

        if (t->present)
            continue;
        if (o->stop && *o->stop)
            err = bk_fail(why, BK_E_SYSTEM, "interrupted before %s", t->name);
        else if (o->memory_limit && t->memory_bytes > o->memory_limit)
            err = bk_fail(why, BK_E_SYSTEM, "%s needs %llu MiB of memory, the limit is %llu MiB",
                          t->name, (unsigned long long)(t->memory_bytes >> 20),
                          (unsigned long long)(o->memory_limit >> 20));
        else if ((err = build_table(&b, &inner)))
            bk_fail(why, err, "%s: %s", t->name, inner.text);
    }
    while (b.nheld)
        drop(&b, &b.held[b.nheld - 1]);
    free(b.held);
    return err;
}
