/*
 * resident.h - which tables stay in memory (are *resident*) while others are built.
 *
 * Retrograde analysis of a table reads the tables of all its exits (conversions: captures,
 * promotions), in memory, as bytes or bits a position.  To solve one of them again takes less time
 * than to decode its file.  So this is a cache whose misses are recomputed:
 *
 *   1. solved tables stay while they fit into a part of the memory that may be used
 *   2. if more are wanted than fit, those that are needed last are packed (memory/pack.h), and
 *      unpacked when they are needed
 *   3. if that does not suffice, tables are evicted, those with the least merit first
 *   4. an evicted table is solved again when it is needed
 *
 * Merit is what a table saves, with all that it moves into: positions to solve, a byte, and more if
 * it is needed soon.  One table saves up to a thousand times what another does.
 *
 * A table is *idle* if neither the table that is built now nor one being solved for it needs it;
 * others are neither packed nor evicted.
 *
 * Two follow these rules: bk_build(), with tables, and the plan that estimates what bk_build() will
 * take, with their sizes alone.
 */
#ifndef BK_RESIDENT_H
#define BK_RESIDENT_H

#include "tb/make/plan.h"
#include "tb/memory/pack.h"

/* A resident table. */
struct bk_kept {
    uint32_t table;           /* number in the plan */
    struct bk_memtable *t;    /* owned; NULL in an estimate */
    uint64_t bytes;           /* of its arrays, unpacked */
    bool away;                /* only its packed form is there: its arrays are freed */
    struct bk_packed *packed; /* owned; NULL: it was never packed, or this is an estimate */
    uint64_t packed_bytes;    /* 0: it was never packed */
    unsigned uses;            /* tables still to be built that move into it */
    unsigned pins;            /* tables being solved that move into it: it is not idle */
};

struct bk_resident {
    const struct bk_plan *p; /* borrowed */
    double *cost;            /* owned; by table: positions to be solved to have it again */
    struct bk_pool *pool;    /* borrowed: packs */
    bool packs;              /* tables may be packed: not if processes share them */
    bool packs_all;          /* for tests: all idle tables are packed, even if there is room */
    struct bk_kept *kept;
    size_t n, room;
    uint64_t bytes;
    uint64_t memory; /* that the process may use in all */
    uint64_t limit;  /* of all resident tables */
    uint64_t spare;  /* of idle tables, even if all together take more than `limit` */
};

/* memory_limit: of the process; 0: the machine's memory.  False: no memory.  Room for the list of
   all tables is made here, so that bk_resident_add() cannot fail in one of several processes alone.
 */
bool bk_resident_init(struct bk_resident *h, const struct bk_plan *p, uint64_t memory_limit);
void bk_resident_release(struct bk_resident *h);
void bk_resident_clear(struct bk_resident *h); /* evicts all tables */

struct bk_kept *bk_resident_find(const struct bk_resident *h,
                                 uint32_t table); /* NULL: not resident */
/* Makes a table resident.  t is taken, even on failure; nth: the first table still to be built. */
enum bk_err bk_resident_add(struct bk_resident *h, uint32_t table, struct bk_memtable *t,
                            uint64_t bytes, unsigned nth, struct bk_report *why);
/* While resident tables take more than they may: packs idle tables, then evicts them.  Cost, for
   each table that goes: for all resident tables, a look at the tables of the plan up to the next
   that needs it. */
void bk_resident_make_room(struct bk_resident *h, unsigned nth);

/* Solves a table again; all that it moves into is resident.  In an estimate it only sets *bytes to
   what the table would take.  *t owned by the caller. */
typedef enum bk_err bk_resident_make(void *context, uint32_t table, struct bk_memtable **t,
                                     uint64_t *bytes, struct bk_report *why);
/*
 * Makes all tables that `table` moves into resident and unpacked, and pins them until
 * bk_resident_leave().  `make` solves those that are not resident, after what they need in turn.
 * nth: the first table still to be built.  Fails as `make` does; then nothing is pinned.
 */
enum bk_err bk_resident_gather(struct bk_resident *h, unsigned nth, uint32_t table,
                               bk_resident_make *make, void *context, struct bk_report *why);
/* Releases the pins of bk_resident_gather(). */
void bk_resident_leave(struct bk_resident *h, uint32_t table);

/* The nth table is built: evicts the tables that no later one needs. */
void bk_resident_done(struct bk_resident *h, unsigned nth);
/* Estimates the packed size of so many bytes.  Of five tables without distances 0.09 to 0.23 is
   left, of four with them 0.20 to 0.39 (docs/solving.md 10).  Small ones may pack worse: 0.34 and
   0.41, of many small blocks 0.84. */
uint64_t bk_resident_packed(const struct bk_resident *h, uint64_t bytes);
/* For an estimate: what resident tables may take beyond bk_resident_packed().  Some pack worse than
   others, which then stay, too: all of Sultan's two men against one took 0.8 per cent more than was
   estimated without it. */
uint64_t bk_resident_margin(const struct bk_resident *h);
/* Returns the bytes of the indices and block descriptions of all resident tables, packed or not. */
uint64_t bk_resident_frames(const struct bk_resident *h);
/* Will the nth table, of so many bytes, be resident once it is built? */
bool bk_resident_will_keep(const struct bk_resident *h, unsigned nth, uint64_t bytes);

#endif
