/*
 * sums.c - see sums.h.
 *
 * A histogram of distances: a table of up to EX_SAMPLE numbers is asked whole; of a larger one a
 * number out of each of EX_SAMPLE equal parts, the same ones each time.  Numbers that say the same
 * position twice, by symmetry, are passed over, so that it counts what the head of the file counts.
 */
#include "explore/sums.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/chance.h"
#include "core/explain.h"
#include "core/hands.h"
#include "core/rules.h"
#include "explore/count.h"
#include "explore/json.h"
#include "explore/reach.h"
#include "table/counts.h"
#include "table/listing.h"
#include "table/material.h"

/* == The folders == */

/* Lists the tables in the folders; *out owned.  False: *reply says why. */
static bool list_tables(struct bk_lib *lib, struct bk_lib_table **out, size_t *n,
                        struct ex_reply *reply)
{
    enum bk_lib_err err = bk_list_tables(lib, NULL, 0, n);
    size_t room = *n + 16; /* some may come while we look */

    *out = err ? NULL : calloc(room, sizeof **out);
    if (!err && *out)
        err = bk_list_tables(lib, *out, room, n);
    if (!err && *out) {
        *n = *n < room ? *n : room;
        return true;
    }
    free(*out);
    *out = NULL;
    return err ? ex_reply_lib(reply, lib, err)
               : ex_reply_error(reply, 503, "system", "out of memory");
}

/* == variants == */

static json_t *men_json(const struct bk_variant *v)
{
    json_t *men = json_array();

    for (unsigned type = 0; type < v->ntypes; type++) {
        const struct bk_piece *p = &v->piece[type];
        char letter[2] = { p->letter, 0 };

        json_array_append_new(men, json_pack("{ss ss sb si si so}", "letter", letter, "name",
                                             p->name, "royal", (int)(type == v->royal), "army",
                                             (int)bk_rules_army(v, type), "evolutions",
                                             (int)bk_rules_allowance(v, type), "moves",
                                             ex_reach(v, type)));
    }
    return men;
}

/* The array of a game, or the empty board that its men are dropped on; "": the players choose it.
 */
static const char *start_of(const struct bk_variant *v, char out[BK_FEN_MAX])
{
    struct bk_hands_pos p;

    if (*v->start || !bk_rules_hands(v) || bk_hands_start(&p, v, NULL))
        return v->start;
    return bk_hands_to_fen(&p, v, out);
}

static json_t *variant_json(const struct bk_variant *v)
{
    json_t *holes = json_array(), *o;
    char *rules = bk_variant_explain(v), start[BK_FEN_MAX];

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        char name[8];

        if (!bk_bits_has(&v->board, sq))
            json_array_append_new(holes, json_string(bk_sq_name(v, sq, name)));
    }
    if (!rules)
        ex_json_lack();
    o = json_pack("{ss ss s{si si so} ss si sb sb sb so ss}", "name", v->name, "title",
                  *v->title ? v->title : v->name, "board", "files", (int)v->files, "ranks",
                  (int)v->ranks, "holes", holes, "start", start_of(v, start), "turns",
                  (int)bk_rules_turns_max(v), "hands", (int)bk_rules_hands(v), "turned",
                  (int)bk_rules_turned(v), "castling",
                  (int)(bk_rules_castles(v) || bk_rules_homes_told(v)), "men", men_json(v), "rules",
                  rules ? rules : "");
    free(rules);
    return o;
}

void ex_sum_variants(struct ex_games *g, const struct ex_query *q, struct ex_reply *reply)
{
    char *first = strndup(g->dirs, strcspn(g->dirs, ":"));
    json_t *list = json_array(), *dir = first ? ex_json_string(first) : NULL;

    (void)q;
    if (!first)
        ex_json_lack();
    free(first);
    for (size_t i = 0; i < g->n; i++) {
        json_t *o = variant_json(g->game[i].v);
        size_t n;
        bool known = !ex_game_tables(g, &g->game[i], &n, NULL);

        json_object_set_new(o, "tables", known ? json_integer((json_int_t)n) : json_null());
        json_array_append_new(list, o);
    }
    ex_reply_json(reply, 200, json_pack("{so so}", "variants", list, "dir", dir));
}

