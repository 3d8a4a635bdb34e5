/*
 * format.c - opens table files, and answers from them.  Section numbers refer
 * to docs/format.md.
 *
 * Idea: opening reads the head alone.  A unit's model and directory are read
 * when its first value is asked; a shard, when the first value in it is.  The shards of a small
 * file come with its first model.
 *
 *      number --unit--> model --facts--> leaf --> a value, or
 *                    directory --> shard --> questions --> a value
 *
 * Invariant: what has been loaded is complete before its pointer is set, and stays until the visit
 * ends in which it is found (cache.h): readers take no lock, and nothing is read or parsed with one
 * held.  Facts and models of a file are held, and go, as one: its *brain*.
 *
 * Everything is read with pread(): a file that shrinks under us gives an error
 * and not a signal.
 */
#include "table/format.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/homes.h"
#include "table/head.h"
#include "table/ribbon.h"
#include "table/shards.h"

/* What is read when a unit is first asked. */
struct loaded {
    struct bk_model *model;
    struct bk_fact_tree *tree; /* the model's */
    struct bk_directory directory;
};

struct unit {
    struct bk_unit_place place;
    struct bk_unit_head head;
    uint64_t model_at, shards_at; /* in the file */
    uint64_t shard0;              /* number of its first shard in the file */
};

/* What is read of the whole file, but for the shards. */
struct brain {
    struct bk_held held;
    unsigned units;
    struct bk_facts *facts;          /* shared by all models */
    _Atomic(struct loaded *) unit[]; /* NULL: not yet */
};

struct bk_file {
    const char *path;
    char *own_path; /* NULL: borrowed */
    struct bk_cache *cache;
    struct bk_reader *file;
    bool borrows;               /* cache and file are borrowed */
    const struct bk_file *twin; /* has the index and the rows, or NULL */
    uint64_t bytes;
    struct bk_head head;
    struct bk_index *ix;
    struct bk_rows *rows;
    unsigned inner;             /* the man who varies within rows */
    const uint8_t *inner_place; /* by his square: his place in the row; NULL: rows differ */
    struct unit *unit;
    unsigned first_unit[3]; /* by side; [2] is the end */
    struct bk_shards *shards;
    bk_home brain;
    const struct bk_material *wanted; /* while it is opened: what it must hold, or NULL */
    enum bk_kind wanted_kind;
};

static enum bk_err damaged(const struct bk_file *f, struct bk_report *why, const char *what)
{
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: %s", f->path, what);
}

static enum bk_err no_memory(const struct bk_file *f, struct bk_report *why)
{
    return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", f->path);
}

