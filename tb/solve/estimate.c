/*
 * estimate.c - see estimate.h: the same sizes and the same order as in solve.c.
 */
#include "tb/solve/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "table/format.h"
#include "table/head.h"
#include "tb/kernel/state.h"
#include "tb/solve/paging.h"
#include "tb/solve/prepare.h"
#include "tb/solve/share.h"

/* Bytes that a block takes; of a group only from `state` on. */
struct block_estimate {
    uint64_t codes;    /* of its codes, when solved */
    uint64_t held;     /* of the codes, what others read */
    uint64_t kept;     /* of the codes, what stays when they are encoded: less with several
                          processes */
    uint64_t attained; /* what exits attain: from when it is solved until it is encoded */
    uint64_t state;    /* of the state under way; codes and attained become a part of it, unless it
                          is a group */
    uint64_t tables;   /* of moves and configurations */
    uint64_t scratch;  /* of each thread */
    uint64_t room;     /* of the state, touched by one pass over one slice */
};

static struct bk_setup_request request_for(const struct bk_estimate_request *r, uint32_t block,
                                           const struct bk_group *group)
{
    return (struct bk_setup_request){ .ix = r->ix,
                                      .block = block,
                                      .group = group,
                                      .kernel = r->kernel,
                                      .distances = r->distances,
                                      .dtw_bytes = r->distances,
                                      .nmove = r->nmove,
                                      .k_limit = BK_CODE_K_MAX,
                                      .attains = r->attain,
                                      .compact = r->strategy == BK_COMPACT };
}

/* Returns whether processes share the table's blocks. */
static bool is_shared(const struct bk_estimate_request *r)
{
    return r->owners && bk_share_may(r->ix);
}

/* Reduces a block's estimate to that of one of several processes, the one that has most.  share:
   how much of the block's unit it encodes, 0 to 1. */
static void share_values(struct block_estimate *n, const struct bk_estimate_request *r,
                         double share)
{
    double kept = r->let_go && r->ix->nblocks == 1 ? 0 : r->kept;

    n->kept = (uint64_t)((double)n->codes * kept);
    n->codes = (uint64_t)((double)n->codes * (share + kept - share * kept));
    n->attained = (uint64_t)((double)n->attained * share);
    if (n->state < n->codes + n->attained)
        n->state = n->codes + n->attained;
}

/* Returns the bytes of the arrays of a block or group under way; if processes share it, of the one
   with most. */
static uint64_t state_bytes(const struct bk_estimate_request *r, const struct bk_setup *s,
                            const struct bk_state *st)
{
    bool shared = r->owners && (is_shared(r) || (!s->grouped && s->b->size >= bk_shared_from()));

    return shared ? bk_share_bytes(s, st, r->owners, r->some) : bk_state_bytes(st);
}

static uint64_t bytes_of_configurations(const struct bk_setup *s, const struct bk_kernel *k)
{
    uint64_t symmetries = (uint64_t)__builtin_popcount(s->pairs->group) - 1;
    uint64_t bytes = s->nconf * (sizeof *s->conf.sq + 1 + 2 * k->set_bytes) +
                     symmetries * (s->nconf * sizeof(uint32_t) + k->turn_bytes);

    if (s->twins)
        bytes += s->nconf * (sizeof *s->conf.sorted + sizeof *s->conf.twin) + s->nvec;
    return bytes;
}

/* Sets what solving a block or group takes: state, tables, scratch and room. */
static void estimate_work(struct block_estimate *n, const struct bk_estimate_request *r,
                          const struct bk_setup *s)
{
    const struct bk_kernel *k = r->kernel;
    uint64_t nsq = r->ix->v->nsq;
    struct bk_state st;

    bk_state_measure(&st, s, k->set_bytes);
    n->state = state_bytes(r, s, &st);
    n->tables =
        sizeof *s + s->nouter * nsq * nsq * sizeof(uint32_t) + bytes_of_configurations(s, k);
    if (s->inner.twice)
        n->tables += bk_twice_sets(s->v) * k->set_bytes;
    n->tables +=
        UINT64_C(2) * s->nslices * (8 * (sizeof(struct bk_king_move) + 4) + 8); /* eight a king */
    n->scratch = k->scratch_bytes(s) + (s->ledger ? bk_ledger_bytes(s) : 0);
    n->room = s->nslices ? n->state / s->nslices * 2 : 0; /* its own, and neighbours' frontiers */
    if (s->ledger)
        n->room = bk_paging_room(s, st.slice_bytes[BK_WON]);
}

