/*
 * chance.h - pseudorandom numbers, the same on every machine.
 * Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014
 * (splitmix64).
 */
#ifndef BK_CHANCE_H
#define BK_CHANCE_H

#include <stdint.h>

/* Returns the next number of the sequence of *seed, any 64 bits, and advances *seed. */
static inline uint64_t bk_chance_next(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The pseudorandom number that belongs to x; a one-to-one mapping. */
static inline uint64_t bk_chance_of(uint64_t x) { return bk_chance_next(&x); }

#endif
