/*
 * settled.c - see settled.h.
 *
 * Here the tables are listed, those that others lead to first, and each is gone
 * through in passes: pieces of rows (settled_rows.h), shared out over a pool.
 */
#include "tb/settled.h"

#include <pthread.h>
#include <stdlib.h>

#include "table/material.h"
#include "table/format.h"
#include "tb/settled_rows.h"
#include "tb/settled_values.h"

#define ROWS      256 /* a piece of work at most */
#define PASSES    3   /* of a table that is verified */
#define SHORT_MAX 200 /* the longest distance of a header that gives codes of a byte */

/* == Sharing out == */

static void fail(struct bk_settled *s, enum bk_err err, const struct bk_report *why)
{
    pthread_mutex_lock(&s->lock);
    if (!s->err) {
        s->err = err;
        s->why = *why;
    }
    pthread_mutex_unlock(&s->lock);
    __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
}

static bool goes_on(const struct bk_settled *s)
{
    return !(s->o.stop && *s->o.stop) && !__atomic_load_n(&s->failed, __ATOMIC_RELAXED);
}

static void tell(struct bk_settled *s, uint64_t rows, unsigned thread)
{
    uint64_t done = __atomic_add_fetch(&s->done, rows, __ATOMIC_RELAXED);

    if (thread == 0 && s->o.progress && s->pass != BK_SETTLED_SEARCH &&
        s->now == &s->values[s->n - 1])
        s->o.progress(s->o.context, done, PASSES * bk_rows_count(s->now->rows));
}

static void piece(void *context, uint64_t item, unsigned thread)
{
    struct bk_settled *s = context;
    struct bk_settled_values *t = s->now;
    struct bk_report why = { "" };
    uint64_t before = item * s->piece;
    uint64_t n = s->all - before < s->piece ? s->all - before : s->piece;
    struct bk_row row;
    enum bk_err err = BK_OK;

    bk_row_nth(t->rows, s->first + before, &row);
    for (uint64_t i = 0; i < n && !err && goes_on(s); i++) {
        uint64_t care[4];

        if (i)
            bk_row_next(t->rows, &row);
        if (bk_row_care(&row, 2 + t->ix->nslots, care))
            err = s->pass == 1 ? bk_settled_row_settle(s, thread, &row, care, &why)
                               : bk_settled_row_look(s, thread, &row, care, &why);
    }
    if (err)
        fail(s, err, &why);
    tell(s, n, thread);
}

static enum bk_err run_rows(struct bk_settled *s, struct bk_settled_values *t, int pass,
                            uint64_t first, uint64_t rows, struct bk_report *why)
{
    s->now = t;
    s->pass = pass;
    s->first = first;
    s->all = rows;
    s->piece = rows / (8 * s->threads) + 1;
    if (s->piece > ROWS)
        s->piece = ROWS;
    bk_pool_run(s->o.pool, (rows + s->piece - 1) / s->piece, piece, s);
    if (s->o.stop && *s->o.stop)
        return bk_interrupted(why);
    return s->err ? bk_fail(why, s->err, "%s", s->why.text) : BK_OK;
}

static enum bk_err run_pass(struct bk_settled *s, struct bk_settled_values *t, int pass,
                            struct bk_report *why)
{
    return run_rows(s, t, pass, 0, bk_rows_count(t->rows), why);
}

enum bk_err bk_settled_each(struct bk_settled *s, bk_settled_visit *visit, void *context,
                            struct bk_report *why)
{
    struct bk_settled_values *own = &s->values[s->n - 1];
    enum bk_err err;

    s->visit = visit;
    s->context = context;
    err = run_pass(s, own, 2, why);
    return err ? err : run_pass(s, own, 3, why);
}

/* == Searching == */

static struct bk_settled_values *own_values(const struct bk_settled *s)
{
    return &s->values[s->n - 1];
}

enum bk_err bk_settled_losses(struct bk_settled *s, struct bk_report *why)
{
    struct bk_settled_values *own = own_values(s);

    s->visit = NULL;
    return own->distances && !own->alone ? run_pass(s, own, 2, why) : BK_OK;
}

const struct bk_index *bk_settled_index(const struct bk_settled *s) { return own_values(s)->ix; }

uint64_t bk_settled_rows(const struct bk_settled *s) { return bk_rows_count(own_values(s)->rows); }

bool bk_settled_one_sided(const struct bk_settled *s) { return own_values(s)->sides == 1; }

