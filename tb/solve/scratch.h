/*
 * scratch.h - memory of each thread's own, for the passes.
 */
#ifndef BK_SCRATCH_H
#define BK_SCRATCH_H

#include <stdbool.h>
#include <stdlib.h>

#include "tb/memory/spill.h"

struct bk_scratch {
    void **of_thread;
    unsigned n;
};

/* False: no memory; bk_scratch_free() frees what there is. */
static inline bool bk_scratch_new(struct bk_scratch *x, unsigned threads, size_t bytes)
{
    bool ok;

    x->of_thread = calloc(threads, sizeof *x->of_thread);
    x->n = x->of_thread ? threads : 0;
    ok = x->of_thread != NULL;
    for (unsigned i = 0; ok && i < threads; i++)
        ok = (x->of_thread[i] = bk_spill_new(NULL, bytes)) != NULL;
    return ok;
}

static inline void bk_scratch_free(struct bk_scratch *x) /* zeroed is fine */
{
    for (unsigned i = 0; i < x->n; i++)
        bk_spill_free(x->of_thread[i]);
    free(x->of_thread);
    *x = (struct bk_scratch){ 0 };
}

#endif
