/*
 * clock.h - a clock of the system, in seconds.
 *
 * For how long something takes, and how long to wait: what is built never depends on it
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

/* Since some moment, by a clock that nobody sets. */
static inline double bk_now_seconds(void) { return bk_clock_seconds(CLOCK_MONOTONIC); }

#endif
