/*
 * cputime.c - the process' CPU time for a clock: for LD_PRELOAD.
 *
 * What a build says of its end then does not depend on what else the machine does.  Waits for a
 * moment of that clock are short naps: a wait that has not ended is begun again.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t);
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict lock,
                           const struct timespec *restrict until);

int clock_gettime(clockid_t clock, struct timespec *t)
{
    return (int)syscall(SYS_clock_gettime,
                        clock == CLOCK_MONOTONIC ? CLOCK_PROCESS_CPUTIME_ID : clock, t);
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict lock,
                           const struct timespec *restrict until)
{
    const struct timespec nap = { 0, 100000000 };

    (void)cond;
    (void)until;
    pthread_mutex_unlock(lock);
    nanosleep(&nap, NULL);
    pthread_mutex_lock(lock);
    return ETIMEDOUT;
}
