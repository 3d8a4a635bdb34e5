/*
 * budget.c - see budget.h.
 */
#include "tb/build/budget.h"

#include <stdlib.h>
#include <unistd.h>

#include "tb/build/resident.h"
#include "tb/encode/encode.h"
#include "tb/solve/estimate.h"

/* Program, libraries, the game's geometry: measured with tables of three men. */
#define PROCESS_BYTES (UINT64_C(6) << 20)

/* Values of a chunk, packed, compressed, and zstd's own: a thread. */
#define ENCODER_BYTES (UINT64_C(3) << 20)

struct both {
    struct bk_estimate kept, let_go; /* with and without keeping solved blocks */
    bool known;
};

static enum bk_err estimate(struct bk_estimate *out, const struct bk_plan *p, unsigned nth,
                            enum bk_strategy strategy, bool let_go, unsigned threads,
                            struct bk_report *why)
{
    struct bk_estimate_request r = { .kernel = p->kernel,
                                     .distances = p->distances,
                                     .strategy = strategy,
                                     .let_go = let_go,
                                     .chunk_positions = BK_WDL_CHUNK,
                                     .threads = threads };
    struct bk_index *ix;
    enum bk_err err = bk_index_new(&ix, p->v, &p->table[nth].m, NULL, why);

    if (err)
        return err;
    r.ix = ix;
    err = bk_estimate(out, &r, why);
    bk_index_free(ix);
    return err;
}

/* Block by block, once for each table. */
static enum bk_err estimate_both(const struct bk_plan *p, unsigned nth, unsigned threads,
                                 struct both *n, struct bk_report *why)
{
    enum bk_err err;

    if (n->known)
        return BK_OK;
    n->known = true;
    err = estimate(&n->kept, p, nth, BK_APART, false, threads, why);
    return err ? err : estimate(&n->let_go, p, nth, BK_APART, true, threads, why);
}

/* The peak with another strategy; 0 if that makes no difference. */
static enum bk_err find_peak(uint64_t *peak, const struct bk_plan *p, unsigned nth,
                             enum bk_strategy strategy, bool let_go, unsigned threads,
                             struct bk_report *why)
{
    struct bk_estimate n = { 0 };
    enum bk_err err = estimate(&n, p, nth, strategy, let_go, threads, why);

    *peak = err || (strategy == BK_CHAINS && !n.chains) ? 0 : n.peak;
    return err;
}

/* Of a table that is read back: of the sides to move that are moved into. */
static uint64_t bytes_read(const struct bk_plan *p, unsigned nth, uint32_t table, uint64_t codes)
{
    return codes / 2 * (unsigned)__builtin_popcount(bk_resident_sides(p, nth, table));
}

/* One table, as bk_build() would go about it; what is held changes in `h`. */
static enum bk_err predict(struct bk_resident *h, struct bk_plan *p, unsigned nth, unsigned threads,
                           uint64_t limit, struct both *all, struct bk_report *why)
{
    struct bk_plan_table *t = &p->table[nth];
    uint64_t chunks = t->positions / 2 / BK_DTW_CHUNK + 1;
    uint64_t always = PROCESS_BYTES + threads * ENCODER_BYTES + 64 * chunks, fixed = 0, solving;
    uint64_t other_peak = 0;
    bool keep, roomy;
    enum bk_err err = estimate_both(p, nth, threads, &all[nth], why);

    bk_resident_make_room(h, nth);
    for (unsigned i = 0; !err && i < t->nnext; i++) {
        uint32_t other = t->next[i];

        err = estimate_both(p, other, threads, &all[other], why);
        if (all[other].kept.fixed > fixed)
            fixed = all[other].kept.fixed; /* to mark illegal positions */
        if (!err && !bk_resident_find(h, other))
            err = bk_resident_add(h, other, NULL, bytes_read(p, nth, other, all[other].kept.codes),
                                  nth, why);
    }
    t->code_bytes = all[nth].kept.codes;
    keep = bk_resident_will_keep(h, nth, t->code_bytes);
    if (!err)
        err = find_peak(&other_peak, p, nth, p->distances ? BK_CHAINS : BK_COMPACT, !keep, threads,
                        why);
    if (err)
        return err;
    solving = keep ? all[nth].kept.peak : all[nth].let_go.peak;
    /* more memory for less time with distances, less for more without: by three quarters of what
       there is */
    roomy = always + h->bytes + (p->distances ? other_peak : solving) <= 3 * h->limit;
    t->strategy = p->distances ? roomy && other_peak ? BK_CHAINS : BK_APART
                  : roomy      ? BK_APART
                               : BK_COMPACT;
    if (t->strategy != BK_APART)
        solving = other_peak;
    t->memory_bytes = always + h->bytes + (solving > fixed ? solving : fixed);
    if (all[nth].let_go.fixed > fixed)
        fixed = all[nth].let_go.fixed;
    t->spill_room = all[nth].let_go.room + threads * (UINT64_C(1) << 20);
    t->least_bytes = always + fixed + t->spill_room;
    if (limit && t->memory_bytes > limit) { /* it will work on disk, with nothing held */
        t->strategy = p->distances ? BK_APART : BK_COMPACT;
        bk_resident_release(h);
        return BK_OK;
    }
    bk_resident_done(h, nth);
    if (bk_resident_will_keep(h, nth, t->code_bytes))
        err = bk_resident_add(h, nth, NULL, t->code_bytes, nth + 1, why);
    return err;
}

enum bk_err bk_plan_memory(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                           struct bk_report *why)
{
    struct both *all = calloc(p->n + 1u, sizeof *all);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    enum bk_err err = all ? BK_OK : bk_no_memory(why);
    struct bk_resident h;

    if (!threads)
        threads = cores > 0 ? (unsigned)cores : 1;
    bk_resident_init(&h, p, memory_limit);
    for (unsigned i = 0; !err && i < p->n; i++)
        if (p->stop && *p->stop)
            err = bk_pool_interrupted(why);
        else if (!p->table[i].present)
            err = predict(&h, p, i, threads, memory_limit, all, why);
    bk_resident_release(&h);
    free(all);
    return err;
}
