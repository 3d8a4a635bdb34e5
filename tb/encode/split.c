/*
 * split.c - what a split gains, and which gains most.  See split.h.
 *
 * A column is counted against each class of values by popcount; the bits that both parts take are
 * sums of logarithms of these counts.  A bound counts as the most frequent value that it
 * may be.
 *
 * Ties go to the column that comes first.  HOT: judge_batch(), entropy().
 */
#include "tb/encode/split.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/value_classes.h"

#define LEAST_POSITIONS 64  /* distances: smaller nodes are not split */
#define TWIN_PLACES     256 /* 2^(64 - TWIN_SHIFT) */
#define TWIN_SHIFT      56
#define CONSTANT        INT64_MIN /* the column is the same everywhere */

#define COST_PARTS 20 /* a cost of 1 is worth this part of a gain */

/* == Entropy == */

static int64_t add_up(const struct bk_learner *l, const uint32_t *n, unsigned classes)
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
static int64_t entropy(const struct bk_learner *l, const struct bk_value_classes *c,
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

/* == Gain == */

struct search {
    const struct bk_learner *l;
    const struct bk_subset *s;
    const struct bk_value_classes *c;
    int64_t whole;  /* entropy without a split */
    int64_t *gain;  /* by column, or CONSTANT; a split may lose where bounds join other values */
    int64_t *worth; /* by column: what the gain is worth */
};

/* Returns a gain less a share for the cost of asking the fact.  Of sampled tables only: they are
   large, and every row will be asked. */
static int64_t worth(const struct bk_learner *l, unsigned fact, int64_t gain)
{
    return l->partly ? gain - gain / COST_PARTS * bk_fact_cost(l->src->facts, fact) : gain;
}

static void judge_batch(void *context, uint64_t batch, unsigned thread)
{
    struct search *q = context;
    const struct bk_value_classes *c = q->c;
    unsigned end = (unsigned)(batch + 1) * BK_LEARN_BATCH;

    (void)thread;
    bk_spill_ease(q->l->spill); /* all columns together may be more than there is room for */
    for (unsigned j = (unsigned)batch * BK_LEARN_BATCH; j < end && j < q->s->cols; j++) {
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
static bool may_gain(const struct bk_learner *l, const struct bk_subset *s,
                     const struct bk_value_classes *c, int64_t *whole, uint64_t *seen)
{
    *seen = 0;
    for (unsigned k = 0; k < c->n; k++)
        *seen += c->total[k];
    *whole = entropy(l, c, c->total);
    return *seen && *whole * (int64_t)s->n / (int64_t)*seen >= l->min_gain;
}

bool bk_is_leaf(struct bk_learner *l, struct bk_subset *s, uint32_t *histogram, bool keep)
{
    struct bk_value_classes *c = NULL;
    uint64_t seen;
    int64_t whole;

    s->leaf = !l->small && s->n < LEAST_POSITIONS;
    if (s->leaf)
        return true;
    c = bk_value_classes_new(l, s, histogram);
    if (!c)
        l->failed = true;
    s->leaf = !c || !may_gain(l, s, c, &whole, &seen);
    if (keep && !s->leaf)
        s->told = c;
    else
        free(c);
    return s->leaf;
}

/* Returns the column whose split gains most, or -1.  dead: set for those that are constant. */
static int best_split(struct bk_learner *l, struct bk_pool *pool, const struct search *q,
                      uint64_t seen, bool *dead)
{
    const struct bk_subset *s = q->s;
    int64_t most = 0;
    int best = -1;

    bk_pool_run(pool, (s->cols + BK_LEARN_BATCH - 1) / BK_LEARN_BATCH, judge_batch, (void *)q);
    for (unsigned j = 0; j < s->cols; j++) {
        dead[j] = q->gain[j] == CONSTANT && q->c->words == s->words;
        if (q->gain[j] != CONSTANT && q->worth[j] > most) {
            most = q->worth[j];
            best = (int)j;
        }
    }
    return most * (int64_t)s->n / (int64_t)seen < l->min_gain ? -1 : best;
}

/* == Twins == */

/* Is a fact worth as much as another wherever both gain the same? */
static bool as_cheap(const struct bk_learner *l, unsigned fact, unsigned other)
{
    return !l->partly || bk_fact_cost(l->src->facts, fact) <= bk_fact_cost(l->src->facts, other);
}

/* Do two columns say the same of all positions, or the contrary? */
static bool are_twins(const struct bk_subset *s, unsigned j, unsigned k)
{
    const uint64_t *a = s->col[j], *b = s->col[k];
    uint64_t flip = -((a[0] ^ b[0]) & 1);

    for (size_t i = 0; i + 1 < s->words; i++)
        if (a[i] ^ b[i] ^ flip)
            return false;
    return !((a[s->words - 1] ^ b[s->words - 1] ^ flip) & bk_subset_bits(s, s->words - 1));
}

/*
 * Sets `dead` for one of two columns that are twins, here and so in all parts of the set: the
 * second, unless it is cheaper, but never `best`.  Deep in a tree these are a third of all columns.
 * Twins gain the same, so they are looked for among columns that do.
 */
static void find_twins(const struct search *q, unsigned best, bool *dead)
{
    const struct bk_subset *s = q->s;
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

/* == The best == */

int bk_find_split(struct bk_learner *l, struct bk_pool *pool, struct bk_subset *s,
                  uint32_t *histogram)
{
    struct search q = { .l = l, .s = s };
    struct bk_value_classes *c;
    uint64_t seen = 1;
    int best = -1;

    if (s->leaf || (!l->small && s->n < LEAST_POSITIONS))
        return -1;
    q.c = c = s->told ? s->told : bk_value_classes_new(l, s, histogram);
    s->told = NULL;
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
            bk_subset_drop(l, s, dead);
            for (best = 0; s->fact[best] != fact;)
                best++;
        }
    }
    free(q.gain);
    free(c);
    return best;
}
