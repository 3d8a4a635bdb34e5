/*
 * search.h - finds a move: from the tables, else by alpha-beta that probes them.
 *
 * Where the tables answer every move, there is no search: of wins the shortest, of losses the
 * longest, of draws the one that leaves the other side the fewest replies that hold.  A move that
 * brings a position about for the third time is the last choice among wins and the first among
 * losses.  Tables without distances tell which moves keep the result; the search chooses among
 * these.
 *
 * Threads: one search at a time uses a struct be_search; any thread may call be_search_stop().
 */
#ifndef BE_SEARCH_H
#define BE_SEARCH_H

#include "engine/worker.h"

/* Searches s->root and fills what *s lists as found.  If memory runs out, the answer is what was
   found until then. */
void be_search_run(struct be_search *s);
void be_search_release(struct be_search *s);
static inline void be_search_stop(struct be_search *s) { atomic_store(&s->stop, true); }

#endif
