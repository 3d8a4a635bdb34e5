/*
 * format.c - opens table files, reads what is asked of them, and checks it.  Section numbers refer
 * to docs/format.md.  A single value is asked in decode.c, which is hot.
 *
 * Idea: opening reads the head alone: first as bytes, then as what they mean in the game.  A unit's
 * model is read when its first value is asked, a shard when the first value in it is.
 *
 * Invariant: an open file's head fits its game and its material, and its units fill the file.  What
 * has been read is checked before its pointer is published.
 *
 * Everything is read with pread(): a file that shrinks under us gives an error and not a signal.
 */
#include "table/format.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/derive.h"
#include "table/index_new.h"
#include "table/ribbon.h"
#include "table/units.h"

/* == Opening: bytes == */

/* Returns how many bytes are read before the size of the head is known.  A host may have the head
   alone. */
static size_t first_bytes(const struct bk_file *f)
{
    size_t fit = bk_reader_hosted(f->file) ? BK_HEAD_FIRST : BK_READER_FIRST;

    return f->bytes < fit ? f->bytes : fit;
}

static enum bk_err read_start(struct bk_file *f, void *to, size_t bytes, struct bk_report *why)
{
    return bk_reader_read_ahead(f->file, to, bytes, 0,
                                bytes < BK_READER_FIRST ? BK_READER_FIRST : bytes, why);
}

/* sections 10.1 to 10.5, but for the sums */
static enum bk_err read_head(struct bk_file *f, struct bk_report *why)
{
    uint8_t first[BK_READER_FIRST], *all = first;
    size_t there = first_bytes(f);
    uint32_t bytes;
    enum bk_err err;

    if (there < BK_HEAD_FIRST)
        return bk_file_damaged(f, why, "shorter than a head");
    err = read_start(f, first, there, why);
    if (!err)
        err = bk_head_bytes(&bytes, first, f->bytes, f->path, why);
    if (err)
        return err;
    if (bytes > there) {
        if (!(all = malloc(bytes)))
            return bk_file_no_memory(f, why);
        err = read_start(f, all, bytes, why);
    }
    if (!err)
        err = bk_head_parse(&f->head, all, bytes, f->path, why);
    if (all != first)
        free(all);
    return err;
}

/* No array of what is read of shards has as many bytes a shard, so the size of such an array does
   not overflow a size_t of 32 bits (the prober in a page). */
#define SHARD_MEMORY 64

/* Finds where the parts of all units lie; they fill the file.  No sum overflows: each part was
   bounded. */
static enum bk_err place_parts(struct bk_file *f, struct bk_report *why)
{
    unsigned n = f->head.info.nunits;
    uint64_t at = f->head.bytes, shards = 0;

    f->unit = calloc(n, sizeof *f->unit);
    if (!f->unit)
        return bk_file_no_memory(f, why);
    for (unsigned i = 0; i < n; i++) {
        struct bk_open_unit *u = &f->unit[i];

        u->head = f->head.unit[i];
        u->model_at = at;
        at += u->head.model_bytes + bk_directory_bytes(&u->head);
        u->shard0 = shards;
        shards += u->head.shards;
    }
    if (shards > SIZE_MAX / SHARD_MEMORY)
        return bk_file_no_memory(f, why);
    for (unsigned i = 0; i < n; i++) {
        f->unit[i].shards_at = at;
        if (f->unit[i].head.shard_bytes > f->bytes || at > INT64_MAX)
            return bk_file_damaged(f, why, "size of the file");
        at += f->unit[i].head.shard_bytes;
    }
    if (at != f->bytes)
        return bk_fail(why, BK_E_CORRUPT, "%s: damaged: %llu bytes, its head says %llu", f->path,
                       (unsigned long long)f->bytes, (unsigned long long)at);
    return BK_OK;
}

/* == Opening: meaning == */

static enum bk_err check_rules(const struct bk_file *f, uint64_t want, struct bk_report *why)
{
    const struct bk_file_info *i = &f->head.info;

    if (i->rules_id == want)
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: made for %s with other rules (%016llx, not %016llx)",
                   f->path, i->variant, (unsigned long long)i->rules_id, (unsigned long long)want);
}

