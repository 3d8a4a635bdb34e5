/*
 * turned.h - codes of rows of kings, put side by side.
 *
 * Where two equal men and a pawn stand beside the kings the black king is a row's inner man, and
 * not the solver's: a row's codes lie in as many slices, each in another line of memory, which
 * holds those of the solver's inner man's other squares.  The next row has the white king
 * elsewhere, and it takes some 3,000 rows until those other squares are asked for: by then the line
 * is gone. So of men who stand still but for one of them all slices are turned at once.
 *
 * Cost: a byte a position of these, some 100 KB on 64 squares; reading a slice's line, once for 64
 * codes.  KBBvKP, files included: 64.7 -> 55.8 user s; KNNvKP 38.6 -> 34.9.
 */
#ifndef BK_TURNED_H
#define BK_TURNED_H

#include <stdbool.h>
#include <stdint.h>

/* Where codes lie, and what is told besides, of men that stand still but for one. */
struct bk_turning {
    const uint8_t *code;      /* slice 0, square 0 of the man that does not */
    const uint64_t *attained; /* the same of bits, `words` a set; NULL: there are none */
    uint64_t slice_stride, bit_slice_stride;
    uint32_t nslices;
    unsigned nsq, words;
};

/* A thread's; all zero at first. */
struct bk_turned {
    struct bk_turning of;
    bool there;
    uint8_t *code;  /* [square][slice] */
    uint64_t *bits; /* [slice][word] */
    uint64_t room;  /* nslices * nsq of the arrays */
};

/*
 * Have rows of these men's places been turned?  They are when they are asked for twice running.
 * False: no, or there is no memory for it.
 */
bool bk_turned_to(struct bk_turned *t, const struct bk_turning *of);
void bk_turned_release(struct bk_turned *t);

#endif
