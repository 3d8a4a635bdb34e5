/*
 * effort.c - see effort.h.
 *
 * Four times the rows make files a quarter to a third smaller, and take memory.  What `fast` gives
 * up (figures in docs/performance.md 3): a small tree of few rows is soon learned and soon gone
 * down, a pass over all rows is one over an eighth of them, and a ribbon that is not quite as full
 * is solved sooner, seldom twice.
 */
#include "tb/encode/effort.h"

const struct bk_effort_means *bk_effort_means(enum bk_effort effort)
{
    static const struct bk_effort_means means[] = {
        [BK_EFFORT_FAST] = { 256, 1u << 13, 1u << 14, 1u << 13, 2, 0, 3, 8, 32 },
        [BK_EFFORT_NORMAL] = { 14, 1u << 16, 6u << 16, 1u << 17, 1, 1u << 13, 0, 1, 128 },
        [BK_EFFORT_BEST] = { 1, 1u << 18, 12u << 18, 1u << 19, 2, 0, 0, 1, 128 },
    };

    return &means[effort];
}
