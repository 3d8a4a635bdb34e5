/*
 * pack.h - codes in memory as the raw bytes of a chunk (docs/format.md), and back.
 *
 * Win, draw and loss are collected in two bitmaps, won and draw, both set where
 * a position is illegal: 64 positions are then a few words of arithmetic.
 * Distances are bytes as they lie in memory.  Illegal positions, and draws among
 * distances, may hold anything: they repeat the value before them.
 */
#ifndef BK_PACK_H
#define BK_PACK_H

#include <stddef.h>
#include <stdint.h>

/* A chunk of win, draw and loss under way; bits past n are zero. */
struct bk_planes {
    uint64_t *won, *draw; /* room for the chunk and a word more */
    size_t n;             /* positions so far */
};

void bk_planes_clear(struct bk_planes *p, size_t room);
/* n bits of two bitmaps, from bit `at` on. */
void bk_planes_add_bits(struct bk_planes *p, const uint64_t *won, const uint64_t *draw, uint64_t at,
                        uint32_t n);
/* n codes of one byte, of two bytes. */
void bk_planes_add_codes(struct bk_planes *p, const uint8_t *code, uint32_t n);
void bk_planes_add_wide(struct bk_planes *p, const uint16_t *code, uint32_t n);
/* Two bits a position, the first in the low bits; returns the bytes written.  The planes are
   used up. */
size_t bk_planes_pack(struct bk_planes *p, uint8_t *raw);

/* Plies / 2 of n codes; `before` is what is repeated, returned is the last one written. */
unsigned bk_pack_distances(const uint8_t *code, uint32_t n, unsigned before, uint8_t *raw);
unsigned bk_pack_wide_distances(const uint16_t *code, uint32_t n, unsigned before, uint8_t *raw);

/* == Back == */

/* The two bits of n positions to the bitmaps won and draw, in whole words. */
void bk_unpack_planes(const uint8_t *raw, size_t n, uint64_t *won, uint64_t *draw);

/* Plies / 2 in place become codes; raw: two bits a position, those of the first at `from`. */
void bk_unpack_codes(const uint8_t *raw, uint32_t from, uint32_t n, uint8_t *code);
void bk_unpack_wide_codes(const uint8_t *raw, uint32_t from, uint32_t n, void *bytes);

/* n bits (64 or fewer) of a bitmap, from bit `at` on. */
static inline uint64_t bk_bits_at(const uint64_t *map, uint64_t at, unsigned n)
{
    unsigned b = at & 63;
    uint64_t x = map[at >> 6] >> b;

    if (b + n > 64)
        x |= map[(at >> 6) + 1] << (64 - b);
    return n < 64 ? x & ((UINT64_C(1) << n) - 1) : x;
}

#endif
