/*
 * ribbon.h - a set of keys with a bit each, in little more than a bit a key.
 *
 * A ribbon stores no keys.  It is a string of m bits; a key hashes to a window
 * of 127 of them and to a mask, and its bit is the parity of window & mask.  The
 * bits are chosen so that every key of the set answers right: n equations over
 * bits, which Gauss solves quickly because each touches one window only.  A key
 * that is not in the set gets some bit, each as likely as the other.
 *
 * The window begins with any byte of the string; those that would begin before
 * its start or beyond its last window are moved to the border, so that the ends
 * are used as fully as the middle.
 *
 * When the equations contradict each other, the next seed is tried, and after
 * some tries one word more.  Some 1.2 % above n bits do for 12,000 keys; a few
 * keys take two words.
 *
 * Rejected: windows of 64 bits.  They take 2.5 % above n, and as much time,
 * since one try in three succeeds instead of four in five.  Windows that begin
 * with any bit: three words to read and shift instead of two, for 0.1 %.
 *
 * Keys are hashes already: what is made of them here takes one multiplication
 * to tell seeds apart.  Source: Dillinger and Walzer, "Ribbon filter: practically
 * smaller than Bloom and Xor", 2021.
 */
#ifndef BK_RIBBON_H
#define BK_RIBBON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/word.h"

#define BK_RIBBON_WORDS_MAX 65535

/* A ribbon as it lies in a file: words of 64 bits, least byte first.  No key: no words. */
struct bk_ribbon {
    const uint8_t *bytes;
    uint32_t words;  /* 0, or two and more */
    uint64_t factor; /* bk_ribbon_factor() of its seed */
};

/* Every bit of the result depends on every bit of `x`; one to one. */
static inline uint64_t bk_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* Returns what a ribbon of this seed multiplies its keys with. */
static inline uint64_t bk_ribbon_factor(uint32_t seed)
{
    return bk_mix(seed + UINT64_C(0x632be59bd9b4e019)) | 1;
}

/* The equation of a key: the bits of mask[0] from byte `start` on, and of mask[1] from byte start +
   8 on, sum up to the key's bit.  The last bit of mask[1] is 0, for solvers to use. */
struct bk_ribbon_equation {
    uint32_t start;
    uint64_t mask[2];
};

/* What the two masks of a key are multiplied with. */
#define BK_RIBBON_MASK0 UINT64_C(0x9fb21c651e98df25)
#define BK_RIBBON_MASK1 UINT64_C(0xd1342543de82ef95)

static inline struct bk_ribbon_equation bk_ribbon_equation_of(uint64_t key, uint64_t factor,
                                                              uint32_t words)
{
    uint64_t x = key * factor, c = x ^ x >> 29;
    uint32_t bytes = 8 * words, at = (uint32_t)((x >> 32) * (bytes + 1) >> 32);

    at = at < 8 ? 0 : at - 8;
    return (struct bk_ribbon_equation){ at > bytes - 16 ? bytes - 16 : at,
                                        { c * BK_RIBBON_MASK0, c * BK_RIBBON_MASK1 >> 1 } };
}

/* Returns the bit of a key.  The ribbon has words. */
static inline bool bk_ribbon_bit(const struct bk_ribbon *r, uint64_t key)
{
    struct bk_ribbon_equation e = bk_ribbon_equation_of(key, r->factor, r->words);

    return __builtin_parityll((bk_word_get(r->bytes + e.start) & e.mask[0]) ^
                              (bk_word_get(r->bytes + e.start + 8) & e.mask[1]));
}

#endif
