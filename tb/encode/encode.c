/*
 * encode.c - see encode.h.
 *
 * A task is one unit of one kind of file.  Large ones are encoded one after the other, each by all
 * threads; of small ones every thread takes some by itself.  Bytes are the same either way.
 *
 * When several processes encode a unit together, each has the values of its own part.  The first
 * one learns from rows of all parts: it asks for the values of rows, each process answers with
 * those that it has, and they are kept as long as units of the same numbers may ask for them.
 */
#include "tb/encode/encode.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/derive.h"
#include "table/head.h"
#include "table/write.h"
#include "tb/encode/entropy.h"
#include "tb/encode/source.h"
#include "tb/encode/worth.h"
#include "tb/memory/ranks.h"

/* == Rows of a unit == */

/* Rows that were fetched: of each care, least and planes, as many words of each as a set has.  A
   hash table by the row's first number, at least half of it empty: binary search in an ordered list
   took a tenth of all the time of a build. */
struct fetched_rows {
    uint32_t *place; /* 1 << bits: a row, or UINT32_MAX */
    unsigned bits;
    uint64_t *word; /* `each` words a row: number of its first position, then its values */
    uint32_t n;
    size_t each;
};

struct rows_alike;

/* The rows of a unit. */
struct unit_rows {
    struct bk_unit_source src; /* for bk_unit_encode() */
    struct bk_source source;
    struct rows_alike *alike;    /* of a unit that processes share, else NULL */
    struct fetched_rows fetched; /* by the first process, to learn from; n 0: nothing */
};

/* The rows of all units of the same numbers. */
struct rows_alike {
    struct unit_rows of[BK_SAMPLES_MAX];
    unsigned n;
    bool left; /* fetching has failed: the others serve no more */
};

static void give_row(void *context, uint64_t number, struct bk_row *row, struct bk_turned *turned,
                     struct bk_row_values *values)
{
    const struct unit_rows *u = context;

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
    const struct unit_rows *u = context;

    bk_source_soon(&u->source, row);
}

/* Sets `u` to the rows of a unit of a table with these facts.  source: where its values are; all
   but `bits` set.  It is copied; what it points to is borrowed, and so are the facts.
   u->src.context is `u`, which must stay where it is. */
static void rows_open(struct unit_rows *u, const struct bk_source *source,
                      const struct bk_unit_place *place, const struct bk_facts *facts)
{
    unsigned bits;

    u->source = *source;
    bits = bk_source_bits(&u->source, place->block, place->nblocks);
    u->alike = NULL;
    u->fetched = (struct fetched_rows){ 0 };
    u->source.bits = bits;
    u->src = (struct bk_unit_source){ .first = place->first,
                                      .end = place->end,
                                      .bits = bits,
                                      .five = source->told == BK_WDL && source->t->nmove,
                                      .facts = facts,
                                      .inner = bk_rows_inner(source->rows),
                                      .context = u,
                                      .row = give_row,
                                      .soon = row_comes_soon };
}

/* == Rows fetched from other processes == */

#define NOT_FETCHED UINT32_MAX

/* Returns the place of the row that begins at `first`, or the empty place where it would be. */
static uint32_t *find_fetched(const struct fetched_rows *f, uint64_t first)
{
    uint64_t mask = (UINT64_C(1) << f->bits) - 1;
    uint64_t i = first * UINT64_C(0x9e3779b97f4a7c15) >> (64 - f->bits);

    while (f->place[i] != NOT_FETCHED && f->word[f->place[i] * f->each] != first)
        i = (i + 1) & mask;
    return &f->place[i];
}

/* Makes room for n rows.  False: no memory. */
static bool make_fetched(struct fetched_rows *f, uint32_t n, size_t each)
{
    *f = (struct fetched_rows){ .bits = bk_fetched_bits(n), .n = n, .each = each };
    f->place = bk_spill_resize(NULL, sizeof *f->place << f->bits);
    f->word = bk_spill_resize(NULL, (n + 1u) * each * sizeof *f->word);
    if (f->place)
        memset(f->place, 0xff, sizeof *f->place << f->bits); /* NOT_FETCHED */
    return f->place && f->word;
}

static void rows_forget(struct unit_rows *u)
{
    bk_spill_free(u->fetched.place);
    bk_spill_free(u->fetched.word);
    u->fetched = (struct fetched_rows){ 0 };
}

/* Returns the bytes that these take. */
static uint64_t rows_bytes(const struct unit_rows *u)
{
    const struct fetched_rows *f = &u->fetched;

    return f->n ? (sizeof *f->place << f->bits) + f->n * f->each * sizeof *f->word : 0;
}

/* Sets `values` to those of a row that was fetched.  False: it was not. */
static bool recall_row(const struct unit_rows *u, const struct bk_row *row,
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
    const struct unit_rows *u = context;

    give_row(context, number, row, turned, u->fetched.n ? NULL : values);
    if (u->fetched.n && values)
        recall_row(u, row, values);
}

