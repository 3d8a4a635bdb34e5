/*
 * server.h - the API (api.h) on a socket.
 *
 * Each connection has a thread, so no client waits for another's question that takes long, or
 * misses its deadline for that.  What may be asked is bounded: the length of a request and its
 * body, connections, and the time to send one (deadline.h).
 *
 * Rejected: a few threads with many connections each (epoll).  It was no faster with 8 clients, and
 * when a question took more than the deadline, those behind it were cut off.
 */
#ifndef BK_EXPLORE_SERVER_H
#define BK_EXPLORE_SERVER_H

#include "explore/games.h"

#define EX_PORT 8643

struct ex_options {
    const char *address; /* to listen at; NULL: 127.0.0.1, this machine alone */
    unsigned port;       /* 0: any that is free */
    unsigned deadline;   /* seconds that a request may take to come; 0: 10 */
};

struct ex_server;

/* Begins to serve; g is borrowed.  *port: where.  Returns BK_OK; BK_E_USAGE (no such address);
   BK_E_SYSTEM.  ex_server_close() also after a failure. */
enum bk_err ex_server_open(struct ex_server **out, struct ex_games *g, const struct ex_options *o,
                           unsigned *port, struct bk_report *why);
void ex_server_close(
    struct ex_server *s); /* NULL is fine; waits for requests that are being answered */

#endif
