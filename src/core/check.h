/*
 * check.h - is it a game?
 *
 * What must hold of the plain fields of a variant, whoever filled them: a file's
 * reader, a test, a derivation.  What only a writer of files gets wrong (forgotten
 * keys, keys without effect) is read.c's.
 */
#ifndef BK_CHECK_H
#define BK_CHECK_H

#include "core/variant.h"

/* What is wrong, and whose key says so. */
struct bk_complaint {
    int type; /* of the piece; -1: the variant's own */
    const char *key;
    unsigned nth; /* of the keys of that name */
    char text[256];
};

/* False: it is no game, and *c (left alone otherwise) says why.  Geometry may be
   derived from a variant that has passed. */
bool bk_variant_check(const struct bk_variant *v, struct bk_complaint *c);

#endif
