/*
 * about.c - what there is: the game, its tables, what is missing; and reading ahead.
 */
#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "core/rules.h"
#include "probe/handle.h"
#include "table/listing.h"
#include "table/material.h"
#include "table/readers.h"

/* == The game == */

const char *bk_game_name(size_t nth)
{
    for (size_t i = 0; bk_embedded_variants[i].name; i++)
        if (i == nth)
            return bk_embedded_variants[i].name;
    return NULL;
}

static void about_pieces(struct bk_lib_game *g, const struct bk_variant *v)
{
    for (unsigned t = 0; t < v->ntypes; t++) {
        g->piece[t].letter = v->piece[t].letter;
        g->piece[t].royal = t == v->royal;
        g->piece[t].evolutions = (uint8_t)bk_rules_allowance(v, t);
        memcpy(g->piece[t].name, v->piece[t].name, sizeof g->piece[t].name);
    }
}

static void about_game(struct bk_lib_game *g, const struct bk_variant *v)
{
    memset(g, 0, sizeof *g);
    memcpy(g->name, v->name, sizeof g->name);
    memcpy(g->title, v->title, sizeof g->title);
    memcpy(g->start, v->start, sizeof g->start);
    _Static_assert(sizeof g->name == sizeof v->name && sizeof g->title == sizeof v->title &&
                       sizeof g->start == sizeof v->start &&
                       sizeof g->piece[0].name == sizeof v->piece[0].name,
                   "the same room");
    g->files = v->files;
    g->ranks = v->ranks;
    g->squares = v->nsq;
    g->types = v->ntypes;
    g->turns = bk_rules_turns_max(v);
    g->rules = v->rules_id;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        g->hole[sq] = !bk_bits_has(&v->board, sq);
    about_pieces(g, v);
}

enum bk_lib_err bk_game_of(struct bk_lib *lib, struct bk_lib_game *out)
{
    struct bk_call call;
    struct bk_lib_game g;
    enum bk_err err = bk_call_begin(&call, lib, out, 0, 0);

    if (!err && out->struct_size < offsetof(struct bk_lib_game, files))
        err = bk_fail(call.why, BK_E_USAGE, "struct_size of the game is not set");
    if (!err) {
        about_game(&g, call.on->v);
        g.struct_size = out->struct_size < sizeof g ? out->struct_size : sizeof g;
        memcpy(out, &g, g.struct_size);
    }
    return bk_call_end(&call, err);
}

/* == Tables == */

static enum bk_err read_material(const struct bk_call *call, const char *name,
                                 struct bk_material *out)
{
    enum bk_err err = bk_material_parse(out, call->on->v, name, call->why);

    if (!err)
        bk_material_canonical(out, call->on->v);
    return err;
}

int bk_has(struct bk_lib *lib, const char *material)
{
    struct bk_call call;
    struct bk_material m;
    unsigned has = 0;
    bool unsure;
    enum bk_err err = bk_call_begin(&call, lib, material, 0, 0);

    _Static_assert(BK_LIB_HAS_WDL == BK_HAS_WDL && BK_LIB_HAS_DTW == BK_HAS_DTW, "the same");
    if (!err)
        err = read_material(&call, material, &m);
    if (!err)
        has = bk_catalog_has(call.on->catalog, &m, &unsure);
    bk_call_end(&call, err);
    return (int)has;
}

/* Lists all tables in the folders: none where a host brings the bytes, for folders of the same
   names on this machine are not the host's. */
static enum bk_err list_all(const struct bk_call *call, struct bk_listed **out, size_t *n,
                            bool heads)
{
    bool hosted = bk_readers_hosted(bk_cache_readers(bk_catalog_cache(call->on->catalog)));

    return bk_listing(out, n, call->on->v, hosted ? "" : call->on->paths, heads, call->why);
}

enum bk_lib_err bk_list_tables(struct bk_lib *lib, struct bk_lib_table *out, size_t room, size_t *n)
{
    struct bk_call call;
    struct bk_listed *list = NULL;
    size_t found = 0;
    enum bk_err err = bk_call_begin(&call, lib, n && (out || !room), 0, 0);

    if (!err)
        err = list_all(&call, &list, &found, true);
    for (size_t i = 0; !err && i < found && i < room; i++) {
        memset(&out[i], 0, sizeof out[i]);
        memcpy(out[i].material, list[i].name, sizeof list[i].name);
        out[i].men = (int)list[i].men;
        out[i].has = BK_LIB_HAS_WDL | (list[i].distances ? BK_LIB_HAS_DTW : 0) |
                     (list[i].lost ? BK_LIB_LOST_DTW : 0);
        out[i].bytes =
            list[i].wdl_bytes + list[i].dtw_bytes + list[i].five_bytes + list[i].dtz_bytes;
    }
    _Static_assert(sizeof out->material == sizeof list->name, "the same room");
    if (!err)
        *n = found;
    free(list);
    return bk_call_end(&call, err);
}

