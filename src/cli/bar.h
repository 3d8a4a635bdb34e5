/*
 * bar.h - how far tables have come, drawn on a terminal while they are made.
 */
#ifndef BK_CLI_BAR_H
#define BK_CLI_BAR_H

#include "tb/build/build.h"

struct cli_bar {
    bool on;             /* draws: not --quiet, stderr is a terminal, and the process the first */
    double start, drawn; /* when it began; when it was last drawn, or made: bk_now_seconds() */
    uint64_t done, all;  /* positions of finished tables; of all to be made */
    unsigned made, missing;
};

struct cli_bar cli_bar_of(bool quiet);
/* Adds the tables of a plan that are not there. */
void cli_bar_add(struct cli_bar *b, const struct bk_plan *p);
/* "[######--------]  42 %  KRvKN 3/12  ply 17  85.2 M/s  0:12 left", ten times a second. */
void cli_bar_draw(struct cli_bar *b, const struct bk_plan_table *t, const struct bk_progress *p);
/* For bk_plan.foretells, with a bar as the watcher: draws "planning KRPvKP 37/510". */
void cli_bar_plan(void *bar, const struct bk_plan *p, unsigned nth);
/* Counts a table as made, and clears the bar for a line that tells of it. */
void cli_bar_made(struct cli_bar *b, const struct bk_plan_table *t);
/* Clears the bar for a line of another kind. */
void cli_bar_clear(const struct cli_bar *b);

#endif
