/*
 * sample.c - see sample.h.
 *
 * The list of rows is one for all units of the same numbers, in random order; a unit that wants
 * fewer takes the first of it.  A chunk of rows begins with a word of its own, so that threads fill
 * chunks side by side; the bits to spare between them go at the end.
 */
#include "tb/encode/sample.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/cells.h"
#include "tb/encode/columns.h"
#include "tb/encode/work.h"

#define CHUNK_ROWS 256
#define EASE_ROWS  64 /* rows lie apart: from a disk each brings some 16 pages */
#define ALL_TIMES  2  /* if there are at most so many times the wanted rows, all are taken whole */
#define BATCH      8  /* columns that a thread takes at a time */
#define AHEAD      16 /* rows are found so many at a time */

/* One unit of those that are sampled together. */
struct part {
    const struct bk_unit_source *src;
    struct bk_sample *out;
    unsigned planes; /* bits of values, and the bounds */
    uint32_t rows;   /* that it takes, from the beginning of the list */
    unsigned halved; /* halvings of a row's squares: 1 takes every second, 2 every fourth */
    bool taken;      /* it is sampled */
    /* by chunk of rows: how many positions and numbers, the word where it begins in the columns */
    uint64_t *positions, *numbers, *word;
    uint64_t words; /* of a column, gaps and all */
};

struct drawing {
    struct part part[BK_SAMPLES_MAX];
    unsigned n;
    unsigned facts, words;
    struct bk_columns ops;
    struct bk_pool *pool;
    struct bk_spill *spill;
    uint64_t *row; /* owned; the list: a number of each row */
    uint32_t rows;
    bool all; /* the list has all rows */
    _Atomic bool failed;
};

/* == How many rows == */

/* Returns how many rows are wanted, no more than memory bears.  words: as many as the board needs.
 */
static uint32_t rows_to_draw(enum bk_effort effort, unsigned words, bool results, uint64_t numbers)
{
    const struct bk_effort_means *s = bk_effort_means(effort);
    uint64_t rows = numbers / (64 * s->part);
    uint32_t most = results ? s->most : s->most_long;

    if (rows < s->least)
        rows = s->least;
    if (rows > most)
        rows = most;
    return (uint32_t)rows / words;
}

uint32_t bk_sample_most(const struct bk_unit_source *src, enum bk_effort effort)
{
    return rows_to_draw(effort, bk_facts_board_words(src->facts),
                        bk_bits_of_results(src->bits, src->five), src->end - src->first);
}

struct rows_taken {
    uint64_t rows;
    unsigned halved; /* halvings of their squares */
};

/*
 * Returns how many of a unit's rows are taken, and how much of each, where `wanted` are asked for.
 * The positions of a row are much alike: as many positions of more rows teach more.  So two or four
 * times the wanted rows are taken, with a half or a quarter of the squares of each, drawn by the
 * row; if there are fewer than four times, twice as many with half of the squares.  Few rows are
 * all taken, and whole.
 */
static struct rows_taken rows_taken(uint64_t rows, uint64_t wanted, enum bk_effort effort)
{
    unsigned halved = bk_effort_means(effort)->halved;

    if (rows > wanted << halved)
        return (struct rows_taken){ wanted << halved, halved };
    if (rows > ALL_TIMES * wanted)
        return (struct rows_taken){ ALL_TIMES * wanted, 1 };
    return (struct rows_taken){ rows, 0 };
}

static struct rows_taken rows_of_size(const struct bk_unit_size *n, enum bk_effort effort)
{
    bool results = bk_bits_of_results(n->bits, n->five);

    return rows_taken(n->rows, rows_to_draw(effort, n->board_words, results, n->numbers), effort);
}

uint64_t bk_sample_rows(const struct bk_unit_size *n, enum bk_effort effort)
{
    struct rows_taken taken = rows_of_size(n, effort);

    return taken.rows >> taken.halved;
}

uint64_t bk_sample_rows_drawn(const struct bk_unit_size *n, enum bk_effort effort)
{
    return rows_of_size(n, effort).rows;
}

/* Returns how many rows the list has, at most: as results want it (list_rows()). */
static uint32_t list_length(enum bk_effort effort, unsigned words, uint64_t numbers)
{
    return rows_to_draw(effort, words, true, numbers) << bk_effort_means(effort)->halved;
}

