/*
 * pool.h - a few threads that share out numbered pieces of work.
 *
 * bk_pool_run() calls work(context, item, thread) for every item once and
 * returns when all are done; the caller's thread works along as thread 0.
 * Items are handed out in order, a batch at a time.
 */
#ifndef BK_POOL_H
#define BK_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

/* One caller at a time, and none of the pool's own work. */
struct bk_pool;
typedef void bk_work(void *context, uint64_t item, unsigned thread);

/* threads 0: one a core.  *out owned. */
enum bk_err bk_pool_open(struct bk_pool **out, unsigned threads, struct bk_report *why);
/* Opens a pool that has so many threads to count with and runs nothing: for a dry run
   (docs/memory.md).  NULL: no memory. */
struct bk_pool *bk_pool_open_dry(unsigned threads);
void bk_pool_close(struct bk_pool *p);
unsigned bk_pool_threads(const struct bk_pool *p); /* NULL: 1 */
/* p NULL: all in the caller's thread. */
void bk_pool_run(struct bk_pool *p, uint64_t items, bk_work *work, void *context);

/* stop: set by a signal, say; NULL: none.  Borrowed until the next call. */
void bk_pool_stop_when(struct bk_pool *p, const volatile int *stop);
/* The same as bk_pool_run(), but when `stop` is set, no further item is begun.  False: it is set
   by now, and items may be missing.  p NULL: nothing stops it. */
bool bk_pool_try(struct bk_pool *p, uint64_t items, bk_work *work, void *context)
    __attribute__((warn_unused_result));

#endif
