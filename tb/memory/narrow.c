/*
 * narrow.c - see narrow.h.
 */
#include "tb/memory/narrow.h"

#include <string.h>

#include "tb/memory/bitmap.h"

int bk_part_slot(const struct bk_index *ix, const struct bk_part *part)
{
    for (unsigned s = 0; part->of_man && s < ix->nslots; s++)
        if (ix->type[s] == part->type && ix->colour[s] == part->colour)
            return (int)s;
    return -1;
}

/* == Layout == */

/* The man's digits from `first` on, `n` of them; n 0: none of his squares is in this cell. */
struct digits {
    unsigned first, n;
};

static struct digits digits_of(const struct bk_index *ix, uint32_t block,
                               const struct bk_part *part, unsigned slot, bool raw)
{
    const struct bk_cells *cells = ix->cells[slot];
    unsigned first = BK_SQ_MAX, end = 0;

    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        for (unsigned sq = 0; (ix->group | 1u) >> sym & 1 && sq < ix->v->nsq; sq++) {
            unsigned at = ix->map[sym][sq], digit = raw ? at : cells->place_of[at];

            if (!part->on[sq] || cells->cell_of[at] != ix->block[block].cell[slot])
                continue;
            first = digit < first ? digit : first;
            end = digit + 1 > end ? digit + 1 : end;
        }
    return (struct digits){ first, end ? end - first : 0 };
}

/* What all places of this man take: the next larger stride, of which those above are multiples. */
static uint64_t unit_above(const struct bk_memblock *mb, unsigned nslots, unsigned slot)
{
    uint64_t unit = mb->slice_stride;

    for (unsigned s = 0; s < nslots; s++)
        if (mb->stride[s] > mb->stride[slot] && mb->stride[s] < unit)
            unit = mb->stride[s];
    return unit;
}

bool bk_narrow_lay_out(const struct bk_index *ix, uint32_t block, const struct bk_part *part,
                       struct bk_memblock *mb)
{
    int slot = bk_part_slot(ix, part);
    struct digits d;
    uint64_t unit, narrow;

    mb->narrow_n = 0;
    if (slot < 0)
        return true;
    d = digits_of(ix, block, part, (unsigned)slot, mb->raw[slot]);
    if (!d.n)
        return false;
    unit = unit_above(mb, ix->nslots, (unsigned)slot);
    narrow = d.n * mb->stride[slot];
    if (!narrow || narrow >= unit)
        return true; /* he stands still in this block, or goes everywhere */
    for (unsigned s = 0; s < ix->nslots; s++)
        if (mb->stride[s] >= unit)
            mb->stride[s] = mb->stride[s] / unit * narrow;
    mb->slice_stride = (mb->slice_stride + unit - 1) / unit * narrow;
    mb->narrow_slot = (uint8_t)slot;
    mb->narrow_first = (uint8_t)d.first;
    mb->narrow_n = (uint8_t)d.n;
    return true;
}

/* == Copies == */

/* Bits of `to` are zero. */
static void copy_bits(uint64_t *to, uint64_t at, const uint64_t *from, uint64_t first, uint64_t n)
{
    while (n) {
        unsigned room = 64 - (unsigned)(at & 63), part = n < room ? (unsigned)n : room;

        to[at >> 6] |= bk_bits_at(from, first, part) << (at & 63);
        at += part;
        first += part;
        n -= part;
    }
}

/* From an array that is laid out as `wide` to one as `narrow`. */
static void copy_part(void *to, const void *from, const struct bk_memblock *wide,
                      const struct bk_memblock *narrow, uint32_t nslices, unsigned nslots,
                      unsigned code_bytes)
{
    uint64_t stride = wide->stride[narrow->narrow_slot], skip = narrow->narrow_first * stride;
    uint64_t unit = unit_above(wide, nslots, narrow->narrow_slot), run = narrow->narrow_n * stride;

    for (uint64_t slice = 0; slice < nslices; slice++) {
        uint64_t at = slice * narrow->slice_stride, first = slice * wide->slice_stride,
                 end = first + wide->slice_stride;

        for (first += skip; first + run <= end; first += unit, at += run)
            if (code_bytes)
                memcpy((char *)to + at * code_bytes, (const char *)from + first * code_bytes,
                       run * code_bytes);
            else
                copy_bits(to, at, from, first, run);
    }
}

struct narrowing {
    struct bk_memtable *t;
    const struct bk_part *part;
};

/* Arrays for the sides that stay.  False: no memory. */
static bool find_room(const struct bk_memtable *t, uint32_t block, const struct bk_memblock *wide,
                      struct bk_memblock *narrow)
{
    uint64_t places = (uint64_t)t->ix->block[block].pairs->nslices * narrow->slice_stride;
    size_t bytes = bk_memblock_array_bytes(places, t->code_bytes);
    bool ok = true;

    for (unsigned side = 0; side < 2; side++) {
        narrow->code[side] = wide->code[side] ? bk_spill_new(t->spill, bytes) : NULL;
        narrow->draw[side] = wide->draw[side] ? bk_spill_new(t->spill, bytes) : NULL;
        ok = ok && !wide->code[side] == !narrow->code[side] &&
             !wide->draw[side] == !narrow->draw[side];
    }
    if (!ok)
        bk_memblock_free(narrow);
    return ok;
}

static void narrow_block(void *context, uint64_t block, unsigned thread)
{
    const struct narrowing *x = context;
    struct bk_memtable *t = x->t;
    struct bk_memblock *mb = &t->block[block], narrow = *mb;
    uint32_t nslices = t->ix->block[block].pairs->nslices;
    bool any = bk_narrow_lay_out(t->ix, (uint32_t)block, x->part, &narrow);

    (void)thread;
    bk_memblock_free_attained(mb);
    memset(narrow.attained, 0, sizeof narrow.attained);
    for (unsigned side = 0; side < 2; side++)
        if (!any || !x->part->side[side])
            bk_memblock_free_side(mb, side);
    if (!any || !narrow.narrow_n || !find_room(t, (uint32_t)block, mb, &narrow))
        return;
    for (unsigned side = 0; side < 2; side++) {
        if (mb->code[side])
            copy_part(narrow.code[side], mb->code[side], mb, &narrow, nslices, t->ix->nslots,
                      t->code_bytes);
        if (mb->draw[side])
            copy_part(narrow.draw[side], mb->draw[side], mb, &narrow, nslices, t->ix->nslots,
                      t->code_bytes);
    }
    bk_memblock_free(mb);
    *mb = narrow;
}

void bk_narrow(struct bk_memtable *t, const struct bk_part *part, struct bk_pool *pool)
{
    struct narrowing x = { t, part };

    if (part->known && !t->by_rule && !t->by_share)
        bk_pool_run(pool, t->ix->nblocks, narrow_block, &x);
}
