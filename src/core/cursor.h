/*
 * cursor.h - a value of a variant file, read word by word.
 *
 * Each reader goes on from the cursor and leaves it behind what it has read.  Where
 * it cannot, it returns false, the cursor stands at what is wrong, and the fault
 * says what that is.
 */
#ifndef BK_CURSOR_H
#define BK_CURSOR_H

#include "core/variant.h"

struct bk_cursor {
    const char *p; /* what is not read yet */
    struct bk_report fault;
};

/* Formats what is wrong at the cursor into c->fault; returns false. */
bool bk_cursor_wrong(struct bk_cursor *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Skips white space; false where nothing follows. */
bool bk_cursor_more(struct bk_cursor *c);
/* Checks that nothing follows. */
bool bk_cursor_end(struct bk_cursor *c);
/* Skips the next word if it is `word`; otherwise false, which is no fault. */
bool bk_cursor_skip(struct bk_cursor *c, const char *word);

bool bk_cursor_number(struct bk_cursor *c, unsigned min, unsigned max, unsigned *out);
/* A number that is the whole value. */
bool bk_cursor_only_number(struct bk_cursor *c, unsigned min, unsigned max, unsigned *out);
/* A piece's letter, a file's letter, a list of ranks: 9  2-7  9,10  3- */
bool bk_cursor_type(struct bk_cursor *c, const struct bk_variant *v, uint8_t *type);
bool bk_cursor_file(struct bk_cursor *c, const struct bk_variant *v, uint8_t *file);
bool bk_cursor_ranks(struct bk_cursor *c, const struct bk_variant *v, uint16_t *mask);

/* Reads a value that is one of `words`, which end with NULL; *out is its place. */
bool bk_cursor_one_of(struct bk_cursor *c, const char *const words[], unsigned *out);
/* Reads a value that is one of two words; *out: it is `yes`. */
bool bk_cursor_choice(struct bk_cursor *c, const char *no, const char *yes, bool *out);

/* Copies the value to `to`, which has `size` bytes, the zero included; the cursor does not move. */
bool bk_cursor_copy(struct bk_cursor *c, char *to, size_t size);

#endif
