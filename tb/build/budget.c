/*
 * budget.c - see budget.h.
 */
#include "tb/build/budget.h"

#include <stdlib.h>
#include <unistd.h>

#include "tb/build/resident.h"
#include "tb/encode/encode.h"
#include "tb/solve/estimate.h"
#include "tb/solve/share.h"

/* Program, libraries, the game's geometry: measured with tables of three men. */
#define PROCESS_BYTES (UINT64_C(4) << 20)

/* Rows under way, ribbons, facts of a row: a thread. */
#define ENCODER_BYTES (UINT64_C(4) << 20)
/* Of each thread but the first: the allocator's arena for what it asks and solves.  Measured, with
   2 and 7 threads (tests/memory.sh). */
#define THREAD_BYTES (UINT64_C(4) << 20)

/* For the cells of a unit, if solving has not taken more. */
#define CELLS_BYTES (UINT64_C(1) << 29)

struct both {
    struct bk_estimate kept, let_go; /* with and without keeping solved blocks */
    struct bk_estimate groups;       /* kept, and solved in groups */
    bool known;
};

/* How much of a table's codes is kept where most are: of one process all. */
static double kept_share(const struct bk_plan *p, const struct bk_index *ix, bool keep)
{
    struct bk_reading reading;
    unsigned table = 0;

    if (!p->owners.ranks || p->processes < 2)
        return 1;
    while (!bk_material_equal(&p->table[table].m, &ix->m))
        table++;
    return bk_share_kept(ix, &p->owners,
                         bk_plan_reading(&reading, p, table, keep) ? &reading : NULL);
}

static enum bk_err estimate(struct bk_estimate *out, struct bk_plan *p, const struct bk_index *ix,
                            enum bk_strategy strategy, bool let_go, unsigned threads,
                            struct bk_report *why)
{
    struct bk_estimate_request r = { .ix = ix,
                                     .kernel = p->kernel,
                                     .distances = p->distances,
                                     .strategy = strategy,
                                     .let_go = let_go,
                                     .attain = true,
                                     .threads = threads,
                                     .encoder_share = bk_encode_share,
                                     .kept = 1 };
    enum bk_err err = bk_plan_owners(&r.owners, p, why);

    if (!err)
        r.kept = kept_share(p, ix, !let_go);
    return err ? err : bk_estimate(out, &r, why);
}

/* What its encoder takes; own: what no spill holds of it. */
static enum bk_err estimate_encoder(uint64_t *peak, uint64_t *own, const struct bk_plan *p,
                                    const struct bk_index *ix, uint64_t cells, unsigned threads,
                                    struct bk_report *why)
{
    const struct bk_encode_options o = { .distances = p->distances,
                                         .effort = p->effort,
                                         .memory_bytes = cells };

    return bk_encode_estimate(peak, own, ix, &o, threads, why);
}

/* How a table is solved that does not fit into memory. */
static enum bk_strategy on_disk(const struct bk_plan *p)
{
    return p->processes > 1 ? BK_APART : BK_COMPACT;
}

/* Block by block, once for each table. */
static enum bk_err estimate_both(struct bk_plan *p, const struct bk_index *ix, unsigned threads,
                                 struct both *n, struct bk_report *why)
{
    enum bk_err err;

    if (n->known)
        return BK_OK;
    n->known = true;
    err = estimate(&n->kept, p, ix, BK_APART, false, threads, why);
    if (!err)
        err = estimate(&n->groups, p, ix, BK_GROUPS, false, threads, why);
    if (err)
        return err;
    return estimate(&n->let_go, p, ix, on_disk(p), true, threads, why);
}

/* A table under way. */
struct prediction {
    struct bk_resident *h;
    struct bk_plan *p;
    unsigned threads;
    struct both *all;
    uint64_t always;
    uint64_t peak, fixed, room; /* of tables that are solved anew for it */
};

