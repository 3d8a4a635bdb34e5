/*
 * decode.c - see decode.h.
 *
 * Idea: the number tells the unit, its row the shard; the model's tree of facts brings the position
 * to a leaf, which is a value or a question to the shard.  HOT: bk_file_look(), bk_file_ask(),
 * bk_file_told().
 */
#include "table/decode.h"

#include "table/units.h"

/* == Values == */

/* As bk_file_shard(), for shard `local` of a unit; quick where it is in memory, as it mostly is. */
static inline enum bk_err shard_bytes(struct bk_file *f, const struct bk_open_unit *u,
                                      const struct bk_loaded_unit *l, uint32_t local,
                                      const uint8_t **bytes, struct bk_report *why)
{
    const struct bk_shard *s = &l->directory.shard[local];
    struct bk_shard_place place;

    *bytes =
        bk_shard_bytes(s) ? bk_shards_there(f->shards, u->shard0 + local, bk_shard_at(u, s)) : NULL;
    if (*bytes)
        return BK_OK;
    place = bk_shard_place_of(u, l, local);
    return bk_file_shard(f, &place, bytes, why);
}

bool bk_spot_number(struct bk_spot *spot, const struct bk_file *f)
{
    uint32_t block;

    spot->number = bk_index_rank_turned(f->ix, &spot->at, &block);
    if (spot->number == UINT64_MAX)
        return false;
    spot->row = f->inner_place
                    ? spot->number - f->inner_place[bk_placement_squares(&spot->at)[f->inner]]
                    : bk_row_first(f->rows, block, spot->number);
    return true;
}

enum bk_err bk_file_look(struct bk_file *f, const struct bk_placement *at,
                         struct bk_fact_look *look, struct bk_report *why)
{
    struct bk_brain *b;
    enum bk_err err = bk_brain_of(f, &b, why);

    if (!err)
        bk_fact_look(look, b->facts, bk_placement_squares(at));
    return err;
}

enum bk_err bk_file_ask(struct bk_file_ask *out, struct bk_file *f, const struct bk_spot *spot,
                        struct bk_fact_look *look, struct bk_report *why)
{
    struct bk_open_unit *u = bk_unit_with(f, spot->side, spot->number);
    const struct bk_loaded_unit *l;
    struct bk_brain *b;
    uint32_t local;
    enum bk_err err;

    if (!u)
        return bk_file_no_number(f, spot->number, why);
    if ((err = bk_brain_of(f, &b, why)) != BK_OK ||
        (err = bk_brain_unit(f, b, u, &l, why)) != BK_OK)
        return err;
    local = bk_directory_find(&l->directory, spot->row);
    bk_shards_ahead(f->shards, u->shard0 + local);
    out->shard = &l->directory.shard[local];
    out->hashes = bk_row_hashes(out->shard, spot->row); /* while waiting for the leaf */
    out->code = bk_fact_look_leaf(look, l->tree);
    out->of = f;
    if (out->code < 0) /* a value, and no question */
        return BK_OK;
    __builtin_prefetch(&l->model->question[out->code]);
    out->model = l->model;
    out->square = bk_placement_squares(&spot->at)[f->inner];
    if ((err = shard_bytes(f, u, l, local, &out->bytes, why)) != BK_OK)
        out->of = NULL;
    return err;
}

void bk_file_ahead(const struct bk_file_ask *ask)
{
    if (ask->code >= 0)
        bk_model_ahead(ask->model, ask->shard, ask->bytes, ask->hashes, ask->square, ask->code);
}

unsigned bk_file_told(const struct bk_file_ask *ask)
{
    if (ask->code < 0)
        return (unsigned)~ask->code;
    return bk_model_value(ask->model, ask->shard, ask->bytes, ask->hashes, ask->square, ask->code);
}

enum bk_err bk_file_value(struct bk_file *f, unsigned side, uint64_t number,
                          const struct bk_placement *at, unsigned *value, struct bk_report *why)
{
    struct bk_fact_look look;
    struct bk_file_ask ask;
    struct bk_spot spot = { .side = side, .number = number, .at = *at };
    unsigned visit;
    enum bk_err err;

    if (number >= f->ix->positions)
        return bk_file_no_number(f, number, why);
    spot.row = bk_file_row(f, number);
    visit = bk_visit_begin(f->cache);
    err = bk_file_look(f, at, &look, why);
    if (!err)
        err = bk_file_ask(&ask, f, &spot, &look, why);
    if (!err)
        *value = bk_file_told(&ask);
    bk_visit_end(f->cache, visit);
    return err;
}

/* == Reading ahead == */

enum bk_err bk_file_likely(struct bk_file *f, unsigned side, uint64_t number,
                           const struct bk_placement *at, unsigned *value, struct bk_report *why)
{
    struct bk_open_unit *u = bk_unit_with(f, side, number);
    struct bk_fact_look look;
    unsigned visit;
    const struct bk_loaded_unit *l;
    struct bk_brain *b;
    enum bk_err err;

    if (!u)
        return bk_file_no_number(f, number, why);
    visit = bk_visit_begin(f->cache);
    if ((err = bk_brain_of(f, &b, why)) == BK_OK)
        err = bk_brain_unit(f, b, u, &l, why);
    if (!err && value) {
        bk_fact_look(&look, b->facts, bk_placement_squares(at));
        *value = bk_model_likely(l->model, bk_fact_look_leaf(&look, l->tree));
    }
    bk_visit_end(f->cache, visit);
    return err;
}

enum bk_err bk_file_model(struct bk_file *f, unsigned side, uint64_t number, struct bk_report *why)
{
    return bk_file_likely(f, side, number, NULL, NULL, why);
}

/* Bytes that a host has not got yet do not keep us from noting what else it lacks. */
static bool go_on(enum bk_err err) { return !err || err == BK_E_NEEDS_BYTES; }

/* Reads the model and all shards of a unit ahead; *room: did all fit into `full`? */
static enum bk_err warm_unit(struct bk_file *f, struct bk_open_unit *u, uint64_t full, bool *room,
                             struct bk_report *why)
{
    unsigned visit = bk_visit_begin(f->cache);
    struct bk_brain *b = (struct bk_brain *)bk_held_at(&f->brain);
    const struct bk_loaded_unit *l = NULL;
    enum bk_err err = b ? BK_OK : bk_brain_make(f, full, &b, why), each;

    if (!err && b && !(l = atomic_load(&b->unit[u - f->unit])) &&
        (err = bk_brain_load(f, b, u, full, why)) == BK_OK)
        l = atomic_load(&b->unit[u - f->unit]);
    *room = err || l;
    for (uint32_t i = 0; l && go_on(err) && *room && i < l->directory.n; i++) {
        struct bk_shard_place place = bk_shard_place_of(u, l, i);
        const uint8_t *bytes;

        *room = bk_file_fits(f, place.bytes, full);
        if (*room && (each = bk_file_shard(f, &place, &bytes, why)) != BK_OK)
            err = each;
    }
    bk_visit_end(f->cache, visit);
    return err;
}

enum bk_err bk_file_warm(struct bk_file *f, uint64_t full, bool *room, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    *room = true;
    for (unsigned i = 0; go_on(err) && *room && i < f->head.info.nunits; i++) {
        enum bk_err each = warm_unit(f, &f->unit[i], full, room, why);

        if (each)
            err = each;
    }
    return err;
}
