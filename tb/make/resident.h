/*
 * resident.h - which tables stay in memory while others are built.
 *
 * A table is needed by all that can move into it.  Those already there are
 * kept while they fit into a part of the memory that may be used, and are
 * solved anew otherwise: their files would have to be decoded and their exits
 * settled, which takes longer.  If more are wanted than fit, those that are needed last are packed
 * (memory/pack.h), and come back when they are needed.  If that does not do, those go that are
 * worth least: few positions to solve for many bytes, and needed late.  With all
 * that it moves into, what a table spares is up to a thousand times another's.
 * The rules are here by themselves because two follow them: bk_build(), with tables, and the plan
 * that predicts what bk_build() will take, with their sizes alone.
 */
#ifndef BK_RESIDENT_H
#define BK_RESIDENT_H

#include "tb/make/plan.h"
#include "tb/memory/pack.h"

struct bk_kept {
    uint32_t table;           /* number in the plan */
    struct bk_memtable *t;    /* owned; NULL in a prediction */
    uint64_t bytes;           /* of its arrays, unpacked */
    bool away;                /* its arrays are packed, and freed */
    struct bk_packed *packed; /* owned; NULL: never was, or in a prediction */
    uint64_t packed_bytes;    /* 0: never was */
    unsigned uses;            /* tables still to be built that move into it */
    unsigned pins;            /* tables being solved that move into it: it stays */
};

struct bk_resident {
    const struct bk_plan *p; /* borrowed */
    double *cost;            /* owned; by table: positions to be solved to have it */
    struct bk_pool *pool;    /* borrowed: packs */
    bool packs;              /* tables that wait are packed; not if processes share them */
    bool packs_all;          /* for tests: all of them, even if there is room */
    struct bk_kept *kept;
    size_t n, room;
    uint64_t bytes;
    uint64_t memory; /* that may be used in all */
    uint64_t limit;  /* of all tables that are held */
    uint64_t spare;  /* of those not needed at once, even if the others take more than `limit` */
};

/* memory_limit: of the process; 0: the machine's memory.  False: no memory; afterwards no table is
   ever refused for want of it, so that several processes go on alike. */
bool bk_resident_init(struct bk_resident *h, const struct bk_plan *p, uint64_t memory_limit);
void bk_resident_release(struct bk_resident *h);
void bk_resident_clear(struct bk_resident *h); /* lets go of all tables */

struct bk_kept *bk_resident_find(const struct bk_resident *h, uint32_t table); /* NULL: not held */
/* t is taken, even on failure; nth: the first table still to be built. */
enum bk_err bk_resident_add(struct bk_resident *h, uint32_t table, struct bk_memtable *t,
                            uint64_t bytes, unsigned nth, struct bk_report *why);
/* Packs, and then lets go of, what neither the nth table nor one being solved needs, if more is
   held than may be.  Cost: of each that goes, for all that are held, a look at the tables until the
   next that needs it. */
void bk_resident_make_room(struct bk_resident *h, unsigned nth);

/* Solves a table anew, with all that it moves into at hand, or says how many bytes it would take.
 *t owned by the caller. */
typedef enum bk_err bk_resident_make(void *context, uint32_t table, struct bk_memtable **t,
                                     uint64_t *bytes, struct bk_report *why);
/*
 * Sees to it that all tables which `table` moves into are held, unpacked, and stay so until
 * bk_resident_leave(); what is not there is made, after what that needs.
 * nth: the first table still to be built.  Fails as `make` does; then nothing is pinned.
 */
enum bk_err bk_resident_gather(struct bk_resident *h, unsigned nth, uint32_t table,
                               bk_resident_make *make, void *context, struct bk_report *why);
void bk_resident_leave(struct bk_resident *h, uint32_t table);

/* The nth table is done: lets go of what nothing else needs. */
void bk_resident_done(struct bk_resident *h, unsigned nth);
/* Estimates what so many bytes are when they are packed: of five tables without distances 0.09 to
   0.23 is left, of four with them 0.20 to 0.39 (docs/solving.md 10).  Small ones may pack worse:
   0.34 and 0.41, of many small blocks 0.84. */
uint64_t bk_resident_packed(const struct bk_resident *h, uint64_t bytes);
/* For a prediction: what all held tables may take beyond that estimate.  Some pack worse than
   others, which then stay, too: all of Sultan's two men against one took 0.8 per cent more than was
   predicted without it. */
uint64_t bk_resident_margin(const struct bk_resident *h);
/* Bytes of indices and the like of all tables that are held, away or not. */
uint64_t bk_resident_frames(const struct bk_resident *h);
/* Will the nth table, of so many bytes, be held when it is done? */
bool bk_resident_will_keep(const struct bk_resident *h, unsigned nth, uint64_t bytes);

#endif
