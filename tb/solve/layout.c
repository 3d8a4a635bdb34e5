/*
 * layout.c - see layout.h.
 */
#include "tb/solve/layout.h"

#include <stdlib.h>

#include "tb/solve/prepare.h"
#include "tb/solve/scratch.h"

enum bk_err bk_layout_block(struct bk_memtable *t, uint32_t block, const struct bk_kernel *k,
                            struct bk_report *why)
{
    struct bk_memblock *mb = &t->block[block];
    struct bk_setup s;

    bk_setup_init(&s, &(struct bk_setup_request){ .ix = t->ix, .block = block, .kernel = k });
    bk_setup_lay_out_codes(&s, k, mb, t->code_bytes);
    if (!bk_memblock_alloc(mb, t->spill, s.nslices * mb->slice_stride, t->code_bytes))
        return bk_no_memory(why);
    return BK_OK;
}

struct marking {
    struct bk_memtable *t;
    const struct bk_kernel *k;
    const struct bk_setup *setup;
    struct bk_memblock *mb;
    struct bk_scratch scratch;
};

static void mark_slice(void *context, uint64_t item, unsigned thread)
{
    const struct marking *m = context;

    bk_spill_ease(m->t->spill);
    m->k->mark_illegal(m->setup, (uint32_t)item, m->mb, m->t->code_bytes,
                       m->scratch.of_thread[thread]);
}

enum bk_err bk_layout_mark_illegal(struct bk_memtable *t, const struct bk_kernel *k,
                                   struct bk_pool *pool, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; !err && i < t->ix->nblocks; i++) {
        struct bk_setup_request r = { .ix = t->ix, .block = i, .kernel = k, .for_kernel = true };
        struct bk_king_moves *kings = NULL;
        struct bk_setup *s = bk_setup_new(&r, &kings);
        struct marking m = { .t = t, .k = k, .setup = s, .mb = &t->block[i] };

        if (!s || !bk_scratch_new(&m.scratch, bk_pool_threads(pool), k->scratch_bytes(s)))
            err = bk_no_memory(why);
        else if (!bk_pool_try(pool, s->nslices, mark_slice, &m))
            err = bk_pool_interrupted(why);
        bk_scratch_free(&m.scratch);
        bk_setup_free(s);
        bk_king_moves_free(kings);
    }
    return err;
}
