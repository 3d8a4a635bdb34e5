/*
 * deadline.c - see deadline.h.
 *
 * Nobody else writes to a socket whose request is not whole, so the watcher may send a 408 there;
 * the mutex keeps it from sockets that are closed, and from those to which answers go.
 */
#include "explore/deadline.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "core/clock.h"
#include "core/thread.h"
#include "explore/tick.h"

enum owes { A_REQUEST, NOTHING, TO_TAKE, TO_GO_ON };

struct ex_connection {
    struct ex_connection *next, *before;
    int fd;
    enum owes owes;
    double since;
    bool cut;
};

struct ex_deadlines {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t watcher;
    struct ex_connection *first;
    double seconds;
    bool stop;
};

/* Cuts a connection off.  The thread that serves the socket sees its end, and closes it. */
static void cut(struct ex_connection *c)
{
    static const char late[] = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
                               "Content-Type: application/json\r\nContent-Length: 51\r\n\r\n"
                               "{\"error\":\"the request took too long\",\"code\":\"late\"}";
    _Static_assert(sizeof "{\"error\":\"the request took too long\",\"code\":\"late\"}" - 1 == 51,
                   "Content-Length");

    if (c->owes == A_REQUEST)
        (void)!send(c->fd, late, sizeof late - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(c->fd, SHUT_RDWR);
    c->cut = true;
}

static void *watch(void *context)
{
    struct ex_deadlines *d = context;

    pthread_mutex_lock(&d->lock);
    while (!d->stop) {
        double time = bk_now_seconds();

        for (struct ex_connection *c = d->first; c; c = c->next)
            if (!c->cut && c->owes != NOTHING && time - c->since > d->seconds)
                cut(c);
        ex_tick_wait(&d->wake, &d->lock, 500);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

struct ex_deadlines *ex_deadlines_new(unsigned seconds)
{
    struct ex_deadlines *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->seconds = seconds;
    pthread_mutex_init(&d->lock, NULL);
    ex_tick_init(&d->wake);
    if (bk_thread_new(&d->watcher, BK_THREAD_STACK, watch, d))
        return d;
    pthread_cond_destroy(&d->wake);
    pthread_mutex_destroy(&d->lock);
    free(d);
    return NULL;
}

void ex_deadlines_free(struct ex_deadlines *d)
{
    if (!d)
        return;
    pthread_mutex_lock(&d->lock);
    d->stop = true;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->watcher, NULL);
    pthread_cond_destroy(&d->wake);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

struct ex_connection *ex_connection_open(struct ex_deadlines *d, int fd)
{
    struct ex_connection *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->fd = fd;
    c->since = bk_now_seconds();
    pthread_mutex_lock(&d->lock);
    c->next = d->first;
    if (d->first)
        d->first->before = c;
    d->first = c;
    pthread_mutex_unlock(&d->lock);
    return c;
}

void ex_connection_close(struct ex_deadlines *d, struct ex_connection *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&d->lock);
    if (c->before)
        c->before->next = c->next;
    else
        d->first = c->next;
    if (c->next)
        c->next->before = c->before;
    pthread_mutex_unlock(&d->lock);
    free(c);
}

static void owe(struct ex_deadlines *d, struct ex_connection *c, enum owes what)
{
    if (!c)
        return;
    pthread_mutex_lock(&d->lock);
    if (what != A_REQUEST || c->owes != A_REQUEST) /* owed since it opened */
        c->since = bk_now_seconds();
    c->owes = what;
    pthread_mutex_unlock(&d->lock);
}

void ex_connection_ours(struct ex_deadlines *d, struct ex_connection *c) { owe(d, c, NOTHING); }
void ex_connection_taking(struct ex_deadlines *d, struct ex_connection *c) { owe(d, c, TO_TAKE); }
void ex_connection_resting(struct ex_deadlines *d, struct ex_connection *c) { owe(d, c, TO_GO_ON); }
void ex_connection_asking(struct ex_deadlines *d, struct ex_connection *c) { owe(d, c, A_REQUEST); }
