/*
 * zeroing.h - what a move that zeroes the counter of the n-move rule is worth.
 *
 * Where it leads to the counter is at zero: of that position only its result, of five, counts
 * (docs/rules.md).  One that is decided in time makes the move worth 1 ply, a later one N + 1,
 * which nothing that is decided in time is.
 */
#ifndef BK_ZEROING_H
#define BK_ZEROING_H

#include "tb/memory/memtable.h"

/* Turns a mover's score of a zeroing move: +-(BK_SCORE_WIN - 1 - d), where the position that it
   leads to is lost, or won, in d plies. */
static inline int16_t bk_zeroed(int16_t score, unsigned nmove)
{
    int least = BK_SCORE_WIN - 1 - (int)nmove; /* of a win in time */
    int size = score < 0 ? -score : score;
    int worth = size >= least ? BK_SCORE_WIN - 1 : least;

    if (score == BK_SCORE_NONE || !score)
        return score;
    return (int16_t)(score < 0 ? -worth : worth);
}

/* Turns n of them. */
static inline void bk_zero_scores(int16_t *score, size_t n, unsigned nmove)
{
    for (size_t i = 0; i < n; i++)
        score[i] = bk_zeroed(score[i], nmove);
}

#endif
