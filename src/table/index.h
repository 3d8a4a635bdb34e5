/*
 * index.h - a position becomes a number, and a number a position.
 *
 * The story is told, by hand and with an example, in docs/index.md.  In short:
 *
 *   men    every man but the two kings, in the order of the material's name.
 *   cell   a set of squares within which a man moves to and fro.  A rook has
 *          one cell, the board.  A pawn never comes back, so each square is a
 *          cell of its own; only the last rank of the Joyce games, where a
 *          pawn may step sideways, is a cell of ten.
 *   home   a man with a castling right, king or rook, stands on its home square
 *          only: a right is part of the material.  Such a rook has one cell of
 *          one square, and is not like the other rooks of its side.
 *   block  a choice of a cell for every man, up to symmetry.  Pawnless tables
 *          have one block.  Moves lead from a block to itself or to a later
 *          solved one, never in circles.
 *   slice  a pair of king squares, up to the symmetries that keep the block.
 *          Pairs whose kings attack each other do not exist.  In a game without
 *          royals an *anchor* takes the king's place, one of a side's men.
 *   digit  within a slice each man has a digit: its place in its cell; equal
 *          men of one cell share a digit that numbers their unordered sets.
 *
 *   number = first number of the block + mixed radix of (slice, digits), in
 *            the order of significance that bk_index.order gives.
 *
 * Side to move is not part of the number.  A slice that a symmetry maps to
 * itself holds both of two mirrored positions; every other class has one
 * number.  If there is no room for the men there is one block, without slices and numbers.
 * Everything here is read-only after bk_index_new() (index_new.h).
 */
#ifndef BK_INDEX_H
#define BK_INDEX_H

#include "table/material.h"

#define BK_SLOTS_MAX  (BK_MEN_MAX - 2)
#define BK_KINGS_SLOT 0xff /* in bk_index.order */

/* The cells of one man: squares grouped, each square in one cell or none. */
struct bk_cells {
    uint16_t n;
    uint8_t cell_of[BK_SQ_MAX];  /* BK_SQ_NONE: may not stand there */
    uint8_t place_of[BK_SQ_MAX]; /* rank of the square within its cell */
    uint8_t size[BK_SQ_MAX];     /* by cell */
    uint8_t sq[BK_SQ_MAX];       /* squares, cell after cell, ascending */
    uint8_t first[BK_SQ_MAX];    /* by cell: first of its squares in sq[] */
    uint8_t advance[BK_SQ_MAX];  /* by cell: grows along every move to another cell */
};

/* King pairs under one group of symmetries. */
struct bk_pairs {
    unsigned group; /* mask of symmetries */
    uint32_t nslices;
    uint8_t (*king)[2];  /* by slice: white's, black's square */
    uint8_t *stabilizer; /* by slice: mask of the symmetries of the group that keep it */
    /* by white square * nsq + black square */
    int32_t *slice; /* -1: no such pair */
    uint8_t *sym;   /* the symmetry that brings the pair to its slice */
};

/*
 * number = first + slice * slice_weight + the sum of digits * weight, by slot; a man who shares the
 * digit of one before him has weight 0.  There may be ten million blocks; where their cells are
 * equally large their digits weigh the same, so they share them.
 */
struct bk_digits {
    uint64_t slice_weight, weight[BK_SLOTS_MAX];
    uint8_t leads[BK_SLOTS_MAX]; /* by slot: bk_index_leads() */
    uint32_t block;              /* the first block that has these digits */
};

struct bk_block {
    uint8_t cell[BK_SLOTS_MAX]; /* by slot; equal men ascending */
    unsigned group;             /* symmetries that keep the cells, as a set for equal men */
    unsigned advance;           /* sum over men; blocks are solved from the highest down */
    uint32_t digits;            /* index into bk_index.digits */
    const struct bk_pairs *pairs;
    uint64_t first; /* number of its first position */
    uint64_t size;
};

#define BK_NO_KEY (UINT32_C(1) << 31)

