/* cursor.c - numbers, letters and words of a value. */
#include "core/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/letter.h"

bool bk_cursor_wrong(struct bk_cursor *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(c->fault.text, sizeof c->fault.text, fmt, ap);
    va_end(ap);
    return false;
}

bool bk_cursor_more(struct bk_cursor *c)
{
    while (bk_is_space(*c->p))
        c->p++;
    return *c->p;
}

bool bk_cursor_end(struct bk_cursor *c)
{
    return !bk_cursor_more(c) || bk_cursor_wrong(c, "unexpected `%s`", c->p);
}

bool bk_cursor_number(struct bk_cursor *c, unsigned min, unsigned max, unsigned *out)
{
    const char *end = c->p;
    unsigned n = 0;

    for (; bk_is_digit(*end) && n <= max; end++)
        n = n * 10 + (unsigned)(*end - '0');
    if (end == c->p || n < min || n > max)
        return bk_cursor_wrong(c, "expected a number from %u to %u", min, max);
    c->p = end;
    *out = n;
    return true;
}

bool bk_cursor_only_number(struct bk_cursor *c, unsigned min, unsigned max, unsigned *out)
{
    return bk_cursor_number(c, min, max, out) && bk_cursor_end(c);
}

bool bk_cursor_type(struct bk_cursor *c, const struct bk_variant *v, uint8_t *type)
{
    if (!bk_cursor_more(c))
        return bk_cursor_wrong(c, "expected a piece's letter");
    for (int i = 0; i < v->ntypes; i++)
        if (v->piece[i].letter == *c->p) {
            *type = (uint8_t)i;
            c->p++;
            return true;
        }
    return bk_cursor_wrong(c, "no piece has the letter `%c`", *c->p);
}

bool bk_cursor_file(struct bk_cursor *c, const struct bk_variant *v, uint8_t *file)
{
    if (!bk_cursor_more(c) || *c->p < 'a' || *c->p >= 'a' + v->files)
        return bk_cursor_wrong(c, "expected a file from a to %c", 'a' + v->files - 1);
    *file = (uint8_t)(*c->p++ - 'a');
    return true;
}

bool bk_cursor_ranks(struct bk_cursor *c, const struct bk_variant *v, uint16_t *mask)
{
    unsigned ranks = 0;

    do {
        unsigned low = 1, high;

        if (!bk_cursor_number(c, 1, v->ranks, &low))
            return false;
        high = low;
        if (*c->p == '-') {
            c->p++;
            high = v->ranks;
            if (bk_is_digit(*c->p) && !bk_cursor_number(c, low, v->ranks, &high))
                return false;
        }
        for (unsigned r = low - 1; r < high; r++)
            ranks |= 1u << r;
    } while (*c->p == ',' && c->p++);
    *mask = (uint16_t)ranks;
    return true;
}

bool bk_cursor_skip(struct bk_cursor *c, const char *word)
{
    size_t n = strlen(word);

    bk_cursor_more(c);
    if (strncmp(c->p, word, n) || (c->p[n] && !bk_is_space(c->p[n])))
        return false;
    c->p += n;
    return true;
}

bool bk_cursor_one_of(struct bk_cursor *c, const char *const words[], unsigned *out)
{
    char list[128] = "";

    for (unsigned i = 0; words[i]; i++) {
        if (bk_cursor_skip(c, words[i])) {
            *out = i;
            return bk_cursor_end(c);
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? " | " : "", words[i]);
    }
    return bk_cursor_wrong(c, "expected %s", list);
}

bool bk_cursor_choice(struct bk_cursor *c, const char *no, const char *yes, bool *out)
{
    const char *const words[] = { no, yes, NULL };
    unsigned i = 0;
    bool ok = bk_cursor_one_of(c, words, &i);

    *out = i == 1;
    return ok;
}

bool bk_cursor_copy(struct bk_cursor *c, char *to, size_t size)
{
    size_t n = strlen(c->p);

    if (n >= size)
        return bk_cursor_wrong(c, "longer than %d bytes", (int)size - 1);
    memcpy(to, c->p, n + 1);
    return true;
}
