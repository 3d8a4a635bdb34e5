/*
 * layout.c - see layout.h.
 */
#include "tb/solve/layout.h"

#include "tb/solve/prepare.h"

enum bk_err bk_layout_block(struct bk_memtable *t, uint32_t block, const struct bk_kernel *k,
                            bool taken, struct bk_report *why)
{
    struct bk_memblock *mb = &t->block[block];
    struct bk_setup s;

    bk_setup_init(&s, &(struct bk_setup_request){ .ix = t->ix, .block = block, .kernel = k });
    bk_setup_lay_out_codes(&s, k, taken, mb, t->code_bytes);
    if (!bk_memblock_alloc(mb, t->spill, s.nslices * mb->slice_stride, t->code_bytes))
        return bk_no_memory(why);
    return BK_OK;
}