/* Returns the bytes of a block's codes that stay because others read them.  mb: their layout when
   the block is solved. */
static uint64_t held_bytes(const struct bk_estimate_request *r, uint32_t block, uint32_t nslices,
                           const struct bk_memblock *mb)
{
    const struct bk_part *part = r->part;
    uint64_t bytes = 0, whole = bk_memblock_bytes(nslices * mb->slice_stride, r->distances);

    if (!part || !part->known) /* or it is not asked for */
        return whole;
    for (unsigned i = 0; i < part->nmen; i++) {
        struct bk_memblock copy = *mb;

        if (bk_narrow_lay_out(r->ix, block, &part->man[i], &copy))
            bytes += bk_memblock_bytes(nslices * copy.slice_stride, r->distances) / 2;
    }
    return part->nmen ? bytes : whole / 2 * (unsigned)(part->side[0] + part->side[1]);
}

/* Estimates a block.  taken: it is copied out of a group. */
static void estimate_block(struct block_estimate *n, const struct bk_estimate_request *r,
                           uint32_t block, bool taken)
{
    struct bk_setup_request request = request_for(r, block, NULL);
    struct bk_memblock mb;
    struct bk_setup s;

    bk_setup_init(&s, &request);
    bk_setup_lay_out_codes(&s, r->kernel, taken, &mb, r->distances);
    memset(n, 0, sizeof *n);
    n->codes = bk_memblock_bytes(s.nslices * mb.slice_stride, r->distances);
    n->held = held_bytes(r, block, s.nslices, &mb);
    if (r->attain)
        n->attained =
            (r->distances ? 4u : 2u) * bk_memblock_array_bytes(s.nslices * mb.bit_slice_stride, 0);
    if (!s.by_kings) {
        estimate_work(n, r, &s);
        n->kept = n->codes;
        return;
    }
    n->state = n->codes + n->attained;
    n->kept = n->codes;
    n->tables = sizeof s + r->kernel->kings_bytes(&s) +
                (s.nouter ? bytes_of_configurations(&s, r->kernel) : 0);
}

/* == Blocks that are alike == */

/* What the estimate of a block depends on; the bytes between members are 0. */
struct likeness {
    uint32_t nslices, group, taken;
    uint32_t cell[BK_PART_MEN];  /* by man of r->part: its cell */
    uint32_t size[BK_SLOTS_MAX]; /* by slot: squares of its cell */
};

/* A table has many blocks of few kinds. */
enum { KINDS = 256 };

struct kind {
    bool known;
    struct likeness like;
    struct block_estimate n;
};

static struct likeness likeness_of(const struct bk_estimate_request *r, uint32_t block, bool taken)
{
    const struct bk_index *ix = r->ix;
    const struct bk_block *b = &ix->block[block];
    struct likeness l;

    memset(&l, 0, sizeof l);
    l.nslices = b->pairs->nslices;
    l.group = b->group;
    l.taken = taken;
    for (unsigned i = 0; r->part && i < r->part->nmen; i++)
        l.cell[i] = b->cell[bk_part_slot(ix, &r->part->man[i])];
    for (unsigned slot = 0; slot < ix->nslots; slot++)
        l.size[slot] = ix->cells[slot]->size[b->cell[slot]];
    return l;
}

static void estimate_alike(struct block_estimate *n, const struct bk_estimate_request *r,
                           uint32_t block, bool taken, struct kind kind[KINDS])
{
    struct likeness l = likeness_of(r, block, taken);
    uint32_t h = (l.nslices * 31 + l.group) * 2 + taken;
    struct kind *k;

    for (unsigned slot = 0; slot < r->ix->nslots; slot++)
        h = h * 31 + l.size[slot];
    k = &kind[h % KINDS];
    if (!k->known || memcmp(&k->like, &l, sizeof l)) {
        k->known = true;
        k->like = l;
        estimate_block(&k->n, r, block, taken);
    }
    *n = k->n;
}

/* == Levels == */

/* Bytes needed while a level is solved: in all, what no spill holds, what one thread touches. */
struct level_estimate {
    uint64_t most, fixed, room;
};

/* Estimates a level that is a group: nothing of its state stays, its blocks are copied out of
   it. */
