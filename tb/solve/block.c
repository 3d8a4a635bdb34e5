/*
 * block.c - see block.h.
 *
 * A block is a chain of one.  All blocks of a chain have the same slices and
 * the same kings' moves; a pass goes over all slices of all of them.
 */
#include "tb/solve/block.h"

#include <stdlib.h>

#include "core/geometry.h"
#include "tb/solve/prepare.h"
#include "tb/solve/resume.h"
#include "tb/solve/scratch.h"
#include "tb/solve/share.h"

struct chain {
    struct bk_run *run;
    const struct bk_blocks *b;
    const struct bk_kernel *k;
    struct bk_memtable *t;
    uint32_t nslices;         /* of each */
    struct bk_setup **setup;  /* owned, as what follows */
    struct bk_solver *member; /* the same blocks, under way */
    struct bk_king_moves *kings;
    struct bk_share *share; /* of several processes; NULL: all slices are worked on here */
    struct bk_scratch scratch;
    struct bk_tally *tally; /* by thread */
    /* the present pass over slices and sides */
    bool (*pass)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    atomic_bool found;
    bool failed; /* news could not be taken in: no memory */
};

/* == Prepare == */

static enum bk_err prepare_member(struct chain *c, uint32_t i, struct bk_report *why)
{
    const struct bk_solve_job *job = c->run->job;
    unsigned k_max = job->k_max ? job->k_max : BK_CODE_K_MAX;
    struct bk_setup_request r = { .ix = c->t->ix,
                                  .block = c->b->block[i],
                                  .kernel = c->k,
                                  .distances = job->distances,
                                  .attains = job->attain,
                                  .compact = c->run->strategy == BK_COMPACT,
                                  .dtw_bytes = c->t->code_bytes,
                                  .k_limit = c->t->code_bytes > 1 ? BK_CODE_K_MAX16 : k_max };
    struct bk_setup *s = c->setup[i] = bk_setup_new(&r, &c->kings);

    if (!s)
        return bk_no_memory(why);
    c->nslices = s->nslices;
    c->member[i].setup = s;
    c->member[i].kernel = c->k;
    bk_state_measure(&c->member[i].state, s, c->k->set_bytes);
    bk_setup_lay_out_codes(s, c->k, &c->t->block[c->b->block[i]], c->t->code_bytes);
    return bk_exits_find(s, &job->tables, why);
}

/* The member that is this block. */
static struct bk_solver *member_of(const struct chain *c, uint32_t block)
{
    uint32_t k = 0;

    while (c->b->block[k] != block)
        k++;
    return &c->member[k];
}

/* The steps that connect the members, in both directions. */
static void link_members(struct chain *c)
{
    for (uint32_t i = 0; i < c->b->n; i++) {
        struct bk_solver *from = &c->member[i];
        struct bk_link link[BK_LINKS_MAX];
        unsigned n = bk_order_links(c->t->ix, c->b->block[i], link);

        for (unsigned j = 0; j < n; j++) {
            struct bk_solver *to = member_of(c, link[j].block);
            struct bk_fixed_step step = { .other = to,
                                          .slot = link[j].slot,
                                          .to = link[j].to,
                                          .colour = c->t->ix->colour[link[j].slot],
                                          .hops = link[j].way->how & BK_HOPS,
                                          .npaths = link[j].way->npaths,
                                          .path = link[j].way->path };

            if (!from->setup->change_ok[step.slot][BK_STAYS][step.to])
                continue; /* it must become something else there */
            from->links.out[from->links.nout++] = step;
            step.other = from;
            to->links.in[to->links.nin++] = step;
        }
    }
}

/* The setups of all members, with their exits and links. */
static enum bk_err prepare(struct chain *c, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    c->setup = calloc(c->b->n, sizeof(struct bk_setup *));
    c->member = calloc(c->b->n, sizeof *c->member);
    if (!c->setup || !c->member)
        return bk_no_memory(why);
    for (uint32_t i = 0; !err && i < c->b->n; i++)
        err = prepare_member(c, i, why);
    if (!err && c->b->n > 1)
        link_members(c);
    return err;
}

