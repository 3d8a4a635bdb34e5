/*
 * cmd_mine.c - positions of some kind, from a whole table.
 *
 * src/study finds them; here they become lines of FEN, EPD, CSV or JSON, or games in PGN.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/pgn.h"
#include "cli/report.h"
#include "study/mine.h"
#include "tb/verify.h"

#define BEST_USUAL 10 /* finds of kinds that rank, without --limit */

enum format { AS_FEN, AS_EPD, AS_CSV, AS_JSON, AS_PGN, FORMATS };
static const char *const format_names[] = { "fen", "epd", "csv", "json", "pgn" };

struct search {
    const struct cli *c;
    struct bk_variant *v;
    struct bk_material m;
    enum study_kind kind;
    enum format format;
    bool bar;
    json_t *list; /* with --json */
    struct study_counts counts;
    uint64_t limit; /* 0: none */
    uint64_t found;
    bool more; /* of kinds that rank: there were more finds than were kept */
};

/* == A line == */

/* The first four fields of a FEN, and what is known of the position. */
static void print_epd(const struct study_find *f, const char *fen, const char *man)
{
    char text[CLI_TEXT_MAX];
    size_t n = 0;

    for (unsigned fields = 0; fen[n] && (fen[n] != ' ' || ++fields < 4); n++) {
    }
    printf("%.*s", (int)n, fen);
    if (f->move[0])
        printf(" bm %s;", f->move);
    printf(" c0 \"%s\";", cli_verdict(text, f->worth.wdl, f->worth.plies));
    if (f->other.wdl != BK_WORTH_NONE)
        printf(" c1 \"the other side to move %s\";",
               cli_verdict(text, f->other.wdl, f->other.plies));
    if (*man)
        printf(" c2 \"the man on %s is lost on all %u squares\";", man, f->squares);
    if (f->line)
        printf(" pv %s;", f->line);
    putchar('\n');
}

/* Prints a problem with its line, other finds with the move that is theirs, if there is one. */
static void print_pgn(const struct search *s, const struct study_find *f)
{
    cli_print_pgn(s->v, &f->p, f->line ? f->line : f->move, f->worth.wdl, f->worth.plies);
}

static const char *plies_text(char out[16], const struct bk_worth *w)
{
    snprintf(out, 16, "%d", w->plies);
    return w->wdl && w->plies >= 0 ? out : "";
}

/* No field has a comma. */
static void print_csv(const struct study_find *f, const char *fen, const char *man)
{
    bool other = f->other.wdl != BK_WORTH_NONE;
    char a[16], b[16], wdl[16] = "", squares[16] = "", idle[16] = "";

    if (other)
        snprintf(wdl, sizeof wdl, "%d", f->other.wdl);
    if (*man)
        snprintf(squares, sizeof squares, "%u", f->squares);
    if (f->line)
        snprintf(idle, sizeof idle, "%u", f->idle);
    printf("%s,%d,%s,%s,%s,%s,%s,%s,%s,%s\n", fen, f->worth.wdl, plies_text(a, &f->worth), wdl,
           other ? plies_text(b, &f->other) : "", f->move, man, squares, idle,
           f->line ? f->line : "");
}

static json_t *plies_json(const struct bk_worth *w)
{
    return w->wdl && w->plies >= 0 ? json_integer(w->plies) : json_null();
}

static json_t *line_json(const char *line)
{
    json_t *list = json_array();

    for (size_t n; *line; line += n + (line[n] == ' ')) {
        n = strcspn(line, " ");
        json_array_append_new(list, json_stringn(line, n));
    }
    return list;
}

static json_t *find_json(const struct study_find *f, const char *fen, const char *man)
{
    json_t *x =
        json_pack("{ss si so}", "fen", fen, "wdl", f->worth.wdl, "dtw", plies_json(&f->worth));

    if (x && f->other.wdl != BK_WORTH_NONE) {
        json_object_set_new(x, "other_wdl", json_integer(f->other.wdl));
        json_object_set_new(x, "other_dtw", plies_json(&f->other));
    }
    if (x && f->move[0])
        json_object_set_new(x, "move", json_string(f->move));
    if (x && *man) {
        json_object_set_new(x, "man", json_string(man));
        json_object_set_new(x, "squares", json_integer(f->squares));
    }
    if (x && f->line) {
        json_object_set_new(x, "idle", json_integer(f->idle));
        json_object_set_new(x, "moves", line_json(f->line));
    }
    return x;
}