uint64_t bk_sample_list_bytes(const struct bk_unit_size *n, enum bk_effort effort)
{
    uint64_t most = list_length(effort, n->board_words, n->numbers);

    return sizeof(uint64_t) * (n->rows < most ? n->rows : most);
}

/* Words to allocate for a column of `words`: some to spare, for parts of sets.  A set that is
   parted needs three; so sets of some 500 words, the least that are parted where they are, have
   eight to spare. */
static size_t column_room(uint64_t words) { return (size_t)(words + words / 64 + 64); }

uint64_t bk_sample_bytes(unsigned facts, unsigned bits, uint64_t positions)
{
    return (facts + bits + UINT64_C(1)) * column_room(bk_column_words(positions)) *
           sizeof(uint64_t);
}

/* == Which rows == */

static uint64_t draw(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    return bk_mix(*seed);
}

static uint64_t below(uint64_t *seed, uint64_t n) { return draw(seed) % n; }

/* Lists all rows (a unit of a board without room for its men has none).  False: over `most`. */
static bool list_all(struct drawing *d, uint32_t most)
{
    const struct bk_unit_source *s = d->part[0].src;
    struct bk_row row = { 0 };

    d->rows = 0;
    for (uint64_t at = s->first; at < s->end; at = row.first + row.n) {
        if (d->rows == most)
            return false;
        s->row(s->context, at, &row, NULL, NULL);
        d->row[d->rows++] = row.first;
    }
    return true;
}

/* Gives back what the list does not use. */
static void shrink_list(struct drawing *d)
{
    uint64_t *row = bk_spill_resize(d->row, (d->rows + 1u) * sizeof *row);

    d->row = row ? row : d->row;
}

/* Lists one number of each of `n` equal parts. */
static void list_drawn(struct drawing *d, uint32_t n, uint64_t *seed)
{
    const struct bk_unit_source *s = d->part[0].src;
    uint64_t span = s->end - s->first, part = span / n, rest = span % n, at = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t size = part + (i < rest);

        d->row[i] = s->first + at + below(seed, size);
        at += size;
    }
    d->rows = n;
}

static void shuffle(uint64_t *a, uint32_t n, uint64_t *seed)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)below(seed, i);
        uint64_t t = a[i - 1];

        a[i - 1] = a[j];
        a[j] = t;
    }
}

/* Sets how many rows a unit takes of the list, and how much of each. */
static void choose_rows(const struct drawing *d, struct part *p, enum bk_effort effort)
{
    uint32_t wanted = p->out->rows ? p->out->rows : bk_sample_most(p->src, effort);
    struct rows_taken taken = rows_taken(d->all ? d->rows : UINT64_MAX, wanted, effort);

    p->rows = (uint32_t)taken.rows;
    p->halved = taken.halved;
}

/* Makes the list as long as results want it, even if only distances are sampled now, so that the
   rows of distances are always the same. */
static enum bk_err list_rows(struct drawing *d, enum bk_effort effort, struct bk_report *why)
{
    const struct bk_unit_source *s = d->part[0].src;
    uint64_t seed = 0, span = s->end - s->first;
    uint32_t most = list_length(effort, bk_facts_board_words(s->facts), span), longest = 0;

    d->row = bk_spill_resize(NULL, most * sizeof(*d->row));
    if (!d->row)
        return bk_fail(why, BK_E_SYSTEM, "no memory for a sample of %u rows", most);
    d->all = span / BK_SQ_MAX < most && list_all(d, most);
    if (d->all && d->rows < most)
        shrink_list(d);
    if (!d->all)
        list_drawn(d, most, &seed);
    shuffle(d->row, d->rows, &seed);
    for (struct part *p = d->part; p < d->part + d->n; p++) {
        choose_rows(d, p, effort);
        longest = p->rows > longest ? p->rows : longest;
    }
    d->rows = longest; /* no unit wants the others */
    return BK_OK;
}

/* Returns which of 64 squares of a row are taken: all, or about 32 or 16. */
static uint64_t squares_taken(const struct part *p, uint64_t first, unsigned word)
{
    uint64_t seed = first * BK_SQ_MAX + word, squares = ~UINT64_C(0);

    for (unsigned i = 0; i < p->halved; i++)
        squares &= draw(&seed);
    return squares;
}