/* What the first process asks for; n 0: it will ask for no more. */
struct request {
    uint32_t unit; /* index in struct rows_alike */
    uint32_t n;    /* how many numbers follow, one a row */
};

static size_t words_of_row(const struct unit_rows *u)
{
    return bk_row_words_sent(bk_facts_words(u->src.facts), u->src.bits);
}

/* Returns the process that has the row that holds `number`.  A row begins less than a board's
   squares before it; only if another process has a number that near is the row looked up. */
static unsigned rank_of_row(const struct unit_rows *u, uint64_t number, struct bk_row *row)
{
    uint64_t first = u->src.first, nsq = u->source.t->ix->v->nsq;
    unsigned rank = bk_unit_rank(first, u->src.end, number, bk_ranks());

    if (number < first + nsq || bk_unit_rank(first, u->src.end, number - nsq, bk_ranks()) == rank)
        return rank;
    bk_row_of(u->source.rows, number, row);
    return bk_unit_rank(first, u->src.end, row->first, bk_ranks());
}

static void put_values(struct bk_box *box, const struct unit_rows *u, uint64_t first,
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
static void answer_rows(const struct unit_rows *u, const uint64_t *number, uint32_t n,
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
static enum bk_err keep_rows(struct unit_rows *u, const uint64_t *number, uint32_t n,
                             const struct bk_box *in, struct bk_report *why)
{
    struct fetched_rows *f = &u->fetched;
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
static enum bk_err move_rows(struct unit_rows *u, const uint64_t *number, uint32_t n,
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
    struct unit_rows *u = context;
    struct request r = { (uint32_t)(u - u->alike->of), n };
    enum bk_err err;

    if (u->alike->left || (n && u->fetched.n == n)) /* a unit always asks for the same */
        return BK_OK;
    bk_ranks_first_says(&r, sizeof r);
    rows_forget(u);
    if (!n)
        return BK_OK;
    bk_ranks_first_says((uint64_t *)number, n * sizeof *number);
    err = move_rows(u, number, n, why);
    u->alike->left = err;
    return err;
}

static enum bk_err rows_serve(void *context, struct bk_report *why)
{
    const struct rows_alike *a = ((struct unit_rows *)context)->alike;

    for (;;) {
        struct request r = { 0 };
        uint64_t *number;
        enum bk_err err;

        bk_ranks_first_says(&r, sizeof r);
        if (!r.n)
            return BK_OK;
        number = bk_spill_resize(NULL, r.n * sizeof *number);
        if (!number) /* the first waits for an answer */
            bk_transport_abandon(1);
        bk_ranks_first_says(number, r.n * sizeof *number);
        err = move_rows((struct unit_rows *)&a->of[r.unit], number, r.n, why);
        bk_spill_free(number);
        if (err)
            return err;
    }
}

/* Ends the others' rows_serve(), if they are there: the first process wants no more rows of
   unit i for now.  Those that have been fetched stay. */
static void rows_enough(const struct rows_alike *a, uint32_t i)
{
    if (!a->left)
        bk_ranks_first_says(&(struct request){ i, 0 }, sizeof(struct request));
}

/* Makes all processes encode these units together.  Each knows how many bits distances take in its
   own part; the most are taken. */
static void rows_share(struct rows_alike *a)
{
    int64_t bits[BK_SAMPLES_MAX];

    for (unsigned i = 0; i < a->n; i++)
        bits[i] = a->of[i].src.bits;
    bk_transport_max(bits, a->n);
    for (unsigned i = 0; i < a->n; i++) {
        struct unit_rows *u = &a->of[i];

        u->source.bits = u->src.bits = (unsigned)bits[i];
        u->alike = a;
        u->src.row = give_shared_row;
        u->src.soon = NULL;
        u->src.fetch = fetch_rows;
        u->src.serve = rows_serve;
    }
}

/* == A table on its way into files == */

/* A unit of one kind of file. */
struct encode_task {
    enum bk_told told;
    const struct bk_unit_place *place;
    bool done;
    struct bk_unit unit;        /* model and directory */
    struct bk_unit_known known; /* before it is begun */
    uint64_t at;                /* offset of its shards in the scratch file */
    uint8_t *shard;             /* owned: shards that are not in the scratch file yet */
    size_t bytes, room;
};

struct bk_encoder {
    struct bk_memtable *t;
    const char *dir;
    struct bk_encode_options o;
    struct bk_pool *pool;
    struct bk_rows *rows;
    struct bk_facts *facts;
    bool one_side;
    unsigned nkinds, nplaces;
    enum bk_told told[2]; /* by kind: what its file tells */
    struct bk_unit_place *place;
    struct encode_task *task; /* by kind, then by place */
    bool *solved;             /* by block */
    int scratch;              /* file of shards; no name */
    uint64_t scratch_bytes;
    /* small units of this round, each encoded by a single thread */
    struct encode_task **small;
    unsigned nsmall;
    struct bk_first_error failed;
    struct bk_logs logs;
    double work; /* bk_encode_work() of the table */
};

static inline struct encode_task *task_of(const struct bk_encoder *e, unsigned kind, unsigned place)
{
    return &e->task[kind * e->nplaces + place];
}

/* Are all blocks of a unit solved? */
static inline bool is_ready(const struct bk_encoder *e, const struct bk_unit_place *p)
{
    for (uint32_t b = p->block; b < p->block + p->nblocks; b++)
        if (!e->solved[b])
            return false;
    return true;
}

/* == Shards == */

static enum bk_err to_scratch(struct bk_encoder *e, const void *bytes, size_t n,
                              struct bk_report *why)
{
    int error = bk_write_at(e->scratch, bytes, n, e->scratch_bytes);

    if (error)
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", e->dir, strerror(error));
    e->scratch_bytes += n;
    return BK_OK;
}

/* Shards of a large unit, which has the end of the scratch file for itself. */
static enum bk_err write_shards(void *context, const void *bytes, size_t n, struct bk_report *why)
{
    return to_scratch(context, bytes, n, why);
}

/* Shards of a small unit, which stay in memory for now. */
static enum bk_err keep_shards(void *context, const void *bytes, size_t n, struct bk_report *why)
{
    struct encode_task *task = context;

    if (!BK_SPILL_ROOM(task->shard, task->room, task->bytes + n))
        return bk_no_memory(why);
    memcpy(task->shard + task->bytes, bytes, n);
    task->bytes += n;
    return BK_OK;
}

/* == A unit == */

static void open_rows(const struct bk_encoder *e, const struct encode_task *task,
                      struct unit_rows *u)
{
    const struct bk_source source = { .t = e->t,
                                      .rows = e->rows,
                                      .told = task->told,
                                      .side = task->place->side,
                                      .alone = e->o.standalone };

    rows_open(u, &source, task->place, e->facts);
}

/* Returns what parts of the table's encoding the passes of a unit are. */
static struct bk_unit_work part_of(const struct bk_encoder *e, const struct encode_task *task)
{
    struct bk_unit_work part = bk_unit_work_of(&task->known);

    for (unsigned i = 0; i < BK_UNIT_PASSES; i++)
        part.pass[i] /= e->work;
    part.all /= e->work;
    return part;
}

/*
 * Returns the bytes of a unit, by those that units of its kind that are done, or sampled, have left
 * of the estimate for all, but a tenth of its share at least: if one side's values are dear, the
 * other's mostly are not.
 */
static double bytes_now(const struct bk_encoder *e, const struct encode_task *task)
{
    double own = (double)(task->place->end - task->place->first), all = 0, left = 0;
    double bytes = (double)e->o.file_bytes[task->told == BK_DISTANCES];

    for (unsigned i = 0; i < e->nkinds * e->nplaces; i++) {
        const struct encode_task *x = &e->task[i];
        double numbers = (double)(x->place->end - x->place->first);

        if (x->told != task->told)
            continue;
        all += numbers;
        if (x->done)
            bytes -= (double)(x->unit.model_bytes + x->unit.shard_bytes);
        else if (x != task && x->known.care > 0)
            bytes -= x->known.bytes;
        else
            left += numbers;
    }
    if (all > 0 && bytes < (double)e->o.file_bytes[task->told == BK_DISTANCES] * left / all / 10)
        bytes = (double)e->o.file_bytes[task->told == BK_DISTANCES] * left / all / 10;
    return left > 0 ? bytes * own / left : 0;
}

/* Notes what is known of a unit that is not begun, and tells the meter by how much that differs.
   The sample, if there is one, is done. */
static void know(const struct bk_encoder *e, struct encode_task *task,
                 const struct bk_sample *sample)
{
    struct bk_unit_work was = part_of(e, task), now;

    if (sample->bytes <= 0)
        task->known.bytes = bytes_now(e, task);
    bk_unit_know_sample(&task->known, sample);
    now = part_of(e, task);
    if (sample->bits)
        bk_meter_was_less(e->o.meter, BK_ENCODING,
                          was.pass[BK_PASS_SAMPLE] - now.pass[BK_PASS_SAMPLE]);
    bk_meter_skip(e->o.meter, BK_ENCODING,
                  was.all - was.pass[BK_PASS_SAMPLE] - (now.all - now.pass[BK_PASS_SAMPLE]));
}

/* room: bytes that it may take, 0: no limit.  pool: NULL for a small unit. */
static enum bk_err encode_unit(struct bk_encoder *e, struct encode_task *task,
                               const struct unit_rows *u, struct bk_sample *sample, uint64_t room,
                               struct bk_pool *pool, bk_shard_sink *sink, void *context,
                               struct bk_report *why)
{
    struct bk_unit_options options = { .effort = e->o.effort,
                                       .memory_bytes = e->o.memory_bytes /
                                                       (pool ? 1 : bk_pool_threads(e->pool)),
                                       .room_bytes = room,
                                       .spill = e->t->spill,
                                       .sample = sample,
                                       .shared = u->alike,
                                       .distances = task->told == BK_DISTANCES,
                                       .meter = e->o.meter,
                                       .beside = !pool,
                                       .known = task->known,
                                       .work = e->work };
    enum bk_err err;

    err = bk_unit_encode(&task->unit, &u->src, &options, pool, sink, context, why);

    task->done = !err;
    return err;
}

/* == Large units == */

/* A large unit that is ready and all units of the same numbers, which learn from the same rows. */
struct alike {
    struct encode_task *task[BK_SAMPLES_MAX];
    struct bk_sample sample[BK_SAMPLES_MAX];
    struct rows_alike rows; /* rows.n units */
};

static void find_alike(const struct bk_encoder *e, struct encode_task *first, struct alike *a)
{
    *a = (struct alike){ .rows.n = 0 };
    for (unsigned i = 0; i < e->nkinds * e->nplaces; i++) {
        struct encode_task *task = &e->task[i];

        if (task->done || task->place->block != first->place->block)
            continue;
        open_rows(e, task, &a->rows.of[a->rows.n]);
        a->task[a->rows.n++] = task;
    }
}

/* Takes together those samples of units from `from` on that are not there yet.  Units whose values
   may be wide take their own. */
static enum bk_err take_samples(struct bk_encoder *e, struct alike *a, unsigned from,
                                struct bk_report *why)
{
    const struct bk_unit_source *src[BK_SAMPLES_MAX];
    struct bk_sample sample[BK_SAMPLES_MAX];
    unsigned n = 0, which[BK_SAMPLES_MAX];
    enum bk_err err = BK_OK;

    for (unsigned i = from; i < a->rows.n; i++)
        if (!a->sample[i].bits && a->rows.of[i].src.bits <= BK_BITS_AS_TOLD) {
            which[n] = i;
            sample[n] = a->sample[i];
            src[n++] = &a->rows.of[i].src;
        }
    if (n < 2 || e->t->spill)
        return BK_OK;
    if (!sample[0].rows) /* nor are the others' rows known */
        err = bk_rows_worth(sample, src, n, e->o.effort, &e->logs, e->pool, NULL, why);
    if (!err)
        err = bk_samples_take(sample, src, n, e->o.effort, bk_columns_together(&e->o), e->pool,
                              NULL, why);
    for (unsigned k = 0; !err && k < n; k++)
        a->sample[which[k]] = sample[k];
    return err;
}

/* Takes samples before unit `from` is encoded: those that did not fit beside earlier ones may fit
   now.  Of several processes the first one samples, from rows of all of them; it keeps the fetched
   rows of units that are not sampled yet. */
static enum bk_err sample_alike(struct bk_encoder *e, struct alike *a, unsigned from,
                                struct bk_report *why)
{
    enum bk_err err = BK_OK;

    if (bk_ranks_is_first() && !a->sample[from].bits)
        err = take_samples(e, a, from, why);
    if (!bk_ranks_several())
        return err;
    for (unsigned i = 0; i < a->rows.n; i++)
        if (a->sample[i].bits)
            rows_forget(&a->rows.of[i]);
    if (!bk_ranks_is_first())
        err = rows_serve(&a->rows.of[from], why);
    else
        rows_enough(&a->rows, from);
    return bk_ranks_agree(err, why);
}

/* Returns the bytes that unit i may take beside the samples of later units, or the rows that these
   will be made of; 0: no limit.  Only the first process has these. */
static uint64_t room_beside(const struct bk_encoder *e, const struct alike *a, unsigned i)
{
    uint64_t later = 0;

    if (!e->o.room_bytes || !bk_ranks_is_first())
        return 0;
    while (++i < a->rows.n)
        later += a->sample[i].first_bytes + rows_bytes(&a->rows.of[i]);
    return e->o.room_bytes > later ? e->o.room_bytes - later : 1;
}

/* Notes what is known of the units from `from` on: first of those that are sampled. */
static void know_alike(const struct bk_encoder *e, const struct alike *a, unsigned from)
{
    for (unsigned sampled = 2; sampled--;)
        for (unsigned i = from; i < a->rows.n; i++)
            if (sampled == (a->sample[i].bits != NULL))
                know(e, a->task[i], &a->sample[i]);
}

static enum bk_err encode_alike(struct bk_encoder *e, struct encode_task *first,
                                struct bk_report *why)
{
    struct alike a;
    enum bk_err err = BK_OK;
    double sampling = 0;

    find_alike(e, first, &a);
    if (bk_ranks_several())
        rows_share(&a.rows);
    for (unsigned i = 0; i < a.rows.n; i++)
        sampling += part_of(e, a.task[i]).pass[BK_PASS_SAMPLE];
    for (unsigned i = 0; !err && i < a.rows.n; i++) {
        bk_ranks_sends(BK_SENDS_ROWS);
        bk_spill_trim();                                          /* lists of the unit before */
        bk_meter_step(e->o.meter, BK_ENCODING, i ? 0 : sampling); /* mostly all together */
        err = sample_alike(e, &a, i, why);
        a.task[i]->at = e->scratch_bytes;
        know_alike(e, &a, i);
        if (!err)
            err = encode_unit(e, a.task[i], &a.rows.of[i], &a.sample[i], room_beside(e, &a, i),
                              e->pool, write_shards, e, why);
        if (err) /* a checkpoint must not have a part of a unit */
            e->scratch_bytes = a.task[i]->at;
    }
    for (unsigned i = 0; i < a.rows.n; i++) {
        bk_sample_release(&a.sample[i]);
        rows_forget(&a.rows.of[i]);
    }
    return err;
}

/* == Small units == */

/* The process that encodes a small unit, both results and distances. */
static unsigned rank_of_small(const struct bk_encoder *e, const struct bk_unit_place *p)
{
    return (unsigned)(p - e->place) % bk_ranks();
}

static void encode_small(void *context, uint64_t item, unsigned thread)
{
    struct bk_encoder *e = context;
    struct encode_task *task = e->small[item];
    struct bk_report why = { "" };
    struct unit_rows rows;

    (void)thread;
    if (rank_of_small(e, task->place) != bk_rank() || bk_first_error_any(&e->failed))
        return;
    open_rows(e, task, &rows);
    bk_first_error_keep(&e->failed,
                        encode_unit(e, task, &rows, NULL, 0, NULL, keep_shards, task, &why), &why);
}

/* The numbers of a unit that is sent; its arrays follow. */
struct unit_numbers {
    uint64_t model_bytes, directory_bytes, shard_bytes, bytes;
    uint32_t leaves, shards;
};

static void send_small(const struct encode_task *task, struct bk_box *box)
{
    const struct bk_unit *u = &task->unit;
    const struct unit_numbers x = { u->model_bytes, u->directory_bytes, u->shard_bytes,
                                    task->bytes,    u->leaves,          u->shards };

    bk_box_put(box, &x, sizeof x);
    bk_box_put(box, u->model, u->model_bytes);
    bk_box_put(box, u->directory, u->directory_bytes);
    bk_box_put(box, task->shard, task->bytes);
}

static const char *receive_small(struct encode_task *task, const char *at, struct bk_report *why)
{
    struct bk_unit *u = &task->unit;
    struct unit_numbers x;

    memcpy(&x, at, sizeof x);
    at += sizeof x;
    *u = (struct bk_unit){ malloc(x.model_bytes + 1),
                           malloc(x.directory_bytes + 1),
                           x.model_bytes,
                           x.directory_bytes,
                           x.shard_bytes,
                           x.leaves,
                           x.shards };
    if (!u->model || !u->directory ||
        (x.bytes && keep_shards(task, at + x.model_bytes + x.directory_bytes, x.bytes, why)))
        return NULL;
    memcpy(u->model, at, x.model_bytes);
    memcpy(u->directory, at + x.model_bytes, x.directory_bytes);
    task->done = true;
    return at + x.model_bytes + x.directory_bytes + x.bytes;
}

/* Frees a task's shards, which the scratch file or the first process has now. */
static void let_small_go(struct encode_task *task)
{
    bk_spill_free(task->shard);
    task->shard = NULL;
    task->bytes = task->room = 0;
    task->done = true;
}

/* Brings the small units of all processes to the first one, which writes the file. */
static enum bk_err gather_small_ones(struct bk_encoder *e, struct bk_report *why)
{
    struct bk_box *out = bk_boxes_new(bk_ranks()), *in = bk_boxes_new(bk_ranks());
    const char *at[BK_PROCESSES_MAX] = { NULL };
    enum bk_err err;

    bk_ranks_sends(BK_SENDS_SHARDS);
    err = bk_ranks_agree(out && in ? BK_OK : bk_no_memory(why), why);

    for (unsigned i = 0; !err && i < e->nsmall; i++)
        if (rank_of_small(e, e->small[i]->place) == bk_rank() && bk_rank())
            send_small(e->small[i], &out[0]);
    if (!err)
        err = bk_ranks_exchange(out, in, false, why);
    for (unsigned r = 0; !err && r < bk_ranks(); r++)
        at[r] = in[r].at;
    for (unsigned i = 0; !err && i < e->nsmall; i++) {
        unsigned r = rank_of_small(e, e->small[i]->place);

        if (bk_rank())
            let_small_go(e->small[i]);
        else if (r && !(at[r] = receive_small(e->small[i], at[r], why)))
            err = bk_no_memory(why);
    }
    bk_boxes_free(out, bk_ranks());
    bk_boxes_free(in, bk_ranks());
    return bk_ranks_agree(err, why);
}

/* Encodes the small units, each by a single thread. */
static enum bk_err encode_small_ones(struct bk_encoder *e, struct bk_report *why)
{
    enum bk_err err = BK_OK;
    double part = 0;
    bool whole;

    if (e->nsmall)
        bk_spill_trim(); /* lists of tables before */
    for (unsigned i = 0; i < e->nsmall; i++)
        part += part_of(e, e->small[i]).all;
    if (e->nsmall)
        bk_meter_step(e->o.meter, BK_ENCODING, part);
    whole = bk_pool_try(e->pool, e->nsmall, encode_small, e);
    if (bk_first_error_any(&e->failed))
        err = bk_first_error_of(&e->failed, why);
    else if (!whole)
        err = bk_interrupted(why);
    err = bk_ranks_agree(err, why);
    if (!err && bk_ranks_several() && e->nsmall)
        err = gather_small_ones(e, why);
    for (unsigned i = 0; i < e->nsmall; i++) {
        struct encode_task *task = e->small[i];
        enum bk_err written = BK_OK;
        bool made = task->done; /* some are, if threads were stopped: a checkpoint has those */

        task->at = e->scratch_bytes;
        if (made)
            written = to_scratch(e, task->shard, task->bytes, err ? NULL : why);
        let_small_go(task);
        task->done = made && !written;
        if (!task->done) /* it may be asked for again */
            bk_unit_release(&task->unit);
        err = err ? err : written;
    }
    e->nsmall = 0;
    return err;
}

/* == Blocks == */

static void note_encoded(struct bk_encoder *e, const struct bk_unit_place *p)
{
    for (uint32_t b = p->block; b < p->block + p->nblocks; b++) {
        e->t->block[b].encoded = true;
        bk_memblock_free_attained(&e->t->block[b]);
    }
}

enum bk_err bk_encoder_blocks(struct bk_encoder *e, const uint32_t *block, uint32_t n,
                              struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; i < n; i++)
        e->solved[block[i]] = true;
    bk_stock_leave_some(bk_pool_threads(e->pool));
    for (unsigned i = 0; !err && i < e->nkinds * e->nplaces; i++) {
        struct encode_task *task = &e->task[i];

        if (task->done || !is_ready(e, task->place))
            continue;
        if (task->place->end - task->place->first < BK_LARGE_UNIT) {
            e->small[e->nsmall++] = task;
            continue;
        }
        err = encode_alike(e, task, why);
    }
    err = bk_ranks_agree(err, why);
    if (!err)
        err = encode_small_ones(e, why);
    bk_stock_leave_none();
    for (unsigned i = 0; !err && i < e->nplaces; i++)
        if (task_of(e, 0, i)->done)
            note_encoded(e, &e->place[i]);
    return err;
}

uint64_t bk_encoder_readers(const struct bk_encoder *e, uint32_t block, uint32_t slice,
                            unsigned side)
{
    const struct bk_encode_places places = { e->t->ix, e->place, e->one_side, bk_ranks() };

    return bk_encode_readers(&places, block, slice, side);
}

/* == Checkpoints ==
 *
 *   checkpoint  = solved: a byte a block
 *                 bytes of the scratch file
 *                 tasks, by kind, then by place: done, a byte; if it is, its numbers, model and
 *                 directory
 *                 the scratch file: shards, of done units and others
 *
 * What is read may be anything: it is taken only if a file's head could have it.
 */

/* The numbers of a task that is done, in a checkpoint; its arrays follow. */
struct numbers {
    uint64_t at, model_bytes, shard_bytes;
    uint32_t leaves, shards;
};

static void save_task(const struct encode_task *task, struct bk_writer *w)
{
    const struct bk_unit *u = &task->unit;
    const struct numbers x = { task->at, u->model_bytes, u->shard_bytes, u->leaves, u->shards };
    const uint8_t done = task->done;

    bk_write(w, &done, 1);
    if (!task->done)
        return;
    bk_write(w, &x, sizeof x);
    bk_write_array(w, u->model, u->model_bytes);
    bk_write_array(w, u->directory, u->directory_bytes);
}

void bk_encoder_save(struct bk_encoder *e, struct bk_writer *w)
{
    for (uint32_t b = 0; b < e->t->ix->nblocks; b++)
        bk_write(w, &(uint8_t){ e->solved[b] }, 1);
    bk_write(w, &e->scratch_bytes, sizeof e->scratch_bytes);
    for (unsigned i = 0; i < e->nkinds * e->nplaces; i++)
        save_task(&e->task[i], w);
    bk_write_file(w, e->scratch, e->scratch_bytes);
}

/* Loads the numbers of a task.  False: no file's head could have them, or the shards would not lie
   within the scratch file.  A unit without numbers has no shards, any other has some. */
static bool load_numbers(const struct bk_encoder *e, struct encode_task *task, struct bk_reader *r)
{
    uint64_t numbers = task->place->end - task->place->first;
    struct numbers x;
    struct bk_unit *u = &task->unit;

    if (!bk_read(r, &x, sizeof x) || !x.model_bytes || x.model_bytes > BK_MODEL_MOST ||
        !x.shards != !numbers || x.shards > numbers || x.at > e->scratch_bytes ||
        x.shard_bytes > e->scratch_bytes - x.at)
        return false;
    task->at = x.at;
    u->model_bytes = (size_t)x.model_bytes;
    u->shard_bytes = x.shard_bytes;
    u->leaves = x.leaves;
    u->shards = x.shards;
    u->directory_bytes = (size_t)x.shards * BK_SHARD_ENTRY_BYTES;
    return true;
}

static bool load_task(const struct bk_encoder *e, struct encode_task *task, struct bk_reader *r)
{
    struct bk_unit *u = &task->unit;
    uint8_t done;

    if (!bk_read(r, &done, 1) || done > is_ready(e, task->place))
        return false;
    task->done = done;
    if (!done)
        return true;
    if (!load_numbers(e, task, r))
        return false;
    u->model = malloc(u->model_bytes);
    u->directory = malloc(u->directory_bytes + 1);
    return u->model && u->directory && bk_read_array(r, u->model, u->model_bytes) &&
           bk_read_array(r, u->directory, u->directory_bytes);
}

/* Are all units of encoded blocks done?  Units of other blocks may be done, too: the build was
   stopped while it encoded the other units of these blocks, and goes on with them. */
static bool blocks_agree(const struct bk_encoder *e)
{
    for (unsigned i = 0; i < e->nplaces; i++)
        for (uint32_t b = e->place[i].block; b < e->place[i].block + e->place[i].nblocks; b++)
            for (unsigned kind = 0; kind < e->nkinds; kind++)
                if (e->t->block[b].encoded && !task_of(e, kind, i)->done)
                    return false;
    return true;
}

bool bk_encoder_load(struct bk_encoder *e, struct bk_reader *r)
{
    bool ok = true;

    for (uint32_t b = 0; ok && b < e->t->ix->nblocks; b++) {
        uint8_t solved;

        ok = bk_read(r, &solved, 1) && solved <= e->t->block[b].solved;
        e->solved[b] = ok && solved;
    }
    ok = ok && bk_read(r, &e->scratch_bytes, sizeof e->scratch_bytes) &&
         e->scratch_bytes <= bk_reader_left(r);
    for (unsigned i = 0; ok && i < e->nkinds * e->nplaces; i++)
        ok = load_task(e, &e->task[i], r);
    for (unsigned i = 0; ok && i < e->nkinds * e->nplaces; i++)
        if (e->task[i].done)
            bk_meter_skip(e->o.meter, BK_ENCODING, part_of(e, &e->task[i]).all);
    return ok && blocks_agree(e) && bk_read_file(r, e->scratch, e->scratch_bytes);
}

/* == Open and close == */

static enum bk_err open_scratch(struct bk_encoder *e, struct bk_report *why)
{
    char path[PATH_MAX];

    bk_table_path(path, e->dir, e->t->ix->v, &e->t->ix->m, BK_KIND_WDL);
    e->scratch = bk_file_scratch(path);
    return e->scratch < 0 ? bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno)) : BK_OK;
}