static bool is_order(const struct bk_file_info *i, unsigned men)
{
    uint32_t seen = 0;

    if (!i->norder || i->norder != men - 1)
        return false;
    for (unsigned k = 0; k < i->norder; k++) {
        unsigned slot = i->order[k];

        if (slot != BK_KINGS_SLOT && slot >= BK_SLOTS_MAX)
            return false;
        seen |= 1u << (slot == BK_KINGS_SLOT ? 31 : slot);
    }
    return (unsigned)__builtin_popcount(seen) == i->norder &&
           (seen & 0x7fffffff) == (1u << (i->norder - 1)) - 1;
}

/* Does the file hold the table that its name says? */
static enum bk_err check_wanted(const struct bk_file *f, const struct bk_variant *v,
                                const struct bk_material *m, struct bk_report *why)
{
    char name[BK_MATERIAL_NAME_MAX];

    if (!f->wanted || (bk_material_equal(m, f->wanted) && f->head.info.kind == f->wanted_kind))
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: holds another table than %s", f->path,
                   bk_material_name(f->wanted, v, name));
}

/* May the longest win (`won`) or loss have so many plies and this number?  It exists where `found`
   positions do and distances are known; its number is one of the table's, and its plies, if they
   are to the end, are odd for a win, even for a loss. */
static bool longest_exists(const struct bk_file_info *i, int64_t plies, uint64_t number,
                           uint64_t found, bool won)
{
    return plies < 0 ? !found || !i->distances
                     : found && number < i->positions &&
                           (bk_kind_counts(i->kind) ? plies >= won : (plies & 1) == won);
}

/* A class of positions stands for one to eight placements. */
static bool placed(uint64_t classes, uint64_t all)
{
    return classes <= all && all / 8 + (all % 8 != 0) <= classes;
}

/* May a table of so many positions have this summary? */
static bool summary_holds(const struct bk_file_info *i)
{
    const struct bk_summary *s = &i->summary;
    uint64_t n = i->positions;

    for (unsigned side = 0; side < 2; side++)
        if (s->win[side] > n || s->draw[side] > n - s->win[side] ||
            s->loss[side] > n - s->win[side] - s->draw[side] ||
            !placed(s->win[side], s->all_win[side]) || !placed(s->draw[side], s->all_draw[side]) ||
            !placed(s->loss[side], s->all_loss[side]) || s->cursed[side] > s->win[side] ||
            s->all_cursed[side] > s->all_win[side] || s->blessed[side] > s->loss[side] ||
            s->all_blessed[side] > s->all_loss[side] ||
            !placed(s->cursed[side], s->all_cursed[side]) ||
            !placed(s->blessed[side], s->all_blessed[side]) ||
            !longest_exists(i, s->win_plies[side], s->win_number[side], s->win[side], true) ||
            !longest_exists(i, s->loss_plies[side], s->loss_number[side], s->loss[side], false))
            return false;
    return true;
}

/* Returns `twin` if it numbers positions alike, else NULL; its material is compared elsewhere. */
static const struct bk_file *twin_for(const struct bk_file *twin, const struct bk_file_info *i)
{
    const struct bk_file_info *t = twin ? &twin->head.info : NULL;

    return t && !strcmp(t->material, i->material) && t->norder == i->norder &&
                   !memcmp(t->order, i->order, i->norder)
               ? twin
               : NULL;
}

/*
 * Checks that the head fits this material in this game, and makes or borrows the index.  An index
 * takes memory by its material, so what can be compared without one comes first.
 */
static enum bk_err check_numbers(struct bk_file *f, const struct bk_variant *v,
                                 struct bk_report *why)
{
    const struct bk_file_info *i = &f->head.info;
    char name[BK_MATERIAL_NAME_MAX];
    struct bk_material m;
    struct bk_report inner = { "" };
    enum bk_err err = BK_OK;

