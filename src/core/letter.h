/*
 * letter.h - letters, digits and space of ASCII, whatever the locale is.
 *
 * Games and positions are written in ASCII.  <ctype.h> asks the locale of the program that links
 * the library: in a Turkish one tolower('I') is no `i`, and a piece of that letter had no black
 * men.
 */
#ifndef BK_LETTER_H
#define BK_LETTER_H

#include <stdbool.h>

static inline bool bk_is_lower(char c) { return c >= 'a' && c <= 'z'; }
static inline bool bk_is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static inline bool bk_is_letter(char c) { return bk_is_lower(c) || bk_is_upper(c); }
static inline bool bk_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool bk_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline char bk_lower(char c) { return bk_is_upper(c) ? (char)(c - 'A' + 'a') : c; }
static inline char bk_upper(char c) { return bk_is_lower(c) ? (char)(c - 'a' + 'A') : c; }

#endif
