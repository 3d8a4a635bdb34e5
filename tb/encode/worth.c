/*
 * worth.c - see worth.h.
 *
 * One row is learned from for each byte that the first tree leaves open, as far as rows are
 * allowed, and at least the effort's least: with fewer, files grow, and little time is saved.
 */
#include "tb/encode/worth.h"

#include "tb/encode/learn.h"
#include "tb/encode/work.h"

/* Bytes that a unit would take if its tree were no better. */
static uint64_t bytes_left(const struct bk_unit_source *src, const struct bk_sample *s,
                           const struct bk_learned *l)
{
    uint64_t sampled = (uint64_t)l->left / (8 * (uint64_t)BK_ONE_BIT);

    return sampled * ((src->end - src->first) >> 8) / ((s->covered >> 8) + 1);
}

/* Sets the rows of a unit by its first, small sample, which is used up. */
static enum bk_err rows_after(struct bk_sample *out, const struct bk_unit_source *src,
                              struct bk_sample *glance, uint32_t least, const struct bk_logs *logs,
                              struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why)
{
    struct bk_learned l;
    enum bk_err err = bk_learn(&l, src, glance, 0, logs, pool, spill, why);
    uint64_t bytes;

    if (err)
        return err;
    out->bytes = (double)bytes_left(src, glance, &l);
    bytes = (uint64_t)out->bytes / bk_facts_board_words(src->facts);
    bytes = bytes > least ? bytes : least;
    out->rows = bytes < out->rows ? (uint32_t)bytes : out->rows;
    bk_learned_release(&l);
    return BK_OK;
}

enum bk_err bk_rows_worth(struct bk_sample *out, const struct bk_unit_source *const *src,
                          unsigned n, enum bk_effort effort, const struct bk_logs *logs,
                          struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why)
{
    const struct bk_effort_means *means = bk_effort_means(effort);
    unsigned words = bk_facts_board_words(src[0]->facts), some = 0, which[BK_SAMPLES_MAX];
    uint32_t least = means->least / words;
    const struct bk_unit_source *asked[BK_SAMPLES_MAX];
    struct bk_sample glance[BK_SAMPLES_MAX];
    enum bk_err err;

    for (unsigned i = 0; i < n; i++) {
        out[i] = (struct bk_sample){ .rows = bk_sample_most(src[i], effort) };
        if (!means->glance || out[i].rows <= least + least / 8) /* little to be saved */
            continue;
        which[some] = i;
        glance[some] = (struct bk_sample){ .rows = means->glance / words };
        asked[some++] = src[i];
    }
    if (!some)
        return BK_OK;
    err = bk_samples_take(glance, asked, some, effort, UINT64_MAX, pool, spill, why);
    for (unsigned i = 0; !err && i < some; i++)
        err = rows_after(&out[which[i]], asked[i], &glance[i], least, logs, pool, spill, why);
    for (unsigned i = 0; i < some; i++)
        bk_sample_release(&glance[i]);
    return err;
}
