/*
 * server.c - see server.h.
 *
 * libmicrohttpd calls, for each request: log_target() with the target as it was sent, which we take
 * apart ourselves (query.h); answer() when the headers are here, with each piece of a body, and at
 * its end; completed() in any case.
 */
#include "explore/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "core/thread.h"
#include "explore/api.h"
#include "explore/deadline.h"
#include "explore/headers.h"
#include "explore/library.h"

#define CONNECTIONS     240
#define FROM_AN_ADDRESS 40 /* at most from one address, unless only this machine may connect */
#define HEADERS_MAX     (32u << 10)
#define SECONDS         10

/* == libmicrohttpd == loaded when the server starts (library.h) */

/* As in microhttpd.h, without MHD_. */
struct http {
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_get_daemon_info) *get_daemon_info;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_get_connection_values) *get_connection_values;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_destroy_response) *destroy_response;
};

static const struct ex_function functions[] = {
    { "MHD_start_daemon", offsetof(struct http, start_daemon) },
    { "MHD_stop_daemon", offsetof(struct http, stop_daemon) },
    { "MHD_get_daemon_info", offsetof(struct http, get_daemon_info) },
    { "MHD_get_connection_info", offsetof(struct http, get_connection_info) },
    { "MHD_get_connection_values", offsetof(struct http, get_connection_values) },
    { "MHD_create_response_from_buffer", offsetof(struct http, create_response_from_buffer) },
    { "MHD_add_response_header", offsetof(struct http, add_response_header) },
    { "MHD_queue_response", offsetof(struct http, queue_response) },
    { "MHD_destroy_response", offsetof(struct http, destroy_response) },
};

static enum bk_err load_http(struct http *out, struct bk_report *why)
{
    /* of 0.9.53, 2017, and all that came since */
    static const char *const names[] = { "libmicrohttpd.so.12", NULL };

    return ex_library_load(out, names, functions, sizeof functions / sizeof functions[0], "explore",
                           "libmicrohttpd", why);
}

/* == The server == */

struct ex_server {
    struct ex_games *games;
    struct ex_deadlines *deadlines;
    struct http http;
    struct MHD_Daemon *daemon;
    bool loopback;
    char address[INET6_ADDRSTRLEN]; /* the address it listens at */
};

/* A request under way. */
struct request {
    char *target;                 /* owned; a path */
    char *authority;              /* owned; of a target that names its host, else NULL */
    bool seen, too_long, no_room; /* no_room: no memory for the body */
    char *body;                   /* owned */
    size_t n;
};

/* == Connections == */

static struct ex_connection *connection_of(const struct ex_server *s, struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

static void on_connection(void *context, struct MHD_Connection *c, void **own,
                          enum MHD_ConnectionNotificationCode what)
{
    struct ex_server *s = context;
    const union MHD_ConnectionInfo *info;

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        ex_connection_close(s->deadlines, *own);
        *own = NULL;
        return;
    }
    info = s->http.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    *own = info ? ex_connection_open(s->deadlines, info->connect_fd) : NULL;
}

/* == Requests == */

static void request_free(struct request *r)
{
    if (!r)
        return;
    free(r->target);
    free(r->authority);
    free(r->body);
    free(r);
}

static void *log_target(void *context, const char *target, struct MHD_Connection *c)
{
    struct request *r = calloc(1, sizeof *r);
    struct ex_server *s = context;

    ex_connection_asking(s->deadlines, connection_of(s, c));
    if (r && (r->target = strdup(target)) && ex_target_path(r->target, &r->authority))
        return r;
    request_free(r);
    return NULL;
}

static void completed(void *context, struct MHD_Connection *c, void **own,
                      enum MHD_RequestTerminationCode how)
{
    struct ex_server *s = context;
    struct request *r = *own;

    (void)how;
    ex_connection_resting(s->deadlines, connection_of(s, c));
    request_free(r);
    *own = NULL;
}

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    (void)kind;
    ex_headers_take(context, name, value);
    return MHD_YES;
}

/*
 * Is the host that a request is for one of ours?  A page on the net may have its own name lead to
 * this machine, and ask as if it came from here: a server for this machine alone answers to its
 * names alone.
 */
static bool meant_for_us(const struct ex_server *s, const char *authority)
{
    const char *const names[] = { "127.0.0.1", "localhost", "[::1]", s->address };

    if (!s->loopback || !authority)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ex_names_host(authority, names[i]))
            return true;
    return false;
}

/* == Replies == */

