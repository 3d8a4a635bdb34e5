/*
 * memtable.h - a table in memory, one code a position, for random access.
 *
 * The form in which solved blocks wait to be read by others: other blocks of
 * the same table (a pawn's next square) and other tables (captures,
 * promotions).  Codes lie block by block as [side to move][slice][men], each
 * man's place having a fixed stride, so that "all positions in which these men
 * are free and those fixed" is a gather with precomputed offsets (view.h).
 */
#ifndef BK_MEMTABLE_H
#define BK_MEMTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "table/index.h"
#include "tb/memory/spill.h"

/* == Codes and scores == */

/*
 * Codes, as tables in memory keep them.  One byte where no distance exceeds
 * BK_CODE_K_MAX, else two.
 *   0 illegal, 1 draw, 2 + k win in 2k + 1 plies, LOSS + k lost in 2k plies.
 * In a table that counts to zeroing (bk_memtable.nmove; docs/rules.md, "The n-move rule") both
 * parities occur: 2 + d win, LOSS + d lost, d plies from the next zeroing move or the end.
 */
#define BK_CODE_ILLEGAL 0
#define BK_CODE_DRAW    1
#define BK_CODE_WIN     2
#define BK_CODE_LOSS8   128
#define BK_CODE_LOSS16  0x8000
#define BK_CODE_K_MAX   125   /* of one byte: LOSS + k is below 256, 2 + k below LOSS */
#define BK_CODE_K_MAX16 15000 /* of two: a score stays on its side of 0 */

/*
 * Scores, from some mover's side: larger is better.  A win in n plies is
 * BK_SCORE_WIN - n, a loss -BK_SCORE_WIN + n, a draw 0.
 */
#define BK_SCORE_WIN  32000
#define BK_SCORE_NONE INT16_MIN

/* What the numbers in codes count: plies / 2 to the end, or plies to zeroing. */
enum bk_metric { BK_TO_THE_END, BK_TO_ZEROING };

/* Returns how many bits plies are shifted to become such a number. */
static inline unsigned bk_metric_shift(enum bk_metric metric) { return metric == BK_TO_THE_END; }

/* Score for the side to move of a code.  code_bytes: 1, 2; 0: as of one byte. */
int16_t bk_code_score(unsigned code, unsigned code_bytes, enum bk_metric metric);

/* Turns the score of the side to move into that of the opponent, who moved there: one ply later. */
static inline int16_t bk_score_before(int16_t score)
{
    if (score == BK_SCORE_NONE)
        return BK_SCORE_NONE;
    return (int16_t)(score < 0 ? -score - 1 : score > 0 ? -score + 1 : 0);
}

/* == A row of codes as scores == */

/*
 * Sets out[j] to the score of code[place[j]] (codes of one byte) for the opponent, who moved into
 * it; to BK_SCORE_NONE if place[j] is BK_SQ_NONE.
 *
 * place  n places below `span`; NULL: 0, 1, ... in order
 * code   span codes; nothing beyond is read
 *
 * Threads: any.  Cost: some 9 ns for 64 where the machine puts 64 bytes in order at
 * once (AVX-512 VBMI), else some 50, 30 if they are in order.
 */
typedef void bk_row_scores(const uint8_t *code, unsigned span, const uint8_t *place, unsigned n,
                           int16_t *out);

bk_row_scores bk_row_scores_portable, bk_row_scores_portable_zeroing;
#ifdef __x86_64__
bk_row_scores bk_row_scores_vbmi, bk_row_scores_vbmi_zeroing;
#endif

/* Returns the fastest one that this machine runs, for codes of a metric. */
bk_row_scores *bk_row_scores_for(enum bk_metric metric);

/* == Tables == */

/* The kinds of values of a position: win, draw or loss; or plies. */
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
     * If bk_solve_job.attain asks for it, a bit a position: its best exit (conversion: a move to
     * another material) attains the position's value (kernel/attain.h).  [enum bk_told][side].
     * The bits are laid out as the bitmaps of a table without codes.
     */
    uint64_t *attained[2][2];
    uint64_t bit_stride[BK_SLOTS_MAX];
    uint64_t bit_slice_stride;
    bool solved;               /* its codes are final; they may have been freed since */
    bool encoded;              /* its whole unit is encoded */
    bool trimmed;              /* slices that only the encoder read are freed: share.h */
    uint8_t raw[BK_SLOTS_MAX]; /* this man's digit is its square, not its place in the cell */
    uint8_t narrow_n;          /* 0, or how many digits of narrow_slot are there: pack.h */
    uint8_t narrow_slot, narrow_first; /* and which is the first of them */
};