enum bk_err bk_settled_scan(struct bk_settled *s, uint64_t first, uint64_t n,
                            bk_settled_visit *visit, void *context, struct bk_report *why)
{
    s->visit = visit;
    s->context = context;
    return run_rows(s, own_values(s), BK_SETTLED_SEARCH, first, n, why);
}

enum bk_err bk_settled_ask(const struct bk_settled *s, const struct bk_pos *p, struct bk_worth *out,
                           uint64_t *number, struct bk_report *why)
{
    if (number)
        *number = UINT64_MAX;
    return bk_settled_worth_after(s, p, s->distances, out, number, why);
}

/* == Making == */

/* Sets t->mirror. */
static void mirror_set(struct bk_settled_values *t)
{
    const struct bk_index *ix = t->ix;

    for (unsigned i = 0; t->sides == 1 && i < ix->nslots; i++)
        for (unsigned j = 0; j < ix->nslots; j++)
            if (ix->type[j] == ix->type[i] && ix->colour[j] != ix->colour[i] &&
                j - ix->like[j] == i - ix->like[i])
                t->mirror[i] = (uint8_t)j;
}

/* Do the results and the distances go row by row, so that they can be read together? */
static bool go_together(const struct bk_table *t, bool distances)
{
    return !distances || (t->same_numbers &&
                          bk_file_info(t->wdl)->standalone == bk_file_info(t->dtw)->standalone);
}

static bool is_long(const struct bk_file_info *info)
{
    for (unsigned side = 0; side < 2; side++)
        if (info->summary.win_plies[side] > SHORT_MAX || info->summary.loss_plies[side] > SHORT_MAX)
            return true;
    return false;
}

/* Sets what is known of a table before its values are read. */
static void values_init(struct bk_settled_values *t, const struct bk_table *table, bool distances)
{
    const struct bk_file_info *info = bk_file_info(table->wdl);

    t->table = table;
    t->ix = bk_file_index(table->wdl);
    t->rows = bk_file_rows(table->wdl);
    t->sides = info->one_side ? 1 : 2;
    t->distances = distances;
    t->alone = info->standalone;
    t->wide = distances && is_long(info);
    t->ask = t->wide ? UINT16_MAX : UINT8_MAX;
    mirror_set(t);
}

static uint64_t bytes_of(const struct bk_settled_values *t)
{
    return t->ix->positions * t->sides * (t->wide ? 2 : 1);
}

static bool values_room(struct bk_settled_values *t, unsigned threads)
{
    t->scan = calloc(threads, sizeof *t->scan);
    for (unsigned side = 0; t->scan && side < t->sides; side++)
        if (!(t->code[side] = calloc(t->ix->positions, t->wide ? 2 : 1)))
            return false;
    return t->scan;
}

static void scans_free(struct bk_settled_values *t, unsigned threads)
{
    for (unsigned i = 0; t->scan && i < threads; i++) {
        bk_scan_free(t->scan[i][0]);
        bk_scan_free(t->scan[i][1]);
    }
    free(t->scan);
    t->scan = NULL;
}

/* The materials that one leads to, being sorted. */
struct sorting {
    const struct bk_variant *v;
    const struct bk_material *m;
    size_t n, done;
    bool *begun;
    size_t *order; /* those that others lead to come first */
    struct bk_material *next;
};

static void sort_from(struct sorting *x, size_t i);

static void sort_before(struct sorting *x, struct bk_material next)
{
    bk_material_normalise(&next, x->v);
    bk_material_canonical(&next, x->v);
    for (size_t k = 0; k < x->n; k++)
        if (bk_material_equal(&x->m[k], &next)) {
            sort_from(x, k);
            return;
        }
}

static void sort_from(struct sorting *x, size_t i)
{
    struct bk_material *next = x->next;
    unsigned found;

    if (x->begun[i])
        return;
    x->begun[i] = true;
    found = bk_material_next(&x->m[i], x->v, next, BK_NEXT_MAX);
    if (found > BK_NEXT_MAX)
        found = BK_NEXT_MAX; /* others are asked one by one until they are settled */
    x->next += found;
    for (unsigned k = 0; k < found; k++)
        sort_before(x, next[k]);
    x->next = next;
    x->order[x->done++] = i;
}

