/*
 * lanes.h - several sets at once, and what lies by square beside a set.
 *
 * The inner man's moves, and most other work on sets, are the same for every
 * configuration but for what stands in the way.  So they are done for LANES
 * configurations at a time, in 64 bytes: 8 sets of 64 bits, 4 of 128, 2 of 256.
 * The compiler makes one AVX-512, two AVX2 or four SSE2 operations of each; only
 * what C has no words for, masks, is written down for AVX-512 besides.
 */
#ifndef BK_LANES_H
#define BK_LANES_H

#ifdef __AVX512BW__
#include <immintrin.h>
#endif

#include <string.h>

#include "core/set.h"
#include "core/word.h"

#define LANES (512 / BK_SET_BITS)
#define WORDS (BK_SET_BITS / 64) /* of a set */

typedef uint64_t lanes __attribute__((vector_size(64), may_alias));
typedef set lane_sets[LANES] __attribute__((aligned(64))); /* the same, one by one */
#define NO_LANES ((lanes){ 0 })

/* == By word == */

INLINE uint64_t word_of(set x, unsigned w)
{
#if SET_IS_NUMBER
    return (uint64_t)(x >> (64 * w));
#else
    return x[w];
#endif
}

INLINE set set_word(set x, unsigned w, uint64_t word)
{
#if SET_IS_NUMBER
    return x | (set)word << (64 * w);
#else
    x[w] = word;
    return x;
#endif
}

/* == Lanes == */

/* The same set in every lane. */
INLINE lanes lanes_of(set x)
{
#if BK_SET_BITS == 64
    return (lanes){ x, x, x, x, x, x, x, x };
#elif BK_SET_BITS == 128
    uint64_t a = word_of(x, 0), b = word_of(x, 1);

    return (lanes){ a, b, a, b, a, b, a, b };
#else
    return (lanes){ x[0], x[1], x[2], x[3], x[0], x[1], x[2], x[3] };
#endif
}

/* To higher squares, to lower ones; by less than 64, not 0. */
INLINE lanes lanes_up_some(lanes x, unsigned d)
{
#if BK_SET_BITS == 64
    return x << d;
#elif BK_SET_BITS == 128
    return x << d | __builtin_shufflevector(x, NO_LANES, 8, 0, 8, 2, 8, 4, 8, 6) >> (64 - d);
#else
    return x << d | __builtin_shufflevector(x, NO_LANES, 8, 0, 1, 2, 8, 4, 5, 6) >> (64 - d);
#endif
}

INLINE lanes lanes_down_some(lanes x, unsigned d)
{
#if BK_SET_BITS == 64
    return x >> d;
#elif BK_SET_BITS == 128
    return x >> d | __builtin_shufflevector(x, NO_LANES, 1, 8, 3, 8, 5, 8, 7, 8) << (64 - d);
#else
    return x >> d | __builtin_shufflevector(x, NO_LANES, 1, 2, 3, 8, 5, 6, 7, 8) << (64 - d);
#endif
}

/* The same by any number but 0. */
INLINE lanes lanes_up(lanes x, unsigned d)
{
    for (; d > 63; d -= 63)
        x = lanes_up_some(x, 63);
    return lanes_up_some(x, d);
}

INLINE lanes lanes_down(lanes x, unsigned d)
{
    for (; d > 63; d -= 63)
        x = lanes_down_some(x, 63);
    return lanes_down_some(x, d);
}

/* The same, but what leaves a set at one end may come back at the other: one operation. */
INLINE lanes lanes_rotated(lanes x, int d)
{
#if BK_SET_BITS == 64 && defined __AVX512BW__
    return (lanes)_mm512_rolv_epi64((__m512i)x, _mm512_set1_epi64(d));
#else
    return d >= 0 ? lanes_up(x, (unsigned)d) : lanes_down(x, (unsigned)-d);
#endif
}

INLINE lanes lanes_shifted(lanes x, int d)
{
    return d >= 0 ? lanes_up(x, (unsigned)d) : lanes_down(x, (unsigned)-d);
}

INLINE bool lanes_any(lanes x)
{
#ifdef __AVX512BW__
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x) != 0;
#else
    x |= __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
    x |= __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
    return (x[0] | x[1]) != 0;
#endif
}

/* Bit w: word w holds anything. */
INLINE unsigned lanes_words(lanes x)
{
#ifdef __AVX512BW__
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x);
#else
    unsigned words = 0;

    for (unsigned w = 0; w < 8; w++)
        words |= (unsigned)(x[w] != 0) << w;
    return words;
