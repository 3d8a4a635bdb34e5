/*
 * code.h - what a position is worth: as a code, and as a score.
 */
#ifndef BK_CODE_H
#define BK_CODE_H

#include <stdint.h>

/*
 * Codes, as tables in memory keep them.  One byte where no distance exceeds
 * BK_CODE_K_MAX, else two.
 *   0 illegal, 1 draw, 2 + k win in 2k + 1 plies, LOSS + k lost in 2k plies.
 */
#define BK_CODE_ILLEGAL 0
#define BK_CODE_DRAW    1
#define BK_CODE_WIN     2
#define BK_CODE_LOSS8   128
#define BK_CODE_LOSS16  0x8000
#define BK_CODE_K_MAX   125   /* of one byte: LOSS + k is below 256, 2 + k below LOSS */
#define BK_CODE_K_MAX16 15000 /* of two: a score stays on its side of 0 */

/*
 * Scores, from some mover's side: larger is better.  A win in n plies is
 * BK_SCORE_WIN - n, a loss -BK_SCORE_WIN + n, a draw 0.
 */
#define BK_SCORE_WIN  32000
#define BK_SCORE_NONE INT16_MIN

/* Score for the side to move of a code.  code_bytes: 1, 2; 0: as of one byte. */
int16_t bk_code_score(unsigned code, unsigned code_bytes);

/* Turns the score of the side to move into that of the opponent, who moved there: one ply later. */
static inline int16_t bk_score_before(int16_t score)
{
    if (score == BK_SCORE_NONE)
        return BK_SCORE_NONE;
    return (int16_t)(score < 0 ? -score - 1 : score > 0 ? -score + 1 : 0);
}

#endif
