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

/* A fault of a variant, and the key that is to blame. */
struct bk_complaint {
    int type; /* of the piece to blame; -1: the variant itself */
    const char *key;
    unsigned nth; /* which of the keys of that name, from 0 */
    char text[256];
};

/* False: it is no game, and *c (left alone otherwise) says why.  Geometry may be
   derived from a variant that has passed. */
bool bk_variant_check(const struct bk_variant *v, struct bk_complaint *c);

#endif
