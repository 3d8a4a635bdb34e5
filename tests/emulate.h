/*
 * emulate.h - AVX-512 on machines without it, for tests: put before tb/kernel/passes.c and kings.c.
 *
 * SIMDe (Debian's libsimde-dev) has most of these operations in plain C; those that it lacks are
 * below, word by word.  A kernel made so says that it is AVX2, and takes some twenty times as long.
 * `make test-emulated` runs the fuzzer with it.
 */
#ifndef BK_TEST_EMULATE_H
#define BK_TEST_EMULATE_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <simde/x86/avx2.h>
#include <stdint.h>
#include <string.h>

#define __AVX512F__  1
#define __AVX512BW__ 1
#define __AVX512DQ__ 1
#define __AVX512VL__ 1

/* Elements whose bits in `mask` are set are read or written, and no others. */
#define MEMORY(suffix, type, n, vector)                                                            \
    static inline vector bk_maskz_loadu_##suffix(uint64_t mask, const void *from)                  \
    {                                                                                              \
        type x[n] = { 0 };                                                                         \
        vector v;                                                                                  \
                                                                                                   \
        for (unsigned i = 0; i < n; i++)                                                           \
            if (mask >> i & 1)                                                                     \
                memcpy(&x[i], (const type *)from + i, sizeof(type));                               \
        memcpy(&v, x, sizeof v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
    static inline void bk_mask_storeu_##suffix(void *to, uint64_t mask, vector v)                  \
    {                                                                                              \
        type x[n];                                                                                 \
                                                                                                   \
        memcpy(x, &v, sizeof v);                                                                   \
        for (unsigned i = 0; i < n; i++)                                                           \
            if (mask >> i & 1)                                                                     \
                memcpy((type *)to + i, &x[i], sizeof(type));                                       \
    }
MEMORY(512_epi8, uint8_t, 64, simde__m512i)
MEMORY(512_epi16, uint16_t, 32, simde__m512i)
MEMORY(512_epi64, uint64_t, 8, simde__m512i)
MEMORY(256_epi8, uint8_t, 32, simde__m256i)

#define COMPARISON(name, type, n, op, bits)                                                        \
    static inline bits bk_mask_##name(uint64_t mask, simde__m512i a, simde__m512i b)               \
    {                                                                                              \
        type x[n], y[n];                                                                           \
        uint64_t found = 0;                                                                        \
                                                                                                   \
        memcpy(x, &a, sizeof x);                                                                   \
        memcpy(y, &b, sizeof y);                                                                   \
        for (unsigned i = 0; i < n; i++)                                                           \
            found |= (uint64_t)(x[i] op y[i]) << i;                                                \
        return (bits)(found & mask);                                                               \
    }
COMPARISON(cmpeq_epi16, int16_t, 32, ==, uint32_t)
COMPARISON(cmpgt_epi16, int16_t, 32, >, uint32_t)
COMPARISON(cmpeq_epu8, uint8_t, 64, ==, uint64_t)
COMPARISON(cmpgt_epu8, uint8_t, 64, >, uint64_t)

#define WIDENING(name, from, type, n)                                                              \
    static inline simde__m512i bk_##name(from a)                                                   \
    {                                                                                              \
        uint8_t x[sizeof a];                                                                       \
        type y[n];                                                                                 \
        simde__m512i v;                                                                            \
                                                                                                   \
        memcpy(x, &a, sizeof a);                                                                   \
        for (unsigned i = 0; i < n; i++)                                                           \
            y[i] = x[i];                                                                           \
        memcpy(&v, y, sizeof v);                                                                   \
        return v;                                                                                  \
    }
WIDENING(cvtepu8_epi16, simde__m256i, uint16_t, 32)
WIDENING(cvtepu8_epi64, simde__m128i, uint64_t, 8)

static inline simde__m512i bk_maskz_sllv(unsigned mask, simde__m512i a, simde__m512i by)
{
    uint64_t x[8], y[8];
    simde__m512i v;

    memcpy(x, &a, sizeof x);
    memcpy(y, &by, sizeof y);
    for (unsigned i = 0; i < 8; i++)
        x[i] = mask >> i & 1 && y[i] < 64 ? x[i] << y[i] : 0;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline long long bk_reduce_or(simde__m512i a)
{
    uint64_t x[8], all = 0;

    memcpy(x, &a, sizeof x);
    for (unsigned i = 0; i < 8; i++)
        all |= x[i];
    return (long long)all;
}

#define _mm512_maskz_loadu_epi8      bk_maskz_loadu_512_epi8
#define _mm512_maskz_loadu_epi16     bk_maskz_loadu_512_epi16
#define _mm512_maskz_loadu_epi64     bk_maskz_loadu_512_epi64
#define _mm256_maskz_loadu_epi8      bk_maskz_loadu_256_epi8
#define _mm512_mask_storeu_epi8      bk_mask_storeu_512_epi8
#define _mm512_mask_storeu_epi16     bk_mask_storeu_512_epi16
#define _mm256_mask_storeu_epi8      bk_mask_storeu_256_epi8
#define _mm512_mask_cmpeq_epi16_mask bk_mask_cmpeq_epi16
#define _mm512_mask_cmpgt_epi16_mask bk_mask_cmpgt_epi16
#define _mm512_mask_cmpeq_epu8_mask  bk_mask_cmpeq_epu8
#define _mm512_mask_cmpgt_epu8_mask  bk_mask_cmpgt_epu8
#define _mm512_cvtepu8_epi16         bk_cvtepu8_epi16
#define _mm512_cvtepu8_epi64         bk_cvtepu8_epi64
#define _mm512_maskz_sllv_epi64      bk_maskz_sllv
#define _mm512_reduce_or_epi64       bk_reduce_or

#endif
