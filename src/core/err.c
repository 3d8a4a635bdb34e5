#include "core/err.h"

#include <stdarg.h>
#include <stdio.h>

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
    }
    return "unknown error";
}

enum bk_err bk_fail(struct bk_report *why, enum bk_err err, const char *fmt, ...)
{
    if (why) {
        va_list ap;

        va_start(ap, fmt);
        vsnprintf(why->text, sizeof why->text, fmt, ap);
        va_end(ap);
    }
    return err;
}