static bool make_tasks(struct bk_encoder *e)
{
    const struct bk_index *ix = e->t->ix;
    unsigned all;

    if (!e->o.no_results)
        e->told[e->nkinds++] = BK_WDL;
    if (e->o.distances)
        e->told[e->nkinds++] = BK_DISTANCES;
    e->nplaces = bk_units_of(ix, e->one_side, NULL, 0);
    all = e->nkinds * e->nplaces;
    e->place = calloc(e->nplaces + 1u, sizeof *e->place);
    e->task = calloc(all + 1u, sizeof *e->task);
    e->small = calloc(all + 1u, sizeof(struct encode_task *));
    e->solved = calloc(ix->nblocks + 1u, sizeof *e->solved);
    if (!e->place || !e->task || !e->small || !e->solved)
        return false;
    bk_units_of(ix, e->one_side, e->place, e->nplaces);
    for (unsigned i = 0; i < all; i++) {
        e->task[i].told = e->told[i / e->nplaces];
        e->task[i].place = &e->place[i % e->nplaces];
        e->task[i].known =
            bk_encode_known_of(ix, e->task[i].place, e->task[i].told == BK_DISTANCES, &e->o);
    }
    return true;
}

enum bk_err bk_encoder_open(struct bk_encoder **out, struct bk_memtable *t, const char *dir,
                            const struct bk_encode_options *o, struct bk_pool *pool,
                            struct bk_report *why)
{
    struct bk_encoder *e = calloc(1, sizeof *e);
    struct bk_fact_men men = bk_table_men(t->ix);
    enum bk_err err;

