/*
 * notes.h - packed sets: some sets of a slice in few bytes, as the positions found in one ply.
 *
 * The input is an array of vectors of 64 bytes (kernel/lanes.h).  Vectors that are zero are left
 * out; the others follow each other in rising order:
 *   gap     vectors since the one before (the first: since 0), a varint
 *   words   a byte: bit i is set if word i of the eight is not zero
 *   for each such word: a byte that tells which of its eight bytes are not zero, and these bytes
 *
 * Cost: some 5 ns a vector and 2 ns a word, either way.
 */
#ifndef BK_NOTES_H
#define BK_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/varint.h"

/* The most bytes that a packed vector takes. */
enum { BK_NOTE_MAX = 5 + 1 + 8 * 9 };

/* Packs a vector that is not zero to `to`; returns the byte behind it.  next: one more than the
   number of the previous vector, 0 at first; updated. */
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

/* Unpacks one vector and moves *from behind it.  False: there is none left, or it is damaged. */
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
