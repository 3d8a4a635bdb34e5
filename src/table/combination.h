/*
 * combination.h - sets of k of n places, numbered.
 *
 * Equal men are not told apart, so they share a digit: the number of the set of
 * their places (docs/index.md 6).  Places p0 < p1 < ... have the number
 *
 *      C(p0, 1) + C(p1, 2) + ...
 *
 * which does not depend on n, and leaves no gaps.
 *
 * Cost: a few multiplications a man; inline, for every probe of equal men ranks.
 */
#ifndef BK_COMBINATION_H
#define BK_COMBINATION_H

#include <stdint.h>

/* Returns C(n, k), 0 where n < k. */
static inline uint64_t bk_choose(unsigned n, unsigned k)
{
    uint64_t c = 1;

    if (k == 1)
        return n;
    if (k == 2)
        return (uint64_t)n * (n - 1u + !n) / 2;
    for (unsigned i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return n < k ? 0 : c;
}

/* Returns the number of k ascending places: sum of C(place[i], i + 1). */
static inline uint64_t bk_combination_rank(const uint8_t *place, unsigned k)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < k; i++)
        number += bk_choose(place[i], i + 1);
    return number;
}

/* Sets the k places that have a number, ascending. */
static inline void bk_combination_unrank(uint64_t number, unsigned k, uint8_t *place)
{
    for (unsigned i = k; i-- > 0;) {
        unsigned p = i;

        while (bk_choose(p + 1, i + 1) <= number)
            p++;
        place[i] = (uint8_t)p;
        number -= bk_choose(p, i + 1);
    }
}

#endif
