/* wait.c - see wait.h. */
#include "engine/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _WIN32

#include "core/thread.h"

/* Shared by the thread that reads and the one that waits.  It is not freed: the reader may stay in
   its read() until the process ends. */
struct be_reader {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int in;
    char bytes[4096];
    size_t n, at;     /* bytes that are there; taken so far */
    bool ended, wake; /* no more will come; be_wait_wake() was called */
};

static void *read_on(void *context)
{
    struct be_reader *r = context;
    char bytes[sizeof r->bytes];
    ssize_t got;

    do {
        got = read(r->in, bytes, sizeof bytes);
        pthread_mutex_lock(&r->lock);
        while (r->at < r->n)
            pthread_cond_wait(&r->changed, &r->lock);
        r->at = 0;
        r->n = got > 0 ? (size_t)got : 0;
        memcpy(r->bytes, bytes, r->n);
        r->ended = got <= 0;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
    } while (got > 0);
    return NULL;
}

bool be_wait_begin(struct be_wait *w, int in)
{
    struct be_reader *r = calloc(1, sizeof *r);
    pthread_t thread;

    *w = (struct be_wait){ .in = in, .reader = r };
    if (!r || pthread_mutex_init(&r->lock, NULL) || pthread_cond_init(&r->changed, NULL))
        return false;
    r->in = in;
    return bk_thread_new(&thread, BK_THREAD_STACK, read_on, r) && !pthread_detach(thread);
}

void be_wait_end(struct be_wait *w) { w->reader = NULL; }

unsigned be_wait_for(struct be_wait *w, bool bytes, bool wake)
{
    struct be_reader *r = w->reader;
    unsigned came;

    pthread_mutex_lock(&r->lock);
    for (;;) {
        came = (bytes && (r->at < r->n || r->ended) ? BE_CAME_BYTES : 0u) |
               (wake && r->wake ? BE_CAME_WAKE : 0u);
        if (came || (!bytes && !wake))
            break;
        pthread_cond_wait(&r->changed, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
    return came ? came : BE_CAME_FAILED;
}

ssize_t be_wait_read(struct be_wait *w, void *to, size_t room)
{
    struct be_reader *r = w->reader;
    size_t n;

    pthread_mutex_lock(&r->lock);
    while (r->at == r->n && !r->ended)
        pthread_cond_wait(&r->changed, &r->lock);
    n = r->n - r->at < room ? r->n - r->at : room;
    memcpy(to, r->bytes + r->at, n);
    r->at += n;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return (ssize_t)n;
}

void be_wait_wake(struct be_wait *w)
{
    pthread_mutex_lock(&w->reader->lock);
    w->reader->wake = true;
    pthread_cond_broadcast(&w->reader->changed);
    pthread_mutex_unlock(&w->reader->lock);
}

void be_wait_woken(struct be_wait *w)
{
    pthread_mutex_lock(&w->reader->lock);
    while (!w->reader->wake)
        pthread_cond_wait(&w->reader->changed, &w->reader->lock);
    w->reader->wake = false;
    pthread_mutex_unlock(&w->reader->lock);
}

#else

#include <poll.h>

bool be_wait_begin(struct be_wait *w, int in)
{
    w->in = in;
    return pipe2(w->wake, O_CLOEXEC) == 0;
}

void be_wait_end(struct be_wait *w)
{
    if (w->wake[0] == w->wake[1]) /* it has not begun */
        return;
    close(w->wake[0]);
    close(w->wake[1]);
}

unsigned be_wait_for(struct be_wait *w, bool bytes, bool wake)
{
    struct pollfd fd[3] = { { .fd = bytes ? w->in : -1, .events = POLLIN },
                            { .fd = STDOUT_FILENO }, /* tells when nobody reads it any more */
                            { .fd = wake ? w->wake[0] : -1, .events = POLLIN } };

    if (poll(fd, 3, -1) < 0)
        return errno == EINTR ? 0 : BE_CAME_FAILED;
    return (fd[0].revents ? BE_CAME_BYTES : 0u) | (fd[1].revents ? BE_CAME_GONE : 0u) |
           (fd[2].revents ? BE_CAME_WAKE : 0u);
}

ssize_t be_wait_read(struct be_wait *w, void *to, size_t room)
{
    ssize_t got;

    do
        got = read(w->in, to, room);
    while (got < 0 && errno == EINTR);
    return got;
}

void be_wait_wake(struct be_wait *w)
{
    while (write(w->wake[1], "", 1) < 0 && errno == EINTR)
        ;
}

void be_wait_woken(struct be_wait *w)
{
    char byte;

    while (read(w->wake[0], &byte, 1) < 0 && errno == EINTR)
        ;
}

#endif
