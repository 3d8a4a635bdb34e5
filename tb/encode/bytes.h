/*
 * bytes.h - 64 bytes at a time as sets of 64 bits: bit i is about byte i.
 *
 * Two versions, with and without SSE2, say the same; tests hold them against
 * each other.  Cost: a few ns each with SSE2, some 10 times that without.
 */
#ifndef BK_BYTES_H
#define BK_BYTES_H

#include <stdint.h>

/* Sets of 64 bytes, by their bits: plane[b * step] gets bit b of each, for b < n <= 8. */
void bk_bytes_planes(const uint8_t byte[64], unsigned n, uint64_t *plane, unsigned step);
void bk_bytes_planes_portable(const uint8_t byte[64], unsigned n, uint64_t *plane, unsigned step);

/* Which bytes are 0, which are 1, which have their top bit. */
struct bk_bytes_sorted {
    uint64_t zero, one, top;
};
struct bk_bytes_sorted bk_bytes_sort(const uint8_t byte[64]);
struct bk_bytes_sorted bk_bytes_sort_portable(const uint8_t byte[64]);

#endif
