/*
 * values.h - the values of a row, sorted out a word of squares at a time.
 *
 * HOT: every position of a table comes here once or twice.  No allocation.
 */
#ifndef BK_VALUES_H
#define BK_VALUES_H

#include "tb/encode/input.h"

#define INLINE static inline __attribute__((always_inline)) /* for sets of one word, most often */

/* Returns the squares of a word that have `value`, or whose bound allows it. */
INLINE uint64_t bk_agreeing(const struct bk_row_values *v, unsigned bits, unsigned word,
                            uint32_t value)
{
    uint64_t equal = ~UINT64_C(0), less = 0;

    for (unsigned b = bits; b-- > 0;) {
        uint64_t plane = v->plane[b][word], set = -(uint64_t)(value >> b & 1);

        less |= equal & ~plane & set;
        equal &= ~(plane ^ set);
    }
    return equal | (less & v->least[word]);
}

/* Returns those of `left` that have the value of its first square, and like it are bounds or exact.
   Sets *bound and *value to these. */
INLINE uint64_t bk_like_first(const struct bk_row_values *v, unsigned bits, unsigned word,
                              uint64_t left, bool *bound, uint32_t *value)
{
    unsigned s = (unsigned)__builtin_ctzll(left);
    uint64_t least = v->least[word], same = left;

    *bound = least >> s & 1;
    *value = 0;
    same &= *bound ? least : ~least;
    for (unsigned b = 0; b < bits; b++) {
        uint64_t plane = v->plane[b][word], set = plane >> s & 1;

        *value |= (uint32_t)set << b;
        same &= plane ^ (set - 1);
    }
    return same;
}

#endif
