/*
 * utf8.h - is a text UTF-8?
 *
 * Variant files are.  Paths and what is typed need not be, and must not get into JSON or XML as
 * they are: no reader would take the rest.
 */
#ifndef BK_UTF8_H
#define BK_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The offset at which a text begins: behind a byte order mark, if an editor has put one there. */
static inline size_t bk_utf8_mark(const char *text)
{
    return strncmp(text, "\xEF\xBB\xBF", 3) ? 0 : 3;
}

/* Bytes of the character that the text begins with, 1 to 4; 0: it is no valid UTF-8. */
static inline size_t bk_utf8_bytes(const char *text)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint8_t first = (uint8_t)*text;
    size_t n = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    uint32_t code = first & (0x7Fu >> n);

    if (n == 1)
        return 1;
    if (first < 0xC0 || first > 0xF7)
        return 0;
    for (size_t i = 1; i < n; i++) { /* the zero at the end is no later byte of a character */
        uint8_t later = (uint8_t)text[i];

        if ((later & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (later & 0x3F);
    }
    return code >= least[n] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) ? n : 0;
}

/* Bytes before the first one that is no UTF-8; all of them if there is none. */
static inline size_t bk_utf8_span(const char *text)
{
    size_t n = 0;

    for (size_t more; text[n] && (more = bk_utf8_bytes(text + n)) > 0;)
        n += more;
    return n;
}

/* Bytes of as many whole characters as fit into n. */
static inline size_t bk_utf8_cut(const char *text, size_t n)
{
    size_t at = 0;

    for (size_t more; text[at] && (more = bk_utf8_bytes(text + at)) > 0 && at + more <= n;)
        at += more;
    return at;
}

#endif
