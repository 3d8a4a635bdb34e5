/*
 * view_where.c - squares, cells, block, slice: where men stand in a table.  See view_where.h.
 */
#include "tb/memory/view_where.h"

#include <string.h>

/* Is this the slot of a man such as the plan's `i`th? */
static inline bool is_slot_of(const struct bk_view_plan *p, unsigned i, unsigned s)
{
    const struct bk_index *ix = p->t->ix;

    return ix->type[s] == p->type[i] && ix->colour[s] == p->colour[i] &&
           ix->right[s] == p->right[i];
}

void bk_view_squares_of(const struct bk_view_plan *p, const struct bk_placement *at, uint8_t *sq)
{
    for (unsigned i = 0; i < p->nmen; i++) {
        sq[i] = at->sq[p->parent[i]];
        if (p->exchanged)
            sq[i] = p->swap[sq[i]];
    }
}

bool bk_view_find_slots(const struct bk_view_plan *p, const uint8_t *sq, uint8_t *cell,
                        unsigned *slot)
{
    const struct bk_index *ix = p->t->ix;
    unsigned used = 0;

    for (unsigned i = 0; i < p->nmen; i++) {
        unsigned s = 0;

        while (!is_slot_of(p, i, s))
            s++;
        cell[i] = ix->cells[s]->cell_of[sq[i]];
        if (cell[i] == BK_SQ_NONE)
            return false;
    }
    for (unsigned s = 0; s < ix->nslots; s++) {
        unsigned best = BK_SLOTS_MAX;

        for (unsigned i = 0; i < p->nmen; i++)
            if (!(used >> i & 1) && is_slot_of(p, i, s) &&
                (best == BK_SLOTS_MAX || cell[i] < cell[best]))
                best = i;
        used |= 1u << best;
        slot[best] = s;
    }
    return true;
}

/* The block of men in these cells and slots, as bk_block_of_cells() has it. */
static int32_t find_block(const struct bk_view_plan *p, const uint8_t *cell, const unsigned *slot)
{
    uint8_t in_slot[BK_SLOTS_MAX];

    for (unsigned i = 0; i < p->nmen; i++)
        in_slot[slot[i]] = cell[i];
    return bk_block_of_cells(p->t->ix, in_slot);
}

/* Returns the slice in which the kings are in a block (found: of find_block()), -1: none.  map: set
   to the turn by which squares of the parent's board come there. */
static int32_t find_slice(const struct bk_view_plan *p, int32_t found,
                          const struct bk_placement *at, uint8_t *map)
{
    const struct bk_index *ix = p->t->ix;
    const struct bk_pairs *pairs = ix->block[found >> 3].pairs;
    const uint8_t *by_block = ix->map[found & 7], *by_kings;
    unsigned nsq = ix->v->nsq, wk = at->king[p->exchanged], bk = at->king[!p->exchanged];
    size_t pair;

    if (p->exchanged) {
        wk = p->swap[wk];
        bk = p->swap[bk];
    }
    pair = (size_t)by_block[wk] * nsq + by_block[bk];
    if (pairs->slice[pair] < 0)
        return -1;
    by_kings = ix->map[pairs->sym[pair]];
    if (p->exchanged)
        for (unsigned s = 0; s < nsq; s++)
            map[s] = by_kings[by_block[p->swap[s]]];
    else if (found & 7)
        for (unsigned s = 0; s < nsq; s++)
            map[s] = by_kings[by_block[s]];
    else
        memcpy(map, by_kings, nsq);
    return pairs->slice[pair];
}

/* Adds to *offset what a man on `sq` of the table adds.  False: the table does not hold it. */
static inline bool add_man(const struct bk_view_plan *p, const struct bk_memblock *mb,
                           unsigned slot, unsigned sq, uint64_t *offset)
{
    unsigned digit =
        bk_memblock_digit(mb, slot, mb->raw[slot] ? sq : p->t->ix->cells[slot]->place_of[sq]);

    *offset += mb->stride[slot] * digit;
    return digit != BK_SQ_NONE;
}

