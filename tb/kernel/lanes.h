/*
 * lanes.h - several sets at once.
 *
 * The inner man's moves, and most other work on sets, are the same for every
 * configuration but for what stands in the way.  So they are done for LANES
 * configurations at a time, in 64 bytes: 8 sets of 64 bits, 4 of 128, 2 of 256.
 * The compiler makes one AVX-512, two AVX2 or four SSE2 operations of each; only
 * what C has no words for, masks, is written down for AVX2 and AVX-512 besides.
 */
#ifndef BK_LANES_H
#define BK_LANES_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <string.h>

#include "core/set.h"

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

/* == Parts == */

/*
 * A part is what fits one register, a whole set at least: a vector is one, two or four parts.  gcc
 * keeps in memory what is larger, so whatever changes a value step by step does it part by part.
 */
#if defined __AVX512BW__
#define PART_WORDS 8
#elif defined __AVX2__ || BK_SET_BITS == 256
#define PART_WORDS 4
#else
#define PART_WORDS 2
#endif
#define PARTS (8 / PART_WORDS)

typedef uint64_t part __attribute__((vector_size(8 * PART_WORDS), may_alias));
#define NO_PART ((part){ 0 })

/* For each part, by number. */
#define EACH_PART(p) for (unsigned p = 0; p < PARTS; p++)

INLINE part part_of(const lanes *x, unsigned p) { return ((const part *)x)[p]; }
INLINE void set_part(lanes *x, unsigned p, part y) { ((part *)x)[p] = y; }

/* The same set in every lane. */
INLINE part part_with(set x)
{
    lanes all = lanes_of(x);

    return part_of(&all, 0);
}

INLINE bool part_any(part x)
{
#if PART_WORDS == 8
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x) != 0;
#elif PART_WORDS == 4 && defined __AVX2__
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
    uint64_t some = 0;

    for (unsigned w = 0; w < PART_WORDS; w++)
        some |= x[w];
    return some != 0;
#endif
}

#if BK_SET_BITS > 64
/* Move every word one place up, or down, within its set; 0 comes in. */
INLINE part words_up(part x)
{
#if BK_SET_BITS == 128 && PART_WORDS == 8
    return __builtin_shufflevector(x, NO_PART, 8, 0, 8, 2, 8, 4, 8, 6);
#elif BK_SET_BITS == 128 && PART_WORDS == 4
    return __builtin_shufflevector(x, NO_PART, 4, 0, 4, 2);
#elif BK_SET_BITS == 128
    return __builtin_shufflevector(x, NO_PART, 2, 0);
#elif PART_WORDS == 8
    return __builtin_shufflevector(x, NO_PART, 8, 0, 1, 2, 8, 4, 5, 6);
#else
    return __builtin_shufflevector(x, NO_PART, 4, 0, 1, 2);
#endif
}

INLINE part words_down(part x)
{
#if BK_SET_BITS == 128 && PART_WORDS == 8
    return __builtin_shufflevector(x, NO_PART, 1, 8, 3, 8, 5, 8, 7, 8);
#elif BK_SET_BITS == 128 && PART_WORDS == 4
    return __builtin_shufflevector(x, NO_PART, 1, 4, 3, 4);
#elif BK_SET_BITS == 128
    return __builtin_shufflevector(x, NO_PART, 1, 2);
#elif PART_WORDS == 8
    return __builtin_shufflevector(x, NO_PART, 1, 2, 3, 8, 5, 6, 7, 8);
#else
    return __builtin_shufflevector(x, NO_PART, 1, 2, 3, 4);
#endif
}
#endif

/* Shift every set to higher squares, or to lower ones, by 1 to 63. */
INLINE part part_up_some(part x, unsigned d)
{
#if BK_SET_BITS == 64
    return x << d;
#else
    return x << d | words_up(x) >> (64 - d);
#endif
}

INLINE part part_down_some(part x, unsigned d)
{
#if BK_SET_BITS == 64
    return x >> d;
#else
    return x >> d | words_down(x) << (64 - d);
#endif
}

/* Shift every set likewise, by any number but 0. */
INLINE part part_up(part x, unsigned d)
{
    for (; d > 63; d -= 63)
        x = part_up_some(x, 63);
    return part_up_some(x, d);
}

INLINE part part_down(part x, unsigned d)
{
    for (; d > 63; d -= 63)
        x = part_down_some(x, 63);
    return part_down_some(x, d);
}

/* Shifts every set by `d`, not 0, up or (negative) down; what leaves it at one end may come back at
   the other. */
INLINE part part_rotated(part x, int d)
{
#if BK_SET_BITS == 64 && defined __AVX512BW__
    return (part)_mm512_rolv_epi64((__m512i)x, _mm512_set1_epi64(d));
#elif BK_SET_BITS == 64
    return x << (d & 63) | x >> (-d & 63);
#else
    return d >= 0 ? part_up(x, (unsigned)d) : part_down(x, (unsigned)-d);
#endif
}