    if (i->rules_id != v->wings_id[0] && i->rules_id != v->wings_id[1] &&
        i->rules_id != v->wings_id[2])
        err = check_rules(f, v->rules_id, why); /* before letters are read by wrong rules */
    if (!err && bk_material_parse(&m, v, i->material, &inner))
        return bk_file_damaged(f, why, inner.text);
    if (!err)
        err = check_rules(f, v->wings_id[bk_wings(m.rights)], why);
    if (!err && bk_kind_counts(i->kind) && i->nmove_id != v->nmove_id)
        err = bk_fail(why, BK_E_CORRUPT, "%s: made for %s with another n-move rule", f->path,
                      i->variant);
    if (err)
        return err;
    if (!is_order(i, bk_material_men(&m, v)))
        return bk_file_damaged(f, why, "order of the men");
    if (i->one_side && !bk_table_one_side(&m, v))
        return bk_file_damaged(f, why, "one side of a table that has two");
    if ((err = check_wanted(f, v, &m, why)) != BK_OK)
        return err;
    if (strcmp(bk_material_name(&m, v, name), i->material))
        return bk_file_damaged(f, why, "name of its material");
    if (!bk_index_could_have(v, &m, i->positions))
        return bk_file_damaged(f, why, "number of positions");
    if (!summary_holds(i))
        return bk_file_damaged(f, why, "what it adds up to");
    f->twin = twin_for(f->twin, i);
    if (f->twin)
        f->ix = f->twin->ix;
    else
        err = bk_index_new(&f->ix, v, &m, i->order, &inner);
    if (err)
        return err == BK_E_USAGE ? bk_file_damaged(f, why, inner.text) : bk_file_no_memory(f, why);
    return f->ix->positions == i->positions ? BK_OK
                                            : bk_file_damaged(f, why, "number of positions");
}

/* Gives each unit its blocks: all of White's, then all of Black's. */
static enum bk_err place_units(struct bk_file *f, struct bk_report *why)
{
    const struct bk_index *ix = f->ix;
    uint32_t block = 0;
    unsigned side = 0, sides = f->head.info.one_side ? 1 : 2;

    for (unsigned i = 0; i < f->head.info.nunits; i++) {
        struct bk_open_unit *u = &f->unit[i];
        const struct bk_block *last;

        if (block == ix->nblocks) {
            block = 0;
            f->first_unit[++side] = i;
        }
        if (side == sides || u->head.nblocks > ix->nblocks - block)
            return bk_file_damaged(f, why, "blocks of its units");
        u->place = (struct bk_unit_place){ .side = side, .block = block };
        u->place.nblocks = u->head.nblocks;
        block += u->head.nblocks;
        last = &ix->block[block - 1];
        u->place.first = ix->block[u->place.block].first;
        u->place.end = last->first + last->size;
        if (u->head.shards > u->place.end - u->place.first ||
            u->head.model_bytes > bk_model_bytes_max(u->place.end - u->place.first))
            return bk_file_damaged(f, why, "size of a unit");
    }
    if (block != ix->nblocks || side != sides - 1)
        return bk_file_damaged(f, why, "blocks of its units");
    for (side++; side <= 2; side++)
        f->first_unit[side] = f->head.info.nunits;
    return BK_OK;
}

static enum bk_err understand(struct bk_file *f, const struct bk_variant *v, struct bk_report *why)
{
    struct bk_report inner = { "" };
    enum bk_err err = check_numbers(f, v, why);

    if (!err)
        err = place_units(f, why);
    if (err)
        return err;
    if (f->twin)
        f->rows = f->twin->rows;
    else
        err = bk_rows_new(&f->rows, f->ix, &inner);
    if (err)
        return bk_fail(why, err, "%s: %s%s", f->path, err == BK_E_CORRUPT ? "damaged: " : "",
                       inner.text);
    f->inner = bk_rows_inner(f->rows);
    f->inner_place = f->inner < 2 ? NULL : f->ix->cells[f->inner - 2]->place_of;
    return BK_OK;
}

static enum bk_err make_shards(struct bk_file *f, struct bk_report *why)
{
    const struct bk_open_unit *last = &f->unit[f->head.info.nunits - 1];
    uint64_t at = f->unit[0].shards_at;
    const struct bk_shards_of of = {
        .cache = f->cache,
        .file = f->file,
        .path = f->path,
        .worth = bk_kind_is_results(f->head.info.kind) ? BK_WORTH_WDL : BK_WORTH_DTW,
        .n = last->shard0 + last->head.shards,
        .at = at,
        .bytes = f->bytes - at,
    };

    return bk_shards_new(&f->shards, &of, why);
}

uint64_t bk_file_memory(const struct bk_file *f)
{
    uint64_t bytes = sizeof *f + (f->own_path ? strlen(f->own_path) : 0) +
                     bk_shards_bytes(f->shards) +
                     f->head.info.nunits * (sizeof *f->unit + sizeof *f->head.unit);

    return bytes + (f->twin ? 0 : bk_index_bytes(f->ix) + bk_rows_bytes(f->rows));
}

