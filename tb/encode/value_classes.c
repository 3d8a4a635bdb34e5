/*
 * value_classes.c - the values of a set, counted and sorted into classes.  See value_classes.h.
 *
 * Large sets are judged by their first EVAL_WORDS words, which are a fair sample, since rows are in
 * random order.  Where nearly all results of a set are alike, it is judged by up to EVAL_WORDS_MAX,
 * until RARE others are among them: a dozen in a million are a file's whole content, and by chance
 * none of them is in the first words.
 *
 * All is done with the planes, a word of 64 positions at a time; only where values are large are
 * they put together, for a histogram.
 */
#include "tb/encode/value_classes.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/cells.h"

#define EVAL_WORDS     4096
#define EVAL_WORDS_MAX (64 * EVAL_WORDS)
#define RARE           1024 /* positions */
#define BINS_MAX       8    /* of large values; BOUND_BINS of them share a bound */
#define BOUND_BINS     2

/* == Classes of results == */

/* Keeps class c = classes->n if some position is in it. */
static void add_class(const struct bk_learner *l, struct bk_value_classes *c, unsigned value)
{
    uint32_t n = (uint32_t)bk_learner_count(l, c->bits[c->n], c->words);

    if (!n)
        return;
    c->value[c->n] = (uint8_t)value;
    c->total[c->n++] = n;
}

/* Returns the positions of word i of a set whose result is, or is at least, `v`. */
static uint64_t of_result(const struct bk_learner *l, const struct bk_subset *s, size_t i,
                          unsigned v)
{
    uint64_t x = bk_subset_bits(s, i);

    for (unsigned b = 0; b < l->src->bits; b++)
        x &= v >> b & 1 ? s->plane[b][i] : ~s->plane[b][i];
    return x;
}

static void classes_of_small(const struct bk_learner *l, const struct bk_subset *s,
                             struct bk_value_classes *c)
{
    const uint64_t *least = s->plane[l->planes - 1];

    for (unsigned bound = 0; bound < 2; bound++) {
        for (unsigned v = bound; v < 1u << l->src->bits && c->n < BK_CLASSES_MAX; v++) {
            for (size_t i = 0; i < c->words; i++)
                c->bits[c->n][i] = of_result(l, s, i, v) & (bound ? least[i] : ~least[i]);
            add_class(l, c, v);
        }
        if (!bound)
            c->exact = c->n;
    }
}

/* == Classes of large values == */