/* Reduces v->care to the positions of a row to learn from.  False: none. */
static bool take_care(const struct part *p, uint64_t first, struct bk_row_values *v, unsigned words)
{
    uint64_t any = 0;

    for (unsigned i = 0; i < words; i++) {
        uint64_t some = 0;

        for (unsigned b = 0; b < p->src->bits; b++)
            some |= v->plane[b][i];
        v->care[i] &= squares_taken(p, first, i);
        v->least[i] &= v->care[i];
        v->care[i] &= ~v->least[i] | some;
        v->least[i] &= v->care[i];
        any |= v->care[i];
    }
    return any;
}

/* == The rows of a chunk == */

/* Rows lie far apart, and memory takes its time: AHEAD rows are found, and asked for, while as many
   found before them are read.  They are asked for one right after the other: each lies in another
   page, and the processor looks several pages up at once, if nothing stands between. */
struct chunk_rows {
    struct bk_row row[2 * AHEAD];
    uint32_t at, found, end; /* indices in the list: the present row, ends of those found, of all */
};

static struct chunk_rows rows_of_chunk(const struct drawing *d, uint64_t chunk)
{
    uint32_t first = (uint32_t)chunk * CHUNK_ROWS, end = first + CHUNK_ROWS;

    return (struct chunk_rows){ .at = first, .found = first, .end = end < d->rows ? end : d->rows };
}

/* Finds the next AHEAD rows, and lets their memory come. */
static void find_rows(const struct drawing *d, struct chunk_rows *c)
{
    const struct bk_unit_source *s = d->part[0].src;
    uint32_t end = c->end - c->found < AHEAD ? c->end : c->found + AHEAD;

    for (uint32_t i = c->found; i < end; i++)
        s->row(s->context, d->row[i], &c->row[i % (2 * AHEAD)], NULL, NULL);
    for (const struct part *p = d->part; p < d->part + d->n; p++)
        for (uint32_t i = c->found; p->src->soon && i < end && i < p->rows; i++)
            p->src->soon(p->src->context, &c->row[i % (2 * AHEAD)]);
    c->found = end;
}

/* The next row, the `at`th of the list; NULL: no more. */
static struct bk_row *next_row(const struct drawing *d, struct chunk_rows *c, uint32_t *at)
{
    if (c->at == c->end)
        return NULL;
    if (c->at % EASE_ROWS == 0)
        bk_spill_ease(d->spill);
    while (c->found < c->end && c->found <= c->at + AHEAD)
        find_rows(d, c);
    *at = c->at++;
    return &c->row[*at % (2 * AHEAD)];
}

/* == How many positions == */

static void count_chunk(void *context, uint64_t chunk, unsigned thread)
{
    struct drawing *d = context;
    struct chunk_rows rows = rows_of_chunk(d, chunk);
    struct bk_row_values v;
    struct bk_row *row;
    uint32_t i;

    (void)thread;
    while ((row = next_row(d, &rows, &i)) != NULL)
        for (struct part *p = d->part; p < d->part + d->n; p++) {
            if (i >= p->rows)
                continue;
            p->src->row(p->src->context, d->row[i], row, NULL, &v);
            take_care(p, row->first, &v, d->words);
            p->numbers[chunk] += row->n;
            for (unsigned w = 0; w < d->words; w++)
                p->positions[chunk] += bk_count_bits(v.care[w]);
        }
}

static uint64_t column_bytes(const struct drawing *d, const struct part *p)
{
    return (d->facts + p->planes) * column_room(p->words) * sizeof(uint64_t);
}

/* Counts the positions of each unit, and decides which are sampled now: the first, and whatever
   later one fits beside those before it.  False: no memory. */