static struct bk_spares *spares_of(const struct chain *c)
{
    return c->b->apart || c->share ? NULL : &c->run->spares;
}

/* Arrays and scratch. */
static enum bk_err allocate(struct chain *c, struct bk_report *why)
{
    unsigned threads = bk_pool_threads(c->b->pool);
    bool ok = true;

    for (uint32_t i = 0; i < c->b->n; i++)
        c->member[i].state.sparse = c->share;
    for (uint32_t i = 0; ok && i < c->b->n; i++)
        ok = bk_state_new(&c->member[i].state, c->t->spill, spares_of(c));
    c->tally = calloc(threads, sizeof *c->tally);
    ok = ok && c->tally && bk_scratch_new(&c->scratch, threads, c->k->scratch_bytes(c->setup[0]));
    for (unsigned i = 0; ok && i < threads; i++)
        bk_tally_init(&c->tally[i]);
    return ok ? BK_OK : bk_no_memory(why);
}

/* == Iterate == */

/* Slices of a block that are worked on here, and the nth of them. */
static uint32_t slices_here(const struct chain *c)
{
    return c->share ? c->share->nown : c->nslices;
}

static uint32_t slice_here(const struct chain *c, uint64_t nth)
{
    return c->share ? c->share->own[nth] : (uint32_t)nth;
}

static void run_init(void *context, uint64_t item, unsigned thread)
{
    struct chain *c = context;
    uint32_t n = slices_here(c);

    bk_spill_ease(c->t->spill);
    c->k->init(&c->member[item / n], slice_here(c, item % n), c->scratch.of_thread[thread]);
}

static void run_init_halo(void *context, uint64_t item, unsigned thread)
{
    struct chain *c = context;
    uint32_t n = c->share->nhalo;

    bk_share_init_halo(c->share, &c->member[item / n], (uint32_t)(item % n),
                       c->scratch.of_thread[thread]);
}

static void run_pass(void *context, uint64_t item, unsigned thread)
{
    struct chain *c = context;
    uint64_t both = 2 * (uint64_t)slices_here(c);
    struct bk_solver *b = &c->member[item / both];
    struct bk_state *st = &b->state;
    unsigned side = item & 1;

    bk_spill_ease(c->t->spill);
    if (c->pass(b, slice_here(c, item % both >> 1), side, c->scratch.of_thread[thread])) {
        atomic_store_explicit(&c->found, true, memory_order_relaxed);
        atomic_store_explicit(st->ply & 1 ? &st->last_win[side] : &st->last_loss[side],
                              (int)st->ply, memory_order_relaxed);
    }
}

static uint64_t slices_of(const struct chain *c) { return (uint64_t)c->b->n * slices_here(c); }

/* After a pass: what other processes have found, too.  False: somebody was stopped, or failed. */
static bool join(struct chain *c, bool done)
{
    struct bk_joined x = { .found = c->found, .stopped = !done, .failed = c->failed };
    bool losses = !(c->member[0].state.ply & 1);

    if (!c->share)
        return done;
    for (uint32_t i = 0; i < c->b->n; i++)
        bk_share_join(&c->member[i].state, &x);
    c->found = x.found;
    c->failed = x.failed;
    done = !x.stopped && !x.failed;
    for (uint32_t i = 0; done && i < c->b->n; i++)
        c->failed |= bk_share_news(c->share, &c->member[i], losses, NULL) != BK_OK;
    return done;
}

/* Why a pass was the last one. */
static enum bk_err not_done(const struct chain *c, struct bk_report *why)
{
    return c->failed ? bk_no_memory(why) : bk_pool_interrupted(why);
}

/* Ply 0: legality, exits, mates.  False: stopped. */
static bool first_passes(struct chain *c)
{
    bool done;

    for (uint32_t i = 0; i < c->b->n; i++)
        for (unsigned side = 0; side < 2; side++) {
            c->member[i].state.last_win[side] = -1;
            c->member[i].state.last_loss[side] = -1;
        }
    c->pass = c->k->mated;
    done = bk_pool_try(c->b->pool, slices_of(c), run_init, c) &&
           (!c->share ||
            bk_pool_try(c->b->pool, (uint64_t)c->b->n * c->share->nhalo, run_init_halo, c)) &&
           bk_pool_try(c->b->pool, 2 * slices_of(c), run_pass, c);
    return join(c, done);
}