bool bk_view_locate(const struct bk_view_plan *p, const struct bk_placement *at, unsigned free_mask,
                    struct bk_view_located *l)
{
    uint8_t cell[BK_SLOTS_MAX], sq[BK_SLOTS_MAX];
    int32_t found, slice;

    bk_view_squares_of(p, at, sq);
    if (!bk_view_find_slots(p, sq, cell, l->slot))
        return false;
    found = find_block(p, cell, l->slot);
    slice = found < 0 ? -1 : find_slice(p, found, at, l->map);
    if (slice < 0)
        return false;
    for (unsigned i = 0; i < p->nmen; i++)
        sq[i] = l->map[at->sq[p->parent[i]]];
    if (!bk_view_find_slots(p, sq, cell, l->slot)) /* a turn may exchange the cells of equal men */
        return false;
    l->stm = p->exchanged ? !p->stm : p->stm;
    l->block = &p->t->block[found >> 3];
    l->base = (uint64_t)slice * l->block->slice_stride;
    for (unsigned i = 0; i < p->nmen; i++)
        if (!(free_mask >> p->parent[i] & 1) && !add_man(p, l->block, l->slot[i], sq[i], &l->base))
            return false;
    return l->block->code[l->stm] != NULL;
}

unsigned bk_view_slot_like(const struct bk_view_plan *p, unsigned slot)
{
    unsigned man = 0, s = 0;

    while (p->parent[man] != slot)
        man++;
    while (!is_slot_of(p, man, s))
        s++;
    return s;
}

unsigned bk_view_stand_somewhere(const struct bk_view_plan *p, const struct bk_free_man *men,
                                 unsigned nfree, struct bk_placement *at)
{
    unsigned mask = 0;

    for (unsigned i = 0; i < nfree; i++) {
        const struct bk_cells *cells = p->t->ix->cells[bk_view_slot_like(p, men[i].slot)];

        mask |= 1u << men[i].slot;
        at->sq[men[i].slot] = men[i].sq[0];
        for (unsigned j = 0; j < men[i].n; j++) {
            unsigned sq = p->exchanged ? p->swap[men[i].sq[j]] : men[i].sq[j];

            if (cells->cell_of[sq] != BK_SQ_NONE) {
                at->sq[men[i].slot] = men[i].sq[j];
                break;
            }
        }
    }
    return mask;
}

/* == Men that stand still == */

bool bk_view_place_still(const struct bk_view_plan *p, const struct bk_placement *at,
                         unsigned free_mask, struct bk_view_still *still)
{
    const struct bk_index *ix = p->t->ix;
    uint8_t sq[BK_SLOTS_MAX] = { 0 }, turned[BK_SLOTS_MAX] = { 0 }, cell[BK_SLOTS_MAX];
    unsigned slot[BK_SLOTS_MAX];
    int32_t found;

    bk_view_squares_of(p, at, sq);
    if (!bk_view_find_slots(p, sq, cell, slot))
        return false;
    found = find_block(p, cell, slot);
    if (found < 0)
        return false;
    still->b = &ix->block[found >> 3];
    still->mb = &p->t->block[found >> 3];
    still->turn_block = (unsigned)found & 7;
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        if (!(still->b->group >> sym & 1))
            continue;
        for (unsigned i = 0; i < p->nmen; i++)
            turned[i] = ix->map[sym][ix->map[still->turn_block][sq[i]]];
        if (!bk_view_find_slots(p, turned, cell, slot))
            return false;
        still->offset[sym] = 0;
        for (unsigned i = 0; i < p->nmen; i++)
            if (!(free_mask >> p->parent[i] & 1) &&
                !add_man(p, still->mb, slot[i], turned[i], &still->offset[sym]))
                return false;
    }
    return true;
}
