/*
 * dry.c - see dry.h.
 */
#include "tb/make/dry.h"

#include <stdlib.h>

#include "tb/memory/pack.h"
#include "tb/solve/solve.h"

struct dry_table {
    const struct bk_dry_run *r;
    struct bk_memtable *t; /* owned; borrows the index */
    struct bk_pool *pool;  /* owned */
    struct bk_arena arena;
    struct bk_dry dry;
    struct bk_unit_place *place; /* owned; units, one side to move */
    uint64_t encoding;
};

static bool is_several(const struct bk_dry_run *r) { return r->p->processes > 1; }

/* == Units == */

/* Returns the unit of a block. */
static unsigned unit_of(const struct dry_table *x, uint32_t block)
{
    unsigned u = 0;

    while (block - x->place[u].block >= x->place[u].nblocks)
        u++;
    return u;
}

static double encoded_share(const void *context, uint32_t block)
{
    const struct dry_table *x = context;
    unsigned u = unit_of(x, block);

    return bk_encode_share(x->t->ix, u, &x->place[u], x->r->some);
}

/* Notes what is there while a unit is encoded, if all its blocks are solved. */
static void encode_unit(struct dry_table *x, const struct bk_unit_place *p)
{
    struct bk_memblock *block = x->t->block + p->block;

    for (uint32_t i = 0; i < p->nblocks; i++)
        if (!block[i].solved || block[i].encoded)
            return;
    x->encoding = x->arena.live > x->encoding ? x->arena.live : x->encoding;
    for (uint32_t i = 0; i < p->nblocks; i++) {
        block[i].encoded = true;
        bk_memblock_free_attained(&block[i]);
    }
}

static enum bk_err encode_blocks(void *context, const uint32_t *block, uint32_t n,
                                 struct bk_report *why)
{
    struct dry_table *x = context;

    (void)why;
    for (uint32_t i = 0; i < n; i++)
        encode_unit(x, &x->place[unit_of(x, block[i])]);
    return BK_OK;
}

/* bk_encode_readers(), as a callback. */
static uint64_t encoders_of(void *context, uint32_t block, uint32_t slice, unsigned side)
{
    return bk_encode_readers(context, block, slice, side);
}

/* == A run == */

/* Returns the share of the table's codes that the process with most keeps; of one process 1. */
static double kept_share(const struct bk_dry_run *r)
{
    struct bk_reading reading;

    if (!is_several(r))
        return 1;
    if (!r->keep && r->ix->nblocks == 1) /* it has what it encodes, and no more: run.c */
        return 0;
    return bk_share_kept(r->ix, &r->p->owners,
                         bk_plan_reading(&reading, r->p, r->table, r->keep) ? &reading : NULL,
                         r->p->distances, r->some);
}

static enum bk_err dry_open(struct dry_table *x, const struct bk_dry_run *r, struct bk_report *why)
{
    struct bk_memtable like = { .ix = r->ix };
    const struct bk_owners *owners;
    unsigned units = bk_units_of(r->ix, true, NULL, 0);
    enum bk_err err;

    *x = (struct dry_table){ .r = r,
                             .t = bk_memtable_beside(&like),
                             .pool = bk_pool_open_dry(r->threads),
                             .place = calloc(units + 1u, sizeof *x->place) };
    err = bk_plan_owners(&owners, r->p, why);
    if (!err && (!x->t || !x->pool || !x->place))
        err = bk_no_memory(why);
    if (err)
        return err;
    bk_units_of(r->ix, true, x->place, units);
    x->dry = (struct bk_dry){ .arena = &x->arena,
                              .some = r->some,
                              .kept = kept_share(r),
                              .encodes = encoded_share,
                              .context = x };
    if (r->p->nmove)
        bk_memtable_count_to_zeroing(x->t);
    x->t->spill = bk_arena_spill();
    bk_arena_dry(&x->arena);
    return BK_OK;
}

static void dry_close(struct dry_table *x)
{
    if (x->t)
        bk_memtable_free(x->t);
    bk_arena_dry(NULL);
    bk_pool_close(x->pool);
    free(x->place);
}

static enum bk_err solve(struct dry_table *x, bool keep, struct bk_report *why)
{
    const struct bk_sink sink = { .context = x, .solved = encode_blocks };
    const struct bk_plan *p = x->r->p;
    const struct bk_solve_job job = { .t = x->t,
                                      .kernel = p->kernel,
                                      .distances = p->distances,
                                      .attain = !p->alone,
                                      .strategy = x->r->strategy,
                                      .let_go = !keep,
                                      .sink = &sink,
                                      .pool = x->pool,
                                      .owners = is_several(x->r) ? &p->owners : NULL,
                                      .dry = &x->dry };
    struct bk_tally tally;

    return bk_solve_table(&job, &tally, why);
}

enum bk_err bk_dry_solving(struct bk_solving *out, const struct bk_dry_run *r,
                           struct bk_report *why)
{
    struct dry_table x;
    enum bk_err err = dry_open(&x, r, why);

    if (!err)
        err = solve(&x, r->keep, why);
    if (!err && r->keep && !is_several(r))
        bk_narrow(x.t, &r->p->table[r->table].part, NULL);
    *out = (struct bk_solving){ .held = x.arena.live,
                                .peak = x.arena.peak,
                                .encoding = x.encoding,
                                .fixed = x.arena.fixed_peak,
                                .room = x.dry.room,
                                .groups = x.dry.groups };
    dry_close(&x);
    return err;
}

enum bk_err bk_dry_sent(struct bk_share_traffic *out, const struct bk_dry_run *r,
                        struct bk_encode_places *encode, struct bk_report *why)
{
    struct dry_table x;
    struct bk_reading reading;
    enum bk_err err = dry_open(&x, r, why);
    const struct bk_value_readers w = {
        .t = x.t,
        .owners = &r->p->owners,
        .reading = bk_plan_reading(&reading, r->p, r->table, r->keep) ? &reading : NULL,
        .encoders = encode ? encoders_of : NULL,
        .context = encode
    };

    *out = (struct bk_share_traffic){ 0 };
    if (!err)
        err = solve(&x, true, why);
    if (!err)
        err = bk_share_traffic(out, &w, r->strategy, r->threads, why);
    dry_close(&x);
    return err;
}
