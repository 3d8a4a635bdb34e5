/*
 * pace.h - how long a build takes, and how much of it is left: arithmetic, without a clock.
 *
 * Work is estimated in seconds of one core of one machine (bk_plan_table.work).  What a second of
 * it takes here is the pace: at first what a trial said (src/cli/machine.h), then more and more
 * what was seen.
 */
#ifndef BK_PACE_H
#define BK_PACE_H

#include "tb/memory/meter.h"

struct bk_pace {
    double per[BK_WORKS];   /* before anything is seen: seconds for a second of work */
    double later[BK_WORKS]; /* work of tables that are not begun */
    double made[BK_WORKS];  /* of those that are made, */
    double took[BK_WORKS];  /* and the seconds that it took */
    double share;           /* the largest that was told */
};

/* What is told at a moment. */
struct bk_ahead {
    double share; /* of the whole time, what is past: from 0 to 1, never less than it was */
    double left;  /* seconds */
};

/* per: by kind of work; all else is 0.  `later` is the caller's to keep. */
struct bk_pace bk_pace_of(const double per[BK_WORKS]);
/* A table of that work is made; at: the meter at its end. */
void bk_pace_made(struct bk_pace *p, const double work[BK_WORKS], const struct bk_metered *at);
/* work, at: those of the table under way; now, of the meter's clock. */
struct bk_ahead bk_pace_look(struct bk_pace *p, const double work[BK_WORKS],
                             const struct bk_metered *at, double now);

#endif