static enum bk_err read_at(const struct bk_file *f, void *to, size_t bytes, uint64_t at,
                           struct bk_report *why)
{
    return bk_reader_read(f->file, to, bytes, at, why);
}

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
        return damaged(f, why, "shorter than a head");
    err = read_start(f, first, there, why);
    if (!err)
        err = bk_head_bytes(&bytes, first, f->bytes, f->path, why);
    if (err)
        return err;
    if (bytes > there) {
        if (!(all = malloc(bytes)))
            return no_memory(f, why);
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
        return no_memory(f, why);
    for (unsigned i = 0; i < n; i++) {
        struct unit *u = &f->unit[i];

        u->head = f->head.unit[i];
        u->model_at = at;
        at += u->head.model_bytes + bk_directory_bytes(&u->head);
        u->shard0 = shards;
        shards += u->head.shards;
    }
    if (shards > SIZE_MAX / SHARD_MEMORY)
        return no_memory(f, why);
    for (unsigned i = 0; i < n; i++) {
        f->unit[i].shards_at = at;
        if (f->unit[i].head.shard_bytes > f->bytes || at > INT64_MAX)
            return damaged(f, why, "size of the file");
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
   positions do and distances are known; its number is one of the table's, and its plies are odd for
   a win, even for a loss. */
static bool longest_exists(const struct bk_file_info *i, int64_t plies, uint64_t number,
                           uint64_t found, bool won)
{
    return plies < 0 ? !found || !i->distances
                     : found && number < i->positions && (plies & 1) == won;
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
            !placed(s->loss[side], s->all_loss[side]) ||
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
        return damaged(f, why, inner.text);
    if (!err)
        err = check_rules(f, v->wings_id[bk_wings(m.rights)], why);
    if (err)
        return err;
    if (!is_order(i, bk_material_men(&m, v)))
        return damaged(f, why, "order of the men");
    if (i->one_side && !bk_table_one_side(&m, v))
        return damaged(f, why, "one side of a table that has two");
    if ((err = check_wanted(f, v, &m, why)) != BK_OK)
        return err;
    if (strcmp(bk_material_name(&m, v, name), i->material))
        return damaged(f, why, "name of its material");
    if (!bk_index_could_have(v, &m, i->positions))
        return damaged(f, why, "number of positions");
    if (!summary_holds(i))
        return damaged(f, why, "what it adds up to");
    f->twin = twin_for(f->twin, i);
    if (f->twin)
        f->ix = f->twin->ix;
    else
        err = bk_index_new(&f->ix, v, &m, i->order, &inner);
    if (err)
        return err == BK_E_USAGE ? damaged(f, why, inner.text) : no_memory(f, why);
    return f->ix->positions == i->positions ? BK_OK : damaged(f, why, "number of positions");
}

/* Gives each unit its blocks: all of White's, then all of Black's. */
static enum bk_err place_units(struct bk_file *f, struct bk_report *why)
{
    const struct bk_index *ix = f->ix;
    uint32_t block = 0;
    unsigned side = 0, sides = f->head.info.one_side ? 1 : 2;

    for (unsigned i = 0; i < f->head.info.nunits; i++) {
        struct unit *u = &f->unit[i];
        const struct bk_block *last;

        if (block == ix->nblocks) {
            block = 0;
            f->first_unit[++side] = i;
        }
        if (side == sides || u->head.nblocks > ix->nblocks - block)
            return damaged(f, why, "blocks of its units");
        u->place = (struct bk_unit_place){ .side = side, .block = block };
        u->place.nblocks = u->head.nblocks;
        block += u->head.nblocks;
        last = &ix->block[block - 1];
        u->place.first = ix->block[u->place.block].first;
        u->place.end = last->first + last->size;
        if (u->head.shards > u->place.end - u->place.first ||
            u->head.model_bytes > bk_model_bytes_max(u->place.end - u->place.first))
            return damaged(f, why, "size of a unit");
    }
    if (block != ix->nblocks || side != sides - 1)
        return damaged(f, why, "blocks of its units");
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
    const struct unit *last = &f->unit[f->head.info.nunits - 1];
    uint64_t at = f->unit[0].shards_at;
    const struct bk_shards_of of = {
        .cache = f->cache,
        .file = f->file,
        .path = f->path,
        .worth = f->head.info.kind == BK_KIND_WDL ? BK_WORTH_WDL : BK_WORTH_DTW,
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

/* A file with a reader and a cache of its own. */
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

    return !bk_file_peek(&info, path, NULL) && info.rules_id != v->rules_id &&
           info.rules_id != v->wings_id[0] && info.rules_id != v->wings_id[1] &&
           info.rules_id != v->wings_id[2];
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

static void loaded_free(struct loaded *l)
{
    if (!l)
        return;
    bk_model_free(l->model);
    bk_fact_tree_free(l->tree);
    bk_directory_release(&l->directory);
    free(l);
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

/* == Models and directories: section 10.8 == */

struct bk_fact_men bk_table_men(const struct bk_index *ix)
{
    struct bk_fact_men men = { .n = 2 + ix->nslots };

    men.type[0] = men.type[1] = ix->v->royal;
    men.colour[0] = BK_WHITE;
    men.colour[1] = BK_BLACK;
    for (unsigned s = 0; s < ix->nslots; s++) {
        men.type[2 + s] = ix->type[s];
        men.colour[2 + s] = ix->colour[s];
    }
    return men;
}

static void brain_free(struct bk_held *h)
{
    struct brain *b = (struct brain *)h;

    for (unsigned i = 0; i < b->units; i++)
        loaded_free(atomic_load(&b->unit[i]));
    bk_facts_free(b->facts);
    free(b);
}

static enum bk_err brain_new(struct bk_file *f, struct brain **out, struct bk_report *why)
{
    struct bk_fact_men men = bk_table_men(f->ix);
    unsigned units = f->head.info.nunits;
    struct brain *b = calloc(1, sizeof *b + units * sizeof *b->unit);
    enum bk_err err;

    if (!b)
        return no_memory(f, why);
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

/* As `full`: no limit, so that whatever comes is kept; the cache makes room. */
#define ANY_BYTES UINT64_MAX

/* Would the cache have no more than `full` with so many bytes more? */
static bool fits(const struct bk_file *f, uint64_t bytes, uint64_t full)
{
    return full == ANY_BYTES || bk_cache_used(f->cache) + bytes <= full;
}

/* Makes the brain of a file and hangs it at its home; *out is NULL if `full` has no room for it. */
static __attribute__((noinline)) enum bk_err brain_make(struct bk_file *f, uint64_t full,
                                                        struct brain **out, struct bk_report *why)
{
    struct brain *b = NULL; /* gcc -O1 does not see that without an error it is written */
    enum bk_err err = bk_cache_may_read(why);

    if (!err)
        err = brain_new(f, &b, why);
    if (err)
        return err;
    if (fits(f, b->held.bytes, full)) {
        *out = (struct brain *)bk_cache_keep(f->cache, &f->brain, &b->held);
    } else {
        brain_free(&b->held);
        *out = NULL;
    }
    return BK_OK;
}

/* Sets *out to the brain of a file: its facts, and room for its models. */
static inline enum bk_err brain_of(struct bk_file *f, struct brain **out, struct bk_report *why)
{
    *out = (struct brain *)bk_held_at(&f->brain);
    return *out ? BK_OK : brain_make(f, ANY_BYTES, out, why);
}

/* As brain_of(), and the brain stays as long as the file is open. */
static enum bk_err brain_pinned(struct bk_file *f, struct brain **out, struct bk_report *why)
{
    unsigned visit = bk_visit_begin(f->cache);
    enum bk_err err;

    do
        err = brain_of(f, out, why);
    while (!err && !bk_cache_pin(f->cache, &(*out)->held));
    bk_visit_end(f->cache, visit);
    return err;
}

static uint64_t row_of(const struct bk_file *f, uint64_t number)
{
    return bk_row_first(f->rows, bk_index_block_with(f->ix, number), number);
}

static enum bk_err parse_unit(const struct bk_file *f, const struct bk_facts *facts,
                              const struct unit *u, const uint8_t *bytes, struct loaded *l,
                              struct bk_report *why)
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
        return damaged(f, why, "sizes of its shards");
    for (uint32_t i = 0; i < l->directory.n; i++)
        if (row_of(f, l->directory.shard[i].first) != l->directory.shard[i].first)
            return damaged(f, why, "a shard that begins within a row");
    return BK_OK;
}

static enum bk_err read_unit(struct bk_file *f, const struct brain *b, const struct unit *u,
                             struct loaded *l, struct bk_report *why)
{
    size_t bytes = u->head.model_bytes + bk_directory_bytes(&u->head);
    uint8_t *data = malloc(bytes);
    enum bk_err err;

    if (!data)
        return no_memory(f, why);
    err = read_at(f, data, bytes, u->model_at, why);
    if (!err && (uint32_t)XXH3_64bits_withSeed(data, bytes, (uint64_t)(u - f->unit)) != u->head.sum)
        err = damaged(f, why, "checksum of a model");
    if (!err)
        err = parse_unit(f, b->facts, u, data, l, why);
    free(data);
    return err;
}

static uint64_t loaded_bytes(const struct loaded *l)
{
    return sizeof *l + bk_model_bytes(l->model) + bk_fact_tree_bytes(l->model->nodes) +
           bk_directory_held(&l->directory);
}

/* Reads a unit's model and directory into the brain.  If another thread was quicker, its copy
   stays; if they do not fit into `full`, they are dropped. */
static enum bk_err load_unit(struct bk_file *f, struct brain *b, struct unit *u, uint64_t full,
                             struct bk_report *why)
{
    struct loaded *l, *there = NULL;
    enum bk_err err = bk_cache_may_read(why);

    if (!err)
        err = bk_cache_fits(f->cache, u->head.model_bytes, f->path, why);
    if (err)
        return err;
    if (!(l = calloc(1, sizeof *l)))
        return no_memory(f, why);
    err = read_unit(f, b, u, l, why);
    if (err || !fits(f, loaded_bytes(l), full)) {
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

/* Sets *out to the model and the directory of a unit, read if need be. */
static enum bk_err loaded_of(struct bk_file *f, struct brain *b, struct unit *u,
                             const struct loaded **out, struct bk_report *why)
{
    enum bk_err err;

    *out = atomic_load_explicit(&b->unit[u - f->unit], memory_order_acquire);
    if (*out)
        return BK_OK;
    err = load_unit(f, b, u, ANY_BYTES, why);
    *out = atomic_load(&b->unit[u - f->unit]);
    return err;
}

/* == Values == */

static enum bk_err no_number(const struct bk_file *f, uint64_t number, struct bk_report *why)
{
    return bk_fail(why, BK_E_USAGE, "%s: no position number %llu", f->path,
                   (unsigned long long)number);
}

/* The unit that holds a number; NULL: there is none. */
static struct unit *unit_with(const struct bk_file *f, unsigned side, uint64_t number)
{
    if (side > 1 || number >= f->ix->positions)
        return NULL;
    for (unsigned i = f->first_unit[side]; i < f->first_unit[side + 1]; i++)
        if (number < f->unit[i].place.end)
            return &f->unit[i];
    return NULL;
}

static uint64_t shard_at(const struct unit *u, const struct bk_shard *s)
{
    return u->shards_at + s->at;
}

static struct bk_shard_place place_of(const struct unit *u, const struct loaded *l, uint32_t local)
{
    const struct bk_shard *s = &l->directory.shard[local];

    return (struct bk_shard_place){ .nth = u->shard0 + local,
                                    .local = local,
                                    .bytes = (uint32_t)bk_shard_bytes(s),
                                    .at = shard_at(u, s),
                                    .sum = s->sum };
}

/* Sets *bytes to those of a shard, read if need be; some shards have none. */
static enum bk_err bytes_of(struct bk_file *f, const struct bk_shard_place *place,
                            const uint8_t **bytes, struct bk_report *why)
{
    static const uint8_t none[1];

    *bytes = none;
    return place->bytes ? bk_shards_get(f->shards, place, bytes, why) : BK_OK;
}

/* As bytes_of(), for shard `local` of a unit; quick where it is in memory, as it mostly is. */
static inline enum bk_err shard_bytes(struct bk_file *f, const struct unit *u,
                                      const struct loaded *l, uint32_t local, const uint8_t **bytes,
                                      struct bk_report *why)
{
    const struct bk_shard *s = &l->directory.shard[local];
    struct bk_shard_place place;

    *bytes =
        bk_shard_bytes(s) ? bk_shards_there(f->shards, u->shard0 + local, shard_at(u, s)) : NULL;
    if (*bytes)
        return BK_OK;
    place = place_of(u, l, local);
    return bytes_of(f, &place, bytes, why);
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
    struct brain *b;
    enum bk_err err = brain_of(f, &b, why);

    if (!err)
        bk_fact_look(look, b->facts, bk_placement_squares(at));
    return err;
}

enum bk_err bk_file_ask(struct bk_file_ask *out, struct bk_file *f, const struct bk_spot *spot,
                        struct bk_fact_look *look, struct bk_report *why)
{
    struct unit *u = unit_with(f, spot->side, spot->number);
    const struct loaded *l;
    struct brain *b;
    uint32_t local;
    enum bk_err err;

    if (!u)
        return no_number(f, spot->number, why);
    if ((err = brain_of(f, &b, why)) != BK_OK || (err = loaded_of(f, b, u, &l, why)) != BK_OK)
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
        return no_number(f, number, why);
    spot.row = row_of(f, number);
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
    struct unit *u = unit_with(f, side, number);
    struct bk_fact_look look;
    unsigned visit;
    const struct loaded *l;
    struct brain *b;
    enum bk_err err;

    if (!u)
        return no_number(f, number, why);
    visit = bk_visit_begin(f->cache);
    if ((err = brain_of(f, &b, why)) == BK_OK)
        err = loaded_of(f, b, u, &l, why);
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
static enum bk_err warm_unit(struct bk_file *f, struct unit *u, uint64_t full, bool *room,
                             struct bk_report *why)
{
    unsigned visit = bk_visit_begin(f->cache);
    struct brain *b = (struct brain *)bk_held_at(&f->brain);
    const struct loaded *l = NULL;
    enum bk_err err = b ? BK_OK : brain_make(f, full, &b, why), each;

    if (!err && b && !(l = atomic_load(&b->unit[u - f->unit])) &&
        (err = load_unit(f, b, u, full, why)) == BK_OK)
        l = atomic_load(&b->unit[u - f->unit]);
    *room = err || l;
    for (uint32_t i = 0; l && go_on(err) && *room && i < l->directory.n; i++) {
        struct bk_shard_place place = place_of(u, l, i);
        const uint8_t *bytes;

        *room = fits(f, place.bytes, full);
        if (*room && (each = bytes_of(f, &place, &bytes, why)) != BK_OK)
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

/* == Whole rows == */

struct bk_scan {
    struct bk_file *f;
    struct brain *brain; /* pinned */
    struct bk_fact_row *row;
    unsigned words;
    /* where the last row was */
    struct unit *unit;
    const struct loaded *loaded;
    uint32_t local;
};

enum bk_err bk_scan_new(struct bk_scan **out, struct bk_file *f, struct bk_report *why)
{
    struct bk_scan *s = calloc(1, sizeof *s);
    enum bk_err err;

    if (!s)
        return no_memory(f, why);
    s->f = f;
    err = brain_pinned(f, &s->brain, why);
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
    struct unit *u = s->unit;
    const struct bk_directory *d;
    enum bk_err err;

    if (!u || u->place.side != side || first < u->place.first || first >= u->place.end) {
        if (!(u = unit_with(s->f, side, first)))
            return no_number(s->f, first, why);
        s->unit = NULL;
        if ((err = loaded_of(s->f, s->brain, u, &s->loaded, why)) != BK_OK)
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
    place = place_of(s->unit, s->loaded, s->local);
    visit = bk_visit_begin(s->f->cache);
    if ((err = bytes_of(s->f, &place, &bytes, why)) == BK_OK) {
        bk_fact_row_set(s->row, row->sq);
        bk_model_row(s->loaded->model, &s->loaded->directory.shard[s->local], bytes, row->first,
                     s->row, care, s->words, bk_kind_bits(s->f->head.info.kind), out);
    }
    bk_visit_end(s->f->cache, visit);
    return err;
}

/* == Looking at a file == */

enum bk_err bk_file_unit(struct bk_file *f, unsigned nth, struct bk_unit_info *out,
                         struct bk_report *why)
{
    struct unit *u = nth < f->head.info.nunits ? &f->unit[nth] : NULL;
    const struct loaded *l;
    struct brain *b;
    enum bk_err err;

    if (!u)
        return bk_fail(why, BK_E_USAGE, "%s: no unit %u", f->path, nth);
    err = brain_pinned(f, &b, why);
    if (!err)
        err = loaded_of(f, b, u, &l, why);
    if (!err)
        *out = (struct bk_unit_info){ .place = u->place,
                                      .model_bytes = u->head.model_bytes,
                                      .shards = u->head.shards,
                                      .shard_bytes = u->head.shard_bytes,
                                      .model = l->model,
                                      .facts = b->facts };
    return err;
}

static enum bk_err check_shards(const struct bk_file *f, const struct unit *u,
                                const struct loaded *l, struct bk_report *why)
{
    uint8_t *room = malloc((size_t)8 * 2 * BK_RIBBON_WORDS_MAX);
    enum bk_err err = room ? BK_OK : no_memory(f, why);

    for (uint32_t i = 0; !err && i < l->directory.n; i++) {
        struct bk_shard_place place = place_of(u, l, i);

        if (place.bytes)
            err = bk_shards_read(f->shards, &place, room, why);
    }
    free(room);
    return err;
}

enum bk_err bk_file_check(struct bk_file *f, struct bk_report *why)
{
    struct brain *b;
    enum bk_err err = brain_pinned(f, &b, why);

    for (unsigned i = 0; !err && i < f->head.info.nunits; i++) {
        const struct loaded *l;

        err = loaded_of(f, b, &f->unit[i], &l, why);
        if (!err)
            err = check_shards(f, &f->unit[i], l, why);
    }
    return err;
}
