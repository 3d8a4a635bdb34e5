/*
 * bits.h - a set of squares, as wide as the widest board.
 *
 * Geometry and positions use this one type; kernels use narrower words of
 * their own (tb/).  Bit s of word s / 64 stands for square s.
 */
#ifndef BK_BITS_H
#define BK_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define BK_FILES_MAX 14
#define BK_RANKS_MAX 14
#define BK_SQ_MAX    (BK_FILES_MAX * BK_RANKS_MAX) /* 196 */
#define BK_SQ_NONE   255

struct bk_bits {
    uint64_t w[4];
};

static inline void bk_bits_set(struct bk_bits *b, unsigned sq)
{
    b->w[sq >> 6] |= UINT64_C(1) << (sq & 63);
}

static inline void bk_bits_clear(struct bk_bits *b, unsigned sq)
{
    b->w[sq >> 6] &= ~(UINT64_C(1) << (sq & 63));
}

static inline bool bk_bits_has(const struct bk_bits *b, unsigned sq)
{
    return b->w[sq >> 6] >> (sq & 63) & 1;
}

static inline bool bk_bits_empty(const struct bk_bits *b)
{
    return !(b->w[0] | b->w[1] | b->w[2] | b->w[3]);
}

/* Has the set exactly one square? */
static inline bool bk_bits_single(const struct bk_bits *b)
{
    uint64_t once = 0, twice = 0;

    if (b->w[0] & (b->w[0] - 1)) /* the usual case */
        return false;
    for (unsigned i = 0; i < 4; i++) {
        twice |= (b->w[i] & (b->w[i] - 1)) | (b->w[i] && once);
        once |= b->w[i];
    }
    return once && !twice;
}

static inline bool bk_bits_meet(const struct bk_bits *a, const struct bk_bits *b)
{
    return (a->w[0] & b->w[0]) | (a->w[1] & b->w[1]) | (a->w[2] & b->w[2]) | (a->w[3] & b->w[3]);
}

static inline unsigned bk_bits_count(const struct bk_bits *b)
{
    return (unsigned)(__builtin_popcountll(b->w[0]) + __builtin_popcountll(b->w[1]) +
                      __builtin_popcountll(b->w[2]) + __builtin_popcountll(b->w[3]));
}

/* The smallest square of a set that is not empty; BK_SQ_NONE of an empty one. */
static inline unsigned bk_bits_first(const struct bk_bits *b)
{
    for (unsigned i = 0; i < 4; i++)
        if (b->w[i])
            return i * 64 + (unsigned)__builtin_ctzll(b->w[i]);
    return BK_SQ_NONE;
}

/* Takes the smallest square out and returns it; BK_SQ_NONE: the set was empty. */
static inline unsigned bk_bits_pop(struct bk_bits *b)
{
    for (unsigned i = 0; i < 4; i++)
        if (b->w[i]) {
            unsigned sq = i * 64 + (unsigned)__builtin_ctzll(b->w[i]);

            b->w[i] &= b->w[i] - 1;
            return sq;
        }
    return BK_SQ_NONE;
}

/* Spreads the lowest eight bits over eight bytes, each 0 or 1. */
static inline uint64_t bk_bits_to_bytes(uint64_t bits)
{
    uint64_t x = (bits & 0xff) * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

    return (x + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

#endif
