/*
 * notes.h - some sets of a slice in few bytes: what was found there in a ply,
 * say.
 *
 * Vectors of 64 bytes (kernel/lanes.h) in rising order, those that are empty
 * left out:
 *   gap     vectors since the one before (the first: since 0), 7 bits a byte,
 *           the lowest first; the top bit says that more follow
 *   words   a byte: which of the eight words hold anything
 *   of each of those: a byte that says which of its eight bytes do, and these
 *
 * Cost: some 5 ns a vector and 2 ns a word, either way.
 */
#ifndef BK_NOTES_H
#define BK_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a vector takes at most. */
enum { BK_NOTE_MAX = 5 + 1 + 8 * 9 };

/* Writes a vector that holds something; returns what follows it.  next: one more than the vector
   before, 0 at first; is moved. */
static inline uint8_t *bk_note_put(uint8_t *to, uint32_t *next, uint32_t vector,
                                   const uint64_t word[8])
{
    uint32_t gap = vector - *next;
    uint8_t *words;

    for (; gap >= 128; gap >>= 7)
        *to++ = (uint8_t)(gap | 128);
    *to++ = (uint8_t)gap;
    words = to++;
    *words = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t *bytes = to;

        if (!word[i])
            continue;
        *words |= (uint8_t)(1u << i);
        *bytes = 0;
        to++;
        for (unsigned j = 0; j < 8; j++) {
            uint8_t byte = (uint8_t)(word[i] >> 8 * j);

            *bytes |= (uint8_t)((byte != 0) << j);
            *to = byte;
            to += byte != 0;
        }
    }
    *next = vector + 1;
    return to;
}

/* Reads one.  False: there are no more, or it is damaged. */
static inline bool bk_note_take(const uint8_t **from, const uint8_t *end, uint32_t *next,
                                uint32_t *vector, uint64_t word[8])
{
    const uint8_t *at = *from;
    uint32_t gap = 0;
    unsigned shift = 0, words;

    while (at < end && *at & 128 && shift < 28) {
        gap |= (uint32_t)(*at++ & 127) << shift;
        shift += 7;
    }
    if (end - at < 2)
        return false;
    gap |= (uint32_t)*at++ << shift;
    words = *at++;
    for (unsigned i = 0; i < 8; i++) {
        unsigned bytes;

        word[i] = 0;
        if (!(words >> i & 1))
            continue;
        if (at == end)
            return false;
        bytes = *at++;
        if (end - at < __builtin_popcount(bytes))
            return false;
        for (; bytes; bytes &= bytes - 1)
            word[i] |= (uint64_t)*at++ << 8 * __builtin_ctz(bytes);
    }
    *vector = *next + gap;
    *next = *vector + 1;
    *from = at;
    return true;
}

#endif
