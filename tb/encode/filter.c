/*
 * filter.c - keys and the filters of a ribbon, for one instruction set.  HOT.
 *
 * BK_FILTER names the function that this compilation makes.
 */
#include "tb/encode/filter.h"

#ifdef __AVX512F__

#include <immintrin.h>

/* What bk_ribbon_bit() needs of a ribbon, in eight lanes each. */
struct lanes {
    const uint8_t *bytes;
    __m512i factor, starts, last; /* last: the last byte that a window begins with */
};

static struct lanes lanes_of(const struct bk_ribbon *a)
{
    uint32_t bytes = 8 * a->words;

    return (struct lanes){ a->bytes, _mm512_set1_epi64((long long)a->factor),
                           _mm512_set1_epi64(bytes + 1LL), _mm512_set1_epi64(bytes - 16LL) };
}

/* bk_ribbon_bit() of eight keys. */
static inline __mmask8 ribbon_bits(const struct lanes *l, __m512i key)
{
    const __m512i eight = _mm512_set1_epi64(8);
    __m512i x = _mm512_mullo_epi64(key, l->factor), at, low, high;
    __m512i c = _mm512_xor_si512(x, _mm512_srli_epi64(x, 29));

    at = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), l->starts), 32);
    at = _mm512_sub_epi64(_mm512_max_epu64(at, eight), eight);
    at = _mm512_min_epu64(at, l->last);
    low = _mm512_i64gather_epi64(at, l->bytes, 1);
    high = _mm512_i64gather_epi64(at, l->bytes + 8, 1);
    low =
        _mm512_and_si512(low, _mm512_mullo_epi64(c, _mm512_set1_epi64((long long)BK_RIBBON_MASK0)));
    high = _mm512_and_si512(
        high,
        _mm512_srli_epi64(_mm512_mullo_epi64(c, _mm512_set1_epi64((long long)BK_RIBBON_MASK1)), 1));
    return _mm512_test_epi64_mask(_mm512_popcnt_epi64(_mm512_xor_si512(low, high)),
                                  _mm512_set1_epi64(1));
}

/* Returns which of eight keys pass, of those that are `there`. */
static inline __mmask8 passes(const struct lanes *l, __m512i key, __m512i bits, __mmask8 there)
{
    __m512i print = key, j = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    __mmask8 right = there;

    for (;;) {
        __mmask8 asked = right & _mm512_cmplt_epu64_mask(j, bits);

        if (!asked)
            return right;
        right &= (__mmask8) ~(asked & (ribbon_bits(l, key) ^ _mm512_test_epi64_mask(print, one)));
        key = _mm512_mullo_epi64(key, _mm512_set1_epi64((long long)BK_FILTER_STEP));
        print = _mm512_srli_epi64(print, 1);
        j = _mm512_add_epi64(j, one);
    }
}

size_t BK_FILTER(const struct bk_ribbon *a, const uint64_t *key, const uint8_t *bits, size_t n,
                 uint16_t *passed)
{
    const struct lanes l = lanes_of(a);
    size_t found = 0;

    if (!a->words)
        return 0;
    for (size_t i = 0; i < n; i += 8) {
        __mmask8 there = n - i < 8 ? (__mmask8)((1u << (n - i)) - 1) : 0xff;
        __m512i b =
            _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(bits + i)));
        unsigned right = passes(&l, _mm512_loadu_si512(key + i), b, there);

        for (; right; right &= right - 1)
            passed[found++] = (uint16_t)(i + (unsigned)__builtin_ctz(right));
    }
    return found;
}

#else

/* Keys that go through their filters together. */
enum { TOGETHER = 256 };

/*
 * BK_FILTER() of n keys, no more than TOGETHER, numbered from `first` on.  Bit by bit: keys that
 * were wrong drop out, half of them each time, without a branch for each; the answers to different
 * keys are worked out side by side.
 */
static size_t pass_together(const struct bk_ribbon *a, const uint64_t *key, const uint8_t *bits,
                            size_t n, size_t first, uint16_t *passed)
{
    uint64_t next[TOGETHER];
    bool more = true;

    for (size_t i = 0; i < n; i++) {
        next[i] = key[i];
        passed[i] = (uint16_t)i;
    }
    for (unsigned j = 0; more && n; j++) {
        size_t left = 0;

        more = false;
        for (size_t i = 0; i < n; i++) {
            unsigned k = passed[i], asked = bits[k] > j;
            unsigned wrong = bk_ribbon_bit(a, next[i]) ^ (key[k] >> j & 1);

            more |= bits[k] > j + 1;
            passed[left] = (uint16_t)k;
            next[left] = bk_next_filter_key(next[i]);
            left += !(wrong & asked);
        }
        n = left;
    }
    for (size_t i = 0; i < n; i++)
        passed[i] = (uint16_t)(first + passed[i]);
    return n;
}

size_t BK_FILTER(const struct bk_ribbon *a, const uint64_t *key, const uint8_t *bits, size_t n,
                 uint16_t *passed)
{
    size_t found = 0;

    if (!a->words)
        return 0;
    for (size_t i = 0; i < n; i += TOGETHER)
        found += pass_together(a, key + i, bits + i, n - i < TOGETHER ? n - i : TOGETHER, i,
                               passed + found);
    return found;
}

#endif
