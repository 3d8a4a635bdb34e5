/*
 * reply.h - an answer on its way out: a status of HTTP and a body.
 *
 * What cannot be answered is an error status, never a 200 with nothing in it:
 *
 *      400  the question makes no sense: FEN, square, query
 *      403  asked by a page of another site
 *      404  no such table, game, path        405  another method
 *      408  too late   413, 414  too long   421  not us
 *      500  a table that is damaged, or of a later version
 *      503  no memory, over the budget
 *
 * The body of an error is {"error": text, "code": word, ...}.
 */
#ifndef BK_EXPLORE_REPLY_H
#define BK_EXPLORE_REPLY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "probe/bareking.h"

struct ex_reply {
    unsigned status;
    const char *type; /* of the body */
    char *body;       /* owned if `owned`; NULL where there is no memory: a bare 503 */
    size_t n;
    bool owned;
};

void ex_reply_release(struct ex_reply *r);

/* Makes `value` (taken) the reply; NULL: there was no memory for it, a bare 503. */
void ex_reply_json(struct ex_reply *r, unsigned status, json_t *value);

/* Returns {"error": ..., "code": ...}, to which more may be added; NULL: no memory. */
json_t *ex_error_json(const char *code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes *r such an error; the expression is false, so that a check can end with it.  Like bk_fail()
   a macro, so that analysers see it. */
static inline bool ex_no(void) { return false; }
#define ex_reply_error(...) (ex_reply_write_error(__VA_ARGS__), ex_no())
void ex_reply_write_error(struct ex_reply *r, unsigned status, const char *code, const char *fmt,
                          ...) __attribute__((format(printf, 4, 5)));

/* The status and the word that go with an error of the library. */
unsigned ex_lib_status(enum bk_lib_err err);
const char *ex_lib_code(enum bk_lib_err err);
/* Makes *r tell a handle's last error; the expression is false, too. */
#define ex_reply_lib(...) (ex_reply_write_lib(__VA_ARGS__), ex_no())
void ex_reply_write_lib(struct ex_reply *r, const struct bk_lib *lib, enum bk_lib_err err);

#endif
