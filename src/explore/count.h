/*
 * count.h - tables counted to the last position, beside the answering of requests.
 *
 * Counting takes a second or more for each million positions, so no request waits for it: one
 * thread counts one table after the other, and keeps the result with the game.  A client that asks
 * again later gets it.
 */
#ifndef BK_EXPLORE_COUNT_H
#define BK_EXPLORE_COUNT_H

#include "explore/games.h"
#include "table/material.h"

#define EX_COUNT_MAX    (UINT64_C(24) << 20)  /* numbers a side: larger tables are not counted */
#define EX_COUNT_MEMORY (UINT64_C(512) << 20) /* bytes for its values and those it leads to */

#define EX_ARMY_MEMORY (UINT64_C(256) << 20) /* bytes for an army solved whole; one at a time */

struct bk_pool;
struct ex_counter;

/* pool: borrowed; used by the counter alone.  NULL: no memory, or no thread. */
struct ex_counter *ex_counter_new(struct bk_pool *pool, const char *dirs);
void ex_counter_free(struct ex_counter *c); /* NULL is fine; gives up a count under way */

/*
 * Returns the histogram of a table, as /stats tells it, or an object that says in "error" why it
 * cannot be counted, and in "damaged" whether a table is damaged; owned.  NULL: not counted (yet).
 * *counting: it is being counted, or will be; ask again.
 */
json_t *ex_counted(struct ex_counter *c, struct ex_game *game, const struct bk_material *m,
                   bool *counting);

/* Armies of games with hands, solved by the same thread: the one asked about last is kept. */
const struct ex_armies *ex_counter_armies(struct ex_counter *c); /* borrowed */

#endif
