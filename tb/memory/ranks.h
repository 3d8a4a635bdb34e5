/*
 * ranks.h - several processes that make a table together: what they agree on,
 * and what they send each other.
 *
 * All of them do the same things in the same order (build the same plan, table
 * after table, ply after ply) but for the share of the work that is each one's
 * own.  So whatever the clock, a disk or a machine's memory decides is decided
 * by the first rank, and errors are agreed on before anybody acts on them.
 * With one process every call is cheap and does nothing.
 *
 * Threads: the main thread's alone.
 */
#ifndef BK_RANKS_H
#define BK_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "tb/memory/transport.h"

enum { BK_PROCESSES_MAX = 64 }; /* so many bits has a set of them */

/*
 * Until the first process begins shared work it is alone, and the others wait:
 * what goes wrong before, or is no such work, is done and said once.
 *
 * wait   of the others: true when the first has begun; false: it has ended without, with *status
 * begin  where shared work begins: by the first, which calls the others, and by each of these
 * end    before a process ends: the others of the first hear its status; one of them that has
 *        failed on its way to begin() ends all
 */
bool bk_ranks_wait(int *status);
void bk_ranks_begin(void);
void bk_ranks_end(int status);

/* How many processes there are, 1 before begin(); which one this is. */
unsigned bk_ranks(void);
unsigned bk_rank(void);
static inline bool bk_ranks_several(void) { return bk_ranks() > 1; }
static inline bool bk_ranks_is_first(void) { return !bk_rank(); }

/* All return the error of the lowest rank that has one, with its report; who is not the first names
   itself in it. */
enum bk_err bk_ranks_agree(enum bk_err err, struct bk_report *why);
/* Everyone has what the first rank has there. */
void bk_ranks_first_says(void *x, size_t bytes);
/* BK_E_USAGE where the ranks' numbers differ: `what` is not the same everywhere. */
enum bk_err bk_ranks_same(uint64_t number, const char *what, struct bk_report *why);

/* Some of so many ranks, for what is foretold of them: those from `from` to `end` - 1. */
struct bk_some_ranks {
    unsigned ranks, from, end;
};

/* What one rank has for another.  Begins zeroed. */
struct bk_box {
    char *at; /* owned */
    size_t n, room;
    bool failed; /* no memory: what is put there is lost, and the exchange fails */
};

void bk_box_put(struct bk_box *box, const void *from, size_t bytes);
/* What is there becomes smaller where zstd, level 1, makes it so.  False: no memory. */
bool bk_box_pack(struct bk_box *box);
/* Room for so many bytes, to be written next; NULL: no memory. */
void *bk_box_room(struct bk_box *box, size_t bytes);

/*
 * out, in  by rank.  Everyone's boxes go where they are meant for; out[] are empty then, in[] have
 *          what came.  What is for itself stays.
 * packed   where that makes them smaller: for what is mostly zero.  Cost: that of zstd at level 1
 * BK_E_SYSTEM (memory), perhaps on one rank alone: to be agreed on.
 */
enum bk_err bk_ranks_exchange(struct bk_box *out, struct bk_box *in, bool packed,
                              struct bk_report *why);
/* Bytes that an exchange among so many costs each of them besides. */
uint64_t bk_ranks_exchange_words(unsigned ranks);
/*
 * Everyone has the sum of each number, of which most are small, or 0.  Each process adds up a part
 * of them and tells that, packed.  BK_E_SYSTEM (memory): for all alike.
 */
enum bk_err bk_ranks_sum(uint64_t *x, size_t n, struct bk_report *why);
/* By rank, of so many; NULL: no memory. */
struct bk_box *bk_boxes_new(unsigned ranks);
void bk_boxes_free(struct bk_box *boxes, unsigned ranks); /* NULL is fine */

/* What it is that is sent. */
enum bk_traffic {
    BK_SENDS_WORDS,  /* what is agreed on: little */
    BK_SENDS_NEWS,   /* after a ply; the joining of processes with it */
    BK_SENDS_VALUES, /* of solved slices, to those who want them */
    BK_SENDS_ROWS,   /* to learn from; what was learned, and counts */
    BK_SENDS_SHARDS, /* of files, to the first */
    BK_TRAFFICS
};

/* From here on this process sends such. */
void bk_ranks_sends(enum bk_traffic what);

/* Bytes this process has sent so far, as they went. */
struct bk_ranks_traffic {
    uint64_t bytes[BK_TRAFFICS];
};
struct bk_ranks_traffic bk_ranks_sent(void);

#endif
