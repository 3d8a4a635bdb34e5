/*
 * hold.h - which tables stay in memory while others are built.
 *
 * A table is needed by all that can move into it.  Those already there are
 * kept while they fit into a quarter of the memory that may be used, and read
 * back from their files otherwise.  The rules are here by themselves because
 * two follow them: bk_build(), with tables, and the plan that predicts what
 * bk_build() will take, with their sizes alone.
 */
#ifndef BK_HOLD_H
#define BK_HOLD_H

#include "tb/build/build.h"

struct bk_held {
    uint32_t table;        /* number in the plan */
    struct bk_memtable *t; /* owned; NULL in a prediction */
    uint64_t bytes;
    unsigned uses; /* tables still to be built that move into it */
};

struct bk_hold {
    const struct bk_plan *p; /* borrowed */
    struct bk_held *held;
    size_t n, room;
    uint64_t bytes, limit;
};

/* memory_limit: of the process; 0: the machine's memory. */
void bk_hold_init(struct bk_hold *h, const struct bk_plan *p, uint64_t memory_limit);
void bk_hold_release(struct bk_hold *h);

/*
 * A table that is read back from its files has only the sides to move in its
 * memory that the nth table, and those after it, move into: a promotion of
 * White leads to positions with Black to move and to no others.  Bit per side.
 * Cost: all materials one move away from each of them.
 */
unsigned bk_hold_sides(const struct bk_plan *p, unsigned nth, uint32_t table);

struct bk_held *bk_hold_find(const struct bk_hold *h, uint32_t table); /* NULL: not held */
/* t is taken, even on failure; nth: the first table still to be built. */
enum bk_err bk_hold_add(struct bk_hold *h, uint32_t table, struct bk_memtable *t, uint64_t bytes,
                        unsigned nth, struct bk_report *why);
/* Lets go of what the nth table does not need, if more is held than may be. */
void bk_hold_make_room(struct bk_hold *h, unsigned nth);
/* The nth table is done: lets go of what nothing else needs. */
void bk_hold_done(struct bk_hold *h, unsigned nth);
/* Will the nth table, of so many bytes, be held when it is done? */
bool bk_hold_will_keep(const struct bk_hold *h, unsigned nth, uint64_t bytes);

#endif
