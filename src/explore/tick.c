/* tick.c - see tick.h. */
#include "explore/tick.h"

#include <time.h>

#define SECOND 1000000000L /* in nanoseconds */

void ex_tick_init(pthread_cond_t *cond)
{
    pthread_condattr_t steady;

    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &steady);
    pthread_condattr_destroy(&steady);
}

void ex_tick_wait(pthread_cond_t *cond, pthread_mutex_t *lock, unsigned ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)ms * (SECOND / 1000);
    if (until.tv_nsec >= SECOND) {
        until.tv_nsec -= SECOND;
        until.tv_sec++;
    }
    pthread_cond_timedwait(cond, lock, &until);
}
