/* headers.c - see headers.h. */
#include "explore/headers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "a1-" and the like: what RFC 9110 calls a token. */
static bool is_token(const char *name)
{
    static const char token[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "!#$%&'*+-.^_`|~";

    return *name && !name[strspn(name, token)];
}

/* Is there a character of control, but for tabs? */
static bool has_control(const char *value)
{
    for (; *value; value++)
        if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7f)
            return true;
    return false;
}

void ex_headers_take(struct ex_headers *h, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **value;
    } known[] = { { "Host", &h->host },
                  { "Content-Length", &h->length },
                  { "Transfer-Encoding", &h->coding },
                  { "Origin", &h->origin },
                  { "Sec-Fetch-Site", &h->site } };

    h->strange |= !is_token(name) || (value && has_control(value));
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcasecmp(name, known[i].name)) {
            if (*known[i].value)
                h->twice = known[i].name;
            *known[i].value = value ? value : "";
        }
}

const char *ex_headers_fault(const struct ex_headers *h, const char *version)
{
    bool old = !strcmp(version, "HTTP/1.0");

    if (h->strange)
        return "a header field has characters that none may have";
    if (h->twice)
        return "a header field that may stand once is given twice";
    if (!h->host && !old)
        return "the request lacks a Host";
    if (h->coding && h->length)
        return "Content-Length stands beside Transfer-Encoding";
    if (h->coding && (old || strcasecmp(h->coding, "chunked") != 0))
        return "Transfer-Encoding is not chunked";
    return NULL;
}

bool ex_headers_body(const struct ex_headers *h)
{
    return h->coding || (h->length && strcmp(h->length, "0") != 0);
}

bool ex_names_host(const char *authority, const char *name)
{
    size_t n = strlen(name);

    if (strncasecmp(authority, name, n) != 0)
        return false;
    return !authority[n] ||
           (authority[n] == ':' && !authority[n + 1 + strspn(authority + n + 1, "0123456789")]);
}

bool ex_headers_elsewhere(const struct ex_headers *h, const char *authority)
{
    const char *from;

    if (h->site)
        return strcmp(h->site, "same-origin") != 0 && strcmp(h->site, "none") != 0;
    if (!h->origin)
        return false;
    from = strstr(h->origin, "://");
    return !from || !authority || strcasecmp(from + 3, authority) != 0;
}

bool ex_target_path(char *target, char **authority)
{
    static const char scheme[] = "http://";
    size_t before = sizeof scheme - 1, n;
    char *host, *path;

    if (strncasecmp(target, scheme, before) != 0)
        return true;
    n = strcspn(target + before, "/?#");
    if (!(host = strndup(target + before, n)))
        return false;
    path = target + before + n;
    if (*path != '/')
        *--path = '/'; /* where the host was copied from */
    memmove(target, path, strlen(path) + 1);
    *authority = host;
    return true;
}
