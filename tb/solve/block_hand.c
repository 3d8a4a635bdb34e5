/*
 * block_hand.c - see block_hand.h.
 *
 * Most arrays of the state become the table's as they are.  Bits of sets that
 * hold one position each are gathered first, and a group's blocks copied out.
 * With a ledger the values are in the table by now.
 */
#include "tb/solve/block_hand.h"

#include "tb/solve/block_group.h"

/* == Bits of sets of one position == */

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
        const uint64_t *sets = bk_state_slice(g->st, g->sets, g->side, (uint32_t)(i / nconf));

        if (sets[i % nconf * (g->set_bytes / sizeof *sets)] & 1)
            g->bits[i >> 6] |= UINT64_C(1) << (i & 63);
    }
}

/* Writes the lowest bit of each set of an array to a bitmap. */
static void gather(const struct bk_block_work *w, enum bk_array sets, unsigned side, uint64_t *bits)
{
    const struct bk_setup *s = w->setup;
    size_t n = (size_t)s->nslices * s->nconf;
    struct gathering g = { w->t->spill, s, &w->solver.state, sets, side, w->k->set_bytes, n, bits };

    bk_pool_run(w->b->pool, (n + 64 * WORDS_GATHERED - 1) / (64 * WORDS_GATHERED), gather_bits, &g);
}

static bool gather_codes(const struct bk_block_work *w, struct bk_memblock *mb)
{
    size_t n = (size_t)w->setup->nslices * w->setup->nconf;

    if (!bk_memblock_alloc(mb, w->t->spill, n, 0))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        gather(w, BK_WON, side, mb->code[side]);
        gather(w, BK_UNDECIDED, side, mb->draw[side]);
    }
    return true;
}

/* == A block == */

/* Moves what exits attain from the frontiers, which hold it, to `mb`.  False: no memory. */
static bool hand_over_attained(struct bk_block_work *w, struct bk_memblock *mb)
{
    const struct bk_setup *s = w->setup;
    size_t bytes = bk_memblock_array_bytes((size_t)s->nslices * s->nconf, 0);

    for (unsigned told = 0; told < (s->distances ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++) {
            enum bk_array sets = told == BK_WDL ? BK_LOSSES : BK_WINS;

            if (s->inner.slot >= 0) {
                mb->attained[told][side] = bk_state_take(&w->solver.state, sets, side);
                continue;
            }
            mb->attained[told][side] = bk_spill_new(w->t->spill, bytes);
            if (!mb->attained[told][side])
                return false;
            gather(w, sets, side, mb->attained[told][side]);
        }
    return true;
}

/* Moves the arrays of a solved block that others read to its table.  False: no memory. */
static bool hand_over_block(struct bk_block_work *w, struct bk_memblock *mb)
{
    const struct bk_setup *s = w->setup;
    struct bk_state *st = &w->solver.state;

    if (w->ledger)
        return true; /* bk_ledger_finish() has written the values */
    if (s->attains && !hand_over_attained(w, mb))
        return false;
    if (!s->distances && s->inner.slot < 0)
        return gather_codes(w, mb);
    for (unsigned side = 0; side < 2; side++) {
        if (s->distances) {
            mb->code[side] = bk_state_take(st, BK_DTW, side);
        } else {
            mb->code[side] = bk_state_take(st, BK_WON, side);
            mb->draw[side] = bk_state_take(st, BK_UNDECIDED, side);
        }
    }
    return true;
}

enum bk_err bk_block_hand_over(struct bk_block_work *w, struct bk_report *why)
{
    struct bk_memblock *block = w->t->block;

    if (!(w->b->group ? bk_block_hand_over_group(w) : hand_over_block(w, &block[w->b->block[0]])))
        return bk_no_memory(why);
    for (uint32_t i = 0; i < w->b->n; i++)
        block[w->b->block[i]].solved = true;
    for (unsigned i = 0; !w->share && i < w->scratch.n; i++)
        bk_tally_add(w->b->tally, &w->tally[i]);
    return BK_OK;
}

/* == A shared block == */

/* Adds the counts of all processes, of a shared block, to b->tally. */
static void add_up(struct bk_block_work *w)
{
    struct bk_tally own = w->tally[0];

    for (unsigned i = 1; i < w->scratch.n; i++)
        bk_tally_add(&own, &w->tally[i]);
    for (unsigned r = 0; r < bk_ranks(); r++) {
        struct bk_tally tally = own;

        bk_transport_tell(&tally, sizeof tally, r);
        bk_tally_add(w->b->tally, &tally);
    }
}

/* Frees the halo's slices of the arrays that stay: they were read only while the block was
   solved. */
static void forget_halo(const struct bk_block_work *w)
{
    const struct bk_state *st = &w->solver.state;

    for (enum bk_array a = 0; a < BK_ARRAYS; a++)
        for (unsigned side = 0; bk_state_stays(st, a) && st->slice_bytes[a] && side < 2; side++)
            for (uint32_t i = 0; i < w->share->nhalo; i++)
                bk_spill_forget(bk_state_slice(st, a, side, w->share->halo[i]), st->slice_bytes[a]);
}

enum bk_err bk_block_hand_over_shared(struct bk_block_work *w, struct bk_report *why)
{
    bool inner = w->setup->inner.slot >= 0;
    struct bk_wish wish = bk_run_wish(w->run);
    enum bk_err err = BK_OK;

    bk_ranks_sends(BK_SENDS_VALUES);
    if (inner)
        forget_halo(w);
    else
        err = bk_share_spread(w->share, &w->solver.state, why);
    if (!err)
        err = bk_ranks_agree(bk_block_hand_over(w, why), why);
    bk_state_free(&w->solver.state, NULL);
    if (!err)
        add_up(w);
    if (!err && inner)
        err = bk_share_hand_out(&wish, w->b->block, w->b->n, why);
    return err;
}
