/*
 * rows.c - see rows.h.
 *
 * The last digit of the order varies within a row; the others are an odometer.
 * A row of one man is all values of its digit, so the number of a row is that of
 * its first position divided by them.  A row of kings is a run of slices: what
 * runs there are is worked out once for each group of symmetries, and added up
 * over the blocks.
 */
#include "table/rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "table/combination.h"
#include "table/index_new.h"

enum { WHITE_KING, BLACK_KING, FIRST_SLOT };

/* The runs of slices with one white king, of the king pairs under one group. */
struct runs {
    uint32_t n;
    uint32_t *first; /* by run, and one more: first slice */
    uint8_t *black;  /* by slice: the black king's square */
    uint8_t *of;     /* by slice: its run; there is at most one a square */
};

struct bk_rows {
    const struct bk_index *ix;
    unsigned last;         /* place in the order of the digit that varies */
    unsigned inner;        /* man */
    uint32_t n;            /* positions a row, if the inner man is no king */
    uint64_t *before;      /* by block, and one more: rows of the blocks before it */
    struct runs runs[256]; /* by group, if the inner man is a king */
};

/* == How an order makes rows == */

/* Has this man one cell, and its digit for itself? */
static bool stands_alone(const struct bk_index *ix, unsigned slot)
{
    return ix->cells[slot]->n == 1 && ix->like[slot] == slot &&
           (slot + 1 == ix->nslots || ix->like[slot + 1] != slot);
}

static void runs_free(struct runs *r)
{
    free(r->first);
    free(r->black);
    free(r->of);
}

static bool runs_find(struct runs *r, const struct bk_pairs *pairs)
{
    uint32_t n = pairs->nslices;

    r->first = malloc((n + 1u) * sizeof *r->first);
    r->black = malloc(n + 1u);
    r->of = malloc(n + 1u);
    if (!r->first || !r->black || !r->of)
        return false;
    for (uint32_t slice = 0; slice < n; slice++) {
        if (!slice || pairs->king[slice][0] != pairs->king[slice - 1][0])
            r->first[r->n++] = slice;
        r->of[slice] = (uint8_t)(r->n - 1);
        r->black[slice] = pairs->king[slice][1];
    }
    r->first[r->n] = n;
    return true;
}

static uint64_t rows_of(const struct bk_rows *rows, const struct bk_block *b)
{
    if (rows->inner >= FIRST_SLOT)
        return b->size / rows->n;
    return b->size ? b->size / b->pairs->nslices * rows->runs[b->pairs->group].n : 0;
}

enum bk_err bk_rows_new(struct bk_rows **out, const struct bk_index *ix, struct bk_report *why)
{
    unsigned slot = ix->order[ix->nslots];
    struct bk_rows *rows;
    bool ok;

