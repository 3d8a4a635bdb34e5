/*
 * squares.h - what lies by square beside a set: numbers, scores and codes of a
 * configuration, worked on where its set has bits.
 *
 * A row has n squares, and nothing behind them is read or written: other threads
 * may be at work there.  AVX-512 has masks for that.  With AVX2 whole chunks are done,
 * and what is left of a row square by square, as everything is elsewhere.
 */
#ifndef BK_SQUARES_H
#define BK_SQUARES_H

#include "core/word.h"
#include "tb/kernel/lanes.h"

#if defined __AVX2__ && !defined __AVX512BW__
enum {
    CHUNK = 32,      /* squares worked on at once, by bytes */
    HALF_CHUNK = 16, /* by numbers of 16 bits */
};

/* Return the squares of x from `from`, a multiple of 32, to from + 31; of 16 squares, likewise. */
INLINE uint32_t chunk_of(set x, unsigned from)
{
    return (uint32_t)(word_of(x, from / 64) >> from % 64);
}
INLINE uint16_t half_chunk_of(set x, unsigned from)
{
    return (uint16_t)(word_of(x, from / 64) >> from % 64);
}

INLINE set chunk_at(unsigned from, uint64_t squares)
{
    return set_word(NONE, from / 64, squares << from % 64);
}

/* Returns the squares of x that lie behind the last whole chunk of a row. */
INLINE set behind_chunks(set x, unsigned n, unsigned chunk)
{
    unsigned done = n - n % chunk;

    for (unsigned w = 0; 64 * w < done; w++) {
        uint64_t keep = done - 64 * w >= 64 ? 0 : ~UINT64_C(0) << (done - 64 * w);

        x &= ~set_word(NONE, w, ~keep);
    }
    return x;
}

/* Return bytes, or 16-bit numbers, of all ones where `squares` has bits. */
INLINE __m256i bytes_where(uint32_t squares)
{
    const __m256i byte = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                          2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i place = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i x = _mm256_shuffle_epi8(_mm256_set1_epi32((int)squares), byte);

    return _mm256_cmpeq_epi8(_mm256_and_si256(x, place), place);
}
INLINE __m256i numbers_where(uint16_t squares)
{
    const __m256i place = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                            8192, 16384, (short)32768);

    return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16((short)squares), place), place);
}

/* Returns bits for 16-bit numbers that are all ones, or 0. */
INLINE uint32_t chunk_from(__m256i low, __m256i high)
{
    __m256i x = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);

    return (uint32_t)_mm256_movemask_epi8(x);
}

INLINE __m256i load_chunk(const void *at) { return _mm256_loadu_si256((const __m256i *)at); }
INLINE void store_chunk(void *at, __m256i x) { _mm256_storeu_si256((__m256i *)at, x); }

/* For each whole chunk of a row, from square `first` on, in which x has squares: `some`. */
#define EACH_CHUNK(first, some, x, n)                                                              \
    for (unsigned first = 0; first + CHUNK <= (n); first += CHUNK)                                 \
        for (uint32_t some = chunk_of(x, first), once_ = some != 0; once_; once_ = 0)
#define EACH_HALF_CHUNK(first, some, x, n)                                                         \
    for (unsigned first = 0; first + HALF_CHUNK <= (n); first += HALF_CHUNK)                       \
        for (uint16_t some = half_chunk_of(x, first), once_ = some != 0; once_; once_ = 0)
#endif

/* at[sq] = value for the squares of x. */
INLINE void put_where(uint8_t *at, unsigned n, set x, unsigned value)
{
#ifdef __AVX512BW__
    for (unsigned w = 0; w < WORDS; w++)
        _mm512_mask_storeu_epi8(at + 64 * w, word_of(x, w), _mm512_set1_epi8((char)value));
    (void)n;
#else
#ifdef __AVX2__
    EACH_CHUNK (first, some, x, n)
        store_chunk(at + first,
                    _mm256_blendv_epi8(load_chunk(at + first), _mm256_set1_epi8((char)value),
                                       bytes_where(some)));
    x = behind_chunks(x, n, CHUNK);
#endif
    (void)n;
    EACH (sq, x)
        at[sq] = (uint8_t)value;
#endif
}

