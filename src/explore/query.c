/*
 * query.c - see query.h.
 *
 * The target is copied once; separators become ends of strings, and what is escaped shrinks where
 * it stands.  Separators are found before anything is unescaped, so an escaped one separates
 * nothing.
 */
#include "explore/query.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Unescapes a string in its place; false: a bad escape, or what is not printable ASCII. */
static bool unescape(char *s, bool plus_is_blank)
{
    char *to = s;

    for (; *s; s++) {
        int c = (unsigned char)*s;

        if (c == '%') {
            if (hex(s[1]) < 0 || hex(s[2]) < 0)
                return false;
            c = hex(s[1]) << 4 | hex(s[2]);
            s += 2;
        } else if (c == '+' && plus_is_blank)
            c = ' ';
        if (c < ' ' || c > '~')
            return false;
        *to++ = (char)c;
    }
    *to = 0;
    return true;
}

/* The text up to a separator, which is ended there; *s moves behind it, or is NULL at the end. */
static char *next(char **s, char separator)
{
    char *from = *s, *at = strchr(from, separator);

    *s = at ? at + 1 : NULL;
    if (at)
        *at = 0;
    return from;
}

static const char *read_path(struct ex_query *q, char *path)
{
    while (path && *path) {
        char *part = next(&path, '/');

        if (!unescape(part, false))
            return "bad escape or character in the path";
        if (!*part || !strcmp(part, ".") || !strcmp(part, "..") || strpbrk(part, "/\\"))
            return "no such path";
        if (q->nparts == EX_PARTS_MAX)
            return "no such path";
        q->part[q->nparts++] = part;
    }
    return NULL;
}

static const char *read_args(struct ex_query *q, char *args)
{
    while (args && *args) {
        char *value = next(&args, '&');
        char *key = next(&value, '=');

        if (!unescape(key, true) || (value && !unescape(value, true)))
            return "bad escape or character in the query";
        if (!*key)
            return "a value without a key in the query";
        if (ex_query_arg(q, key))
            return "a key is given twice in the query";
        if (q->nargs == EX_ARGS_MAX)
            return "too many keys in the query";
        q->arg[q->nargs].key = key;
        q->arg[q->nargs++].value = value ? value : key + strlen(key);
    }
    return NULL;
}

unsigned ex_query_read(struct ex_query *q, const char *target, const char **why)
{
    size_t n = strlen(target);
    char *args, *path;

    q->nparts = q->nargs = 0;
    if (n > EX_TARGET_MAX) {
        *why = "the address is too long";
        return 414;
    }
    memcpy(q->text, target, n + 1);
    args = q->text;
    path = next(&args, '?');
    if (*path != '/')
        *why = "no such path";
    else {
        *why = read_path(q, path + 1);
        if (!*why)
            *why = read_args(q, args);
    }
    return *why ? 400 : 0;
}

const char *ex_query_arg(const struct ex_query *q, const char *key)
{
    for (unsigned i = 0; i < q->nargs; i++)
        if (!strcmp(q->arg[i].key, key))
            return q->arg[i].value;
    return NULL;
}

static char *escape(char *out, const char *s)
{
    for (; *s; s++)
        if (strchr("%/?&=+# ", *s))
            out += sprintf(out, "%%%02X", (unsigned)(unsigned char)*s);
        else
            *out++ = *s;
    return out;
}

char *ex_query_write(const struct ex_query *q, char *out)
{
    char *to = out;

    if (!q->nparts)
        *to++ = '/';
    for (unsigned i = 0; i < q->nparts; i++) {
        *to++ = '/';
        to = escape(to, q->part[i]);
    }
    for (unsigned i = 0; i < q->nargs; i++) {
        *to++ = i ? '&' : '?';
        to = escape(to, q->arg[i].key);
        *to++ = '=';
        to = escape(to, q->arg[i].value);
    }
    *to = 0;
    return out;
}