static bool measure(struct drawing *d, uint64_t bytes_most)
{
    size_t chunks = (d->rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
    uint64_t bytes = 0, own;

    for (struct part *p = d->part; p < d->part + d->n; p++) {
        p->positions = bk_spill_new(NULL, (3 * chunks + 1) * sizeof(*p->positions));
        if (!p->positions)
            return false;
        p->numbers = p->positions + chunks;
        p->word = p->numbers + chunks;
    }
    bk_pool_run(d->pool, chunks, count_chunk, d);
    for (struct part *p = d->part; p < d->part + d->n; p++) {
        for (size_t c = 0; c < chunks; c++) {
            p->word[c] = p->words;
            p->words += bk_column_words(p->positions[c]);
            p->out->positions += p->positions[c];
            p->out->covered += p->numbers[c] >> p->halved;
        }
        own = column_bytes(d, p);
        p->taken = p == d->part || bytes + own <= bytes_most;
        bytes += p->taken ? own : 0;
    }
    return true;
}

/* == Columns == */

/* A thread's scratch for filling: the facts of a row, with room for the values of a unit behind
   them; of each unit its columns from this chunk on, and their last words. */
struct fill_room {
    struct bk_fact_row *row;
    uint64_t *all;
    struct {
        uint64_t *partial, **column;
        size_t at; /* bits of the chunk so far */
    } of[BK_SAMPLES_MAX];
};

static bool make_fill_room(const struct drawing *d, struct fill_room *r, uint64_t chunk)
{
    unsigned most = 0;

    *r = (struct fill_room){ 0 };
    if (bk_fact_row_new(&r->row, d->part[0].src->facts, d->part[0].src->inner, NULL))
        return false;
    for (unsigned i = 0; i < d->n; i++) {
        const struct part *p = &d->part[i];
        unsigned n = d->facts + p->planes;

        if (!p->taken)
            continue;
        most = n > most ? n : most;
        r->of[i].partial = calloc(n, sizeof(uint64_t));
        r->of[i].column = malloc(n * sizeof(uint64_t *));
        if (!r->of[i].partial || !r->of[i].column)
            return false;
        for (unsigned j = 0; j < n; j++)
            r->of[i].column[j] = p->out->bits + j * p->out->room + p->word[chunk];
    }
    r->all = malloc((size_t)most * d->words * sizeof(*r->all));
    return r->all;
}

static void release_fill_room(struct fill_room *r)
{
    bk_fact_row_free(r->row);
    free(r->all);
    for (unsigned i = 0; i < BK_SAMPLES_MAX; i++) {
        free(r->of[i].partial);
        free(r->of[i].column);
    }
}

/* Appends the positions of a row, whose facts are in r->all, to the columns of unit i. */
static void append_row(const struct drawing *d, struct fill_room *r, unsigned i,
                       const struct bk_row_values *v)
{
    const struct part *p = &d->part[i];
    unsigned words = d->words, bits = p->src->bits, n = d->facts + p->planes;

    for (unsigned b = 0; b < p->planes; b++)
        memcpy(r->all + (size_t)(d->facts + b) * words, b < bits ? v->plane[b] : v->least,
               words * sizeof(*r->all));
    for (unsigned w = 0; w < words; w++) {
        uint64_t steps[6];

        if (!v->care[w])
            continue;
        if (d->ops.steps)
            bk_columns_steps(steps, &v->care[w], 1);
        d->ops.append(r->of[i].column, r->of[i].partial, r->all + w, words, n, v->care[w], steps,
                      r->of[i].at);
        r->of[i].at += bk_count_bits(v->care[w]);
    }
}

/* Appends a row to the samples; its facts are worked out once, for all squares that units take. */
static void fill_from(const struct drawing *d, struct fill_room *r, struct bk_row *row,
                      uint32_t nth)
{
    struct bk_row_values v[BK_SAMPLES_MAX];
    uint64_t care[BK_CELL_WORDS_MAX] = { 0 };
    bool takes[BK_SAMPLES_MAX] = { false }, some = false;

    for (unsigned i = 0; i < d->n; i++) {
        const struct part *p = &d->part[i];

        if (!p->taken || nth >= p->rows)
            continue;
        p->src->row(p->src->context, d->row[nth], row, NULL, &v[i]);
        takes[i] = take_care(p, row->first, &v[i], d->words);
        for (unsigned w = 0; w < d->words; w++)
            care[w] |= v[i].care[w];
        some |= takes[i];
    }
    if (!some)
        return;
    bk_fact_row_set(r->row, row->sq);
    bk_fact_row_all(r->row, care, r->all);
    for (unsigned i = 0; i < d->n; i++)
        if (takes[i])
            append_row(d, r, i, &v[i]);
}

static void fill_chunk(void *context, uint64_t chunk, unsigned thread)
{
    struct drawing *d = context;
    struct chunk_rows rows = rows_of_chunk(d, chunk);
    struct bk_row *row;
    struct fill_room r;
    uint32_t nth;

    (void)thread;
    if (!make_fill_room(d, &r, chunk)) {
        d->failed = true;
        rows.end = rows.at;
    }
    while ((row = next_row(d, &rows, &nth)) != NULL)
        fill_from(d, &r, row, nth);
    for (unsigned i = 0; i < d->n; i++)
        for (unsigned j = 0; r.of[i].at % 64 && j < d->facts + d->part[i].planes; j++)
            r.of[i].column[j][r.of[i].at / 64] = r.of[i].partial[j];
    release_fill_room(&r);
}

/* == Without the gaps == */

struct closing {
    const struct drawing *d;
    const struct part *p;
    uint64_t *mask, *steps; /* of the bits that are positions */
};

static void close_batch(void *context, uint64_t batch, unsigned thread)
{
    const struct closing *k = context;
    const struct bk_sample *s = k->p->out;
    unsigned first = (unsigned)batch * BATCH, n = k->d->facts + k->p->planes - first;
    uint64_t *column[BATCH];

    (void)thread;
    bk_spill_ease(k->d->spill);
    n = n < BATCH ? n : BATCH;
    for (unsigned j = 0; j < n; j++)
        column[j] = s->bits + (first + j) * s->room;
    k->d->ops.keep(column, column, n, k->mask, k->steps, (size_t)k->p->words);
}

/* False: no memory. */
static bool close_gaps(const struct drawing *d, const struct part *p)
{
    struct closing k = { d, p, bk_spill_new(NULL, (p->words + 1) * sizeof(uint64_t)), NULL };
    size_t chunks = (d->rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
    bool good;

    for (size_t c = 0; k.mask && c < chunks; c++)
        for (uint64_t i = 0; i < p->positions[c]; i += 64) {
            uint64_t left = p->positions[c] - i;

            k.mask[p->word[c] + i / 64] = left < 64 ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
        }
    if (k.mask && d->ops.steps) {
        k.steps = bk_spill_resize(NULL, (p->words + 1) * d->ops.steps * sizeof(*k.steps));
        if (k.steps)
            bk_columns_steps(k.steps, k.mask, (size_t)p->words);
    }
    good = k.mask && (k.steps || !d->ops.steps);
    if (good)
        bk_pool_run(d->pool, (d->facts + p->planes + BATCH - 1) / BATCH, close_batch, &k);
    bk_spill_free(k.steps);
    bk_spill_free(k.mask);
    return good;
}

/* == All of it == */

static bool fill_samples(struct drawing *d)
{
    for (struct part *p = d->part; p < d->part + d->n; p++) {
        uint64_t bytes = column_bytes(d, p);

        if (!p->taken)
            continue;
        p->out->room = column_room(p->words);
        p->out->facts = d->facts;
        p->out->partly = p->halved;
        if (bytes != (size_t)bytes)
            return false; /* more than a size_t of 32 bits holds */
        p->out->bits = bk_spill_new_brief(d->spill, (size_t)bytes);
        p->out->first_bytes = bk_sample_bytes(d->facts, p->src->bits, p->out->positions);
        if (!p->out->bits)
            return false;
    }
    bk_pool_run(d->pool, (d->rows + CHUNK_ROWS - 1) / CHUNK_ROWS, fill_chunk, d);
    for (const struct part *p = d->part; p < d->part + d->n && !d->failed; p++)
        if (p->taken && !close_gaps(d, p))
            return false;
    return !d->failed;
}

enum bk_err bk_samples_take(struct bk_sample *out, const struct bk_unit_source *const *src,
                            unsigned n, enum bk_effort effort, uint64_t bytes_most,
                            struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why)
{
    struct drawing d = { .n = n,
                         .facts = bk_facts_count(src[0]->facts),
                         .words = bk_facts_words(src[0]->facts),
                         .ops = bk_columns_for(),
                         .pool = pool,
                         .spill = spill };
    enum bk_err err;

    for (unsigned i = 0; i < n; i++)
        d.part[i] = (struct part){ .src = src[i], .out = &out[i], .planes = src[i]->bits + 1 };
    err = list_rows(&d, effort, why);
    for (unsigned i = 0; !err && i < n; i++)
        if (src[i]->fetch)
            err = src[i]->fetch(src[i]->context, d.row, d.part[i].rows, why);
    if (!err && (!measure(&d, bytes_most) || !fill_samples(&d)))
        err = bk_fail(why, BK_E_SYSTEM, "no memory for a sample of %u rows", d.rows);
    for (unsigned i = 0; i < n; i++) {
        if (err || !d.part[i].taken)
            bk_sample_release(&out[i]);
        bk_spill_free(d.part[i].positions);
    }
    bk_spill_free(d.row);
    return err;
}

void bk_sample_release(struct bk_sample *s)
{
    bk_spill_free(s->bits);
    *s = (struct bk_sample){ .rows = s->rows };
}
