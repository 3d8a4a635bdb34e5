/*
 * cmd_info.c - what needs no tables: perft, variants, check-variant.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "core/deal.h"
#include "core/derive.h"
#include "core/explain.h"
#include "core/fairy_write.h"
#include "core/hands.h"
#include "core/move.h"
#include "core/rules.h"
#include "table/index_new.h"
#include "tb/solve/exits.h"

/* == perft == */

#define DEPTH_MAX 100

/* Counts the leaves behind each move, and tells each move's share. */
static uint64_t divide(const struct cli *c, const struct bk_variant *v, const struct bk_pos *p,
                       unsigned depth, struct bk_move *move, json_t *shares)
{
    uint64_t leaves = 0;

    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(v, p, &first, move);

        for (unsigned i = 0; i < n; i++) {
            struct bk_pos next = *p;
            char name[16];
            uint64_t share;

            bk_pos_play(&next, v, &move[i]);
            share = bk_perft(v, &next, depth - 1);
            leaves += share;
            bk_move_name(v, &move[i], name);
            if (c->json)
                json_object_set_new(shares, name, json_integer((json_int_t)share));
            else
                printf("%s: %llu\n", name, (unsigned long long)share);
        }
    }
    return leaves;
}

/* Tells the number of leaves; `shares`: of each move, is taken. */
static int tell_leaves(const struct cli *c, const struct bk_variant *v, const char *fen,
                       unsigned depth, uint64_t leaves, json_t *shares)
{
    json_t *answer;

    if (!c->json) {
        json_decref(shares);
        printf("%llu\n", (unsigned long long)leaves);
        return CLI_OK;
    }
    answer = json_pack("{ss ss si sI}", "variant", v->name, "fen", fen, "depth", (int)depth,
                       "nodes", (json_int_t)leaves);
    if (c->divide && answer)
        json_object_set(answer, "divide", shares);
    json_decref(shares);
    return cli_print_json(answer);
}

/* Counts the leaves of the tree, and with --divide tells the share of each move. */
static int count_leaves(const struct cli *c, const struct bk_variant *v, const char *text,
                        unsigned depth)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move);
    json_t *shares = json_object();
    char fen[BK_FEN_MAX];
    struct bk_pos p;
    uint64_t leaves;
    int status = move && shares ? cli_position(v, text, &p) : cli_no_memory();

    if (status) {
        free(move);
        json_decref(shares);
        return status;
    }
    leaves = c->divide && depth ? divide(c, v, &p, depth, move, shares) : bk_perft(v, &p, depth);
    free(move);
    return tell_leaves(c, v, bk_pos_to_fen(&p, v, fen), depth, leaves, shares);
}

/* The turns of a position with hands that are being counted. */
struct dividing {
    const struct cli *c;
    const struct bk_variant *v;
    const struct bk_hands_pos *p;
    unsigned depth;
    json_t *shares;
    uint64_t leaves;
};

static bool divide_turn(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct dividing *g = context;
    char name[BK_TURN_NAME_MAX];
    uint64_t share = bk_hands_perft(after, g->v, g->depth - 1);

    g->leaves += share;
    bk_turn_name(g->p, g->v, turn, name);
    if (g->c->json)
        json_object_set_new(g->shares, name, json_integer((json_int_t)share));
    else
        printf("%s: %llu\n", name, (unsigned long long)share);
    return true;
}

/* As count_leaves(), of turns in games with hands. */
static int count_turns(const struct cli *c, const struct bk_variant *v, const char *text,
                       unsigned depth)
{
    struct bk_report why = { "" };
    struct bk_hands_pos p;
    struct dividing g = { .c = c, .v = v, .p = &p, .depth = depth };
    char fen[BK_FEN_MAX];
    enum bk_err err = bk_hands_from_fen(&p, v, text, &why);

    if (err)
        return cli_fail_report(err, &why);
    g.shares = json_object();
    if (!g.shares)
        return cli_no_memory();
    if (c->divide && depth)
        bk_hands_turns(&p, v, divide_turn, &g);
    else
        g.leaves = bk_hands_perft(&p, v, depth);
    return tell_leaves(c, v, bk_hands_to_fen(&p, v, fen), depth, g.leaves, g.shares);
}

