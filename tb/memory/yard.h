/*
 * yard.h - pages that were used before.
 *
 * A page that the machine gives is cleared first, and on a virtual machine whose host has to find
 * it, a gigabyte takes up to two seconds; memory that the process has is cleared in a fiftieth of
 * one.  So pages that are given back are kept for the next array.  The process grows no larger by
 * that: what is kept and in use together never passes the most that has been in use at a time.
 *
 * Threads: any.  Cost: a look at each piece kept; neighbours are one.
 */
#ifndef BK_YARD_H
#define BK_YARD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * So many bytes of whole pages, zeroed; NULL: no memory.
 * *partly: not zeroed, for they may not all be touched.  Becomes false where they have been before:
 * say so when they are given back.
 */
void *bk_yard_take(size_t bytes, bool *partly);
void bk_yard_give(void *pages, size_t bytes, bool partly);

/* From now on (1) nothing is kept, until (-1) as often. */
void bk_yard_limit(int more);

#endif
