/*
 * columns.c - counting and keeping bits, for one instruction set.
 *
 * BK_COLUMNS names the table that this compilation makes: portable, avx2 or
 * avx512.  The last counts alone, and moves bits as avx2 does: with more registers
 * the compiler makes that a fifth slower.  The portable `keep` moves the bits of a word together in
 * six steps, each by a power of two (Hacker's Delight 7-4); the steps depend on the mask alone, so
 * all columns share them.  pext does the same at once.
 */
#include "tb/encode/columns.h"

#include <string.h>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#define JOIN(a, b)  a##b
#define JOIN2(a, b) JOIN(a, b)

#ifdef __BMI2__
/* steps: of all words; NULL where they are not needed */
static inline uint64_t gather(uint64_t x, uint64_t mask, const uint64_t *steps, size_t word)
{
    (void)steps;
    (void)word;
    return _pext_u64(x, mask);
}
#define STEPS 0
#else
static inline uint64_t gather(uint64_t x, uint64_t mask, const uint64_t *steps, size_t word)
{
    steps += 6 * word;
    x &= mask;
    for (unsigned i = 0; i < 6; i++) {
        uint64_t moved = x & steps[i];

        x = (x ^ moved) | moved >> (1u << i);
    }
    return x;
}
#define STEPS 6
#endif

#define INLINE static inline __attribute__((always_inline))

/* Columns handled at once: a single one would wait for each word before the next, and what follows
   from the mask is computed once for all. */
#define TOGETHER 4

/* Several columns being packed: where full words go, and the words that are not full yet. */
struct packed {
    uint64_t *to[TOGETHER], word[TOGETHER];
    unsigned filled; /* bits in each word[j] */
    size_t at;
};

INLINE struct packed packed_to(uint64_t *const *to, unsigned n)
{
    struct packed p = { .filled = 0 };

    for (unsigned j = 0; j < n; j++) /* a copy: a store might else change a pointer */
        p.to[j] = to[j];
    return p;
}

/* Appends `more` bits to each column.  The branch is predicted: a mask serves many columns. */
INLINE void pack(struct packed *p, const uint64_t *bits, unsigned n, unsigned more)
{
    for (unsigned j = 0; j < n; j++)
        p->word[j] |= bits[j] << p->filled;
    if (p->filled + more >= 64) {
        for (unsigned j = 0; j < n; j++) {
            p->to[j][p->at] = p->word[j];
            p->word[j] = bits[j] >> 1 >> (63 - p->filled);
        }
        p->at++;
    }
    p->filled = (p->filled + more) % 64;
}

INLINE void end_packed(const struct packed *p, unsigned n)
{
    for (unsigned j = 0; p->filled && j < n; j++)
        p->to[j][p->at] = p->word[j];
}

INLINE void keep_some(uint64_t *const *out, uint64_t *const *column, unsigned n,
                      const uint64_t *mask, const uint64_t *steps, size_t words)
{
    struct packed p = packed_to(out, n);
    uint64_t *from[TOGETHER], bits[TOGETHER];

    for (unsigned j = 0; j < n; j++)
        from[j] = column[j];
    for (size_t i = 0; i < words; i++) {
        for (unsigned j = 0; j < n; j++)
            bits[j] = gather(from[j][i], mask[i], steps, i);
        pack(&p, bits, n, (unsigned)__builtin_popcountll(mask[i]));
    }
    end_packed(&p, n);
}

/* Keeps both parts in one pass: large columns are in no cache.  Bits that stay are never written
   beyond the word that is read. */