/* == tables == */

/* Reads material=; false: *reply says why. */
static bool read_material(const struct ex_game *game, const struct ex_query *q,
                          struct bk_material *m, struct ex_reply *reply)
{
    const char *name = ex_query_arg(q, "material");
    struct bk_report why = { "" };

    if (!name)
        return ex_reply_error(reply, 400, "usage", "the query lacks a material=");
    if (bk_material_parse(m, game->v, name, &why))
        return ex_reply_error(reply, 400, "usage", "%s", why.text);
    if (bk_material_men(m, game->v) > BK_MEN_MAX)
        return ex_reply_error(reply, 400, "usage", "tables have at most %d men", BK_MEN_MAX);
    return true;
}

/* The same, of a material that has a table. */
static bool read_table(const struct ex_game *game, const struct ex_query *q, struct bk_material *m,
                       struct ex_reply *reply)
{
    if (!read_material(game, q, m, reply))
        return false;
    return !bk_material_by_rule(m, game->v) ||
           ex_reply_error(reply, 404, "by-rule", "no table is kept: the rules decide this");
}

static json_t *table_json(const struct bk_lib_table *t)
{
    return json_pack("{ss si sb sI}", "material", t->material, "men", t->men, "distances",
                     (t->has & BK_LIB_HAS_DTW) != 0, "bytes", (json_int_t)t->bytes);
}

/* Lists where one move leads from a material: other tables, or an end by rule. */
static json_t *next_json(const struct ex_game *game, struct bk_lib *lib,
                         const struct bk_material *m)
{
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);
    json_t *list = json_array(), *seen = json_object();
    unsigned n = next ? bk_material_next(m, game->v, next, BK_NEXT_MAX) : 0;

    for (unsigned i = 0; i < n && i < BK_NEXT_MAX; i++) {
        bool by_rule = bk_material_by_rule(&next[i], game->v);
        char name[BK_MATERIAL_NAME_MAX];

        bk_material_canonical(&next[i], game->v);
        bk_material_name(&next[i], game->v, name);
        if (json_object_get(seen, name))
            continue;
        json_object_set_new(seen, name, json_true());
        json_array_append_new(list,
                              json_pack("{ss sb sb}", "material", name, "by_rule", (int)by_rule,
                                        "there", (int)(by_rule || bk_has(lib, name) != 0)));
    }
    json_decref(seen);
    free(next);
    return list;
}

static void answer_material(const struct ex_game *game, struct bk_lib *lib,
                            const struct bk_material *m, const struct bk_lib_table *table, size_t n,
                            struct ex_reply *reply)
{
    struct bk_material kept = *m;
    char name[BK_MATERIAL_NAME_MAX], asked[BK_MATERIAL_NAME_MAX];
    json_t *from = json_array();
    int has = bk_has(lib, bk_material_name(m, game->v, asked));

    bk_material_canonical(&kept, game->v);
    bk_material_name(&kept, game->v, name);
    for (size_t i = 0; i < n; i++) { /* which of the n tables lead to this one */
        struct bk_material of, *next;
        bool leads = false;
        unsigned all;

        if (table[i].men < (int)bk_material_men(&kept, game->v) ||
            bk_material_parse(&of, game->v, table[i].material, NULL) ||
            !(next = malloc(BK_NEXT_MAX * sizeof *next)))
            continue;
        all = bk_material_next(&of, game->v, next, BK_NEXT_MAX);
        for (unsigned k = 0; k < all && k < BK_NEXT_MAX && !leads; k++) {
            bk_material_canonical(&next[k], game->v);
            leads = bk_material_equal(&next[k], &kept);
        }
        free(next);
        if (leads && strcmp(table[i].material, name))
            json_array_append_new(from, json_string(table[i].material));
    }
    ex_reply_json(reply, 200,
                  json_pack("{ss ss ss si sb sb sb so so}", "variant", game->name, "material",
                            asked, "table", name, "men", (int)bk_material_men(m, game->v),
                            "by_rule", (int)bk_material_by_rule(m, game->v), "there",
                            (int)(has != 0), "distances", (int)((has & BK_LIB_HAS_DTW) != 0),
                            "leads_to", next_json(game, lib, &kept), "comes_from", from));
}

