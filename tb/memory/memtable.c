/*
 * memtable.c - see memtable.h.
 */
#include "tb/memory/memtable.h"

#include <stdlib.h>
#include <string.h>

#include "table/index_new.h"

/* The codes of the bits code + 2 * draw. */
static const uint8_t code_of_bits[4] = { BK_CODE_LOSS8, BK_CODE_WIN, BK_CODE_DRAW,
                                         BK_CODE_ILLEGAL };

enum bk_err bk_memtable_new(struct bk_memtable **out, const struct bk_variant *v,
                            const struct bk_material *m, struct bk_report *why)
{
    struct bk_memtable *t = calloc(1, sizeof *t);
    enum bk_err err;

    if (!t)
        return bk_no_memory(why);
    err = bk_index_new(&t->ix, v, m, NULL, why);
    if (err) {
        free(t);
        return err;
    }
    t->by_rule = bk_material_by_rule(m, v);
    t->code_bytes = 1;
    t->block = calloc(t->ix->nblocks, sizeof *t->block);
    if (!t->block) {
        bk_memtable_free(t);
        return bk_no_memory(why);
    }
    for (unsigned code = 0; code < 256; code++)
        t->score8[code] = bk_score_before(bk_code_score(code, 1));
    t->row_scores = bk_row_scores_for();
    *out = t;
    return BK_OK;
}

struct bk_memtable *bk_memtable_beside(const struct bk_memtable *t)
{
    struct bk_memtable *beside = malloc(sizeof *beside);

    if (!beside)
        return NULL;
    *beside = *t;
    beside->also = NULL;
    beside->borrows_index = true;
    beside->block = calloc(t->ix->nblocks, sizeof *t->block);
    if (!beside->block) {
        free(beside);
        return NULL;
    }
    return beside;
}

void bk_memtable_free(struct bk_memtable *t)
{
    while (t) {
        struct bk_memtable *also = t->also;

        for (uint32_t i = 0; t->block && i < t->ix->nblocks; i++)
            bk_memblock_free(&t->block[i]);
        free(t->block);
        if (also)
            also->borrows_index = t->borrows_index;
        else if (!t->borrows_index)
            bk_index_free(t->ix);
        free(t);
        t = also;
    }
}

const struct bk_memtable *bk_memtable_for(const struct bk_memtable *t, unsigned colour,
                                          unsigned type)
{
    const struct bk_memtable *part = t;

    while (part && (part->of_colour != colour || part->of_type != type))
        part = part->also;
    return t->also && part ? part : t;
}

/* == Blocks == */

size_t bk_memblock_array_bytes(uint64_t places, unsigned code_bytes)
{
    return code_bytes ? (size_t)places * code_bytes : ((size_t)places + 63) / 64 * 8;
}

uint64_t bk_memblock_bytes(uint64_t places, unsigned code_bytes)
{
    return (code_bytes ? 2 : 4) * (uint64_t)bk_memblock_array_bytes(places, code_bytes);
}

bool bk_memblock_alloc(struct bk_memblock *mb, struct bk_spill *st, uint64_t places,
                       unsigned code_bytes)
{
    size_t bytes = bk_memblock_array_bytes(places, code_bytes);
    bool ok = true;

    for (unsigned side = 0; side < 2; side++) {
        ok = ok && (mb->code[side] = bk_spill_new(st, bytes));
        if (!code_bytes)
            ok = ok && (mb->draw[side] = bk_spill_new(st, bytes));
    }
    return ok;
}

void *bk_memtable_array(const struct bk_memtable *t, size_t bytes)
{
    return t->by_share ? bk_spill_new_sparse(bytes) : bk_spill_new(t->spill, bytes);
}

bool bk_memtable_alloc(struct bk_memtable *t, uint32_t block)
{
    struct bk_memblock *mb = &t->block[block];
    uint64_t places = (uint64_t)t->ix->block[block].pairs->nslices * mb->slice_stride;
    size_t bytes = bk_memblock_array_bytes(places, t->code_bytes);
    bool ok = true;

    for (unsigned side = 0; side < 2; side++) {
        ok = ok && (mb->code[side] = bk_memtable_array(t, bytes));
        if (!t->code_bytes)
            ok = ok && (mb->draw[side] = bk_memtable_array(t, bytes));
    }
    return ok;
}

void bk_memblock_free_side(struct bk_memblock *mb, unsigned side)
{
    bk_spill_free(mb->code[side]);
    bk_spill_free(mb->draw[side]);
    mb->code[side] = mb->draw[side] = NULL;
}

void bk_memblock_free_attained(struct bk_memblock *mb)
{
    for (unsigned told = 0; told < 2; told++)
        for (unsigned side = 0; side < 2; side++) {
            bk_spill_free(mb->attained[told][side]);
            mb->attained[told][side] = NULL;
        }
}

void bk_memblock_free(struct bk_memblock *mb)
{
    bk_memblock_free_attained(mb);
    for (unsigned side = 0; side < 2; side++)
        bk_memblock_free_side(mb, side);
    mb->trimmed = false;
}

unsigned bk_memblock_code(const struct bk_memtable *t, const struct bk_memblock *mb, unsigned stm,
                          uint64_t at)
{
    if (t->code_bytes == 0)
        return code_of_bits[bk_two_bits(mb, stm, at)];
    return t->code_bytes == 1 ? ((const uint8_t *)mb->code[stm])[at]
                              : ((const uint16_t *)mb->code[stm])[at];
}

unsigned bk_memtable_code(const struct bk_memtable *t, unsigned stm, struct bk_placement at)
{
    const struct bk_index *ix = t->ix;
    int32_t nth = bk_index_block(ix, &at);
    const struct bk_block *b;
    const struct bk_memblock *mb;
    size_t pair;
    uint64_t offset;

    if (nth < 0)
        return BK_CODE_ILLEGAL;
    b = &ix->block[nth];
    mb = &t->block[nth];
    pair = (size_t)at.king[0] * ix->v->nsq + at.king[1];
    if (b->pairs->slice[pair] < 0)
        return BK_CODE_ILLEGAL;
    if (b->pairs->sym[pair]) {
        const uint8_t *map = ix->map[b->pairs->sym[pair]];

        for (unsigned s = 0; s < ix->nslots; s++)
            at.sq[s] = map[at.sq[s]];
        at.king[0] = map[at.king[0]];
        at.king[1] = map[at.king[1]];
        nth = bk_index_block(ix, &at); /* equal men in the order of their cells */
    }
    offset = (uint64_t)b->pairs->slice[pair] * mb->slice_stride;
    for (unsigned s = 0; s < ix->nslots; s++) {
        unsigned digit = mb->raw[s] ? at.sq[s] : ix->cells[s]->place_of[at.sq[s]];

        digit = bk_memblock_digit(mb, s, digit);
        if (digit == BK_SQ_NONE || !mb->code[stm])
            return BK_CODE_ILLEGAL;
        offset += mb->stride[s] * digit;
    }
    return bk_memblock_code(t, mb, stm, offset);
}

uint64_t bk_memtable_bytes(const struct bk_memtable *t)
{
    uint64_t bytes = t->also ? bk_memtable_bytes(t->also) : 0;

    for (uint32_t i = 0; !t->by_rule && i < t->ix->nblocks; i++) {
        const struct bk_memblock *mb = &t->block[i];
        uint64_t places = (uint64_t)t->ix->block[i].pairs->nslices * mb->slice_stride;

        for (unsigned side = 0; side < 2; side++)
            bytes += mb->code[side] ? bk_memblock_bytes(places, t->code_bytes) / 2 : 0;
    }
    return bytes;
}