/* One ply of all members; c->found: has anything been found?  last_wait: the last ply for which
   something waits.  False: stopped. */
static bool run_ply(struct chain *c, uint32_t ply, uint32_t *last_wait)
{
    unsigned most = 0;
    bool done;

    for (uint32_t i = 0; i < c->b->n; i++)
        c->member[i].state.ply = ply;
    c->pass = ply & 1 ? c->k->win : c->k->lose;
    c->found = false;
    done = bk_pool_try(c->b->pool, 2 * slices_of(c), run_pass, c);
    done = join(c, done && !bk_run_is_stopped(c->run));
    for (uint32_t i = 0; i < c->b->n; i++)
        if (c->member[i].state.last_wait > most)
            most = c->member[i].state.last_wait;
    *last_wait = 2 * most;
    return done;
}

/* What a checkpoint has of the blocks; what other processes tell of theirs. */
static enum bk_err resume(struct chain *c, const struct bk_under_way *u, struct bk_report *why)
{
    enum bk_err err = bk_resume_blocks(c->run, u, why);

    if (!c->share)
        return err;
    err = bk_ranks_agree(err, why);
    for (uint32_t i = 0; !err && i < c->b->n; i++)
        err = bk_ranks_agree(bk_share_restore(c->share, &c->member[i], !(u->m->ply & 1), why), why);
    return err;
}

/* The first passes, or what a checkpoint has of them and later ones. */
static enum bk_err begin_plies(struct chain *c, const struct bk_under_way *u, struct bk_report *why)
{
    *u->m = (struct bk_moment){ .block = c->b->block[0], .before = true, .there = true };
    if (bk_resume_has(c->run, u->m->block))
        return resume(c, u, why);
    return first_passes(c) ? BK_OK : not_done(c, why);
}

/* Ply after ply until two in turn find nothing and nothing waits. */
static enum bk_err iterate(struct chain *c, struct bk_report *why)
{
    const struct bk_setup *s = c->setup[0];
    struct bk_moment m;
    const struct bk_under_way u = { c->member, c->b->n, c->share, &m };
    enum bk_err err = begin_plies(c, &u, why);

    if (err)
        return err;
    for (m.ply++;; m.ply++) {
        uint32_t last_wait;

        if (!run_ply(c, m.ply, &last_wait))
            return not_done(c, why);
        if (!c->found && !m.before && m.ply > last_wait)
            return BK_OK;
        m.before = c->found;
        if (s->distances && m.ply >> 1 >= s->k_limit)
            return bk_run_too_far(c->run, why);
        if (c->b->apart)
            continue;
        bk_run_progress(c->run, m.block, m.ply);
        bk_resume_save(c->run, &u);
        if (c->run->finishing)
            return bk_pool_interrupted(why);
    }
}

/* == Settle == */

static void run_finish(void *context, uint64_t item, unsigned thread)
{
    struct chain *c = context;
    uint32_t n = slices_here(c), slice = slice_here(c, item % n);
    struct bk_solver *b = &c->member[item / n];

    bk_spill_ease(c->t->spill);
    c->k->finish(b, slice, &c->tally[thread], c->scratch.of_thread[thread]);
    if (c->run->job->attain)
        c->k->attain(b, slice, c->scratch.of_thread[thread]);
}

/* Results become codes, and are counted. */
static enum bk_err settle(struct chain *c, struct bk_report *why)
{
    if (!bk_pool_try(c->b->pool, slices_of(c), run_finish, c))
        return bk_pool_interrupted(why);
    for (unsigned i = 1; i < c->scratch.n; i++)
        bk_tally_add(&c->tally[0], &c->tally[i]);
    return BK_OK;
}

/* Of a shared block: who wants its slices, by slice; owned.  NULL: everyone wants all, or there is
   no memory to tell. */
