/*
 * pivots.h - which rows of a band become the pivots of a byte's variables (eliminate.c).  HOT.
 */
#ifndef BK_PIVOTS_H
#define BK_PIVOTS_H

#include <stdbool.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

/* Words of live rows.  There are more only if half of the rows are sums of others, and then some
   contradict each other. */
#define LIVE_WORDS 4

/* The pivots of a byte's variables.  For one that no row has it is row 0, added to none. */
struct byte {
    uint64_t added[8][LIVE_WORDS]; /* the rows to which the pivot is added, a bit each */
    uint32_t row[8];               /* that becomes the pivot */
    uint64_t in[8][8];             /* [i][j], j < i: all ones if pivot j was added to row[i] */
    uint64_t pivot[8][2];
};

INLINE bool has(const uint64_t *rows, uint32_t row) { return rows[row / 64] >> row % 64 & 1; }

/* Chooses the pivots.  words: that have rows; most often one. */
INLINE void clear_byte(struct byte *b, unsigned words)
{
    uint64_t(*rows)[LIVE_WORDS] = b->added; /* in place: those of variables already done stay */

#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++) {
        unsigned at = 0;
        uint32_t row;

        while (at < words - 1 && !rows[i][at])
            at++;
        row = 64 * at + (rows[i][at] ? (uint32_t)__builtin_ctzll(rows[i][at]) : 0);
        b->row[i] = row;
#pragma GCC unroll 8
        for (unsigned j = 0; j < 8; j++) {
            uint64_t also = -(uint64_t)has(rows[j], row);

            if (j < i)
                b->in[i][j] = also;
            for (unsigned w = 0; j > i && w < words; w++)
                rows[j][w] ^= rows[i][w] & also;
        }
    }
}

/* clear_byte() for one or two words of rows; leaves b->in alone.  Written so that the compiler
   keeps the rows in registers. */
INLINE void clear_few(struct byte *b, unsigned words)
{
    uint64_t rows[8][2] = { { 0 } };

    for (unsigned i = 0; i < 8; i++)
        for (unsigned w = 0; w < words; w++)
            rows[i][w] = b->added[i][w];
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++) {
        uint64_t first = rows[i][0], second = rows[i][1];
        uint64_t lowest = first & -first, other = second & -second & -(uint64_t)!first;

        b->row[i] = (uint32_t)__builtin_ctzll(lowest | other | UINT64_C(1) << 63);
        if (words > 1)
            b->row[i] += other ? 64 : 0;
#pragma GCC unroll 8
        for (unsigned j = i + 1; j < 8; j++) {
            uint64_t has = (rows[j][0] & lowest) | (words > 1 ? rows[j][1] & other : 0);

            has = -(uint64_t)(has != 0); /* no branch: it could not be predicted */
            rows[j][0] ^= has & first;
            if (words > 1)
                rows[j][1] ^= has & second;
        }
    }
    for (unsigned i = 0; i < 8; i++)
        for (unsigned w = 0; w < words; w++)
            b->added[i][w] = rows[i][w];
}

/* Chooses the pivots, by clear_few() where it suffices.  b->in may be left alone. */
INLINE void choose_pivots(struct byte *b, unsigned words)
{
    if (words <= 2)
        clear_few(b, words);
    else
        clear_byte(b, words);
}

#endif
