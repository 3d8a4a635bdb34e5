/*
 * walk.h - goes through the cells of consecutive rows.
 *
 * A *cell* is the squares of a row that reach one leaf of the tree.  A way down the tree costs ten
 * times what reading a cell does, so cells may be taken down the first time, and recalled later
 * (cells.h).
 *
 * A cell is *odd* if some of its positions have another value than the leaf's likeliest, the guess.
 * Of the others the values need not be read again.
 */
#ifndef BK_WALK_H
#define BK_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "tb/encode/cells.h"
#include "tb/encode/input.h"
#include "tb/encode/learn.h"

struct bk_walk;
typedef void bk_walk_row(struct bk_walk *w);
typedef void bk_walk_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares);

/* Remembered cells are read so many ahead, so that data of their leaves may be prefetched. */
#define BK_WALK_AHEAD 8
#define BK_WALK_SOON  3 /* cells from the one that `soon` is called for to the one read then */
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
    bk_walk_row *begin; /* called at each row; NULL is fine */
    bk_walk_cell *cell;
    const struct bk_cell_list *recall; /* cells to go through; NULL: down the tree */
    const void *kept; /* recalling: by leaf, kept_bytes each, prefetched; NULL: none */
    size_t kept_bytes;
    const bool *passed; /* recalling: by leaf, its cells that are not odd are skipped; NULL: none */
    bk_walk_soon *soon; /* called some cells before an odd cell is recalled; NULL is fine */
    struct bk_cell_list *record; /* cells are recorded here; NULL: not, or no more */
    /* The present row and cell. */
    struct bk_row row;
    uint32_t nth; /* of the row, from 0 */
    bool odd;     /* the cell is */
    bool seen;    /* the row's values have been read */
    struct bk_row_values values;
    uint64_t agree[1u << BK_RESULT_BITS][BK_CELL_WORDS_MAX]; /* squares that may have this value */
    struct bk_cell_in in;
    struct bk_walk_ahead ahead[BK_WALK_AHEAD]; /* the cells read so far that are still to come: */
    uint32_t told, read;                       /* from `told` to read - 1, modulo their number */
};

/* Goes through the rows that begin at the numbers from `from` to end - 1.  When cells are recalled,
   values are not read. */
void bk_walk(struct bk_walk *w, uint64_t from, uint64_t end);

/* Goes to the row that holds a number, and reads its values. */
void bk_walk_read_at(struct bk_walk *w, uint64_t number);
/* Reads the values of the row where it is. */
void bk_walk_read(struct bk_walk *w);

#endif