#endif
}

/* The words of the lanes whose bits are set. */
INLINE unsigned words_of_lanes(unsigned some)
{
    unsigned words = 0;

    if (WORDS == 1)
        return some;
    for (unsigned i = 0; i < LANES; i++)
        words |= (some >> i & 1) * (((1u << WORDS) - 1) << i * WORDS);
    return words;
}

/* Bit i of the result: mask[i], of n up to 8, has any of these bits. */
INLINE unsigned masks_with(const uint64_t *mask, unsigned n, uint64_t bits)
{
#ifdef __AVX512BW__
    __mmask8 all = (__mmask8)((1u << n) - 1);

    return _mm512_mask_test_epi64_mask(all, _mm512_maskz_loadu_epi64(all, mask),
                                       _mm512_set1_epi64((long long)bits));
#else
    unsigned with = 0;

    for (unsigned i = 0; i < n; i++)
        with |= (unsigned)((mask[i] & bits) != 0) << i;
    return with;
#endif
}

/* For each bit `i` of a mask, which is used up. */
#define EACH_BIT(i, mask)                                                                          \
    for (unsigned i; (mask) && (i = (unsigned)__builtin_ctz(mask), (mask) &= (mask)-1, true);)

/* For each lane `i` in which `words` (of lanes_words()) has anything; they are used up. */
#define EACH_LANE(i, words)                                                                        \
    for (unsigned i; (words) && (i = (unsigned)__builtin_ctz(words) / WORDS,                       \
                                (words) &= ~(((1u << WORDS) - 1) << i * WORDS), true);)

/* Lanes that hold anything, one after the other, and their numbers, counted from `first`.  Returns
   how many; as many as LANES may be overwritten. */
INLINE unsigned lanes_list(set *sets, uint32_t *number, lanes x, uint32_t first)
{
#if defined __AVX512VL__ && BK_SET_BITS == 64
    unsigned some = lanes_words(x);
    const __m256i place = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);

    _mm512_storeu_si512(sets, _mm512_maskz_compress_epi64((__mmask8)some, (__m512i)x));
    _mm256_storeu_si256(
        (__m256i *)number,
        _mm256_maskz_compress_epi32((__mmask8)some,
                                    _mm256_add_epi32(place, _mm256_set1_epi32((int)first))));
    return (unsigned)__builtin_popcount(some);
#else
    lane_sets one;
    unsigned n = 0;

    *(lanes *)one = x;
    for (unsigned i = 0; i < LANES; i++) {
        sets[n] = one[i];
        number[n] = first + i;
        n += any(one[i]);
    }
    return n;
#endif
}

/* == Lanes against lanes == */

/* The words of x whose bits are set, none of the others. */
INLINE lanes lanes_only(lanes x, unsigned words)
{
#ifdef __AVX512BW__
    return (lanes)_mm512_maskz_mov_epi64((__mmask8)words, (__m512i)x);
#else
    for (unsigned w = 0; w < 8; w++)
        if (!(words >> w & 1))
            x[w] = 0;
    return x;
#endif
}

/* x & y in the words whose bits are set, x in the others. */
INLINE lanes lanes_and_only(lanes x, lanes y, unsigned words)
{
#ifdef __AVX512BW__
    return (lanes)_mm512_mask_and_epi64((__m512i)x, (__mmask8)words, (__m512i)x, (__m512i)y);
#else
    return x & (y | ~lanes_only(~NO_LANES, words));
#endif
}

/* Word w becomes word (w + by) % 8. */
INLINE lanes lanes_turned(lanes x, unsigned by)
{
#ifdef __AVX512BW__
    const __m512i place = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);

    return (lanes)_mm512_permutexvar_epi64(
        _mm512_sub_epi64(place, _mm512_set1_epi64((long long)by)), (__m512i)x);
#else
    lanes twice[2] = { x, x };

    memcpy(&x, (const char *)twice + 8 * (-by & 7), sizeof x);
    return x;
#endif
}

/* All ones in the lanes in which x has nothing. */
INLINE lanes lanes_without(lanes x)
{
    lanes none = (lanes)(x == NO_LANES);

#if BK_SET_BITS >= 128
    none &= __builtin_shufflevector(none, none, 1, 0, 3, 2, 5, 4, 7, 6);
#endif
#if BK_SET_BITS == 256
    none &= __builtin_shufflevector(none, none, 2, 3, 0, 1, 6, 7, 4, 5);
#endif
    return none;
}

