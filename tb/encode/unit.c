/*
 * unit.c - from values to model, directory and shards.
 *
 *   learn    a tree, from a sample of rows (sample.c, learn.c)
 *   count    every row down the tree: how often each value comes in each leaf (unit_count.c)
 *   code     the questions of each leaf (codes.c)
 *   meet     in how many cells each question meets exceptions; its rates (unit_rates.c)
 *   write    window after window, shard by shard (unit_shards.c)
 *
 * What all of these share is a struct bk_unit_run (unit_run.h).
 *
 * Several processes share a unit by windows, a run of them each.  The first one
 * learns; all count and meet their own pieces, the sums are everybody's, and so
 * each makes the same codes; shards come to the first in the order of windows.
 */
#include "tb/encode/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/unit_count.h"
#include "tb/encode/unit_rates.h"
#include "tb/encode/unit_run.h"
#include "tb/encode/unit_shards.h"
#include "tb/encode/worth.h"

/* == Windows and processes == */

#define WINDOW_NUMBERS (BK_WINDOW_PIECES * BK_PIECE_NUMBERS)

static uint64_t windows_of(uint64_t first, uint64_t end)
{
    return (end - first + WINDOW_NUMBERS - 1) / WINDOW_NUMBERS;
}

/* Process r has the windows from windows * r / ranks on. */
unsigned bk_unit_rank(uint64_t first, uint64_t end, uint64_t number, unsigned ranks)
{
    uint64_t window = (number - first) / WINDOW_NUMBERS;

    return (unsigned)(((window + 1) * ranks - 1) / windows_of(first, end));
}

uint64_t bk_unit_most(uint64_t numbers, struct bk_some_ranks some)
{
    uint64_t windows = windows_of(0, numbers), most = 0;

    for (uint64_t r = some.from; r < some.end; r++) {
        uint64_t here = windows * (r + 1) / some.ranks - windows * r / some.ranks;

        most = here > most ? here : most;
    }
    return bk_unit_least(most * WINDOW_NUMBERS, numbers);
}

/* Sets `from` and `to` to the pieces of this process. */
static void take_share(struct bk_unit_run *u)
{
    uint64_t windows = windows_of(u->src->first, u->src->end), ranks = bk_ranks(), r = bk_rank();

    u->to = u->pieces;
    if (!u->shared)
        return;
    u->from = (uint32_t)(windows * r / ranks) * BK_WINDOW_PIECES;
    if (windows * (r + 1) / ranks < windows)
        u->to = (uint32_t)(windows * (r + 1) / ranks) * BK_WINDOW_PIECES;
    u->asked = u->forgotten = u->reused = u->from;
}

/* == A unit under way == */

static enum bk_err unit_run_init(struct bk_unit_run *u, const struct bk_unit_source *src,
                                 const struct bk_unit_options *options, struct bk_pool *pool,
                                 struct bk_report *why)
{
    u->own = *src;
    u->src = &u->own;
    u->pool = pool;
    u->spill = options->spill;
    u->meter = options->meter;
    memcpy(u->part, options->part, sizeof u->part);
    u->words = bk_facts_words(src->facts);
    u->threads = bk_pool_threads(pool);
    u->pieces = (uint32_t)((src->end - src->first + BK_PIECE_NUMBERS - 1) / BK_PIECE_NUMBERS);
    u->shared = options->shared;
    u->effort = bk_effort_means(options->effort);
    u->most_keys = (uint64_t)(options->distances ? BK_DISTANCE_SHARD_KEYS : BK_RESULT_SHARD_KEYS)
                   << BK_KEY_PARTS;
    take_share(u);
    u->memory = options->memory_bytes / (u->shared ? bk_ranks() : 1);
    u->most = options->room_bytes;
    u->box = u->shared ? bk_boxes_new(bk_ranks()) : NULL;
    u->piece = calloc((size_t)u->pieces + 1, sizeof(*u->piece));
    u->lists = calloc((size_t)u->pieces + 1, sizeof(*u->lists));
    u->scratch = calloc(u->threads, sizeof(*u->scratch));
    if (!u->piece || !u->lists || !u->scratch || (u->shared && !u->box))
        return bk_fail(why, BK_E_SYSTEM, "no memory to encode");
    for (unsigned t = 0; t < u->threads; t++) {
        enum bk_err err = bk_fact_row_new(&u->scratch[t].row, src->facts, src->inner, why);

        if (err)
            return err;
    }
    bk_logs_init(&u->logs);
    return BK_OK;
}

