/*
 * deadline.h - connections that take too long.
 *
 * A sender who lets a byte go every second is never idle, so a limit on idle time does not end him;
 * and a few hundred of his kind hold all connections there are.  So the time counts in which a
 * connection owes us something: from when it opens, or a request begins, to the end of that; and
 * again while it takes the answer.  Who owes for longer is told 408 and cut off.  So is, without a
 * word, who rests as long between two requests: he would take it for the answer to his next.
 *
 * A thread looks at all connections twice a second.  Threads: any number.
 */
#ifndef BK_EXPLORE_DEADLINE_H
#define BK_EXPLORE_DEADLINE_H

#include <stdbool.h>

struct ex_deadlines;
struct ex_connection;

/* NULL: no memory, or no thread. */
struct ex_deadlines *ex_deadlines_new(unsigned seconds);
void ex_deadlines_free(struct ex_deadlines *d); /* NULL is fine; no connection may be left */

/* A connection by its socket; NULL: no memory.  Close before the socket is. */
struct ex_connection *ex_connection_open(struct ex_deadlines *d, int fd);
void ex_connection_close(struct ex_deadlines *d, struct ex_connection *c);

/* Its request is here: it owes nothing while we work. */
void ex_connection_ours(struct ex_deadlines *d, struct ex_connection *c);
/* The answer goes out: it owes us to take it, but is no longer told anything. */
void ex_connection_taking(struct ex_deadlines *d, struct ex_connection *c);
/* The answer has gone: it may rest. */
void ex_connection_resting(struct ex_deadlines *d, struct ex_connection *c);
/* A request begins: the rest of it is due. */
void ex_connection_asking(struct ex_deadlines *d, struct ex_connection *c);

#endif
