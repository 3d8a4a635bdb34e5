/*
 * stock.c - see stock.h.  What is kept is a list of pieces, whose links lie in their first bytes;
 * units are taken from the ends of pieces, so that these stay where they are.
 */
#include "tb/memory/stock.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

/* What is left to the allocator, a quarter of the peak at most: encoding KRNvKR takes 41 MB there
   with a thread, Grand KMvKN 44 with seven; of KBNvKP's 1.4 GB it is 6 more than solving takes. */
#define SOME        ((size_t)48 << 20)
#define SOME_THREAD ((size_t)8 << 20)

/* Can pages be moved?  Where they cannot nothing is kept. */
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
} stock = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void lock(void) { pthread_mutex_lock(&stock.lock); }
static void unlock(void) { pthread_mutex_unlock(&stock.lock); }

static void comes(size_t bytes)
{
    stock.live += bytes;
    if (stock.live > stock.most)
        stock.most = stock.live;
}

/* Returns the most that may be kept now. */
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

/* Gives back what is more than there is room for. */
static void shrink(void)
{
    size_t fits = room();

    while (stock.here > fits) {
        char *unit = last_unit();

        unlink_unit();
        munmap(unit, BK_STOCK_UNIT);
    }
}

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
