/*
 * deadline.h - connections that take too long.
 *
 * A client that sends a byte every second is never idle, so a limit on idle time does not end it;
 * and a few hundred such clients hold all connections there are.  So a connection has a deadline
 * for each step: to send a request, from its beginning or the connection's opening to the request's
 * end; then to take the answer.  If the request is late, the client is sent a 408 and cut off.  A
 * connection that is late to take an answer, or idle as long between two requests, is cut off
 * without a word: the client would read a 408 as the answer to its next request.
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

/* Begins to watch a connection by its socket; close it before that is.  NULL: no memory. */
struct ex_connection *ex_connection_open(struct ex_deadlines *d, int fd);
void ex_connection_close(struct ex_deadlines *d, struct ex_connection *c);

/* The request is here: the connection owes nothing while we work. */
void ex_connection_ours(struct ex_deadlines *d, struct ex_connection *c);
/* The answer goes out: it is due to be taken; one that is late is cut off without a word. */
void ex_connection_taking(struct ex_deadlines *d, struct ex_connection *c);
/* The answer has gone: the connection may rest. */
void ex_connection_resting(struct ex_deadlines *d, struct ex_connection *c);
/* A request begins: the rest of it is due. */
void ex_connection_asking(struct ex_deadlines *d, struct ex_connection *c);

#endif