struct bk_index {
    const struct bk_variant *v; /* borrowed */
    struct bk_material m;
    unsigned nslots;
    uint8_t type[BK_SLOTS_MAX], colour[BK_SLOTS_MAX];
    uint8_t like[BK_SLOTS_MAX]; /* first slot with an equal man */
    bool equals;                /* there are equal men */
    bool whole; /* there is one block, and placements need no turning to lie in it */
    /* Without royals the slice is a pair of anchors: slots, by side; -1: the side has none.  They
       have no digit; the men who are like one are not told apart from each other, but from him. */
    bool anchored;
    int8_t anchor[2];
    int8_t right[BK_SLOTS_MAX]; /* castling right (a bit of bk_pos.rights) of this rook, or -1 */
    struct bk_cells *cells[BK_SLOTS_MAX]; /* equal men share */
    unsigned group;                       /* symmetries of the material */
    uint8_t map[BK_SYMMETRIES][BK_SQ_MAX], unmap[BK_SYMMETRIES][BK_SQ_MAX];
    uint8_t order[BK_SLOTS_MAX + 1]; /* slots, most significant first, and BK_KINGS_SLOT;
                                        changed by bk_index_reorder() alone */
    uint32_t nblocks;
    struct bk_block *block;
    uint32_t ndigits;
    struct bk_digits *digits;
    uint64_t positions;          /* per side to move */
    struct bk_pairs *pairs[256]; /* by group; owned; NULL where unused */
    /* The cells of all men make a key: the sum of key_of[slot][square], once equal men ascend;
       there is none where one term is BK_NO_KEY: that man may not stand there.  block_of[key]:
       block * 8 + the symmetry that turns the men into the block; -1: none. */
    uint32_t nkeys, (*key_of)[BK_SQ_MAX]; /* by slot */
    int32_t *block_of;
};

static inline const struct bk_digits *bk_index_digits(const struct bk_index *ix,
                                                      const struct bk_block *b)
{
    return &ix->digits[b->digits];
}

/* Returns the key of men in these cells; those of equal men ascend. */
static inline uint32_t bk_index_key(const struct bk_index *ix, const uint8_t *cell)
{
    uint32_t key = 0;

    for (unsigned s = 0; s < ix->nslots; s++)
        key += ix->key_of[s][ix->cells[s]->sq[ix->cells[s]->first[cell[s]]]];
    return key;
}

/* Men are numbered: the white king, the black one, then the slots. */
static inline unsigned bk_index_type(const struct bk_index *ix, unsigned man)
{
    return man < 2 ? ix->v->royal : ix->type[man - 2];
}

static inline unsigned bk_index_colour(const struct bk_index *ix, unsigned man)
{
    return man < 2 ? man : ix->colour[man - 2];
}

/* Where the men stand: kings apart, other men by slot.  Without royals `king` means nothing; its
   squares are squares of the board. */
struct bk_placement {
    uint8_t king[2];
    uint8_t sq[BK_SLOTS_MAX];
};

/* Returns the squares of a placement by man: the kings, then the slots. */
static inline const uint8_t *bk_placement_squares(const struct bk_placement *at)
{
    _Static_assert(offsetof(struct bk_placement, king) == 0 &&
                       offsetof(struct bk_placement, sq) == 2 &&
                       sizeof(struct bk_placement) == BK_MEN_MAX,
                   "squares one after the other");
    return (const uint8_t *)at;
}

static inline void bk_placement_put(struct bk_placement *at, unsigned man, unsigned sq)
{
    ((uint8_t *)at)[man] = (uint8_t)sq;
}

static inline bool bk_index_is_anchor(const struct bk_index *ix, unsigned slot)
{
    return ix->anchored && ((int)slot == ix->anchor[0] || (int)slot == ix->anchor[1]);
}

/* Returns the type of the man whose squares make a side's half of the slice: the royal one, or its
   anchor; -1: it has none. */
static inline int bk_index_anchor_type(const struct bk_index *ix, unsigned colour)
{
    if (!ix->anchored)
        return ix->v->royal;
    return ix->anchor[colour] < 0 ? -1 : ix->type[ix->anchor[colour]];
}