/* Clears the top bits at the squares of x.  Returns where they were set. */
INLINE set take_top_bits(uint8_t *at, unsigned n, set x)
{
    set found = NONE;

    (void)n;
#ifdef __AVX512BW__
    for (unsigned w = 0; w < WORDS; w++) {
        __mmask64 m = word_of(x, w);
        __m512i there;

        if (!m)
            continue;
        there = _mm512_maskz_loadu_epi8(m, at + 64 * w);
        m = _mm512_movepi8_mask(there);
        _mm512_mask_storeu_epi8(at + 64 * w, m, _mm512_and_si512(there, _mm512_set1_epi8(127)));
        found = set_word(found, w, m);
    }
#else
#ifdef __AVX2__
    EACH_CHUNK (first, some, x, n) {
        __m256i there = load_chunk(at + first);
        __m256i top = _mm256_and_si256(bytes_where(some), _mm256_set1_epi8((char)128));

        found |= chunk_at(first, some & (uint32_t)_mm256_movemask_epi8(there));
        store_chunk(at + first, _mm256_andnot_si256(top, there));
    }
    x = behind_chunks(x, n, CHUNK);
#endif
    EACH (sq, x)
        if (at[sq] & 128) {
            at[sq] &= 127;
            found |= bit(sq);
        }
#endif
    return found;
}

/* The squares of x with at[sq] == value; or, if more, with at[sq] > value. */
INLINE set where_is(const uint8_t *at, unsigned n, set x, unsigned value, bool more)
{
    set found = NONE;

    (void)n;
#ifdef __AVX512BW__
    for (unsigned w = 0; w < WORDS; w++) {
        __mmask64 m = word_of(x, w);
        __m512i wanted = _mm512_set1_epi8((char)value), there;

        if (!m)
            continue;
        there = _mm512_maskz_loadu_epi8(m, at + 64 * w);
        found = set_word(found, w,
                         more ? _mm512_mask_cmpgt_epu8_mask(m, there, wanted)
                              : _mm512_mask_cmpeq_epu8_mask(m, there, wanted));
    }
#else
#ifdef __AVX2__
    EACH_CHUNK (first, some, x, n) {
        __m256i there = load_chunk(at + first), wanted = _mm256_set1_epi8((char)value);
        __m256i not_more =
            _mm256_cmpeq_epi8(_mm256_subs_epu8(there, wanted), _mm256_setzero_si256());
        uint32_t here = more ? ~(uint32_t)_mm256_movemask_epi8(not_more)
                             : (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(there, wanted));

        found |= chunk_at(first, some & here);
    }
    x = behind_chunks(x, n, CHUNK);
#endif
    EACH (sq, x)
        if (more ? at[sq] > value : at[sq] == value)
            found |= bit(sq);
#endif
    return found;
}

/* best[sq] = the larger of it and row[sq], or `score` if row is NULL, for the squares of x. */
INLINE void raise_to_row(int16_t *best, unsigned n, set x, const int16_t *row, int16_t score)
{
    (void)n;
#ifdef __AVX512BW__
    for (unsigned half = 0; half < 2 * WORDS; half++) {
        __mmask32 m = (__mmask32)(word_of(x, half / 2) >> (32 * (half & 1)));
        int16_t *b = best + 32 * half;

        if (m)
            _mm512_mask_storeu_epi16(
                b, m,
                _mm512_max_epi16(_mm512_maskz_loadu_epi16(m, b),
                                 row ? _mm512_maskz_loadu_epi16(m, row + 32 * half)
                                     : _mm512_set1_epi16(score)));
    }
#else
#ifdef __AVX2__
    EACH_HALF_CHUNK (first, some, x, n) {
        __m256i old = load_chunk(best + first);
        __m256i offer = row ? load_chunk(row + first) : _mm256_set1_epi16(score);

        offer = _mm256_max_epi16(old, offer);
        store_chunk(best + first, _mm256_blendv_epi8(old, offer, numbers_where(some)));
    }
    x = behind_chunks(x, n, HALF_CHUNK);
#endif
    EACH (sq, x) {
        int16_t offer = row ? row[sq] : score;

        if (offer > best[sq])
            best[sq] = offer;
    }
#endif
}