/* A table whose files are there is solved anew: in groups, if there is memory each time. */
static enum bk_err predict_anew(void *context, uint32_t table, struct bk_memtable **t,
                                uint64_t *bytes, struct bk_report *why)
{
    struct prediction *x = context;
    bool *apart = &x->p->table[table].anew_apart;
    const struct bk_estimate *n; /* nothing is encoded */
    enum bk_err err = BK_OK;

    if (!x->all[table].known) {
        struct bk_index *ix;

        err = bk_index_new(&ix, x->p->v, &x->p->table[table].m, NULL, why);
        if (err)
            return err;
        err = estimate_both(x->p, ix, x->threads, &x->all[table], why);
        bk_index_free(ix);
    }
    *apart = *apart || x->always + x->h->bytes + x->all[table].groups.peak > 3 * x->h->limit;
    n = *apart ? &x->all[table].kept : &x->all[table].groups;
    *t = NULL;
    *bytes = n->codes;
    if (x->always + x->h->bytes + n->peak > x->peak)
        x->peak = x->always + x->h->bytes + n->peak;
    n = &x->all[table].let_go; /* as it is done on disk */
    x->fixed = n->fixed > x->fixed ? n->fixed : x->fixed;
    x->room = n->room > x->room ? n->room : x->room;
    return err;
}

/*
 * As large groups as there is memory for, by three quarters of what there is; else no groups, or,
 * without distances, sets that are fewer.  n: what the strategy takes; before: one by one.
 */
static enum bk_err choose_strategy(const struct prediction *x, const struct bk_index *ix, bool keep,
                                   enum bk_strategy *strategy, struct bk_estimate *n,
                                   struct bk_report *why)
{
    uint64_t beside = x->always + x->h->bytes;
    enum bk_strategy last = x->p->distances ? BK_APART : BK_COMPACT;

    for (*strategy = BK_WIDE; *strategy > last; (*strategy)--) {
        struct bk_estimate tried;
        enum bk_err err = estimate(&tried, x->p, ix, *strategy, !keep, x->threads, why);

        if (err)
            return err;
        if (*strategy > BK_APART && !tried.groups)
            continue;
        if (beside + tried.peak <= 3 * x->h->limit) {
            *n = tried;
            return BK_OK;
        }
    }
    return estimate(n, x->p, ix, last, !keep, x->threads, why);
}

/* What the encoder may take to remember cells: what solving has taken, or a byte a position.  Of
   large tables with pawns all cells take five; whatever is not remembered is worked out again. */
static uint64_t bytes_for_cells(uint64_t positions, uint64_t solving)
{
    uint64_t enough = positions < CELLS_BYTES ? positions : CELLS_BYTES;

    return solving > enough ? solving : enough;
}

/* One table, as bk_build() would go about it; what is held changes in `h`. */
static enum bk_err predict(struct bk_resident *h, struct bk_plan *p, const struct bk_index *ix,
                           unsigned nth, unsigned threads, uint64_t limit, struct both *all,
                           struct bk_report *why)
{
    struct bk_plan_table *t = &p->table[nth];
    struct prediction x = { .h = h, .p = p, .threads = threads, .all = all };
    struct bk_estimate chosen = { 0 };
    uint64_t fixed, encoder, least_encoder, encoding;
    bool keep;
    enum bk_err err = estimate_both(p, ix, threads, &all[nth], why);