/* Returns where that man stands; 0: the side has none. */
static inline unsigned bk_index_anchor_sq(const struct bk_index *ix, const struct bk_placement *at,
                                          unsigned colour)
{
    if (!ix->anchored)
        return at->king[colour];
    return ix->anchor[colour] < 0 ? 0 : at->sq[ix->anchor[colour]];
}

/* Returns the number of a placement's pair: an index into bk_pairs.slice. */
static inline size_t bk_index_pair(const struct bk_index *ix, const struct bk_placement *at)
{
    return (size_t)bk_index_anchor_sq(ix, at, BK_WHITE) * ix->v->nsq +
           bk_index_anchor_sq(ix, at, BK_BLACK);
}

/* Returns in how many ways the anchors of a position can be chosen among men of their kinds: it has
   so many numbers, of the same value. */
unsigned bk_index_choices(const struct bk_index *ix);

/* Sets `out` to where the men of a position stand.  False: it is not of exactly this material. */
bool bk_index_place(const struct bk_index *ix, const struct bk_pos *p, struct bk_placement *out);

/*
 * As bk_index_place(), for the position seen with the colours exchanged: swap[] says where squares
 * go.  False also where castling rights are left: exchange those positions as a whole.
 */
bool bk_index_place_exchanged(const struct bk_index *ix, const struct bk_pos *p,
                              const uint8_t swap[BK_SQ_MAX], struct bk_placement *out);

/*
 * Returns the number of a placement; UINT64_MAX when it has none (kings that attack each other, a
 * man where it may not stand).  Two men on one square still get some number, whose value means
 * nothing.  Cost: some 15 ns.
 */
uint64_t bk_index_rank(const struct bk_index *ix, const struct bk_placement *at);

/*
 * As bk_index_rank(), and turns `at` into the placement that bk_index_unrank() gives for the
 * number.  *block: the block that holds it; block may be NULL.  Where there is no number, both mean
 * nothing.
 */
uint64_t bk_index_rank_turned(const struct bk_index *ix, struct bk_placement *at, uint32_t *block);

/* Returns the block that holds a number < ix->positions.  Cost: a binary search. */
uint32_t bk_index_block_with(const struct bk_index *ix, uint64_t number);

/* The placement of a number < ix->positions. */
void bk_index_unrank(const struct bk_index *ix, uint64_t number, struct bk_placement *out);

/* Puts the men of a placement on a board; false when two share a square. */
bool bk_index_position(const struct bk_index *ix, const struct bk_placement *at, unsigned stm,
                       struct bk_pos *p);

/* Returns the block that holds a placement, or -1; `at` is turned to lie in it. */
int32_t bk_index_block(const struct bk_index *ix, struct bk_placement *at);

/*
 * Is this the number that stands for its class?  True except in slices that a symmetry keeps: there
 * only one of several mirrored positions is; and where another man could be the anchor.
 */
bool bk_index_is_first(const struct bk_index *ix, uint64_t number, const struct bk_placement *at);

/* Returns how many placements the symmetries make of `at`, which lies in this block: as many as
   there are symmetries, or fewer where some keep its kings. */
unsigned bk_index_images(const struct bk_index *ix, uint32_t block, const struct bk_placement *at);
/* Returns the number that stands for the class: this one, or that of a mirrored position. */
uint64_t bk_index_first(const struct bk_index *ix, uint64_t number, const struct bk_placement *at);

/* Sets `twin` to the nth (from 0) other placement of a position whose kings stand on an axis of a
   symmetry: it has several numbers, of the same value.  False: there are no more. */
bool bk_index_twin(const struct bk_index *ix, uint64_t number, const struct bk_placement *at,
                   unsigned nth, struct bk_placement *twin);

/* Returns the radix of the digit of `slot` in a block: C(n, k) for the first of k equal men of a
   cell, 1 for the others. */
uint64_t bk_index_radix(const struct bk_index *ix, const struct bk_block *b, unsigned slot);
/* Returns how many equal men of the same cell this slot leads: 0 if it follows another. */
unsigned bk_index_leads(const struct bk_index *ix, const struct bk_block *b, unsigned slot);

#endif