static void unit_run_release(struct bk_unit_run *u)
{
    for (unsigned t = 0; u->scratch && t < u->threads; t++) {
        struct bk_unit_scratch *w = &u->scratch[t];

        bk_fact_row_free(w->row);
        bk_turned_release(&w->turned);
        bk_spill_free(w->met);
        if (t && !u->counts_shared)
            free(w->count);
        free(w->cells.byte);
        bk_shard_room_release(&w->shard);
    }
    for (uint32_t p = 0; u->lists && p < u->pieces; p++)
        bk_asked_rows_release(&u->lists[p]);
    free(u->scratch);
    free(u->lists);
    free(u->piece);
    free(u->cut);
    free(u->leaf);
    free(u->met_by_odd);
    bk_spill_free(u->cells);
    bk_spill_free(u->askers);
    bk_spill_free(u->counts.n);
    bk_boxes_free(u->box, bk_ranks());
    free(u->directory);
    bk_codes_release(&u->codes);
    bk_learned_release(&u->learned);
    free(u);
}

/* == Bits of values == */

static void widest_piece(void *context, uint64_t nth, unsigned thread)
{
    struct bk_unit_run *u = context;
    uint64_t piece = u->from + nth;
    struct bk_unit_walk k = bk_unit_walk_of(u, thread, NULL);
    uint64_t at = u->src->first + piece * BK_PIECE_NUMBERS, end = at + BK_PIECE_NUMBERS;
    unsigned bits = u->scratch[thread].bits;

    while (at < end && at < u->src->end) {
        bk_walk_read_at(&k.walk, at);
        for (unsigned b = u->src->bits; b > bits; b--)
            for (unsigned i = 0; i < u->words; i++)
                if (k.walk.values.plane[b - 1][i] & k.walk.values.care[i])
                    bits = b;
        at = k.walk.row.first + k.walk.row.n;
    }
    u->scratch[thread].bits = bits;
}

/* Sets the unit's bits to those that its values use, if they may have more than BK_BITS_AS_TOLD:
   counts are by value. */
static enum bk_err narrow(struct bk_unit_run *u, struct bk_report *why)
{
    int64_t bits = BK_BITS_AS_TOLD;
    enum bk_err err = BK_OK;

    if (u->src->bits <= BK_BITS_AS_TOLD)
        return BK_OK;
    if (!bk_pool_try(u->pool, u->to - u->from, widest_piece, u))
        err = bk_fail(why, BK_E_SYSTEM, "stopped");
    err = bk_unit_ended(u, err, why);
    if (err)
        return err;
    for (unsigned t = 0; t < u->threads; t++)
        if (u->scratch[t].bits > bits)
            bits = u->scratch[t].bits;
    if (u->shared)
        bk_transport_max(&bits, 1);
    u->own.bits = (unsigned)bits;
    return BK_OK;
}

/* == Learning == */

static enum bk_err learn_here(struct bk_unit_run *u, const struct bk_unit_options *options,
                              unsigned dear, struct bk_report *why)
{
    struct bk_sample own = { 0 }, *sample = options->sample ? options->sample : &own;
    const struct bk_unit_source *src = u->src;
    bool taken = sample->bits;
    enum bk_err err = BK_OK;

    if (!taken && !sample->rows)
        err = bk_rows_worth(sample, &src, 1, options->effort, &u->logs, u->pool, u->spill, why);
    if (!taken && !err)
        err = bk_samples_take(sample, &src, 1, options->effort, 0, u->pool, u->spill, why);
    u->sampled_bytes = sample->first_bytes;
    bk_meter_step(u->meter, BK_ENCODING, u->part[BK_PASS_LEARN]);
    if (!err)
        err = bk_learn(&u->learned, u->src, sample, dear, &u->logs, u->pool, u->spill, why);
    bk_sample_release(sample);
    return err;
}

/* Sends what the first process has learned to all. */
static enum bk_err tell_learned(struct bk_unit_run *u, struct bk_report *why)
{
    struct bk_learned *l = &u->learned;
    struct bk_learned first = *l;
    enum bk_err err = BK_OK;

    bk_ranks_first_says(&first, sizeof first);
    if (!bk_ranks_is_first()) {
        *l = first;
        l->tree = malloc((first.nodes + 1u) * sizeof *l->tree);
        l->guess = malloc((first.leaves + 1u) * sizeof *l->guess);
        if (!l->tree || !l->guess)
            err = bk_no_memory(why);
    }
    err = bk_ranks_agree(err, why);
    if (err)
        return err;
    bk_ranks_first_says(l->tree, l->nodes * sizeof *l->tree);
    bk_ranks_first_says(l->guess, l->leaves * sizeof *l->guess);
    return BK_OK;
}