/* == Opening and closing == */

/* Makes a file with a reader and a cache of its own; *out is closed by the caller, also after an
   error. */
static enum bk_err file_new(struct bk_file **out, const char *path, struct bk_report *why)
{
    struct bk_file *f = calloc(1, sizeof *f);
    enum bk_err err;

    *out = f;
    if (!f || !(f->path = f->own_path = strdup(path)))
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", path);
    err = bk_cache_new_loose(&f->cache, BK_FILE_BYTES, 0, why);
    if (!err)
        err = bk_reader_new(&f->file, bk_cache_readers(f->cache), f->path, why);
    return err;
}

/* Reads the head; path, cache and reader are set. */
static enum bk_err file_head(struct bk_file *f, struct bk_report *why)
{
    f->bytes = bk_reader_bytes(f->file);
    return read_head(f, why);
}

enum bk_err bk_file_peek(struct bk_file_info *out, const char *path, struct bk_report *why)
{
    struct bk_file *f;
    enum bk_err err = file_new(&f, path, why);

    if (!err)
        err = file_head(f, why);
    if (!err)
        *out = f->head.info;
    bk_file_close(f);
    return err;
}

bool bk_file_other_rules(const char *path, const struct bk_variant *v)
{
    struct bk_file_info info;

    if (bk_file_peek(&info, path, NULL))
        return false;
    return (bk_kind_counts(info.kind) && info.nmove_id != v->nmove_id) ||
           (info.rules_id != v->rules_id && info.rules_id != v->wings_id[0] &&
            info.rules_id != v->wings_id[1] && info.rules_id != v->wings_id[2]);
}

/* Opens `f`, as which *out is set; on an error closes it. */
static enum bk_err file_open(struct bk_file **out, struct bk_file *f, const struct bk_variant *v,
                             const struct bk_material *m, enum bk_kind kind, struct bk_report *why)
{
    enum bk_err err;

    f->wanted = m;
    f->wanted_kind = kind;
    err = file_head(f, why);
    if (!err)
        err = place_parts(f, why);
    if (!err)
        err = understand(f, v, why);
    if (!err)
        err = make_shards(f, why);
    f->wanted = NULL;
    if (err)
        bk_file_close(f);
    else
        *out = f;
    return err;
}

enum bk_err bk_file_open_from(struct bk_file **out, const struct bk_file_from *from,
                              const struct bk_variant *v, const struct bk_material *m,
                              enum bk_kind kind, struct bk_report *why)
{
    struct bk_file *f = calloc(1, sizeof *f);

    if (!f)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", from->path);
    f->borrows = true;
    f->path = from->path;
    f->cache = from->cache;
    f->file = from->reader;
    f->twin = from->twin;
    return file_open(out, f, v, m, kind, why);
}

enum bk_err bk_file_open_as(struct bk_file **out, const char *path, const struct bk_variant *v,
                            const struct bk_material *m, enum bk_kind kind, struct bk_report *why)
{
    struct bk_file *f;
    enum bk_err err = file_new(&f, path, why);

    if (!err)
        return file_open(out, f, v, m, kind, why);
    bk_file_close(f);
    return err;
}

enum bk_err bk_file_open(struct bk_file **out, const char *path, const struct bk_variant *v,
                         struct bk_report *why)
{
    return bk_file_open_as(out, path, v, NULL, BK_KIND_WDL, why);
}

void bk_file_close(struct bk_file *f)
{
    if (!f)
        return;
    if (f->cache)
        bk_cache_forget(f->cache, &f->brain, 1);
    bk_shards_free(f->shards);
    if (!f->twin) {
        bk_rows_free(f->rows);
        bk_index_free(f->ix);
    }
    if (!f->borrows) {
        bk_reader_free(f->file);
        bk_cache_drop(f->cache);
    }
    free(f->own_path);
    free(f->unit);
    free(f->head.unit);
    free(f);
}

const struct bk_file_info *bk_file_info(const struct bk_file *f) { return &f->head.info; }
const struct bk_index *bk_file_index(const struct bk_file *f) { return f->ix; }
const struct bk_rows *bk_file_rows(const struct bk_file *f) { return f->rows; }
const char *bk_file_path(const struct bk_file *f) { return f->path; }
uint64_t bk_file_bytes(const struct bk_file *f) { return f->bytes; }

