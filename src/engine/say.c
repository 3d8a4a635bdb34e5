/* say.c - one buffer in, stdio out. */
#include "engine/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"

static atomic_bool gone;
static atomic_bool starved; /* there was no memory for a line that came */
static atomic_int failed;   /* errno of a write that failed other than by the client's going */

void be_say(const char *fmt, ...)
{
    va_list args;
    int bad = 0;

    va_start(args, fmt);
    flockfile(stdout);
    if (vprintf(fmt, args) < 0 || putchar('\n') == EOF || fflush(stdout))
        bad = errno;
    funlockfile(stdout);
    va_end(args);
    if (!bad)
        return;
    if (bad != EPIPE)
        atomic_store(&failed, bad);
    atomic_store(&gone, true);
}

bool be_say_gone(void) { return atomic_load(&gone); }

int be_say_status(void)
{
    int err = atomic_load(&failed);

    if (atomic_load(&starved)) {
        fprintf(stderr, "bareking-engine: out of memory\n");
        return 4;
    }
    if (!err)
        return 0;
    fprintf(stderr, "bareking-engine: cannot write: %s\n", strerror(err));
    return 4;
}

/* == Lines in ============================================================ */

/* Moves what is left to the front and makes room; false: no memory. */
static bool make_room(struct be_lines *in)
{
    char *longer;

    if (in->start)
        memmove(in->text, in->text + in->start, in->n - in->start);
    in->n -= in->start;
    in->start = 0;
    if (in->n > BE_LINE_MAX) { /* dropped; so is the rest of it, until its end comes */
        in->n = in->seen = 0;
        in->too_long = true;
    }
    if (in->n + 1 < in->room)
        return true;
    if (!(longer = realloc(in->text, in->room * 2)))
        return false;
    in->text = longer;
    in->room *= 2;
    return true;
}

void be_lines_read(struct be_lines *in)
{
    ssize_t got;

    if (!in->text) {
        in->room = 4096;
        in->text = malloc(in->room);
    }
    if (!in->text || !make_room(in)) {
        in->ended = true;
        atomic_store(&starved, true);
        return;
    }
    got = be_wait_read(in->from, in->text + in->n, in->room - in->n - 1);
    if (got > 0)
        in->n += (size_t)got;
    else
        in->ended = true;
}

char *be_lines_next(struct be_lines *in)
{
    while (in->start < in->n) {
        char *line = in->text + in->start;
        char *end = memchr(line + in->seen, '\n', in->n - in->start - in->seen);
        bool dropped = in->too_long; /* the beginning of this line was dropped */

        if (!end && !in->ended) {
            in->seen = in->n - in->start;
            return NULL;
        }
        if (!end) /* the last one lacks its end; there is room for a zero */
            end = in->text + in->n;
        *end = 0;
        in->start = (size_t)(end - in->text) + 1;
        in->seen = 0;
        in->too_long = false;
        if (dropped || end - line > BE_LINE_MAX)
            continue;
        if (end > line && end[-1] == '\r')
            end[-1] = 0;
        bk_plain_text(line, "\t"); /* some of it is said back */
        return line;
    }
    return NULL;
}

void be_lines_release(struct be_lines *in) { free(in->text); }

/* == Words =============================================================== */

char *be_word(char **s)
{
    char *word = *s + strspn(*s, " \t");

    if (!*word)
        return NULL;
    *s = word + strcspn(word, " \t");
    if (**s)
        *(*s)++ = 0;
    return word;
}

int64_t be_number(const char *text, double scale)
{
    double x = strtod(text, NULL) * scale;

    if (!(x > 0)) /* or it is no number */
        return 0;
    return x < (double)BE_NUMBER_MAX ? (int64_t)x : BE_NUMBER_MAX;
}

char *be_rest(char **s)
{
    char *rest = *s + strspn(*s, " \t");
    size_t n = strlen(rest);

    while (n && (rest[n - 1] == ' ' || rest[n - 1] == '\t'))
        rest[--n] = 0;
    *s = rest + n;
    return rest;
}