/*
 * Scores +-(win - plies) of the squares of x become at[sq] = k = plies >> shift, at most
 * `limit` (255 or less).  Returns a mask of these; the last bit: 63 or more.
 */
INLINE uint64_t put_k(uint8_t *at, unsigned n, set x, const int16_t *score, int16_t win,
                      unsigned limit, unsigned shift)
{
    uint64_t seen = 0;
#ifdef __AVX2__
    __m128i by = _mm_cvtsi32_si128((int)shift);
#endif

    (void)n;
#ifdef __AVX512BW__
    for (unsigned half = 0; half < 2 * WORDS; half++) {
        __mmask32 m = (__mmask32)(word_of(x, half / 2) >> (32 * (half & 1)));
        __m512i k, bits = _mm512_setzero_si512();
        __m256i bytes;

        if (!m)
            continue;
        k = _mm512_abs_epi16(_mm512_maskz_loadu_epi16(m, score + 32 * half));
        k = _mm512_srl_epi16(_mm512_sub_epi16(_mm512_set1_epi16(win), k), by);
        bytes = _mm512_cvtepi16_epi8(_mm512_min_epu16(k, _mm512_set1_epi16((short)limit)));
        _mm256_mask_storeu_epi8(at + 32 * half, m, bytes);
        bytes = _mm256_min_epu8(bytes, _mm256_set1_epi8(63));
        for (unsigned i = 0; i < 4; i++, m >>= 8) {
            __m128i eight =
                i < 2 ? _mm256_castsi256_si128(bytes) : _mm256_extracti128_si256(bytes, 1);

            eight = i & 1 ? _mm_srli_si128(eight, 8) : eight;
            bits = _mm512_or_si512(bits, _mm512_maskz_sllv_epi64((__mmask8)m, _mm512_set1_epi64(1),
                                                                 _mm512_cvtepu8_epi64(eight)));
        }
        seen |= (uint64_t)_mm512_reduce_or_epi64(bits);
    }
#else
#ifdef __AVX2__
    EACH_HALF_CHUNK (first, some, x, n) {
        __m256i k = _mm256_abs_epi16(load_chunk(score + first)), bits = _mm256_setzero_si256();
        __m256i wanted = numbers_where(some);
        __m128i bytes, where, old = _mm_loadu_si128((const __m128i *)(at + first));

        k = _mm256_srl_epi16(_mm256_sub_epi16(_mm256_set1_epi16(win), k), by);
        k = _mm256_min_epu16(k, _mm256_set1_epi16((short)limit));
        bytes = _mm_packus_epi16(_mm256_castsi256_si128(k), _mm256_extracti128_si256(k, 1));
        where =
            _mm_packs_epi16(_mm256_castsi256_si128(wanted), _mm256_extracti128_si256(wanted, 1));
        _mm_storeu_si128((__m128i *)(at + first), _mm_blendv_epi8(old, bytes, where));
        /* other squares are shifted away */
        bytes = _mm_or_si128(_mm_min_epu8(bytes, _mm_set1_epi8(63)),
                             _mm_andnot_si128(where, _mm_set1_epi8(-1)));
        for (unsigned i = 0; i < 4; i++, bytes = _mm_srli_si128(bytes, 4))
            bits = _mm256_or_si256(
                bits, _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_cvtepu8_epi64(bytes)));
        seen |= (uint64_t)(_mm256_extract_epi64(bits, 0) | _mm256_extract_epi64(bits, 1) |
                           _mm256_extract_epi64(bits, 2) | _mm256_extract_epi64(bits, 3));
    }
    x = behind_chunks(x, n, HALF_CHUNK);
