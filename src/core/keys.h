/*
 * keys.h - the keys of a variant file: docs/variant-files.md 2.
 */
#ifndef BK_KEYS_H
#define BK_KEYS_H

#include "core/cursor.h"

struct bk_key {
    const char *name;
    bool first;   /* other keys need it, so it is read before them */
    bool repeats; /* may stand more than once in its section */
    /* Read the value at the cursor, to its end, into the fields of the game or of a piece of it.
       One of the two is NULL: the key belongs to [variant] or to [piece], as the other says. */
    bool (*of_variant)(struct bk_cursor *c, struct bk_variant *v);
    bool (*of_piece)(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p);
};

/* Finds a key by its name; NULL: there is no such key. */
const struct bk_key *bk_key_find(const char *name);

#endif