    if (!e)
        return bk_no_memory(why);
    *e = (struct bk_encoder){ .t = t, .dir = dir, .o = *o, .pool = pool, .scratch = -1 };
    e->one_side = bk_table_one_side(&t->ix->m, t->ix->v);
    bk_logs_init(&e->logs);
    e->work = bk_encode_work(t->ix, o);
    err = make_tasks(e) ? BK_OK : bk_no_memory(why);
    if (!err && e->nplaces > BK_UNITS_MAX)
        err = bk_fail(why, BK_E_USAGE, "too many positions for a file: %u units, of at most %u",
                      e->nplaces, BK_UNITS_MAX);
    if (!err && bk_ranks_is_first())
        err = open_scratch(e, why);
    if (!err)
        err = bk_rows_new(&e->rows, t->ix, why);
    if (!err)
        err = bk_facts_new(&e->facts, t->ix->v, &men, why);
    if (err)
        bk_encoder_close(e);
    else
        *out = e;
    return err;
}

void bk_encoder_close(struct bk_encoder *e)
{
    if (!e)
        return;
    for (unsigned i = 0; e->task && i < e->nkinds * e->nplaces; i++) {
        bk_unit_release(&e->task[i].unit);
        bk_spill_free(e->task[i].shard);
    }
    if (e->scratch >= 0)
        close(e->scratch);
    bk_rows_free(e->rows);
    bk_facts_free(e->facts);
    free(e->place);
    free(e->task);
    free(e->small);
    free(e->solved);
    free(e);
}

