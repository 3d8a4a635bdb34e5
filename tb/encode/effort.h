/*
 * effort.h - how much work a build puts into small files (docs/codec.md 3).
 */
#ifndef BK_EFFORT_H
#define BK_EFFORT_H

#include <stdint.h>

#include "tb/encode/input.h"

struct bk_effort_means {
    /* Rows of 64 squares that a tree is learned from: one of so many, but not fewer than `least`
       nor more than `most`, `most_long` of distances. */
    unsigned part;
    uint32_t least, most, most_long;
    /* Halvings of the squares of a row: of a large unit 2^halved times as many rows are drawn, and
       that part of the squares of each is taken. */
    unsigned halved;
    /* Rows of a first tree, which is made if `most` are many more, and tells how many are worth
       learning from (worth.h).  0: none is made. */
    uint32_t glance;
    unsigned dear;  /* a leaf has to gain 2^dear times what it costs in the file */
    unsigned met;   /* struct bk_met is counted in one of so many parts of a unit */
    unsigned spare; /* a ribbon has one bit more than keys for so many keys */
};

const struct bk_effort_means *bk_effort_means(enum bk_effort effort);

#endif
