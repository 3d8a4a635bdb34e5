/*
 * wait.h - waits for bytes that come in or for the end of a search, whichever is first.
 *
 * POSIX: poll(), and a pipe for the search.  Windows has nothing that waits for its pipes: there a
 * thread reads, as much as one buffer holds at a time.
 *
 * Threads: be_wait_wake() from any, the others from the one that waits.
 */
#ifndef BE_WAIT_H
#define BE_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct be_wait {
    int in; /* file descriptor of the input */
#ifdef _WIN32
    struct be_reader *reader; /* never freed: its thread waits for input until the input ends */
#else
    int wake[2]; /* a pipe: be_wait_wake() writes a byte */
#endif
};

/* What be_wait_for() returns, as a mask. */
enum be_came {
    BE_CAME_BYTES = 1,  /* be_wait_read() does not block */
    BE_CAME_WAKE = 2,   /* be_wait_wake() was called */
    BE_CAME_GONE = 4,   /* nobody reads the standard output any more (POSIX) */
    BE_CAME_FAILED = 8, /* waiting failed */
};

/* False: no memory, no pipe, no thread. */
bool be_wait_begin(struct be_wait *w, int in);
void be_wait_end(struct be_wait *w);

/* Blocks until something has come; 0: a signal came first.  bytes, wake: which are waited for. */
unsigned be_wait_for(struct be_wait *w, bool bytes, bool wake);
/* As read(): 0 is the end. */
ssize_t be_wait_read(struct be_wait *w, void *to, size_t room);

void be_wait_wake(struct be_wait *w);
/* Consumes one be_wait_wake(); blocks until it has been called. */
void be_wait_woken(struct be_wait *w);

#endif