struct bk_memtable {
    struct bk_index *ix;    /* owned */
    bool by_rule;           /* no codes: every value follows from the rules */
    uint8_t code_bytes;     /* 1 or 2; 0: two bitmaps */
    uint16_t nmove;         /* counts to zeroing: plies of the n-move rule; 0: to the end */
    struct bk_spill *spill; /* borrowed: where blocks lie; NULL: in memory */
    bool by_share;          /* of several processes each holds the slices that it reads */
    struct bk_memblock *block;
    /* If copies are kept for several men (pack.h): the man of this copy, and the next copy, which
       borrows this one's index.  `also` is owned; NULL: this is the last. */
    uint8_t of_colour, of_type;
    struct bk_memtable *also;
    bool borrows_index;
    int16_t score8[256]; /* score, for the opponent who moved into it, of each one-byte code */
    bk_row_scores *row_scores; /* the same of many at once */
};

static inline enum bk_metric bk_memtable_metric(const struct bk_memtable *t)
{
    return t->nmove ? BK_TO_ZEROING : BK_TO_THE_END;
}

/* The block whose slots are in these cells, equal men in the order of theirs, as block * 8 + the
   symmetry that brings it there; -1: there is none. */
static inline int32_t bk_block_of_cells(const struct bk_index *ix, const uint8_t *cell)
{
    return ix->nkeys ? ix->block_of[bk_index_key(ix, cell)] : -1;
}

enum bk_err bk_memtable_new(struct bk_memtable **out, const struct bk_variant *v,
                            const struct bk_material *m, struct bk_report *why);
/* Makes the codes of a new table those of distances to zeroing, by the n-move rule of its game. */
void bk_memtable_count_to_zeroing(struct bk_memtable *t);
/* Returns another bk_memtable with the index of `t`, borrowed, and no blocks.  NULL: no memory. */
struct bk_memtable *bk_memtable_beside(const struct bk_memtable *t);
void bk_memtable_free(struct bk_memtable *t); /* and those that are t->also */
/* Returns the copy to be read after a move that made such a man, in the table's colours. */
const struct bk_memtable *bk_memtable_for(const struct bk_memtable *t, unsigned colour,
                                          unsigned type);
/* Returns the bytes of the codes of all blocks that are in memory. */
uint64_t bk_memtable_bytes(const struct bk_memtable *t);

/* Returns an array for a block, zeroed.  Owned: bk_spill_free().  NULL: no memory. */
void *bk_memtable_array(const struct bk_memtable *t, size_t bytes);
/* Allocates all arrays of codes of a block that is laid out.  False: no memory. */
bool bk_memtable_alloc(struct bk_memtable *t, uint32_t block);
/* Allocates the arrays of codes of a whole block, `places` places a side.  False: no memory. */
bool bk_memblock_alloc(struct bk_memblock *mb, struct bk_spill *st, uint64_t places,
                       unsigned code_bytes);
void bk_memblock_free(struct bk_memblock *mb);
void bk_memblock_free_side(struct bk_memblock *mb, unsigned side);
void bk_memblock_free_attained(struct bk_memblock *mb);
/* Returns the bytes of one array of codes, or of one bitmap. */
size_t bk_memblock_array_bytes(uint64_t places, unsigned code_bytes);
/* Returns the bytes of all of them, both sides. */
uint64_t bk_memblock_bytes(uint64_t places, unsigned code_bytes);

/* == Bits == */

/* Returns n bits (64 or fewer) of a bitmap, from bit `at` on. */
static inline uint64_t bk_bits_at(const uint64_t *map, uint64_t at, unsigned n)
{
    unsigned b = at & 63;
    uint64_t x = map[at >> 6] >> b;

    if (b + n > 64)
        x |= map[(at >> 6) + 1] << (64 - b);
    return n < 64 ? x & ((UINT64_C(1) << n) - 1) : x;
}

/* Writes the codes of n places of two bitmaps (struct bk_memblock), from bit `at` on, as bytes; the
   last group of eight bytes is written whole. */
void bk_codes_of_bits(const uint64_t *won, const uint64_t *draw, uint64_t at, unsigned n,
                      uint8_t *code);

/* == One position == */

/* Returns the place of a man's digit among those that the block keeps; BK_SQ_NONE: it is not kept.
 */
static inline unsigned bk_memblock_digit(const struct bk_memblock *mb, unsigned slot,
                                         unsigned digit)
{
    unsigned at = digit - mb->narrow_first;

    if (!mb->narrow_n || slot != mb->narrow_slot)
        return digit;
    return at < mb->narrow_n ? at : BK_SQ_NONE;
}

/* Returns the code of one place, of a side that is in memory; from bitmaps, as one byte would hold
   it. */
unsigned bk_memblock_code(const struct bk_memtable *t, const struct bk_memblock *mb, unsigned stm,
                          uint64_t at);

/* Returns the code of one position in the table's own colours.  For tests: one lookup at a time. */
unsigned bk_memtable_code(const struct bk_memtable *t, unsigned stm, struct bk_placement at);

#endif