/* == Files == */

static struct bk_file_info info_of(const struct bk_encoder *e, enum bk_kind kind,
                                   const struct bk_summary *sum)
{
    const struct bk_index *ix = e->t->ix;
    struct bk_file_info info = { .kind = kind,
                                 .standalone = e->o.standalone,
                                 .one_side = e->one_side,
                                 .distances = e->o.distances,
                                 .rules_id = ix->v->wings_id[bk_wings(ix->m.rights)],
                                 .nmove_id = bk_kind_counts(kind) ? ix->v->nmove_id : 0,
                                 .positions = ix->positions,
                                 .norder = ix->nslots + 1,
                                 .summary = *sum,
                                 .nunits = e->nplaces };

    memcpy(info.order, ix->order, sizeof info.order);
    bk_homes_name(ix->v, bk_wings(ix->m.rights), info.variant);
    bk_material_name(&ix->m, ix->v, info.material);
    return info;
}

/* Returns the kind of the encoder's nth file. */
static enum bk_kind kind_of(const struct bk_encoder *e, unsigned nth)
{
    return bk_kind_of(e->told[nth] == BK_DISTANCES, e->t->nmove);
}

static const char *path_of(const struct bk_encoder *e, unsigned nth, char path[PATH_MAX])
{
    return bk_table_path(path, e->dir, e->t->ix->v, &e->t->ix->m, kind_of(e, nth));
}

