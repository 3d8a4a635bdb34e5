/*
 * search.h - finds a move: from the tables, else by alpha-beta that probes them.
 *
 * Where the tables answer every move, there is no search: of wins the shortest, of losses the
 * longest, of draws the one that leaves the other side the fewest replies that hold.  What comes
 * for the third time is the last of wins and the first of losses.  Without distances they tell
 * which moves keep the result, and among these is searched.
 *
 * Threads: one search at a time uses a struct be_search; be_search_stop() is anybody's.
 */
#ifndef BE_SEARCH_H
#define BE_SEARCH_H

#include "engine/worker.h"

/* Searches.  Where memory runs out what has been found until then is the answer. */
void be_search_run(struct be_search *s);
void be_search_release(struct be_search *s);
static inline void be_search_stop(struct be_search *s) { atomic_store(&s->stop, true); }

#endif
