/*
 * cache.c - see cache.h.
 *
 * Reclamation by epochs.  Each read section has a *seat*, in which it writes the epoch at which it
 * began.  The epoch grows by one whenever an entry is retired:
 *
 *      read     write the epoch into a seat; then load the entry's slot
 *      retire   clear the slot; stamp the entry with the epoch, which grows; then look at the
 *               seats: entries that are stamped before the earliest of them are freed       (2)
 *
 * Both sides write before they look, in one order for all threads (sequentially consistent
 * atomics).  So either the retiring thread sees the read section, whose epoch is not later than the
 * stamp; or the reader finds the slot empty.
 *
 * A thread that waits for a seat has none in this cache, so those that have one go on and leave it.
 * Nested read sections therefore take no second seat.
 *
 * One long read section, whose thread waits for a disk or for the processor, keeps all entries in
 * memory that others retire meanwhile; without end, if they go on.  So if retired entries take much
 * memory, a thread that has added an entry waits after its read section, when it has no seat, until
 * less is left, for a second at most.  A thread that finds everything in memory never waits.
 *
 * Eviction is by the clock algorithm.  All entries stand in a ring, in no order; the hand goes
 * round and takes one chance from each.  An entry without chances is evicted; an entry that is used
 * gets all its chances back, as many as its cost (bk_held.worth).
 */
#include "table/cache.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table/readers.h"

#define SEATS       128   /* threads in read sections at a time */
#define NESTED      SEATS /* token of a read section within another of the thread: it has no seat */
#define NOWHERE     UINT32_MAX
#define LINE        64                    /* bytes: seats of two threads share none */
#define OVERHEAD    16                    /* bytes that malloc() adds */
#define RETIRED_MAX (UINT64_C(256) << 10) /* bytes, or */
#define RETIRED_OF  128  /* 1/128 of the budget if less: above it retired entries are freed */
#define CROWD_OF    32   /* 1/32 of the budget: above it threads that add entries wait */
#define NAPS_MAX    6000 /* of 0.1 ms each, and what the system adds */

struct seat {
    _Atomic uint64_t since; /* an epoch; 0: free */
    uint8_t unused[LINE - sizeof(uint64_t)];
};

struct bk_cache {
    struct seat seat[SEATS];
    _Atomic uint64_t now;     /* the epoch */
    _Atomic uint64_t retired; /* bytes of retired entries */
    _Atomic uint64_t budget;
    _Atomic unsigned shares;
    _Atomic uint64_t retired_max;
    struct bk_readers *readers;
    pthread_mutex_t lock; /* for all that follows */
    bool loose;           /* tables and charges do not count; tables are not evicted */
    uint64_t kept, tables, charged;
    struct bk_held **ring;
    uint32_t n, ntables, room, hand;
    struct bk_held *out; /* list of retired entries */
};

static void budget_set(struct bk_cache *c, uint64_t bytes)
{
    uint64_t retired = bytes / RETIRED_OF;

    atomic_store(&c->budget, bytes);
    atomic_store(&c->retired_max, retired < RETIRED_MAX ? retired : RETIRED_MAX);
}

enum bk_err bk_cache_new(struct bk_cache **out, uint64_t bytes, unsigned files,
                         struct bk_report *why)
{
    struct bk_cache *c = calloc(1, sizeof *c);
    enum bk_err err;

    *out = NULL;
    if (!c || pthread_mutex_init(&c->lock, NULL)) {
        free(c);
        return bk_no_memory(why);
    }
    atomic_init(&c->now, 1);
    budget_set(c, bytes);
    atomic_init(&c->shares, 1);
    if ((err = bk_readers_new(&c->readers, files, why)) != BK_OK) {
        pthread_mutex_destroy(&c->lock);
        free(c);
        return err;
    }
    *out = c;
    return BK_OK;
}

enum bk_err bk_cache_new_loose(struct bk_cache **out, uint64_t bytes, unsigned files,
                               struct bk_report *why)
{
    enum bk_err err = bk_cache_new(out, bytes, files, why);

