/*
 * narrow.h - of a solved table, the part that other tables read.
 *
 * A pawn becomes a queen on certain squares alone.  So of all positions with that
 * queen the table with the pawn reads those in which it stands there and the
 * other side is to move; a tenth of a half of them on ten ranks.  The rest
 * goes when a table is solved and has its files.  Where either of two men may
 * have come about by such a change, two copies stay, each for the tables that
 * read it.
 */
#ifndef BK_NARROW_H
#define BK_NARROW_H

#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

/* Men of a table that may have a copy each, at most. */
#define BK_PART_MEN 4

/* Positions in which this man, the only one of its kind, without a castling right, stands on one of
   these squares, or on one that is alike by symmetry; the other side is to move. */
struct bk_part_man {
    uint8_t colour, type;
    bool on[BK_SQ_MAX];
};

/* In the table's own colours.  All zero: nothing is known, and all of it stays. */
struct bk_part {
    bool known;
    bool side[2]; /* positions with this side to move are read */
    uint8_t nmen; /* of these, those of so many men alone; 0: all of them */
    struct bk_part_man man[BK_PART_MEN];
};

/* The slot of such a man in a table, or -1. */
int bk_part_slot(const struct bk_index *ix, const struct bk_part_man *man);
/* Do copies for its men together take a quarter less than all positions of these sides?  A single
   man's always pays: it is all that stays.  Cost: some ns a block, man and square. */
bool bk_part_pays(const struct bk_index *ix, const struct bk_part *part);

/*
 * Turns mb, which has the strides of a whole block, into the layout of a man's copy.  The man's
 * places from the first of its squares to the last stay, so that strides are all there is to know.
 * False: nothing of the block is in the copy.
 */
bool bk_narrow_lay_out(const struct bk_index *ix, uint32_t block, const struct bk_part_man *man,
                       struct bk_memblock *mb);

/*
 * Frees what is not in the part, and what exits attain; reading it gives BK_SCORE_NONE.  The copy
 * for the first man is at t, for the others at t->also: bk_memtable_for().  Where there is no
 * memory for copies what they would have held stays.  Does nothing to tables that several processes
 * hold.  Cost: what stays is copied.
 */
void bk_narrow(struct bk_memtable *t, const struct bk_part *part, struct bk_pool *pool);

#endif
