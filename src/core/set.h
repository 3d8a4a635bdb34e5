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

#include "core/bits.h"

#define INLINE static __attribute__((unused, always_inline)) inline

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
#elif BK_SET_BITS == 128
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
typedef uint64_t set __attribute__((vector_size(32)));
#define NONE ((set){ 0 })
INLINE bool any(set x) { return (x[0] | x[1] | x[2] | x[3]) != 0; }
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

    for (unsigned i = 0; i < 4; i++)
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

    for (unsigned i = 0; i < 4; i++) {
        if (d >= 0) {
            if (i >= w)
                r[i] = x[i - w] << b;
            if (b && i > w)
                r[i] |= x[i - w - 1] >> (64 - b);
        } else {
            if (i + w < 4)
                r[i] = x[i + w] >> b;
            if (b && i + w + 1 < 4)
                r[i] |= x[i + w + 1] << (64 - b);
        }
    }
    return r;
}
INLINE set set_of(const struct bk_bits *b) { return (set){ b->w[0], b->w[1], b->w[2], b->w[3] }; }
INLINE struct bk_bits bits_of(set x) { return (struct bk_bits){ { x[0], x[1], x[2], x[3] } }; }
#endif

/* for each square `sq` of `x`, which is used up */
#define EACH(sq, x) for (unsigned sq; any(x) && (sq = lowest(x), x &= ~bit(sq), true);)

#endif