    if (!err)
        (*out)->loose = true;
    return err;
}

struct bk_cache *bk_cache_share(struct bk_cache *c)
{
    atomic_fetch_add(&c->shares, 1);
    return c;
}

void bk_cache_drop(struct bk_cache *c)
{
    if (!c || atomic_fetch_sub(&c->shares, 1) > 1)
        return;
    bk_cache_settle(c);
    bk_readers_free(c->readers);
    pthread_mutex_destroy(&c->lock);
    free(c->ring);
    free(c);
}

uint64_t bk_cache_bytes(const struct bk_cache *c) { return atomic_load(&c->budget); }

struct bk_readers *bk_cache_readers(struct bk_cache *c) { return c->readers; }

uint64_t bk_cache_used(struct bk_cache *c)
{
    uint64_t used;

    pthread_mutex_lock(&c->lock);
    used = c->kept + c->tables + c->charged + atomic_load(&c->retired);
    pthread_mutex_unlock(&c->lock);
    return used;
}

/* == Freeing == */

/* Returns the epoch at which the earliest read section began. */
static uint64_t earliest(struct bk_cache *c)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < SEATS; i++) {
        uint64_t since = atomic_load(&c->seat[i].since);

        if (since && since < least)
            least = since;
    }
    return least;
}

/* With the lock: unlinks the entries that may be freed (2), and returns them as a list. */
static struct bk_held *ripe(struct bk_cache *c)
{
    uint64_t least = earliest(c);
    struct bk_held *list = NULL;

    for (struct bk_held **at = &c->out, *h; (h = *at) != NULL;) {
        if (h->stamp >= least) {
            at = &h->next;
            continue;
        }
        *at = h->next;
        h->next = list;
        list = h;
        atomic_fetch_sub(&c->retired, h->bytes);
    }
    return list;
}

/* Frees a list of entries.  Without the lock, since release() may call bk_cache_forget(). */
static void release(struct bk_held *list)
{
    for (struct bk_held *next; list; list = next) {
        next = list->next;
        list->release(list);
    }
}

static void sweep(struct bk_cache *c)
{
    struct bk_held *list;

    pthread_mutex_lock(&c->lock);
    list = ripe(c);
    pthread_mutex_unlock(&c->lock);
    release(list);
}

void bk_cache_settle(struct bk_cache *c)
{
    uint64_t until = atomic_fetch_add(&c->now, 1);
    bool waiting = true;

    while (waiting) {
        sweep(c);
        waiting = false;
        pthread_mutex_lock(&c->lock);
        for (struct bk_held *h = c->out; h; h = h->next)
            waiting |= h->stamp <= until;
        pthread_mutex_unlock(&c->lock);
        if (waiting)
            sched_yield();
    }
}

/* == Read sections == */

static _Thread_local bool only_memory;

bool bk_cache_only(bool only)
{
    bool was = only_memory;

    only_memory = only;
    return was;
}

enum bk_err bk_cache_may_read(struct bk_report *why)
{
    return only_memory ? bk_fail(why, BK_E_NOT_CACHED, "not in memory") : BK_OK;
}

/* The outermost read section that this thread is in. */
static _Thread_local struct {
    const struct bk_cache *cache; /* NULL: none */
    unsigned seat;
    bool brought; /* it has added an entry, for which others may be evicted */
} visiting;

static unsigned take_seat(struct bk_cache *c)
{
    for (unsigned i = bk_thread_some(SEATS), tries = 1;; i = (i + 1) % SEATS, tries++) {
        uint64_t none = 0, now = atomic_load(&c->now);

        if (!atomic_load_explicit(&c->seat[i].since, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&c->seat[i].since, &none, now))
            return i;
        if (tries % SEATS == 0) /* no seat is free: wait for a thread to leave */
            sched_yield();
    }
}

unsigned bk_visit_begin(struct bk_cache *c)
{
    unsigned seat;

    if (visiting.cache == c)
        return NESTED;
    seat = take_seat(c);
    if (!visiting.cache) {
        visiting.cache = c;
        visiting.seat = seat;
        visiting.brought = false;
    }
    return seat;
}

