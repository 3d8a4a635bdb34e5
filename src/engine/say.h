/*
 * say.h - the client's lines: out, in, and the wait for them or for the end of a search.
 *
 * Both protocols are lines of text.  A line goes out whole, at once, from any thread.  When the
 * client has gone away (broken pipe), be_say_gone() is true from then on, and the caller ends
 * without a message.  If lines cannot be written (a full disk) it ends, too, and be_say_status()
 * says so.
 */
#ifndef BE_SAY_H
#define BE_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* == Lines out == */

/* Writes one line; the newline is added. */
void be_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Has the client gone, or can nothing be written? */
bool be_say_gone(void);
/* Returns the exit status: 4, with a message on stderr, if lines were lost, out or in; 0 also when
   the client has gone, which is its right. */
int be_say_status(void);

/*
 * == Waiting ==
 *
 * Waits for bytes that come in or for the end of a search, whichever is first.
 *
 * POSIX: poll(), and a pipe for the search.  Windows has nothing that waits for its pipes: there a
 * thread reads, as much as one buffer holds at a time.
 *
 * Threads: be_wait_wake() from any, the others from the one that waits.
 */

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

/* == Lines in == */

#define BE_LINE_MAX (1 << 20) /* longer lines are dropped whole */

/* Lines as they come in.  Begins as { .from = ... }. */
struct be_lines {
    struct be_wait *from;
    char *text; /* owned */
    size_t n, room, start;
    size_t seen; /* bytes from `start` on in which there is no newline */
    bool ended, too_long;
};
/* Reads the bytes that have come; blocks only if there are none.  Afterwards lines may be taken. */
void be_lines_read(struct be_lines *in);
/* The next whole line, without its end, or NULL: read again, or `ended`.  Borrowed until the next
   be_lines_read(). */
char *be_lines_next(struct be_lines *in);
void be_lines_release(struct be_lines *in);

/* == Words == */

/* Takes the next word off *s, ends it with a zero; NULL: there is none. */
char *be_word(char **s);
/* The number at the beginning of `text`, times `scale`, within 0 and BE_NUMBER_MAX, some thirty
   years of milliseconds; 0 if it is no number. */
#define BE_NUMBER_MAX INT64_C(1000000000000)
int64_t be_number(const char *text, double scale);
/* What is left of *s, without blanks at either end; "" if nothing. */
char *be_rest(char **s);

#endif
