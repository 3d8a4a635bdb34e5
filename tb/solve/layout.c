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
    return bk_memtable_alloc(t, block) ? BK_OK : bk_no_memory(why);
}

enum bk_err bk_layout_attained(struct bk_memtable *t, uint32_t block, struct bk_report *why)
{
    struct bk_memblock *mb = &t->block[block];

    for (unsigned told = 0; told < (t->code_bytes ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++) {
            mb->attained[told][side] = bk_memtable_array(t, bk_layout_bit_bytes(t, block));
            if (!mb->attained[told][side])
                return bk_no_memory(why);
        }
    return BK_OK;
}

size_t bk_layout_code_bytes(const struct bk_memtable *t, uint32_t block)
{
    return bk_memblock_array_bytes(
        (uint64_t)t->ix->block[block].pairs->nslices * t->block[block].slice_stride, t->code_bytes);
}

size_t bk_layout_bit_bytes(const struct bk_memtable *t, uint32_t block)
{
    return bk_memblock_array_bytes(
        (uint64_t)t->ix->block[block].pairs->nslices * t->block[block].bit_slice_stride, 0);
}
