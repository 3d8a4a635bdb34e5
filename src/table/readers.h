/*
 * readers.h - random-access reads of more files than may be open at a time.
 *
 * A reader is a file by its path.  Its descriptor may be closed to open another, and is opened
 * again when it is next read; what is found there then must be the same file, by its number, size
 * and time, or reading fails.  If a host brings the bytes there are no descriptors, and the bytes
 * that it has not got yet are noted.
 *
 * Threads: any.  Reading takes a lock before and after, none meanwhile.
 */
#ifndef BK_READERS_H
#define BK_READERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

/* == Hosts == */

/*
 * A host takes the place of the disk: readers ask it for bytes.  It may answer "not yet": the
 * question then ends in BK_E_NEEDS_BYTES, and the missing bytes are noted in a list until the
 * caller takes it, to bring them.  A miss is never an answer: nothing else is remembered of it.
 */

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

struct bk_needs; /* a list of needs: noted, and not taken yet */

enum bk_err bk_needs_new(struct bk_needs **out, struct bk_report *why); /* *out owned */
void bk_needs_free(struct bk_needs *n);                                 /* NULL is fine */

/* Notes a need, once.  Returns BK_E_NEEDS_BYTES; BK_E_SYSTEM (memory). */
enum bk_err bk_needs_note(struct bk_needs *n, const char *path, uint64_t at, uint64_t bytes,
                          struct bk_report *why);
/* Moves up to `room` of the needs to `out`, sorted by file and place; needs that touch are joined.
   Returns how many there were, so joined. */
size_t bk_needs_take(struct bk_needs *n, struct bk_need *out, size_t room);

/* == Readers == */

struct bk_readers;
struct bk_reader;

/* Makes a set of readers.  files: open at a time; 0: half of what the process may have, 4 at least,
   4096 at most.  *out owned. */
enum bk_err bk_readers_new(struct bk_readers **out, unsigned files, struct bk_report *why);
void bk_readers_free(struct bk_readers *r); /* NULL is fine; all readers have been freed */
/* Makes all readers ask a host; before the first reader.  The host's functions are copied. */
enum bk_err bk_readers_set_host(struct bk_readers *r, const struct bk_hosted *host,
                                struct bk_report *why);
bool bk_readers_hosted(const struct bk_readers *r);
/* As bk_needs_take(); 0: there is no host. */
size_t bk_readers_take(struct bk_readers *r, struct bk_need *out, size_t room);

/*
 * Makes the reader of a file.  path borrowed.  Returns BK_OK; BK_E_NO_TABLE (no such file);
 * BK_E_CORRUPT (no regular file); BK_E_NEEDS_BYTES (its size is not known; noted as BK_READER_FIRST
 * bytes of it); BK_E_SYSTEM.
 */
#define BK_READER_FIRST 4096 /* nearly every head of a table is shorter */
enum bk_err bk_reader_new(struct bk_reader **out, struct bk_readers *r, const char *path,
                          struct bk_report *why);
void bk_reader_free(struct bk_reader *f); /* NULL is fine */
uint64_t bk_reader_bytes(const struct bk_reader *f);

/* Reads bytes at a place.  BK_E_CORRUPT: it is cut short; BK_E_NEEDS_BYTES; BK_E_SYSTEM. */
enum bk_err bk_reader_read(struct bk_reader *f, void *to, size_t bytes, uint64_t at,
                           struct bk_report *why);
/* As bk_reader_read(); but of bytes that a host has not got, `ahead` in all are noted as needed. */
enum bk_err bk_reader_read_ahead(struct bk_reader *f, void *to, size_t bytes, uint64_t at,
                                 uint64_t ahead, struct bk_report *why);
bool bk_reader_hosted(const struct bk_reader *f);

/* Is there such a file?  As bk_reader_new(). */
enum bk_err bk_reader_look(struct bk_readers *r, const char *path, struct bk_report *why);

#endif
