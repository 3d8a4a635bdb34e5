/*
 * host.h - files whose bytes somebody else brings, and which of them are needed.
 *
 * A host is asked for bytes wherever a disk would be.  It may answer "not yet": the question then
 * ends in BK_E_NEEDS_BYTES, and what it lacked is noted here, until whoever brings it takes the
 * list.  A miss is never an answer: nothing is remembered of it.
 *
 * Threads: any number.
 */
#ifndef BK_TABLE_HOST_H
#define BK_TABLE_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

enum { BK_HOST_OK = 0, BK_HOST_NONE = -1, BK_HOST_LATER = -2, BK_HOST_BROKEN = -3 };

/* The functions of a host; both may be called by several threads at once. */
struct bk_hosted {
    void *context;
    /* bytes of a file, or NONE, LATER, BROKEN */
    int64_t (*size)(void *context, const char *path);
    /* writes all of these bytes, and is OK; or LATER, BROKEN */
    int (*read)(void *context, const char *path, uint64_t at, void *to, size_t bytes);
};

/* Bytes that are needed.  path: borrowed from the list. */
struct bk_need {
    const char *path;
    uint64_t at, bytes;
};

struct bk_needs; /* all that have been noted and not taken */

enum bk_err bk_needs_new(struct bk_needs **out, struct bk_report *why); /* *out owned */
void bk_needs_free(struct bk_needs *n);                                 /* NULL is fine */

/* Notes a need, once.  Returns BK_E_NEEDS_BYTES; BK_E_SYSTEM (memory). */
enum bk_err bk_needs_note(struct bk_needs *n, const char *path, uint64_t at, uint64_t bytes,
                          struct bk_report *why);
/* Moves up to `room` of the needs to `out`, sorted by file and place; needs that touch are joined.
   Returns how many there were, so joined. */
size_t bk_needs_take(struct bk_needs *n, struct bk_need *out, size_t room);

#endif