/* == By square == */

/* at[sq] = value for the squares of x. */
INLINE void put_where(uint8_t *at, set x, unsigned value)
{
#ifdef __AVX512BW__
    for (unsigned w = 0; w < WORDS; w++)
        _mm512_mask_storeu_epi8(at + 64 * w, word_of(x, w), _mm512_set1_epi8((char)value));
#else
    EACH (sq, x)
        at[sq] = (uint8_t)value;
#endif
}

/* Clears the top bits at the squares of x.  Returns where they were set. */
INLINE set take_top_bits(uint8_t *at, set x)
{
    set found = NONE;

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
    EACH (sq, x)
        if (at[sq] & 128) {
            at[sq] &= 127;
            found |= bit(sq);
        }
#endif
    return found;
}

/* The squares of x with at[sq] == value; or, if more, with at[sq] > value. */
INLINE set where_is(const uint8_t *at, set x, unsigned value, bool more)
{
    set found = NONE;

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
    EACH (sq, x)
        if (more ? at[sq] > value : at[sq] == value)
            found |= bit(sq);
#endif
    return found;
}

/* best[sq] = the larger of it and row[sq], or `score` if row is NULL, for the squares of x. */
INLINE void raise_to_row(int16_t *best, set x, const int16_t *row, int16_t score)
{
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
    EACH (sq, x) {
        int16_t offer = row ? row[sq] : score;

        if (offer > best[sq])
            best[sq] = offer;
    }
#endif
}

/*
 * Scores +-(win - plies) of the squares of x become at[sq] = plies / 2, at most
 * `limit` (255 or less).  Returns a mask of these; the last bit: 63 or more.
 */
INLINE uint64_t put_half_plies(uint8_t *at, set x, const int16_t *score, int16_t win,
                               unsigned limit)
{
    uint64_t seen = 0;

#ifdef __AVX512BW__
    for (unsigned half = 0; half < 2 * WORDS; half++) {
        __mmask32 m = (__mmask32)(word_of(x, half / 2) >> (32 * (half & 1)));
        __m512i k, bits = _mm512_setzero_si512();
        __m256i bytes;

        if (!m)
            continue;
        k = _mm512_abs_epi16(_mm512_maskz_loadu_epi16(m, score + 32 * half));
        k = _mm512_srli_epi16(_mm512_sub_epi16(_mm512_set1_epi16(win), k), 1);
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
    EACH (sq, x) {
        unsigned k = (unsigned)(win - (score[sq] > 0 ? score[sq] : -score[sq])) >> 1;

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

/* Of the first n squares; none: no exit; a win above `soon` is a soon one. */
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
        for (unsigned i = 0; i < here; i++) {
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
        for (unsigned sq = 0; sq < here; sq += 8) {
            uint64_t a = bk_bits_to_bytes(won >> sq), b = bk_bits_to_bytes(lost >> sq), k;
            size_t bytes = here - sq < 8 ? here - sq : 8;

            k = bk_word_get_some(out + sq, bytes);
            k = (k & (a | b) * 255) + a * win + b * loss + bk_bits_to_bytes(even >> sq) * drawn;
            bk_word_put_some(out + sq, bytes, k);
        }
#endif
    }
}

/* Of the won positions x of a row, with codes k + win, those with a score of as few plies: `zero`
   less twice their code. */
INLINE set won_as_soon(const uint8_t *code, set x, const int16_t *score, int zero)
{
    set soon = NONE;

#ifdef __AVX512BW__
    for (unsigned half = 0; half < 2 * WORDS; half++) {
        __mmask32 m = (__mmask32)(word_of(x, half / 2) >> (32 * (half & 1)));
        __m512i k;

        if (!m)
            continue;
        k = _mm512_sub_epi16(_mm512_set1_epi16((short)zero),
                             _mm512_maskz_loadu_epi16(m, score + 32 * half));
        m = _mm512_mask_cmpeq_epi16_mask(
            m, _mm512_srli_epi16(k, 1),
            _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(m, code + 32 * half)));
        soon = set_word(soon, half / 2, word_of(soon, half / 2) | (uint64_t)m << (32 * (half & 1)));
    }
#else
    EACH (sq, x)
        if (code[sq] == (unsigned)(zero - score[sq]) >> 1)
            soon |= bit(sq);
#endif
    return soon;
}

#endif