static const char *const always[][2] = {
    { "Content-Security-Policy",
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" },
    { "X-Content-Type-Options", "nosniff" },
    { "Referrer-Policy", "no-referrer" },
    { "Cache-Control", "no-cache" },
};

/* last: no other request is read from this connection. */
static enum MHD_Result send_reply(struct ex_server *s, struct MHD_Connection *c, struct ex_reply *r,
                                  bool last)
{
    struct MHD_Response *response =
        r->body ? s->http.create_response_from_buffer(
                      r->n, r->body, r->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT)
                : s->http.create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result sent;

    if (!response) {
        ex_reply_release(r);
        return MHD_NO;
    }
    if (r->type)
        s->http.add_response_header(response, "Content-Type", r->type);
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        s->http.add_response_header(response, always[i][0], always[i][1]);
    if (last)
        s->http.add_response_header(response, "Connection", "close");
    if (r->status == 405)
        s->http.add_response_header(response, "Allow", "GET, HEAD, POST");
    ex_connection_taking(s->deadlines, connection_of(s, c));
    sent = s->http.queue_response(c, r->status, response);
    s->http.destroy_response(response); /* the body goes with it */
    return sent;
}

/* Looks at a request's headers.  False: it is refused without reading on, *reply says why. */
static bool look_at_headers(struct ex_server *s, struct MHD_Connection *c, const struct request *r,
                            const char *method, const char *version, struct ex_reply *reply)
{
    struct ex_headers h = { 0 };
    const char *authority, *fault;

    s->http.get_connection_values(c, MHD_HEADER_KIND, take_header, &h);
    authority = r->authority ? r->authority : h.host;
    fault = ex_headers_fault(&h, version);
    if (fault)
        return ex_reply_error(reply, 400, "usage", "%s", fault);
    if (!meant_for_us(s, authority))
        return ex_reply_error(reply, 421, "host", "this server answers to localhost alone");
    if (ex_headers_elsewhere(&h, authority) && !ex_api_for_all(r->target))
        return ex_reply_error(reply, 403, "origin", "a page of another site may not ask this");
    if (ex_headers_body(&h) && !ex_api_takes_body(method, r->target))
        return ex_reply_error(reply, 405, "usage", "no body is wanted here");
    if (h.length && strtoull(h.length, NULL, 10) > EX_BODY_MAX)
        return ex_reply_error(reply, 413, "too-long", "a body has at most %u bytes", EX_BODY_MAX);
    return true;
}

/* Appends a piece to a request's body; once that is too long no more is kept. */
static void take_body(struct request *r, const char *bytes, size_t n)
{
    char *body;

    r->too_long |= r->n + n > EX_BODY_MAX;
    if (r->too_long || r->no_room)
        return;
    body = realloc(r->body, r->n + n);
    r->no_room = !body;
    if (!body)
        return;
    memcpy(body + r->n, bytes, n);
    r->body = body;
    r->n += n;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *bytes, size_t *n,
                              void **own)
{
    struct ex_server *s = context;
    struct request *r = *own;
    struct ex_reply reply = { 0 };

    (void)url;
    if (!r)
        return MHD_NO;
    if (!r->seen) {
        r->seen = true;
        return look_at_headers(s, c, r, method, version, &reply) ? MHD_YES
                                                                 : send_reply(s, c, &reply, true);
    }
    if (*n) {
        take_body(r, bytes, *n);
        *n = 0;
        return MHD_YES;
    }
    ex_connection_ours(s->deadlines, connection_of(s, c));
    if (r->no_room)
        ex_reply_error(&reply, 503, "system", "out of memory");
    else if (r->too_long)
        ex_reply_error(&reply, 413, "too-long", "a body has at most %u bytes", EX_BODY_MAX);
    else
        ex_api(s->games, method, r->target, r->body, r->n, &reply);
    return send_reply(s, c, &reply, false);
}

/* == The server == */

union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Only numbers: no name is looked up.  False: it is none. */
static bool read_address(union any_address *out, const char *text, unsigned port, bool *loopback)
{
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
        *loopback = ntohl(out->v4.sin_addr.s_addr) >> 24 == 127;
        return true;
    }
    if (inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons((uint16_t)port);
        *loopback = IN6_IS_ADDR_LOOPBACK(&out->v6.sin6_addr);
        return true;
    }
    return false;
}

static struct MHD_Daemon *start(struct ex_server *s, const struct ex_options *o,
                                const union any_address *address)
{
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_USE_POLL | MHD_USE_ITC;

    if (address->any.sa_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    return s->http.start_daemon(
        flags, (uint16_t)o->port, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR, &address->any,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        s->loopback ? 0u : (unsigned)FROM_AN_ADDRESS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEADERS_MAX, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
        MHD_OPTION_NOTIFY_COMPLETED, completed, s, MHD_OPTION_URI_LOG_CALLBACK, log_target, s,
        MHD_OPTION_THREAD_STACK_SIZE, BK_THREAD_STACK, MHD_OPTION_END);
}

enum bk_err ex_server_open(struct ex_server **out, struct ex_games *g, const struct ex_options *o,
                           unsigned *port, struct bk_report *why)
{
    const char *name = o->address ? o->address : "127.0.0.1";
    const union MHD_DaemonInfo *info;
    union any_address address;
    struct ex_server *s = calloc(1, sizeof *s);
    enum bk_err err;

    *out = s;
    if (!s)
        return bk_no_memory(why);
    s->games = g;
    snprintf(s->address, sizeof s->address, "%s", name);
    if (!read_address(&address, name, o->port, &s->loopback))
        return bk_fail(why, BK_E_USAGE, "'%s' is no address to listen at, such as 127.0.0.1", name);
    if ((err = load_http(&s->http, why)))
        return err;
    s->deadlines = ex_deadlines_new(o->deadline ? o->deadline : SECONDS);
    if (!s->deadlines)
        return bk_no_memory(why);
    errno = 0;
    s->daemon = start(s, o, &address);
    if (!s->daemon)
        return bk_fail(why, BK_E_SYSTEM, "cannot listen at %s, port %u: %s", name, o->port,
                       errno ? strerror(errno) : "in use?");
    info = s->http.get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    *port = info && info->port ? info->port : o->port;
    return BK_OK;
}

void ex_server_close(struct ex_server *s)
{
    if (!s)
        return;
    if (s->daemon)
        s->http.stop_daemon(s->daemon);
    ex_deadlines_free(s->deadlines);
    free(s);
}
