/*
 * cache.h - the prober's cache of table files: one memory budget, eviction by a clock (second
 * chance) weighted by cost, lock-free reads with epoch-based reclamation.
 *
 * An *entry* (struct bk_held) is a shard, the models of a file, or an open table.  It is published
 * in one pointer, its *slot* (bk_home), which belongs to the entry's user.  A reader loads the
 * slot; if that is NULL it reads the file, without a lock, and publishes a new entry:
 * bk_cache_keep().  If the budget is exceeded, the clock's hand goes round and evicts entries that
 * it has passed as often as they cost (bk_held.worth) since they were last used.
 *
 * Reclamation is by epochs, without reference counts.  Questions are asked within a *read section*
 * (a visit: bk_visit_begin() to bk_visit_end()).  An evicted entry is *retired*: its slot is NULL,
 * and it is freed when all read sections have ended that began before.  So
 *
 *      a pointer loaded within a read section is valid until its end                  (1)
 *
 * and no question loses what it has read, however small the budget.  A read section costs one
 * locked instruction, however many shards and files it asks.
 *
 * Rejected: reference counts, two locked instructions a shard; and a lock for readers, whose cache
 * line four threads fight for.
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

#define BK_CACHE_BYTES (UINT64_C(256) << 20) /* the default budget */

/* Makes a cache.  bytes: its budget; files: descriptors open at a time, 0: bk_readers_new()
   chooses.  out is counted: bk_cache_drop() ends one use of it. */
enum bk_err bk_cache_new(struct bk_cache **out, uint64_t bytes, unsigned files,
                         struct bk_report *why);
/* Makes a *loose* cache, for callers who set no budget: `bytes` limits shards and models alone.
   Open tables are never evicted, charges (bk_cache_charge()) do not count, and nothing is refused
   as over the budget. */
enum bk_err bk_cache_new_loose(struct bk_cache **out, uint64_t bytes, unsigned files,
                               struct bk_report *why);
struct bk_cache *bk_cache_share(struct bk_cache *c); /* adds a use; returns c */
void bk_cache_drop(struct bk_cache *c);              /* NULL is fine; the last use frees it */

/* Sets the budget and evicts at once down to it.  The cache is no longer loose. */
void bk_cache_set_bytes(struct bk_cache *c, uint64_t bytes);
uint64_t bk_cache_bytes(const struct bk_cache *c); /* the budget */
/* Returns the bytes of all entries, charges, and retired entries that are not freed yet. */
uint64_t bk_cache_used(struct bk_cache *c);
struct bk_readers *bk_cache_readers(struct bk_cache *c); /* borrowed */

/* Returns a number below n that mostly differs between threads: a hash of the stack's address. */
static inline unsigned bk_thread_some(unsigned n)
{
    char here;
    uint64_t x = (uint64_t)(uintptr_t)&here >> 14;

    return (unsigned)(x * UINT64_C(0x9e3779b97f4a7c15) >> 40) % n;
}

/* == Read sections (visits) == */

/*
 * Begins a read section; returns a token for bk_visit_end(), which the same thread calls.
 * Sections may be nested: inner ones cost next to nothing.  If 128 threads are in one, others wait
 * for a thread to leave.  A thread that has added an entry waits at the end of its section, a
 * second at most, while retired entries take more than a 32nd of the budget.
 */
unsigned bk_visit_begin(struct bk_cache *c);
void bk_visit_end(struct bk_cache *c, unsigned visit);

/* Forbids this thread to read files, or allows it again; returns the setting before. */
bool bk_cache_only(bool only);
/* Returns BK_E_NOT_CACHED if this thread must not read files, else BK_OK. */
enum bk_err bk_cache_may_read(struct bk_report *why);

/* == Entries == */

enum bk_held_worth { /* its cost: how often the clock's hand passes it before it is evicted */
                     BK_WORTH_DTW = 1,
                     BK_WORTH_WDL = 3,
                     BK_WORTH_DTW_MODEL = 10,
                     BK_WORTH_WDL_MODEL = 15,
                     BK_WORTH_TABLE = 16, /* an open table; a loose cache never evicts it */
};

struct bk_held;
typedef _Atomic(struct bk_held *) bk_home; /* a slot; NULL: empty */

/* An entry: the first member of the struct that is cached; filled in by bk_held_begin(). */
struct bk_held {
    bk_home *home;                      /* its slot; NULL: retired, or not published yet */
    struct bk_held *next;               /* in the list of retired entries */
    void (*release)(struct bk_held *h); /* frees it */
    uint64_t bytes, stamp;              /* stamp: the epoch at which it was retired */
    uint32_t place;                     /* index in the ring */
    uint8_t worth;
    _Atomic uint8_t chances; /* passes of the hand that are left: `worth` after each use */
};

/* Fills in entry `h`.  bytes: all that release() frees. */
void bk_held_begin(struct bk_held *h, uint64_t bytes, enum bk_held_worth worth,
                   void (*release)(struct bk_held *h));

/* Returns the entry in a slot, or NULL, and marks it as used.  The caller is in a read section. */
static inline struct bk_held *bk_held_at(bk_home *home)
{
    struct bk_held *h = atomic_load(home);

    if (h && atomic_load_explicit(&h->chances, memory_order_relaxed) != h->worth)
        atomic_store_explicit(&h->chances, h->worth, memory_order_relaxed);
    return h;
}

/*
 * Returns BK_E_OVER_BUDGET if `bytes` cannot fit the budget even if all is evicted, else BK_OK.
 * To be called before the memory is allocated.  path: for the message.
 */
enum bk_err bk_cache_fits(struct bk_cache *c, uint64_t bytes, const char *path,
                          struct bk_report *why);
/*
 * Publishes entry `h` in its slot; if another thread was first, frees `h`.  Returns the entry in
 * the slot.  It is valid until the read section ends, even if it is evicted at once.
 */
struct bk_held *bk_cache_keep(struct bk_cache *c, bk_home *home, struct bk_held *h);
/* Counts `bytes` more for entry `h`, which has grown; evicts others if need be. */
void bk_cache_grow(struct bk_cache *c, struct bk_held *h, uint64_t bytes);
/* Pins entry `h`: it stays until bk_cache_forget().  False: it has been evicted already. */
bool bk_cache_pin(struct bk_cache *c, struct bk_held *h);
/* Empties n slots and frees their entries at once.  No thread may be reading them. */
void bk_cache_forget(struct bk_cache *c, bk_home *home, uint64_t n);

/* Charges memory that is no entry to the budget: records of tables that are not open, the cache's
   own lists.  bytes may be negative. */
void bk_cache_charge(struct bk_cache *c, int64_t bytes);

/* Retires `h`, which is in no slot: frees it when all read sections of this moment have ended. */
void bk_cache_retire(struct bk_cache *c, struct bk_held *h);
/* Waits until all entries are freed that have been retired before. */
void bk_cache_settle(struct bk_cache *c);

#endif
