/*
 * block_group.c - see block_group.h.
 */
#include "tb/solve/block_group.h"

#include <stdlib.h>
#include <string.h>

#include "tb/solve/block_prepare.h"
#include "tb/solve/layout.h"

/* == Where a block goes == */

/* Returns the group's configurations, by those of a block.  Owned; NULL: no memory. */
static uint32_t *configurations_of(const struct bk_setup *group, const struct bk_setup *block,
                                   const struct bk_member *m)
{
    uint32_t *conf = calloc(block->nconf, sizeof *conf);

    for (unsigned o = 0; conf && o < group->nouter; o++) {
        const struct bk_outer *out = &group->outer[o];
        unsigned slot = 0, own = 0;

        while (m->slot[slot] != out->slot)
            slot++;
        while (own < block->nouter && block->outer[own].slot != slot)
            own++;
        for (uint32_t i = 0; i < block->nconf; i++) {
            const struct bk_cells *c = block->ix->cells[slot];
            unsigned sq = own < block->nouter ? block->conf.sq[i][own]
                                              : c->sq[c->first[block->b->cell[slot]]];

            conf[i] += out->stride * out->digit[m->map[sq]];
        }
    }
    return conf;
}

void bk_block_release_handing(struct bk_block_handing *h)
{
    free(h->conf);
    bk_setup_free(h->block);
}

/* Finds where a block of the group goes.  False: no memory; bk_block_release_handing() anyway. */
static bool prepare_handing(struct bk_block_work *w, uint32_t block, struct bk_block_handing *h)
{
    struct bk_setup_request r = bk_block_request(w);
    struct bk_memblock *mb = &w->t->block[block];
    struct bk_member member;

    r.block = block;
    r.group = NULL;
    r.to_count = true;
    *h = (struct bk_block_handing){ .block = bk_setup_new(&r) };
    if (!h->block)
        return false;
    bk_group_member(w->b->group, w->t->ix, block, &member);
    bk_setup_lay_out_codes(h->block, w->k, true, mb, w->t->code_bytes);
    memcpy(h->map, member.map, sizeof h->map);
    h->conf = configurations_of(w->setup, h->block, &member);
    h->d = (struct bk_delivery){ h->block, mb, h->conf, h->map, !member.straight };
    return h->conf;
}

/* == A copy == */

/* One block of a group that is being copied out, slice by slice. */
struct delivering {
    struct bk_block_work *w;
    const struct bk_block_handing *h;
};

/* Returns whether this process delivers a slice of the block. */
static bool is_owned(const struct delivering *x, uint32_t slice)
{
    const uint8_t *king = x->h->block->pairs->king[slice];

    return !x->w->share || bk_owner_of(x->w->run->job->owners, king[0], king[1]) == bk_rank();
}

static void run_deliver(void *context, uint64_t item, unsigned thread)
{
    struct delivering *x = context;

    bk_spill_ease(x->w->t->spill);
    if (!is_owned(x, (uint32_t)item))
        return;
    x->w->k->deliver(&x->w->solver, &x->h->d, (uint32_t)item, &x->w->tally[thread]);
}

static bool deliver_block(struct bk_block_work *w, uint32_t block)
{
    struct bk_block_handing h;
    struct delivering x = { w, &h };
    bool ok = prepare_handing(w, block, &h) && bk_block_make_room(w, h.block, h.d.mb);

    if (ok)
        bk_pool_run(w->b->pool, h.block->nslices, run_deliver, &x);
    bk_block_release_handing(&h);
    return ok;
}

bool bk_block_hand_over_group(struct bk_block_work *w)
{
    if (w->landing)
        return true; /* finish_group() has delivered them */
    for (uint32_t i = 0; i < w->b->n; i++)
        if (!deliver_block(w, w->b->block[i]))
            return false;
    return true;
}

/* == At once == */

bool bk_block_lands_at_once(const struct bk_block_work *w)
{
    const struct bk_setup *s = w->setup;
    bool same = w->b->group && !w->share && s->exits_once && s->inner.slot >= 0;

    for (uint32_t i = 0; same && i < w->b->n; i++) {
        struct bk_member member;

        bk_group_member(w->b->group, w->t->ix, w->b->block[i], &member);
        same = member.straight && w->t->ix->block[w->b->block[i]].pairs == s->pairs;
    }
    return same;
}

bool bk_block_find_landings(struct bk_block_work *w)
{
    w->handing = calloc(w->b->n, sizeof *w->handing);
    w->landing = calloc(w->setup->nconf, sizeof *w->landing);
    if (!w->handing || !w->landing)
        return false;
    for (uint32_t i = 0; i < w->b->n; i++) {
        struct bk_block_handing *h = &w->handing[i];

        if (!prepare_handing(w, w->b->block[i], h) || !bk_block_make_room(w, h->block, h->d.mb))
            return false;
        for (uint32_t conf = 0; conf < h->block->nconf; conf++)
            w->landing[h->conf[conf]] = (struct bk_landing){ &h->d, conf };
    }
    return true;
}
