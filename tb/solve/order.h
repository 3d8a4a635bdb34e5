/*
 * order.h - in which order the blocks of a table are solved, and which together.
 *
 * A block can be solved when all blocks to which a move leads from it are solved.  Blocks that do
 * not lead to each other make a level.
 *
 * A group is a level of another kind: the blocks that steps of pawns (or of any men without a way
 * back) connect.  They are solved together, as one large block in which the pawn is an outer man:
 * its digits are its squares in the group, and its moves go one way.  The cells of such a man are
 * sorted into *parts*: a part is a pawn's file, for example.  A choice of one part for each man, up
 * to symmetry and the order of equal men, is a group.
 */
#ifndef BK_ORDER_H
#define BK_ORDER_H

#include "table/index.h"
#include "tb/memory/memtable.h"

/* How the blocks of a table are solved, by the memory it takes. */
enum bk_strategy {
    BK_COMPACT, /* one by one, with a set less a side (passes.c); distances by ledger.h */
    BK_APART,   /* one by one */
    BK_GROUPS,  /* those of a group together; a part is what steps connect */
    BK_WIDE,    /* the same, and all parts of one such man together: if there are others, or
                   he is alone with the inner man */
};

/* The parts of men, by slot and cell.  A man of one cell has part 0 only. */
struct bk_parts {
    uint8_t of[BK_SLOTS_MAX][BK_SQ_MAX];
    uint8_t layer[BK_SLOTS_MAX][BK_SQ_MAX]; /* by slot and part: how often it is cut off below (en
                                               passant) */
    int wide;                               /* slot of the man whose parts of one layer are
                                               together; -1: none */
    int pair;                               /* the first of two equal men of whom the second is
                                               wide; -1: there are none */
    struct bk_kin {
        uint8_t nth, of; /* number in its layer, and how many there are; parts that a symmetry
                            exchanges are one */
    } kin[BK_SQ_MAX];    /* by part, of the pair */
};

struct bk_order {
    uint32_t *block; /* all blocks, first to be solved first */
    uint32_t nlevels;
    uint32_t *first;        /* by level, and one more: places in block[] */
    bool *group;            /* by level: its blocks are solved together */
    bool any_group;         /* some level is a group */
    struct bk_parts *parts; /* NULL: there are no groups */
};

/* What the blocks of a group have in common: the frame in which they are solved. */
struct bk_group {
    const struct bk_parts *parts; /* borrowed, as pairs */
    const struct bk_pairs *pairs; /* the kings' squares */
    uint16_t n[BK_SLOTS_MAX];     /* squares of a man of several cells; 0: the man has one cell */
    uint8_t sq[BK_SLOTS_MAX][BK_SQ_MAX];
};

/* Where the positions of a block are in its group. */
struct bk_member {
    uint8_t map[BK_SQ_MAX];     /* the group's square, by the block's */
    uint8_t slot[BK_SLOTS_MAX]; /* the group's slot, by the block's */
    bool straight;              /* `map` is the identity */
};

/* The metric matters to groups: to zeroing, a step that zeroes may not lead from a block of a group
   to another.  False: no memory. */
bool bk_order_new(struct bk_order *o, const struct bk_index *ix, enum bk_strategy strategy,
                  enum bk_metric metric);
void bk_order_free(struct bk_order *o);

/* Adds `by` to the readers of every block that a quiet move out of `block` leads to, once for
   each such move. */
void bk_order_read(const struct bk_index *ix, uint32_t block, int by, uint32_t *readers);

/* Sets `out` to the group that a level is.  It borrows from the order. */
void bk_order_group(const struct bk_order *o, const struct bk_index *ix, uint32_t level,
                    struct bk_group *out);
/* Sets `out` to where a block of the group lies in it. */
void bk_group_member(const struct bk_group *g, const struct bk_index *ix, uint32_t block,
                     struct bk_member *out);

#endif
