/*
 * cmd_file.c - info: a table file, its parts, and what it has learned; facts: what it may ask.
 *
 * A table's values are a tree of questions about a position, with the exceptions
 * beside it (docs/codec.md).  The questions that the tree asks first say what
 * matters most in an ending, so they are printed in words.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/report.h"
#include "core/facts.h"
#include "table/format.h"
#include "table/index_new.h"
#include "table/model.h"

#define LEVELS 3 /* levels of the tree that are printed */

/* == Words == */

static const char *kind_name(const struct bk_file_info *i)
{
    static const char *const name[BK_KINDS] = { "wins, draws and losses", "distances",
                                                "five results by the n-move rule",
                                                "distances to zeroing" };

    return name[i->kind];
}

/* "win", "draw", "loss"; a distance as the plies of a win; "depends" where questions follow. */
static char *leaf_text(char out[CLI_TEXT_MAX], const struct bk_file_info *i, bk_code code)
{
    static const char *const word[3] = { "win", "draw", "loss" };
    static const char *const five[5] = { "win", "cursed win", "draw", "blessed loss", "loss" };

    if (code >= 0)
        snprintf(out, CLI_TEXT_MAX, "%s", "mostly");
    else if (i->kind == BK_KIND_WDL)
        snprintf(out, CLI_TEXT_MAX, "%s", ~code < 3 ? word[~code] : "?");
    else if (i->kind == BK_KIND_FIVE)
        snprintf(out, CLI_TEXT_MAX, "%s", ~code < 5 ? five[~code] : "?");
    else
        snprintf(out, CLI_TEXT_MAX, "%d %s", i->kind == BK_KIND_DTZ ? ~code + 1 : 2 * ~code + 1,
                 code == ~0 ? "ply" : "plies");
    return out;
}

/* The value that a leaf gives where no exception is found. */
static bk_code likely(const struct bk_model *m, bk_code code)
{
    while (code >= 0)
        code = m->question[code].next[0];
    return code;
}

static void print_node(const struct bk_file_info *i, const struct bk_unit_info *u, uint32_t at,
                       const char *how, unsigned depth)
{
    const struct bk_fact_node *node = &u->model->tree[at];
    char text[BK_FACT_TEXT_MAX], value[CLI_TEXT_MAX];

    printf("    %*s%s", (int)(4 * depth), "", how);
    if (node->fact == BK_FACT_LEAF) {
        bk_code code = u->model->leaf[node->yes];

        printf("%s%s\n", code >= 0 ? "mostly " : "", leaf_text(value, i, likely(u->model, code)));
        return;
    }
    printf("%s?\n", bk_fact_text(u->facts, node->fact, text));
    if (depth + 1 >= LEVELS)
        return;
    print_node(i, u, node->yes, "yes: ", depth + 1);
    print_node(i, u, node->no, "no:  ", depth + 1);
}

static json_t *node_json(const struct bk_file_info *i, const struct bk_unit_info *u, uint32_t at,
                         unsigned depth)
{
    const struct bk_fact_node *node = &u->model->tree[at];
    char text[BK_FACT_TEXT_MAX], value[CLI_TEXT_MAX];

    if (node->fact == BK_FACT_LEAF)
        return json_string(leaf_text(value, i, likely(u->model, u->model->leaf[node->yes])));
    bk_fact_text(u->facts, node->fact, text);
    if (depth + 1 >= LEVELS)
        return json_pack("{ss}", "fact", text);
    return json_pack("{ss so so}", "fact", text, "yes", node_json(i, u, node->yes, depth + 1), "no",
                     node_json(i, u, node->no, depth + 1));
}

/* == Units == */

static uint64_t unit_bytes(const struct bk_unit_info *u)
{
    return u->model_bytes + u->shards * BK_SHARD_ENTRY_BYTES + u->shard_bytes;
}

static double bits_a_number(const struct bk_unit_info *u)
{
    uint64_t n = u->place.end - u->place.first;

    return n ? 8.0 * (double)unit_bytes(u) / (double)n : 0;
}

