/*
 * subset.c - memory of sets of positions.  See subset.h.
 *
 * Lists of columns and, where a set has its own, the columns are one piece of memory: a set is made
 * and freed for every node.
 */
#include "tb/encode/subset.h"

#include <stdlib.h>
#include <string.h>

bool bk_subset_new(const struct bk_learner *l, struct bk_subset *s, unsigned cols, uint64_t n)
{
    size_t words = bk_column_words(n) + 1, columns = cols + l->planes;
    uint64_t *bits;

    *s = (struct bk_subset){
        .n = (uint32_t)n, .words = bk_column_words(n), .room = words, .cols = cols
    };
    s->block =
        malloc(columns * (words * sizeof(*bits) + sizeof(*s->col)) + cols * sizeof(*s->fact));
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

bool bk_subset_new_within(const struct bk_learner *l, struct bk_subset *s, unsigned cols,
                          uint64_t n)
{
    size_t columns = cols + l->planes;

    *s = (struct bk_subset){ .n = (uint32_t)n, .words = bk_column_words(n), .cols = cols };
    s->block = malloc(columns * sizeof(*s->col) + cols * sizeof(*s->fact) + 1);
    if (!s->block)
        return false;
    s->col = s->block;
    s->plane = s->col + cols;
    s->fact = (uint16_t *)(void *)(s->col + columns);
    return true;
}

void bk_subset_free(struct bk_subset *s)
{
    free(s->block);
    free(s->told);
    *s = (struct bk_subset){ 0 };
}

bool bk_subset_of_sample(const struct bk_learner *l, struct bk_subset *s,
                         const struct bk_sample *sample)
{
    if (!bk_subset_new_within(l, s, l->facts, sample->positions))
        return false;
    s->room = sample->room;
    for (size_t j = 0; j < l->facts + l->planes; j++)
        s->col[j] = sample->bits + j * sample->room;
    for (unsigned j = 0; j < l->facts; j++)
        s->fact[j] = (uint16_t)j;
    return true;
}

void bk_subset_drop(const struct bk_learner *l, struct bk_subset *s, const bool *dead)
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
