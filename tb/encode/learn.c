/*
 * learn.c - see learn.h.
 *
 * A node begins as a set of positions.  It is split by the fact that gains most, its positions are
 * parted, and the smaller part is grown before the larger: so few sets are there at a time, each at
 * most half as large as the one that waits for it.  If no split gains enough, the node is a leaf.
 *
 * Chapters, each built on those before it: sets of positions as columns of bits; the values of a
 * set, sorted into classes; the best split; parting a set in two; growing the tree.
 *
 * Cost: every column of a set is counted against every class of its values, over the words that the
 * set is judged by; then it is read once or twice, and written once.
 *
 * Threads: sets above TASK_POSITIONS are split one after another, with the columns shared out;
 * smaller ones are tasks, each grown in one thread.  The tree depends on neither.  All threads read
 * one struct learner; only `failed` changes meanwhile.
 *
 * Wherever a `histogram` is handed on: 2^src->bits numbers, all 0, and again after.
 *
 * Rejected: learning a second tree for impure leaves from more rows (no gain on the front of size
 * and time).
 */
#include "tb/encode/learn.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/cells.h"
#include "tb/encode/columns.h"

#define BATCH 8 /* columns that a thread takes at a time */

/* A tree under way, as every chapter knows it. */
struct learner {
    const struct bk_unit_source *src;
    const struct bk_logs *logs;
    struct bk_columns ops;
    struct bk_spill *spill;
    unsigned facts, planes;
    bool small;  /* each value is a class */
    bool partly; /* not all rows are learned from */
    int64_t min_gain;
    _Atomic bool failed; /* no memory */
};

/* Returns how many bits of these words are set. */
static inline uint64_t count_set_bits(const struct learner *l, const uint64_t *a, size_t words)
{
    uint32_t n;

    l->ops.count(a, &a, 1, words, &n);
    return n;
}

/* == Sets of positions ==
 *
 * A set has a column of bits, one a position, for every fact still alive, and planes for the
 * values: a column for each of their bits, and last one that tells bounds.  The columns of large
 * sets lie in the sample, those of others in a block of their own.  Lists of columns and own
 * columns are one piece of memory, since a set is made and freed for every node.
 */

struct value_classes;

struct subset {
    uint32_t n;         /* positions */
    size_t words, room; /* of a column: used; allocated */
    unsigned cols;
    uint16_t *fact;                /* by column */
    uint64_t **col;                /* by column; in `block` or, of large sets, in the sample */
    uint64_t **plane;              /* of values, and last the bounds */
    void *block;                   /* owned: these lists, and columns of its own */
    struct value_classes *classes; /* owned: of its values, if is_leaf() kept them; else NULL */
    bool leaf;                     /* no split gains enough: the facts are not there */
};

/* Returns which bits of a word of its columns stand for positions: all, but perhaps in the last. */
static inline uint64_t subset_bits(const struct subset *s, size_t word)
{
    return 64 * (word + 1) <= s->n ? ~UINT64_C(0) : (UINT64_C(1) << s->n % 64) - 1;
}

/* Makes `s` a set of up to `n` positions, with columns of its own.  False: no memory. */
static bool subset_new(const struct learner *l, struct subset *s, unsigned cols, uint64_t n)
{
    size_t words = bk_column_words(n) + 1, columns = cols + l->planes;
    uint64_t *bits;

    *s = (struct subset){
        .n = (uint32_t)n, .words = bk_column_words(n), .room = words, .cols = cols
    };
    s->block = bk_spill_resize(NULL, columns * (words * sizeof(*bits) + sizeof(*s->col)) +
                                         cols * sizeof(*s->fact));
    if (!s->block)
        return false;
    bits = s->block;
    s->col = (uint64_t **)(void *)(bits + columns * words);
    s->plane = s->col + cols;
    s->fact = (uint16_t *)(void *)(s->col + columns);
    for (size_t j = 0; j < columns; j++)
        s->col[j] = bits + j * words;
    return true;
}

/* As subset_new(), without columns of its own: they lie in the sample's. */
static bool subset_new_within(const struct learner *l, struct subset *s, unsigned cols, uint64_t n)
{
    size_t columns = cols + l->planes;

    *s = (struct subset){ .n = (uint32_t)n, .words = bk_column_words(n), .cols = cols };
    s->block = bk_spill_resize(NULL, columns * sizeof(*s->col) + cols * sizeof(*s->fact) + 1);
    if (!s->block)
        return false;
    s->col = s->block;
    s->plane = s->col + cols;
    s->fact = (uint16_t *)(void *)(s->col + columns);
    return true;
}