#endif
    EACH (sq, x) {
        unsigned k = (unsigned)(win - (score[sq] > 0 ? score[sq] : -score[sq])) >> shift;

        k = k < limit ? k : limit;
        at[sq] = (uint8_t)k;
        seen |= UINT64_C(1) << (k < 63 ? k : 63);
    }
#endif
    return seen;
}

/* Squares by score: any exit, one that saves, one that wins, one that wins soon. */
struct by_score {
    set any, saving, winning, soon;
};

/* Sorts the first n squares.  none: the score where there is no exit; a score above `soon` is a
   soon win. */
INLINE struct by_score sort_scores(const int16_t *score, unsigned n, int16_t none, int16_t soon)
{
    struct by_score found = { NONE, NONE, NONE, NONE };

    for (unsigned w = 0; 64 * w < n; w++) {
        const int16_t *s = score + 64 * w;
        unsigned here = n - 64 * w < 64 ? n - 64 * w : 64;
        uint64_t x[4] = { 0 };

#ifdef __AVX512BW__
        for (unsigned half = 0; half < 2 && 32 * half < here; half++) {
            unsigned rest = here - 32 * half;
            __mmask32 m = rest >= 32 ? ~(__mmask32)0 : ((__mmask32)1 << rest) - 1;
            __m512i v = _mm512_maskz_loadu_epi16(m, s + 32 * half);
            const int16_t limit[4] = { none, -1, 0, soon };

            for (unsigned i = 0; i < 4; i++)
                x[i] |= (uint64_t)_mm512_mask_cmpgt_epi16_mask(m, v, _mm512_set1_epi16(limit[i]))
                        << (32 * half);
        }
#else
        unsigned i = 0;

#ifdef __AVX2__
        for (; i + CHUNK <= here; i += CHUNK) {
            __m256i low = load_chunk(s + i), high = load_chunk(s + i + HALF_CHUNK);
            const int16_t limit[4] = { none, -1, 0, soon };

            for (unsigned j = 0; j < 4; j++) {
                __m256i above = _mm256_set1_epi16(limit[j]);

                x[j] |= (uint64_t)chunk_from(_mm256_cmpgt_epi16(low, above),
                                             _mm256_cmpgt_epi16(high, above))
                        << i;
            }
        }
#endif
        for (; i < here; i++) {
            x[0] |= (uint64_t)(s[i] > none) << i;
            x[1] |= (uint64_t)(s[i] > -1) << i;
            x[2] |= (uint64_t)(s[i] > 0) << i;
            x[3] |= (uint64_t)(s[i] > soon) << i;
        }
#endif
        found.any = set_word(found.any, w, x[0]);
        found.saving = set_word(found.saving, w, x[1]);
        found.winning = set_word(found.winning, w, x[2]);
        found.soon = set_word(found.soon, w, x[3]);
    }
    return found;
}

/*
 * k at each of the first n squares becomes a code: k + win or k + loss, `drawn`,
 * or 0.  No byte overflows, so that sums of words are sums of bytes.
 */
