/*
 * bitmap.h - bits of an array of words.
 */
#ifndef BK_BITMAP_H
#define BK_BITMAP_H

#include <stdint.h>

/* n bits (64 or fewer) of a bitmap, from bit `at` on. */
static inline uint64_t bk_bits_at(const uint64_t *map, uint64_t at, unsigned n)
{
    unsigned b = at & 63;
    uint64_t x = map[at >> 6] >> b;

    if (b + n > 64)
        x |= map[(at >> 6) + 1] << (64 - b);
    return n < 64 ? x & ((UINT64_C(1) << n) - 1) : x;
}

#endif