/* Returns all ones in the lanes in which x is empty, else 0. */
INLINE part part_without(part x)
{
    part none = (part)(x == NO_PART);

#if BK_SET_BITS == 128 && PART_WORDS == 8
    none &= __builtin_shufflevector(none, none, 1, 0, 3, 2, 5, 4, 7, 6);
#elif BK_SET_BITS == 128 && PART_WORDS == 4
    none &= __builtin_shufflevector(none, none, 1, 0, 3, 2);
#elif BK_SET_BITS == 128
    none &= __builtin_shufflevector(none, none, 1, 0);
#elif BK_SET_BITS == 256 && PART_WORDS == 8
    none &= __builtin_shufflevector(none, none, 1, 0, 3, 2, 5, 4, 7, 6);
    none &= __builtin_shufflevector(none, none, 2, 3, 0, 1, 6, 7, 4, 5);
#elif BK_SET_BITS == 256
    none &= __builtin_shufflevector(none, none, 1, 0, 3, 2);
    none &= __builtin_shufflevector(none, none, 2, 3, 0, 1);
#endif
    return none;
}

#if PART_WORDS == 4 && defined __AVX2__
/* Bit w: word w is empty. */
INLINE unsigned words_empty(part x)
{
    __m256i empty = _mm256_cmpeq_epi64((__m256i)x, _mm256_setzero_si256());

    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(empty));
}

/* All ones in the words whose bits are set. */
INLINE part words_full(unsigned words)
{
    const part place = { 1, 2, 4, 8 };
    part here = (part)_mm256_set1_epi64x((long long)words) & place;

    return (part)(here == place);
}
#endif

/* Clears the words of x, part p of a vector, whose bits are not set in `words`, the vector's. */
INLINE part part_only(part x, unsigned words, unsigned p)
{
    words >>= PART_WORDS * p;
#if PART_WORDS == 8
    return (part)_mm512_maskz_mov_epi64((__mmask8)words, (__m512i)x);
#elif PART_WORDS == 4 && defined __AVX2__
    return x & words_full(words);
#else
    for (unsigned w = 0; w < PART_WORDS; w++)
        x[w] &= -(uint64_t)(words >> w & 1);
    return x;
#endif
}

/* x & y in the words whose bits are set, x in the others. */
INLINE part part_and_only(part x, part y, unsigned words, unsigned p)
{
#if PART_WORDS == 8
    (void)p;
    return (part)_mm512_mask_and_epi64((__m512i)x, (__mmask8)words, (__m512i)x, (__m512i)y);
#else
    return x & (y | ~part_only(~NO_PART, words, p));
#endif
}

/* Rotates a vector in parts: word w becomes word (w + by) % 8. */
INLINE void parts_turn(part x[PARTS], unsigned by)
{
#if PART_WORDS == 8
    const __m512i place = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);

    x[0] = (part)_mm512_permutexvar_epi64(_mm512_sub_epi64(place, _mm512_set1_epi64((long long)by)),
                                          (__m512i)x[0]);
#elif PART_WORDS == 4 && defined __AVX2__
    /* halves of words; the fourth bit of a place says in which part */
    const __m256i half = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    __m256i place = _mm256_sub_epi32(half, _mm256_set1_epi32((int)(2 * by)));
    __m256 other = _mm256_castsi256_ps(_mm256_slli_epi32(place, 28));
    __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32((__m256i)x[0], place));
    __m256 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32((__m256i)x[1], place));

    x[0] = (part)_mm256_castps_si256(_mm256_blendv_ps(a, b, other));
    x[1] = (part)_mm256_castps_si256(_mm256_blendv_ps(b, a, other));
#else
    part old[PARTS];

    memcpy(old, x, sizeof old);
    for (unsigned w = 0; w < 8; w++)
        x[(w + by) % 8 / PART_WORDS][(w + by) % PART_WORDS] = old[w / PART_WORDS][w % PART_WORDS];
#endif
}

/* == Whole vectors == */

INLINE bool lanes_any(lanes x)
{
    part some = part_of(&x, 0);

    for (unsigned p = 1; p < PARTS; p++)
        some |= part_of(&x, p);
    return part_any(some);
}

/* Bit w: word w holds anything. */
INLINE unsigned lanes_words(lanes x)
{
#ifdef __AVX512BW__
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x);
#elif defined __AVX2__
    return 255u ^ (words_empty(part_of(&x, 0)) | words_empty(part_of(&x, 1)) << 4);
#else
    unsigned words = 0;

    for (unsigned w = 0; w < 8; w++)
        words |= (unsigned)(x[w] != 0) << w;
    return words;
#endif
}

/* Returns the bits of the words that belong to the lanes in `some`. */
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

#ifdef __AVX2__
    if (n == 8) {
        const part wanted = (part)_mm256_set1_epi64x((long long)bits);
        part low = (part)_mm256_loadu_si256((const __m256i *)mask);
        part high = (part)_mm256_loadu_si256((const __m256i *)(mask + 4));

        return 255u ^ (words_empty(low & wanted) | words_empty(high & wanted) << 4);
    }
#endif

    for (unsigned i = 0; i < n; i++)
        with |= (unsigned)((mask[i] & bits) != 0) << i;
    return with;
#endif
}

/* For each lane `i` with a bit in `words` (of lanes_words()), which is used up. */
#define EACH_LANE(i, words)                                                                        \
    for (unsigned i; (words) && (i = (unsigned)__builtin_ctz(words) / WORDS,                       \
                                (words) &= ~(((1u << WORDS) - 1) << i * WORDS), true);)

/* Writes the lanes of x that hold anything to `sets`, and their numbers, counted from `first`, to
   `number`.  Returns how many; as many as LANES may be overwritten. */
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

/* Clears the words of x whose bits are not set in `words`. */
INLINE lanes lanes_only(lanes x, unsigned words)
{
    EACH_PART (p)
        set_part(&x, p, part_only(part_of(&x, p), words, p));
    return x;
}

#endif