static struct level_estimate estimate_group(const struct bk_estimate_request *r,
                                            const struct bk_order *o, uint32_t level)
{
    struct bk_group group;
    struct bk_setup_request request;
    struct block_estimate n = { 0 };
    struct level_estimate l;
    struct bk_setup s;

    bk_order_group(o, r->ix, level, &group);
    request = request_for(r, o->block[o->first[level]], &group);
    bk_setup_init(&s, &request);
    estimate_work(&n, r, &s);
    l.fixed = n.tables + n.scratch * r->threads;
    l.room = n.room;
    l.most = s.too_many ? UINT64_MAX / 4 : n.state + l.fixed; /* then blocks are not solved in
                                                                 groups */
    return l;
}

/* Estimates a level of single blocks: one a thread, or one at a time by all threads. */
static struct level_estimate estimate_apart(const struct block_estimate *n, const uint32_t *block,
                                            uint32_t nblocks, unsigned threads)
{
    bool apart = nblocks >= 2 * threads && threads > 1; /* as in solve_level() */
    uint64_t together = apart ? threads : 1;
    struct level_estimate l = { 0 };

    for (uint32_t i = 0; i < nblocks; i++) {
        const struct block_estimate *x = &n[block[i]];
        uint64_t own = x->tables + x->scratch * (apart ? 1 : threads);

        if (x->state + own - x->codes - x->attained > l.most)
            l.most = x->state + own - x->codes - x->attained;
        l.fixed = own > l.fixed ? own : l.fixed;
        l.room = x->room > l.room ? x->room : l.room;
    }
    l.most *= together;
    l.fixed *= together;
    return l;
}

static void estimate_level(struct bk_estimate *out, const struct bk_estimate_request *r,
                           const struct bk_order *o, uint32_t level, const struct block_estimate *n,
                           uint64_t live)
{
    const uint32_t *block = o->block + o->first[level];
    uint32_t nblocks = o->first[level + 1] - o->first[level];
    struct level_estimate l;
    uint64_t left = 0;

    for (uint32_t i = 0; i < nblocks; i++)
        left += n[block[i]].codes + n[block[i]].attained;
    l = o->group[level] ? estimate_group(r, o, level)
                        : estimate_apart(n, block, nblocks, r->threads);
    if (live + left + l.most > out->peak)
        out->peak = live + left + l.most;
    if (l.fixed > out->fixed)
        out->fixed = l.fixed;
    if (l.room * r->threads > out->room)
        out->room = l.room * r->threads;
}

/* Sets solved[] to each block's place in `order`, and after[] to that of the last block of its
   unit: when that is solved, the block is encoded.  False: no memory. */
static bool encoded_after(const struct bk_index *ix, const uint32_t *order, uint32_t *solved,
                          uint32_t *after)
{
    unsigned n = bk_units_of(ix, true, NULL, 0);
    struct bk_unit_place *unit = calloc(n + 1u, sizeof *unit);

    for (uint32_t i = 0; i < ix->nblocks; i++)
        solved[order[i]] = i;
    if (unit)
        bk_units_of(ix, true, unit, n);
    for (unsigned u = 0; unit && u < n; u++) {
        uint32_t last = 0, end = unit[u].block + unit[u].nblocks;

        for (uint32_t i = unit[u].block; i < end; i++)
            last = solved[i] > last ? solved[i] : last;
        for (uint32_t i = unit[u].block; i < end; i++)
            after[i] = last;
    }
    free(unit);
    return unit != NULL;
}

/* Reduces all blocks, unit by unit, to one of several processes.  False: no memory. */
static bool share_units(const struct bk_estimate_request *r, struct block_estimate *n)
{
    unsigned units = bk_units_of(r->ix, true, NULL, 0);
    struct bk_unit_place *unit = calloc(units + 1u, sizeof *unit);

    if (unit)
        bk_units_of(r->ix, true, unit, units);
    for (unsigned u = 0; unit && u < units; u++) {
        const struct bk_unit_place *p = &unit[u];
        double share = r->encoder_share(r->ix, u, p, r->some);

        for (uint32_t i = p->block; i < p->block + p->nblocks; i++)
            share_values(&n[i], r, share);
    }
    free(unit);
    return unit != NULL;
}

/* Where in the order the first unit is whole, and encoded: until then all that is solved stays. */
static uint32_t first_whole(const struct bk_index *ix, const uint32_t *after)
{
    uint32_t whole = UINT32_MAX;

    for (uint32_t x = 0; x < ix->nblocks; x++)
        whole = after[x] < whole ? after[x] : whole;
    return whole;
}