/* == Facts and models: section 10.8 == */

/*
 * The thread that asks first reads and parses a model, outside of locks, and publishes it in the
 * brain; a thread that was slower drops its copy.
 */

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
                  bk_kind_is_results(f->head.info.kind) ? BK_WORTH_WDL_MODEL : BK_WORTH_DTW_MODEL,
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

/* == The bytes of shards == */

/*
 * Each shard of a large file has a slot in the cache.  A small file has one, for its bytes and,
 * behind them, a byte for each shard: has it been checked?  Two threads that find a shard missing
 * both read it, and one of them in vain: that is rare, and no thread waits for another.
 */

struct bk_shards {
    struct bk_shards_of of;
    bool small;
    bk_home *home; /* by shard; a small file has one */
};

struct bytes {
    struct bk_held held;
    _Alignas(8) uint8_t data[]; /* shards are read as words */
};

static uint64_t homes(const struct bk_shards *s) { return s->small ? 1 : s->of.n; }

uint64_t bk_shards_bytes(const struct bk_shards *s)
{
    return sizeof *s + homes(s) * sizeof *s->home;
}

enum bk_err bk_shards_new(struct bk_shards **out, const struct bk_shards_of *of,
                          struct bk_report *why)
{
    struct bk_shards *s = calloc(1, sizeof *s);

    *out = NULL;
    if (s) {
        s->of = *of;
        s->small = of->bytes <= (bk_reader_hosted(of->file) ? BK_SHARDS_HOSTED : BK_SHARDS_SMALL);
        s->home = calloc(homes(s) ? homes(s) : 1, sizeof *s->home);
    }
    if (!s || !s->home) {
        free(s);
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", of->path);
    }
    *out = s;
    return BK_OK;
}

void bk_shards_free(struct bk_shards *s)
{
    if (!s)
        return;
    bk_cache_forget(s->of.cache, s->home, homes(s));
    free(s->home);
    free(s);
}

static enum bk_err check_sum(const struct bk_shards *s, const struct bk_shard_place *place,
                             const uint8_t *data, struct bk_report *why)
{
    if (bk_shard_sum(data, place->bytes, place->local) == place->sum)
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: checksum of shard %llu", s->of.path,
                   (unsigned long long)place->nth);
}

enum bk_err bk_shards_read(const struct bk_shards *s, const struct bk_shard_place *place,
                           uint8_t *room, struct bk_report *why)
{
    enum bk_err err = bk_reader_read(s->of.file, room, place->bytes, place->at, why);

    return err ? err : check_sum(s, place, room, why);
}

static void bytes_free(struct bk_held *h) { free(h); }

/* Takes memory for bytes that will be an entry of the cache. */
static enum bk_err bytes_new(struct bytes **out, const struct bk_shards *s, uint64_t bytes,
                             struct bk_report *why)
{
    enum bk_err err = bk_cache_may_read(why);

    if (!err)
        err = bk_cache_fits(s->of.cache, bytes, s->of.path, why);
    if (err)
        return err;
    if (!(*out = malloc(sizeof **out + bytes)))
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", s->of.path);
    bk_held_begin(&(*out)->held, sizeof **out + bytes, s->of.worth, bytes_free);
    return BK_OK;
}

/* Reads a shard of a large file and publishes it in its slot. */
static enum bk_err fetch(struct bk_shards *s, const struct bk_shard_place *place,
                         struct bk_held **out, struct bk_report *why)
{
    struct bytes *b;
    enum bk_err err = bytes_new(&b, s, place->bytes, why);

    if (err)
        return err;
    if ((err = bk_shards_read(s, place, b->data, why)) != BK_OK) {
        free(b);
        return err;
    }
    *out = bk_cache_keep(s->of.cache, &s->home[place->nth], &b->held);
    return BK_OK;
}

/* Reads all shards of a small file, none of them checked yet, and publishes them in its slot. */
static enum bk_err fetch_whole(struct bk_shards *s, struct bk_held **out, struct bk_report *why)
{
    struct bytes *b;
    enum bk_err err = bytes_new(&b, s, s->of.bytes + s->of.n, why);

