/*
 * bytes.c - see bytes.h.
 *
 * Portable: bit b of 8 bytes is x >> b & 0x0101..., and a multiplication brings
 * the eight together in the top byte.
 */
#include "tb/encode/bytes.h"

#include "core/word.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LOW_BITS UINT64_C(0x0101010101010101)

/* The lowest bits of 8 bytes. */
static uint64_t low_bits(uint64_t x) { return (x & LOW_BITS) * UINT64_C(0x0102040810204080) >> 56; }

void bk_bytes_planes_portable(const uint8_t byte[64], unsigned n, uint64_t *plane, unsigned step)
{
    for (unsigned b = 0; b < n; b++)
        plane[b * step] = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t x = bk_word_get(byte + 8 * i);

        for (unsigned b = 0; x && b < n; b++, x >>= 1)
            plane[b * step] |= low_bits(x) << 8 * i;
    }
}

struct bk_bytes_sorted bk_bytes_sort_portable(const uint8_t byte[64])
{
    struct bk_bytes_sorted s = { 0, 0, 0 };

    for (unsigned i = 0; i < 8; i++) {
        uint64_t x = bk_word_get(byte + 8 * i);
        uint64_t rest = (x & LOW_BITS * 126) + LOW_BITS * 126; /* top bit: any of bits 1 to 6 */

        rest = (rest | x) >> 7; /* 2 or more */
        s.top |= low_bits(x >> 7) << 8 * i;
        s.one |= low_bits(x & ~rest) << 8 * i;
        s.zero |= low_bits(~x & ~rest) << 8 * i;
    }
    return s;
}

#ifdef __SSE2__

void bk_bytes_planes(const uint8_t byte[64], unsigned n, uint64_t *plane, unsigned step)
{
    __m128i x[4];

    for (unsigned i = 0; i < 4; i++) /* the highest plane to the top of each byte */
        x[i] = _mm_sll_epi16(_mm_loadu_si128((const __m128i *)(const void *)(byte + 16 * i)),
                             _mm_cvtsi32_si128((int)(8 - n)));
    for (unsigned b = n; b-- > 0;) {
        uint64_t set = 0;

        for (unsigned i = 0; i < 4; i++) {
            set |= (uint64_t)(unsigned)_mm_movemask_epi8(x[i]) << 16 * i;
            x[i] = _mm_add_epi8(x[i], x[i]);
        }
        plane[b * step] = set;
    }
}

struct bk_bytes_sorted bk_bytes_sort(const uint8_t byte[64])
{
    struct bk_bytes_sorted s = { 0, 0, 0 };

    for (unsigned i = 0; i < 4; i++) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(byte + 16 * i));
        __m128i zero = _mm_cmpeq_epi8(x, _mm_setzero_si128());
        __m128i one = _mm_cmpeq_epi8(x, _mm_set1_epi8(1));

        s.zero |= (uint64_t)(unsigned)_mm_movemask_epi8(zero) << 16 * i;
        s.one |= (uint64_t)(unsigned)_mm_movemask_epi8(one) << 16 * i;
        s.top |= (uint64_t)(unsigned)_mm_movemask_epi8(x) << 16 * i;
    }
    return s;
}

#else

void bk_bytes_planes(const uint8_t byte[64], unsigned n, uint64_t *plane, unsigned step)
{
    bk_bytes_planes_portable(byte, n, plane, step);
}

struct bk_bytes_sorted bk_bytes_sort(const uint8_t byte[64])
{
    return bk_bytes_sort_portable(byte);
}

#endif
