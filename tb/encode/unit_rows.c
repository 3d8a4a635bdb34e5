/*
 * unit_rows.c - see unit_rows.h.
 */
#include "tb/encode/unit_rows.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/foretell.h"
#include "tb/memory/ranks.h"

/* == Rows of this process == */

static void give_row(void *context, uint64_t number, struct bk_row *row, struct bk_turned *turned,
                     struct bk_row_values *values)
{
    const struct bk_unit_rows *u = context;

    if (row->n && number == row->first + row->n)
        bk_row_next(u->source.rows, row);
    else if (!row->n || number < row->first || number > row->first + row->n)
        bk_row_of(u->source.rows, number, row);
    if (row->nth % 1024 == 0)
        bk_spill_ease(u->source.t->spill);
    if (values)
        bk_source_row(&u->source, row, turned, values);
}

static void row_comes_soon(void *context, const struct bk_row *row)
{
    const struct bk_unit_rows *u = context;

    bk_source_soon(&u->source, row);
}

void bk_unit_rows_open(struct bk_unit_rows *u, const struct bk_source *source,
                       const struct bk_unit_place *place, const struct bk_facts *facts)
{
    unsigned bits;

    u->source = *source;
    bits = bk_source_bits(&u->source, place->block, place->nblocks);
    u->alike = NULL;
    u->fetched = (struct bk_fetched_rows){ 0 };
    u->source.bits = bits;
    u->src = (struct bk_unit_source){ .first = place->first,
                                      .end = place->end,
                                      .bits = bits,
                                      .facts = facts,
                                      .inner = bk_rows_inner(source->rows),
                                      .context = u,
                                      .row = give_row,
                                      .soon = row_comes_soon };
}

/* == Rows that were fetched == */

#define NOT_FETCHED UINT32_MAX

/* Returns the place of the row that begins at `first`, or the empty place where it would be. */
static uint32_t *find_fetched(const struct bk_fetched_rows *f, uint64_t first)
{
    uint64_t mask = (UINT64_C(1) << f->bits) - 1;
    uint64_t i = first * UINT64_C(0x9e3779b97f4a7c15) >> (64 - f->bits);

    while (f->place[i] != NOT_FETCHED && f->word[f->place[i] * f->each] != first)
        i = (i + 1) & mask;
    return &f->place[i];
}

/* Makes room for n rows.  False: no memory. */
static bool make_fetched(struct bk_fetched_rows *f, uint32_t n, size_t each)
{
    *f = (struct bk_fetched_rows){ .bits = bk_fetched_bits(n), .n = n, .each = each };
    f->place = malloc(sizeof *f->place << f->bits);
    f->word = malloc((n + 1u) * each * sizeof *f->word);
    if (f->place)
        memset(f->place, 0xff, sizeof *f->place << f->bits); /* NOT_FETCHED */
    return f->place && f->word;
}

void bk_unit_rows_forget(struct bk_unit_rows *u)
{
    free(u->fetched.place);
    free(u->fetched.word);
    u->fetched = (struct bk_fetched_rows){ 0 };
}

uint64_t bk_unit_rows_bytes(const struct bk_unit_rows *u)
{
    const struct bk_fetched_rows *f = &u->fetched;

    return f->n ? (sizeof *f->place << f->bits) + f->n * f->each * sizeof *f->word : 0;
}

/* Sets `values` to those of a row that was fetched.  False: it was not. */
static bool recall_row(const struct bk_unit_rows *u, const struct bk_row *row,
                       struct bk_row_values *values)
{
    const uint32_t *found = u->fetched.n ? find_fetched(&u->fetched, row->first) : NULL;
    size_t words = bk_facts_words(u->src.facts);
    const uint64_t *at;

    if (!found || *found == NOT_FETCHED)
        return false;
    at = u->fetched.word + *found * u->fetched.each + 1;
    memcpy(values->care, at, words * sizeof *at);
    memcpy(values->least, at + words, words * sizeof *at);
    for (unsigned b = 0; b < u->src.bits; b++)
        memcpy(values->plane[b], at + (2 + b) * words, words * sizeof *at);
    return true;
}

static void give_shared_row(void *context, uint64_t number, struct bk_row *row,
                            struct bk_turned *turned, struct bk_row_values *values)
{
    const struct bk_unit_rows *u = context;

    give_row(context, number, row, turned, u->fetched.n ? NULL : values);
    if (u->fetched.n && values)
        recall_row(u, row, values);
}

/* == Asking and answering == */

/* What the first process asks for; n 0: it will ask for no more. */
struct request {
    uint32_t unit; /* index in struct bk_rows_alike */
    uint32_t n;    /* how many numbers follow, one a row */
};

static size_t words_of_row(const struct bk_unit_rows *u)
{
    return bk_row_words_sent(bk_facts_words(u->src.facts), u->src.bits);
}

/* Returns the process that has the row that holds `number`.  A row begins less than a board's
   squares before it; only if another process has a number that near is the row looked up. */
static unsigned rank_of_row(const struct bk_unit_rows *u, uint64_t number, struct bk_row *row)
{
    uint64_t first = u->src.first, nsq = u->source.t->ix->v->nsq;
    unsigned rank = bk_unit_rank(first, u->src.end, number, bk_ranks());

    if (number < first + nsq || bk_unit_rank(first, u->src.end, number - nsq, bk_ranks()) == rank)
        return rank;
    bk_row_of(u->source.rows, number, row);
    return bk_unit_rank(first, u->src.end, row->first, bk_ranks());
}

