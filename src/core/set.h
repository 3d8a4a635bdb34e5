/*
 * set.h - the machine word that holds one bit a square, in three widths.
 *
 * Included once per translation unit, with BK_SET_BITS = 64, 128 or 256 set by
 * the Makefile.  Sets combine with & | ~ of C, whatever their width; the few
 * other operations have names.
 */
#ifndef BK_SET_H
#define BK_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/bits.h"

#define INLINE static __attribute__((unused, always_inline)) inline

/* A set of 128 bits is a number where the compiler has such and memory holds the lower half first:
   kernels look at sets as words.  Otherwise, and if it is wider, it is a vector of words. */
#if BK_SET_BITS == 64 ||                                                                           \
    (BK_SET_BITS == 128 && defined __SIZEOF_INT128__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define SET_IS_NUMBER 1
#else
#define SET_IS_NUMBER 0
#define SET_WORDS     (BK_SET_BITS / 64)
#endif

#if BK_SET_BITS == 64
typedef uint64_t set;
#define NONE UINT64_C(0)
INLINE bool any(set x) { return x != 0; }
INLINE set bit(unsigned sq) { return UINT64_C(1) << sq; }
INLINE bool has(set x, unsigned sq) { return x >> sq & 1; }
INLINE unsigned count(set x) { return (unsigned)__builtin_popcountll(x); }
INLINE unsigned lowest(set x) { return (unsigned)__builtin_ctzll(x); }
INLINE set shifted(set x, int d) { return d >= 0 ? x << d : x >> -d; }
INLINE set set_of(const struct bk_bits *b) { return b->w[0]; }
INLINE struct bk_bits bits_of(set x) { return (struct bk_bits){ { x, 0, 0, 0 } }; }
#elif SET_IS_NUMBER
__extension__ typedef unsigned __int128 set;
#define NONE ((set)0)
INLINE bool any(set x) { return x != 0; }
INLINE set bit(unsigned sq) { return (set)1 << sq; }
INLINE bool has(set x, unsigned sq) { return (unsigned)(x >> sq) & 1; }
INLINE unsigned count(set x)
{
    return (unsigned)(__builtin_popcountll((uint64_t)x) +
                      __builtin_popcountll((uint64_t)(x >> 64)));
}
INLINE unsigned lowest(set x)
{
    return (uint64_t)x ? (unsigned)__builtin_ctzll((uint64_t)x)
                       : 64 + (unsigned)__builtin_ctzll((uint64_t)(x >> 64));
}
INLINE set shifted(set x, int d) { return d >= 0 ? x << d : x >> -d; }
INLINE set set_of(const struct bk_bits *b) { return (set)b->w[1] << 64 | b->w[0]; }
INLINE struct bk_bits bits_of(set x)
{
    return (struct bk_bits){ { (uint64_t)x, (uint64_t)(x >> 64), 0, 0 } };
}
#else
typedef uint64_t set __attribute__((vector_size(BK_SET_BITS / 8)));
#define NONE ((set){ 0 })
INLINE bool any(set x)
{
    uint64_t some = 0;

    for (unsigned i = 0; i < SET_WORDS; i++)
        some |= x[i];
    return some != 0;
}
INLINE set bit(unsigned sq)
{
    set x = NONE;

    x[sq >> 6] = UINT64_C(1) << (sq & 63);
    return x;
}
INLINE bool has(set x, unsigned sq) { return x[sq >> 6] >> (sq & 63) & 1; }
INLINE unsigned count(set x)
{
    unsigned n = 0;

    for (unsigned i = 0; i < SET_WORDS; i++)
        n += (unsigned)__builtin_popcountll(x[i]);
    return n;
}
INLINE unsigned lowest(set x)
{
    unsigned i = 0;

    while (!x[i])
        i++;
    return i * 64 + (unsigned)__builtin_ctzll(x[i]);
}
INLINE set shifted(set x, int d)
{
    unsigned by = (unsigned)(d < 0 ? -d : d), w = by >> 6, b = by & 63;
    set r = NONE;

    for (unsigned i = 0; i < SET_WORDS; i++) {
        if (d >= 0) {
            if (i >= w)
                r[i] = x[i - w] << b;
            if (b && i > w)
                r[i] |= x[i - w - 1] >> (64 - b);
        } else {
            if (i + w < SET_WORDS)
                r[i] = x[i + w] >> b;
            if (b && i + w + 1 < SET_WORDS)
                r[i] |= x[i + w + 1] << (64 - b);
        }
    }
    return r;
}
INLINE set set_of(const struct bk_bits *b)
{
    set x;

    memcpy(&x, b->w, sizeof x);
    return x;
}
INLINE struct bk_bits bits_of(set x)
{
    struct bk_bits b = { { 0 } };

    for (unsigned i = 0; i < SET_WORDS; i++)
        b.w[i] = x[i];
    return b;
}
#endif

/* The set without its lowest square; the empty set stays empty. */
INLINE set less_lowest(set x)
{
#if SET_IS_NUMBER
    return x & (x - 1);
#else
    return any(x) ? x & ~bit(lowest(x)) : x;
#endif
}

/* for each square `sq` of `x`, which is used up */
#define EACH(sq, x) for (unsigned sq; any(x) && (sq = lowest(x), x &= ~bit(sq), true);)

#endif