    if (err)
        return err;
    if ((err = bk_reader_read(s->of.file, b->data, s->of.bytes, s->of.at, why)) != BK_OK) {
        free(b);
        return err;
    }
    memset(b->data + s->of.bytes, 0, s->of.n);
    *out = bk_cache_keep(s->of.cache, s->home, &b->held);
    return BK_OK;
}

/* Returns the byte of a small file that tells whether a shard has been checked. */
static _Atomic uint8_t *checked(const struct bk_shards *s, struct bytes *b, uint64_t nth)
{
    return (_Atomic uint8_t *)(b->data + s->of.bytes + nth);
}

static enum bk_err get_small(struct bk_shards *s, const struct bk_shard_place *place,
                             const uint8_t **out, struct bk_report *why)
{
    struct bk_held *h = bk_held_at(s->home);
    struct bytes *b;
    enum bk_err err = h ? BK_OK : fetch_whole(s, &h, why);

    if (err)
        return err;
    b = (struct bytes *)h;
    *out = b->data + (place->at - s->of.at);
    if (!atomic_load_explicit(checked(s, b, place->nth), memory_order_relaxed)) {
        if ((err = check_sum(s, place, *out, why)) != BK_OK)
            return err;
        atomic_store_explicit(checked(s, b, place->nth), 1, memory_order_relaxed);
    }
    return BK_OK;
}

enum bk_err bk_shards_get(struct bk_shards *s, const struct bk_shard_place *place,
                          const uint8_t **out, struct bk_report *why)
{
    struct bk_held *h;
    enum bk_err err;

    if (s->small)
        return get_small(s, place, out, why);
    h = bk_held_at(&s->home[place->nth]);
    if (!h && (err = fetch(s, place, &h, why)) != BK_OK)
        return err;
    *out = ((struct bytes *)h)->data;
    return BK_OK;
}

const uint8_t *bk_shards_there(const struct bk_shards *s, uint64_t nth, uint64_t at)
{
    struct bytes *b = (struct bytes *)bk_held_at(&s->home[s->small ? 0 : nth]);

    if (!b || !s->small)
        return b ? b->data : NULL;
    return atomic_load_explicit(checked(s, b, nth), memory_order_relaxed)
               ? b->data + (at - s->of.at)
               : NULL;
}

void bk_shards_ahead(const struct bk_shards *s, uint64_t nth)
{
    const void *held = atomic_load_explicit(&s->home[s->small ? 0 : nth], memory_order_relaxed);

    __builtin_prefetch(held);
}

void bk_shards_warm(struct bk_shards *s)
{
    struct bk_held *h;

    if (s->small && !atomic_load(s->home))
        fetch_whole(s, &h, NULL);
}

enum bk_err bk_file_shard(struct bk_file *f, const struct bk_shard_place *place,
                          const uint8_t **bytes, struct bk_report *why)
{
    static const uint8_t none[1];

    *bytes = none;
    return place->bytes ? bk_shards_get(f->shards, place, bytes, why) : BK_OK;
}

/* == Looking at a file == */

enum bk_err bk_file_unit(struct bk_file *f, unsigned nth, struct bk_unit_info *out,
                         struct bk_report *why)
{
    struct bk_open_unit *u = nth < f->head.info.nunits ? &f->unit[nth] : NULL;
    const struct bk_loaded_unit *l;
    struct bk_brain *b;
    enum bk_err err;

    if (!u)
        return bk_fail(why, BK_E_USAGE, "%s: no unit %u", f->path, nth);
    err = bk_brain_pinned(f, &b, why);
    if (!err)
        err = bk_brain_unit(f, b, u, &l, why);
    if (!err)
        *out = (struct bk_unit_info){ .place = u->place,
                                      .model_bytes = u->head.model_bytes,
                                      .shards = u->head.shards,
                                      .shard_bytes = u->head.shard_bytes,
                                      .model = l->model,
                                      .facts = b->facts };
    return err;
}

static enum bk_err check_shards(const struct bk_file *f, const struct bk_open_unit *u,
                                const struct bk_loaded_unit *l, struct bk_report *why)
{
    uint8_t *room = malloc((size_t)8 * 2 * BK_RIBBON_WORDS_MAX);
    enum bk_err err = room ? BK_OK : bk_file_no_memory(f, why);

    for (uint32_t i = 0; !err && i < l->directory.n; i++) {
        struct bk_shard_place place = bk_shard_place_of(u, l, i);

        if (place.bytes)
            err = bk_shards_read(f->shards, &place, room, why);
    }
    free(room);
    return err;
}

