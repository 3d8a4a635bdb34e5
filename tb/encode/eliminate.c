/*
 * eliminate.c - Gauss on a band, for one instruction set.  HOT.
 *
 * BK_ELIMINATE names the function that this compilation makes.
 *
 * The variables are gone through from the first to the last, those of a byte at
 * once.  *Live* are the equations that begin at or before the byte and are not
 * used yet, some 40 of them.  For each variable one that has it becomes its
 * pivot, and is added to all others that have it, and to itself.
 *
 * Which rows a pivot is added to follows from the rows' present bytes alone.  Of
 * a variable, the rows that have it are a word, and eight words are in registers
 * (clear_byte()).  Then all pivots are added to each row at once (add_pivots()).
 * A row that becomes 0 goes; if it says 0 = 1, there is no solution.
 *
 * Adding each pivot to all rows before the next is looked for takes two to three
 * times as long.
 */
#include "tb/encode/eliminate.h"

#include <string.h>

#include "core/word.h"
#include "tb/encode/bytes.h"
#include "tb/encode/pivots.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

struct live {
    uint64_t *low, *high;
    uint32_t n;
};

/* Sets has[i] to those of 64 rows that have variable i of the present byte. */
#ifdef __AVX512F__

INLINE __m128i two_groups(const uint64_t *low)
{
    return _mm_unpacklo_epi64(_mm512_cvtepi64_epi8(_mm512_loadu_si512(low)),
                              _mm512_cvtepi64_epi8(_mm512_loadu_si512(low + 8)));
}

INLINE void look_at(const uint64_t *low, uint64_t has[8])
{
    __m512i byte = _mm512_castsi128_si512(two_groups(low));

    byte = _mm512_inserti32x4(byte, two_groups(low + 16), 1);
    byte = _mm512_inserti32x4(byte, two_groups(low + 32), 2);
    byte = _mm512_inserti32x4(byte, two_groups(low + 48), 3);
    for (unsigned i = 0; i < 8; i++)
        has[i] = _mm512_test_epi8_mask(byte, _mm512_set1_epi8((char)(1u << i)));
}

#else

INLINE void look_at(const uint64_t *low, uint64_t has[8])
{
    uint8_t byte[64];

    for (unsigned k = 0; k < 64; k++)
        byte[k] = (uint8_t)low[k];
    bk_bytes_planes(byte, 8, has, 1);
}

#endif

INLINE void look(const struct live *l, unsigned word, uint64_t (*rows)[LIVE_WORDS])
{
    uint32_t n = l->n - 64 * word;
    uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0), rows_of[8];

    look_at(l->low + 64 * (size_t)word, rows_of);
    for (unsigned i = 0; i < 8; i++)
        rows[i][word] = rows_of[i] & all;
}

/* Sets b->pivot: pivot i is its row plus those of the earlier pivots that were added to the row. */
INLINE void make_pivots(const struct live *l, struct byte *b, unsigned words)
{
    for (unsigned i = 0; i < 8; i++) {
        uint64_t any = 0, low = l->low[b->row[i]], high = l->high[b->row[i]];

        for (unsigned w = 0; w < words; w++)
            any |= b->added[i][w];
        any = any ? ~UINT64_C(0) : 0;
        for (unsigned j = 0; j < i; j++) {
            low ^= b->pivot[j][0] & b->in[i][j];
            high ^= b->pivot[j][1] & b->in[i][j];
        }
        b->pivot[i][0] = low & any;
        b->pivot[i][1] = high & any;
    }
}

#ifdef __AVX512F__

/* Adds the pivots to all rows, and makes the next byte's variables their lowest bits.  False: a
   row says 0 = 1. */