/* Frees what a set owns, and makes it one of no positions. */
static void subset_free(struct subset *s)
{
    bk_spill_free(s->block);
    bk_spill_free(s->classes);
    *s = (struct subset){ 0 };
}

/* Makes `s` the set of all positions of the sample.  False: no memory. */
static bool subset_of_sample(const struct learner *l, struct subset *s,
                             const struct bk_sample *sample)
{
    if (!subset_new_within(l, s, l->facts, sample->positions))
        return false;
    s->room = sample->room;
    for (size_t j = 0; j < l->facts + l->planes; j++)
        s->col[j] = sample->bits + j * sample->room;
    for (unsigned j = 0; j < l->facts; j++)
        s->fact[j] = (uint16_t)j;
    return true;
}

/* Drops the dead columns; the planes move up behind those that are left. */
static void subset_drop(const struct learner *l, struct subset *s, const bool *dead)
{
    unsigned n = 0;

    for (unsigned j = 0; j < s->cols; j++)
        if (!dead[j]) {
            s->fact[n] = s->fact[j];
            s->col[n++] = s->col[j];
        }
    memmove(s->col + n, s->plane, l->planes * sizeof(*s->col));
    s->plane = s->col + n;
    s->cols = n;
}

/* == Classes of values ==
 *
 * Splits are judged by classes.  Of values below 4 (wdl) these are the values themselves, and for
 * each bound those positions that are "at least" it.  Of larger values they are up to eight
 * quantiles of those in the set, and half as many of bounds.
 *
 * Large sets are judged by their first EVAL_WORDS words, which are a fair sample, since rows are in
 * random order.  If nearly all results of a set are alike, it is judged by up to EVAL_WORDS_MAX,
 * until RARE others are among them: a dozen in a million are a file's whole content, and by chance
 * none of them is in the first words.
 *
 * All is done with the planes, a word of 64 positions at a time; only large values are put
 * together, for a histogram.
 */

#define EVAL_WORDS     4096
#define EVAL_WORDS_MAX (64 * EVAL_WORDS)
#define RARE           1024 /* positions */
#define BINS_MAX       8    /* of large values; BOUND_BINS of them share a bound */
#define BOUND_BINS     2

/* The classes that the positions of a node fall into. */
struct value_classes {
    unsigned n, exact;             /* the first `exact` are values or bins; then come bounds */
    uint8_t value[BK_CLASSES_MAX]; /* of values below 4: the class's value or bound */
    size_t words;                  /* of each column, that are counted */
    uint32_t total[BK_CLASSES_MAX];
    uint64_t *bits[BK_CLASSES_MAX]; /* behind the struct, in its memory */
};

/* Keeps class c = classes->n if some position is in it. */
static void add_class(const struct learner *l, struct value_classes *c, unsigned value)
{
    uint32_t n = (uint32_t)count_set_bits(l, c->bits[c->n], c->words);

    if (!n)
        return;
    c->value[c->n] = (uint8_t)value;
    c->total[c->n++] = n;
}

/* Returns the positions of word i of a set whose result is, or is at least, `v`. */
static uint64_t of_result(const struct learner *l, const struct subset *s, size_t i, unsigned v)
{
    uint64_t x = subset_bits(s, i);

    for (unsigned b = 0; b < l->src->bits; b++)
        x &= v >> b & 1 ? s->plane[b][i] : ~s->plane[b][i];
    return x;
}

static void classes_of_small(const struct learner *l, const struct subset *s,
                             struct value_classes *c)
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

