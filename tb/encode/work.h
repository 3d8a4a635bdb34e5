/*
 * work.h - how much work goes into small files (docs/codec.md 3), and how long encoding takes.
 */
#ifndef BK_WORK_H
#define BK_WORK_H

#include "tb/encode/input.h"

/* == Effort == */

/* What an effort means. */
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

/* == Time ==
 * Estimated in seconds of one core of the machine that the constants were measured on; other
 * machines have another pace (make/pace.h).  Before the values are known much is guessed from the
 * bytes of the file; the more passes are done, the more is known of the later ones.
 */

/* The passes of a unit, in order. */
enum bk_unit_pass {
    BK_PASS_SAMPLE,
    BK_PASS_LEARN,
    BK_PASS_COUNT,
    BK_PASS_RATES,
    BK_PASS_SHARDS,
    BK_UNIT_PASSES
};

/* What is known of a unit.  0: not yet, of `care`, `leaves` and `cells`. */
struct bk_unit_known {
    uint64_t numbers;
    unsigned squares; /* of the board */
    bool pawns, distances;
    enum bk_effort effort;
    double bytes;     /* that it takes in the file */
    double care;      /* the share of its positions that have a value of their own */
    double leaves;    /* of its tree */
    double cells;     /* bytes of all its cells (cells.h) */
    double forgotten; /* the share of them that is not remembered, but found again in each pass */
};

struct bk_unit_work {
    double pass[BK_UNIT_PASSES], all;
};

struct bk_unit_work bk_unit_work_of(const struct bk_unit_known *u);

/* What a tree leaves open, in the bytes that the unit takes then: with its leaves, and with what
   rates and filters cost.  left: bytes that the values take in the leaves. */
double bk_unit_bytes_of(double left, double leaves);

/* Returns u->bytes, or what so few positions that have distances may take at most. */
double bk_unit_bytes_likely(const struct bk_unit_known *u);

#endif
