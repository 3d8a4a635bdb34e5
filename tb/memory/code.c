/*
 * code.c - see code.h.
 */
#include "tb/memory/code.h"

int16_t bk_code_score(unsigned code, unsigned code_bytes)
{
    unsigned loss = code_bytes < 2 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;

    if (code == BK_CODE_ILLEGAL)
        return BK_SCORE_NONE;
    if (code == BK_CODE_DRAW)
        return 0;
    if (code < loss)
        return (int16_t)(BK_SCORE_WIN - (int)(2 * (code - BK_CODE_WIN) + 1));
    return (int16_t)(-BK_SCORE_WIN + (int)(2 * (code - loss)));
}
