/*
 * rows.h - the numbers of an index, row by row.
 *
 *   row    numbers that follow each other and differ in the square of one man
 *          alone, the *inner man*.  Every number lies in exactly one row.
 *
 * The last digit of the index's order decides which man that is:
 *   a slot        a man of one cell that shares its digit with no equal man: a
 *                 row is the values of its digit, all rows are equally long;
 *   the kings     (BK_KINGS_SLOT) the black king: a row is a run of slices with
 *                 the same white king.  Slices of one group are numbered by
 *                 White's king first, so runs are contiguous.  Rows differ in
 *                 length, from block to block, too.
 * Other orders make no rows.
 *
 * Men are counted 0 white king, 1 black king, 2 + slot.  Rows are numbered,
 * too, through the whole table: the `nth`.
 *
 * All of it is read-only after bk_rows_new(): any number of threads.
 */
#ifndef BK_ROWS_H
#define BK_ROWS_H

#include "table/index.h"

struct bk_row {
    uint64_t first;          /* number of its first position */
    uint64_t nth;            /* of the table's rows */
    uint32_t n;              /* positions; at most the board's squares */
    uint32_t block;          /* of the index */
    uint8_t inner;           /* man */
    uint8_t sq[BK_MEN_MAX];  /* by man, as bk_index_unrank() has them; the inner's means nothing */
    const uint8_t *inner_sq; /* the inner man's square by (number - first); borrowed from rows */
    /* rows.c's own: where it is in its block */
    uint32_t digit[BK_SLOTS_MAX + 1]; /* by place in the order, the kings' alone */
    uint8_t place[BK_SLOTS_MAX];      /* by slot: in its cell */
};

struct bk_rows;

/*
 * Finds how the numbers of an index make rows.
 * ix       borrowed; must outlive the rows
 * Returns BK_OK; BK_E_CORRUPT (its order of digits makes none); BK_E_SYSTEM (memory).
 */
enum bk_err bk_rows_new(struct bk_rows **out, const struct bk_index *ix, struct bk_report *why);
void bk_rows_free(struct bk_rows *rows);
uint64_t bk_rows_bytes(const struct bk_rows *rows); /* memory that they take */

/* The man that varies within rows. */
unsigned bk_rows_inner(const struct bk_rows *rows);
/* Rows of the whole table. */
uint64_t bk_rows_count(const struct bk_rows *rows);
/* The first row of a block (bk_index.nblocks: behind the last one). */
uint64_t bk_rows_before(const struct bk_rows *rows, uint32_t block);

/* The row that holds a number < ix->positions.  Cost: as bk_index_unrank(). */
void bk_row_of(const struct bk_rows *rows, uint64_t number, struct bk_row *out);
/* The nth row of the table, nth < bk_rows_count(). */
void bk_row_nth(const struct bk_rows *rows, uint64_t nth, struct bk_row *out);
/* Turns a row into the one after it, which must exist.  Cost: some 5 ns. */
void bk_row_next(const struct bk_rows *rows, struct bk_row *row);

/* Returns the first number of the row that holds `number`, which lies in `block`; for probes. */
uint64_t bk_row_first(const struct bk_rows *rows, uint32_t block, uint64_t number);

/*
 * Sets `order` to an order of digits that makes rows, for a table's file: it
 * follows from the variant and the material alone.
 *
 *   inner   the man with the largest cell of those that can be one; of those
 *           with the most moves; else, or if its cell is smaller than a row of
 *           kings, the kings
 *   others  so that consecutive rows lie close to each other in the solver's
 *           memory (docs/solving.md 1)
 * order   out: ix->nslots + 1 entries; ix->order itself does not count
 */
void bk_rows_order(const struct bk_index *ix, uint8_t *order);

/* Gives an index that is not in use yet the order of bk_rows_order(). */
void bk_rows_reorder(struct bk_index *ix);

#endif
