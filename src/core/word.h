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

/* n bytes, 8 at most; those above them are 0. */
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

#endif
