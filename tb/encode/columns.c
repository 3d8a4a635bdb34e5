/*
 * columns.c - counting and keeping bits, for one instruction set.
 *
 * BK_COLUMNS names the table that this compilation makes: portable, bmi2 or
 * avx512.  The portable `keep` moves the bits of a word together in six steps,
 * each by a power of two (Hacker's Delight 7-4); the steps depend on the mask
 * alone, so all columns share them.  pext does the same at once.
 */
#include "tb/encode/columns.h"

#include <string.h>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#define JOIN(a, b)  a##b
#define JOIN2(a, b) JOIN(a, b)

#ifdef __BMI2__
static inline uint64_t gather(uint64_t x, uint64_t mask, const uint64_t *steps)
{
    (void)steps;
    return _pext_u64(x, mask);
}
#define STEPS 0
#else
static inline uint64_t gather(uint64_t x, uint64_t mask, const uint64_t *steps)
{
    x &= mask;
    for (unsigned i = 0; i < 6; i++) {
        uint64_t moved = x & steps[i];

        x = (x ^ moved) | moved >> (1u << i);
    }
    return x;
}
#define STEPS 6
#endif

/* Words as they fill up. */
struct filling {
    uint64_t *out, word;
    unsigned filled;
};

/* No branch: whether a word is full cannot be foreseen. */
static inline void fill(struct filling *f, uint64_t bits, uint64_t mask)
{
    unsigned n = (unsigned)__builtin_popcountll(mask);
    uint64_t full = -(uint64_t)(f->filled + n >= 64), rest = bits >> 1 >> (63 - f->filled);

    f->word |= bits << f->filled;
    *f->out = f->word;
    f->out += full & 1;
    f->word = (f->word & ~full) | (rest & full);
    f->filled = (f->filled + n) % 64;
}

static void fill_last(struct filling *f)
{
    if (f->filled)
        *f->out = f->word;
}

static void keep(uint64_t *out, const uint64_t *column, const uint64_t *mask, const uint64_t *steps,
                 size_t words)
{
    struct filling f = { out, 0, 0 };

    for (size_t i = 0; i < words; i++)
        fill(&f, gather(column[i], mask[i], steps + STEPS * i), mask[i]);
    fill_last(&f);
}

/* As quick as one keep(): neither half waits for the other, and words are read once. */
static void part(uint64_t *out, uint64_t *column, const uint64_t *mask, const uint64_t *rest,
                 const uint64_t *steps, const uint64_t *rest_steps, size_t words)
{
    struct filling f = { out, 0, 0 }, stays = { column, 0, 0 };

    for (size_t i = 0; i < words; i++) {
        uint64_t x = column[i];

        fill(&f, gather(x, mask[i], steps + STEPS * i), mask[i]);
        fill(&stays, gather(x, rest[i], rest_steps + STEPS * i), rest[i]);
    }
    fill_last(&f);
    fill_last(&stays);
}

static void count(const uint64_t *column, const uint64_t *const *class, unsigned classes,
                  size_t words, uint32_t *out)
{
    for (unsigned k = 0; k < classes; k++) {
        const uint64_t *c = class[k];
        uint64_t n = 0;

        for (size_t i = 0; i < words; i++)
            n += (uint64_t)__builtin_popcountll(column[i] & c[i]);
        out[k] = (uint32_t)n;
    }
}

static void append(uint64_t *const *column, uint64_t *partial, const uint64_t *all, unsigned stride,
                   unsigned n, uint64_t mask, const uint64_t *steps, size_t at)
{
    unsigned filled = at % 64, more = (unsigned)__builtin_popcountll(mask);

    for (unsigned j = 0; j < n; j++) {
        uint64_t bits = gather(all[(size_t)stride * j], mask, steps);

        partial[j] |= bits << filled;
        if (filled + more < 64)
            continue;
        column[j][at / 64] = partial[j];
        partial[j] = filled ? bits >> (64 - filled) : 0;
    }
}

const struct bk_columns JOIN2(bk_columns_, BK_COLUMNS) = { count, keep, part, append, STEPS };