    if (slot != BK_KINGS_SLOT && !stands_alone(ix, slot))
        return bk_fail(why, BK_E_CORRUPT, "the order of its digits makes no rows");
    rows = calloc(1, sizeof *rows);
    ok = rows && (rows->before = malloc((ix->nblocks + 1u) * sizeof *rows->before));
    if (ok) {
        rows->ix = ix;
        rows->last = ix->nslots;
        rows->inner = slot == BK_KINGS_SLOT ? BLACK_KING : FIRST_SLOT + slot;
        rows->n = slot == BK_KINGS_SLOT ? 0 : ix->cells[slot]->size[0];
        rows->before[0] = 0;
    }
    for (unsigned g = 0; ok && slot == BK_KINGS_SLOT && g < 256; g++)
        if (ix->pairs[g])
            ok = runs_find(&rows->runs[g], ix->pairs[g]);
    for (uint32_t i = 0; ok && i < ix->nblocks; i++)
        rows->before[i + 1] = rows->before[i] + rows_of(rows, &ix->block[i]);
    if (!ok) {
        bk_rows_free(rows);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    *out = rows;
    return BK_OK;
}

void bk_rows_free(struct bk_rows *rows)
{
    if (!rows)
        return;
    for (unsigned g = 0; g < 256; g++)
        runs_free(&rows->runs[g]);
    free(rows->before);
    free(rows);
}

uint64_t bk_rows_bytes(const struct bk_rows *rows)
{
    uint64_t bytes = sizeof *rows + (rows->ix->nblocks + 1u) * sizeof *rows->before;

    for (unsigned g = 0; g < 256; g++)
        if (rows->runs[g].first)
            bytes += (rows->ix->pairs[g]->nslices + 1u) * (sizeof *rows->runs[g].first + 2);
    return bytes;
}

unsigned bk_rows_inner(const struct bk_rows *rows) { return rows->inner; }

uint64_t bk_rows_count(const struct bk_rows *rows) { return rows->before[rows->ix->nblocks]; }

uint64_t bk_rows_before(const struct bk_rows *rows, uint32_t block) { return rows->before[block]; }

/* == A row == */

/* Sets the squares of the men of a digit that `slot` leads, from their places. */
static void set_squares(const struct bk_index *ix, struct bk_row *row, unsigned slot, unsigned men)
{
    const struct bk_cells *c = ix->cells[slot];
    const uint8_t *sq = c->sq + c->first[ix->block[row->block].cell[slot]];

    for (unsigned i = slot; i < slot + men && i < BK_SLOTS_MAX; i++)
        row->sq[FIRST_SLOT + i] = sq[row->place[i]];
}

static void set_kings(const struct bk_index *ix, struct bk_row *row, uint32_t slice)
{
    const uint8_t *king = ix->block[row->block].pairs->king[slice];

    row->sq[WHITE_KING] = king[0];
    row->sq[BLACK_KING] = king[1];
}

/* Sets which positions the row has: of kings, the run that begins with the slice of their digit. */
static void set_extent(const struct bk_rows *rows, struct bk_row *row)
{
    const struct bk_index *ix = rows->ix;
    const struct runs *runs;
    uint32_t slice = row->digit[rows->last];

    if (rows->inner >= FIRST_SLOT) {
        row->n = rows->n;
        row->inner_sq = ix->cells[rows->inner - FIRST_SLOT]->sq;
        return;
    }
    runs = &rows->runs[ix->block[row->block].pairs->group];
    row->n = runs->first[runs->of[slice] + 1u] - slice;
    row->inner_sq = runs->black + slice;
    set_kings(ix, row, slice);
}

/* Sets the digits of a row but the last, which it has.  rest: the number that they make in the
   block. */
static void spread(const struct bk_rows *rows, struct bk_row *row, uint64_t rest)
{
    const struct bk_index *ix = rows->ix;
    const struct bk_block *b = &ix->block[row->block];

    for (unsigned i = rows->last; i-- > 0;) {
        unsigned slot = ix->order[i], men;
        uint64_t radix;

        if (slot == BK_KINGS_SLOT) {
            row->digit[i] = (uint32_t)(rest % b->pairs->nslices);
            rest /= b->pairs->nslices;
            set_kings(ix, row, row->digit[i]);
        } else if ((men = bk_index_leads(ix, b, slot))) {
            radix = bk_index_radix(ix, b, slot);
            bk_combination_unrank(rest % radix, men, row->place + slot);
            rest /= radix;
            set_squares(ix, row, slot, men);
        }
    }
    set_extent(rows, row);
}

/* Sets `out` to a row of a block.  within: the number that all digits but the last make; last: the
   last digit of the row's first position. */
static void make_row(const struct bk_rows *rows, uint32_t block, uint64_t within, uint32_t last,
                     struct bk_row *out)
{
    const struct bk_block *b = &rows->ix->block[block];
    uint32_t radix = rows->inner >= FIRST_SLOT ? rows->n : b->pairs->nslices;

