/*
 * notes.h - some sets of a slice in few bytes: what was found there in a ply,
 * say.
 *
 * Vectors of 64 bytes (kernel/lanes.h) in rising order, those that are empty
 * left out:
 *   gap     vectors since the one before (the first: since 0), a varint
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

#include "table/varint.h"

/* What a vector takes at most. */
enum { BK_NOTE_MAX = 5 + 1 + 8 * 9 };

/* Writes a vector that holds something; returns what follows it.  next: one more than the vector
   before, 0 at first; is moved. */
static inline uint8_t *bk_note_put(uint8_t *to, uint32_t *next, uint32_t vector,
                                   const uint64_t word[8])
{
    uint8_t *words;

    to += bk_varint_put(to, vector - *next);
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
    struct bk_bytes_in in = { *from, end, false };
    uint32_t gap = (uint32_t)bk_varint_take(&in, UINT32_MAX);
    unsigned words = (unsigned)bk_fixed_take(&in, 1);

    for (unsigned i = 0; i < 8; i++) {
        unsigned bytes = words >> i & 1 ? (unsigned)bk_fixed_take(&in, 1) : 0;
        const uint8_t *at = bk_bytes_take(&in, (size_t)__builtin_popcount(bytes));

        word[i] = 0;
        for (; at && bytes; bytes &= bytes - 1)
            word[i] |= (uint64_t)*at++ << 8 * __builtin_ctz(bytes);
    }
    if (in.failed)
        return false;
    *vector = *next + gap;
    *next = *vector + 1;
    *from = in.at;
    return true;
}

#endif
