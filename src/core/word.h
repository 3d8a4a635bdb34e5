/*
 * word.h - eight bytes as a number, the first the lowest, on every machine.
 */
#ifndef BK_WORD_H
#define BK_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bk_word_turned(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

/* Reads n bytes, 8 at most; the bytes of the word above them are 0. */
static inline uint64_t bk_word_get_some(const void *bytes, size_t n)
{
    uint64_t word = 0;

    memcpy(&word, bytes, n);
    return bk_word_turned(word);
}

static inline uint64_t bk_word_get(const void *bytes) { return bk_word_get_some(bytes, 8); }

static inline void bk_word_put_some(void *bytes, size_t n, uint64_t word)
{
    word = bk_word_turned(word);
    memcpy(bytes, &word, n);
}

/* Bit j of byte i becomes bit i of byte j (Hacker's Delight 7-3). */
static inline uint64_t bk_word_transposed(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);

    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

#endif