void ex_sum_tables(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                   struct ex_reply *reply)
{
    bool one = ex_query_arg(q, "material") != NULL;
    struct bk_lib_table *table;
    struct bk_material m;
    struct bk_lib *lib;
    json_t *list;
    size_t n;

    if ((one && !read_material(game, q, &m, reply)) || !ex_game_enter(g, game, NULL, &lib, reply))
        return;
    if (list_tables(lib, &table, &n, reply)) {
        ex_game_look_again(game, lib);
        if (one)
            answer_material(game, lib, &m, table, n, reply);
        else {
            list = json_array();
            for (size_t i = 0; i < n; i++)
                json_array_append_new(list, table_json(&table[i]));
            ex_reply_json(reply, 200, json_pack("{ss so}", "variant", game->name, "tables", list));
        }
        free(table);
    }
    ex_game_leave(game);
}

/* == stats == */

static json_t *longest_json(int64_t plies, const char *fen)
{
    return plies < 0 ? json_null()
                     : json_pack("{sI sI ss}", "plies", (json_int_t)plies, "turns",
                                 (json_int_t)((plies + 1) / 2), "fen", fen);
}

static json_t *side_json(const struct bk_counts *s)
{
    return json_pack("{sI sI sI s{sI sI sI} so so}", "win", (json_int_t)s->win, "draw",
                     (json_int_t)s->draw, "loss", (json_int_t)s->loss, "all", "win",
                     (json_int_t)s->all_win, "draw", (json_int_t)s->all_draw, "loss",
                     (json_int_t)s->all_loss, "longest_win", longest_json(s->win_plies, s->win_fen),
                     "longest_loss", longest_json(s->loss_plies, s->loss_fen));
}

/* Positions counted by distance, of one side to move. */
struct histogram {
    uint64_t *win, *loss; /* owned; by plies */
    size_t room;
    uint64_t draws, n;
};

static bool count_one(struct histogram *h, const struct bk_answer *a)
{
    size_t plies = a->dtw < 0 ? 0 : (size_t)a->dtw;

    if (a->wdl && a->dtw < 0) { /* without distances */
        h->n++;
        return true;
    }
    if (plies >= h->room) {
        size_t room = 2 * plies + 64;
        uint64_t *win = realloc(h->win, room * sizeof *win), *loss;

        if (win)
            h->win = win;
        loss = win ? realloc(h->loss, room * sizeof *loss) : NULL;
        if (!loss)
            return false;
        memset(win + h->room, 0, (room - h->room) * sizeof *win);
        memset(loss + h->room, 0, (room - h->room) * sizeof *loss);
        h->loss = loss;
        h->room = room;
    }
    h->n++;
    if (!a->wdl)
        h->draws++;
    else
        (a->wdl > 0 ? h->win : h->loss)[plies]++;
    return true;
}

static json_t *pairs_json(const uint64_t *count, size_t n)
{
    json_t *list = json_array();

    for (size_t plies = 0; plies < n; plies++)
        if (count[plies])
            json_array_append_new(list,
                                  json_pack("[II]", (json_int_t)plies, (json_int_t)count[plies]));
    return list;
}

static json_t *histogram_json(const struct histogram *h)
{
    return json_pack("{sI sI so so}", "positions", (json_int_t)h->n, "draw", (json_int_t)h->draws,
                     "win", pairs_json(h->win, h->room), "loss", pairs_json(h->loss, h->room));
}

/* Draws a number from the nth of EX_SAMPLE equal parts of `positions`, which is as many or more. */
static uint64_t sample_number(uint64_t nth, uint64_t positions, uint64_t *seed)
{
    uint64_t from = positions / EX_SAMPLE * nth + positions % EX_SAMPLE * nth / EX_SAMPLE;
    uint64_t end =
        positions / EX_SAMPLE * (nth + 1) + positions % EX_SAMPLE * (nth + 1) / EX_SAMPLE;

    return from + bk_chance_next(seed) % (end - from);
}

