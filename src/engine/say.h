/*
 * say.h - lines in and out.
 *
 * Both protocols are lines of text.  A line goes out whole, at once, from whichever thread; a
 * client that has gone away (broken pipe) is remembered, and nobody is told: the caller ends.  It
 * ends, too, where lines cannot be written (a full disk), and says so.
 */
#ifndef BE_SAY_H
#define BE_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/wait.h"

/* Writes one line; the newline is added. */
void be_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Is nobody listening any more, or can nothing be written? */
bool be_say_gone(void);
/* The exit status, and a word on stderr where it is 4: lines were lost, out or in, otherwise than
   because the client has gone, which is its right. */
int be_say_status(void);

#define BE_LINE_MAX (1 << 20) /* longer ones are dropped whole */

/* Lines as they come in.  Begins as { .from = ... }. */
struct be_lines {
    struct be_wait *from;
    char *text; /* owned */
    size_t n, room, start;
    size_t seen; /* from `start` on: no end of a line is there */
    bool ended, too_long;
};
/* Reads what there is; blocks only where there is nothing.  Afterwards lines may be taken. */
void be_lines_read(struct be_lines *in);
/* The next whole line, without its end, or NULL: read again, or `ended`.  Borrowed until the next
   be_lines_read(). */
char *be_lines_next(struct be_lines *in);
void be_lines_release(struct be_lines *in);

/* Takes the next word off *s, ends it with a zero; NULL: there is none. */
char *be_word(char **s);
/* A number of a client's at the beginning of a text, times `scale`, as far as it makes sense: from
   0 to BE_NUMBER_MAX, some thirty years of milliseconds. */
#define BE_NUMBER_MAX INT64_C(1000000000000)
int64_t be_number(const char *text, double scale);
/* What is left of *s, without blanks at either end; "" if nothing. */
char *be_rest(char **s);

#endif
