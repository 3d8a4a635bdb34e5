#include "tb/memory/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/thread.h"
#include "tb/memory/cpu.h"

struct worker {
    struct bk_pool *pool;
    pthread_t thread;
    unsigned number;
};

struct bk_pool {
    unsigned threads;
    bool dry; /* nothing is run: there are no workers */
    struct worker *worker;
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    uint64_t round; /* counts calls of bk_pool_run() */
    unsigned busy;
    bool quit;
    /* the present round */
    bk_work *work;
    void *context;
    uint64_t items, batch;
    const volatile int *stop; /* of bk_pool_try() */
    bool heeds_stop;
    atomic_uint_fast64_t next;
};

static bool stopped(const struct bk_pool *p) { return p->heeds_stop && p->stop && *p->stop; }

static void take_items(struct bk_pool *p, unsigned number)
{
    for (;;) {
        uint64_t first = atomic_fetch_add(&p->next, p->batch);

        if (first >= p->items)
            return;
        for (uint64_t i = first; i < p->items && i < first + p->batch && !stopped(p); i++)
            p->work(p->context, i, number);
    }
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct bk_pool *p = w->pool;
    uint64_t seen = 0;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == seen && !p->quit)
            pthread_cond_wait(&p->begin, &p->lock);
        if (p->quit)
            break;
        seen = p->round;
        pthread_mutex_unlock(&p->lock);
        take_items(p, w->number);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

enum bk_err bk_pool_open(struct bk_pool **out, unsigned threads, struct bk_report *why)
{
    struct bk_pool *p = calloc(1, sizeof *p);

    if (!threads)
        threads = bk_cores();
    if (!p || !(p->worker = calloc(threads, sizeof *p->worker))) {
        free(p);
        return bk_no_memory(why);
    }
    p->threads = threads;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begin, NULL);
    pthread_cond_init(&p->done, NULL);
    for (unsigned i = 1; i < threads; i++) {
        p->worker[i] = (struct worker){ .pool = p, .number = i };
        if (!bk_thread_new(&p->worker[i].thread, BK_THREAD_STACK, worker_main, &p->worker[i])) {
            p->threads = i; /* fewer than asked for; the caller's always works */
            break;
        }
    }
    *out = p;
    return BK_OK;
}

struct bk_pool *bk_pool_open_dry(unsigned threads)
{
    struct bk_pool *p = calloc(1, sizeof *p);

    if (p)
        *p = (struct bk_pool){ .threads = threads, .dry = true };
    return p;
}

void bk_pool_close(struct bk_pool *p)
{
    if (!p)
        return;
    if (p->dry) {
        free(p);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 1; i < p->threads; i++)
        pthread_join(p->worker[i].thread, NULL);
    pthread_cond_destroy(&p->begin);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p->worker);
    free(p);
}

unsigned bk_pool_threads(const struct bk_pool *p) { return p ? p->threads : 1; }

static void run(struct bk_pool *p, uint64_t items, bk_work *work, void *context, bool heeds_stop)
{
    if (p->dry)
        return;
    p->work = work;
    p->context = context;
    p->items = items;
    p->heeds_stop = heeds_stop;
    p->batch = items / (p->threads * 64u) + 1;
    atomic_store(&p->next, 0);
    if (p->threads == 1 || items < 2) {
        take_items(p, 0);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->busy = p->threads - 1;
    p->round++;
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);
    take_items(p, 0);
    pthread_mutex_lock(&p->lock);
    while (p->busy)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void bk_pool_run(struct bk_pool *p, uint64_t items, bk_work *work, void *context)
{
    for (uint64_t i = 0; !p && i < items; i++)
        work(context, i, 0);
    if (p)
        run(p, items, work, context, false);
}

void bk_pool_stop_when(struct bk_pool *p, const volatile int *stop)
{
    if (p)
        p->stop = stop;
}

bool bk_pool_try(struct bk_pool *p, uint64_t items, bk_work *work, void *context)
{
    if (!p) {
        bk_pool_run(p, items, work, context);
        return true;
    }
    run(p, items, work, context, true);
    return !stopped(p);
}
