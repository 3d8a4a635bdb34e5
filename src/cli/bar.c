/*
 * bar.c - see bar.h.
 */
#include "cli/bar.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "core/clock.h"
#include "tb/memory/transport.h"

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
        if (!p->table[i].present) {
            b->missing++;
            b->all += p->table[i].positions;
        }
}

void cli_bar_draw(struct cli_bar *b, const struct bk_plan_table *t, const struct bk_progress *p)
{
    enum { WIDTH = 20 };
    double time = bk_now_seconds(), past = time - b->start;
    uint64_t done = b->done + (p->positions < t->positions ? p->positions : t->positions);
    double share = b->all ? (double)done / (double)b->all : 0;
    char bar[WIDTH + 1], left[CLI_TEXT_MAX] = "?";

    if (!b->on || time - b->drawn < 0.1)
        return;
    b->drawn = time;
    memset(bar, '-', WIDTH);
    memset(bar, '#', (size_t)(share * WIDTH));
    bar[WIDTH] = 0;
    if (done && past > 0.5)
        cli_seconds(left, past * ((double)b->all / (double)done - 1));
    fprintf(stderr, "\r[%s] %3.0f %%  %s %u/%u  ply %u  %.1f M/s  %s left\033[K", bar, 100 * share,
            t->name, b->made + 1, b->missing, p->ply, past > 0 ? (double)done / past / 1e6 : 0,
            left);
    fflush(stderr);
}

void cli_bar_plan(void *bar, const struct bk_plan *p, unsigned nth)
{
    struct cli_bar *b = bar;
    double time = bk_now_seconds();

    b->start = time; /* tables are made from here on */
    if (!b->on || time - b->drawn < 0.1)
        return;
    b->drawn = time;
    fprintf(stderr, "\rplanning %s %u/%u\033[K", p->table[nth].name, nth + 1, p->n);
    fflush(stderr);
}

void cli_bar_made(struct cli_bar *b, const struct bk_plan_table *t)
{
    b->done += t->positions;
    b->made++;
    cli_bar_clear(b);
}

void cli_bar_clear(const struct cli_bar *b)
{
    if (b->on)
        fputs("\r\033[K", stderr);
}