int bk_men_max(struct bk_lib *lib)
{
    struct bk_call call;
    struct bk_listed *list = NULL;
    size_t n = 0;
    int men = 0;
    enum bk_err err = bk_call_begin(&call, lib, true, 0, 0);

    if (!err)
        err = list_all(&call, &list, &n, false);
    if (!err && n)
        men = (int)list[n - 1].men;
    free(list);
    bk_call_end(&call, err);
    return men;
}

/* == What a material needs == */

/* Reads the name of a material that tables can answer.  BK_E_NO_TABLE: men come back in this game,
   and no table would do, so none is missing. */
static enum bk_err read_answerable(const struct bk_call *call, const char *name,
                                   struct bk_material *out)
{
    enum bk_err err = read_material(call, name, out);

    return !err && bk_material_check_hands(out, call->on->v, call->why) ? BK_E_NO_TABLE : err;
}

enum bk_lib_err bk_list_missing(struct bk_lib *lib, const char *material, struct bk_lib_table *out,
                                size_t room, size_t *n)
{
    struct bk_call call;
    struct bk_material m, *needed = NULL;
    size_t all = 0, missing = 0;
    bool unsure = false;
    enum bk_err err = bk_call_begin(&call, lib, material && n && (out || !room), 0, 0);

    if (!err)
        err = read_answerable(&call, material, &m);
    if (!err)
        err = bk_materials_needed(&needed, &all, &m, call.on->v, call.why);
    for (size_t i = 0; !err && i < all; i++) {
        bool one = false;
        unsigned has = bk_catalog_has(call.on->catalog, &needed[i], &one);

        unsure |= one;
        if (has & BK_LIB_HAS_DTW)
            continue;
        if (missing++ < room) {
            struct bk_lib_table *t = &out[missing - 1];

            memset(t, 0, sizeof *t);
            bk_material_name(&needed[i], call.on->v, t->material);
            t->men = (int)bk_material_men(&needed[i], call.on->v);
            t->has = (int)has;
        }
    }
    if (!err && unsure)
        err = bk_fail(call.why, BK_E_NEEDS_BYTES, "needs to know which tables there are");
    if (!err)
        *n = missing;
    free(needed);
    return bk_call_end(&call, err);
}

/* Reads the files of one kind into memory, until the first for which there is no room. */
static enum bk_err warm_all(struct bk_call *call, const struct bk_material *m, size_t n,
                            enum bk_kind kind, bool *room)
{
    struct bk_cache *cache = bk_catalog_cache(call->on->catalog);
    uint64_t full = bk_cache_bytes(cache);
    enum bk_err err = BK_OK;

    full -= full / 64;
    for (size_t i = 0; i < n && *room && (!err || err == BK_E_NEEDS_BYTES); i++) {
        const struct bk_table *t;
        struct bk_file *f;
        enum bk_err each = bk_catalog_open(call->on->catalog, &m[i], &t, call->why);

        if (!each && (f = bk_table_file(t, kind)) != NULL)
            each = bk_file_warm(f, full, room, call->why);
        if (each == BK_E_OVER_BUDGET)
            *room = false;
        else if (each && each != BK_E_NO_TABLE)
            err = each; /* goes on where a host lacks bytes: what else it lacks is noted, too */
    }
    return err;
}

enum bk_lib_err bk_prefetch(struct bk_lib *lib, const char *material, unsigned flags)
{
    struct bk_call call;
    struct bk_material m, *needed = NULL;
    size_t n = 0;
    bool room = true;
    enum bk_err err = bk_call_begin(&call, lib, material, flags, BK_LIB_WDL_ONLY);

    if (!err)
        err = read_material(&call, material, &m);
    if (!err)
        err = bk_materials_needed(&needed, &n, &m, call.on->v, call.why);
    if (!err)
        err = warm_all(&call, needed, n, BK_KIND_WDL, &room);
    if ((!err || err == BK_E_NEEDS_BYTES) && !(flags & BK_LIB_WDL_ONLY)) {
        enum bk_err more = warm_all(&call, needed, n, BK_KIND_DTW, &room);

        err = more ? more : err;
    }
    free(needed);
    return bk_call_end(&call, err);
}
