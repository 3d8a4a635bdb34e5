/*
 * narrow.h - of a solved table, the part that other tables read.
 *
 * A pawn becomes a queen where pawns become queens: of all positions with that
 * queen those count, for the table with the pawn, in which it stands there and
 * the other side is to move; a tenth of a half of them on ten ranks.  The rest
 * goes when a table is solved and has its files.  With a pawn beside that queen
 * it may be reached in two ways, by either; then two parts stay, each for those
 * who read it.
 */
#ifndef BK_NARROW_H
#define BK_NARROW_H

#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

/* Men of one table for each of whom a copy of his own may stay. */
#define BK_PART_MEN 4

/* Positions in which this man, the only one of his kind, who has no castling right, stands on one
   of these squares, or on one that is alike by symmetry; the other side is to move. */
struct bk_part_man {
    uint8_t colour, type;
    bool on[BK_SQ_MAX];
};

/* In the table's own colours.  All zero: nothing is known, and all of it stays. */
struct bk_part {
    bool known;
    bool side[2]; /* positions with this side to move are read */
    uint8_t nmen; /* and of them those of these men alone; 0: all of them */
    struct bk_part_man man[BK_PART_MEN];
};

/* The slot of such a man in a table, or -1. */
int bk_part_slot(const struct bk_index *ix, const struct bk_part_man *man);
/* Do copies for its men take a quarter less together than all positions of these sides?  One man's
   is what stays of the table, and always does.  Cost: some ns a block, man and square. */
bool bk_part_pays(const struct bk_index *ix, const struct bk_part *part);

/*
 * How the codes of a block lie that a man's copy has: mb has the strides of all, and gets those.
 * His places from the first of these squares to the last stay, so that strides are all there is to
 * know.  False: nothing of the block is in it.
 */
bool bk_narrow_lay_out(const struct bk_index *ix, uint32_t block, const struct bk_part_man *man,
                       struct bk_memblock *mb);

/*
 * Lets go of what is not in the part, and of what exits attain; reading it gives BK_SCORE_NONE.
 * What stays for the first man is at t, for the others at t->also: bk_memtable_for().
 * Where there is no memory for narrower copies what they would have held stays.  Not of tables that
 * several processes hold.  Cost: what stays is copied.
 */
void bk_narrow(struct bk_memtable *t, const struct bk_part *part, struct bk_pool *pool);

#endif
