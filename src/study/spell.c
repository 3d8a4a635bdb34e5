/*
 * spell.c - see spell.h.
 */
#include "study/spell.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/utf8.h"

#define PLAIN_MAX 64 /* bytes of a word in ASCII, signs and all */

/* == Signs beyond ASCII == */

/* What stands for a sign that is not ASCII; any other is an evaluation or a remark, "!". */
static const struct {
    const char *sign, *means;
} signs[] = {
    { "\u00D7", "x" },   { "\u2010", "-" },   { "\u2011", "-" }, { "\u2012", "-" },
    { "\u2013", "-" },   { "\u2014", "-" },   { "\u2015", "-" }, { "\u2212", "-" },
    { "\u00BD", "1/2" }, { "\u2026", "..." }, { "\uFE0E", "" },  { "\uFE0F", "" },
    { "\xBD", "1/2" },   { "\xD7", "x" },     { "\x96", "-" }, /* Latin-1 and its kin */
};

/* Sets *means to what the sign at `at` stands for: NULL, if it is ASCII, for itself.  Returns its
   length in bytes. */
static size_t read_sign(const char *at, const char **means)
{
    static const char *const men[] = { "K", "Q", "R", "B", "N", "P" };
    size_t bytes = bk_utf8_bytes(at);

    *means = NULL;
    if (!(*at & 0x80))
        return 1;
    bytes = bytes ? bytes : 1;
    *means = "!";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i].sign) == bytes && !strncmp(at, signs[i].sign, bytes))
            *means = signs[i].means;
    if (!strncmp(at, "\xE2\x99", 2) && (unsigned char)at[2] >= 0x94 && (unsigned char)at[2] <= 0x9F)
        *means = men[((unsigned char)at[2] - 0x94) % 6]; /* U+2654, white, to U+265F, black */
    return bytes;
}

/* Writes a word in ASCII.  False: it is too long. */
static bool make_plain(char out[PLAIN_MAX + 1], const char *text, size_t n)
{
    size_t length = 0, bytes;
    const char *means;

    for (const char *at = text; at < text + n; at += bytes) {
        char own[2] = { *at, 0 };

        bytes = read_sign(at, &means);
        means = means ? means : own;
        if (length + strlen(means) > PLAIN_MAX)
            return false;
        strcpy(out + length, means);
        length += strlen(means);
    }
    out[length] = 0;
    return true;
}

/* == Words == */

/* The length of one blank; 0: there is none. */
static size_t blank(const char *at)
{
    static const char *const wide[] = { "\u00A0", "\u2007", "\u2009", "\u200A", "\u202F",
                                        "\u3000", "\uFEFF", "\u2002", "\u2003" };

    if (*at & 0x80)
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
            if (!strncmp(at, wide[i], strlen(wide[i])))
                return strlen(wide[i]);
    return isspace((unsigned char)*at) != 0;
}

size_t study_blanks(const char *at)
{
    size_t n = 0;

    for (size_t more; (more = blank(at + n)) > 0;)
        n += more;
    return n;
}

size_t study_dots(const char *at)
{
    size_t n = 0;

    while (at[n] == '.' || !strncmp(at + n, "\u2026", 3))
        n += at[n] == '.' ? 1 : 3;
    return n;
}

/* The length of "(Q)" or a figurine in brackets; 0: it is something else. */
static size_t bracketed_man(const char *at)
{
    const char *means;
    size_t bytes;

    if (*at != '(' || !at[1])
        return 0;
    bytes = read_sign(at + 1, &means);
    return isalpha((unsigned char)(means ? *means : at[1])) && at[1 + bytes] == ')' ? bytes + 2 : 0;
}

size_t study_word(const char *at)
{
    size_t n = 0, man;

    while (at[n] && !blank(at + n)) {
        if (strchr("{}()[];$", at[n])) {
            man = n && (isdigit((unsigned char)at[n - 1]) || at[n - 1] == '=')
                      ? bracketed_man(at + n)
                      : 0;
            if (!man)
                break;
            n += man;
        } else {
            n++;
        }
    }
    return n;
}

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcasecmp(word, list[i]))
            return true;
    return false;
}