/* Sets *order, owned, to the numbers of m[], those that others lead to first. */
static enum bk_err sort(size_t **order, const struct bk_variant *v, const struct bk_material *m,
                        size_t n, struct bk_report *why)
{
    struct sorting x = { .v = v, .m = m, .n = n };

    x.begun = calloc(n, sizeof *x.begun);
    x.order = calloc(n, sizeof *x.order);
    x.next = malloc((n + 1) * BK_NEXT_MAX * sizeof *x.next);
    *order = x.order;
    if (x.begun && x.order && x.next)
        sort_from(&x, 0);
    else
        *order = NULL;
    free(x.begun);
    free(x.next);
    if (!*order)
        free(x.order);
    return *order ? BK_OK : bk_fail(why, BK_E_SYSTEM, "out of memory");
}

/* Lists the tables that are there; *fits: they go together, and into memory. */
static enum bk_err list_tables(struct bk_settled *s, const struct bk_material *m,
                               const size_t *order, size_t n, bool *fits, struct bk_report *why)
{
    uint64_t bytes = 0;

    *fits = true;
    for (size_t i = 0; i < n && *fits; i++) {
        struct bk_settled_values *t = &s->values[s->n];
        const struct bk_table *table;
        enum bk_err err = bk_catalog_open(s->o.catalog, &m[order[i]], &table, why);

        if (err && err != BK_E_NO_TABLE)
            return err;
        if (err || (s->distances && !table->dtw)) { /* a position that needs it will miss it */
            if (i + 1 < n)
                continue;
            return err ? err
                       : bk_fail(why, BK_E_NO_TABLE,
                                 "no distances of %s, which its results promise",
                                 bk_file_info(table->wdl)->material);
        }
        values_init(t, table, s->distances);
        bytes += bytes_of(t);
        *fits = go_together(table, s->distances) && bytes <= s->o.memory;
        s->n++;
    }
    return BK_OK;
}

/* Tables that a table leads to are settled before it. */
static enum bk_err settle_tables(struct bk_settled *s, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (size_t i = 0; i < s->n && !err; i++) {
        struct bk_settled_values *t = &s->values[i];
        bool own = i + 1 == s->n;

        if (!values_room(t, s->threads))
            return bk_fail(why, BK_E_SYSTEM, "no memory for the values of %s",
                           bk_file_info(t->table->wdl)->material);
        s->done = 0;
        err = run_pass(s, t, 1, why);
        scans_free(t, s->threads);
        if (!err && !own && t->distances && !t->alone)
            err = run_pass(s, t, 2, why);
    }
    return err;
}

static enum bk_err settled_begin(struct bk_settled *s, size_t n, struct bk_report *why)
{
    for (s->buckets = 2; s->buckets < 2 * n;)
        s->buckets *= 2;
    s->values = calloc(n, sizeof *s->values);
    s->by_file = calloc(s->buckets, sizeof *s->by_file);
    if (s->values && s->by_file)
        return BK_OK;
    return bk_fail(why, BK_E_SYSTEM, "out of memory");
}

enum bk_err bk_settled_new(struct bk_settled **out, const struct bk_settled_options *o,
                           const struct bk_material *m, struct bk_report *why)
{
    struct bk_settled *s = calloc(1, sizeof *s);
    const struct bk_table *own;
    struct bk_material *needed = NULL;
    size_t *order = NULL, n = 0;
    bool fits = false;
    enum bk_err err;

    *out = NULL;
    if (!s || pthread_mutex_init(&s->lock, NULL)) {
        free(s);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    s->o = *o;
    s->tables = (struct bk_tables){ .v = o->v,
                                    .find = bk_catalog_table,
                                    .open = bk_catalog_reopen,
                                    .context = o->catalog,
                                    .cache = bk_catalog_cache(o->catalog) };
    s->threads = bk_pool_threads(o->pool);
    err = bk_catalog_open(o->catalog, m, &own, why);
    if (!err)
        err = bk_materials_needed(&needed, &n, m, o->v, why);
    if (!err)
        err = sort(&order, o->v, needed, n, why);
    if (!err)
        err = settled_begin(s, n, why);
    if (!err) {
        s->distances = bk_file_info(own->wdl)->distances;
        err = list_tables(s, needed, order, n, &fits, why);
    }
    if (!err && fits) {
        bk_settled_values_hash(s);
        err = settle_tables(s, why);
    }
    free(order);
    free(needed);
    if (err || !fits)
        bk_settled_free(s);
    else
        *out = s;
    return err;
}

void bk_settled_free(struct bk_settled *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++) {
        scans_free(&s->values[i], s->threads);
        free(s->values[i].code[0]);
        free(s->values[i].code[1]);
    }
    free(s->values);
    free(s->by_file);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
