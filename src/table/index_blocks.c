/*
 * index_blocks.c - see index_blocks.h.
 *
 * All choices of a cell for every man are gone through in ascending order.  The
 * first of each class is its block; the symmetry stored for the others turns them
 * into it (not the reverse: a symmetry need not be its own inverse).
 *
 * Cost: one look at each symmetry a choice.  Five pawns make millions of choices,
 * so blocks share their digits, and are found by keys without gaps.
 */
#include "table/index_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "table/combination.h"
#include "table/index_pairs.h"

/* The cells of all men after a symmetry, equal men sorted. */
static void turn_cells(const struct bk_index *ix, const uint8_t *cell, unsigned sym, uint8_t *out)
{
    for (unsigned s = 0; s < ix->nslots; s++) {
        const struct bk_cells *c = ix->cells[s];

        out[s] = c->cell_of[ix->map[sym][c->sq[c->first[cell[s]]]]];
    }
    bk_sort_like(out, ix->like, ix->nslots);
}

/* Has a cell fewer squares than equal men? */
static bool cells_overfull(const struct bk_index *ix, const struct bk_block *b)
{
    for (unsigned s = 0; s < ix->nslots; s++)
        if (bk_index_radix(ix, b, s) == 0)
            return true;
    return false;
}

/* Sets what a step of each digit adds to the number.  Returns how many numbers the block has. */
static uint64_t weigh_digits(const struct bk_index *ix, const struct bk_block *b,
                             struct bk_digits *d)
{
    uint64_t weight = 1;

    memset(d->weight, 0, sizeof d->weight);
    for (unsigned i = ix->nslots + 1; i-- > 0;) {
        unsigned slot = ix->order[i];

        if (slot == BK_KINGS_SLOT) {
            d->slice_weight = weight;
            weight *= b->pairs->nslices;
        } else if ((d->leads[slot] = (uint8_t)bk_index_leads(ix, b, slot)) != 0) {
            d->weight[slot] = weight;
            weight *= bk_index_radix(ix, b, slot);
        }
    }
    return weight;
}

/* Arrays that grow while blocks are found. */
struct rooms {
    size_t block, digits;
};

/*
 * The digits of a new block are mostly those of one shortly before: only so many are compared.  To
 * have some twice costs memory, not more than a block with digits of its own.
 */
#define DIGITS_LOOKED_AT 8

static bool find_digits(struct bk_index *ix, struct bk_block *b, struct rooms *room)
{
    struct bk_digits d = { .block = ix->nblocks };
    uint32_t i = ix->ndigits, end = i > DIGITS_LOOKED_AT ? i - DIGITS_LOOKED_AT : 0;

    b->size = weigh_digits(ix, b, &d);
    while (i-- > end) {
        const struct bk_digits *known = &ix->digits[i];

        b->digits = i;
        if (known->slice_weight == d.slice_weight && ix->block[known->block].pairs == b->pairs &&
            !memcmp(known->weight, d.weight, sizeof d.weight) &&
            !memcmp(known->leads, d.leads, sizeof d.leads) &&
            ix->block[known->block].size == b->size)
            return true;
    }
    if (!BK_ARRAY_ROOM(ix->digits, room->digits, ix->ndigits + 1u))
        return false;
    b->digits = ix->ndigits;
    ix->digits[ix->ndigits++] = d;
    return true;
}

/* Returns the symmetries that keep these cells.  *found: -1; or, where a symmetry turns them into a
   block that is there, what block_of[] has for them. */
static unsigned group_of(const struct bk_index *ix, const uint8_t *cell, uint32_t key,
                         int32_t *found)
{
    unsigned group = 1;
    uint8_t turned[BK_SLOTS_MAX];

    *found = -1;
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++) {
        uint32_t image;

        if (!(ix->group >> sym & 1))
            continue;
        turn_cells(ix, cell, sym, turned);
        image = bk_index_key(ix, turned);
        if (image == key)
            group |= 1u << sym;
        else if (ix->block_of[image] >= 0 && !(ix->block_of[image] & 7)) {
            *found = (ix->block_of[image] & ~7) | (int32_t)sym;
            break;
        }
    }
    return group;
}

static enum bk_err add_block(struct bk_index *ix, const uint8_t *cell, struct rooms *room)
{
    struct bk_block b = { .group = 0 };
    uint32_t key = bk_index_key(ix, cell);
    int32_t found;

    memcpy(b.cell, cell, sizeof b.cell);
    if (cells_overfull(ix, &b))
        return BK_OK;
    b.group = group_of(ix, cell, key, &found);
    if (found >= 0) {
        ix->block_of[key] = found;
        return BK_OK;
    }
    if (!ix->pairs[b.group] && !(ix->pairs[b.group] = bk_index_pairs_new(ix, b.group)))
        return BK_E_SYSTEM;
    b.pairs = ix->pairs[b.group];
    b.first = ix->positions;
    if (!find_digits(ix, &b, room))
        return BK_E_SYSTEM;
    for (unsigned s = 0; s < ix->nslots; s++)
        b.advance += ix->cells[s]->advance[cell[s]];
    ix->positions += b.size;
    if (!BK_ARRAY_ROOM(ix->block, room->block, ix->nblocks + 1u))
        return BK_E_SYSTEM;
    ix->block_of[key] = (int32_t)(ix->nblocks * 8);
    ix->block[ix->nblocks++] = b;
    return BK_OK;
}

