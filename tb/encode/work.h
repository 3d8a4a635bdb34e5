/*
 * work.h - how long encoding takes, estimated before the values are known.
 *
 * In seconds of one core of the machine that the constants were measured on; other machines have
 * another pace (build/pace.h).
 */
#ifndef BK_ENCODE_ESTIMATED_WORK_H
#define BK_ENCODE_ESTIMATED_WORK_H

#include "tb/encode/input.h"

/* The passes of a unit, in order. */
enum bk_unit_pass {
    BK_PASS_SAMPLE,
    BK_PASS_LEARN,
    BK_PASS_COUNT,
    BK_PASS_RATES,
    BK_PASS_SHARDS,
    BK_UNIT_PASSES
};

/* A unit, as far as it is known. */
struct bk_unit_known {
    uint64_t numbers;
    unsigned squares; /* of the board */
    bool pawns, distances;
    enum bk_effort effort;
    double bytes; /* of the file that it will take, guessed */
};

struct bk_unit_work {
    double pass[BK_UNIT_PASSES], all;
};

struct bk_unit_work bk_unit_work_of(const struct bk_unit_known *u);

#endif