/* Takes from n[] what goes once all blocks before place `end` are solved and what is whole of them
   is encoded.  readers: blocks still to be solved that read each.  Returns the bytes that go. */
static uint64_t let_go(const struct bk_estimate_request *r, struct block_estimate *n,
                       const uint32_t *after, uint32_t end, const uint32_t *readers)
{
    uint64_t gone = 0;

    for (uint32_t x = 0; x < r->ix->nblocks; x++) {
        if (after[x] >= end)
            continue;
        gone += n[x].attained + (n[x].codes - n[x].kept);
        n[x].attained = 0;
        n[x].codes = n[x].kept;
        if (r->let_go && !readers[x]) {
            gone += n[x].codes;
            n[x].codes = n[x].kept = 0;
        }
    }
    return gone;
}

/* Adds up level after level; solved blocks stay until nobody reads them, if they are let go.
   readers: 0 each. */
static void estimate_levels(struct bk_estimate *out, const struct bk_estimate_request *r,
                            const struct bk_order *o, struct block_estimate *n,
                            const uint32_t *after, uint32_t *readers)
{
    const struct bk_index *ix = r->ix;
    const uint32_t whole = first_whole(ix, after);
    uint64_t live = 0;

    for (uint32_t l = 0; l < o->nlevels; l++) {
        const uint32_t first = o->first[l], end = o->first[l + 1];
        const bool now = first <= whole && whole < end;

        estimate_level(out, r, o, l, n, live);
        for (uint32_t x = first; x < end; x++)
            live += n[o->block[x]].codes + n[o->block[x]].attained;
        if (whole >= end)
            continue;
        for (uint32_t x = now ? end : first; r->let_go && x < (now ? ix->nblocks : end); x++)
            bk_order_read(ix, o->block[x], now ? 1 : -1, readers);
        for (uint32_t x = 0; x < ix->nblocks; x++)
            if (after[x] >= first && after[x] < end && live > out->encoding)
                out->encoding = live;
        live -= let_go(r, n, after, end, readers);
    }
}

/* Returns what others read of the table; parts for single men only if copies of their own pay. */
static struct bk_part part_of(const struct bk_estimate_request *r)
{
    struct bk_part part = { 0 };

    if (r->part)
        part = *r->part;
    if (part.nmen && !bk_part_pays(r->ix, &part))
        part.nmen = 0;
    return part;
}

enum bk_err bk_estimate(struct bk_estimate *out, const struct bk_estimate_request *asked,
                        struct bk_report *why)
{
    const struct bk_part part = part_of(asked);
    struct bk_estimate_request settled = *asked;
    const struct bk_estimate_request *r = &settled;
    const struct bk_index *ix = r->ix;
    uint32_t *solved = calloc(ix->nblocks + 1u, 3 * sizeof *solved);
    uint32_t *after = solved + ix->nblocks, *readers = after + ix->nblocks;
    struct block_estimate *n = calloc(ix->nblocks + 1u, sizeof *n);
    struct kind *kind = calloc(KINDS, sizeof *kind);
    struct bk_order o = { 0 };
    bool ok;

    settled.part = &part;
    memset(out, 0, sizeof *out);
    ok = solved && n && kind &&
         bk_order_new(&o, ix, r->strategy, r->nmove ? BK_TO_ZEROING : BK_TO_THE_END);
    out->groups = ok && o.any_group;
    for (uint32_t l = 0; ok && l < o.nlevels; l++)
        for (uint32_t i = o.first[l]; i < o.first[l + 1]; i++)
            estimate_alike(&n[o.block[i]], r, o.block[i], o.group[l], kind);
    if (ok && is_shared(r))
        ok = share_units(r, n);
    for (uint32_t i = 0; ok && i < ix->nblocks; i++) {
        out->codes += n[i].kept;
        out->held += n[i].held;
    }
    ok = ok && encoded_after(ix, o.block, solved, after);
    if (ok)
        estimate_levels(out, r, &o, n, after, readers);
    if (part.nmen > 1 && !r->let_go && !r->owners && out->codes + out->held > out->peak)
        out->peak = out->codes + out->held; /* while its parts are copied */
    bk_order_free(&o);
    free(kind);
    free(solved);
    free(n);
    return ok ? BK_OK : bk_no_memory(why);
}

