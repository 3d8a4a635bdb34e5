/*
 * source.h - the rows of a solved table, as its file will store them.
 *
 * What is stored of a position (docs/format.md):
 *   wdl        0 won, 1 drawn, 2 lost by the mover
 *   distances  of a won position k: a win in 2k + 1 plies
 * and of a table that counts to zeroing (bk_memtable.nmove):
 *   wdl        0 won, 1 cursed, 2 drawn, 3 blessed, 4 lost
 *   distances  of a won or cursed position d - 1: d plies to zeroing
 * and, of positions whose best exit attains the value (kernel/attain.h), only
 * that it is at least that.  Illegal positions are free, and so are those that
 * may have any value, being at least 0: won by an exit, or in one ply.
 *
 * A file that answers alone keeps every legal position exactly; its distances
 * are those of lost positions, too (in 2k plies; to zeroing in d).
 */
#ifndef BK_SOURCE_H
#define BK_SOURCE_H

#include "table/model.h"
#include "table/rows.h"
#include "tb/memory/memtable.h"

struct bk_turned; /* below */

struct bk_source {
    const struct bk_memtable *t; /* its blocks solved, with what exits attain unless alone */
    const struct bk_rows *rows;  /* of t->ix */
    enum bk_told told;
    unsigned side; /* to move */
    bool alone;
    unsigned bits; /* of values: bk_source_bits() */
};

/* Returns the bits of values in blocks [block, block + nblocks), which is how many planes are
   written: src->bits must be set to it before.  For distances all codes of the blocks are read. */
unsigned bk_source_bits(const struct bk_source *src, uint32_t block, uint32_t nblocks);

/*
 * Sets `out` to the values of a row: care, least and `bits` planes, of the words
 * that hold the board's squares.
 * turned: scratch for rows that follow each other, of one thread and source; NULL: they do not.
 * Threads: any.  Cost: some 20 ns for 64 squares where the inner man is the
 * solver's, too (docs/solving.md 1), else some 60.
 */
void bk_source_row(const struct bk_source *src, const struct bk_row *row, struct bk_turned *turned,
                   struct bk_row_values *out);
/* Prefetches the values of a row that will be asked for. */
void bk_source_soon(const struct bk_source *src, const struct bk_row *row);

/* == Turned codes ==
 * A thread's scratch for rows of kings that follow each other: codes that lie far apart, put side
 * by side (source.c).  All zero at first.
 */

/* Where codes lie, of all slices: all men but the kings and the solver's inner man stand still. */
struct bk_turning {
    const uint8_t *code;      /* of slice 0, square 0 of the inner man */
    const uint64_t *attained; /* what exits attain, as bits, `words` a slice; NULL: none */
    uint64_t slice_stride, bit_slice_stride;
    uint32_t nslices;
    unsigned nsq, words;
};

struct bk_turned {
    struct bk_turning of;
    bool there;
    uint8_t *code;  /* [square][slice] */
    uint64_t *bits; /* [slice][word] */
    uint64_t room;  /* nslices * nsq of the arrays */
};

/*
 * Does `t` hold the turned codes of `of`?  They are turned when they are asked for twice running.
 * False: no, or there is no memory for it.
 */
bool bk_turned_to(struct bk_turned *t, const struct bk_turning *of);
void bk_turned_release(struct bk_turned *t); /* frees what it has; all zero afterwards */

#endif
