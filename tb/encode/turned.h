/*
 * turned.h - codes of rows of kings, put side by side.
 *
 * Where two equal men and a pawn stand beside the kings, the black king is a row's inner man, but
 * not the solver's.  So each code of a row lies in another slice, in a cache line with the codes of
 * the other squares of the solver's inner man.  The next row has the white king elsewhere, and
 * those other squares are asked for some 3,000 rows later: by then the line is gone.  So the codes
 * of all slices are turned at once, for one place of all men but the kings and the solver's inner
 * man.
 *
 * Cost: a byte a position of these, some 100 KB on 64 squares; a slice's line is read once for 64
 * codes.  KBBvKP, files included: 64.7 -> 55.8 user s; KNNvKP 38.6 -> 34.9.
 */
#ifndef BK_TURNED_H
#define BK_TURNED_H

#include <stdbool.h>
#include <stdint.h>

/* Where codes lie, of all slices: all men but the kings and the solver's inner man stand still. */
struct bk_turning {
    const uint8_t *code;      /* of slice 0, square 0 of the inner man */
    const uint64_t *attained; /* what exits attain, as bits, `words` a slice; NULL: none */
    uint64_t slice_stride, bit_slice_stride;
    uint32_t nslices;
    unsigned nsq, words;
};

/* A thread's turned codes; all zero at first. */
struct bk_turned {
    struct bk_turning of;
    bool there;
    uint8_t *code;  /* [square][slice] */
    uint64_t *bits; /* [slice][word] */
    uint64_t room;  /* nslices * nsq of the arrays */
};

/*
 * Does `t` hold the turned codes of `of`?  They are turned when they are asked for twice
 * running.  False: no, or there is no memory for it.
 */
bool bk_turned_to(struct bk_turned *t, const struct bk_turning *of);
void bk_turned_release(struct bk_turned *t);

#endif
