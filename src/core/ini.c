/*
 * ini.c - cuts a variant file into sections and keys.
 *
 * Idea: a line is copied, its comment and the white space at its end go, and what
 * is left is a section or a key by its first character.
 *
 * Rejected: libinih, which was here before.  It tells neither columns nor sections
 * without keys, so every line was read a second time beside it.
 */
#include "core/ini.h"

#include <string.h>

#include "core/letter.h"
#include "core/utf8.h"

void bk_ini_open(struct bk_ini *ini, const char *text)
{
    memset(ini, 0, sizeof *ini);
    ini->next = text + bk_utf8_mark(text);
}

static enum bk_ini_kind wrong(struct bk_ini *ini, unsigned column, const char *text)
{
    ini->column = column;
    bk_fail(&ini->fault, BK_E_USAGE, "%s", text);
    return BK_INI_WRONG;
}

/* Cuts white space off the end. */
static void trim(char *s)
{
    size_t n = strlen(s);

    while (n && bk_is_space(s[n - 1]))
        n--;
    s[n] = '\0';
}

/* Cuts the comment off: from `;` or `#` at the start of a line, from a `;` after a blank. */
static void cut_comment(char *line)
{
    char *s = line;

    while (bk_is_space(*s))
        s++;
    if (*s == '#' || *s == ';')
        *s = '\0';
    for (; *s; s++)
        if (bk_is_space(s[0]) && s[1] == ';')
            *s = '\0';
}

/* "[variant]", "[piece NAME]" */
static enum bk_ini_kind section(struct bk_ini *ini)
{
    char *close = strchr(ini->text, ']');
    size_t after;

    if (bk_is_space(ini->text[0]))
        return wrong(ini, 1, "a section begins in the first column");
    if (!close)
        return wrong(ini, 1, "expected `[variant]` or `[piece NAME]`");
    after = 1 + strspn(close + 1, " \t\r");
    if (close[after] && close[after] != ';')
        return wrong(ini, (unsigned)(close + after - ini->text) + 1,
                     "unexpected text after the section");
    *close = '\0';
    ini->name = ini->text + 1;
    return BK_INI_SECTION;
}

/* "key = value", also with a colon */
static enum bk_ini_kind key(struct bk_ini *ini)
{
    char *equals = strpbrk(ini->text, "=:"), *value;

    if (bk_is_space(ini->text[0]))
        return wrong(ini, 1, "a key begins in the first column");
    if (!equals)
        return wrong(ini, 1, "expected `key = value` or `[section]`");
    value = equals + 1;
    while (bk_is_space(*value))
        value++;
    *equals = '\0';
    trim(ini->text);
    ini->name = ini->text;
    ini->value = value;
    ini->column = (unsigned)(value - ini->text) + 1;
    return BK_INI_KEY;
}

enum bk_ini_kind bk_ini_next(struct bk_ini *ini)
{
    while (*ini->next) {
        size_t line = strcspn(ini->next, "\n"), n = line;
        const char *first = ini->text;

        if (n && ini->next[n - 1] == '\r')
            n--;

        ini->line++;
        if (n > BK_INI_LINE_CHARS_MAX) {
            wrong(ini, BK_INI_LINE_CHARS_MAX + 1, "");
            bk_fail(&ini->fault, BK_E_USAGE, "the line is longer than %d bytes",
                    BK_INI_LINE_CHARS_MAX);
            return BK_INI_WRONG;
        }
        memcpy(ini->text, ini->next, n);
        ini->text[n] = '\0';
        ini->next += line + (ini->next[line] == '\n');
        cut_comment(ini->text);
        trim(ini->text);
        n = bk_utf8_span(ini->text);
        if (ini->text[n])
            return wrong(ini, (unsigned)n + 1, "not UTF-8");
        n = bk_utf8_plain(ini->text); /* names and titles are shown on terminals */
        if (ini->text[n])
            return wrong(ini, (unsigned)n + 1, "a control character");
        while (bk_is_space(*first))
            first++;
        if (*first)
            return *first == '[' ? section(ini) : key(ini);
    }
    return BK_INI_END;
}
