/*
 * ranks.h - several processes that make a table together: what they agree on,
 * and what they send each other.
 *
 * All of them do the same things in the same order (build the same plan, table
 * after table, ply after ply) but for the share of the work that is each one's
 * own.  So whatever the clock, a disk or a machine's memory decides is decided
 * by the first rank, and errors are agreed on before any process acts on them.
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

enum { BK_PROCESSES_MAX = 64 }; /* a set of them is a word of so many bits */

/*
 * Until the first process begins shared work it runs alone, and the others wait, so that errors
 * before it, and work that is not shared, are done and reported once.
 *
 * wait   called by the others: true when the first has begun; false: it has ended without shared
 *        work, with *status.  The first gets true at once
 * begin  called where shared work begins: by the first, which releases the others, and by these
 * end    called before a process ends: the first sends its status to those that wait; another
 *        one that has failed before begin() ends all
 */
bool bk_ranks_wait(int *status);
void bk_ranks_begin(void);
void bk_ranks_end(int status);

/* How many processes there are, 1 before begin(); which one this is. */
unsigned bk_ranks(void);
unsigned bk_rank(void);
static inline bool bk_ranks_several(void) { return bk_ranks() > 1; }
static inline bool bk_ranks_is_first(void) { return !bk_rank(); }

/* All return the error of the lowest rank that has one, with its report; a rank that is not the
   first names itself in it. */
enum bk_err bk_ranks_agree(enum bk_err err, struct bk_report *why);
/* Copies so many bytes at x from the first rank to all others. */
void bk_ranks_first_says(void *x, size_t bytes);
/* BK_E_USAGE where the ranks' numbers differ: `what` is not the same everywhere. */
enum bk_err bk_ranks_same(uint64_t number, const char *what, struct bk_report *why);

/* Some of `ranks` ranks, for estimates: those from `from` to `end` - 1. */
struct bk_some_ranks {
    unsigned ranks, from, end;
};

/* Bytes that one rank sends another.  Begins zeroed. */
struct bk_box {
    char *at; /* owned */
    size_t n, room;
    bool failed; /* no memory: what is put there is lost, and the exchange fails */
};

void bk_box_put(struct bk_box *box, const void *from, size_t bytes);
/* Packs what is in a box, where zstd, level 1, makes it smaller.  False: no memory. */
bool bk_box_pack(struct bk_box *box);
/* Appends so many bytes, which the caller writes next; NULL: no memory. */
void *bk_box_room(struct bk_box *box, size_t bytes);

/*
 * Sends out[r] of every rank to rank r.
 *
 * out, in  by rank.  Afterwards out[] are empty, and in[r] has what came from rank r.  A rank's
 *          boxes for itself stay as they are.
 * packed   where that makes them smaller: for what is mostly zero.  Cost: that of zstd at level 1
 * BK_E_SYSTEM (memory), perhaps on one rank alone: to be agreed on.
 */
enum bk_err bk_ranks_exchange(struct bk_box *out, struct bk_box *in, bool packed,
                              struct bk_report *why);
/* Bytes that each of `ranks` processes sends in an exchange besides the boxes. */
uint64_t bk_ranks_exchange_words(unsigned ranks);
/*
 * Replaces each of n numbers, of which most are small, or 0, by its sum over all processes.  Each
 * process adds up a part of them and sends the others these sums, packed.  BK_E_SYSTEM (memory):
 * for all alike.
 */
enum bk_err bk_ranks_sum(uint64_t *x, size_t n, struct bk_report *why);
/* Empty boxes, one for each of `ranks`; owned.  NULL: no memory. */
struct bk_box *bk_boxes_new(unsigned ranks);
void bk_boxes_free(struct bk_box *boxes, unsigned ranks); /* NULL is fine */

/* The kinds of bytes that are sent. */
enum bk_traffic {
    BK_SENDS_WORDS,  /* what is agreed on: little */
    BK_SENDS_NEWS,   /* after a ply; the joining of processes with it */
    BK_SENDS_VALUES, /* of solved slices, to the processes that read them */
    BK_SENDS_ROWS,   /* to learn from; what was learned, and counts */
    BK_SENDS_SHARDS, /* of files, to the first */
    BK_TRAFFICS
};

/* From here on what this process sends counts as `what`. */
void bk_ranks_sends(enum bk_traffic what);

/* Bytes this process has sent so far, as they went. */
struct bk_ranks_traffic {
    uint64_t bytes[BK_TRAFFICS];
};
struct bk_ranks_traffic bk_ranks_sent(void);

#endif
