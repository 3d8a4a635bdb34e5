/*
 * stock.h - a page cache: memory of freed large arrays, kept for the next ones.
 *
 * The system finds and clears a fresh page when it is first touched: a twentieth of a second a GB,
 * and two seconds if the machine is a guest whose host has to find the memory (docs/solving.md 10).
 * A program that makes one table after the other would pay that for each.  So the pages of freed
 * arrays are cached, in units of a large page, and remapped into the next array.  Remapping copies
 * nothing, and sizes need not fit.
 *
 * Invariant: cached plus live memory never exceeds the past peak of live memory.  Live memory is
 * whole arrays, even if parts of them are untouched, and what bk_stock_other_comes() adds; the
 * allocator's own lists are not counted.  Therefore the cache also shrinks when the process's
 * resident bytes come near the estimate (bk_stock_estimate()).
 *
 * Threads: any number.  Cost: some us for each unit that is remapped, and clearing it.
 */
#ifndef BK_STOCK_H
#define BK_STOCK_H

#include <stddef.h>
#include <stdint.h>

#define BK_STOCK_UNIT ((size_t)2 << 20)

/* For a new array: remaps cached units to the beginning of its mapping and clears them.  The rest
   of the mapping is not touched.  A mapping of a unit or more is aligned to a unit. */
void bk_stock_take(void *map, size_t bytes);
/* Takes the mapping of a freed array, and caches or unmaps it. */
void bk_stock_put(void *map, size_t bytes);
/* Count other large memory that is allocated, or freed, as live. */
void bk_stock_other_comes(size_t bytes);
void bk_stock_other_goes(size_t bytes);
/* Between these two calls the cache leaves 48 MiB, and 8 a thread, of its room to the allocator, or
   a quarter of the peak if that is less: for work on many small lists. */
void bk_stock_leave_some(unsigned threads);
void bk_stock_leave_none(void);
/* Between these two calls nothing is cached; they may be nested. */
void bk_stock_bar(void);
void bk_stock_unbar(void);
/* Sets the estimate of resident bytes above which bk_stock_ease() shrinks the cache; 0: none.  For
   one build at a time. */
void bk_stock_estimate(uint64_t bytes);
/* Shrinks the cache if the process is near the estimate.  Looks every 10 ms at most, else some
   10 ns. */
void bk_stock_ease(void);
/* Unmaps the whole cache. */
void bk_stock_drop(void);
/* Returns the cached bytes; for tests. */
size_t bk_stock_bytes(void);

/* Returns the resident bytes of the process; 0: unknown.  statm: an open /proc/self/statm. */
uint64_t bk_resident_bytes(int statm);

#endif
