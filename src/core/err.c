/* err.c - what errors are called, and reports of them. */
#include "core/err.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"

const char *bk_strerror(enum bk_err err)
{
    switch (err) { /* no default: -Wswitch names the one you forgot */
    case BK_OK: return "success";
    case BK_E_NO_TABLE: return "no table for this material";
    case BK_E_ILLEGAL: return "illegal position";
    case BK_E_DIFFERS: return "values differ";
    case BK_E_USAGE: return "bad input";
    case BK_E_CORRUPT: return "table file is damaged";
    case BK_E_SYSTEM: return "system error";
    case BK_E_NOT_CACHED: return "not in memory";
    case BK_E_OVER_BUDGET: return "over the budget of memory";
    case BK_E_NEEDS_BYTES: return "needs bytes of a file";
    case BK_E_NEWER: return "table file needs a newer bareking";
    }
    return "unknown error";
}

void bk_plain_text(char *text, const char *keep)
{
    char *to = text;

    for (size_t n; *text; text += n) {
        bool obeyed = bk_utf8_is_control(text) && !strchr(keep, *text);

        n = bk_utf8_bytes(text);
        n += !n;
        if (obeyed)
            *to++ = '?';
        else
            to = (char *)memmove(to, text, n) + n;
    }
    *to = '\0';
}

void bk_one_line(char *text) { bk_plain_text(text, ""); }

void bk_report_write(struct bk_report *why, const char *fmt, ...)
{
    va_list ap;

    if (!why)
        return;
    va_start(ap, fmt);
    vsnprintf(why->text, sizeof why->text, fmt, ap);
    va_end(ap);
    bk_one_line(why->text);
}

enum bk_err bk_fail_at(struct bk_report *why, const char *label, int line, unsigned column,
                       const char *fmt, va_list ap)
{
    struct bk_report what;

    vsnprintf(what.text, sizeof what.text, fmt, ap);
    return bk_fail(why, BK_E_USAGE, "%s:%d:%u: %s", label, line, column ? column : 1, what.text);
}

bool bk_first_error_any(const struct bk_first_error *first)
{
    return atomic_load_explicit(&first->err, memory_order_relaxed) != BK_OK;
}

void bk_first_error_keep(struct bk_first_error *first, enum bk_err err, const struct bk_report *why)
{
    int none = BK_OK;

    if (err && atomic_compare_exchange_strong_explicit(&first->err, &none, (int)err,
                                                       memory_order_relaxed, memory_order_relaxed))
        first->why = *why;
}

enum bk_err bk_first_error_of(const struct bk_first_error *first, struct bk_report *why)
{
    enum bk_err err = (enum bk_err)atomic_load_explicit(&first->err, memory_order_relaxed);

    if (err && why)
        *why = first->why;
    return err;
}
