/*
 * bar.c - see bar.h.
 */
#include "cli/bar.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "core/clock.h"
#include "core/thread.h"
#include "tb/memory/transport.h"

#define EVERY_MS 200

struct cli_bar cli_bar_of(bool quiet)
{
    double now = bk_now_seconds();

    return (struct cli_bar){ .on = !quiet && !bk_transport_rank() && isatty(STDERR_FILENO),
                             .start = now,
                             .drawn = now };
}

void cli_bar_add(struct cli_bar *b, const struct bk_plan *p)
{
    for (unsigned i = 0; i < p->n; i++)
        b->missing += !p->table[i].present;
}

void cli_bar_draw(double share, const char *name, unsigned nth, unsigned n, const char *what,
                  double seconds_left)
{
    enum { WIDTH = 20 };
    char bar[WIDTH + 1], left[CLI_TEXT_MAX];

    memset(bar, '-', WIDTH);
    memset(bar, '#', (size_t)(share * WIDTH));
    bar[WIDTH] = 0;
    fprintf(stderr, "\r[%s] %3.0f %%  %s %u/%u%s  %s left\033[K", bar, 100 * share, name, nth, n,
            what, cli_seconds(left, seconds_left));
    fflush(stderr);
}

/* == The thread == */

/* Draws the bar, with the lock. */
static void draw(struct cli_bar *b)
{
    double now = bk_now_seconds();
    struct bk_metered at = bk_meter_read(b->meter);
    const struct cli_bar_table *t = &b->table[at.table < b->n ? at.table : 0];
    char what[32] = "";
    struct bk_ahead ahead;

    for (unsigned w = 0; w < BK_WORKS; w++) {
        b->pace.later[w] = 0;
        for (unsigned i = at.table + 1; i < b->n; i++)
            b->pace.later[w] += b->table[i].work[w];
    }
    ahead = bk_pace_look(&b->pace, t->work, &at, now);
    if (at.now == BK_ENCODING)
        snprintf(what, sizeof what, "  files");
    else if (at.ply)
        snprintf(what, sizeof what, "  ply %u", at.ply);
    cli_bar_draw(ahead.share, t->name, b->made < b->missing ? b->made + 1 : b->made, b->missing,
                 what, ahead.left);
}

static void *run(void *bar)
{
    struct cli_bar *b = bar;
    struct timespec until;

    pthread_mutex_lock(&b->lock);
    clock_gettime(CLOCK_MONOTONIC, &until);
    while (!b->ends) {
        until.tv_nsec += EVERY_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&b->end, &b->lock, &until);
        if (b->table && !b->ends)
            draw(b);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* Starts the thread, which leaves signals to others. */
static bool start_thread(struct cli_bar *b)
{
    sigset_t all, before;
    pthread_condattr_t monotonic;
    bool runs;

    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&b->end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    runs = bk_thread_new(&b->thread, BK_THREAD_STACK, run, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return runs;
}

bool cli_bar_start(struct cli_bar *b, const double per[BK_WORKS])
{
    if (!b->on || bk_meter_new(&b->meter, NULL))
        return false;
    b->pace = bk_pace_of(per);
    b->ends = false;
    b->runs = start_thread(b);
    if (!b->runs) {
        bk_meter_free(b->meter);
        b->meter = NULL;
    }
    return b->runs;
}

void cli_bar_stop(struct cli_bar *b)
{
    if (!b->runs)
        return;
    pthread_mutex_lock(&b->lock);
    b->ends = true;
    pthread_cond_signal(&b->end);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    b->runs = false;
    pthread_cond_destroy(&b->end);
    pthread_mutex_destroy(&b->lock);
    bk_meter_free(b->meter);
    free(b->table);
    b->meter = NULL;
    b->table = NULL;
    b->n = 0;
    cli_bar_clear(b);
}

/* == What happens == */

void cli_bar_planned(struct cli_bar *b, const struct bk_plan *p, bool solves)
{
    struct cli_bar_table *table = calloc(p->n + 1u, sizeof *table);

    b->start = bk_now_seconds(); /* tables are made from here on */
    if (!b->runs || !table) {
        free(table);
        return;
    }
    for (unsigned i = 0; i < p->n; i++) {
        memcpy(table[i].name, p->table[i].name, sizeof table[i].name);
        for (unsigned w = 0; w < BK_WORKS; w++)
            if (!p->table[i].present && (w == BK_SOLVING || !solves))
                table[i].work[w] = p->table[i].work[w];
    }
    pthread_mutex_lock(&b->lock);
    free(b->table);
    b->table = table;
    b->n = p->n;
    pthread_mutex_unlock(&b->lock);
}

void cli_bar_plan(void *bar, const struct bk_plan *p, unsigned nth)
{
    struct cli_bar *b = bar;
    double time = bk_now_seconds();

    b->start = time;
    if (!b->on || time - b->drawn < 0.1)
        return;
    b->drawn = time;
    fprintf(stderr, "\rplanning %s %u/%u\033[K", p->table[nth].name, nth + 1, p->n);
    fflush(stderr);
}

void cli_bar_made(struct cli_bar *b)
{
    if (b->runs)
        pthread_mutex_lock(&b->lock);
    b->made++;
    if (b->table) {
        struct bk_metered at;

        bk_meter_step(b->meter, BK_ENCODING, 0); /* the last one is done */
        at = bk_meter_read(b->meter);
        bk_pace_made(&b->pace, b->table[at.table].work, &at);
        memset(b->table[at.table].work, 0, sizeof b->table[at.table].work);
        bk_meter_table(b->meter, at.table, 1);
    }
    if (b->runs)
        pthread_mutex_unlock(&b->lock);
}

void cli_bar_hold(struct cli_bar *b)
{
    if (b->runs)
        pthread_mutex_lock(&b->lock);
    cli_bar_clear(b);
}

void cli_bar_go(struct cli_bar *b)
{
    if (b->runs)
        pthread_mutex_unlock(&b->lock);
}

void cli_bar_clear(const struct cli_bar *b)
{
    if (b->on)
        fputs("\r\033[K", stderr);
}
