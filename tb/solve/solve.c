/*
 * solve.c - a table, block after block; a block, ply after ply.
 */
#include "tb/solve/solve.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "tb/solve/exits.h"
#include "tb/solve/prepare.h"

/* == Passes == */

/* Over all slices of a block, or of the blocks of a chain: they have the same. */
struct pass {
    struct bk_solver **member;
    const struct bk_kernel *k;
    bool (*step)(struct bk_solver *s, uint32_t slice, unsigned side, void *work);
    struct bk_tally *tally; /* by thread */
    struct bk_memtable *t;
    struct bk_memblock *mb;
    bool found; /* set by any thread */
};

static void run_init(void *context, uint64_t item, unsigned thread)
{
    struct pass *p = context;
    uint32_t nslices = p->member[0]->nslices;
    struct bk_solver *s = p->member[item / nslices];

    bk_spill_ease(s->store);
    p->k->init(s, (uint32_t)(item % nslices), s->work[thread]);
}

static void run_step(void *context, uint64_t item, unsigned thread)
{
    struct pass *p = context;
    uint64_t nslices = p->member[0]->nslices;
    struct bk_solver *s = p->member[item / (2 * nslices)];

    bk_spill_ease(s->store);
    if (p->step(s, (uint32_t)(item % (2 * nslices) >> 1), item & 1, s->work[thread])) {
        __atomic_store_n(&p->found, true, __ATOMIC_RELAXED);
        __atomic_store_n(s->ply & 1 ? &s->last_win[item & 1] : &s->last_loss[item & 1], (int)s->ply,
                         __ATOMIC_RELAXED);
    }
}

static void run_finish(void *context, uint64_t item, unsigned thread)
{
    struct pass *p = context;
    uint32_t nslices = p->member[0]->nslices;
    struct bk_solver *s = p->member[item / nslices];

    bk_spill_ease(s->store);
    p->k->finish(s, (uint32_t)(item % nslices), &p->tally[thread], s->work[thread]);
    if (s->attains)
        p->k->attain(s, (uint32_t)(item % nslices), s->work[thread]);
}

static void run_mark(void *context, uint64_t item, unsigned thread)
{
    struct pass *p = context;

    bk_spill_ease(p->t->store);
    p->k->mark_illegal(p->member[0], (uint32_t)item, p->mb, p->t->code_bytes,
                       p->member[0]->work[thread]);
}

static void longer(struct bk_longest *into, const struct bk_longest *from)
{
    if (from->plies > into->plies || (from->plies == into->plies && from->number < into->number))
        *into = *from;
}

static void tally_init(struct bk_tally *t)
{
    memset(t, 0, sizeof *t);
    for (unsigned side = 0; side < 2; side++)
        t->longest_win[side].plies = t->longest_loss[side].plies = -1;
}

static void tally_add(struct bk_tally *into, const struct bk_tally *from)
{
    for (unsigned side = 0; side < 2; side++) {
        into->win[side] += from->win[side];
        into->draw[side] += from->draw[side];
        into->loss[side] += from->loss[side];
        into->all_win[side] += from->all_win[side];
        into->all_draw[side] += from->all_draw[side];
        into->all_loss[side] += from->all_loss[side];
        longer(&into->longest_win[side], &from->longest_win[side]);
        longer(&into->longest_loss[side], &from->longest_loss[side]);
    }
}

/* One block, or those of a chain.  BK_E_DIFFERS: distances do not fit into one byte. */
struct block_job {
    struct bk_solve_job *job;
    const uint32_t *block;
    uint32_t n;
    struct bk_pool *pool; /* NULL: in this thread */
    bool apart;           /* others are being solved at the same time */
    uint64_t done;
};

static void report_progress(const struct block_job *b, uint32_t ply)
{
    struct bk_progress p = { .block = b->block[0],
                             .nblocks = b->job->t->ix->nblocks,
                             .ply = ply,
                             .positions = b->done,
                             .positions_all = 2 * b->job->t->ix->positions };

    if (b->job->progress)
        b->job->progress(b->job->progress_context, &p);
}

/* == Checkpoints ==
 *
 * Between two plies of a block, or two blocks, everything that is known is
 * written down: which blocks are solved, with the values of those still in
 * memory; what the sink has made of them; and the arrays of the block under
 * way, or of those of a chain.  Nothing else is kept from one ply to the next.
 */

