/*
 * bar.h - how far tables have come, drawn on a terminal while they are made.
 *
 * A thread of its own draws it five times a second, from what a meter says (tb/memory/meter.h), so
 * that it never stands still, and whoever makes the tables does not wait for a terminal.
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
    /* From here on between cli_bar_start() and cli_bar_stop(). */
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
 * Begins to draw "[######--------]  42 %  KRvKN 3/12  ply 17  0:12 left", the part of the time that
 * is past; while files are made, "files" stands for the ply.  Nothing is drawn before
 * cli_bar_planned().  per: the pace of this machine, by kind of work.  False: there is no bar, or
 * no thread for one.
 */
bool cli_bar_start(struct cli_bar *b, const double per[BK_WORKS]);
/* The work of the plan's tables is known, and they are begun.  solves: nothing is encoded. */
void cli_bar_planned(struct cli_bar *b, const struct bk_plan *p, bool solves);
void cli_bar_stop(struct cli_bar *b);
/* For bk_plan.foretells, with a bar as the watcher: draws "planning KRPvKP 37/510". */
void cli_bar_plan(void *bar, const struct bk_plan *p, unsigned nth);
/* Counts a table as made. */
void cli_bar_made(struct cli_bar *b);
/* Clears the bar for lines of another kind, and keeps it away until cli_bar_go(). */
void cli_bar_hold(struct cli_bar *b);
void cli_bar_go(struct cli_bar *b);
/* Clears the bar; while no thread draws it. */
void cli_bar_clear(const struct cli_bar *b);

#endif
