/*
 * clock.c - clocks that jump: for LD_PRELOAD.
 *
 * Every clock jumps by seconds, hours or days, forth or back, from one reading to the next.  The
 * files that a program builds must not depend on it.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t);
time_t time(time_t *t);
int gettimeofday(struct timeval *restrict t, void *restrict zone);

static long jump(void)
{
    static atomic_ulong asked;
    static const long seconds[] = { 0, 3600, -7200, 86400, 1, -1, -900000, 40000000, 0, 600 };

    return seconds[atomic_fetch_add(&asked, 1) % (sizeof seconds / sizeof *seconds)];
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, t);

    if (!failed && (t->tv_sec += jump()) < 0)
        t->tv_sec = 0;
    return failed;
}

time_t time(time_t *t)
{
    struct timespec now = { 0, 0 };

    clock_gettime(CLOCK_REALTIME, &now);
    if (t)
        *t = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now = { 0, 0 };

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return 0;
}