/* The block under way, or the first of a chain: all that iterate() knows. */
struct moment {
    uint32_t block, ply;
    uint32_t before, there; /* flags; there: a block is under way */
};

struct bk_solving {
    struct bk_order order;
    uint32_t level;
    uint32_t *readers;        /* by block: blocks still to be solved that lead to it */
    struct bk_tally *tally;   /* of the solved blocks */
    struct bk_reader *reader; /* of a checkpoint, before the arrays of the block that was
                                 under way */
    struct moment moment;     /* that block's */
    struct bk_spares spares;  /* from block to block, where one is solved after the other */
};

static size_t array_bytes_of(const struct bk_memtable *t, uint32_t block)
{
    return bk_memblock_array_bytes(
        (uint64_t)t->ix->block[block].pairs->nslices * t->block[block].slice_stride, t->code_bytes);
}

static size_t bitmap_bytes_of(const struct bk_memtable *t, uint32_t block)
{
    return bk_memblock_array_bytes(
        (uint64_t)t->ix->block[block].pairs->nslices * t->block[block].bit_slice_stride, 0);
}

enum { IS_SOLVED = 1, IS_ENCODED = 2, HAS_CODES = 4, HAS_ATTAINED = 8 };

static void save_blocks(struct bk_writer *w, const struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        const struct bk_memblock *mb = &t->block[i];
        uint8_t flags =
            (uint8_t)((mb->solved ? IS_SOLVED : 0) | (mb->encoded ? IS_ENCODED : 0) |
                      (mb->code[0] ? HAS_CODES : 0) | (mb->attained[0][0] ? HAS_ATTAINED : 0));

        bk_write(w, &flags, 1);
        for (unsigned side = 0; flags & HAS_CODES && side < 2; side++) {
            bk_write_array(w, mb->code[side], array_bytes_of(t, i));
            if (mb->draw[side])
                bk_write_array(w, mb->draw[side], array_bytes_of(t, i));
            for (unsigned told = 0; told < 2; told++)
                if (mb->attained[told][side])
                    bk_write_array(w, mb->attained[told][side], bitmap_bytes_of(t, i));
        }
    }
}

/* What exits attain in block i, of one side. */
static bool load_attained(struct bk_reader *r, struct bk_memtable *t, uint32_t i, unsigned side)
{
    struct bk_memblock *mb = &t->block[i];
    size_t bytes = bitmap_bytes_of(t, i);

    for (unsigned told = 0; told < (t->code_bytes ? 2 : 1); told++) {
        mb->attained[told][side] = bk_spill_new(t->store, bytes);
        if (!mb->attained[told][side] || !bk_read_array(r, mb->attained[told][side], bytes))
            return false;
    }
    return true;
}

static bool load_blocks(struct bk_reader *r, struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        struct bk_memblock *mb = &t->block[i];
        uint8_t flags;

        if (!bk_read(r, &flags, 1))
            return false;
        mb->solved = flags & IS_SOLVED;
        mb->encoded = flags & IS_ENCODED;
        if (flags & HAS_CODES && bk_solve_layout(t, i, NULL))
            return false;
        for (unsigned side = 0; flags & HAS_CODES && side < 2; side++)
            if (!bk_read_array(r, mb->code[side], array_bytes_of(t, i)) ||
                (mb->draw[side] && !bk_read_array(r, mb->draw[side], array_bytes_of(t, i))) ||
                (flags & HAS_ATTAINED && !load_attained(r, t, i, side)))
                return false;
    }
    return true;
}

static void save_state(struct bk_writer *w, struct bk_solver *s)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, bk_kernel_for(s->v->nsq), list);

    bk_write(w, &s->k_wait_max, sizeof s->k_wait_max);
    bk_write(w, s->last_win, sizeof s->last_win);
    bk_write(w, s->last_loss, sizeof s->last_loss);
    for (unsigned i = 0; i < n; i++)
        bk_write_array(w, *list[i].at, list[i].slice_bytes * s->nslices);
}

static bool load_state(struct bk_reader *r, struct bk_solver *s)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, bk_kernel_for(s->v->nsq), list);
    bool ok = bk_read(r, &s->k_wait_max, sizeof s->k_wait_max) &&
              bk_read(r, s->last_win, sizeof s->last_win) &&
              bk_read(r, s->last_loss, sizeof s->last_loss);

    for (unsigned i = 0; ok && i < n; i++)
        ok = bk_read_array(r, *list[i].at, list[i].slice_bytes * s->nslices);
    return ok;
}