int cmd_perft(struct cli *c)
{
    const char *last = c->arg[c->nargs - 1];
    struct bk_variant *v;
    uint64_t depth;
    char *fen;
    int status;

    if (!cli_number(last, 0, DEPTH_MAX, &depth))
        return cli_fail(CLI_USAGE, "perft: '%s' is no depth from 0 to %d", last, DEPTH_MAX);
    c->any_game = true;
    fen = cli_join(c, 1, c->nargs - 1);
    status = fen ? cli_variant_for(c, fen, &v) : cli_no_memory();
    if (status) {
        free(fen);
        return status;
    }
    status = (bk_rules_hands(v) ? count_turns : count_leaves)(c, v, fen, (unsigned)depth);
    free(fen);
    bk_variant_free(v);
    return status;
}

/* == variants == */

static int explain(const struct cli *c)
{
    char *name[] = { (char *)c->explain };
    struct cli one = { .arg = name, .nargs = 1, .any_game = true };
    struct bk_variant *v;
    int status = cli_variant(&one, &v);
    char *text;

    if (status)
        return status;
    text = bk_variant_explain(v);
    if (!text)
        status = cli_no_memory();
    else if (c->json)
        status = cli_print_json(
            json_pack("{ss ss ss}", "name", v->name, "title", v->title, "text", text));
    else
        printf("%s", text);
    free(text);
    bk_variant_free(v);
    return status;
}

/* Writes a game as a section of variants.ini; of one that the program has built in, its name. */
static int write_fairy(const struct cli *c)
{
    char *name[] = { (char *)c->fairy }, text[BK_FAIRY_TEXT_MAX];
    struct cli one = { .arg = name, .nargs = 1 };
    struct bk_report why;
    struct bk_variant *v;
    int status = cli_variant(&one, &v);
    const char *built_in;
    enum bk_err err = BK_OK;

    if (status)
        return status;
    if ((built_in = bk_fairy_name_of(v)) != NULL)
        snprintf(text, sizeof text, "# %s: Fairy-Stockfish has it built in, as %s\n", v->name,
                 built_in);
    else
        err = bk_fairy_write(v, c->nearly, text, &why);
    if (err)
        status = cli_fail_report(err, &why);
    else if (c->json)
        status = cli_print_json(
            json_pack("{ss ss ss*}", "name", v->name, "text", text, "built_in", built_in));
    else
        printf("%s", text);
    bk_variant_free(v);
    return status;
}

static json_t *variant_json(const struct bk_variant *v)
{
    json_t *pieces = json_array();

    for (unsigned type = 0; type < v->ntypes; type++) {
        const struct bk_piece *p = &v->piece[type];
        char letter[2] = { p->letter, 0 };

        json_array_append_new(pieces, json_pack("{ss ss si}", "letter", letter, "name", p->name,
                                                "army", (int)p->army));
    }
    return json_pack("{ss ss s{si si} so ss}", "name", v->name, "title", v->title, "board", "files",
                     (int)v->files, "ranks", (int)v->ranks, "pieces", pieces, "start", v->start);
}

/* Shows a game, as an object in `list` or as a line.  `of`: who has it, NULL for ours. */
static int show_variant(json_t *list, const char *name, const char *of)
{
    struct bk_report why = { "" };
    struct bk_variant *v;
    enum bk_err err = bk_variant_load_any(&v, name, &why);
    json_t *json;

    if (err)
        return cli_fail_report(err, &why);
    if (list) {
        json = variant_json(v);
        if (bk_rules_without_tables(v))
            json_object_set_new(json, "tables", json_false());
        if (of)
            json_object_set_new(json, "of", json_string(of));
        json_array_append_new(list, json);
    } else {
        printf("%-24s %2ux%-3u %s\n", v->name, v->files, v->ranks, v->title);
    }
    bk_variant_free(v);
    return CLI_OK;
}

int cmd_variants(struct cli *c)
{
    json_t *list = NULL;
    int status = CLI_OK;

    if (c->explain)
        return explain(c);
    if (c->fairy)
        return write_fairy(c);
    if (c->json)
        list = json_array();
    for (const struct bk_embedded *e = bk_embedded_variants; !status && e->name; e++)
        status = show_variant(list, e->name, NULL);
    if (!status && !c->json)
        printf("\nCounted, and no tables are made of them yet:\n");
    for (const struct bk_embedded *e = bk_embedded_counted; !status && e->name; e++)
        status = show_variant(list, e->name, NULL);
    if (!status && !c->json)
        printf("\nBuilt into Fairy-Stockfish:\n");
    for (const struct bk_embedded_fairy *e = bk_embedded_fairy; !status && e->name; e++)
        if (!bk_embedded_find(e->name))
            status = show_variant(list, e->name, "Fairy-Stockfish");
    if (status)
        json_decref(list);
    return status ? status : c->json ? cli_print_json(list) : CLI_OK;
}

