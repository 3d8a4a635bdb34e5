/*
 * text.c - see text.h.
 */
#include "study/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

/* Makes room for so many characters more, and a zero. */
static bool make_room(struct study_text *t, size_t more)
{
    size_t room = 2 * (t->n + more) + 64;
    char *at;

    if (t->failed)
        return false;
    if (t->n + more < t->room)
        return true;
    at = realloc(t->at, room);
    if (!at) {
        t->failed = true;
        return false;
    }
    t->at = at;
    t->room = room;
    return true;
}

void study_put_n(struct study_text *t, const char *text, size_t n)
{
    if (!make_room(t, n))
        return;
    memcpy(t->at + t->n, text, n);
    t->n += n;
    t->at[t->n] = 0;
}

void study_put(struct study_text *t, const char *text) { study_put_n(t, text, strlen(text)); }

void study_putf(struct study_text *t, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0 || !make_room(t, (size_t)n))
        return;
    va_start(ap, fmt);
    vsnprintf(t->at + t->n, (size_t)n + 1, fmt, ap);
    va_end(ap);
    t->n += (size_t)n;
}

/* Is a character of UTF-8 one of XML?  Control characters, U+FFFE and U+FFFF are not. */
static bool is_xml(const char *c)
{
    return (unsigned char)*c >= ' ' && strncmp(c, "\xEF\xBF\xBE", 3) &&
           strncmp(c, "\xEF\xBF\xBF", 3);
}

void study_put_xml(struct study_text *t, const char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = bk_utf8_bytes(text);
        switch (*text) {
        case '&': study_put(t, "&amp;"); break;
        case '<': study_put(t, "&lt;"); break;
        case '>': study_put(t, "&gt;"); break;
        case '"': study_put(t, "&quot;"); break;
        case '\'': study_put(t, "&#39;"); break;
        default: study_put_n(t, n && is_xml(text) ? text : "?", n && is_xml(text) ? n : 1);
        }
    }
}

void study_text_free(struct study_text *t)
{
    free(t->at);
    *t = (struct study_text){ 0 };
}