static bool is_sign(const char *word)
{
    /* the words: en passant, checks, mate; novelty, diagram */
    static const char *const words[] = { "e.p.",  "e.p",   "ep",    "ep.",     "ch",
                                         "ch.",   "check", "dis",   "dis.",    "disch",
                                         "dbl",   "dbl.",  "dblch", "dis.ch.", "mate",
                                         "mate.", "N",     "TN",    "D" };

    return is_one_of(word, words, sizeof words / sizeof *words) ||
           !word[strspn(word, "+-=/!?#~<>^_|&.,:*")];
}

/* Is it a null move, with marks or without? */
static bool is_null(const char *word)
{
    static const char *const nulls[] = { "--", "Z0", "0000", "@@@@", "null", "pass", "<>" };
    size_t n = strlen(word);
    char bare[PLAIN_MAX + 1];

    while (n && strchr("!?", word[n - 1]))
        n--;
    snprintf(bare, sizeof bare, "%.*s", (int)n, word);
    return is_one_of(bare, nulls, sizeof nulls / sizeof *nulls);
}

enum study_word_kind study_word_kind(const char *text, size_t n)
{
    static const char *const results[] = { "1-0", "0-1", "1/2-1/2", "*",      "1/2",
                                           "1:0", "0:1", "1/2:1/2", "0.5-0.5" };
    char word[PLAIN_MAX + 1];

    if (!make_plain(word, text, n))
        return STUDY_WORD_MOVE;
    if (is_one_of(word, results, sizeof results / sizeof *results))
        return STUDY_WORD_RESULT;
    if (is_sign(word) && !is_null(word))
        return STUDY_WORD_SIGN;
    return is_null(word) ? STUDY_WORD_NULL : STUDY_WORD_MOVE;
}

/* == Moves == */

/* Takes checks, marks, evaluations, and words for them, off the end of a move. */
static void strip_end(char *word)
{
    static const char *const words[] = { "e.p.", "e.p", "ep.", "ep", "ch.", "ch", "mate" };
    size_t n = strlen(word), before;

    do {
        before = n;
        while (n && strchr("+#!?=-/~.,", word[n - 1]))
            word[--n] = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t chars = strlen(words[i]);

            if (n > chars && !strcmp(word + n - chars, words[i]) &&
                !islower((unsigned char)word[n - chars - 1]))
                word[n -= chars] = 0;
        }
    } while (n < before);
}

/* Writes what a pawn becomes as "=Q": out of "(Q)", "=(Q)", "/Q", "q" and "=q". */
static void spell_change(char *word)
{
    size_t n = strlen(word);
    bool bracket = n > 3 && word[n - 1] == ')' && word[n - 3] == '(';
    char *man, *before;

    if (n < 3)
        return;
    man = word + n - (bracket ? 2 : 1);
    before = man - 1;
    if (!isalpha((unsigned char)*man))
        return;
    if (bracket && before[-1] == '=')
        before--;
    if (*before == '(' || *before == '/' || *before == '=') {
        before[1] = (char)toupper((unsigned char)*man);
        before[0] = '=';
        before[2] = 0;
    } else if (isdigit((unsigned char)*before) && islower((unsigned char)*man) &&
               n + 1 < PLAIN_MAX) {
        man[1] = (char)toupper((unsigned char)*man);
        man[0] = '=';
        man[2] = 0;
    }
}

size_t study_spell(char out[STUDY_SPELLED_MAX + 1], const char *text, size_t n)
{
    char word[PLAIN_MAX + 1];

    *out = 0;
    if (!make_plain(word, text, n))
        return 0;
    strip_end(word);
    spell_change(word);
    if (strlen(word) > STUDY_SPELLED_MAX)
        return 0;
    for (char *at = word; *at; at++)
        *at = *at == ':' ? 'x' : *at;
    if (strchr(word, '-') && !word[strspn(word, "0Oo-")])
        for (char *at = word; *at; at++)
            *at = *at == '-' ? '-' : 'O';
    strcpy(out, word);
    return strlen(out);
}
