/*
 * made.c - units of made-up values.
 */
#include "tests/made.h"

#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "table/index_new.h"

static unsigned value_of(const struct made *m, uint64_t number, const struct bk_row *row,
                         unsigned square, bool *is_free, bool *least)
{
    uint64_t h = bk_mix(number * 31 + m->seed);
    unsigned sum = square;

    for (unsigned i = 0; i < 3; i++)
        if (i != row->inner)
            sum += row->sq[i] / 3;
    *is_free = h % 16 < m->free_in_16;
    *least = (h >> 8) % 16 < m->least_in_16;
    if ((h >> 16) % 256 < m->noise_in_256)
        return (unsigned)((h >> 32) % m->values);
    return m->plain ? 0 : sum / 4 % m->values;
}

bool made_row(const struct made *m, uint64_t number, struct bk_row *row, struct bk_row_values *v)
{
    bk_row_of(m->rows, number, row);
    if (!v)
        return false;
    memset(v, 0, sizeof(*v));
    return true;
}

static void make_row(void *context, uint64_t number, struct bk_row *row, struct bk_turned *turned,
                     struct bk_row_values *v)
{
    const struct made *m = context;

    (void)turned;
    if (!made_row(m, number, row, v))
        return;
    for (unsigned i = 0; i < row->n; i++) {
        unsigned s = row->inner_sq[i];
        uint64_t bit = UINT64_C(1) << s % 64;
        bool is_free, least;
        unsigned value = value_of(m, row->first + i, row, s, &is_free, &least);

        for (unsigned man = 0; !is_free && man < 3; man++)
            is_free = man != row->inner && row->sq[man] == s;
        if (is_free)
            continue;
        v->care[s / 64] |= bit;
        v->least[s / 64] |= least ? bit : 0;
        for (unsigned b = 0; b < m->bits; b++)
            v->plane[b][s / 64] |= value >> b & 1 ? bit : 0;
    }
}

struct made_table made_table(const char *variant, const char *material)
{
    uint8_t order[BK_SLOTS_MAX + 1];
    struct bk_fact_men men = { .n = 2 };
    struct bk_material m;
    struct bk_report why;
    struct made_table t;

    assert_int_equal(bk_variant_load(&t.v, variant, &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, t.v, material, &why), BK_OK);
    bk_material_canonical(&m, t.v);
    assert_int_equal(bk_index_new(&t.ix, t.v, &m, NULL, &why), BK_OK);
    bk_rows_order(t.ix, order);
    bk_index_free(t.ix);
    assert_int_equal(bk_index_new(&t.ix, t.v, &m, order, &why), BK_OK);
    assert_int_equal(bk_rows_new(&t.rows, t.ix, &why), BK_OK);
    men.type[0] = men.type[1] = t.v->royal;
    men.colour[1] = 1;
    for (unsigned i = 0; i < t.ix->nslots; i++) {
        men.type[men.n] = t.ix->type[i];
        men.colour[men.n++] = t.ix->colour[i];
    }
    assert_int_equal(bk_facts_new(&t.facts, t.v, &men, &why), BK_OK);
    return t;
}

void made_table_free(struct made_table *t)
{
    bk_facts_free(t->facts);
    bk_rows_free(t->rows);
    bk_index_free(t->ix);
    bk_variant_free(t->v);
}

struct bk_unit_source made_source(const struct made_table *t, struct made *m)
{
    m->rows = t->rows;
    m->words = bk_facts_words(t->facts);
    return (struct bk_unit_source){ .first = 0,
                                    .end = t->ix->positions,
                                    .bits = m->bits,
                                    .facts = t->facts,
                                    .inner = bk_rows_inner(t->rows),
                                    .context = m,
                                    .row = make_row };
}

static enum bk_err collect(void *context, const void *bytes, size_t n, struct bk_report *why)
{
    struct made_bytes *b = context;

    (void)why;
    b->at = realloc(b->at, b->n + n);
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return BK_OK;
}

struct bk_unit made_encode_with(const struct bk_unit_source *src,
                                const struct bk_unit_options *options, unsigned threads,
                                struct made_bytes *shards)
{
    struct bk_pool *pool;
    struct bk_report why;
    struct bk_unit u;

    assert_int_equal(bk_pool_open(&pool, threads, &why), BK_OK);
    *shards = (struct made_bytes){ 0 };
    assert_int_equal(bk_unit_encode(&u, src, options, pool, collect, shards, &why), BK_OK);
    assert_int_equal(u.shard_bytes, shards->n);
    bk_pool_close(pool);
    return u;
}

struct bk_unit made_encode(const struct bk_unit_source *src, unsigned threads, uint64_t memory,
                           struct made_bytes *shards)
{
    return made_encode_with(
        src, &(struct bk_unit_options){ .effort = BK_EFFORT_FAST, .memory_bytes = memory }, threads,
        shards);
}

void made_reading_init(struct made_reading *r, const struct bk_unit *u,
                       const struct bk_unit_source *src)
{
    struct bk_report why;

    assert_int_equal(bk_model_parse(&r->model, u->model, u->model_bytes, src->end - src->first,
                                    bk_facts_count(src->facts), src->bits, &why),
                     BK_OK);
    assert_int_equal(bk_fact_tree_new(&r->tree, src->facts, r->model->tree, r->model->nodes,
                                      r->model->leaf, &why),
                     BK_OK);
    assert_int_equal(
        bk_directory_parse(&r->dir, u->directory, u->directory_bytes, src->first, src->end, &why),
        BK_OK);
    assert_int_equal(r->dir.bytes, u->shard_bytes);
    assert_int_equal(r->dir.n, u->shards);
    assert_int_equal(bk_fact_row_new(&r->row, src->facts, src->inner, &why), BK_OK);
}

void made_reading_release(struct made_reading *r)
{
    bk_model_free(r->model);
    bk_fact_tree_free(r->tree);
    bk_directory_release(&r->dir);
    bk_fact_row_free(r->row);
}