    memset(out, 0, sizeof *out);
    out->block = block;
    out->inner = (uint8_t)rows->inner;
    out->digit[rows->last] = last;
    out->first = b->first + within * radix + last;
    if (rows->inner >= FIRST_SLOT)
        out->nth = rows->before[block] + within;
    else
        out->nth = rows->before[block] + within * rows->runs[b->pairs->group].n +
                   rows->runs[b->pairs->group].of[last];
    spread(rows, out, within);
}

void bk_row_of(const struct bk_rows *rows, uint64_t number, struct bk_row *out)
{
    uint32_t block = bk_index_block_with(rows->ix, number);
    const struct bk_block *b = &rows->ix->block[block];
    const struct runs *runs = &rows->runs[b->pairs->group];
    uint32_t slices = b->pairs->nslices;

    number -= b->first;
    if (rows->inner >= FIRST_SLOT)
        make_row(rows, block, number / rows->n, 0, out);
    else
        make_row(rows, block, number / slices, runs->first[runs->of[number % slices]], out);
}

/* Returns the block with the nth row; an empty block has none. */
static uint32_t block_with_row(const struct bk_rows *rows, uint64_t nth)
{
    uint32_t low = 0, high = rows->ix->nblocks;

    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;

        if (rows->before[mid] <= nth)
            low = mid;
        else
            high = mid;
    }
    return low;
}

void bk_row_nth(const struct bk_rows *rows, uint64_t nth, struct bk_row *out)
{
    uint32_t block = block_with_row(rows, nth);
    const struct runs *runs = &rows->runs[rows->ix->block[block].pairs->group];

    nth -= rows->before[block];
    if (rows->inner >= FIRST_SLOT)
        make_row(rows, block, nth, 0, out);
    else
        make_row(rows, block, nth / runs->n, runs->first[nth % runs->n], out);
}

uint64_t bk_row_first(const struct bk_rows *rows, uint32_t block, uint64_t number)
{
    const struct bk_block *b;
    const struct runs *runs;
    uint32_t slice;

    if (rows->inner >= FIRST_SLOT) /* all blocks are whole rows */
        return number - number % rows->n;
    b = &rows->ix->block[block];
    runs = &rows->runs[b->pairs->group];
    slice = (uint32_t)((number - b->first) % b->pairs->nslices);
    return number - slice + runs->first[runs->of[slice]];
}

/* == The next row == */

/* Steps to the next set of equal men's places below `size`, the lowest varying fastest; false: it
   was the last, and is the first again. */
static bool next_places(uint8_t *place, unsigned men, unsigned size)
{
    for (unsigned i = 0; i < men && i < BK_SLOTS_MAX; i++) {
        unsigned end = i + 1 < men ? place[i + 1] : size;

        if (place[i] + 1u < end) {
            place[i]++;
            return true;
        }
        place[i] = (uint8_t)i;
    }
    return false;
}

/* Adds one to the digit at place `i` of the order; false: it begins anew. */
static bool turn_digit(const struct bk_index *ix, struct bk_row *row, unsigned i)
{
    const struct bk_block *b = &ix->block[row->block];
    unsigned slot = ix->order[i], men;
    bool more;

    if (slot == BK_KINGS_SLOT) {
        more = ++row->digit[i] < b->pairs->nslices;
        if (!more)
            row->digit[i] = 0;
        set_kings(ix, row, row->digit[i]);
        return more;
    }
    men = bk_index_leads(ix, b, slot);
    if (!men)
        return false;
    more = next_places(row->place + slot, men, ix->cells[slot]->size[b->cell[slot]]);
    set_squares(ix, row, slot, men);
    return more;
}