static void print_unit(const struct bk_file_info *i, const struct bk_unit_info *u)
{
    char n[CLI_TEXT_MAX], model[CLI_TEXT_MAX], list[CLI_TEXT_MAX], shards[CLI_TEXT_MAX];
    char count[CLI_TEXT_MAX], leaves[CLI_TEXT_MAX];

    printf("\n%s to move, %s numbers: %.4f bits each\n", cli_colour(u->place.side),
           cli_count(n, u->place.end - u->place.first), bits_a_number(u));
    printf("  model %s bytes (%s lea%s), directory %s, %s shard%s %s\n",
           cli_count(model, u->model_bytes), cli_count(leaves, u->model->leaves),
           u->model->leaves == 1 ? "f" : "ves", cli_count(list, u->shards * BK_SHARD_ENTRY_BYTES),
           cli_count(count, u->shards), u->shards == 1 ? "" : "s",
           cli_count(shards, u->shard_bytes));
    printf("  asks first:\n");
    print_node(i, u, 0, "", 0);
}

static json_t *unit_json(const struct bk_file_info *i, const struct bk_unit_info *u)
{
    return json_pack("{ss sI sI sI sI sI sI so}", "side", cli_colour(u->place.side), "numbers",
                     (json_int_t)(u->place.end - u->place.first), "model_bytes",
                     (json_int_t)u->model_bytes, "directory_bytes",
                     (json_int_t)(u->shards * BK_SHARD_ENTRY_BYTES), "shards",
                     (json_int_t)u->shards, "shard_bytes", (json_int_t)u->shard_bytes, "leaves",
                     (json_int_t)u->model->leaves, "asks_first", node_json(i, u, 0, 0));
}

/* == The file == */

static void print_head(const char *path, const struct bk_file *f)
{
    const struct bk_file_info *i = bk_file_info(f);
    char bytes[CLI_TEXT_MAX], n[CLI_TEXT_MAX], shown[CLI_SHOWN_MAX];

    printf("%s: %s of %s, %s\n", cli_shown(shown, path), kind_name(i), i->material, i->variant);
    printf("  format %d, facts %d, rules %016llx\n", BK_FORMAT_VERSION, BK_FACTS_VERSION,
           (unsigned long long)i->rules_id);
    printf("  %s\n", i->standalone
                         ? "answers alone"
                         : "says nothing new where an exit (a capture, a change) settles it");
    if (i->one_side)
        printf("  White to move; Black to move is the same with colours exchanged\n");
    if (bk_kind_is_results(i->kind) && i->distances)
        printf("  distances are in a .%s beside it\n",
               bk_kind_suffix(bk_kind_of(true, bk_kind_counts(i->kind))));
    else if (bk_kind_is_results(i->kind))
        printf("  without distances\n");
    printf("  %s bytes, %s numbers a side\n", cli_count(bytes, bk_file_bytes(f)),
           cli_count(n, i->positions));
}

static int tell(const struct cli *c, const char *path, struct bk_file *f)
{
    static const char *const kind[BK_KINDS] = { "wdl", "distances", "wdl5", "dtz" };
    const struct bk_file_info *i = bk_file_info(f);
    struct bk_report why = { "" };
    json_t *units = json_incref(c->list);
    enum bk_err err = BK_OK;

    if (!c->json)
        print_head(path, f);
    for (unsigned nth = 0; !err && nth < i->nunits; nth++) {
        struct bk_unit_info u;

        err = bk_file_unit(f, nth, &u, &why);
        if (!err && c->json)
            json_array_append_new(units, unit_json(i, &u));
        else if (!err)
            print_unit(i, &u);
    }
    if (err) {
        json_decref(units);
        return cli_fail_report(err, &why);
    }
    if (!c->json)
        return CLI_OK;
    return cli_print_json(json_pack(
        "{so ss ss ss sb sb sb sI sI so}", "file", ex_json_string(path), "kind", kind[i->kind],
        "variant", i->variant, "material", i->material, "standalone", (int)i->standalone,
        "one_side", (int)i->one_side, "distances", (int)i->distances, "bytes",
        (json_int_t)bk_file_bytes(f), "numbers", (json_int_t)i->positions, "units", units));
}