/* Counts positions of a table into h[], by colour to move.  BK_LIB_SYSTEM: no memory;
   BK_LIB_NO_TABLE: a table that this one leads to is missing, or distances are.  The other errors
   are those of bk_probe_fen(). */
static enum bk_lib_err fill_histogram(struct histogram h[2], const struct bk_index *ix,
                                      bool one_side, bool exchanged, struct bk_lib *lib)
{
    uint64_t n = ix->positions < EX_SAMPLE ? ix->positions : EX_SAMPLE;
    uint64_t seed = 0; /* the same positions each time */

    for (uint64_t i = 0; i < n; i++) {
        uint64_t number = n < EX_SAMPLE ? i : sample_number(i, ix->positions, &seed);
        struct bk_placement at;

        bk_index_unrank(ix, number, &at);
        if (!bk_index_is_first(ix, number, &at))
            continue;
        for (unsigned side = 0; side < (one_side ? 1u : 2u); side++) {
            char fen[BK_FEN_MAX];
            struct bk_answer a;
            enum bk_lib_err err;

            if (!bk_counts_fen(ix, number, side, exchanged, fen))
                continue;
            err = bk_probe_fen(lib, fen, &a);
            if (err == BK_LIB_ILLEGAL || err == BK_LIB_USAGE)
                continue;
            if (!err && !count_one(&h[exchanged ? !side : side], &a))
                err = BK_LIB_SYSTEM;
            if (err)
                return err;
        }
    }
    return BK_LIB_OK;
}

/* Returns the histogram of a table; JSON's null if there is none, *failed: the library's error. */
static json_t *distances_json(const struct ex_games *g, const struct ex_game *game,
                              struct bk_lib *lib, const struct bk_material *m,
                              enum bk_lib_err *failed)
{
    struct histogram h[2] = { { 0 } };
    struct bk_file *f;
    json_t *o = NULL;
    bool exchanged, one_side;
    enum bk_err err = bk_counts_open(&f, &exchanged, g->dirs, game->v, m, NULL);

    if (err == BK_E_SYSTEM)
        ex_json_lack();
    if (err)
        return json_null();
    one_side = bk_file_info(f)->one_side;
    *failed = fill_histogram(h, bk_file_index(f), one_side, exchanged, lib);
    if (*failed == BK_LIB_SYSTEM)
        ex_json_lack();
    if (!*failed) {
        const struct histogram *white = &h[one_side && exchanged], *black = &h[!one_side];

        o = json_pack("{sb so so}", "exact", (int)(bk_file_index(f)->positions < EX_SAMPLE),
                      "white", histogram_json(white), "black",
                      histogram_json(one_side ? white : black));
    }
    for (unsigned side = 0; side < 2; side++) {
        free(h[side].win);
        free(h[side].loss);
    }
    bk_file_close(f);
    return o ? o : json_null();
}

/* Returns the answer to /stats, owned; NULL: *reply says why. */
static json_t *answer_stats(const struct ex_games *g, struct ex_game *game, struct bk_lib *lib,
                            const struct bk_material *m, const char *name, struct ex_reply *reply)
{
    struct bk_report why = { "" };
    struct bk_counts side[2];
    char odd[400];
    enum bk_err err = bk_counts_read(side, g->dirs, game->v, m, &why);
    enum bk_lib_err failed = BK_LIB_OK;
    json_t *o;

    if (err == BK_E_NO_TABLE)
        bk_fail(&why, err, "no table %s of %s%s", name, game->name,
                bk_folders_odd_too(odd, sizeof odd, game->v, g->dirs));
    if (err) {
        ex_reply_error(reply,
                       err == BK_E_NO_TABLE ? 404
                       : bk_is_of_file(err) ? 500
                                            : 503,
                       err == BK_E_NO_TABLE  ? "no-table"
                       : err == BK_E_CORRUPT ? "damaged"
                       : err == BK_E_NEWER   ? "newer"
                                             : "system",
                       "%s", why.text);
        return NULL;
    }
    o = json_pack("{ss ss so so so}", "variant", game->name, "material", name, "white",
                  side_json(&side[0]), "black", side_json(&side[1]), "histogram",
                  distances_json(g, game, lib, m, &failed));
    if (failed == BK_LIB_CORRUPT || failed == BK_LIB_NEWER) {
        ex_json_end(o);
        ex_reply_lib(reply, lib, failed);
        return NULL;
    }
    ex_kept_add(&game->sums, name, o);
    if (!o)
        ex_reply_error(reply, 503, "system", "out of memory");
    return o;
}

