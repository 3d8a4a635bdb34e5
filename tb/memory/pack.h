/*
 * pack.h - a solved table that waits for the tables that read it: cut down to what they read, and
 * compressed.
 */
#ifndef BK_PACK_H
#define BK_PACK_H

#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

/* == Cut down == */

/*
 * A pawn becomes a queen on certain squares alone.  So of all positions with that queen the table
 * with the pawn reads those in which it stands there and the other side is to move: a tenth of a
 * half of them on ten ranks.  The rest goes when a table is solved and has its files.  If either of
 * two men may have come about by such a change, two copies stay, each for the tables that read it.
 */

/* Men of a table that may have a copy each, at most. */
#define BK_PART_MEN 4

/* Positions in which this man, the only one of its kind, without a castling right, stands on one of
   these squares, or on one that is alike by symmetry; the other side is to move. */
struct bk_part_man {
    uint8_t colour, type;
    bool on[BK_SQ_MAX];
};

/* The part of a table that others read, in the table's own colours.  All zero: it is not known, and
   the full table is kept. */
struct bk_part {
    bool known;
    bool side[2]; /* positions with this side to move are read */
    uint8_t nmen; /* of these, only those of man[0..nmen); 0: all of them */
    struct bk_part_man man[BK_PART_MEN];
};

/* Returns the slot of such a man in a table, or -1. */
int bk_part_slot(const struct bk_index *ix, const struct bk_part_man *man);
/* Returns whether copies for its men together take a quarter less than all positions of the sides
   that are read.  A single man's copy always pays.  Cost: some ns a block, man and square. */
bool bk_part_pays(const struct bk_index *ix, const struct bk_part *part);

/*
 * Turns mb, which has the strides of a whole block, into the layout of a man's copy.  The man's
 * places from the first of its squares to the last stay, so that strides describe the copy.
 * Returns false if the copy has no position of the block.
 */
bool bk_narrow_lay_out(const struct bk_index *ix, uint32_t block, const struct bk_part_man *man,
                       struct bk_memblock *mb);

/*
 * Frees the positions that are not in the part, and the bitmaps of what exits attain.  A freed
 * position reads as BK_SCORE_NONE.  The copy for the first man is at t, for the others at t->also:
 * bk_memtable_for().  If a copy cannot be allocated, all positions of the sides that are read are
 * kept.  Does nothing to tables that several processes hold.
 * Cost: what stays is copied.
 */
void bk_narrow(struct bk_memtable *t, const struct bk_part *part, struct bk_pool *pool);

/* == Compressed == */

/*
 * Zstd leaves a tenth to a quarter of a table without distances, a fifth to two fifths with them,
 * and restores it at a GB a second; solving it again takes many (docs/solving.md 10).  The packed
 * form stays when the arrays are there again, since a solved table does not change: to free them
 * once more costs nothing.
 */

/* The compressed arrays of one table and of its copies (t->also).  Opaque. */
struct bk_packed;

/*
 * Packs and frees the arrays of a solved table, which are in memory, not on disk nor shared out
 * among processes.  The table cannot be read until it is unpacked.
 *
 * p  *p is NULL at first, then owned; the caller passes it again each time
 *
 * Returns false if memory was refused; some arrays may be packed by then, and bk_unpack() restores
 * them.
 * Threads: the pool's.  Cost: the first time 2 to 4 ns a byte, and for a while an array's packed
 * bytes twice.
 */
bool bk_pack(struct bk_packed **p, struct bk_memtable *t, struct bk_pool *pool);
/* Unpacks the arrays.  Returns false if memory was refused; some are still packed then.  Cost: 1 ns
   a byte. */
bool bk_unpack(struct bk_packed *p, struct bk_memtable *t, struct bk_pool *pool);

uint64_t bk_packed_bytes(const struct bk_packed *p);
void bk_packed_free(struct bk_packed *p); /* NULL is fine */

#endif
