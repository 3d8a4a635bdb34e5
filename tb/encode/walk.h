/*
 * walk.h - goes through the cells of consecutive rows: down the tree, or from memory.
 *
 * To find a cell down the tree takes ten times as long as to read a remembered one.  So the first
 * walk may record cells, and later ones recall them (cells.h).
 *
 * A cell is *odd* if some position in it cannot have the value that its leaf's sample guessed
 * (struct bk_learned).  The values of other cells need not be read again.
 */
#ifndef BK_WALK_H
#define BK_WALK_H

#include "tb/encode/cells.h"
#include "tb/encode/input.h"
#include "tb/encode/learn.h"

struct bk_walk;
typedef void bk_walk_row(struct bk_walk *w);
typedef void bk_walk_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares);

/* Remembered cells are read BK_WALK_AHEAD cells before they are handed on, so that what belongs to
   their leaves can be prefetched; `soon` is called BK_WALK_SOON cells after a cell has been read.
 */
#define BK_WALK_AHEAD 8
#define BK_WALK_SOON  3
struct bk_walk_ahead {
    uint32_t row, leaf;
    bool odd;
    uint64_t squares[BK_CELL_WORDS_MAX];
};
typedef void bk_walk_soon(const struct bk_walk *w, const struct bk_walk_ahead *cell);

struct bk_walk {
    const struct bk_unit_source *src;
    const struct bk_learned *learned;
    struct bk_fact_row *facts;
    struct bk_turned *turned;
    unsigned words;
    bk_walk_row *begin;                /* called at each row; NULL is fine */
    bk_walk_cell *cell;                /* called for each cell */
    const struct bk_cell_list *recall; /* the cells to go through; NULL: down the tree */
    const void *kept; /* recalling: prefetched by leaf, kept_bytes each; NULL: none */
    size_t kept_bytes;
    const bool *passed; /* recalling: by leaf, are its cells skipped unless odd?  NULL: none */
    bk_walk_soon *soon; /* recalling: called ahead of `cell` for odd cells; NULL is fine */
    struct bk_cell_list *record; /* where cells are recorded; NULL: nowhere, or memory is out */
    /* The present row and cell. */
    struct bk_row row;
    uint32_t nth; /* of the row, from 0 */
    bool odd;     /* the cell is */
    bool seen;    /* the row's values have been read */
    struct bk_row_values values;
    uint64_t agree[1u << BK_FIVE_BITS][BK_CELL_WORDS_MAX]; /* squares that may have a result */
    struct bk_cell_in in;
    struct bk_walk_ahead ahead[BK_WALK_AHEAD]; /* a ring of the cells that were read last */
    uint32_t called, read; /* cells that `cell` was called for; cells that were read */
};

/* Goes through the rows that begin at the numbers from `from` to end - 1.  If cells are recalled,
   values are not read: `cell` may call bk_walk_read(). */
void bk_walk(struct bk_walk *w, uint64_t from, uint64_t end);

/* Goes to the row that holds a number, and reads its values. */
void bk_walk_read_at(struct bk_walk *w, uint64_t number);
/* Reads the values of the present row. */
void bk_walk_read(struct bk_walk *w);

#endif
