/*
 * memtable.h - a table in memory, one code a position, for random access.
 *
 * The form in which solved blocks wait to be read by others: other blocks of
 * the same table (a pawn's next square) and other tables (captures,
 * promotions).  Codes lie block by block as [side to move][slice][men], each
 * man's place having a fixed stride, so that "all positions in which these men
 * are free and those fixed" is a gather with precomputed offsets (view_rows.h).
 */
#ifndef BK_MEMTABLE_H
#define BK_MEMTABLE_H

#include <stdbool.h>

#include "table/index.h"
#include "tb/memory/code.h"
#include "tb/memory/scores.h"
#include "tb/memory/spill.h"

/* What is told of a position: win, draw or loss; or plies. */
enum bk_told { BK_WDL, BK_DISTANCES };

/*
 * A table without distances keeps two bits a position instead of a code
 * (code_bytes 0): two bitmaps a side, as the solver leaves them.
 *   code   won by the mover, or illegal
 *   draw   drawn, or illegal
 * A set of the inner man is a row of them, with the bits of a machine word
 * however many squares the board has; strides count bits then.
 */
struct bk_memblock {
    void *code[2]; /* by side to move; NULL: not solved yet, not read, or freed */
    void *draw[2]; /* the second bitmap, where there are no codes */
    uint64_t stride[BK_SLOTS_MAX];
    uint64_t slice_stride;
    /*
     * Where it was asked for, a bit a position: its best exit, a move to another material,
     * attains what the position is worth (kernel/attain.h).  [enum bk_told][side].  The bits lie
     * as the bitmaps of a table without codes do.
     */
    uint64_t *attained[2][2];
    uint64_t bit_stride[BK_SLOTS_MAX];
    uint64_t bit_slice_stride;
    bool solved;               /* is, or was and has been let go; solve.c */
    bool encoded;              /* with its whole unit; encode.c */
    bool trimmed;              /* slices that were kept for encoding alone are gone; share.h */
    uint8_t raw[BK_SLOTS_MAX]; /* this man's digit is its square, not its place in the cell */
    uint8_t narrow_n;          /* 0, or how many digits of narrow_slot are there: narrow.h */
    uint8_t narrow_slot, narrow_first; /* and which is the first of them */
};

struct bk_memtable {
    struct bk_index *ix;    /* owned */
    bool by_rule;           /* no codes: every value follows from the rules */
    uint8_t code_bytes;     /* 1 or 2; 0: two bitmaps */
    struct bk_spill *spill; /* borrowed: where blocks lie; NULL: in memory */
    bool by_share;          /* of several processes each holds the slices that it reads */
    struct bk_memblock *block;
    /* Where copies stay for several men (narrow.h): the man of this one, and the next copy, which
       borrows this one's index.  `also` is owned; NULL: there is no more. */
    uint8_t of_colour, of_type;
    struct bk_memtable *also;
    bool borrows_index;
    int16_t score8[256]; /* score, for the opponent who moved into it, of each one-byte code */
    bk_row_scores *row_scores; /* the same of many at once */
};

/* The block whose slots are in these cells, equal men in the order of theirs, as block * 8 + the
   symmetry that brings it there; -1: there is none. */
static inline int32_t bk_block_of_cells(const struct bk_index *ix, const uint8_t *cell)
{
    return ix->nkeys ? ix->block_of[bk_index_key(ix, cell)] : -1;
}

enum bk_err bk_memtable_new(struct bk_memtable **out, const struct bk_variant *v,
                            const struct bk_material *m, struct bk_report *why);
/* Returns another bk_memtable with the index of `t`, borrowed, and no blocks.  NULL: no memory. */
struct bk_memtable *bk_memtable_beside(const struct bk_memtable *t);
void bk_memtable_free(struct bk_memtable *t); /* and those that are t->also */
/* Returns the copy to be read after a move that made such a man, in the table's colours. */
const struct bk_memtable *bk_memtable_for(const struct bk_memtable *t, unsigned colour,
                                          unsigned type);
/* Bytes that the blocks which are there take. */
uint64_t bk_memtable_bytes(const struct bk_memtable *t);

/* An array of a block; zeroed.  Owned: bk_spill_free().  NULL: no memory. */
void *bk_memtable_array(const struct bk_memtable *t, size_t bytes);
/* Allocates all arrays of codes of a block that is laid out.  False: no memory. */
bool bk_memtable_alloc(struct bk_memtable *t, uint32_t block);
/* Allocates those of a block that is whole, `places` places a side.  False: no memory. */
bool bk_memblock_alloc(struct bk_memblock *mb, struct bk_spill *st, uint64_t places,
                       unsigned code_bytes);
void bk_memblock_free(struct bk_memblock *mb);
void bk_memblock_free_side(struct bk_memblock *mb, unsigned side);
void bk_memblock_free_attained(struct bk_memblock *mb);
/* Bytes of one array of codes, or one bitmap. */
size_t bk_memblock_array_bytes(uint64_t places, unsigned code_bytes);
/* Bytes of all of them, both sides. */
uint64_t bk_memblock_bytes(uint64_t places, unsigned code_bytes);

/* The two bits of one place of a table with bitmaps. */
static inline unsigned bk_two_bits(const struct bk_memblock *mb, unsigned stm, uint64_t at)
{
    unsigned won = (unsigned)(((const uint64_t *)mb->code[stm])[at >> 6] >> (at & 63)) & 1;
    unsigned draw = (unsigned)(((const uint64_t *)mb->draw[stm])[at >> 6] >> (at & 63)) & 1;

    return won | draw << 1;
}

/* Returns the place of a man's digit among those that are there; BK_SQ_NONE: it is not. */
static inline unsigned bk_memblock_digit(const struct bk_memblock *mb, unsigned slot,
                                         unsigned digit)
{
    unsigned at = digit - mb->narrow_first;

    if (!mb->narrow_n || slot != mb->narrow_slot)
        return digit;
    return at < mb->narrow_n ? at : BK_SQ_NONE;
}

/* Code of one place (of a side that is there), as one byte would hold it if there are bitmaps. */
unsigned bk_memblock_code(const struct bk_memtable *t, const struct bk_memblock *mb, unsigned stm,
                          uint64_t at);

/* The raw code of one position in the table's own colours.  For tests: one lookup at a time. */
unsigned bk_memtable_code(const struct bk_memtable *t, unsigned stm, struct bk_placement at);

#endif