static enum bk_err write_kind(struct bk_encoder *e, unsigned nth, const struct bk_summary *sum,
                              struct bk_report *why)
{
    struct bk_file_info info = info_of(e, kind_of(e, nth), sum);
    struct bk_unit_bytes *unit = calloc(e->nplaces + 1u, sizeof *unit);
    char path[PATH_MAX];
    enum bk_err err;

    if (!unit)
        return bk_no_memory(why);
    for (unsigned i = 0; i < e->nplaces; i++) {
        const struct encode_task *task = task_of(e, nth, i);

        unit[i] = (struct bk_unit_bytes){ .nblocks = task->place->nblocks,
                                          .shards = task->unit.shards,
                                          .model = task->unit.model,
                                          .directory = task->unit.directory,
                                          .model_bytes = task->unit.model_bytes,
                                          .shard_bytes = task->unit.shard_bytes,
                                          .at = task->at };
    }
    err = bk_file_write(path_of(e, nth, path), &info, unit, e->scratch, why);
    free(unit);
    return err;
}

/* Gives the written files their names, distances first: results that say they have them never stand
   alone, and distances of a new table do so only between two calls. */
static enum bk_err publish(const struct bk_encoder *e, uint64_t bytes[2], struct bk_report *why)
{
    char path[PATH_MAX];
    enum bk_err err = BK_OK;
    struct stat there;

