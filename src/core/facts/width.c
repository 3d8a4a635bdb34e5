/*
 * width.c - the two evaluators, for one width of sets.
 *
 * Compiled once each for sets of 64, 128 and 256 squares (BK_SET_BITS, BK_FACT_WIDTH).
 */
#include "core/facts/list.h"
#include "core/facts/one.h"
#include "core/facts/reach.h"
#include "core/facts/row.h"

const struct fact_width BK_FACT_WIDTH = {
    .words = sizeof(set) / 8,
    .kind_free = kind_reach_free,
    .reach_new = reach_new,
    .reach_free = reach_free,
    .look = look_init,
    .look_leaf = look_leaf,
    .look_takes = look_takes,
    .look_exposes = look_exposes,
    .look_quiet = look_quiet,
    .look_bares_back = look_bares_back,
    .row_new = row_new,
    .row_set = row_set,
    .row_descend = row_descend,
    .row_all = row_all,
};