INLINE void part_some(uint64_t *const *out, uint64_t *const *column, unsigned n,
                      const struct bk_column_parts *m, size_t words)
{
    struct packed goes = packed_to(out, n), stays = packed_to(column, n);
    uint64_t bits[TOGETHER], rest[TOGETHER];

    for (size_t i = 0; i < words; i++) {
        for (unsigned j = 0; j < n; j++) {
            uint64_t x = stays.to[j][i];

            bits[j] = gather(x, m->mask[i], m->steps, i);
            rest[j] = gather(x, m->rest[i], m->rest_steps, i);
        }
        pack(&goes, bits, n, (unsigned)__builtin_popcountll(m->mask[i]));
        pack(&stays, rest, n, (unsigned)__builtin_popcountll(m->rest[i]));
    }
    end_packed(&goes, n);
    end_packed(&stays, n);
}

static void keep(uint64_t *const *out, uint64_t *const *column, unsigned n, const uint64_t *mask,
                 const uint64_t *steps, size_t words)
{
    for (; n >= TOGETHER; n -= TOGETHER, out += TOGETHER, column += TOGETHER)
        keep_some(out, column, TOGETHER, mask, steps, words);
    for (; n; n--, out++, column++)
        keep_some(out, column, 1, mask, steps, words);
}

static void part(uint64_t *const *out, uint64_t *const *column, unsigned n,
                 const struct bk_column_parts *m, size_t words)
{
    for (; n >= TOGETHER; n -= TOGETHER, out += TOGETHER, column += TOGETHER)
        part_some(out, column, TOGETHER, m, words);
    for (; n; n--, out++, column++)
        part_some(out, column, 1, m, words);
}

/* How many bits two columns have in common. */
INLINE uint64_t in_common_of(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t n = 0;

    for (size_t i = 0; i < words; i++)
        n += (uint64_t)__builtin_popcountll(a[i] & b[i]);
    return n;
}

#if defined __AVX2__ && !defined __AVX512F__

INLINE __m256i four_words(const uint64_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* Counts the bits of each eight bytes; the counts of half bytes are looked up. */
INLINE __m256i bits_of(__m256i x)
{
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i bits =
        _mm256_broadcastsi128_si256(_mm_set_epi8(4, 3, 3, 2, 3, 2, 2, 1, 3, 2, 2, 1, 2, 1, 1, 0));
    __m256i low = _mm256_shuffle_epi8(bits, _mm256_and_si256(x, half));
    __m256i high = _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(x, 4), half));

    return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

/* With fewer words, adding up the vector takes longer than counting. */
enum { MANY_WORDS = 8 };

INLINE uint64_t in_common(const uint64_t *a, const uint64_t *b, size_t words)
{
    __m256i n = _mm256_setzero_si256();
    __m128i sum;
    size_t i = 0;

    if (words < MANY_WORDS)
        return in_common_of(a, b, words);
    for (; i + 4 <= words; i += 4)
        n = _mm256_add_epi64(n, bits_of(_mm256_and_si256(four_words(a + i), four_words(b + i))));
    sum = _mm_add_epi64(_mm256_castsi256_si128(n), _mm256_extracti128_si256(n, 1));
    sum = _mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum));
    return (uint64_t)_mm_cvtsi128_si64(sum) + in_common_of(a + i, b + i, words - i);
}

#else
#define in_common in_common_of
#endif

static void count(const uint64_t *column, const uint64_t *const *class, unsigned classes,
                  size_t words, uint32_t *out)
{
    for (unsigned k = 0; k < classes; k++)
        out[k] = (uint32_t)in_common(column, class[k], words);
}

static void append(uint64_t *const *column, uint64_t *partial, const uint64_t *all, unsigned stride,
                   unsigned n, uint64_t mask, const uint64_t *steps, size_t at)
{
    unsigned filled = at % 64, more = (unsigned)__builtin_popcountll(mask);

    for (unsigned j = 0; j < n; j++) {
        uint64_t bits = gather(all[(size_t)stride * j], mask, steps, 0);

        partial[j] |= bits << filled;
        if (filled + more < 64)
            continue;
        column[j][at / 64] = partial[j];
        partial[j] = filled ? bits >> (64 - filled) : 0;
    }
}

const struct bk_columns JOIN2(bk_columns_, BK_COLUMNS) = { count, keep, part, append, STEPS };