/* s, n: the blocks under way; none between blocks.  A checkpoint that fails is no error: the one
   before it is still there. */
static void save(const struct bk_solve_job *job, struct bk_solver **s, uint32_t n,
                 const struct moment *m)
{
    static const struct moment none;
    const struct bk_solving *now = job->solving;
    struct bk_report why = { "" };
    struct bk_writer *w;
    enum bk_err err = bk_writer_open(&w, job->checkpoint, &why);

    if (!err) {
        bk_write(w, &job->t->code_bytes, 1);
        bk_write(w, &job->manner, sizeof job->manner);
        bk_write(w, &now->level, sizeof now->level);
        bk_write(w, now->tally, sizeof *now->tally);
        save_blocks(w, job->t);
        if (job->save)
            job->save(job->sink_context, w);
        bk_write(w, n ? m : &none, sizeof *m);
        for (uint32_t i = 0; i < n; i++)
            save_state(w, s[i]);
        err = bk_writer_commit(w, &why);
    }
    if (err && job->note)
        job->note(job->sink_context, why.text);
}

/* Reads a checkpoint up to the block under way, after begin().  False: it cannot be read. */
static bool load(struct bk_solve_job *job, struct bk_reader *r)
{
    struct bk_solving *now = job->solving;

    if (!bk_read(r, &now->level, sizeof now->level) ||
        !bk_read(r, now->tally, sizeof *now->tally) || !load_blocks(r, job->t) ||
        (job->load && !job->load(job->sink_context, r)) ||
        !bk_read(r, &now->moment, sizeof now->moment))
        return false;
    now->reader = r;
    return true;
}

/* What a checkpoint has of the blocks under way. */
static bool resume_blocks(struct bk_solving *now, struct bk_solver **s, uint32_t n)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < n; i++)
        ok = load_state(now->reader, s[i]);
    bk_reader_close(now->reader);
    now->reader = NULL;
    return ok;
}

/* == Plies == */

/* Ply 0: legality, ways out, mates.  False: stopped. */
static bool first_passes(struct pass *p, const struct block_job *b)
{
    uint64_t slices = (uint64_t)b->n * p->member[0]->nslices;

    for (uint32_t i = 0; i < b->n; i++)
        for (unsigned side = 0; side < 2; side++)
            p->member[i]->last_win[side] = p->member[i]->last_loss[side] = -1;
    p->step = p->k->mated;
    return bk_pool_try(b->pool, slices, run_init, p) &&
           bk_pool_try(b->pool, 2 * slices, run_step, p);
}

/* One ply of all members.  last_wait: the last for which something waits.  False: stopped. */
static bool run_ply(struct pass *p, const struct block_job *b, uint32_t ply, uint32_t *last_wait)
{
    unsigned most = 0;
    bool done;

    for (uint32_t i = 0; i < b->n; i++)
        p->member[i]->ply = ply;
    p->step = ply & 1 ? p->k->win : p->k->lose;
    p->found = false;
    done = bk_pool_try(b->pool, 2 * (uint64_t)b->n * p->member[0]->nslices, run_step, p);
    for (uint32_t i = 0; i < b->n; i++)
        if (p->member[i]->k_wait_max > most)
            most = p->member[i]->k_wait_max;
    *last_wait = 2 * most;
    return done && !(b->job->stop && *b->job->stop);
}

static enum bk_err iterate(struct pass *p, const struct block_job *b, struct bk_report *why)
{
    const struct bk_solver *s = p->member[0];
    struct bk_solving *now = b->job->solving;
    struct moment m = { .block = b->block[0], .before = true, .there = true };

    if (now->reader && now->moment.there && now->moment.block == m.block) {
        if (!resume_blocks(now, p->member, b->n))
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
        m = now->moment;
    } else {
        if (!first_passes(p, b))
            return bk_fail(why, BK_E_SYSTEM, "interrupted");
    }
    for (m.ply++;; m.ply++) {
        uint32_t last_wait;

        if (!run_ply(p, b, m.ply, &last_wait))
            return bk_fail(why, BK_E_SYSTEM, "interrupted");
        if (!p->found && !m.before && m.ply > last_wait)
            return BK_OK;
        m.before = p->found;
        if (s->distances && m.ply >> 1 >= s->k_limit)
            return BK_E_DIFFERS;
        report_progress(b, m.ply);
        if (!b->apart && bk_checkpoint_due(b->job->checkpoint))
            save(b->job, p->member, b->n, &m);
    }
}

