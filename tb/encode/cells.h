/*
 * cells.h - sets of squares: values of a row, and cells of consecutive rows, remembered in some 6
 * bytes each.
 *
 * A *cell* is the squares of a row that reach one leaf of the tree.
 *
 * HOT: every position of a table comes here once or twice; all cells are written once and read
 * twice.  No allocation but in bk_cells_room().
 */
#ifndef BK_CELLS_H
#define BK_CELLS_H

#include <string.h>

#include "table/varint.h"
#include "tb/encode/input.h"
#include "tb/memory/spill.h"

#define INLINE static inline __attribute__((always_inline)) /* for sets of one word, most often */

/* Counts the bits of x; on machines without an instruction for it, the compiler's own is a call. */
static inline unsigned bk_count_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    return (unsigned)(((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) *
                          UINT64_C(0x0101010101010101) >>
                      56);
}

/* Counts the squares of a set. */
INLINE unsigned bk_count_set(const uint64_t *set, unsigned words)
{
    unsigned n = 0;

    for (unsigned i = 0; i < words; i++)
        n += bk_count_bits(set[i]);
    return n;
}

/* == Values of a row == */

/* Returns the squares of a word whose positions have `value` exactly, or a bound that allows it. */
INLINE uint64_t bk_agreeing(const struct bk_row_values *v, unsigned bits, unsigned word,
                            uint32_t value)
{
    uint64_t equal = ~UINT64_C(0), less = 0;

    for (unsigned b = bits; b-- > 0;) {
        uint64_t plane = v->plane[b][word], set = -(uint64_t)(value >> b & 1);

        less |= equal & ~plane & set;
        equal &= ~(plane ^ set);
    }
    return equal | (less & v->least[word]);
}

/* Returns those squares of `left` that have the value of its first square, and like
   it have it exactly or as a bound.  Sets *value to that value, *bound to whether it is a bound. */
INLINE uint64_t bk_like_first(const struct bk_row_values *v, unsigned bits, unsigned word,
                              uint64_t left, bool *bound, uint32_t *value)
{
    unsigned s = (unsigned)__builtin_ctzll(left);
    uint64_t least = v->least[word], same = left;

    *bound = least >> s & 1;
    *value = 0;
    same &= *bound ? least : ~least;
    for (unsigned b = 0; b < bits; b++) {
        uint64_t plane = v->plane[b][word], set = plane >> s & 1;

        *value |= (uint32_t)set << b;
        same &= plane ^ (set - 1);
    }
    return same;
}

/* == Remembered cells ==
 * A row with cells begins with a varint: how many rows without cells come before it.  A cell is its
 * leaf, in two or three bytes, and a control byte: BK_CELL_ODD, BK_CELL_LAST (the last cell of its
 * row), and the number of its squares, which follow, a byte each.  If that number is 0, the whole
 * set follows.
 */

#define BK_CELL_WORDS_MAX 4
#define BK_CELL_ODD       0x80 /* its meaning is the writer's */
#define BK_CELL_LAST      0x40
#define BK_CELL_SQUARES   0x3f

struct bk_cell_list {
    uint8_t *byte; /* owned: bk_spill_free(); BK_CELL_FEW bytes past the last cell may be read */
    size_t n, room;
    size_t last;   /* index of the last control byte of the row under way, or 0 */
    uint32_t rows; /* one past the last ended row with cells */
    unsigned words;
    bool wide; /* leaves take three bytes */
};

/* Cells of a tree with so many leaves cannot be remembered: a leaf has three bytes at most. */
#define BK_CELL_LEAVES_MAX (UINT32_C(1) << 24)

/* Makes a list empty; its memory stays. */
static inline void bk_cells_init(struct bk_cell_list *c, unsigned words, uint32_t leaves)
{
    c->n = c->last = 0;
    c->rows = 0;
    c->words = words;
    c->wide = leaves > UINT32_C(1) << 16;
}

/* Makes room for one more cell.  False: no memory. */
static inline bool bk_cells_room(struct bk_cell_list *c)
{
    size_t need = c->n + BK_VARINT_BYTES_MAX + 4 + 8 * BK_CELL_WORDS_MAX;
    uint8_t *byte;

    if (need <= c->room)
        return true;
    need = 2 * need + 4096;
    byte = bk_spill_resize(c->byte, need);
    if (!byte)
        return false;
    c->byte = byte;
    c->room = need;
    return true;
}

/* Most cells have at most so many squares.  The number cannot be predicted, so these are written
   and read without a branch. */
#define BK_CELL_FEW 4

/* Writes the n squares of `set`, a byte each, and at least BK_CELL_FEW bytes. */
static inline void bk_cells_put_squares(uint8_t *to, uint64_t set, unsigned n)
{
    for (unsigned i = 0; i < BK_CELL_FEW; i++, set &= set - 1)
        *to++ = (uint8_t)__builtin_ctzll(set | UINT64_C(1) << 63);
    for (unsigned i = BK_CELL_FEW; i < n; i++, set &= set - 1)
        *to++ = (uint8_t)__builtin_ctzll(set);
}