    for (unsigned k = e->nkinds; !err && k-- > 0;) {
        err = bk_file_publish(path_of(e, k, path), why);
        bytes[e->told[k]] = !err && stat(path, &there) == 0 ? (uint64_t)there.st_size : 0;
    }
    if (err && e->nkinds == 2 && stat(path_of(e, 0, path), &there))
        unlink(path_of(e, 1, path));
    return err;
}

/* All files are written before any has its name: where there is no room for the second, the first
   is not left alone. */
static enum bk_err write_files(struct bk_encoder *e, const struct bk_summary *sum,
                               uint64_t bytes[2], struct bk_report *why)
{
    char path[PATH_MAX];
    enum bk_err err = BK_OK;

    for (unsigned k = e->nkinds; !err && k-- > 0;)
        err = write_kind(e, k, sum, why);
    if (!err)
        err = publish(e, bytes, why);
    for (unsigned k = 0; err && k < e->nkinds; k++)
        bk_file_withdraw(path_of(e, k, path));
    return err;
}

enum bk_err bk_encoder_finish(struct bk_encoder *e, const struct bk_summary *sum, uint64_t bytes[2],
                              struct bk_report *why)
{
    enum bk_err err = BK_OK;

    bytes[0] = bytes[1] = 0;
    if (bk_ranks_is_first())
        err = write_files(e, sum, bytes, why);
    err = bk_ranks_agree(err, why);
    bk_ranks_first_says(bytes, 2 * sizeof *bytes);
    return err;
}
