/*
 * fetch.h - where tables come from: a folder, or a web server, asked by libcurl.
 *
 * Files are asked one after the other, over one connection where the server keeps it.  What a
 * server says is believed in nothing: who takes the bytes knows how many there must be and what
 * they must be (cli/manifest.h).  A server is asked by http and https alone, wherever it leads, and
 * by https alone if the source is; a certificate that is not good is an error.
 */
#ifndef BK_CLI_FETCH_H
#define BK_CLI_FETCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

/* Who takes the bytes. */
struct fetch_sink {
    void *context;
    /* The next bytes stand at `from` in the file: where they were asked from, or at its beginning.
       False: no more is wanted. */
    bool (*begin)(void *context, uint64_t from);
    bool (*put)(void *context, const void *bytes, size_t n);
    /* Called some times a second; false ends the transfer.  NULL is fine. */
    bool (*tick)(void *context);
};

enum fetch_end {
    FETCH_WHOLE,   /* to its end, as the source has it */
    FETCH_NONE,    /* there is no such file */
    FETCH_CUT,     /* the connection was, or the server cannot just now: try again */
    FETCH_RANGE,   /* not from there: ask for all of it */
    FETCH_REFUSED, /* this file will not come */
    FETCH_FAILED,  /* nor will any other */
    FETCH_ENDED,   /* the sink has ended it */
};

struct fetch {
    bool folder;             /* it is one, no server */
    char base[PATH_MAX];     /* its path, or http://host/path */
    struct fetch_curl *curl; /* owned */
    bool worked;             /* the server has answered */
    long stall;              /* seconds without bytes after which a transfer is cut */
};

/* Opens a source.  patience: seconds of `stall`.  Returns BK_OK, BK_E_USAGE, BK_E_NO_TABLE (no such
 * folder), BK_E_SYSTEM. */
enum bk_err fetch_open(struct fetch *f, const char *source, double patience, struct bk_report *why);
/* Goes on with a folder below; false: the path is too long. */
bool fetch_enter(struct fetch *f, const char *below);
void fetch_close(struct fetch *f);

/* Fetches a file, from the byte `from` on.  why: of all ends but FETCH_WHOLE and FETCH_ENDED. */
enum fetch_end fetch_file(struct fetch *f, const char *path, uint64_t from,
                          const struct fetch_sink *sink, struct bk_report *why);

#endif