/* Loads the game that a file names, without the terrain of GAME@...: that is --for's. */
static int game_of(const struct cli *c, struct bk_file_info *info, struct bk_variant **v)
{
    struct bk_report why = { "" };
    struct stat st;
    enum bk_err err;
    char name[sizeof info->variant];

    if (!stat(c->arg[0], &st) && !S_ISREG(st.st_mode))
        return cli_fail(CLI_USAGE, "%s: %s, not a file", c->arg[0],
                        S_ISDIR(st.st_mode) ? "a folder" : "a pipe or device");
    err = bk_file_peek(info, c->arg[0], &why);
    if (err)
        return cli_fail_report(err, &why);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(info->variant, "@"), info->variant);
    if (c->nargs == 1 && !bk_embedded_is(name))
        return cli_fail(CLI_USAGE, "%s: made for %s, which is not built in: say its .ini file, too",
                        c->arg[0], name);
    return cli_variant_named(c, c->nargs > 1 ? c->arg[1] : name, v);
}

/* Is the file a table of the game on other terrain? */
static bool is_elsewhere(const struct bk_file_info *info, const struct bk_variant *v)
{
    return strchr(info->variant, '@') && info->rules_id != v->rules_id &&
           info->rules_id != v->wings_id[0] && info->rules_id != v->wings_id[1] &&
           info->rules_id != v->wings_id[2];
}

int cmd_info(struct cli *c)
{
    struct bk_file_info info;
    struct bk_report why = { "" };
    struct bk_variant *v;
    struct bk_file *f;
    enum bk_err err;
    int status = game_of(c, &info, &v);

    if (status)
        return status;
    err = bk_file_open(&f, c->arg[0], v, &why);
    if (err == BK_E_CORRUPT && !c->terrain && is_elsewhere(&info, v))
        err = bk_fail(&why, BK_E_USAGE, "%s: on a board that a FEN shows: say one, with --for",
                      c->arg[0]);
    status = err ? cli_fail_report(err, &why) : tell(c, c->arg[0], f);
    if (!err)
        bk_file_close(f);
    bk_variant_free(v);
    return status;
}

/* == facts == */

static json_t *facts_json(const struct bk_facts *f)
{
    json_t *list = json_array();
    char text[BK_FACT_TEXT_MAX];

    for (unsigned i = 0; i < bk_facts_count(f); i++)
        json_array_append_new(list, json_string(bk_fact_text(f, i, text)));
    return list;
}

static int list_facts(const struct cli *c, const struct bk_variant *v, const char *name,
                      const struct bk_facts *f)
{
    char text[BK_FACT_TEXT_MAX];

    if (c->json)
        return cli_print_json(json_pack("{ss ss si so}", "variant", v->name, "material", name,
                                        "version", BK_FACTS_VERSION, "facts", facts_json(f)));
    printf("%u facts of %s, %s; version %d\n", bk_facts_count(f), name, v->name, BK_FACTS_VERSION);
    for (unsigned i = 0; i < bk_facts_count(f); i++)
        printf("%5u  %s\n", i, bk_fact_text(f, i, text));
    return CLI_OK;
}

/* Lists the facts of a material as its files number them: in the colours that it is kept under. */
static int facts_of(const struct cli *c, const struct bk_variant *v, struct bk_material *m)
{
    char name[BK_MATERIAL_NAME_MAX];
    struct bk_report why = { "" };
    struct bk_facts *f = NULL;
    struct bk_fact_men men;
    struct bk_index *ix;
    enum bk_err err;
    int status;

    bk_material_canonical(m, v);
    err = bk_index_new(&ix, v, m, NULL, &why);
    if (err)
        return cli_fail_report(err, &why);
    men = bk_table_men(ix);
    err = bk_facts_new(&f, v, &men, &why);
    status = err ? cli_fail_report(err, &why) : list_facts(c, v, bk_material_name(m, v, name), f);
    if (!err)
        bk_facts_free(f);
    bk_index_free(ix);
    return status;
}

int cmd_facts(struct cli *c)
{
    struct bk_material *m = NULL;
    struct bk_variant *v;
    unsigned n;
    int status;

    if (c->nargs < 2 && !c->terrain)
        return cli_fail(CLI_USAGE, "facts: give a material or --for FEN; see bareking facts -h");
    status = cli_variant(c, &v);
    if (status)
        return status;
    status = cli_wanted(c, v, &m, &n);
    if (!status)
        status = facts_of(c, v, m);
    free(m);
    bk_variant_free(v);
    return status;
}
