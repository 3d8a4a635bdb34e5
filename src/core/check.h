/*
 * check.h - checks that the plain fields of a variant make a game.
 *
 * For all who fill the fields: readers of files, tests, derived games.  Faults that
 * only a file can have (forgotten keys, keys without effect) are found by read.c.
 */
#ifndef BK_CHECK_H
#define BK_CHECK_H

#include "core/variant.h"

/* A fault of a variant, and the key that causes it. */
struct bk_complaint {
    int type; /* of the piece at fault; -1: the variant itself */
    const char *key;
    unsigned nth; /* which of the keys of that name, from 0 */
    char text[256];
};

/* False: it is no game, and *c says why; otherwise *c is unchanged.  The geometry of a variant
   that has passed can be computed. */
bool bk_variant_check(const struct bk_variant *v, struct bk_complaint *c);

/*
 * Of a finished variant: may tables know its n-move rule?  They may if no zeroing move has a way
 * back.  Readers of files ask; a game derived for another board is to be asked about again.
 */
bool bk_zeroing_check(const struct bk_variant *v, struct bk_complaint *c);

#endif
