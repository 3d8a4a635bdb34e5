/*
 * bar.h - the progress bar of a build on a terminal.
 *
 * A thread of its own reads a meter (tb/memory/meter.h) and draws the bar five times a second.  So
 * the bar never stands still, and the build does not wait for a terminal.
 */
#ifndef BK_CLI_BAR_H
#define BK_CLI_BAR_H

#include <pthread.h>

#include "tb/make/build.h"
#include "tb/make/pace.h"

/* A table of the plan, as the thread knows it. */
struct cli_bar_table {
    char name[BK_MATERIAL_NAME_MAX];
    double work[BK_WORKS]; /* 0: it is there */
};

struct cli_bar {
    bool on;             /* draws: not --quiet, stderr is a terminal, and the process the first */
    double start, drawn; /* when it began; when it was last drawn, or made: bk_now_seconds() */
    unsigned made, missing;
    /* The rest is valid between cli_bar_start() and cli_bar_stop(). */
    bool runs, ends;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below, `made`, and the line on the terminal */
    pthread_cond_t end;
    struct bk_meter *meter; /* owned */
    struct bk_pace pace;
    struct cli_bar_table *table; /* owned; by their numbers in the plan */
    unsigned n;
};

struct cli_bar cli_bar_of(bool quiet);
/* Adds the tables of a plan that are not there. */
void cli_bar_add(struct cli_bar *b, const struct bk_plan *p);
/*
 * Begins to draw "[######--------]  42 %  KRvKN 3/12  ply 17  0:12 left": the share of
 * the time that has passed.  While a table is encoded "files" stands in place of the ply.  Nothing
 * is drawn before cli_bar_planned().  per: the pace of this machine, by kind of work.  False: the
 * bar is off, or no thread could be started.
 */
bool cli_bar_start(struct cli_bar *b, const double per[BK_WORKS]);
/* Tells the bar the estimated work of each table, as the first is begun.  solves: nothing is
   encoded. */
void cli_bar_planned(struct cli_bar *b, const struct bk_plan *p, bool solves);
void cli_bar_stop(struct cli_bar *b);
/* Draws such a line once, for whoever has no meter: what is done of nth of n, and `what` besides.
 */
void cli_bar_draw(double share, const char *name, unsigned nth, unsigned n, const char *what,
                  double seconds_left);
/* A callback for bk_plan.foretells, with a bar as the watcher: draws "planning KRPvKP 37/510". */
void cli_bar_plan(void *bar, const struct bk_plan *p, unsigned nth);
/* Counts a table as made. */
void cli_bar_made(struct cli_bar *b);
/* Clears the bar so that other lines can be printed; it is not drawn before cli_bar_go(). */
void cli_bar_hold(struct cli_bar *b);
void cli_bar_go(struct cli_bar *b);
/* Clears the bar; only while no thread draws it. */
void cli_bar_clear(const struct cli_bar *b);

#endif