/* Only kings move here: kings.c solves such a block by itself, in this thread. */
static enum bk_err solve_kings(struct bk_solver *s, struct bk_memblock *mb, struct bk_tally *tally,
                               struct bk_report *why)
{
    bool too_far = false;
    struct bk_tally own;

    tally_init(&own);
    if (!bk_kings_for(s->v->nsq)(s, mb, &own, &too_far))
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    if (too_far)
        return BK_E_DIFFERS;
    tally_add(tally, &own);
    return BK_OK;
}

/* Without an inner man a set holds one position, in bit 0: such bits are gathered. */
struct gathering {
    struct bk_spill *store;
    const void *sets;
    size_t set_bytes, n;
    uint32_t nconf, pitch;
    uint64_t *bits;
};

enum { WORDS_GATHERED = 1024 };

static void gather_bits(void *context, uint64_t item, unsigned thread)
{
    const struct gathering *g = context;
    size_t first = (size_t)item * WORDS_GATHERED * 64, end = first + WORDS_GATHERED * 64;

    (void)thread;
    bk_spill_ease(g->store);
    for (size_t i = first; i < end && i < g->n; i++)
        if (*((const unsigned char *)g->sets +
              (i / g->nconf * g->pitch + i % g->nconf) * g->set_bytes) &
            1)
            g->bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* The lowest bits of one set a configuration, as a bitmap. */
static void gather_all(const struct bk_solver *s, const struct bk_kernel *k, const void *sets,
                       uint64_t *bits, struct bk_pool *pool)
{
    struct gathering g = { s->store, sets,     k->set_bytes, (size_t)s->nslices * s->nconf,
                           s->nconf, s->pitch, bits };

    bk_pool_run(pool, (g.n + 64 * WORDS_GATHERED - 1) / (64 * WORDS_GATHERED), gather_bits, &g);
}

/* What exits attain; the frontiers hold it.  False: no memory. */
static bool hand_over_attained(struct bk_solver *s, const struct bk_kernel *k,
                               struct bk_memblock *mb, struct bk_pool *pool)
{
    size_t bytes = bk_memblock_array_bytes((size_t)s->nslices * s->nconf, 0);

    for (unsigned told = 0; told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++) {
            void **sets = told == BK_WDL ? &s->floss[side] : &s->fwin[side];

            if (s->inner.slot >= 0) {
                mb->attained[told][side] = *sets;
                *sets = NULL;
                continue;
            }
            mb->attained[told][side] = bk_spill_new(s->store, bytes);
            if (!mb->attained[told][side])
                return false;
            gather_all(s, k, *sets, mb->attained[told][side], pool);
        }
    return true;
}

/* Hands on what a solved block leaves behind, to be read by others.  False: no memory. */
static bool hand_over(struct bk_solver *s, const struct bk_kernel *k, struct bk_memblock *mb,
                      struct bk_pool *pool)
{
    if (!s->distances && s->inner.slot < 0 &&
        !bk_memblock_alloc(mb, s->store, (size_t)s->nslices * s->nconf, 0))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        if (s->distances) {
            mb->code[side] = s->dtw[side];
            s->dtw[side] = NULL;
        } else if (s->inner.slot >= 0) {
            mb->code[side] = s->won[side];
            mb->draw[side] = s->und[side];
            s->won[side] = s->und[side] = NULL;
        } else {
            gather_all(s, k, s->won[side], mb->code[side], pool);
            gather_all(s, k, s->und[side], mb->draw[side], pool);
        }
    }
    return !s->attains || hand_over_attained(s, k, mb, pool);
}