static uint64_t *find_readers(const struct chain *c)
{
    const struct bk_solve_job *job = c->run->job;
    uint64_t *readers;

    if (!job->let_go || !job->sink->readers || c->t->ix->nblocks > 1 || c->setup[0]->inner.slot < 0)
        return NULL;
    readers = malloc((c->nslices + 1u) * sizeof *readers);
    for (uint32_t i = 0; readers && i < c->nslices; i++)
        readers[i] = job->sink->readers(job->sink->context, i);
    return readers;
}

/* Values go to those who read them. */
static enum bk_err spread(struct chain *c, struct bk_report *why)
{
    uint64_t *readers = find_readers(c);
    int64_t everyone = !readers;
    enum bk_err err = BK_OK;

    bk_transport_max(&everyone, 1);
    for (uint32_t i = 0; !err && i < c->b->n; i++) {
        struct bk_state *st = &c->member[i].state;

        err = everyone ? bk_share_spread(c->share, st, why)
                       : bk_ranks_agree(bk_share_hand_out(c->share, st, readers, why), why);
    }
    free(readers);
    return err;
}

/* Counts and values of all processes. */
static enum bk_err bring_together(struct chain *c, struct bk_report *why)
{
    if (!c->share) {
        bk_tally_add(c->b->tally, &c->tally[0]);
        return BK_OK;
    }
    for (unsigned r = 0; r < bk_ranks(); r++) {
        struct bk_tally tally = c->tally[0];

        bk_transport_tell(&tally, sizeof tally, r);
        bk_tally_add(c->b->tally, &tally);
    }
    return spread(c, why);
}

/* == Hand over == */

/* Without an inner man a set holds one position, in bit 0: such bits are gathered. */
struct gathering {
    struct bk_spill *spill;
    const struct bk_setup *s;
    const struct bk_state *st;
    enum bk_array sets;
    unsigned side;
    size_t set_bytes, n;
    uint64_t *bits;
};

enum { WORDS_GATHERED = 1024 };

static void gather_bits(void *context, uint64_t item, unsigned thread)
{
    const struct gathering *g = context;
    size_t first = (size_t)item * WORDS_GATHERED * 64, end = first + WORDS_GATHERED * 64;
    uint32_t nconf = g->s->nconf;

    (void)thread;
    bk_spill_ease(g->spill);
    for (size_t i = first; i < end && i < g->n; i++) {
        const unsigned char *sets = bk_state_slice(g->st, g->sets, g->side, (uint32_t)(i / nconf));

        if (sets[i % nconf * g->set_bytes] & 1)
            g->bits[i >> 6] |= UINT64_C(1) << (i & 63);
    }
}

/* The lowest bit of each set of an array, as a bitmap. */
static void gather(const struct chain *c, const struct bk_solver *from, enum bk_array sets,
                   unsigned side, uint64_t *bits)
{
    const struct bk_setup *s = from->setup;
    size_t n = (size_t)s->nslices * s->nconf;
    struct gathering g = { c->t->spill, s, &from->state, sets, side, c->k->set_bytes, n, bits };

    bk_pool_run(c->b->pool, (n + 64 * WORDS_GATHERED - 1) / (64 * WORDS_GATHERED), gather_bits, &g);
}

static bool gather_codes(const struct chain *c, const struct bk_solver *from,
                         struct bk_memblock *mb)
{
    size_t n = (size_t)from->setup->nslices * from->setup->nconf;

    if (!bk_memblock_alloc(mb, c->t->spill, n, 0))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        gather(c, from, BK_WON, side, mb->code[side]);
        gather(c, from, BK_UNDECIDED, side, mb->draw[side]);
    }
    return true;
}

/* What exits attain: the frontiers hold it. */
static bool hand_over_attained(const struct chain *c, struct bk_solver *from,
                               struct bk_memblock *mb)
{
    const struct bk_setup *s = from->setup;
    size_t bytes = bk_memblock_array_bytes((size_t)s->nslices * s->nconf, 0);

    for (unsigned told = 0; told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++) {
            enum bk_array sets = told == BK_WDL ? BK_LOSSES : BK_WINS;

            if (s->inner.slot >= 0) {
                mb->attained[told][side] = bk_state_take(&from->state, sets, side);
                continue;
            }
            mb->attained[told][side] = bk_spill_new(c->t->spill, bytes);
            if (!mb->attained[told][side])
                return false;
            gather(c, from, sets, side, mb->attained[told][side]);
        }
    return true;
}