static void hide_bar(const struct search *s)
{
    if (s->bar)
        fputs("\r\033[K", stderr);
}

static void print_find(void *context, const struct study_find *f)
{
    struct search *s = context;
    char fen[BK_FEN_MAX], man[8] = "";

    s->found++;
    bk_pos_to_fen(&f->p, s->v, fen);
    if (f->man != BK_SQ_NONE)
        bk_sq_name(s->v, f->man, man);
    if (s->list) {
        json_array_append_new(s->list, find_json(f, fen, man));
        return;
    }
    hide_bar(s);
    switch (s->format) {
    case AS_FEN: puts(fen); break;
    case AS_EPD: print_epd(f, fen, man); break;
    case AS_CSV: print_csv(f, fen, man); break;
    case AS_JSON: cli_print_json_line(find_json(f, fen, man)); break;
    case AS_PGN: print_pgn(s, f); break;
    case FORMATS: break;
    }
}

static void draw_bar(void *context, uint64_t done, uint64_t all)
{
    const struct search *s = context;
    char found[CLI_TEXT_MAX];

    fflush(stdout);
    fprintf(stderr, "\r%3.0f %%  %s found\033[K", all ? 100.0 * (double)done / (double)all : 0,
            cli_count(found, s->found));
    fflush(stderr);
}

/* == The command == */

static int read_format(struct search *s)
{
    const char *name = s->c->mine.format;

    for (unsigned i = 0; name && i < FORMATS; i++)
        if (!strcmp(name, format_names[i])) {
            s->format = (enum format)i;
            return s->c->json ? cli_fail(CLI_USAGE, "mine: --json or --format, not both") : CLI_OK;
        }
    return name ? cli_fail(CLI_USAGE, "mine: '%s' is no format; there are fen, epd, csv, json, pgn",
                           name)
                : CLI_OK;
}

/* Refuses what does not go with --count, which takes all there are and shows none. */
static int refuse_with_count(const struct search *s)
{
    const struct cli_mine *o = &s->c->mine;
    const char *other = o->compose                  ? "--compose"
                        : study_kind_ranks(s->kind) ? "--what longest"
                        : o->limit                  ? "--limit"
                                                    : "--format";

    return cli_fail(CLI_USAGE, "mine: --count and %s do not go together: %s", other,
                    study_kind_ranks(s->kind) ? "the longest are a list, and it shows none"
                    : o->limit                ? "it counts all there are"
                                              : "it shows no positions");
}

static int read_kind(struct search *s)
{
    const struct cli_mine *o = &s->c->mine;

    if (o->compose && o->what)
        return cli_fail(CLI_USAGE, "mine: --what or --compose, not both");
    if (o->compose)
        s->kind = STUDY_COMPOSE;
    else if (!o->what)
        return cli_fail(CLI_USAGE, "mine: say --what, or --compose; see bareking mine -h");
    else if (!study_kind_of(o->what, &s->kind) || s->kind == STUDY_COMPOSE)
        return cli_fail(
            CLI_USAGE,
            "mine: '%s' is nothing to look for; there are any, zugzwang, full-zugzwang, "
            "longest, only-move, bare-race, domination",
            o->what);
    if (o->count && (study_kind_ranks(s->kind) || o->limit || o->format))
        return refuse_with_count(s);
    return CLI_OK;
}

/* Reading the values is the larger part of the work, two thirds of the bar. */
static void reading(void *context, uint64_t done, uint64_t all)
{
    draw_bar(context, done, all + all / 2);
}
static void searching(void *context, uint64_t done, uint64_t all)
{
    draw_bar(context, 2 * all + done, 3 * all);
}

