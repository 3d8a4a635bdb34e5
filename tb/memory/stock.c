/*
 * stock.c - see stock.h.  The cache is a list of pieces; each piece has its link in its first
 * bytes. Units are taken from the ends of pieces, so that the links stay where they are.
 */
#include "tb/memory/stock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Memory that is left to the allocator, a quarter of the peak at most: encoding KRNvKR takes 41 MB
   there with a thread, Grand KMvKN 44 with seven; of KBNvKP's 1.4 GB it is 6 more than solving
   takes. */
#define SOME        ((size_t)48 << 20)
#define SOME_THREAD ((size_t)8 << 20)

/* A clock that is read in a few ns will do. */
#ifdef CLOCK_MONOTONIC_COARSE
#define LOOK_CLOCK CLOCK_MONOTONIC_COARSE
#else
#define LOOK_CLOCK CLOCK_MONOTONIC
#endif

/* Can pages be remapped?  If not, nothing is cached. */
#ifdef MREMAP_FIXED
static const bool moves = true;
static bool move(char *to, char *unit)
{
    return mremap(unit, BK_STOCK_UNIT, BK_STOCK_UNIT, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
}
#else
static const bool moves = false;
static bool move(char *to, char *unit) { return !to && !unit; }
#endif

struct piece {
    struct piece *next;
    size_t units;
};

/* In bytes. */
static struct {
    pthread_mutex_t lock;
    struct piece *first;
    size_t here;       /* in pieces */
    size_t live, most; /* in arrays and other memory, now and ever */
    size_t some;       /* left to the allocator now */
    unsigned bars;
    uint64_t estimate; /* 0: no limit */
    int statm;         /* while there is one */
} stock = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void lock(void) { pthread_mutex_lock(&stock.lock); }
static void unlock(void) { pthread_mutex_unlock(&stock.lock); }

static void comes(size_t bytes)
{
    stock.live += bytes;
    if (stock.live > stock.most)
        stock.most = stock.live;
}

/* Returns the bytes that may be cached now. */
static size_t room(void)
{
    size_t some = stock.some < stock.most / 4 ? stock.some : stock.most / 4;
    size_t limit = stock.most - some;

    return !moves || stock.bars || limit <= stock.live ? 0 : limit - stock.live;
}

/* The last unit of the first piece. */
static char *last_unit(void)
{
    return (char *)stock.first + (stock.first->units - 1) * BK_STOCK_UNIT;
}

/* Takes the last unit from its piece.  Called before the unit is moved or unmapped, because the
   piece may lie in it. */
static void unlink_unit(void)
{
    stock.here -= BK_STOCK_UNIT;
    if (!--stock.first->units)
        stock.first = stock.first->next;
}

/* Unmaps cached units beyond `fits` bytes. */
static void shrink_to(size_t fits)
{
    while (stock.here > fits) {
        char *unit = last_unit();

        unlink_unit();
        munmap(unit, BK_STOCK_UNIT);
    }
}

static void shrink(void) { shrink_to(room()); }

void bk_stock_take(void *map, size_t bytes)
{
    size_t wanted = bytes / BK_STOCK_UNIT, n = 0;

    lock();
    comes(bytes);
    while (n < wanted && stock.first) {
        char *to = (char *)map + n++ * BK_STOCK_UNIT, *unit = last_unit();

        unlink_unit();
        if (move(to, unit))
            continue;
        /* before it failed it may have unmapped what was at `to` */
        munmap(unit, BK_STOCK_UNIT);
        (void)mmap(to, BK_STOCK_UNIT, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        break;
    }
    shrink(); /* the end of the mapping, less than a unit, did not come from here */
    unlock();
    memset(map, 0, n * BK_STOCK_UNIT);
}

void bk_stock_put(void *map, size_t bytes)
{
    size_t units = bytes / BK_STOCK_UNIT;
    struct piece *p = map;

    lock();
    stock.live -= bytes;
    if (units * BK_STOCK_UNIT + stock.here > room())
        units = room() > stock.here ? (room() - stock.here) / BK_STOCK_UNIT : 0;
    if (units) {
        *p = (struct piece){ .next = stock.first, .units = units };
        stock.first = p;
        stock.here += units * BK_STOCK_UNIT;
    }
    unlock();
    if (bytes > units * BK_STOCK_UNIT)
        munmap((char *)map + units * BK_STOCK_UNIT, bytes - units * BK_STOCK_UNIT);
}

void bk_stock_other_comes(size_t bytes)
{
    lock();
    comes(bytes);
    shrink();
    unlock();
}

void bk_stock_other_goes(size_t bytes)
{
    lock();
    stock.live -= bytes;
    unlock();
}

void bk_stock_leave_some(unsigned threads)
{
    lock();
    stock.some = SOME + threads * SOME_THREAD;
    shrink();
    unlock();
}

void bk_stock_leave_none(void)
{
    lock();
    stock.some = 0;
    unlock();
}

void bk_stock_bar(void)
{
    lock();
    stock.bars++;
    shrink();
    unlock();
}

void bk_stock_unbar(void)
{
    lock();
    stock.bars--;
    unlock();
}

/* == Staying below the estimate == */

uint64_t bk_resident_bytes(int statm)
{
    char text[128];
    unsigned long long size, resident;
    ssize_t n = pread(statm, text, sizeof text - 1, 0);

    if (n <= 0)
        return 0;
    text[n] = 0;
    if (sscanf(text, "%llu %llu", &size, &resident) != 2)
        return 0;
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* 1 / NEAR_PART of the estimate is as much as may be allocated between two looks. */
enum { NEAR_PART = 64, LOOK_MS = 10 };

void bk_stock_estimate(uint64_t bytes)
{
    lock();
    if (stock.estimate)
        close(stock.statm);
    stock.statm = bytes ? open("/proc/self/statm", O_RDONLY | O_CLOEXEC) : -1;
    stock.estimate = stock.statm < 0 ? 0 : bytes;
    unlock();
}

/* Is it time to look again? */
static bool is_due(void)
{
    static _Atomic int64_t next;
    struct timespec t;
    int64_t now;

    clock_gettime(LOOK_CLOCK, &t);
    now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
    if (now < next)
        return false;
    next = now + LOOK_MS;
    return true;
}

void bk_stock_ease(void)
{
    uint64_t most, resident;

    if (!is_due())
        return;
    lock();
    most = stock.estimate - stock.estimate / NEAR_PART;
    resident = stock.estimate && stock.here ? bk_resident_bytes(stock.statm) : 0;
    if (resident > most)
        shrink_to(resident - most < stock.here ? stock.here - (size_t)(resident - most) : 0);
    unlock();
}

void bk_stock_drop(void)
{
    bk_stock_bar();
    bk_stock_unbar();
}

size_t bk_stock_bytes(void)
{
    size_t here;

    lock();
    here = stock.here;
    unlock();
    return here;
}
