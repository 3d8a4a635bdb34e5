/*
 * parting.c - parting a set in two, column by column.  See parting.h.
 *
 * First the values are parted, which tell whether a part will be a leaf; then the facts, of those
 * parts that will not.
 *
 * Threads: columns are shared out; what comes out does not depend on it.  HOT: part_some().
 */
#include "tb/encode/parting.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/columns_for.h"
#include "tb/encode/split.h"

#define PARTED       4    /* columns parted at a time: their scratch is in the caches */
#define CACHED_WORDS 2048 /* columns so short are read twice, once for each part */

/* A set is parted in two, column by column; a part that will be a leaf needs no facts. */
struct parting {
    struct bk_learner *l;
    struct bk_subset *set, *small;
    size_t words;                 /* of the set as it was */
    struct bk_column_parts parts; /* the small one goes, the other stays */
    uint64_t *steps;              /* owned: those of `parts` */
    bool top;                     /* a large set: bk_is_leaf() keeps no classes */
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
    unsigned j = p->first + (unsigned)batch * BK_LEARN_BATCH;
    unsigned end = j + BK_LEARN_BATCH, all = p->first + p->n;
    size_t words = p->small->words + 1;
    uint64_t *room = p->within ? malloc(PARTED * words * sizeof(*room)) : NULL, *small[PARTED];

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
    free(room);
}

static void part_columns(struct parting *p, struct bk_pool *pool, unsigned first, unsigned n)
{
    p->first = first;
    p->n = n;
    if (p->need_small || p->need_rest)
        bk_pool_run(pool, (n + BK_LEARN_BATCH - 1) / BK_LEARN_BATCH, part_batch, p);
}

/* Sets the steps that keep() needs of both masks.  False: no memory. */
static bool make_steps(struct parting *p)
{
    size_t steps = p->words * p->l->ops.steps;

    if (!steps)
        return true;
    p->steps = malloc(2 * steps * sizeof(*p->steps));
    if (!p->steps)
        return false;
    p->parts.steps = p->steps;
    p->parts.rest_steps = p->steps + steps;
    bk_columns_steps(p->steps, p->parts.mask, p->words);
    bk_columns_steps(p->steps + steps, p->parts.rest, p->words);
    return true;
}

/* Is there room to part a set where it is, so that `n` of its positions come last? */
static bool has_room_for_parts(const struct bk_subset *s, uint64_t n)
{
    return bk_column_words(n) + bk_column_words(s->n - n) + 2 <= s->room;
}

/* Gives the ends of the columns to `small`, with its share of the words to spare. */
static void lend_ends(const struct bk_learner *l, struct bk_subset *s, struct bk_subset *small)
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
    struct bk_learner *l = p->l;
    struct bk_subset *s = p->set, *small = p->small;

    if (!make_steps(p))
        return false;
    p->need_small = p->need_rest = true;
    part_columns(p, pool, s->cols, l->planes);
    s->n -= small->n;
    s->words = bk_column_words(s->n);
    if (!l->failed) {
        p->need_small = !bk_is_leaf(l, small, histogram, !p->top);
        p->need_rest = !bk_is_leaf(l, s, histogram, !p->top);
        part_columns(p, pool, 0, s->cols);
    }
    free(p->steps);
    return !l->failed;
}

bool bk_subset_part(struct bk_learner *l, struct bk_pool *pool, struct bk_subset *s, int column,
                    struct bk_subset *small, bool *small_yes, uint32_t *histogram, bool top)
{
    uint64_t n, *mask = malloc(2 * (s->words + 1) * sizeof(*mask)), *rest = NULL;
    bool *dead = calloc(s->cols, sizeof(*dead)), good = mask && dead, within = false;

    *small = (struct bk_subset){ 0 };
    if (good) {
        rest = mask + s->words + 1;
        memcpy(mask, s->col[column], s->words * sizeof(*mask));
        if (s->words)
            mask[s->words - 1] &= bk_subset_bits(s, s->words - 1);
        n = bk_learner_count(l, mask, s->words);
        *small_yes = n <= s->n - n;
        dead[column] = true;
        bk_subset_drop(l, s, dead);
        for (size_t i = 0; i < s->words; i++) {
            rest[i] = ~mask[i] & bk_subset_bits(s, i);
            if (!*small_yes) {
                uint64_t t = rest[i];

                rest[i] = mask[i];
                mask[i] = t;
            }
        }
        n = *small_yes ? n : s->n - n;
        within = top && has_room_for_parts(s, n);
        good = within ? bk_subset_new_within(l, small, s->cols, n)
                      : bk_subset_new(l, small, s->cols, n);
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
    free(mask);
    free(dead);
    return good;
}
