/*
 * tick.h - waiting for a signal, but not for long.
 *
 * Uses the monotonic clock: with the wall clock, a watcher would wait for hours if that is set
 * back.
 */
#ifndef BK_EXPLORE_TICK_H
#define BK_EXPLORE_TICK_H

#include <pthread.h>

/* Makes a condition for ex_tick_wait(); pthread_cond_destroy() when done. */
void ex_tick_init(pthread_cond_t *cond);
/* Waits for a signal, `ms` milliseconds (less than 1000) at most; `lock` is held before and
   after. */
void ex_tick_wait(pthread_cond_t *cond, pthread_mutex_t *lock, unsigned ms);

#endif