/* exact=1: the histogram of all positions in the place of a sample, once it is counted.  False:
 *reply says why not. */
static bool put_exact(const struct ex_games *g, struct ex_game *game, const struct bk_material *m,
                      json_t *o, struct ex_reply *reply)
{
    bool counting = false, damaged;
    json_t *counted = NULL;

    if (!json_is_true(json_object_get(json_object_get(o, "histogram"), "exact")))
        counted = ex_counted(g->counter, game, m, &counting);
    damaged = json_is_true(json_object_get(counted, "damaged"));
    if (damaged)
        ex_reply_error(reply, 500, "damaged", "%s",
                       json_string_value(json_object_get(counted, "error")));
    if (counted && !json_object_get(counted, "error")) /* else it cannot be counted */
        json_object_set(o, "histogram", counted);
    json_decref(counted);
    json_object_set_new(o, "counting", json_boolean(counting));
    return !damaged;
}

void ex_sum_stats(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                  struct ex_reply *reply)
{
    const char *exact = ex_query_arg(q, "exact");
    char name[BK_MATERIAL_NAME_MAX];
    struct bk_material m;
    struct bk_lib *lib;
    json_t *known;

    if (!read_table(game, q, &m, reply))
        return;
    if (exact && strcmp(exact, "1") && strcmp(exact, "0")) {
        ex_reply_error(reply, 400, "usage", "exact= is 1 or 0");
        return;
    }
    bk_material_name(&m, game->v, name);
    if (!ex_game_enter(g, game, NULL, &lib, reply))
        return;
    ex_game_look_again(game, lib);
    known = ex_kept_find(&game->sums, name);
    if (!known)
        known = answer_stats(g, game, lib, &m, name, reply);
    ex_game_leave(game);
    if (known && exact && *exact == '1' && !put_exact(g, game, &m, known, reply))
        ex_json_end(known);
    else if (known)
        ex_reply_json(reply, 200, known);
}

/* == examples == */

void ex_sum_examples(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                     struct ex_reply *reply)
{
    char name[BK_MATERIAL_NAME_MAX];
    bool counting = false;
    struct bk_material m;
    struct bk_lib *lib;
    json_t *found, *o;
    const char *error;

    if (!read_table(game, q, &m, reply) || !ex_game_enter(g, game, NULL, &lib, reply))
        return;
    ex_game_look_again(game, lib);
    if (bk_has(lib, bk_material_name(&m, game->v, name)))
        found = ex_counted_examples(g->counter, game, &m, &counting);
    else {
        ex_game_leave(game);
        ex_reply_error(reply, 404, "no-table", "no table %s of %s", name, game->name);
        return;
    }
    ex_game_leave(game);
    error = json_string_value(json_object_get(found, "error"));
    if (error) {
        bool damaged = json_is_true(json_object_get(found, "damaged"));

        ex_reply_error(reply, damaged ? 500 : 404, damaged ? "damaged" : "no-examples", "%s",
                       error);
        ex_json_end(found);
        return;
    }
    o = json_pack("{ss ss sb}", "variant", game->name, "material", name, "counting", (int)counting);
    if (found)
        json_object_update_new(o, found);
    ex_reply_json(reply, 200, o);
}

/* == longest == */

#define LONGEST_MAX 100

/* The longest that the men of one colour take to win a table. */
struct longest {
    const char *material; /* borrowed */
    int64_t plies;
    unsigned winner;
};

