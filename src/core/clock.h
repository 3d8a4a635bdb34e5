/*
 * clock.h - a clock of the system, in seconds.
 *
 * Only for measuring and for waiting: the tables that are built never depend on it
 * (tests/clock.c).
 */
#ifndef BK_CLOCK_H
#define BK_CLOCK_H

#include <time.h>

/* May be called in a signal's handler. */
static inline double bk_clock_seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds since some moment, by a clock that nobody sets. */
static inline double bk_now_seconds(void) { return bk_clock_seconds(CLOCK_MONOTONIC); }

#endif