/* A block's solver with its ways out. */
static enum bk_err prepare(struct bk_solver **out, const struct block_job *b, uint32_t i,
                           const struct bk_solver *first, struct bk_report *why)
{
    struct bk_memtable *t = b->job->t;
    struct bk_solver *s =
        bk_solver_new(t->ix, b->block[i], bk_kernel_for(t->ix->v->nsq), false, first);

    *out = s;
    if (!s)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    s->store = t->store;
    s->distances = b->job->distances;
    s->compact = b->job->manner == BK_COMPACT;
    s->attains = b->job->attain;
    s->dtw_bytes = t->code_bytes;
    s->k_limit = t->code_bytes > 1 ? 15000 : b->job->k_max ? b->job->k_max : BK_CODE_K_MAX;
    bk_solver_lay_out_codes(s, &t->block[b->block[i]], t->code_bytes);
    return bk_exits_find(s, b->job, why);
}

/* The steps that connect the members of a chain, in both directions. */
static void link_members(struct bk_solver **member, const struct block_job *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        struct bk_solver *s = member[i];
        struct bk_link link[BK_LINKS_MAX];
        unsigned n = bk_order_links(s->ix, b->block[i], link);

        for (unsigned j = 0; j < n; j++) {
            struct bk_fixed_step t = { .slot = link[j].slot,
                                       .to = link[j].to,
                                       .colour = s->ix->colour[link[j].slot],
                                       .hops = link[j].way->how & BK_HOPS,
                                       .npaths = link[j].way->npaths,
                                       .path = link[j].way->path };
            uint32_t k = 0;

            while (b->block[k] != link[j].block)
                k++;
            if (!s->change_ok[t.slot][BK_TYPES_MAX][t.to])
                continue; /* it must become something else there */
            t.other = member[k];
            s->step[s->nstep++] = t;
            t.other->unstep[t.other->nunstep] = t;
            t.other->unstep[t.other->nunstep++].other = s;
        }
    }
}

static struct bk_spares *spares_of(const struct block_job *b)
{
    return b->apart ? NULL : &b->job->solving->spares;
}

/* All passes over the members; their tally and codes. */
static enum bk_err solve_members(struct bk_solver **member, const struct block_job *b,
                                 struct bk_tally *tally, struct bk_report *why)
{
    struct bk_memtable *t = b->job->t;
    unsigned threads = bk_pool_threads(b->pool);
    struct pass p = { .member = member,
                      .k = bk_kernel_for(t->ix->v->nsq),
                      .tally = calloc(threads, sizeof *p.tally) };
    bool ok = p.tally != NULL;
    enum bk_err err;

    for (uint32_t i = 0; ok && i < b->n; i++) {
        ok = bk_solver_allocate(member[i], p.k, threads, spares_of(b));
        member[i]->work = member[0]->work;
    }
    for (unsigned i = 0; ok && i < threads; i++)
        tally_init(&p.tally[i]);
    err = ok ? iterate(&p, b, why) : bk_fail(why, BK_E_SYSTEM, "out of memory");
    if (!err && !bk_pool_try(b->pool, (uint64_t)b->n * member[0]->nslices, run_finish, &p))
        err = bk_fail(why, BK_E_SYSTEM, "interrupted");
    if (!err) {
        for (unsigned i = 0; i < threads; i++)
            tally_add(tally, &p.tally[i]);
    }
    for (uint32_t i = 0; !err && i < b->n; i++) {
        struct bk_memblock *mb = &t->block[b->block[i]];

        if (!hand_over(member[i], p.k, mb, b->pool))
            err = bk_fail(why, BK_E_SYSTEM, "out of memory");
        mb->solved = !err;
    }
    free(p.tally);
    return err;
}

/* A block, or the blocks of a chain. */
static enum bk_err solve_block(struct block_job *b, struct bk_tally *tally, struct bk_report *why)
{
    struct bk_memtable *t = b->job->t;
    struct bk_solver **member = calloc(b->n, sizeof *member);
    enum bk_err err = member ? BK_OK : bk_fail(why, BK_E_SYSTEM, "out of memory");

    for (uint32_t i = 0; !err && i < b->n; i++)
        err = prepare(&member[i], b, i, member[0], why);
    if (!err && member[0]->kings_only) {
        err = solve_kings(member[0], &t->block[b->block[0]], tally, why);
        t->block[b->block[0]].solved = !err;
    } else if (!err) {
        if (b->n > 1)
            link_members(member, b);
        err = solve_members(member, b, tally, why);
    }
    for (uint32_t i = b->n; member && i-- > 0;) /* the first last: others borrow from it */
        if (member[i])
            bk_solver_free(member[i], bk_pool_threads(b->pool), spares_of(b));
    for (uint32_t i = 0; err && i < b->n; i++)
        bk_memblock_free(&t->block[b->block[i]]);
    free(member);
    return err;
}