static int longest_first(const void *a, const void *b)
{
    const struct longest *x = a, *y = b;

    if (x->plies != y->plies)
        return x->plies < y->plies ? 1 : -1;
    return strcmp(x->material, y->material);
}

/* Adds the longest wins of both sides: as the mover, or when the other moves and loses. */
static void note_longest(struct longest *list, size_t *n, const char *material,
                         const struct bk_file_info *info)
{
    const struct bk_summary *s = &info->summary;

    for (unsigned winner = 0; winner < (info->one_side ? 1u : 2u); winner++) {
        unsigned other = info->one_side ? 0 : !winner;
        int64_t plies = s->win_plies[winner];

        if (s->loss_plies[other] > plies)
            plies = s->loss_plies[other];
        if (plies >= 0)
            list[(*n)++] = (struct longest){ material, plies, winner };
    }
}

static json_t *longest_row(const struct ex_games *g, const struct ex_game *game,
                           const struct longest *l)
{
    struct bk_counts side[2];
    struct bk_material m;
    const char *fen;
    enum bk_err err = bk_material_parse(&m, game->v, l->material, NULL);

    if (!err)
        err = bk_counts_read(side, g->dirs, game->v, &m, NULL);
    if (err == BK_E_SYSTEM)
        ex_json_lack();
    if (err)
        return NULL;
    fen =
        side[l->winner].win_plies == l->plies ? side[l->winner].win_fen : side[!l->winner].loss_fen;
    return json_pack("{ss ss sI sI ss}", "material", l->material, "winner",
                     l->winner == BK_WHITE ? "white" : "black", "plies", (json_int_t)l->plies,
                     "turns", (json_int_t)((l->plies + 1) / 2), "fen", fen);
}

static json_t *longest_list(const struct ex_games *g, const struct ex_game *game,
                            const struct bk_lib_table *table, size_t n)
{
    struct longest *list = calloc(2 * n + 1, sizeof *list);
    json_t *rows = json_array();
    size_t all = 0;

    for (size_t i = 0; list && i < n; i++) {
        struct bk_material m;
        struct bk_file *f;
        bool exchanged;
        enum bk_err err = bk_material_parse(&m, game->v, table[i].material, NULL);

        if (!err)
            err = bk_counts_open(&f, &exchanged, g->dirs, game->v, &m, NULL);
        if (err == BK_E_SYSTEM)
            ex_json_lack();
        if (err)
            continue;
        if (!bk_kind_counts(bk_file_info(f)->kind)) /* else those to zeroing */
            note_longest(list, &all, table[i].material, bk_file_info(f));
        bk_file_close(f);
    }
    if (list)
        qsort(list, all, sizeof *list, longest_first);
    else
        ex_json_lack();
    for (size_t i = 0; i < all && json_array_size(rows) < LONGEST_MAX; i++) {
        json_t *row = longest_row(g, game, &list[i]);

        if (row)
            json_array_append_new(rows, row);
    }
    free(list);
    return json_pack("{ss so}", "variant", game->name, "longest", rows);
}

void ex_sum_longest(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                    struct ex_reply *reply)
{
    struct bk_lib_table *table;
    json_t *answer = NULL;
    struct bk_lib *lib;
    char odd[400];
    size_t n;

    (void)q;
    if (!ex_game_enter(g, game, NULL, &lib, reply))
        return;
    if (list_tables(lib, &table, &n, reply)) {
        ex_game_look_again(game, lib); /* what is kept is of the tables that there are now */
        answer = ex_kept_find(&game->sums, "longest");
        if (!answer && n) {
            answer = longest_list(g, game, table, n);
            ex_kept_add(&game->sums, "longest", answer);
        } else if (!answer)
            ex_reply_error(reply, 404, "no-table", "no tables of %s in %.400s%s", game->name,
                           g->dirs, bk_folders_odd_too(odd, sizeof odd, game->v, g->dirs));
        free(table);
    }
    ex_game_leave(game);
    if (answer)
        ex_reply_json(reply, 200, answer);
}
