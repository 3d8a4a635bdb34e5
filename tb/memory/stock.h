/*
 * stock.h - memory of freed large arrays, kept for the next ones.
 *
 * Fresh memory is found and cleared by the machine when it is touched first: a twentieth of a
 * second a GB, and two seconds where the machine is a guest whose host has to find it
 * (docs/solving.md 10). A program that makes one table after the other would pay for that with
 * each.  So what arrays give back is kept, in units of a large page, and is moved to where the next
 * array lies.  A unit moves with its pages, nothing is copied, so that sizes need not fit.
 *
 * What is kept and what is in use take no more together than arrays, and other memory that is told
 * of, have taken at one time.  That counts arrays whole, also what is not touched of them, and not
 * the allocator's lists; so what is kept is given back, too, as soon as the process comes near what
 * was foretold of it.
 * Any number of threads.  Cost: some us a unit that moves, and clearing it.
 */
#ifndef BK_STOCK_H
#define BK_STOCK_H

#include <stddef.h>
#include <stdint.h>

#define BK_STOCK_UNIT ((size_t)2 << 20)

/* For a new array: moves what is kept to the beginning of its mapping, which begins with a whole
   unit if it holds one, and clears that.  The rest of the mapping stays untouched. */
void bk_stock_take(void *map, size_t bytes);
/* Takes the mapping of an array that is freed, to keep it or give it back. */
void bk_stock_put(void *map, size_t bytes);
/* Count other memory that is allocated or freed, if it is large enough to matter. */
void bk_stock_other_comes(size_t bytes);
void bk_stock_other_goes(size_t bytes);
/* Between these two calls 48 MiB of what may be kept and 8 a thread, or a quarter of it if that is
   less, are left to the allocator: for work on many small lists. */
void bk_stock_leave_some(unsigned threads);
void bk_stock_leave_none(void);
/* Between these two calls nothing is kept; they may be nested. */
void bk_stock_bar(void);
void bk_stock_unbar(void);
/* The process is to take no more than this, if giving back what is kept helps; 0: whatever it
   takes. For one build at a time. */
void bk_stock_foretold(uint64_t bytes);
/* Gives back what is needed for that.  Looks every 10 ms at most, else some 10 ns. */
void bk_stock_ease(void);
/* Gives all back to the machine. */
void bk_stock_drop(void);
/* Bytes that are kept; for tests. */
size_t bk_stock_bytes(void);

/* The process's resident bytes now; 0: the machine does not say.  statm: an open /proc/self/statm.
 */
uint64_t bk_resident_bytes(int statm);

#endif