/* What a solved block leaves behind, to be read by others, goes to its table. */
static bool hand_over_block(const struct chain *c, struct bk_solver *from, struct bk_memblock *mb)
{
    const struct bk_setup *s = from->setup;

    if (s->attains && !hand_over_attained(c, from, mb))
        return false;
    if (!s->distances && s->inner.slot < 0)
        return gather_codes(c, from, mb);
    for (unsigned side = 0; side < 2; side++) {
        if (s->distances) {
            mb->code[side] = bk_state_take(&from->state, BK_DTW, side);
        } else {
            mb->code[side] = bk_state_take(&from->state, BK_WON, side);
            mb->draw[side] = bk_state_take(&from->state, BK_UNDECIDED, side);
        }
    }
    return true;
}

static enum bk_err hand_over(struct chain *c, struct bk_report *why)
{
    for (uint32_t i = 0; i < c->b->n; i++) {
        struct bk_memblock *mb = &c->t->block[c->b->block[i]];

        if (!hand_over_block(c, &c->member[i], mb))
            return bk_no_memory(why);
        mb->solved = true;
    }
    return BK_OK;
}

/* == All of it == */

/* Only kings move here: kings.c solves such a block by itself, in this thread. */
static enum bk_err solve_kings(const struct chain *c, struct bk_report *why)
{
    struct bk_memblock *mb = &c->t->block[c->b->block[0]];
    struct bk_tally own;
    bool too_far = false;

    bk_tally_init(&own);
    if (!c->k->solve_kings(c->setup[0], c->t->spill, mb, &own, &too_far))
        return bk_no_memory(why);
    if (too_far)
        return bk_run_too_far(c->run, why);
    bk_tally_add(c->b->tally, &own);
    mb->solved = true;
    return BK_OK;
}

static void release(struct chain *c)
{
    for (uint32_t i = 0; c->member && i < c->b->n; i++)
        if (c->member[i].setup)
            bk_state_free(&c->member[i].state, spares_of(c));
    for (uint32_t i = 0; c->setup && i < c->b->n; i++)
        bk_setup_free(c->setup[i]);
    bk_king_moves_free(c->kings);
    bk_scratch_free(&c->scratch);
    bk_share_free(c->share);
    free(c->setup);
    free(c->member);
    free(c->tally);
}

/* Is the work on it shared among processes? */
static bool is_shared(const struct chain *c)
{
    return c->run->job->owners && !c->b->apart && !c->setup[0]->kings_only &&
           c->setup[0]->b->size >= BK_SHARED_FROM;
}

/* A step that has ended here: of shared blocks all processes fail alike. */
static enum bk_err ended(bool shared, enum bk_err err, struct bk_report *why)
{
    return shared ? bk_ranks_agree(err, why) : err;
}

static enum bk_err solve_slices(struct chain *c, struct bk_report *why)
{
    bool shared = is_shared(c);
    enum bk_err err = BK_OK;

    if (shared)
        err = bk_share_new(&c->share, c->setup[0], c->run->job->owners, why);
    if (!err)
        err = allocate(c, why);
    err = ended(shared, err, why);
    if (!err)
        err = iterate(c, why);
    if (!err)
        err = ended(shared, settle(c, why), why);
    if (!err)
        err = bring_together(c, why);
    if (!err)
        err = hand_over(c, why);
    return ended(shared, err, why);
}

enum bk_err bk_blocks_solve(struct bk_run *run, const struct bk_blocks *b, struct bk_report *why)
{
    struct chain c = { .run = run, .b = b, .k = run->job->kernel, .t = run->job->t };
    enum bk_err err = prepare(&c, why);

    if (!b->apart)
        err = bk_ranks_agree(err, why);
    if (!err)
        err = c.setup[0]->kings_only ? solve_kings(&c, why) : solve_slices(&c, why);
    release(&c);
    for (uint32_t i = 0; err && i < b->n; i++)
        bk_memblock_free(&c.t->block[b->block[i]]);
    return err;
}