static void note_brought(const struct bk_cache *c)
{
    if (visiting.cache == c)
        visiting.brought = true;
}

static bool crowded(const struct bk_cache *c)
{
    return atomic_load(&c->retired) > atomic_load(&c->budget) / CROWD_OF;
}

/* Waits until other read sections have ended and retired entries take little memory again; a second
   or so, in case a section never ends. */
static void let_others_end(struct bk_cache *c)
{
    const struct timespec nap = { .tv_nsec = 100000 };

    for (unsigned naps = 0; crowded(c) && naps < NAPS_MAX; naps++) {
        nanosleep(&nap, NULL);
        sweep(c);
    }
}

void bk_visit_end(struct bk_cache *c, unsigned visit)
{
    bool outermost = visiting.cache == c && visiting.seat == visit;

    if (visit == NESTED)
        return;
    if (outermost)
        visiting.cache = NULL;
    atomic_store_explicit(&c->seat[visit].since, 0, memory_order_release);
    if (atomic_load_explicit(&c->retired, memory_order_relaxed) >
        atomic_load_explicit(&c->retired_max, memory_order_relaxed)) {
        sweep(c);
        if (outermost && visiting.brought)
            let_others_end(c);
    }
}

/* == Entries == */

void bk_held_begin(struct bk_held *h, uint64_t bytes, enum bk_held_worth worth,
                   void (*release_it)(struct bk_held *h))
{
    h->home = NULL;
    h->next = NULL;
    h->release = release_it;
    h->bytes = bytes + OVERHEAD;
    h->stamp = 0;
    h->place = NOWHERE;
    h->worth = (uint8_t)worth;
    atomic_init(&h->chances, (uint8_t)worth);
}

static bool is_table(const struct bk_held *h) { return h->worth == BK_WORTH_TABLE; }

/* With the lock: returns the sum that counts `h`. */
static uint64_t *sum_of(struct bk_cache *c, const struct bk_held *h)
{
    return is_table(h) ? &c->tables : &c->kept;
}

/* With the lock. */
static void leave_ring(struct bk_cache *c, struct bk_held *h)
{
    if (h->place == NOWHERE)
        return;
    c->ntables -= is_table(h);
    c->ring[h->place] = c->ring[--c->n];
    c->ring[h->place]->place = h->place;
    h->place = NOWHERE;
}

/* With the lock: puts `h`, which is in no slot, on the list of retired entries. */
static void retire(struct bk_cache *c, struct bk_held *h)
{
    h->stamp = atomic_fetch_add(&c->now, 1);
    h->home = NULL;
    h->next = c->out;
    c->out = h;
    atomic_fetch_add(&c->retired, h->bytes);
}

/* With the lock. */
static void evict(struct bk_cache *c, struct bk_held *h)
{
    atomic_store(h->home, NULL);
    leave_ring(c, h);
    *sum_of(c, h) -= h->bytes;
    retire(c, h);
}

/* With the lock. */
static bool too_much(const struct bk_cache *c)
{
    return c->kept + (c->loose ? 0 : c->tables + c->charged) > bk_cache_bytes(c);
}

/* With the lock: evicts down to the budget.  Terminates: each round of the hand takes a chance from
   every entry that may be evicted. */
static void make_room(struct bk_cache *c)
{
    while (c->n > (c->loose ? c->ntables : 0) && too_much(c)) {
        struct bk_held *h;
        uint8_t chances;

        if (c->hand >= c->n)
            c->hand = 0;
        h = c->ring[c->hand];
        chances = atomic_load_explicit(&h->chances, memory_order_relaxed);
        if (c->loose && is_table(h)) {
            c->hand++;
        } else if (chances) {
            atomic_store_explicit(&h->chances, chances - 1, memory_order_relaxed);
            c->hand++;
        } else {
            evict(c, h);
        }
    }
}