static int run_search(struct search *s, const struct study_mine *o)
{
    const struct cli *c = s->c;
    struct study_values_options open = { .v = s->v,
                                         .dir = c->dir,
                                         .stop = &cli_stop,
                                         .memory = c->memory ? c->memory : BK_VERIFY_MEMORY,
                                         .context = s,
                                         .progress = s->bar ? reading : NULL };
    struct bk_report why = { "" };
    struct study_values x;
    enum bk_err err = bk_pool_open(&open.pool, c->threads, &why);

    cli_end_on_signals(); /* nothing is left behind */
    if (!err) {
        bk_pool_stop_when(open.pool, &cli_stop);
        err = study_values_open(&x, &open, &s->m, &why);
        if (!err) {
            err = study_mine_run(&x, o, &why);
            study_values_close(&x);
        }
        bk_pool_close(open.pool);
    }
    hide_bar(s);
    if (err && cli_stop)
        return cli_fail(CLI_SYSTEM, "interrupted");
    if (err == BK_E_NO_TABLE)
        return cli_fail_no_table(c, s->v, &s->m);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

static json_t *counts_json(const uint64_t n[3])
{
    return json_pack("{sI sI sI}", "win", (json_int_t)n[2], "draw", (json_int_t)n[1], "loss",
                     (json_int_t)n[0]);
}

static int answer_counts(struct search *s)
{
    char name[BK_MATERIAL_NAME_MAX], text[4][CLI_TEXT_MAX];

    if (s->c->json)
        return cli_print_json(json_pack(
            "{ss ss ss so so}", "variant", s->v->name, "material",
            bk_material_name(&s->m, s->v, name), "what", study_kind_names[s->kind], "white",
            counts_json(s->counts.n[BK_WHITE]), "black", counts_json(s->counts.n[BK_BLACK])));
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t *n = s->counts.n[side];

        printf("%s to move %14s: %14s wins %14s draws %14s losses\n", cli_colour(side),
               cli_count(text[0], n[0] + n[1] + n[2]), cli_count(text[1], n[2]),
               cli_count(text[2], n[1]), cli_count(text[3], n[0]));
    }
    return CLI_OK;
}

static int answer(struct search *s)
{
    char name[BK_MATERIAL_NAME_MAX];

    return cli_print_json(json_pack("{ss ss ss sO}", "variant", s->v->name, "material",
                                    bk_material_name(&s->m, s->v, name), "what",
                                    study_kind_names[s->kind], "positions", s->list));
}

/* Tells, of a list of problems that is shorter than was asked for, whether there are no more. */
static void tell_short(const struct search *s)
{
    char found[CLI_TEXT_MAX], kept[CLI_TEXT_MAX];

    if (s->kind != STUDY_COMPOSE || s->found >= s->limit || s->c->json || s->c->quiet)
        return;
    fflush(stdout);
    cli_count(found, s->found);
    if (s->more)
        fprintf(stderr,
                "bareking: problems: %s, there may be more: all others of the %s longest "
                "candidates are like these; a larger --limit keeps more\n",
                found, cli_count(kept, s->limit * STUDY_PROBLEMS));
    else
        fprintf(stderr, "bareking: problems: %s, there are no more\n", found);
}

static int mine(struct search *s)
{
    const struct cli *c = s->c;
    struct study_where *where = NULL;
    struct bk_report why = { "" };
    int status = CLI_OK;

    if (c->mine.where) {
        enum bk_err err = study_where_new(&where, s->v, (const uint8_t(*)[BK_TYPES_MAX])s->m.count,
                                          c->mine.where, &why);

        char name[BK_MATERIAL_NAME_MAX];

        if (err)
            return cli_fail(cli_status(err), "%s (of %s)", why.text,
                            bk_material_name(&s->m, s->v, name));
    }
    s->limit = c->mine.limit || !study_kind_ranks(s->kind) ? c->mine.limit : BEST_USUAL;
    s->bar = !c->quiet && isatty(STDERR_FILENO);
    s->list = c->mine.count ? NULL : json_incref(c->list);
    if (s->format == AS_CSV && !c->mine.count)
        puts("fen,wdl,dtw,other_wdl,other_dtw,move,man,squares,idle,moves");
    status = run_search(s, &(struct study_mine){ .kind = s->kind,
                                                 .where = where,
                                                 .counts = c->mine.count ? &s->counts : NULL,
                                                 .limit = s->limit,
                                                 .more = &s->more,
                                                 .context = s,
                                                 .found = print_find,
                                                 .progress = s->bar ? searching : NULL });
    if (!status && c->mine.count)
        status = answer_counts(s);
    else if (!status && s->list)
        status = answer(s);
    if (!status)
        tell_short(s);
    if (!status)
        cli_tell_colours(s->c, s->v);
    json_decref(s->list);
    study_where_free(where);
    return status;
}

int cmd_mine(struct cli *c)
{
    struct search s = { .c = c };
    int status = read_kind(&s);

    if (!status)
        status = read_format(&s);
    if (!status)
        status = cli_variant(c, &s.v);
    if (!status)
        status = cli_one_material(s.c, s.v, "mine", "look through", &s.m);
    if (!status)
        status = mine(&s);
    bk_variant_free(s.v);
    return status;
}