/* == A table == */

/* Blocks of one level do not lead to each other: many of them are solved side by side. */
struct level {
    struct bk_solve_job *job;
    const uint32_t *block;
    struct bk_tally *tally; /* by block */
    enum bk_err err;        /* of any */
    struct bk_report why;
    uint64_t done;
};

static void run_block(void *context, uint64_t item, unsigned thread)
{
    struct level *l = context;
    struct block_job b = { .job = l->job, .block = &l->block[item], .n = 1, .apart = true };
    struct bk_report why = { "" };
    enum bk_err err;

    (void)thread;
    if (__atomic_load_n((int *)&l->err, __ATOMIC_RELAXED) ||
        l->job->t->block[l->block[item]].solved)
        return;
    err = solve_block(&b, &l->tally[item], &why);
    if (err && !__atomic_exchange_n((int *)&l->err, (int)err, __ATOMIC_RELAXED))
        l->why = why;
}

/* One after the other, each by all threads. */
static enum bk_err solve_in_turn(struct bk_solve_job *job, const uint32_t *block, uint32_t n,
                                 uint64_t done, struct bk_tally *tally, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; !err && i < n; i++) {
        struct block_job b = {
            .job = job, .block = &block[i], .n = 1, .pool = job->pool, .done = done
        };

        if (job->stop && *job->stop)
            err = bk_fail(why, BK_E_SYSTEM, "interrupted");
        else if (!job->t->block[block[i]].solved)
            err = solve_block(&b, tally, why);
        done += 2 * job->t->ix->block[block[i]].size;
        if (!err && bk_checkpoint_due(job->checkpoint))
            save(job, NULL, 0, NULL);
    }
    return err;
}

/* Each thread whole blocks; some for every thread at a time, and then there is time to save. */
static enum bk_err solve_apart(struct bk_solve_job *job, const uint32_t *block, uint32_t n,
                               uint64_t done, struct bk_tally *tally, struct bk_report *why)
{
    uint32_t most = 32 * bk_pool_threads(job->pool);
    void (*progress)(void *, const struct bk_progress *) = job->progress;
    struct level l = { .job = job, .tally = calloc(most, sizeof *l.tally) };

    if (!l.tally)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    for (uint32_t first = 0; !l.err && first < n; first += most) {
        uint32_t now = n - first < most ? n - first : most;
        struct block_job b = { .job = job, .block = &block[first], .n = 1, .done = done };

        l.block = block + first;
        for (uint32_t i = 0; i < now; i++)
            tally_init(&l.tally[i]);
        job->progress = NULL; /* not from several threads at once */
        if (!bk_pool_try(job->pool, now, run_block, &l) && !l.err) {
            bk_fail(&l.why, BK_E_SYSTEM, "interrupted");
            l.err = BK_E_SYSTEM;
        }
        job->progress = progress;
        for (uint32_t i = 0; i < now; i++) {
            tally_add(tally, &l.tally[i]);
            done += 2 * job->t->ix->block[l.block[i]].size;
        }
        b.done = done;
        if (!l.err)
            report_progress(&b, 0);
        if (!l.err && bk_checkpoint_due(job->checkpoint))
            save(job, NULL, 0, NULL);
    }
    free(l.tally);
    if (l.err && why)
        *why = l.why;
    return l.err;
}

static enum bk_err solve_level(struct bk_solve_job *job, uint32_t level, uint64_t done,
                               struct bk_tally *tally, struct bk_report *why)
{
    const struct bk_order *o = &job->solving->order;
    const uint32_t *block = o->block + o->first[level];
    uint32_t n = o->first[level + 1] - o->first[level];
    struct block_job chain = {
        .job = job, .block = block, .n = n, .pool = job->pool, .done = done
    };

    bool under_way = job->solving->reader && job->solving->moment.there;

    if (o->chain[level])
        return solve_block(&chain, tally, why);
    /* a checkpoint is read by all threads: not while each solves a block */
    if (n < 2 * bk_pool_threads(job->pool) || bk_pool_threads(job->pool) == 1 || under_way)
        return solve_in_turn(job, block, n, done, tally, why);
    bk_spares_free(&job->solving->spares);
    return solve_apart(job, block, n, done, tally, why);
}

