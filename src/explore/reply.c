/*
 * reply.c - see reply.h.
 */
#include "explore/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "explore/json.h"

void ex_reply_release(struct ex_reply *r)
{
    if (r->owned)
        free(r->body);
    *r = (struct ex_reply){ 0 };
}

void ex_reply_json(struct ex_reply *r, unsigned status, json_t *value)
{
    ex_reply_release(r);
    r->type = "application/json; charset=utf-8";
    r->status = status;
    r->body = ex_json_text(value);
    r->owned = true;
    if (!r->body)
        r->status = 503;
    for (r->n = 0; r->body && r->body[r->n]; r->n++)
        ;
}

static json_t *error_json(const char *code, const char *fmt, va_list ap)
{
    char text[1024];

    vsnprintf(text, sizeof text, fmt, ap);
    for (char *s = text; *s; s++) /* it may quote bytes that are not UTF-8 */
        if (*s < ' ' || *s > '~')
            *s = '?';
    return json_pack("{ss ss}", "error", text, "code", code);
}

json_t *ex_error_json(const char *code, const char *fmt, ...)
{
    json_t *value;
    va_list ap;

    va_start(ap, fmt);
    value = error_json(code, fmt, ap);
    va_end(ap);
    return value;
}

void ex_reply_write_error(struct ex_reply *r, unsigned status, const char *code, const char *fmt,
                          ...)
{
    va_list ap;

    va_start(ap, fmt);
    ex_reply_json(r, status, error_json(code, fmt, ap));
    va_end(ap);
}

unsigned ex_lib_status(enum bk_lib_err err)
{
    switch (err) { /* no default: -Wswitch names the one you forgot */
    case BK_LIB_OK: return 200;
    case BK_LIB_NO_TABLE: return 404;
    case BK_LIB_ILLEGAL:
    case BK_LIB_USAGE:
    case BK_LIB_FEN:
    case BK_LIB_PIECE: return 400;
    case BK_LIB_NEWER:
    case BK_LIB_CORRUPT: return 500;
    case BK_LIB_SYSTEM:
    case BK_LIB_NOT_IN_MEMORY:
    case BK_LIB_NEEDS_BYTES:
    case BK_LIB_OVER_BUDGET: return 503;
    }
    return 503;
}

const char *ex_lib_code(enum bk_lib_err err)
{
    switch (err) {
    case BK_LIB_OK: return "ok";
    case BK_LIB_NO_TABLE: return "no-table";
    case BK_LIB_ILLEGAL: return "illegal";
    case BK_LIB_USAGE: return "usage";
    case BK_LIB_FEN: return "fen";
    case BK_LIB_PIECE: return "piece";
    case BK_LIB_CORRUPT: return "damaged";
    case BK_LIB_NEWER: return "newer";
    case BK_LIB_SYSTEM: return "system";
    case BK_LIB_NEEDS_BYTES: return "needs-bytes";
    case BK_LIB_NOT_IN_MEMORY:
    case BK_LIB_OVER_BUDGET: return "over-budget";
    }
    return "system";
}

void ex_reply_write_lib(struct ex_reply *r, const struct bk_lib *lib, enum bk_lib_err err)
{
    const char *text = bk_error(lib);

    ex_reply_write_error(r, ex_lib_status(err), ex_lib_code(err), "%s",
                         *text ? text : bk_lib_strerror(err));
}