/* == What several processes send each other == */

/* Bytes of news, packed, for each position that another process looks at.  Measured: 0.02 where
   most games are drawn to 0.5 where nearly all are decided, in many plies; a twentieth to a fifth
   of what is sent in all.  Where both sides have the same men most are drawn: 0.04 to 0.13. */
#define NEWS_BYTES      0.15
#define NEWS_BYTES_EVEN 0.05

/* Returns the bytes of a block's slices that go from their owners to the processes that want
   them. */
static uint64_t values_of(const struct bk_estimate_request *r, const struct bk_estimate_readers *w,
                          const struct block_estimate *n, uint32_t block)
{
    const struct bk_pairs *pairs = r->ix->block[block].pairs;
    uint64_t all = UINT64_MAX >> (64 - r->owners->ranks), codes = 0, attained = 0;

    for (uint32_t slice = 0; slice < pairs->nslices; slice++)
        for (unsigned side = 0; side < 2; side++) {
            const uint8_t *king = pairs->king[slice];
            uint64_t others = all & ~(UINT64_C(1) << bk_owner_of(r->owners, king[0], king[1]));
            uint64_t encode = w->encoders ? w->encoders(w->context, block, slice, side) : 0;
            uint64_t read =
                w->reading ? bk_owners_readers(r->owners, w->reading, side, king[0], king[1]) : all;

            codes += (unsigned)__builtin_popcountll((encode | read) & others);
            attained += (unsigned)__builtin_popcountll(encode & others);
        }
    if (!pairs->nslices)
        return 0;
    /* these products may be larger than 64 bits hold */
    return (uint64_t)(((double)codes * (double)n->codes + (double)attained * (double)n->attained) /
                      (2.0 * pairs->nslices));
}

/* Returns the bytes sent for a level of a table whose blocks are not all shared: those that are
   dealt out whole go to every process, as larger ones do. */
static uint64_t values_spread(const struct bk_estimate_request *r, const struct bk_order *o,
                              uint32_t level, const struct block_estimate *n)
{
    uint32_t first = o->first[level], end = o->first[level + 1];
    bool dealt = end - first >= 2 * r->threads * r->owners->ranks; /* as in solve_level() */
    uint64_t bytes = 0;

    for (uint32_t i = first; i < end; i++)
        if (dealt || (!o->group[level] && n[o->block[i]].room &&
                      r->ix->block[o->block[i]].size >= bk_shared_from()))
            bytes += n[o->block[i]].codes + n[o->block[i]].attained;
    return bytes * (r->owners->ranks - 1);
}

enum bk_err bk_estimate_traffic(struct bk_estimate_traffic *out,
                                const struct bk_estimate_request *r,
                                const struct bk_estimate_readers *w, struct bk_report *why)
{
    const struct bk_index *ix = r->ix;
    struct block_estimate *n = calloc(ix->nblocks + 1u, sizeof *n);
    struct kind *kind = calloc(KINDS, sizeof *kind);
    const struct bk_pairs *told_of = NULL;
    struct bk_order o = { 0 };
    uint64_t told = 0;
    double positions = 0;
    bool even, ok = n && kind &&
                    bk_order_new(&o, ix, r->strategy, r->nmove ? BK_TO_ZEROING : BK_TO_THE_END);

    *out = (struct bk_estimate_traffic){ 0 };
    for (uint32_t l = 0; ok && l < o.nlevels; l++) {
        for (uint32_t i = o.first[l]; i < o.first[l + 1]; i++) {
            const struct bk_block *b = &ix->block[o.block[i]];

            estimate_alike(&n[o.block[i]], r, o.block[i], o.group[l], kind);
            if (!is_shared(r))
                continue;
            out->values += values_of(r, w, &n[o.block[i]], o.block[i]);
            if (b->pairs != told_of)
                told = bk_share_told(ix->v, b->pairs, r->owners);
            told_of = b->pairs;
            if (b->pairs->nslices)
                positions += (double)told * (double)b->size / b->pairs->nslices;
        }
        if (!is_shared(r))
            out->values += values_spread(r, &o, l, n);
    }
    even = bk_table_one_side(&ix->m, ix->v);
    out->news = (uint64_t)((even ? NEWS_BYTES_EVEN : NEWS_BYTES) * positions);
    bk_order_free(&o);
    free(kind);
    free(n);
    return ok ? BK_OK : bk_no_memory(why);
}
