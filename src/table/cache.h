/*
 * cache.h - what has been read of many files, within one budget of memory.
 *
 * What is *held* (a shard, the model of a file, an open table) hangs at one pointer, its home.
 * A reader loads the home; where that is NULL it reads the file, without a lock, and calls
 * bk_cache_keep().  Room is made by taking out what was asked least recently, and sooner what is
 * worth less: bk_held.worth.
 *
 * No reader pins anything.  Questions are asked within a *visit*; what is taken out stays
 * readable until all visits have ended that began before, and is released then.  So
 *
 *      a pointer found within a visit may be used until its end                       (1)
 *
 * and no question loses what it has read, however small the budget.  A visit costs one locked
 * instruction, however many shards and files it asks.
 *
 * Rejected: pins, two locked instructions a shard; and a lock for readers, which four threads
 * pull to and fro.
 *
 * Threads: any number.  Stack: little.
 */
#ifndef BK_CACHE_H
#define BK_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct bk_cache;
struct bk_readers; /* of files: readers.h */

#define BK_CACHE_BYTES (UINT64_C(256) << 20) /* unless the caller says otherwise */

/* Makes a cache.  bytes: its budget; files: descriptors open at a time, 0: as many as is fit.  *out
   is shared: bk_cache_drop(). */
enum bk_err bk_cache_new(struct bk_cache **out, uint64_t bytes, unsigned files,
                         struct bk_report *why);
/* Makes a *loose* cache, for callers who set no budget: only shards and models keep to `bytes`;
   open tables stay, nothing else counts, and nothing is ever over the budget. */
enum bk_err bk_cache_new_loose(struct bk_cache **out, uint64_t bytes, unsigned files,
                               struct bk_report *why);
struct bk_cache *bk_cache_share(struct bk_cache *c);
void bk_cache_drop(struct bk_cache *c); /* NULL is fine; the last one frees it */

void bk_cache_set_bytes(struct bk_cache *c,
                        uint64_t bytes);           /* makes room at once; no longer loose */
uint64_t bk_cache_bytes(const struct bk_cache *c); /* the budget */
uint64_t bk_cache_used(struct bk_cache *c);        /* what is held, charged, and not yet released */
struct bk_readers *bk_cache_readers(struct bk_cache *c); /* borrowed */

/* Returns a number below n that mostly differs between threads: it is made from where their stacks
   are. */
static inline unsigned bk_thread_some(unsigned n)
{
    char here;
    uint64_t x = (uint64_t)(uintptr_t)&here >> 14;

    return (unsigned)(x * UINT64_C(0x9e3779b97f4a7c15) >> 40) % n;
}

/* == Visits == */

/* Begins a visit; returns what bk_visit_end() takes, in the same thread.  Visits may be nested:
   inner ones cost next to nothing.  Where more than a hundred threads are visiting, others wait for
   one of them.  A thread that has added something waits at the end of its visit, a second at most,
   while what waits to be released is more than a 32nd of the budget. */
unsigned bk_visit_begin(struct bk_cache *c);
void bk_visit_end(struct bk_cache *c, unsigned visit);

/* Forbids this thread to read files, or allows it again; returns the setting before. */
bool bk_cache_only(bool only);
/* Returns BK_E_NOT_CACHED if this thread must not read files, else BK_OK. */
enum bk_err bk_cache_may_read(struct bk_report *why);

/* == What is held == */

enum bk_held_worth { /* how often the clock's hand passes it before it is taken out */
                     BK_WORTH_DTW = 1,
                     BK_WORTH_WDL = 3,
                     BK_WORTH_DTW_MODEL = 10,
                     BK_WORTH_WDL_MODEL = 15,
                     BK_WORTH_TABLE = 16, /* an open table; stays where the cache is loose */
};

struct bk_held;
typedef _Atomic(struct bk_held *) bk_home;

/* The first member of what is held; filled in by bk_held_begin(). */
struct bk_held {
    bk_home *home;
    struct bk_held *next; /* in the list of what has been taken out */
    void (*release)(struct bk_held *h);
    uint64_t bytes, stamp;
    uint32_t place; /* index in the ring */
    uint8_t worth;
    _Atomic uint8_t chances; /* left */
};

/* Fills in `h`.  bytes: all that release() frees. */
void bk_held_begin(struct bk_held *h, uint64_t bytes, enum bk_held_worth worth,
                   void (*release)(struct bk_held *h));

/* Returns what hangs at a home, or NULL, and gives it its chances again. */
static inline struct bk_held *bk_held_at(bk_home *home)
{
    struct bk_held *h = atomic_load(home);

    if (h && atomic_load_explicit(&h->chances, memory_order_relaxed) != h->worth)
        atomic_store_explicit(&h->chances, h->worth, memory_order_relaxed);
    return h;
}

/*
 * Returns BK_E_OVER_BUDGET if `bytes` cannot fit the budget, whatever is taken out, else BK_OK.
 * Ask before memory is taken.  path: for the message.
 */
enum bk_err bk_cache_fits(struct bk_cache *c, uint64_t bytes, const char *path,
                          struct bk_report *why);
/*
 * Hangs `h` at a home, or releases it if something hangs there by now.  Returns what hangs there,
 * which is readable until the visit ends even where there is no room for it.
 */
struct bk_held *bk_cache_keep(struct bk_cache *c, bk_home *home, struct bk_held *h);
/* Counts `bytes` more for `h`, which has grown. */
void bk_cache_grow(struct bk_cache *c, struct bk_held *h, uint64_t bytes);
/* Keeps `h` in memory until bk_cache_forget(); false: it has been taken out already. */
bool bk_cache_pin(struct bk_cache *c, struct bk_held *h);
/* Releases what hangs at n homes.  Nobody may be asking there. */
void bk_cache_forget(struct bk_cache *c, bk_home *home, uint64_t n);

/* Counts memory that is not held: what is known of tables that are not open, the cache's own lists.
   bytes may be negative. */
void bk_cache_charge(struct bk_cache *c, int64_t bytes);

/* Releases `h`, which hangs nowhere, once all visits have ended that are under way now. */
void bk_cache_retire(struct bk_cache *c, struct bk_held *h);
/* Waits until all has been released that has been taken out before. */
void bk_cache_settle(struct bk_cache *c);

#endif