enum bk_err bk_file_check(struct bk_file *f, struct bk_report *why)
{
    struct bk_brain *b;
    enum bk_err err = bk_brain_pinned(f, &b, why);

    for (unsigned i = 0; !err && i < f->head.info.nunits; i++) {
        const struct bk_loaded_unit *l;

        err = bk_brain_unit(f, b, &f->unit[i], &l, why);
        if (!err)
            err = check_shards(f, &f->unit[i], l, why);
    }
    return err;
}

/* == Whole rows == */

/*
 * Rows are mostly asked in order, so the unit and the shard of the row before are tried first.
 */

struct bk_scan {
    struct bk_file *f;
    struct bk_brain *brain; /* pinned */
    struct bk_fact_row *row;
    unsigned words;
    /* where the last row was */
    struct bk_open_unit *unit;
    const struct bk_loaded_unit *loaded;
    uint32_t local;
};

enum bk_err bk_scan_new(struct bk_scan **out, struct bk_file *f, struct bk_report *why)
{
    struct bk_scan *s = calloc(1, sizeof *s);
    enum bk_err err;

    if (!s)
        return bk_file_no_memory(f, why);
    s->f = f;
    err = bk_brain_pinned(f, &s->brain, why);
    if (!err) {
        s->words = bk_facts_words(s->brain->facts);
        err = bk_fact_row_new(&s->row, s->brain->facts, f->inner, why);
    }
    if (err)
        bk_scan_free(s);
    else
        *out = s;
    return err;
}

void bk_scan_free(struct bk_scan *s)
{
    if (s) {
        bk_fact_row_free(s->row);
        free(s);
    }
}

bool bk_row_care(const struct bk_row *row, unsigned men, uint64_t care[4])
{
    uint64_t taken[4] = { 0 };

    memset(care, 0, 4 * sizeof *care);
    for (unsigned i = 0; i < men; i++) {
        uint64_t bit = UINT64_C(1) << (row->sq[i] & 63);

        if (i == row->inner)
            continue;
        if (taken[row->sq[i] >> 6] & bit)
            return false;
        taken[row->sq[i] >> 6] |= bit;
    }
    for (uint32_t i = 0; i < row->n; i++)
        care[row->inner_sq[i] >> 6] |= UINT64_C(1) << (row->inner_sq[i] & 63);
    for (unsigned w = 0; w < 4; w++)
        care[w] &= ~taken[w];
    return true;
}

/* Finds the unit and shard of a row; those of the row before are tried first. */
static enum bk_err go_to(struct bk_scan *s, unsigned side, uint64_t first, struct bk_report *why)
{
    struct bk_open_unit *u = s->unit;
    const struct bk_directory *d;
    enum bk_err err;

    if (!u || u->place.side != side || first < u->place.first || first >= u->place.end) {
        if (!(u = bk_unit_with(s->f, side, first)))
            return bk_file_no_number(s->f, first, why);
        s->unit = NULL;
        if ((err = bk_brain_unit(s->f, s->brain, u, &s->loaded, why)) != BK_OK)
            return err;
        s->unit = u;
        s->local = 0;
    }
    d = &s->loaded->directory;
    if (first < d->shard[s->local].first ||
        (s->local + 1 < d->n && first >= d->shard[s->local + 1].first))
        s->local = bk_directory_find(d, first);
    return BK_OK;
}

enum bk_err bk_scan_row(struct bk_scan *s, unsigned side, const struct bk_row *row,
                        const uint64_t *care, struct bk_row_values *out, struct bk_report *why)
{
    struct bk_shard_place place;
    const uint8_t *bytes;
    unsigned visit;
    enum bk_err err = go_to(s, side, row->first, why);

    if (err)
        return err;
    place = bk_shard_place_of(s->unit, s->loaded, s->local);
    visit = bk_visit_begin(s->f->cache);
    if ((err = bk_file_shard(s->f, &place, &bytes, why)) == BK_OK) {
        bk_fact_row_set(s->row, row->sq);
        bk_model_row(s->loaded->model, &s->loaded->directory.shard[s->local], bytes, row->first,
                     s->row, care, s->words, bk_kind_bits(s->f->head.info.kind), out);
    }
    bk_visit_end(s->f->cache, visit);
    return err;
}
