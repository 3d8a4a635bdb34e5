/*
 * order.h - in which order the blocks of a table are solved, and which together.
 *
 * A block can be solved when all those are that a man's move leads to.  Blocks
 * that do not lead to each other make a level.  A chain is a level of another
 * kind: the blocks that one pawn's steps connect, solved together, ply by ply,
 * as if the pawn were a king that goes from slice to slice.  That costs the
 * memory of all of them at once, and saves the look at every position of the
 * block ahead, and the wait for what it is worth.
 */
#ifndef BK_ORDER_H
#define BK_ORDER_H

#include "table/index.h"
#include "tb/kernel/solver.h"

/* How the blocks of a table are solved, by the memory it takes. */
enum bk_strategy {
    BK_COMPACT, /* one by one, without distances, with a set less a side: passes.c */
    BK_APART,   /* one by one */
    BK_CHAINS,  /* those of a chain together */
};

struct bk_order {
    uint32_t *block; /* all of them, first to be solved first */
    uint32_t nlevels;
    uint32_t *first; /* by level, and one more: places in block[] */
    bool *chain;     /* by level: its blocks are solved together */
};

/* chains: if the table has any.  False: no memory. */
bool bk_order_new(struct bk_order *o, const struct bk_index *ix, bool chains);
void bk_order_free(struct bk_order *o);

/* Adds `by` to the readers of every block that a quiet move out of `block` leads to, once for
   each such move. */
void bk_order_read(const struct bk_index *ix, uint32_t block, int by, uint32_t *readers);

/* A step of the man of a chain from one block to the next, in which all else stays in place. */
struct bk_link {
    uint8_t slot, to; /* the man, its new square */
    uint32_t block;
    const struct bk_reach *way;
};

/* Those out of a block; returns how many. */
unsigned bk_order_links(const struct bk_index *ix, uint32_t block,
                        struct bk_link out[BK_LINKS_MAX]);

#endif
