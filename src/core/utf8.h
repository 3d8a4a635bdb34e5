/*
 * utf8.h - is a text UTF-8?
 *
 * Variant files are.  Paths and what is typed need not be, and must not get into JSON or XML as
 * they are: no reader would take the rest.
 */
#ifndef BK_UTF8_H
#define BK_UTF8_H

#include <stdbool.h>
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

/* Is the character that the text begins with one that a terminal obeys instead of showing it?  That
   is a control character, also one of the eight-bit ones (U+0080 to U+009F, or such a byte alone),
   and one that breaks the line or turns the order of what stands around it. */
static inline bool bk_utf8_is_control(const char *text)
{
    uint8_t first = (uint8_t)*text, second = (uint8_t)text[first != 0], third;

    switch (bk_utf8_bytes(text)) {
    case 0: return first < 0xA0;
    case 1: return first < ' ' || first == 0x7F;
    case 2: return (first == 0xC2 && second < 0xA0) || (first == 0xD8 && second == 0x9C);
    case 3:
        third = (uint8_t)text[2];
        return first == 0xE2 && ((second == 0x80 && (third == 0x8E || third == 0x8F ||
                                                     (third >= 0xA8 && third <= 0xAE))) ||
                                 (second == 0x81 && third >= 0xA6 && third <= 0xA9));
    default: return false;
    }
}

/* Bytes before the first control character but tabs; all of them if there is none. */
static inline size_t bk_utf8_plain(const char *text)
{
    size_t n = 0;

    while (text[n] && (text[n] == '\t' || !bk_utf8_is_control(text + n)))
        n += bk_utf8_bytes(text + n) + !bk_utf8_bytes(text + n);
    return n;
}

#endif
