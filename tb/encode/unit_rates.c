/*
 * unit_rates.c - see unit_rates.h.
 */
#include "tb/encode/unit_rates.h"

#include <stdlib.h>

#define MEET_ALL 64 /* of fewer pieces all are met */

/* == Guesses == */

enum bk_err bk_unit_judge_guesses(struct bk_unit_run *u, struct bk_report *why)
{
    const struct bk_model *m = &u->codes.model;

    u->leaf = malloc((m->leaves + (size_t)1) * sizeof *u->leaf);
    u->met_by_odd = malloc(m->leaves + (size_t)1);
    if (!u->leaf || !u->met_by_odd)
        return bk_fail(why, BK_E_SYSTEM, "no memory for %u leaves", m->leaves);
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) {
        uint16_t guess = u->learned.guess[leaf];
        bk_code likely = m->leaf[leaf];

        while (likely >= 0)
            likely = m->question[likely].next[0];
        u->leaf[leaf] = (struct bk_asked_first){ .code = m->leaf[leaf], .mark = BK_GUESS_WRONG };
        if (m->leaf[leaf] < 0)
            u->leaf[leaf].mark = BK_GUESS_SURE;
        else if (guess == ~likely)
            u->leaf[leaf].mark = BK_GUESS_LIKELY;
        u->met_by_odd[leaf] = u->leaf[leaf].mark != BK_GUESS_WRONG;
    }
    return BK_OK;
}

/* == What questions meet == */

/* Prefetches what bk_unit_fetch_code() does, and the counts of these questions. */
static void fetch_met(const struct bk_walk *w, const struct bk_walk_ahead *cell)
{
    const struct bk_unit_walk *k = (const struct bk_unit_walk *)w;
    bk_code code = k->u->leaf[cell->leaf].code;
    const char *met = (const char *)(k->scratch->met + (code < 0 ? 0 : code));

    bk_unit_fetch_code(w, cell);
    for (unsigned i = 0; i < 3; i++)
        __builtin_prefetch(met + 64 * (size_t)i, 1);
}

/* Counts a cell for the questions that have exceptions in it. */
static void meet_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares)
{
    struct bk_unit_walk *k = (struct bk_unit_walk *)w;

    if (k->u->leaf[leaf].mark == BK_GUESS_SURE || bk_unit_is_likely(k, leaf))
        return;
    if (!w->seen)
        bk_walk_read(w);
    bk_ask_met(k->scratch->met, &k->u->codes, leaf, squares, &w->values, w->words, w->src->bits);
}

/* Are a piece's cells counted for bk_met?  In all of a few pieces, or in some of many, anywhere. */
static bool is_met(const struct bk_unit_run *u, uint64_t piece)
{
    return u->effort->met == 1 || u->pieces < MEET_ALL || bk_mix(piece) % u->effort->met == 0;
}

static void meet_piece(void *context, uint64_t nth, unsigned thread)
{
    struct bk_unit_run *u = context;
    const struct bk_unit_piece *p = &u->piece[u->from + nth];
    struct bk_unit_walk k = bk_unit_walk_of(u, thread, meet_cell);

    if (!is_met(u, u->from + nth))
        return;
    k.walk.recall = p->remembered ? &p->cells : NULL;
    k.walk.kept = u->leaf;
    k.walk.kept_bytes = sizeof *u->leaf;
    k.walk.passed = u->met_by_odd;
    k.walk.soon = fetch_met;
    bk_unit_walk_piece(&k, u->from + nth);
}

/* Counts what questions meet in the pieces of this process, in the first thread's `met`. */
static enum bk_err meet_here(struct bk_unit_run *u, struct bk_report *why)
{
    uint32_t questions = u->codes.model.questions;

    for (unsigned t = 0; t < u->threads; t++) {
        u->scratch[t].met =
            bk_spill_new_brief(u->spill, ((size_t)questions + 1) * sizeof(*u->scratch[t].met));
        if (!u->scratch[t].met)
            return bk_fail(why, BK_E_SYSTEM, "no memory for %u questions", questions);
    }
    u->askers = bk_spill_new_brief(u->spill, ((size_t)questions + 1) * sizeof *u->askers);
    if (!u->askers)
        return bk_fail(why, BK_E_SYSTEM, "no memory for %u questions", questions);
    bk_codes_ask(&u->codes, &u->counts, u->askers, u->spill);
    bk_spill_free(u->counts.n);
    u->counts.n = NULL;
    if (!u->spill)
        bk_codes_places(&u->codes, u->src->bits);
    if (!bk_pool_try(u->pool, u->to - u->from, meet_piece, u))
        return bk_fail(why, BK_E_SYSTEM, "stopped");
    for (unsigned t = 1; t < u->threads; t++)
        for (uint32_t q = 0; q < questions; q++) {
            u->scratch[0].met[q].cells += u->scratch[t].met[q].cells;
            u->scratch[0].met[q].in_cells += u->scratch[t].met[q].in_cells;
        }
    return BK_OK;
}

/* Adds up what questions meet over all processes; u->askers follow from the counts of all. */
static enum bk_err add_up_met(struct bk_unit_run *u, struct bk_report *why)
{
    uint32_t questions = u->codes.model.questions;
    struct bk_met *met = u->scratch[0].met;
    uint64_t *sum = malloc(((size_t)questions + 1) * 2 * sizeof *sum);
    enum bk_err err = bk_unit_ended(u, sum ? BK_OK : bk_no_memory(why), why);

    for (uint32_t q = 0; !err && q < questions; q++) {
        sum[2 * (size_t)q] = met[q].cells;
        sum[2 * (size_t)q + 1] = met[q].in_cells;
    }
    if (!err)
        err = bk_ranks_sum(sum, (size_t)questions * 2, why);
    for (uint32_t q = 0; !err && q < questions; q++) {
        met[q].cells = sum[2 * (size_t)q];
        met[q].in_cells = sum[2 * (size_t)q + 1];
    }
    free(sum);
    return err;
}

/* Estimates what questions meet in all pieces from what they meet in some. */
static void guess_met(struct bk_unit_run *u)
{
    uint32_t some = 0;

    for (uint32_t p = 0; p < u->pieces; p++)
        some += is_met(u, p);
    if (some < u->pieces)
        bk_met_guess(u->scratch[0].met, u->askers, u->codes.model.questions, some, u->pieces);
}

/* == Rates == */

/* Copies the rates of a leaf's first question, now that they are chosen. */
static void note_first(struct bk_asked_first *first, const struct bk_model *m)
{
    const struct bk_question *q;

    if (first->code < 0)
        return;
    q = &m->question[first->code];
    first->rc = q->rc;
    first->rp = q->rp;
    first->more = q->next[0] >= 0;
}

enum bk_err bk_unit_choose_rates(struct bk_unit_run *u, struct bk_report *why)
{
    struct bk_model *m = &u->codes.model;
    enum bk_err err = bk_unit_ended(u, meet_here(u, why), why);

    if (!err && u->shared)
        err = add_up_met(u, why);
    if (!err)
        guess_met(u);
    for (uint32_t q = 0; !err && q < m->questions; q++)
        bk_rates_choose(&m->question[q], &u->askers[q], &u->scratch[0].met[q]);
    for (uint32_t leaf = 0; !err && leaf < m->leaves; leaf++)
        note_first(&u->leaf[leaf], m);
    bk_spill_free(u->askers);
    u->askers = NULL;
    for (unsigned t = 0; t < u->threads; t++) { /* each as large as a quarter of the counts */
        bk_spill_free(u->scratch[t].met);
        u->scratch[t].met = NULL;
    }
    return err;
}
