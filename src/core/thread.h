/*
 * thread.h - threads with room enough, whatever the limit on stacks (`ulimit -s`) is.
 *
 * A thread has 3 MB of thread-local variables (the solver's kernels), which glibc takes off its
 * stack; calls take up to 160 KB more.  By default a stack is as large as the limit says, with musl
 * 128 KB; a stack that is too small means a crash.  Pages that nobody touches cost nothing.
 */
#ifndef BK_THREAD_H
#define BK_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define BK_THREAD_STACK ((size_t)8 << 20)

/* Starts a thread that calls run(context).  stack: bytes, BK_THREAD_STACK or more.  False: the
   system has no thread left. */
static inline bool bk_thread_new(pthread_t *out, size_t stack, void *(*run)(void *), void *context)
{
    pthread_attr_t attr;
    bool begun;

    if (pthread_attr_init(&attr))
        return false;
    begun = !pthread_attr_setstacksize(&attr, stack) && !pthread_create(out, &attr, run, context);
    pthread_attr_destroy(&attr);
    return begun;
}

#endif