INLINE void put_codes(uint8_t *at, unsigned n, set wins, set losses, set draws, unsigned win,
                      unsigned loss, unsigned drawn)
{
    for (unsigned w = 0; 64 * w < n; w++) {
        uint64_t won = word_of(wins, w), lost = word_of(losses, w), even = word_of(draws, w);
        unsigned here = n - 64 * w < 64 ? n - 64 * w : 64;
        uint8_t *out = at + 64 * w;

#ifdef __AVX512BW__
        __m512i code = _mm512_maskz_loadu_epi8(won | lost, out);

        code = _mm512_mask_add_epi8(code, won, code, _mm512_set1_epi8((char)win));
        code = _mm512_mask_add_epi8(code, lost, code, _mm512_set1_epi8((char)loss));
        code = _mm512_mask_mov_epi8(code, even, _mm512_set1_epi8((char)drawn));
        _mm512_mask_storeu_epi8(out, here == 64 ? ~(__mmask64)0 : ((__mmask64)1 << here) - 1, code);
#else
        unsigned sq = 0;

#ifdef __AVX2__
        for (; sq + CHUNK <= here; sq += CHUNK) {
            __m256i a = bytes_where((uint32_t)(won >> sq)), b = bytes_where((uint32_t)(lost >> sq));
            __m256i code = _mm256_and_si256(load_chunk(out + sq), _mm256_or_si256(a, b));

            a = _mm256_and_si256(a, _mm256_set1_epi8((char)win));
            b = _mm256_and_si256(b, _mm256_set1_epi8((char)loss));
            code = _mm256_add_epi8(code, _mm256_or_si256(a, b));
            store_chunk(out + sq, _mm256_blendv_epi8(code, _mm256_set1_epi8((char)drawn),
                                                     bytes_where((uint32_t)(even >> sq))));
        }
#endif
        for (; sq < here; sq += 8) {
            uint64_t a = bk_bits_to_bytes(won >> sq), b = bk_bits_to_bytes(lost >> sq), k;
            size_t bytes = here - sq < 8 ? here - sq : 8;

            k = bk_word_get_some(out + sq, bytes);
            k = (k & (a | b) * 255) + a * win + b * loss + bk_bits_to_bytes(even >> sq) * drawn;
            bk_word_put_some(out + sq, bytes, k);
        }
#endif
    }
}

/* Returns the won positions of x, with codes k + win, whose score wins in as few plies: their code
   is `zero` less the score, shifted. */
INLINE set won_as_soon(const uint8_t *code, unsigned n, set x, const int16_t *score, int zero,
                       unsigned shift)
{
    set soon = NONE;
#ifdef __AVX2__
    __m128i by = _mm_cvtsi32_si128((int)shift);
#endif

    (void)n;
#ifdef __AVX512BW__
    for (unsigned half = 0; half < 2 * WORDS; half++) {
        __mmask32 m = (__mmask32)(word_of(x, half / 2) >> (32 * (half & 1)));
        __m512i k;

        if (!m)
            continue;
        k = _mm512_sub_epi16(_mm512_set1_epi16((short)zero),
                             _mm512_maskz_loadu_epi16(m, score + 32 * half));
        m = _mm512_mask_cmpeq_epi16_mask(
            m, _mm512_srl_epi16(k, by),
            _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(m, code + 32 * half)));
        soon = set_word(soon, half / 2, word_of(soon, half / 2) | (uint64_t)m << (32 * (half & 1)));
    }
#else
#ifdef __AVX2__
    EACH_CHUNK (first, some, x, n) {
        __m256i k[2];

        for (unsigned i = 0; i < 2; i++) {
            const uint8_t *codes = code + first + HALF_CHUNK * i;
            __m256i there = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)codes));

            k[i] = _mm256_sub_epi16(_mm256_set1_epi16((short)zero),
                                    load_chunk(score + first + HALF_CHUNK * i));
            k[i] = _mm256_cmpeq_epi16(_mm256_srl_epi16(k[i], by), there);
        }
        soon |= chunk_at(first, some & chunk_from(k[0], k[1]));
    }
    x = behind_chunks(x, n, CHUNK);
#endif
    EACH (sq, x)
        if (code[sq] == (unsigned)(zero - score[sq]) >> shift)
            soon |= bit(sq);
#endif
    return soon;
}

#endif