static enum bk_err learn(struct bk_unit_run *u, const struct bk_unit_options *options,
                         unsigned dear, struct bk_report *why)
{
    enum bk_err err = narrow(u, why);

    if (err)
        return err;
    if (!u->shared)
        return learn_here(u, options, dear, why);
    if (bk_ranks_is_first()) {
        enum bk_err told;

        err = learn_here(u, options, dear, why);
        told = u->src->fetch(u->src->context, NULL, 0, why);
        err = err ? err : told;
    } else {
        err = u->src->serve(u->src->context, why);
    }
    err = bk_ranks_agree(err, why);
    return err ? err : tell_learned(u, why);
}

/* Forgets a tree, and all that has followed from it. */
static void unlearn(struct bk_unit_run *u)
{
    bk_learned_release(&u->learned);
    bk_codes_release(&u->codes);
    bk_spill_free(u->counts.n);
    u->counts.n = NULL;
    for (unsigned t = 0; t < u->threads; t++)
        u->scratch[t].count = NULL;
    bk_spill_free(u->cells);
    u->cells = NULL;
    u->cells_taken = 0;
    for (uint32_t p = u->from; p < u->to; p++)
        u->piece[p].remembered = false;
}

/*
 * Makes the tree and its codes.  A file may have only so many leaves and questions (docs/format.md
 * 6), twenty times as many as the tables that were looked at; where values are so wild that there
 * are more, leaves must gain four times as much.  A tree of one leaf is always allowed.
 */
static enum bk_err learn_codes(struct bk_unit_run *u, const struct bk_unit_options *options,
                               struct bk_report *why)
{
    for (unsigned dear = u->effort->dear;; dear += 2) {
        enum bk_err err = learn(u, options, dear, why);

        bk_meter_step(u->meter, BK_ENCODING, u->part[BK_PASS_COUNT]);
        if (!err)
            err = bk_unit_count(u, why);
        if (err)
            return err;
        err = bk_codes_new(&u->codes, &u->counts, u->learned.tree, u->learned.nodes, &u->logs,
                           u->spill, why);
        err = bk_unit_ended(u, err, why);
        if (err || bk_model_may_have(u->src->end - u->src->first, u->codes.model.leaves,
                                     u->codes.model.questions))
            return err;
        unlearn(u);
    }
}

/* == All of it == */

static enum bk_err encode(struct bk_unit_run *u, struct bk_unit *out,
                          const struct bk_unit_options *options, bk_shard_sink *sink, void *context,
                          struct bk_report *why)
{
    enum bk_err err = learn_codes(u, options, why);

    if (err)
        return err;
    bk_meter_step(u->meter, BK_ENCODING, u->part[BK_PASS_RATES]);
    err = bk_unit_ended(u, bk_unit_judge_guesses(u, why), why);
    if (!err)
        err = bk_unit_choose_rates(u, why);
    bk_spill_ease(u->spill);
    if (err)
        return err;
    err = bk_model_write(&out->model, &out->model_bytes, &u->codes.model, why);
    err = bk_unit_ended(u, err, why);
    if (!err)
        err = bk_unit_write_shards(u, out, sink, context, why);
    out->leaves = u->learned.leaves;
    out->directory = u->directory;
    u->directory = NULL;
    return err;
}

enum bk_err bk_unit_encode(struct bk_unit *out, const struct bk_unit_source *src,
                           const struct bk_unit_options *options, struct bk_pool *pool,
                           bk_shard_sink *sink, void *context, struct bk_report *why)
{
    struct bk_unit_run *u = calloc(1, sizeof(*u));
    enum bk_err err;

    *out = (struct bk_unit){ 0 };
    err = u ? unit_run_init(u, src, options, pool, why)
            : bk_fail(why, BK_E_SYSTEM, "no memory to encode");
    if (options->shared)
        err = bk_ranks_agree(err, why);
    if (!err)
        err = encode(u, out, options, sink, context, why);
    if (u)
        unit_run_release(u);
    if (err)
        bk_unit_release(out);
    return err;
}

void bk_unit_release(struct bk_unit *u)
{
    free(u->model);
    free(u->directory);
    *u = (struct bk_unit){ 0 };
}
