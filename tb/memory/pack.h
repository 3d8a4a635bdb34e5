/*
 * pack.h - solved tables, compressed while they wait.
 *
 * Zstd leaves a tenth to a quarter of a table without distances, a fifth to two fifths with them,
 * and gives it back at a GB a second, where to solve it again takes many (docs/solving.md 10).  The
 * packed form stays when the arrays are there again, since what is solved does not change: to let
 * go of them once more costs nothing.
 */
#ifndef BK_PACK_H
#define BK_PACK_H

#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

struct bk_packed; /* opaque; of one table, with those that are t->also */

/*
 * Packs and frees the arrays of a solved table, which are in memory, not on disk nor shared out
 * among processes; it cannot be read until it is unpacked.  *p: NULL at first, then owned, and
 * given again each time.  False: no memory; some arrays may have gone, and bk_unpack() brings them
 * back.
 * Threads: the pool's.  Cost: the first time 2 to 4 ns a byte, and once more an array's packed
 * bytes.
 */
bool bk_pack(struct bk_packed **p, struct bk_memtable *t, struct bk_pool *pool);
/* Unpacks the arrays.  False: no memory; some are missing still.  Cost: 1 ns a byte. */
bool bk_unpack(struct bk_packed *p, struct bk_memtable *t, struct bk_pool *pool);

uint64_t bk_packed_bytes(const struct bk_packed *p);
void bk_packed_free(struct bk_packed *p); /* NULL is fine */

#endif