static void put_values(struct bk_box *box, const struct bk_unit_rows *u, uint64_t first,
                       const struct bk_row_values *v)
{
    size_t bytes = bk_facts_words(u->src.facts) * sizeof(uint64_t);

    bk_box_put(box, &first, sizeof first);
    bk_box_put(box, v->care, bytes);
    bk_box_put(box, v->least, bytes);
    for (unsigned b = 0; b < u->src.bits; b++)
        bk_box_put(box, v->plane[b], bytes);
}

/* Puts into `box` the values of those of n rows that this process has, in the order of `number`. */
static void answer_rows(const struct bk_unit_rows *u, const uint64_t *number, uint32_t n,
                        struct bk_box *box)
{
    struct bk_row row = { 0 };
    struct bk_row_values v;

    for (uint32_t i = 0; i < n; i++) {
        if (rank_of_row(u, number[i], &row) != bk_rank())
            continue;
        bk_row_of(u->source.rows, number[i], &row);
        bk_source_row(&u->source, &row, NULL, &v);
        put_values(box, u, row.first, &v);
    }
}

/* Keeps the rows that have come; in[r]: from process r. */
static enum bk_err keep_rows(struct bk_unit_rows *u, const uint64_t *number, uint32_t n,
                             const struct bk_box *in, struct bk_report *why)
{
    struct bk_fetched_rows *f = &u->fetched;
    size_t each = words_of_row(u), at[BK_PROCESSES_MAX] = { 0 };
    struct bk_row row = { 0 };

    if (!make_fetched(f, n, each))
        return bk_no_memory(why);
    for (uint32_t i = 0; i < n; i++) {
        unsigned r = rank_of_row(u, number[i], &row);

        memcpy(f->word + i * each, in[r].at + at[r], each * sizeof *f->word);
        *find_fetched(f, f->word[i * each]) = i;
        at[r] += each * sizeof *f->word;
    }
    return BK_OK;
}

/* Brings the rows of a request to the first process.  All processes call it together. */
static enum bk_err move_rows(struct bk_unit_rows *u, const uint64_t *number, uint32_t n,
                             struct bk_report *why)
{
    struct bk_box *out = bk_boxes_new(bk_ranks()), *in = bk_boxes_new(bk_ranks());
    enum bk_err err = bk_ranks_agree(out && in ? BK_OK : bk_no_memory(why), why);

    if (!err) {
        answer_rows(u, number, n, bk_ranks_is_first() ? &in[0] : &out[0]);
        err = bk_ranks_exchange(out, in, false, why);
    }
    if (!err && bk_ranks_is_first())
        err = in[0].failed ? bk_no_memory(why) : keep_rows(u, number, n, in, why);
    bk_boxes_free(out, bk_ranks());
    bk_boxes_free(in, bk_ranks());
    return bk_ranks_agree(err, why);
}

static enum bk_err fetch_rows(void *context, const uint64_t *number, uint32_t n,
                              struct bk_report *why)
{
    struct bk_unit_rows *u = context;
    struct request r = { (uint32_t)(u - u->alike->of), n };
    enum bk_err err;

    if (u->alike->left || (n && u->fetched.n == n)) /* a unit always asks for the same */
        return BK_OK;
    bk_ranks_first_says(&r, sizeof r);
    bk_unit_rows_forget(u);
    if (!n)
        return BK_OK;
    bk_ranks_first_says((uint64_t *)number, n * sizeof *number);
    err = move_rows(u, number, n, why);
    u->alike->left = err;
    return err;
}

enum bk_err bk_unit_rows_serve(void *context, struct bk_report *why)
{
    const struct bk_rows_alike *a = ((struct bk_unit_rows *)context)->alike;

    for (;;) {
        struct request r = { 0 };
        uint64_t *number;
        enum bk_err err;

        bk_ranks_first_says(&r, sizeof r);
        if (!r.n)
            return BK_OK;
        number = malloc(r.n * sizeof *number);
        if (!number) /* the first waits for an answer */
            bk_transport_abandon(1);
        bk_ranks_first_says(number, r.n * sizeof *number);
        err = move_rows((struct bk_unit_rows *)&a->of[r.unit], number, r.n, why);
        free(number);
        if (err)
            return err;
    }
}

void bk_unit_rows_enough(const struct bk_rows_alike *a, uint32_t i)
{
    if (!a->left)
        bk_ranks_first_says(&(struct request){ i, 0 }, sizeof(struct request));
}

void bk_unit_rows_share(struct bk_rows_alike *a)
{
    int64_t bits[BK_SAMPLES_MAX];

    for (unsigned i = 0; i < a->n; i++)
        bits[i] = a->of[i].src.bits;
    bk_transport_max(bits, a->n);
    for (unsigned i = 0; i < a->n; i++) {
        struct bk_unit_rows *u = &a->of[i];

        u->source.bits = u->src.bits = (unsigned)bits[i];
        u->alike = a;
        u->src.row = give_shared_row;
        u->src.soon = NULL;
        u->src.fetch = fetch_rows;
        u->src.serve = bk_unit_rows_serve;
    }
}