/* Returns bit j of `byte` in byte j. */
static uint64_t spread(uint64_t byte)
{
    uint64_t x = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

    return (x + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

/* Sets `value` to the values of the 64 positions of a word. */
static void values_of(const struct bk_learner *l, const struct bk_subset *s, size_t word,
                      uint16_t *value)
{
    for (unsigned k = 0; k < 64; k += 8) {
        uint64_t low = 0, high = 0; /* bytes of eight values */

        for (unsigned b = 0; b < l->src->bits; b++) {
            uint64_t bits = spread(s->plane[b][word] >> k & 0xff);

            low |= b < 8 ? bits << b : 0;
            high |= b < 8 ? 0 : bits << (b - 8);
        }
        for (unsigned j = 0; j < 8; j++)
            value[k + j] = (uint16_t)((low >> 8 * j & 0xff) | (high >> 8 * j & 0xff) << 8);
    }
}

/* Counts the exact values of the first n positions, or of every `step`th of them.  Returns the
   largest. */
static uint32_t count_values(const struct bk_learner *l, const struct bk_subset *s, size_t n,
                             unsigned step, uint32_t *histogram)
{
    uint32_t most = 0;

    for (size_t word = 0; 64 * word < n; word++) {
        uint64_t bound = s->plane[l->src->bits][word];
        size_t end = n - 64 * word < 64 ? n - 64 * word : 64;
        uint16_t value[64];

        values_of(l, s, word, value);
        for (size_t i = 0; i < end; i += step) {
            bool exact = !(bound >> i & 1);

            histogram[value[i]] += exact;
            most = exact && value[i] > most ? value[i] : most;
        }
    }
    return most;
}

/* Sets `last` to the largest values of up to BINS_MAX bins of about equally many positions; returns
   how many bins.  Of many positions every fourth is counted.  histogram: all 0, and again after. */
static unsigned find_bins(const struct bk_learner *l, const struct bk_subset *s, size_t words,
                          uint32_t *histogram, uint32_t *last)
{
    size_t n = 64 * words < s->n ? 64 * words : s->n;
    uint32_t most = count_values(l, s, n, n > 65536 ? 4 : 1, histogram), in_bin = 0, left = 0;
    unsigned bins = 0;

    for (uint32_t v = 0; v <= most; v++)
        left += histogram[v];
    for (uint32_t v = 0; v <= most; v++) {
        in_bin += histogram[v];
        histogram[v] = 0;
        if (in_bin && bins < BINS_MAX - 1 && (uint64_t)in_bin * (BINS_MAX - bins) >= left) {
            last[bins++] = v;
            left -= in_bin;
            in_bin = 0;
        }
    }
    if (in_bin)
        last[bins++] = most;
    if (bins)
        last[bins - 1] = (1u << l->src->bits) - 1;
    return bins;
}

/* Positions of values up to `last`. */
static uint64_t up_to(const struct bk_learner *l, const struct bk_subset *s, size_t i,
                      uint32_t last)
{
    uint64_t less = 0, equal = bk_subset_bits(s, i);

    for (unsigned b = l->src->bits; b-- > 0;) {
        uint64_t p = s->plane[b][i], bound = last >> b & 1 ? ~UINT64_C(0) : 0;

        less |= equal & ~p & bound;
        equal &= ~(p ^ bound);
    }
    return less | equal;
}

/* Bins of exact values; then bounds by the highest of the BOUND_BINS bins they are in. */
static void classes_of_bins(const struct bk_learner *l, const struct bk_subset *s,
                            struct bk_value_classes *c, uint32_t *histogram)
{
    const uint64_t *least = s->plane[l->src->bits];
    uint32_t last[BINS_MAX];
    unsigned bins = find_bins(l, s, c->words, histogram, last), k = bins;

    for (size_t i = 0; i < c->words; i++) {
        uint64_t before = 0, before_bound = 0;

        for (unsigned bin = 0, bound = bins; bin < bins; bin++) {
            uint64_t now = up_to(l, s, i, last[bin]);

            c->bits[bin][i] = now & ~before & ~least[i];
            before = now;
            if (bin % BOUND_BINS != BOUND_BINS - 1 && bin + 1 < bins)
                continue;
            c->bits[bound++][i] = now & ~before_bound & least[i];
            before_bound = now;
        }
    }
    for (unsigned bin = 0; bin < bins; bin++) {
        c->value[bin] = (uint8_t)bin;
        c->total[bin] = (uint32_t)bk_learner_count(l, c->bits[bin], c->words);
        if (bin % BOUND_BINS != BOUND_BINS - 1 && bin + 1 < bins)
            continue;
        c->value[k] = (uint8_t)bin;
        c->total[k] = (uint32_t)bk_learner_count(l, c->bits[k], c->words);
        k++;
    }
    c->exact = bins;
    while (k > bins && !c->total[k - 1])
        k--;
    c->n = k;
}

/* == Words that are judged == */

/* Positions with each result: [0] exactly, [1] at least. */
typedef uint32_t result_counts[2][1u << BK_RESULT_BITS];

/* Adds the results of the words `from` to `end` - 1 of a set to `count`. */
static void count_results(const struct bk_learner *l, const struct bk_subset *s, size_t from,
                          size_t end, result_counts count)
{
    const uint64_t *least = s->plane[l->planes - 1];

    for (size_t i = from; i < end; i++)
        for (unsigned v = 0; v < 1u << l->src->bits; v++) {
            uint64_t x = of_result(l, s, i, v);

            count[0][v] += bk_count_bits(x & ~least[i]);
            count[1][v] += bk_count_bits(x & least[i]);
        }
}

/* Returns how many of the positions counted neither have nor may have the result that leaves
   fewest. */
static uint32_t others(result_counts count)
{
    uint32_t fewest = UINT32_MAX;

    for (unsigned result = 0; result < 1u << BK_RESULT_BITS; result++) {
        uint32_t n = 0;

        for (unsigned v = 0; v < 1u << BK_RESULT_BITS; v++)
            n += (v != result ? count[0][v] : 0) + (v > result ? count[1][v] : 0);
        fewest = n < fewest ? n : fewest;
    }
    return fewest;
}

/* Returns how many words of a set it is judged by. */
static size_t words_judged(const struct bk_learner *l, const struct bk_subset *s)
{
    result_counts count = { { 0 } };
    size_t words = EVAL_WORDS, counted = 0;

    while (words + words / 2 < s->words) {
        if (!l->small || words == EVAL_WORDS_MAX)
            return words;
        count_results(l, s, counted, words, count);
        if (others(count) >= RARE)
            return words;
        counted = words;
        words *= 2;
    }
    return s->words;
}

struct bk_value_classes *bk_value_classes_new(const struct bk_learner *l, const struct bk_subset *s,
                                              uint32_t *histogram)
{
    size_t words = words_judged(l, s);
    struct bk_value_classes *c = malloc(sizeof *c + BK_CLASSES_MAX * words * sizeof(uint64_t));

    if (!c)
        return NULL;
    *c = (struct bk_value_classes){ .words = words };
    for (unsigned k = 0; k < BK_CLASSES_MAX; k++)
        c->bits[k] = (uint64_t *)(void *)(c + 1) + k * words;
    if (l->small)
        classes_of_small(l, s, c);
    else
        classes_of_bins(l, s, c, histogram);
    return c;
}

/* == Guesses == */

uint16_t bk_guess_value(const struct bk_learner *l, const struct bk_subset *s, uint32_t *histogram,
                        int64_t *left)
{
    uint32_t most = count_values(l, s, s->n, 1, histogram), best = 0, all = 0;

    for (uint32_t v = 0; v <= most; v++) {
        if (histogram[v] > histogram[best])
            best = v;
        all += histogram[v];
        *left -= bk_n_log_n(l->logs, histogram[v]);
    }
    *left += bk_n_log_n(l->logs, all);
    memset(histogram, 0, (most + 1) * sizeof(*histogram));
    return (uint16_t)best;
}
