/*
 * game.h - what the facts of all lists of men of one game have in common.
 *
 * A prober opens hundreds of materials of a game; what depends on the board, or on one kind of man,
 * is kept here once for all of them.  It is made when it is first wanted, belongs to the geometry
 * of the game, and goes with it.
 *
 * Threads: any.  Two that want the same thing at once may both make it; one copy is kept.
 */
#ifndef BK_FACTS_GAME_H
#define BK_FACTS_GAME_H

#include <stdatomic.h>

#include "core/geometry.h"

enum fact_metric {
    METRIC_DISTANCE,    /* the larger of files and ranks apart  */
    METRIC_AXIS,        /* the smaller of files and ranks apart */
    METRIC_EDGE,        /* to the nearest edge                  */
    METRIC_CORNER,      /* to the nearest corner                */
    METRIC_COLOUR,      /* 0: squares of one colour             */
    METRIC_RANK,        /* from 0, as White counts              */
    METRIC_FILES_APART, /* files between i and j                */
    METRIC_RANK_AHEAD,  /* METRIC_ZERO + rank of j - rank of i  */
    METRIC_FILE,
    METRIC_RANKS_APART,
    METRIC_FILE_AHEAD,
    METRIC_ORBIT, /* 0: i can come to the square of j, on an empty board; one metric a kind */
    METRICS = METRIC_ORBIT + BK_MEN_MAX
};
#define METRIC_ZERO 16

/* Where a man can come, taking or not, on an empty board. */
struct fact_orbit {
    bool bound;     /* some square of the board is out of reach of another */
    uint8_t away[]; /* [from * nsq + to]: 0 where it can come */
};

#define FACT_WIDTHS 3

struct bk_fact_game {
    struct bk_derived derived;            /* from the geometry */
    const struct bk_variant *v;           /* borrowed */
    unsigned left, width, bottom, height; /* the smallest rectangle around the board */
    uint8_t *metric[METRIC_ORBIT];        /* [a * nsq + b], or [b]; [0] owns all */
    /*
     * The same metrics for looks, in fewer cache lines.  A metric of two squares depends only on
     * how many files and ranks they are apart: it is step_metric[m][wide[b] - wide[a]]; a metric of
     * one square is step_metric[m][wide[b]].  wide[] numbers squares as on a board so wide that no
     * two different steps have the same difference.
     */
    uint16_t wide[BK_SQ_MAX];
    uint8_t *by_step; /* owned */
    const uint8_t *step_metric[METRIC_ORBIT];
    _Atomic(struct fact_orbit *) orbit[BK_TYPES_MAX][2];
    _Atomic(void *) reach[FACT_WIDTHS][BK_TYPES_MAX][2]; /* struct kind_reach of a width */
};

static inline bool fact_metric_pairs(unsigned metric)
{
    return metric != METRIC_EDGE && metric != METRIC_CORNER && metric != METRIC_RANK &&
           metric != METRIC_FILE;
}

/* What the game keeps, made on the first call; borrowed.  NULL: no memory. */
struct bk_fact_game *bk_fact_game_of(const struct bk_variant *v);
const struct fact_orbit *bk_fact_orbit_of(struct bk_fact_game *game, unsigned type,
                                          unsigned colour);

#endif