    x.always = PROCESS_BYTES + threads * ENCODER_BYTES + (threads - 1) * THREAD_BYTES;
    if (!err)
        err = bk_resident_gather(h, nth, nth, predict_anew, &x, why);
    if (err)
        return err;
    bk_resident_leave(h, nth);
    t->code_bytes = all[nth].kept.codes;
    keep = bk_resident_will_keep(h, nth, t->code_bytes);
    err = choose_strategy(&x, ix, keep, &t->strategy, &chosen, why);
    if (err)
        return err;
    encoding = chosen.encoding;
    t->encode_bytes =
        bytes_for_cells(t->positions, chosen.peak > encoding ? chosen.peak - encoding : 0);
    if (t->encode_bytes > h->limit / 2)
        t->encode_bytes = h->limit / 2;
    err = estimate_encoder(&encoder, &least_encoder, p, ix,
                           t->encode_bytes / (p->processes > 1 ? p->processes : 1), threads, why);
    if (err)
        return err;
    encoding += encoder;
    t->memory_bytes = x.always + h->bytes + (chosen.peak > encoding ? chosen.peak : encoding);
    if (t->memory_bytes < x.peak)
        t->memory_bytes = x.peak;
    fixed = all[nth].let_go.fixed > x.fixed ? all[nth].let_go.fixed : x.fixed;
    t->spill_room = all[nth].let_go.room > x.room ? all[nth].let_go.room : x.room;
    t->spill_room += threads * (UINT64_C(8) << 20);
    fixed = fixed > least_encoder ? fixed : least_encoder;
    t->least_bytes = x.always + fixed + t->spill_room;
    if (limit && t->memory_bytes > limit) { /* it will work on disk, with nothing held */
        t->strategy = p->distances ? on_disk(p) : BK_COMPACT;
        bk_resident_release(h);
        return BK_OK;
    }
    bk_resident_done(h, nth);
    if (bk_resident_will_keep(h, nth, t->code_bytes))
        err = bk_resident_add(h, nth, NULL, t->code_bytes, nth + 1, why);
    return err;
}

static enum bk_err predict_table(struct bk_resident *h, struct bk_plan *p, unsigned nth,
                                 unsigned threads, uint64_t limit, struct both *all,
                                 struct bk_report *why)
{
    struct bk_index *ix;
    enum bk_err err = bk_index_new(&ix, p->v, &p->table[nth].m, NULL, why);

    if (err)
        return err;
    bk_rows_reorder(ix);
    err = predict(h, p, ix, nth, threads, limit, all, why);
    bk_index_free(ix);
    return err;
}

/* Of all tables that are not there.  all: what is known of each so far. */
static enum bk_err predict_all(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                               struct both *all, struct bk_report *why)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    enum bk_err err = BK_OK;
    struct bk_resident h;

    if (!threads)
        threads = cores > 0 ? (unsigned)cores : 1;
    if (!bk_resident_init(&h, p, memory_limit))
        err = bk_no_memory(why);
    for (unsigned i = 0; !err && i < p->n; i++)
        if (p->stop && *p->stop)
            err = bk_pool_interrupted(why);
        else if (!p->table[i].present)
            err = predict_table(&h, p, i, threads, memory_limit, all, why);
    bk_resident_release(&h);
    return err;
}

enum bk_err bk_plan_memory(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                           struct bk_report *why)
{
    struct both *all = calloc(p->n + 1u, sizeof *all);
    enum bk_err err = all ? predict_all(p, threads, memory_limit, all, why) : bk_no_memory(why);

    free(all);
    return err;
}

enum bk_err bk_plan_memory_alone(struct bk_plan *p, unsigned threads, struct bk_report *why)
{
    struct both *all = calloc(p->n + 1u, sizeof *all);
    bool *missing = calloc(p->n + 1u, sizeof *missing);
    enum bk_err err = all && missing ? BK_OK : bk_no_memory(why);

    for (unsigned i = 0; !err && i < p->n; i++) {
        missing[i] = !p->table[i].present;
        p->table[i].present = true;
    }
    for (unsigned i = 0; !err && i < p->n; i++) {
        p->table[i].present = !missing[i];
        err = predict_all(p, threads, 0, all, why);
        p->table[i].present = true;
    }
    for (unsigned i = 0; missing && i < p->n; i++)
        p->table[i].present = !missing[i];
    free(missing);
    free(all);
    return err;
}
