/*
 * say.h - lines in and out.
 *
 * Both protocols are lines of text.  A line goes out whole, at once, from whichever thread; when
 * the client has gone away (broken pipe), be_say_gone() is true from then on, and the caller ends
 * without a message.  It ends, too, where lines cannot be written (a full disk); be_say_status()
 * then says so.
 */
#ifndef BE_SAY_H
#define BE_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/wait.h"

/* Writes one line; the newline is added. */
void be_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Has the client gone, or can nothing be written? */
bool be_say_gone(void);
/* Returns the exit status: 4, with a message on stderr, if lines were lost, out or in; 0 also when
   the client has gone, which is its right. */
int be_say_status(void);

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

/* Takes the next word off *s, ends it with a zero; NULL: there is none. */
char *be_word(char **s);
/* The number at the beginning of `text`, times `scale`, within 0 and BE_NUMBER_MAX, some thirty
   years of milliseconds; 0 if it is no number. */
#define BE_NUMBER_MAX INT64_C(1000000000000)
int64_t be_number(const char *text, double scale);
/* What is left of *s, without blanks at either end; "" if nothing. */
char *be_rest(char **s);

#endif
