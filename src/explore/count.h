/*
 * count.h - tables counted to the last position, or looked through for examples, and armies of
 * games with hands solved whole, beside the answering of requests.
 *
 * Either takes seconds or minutes of all cores, so no request waits for it: one thread does one job
 * after the other, in the order in which they were first asked for.  A client that asks again later
 * gets the result.  A job that is not asked for again within the patience is cancelled, even while
 * it runs.
 *
 * Counts are kept with the game (kept.h).  Armies are kept in memory, as many as there is room for.
 * The least recently used army is evicted, but not before a client has got its value or all have
 * stopped asking: so clients who ask about different armies all get theirs, in turn.
 */
#ifndef BK_EXPLORE_COUNT_H
#define BK_EXPLORE_COUNT_H

#include "explore/games.h"
#include "table/material.h"

#define EX_COUNT_MAX    (UINT64_C(24) << 20)  /* numbers a side: larger tables are not counted */
#define EX_COUNT_MEMORY (UINT64_C(512) << 20) /* bytes for its values and those it leads to */

#define EX_ARMY_MEMORY (UINT64_C(256) << 20) /* bytes for an army solved whole */
/* for all of them, the one being solved included */
#define EX_ARMIES_MEMORY (UINT64_C(512) << 20)
#define EX_ARMIES_MAX    16
#define EX_JOBS_MAX      16   /* jobs that wait; clients of others ask again anyway */
#define EX_PATIENCE      15.0 /* seconds */

struct bk_pool;
struct ex_counter;

struct ex_limits {
    double patience;      /* seconds */
    uint64_t army_memory; /* bytes */
    uint64_t armies_memory;
};

/* pool: borrowed; used by the counter alone.  limits: NULL: EX_PATIENCE, EX_ARMY_MEMORY,
   EX_ARMIES_MEMORY.  Returns NULL: no memory, or no thread. */
struct ex_counter *ex_counter_new(struct bk_pool *pool, const char *dirs,
                                  const struct ex_limits *limits);
void ex_counter_free(struct ex_counter *c); /* NULL is fine; gives up the job under way */

/*
 * Returns the histogram of a table, as /stats tells it, or an object that says in "error" why it
 * cannot be counted, and in "damaged" whether a table is damaged; owned.  NULL: not counted (yet).
 * *counting: it is being counted, or will be; ask again.
 */
json_t *ex_counted(struct ex_counter *c, struct ex_game *game, const struct bk_material *m,
                   bool *counting);

/* Returns the examples of a table (examples.h), with the same limits and in the same way. */
json_t *ex_counted_examples(struct ex_counter *c, struct ex_game *game, const struct bk_material *m,
                            bool *counting);

/* Armies of games with hands, solved by the same thread. */
const struct ex_armies *ex_counter_armies(struct ex_counter *c); /* borrowed */

/* Is a job under way, or waiting?  For tests. */
bool ex_counter_busy(struct ex_counter *c);

#endif
