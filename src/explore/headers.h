/*
 * headers.h - checks a request's header fields, and tells who asks: RFC 9110, RFC 9112.
 *
 * libmicrohttpd accepts requests that the RFCs reject.  Of two lengths of a body it takes the
 * first, and a proxy before us may take the second: the end of one request then becomes the
 * beginning of another that the proxy has not checked (request smuggling).  So fields that decide
 * something are checked here, and a request in doubt is refused.
 */
#ifndef BK_EXPLORE_HEADERS_H
#define BK_EXPLORE_HEADERS_H

#include <stdbool.h>

/* The fields that decide something; NULL: not given.  Values are borrowed from the library. */
struct ex_headers {
    const char *host, *length, *coding, *origin, *site;
    const char *twice; /* the name of one that is given twice */
    bool strange;      /* a name or value has characters that none has */
};

/* Adds a field; *h begins as zeros.  value: may be NULL. */
void ex_headers_take(struct ex_headers *h, const char *name, const char *value);

/* Returns what is wrong with a request of `version`, "HTTP/1.1", that has these fields; NULL:
   nothing. */
const char *ex_headers_fault(const struct ex_headers *h, const char *version);

/* Has the request a body? */
bool ex_headers_body(const struct ex_headers *h);

/* Does `authority` ("localhost:8643") name the host `name`, at whatever port? */
bool ex_names_host(const char *authority, const char *name);

/*
 * Does a browser say that a page of another origin than `authority` has it ask?  Clients other than
 * browsers say nothing.  Sec-Fetch-Site decides; browsers that do not send it, as to a name that is
 * not this machine, send Origin with some requests.
 */
bool ex_headers_elsewhere(const struct ex_headers *h, const char *authority);

/*
 * Makes a target in absolute form ("http://HOST/path") a path, in its place.  *authority: HOST,
 * owned; untouched where it is a path.  False: no memory.
 */
bool ex_target_path(char *target, char **authority);

#endif