/* == Letting go ==
 *
 * A block is read by those from which a man goes to another cell: a pawn on d6
 * looks at d7.  When all of them are solved, and its values are in chunks, its
 * memory can go.
 */

static void let_blocks_go(struct bk_memtable *t, const uint32_t *block, uint32_t n,
                          uint32_t *readers)
{
    for (uint32_t i = 0; i < n; i++)
        bk_order_read(t->ix, block[i], -1, readers);
    for (uint32_t i = 0; i < t->ix->nblocks; i++)
        if (t->block[i].encoded && !readers[i])
            bk_memblock_free(&t->block[i]);
}

/*
 * The order of a table's digits in its files: as the codes lie in memory, the
 * inner man last, so that encoding reads them in one stream.
 */
static void choose_order(struct bk_index *ix)
{
    struct bk_solver *s = calloc(1, sizeof *s);
    unsigned n = 0;

    if (!s || !ix->nblocks) {
        free(s);
        return; /* any order will do */
    }
    s->v = ix->v;
    s->ix = ix;
    s->b = &ix->block[ix->nblocks - 1];
    bk_solver_sort_men(s);
    ix->order[n++] = BK_KINGS_SLOT;
    for (unsigned i = 0; i < s->nfixed; i++)
        ix->order[n++] = s->fixed_slot[i];
    for (unsigned o = 0; o < s->nouter; o++)
        ix->order[n++] = s->outer[o].slot;
    if (s->inner.slot >= 0)
        ix->order[n++] = (uint8_t)s->inner.slot;
    free(s);
}

static void forget_blocks(struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        bk_memblock_free(&t->block[i]);
        t->block[i].solved = t->block[i].encoded = false;
    }
}

/* Counts the readers of each block among those from the present level on. */
static void count_readers(struct bk_solve_job *job)
{
    const struct bk_index *ix = job->t->ix;
    const struct bk_order *o = &job->solving->order;

    memset(job->solving->readers, 0, ix->nblocks * sizeof *job->solving->readers);
    for (uint32_t i = o->first[job->solving->level]; job->let_go && i < ix->nblocks; i++)
        bk_order_read(ix, o->block[i], 1, job->solving->readers);
}

/* From nothing, with codes of so many bytes. */
static enum bk_err begin_table(struct bk_solve_job *job, unsigned code_bytes, struct bk_report *why)
{
    forget_blocks(job->t);
    job->t->code_bytes = (uint8_t)code_bytes;
    job->solving->level = 0;
    tally_init(job->solving->tally);
    count_readers(job);
    return job->begin ? job->begin(job->sink_context, why) : BK_OK;
}

/* What the head of a checkpoint says: bytes of codes, and how blocks are solved. */
static enum bk_err read_head(struct bk_solve_job *job, struct bk_reader *r, struct bk_report *why)
{
    struct bk_solving *now = job->solving;
    uint8_t code_bytes;
    enum bk_manner manner;

    if (!bk_read(r, &code_bytes, 1) || !bk_read(r, &manner, sizeof manner))
        return bk_fail(why, BK_E_CORRUPT, "%s: cannot be read", job->checkpoint->path);
    if (manner > job->manner)
        return bk_fail(why, BK_E_SYSTEM, "%s: was made with more memory; not used",
                       job->checkpoint->path);
    if (manner != job->manner) {
        job->manner = manner;
        bk_order_free(&now->order);
        if (!bk_order_new(&now->order, job->t->ix, manner == BK_CHAINS))
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    return begin_table(job, code_bytes, why);
}

/* From a checkpoint if there is one that fits.  A false start is told and forgotten. */
static enum bk_err begin_or_resume(struct bk_solve_job *job, struct bk_report *why)
{
    struct bk_reader *r = NULL;
    struct bk_report inner = { "" };
    enum bk_err err = job->checkpoint ? bk_reader_open(&r, job->checkpoint, &inner) : BK_E_NO_TABLE;