/* Ends the lock, and frees retired entries that may be freed. */
static void unlock_and_release(struct bk_cache *c)
{
    struct bk_held *list = c->out ? ripe(c) : NULL;

    pthread_mutex_unlock(&c->lock);
    release(list);
}

/* With the lock. */
static bool enter_ring(struct bk_cache *c, struct bk_held *h)
{
    if (c->n == c->room) {
        uint32_t more = c->room ? 2 * c->room : 256;
        struct bk_held **ring = realloc(c->ring, more * sizeof(*ring));

        if (!ring)
            return false;
        c->charged += (more - c->room) * sizeof *ring;
        c->ring = ring;
        c->room = more;
    }
    h->place = c->n;
    c->ring[c->n++] = h;
    c->ntables += is_table(h);
    return true;
}

enum bk_err bk_cache_fits(struct bk_cache *c, uint64_t bytes, const char *path,
                          struct bk_report *why)
{
    uint64_t charged;
    bool loose;

    pthread_mutex_lock(&c->lock);
    charged = c->charged;
    loose = c->loose;
    pthread_mutex_unlock(&c->lock);
    if (loose || charged + bytes <= bk_cache_bytes(c))
        return BK_OK;
    return bk_fail(why, BK_E_OVER_BUDGET,
                   "%s: needs %llu KB more than the %llu KB of memory that tables may take", path,
                   (unsigned long long)((charged + bytes - bk_cache_bytes(c) + 1023) >> 10),
                   (unsigned long long)(bk_cache_bytes(c) >> 10));
}

struct bk_held *bk_cache_keep(struct bk_cache *c, bk_home *home, struct bk_held *h)
{
    struct bk_held *there;

    note_brought(c);
    pthread_mutex_lock(&c->lock);
    there = atomic_load(home);
    if (there) {
        pthread_mutex_unlock(&c->lock);
        h->release(h);
        return there;
    }
    if (enter_ring(c, h)) {
        h->home = home;
        *sum_of(c, h) += h->bytes;
        atomic_store(home, h);
        make_room(c);
    } else { /* no memory for the ring: valid for this read section alone */
        retire(c, h);
    }
    unlock_and_release(c);
    return h;
}

void bk_cache_grow(struct bk_cache *c, struct bk_held *h, uint64_t bytes)
{
    note_brought(c);
    pthread_mutex_lock(&c->lock);
    h->bytes += bytes;
    if (h->home) {
        *sum_of(c, h) += bytes;
        make_room(c);
    } else {
        atomic_fetch_add(&c->retired, bytes);
    }
    unlock_and_release(c);
}

bool bk_cache_pin(struct bk_cache *c, struct bk_held *h)
{
    bool there;

    pthread_mutex_lock(&c->lock);
    there = h->home != NULL;
    if (there)
        leave_ring(c, h);
    pthread_mutex_unlock(&c->lock);
    return there;
}

void bk_cache_forget(struct bk_cache *c, bk_home *home, uint64_t n)
{
    struct bk_held *list = NULL;

    pthread_mutex_lock(&c->lock);
    for (uint64_t i = 0; i < n; i++) {
        struct bk_held *h = atomic_load(&home[i]);

        if (!h)
            continue;
        atomic_store(&home[i], NULL);
        leave_ring(c, h);
        *sum_of(c, h) -= h->bytes;
        h->next = list;
        list = h;
    }
    pthread_mutex_unlock(&c->lock);
    release(list);
}

void bk_cache_charge(struct bk_cache *c, int64_t bytes)
{
    pthread_mutex_lock(&c->lock);
    c->charged += (uint64_t)bytes;
    make_room(c);
    unlock_and_release(c);
}

void bk_cache_set_bytes(struct bk_cache *c, uint64_t bytes)
{
    pthread_mutex_lock(&c->lock);
    c->loose = false;
    budget_set(c, bytes);
    make_room(c);
    unlock_and_release(c);
}

void bk_cache_retire(struct bk_cache *c, struct bk_held *h)
{
    note_brought(c); /* `h` is retired because something was added */
    pthread_mutex_lock(&c->lock);
    retire(c, h);
    unlock_and_release(c);
}