static bool add_pivots(struct live *l, const struct byte *b)
{
    const __m512i equation = _mm512_set1_epi64((long long)BK_EQUATION_BIT);
    __m512i low[8], high[8];
    uint32_t kept = 0;
    unsigned wrong = 0;

    for (unsigned i = 0; i < 8; i++) {
        low[i] = _mm512_set1_epi64((long long)b->pivot[i][0]);
        high[i] = _mm512_set1_epi64((long long)b->pivot[i][1]);
    }
    for (uint32_t k = 0; k < l->n; k += 8) {
        __mmask8 there = (__mmask8)(l->n - k < 8 ? (1u << (l->n - k)) - 1 : 0xff), any;
        __m512i a = _mm512_loadu_si512(l->low + k), c = _mm512_loadu_si512(l->high + k), top;

        for (unsigned i = 0; i < 8; i++) {
            __mmask8 added = (__mmask8)(b->added[i][k / 64] >> k % 64);

            a = _mm512_mask_xor_epi64(a, added, a, low[i]);
            c = _mm512_mask_xor_epi64(c, added, c, high[i]);
        }
        top = _mm512_and_si512(c, equation);
        c = _mm512_andnot_si512(equation, c);
        any = _mm512_mask_test_epi64_mask(there, a, a) | _mm512_mask_test_epi64_mask(there, c, c);
        wrong |= _mm512_mask_test_epi64_mask(there, top, top) & ~(unsigned)any;
        a = _mm512_or_si512(_mm512_srli_epi64(a, 8), _mm512_slli_epi64(c, 56));
        c = _mm512_or_si512(_mm512_srli_epi64(c, 8), top);
        _mm512_storeu_si512(l->low + kept, _mm512_maskz_compress_epi64(any, a));
        _mm512_storeu_si512(l->high + kept, _mm512_maskz_compress_epi64(any, c));
        kept += (uint32_t)__builtin_popcount(any);
    }
    l->n = kept;
    return !wrong;
}

#else

/* Returns a byte for each of the eight rows from `k` on: the pivots that are added to it. */
static uint64_t by_row(const struct byte *b, uint32_t k)
{
    uint64_t x = 0;

    for (unsigned i = 0; i < 8; i++)
        x |= (b->added[i][k / 64] >> k % 64 & 0xff) << 8 * i;
    return bk_word_transposed(x);
}

typedef uint64_t pair __attribute__((vector_size(16)));

/* The sums of four pivots, by the set of them. */
INLINE void make_sums(const uint64_t (*pivot)[2], pair sum[16])
{
    sum[0] = (pair){ 0, 0 };
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 1u << i; k++)
            sum[(1u << i) + k] = sum[k] ^ (pair) { pivot[i][0], pivot[i][1] };
}

static bool add_pivots(struct live *l, const struct byte *b)
{
    uint64_t *restrict low_of = l->low, *restrict high_of = l->high, wrong = 0;
    pair first[16], last[16];
    uint32_t kept = 0;

    make_sums(b->pivot, first);
    make_sums(b->pivot + 4, last);
    memset(low_of + l->n, 0, 8 * sizeof(*low_of));
    memset(high_of + l->n, 0, 8 * sizeof(*high_of));
    for (uint32_t from = 0; from < l->n; from += 8) {
        uint64_t added = by_row(b, from);

        for (uint32_t k = 0; k < 8; k++, added >>= 8) {
            pair sum = first[added & 15] ^ last[added >> 4 & 15];
            uint64_t low = low_of[from + k] ^ sum[0], high = high_of[from + k] ^ sum[1];
            uint64_t top = high & BK_EQUATION_BIT, any = low | (high ^ top);

            low_of[kept] = low >> 8 | high << 56;
            high_of[kept] = (high ^ top) >> 8 | top;
            wrong |= any ? 0 : top;
            kept += any != 0;
        }
    }
    l->n = kept;
    return !wrong;
}

#endif

static void take_in(struct live *l, const uint64_t *low, const uint64_t *high, uint32_t n)
{
    memcpy(l->low + l->n, low, n * sizeof(*low));
    memcpy(l->high + l->n, high, n * sizeof(*high));
    l->n += n;
}

bool BK_ELIMINATE(struct bk_ribbon_room *room, uint32_t words)
{
    struct live l = { room->live[0], room->live[1], 0 };
    uint32_t next = 0;

    for (uint32_t byte = 0; byte < 8 * words; byte++) {
        struct byte b;
        unsigned n;

        take_in(&l, room->low + next, room->high + next, room->end[byte] - next);
        next = room->end[byte];
        n = (l.n + 63) / 64;
        if (n > LIVE_WORDS)
            return false;
        for (unsigned w = 0; w == 0 || w < n; w++)
            look(&l, w, b.added);
        if (n <= 1) {
            clear_byte(&b, 1);
            make_pivots(&l, &b, 1);
        } else {
            clear_byte(&b, n);
            make_pivots(&l, &b, n);
        }
        memcpy(room->pivot + (size_t)8 * byte, b.pivot, sizeof(b.pivot));
        if (!add_pivots(&l, &b))
            return false;
    }
    return !l.n;
}
