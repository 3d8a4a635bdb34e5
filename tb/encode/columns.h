/*
 * columns.h - bit columns: what learning a tree does to a hundred million bits.
 *
 * A column holds one bit a training position: whether a fact is true there, or
 * a bit of its value.  HOT: plain arrays in, numbers out.  Compiled portably
 * and for instruction sets with popcnt and pext; all give the same results.
 */
#ifndef BK_COLUMNS_H
#define BK_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#define BK_CLASSES_MAX 12

/* Words of a column of so many positions. */
static inline size_t bk_column_words(uint64_t positions) { return (size_t)((positions + 63) / 64); }

/* The bits that leave a column that is parted, and the `rest` that stay; each mask with its steps,
   as bk_columns_steps() made them. */
struct bk_column_parts {
    const uint64_t *mask, *rest;
    const uint64_t *steps, *rest_steps;
};

struct bk_columns {
    /* count[k]: how many bits `column` and class[k] have in common. */
    void (*count)(const uint64_t *column, const uint64_t *const *class, unsigned classes,
                  size_t words, uint32_t *count);
    /*
     * Writes the bits of column[j] where `mask` has one, close together, to out[j], which has room
     * for all of them and a word more, and may be column[j] itself; for each j < n.  steps: as
     * bk_columns_steps() made them of the mask.
     */
    void (*keep)(uint64_t *const *out, uint64_t *const *column, unsigned n, const uint64_t *mask,
                 const uint64_t *steps, size_t words);
    /* Keeps both parts: the bits in `mask` go to out[j], which must not overlap column[j], those in
       `rest` stay in column[j]. */
    void (*part)(uint64_t *const *out, uint64_t *const *column, unsigned n,
                 const struct bk_column_parts *parts, size_t words);
    /*
     * Appends the bits of all[stride * j] where `mask` has one to column j, for each j < n:
     * bit `at` of the column is the first free one; partial[j] holds its last, unfinished word.
     */
    void (*append)(uint64_t *const *column, uint64_t *partial, const uint64_t *all, unsigned stride,
                   unsigned n, uint64_t mask, const uint64_t *steps, size_t at);
    unsigned steps; /* words of `steps` for each word of the mask: 6, or 0 where none are needed */
};

extern const struct bk_columns bk_columns_portable;
#ifdef __x86_64__
extern const struct bk_columns bk_columns_avx2, bk_columns_avx512; /* avx512: only to count */
#endif

/* Returns the fastest that this machine can run. */
struct bk_columns bk_columns_for(void);

/* Sets `steps` for a mask of `words` words: 6 words for each, which the portable columns need. */
void bk_columns_steps(uint64_t *steps, const uint64_t *mask, size_t words);

#endif
