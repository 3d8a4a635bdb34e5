/*
 * cache.c - see cache.h.
 *
 * Each visit has a slot, in which it writes the time at which it began.  Time goes on by one
 * whenever something is taken out:
 *
 *      ask        write the time into a slot; then load the home
 *      take out   clear the home; stamp with the time, which goes on; then look at the slots:
 *                 what is stamped before the earliest of them is released                   (2)
 *
 * Both sides write before they look, in one order for all threads (sequentially consistent
 * atomics).  So either the visit is seen, and its time is not later than the stamp; or it found
 * the home empty.
 *
 * A thread that waits for a slot has no slot of this cache, so those that have one go on and give
 * it back.  Visits within a visit therefore take no second slot.
 *
 * One long visit, whose thread waits for a disk or for the processor, keeps in memory all that
 * others take out meanwhile; without end, if they go on.  So where that has become much, a thread
 * that has added something waits after its visit, when it holds no slot, until less of it is left,
 * for a second at most.  A thread that finds everything in memory waits for nobody.
 *
 * All that is held stands in a ring, in no order; the hand goes round, as in a clock: what was
 * asked since it last passed gets its chances again.
 */
#include "table/cache.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table/readers.h"

#define SLOTS     128
#define NESTED    SLOTS /* a visit within one of the same thread: it has no slot */
#define NOWHERE   UINT32_MAX
#define LINE      64                    /* bytes: slots of two threads share none */
#define OVERHEAD  16                    /* bytes that malloc() adds */
#define LIMBO_MAX (UINT64_C(256) << 10) /* bytes, or */
#define LIMBO_OF  128  /* 1/128 of the budget if that is less: limbo above it is swept */
#define CROWD_OF  32   /* 1/32 of the budget: above it threads that add something wait */
#define NAPS_MAX  6000 /* of 0.1 ms each, and what the system adds */

struct slot {
    _Atomic uint64_t since; /* 0: free */
    uint8_t unused[LINE - sizeof(uint64_t)];
};

struct bk_cache {
    struct slot slot[SLOTS];
    _Atomic uint64_t now;
    _Atomic uint64_t limbo; /* bytes taken out, and not released */
    _Atomic uint64_t budget;
    _Atomic unsigned shares;
    _Atomic uint64_t limbo_max;
    struct bk_readers *readers;
    pthread_mutex_t lock; /* for all that follows */
    bool loose;           /* tables and what is charged do not count, tables stay */
    uint64_t kept, tables, charged;
    struct bk_held **ring;
    uint32_t n, ntables, room, hand;
    struct bk_held *out; /* list of what has been taken out and not released */
};

static void budget_set(struct bk_cache *c, uint64_t bytes)
{
    uint64_t limbo = bytes / LIMBO_OF;

    atomic_store(&c->budget, bytes);
    atomic_store(&c->limbo_max, limbo < LIMBO_MAX ? limbo : LIMBO_MAX);
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
    used = c->kept + c->tables + c->charged + atomic_load(&c->limbo);
    pthread_mutex_unlock(&c->lock);
    return used;
}

/* == Releasing == */

/* The time at which the earliest visit began. */
static uint64_t earliest(struct bk_cache *c)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < SLOTS; i++) {
        uint64_t since = atomic_load(&c->slot[i].since);

        if (since && since < least)
            least = since;
    }
    return least;
}

/* With the lock: unlinks from c->out what may be released (2), and returns it as a list. */
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
        atomic_fetch_sub(&c->limbo, h->bytes);
    }
    return list;
}

/* Without the lock, since what is released may itself call bk_cache_forget(). */
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

/* == Visits == */

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

/* The outermost visit that this thread is in. */
static _Thread_local struct {
    const struct bk_cache *cache; /* NULL: none */
    unsigned slot;
    bool brought; /* it has added something, for which others may have to go */
} visiting;

static unsigned take_slot(struct bk_cache *c)
{
    for (unsigned i = bk_thread_some(SLOTS), tries = 1;; i = (i + 1) % SLOTS, tries++) {
        uint64_t none = 0, now = atomic_load(&c->now);

        if (!atomic_load_explicit(&c->slot[i].since, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&c->slot[i].since, &none, now))
            return i;
        if (tries % SLOTS == 0) /* so many visitors: wait for one to go */
            sched_yield();
    }
}

unsigned bk_visit_begin(struct bk_cache *c)
{
    unsigned slot;

    if (visiting.cache == c)
        return NESTED;
    slot = take_slot(c);
    if (!visiting.cache) {
        visiting.cache = c;
        visiting.slot = slot;
        visiting.brought = false;
    }
    return slot;
}

static void note_brought(const struct bk_cache *c)
{
    if (visiting.cache == c)
        visiting.brought = true;
}

static bool crowded(const struct bk_cache *c)
{
    return atomic_load(&c->limbo) > atomic_load(&c->budget) / CROWD_OF;
}

/* Waits until other visits have ended and the limbo is small again; a second or so, in case one
   never ends. */
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
    bool outermost = visiting.cache == c && visiting.slot == visit;

    if (visit == NESTED)
        return;
    if (outermost)
        visiting.cache = NULL;
    atomic_store_explicit(&c->slot[visit].since, 0, memory_order_release);
    if (atomic_load_explicit(&c->limbo, memory_order_relaxed) >
        atomic_load_explicit(&c->limbo_max, memory_order_relaxed)) {
        sweep(c);
        if (outermost && visiting.brought)
            let_others_end(c);
    }
}

/* == Holding == */

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

/* With the lock: the sum that counts `h`. */
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

/* With the lock: puts `h`, which hangs nowhere any more, on the list of what waits for visits to
   end. */
static void wait_for_visits(struct bk_cache *c, struct bk_held *h)
{
    h->stamp = atomic_fetch_add(&c->now, 1);
    h->home = NULL;
    h->next = c->out;
    c->out = h;
    atomic_fetch_add(&c->limbo, h->bytes);
}

/* With the lock. */
static void take_out(struct bk_cache *c, struct bk_held *h)
{
    atomic_store(h->home, NULL);
    leave_ring(c, h);
    *sum_of(c, h) -= h->bytes;
    wait_for_visits(c, h);
}

/* With the lock. */
static bool too_much(const struct bk_cache *c)
{
    return c->kept + (c->loose ? 0 : c->tables + c->charged) > bk_cache_bytes(c);
}

/* With the lock.  Terminates: each round of the hand takes a chance from all that may go. */
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
            take_out(c, h);
        }
    }
}

/* Gives the lock back. */
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
    } else { /* no memory: for this visit alone */
        wait_for_visits(c, h);
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
        atomic_fetch_add(&c->limbo, bytes);
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
    note_brought(c); /* `h` goes because something was added */
    pthread_mutex_lock(&c->lock);
    wait_for_visits(c, h);
    unlock_and_release(c);
}
