/*
 * draw.h - random numbers for a test program, the same ones in every run.
 */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>

#include "core/chance.h"

/* Returns a number below n > 0. */
static inline uint64_t draw(uint64_t n)
{
    static uint64_t seed = 1;

    return bk_chance_next(&seed) % n;
}

#endif
