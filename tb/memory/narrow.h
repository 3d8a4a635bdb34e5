/*
 * narrow.h - of a solved table, the part that other tables read.
 *
 * A pawn becomes a queen where pawns become queens: of all positions with that
 * queen those count, for the table with the pawn, in which it stands there and
 * the other side is to move; a tenth of a half of them on ten ranks.  The rest
 * goes when a table is solved and has its files.
 */
#ifndef BK_NARROW_H
#define BK_NARROW_H

#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

/* In the table's own colours.  All zero: nothing is known, and all of it stays. */
struct bk_part {
    bool known;
    bool side[2];         /* positions with this side to move are read */
    bool of_man;          /* and of them those alone in which this man, the only one of his kind, */
    uint8_t colour, type; /* who has no castling right, */
    bool on[BK_SQ_MAX];   /* stands on one of these squares, or on one that is alike by symmetry */
};

/* The slot of that man in a table, or -1. */
int bk_part_slot(const struct bk_index *ix, const struct bk_part *part);

/*
 * How the codes of a block lie that are in the part: mb has the strides of all, and gets those.
 * His places from the first of these squares to the last stay, so that strides are all there is to
 * know.  False: nothing of the block is in it.
 */
bool bk_narrow_lay_out(const struct bk_index *ix, uint32_t block, const struct bk_part *part,
                       struct bk_memblock *mb);

/*
 * Lets go of what is not in the part, and of what exits attain; reading it gives BK_SCORE_NONE.
 * Where there is no memory for a narrower copy a block stays as it is.  Not of tables that several
 * processes hold.  Cost: what stays is copied.
 */
void bk_narrow(struct bk_memtable *t, const struct bk_part *part, struct bk_pool *pool);

#endif
