/*
 * memtable.h - a table in memory, one code a position, for random access.
 *
 * The form in which solved blocks wait to be read by others: other blocks of
 * the same table (a pawn's next square) and other tables (captures,
 * promotions).  Codes lie block by block as [side to move][slice][men], each
 * man's place having a fixed stride, so that "all positions in which these men
 * are free and those fixed" is a gather with precomputed offsets (a view).
 */
#ifndef BK_MEMTABLE_H
#define BK_MEMTABLE_H

#include <stdbool.h>

#include "table/index.h"
#include "tb/memory/scores.h"
#include "tb/memory/spill.h"

/*
 * Codes.  One byte where no distance exceeds BK_CODE_K_MAX, else two.
 *   0 illegal, 1 draw, 2 + k win in 2k + 1 plies, LOSS + k lost in 2k plies.
 *
 * A table without distances keeps two bits a position instead (code_bytes 0):
 * two bitmaps a side, as the solver leaves them.
 *   code   won by the mover, or illegal
 *   draw   drawn, or illegal
 * A set of the inner man is a row of them, with the bits of a machine word
 * however many squares the board has; strides count bits then.
 */
#define BK_CODE_ILLEGAL 0
#define BK_CODE_DRAW    1
#define BK_CODE_WIN     2
#define BK_CODE_LOSS8   128
#define BK_CODE_LOSS16  0x8000
#define BK_CODE_K_MAX   125

/*
 * Scores, from some mover's side: larger is better.  A win in n plies is
 * BK_SCORE_WIN - n, a loss -BK_SCORE_WIN + n, a draw 0.
 */
#define BK_SCORE_WIN  32000
#define BK_SCORE_NONE INT16_MIN

/* What of a position is told: win, draw or loss; or plies. */
enum bk_told { BK_WDL, BK_DISTANCES };

struct bk_memblock {
    void *code[2]; /* by side to move; NULL: not solved yet, not read, or freed */
    void *draw[2]; /* the second bitmap, where there are no codes */
    uint64_t stride[BK_SLOTS_MAX];
    uint64_t slice_stride;
    /*
     * Where it was asked for, a bit a position: its best exit, a move to another material,
     * attains what the position is worth (kernel/attain.h).  [BK_WDL or BK_DISTANCES][side].
     * The bits lie as the bitmaps of a table without codes do.
     */
    uint64_t *attained[2][2];
    uint64_t bit_stride[BK_SLOTS_MAX];
    uint64_t bit_slice_stride;
    bool solved;               /* is, or was and has been let go; solve.c */
    bool encoded;              /* all of it is in chunks; encode.c */
    uint8_t raw[BK_SLOTS_MAX]; /* this man's digit is its square, not its place in the cell */
};

struct bk_memtable {
    struct bk_index *ix;    /* owned */
    bool by_rule;           /* no codes: every value follows from the rules */
    uint8_t code_bytes;     /* 1 or 2; 0: two bitmaps */
    struct bk_spill *store; /* borrowed: where blocks lie; NULL: in memory */
    struct bk_memblock *block;
    int16_t score8[256]; /* score, for the opponent who moved into it, of each one-byte code */
    bk_row_scores *row_scores; /* the same of many at once */
};

enum bk_err bk_memtable_new(struct bk_memtable **out, const struct bk_variant *v,
                            const struct bk_material *m, struct bk_report *why);
void bk_memtable_free(struct bk_memtable *t);
/* Bytes that the blocks which are there take. */
uint64_t bk_memtable_bytes(const struct bk_memtable *t);

/* The arrays of a block that is laid out (strides), `places` places a side; zeroed.  False: no
   memory. */
bool bk_memblock_alloc(struct bk_memblock *mb, struct bk_spill *st, uint64_t places,
                       unsigned code_bytes);
void bk_memblock_free(struct bk_memblock *mb);
void bk_memblock_free_side(struct bk_memblock *mb, unsigned side);
void bk_memblock_free_attained(struct bk_memblock *mb);
/* Bytes of one such array. */
size_t bk_memblock_array_bytes(uint64_t places, unsigned code_bytes);
/* Bytes of all of them, both sides. */
uint64_t bk_memblock_bytes(uint64_t places, unsigned code_bytes);

/* Code of one place: as one byte would hold it if the table has bitmaps. */
static inline unsigned bk_two_bits(const struct bk_memblock *mb, unsigned stm, uint64_t at)
{
    unsigned won = (unsigned)(((const uint64_t *)mb->code[stm])[at >> 6] >> (at & 63)) & 1;
    unsigned draw = (unsigned)(((const uint64_t *)mb->draw[stm])[at >> 6] >> (at & 63)) & 1;

    return won | draw << 1;
}

/*
 * What a mover gets by moving into a material: how the men there correspond
 * to the men of the table being solved (the parent).
 */
struct bk_view_plan {
    const struct bk_memtable *t;
    bool exchanged;               /* the table keeps the colours exchanged */
    uint8_t swap[BK_SQ_MAX];      /* the board's symmetry that goes with it */
    unsigned stm;                 /* of the parent's colours, who moves next */
    unsigned nmen;                /* men in t */
    uint8_t parent[BK_SLOTS_MAX]; /* by man: slot in the parent */
    uint8_t type[BK_SLOTS_MAX];   /* by man, after a change */
    uint8_t colour[BK_SLOTS_MAX]; /* by man, in t's colours */
    int8_t right[BK_SLOTS_MAX];   /* castling right that it keeps, in t's colours, or -1 */
};

/*
 * parent     index of the parent
 * exchanged  t keeps the colours exchanged (bk_material_canonical())
 * taken      slot lost, or -1; also: a second one, or -1
 * changed    slot that becomes `to`, or -1
 */
void bk_view_plan(struct bk_view_plan *p, const struct bk_memtable *t,
                  const struct bk_index *parent, unsigned mover, bool exchanged, int taken,
                  int also, int changed, unsigned to);

/* A man that ranges over squares while others stand still. */
struct bk_free_man {
    uint8_t slot; /* in the parent */
    uint16_t n;
    const uint8_t *sq; /* n squares; the view's digit is the place in this list */
};

/*
 * Fills out[] (mixed radix over `men`, the last varying fastest) with the
 * mover's scores of moving into each position: BK_SCORE_NONE where that would
 * be illegal or two men share a square in a way the table cannot express.
 *
 * at  parent's squares of the kings and of every man that is not free
 */
void bk_view_fill(const struct bk_view_plan *p, const struct bk_placement *at,
                  const struct bk_free_man *men, unsigned nfree, int16_t *out);

/*
 * The same with all men standing still and the kings ranging over two sets of
 * squares: out[white * nsq + black].  For tables whose other men are pawns.
 */
void bk_view_kings(const struct bk_view_plan *p, const struct bk_placement *at,
                   const uint8_t *white, unsigned nwhite, const uint8_t *black, unsigned nblack,
                   int16_t *out);

/* The raw code of one position in the table's own colours. */
unsigned bk_memtable_code(const struct bk_memtable *t, unsigned stm, struct bk_placement at);

/* Score for the side to move of a code (code_bytes 0: as of one byte). */
int16_t bk_code_score(unsigned code, unsigned code_bytes);

#endif
