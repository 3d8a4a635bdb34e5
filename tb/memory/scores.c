/*
 * scores.c - see scores.h.  HOT.
 *
 * A symmetry of the board, or another order of a man's squares, only puts the
 * codes of a row into another order, the same for all rows of a view.  What a
 * code is worth is arithmetic: two lines, one for wins and one for losses.
 */
#include "tb/memory/scores.h"

#include <string.h>

#include "core/bits.h"
#include "tb/memory/bitmap.h"
#include "tb/memory/code.h"
#include "tb/memory/cpu.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/*
 * A win in 2k + 1 plies for the side to move is a loss in 2k + 2 for who moved
 * there, a loss in 2k a win in 2k + 1:
 *   2 + k    2k + 2 - WIN  =  2 code - (WIN + 2)             (1)
 *   LOSS + k  WIN - 2k - 1  =  WIN - 1 + 2 LOSS - 2 code     (2)
 */
#define OF_WIN  (BK_SCORE_WIN + 2)
#define OF_LOSS (BK_SCORE_WIN - 1 + 2 * BK_CODE_LOSS8)

/* Without a branch, so that the compiler does many at once. */
static void in_order(const uint8_t *code, unsigned n, int16_t *out)
{
    for (unsigned j = 0; j < n; j++) {
        int16_t c = code[j], win = (int16_t)(2 * c - OF_WIN), loss = (int16_t)(OF_LOSS - 2 * c);
        int16_t score = c < BK_CODE_LOSS8 ? win : loss; /* 16 bits are wide enough for all */

        score = c == BK_CODE_DRAW ? 0 : score;
        out[j] = c == BK_CODE_ILLEGAL ? BK_SCORE_NONE : score;
    }
}

void bk_row_scores_portable(const uint8_t *code, unsigned span, const uint8_t *place, unsigned n,
                            int16_t *out)
{
    int16_t score[BK_SQ_NONE + 1];

    if (!place) {
        in_order(code, n, out);
        return;
    }
    in_order(code, span, score); /* the scores, not the codes: bytes that are written one by one
                                    and read by sixteens make the machine wait */
    score[BK_SQ_NONE] = BK_SCORE_NONE;
    for (unsigned j = 0; j < n; j++)
        out[j] = score[place[j]];
}

#ifdef __x86_64__
#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

static inline uint64_t lowest_bits(unsigned n)
{
    return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

VBMI static inline void put_scores(__m256i codes, __mmask32 there, int16_t *out)
{
    __m512i code = _mm512_cvtepu8_epi16(codes), twice = _mm512_add_epi16(code, code);
    __mmask32 losses = _mm512_cmpge_epi16_mask(code, _mm512_set1_epi16(BK_CODE_LOSS8));
    __mmask32 some = _mm512_cmpneq_epi16_mask(code, _mm512_set1_epi16(BK_CODE_DRAW));
    __m512i score = _mm512_maskz_sub_epi16(some, twice, _mm512_set1_epi16(OF_WIN));

    score = _mm512_mask_sub_epi16(score, losses, _mm512_set1_epi16(OF_LOSS), twice);
    score = _mm512_mask_mov_epi16(score, _mm512_testn_epi16_mask(code, code),
                                  _mm512_set1_epi16(BK_SCORE_NONE));
    _mm512_mask_storeu_epi16(out, there, score);
}

/* Of up to 128 places; larger boards go the plain way. */
VBMI void bk_row_scores_vbmi(const uint8_t *code, unsigned span, const uint8_t *place, unsigned n,
                             int16_t *out)
{
    __m512i low, high = _mm512_setzero_si512();

    if (span > 128) {
        bk_row_scores_portable(code, span, place, n, out);
        return;
    }
    low = _mm512_maskz_loadu_epi8(lowest_bits(span), code);
    if (span > 64)
        high = _mm512_maskz_loadu_epi8(lowest_bits(span - 64), code + 64);
    for (unsigned j = 0; j < n; j += 64) {
        uint64_t there = lowest_bits(n - j);
        __m512i row = j ? high : low;

        if (place) {
            __m512i from = _mm512_maskz_loadu_epi8(there, place + j);
            __mmask64 codes = _mm512_cmpneq_epi8_mask(from, _mm512_set1_epi8((char)BK_SQ_NONE));

            row = _mm512_maskz_permutex2var_epi8(codes, low, from, high);
        }
        put_scores(_mm512_castsi512_si256(row), (__mmask32)there, out + j);
        if (n - j > 32)
            put_scores(_mm512_extracti64x4_epi64(row, 1), (__mmask32)(there >> 32), out + j + 32);
    }
}
#endif

void bk_codes_of_bits(const uint64_t *won, const uint64_t *draw, uint64_t at, unsigned n,
                      uint8_t *code)
{
    for (unsigned j = 0; j < n; j += 64) {
        unsigned part = n - j < 64 ? n - j : 64;
        uint64_t w = bk_bits_at(won, at + j, part), d = bk_bits_at(draw, at + j, part);

        for (unsigned i = 0; i < part; i += 8, w >>= 8, d >>= 8) {
            uint64_t eight = bk_bits_to_bytes(w & ~d) * BK_CODE_WIN +
                             bk_bits_to_bytes(d & ~w) * BK_CODE_DRAW +
                             bk_bits_to_bytes(~(w | d)) * BK_CODE_LOSS8; /* both: BK_CODE_ILLEGAL */

            for (unsigned b = 0; b < 8; b++) /* one store on little-endian machines */
                code[j + i + b] = (uint8_t)(eight >> (8 * b));
        }
    }
}

/* VBMI, which puts 64 bytes in order at once, is newer than the rest of AVX-512. */
bk_row_scores *bk_row_scores_for(void)
{
#ifdef __x86_64__
    if (bk_cpu() == BK_CPU_AVX512 && __builtin_cpu_supports("avx512vbmi"))
        return bk_row_scores_vbmi;
#endif
    return bk_row_scores_portable;
}
