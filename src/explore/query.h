/*
 * query.h - what a request asks: the target of its first line, taken apart.
 *
 *     /api/v1/shatranj/probe?fen=8/8/8/3k4/8/1KQ5/8/q7+w
 *
 * Anybody may send a target, so it is read strictly: what is not plain ASCII, names that climb
 * (`..`), a key given twice and escapes that are none are refused, not repaired.
 */
#ifndef BK_EXPLORE_QUERY_H
#define BK_EXPLORE_QUERY_H

#include <stddef.h>

#define EX_TARGET_MAX 2048 /* bytes of a target */
#define EX_PARTS_MAX  6
#define EX_ARGS_MAX   8

/* All text is printable ASCII, ended, in `text`. */
struct ex_query {
    unsigned nparts, nargs;
    const char *part[EX_PARTS_MAX]; /* "api", "v1", ...; none for `/` */
    struct {
        const char *key, *value;
    } arg[EX_ARGS_MAX];
    char text[EX_TARGET_MAX + 1];
};

/* Returns 0, or the HTTP status that says what is wrong, 400 or 414; *why is then a fixed text. */
unsigned ex_query_read(struct ex_query *q, const char *target, const char **why);

/* The value of a key; NULL: not given. */
const char *ex_query_arg(const struct ex_query *q, const char *key);

/* Writes a target that reads the same; `out` has 3 * EX_TARGET_MAX + 2 bytes.  Returns `out`.  For
   tests of ex_query_read(). */
char *ex_query_write(const struct ex_query *q, char *out);

#endif