/* Adds the one block of men for whom there is no room: without slices, as on a board that has no
   room for the kings. */
static enum bk_err add_empty_block(struct bk_index *ix, struct rooms *room)
{
    struct bk_block b = { .group = 1 };
    struct bk_pairs *pairs = ix->pairs[1] = bk_index_pairs_new(ix, 1);

    if (!pairs || !BK_ARRAY_ROOM(ix->block, room->block, 1) ||
        !BK_ARRAY_ROOM(ix->digits, room->digits, 1))
        return BK_E_SYSTEM;
    ix->digits[ix->ndigits++] = (struct bk_digits){ .block = 0 };
    pairs->nslices = 0;
    for (size_t i = 0; i < (size_t)ix->v->nsq * ix->v->nsq; i++)
        pairs->slice[i] = -1;
    b.pairs = pairs;
    ix->block[ix->nblocks++] = b;
    return BK_OK;
}

/* Gives back unused room: most tables have one block, and arrays grow as for many. */
static void shrink_arrays(struct bk_index *ix)
{
    struct bk_block *just = realloc(ix->block, ix->nblocks * sizeof *just);
    struct bk_digits *digits = realloc(ix->digits, ix->ndigits * sizeof *digits);

    if (just)
        ix->block = just;
    if (digits)
        ix->digits = digits;
}

/*
 * Equal men in cells a <= b <= c <= ... are numbered by C(a, 1) + C(b + 1, 2) + C(c + 2, 3) + ...:
 * of n cells C(n + k - 1, k) ascending choices, without gaps.  Unlike men make a mixed radix of
 * these numbers, the last men's digit the lowest: consecutive blocks have keys that are near.  Five
 * pawns of 48 squares, three against two: 23 M keys, and 255 M if equal men were not kept in order.
 * False: no memory.
 */
static bool keys_new(struct bk_index *ix)
{
    ix->nkeys = 1;
    ix->key_of = malloc((ix->nslots + 1u) * sizeof *ix->key_of);
    for (unsigned end = ix->nslots, from; ix->key_of && end; end = from) {
        const struct bk_cells *c = ix->cells[end - 1];

        from = ix->like[end - 1];
        for (unsigned i = 0; i < end - from; i++)
            for (unsigned sq = 0; sq < BK_SQ_MAX; sq++)
                ix->key_of[from + i][sq] =
                    c->cell_of[sq] == BK_SQ_NONE
                        ? BK_NO_KEY
                        : ix->nkeys * (uint32_t)bk_choose(c->cell_of[sq] + i, i + 1);
        ix->nkeys *= c->n ? (uint32_t)bk_choose(c->n + end - from - 1, end - from) : 0;
    }
    return ix->key_of != NULL;
}

/* Steps to the next choice of cells in ascending order; those of equal men ascend.  False: there is
   none. */
static bool next_cells(const struct bk_index *ix, uint8_t *cell)
{
    unsigned s = ix->nslots;

    while (s && cell[s - 1] + 1 == ix->cells[s - 1]->n)
        s--;
    if (!s)
        return false;
    cell[s - 1]++;
    for (; s < BK_SLOTS_MAX && s < ix->nslots; s++)
        cell[s] = ix->like[s] < s ? cell[s - 1] : 0;
    return true;
}

enum bk_err bk_index_blocks_new(struct bk_index *ix, struct bk_report *why)
{
    size_t choices = 1;
    struct rooms room = { 0, 0 };
    uint8_t cell[BK_SLOTS_MAX] = { 0 };

    for (unsigned s = 0; s < ix->nslots; s++) {
        choices *= ix->cells[s]->n;
        if (choices > (size_t)1 << 28)
            return bk_fail(why, BK_E_USAGE, "too many pawn placements for one table");
    }
    if (!keys_new(ix) || !(ix->block_of = malloc((ix->nkeys + !ix->nkeys) * sizeof *ix->block_of)))
        return bk_no_memory(why);
    memset(ix->block_of, 0xff, ix->nkeys * sizeof *ix->block_of);
    if (ix->nkeys)
        do
            if (add_block(ix, cell, &room))
                return bk_no_memory(why);
        while (next_cells(ix, cell));
    if (!ix->nblocks && add_empty_block(ix, &room))
        return bk_no_memory(why);
    shrink_arrays(ix);
    ix->whole = ix->nkeys == 1 && ix->block_of[0] == 0;
    return BK_OK;
}

void bk_index_reorder(struct bk_index *ix, const uint8_t *order)
{
    memcpy(ix->order, order, ix->nslots + 1u);
    for (uint32_t i = 0; i < ix->ndigits; i++)
        weigh_digits(ix, &ix->block[ix->digits[i].block], &ix->digits[i]);
}
