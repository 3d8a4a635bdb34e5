/* say.c - one buffer in, stdio out, and one place that waits. */
#include "engine/say.h"

#include <errno.h>
#include <fcntl.h>
#ifndef _WIN32
#include <poll.h>
#endif
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/err.h"
#include "core/thread.h"

/* == Lines out =========================================================== */

static atomic_bool gone;
static atomic_bool starved; /* there was no memory for a line that came */
static atomic_int failed;   /* errno of a write that failed other than by the client's going */

void be_say(const char *fmt, ...)
{
    va_list args;
    int bad = 0;

    va_start(args, fmt);
    flockfile(stdout);
    if (vprintf(fmt, args) < 0 || putchar('\n') == EOF || fflush(stdout))
        bad = errno;
    funlockfile(stdout);
    va_end(args);
    if (!bad)
        return;
    if (bad != EPIPE)
        atomic_store(&failed, bad);
    atomic_store(&gone, true);
}

bool be_say_gone(void) { return atomic_load(&gone); }

int be_say_status(void)
{
    int err = atomic_load(&failed);

    if (atomic_load(&starved)) {
        fprintf(stderr, "bareking-engine: out of memory\n");
        return 4;
    }
    if (!err)
        return 0;
    fprintf(stderr, "bareking-engine: cannot write: %s\n", strerror(err));
    return 4;
}

/* == Waiting ============================================================= */

#ifdef _WIN32

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

/* == Lines in ============================================================ */

/* Moves what is left to the front and makes room; false: no memory. */
static bool make_room(struct be_lines *in)
{
    char *longer;

    if (in->start)
        memmove(in->text, in->text + in->start, in->n - in->start);
    in->n -= in->start;
    in->start = 0;
    if (in->n > BE_LINE_MAX) { /* dropped; so is the rest of it, until its end comes */
        in->n = in->seen = 0;
        in->too_long = true;
    }
    if (in->n + 1 < in->room)
        return true;
    if (!(longer = realloc(in->text, in->room * 2)))
        return false;
    in->text = longer;
    in->room *= 2;
    return true;
}

void be_lines_read(struct be_lines *in)
{
    ssize_t got;

    if (!in->text) {
        in->room = 4096;
        in->text = malloc(in->room);
    }
    if (!in->text || !make_room(in)) {
        in->ended = true;
        atomic_store(&starved, true);
        return;
    }
    got = be_wait_read(in->from, in->text + in->n, in->room - in->n - 1);
    if (got > 0)
        in->n += (size_t)got;
    else
        in->ended = true;
}

char *be_lines_next(struct be_lines *in)
{
    while (in->start < in->n) {
        char *line = in->text + in->start;
        char *end = memchr(line + in->seen, '\n', in->n - in->start - in->seen);
        bool dropped = in->too_long; /* the beginning of this line was dropped */

        if (!end && !in->ended) {
            in->seen = in->n - in->start;
            return NULL;
        }
        if (!end) /* the last one lacks its end; there is room for a zero */
            end = in->text + in->n;
        *end = 0;
        in->start = (size_t)(end - in->text) + 1;
        in->seen = 0;
        in->too_long = false;
        if (dropped || end - line > BE_LINE_MAX)
            continue;
        if (end > line && end[-1] == '\r')
            end[-1] = 0;
        bk_plain_text(line, "\t"); /* some of it is said back */
        return line;
    }
    return NULL;
}

void be_lines_release(struct be_lines *in) { free(in->text); }

/* == Words =============================================================== */

char *be_word(char **s)
{
    char *word = *s + strspn(*s, " \t");

    if (!*word)
        return NULL;
    *s = word + strcspn(word, " \t");
    if (**s)
        *(*s)++ = 0;
    return word;
}

int64_t be_number(const char *text, double scale)
{
    double x = strtod(text, NULL) * scale;

    if (!(x > 0)) /* or it is no number */
        return 0;
    return x < (double)BE_NUMBER_MAX ? (int64_t)x : BE_NUMBER_MAX;
}

char *be_rest(char **s)
{
    char *rest = *s + strspn(*s, " \t");
    size_t n = strlen(rest);

    while (n && (rest[n - 1] == ' ' || rest[n - 1] == '\t'))
        rest[--n] = 0;
    *s = rest + n;
    return rest;
}
