/*
 * counts.c - see counts.h.
 *
 * A material decided by rule has no file: its positions are enumerated and the
 * rule is asked.
 */
#include "cli/counts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "core/attack.h"
#include "core/end.h"
#include "table/index_new.h"
#include "tb/memory/pool.h"

/* == By rule == */

#define BATCH 65536 /* numbers a thread takes at once */

struct tally {
    uint64_t wdl[2][3], all[2][3]; /* by side to move and wdl + 1 */
    uint64_t first[2][3];          /* least number with that result; UINT64_MAX: none */
};

struct count_job {
    const struct bk_index *ix;
    struct tally *by_thread;
};

static void count_number(const struct bk_index *ix, uint64_t number, struct tally *t)
{
    struct bk_placement at;
    struct bk_pos p;
    unsigned weight, once;

    bk_index_unrank(ix, number, &at);
    if (!bk_index_position(ix, &at, BK_WHITE, &p))
        return;
    weight = bk_index_images(ix, bk_index_block_with(ix, number), &at);
    once = bk_index_is_first(ix, number, &at);
    for (unsigned side = 0; side < 2; side++) {
        int wdl = 0;

        p.stm = (uint8_t)side;
        if (!bk_pos_legal(ix->v, &p) || bk_pos_end(ix->v, &p, &wdl) == BK_END_NONE)
            continue;
        t->wdl[side][wdl + 1] += once;
        t->all[side][wdl + 1] += weight;
        if (once && number < t->first[side][wdl + 1])
            t->first[side][wdl + 1] = number;
    }
}

static void count_batch(void *context, uint64_t item, unsigned thread)
{
    struct count_job *job = context;
    uint64_t end = (item + 1) * BATCH;

    for (uint64_t n = item * BATCH; n < end && n < job->ix->positions; n++)
        count_number(job->ix, n, &job->by_thread[thread]);
}

static void add_tally(struct tally *sum, const struct tally *t)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned r = 0; r < 3; r++) {
            sum->wdl[side][r] += t->wdl[side][r];
            sum->all[side][r] += t->all[side][r];
            if (t->first[side][r] < sum->first[side][r])
                sum->first[side][r] = t->first[side][r];
        }
}

/* A game decided by rule is over where it stands: every result is 0 plies away. */
static void tally_side(struct bk_counts *out, const struct bk_index *ix, const struct tally *t,
                       unsigned side)
{
    *out = (struct bk_counts){ .win = t->wdl[side][2],
                               .draw = t->wdl[side][1],
                               .loss = t->wdl[side][0],
                               .all_win = t->all[side][2],
                               .all_draw = t->all[side][1],
                               .all_loss = t->all[side][0],
                               .win_plies = t->wdl[side][2] ? 0 : -1,
                               .loss_plies = t->wdl[side][0] ? 0 : -1 };
    if (out->win)
        bk_counts_fen(ix, t->first[side][2], side, false, out->win_fen);
    if (out->loss)
        bk_counts_fen(ix, t->first[side][0], side, false, out->loss_fen);
}

int cli_counts_by_rule(const struct cli *c, const struct bk_variant *v, const struct bk_material *m,
                       struct bk_counts out[2])
{
    struct count_job job = { 0 };
    struct bk_index *ix = NULL;
    struct bk_pool *pool = NULL;
    struct bk_report why = { "" };
    enum bk_err err = bk_index_new(&ix, v, m, NULL, &why);
    unsigned threads = 0;

    if (!err)
        err = bk_pool_open(&pool, c->threads, &why);
    if (!err) {
        threads = bk_pool_threads(pool);
        job.ix = ix;
        job.by_thread = calloc(threads, sizeof *job.by_thread);
        if (!job.by_thread)
            err = bk_no_memory(&why);
    }
    if (!err) {
        for (unsigned i = 0; i < threads; i++)
            memset(job.by_thread[i].first, 0xff, sizeof job.by_thread[i].first);
        bk_pool_run(pool, (ix->positions + BATCH - 1) / BATCH, count_batch, &job);
        for (unsigned i = 1; i < threads; i++)
            add_tally(&job.by_thread[0], &job.by_thread[i]);
        for (unsigned side = 0; side < 2; side++)
            tally_side(&out[side], ix, &job.by_thread[0], side);
    }
    free(job.by_thread);
    if (pool)
        bk_pool_close(pool);
    bk_index_free(ix);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

/* == JSON == */

static json_t *longest_json(int64_t plies, const char *fen)
{
    return plies < 0 ? json_null() : json_pack("{sI ss}", "plies", (json_int_t)plies, "fen", fen);
}

json_t *cli_counts_json(const struct bk_counts *s)
{
    return json_pack("{sI sI sI so so s{sI sI sI}}", "win", (json_int_t)s->win, "draw",
                     (json_int_t)s->draw, "loss", (json_int_t)s->loss, "longest_win",
                     longest_json(s->win_plies, s->win_fen), "longest_loss",
                     longest_json(s->loss_plies, s->loss_fen), "all", "win", (json_int_t)s->all_win,
                     "draw", (json_int_t)s->all_draw, "loss", (json_int_t)s->all_loss);
}