void bk_row_next(const struct bk_rows *rows, struct bk_row *row)
{
    const struct bk_index *ix = rows->ix;
    unsigned i = rows->last;

    row->first += row->n;
    row->nth++;
    if (rows->inner < FIRST_SLOT) { /* the next run, if there is one */
        row->digit[i] += row->n;
        if (row->digit[i] < ix->block[row->block].pairs->nslices) {
            set_extent(rows, row);
            return;
        }
        row->digit[i] = 0;
    }
    while (i > 0 && !turn_digit(ix, row, i - 1))
        i--;
    if (i > 0)
        set_extent(rows, row);
    else if (row->nth < bk_rows_count(rows)) /* another block */
        bk_row_nth(rows, row->nth, row);
}

/* == Choosing an order == */

#define PLAIN (1u << 24) /* outweighs any mobility */

/* Returns the number of a man's moves from all squares of an empty board. */
static unsigned mobility(const struct bk_index *ix, unsigned slot)
{
    unsigned sum = 0;

    for (unsigned sq = 0; sq < ix->v->nsq; sq++)
        sum += ix->v->geometry->count[ix->type[slot]][ix->colour[slot]][sq];
    return sum;
}

/* Can the solver vary this man within a word?  He has the same moves from everywhere, and no double
   captures. */
static bool moves_plainly(const struct bk_index *ix, unsigned slot)
{
    return bk_rules_moves_alike(ix->v, ix->type[slot]) &&
           !bk_rules_takes_twice(ix->v, ix->type[slot]);
}

/* Returns the positions of a row of kings, on average: of the last block, to which men go to and
   fro. */
static uint32_t kings_row(const struct bk_index *ix)
{
    const struct bk_pairs *pairs = ix->nblocks ? ix->block[ix->nblocks - 1].pairs : NULL;
    uint32_t runs = 0;

    for (uint32_t i = 0; pairs && i < pairs->nslices; i++)
        runs += !i || pairs->king[i][0] != pairs->king[i - 1][0];
    return runs ? pairs->nslices / runs : 0;
}

/* The slot of the inner man, or BK_KINGS_SLOT. */
static unsigned choose_inner(const struct bk_index *ix)
{
    unsigned best = BK_KINGS_SLOT, most = 0;
    uint32_t largest = kings_row(ix);

    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        uint32_t size = ix->cells[slot]->size[0];
        unsigned n = mobility(ix, slot) + moves_plainly(ix, slot) * PLAIN;

        if (!stands_alone(ix, slot) || ix->right[slot] >= 0 || size < largest ||
            (size == largest && best != BK_KINGS_SLOT && n <= most))
            continue;
        best = slot;
        most = n;
        largest = size;
    }
    return best;
}

/* Appends the slots to an order, those with most moves first (or last); the rest of equal men
   behind the first. */
static void append_slots(const struct bk_index *ix, unsigned inner, bool most_first, uint8_t *order)
{
    unsigned n = 0;

    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        unsigned at = n;

        if (slot == inner)
            continue;
        for (; at; at--) {
            unsigned before = mobility(ix, order[at - 1]), own = mobility(ix, slot);

            if (ix->cells[slot]->n > 1 && ix->cells[order[at - 1]]->n == 1)
                continue; /* those that stay in a cell come after the others */
            if (ix->cells[slot]->n == 1 && ix->cells[order[at - 1]]->n > 1)
                break;
            if (most_first ? own <= before : own >= before)
                break;
        }
        memmove(order + at + 1, order + at, n - at);
        order[at] = (uint8_t)slot;
        n++;
    }
}

void bk_rows_order(const struct bk_index *ix, uint8_t *order)
{
    unsigned inner = choose_inner(ix);

    if (inner == BK_KINGS_SLOT) {
        append_slots(ix, inner, false, order);
        order[ix->nslots] = BK_KINGS_SLOT;
        return;
    }
    order[0] = BK_KINGS_SLOT;
    append_slots(ix, inner, true, order + 1);
    order[ix->nslots] = (uint8_t)inner;
}

void bk_rows_reorder(struct bk_index *ix)
{
    uint8_t order[BK_SLOTS_MAX + 1];

    bk_rows_order(ix, order);
    bk_index_reorder(ix, order);
}
