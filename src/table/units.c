/*
 * units.c - see units.h.
 *
 * Idea: a model is read and parsed by whoever asks first, outside of locks, and hung into the
 * brain; who was slower drops its copy.
 *
 * Everything is read with pread(): a file that shrinks under us gives an error
 * and not a signal.
 */
#include "table/units.h"

#include <stdlib.h>

#include <xxhash.h>

/* == The brain: facts, and room for models == */

static void loaded_free(struct bk_loaded_unit *l)
{
    if (!l)
        return;
    bk_model_free(l->model);
    bk_fact_tree_free(l->tree);
    bk_directory_release(&l->directory);
    free(l);
}

static void brain_free(struct bk_held *h)
{
    struct bk_brain *b = (struct bk_brain *)h;

    for (unsigned i = 0; i < b->units; i++)
        loaded_free(atomic_load(&b->unit[i]));
    bk_facts_free(b->facts);
    free(b);
}

static enum bk_err brain_new(struct bk_file *f, struct bk_brain **out, struct bk_report *why)
{
    struct bk_fact_men men = bk_table_men(f->ix);
    unsigned units = f->head.info.nunits;
    struct bk_brain *b = calloc(1, sizeof *b + units * sizeof *b->unit);
    enum bk_err err;

    if (!b)
        return bk_file_no_memory(f, why);
    b->units = units;
    if ((err = bk_facts_new(&b->facts, f->ix->v, &men, why)) != BK_OK) {
        free(b);
        return err;
    }
    bk_held_begin(&b->held, sizeof *b + units * sizeof *b->unit + bk_facts_bytes(b->facts),
                  f->head.info.kind == BK_KIND_WDL ? BK_WORTH_WDL_MODEL : BK_WORTH_DTW_MODEL,
                  brain_free);
    *out = b;
    return BK_OK;
}

bool bk_file_fits(const struct bk_file *f, uint64_t bytes, uint64_t full)
{
    return full == BK_ANY_BYTES || bk_cache_used(f->cache) + bytes <= full;
}

__attribute__((noinline)) enum bk_err bk_brain_make(struct bk_file *f, uint64_t full,
                                                    struct bk_brain **out, struct bk_report *why)
{
    struct bk_brain *b = NULL; /* gcc -O1 does not see that without an error it is written */
    enum bk_err err = bk_cache_may_read(why);

    if (!err)
        err = brain_new(f, &b, why);
    if (err)
        return err;
    if (bk_file_fits(f, b->held.bytes, full)) {
        *out = (struct bk_brain *)bk_cache_keep(f->cache, &f->brain, &b->held);
    } else {
        brain_free(&b->held);
        *out = NULL;
    }
    return BK_OK;
}

enum bk_err bk_brain_pinned(struct bk_file *f, struct bk_brain **out, struct bk_report *why)
{
    unsigned visit = bk_visit_begin(f->cache);
    enum bk_err err;

    do
        err = bk_brain_of(f, out, why);
    while (!err && !bk_cache_pin(f->cache, &(*out)->held));
    bk_visit_end(f->cache, visit);
    return err;
}

/* == Models and directories: section 10.8 == */

static enum bk_err parse_unit(const struct bk_file *f, const struct bk_facts *facts,
                              const struct bk_open_unit *u, const uint8_t *bytes,
                              struct bk_loaded_unit *l, struct bk_report *why)
{
    struct bk_report inner = { "" };
    enum bk_err err =
        bk_model_parse(&l->model, bytes, u->head.model_bytes, u->place.end - u->place.first,
                       bk_facts_count(facts), bk_kind_bits(f->head.info.kind), &inner);

    if (!err)
        err = bk_fact_tree_new(&l->tree, facts, l->model->tree, l->model->nodes, l->model->leaf,
                               &inner);
    if (!err)
        err =
            bk_directory_parse(&l->directory, bytes + u->head.model_bytes,
                               bk_directory_bytes(&u->head), u->place.first, u->place.end, &inner);
    if (err)
        return bk_fail(why, err, "%s: %s%s", f->path, err == BK_E_CORRUPT ? "damaged: " : "",
                       inner.text);
    if (l->directory.bytes != u->head.shard_bytes)
        return bk_file_damaged(f, why, "sizes of its shards");
    for (uint32_t i = 0; i < l->directory.n; i++)
        if (bk_file_row(f, l->directory.shard[i].first) != l->directory.shard[i].first)
            return bk_file_damaged(f, why, "a shard that begins within a row");
    return BK_OK;
}

static enum bk_err read_unit(struct bk_file *f, const struct bk_brain *b,
                             const struct bk_open_unit *u, struct bk_loaded_unit *l,
                             struct bk_report *why)
{
    size_t bytes = u->head.model_bytes + bk_directory_bytes(&u->head);
    uint8_t *data = malloc(bytes);
    enum bk_err err;

    if (!data)
        return bk_file_no_memory(f, why);
    err = bk_reader_read(f->file, data, bytes, u->model_at, why);
    if (!err && (uint32_t)XXH3_64bits_withSeed(data, bytes, (uint64_t)(u - f->unit)) != u->head.sum)
        err = bk_file_damaged(f, why, "checksum of a model");
    if (!err)
        err = parse_unit(f, b->facts, u, data, l, why);
    free(data);
    return err;
}

static uint64_t loaded_bytes(const struct bk_loaded_unit *l)
{
    return sizeof *l + bk_model_bytes(l->model) + bk_fact_tree_bytes(l->model->nodes) +
           bk_directory_held(&l->directory);
}

enum bk_err bk_brain_load(struct bk_file *f, struct bk_brain *b, struct bk_open_unit *u,
                          uint64_t full, struct bk_report *why)
{
    struct bk_loaded_unit *l, *there = NULL;
    enum bk_err err = bk_cache_may_read(why);

    if (!err)
        err = bk_cache_fits(f->cache, u->head.model_bytes, f->path, why);
    if (err)
        return err;
    if (!(l = calloc(1, sizeof *l)))
        return bk_file_no_memory(f, why);
    err = read_unit(f, b, u, l, why);
    if (err || !bk_file_fits(f, loaded_bytes(l), full)) {
        loaded_free(l);
        return err;
    }
    if (!atomic_compare_exchange_strong(&b->unit[u - f->unit], &there, l)) {
        loaded_free(l);
        return BK_OK;
    }
    bk_cache_grow(f->cache, &b->held, loaded_bytes(l));
    bk_shards_warm(f->shards);
    return BK_OK;
}

/* == Shards == */

enum bk_err bk_file_shard(struct bk_file *f, const struct bk_shard_place *place,
                          const uint8_t **bytes, struct bk_report *why)
{
    static const uint8_t none[1];

    *bytes = none;
    return place->bytes ? bk_shards_get(f->shards, place, bytes, why) : BK_OK;
}