    bk_checkpoint_due(job->checkpoint); /* the clock starts */
    if (!err) {
        err = read_head(job, r, &inner);
        if (!err && load(job, r)) {
            count_readers(job); /* whether blocks are let go may have changed */
            return BK_OK;
        }
        bk_reader_close(r);
        if (!err)
            err = bk_fail(&inner, BK_E_CORRUPT, "%s: cannot be read", job->checkpoint->path);
    }
    if (err != BK_E_NO_TABLE && job->note)
        job->note(job->sink_context, inner.text);
    if (!job->solving->order.block)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    return begin_table(job, job->distances ? 1 : 0, why);
}

static enum bk_err solve_levels(struct bk_solve_job *job, struct bk_report *why)
{
    const struct bk_index *ix = job->t->ix;
    struct bk_solving *now = job->solving;
    const struct bk_order *o = &now->order;
    enum bk_err err = BK_OK;
    uint64_t done = 0;

    for (uint32_t i = 0; i < o->first[now->level]; i++)
        done += 2 * ix->block[o->block[i]].size;
    while (!err && now->level < o->nlevels) {
        const uint32_t *block = o->block + o->first[now->level];
        uint32_t n = o->first[now->level + 1] - o->first[now->level];

        err = solve_level(job, now->level, done, now->tally, why);
        for (uint32_t i = 0; i < n; i++)
            done += 2 * ix->block[block[i]].size;
        if (!err && job->solved)
            err = job->solved(job->sink_context, block, n, why);
        if (!err && job->let_go)
            let_blocks_go(job->t, block, n, now->readers);
        now->level++;
        if (!err && now->level < o->nlevels && bk_checkpoint_due(job->checkpoint))
            save(job, NULL, 0, NULL);
    }
    return err;
}

enum bk_err bk_solve_table(struct bk_solve_job *job, struct bk_tally *tally, struct bk_report *why)
{
    struct bk_index *ix = job->t->ix;
    struct bk_solving now = { .tally = tally };
    enum bk_err err;

    if (ix->v->en_passant && bk_exits_doubles_within_cell(ix))
        return bk_fail(why, BK_E_USAGE, "%s: no tables with en passant for men that come back",
                       ix->v->name);
    choose_order(ix);
    now.readers = calloc(ix->nblocks + 1u, sizeof *now.readers);
    if (!now.readers || !bk_order_new(&now.order, ix, job->manner == BK_CHAINS)) {
        free(now.readers);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    job->solving = &now;
    err = begin_or_resume(job, why);
    if (!err)
        err = solve_levels(job, why);
    if (err == BK_E_DIFFERS && job->t->code_bytes == 1) {
        bk_reader_close(now.reader); /* with codes of one byte */
        now.reader = NULL;
        err = begin_table(job, 2, why);
        if (!err)
            err = solve_levels(job, why);
    }
    bk_reader_close(now.reader);
    bk_order_free(&now.order);
    free(now.readers);
    bk_spares_free(&now.spares);
    job->solving = NULL;
    if (err == BK_E_DIFFERS)
        err = bk_fail(why, BK_E_SYSTEM, "distances of more than 30000 plies");
    return err;
}

/* == Tables from files == */

enum bk_err bk_solve_layout(struct bk_memtable *t, uint32_t block, struct bk_report *why)
{
    struct bk_solver s = { .v = t->ix->v, .ix = t->ix, .b = &t->ix->block[block] };
    struct bk_memblock *mb = &t->block[block];

    bk_solver_sort_men(&s);
    bk_solver_lay_out_codes(&s, mb, t->code_bytes);
    if (!bk_memblock_alloc(mb, t->store, s.b->pairs->nslices * mb->slice_stride, t->code_bytes))
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    return BK_OK;
}

enum bk_err bk_solve_mark_illegal(struct bk_memtable *t, struct bk_pool *pool,
                                  struct bk_report *why)
{
    const struct bk_kernel *k = bk_kernel_for(t->ix->v->nsq);
    unsigned threads = bk_pool_threads(pool);
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; !err && i < t->ix->nblocks; i++) {
        struct bk_solver *s = bk_solver_new(t->ix, i, k, true, NULL);
        struct pass p = { .member = &s, .k = k, .t = t, .mb = &t->block[i] };
        bool ok = s && (s->work = calloc(threads, sizeof *s->work));

        for (unsigned j = 0; ok && j < threads; j++)
            ok = (s->work[j] = bk_spill_new(NULL, k->work_bytes(s))) != NULL;
        if (ok && !bk_pool_try(pool, s->nslices, run_mark, &p))
            err = bk_fail(why, BK_E_SYSTEM, "interrupted");
        if (s)
            bk_solver_free(s, threads, NULL);
        if (!ok)
            err = bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    return err;
}