/* Returns bit j of `byte` in byte j. */
static uint64_t spread(uint64_t byte)
{
    uint64_t x = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

    return (x + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

/* Sets `value` to the values of the 64 positions of a word. */
static void values_of(const struct learner *l, const struct subset *s, size_t word, uint16_t *value)
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
static uint32_t count_values(const struct learner *l, const struct subset *s, size_t n,
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
static unsigned find_bins(const struct learner *l, const struct subset *s, size_t words,
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
static uint64_t up_to(const struct learner *l, const struct subset *s, size_t i, uint32_t last)
{
    uint64_t less = 0, equal = subset_bits(s, i);

    for (unsigned b = l->src->bits; b-- > 0;) {
        uint64_t p = s->plane[b][i], bound = last >> b & 1 ? ~UINT64_C(0) : 0;

        less |= equal & ~p & bound;
        equal &= ~(p ^ bound);
    }
    return less | equal;
}

/* Bins of exact values; then bounds by the highest of the BOUND_BINS bins they are in. */
static void classes_of_bins(const struct learner *l, const struct subset *s,
                            struct value_classes *c, uint32_t *histogram)
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
        c->total[bin] = (uint32_t)count_set_bits(l, c->bits[bin], c->words);
        if (bin % BOUND_BINS != BOUND_BINS - 1 && bin + 1 < bins)
            continue;
        c->value[k] = (uint8_t)bin;
        c->total[k] = (uint32_t)count_set_bits(l, c->bits[k], c->words);
        k++;
    }
    c->exact = bins;
    while (k > bins && !c->total[k - 1])
        k--;
    c->n = k;
}

/* Positions with each result: [0] exactly, [1] at least. */
typedef uint32_t result_counts[2][1u << BK_FIVE_BITS];

/* Adds the results of the words `from` to `end` - 1 of a set to `count`. */
static void count_results(const struct learner *l, const struct subset *s, size_t from, size_t end,
                          result_counts count)
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

    for (unsigned result = 0; result < 1u << BK_FIVE_BITS; result++) {
        uint32_t n = 0;

        for (unsigned v = 0; v < 1u << BK_FIVE_BITS; v++)
            n += (v != result ? count[0][v] : 0) + (v > result ? count[1][v] : 0);
        fewest = n < fewest ? n : fewest;
    }
    return fewest;
}

/* Returns how many words of a set it is judged by. */
static size_t words_judged(const struct learner *l, const struct subset *s)
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

/* Returns the classes of a set, owned: bk_spill_free().  NULL: no memory. */
static struct value_classes *value_classes_new(const struct learner *l, const struct subset *s,
                                               uint32_t *histogram)
{
    size_t words = words_judged(l, s);
    struct value_classes *c =
        bk_spill_resize(NULL, sizeof *c + BK_CLASSES_MAX * words * sizeof(uint64_t));

    if (!c)
        return NULL;
    *c = (struct value_classes){ .words = words };
    for (unsigned k = 0; k < BK_CLASSES_MAX; k++)
        c->bits[k] = (uint64_t *)(void *)(c + 1) + k * words;
    if (l->small)
        classes_of_small(l, s, c);
    else
        classes_of_bins(l, s, c, histogram);
    return c;
}

/* Returns the commonest exact value; adds to *left the bits that exact values take. */
static uint16_t guess_value(const struct learner *l, const struct subset *s, uint32_t *histogram,
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

/* == The best split ==
 *
 * It is by the fact that leaves the fewest bits of entropy in the two parts, less a share for the
 * cost of asking it.  If the best gains less than a leaf has to (l->min_gain), the node is a leaf.
 *
 * A column is counted against each class of values by popcount; the bits that both parts take are
 * sums of logarithms of these counts.  A bound counts as the most frequent value that it may be.
 *
 * Ties go to the column that comes first.  HOT: judge_batch(), entropy().
 */

#define LEAST_POSITIONS 64  /* distances: smaller nodes are not split */
#define TWIN_PLACES     256 /* 2^(64 - TWIN_SHIFT) */
#define TWIN_SHIFT      56
#define CONSTANT        INT64_MIN /* the column is the same everywhere */
#define COST_PARTS      20        /* a cost of 1 is worth this part of a gain */

static int64_t add_up(const struct learner *l, const uint32_t *n, unsigned classes)
{
    uint32_t all = 0;
    int64_t bits = 0;

    for (unsigned k = 0; k < classes; k++) {
        bits -= bk_n_log_n(l->logs, n[k]);
        all += n[k];
    }
    return bits + bk_n_log_n(l->logs, all);
}

/*
 * Returns the bits that positions take, count[k] of each class k.  Bounds join the commonest class
 * that they may be, or, if that takes fewer bits, all bounds are one class more.  Bounds beyond
 * every class there are one class more in either case.
 */
static int64_t entropy(const struct learner *l, const struct value_classes *c,
                       const uint32_t *count)
{
    uint32_t n[BK_CLASSES_MAX + 1], bounds = 0, beyond = 0;
    int64_t joined, apart;

    if (c->exact == c->n)
        return add_up(l, count, c->n);
    for (unsigned k = 0; k < c->exact; k++)
        n[k] = count[k];
    for (unsigned k = c->exact; k < c->n; k++) {
        unsigned best = BK_CLASSES_MAX;

        bounds += count[k];
        for (unsigned j = 0; j < c->exact; j++)
            if (c->value[j] >= c->value[k] && (best == BK_CLASSES_MAX || count[j] > count[best]))
                best = j;
        if (best < BK_CLASSES_MAX && count[best])
            n[best] += count[k];
        else
            beyond += count[k];
    }
    n[c->exact] = beyond;
    joined = add_up(l, n, c->exact + 1);
    if (l->small || beyond == bounds)
        return joined;
    memcpy(n, count, c->exact * sizeof(*n));
    n[c->exact] = bounds;
    apart = add_up(l, n, c->exact + 1);
    return apart < joined ? apart : joined;
}

struct search {
    const struct learner *l;
    const struct subset *s;
    const struct value_classes *c;
    int64_t whole;  /* entropy without a split */
    int64_t *gain;  /* by column, or CONSTANT; a split may lose where bounds join other values */
    int64_t *worth; /* by column: what the gain is worth */
};

/* Returns a gain less a share for the cost of asking the fact.  Of sampled tables only: they are
   large, and every row will be asked. */
static int64_t worth(const struct learner *l, unsigned fact, int64_t gain)
{
    return l->partly ? gain - gain / COST_PARTS * bk_fact_cost(l->src->facts, fact) : gain;
}

static void judge_batch(void *context, uint64_t batch, unsigned thread)
{
    struct search *q = context;
    const struct value_classes *c = q->c;
    unsigned end = (unsigned)(batch + 1) * BATCH;

    (void)thread;
    bk_spill_ease(q->l->spill); /* all columns together may be more than there is room for */
    for (unsigned j = (unsigned)batch * BATCH; j < end && j < q->s->cols; j++) {
        uint32_t yes[BK_CLASSES_MAX], no[BK_CLASSES_MAX], some_yes = 0, some_no = 0;

        q->l->ops.count(q->s->col[j], (const uint64_t *const *)c->bits, c->n, c->words, yes);
        for (unsigned k = 0; k < c->n; k++) {
            no[k] = c->total[k] - yes[k];
            some_yes |= yes[k];
            some_no |= no[k];
        }
        q->gain[j] = CONSTANT;
        if (!some_yes || !some_no)
            continue;
        q->gain[j] = q->whole - entropy(q->l, c, yes) - entropy(q->l, c, no);
        q->worth[j] = worth(q->l, q->s->fact[j], q->gain[j]);
    }
}

/* Could a split gain enough?  Only values are looked at, no facts.  *seen: positions that are
   counted; *whole: their entropy. */
static bool may_gain(const struct learner *l, const struct subset *s, const struct value_classes *c,
                     int64_t *whole, uint64_t *seen)
{
    *seen = 0;
    for (unsigned k = 0; k < c->n; k++)
        *seen += c->total[k];
    *whole = entropy(l, c, c->total);
    return *seen && *whole * (int64_t)s->n / (int64_t)*seen >= l->min_gain;
}

/* Sets and returns s->leaf: will find_split() find no split, whatever the facts are?  Only values
   are looked at.  keep: keeps the classes in s->classes for it. */
static bool is_leaf(struct learner *l, struct subset *s, uint32_t *histogram, bool keep)
{
    struct value_classes *c = NULL;
    uint64_t seen;
    int64_t whole;

    s->leaf = !l->small && s->n < LEAST_POSITIONS;
    if (s->leaf)
        return true;
    c = value_classes_new(l, s, histogram);
    if (!c)
        l->failed = true;
    s->leaf = !c || !may_gain(l, s, c, &whole, &seen);
    if (keep && !s->leaf)
        s->classes = c;
    else
        bk_spill_free(c);
    return s->leaf;
}

/* Returns the column whose split gains most, or -1.  dead: set for those that are constant. */
static int best_split(struct learner *l, struct bk_pool *pool, const struct search *q,
                      uint64_t seen, bool *dead)
{
    const struct subset *s = q->s;
    int64_t most = 0;
    int best = -1;

    bk_pool_run(pool, (s->cols + BATCH - 1) / BATCH, judge_batch, (void *)q);
    for (unsigned j = 0; j < s->cols; j++) {
        dead[j] = q->gain[j] == CONSTANT && q->c->words == s->words;
        if (q->gain[j] != CONSTANT && q->worth[j] > most) {
            most = q->worth[j];
            best = (int)j;
        }
    }
    return most * (int64_t)s->n / (int64_t)seen < l->min_gain ? -1 : best;
}

/* Is a fact worth as much as another wherever both gain the same? */
static bool as_cheap(const struct learner *l, unsigned fact, unsigned other)
{
    return !l->partly || bk_fact_cost(l->src->facts, fact) <= bk_fact_cost(l->src->facts, other);
}

/* Do two columns say the same of all positions, or the contrary? */
static bool are_twins(const struct subset *s, unsigned j, unsigned k)
{
    const uint64_t *a = s->col[j], *b = s->col[k];
    uint64_t flip = -((a[0] ^ b[0]) & 1);

    for (size_t i = 0; i + 1 < s->words; i++)
        if (a[i] ^ b[i] ^ flip)
            return false;
    return !((a[s->words - 1] ^ b[s->words - 1] ^ flip) & subset_bits(s, s->words - 1));
}

/*
 * Sets `dead` for one of two columns that are twins, here and so in all parts of the set: the
 * second, unless it is cheaper, but never `best`.  Deep in a tree these are a third of all columns.
 * Twins gain the same, so they are looked for among columns that do.
 */
static void find_twins(const struct search *q, unsigned best, bool *dead)
{
    const struct subset *s = q->s;
    uint16_t last[TWIN_PLACES]; /* column + 1 by a hash of its gain; 0: none yet */

    memset(last, 0, sizeof last);
    for (unsigned j = 0; j < s->cols; j++) {
        uint16_t *place =
            &last[((uint64_t)q->gain[j] * UINT64_C(0x9e3779b97f4a7c15)) >> TWIN_SHIFT];
        unsigned k = *place - 1u;

        if (q->gain[j] == CONSTANT)
            continue;
        *place = (uint16_t)(j + 1);
        if (k == -1u || q->gain[k] != q->gain[j] || !are_twins(s, j, k))
            continue;
        if (as_cheap(q->l, s->fact[k], s->fact[j])) {
            dead[j] = j != best;
            *place = (uint16_t)(k + 1);
        } else {
            dead[k] = k != best;
        }
    }
}

/* Returns the column to split by, or -1.  Drops columns that are the same everywhere, and twins.
   pool: shares the columns out; NULL: one thread.  Sets l->failed if there is no memory. */
static int find_split(struct learner *l, struct bk_pool *pool, struct subset *s,
                      uint32_t *histogram)
{
    struct search q = { .l = l, .s = s };
    struct value_classes *c;
    uint64_t seen = 1;
    int best = -1;

    if (s->leaf || (!l->small && s->n < LEAST_POSITIONS))
        return -1;
    q.c = c = s->classes ? s->classes : value_classes_new(l, s, histogram);
    s->classes = NULL;
    if (!c) {
        l->failed = true;
        return -1;
    }
    if (may_gain(l, s, c, &q.whole, &seen)) {
        q.gain = malloc(s->cols * (2 * sizeof(*q.gain) + sizeof(bool)) + 1);
        if (!q.gain)
            l->failed = true;
    }
    if (q.gain) {
        bool *dead = (bool *)(q.gain + 2 * s->cols);

        q.worth = q.gain + s->cols;
        best = best_split(l, pool, &q, seen, dead);
        if (best >= 0) {
            uint16_t fact = s->fact[best];

            find_twins(&q, (unsigned)best, dead);
            subset_drop(l, s, dead);
            for (best = 0; s->fact[best] != fact;)
                best++;
        }
    }
    free(q.gain);
    bk_spill_free(c);
    return best;
}

/* == Parting a set in two ==
 *
 * First the values are parted, which tell whether a part will be a leaf; then the facts, of those
 * parts that will not.
 *
 * The columns of a large set are parted where they lie, in the sample: the rest moves to the front,
 * the small part behind it.  A column has some words to spare, since both parts begin with a word
 * of their own.  So all large sets together take what the sample takes.  Of smaller sets, one a
 * thread, the small part moves out to columns of its own.
 *
 * Threads: columns are shared out; what comes out does not depend on it.  HOT: part_some().
 */

#define PARTED       4    /* columns parted at a time: their scratch is in the caches */
#define CACHED_WORDS 2048 /* columns so short are read twice, once for each part */

/* A set is parted in two, column by column; a part that will be a leaf needs no facts. */
struct parting {
    struct learner *l;
    struct subset *set, *small;
    size_t words;                 /* of the set as it was */
    struct bk_column_parts parts; /* the small one goes, the other stays */
    uint64_t *steps;              /* owned: those of `parts` */
    bool top;                     /* a large set: is_leaf() keeps no classes */
    bool within;                  /* the small part's columns are the ends of the set's */
    bool need_small, need_rest;   /* for the n columns from `first` on */
    unsigned first, n;
};

static void part_some(const struct parting *p, unsigned j, unsigned n, uint64_t *const *small)
{
    const struct bk_columns *ops = &p->l->ops;
    const struct bk_column_parts *parts = &p->parts;
    uint64_t *const *column = p->set->col + j;

    if (p->need_small && p->need_rest && p->words > CACHED_WORDS) {
        ops->part(small, column, n, parts, p->words);
        return;
    }
    if (p->need_small)
        ops->keep(small, column, n, parts->mask, parts->steps, p->words);
    if (p->need_rest)
        ops->keep(column, column, n, parts->rest, parts->rest_steps, p->words);
}

static void part_batch(void *context, uint64_t batch, unsigned thread)
{
    struct parting *p = context;
    unsigned j = p->first + (unsigned)batch * BATCH;
    unsigned end = j + BATCH, all = p->first + p->n;
    size_t words = p->small->words + 1;
    uint64_t *room = p->within ? bk_spill_resize(NULL, PARTED * words * sizeof(*room)) : NULL,
             *small[PARTED];

    (void)thread;
    bk_spill_ease(p->l->spill);
    if (p->within && !room) {
        p->l->failed = true;
        return;
    }
    for (unsigned i = 0; p->within && i < PARTED; i++)
        small[i] = room + i * words;
    for (unsigned n; j < end && j < all; j += n) {
        n = all - j < PARTED ? all - j : PARTED;
        part_some(p, j, n, p->within ? small : p->small->col + j);
        for (unsigned i = 0; p->within && p->need_small && i < n; i++)
            memcpy(p->small->col[j + i], small[i], p->small->words * sizeof(*room));
    }
    bk_spill_free(room);
}

static void part_columns(struct parting *p, struct bk_pool *pool, unsigned first, unsigned n)
{
    p->first = first;
    p->n = n;
    if (p->need_small || p->need_rest)
        bk_pool_run(pool, (n + BATCH - 1) / BATCH, part_batch, p);
}

/* Sets the steps that keep() needs of both masks.  False: no memory. */
static bool make_steps(struct parting *p)
{
    size_t steps = p->words * p->l->ops.steps;

    if (!steps)
        return true;
    p->steps = bk_spill_resize(NULL, 2 * steps * sizeof(*p->steps));
    if (!p->steps)
        return false;
    p->parts.steps = p->steps;
    p->parts.rest_steps = p->steps + steps;
    bk_columns_steps(p->steps, p->parts.mask, p->words);
    bk_columns_steps(p->steps + steps, p->parts.rest, p->words);
    return true;
}

/* Is there room to part a set where it is, so that `n` of its positions come last? */
static bool has_room_for_parts(const struct subset *s, uint64_t n)
{
    return bk_column_words(n) + bk_column_words(s->n - n) + 2 <= s->room;
}

/* Gives the ends of the columns to `small`, with its share of the words to spare. */
static void lend_ends(const struct learner *l, struct subset *s, struct subset *small)
{
    size_t words = bk_column_words(s->n - small->n), spare = s->room - words - small->words - 2;

    small->room = small->words + 1 + spare * small->words / (words + small->words);
    for (unsigned j = 0; j < s->cols + l->planes; j++)
        small->col[j] = s->col[j] + s->room - small->room;
}

/* Moves the positions of p->parts.mask to p->small: first their values, then the facts of the
   parts that will be split again.  False: no memory. */
static bool part_set(struct parting *p, struct bk_pool *pool, uint32_t *histogram)
{
    struct learner *l = p->l;
    struct subset *s = p->set, *small = p->small;

    if (!make_steps(p))
        return false;
    p->need_small = p->need_rest = true;
    part_columns(p, pool, s->cols, l->planes);
    s->n -= small->n;
    s->words = bk_column_words(s->n);
    if (!l->failed) {
        p->need_small = !is_leaf(l, small, histogram, !p->top);
        p->need_rest = !is_leaf(l, s, histogram, !p->top);
        part_columns(p, pool, 0, s->cols);
    }
    bk_spill_free(p->steps);
    return !l->failed;
}

/*
 * Parts `s` by a column: `small` gets the fewer positions, `s` keeps the others, and loses the
 * column.
 *
 * small_yes  set to whether the fewer are those where the fact is true
 * top        the columns are the sample's: a large set
 * pool       shares the columns out; NULL: one thread
 *
 * Returns false if there is no memory; `small` is to be freed in any case.
 */
static bool subset_part(struct learner *l, struct bk_pool *pool, struct subset *s, int column,
                        struct subset *small, bool *small_yes, uint32_t *histogram, bool top)
{
    uint64_t n, *mask = bk_spill_resize(NULL, 2 * (s->words + 1) * sizeof(*mask)), *rest = NULL;
    bool *dead = calloc(s->cols, sizeof(*dead)), good = mask && dead, within = false;

    *small = (struct subset){ 0 };
    if (good) {
        rest = mask + s->words + 1;
        memcpy(mask, s->col[column], s->words * sizeof(*mask));
        if (s->words)
            mask[s->words - 1] &= subset_bits(s, s->words - 1);
        n = count_set_bits(l, mask, s->words);
        *small_yes = n <= s->n - n;
        dead[column] = true;
        subset_drop(l, s, dead);
        for (size_t i = 0; i < s->words; i++) {
            rest[i] = ~mask[i] & subset_bits(s, i);
            if (!*small_yes) {
                uint64_t t = rest[i];

                rest[i] = mask[i];
                mask[i] = t;
            }
        }
        n = *small_yes ? n : s->n - n;
        within = top && has_room_for_parts(s, n);
        good = within ? subset_new_within(l, small, s->cols, n) : subset_new(l, small, s->cols, n);
    }
    if (good) {
        struct parting p = { .l = l,
                             .set = s,
                             .small = small,
                             .words = s->words,
                             .parts = { .mask = mask, .rest = rest },
                             .top = top,
                             .within = within };

        memcpy(small->fact, s->fact, s->cols * sizeof(*s->fact));
        if (within)
            lend_ends(l, s, small);
        good = part_set(&p, pool, histogram);
        s->room -= within ? small->room : 0;
    }
    bk_spill_free(mask);
    free(dead);
    return good;
}

/* == Growing == */

#define TASK_POSITIONS 32768

/* What a split must gain: evidence in the sample, and the cost of a leaf, in bits, of all
   positions. */
#define GAIN_EVIDENCE      8
#define GAIN_EVIDENCE_LONG 10 /* distances: more classes, more chance */
#define GAIN_LEAF          22
#define GAIN_LEAF_LONG     80 /* a leaf has a long code */

#define DEAREST 36 /* no split gains 2^36 times as much: the largest sample has 2^45 in all */

/* A node while it grows.  task: 0, or number + 1 of the task whose node 0 stands in its place. */
struct node {
    uint16_t fact, guess; /* guess: of a leaf */
    uint32_t yes, no, task;
};

/* Nodes that are grown one after another: the top of the tree, or a task. */
struct growth {
    struct node *node;
    uint32_t n, room;
    int64_t left;      /* bits that the values of its leaves take */
    struct subset set; /* of a task: the positions of its node 0 */
    bool failed;
};

/* A tree under way: its top, which all threads work at together, and tasks. */
struct grower {
    struct learner l;
    struct bk_pool *pool;
    struct growth *task;
    uint32_t tasks, task_room;
};

static uint32_t new_node(struct growth *g)
{
    if (g->n == g->room) {
        uint32_t room = g->room ? 2 * g->room : 64;
        struct node *node = realloc(g->node, room * sizeof(*node));

        if (!node) {
            g->failed = true;
            return 0;
        }
        g->node = node;
        g->room = room;
    }
    g->node[g->n] = (struct node){ .fact = BK_FACT_LEAF };
    return g->n++;
}

/* Hands a set to a task of its own, with its columns. */
static void leave_to_task(struct grower *r, struct growth *g, uint32_t id, struct subset *s)
{
    if (r->tasks == r->task_room) {
        uint32_t room = r->task_room ? 2 * r->task_room : 64;
        struct growth *task = realloc(r->task, room * sizeof(*task));

        if (!task) {
            r->l.failed = true;
            return;
        }
        r->task = task;
        r->task_room = room;
    }
    r->task[r->tasks] = (struct growth){ .set = *s };
    s->block = NULL;
    g->node[id].task = ++r->tasks;
}

/* Grows the tree of `s`, whose columns it uses up; returns its node.  top: smaller sets become
   tasks, and the columns of larger ones are shared out. */
static uint32_t grow(struct grower *r, struct growth *g, struct subset *s, uint32_t *histogram,
                     bool top)
{
    struct learner *l = &r->l;
    struct bk_pool *pool = top ? r->pool : NULL;
    uint32_t root = new_node(g), id = root;

    while (!g->failed && !l->failed) {
        struct subset small;
        bool small_yes = false;
        uint32_t one, other;
        int column;

        if (top && s->n <= TASK_POSITIONS) {
            leave_to_task(r, g, id, s);
            break;
        }
        column = find_split(l, pool, s, histogram);
        if (column < 0) {
            g->node[id].guess = guess_value(l, s, histogram, &g->left);
            break;
        }
        g->node[id].fact = s->fact[column];
        if (!subset_part(l, pool, s, column, &small, &small_yes, histogram, top)) {
            subset_free(&small);
            l->failed = true;
            break;
        }
        one = grow(r, g, &small, histogram, top);
        subset_free(&small);
        other = new_node(g);
        if (g->failed)
            break;
        g->node[id].yes = small_yes ? one : other;
        g->node[id].no = small_yes ? other : one;
        id = other;
    }
    return root;
}

static void grow_task(void *context, uint64_t task, unsigned thread)
{
    struct grower *r = context;
    struct growth *g = &r->task[task];
    uint32_t *histogram = calloc((size_t)1 << r->l.src->bits, sizeof(*histogram));

    (void)thread;
    bk_spill_ease(r->l.spill);
    if (histogram)
        grow(r, g, &g->set, histogram, false);
    else
        g->failed = true;
    subset_free(&g->set);
    free(histogram);
}

/* Appends the tree below a node in preorder. */
static uint32_t put_in_order(const struct grower *r, const struct growth *g, uint32_t id,
                             struct bk_learned *out)
{
    const struct node *node = &g->node[id];
    uint32_t at, next;

    if (node->task)
        return put_in_order(r, &r->task[node->task - 1], 0, out);
    at = out->nodes++;
    out->tree[at] = (struct bk_fact_node){ .fact = node->fact };
    if (node->fact == BK_FACT_LEAF) {
        out->guess[out->leaves] = node->guess;
        out->tree[at].yes = out->leaves++;
        return at;
    }
    next = put_in_order(r, g, node->yes, out);
    out->tree[at].yes = next;
    next = put_in_order(r, g, node->no, out);
    out->tree[at].no = next;
    return at;
}

static enum bk_err grow_tree(struct grower *r, struct subset *all, struct bk_learned *out,
                             struct bk_report *why)
{
    struct growth top = { 0 };
    uint32_t *histogram = calloc((size_t)1 << r->l.src->bits, sizeof(*histogram));
    uint64_t nodes;

    if (histogram)
        grow(r, &top, all, histogram, true);
    subset_free(all);
    r->l.failed |= !histogram || top.failed;
    if (!r->l.failed)
        bk_pool_run(r->pool, r->tasks, grow_task, r);
    nodes = top.n;
    out->left = top.left;
    for (uint32_t i = 0; i < r->tasks; i++) {
        r->l.failed |= r->task[i].failed;
        nodes += r->task[i].n;
        out->left += r->task[i].left;
    }
    out->tree = r->l.failed ? NULL : malloc((nodes + 1) * sizeof(*out->tree));
    out->guess = out->tree ? malloc((nodes + 1) * sizeof(*out->guess)) : NULL;
    if (out->guess)
        put_in_order(r, &top, 0, out);
    for (uint32_t i = 0; i < r->tasks; i++) {
        subset_free(&r->task[i].set);
        free(r->task[i].node);
    }
    free(r->task);
    free(top.node);
    free(histogram);
    return out->guess ? BK_OK : bk_fail(why, BK_E_SYSTEM, "no memory to learn a tree");
}

/* Returns what a split must gain in the sample: its share of a leaf's cost, or evidence. */
static int64_t gain_needed(const struct learner *l, uint64_t covered)
{
    uint64_t span = l->src->end - l->src->first;
    uint64_t leaf = (uint64_t)(l->small ? GAIN_LEAF : GAIN_LEAF_LONG) * BK_ONE_BIT;
    uint64_t seen = covered < span ? covered : span;
    int64_t share = (int64_t)(leaf * (seen >> 8) / ((span >> 8) + 1));
    int64_t evidence = (l->small ? GAIN_EVIDENCE : GAIN_EVIDENCE_LONG) * BK_ONE_BIT;

    return share > evidence ? share : evidence;
}

enum bk_err bk_learn(struct bk_learned *out, const struct bk_unit_source *src,
                     const struct bk_sample *sample, unsigned dear, const struct bk_logs *logs,
                     struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why)
{
    struct grower r = { .l = { .src = src,
                               .logs = logs,
                               .ops = bk_columns_for(),
                               .spill = spill,
                               .facts = sample->facts,
                               .planes = src->bits + 1,
                               .small = bk_bits_of_results(src->bits, src->five),
                               .partly = sample->partly },
                        .pool = pool };
    struct subset all;

    *out = (struct bk_learned){ 0 };
    r.l.min_gain = gain_needed(&r.l, sample->covered) << (dear < DEAREST ? dear : DEAREST);
    if (!subset_of_sample(&r.l, &all, sample))
        return bk_fail(why, BK_E_SYSTEM, "no memory to learn a tree");
    return grow_tree(&r, &all, out, why);
}

/* Two masks, and the classes of the words that are looked at (words_judged()). */
uint64_t bk_learn_bytes(uint64_t positions)
{
    uint64_t words = bk_column_words(positions), most = EVAL_WORDS + EVAL_WORDS / 2;

    return (2 * words + BK_CLASSES_MAX * (words < most ? words : most)) * sizeof(uint64_t);
}

void bk_learned_release(struct bk_learned *l)
{
    free(l->tree);
    free(l->guess);
    *l = (struct bk_learned){ 0 };
}