/* Returns the set of the n squares at `at`; reads at least BK_CELL_FEW bytes. */
static inline uint64_t bk_cells_take_squares(const uint8_t *at, unsigned n)
{
    uint64_t set = 0;

    for (unsigned i = 0; i < BK_CELL_FEW; i++)
        set |= (uint64_t)(i < n) << at[i] % 64;
    for (unsigned i = BK_CELL_FEW; i < n; i++)
        set |= UINT64_C(1) << at[i] % 64;
    return set;
}

/* Appends a cell of row `nth`, for which there is room. */
static inline void bk_cells_put(struct bk_cell_list *c, uint32_t nth, uint32_t leaf, bool odd,
                                const uint64_t *squares, unsigned words)
{
    unsigned n = 0;
    uint8_t *to = c->byte + c->n;

    if (!c->last)
        to += bk_varint_put(to, nth - c->rows);
    *to++ = (uint8_t)leaf;
    *to++ = (uint8_t)(leaf >> 8);
    if (c->wide)
        *to++ = (uint8_t)(leaf >> 16);
    for (unsigned i = 0; i < words; i++)
        n += bk_count_bits(squares[i]);
    c->last = (size_t)(to - c->byte);
    *to++ = (uint8_t)((odd ? BK_CELL_ODD : 0) | (n < 8 * words ? n : 0));
    if (n >= 8 * words) {
        memcpy(to, squares, 8 * words);
        to += 8 * words;
    } else if (words == 1) {
        bk_cells_put_squares(to, squares[0], n);
        to += n;
    } else {
        for (unsigned i = 0; i < words; i++)
            for (uint64_t left = squares[i]; left; left &= left - 1)
                *to++ = (uint8_t)(64 * i + (unsigned)__builtin_ctzll(left));
    }
    c->n = (size_t)(to - c->byte);
}

/* Ends row `nth`: no more cells of it, or of earlier rows, will come. */
static inline void bk_cells_end_row(struct bk_cell_list *c, uint32_t nth)
{
    if (!c->last)
        return;
    c->byte[c->last] |= BK_CELL_LAST;
    c->last = 0;
    c->rows = nth + 1;
}

/* Reads cells in order. */
struct bk_cell_in {
    const uint8_t *at, *end;
    uint32_t row; /* the next row with cells; UINT32_MAX: there is none */
    bool wide;
};

/* Reads how many rows without cells come from row `from` on. */
static inline void bk_cells_next_row(struct bk_cell_in *in, uint32_t from)
{
    uint32_t gap = 0;
    unsigned shift = 0;

    if (in->at == in->end) {
        in->row = UINT32_MAX;
        return;
    }
    for (; *in->at & 0x80; in->at++, shift += 7)
        gap |= (uint32_t)(*in->at & 0x7f) << shift;
    in->row = from + (gap | (uint32_t)*in->at++ << shift);
}

/* Begins to read the cells of a list. */
static inline struct bk_cell_in bk_cells_read(const struct bk_cell_list *c)
{
    struct bk_cell_in in = { .at = c->byte, .end = c->byte + c->n, .wide = c->wide };

    bk_cells_next_row(&in, 0);
    return in;
}

/* Skips the next cell, if it is not odd and passed[its leaf].  Returns whether it did. */
static inline bool bk_cells_pass(struct bk_cell_in *in, const bool *passed, unsigned words)
{
    const uint8_t *at = in->at;
    uint32_t leaf = (uint32_t)(at[0] | at[1] << 8);
    unsigned control, n;

    at += 2;
    if (in->wide)
        leaf |= (uint32_t)*at++ << 16;
    control = *at++;
    if (control & BK_CELL_ODD || !passed[leaf])
        return false;
    n = control & BK_CELL_SQUARES;
    in->at = at + (n ? n : 8 * words);
    if (control & BK_CELL_LAST)
        bk_cells_next_row(in, in->row + 1);
    return true;
}

/* Reads the next cell of row in->row; returns its control byte.  After the last cell of a row,
   in->row is the next row with cells. */
static inline unsigned bk_cells_take(struct bk_cell_in *in, uint32_t *leaf, uint64_t *squares,
                                     unsigned words)
{
    const uint8_t *at = in->at;
    unsigned control, n;

    *leaf = (uint32_t)(at[0] | at[1] << 8);
    at += 2;
    if (in->wide)
        *leaf |= (uint32_t)*at++ << 16;
    control = *at++;
    n = control & BK_CELL_SQUARES;
    if (!n) {
        memcpy(squares, at, 8 * words);
        at += 8 * words;
    } else if (words == 1) {
        squares[0] = bk_cells_take_squares(at, n);
        at += n;
    } else {
        for (unsigned i = 0; i < words; i++)
            squares[i] = 0;
        for (unsigned i = 0; i < n; i++)
            squares[words > 1 ? at[i] / 64 : 0] |= UINT64_C(1) << at[i] % 64;
        at += n;
    }
    in->at = at;
    if (control & BK_CELL_LAST)
        bk_cells_next_row(in, in->row + 1);
    return control;
}

#endif