/* == check-variant == */

/*
 * A game may be sound and still have men for which there are no tables.  Only
 * those with a double step are in doubt: an en passant right is no part of a
 * position of a table, and is answered from the moves between its blocks; so
 * such a man may not come back to where it makes the step from.
 */
static enum bk_err check_doubles(const struct bk_variant *v, unsigned type, unsigned colour,
                                 struct bk_report *why)
{
    struct bk_material m = { 0 };
    struct bk_index *ix;
    enum bk_err err;

    if (bk_rules_royal(v))
        m.count[BK_WHITE][v->royal] = m.count[BK_BLACK][v->royal] = 1;
    m.count[colour][type] = 1;
    bk_material_normalise(&m, v);
    err = bk_index_new(&ix, v, &m, NULL, why);
    if (err)
        return err;
    if (bk_exits_doubles_within_cell(ix))
        err = bk_fail(why, BK_E_USAGE,
                      "%s: %s: `en-passant` is not for men that can come back to where they "
                      "make a `double-step` from",
                      v->name, v->piece[type].name);
    bk_index_free(ix);
    return err;
}

/* Looks at men of both colours: where the board has holes they differ. */
static enum bk_err check_tables(const struct bk_variant *v, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (unsigned type = 0; type < v->ntypes && !err && bk_rules_en_passant(v); type++)
        for (unsigned colour = 0; colour < 2 && !err; colour++)
            if (type != v->royal && bk_rules_doubles(v, type))
                err = check_doubles(v, type, colour, why);
    return err;
}

/* Lists what is sound but hardly meant, kinds that `lost` rules offer and no side has to lose; and
   what has no tables yet. */
static json_t *warnings_of(const struct bk_variant *v)
{
    json_t *list = json_array();
    char text[128];

    if (bk_rules_without_tables(v)) {
        snprintf(text, sizeof text, "no tables are made yet of games like this: %s",
                 bk_rules_without_tables(v));
        json_array_append_new(list, json_string(text));
    }
    for (unsigned type = 0; type < v->ntypes; type++)
        if (!v->piece[type].army && bk_rules_offer(v, type, false, true)) {
            snprintf(text, sizeof text,
                     "nothing becomes %c by a `lost` rule: [piece %s] has no `army`",
                     v->piece[type].letter, v->piece[type].name);
            json_array_append_new(list, ex_json_string(text));
        }
    return list;
}

/* Tells that a game is good, and what is strange about it all the same. */
static int tell_good(const struct cli *c, const struct bk_variant *v)
{
    char file[CLI_SHOWN_MAX];
    json_t *warnings = warnings_of(v);

    if (c->json)
        return cli_print_json(json_pack("{so sb so so}", "file", ex_json_string(c->arg[0]), "ok", 1,
                                        "variant", variant_json(v), "warnings", warnings));
    cli_shown(file, c->arg[0]);
    printf("%s: good: %s, %ux%u, %u kind%s of men, rules %016llx\n", file, v->name, v->files,
           v->ranks, v->ntypes, v->ntypes == 1 ? "" : "s", (unsigned long long)v->rules_id);
    for (size_t i = 0; i < json_array_size(warnings); i++)
        printf("%s: warning: %s\n", file, json_string_value(json_array_get(warnings, i)));
    json_decref(warnings);
    return CLI_OK;
}

int cmd_check_variant(struct cli *c)
{
    const char *file = c->arg[0];
    char *path = malloc(strlen(file) + 3);
    struct bk_report why = { "" }, inner = { "" };
    struct bk_variant *v = NULL;
    enum bk_err err;
    int status;

    if (!path)
        return cli_no_memory();
    /* a plain name would mean a built-in game */
    sprintf(path, "%s%s", strchr(file, '/') ? "" : "./", file);
    err = bk_variant_load_any(&v, path, &why);
    if (!err && (err = bk_start_check(v, &inner)))
        bk_fail(&why, err, "%s: start: %s", file, inner.text);
    if (!err && (err = bk_deal_check(v, &inner)))
        bk_fail(&why, err, "%s: %s", file, inner.text);
    if (!err)
        err = check_tables(v, &why);
    status = err ? cli_fail_report(err, &why) : tell_good(c, v);
    bk_variant_free(v);
    free(path);
    return status;
}
