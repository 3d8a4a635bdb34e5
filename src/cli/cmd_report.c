/*
 * cmd_report.c - a table as a page that people look at.
 *
 * The values of the table are read once (src/study/values.h) for counts,
 * charts, searches; lines and maps are asked of libbareking.  All is put into
 * one text, and written when it is whole.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/map.h"
#include "cli/report.h"
#include "cli/save.h"
#include "study/mine.h"
#include "tb/verify.h"

#define SHOWN     6 /* zugzwangs, problems */
#define ALONG     8 /* diagrams of a line, besides its beginning */
#define PIXELS    34
#define PIXELS_IN 28 /* of diagrams in a row of many */

struct page {
    const struct cli *c;
    struct bk_variant *v;
    struct bk_material m;
    char name[BK_MATERIAL_NAME_MAX];
    struct study_values x;
    struct bk_lib *lib;
    struct study_text out;
};

/*
 * == Charts ==
 *
 * How long games last, as bars.  Counts fall off by powers of ten towards the longest games, so
 * heights are logarithms: from integers, so that the same table gives the same bytes on every
 * machine.
 */

#define CHART_WIDTH  720
#define CHART_HEIGHT 220
#define CHART_LEFT   56
#define CHART_BELOW  34
#define DECADE       1000 /* a factor of ten, in our units */

/* 1000 * log10(n), rounded down; n > 0. */
static unsigned log_of(uint64_t n)
{
    /* log10(2) = 0.30103; the rest by squaring: each doubling of the exponent gives one more bit */
    uint64_t bits = 0, x;
    unsigned whole = 63 - (unsigned)__builtin_clzll(n);

    x = whole >= 31 ? n >> (whole - 31) : n << (31 - whole); /* 1 <= x / 2^31 < 2 */
    for (unsigned i = 0; i < 16; i++) {
        x = x * x >> 31;
        bits <<= 1;
        if (x >> 32) {
            x >>= 1;
            bits |= 1;
        }
    }
    return (unsigned)((((uint64_t)whole << 16 | bits) * 30103) / 6553600);
}

/* Returns how many positions are won in 2 * turn - 1 plies, or lost in 2 * turn. */
static uint64_t at_turn(const struct study_tally *t, unsigned side, unsigned turn, bool won)
{
    unsigned plies = 2 * turn - won;

    return plies < STUDY_PLIES_MAX ? t->plies[side][plies] : 0;
}

static void put_chart_bar(struct study_text *out, unsigned x, unsigned width, uint64_t n,
                          unsigned top, const char *colour, const char *what, unsigned turn)
{
    unsigned height;

    if (!n)
        return;
    /* a bar of one position has a height, too */
    height = (log_of(n) + 150) * (CHART_HEIGHT - 20) / (top + 150);
    study_putf(out,
               "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\"><title>%llu %s in "
               "%u turn%s</title></rect>\n",
               x, CHART_HEIGHT - height, width, height, colour, (unsigned long long)n, what, turn,
               turn == 1 ? "" : "s");
}

static void put_chart_lines(struct study_text *out, unsigned top)
{
    unsigned long long n = 1;

    for (unsigned log = 0; log <= top; log += DECADE, n *= 10) {
        unsigned y = CHART_HEIGHT - (log + 150) * (CHART_HEIGHT - 20) / (top + 150);

        study_putf(out,
                   "<line x1=\"%d\" y1=\"%u\" x2=\"%d\" y2=\"%u\" stroke=\"#c8c8c8\"/>"
                   "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%llu</text>\n",
                   CHART_LEFT, y, CHART_WIDTH, y, CHART_LEFT - 6, y + 4, n);
    }
}

static void put_chart_turns(struct study_text *out, unsigned turns, unsigned step)
{
    unsigned every = turns <= 20    ? 1
                     : turns <= 50  ? 5
                     : turns <= 120 ? 10
                     : turns <= 600 ? 50
                                    : turns / 1200 * 100 + 100;

    for (unsigned turn = 1; turn <= turns; turn++)
        if (turn % every == 0)
            study_putf(out, "<text x=\"%u\" y=\"%d\" text-anchor=\"middle\">%u</text>\n",
                       CHART_LEFT + (turn - 1) * step / 16 + step / 32, CHART_HEIGHT + 16, turn);
    study_putf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">turns</text>\n", CHART_WIDTH,
               CHART_HEIGHT + 30);
}

/* Puts an SVG element: for each number of turns, how many positions with `side` to move are won and
   lost in it, on a scale on which each line is ten times the one below. */
static void put_chart(struct study_text *out, const struct study_tally *t, unsigned side)
{
    unsigned turns = (t->longest + 1) / 2, top = DECADE, step, bar;

    if (turns >= STUDY_PLIES_MAX / 2)
        turns = STUDY_PLIES_MAX / 2 - 1;
    for (unsigned turn = 1; turn <= turns; turn++)
        for (unsigned won = 0; won < 2; won++) {
            uint64_t n = at_turn(t, side, turn, won);

            if (n && log_of(n) > top)
                top = log_of(n);
        }
    step = turns ? 16 * (CHART_WIDTH - CHART_LEFT) / turns : 16; /* sixteenths */
    step = step > 16 * 40 ? 16 * 40 : step ? step : 1;
    bar = step / 40 ? step / 40 : 1;
    study_putf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 %d %d\" "
               "width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
               "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
               CHART_WIDTH + 8, CHART_HEIGHT + CHART_BELOW, CHART_WIDTH + 8,
               CHART_HEIGHT + CHART_BELOW, CHART_WIDTH + 8, CHART_HEIGHT + CHART_BELOW);
    put_chart_lines(out, top);
    for (unsigned turn = 1; turn <= turns; turn++) {
        unsigned x = CHART_LEFT + (turn - 1) * step / 16 + 1;

        put_chart_bar(out, x, bar, at_turn(t, side, turn, true), top, study_verdict_colour(1),
                      "won", turn);
        put_chart_bar(out, x + bar, bar, at_turn(t, side, turn, false), top,
                      study_verdict_colour(-1), "lost", turn);
    }
    put_chart_turns(out, turns, step);
    study_put(out, "</svg>\n");
}

/* == Diagrams == */

/* Puts a diagram with a caption below it, in HTML; caption: plain text. */
static void put_diagram(struct page *g, const struct study_diagram *d, const char *caption)
{
    study_put(&g->out, "<figure>\n");
    study_diagram_svg(&g->out, d);
    study_put(&g->out, "<figcaption>");
    study_put_xml(&g->out, caption);
    study_put(&g->out, "</figcaption>\n</figure>\n");
}

/* Makes a diagram, which is large; owned.  NULL: no memory, and the page has failed. */
static struct study_diagram *diagram(struct page *g, const struct bk_pos *p, unsigned pixels)
{
    struct study_diagram *d = malloc(sizeof *d);

    if (!d) {
        g->out.failed = true;
        return NULL;
    }
    study_diagram_init(d, g->v, p);
    d->shared = true;
    d->pixels = pixels;
    return d;
}

static void put_position(struct page *g, const struct bk_pos *p, unsigned pixels,
                         const char *caption)
{
    struct study_diagram *d = diagram(g, p, pixels);

    if (d)
        put_diagram(g, d, caption);
    free(d);
}

/* == Beginning and counts == */

static const char style[] =
    "body{font-family:sans-serif;line-height:1.4;max-width:60em;margin:2em auto;padding:0 1em;"
    "color:#222;background:#fff}"
    "h1{margin-bottom:0}h2{margin-top:2em;border-bottom:1px solid #ccc}"
    "table{border-collapse:collapse}th,td{padding:.2em .8em;text-align:right}"
    "th:first-child,td:first-child{text-align:left}tr+tr{border-top:1px solid #ddd}"
    "figure{display:inline-block;margin:.5em 1em .5em 0;vertical-align:top}"
    "figcaption{font-size:.9em;max-width:24em}svg{max-width:100%;height:auto}"
    "@media(max-width:34em){th,td{padding:.2em .35em;font-size:.9em}}"
    ".won{color:#1f5f9f}.lost{color:#a3531a}code{font-size:.95em}";

static void put_beginning(struct page *g)
{
    const char *title = *g->v->title ? g->v->title : g->v->name;

    study_put(&g->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                       "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>");
    study_put_xml(&g->out, g->name);
    study_put(&g->out, " of ");
    study_put_xml(&g->out, title);
    study_putf(&g->out, "</title>\n<style>%s</style>\n</head>\n<body>\n", style);
    study_diagram_shared(&g->out, g->v);
    study_put(&g->out, "<h1>");
    study_put_xml(&g->out, g->name);
    study_put(&g->out, "</h1>\n<p>");
    study_put_xml(&g->out, title);
    study_put(&g->out, ", with best play of both sides. Distances are in plies, a ply being the "
                       "move of one side; a turn is two. Positions that a symmetry of the board "
                       "makes one are counted once.</p>\n");
}

static void put_count(struct page *g, uint64_t n, uint64_t all)
{
    char text[CLI_TEXT_MAX];

    study_putf(&g->out, "<td>%s", cli_count(text, n));
    if (all)
        study_putf(&g->out, " (%.1f %%)", 100.0 * (double)n / (double)all);
    study_put(&g->out, "</td>");
}

static void put_counts(struct page *g, const struct study_tally *t)
{
    study_put(&g->out, "<h2>Counts</h2>\n<table>\n<tr><th>to move</th><th>wins</th><th>draws</th>"
                       "<th>losses</th><th>all</th></tr>\n");
    for (unsigned side = 0; side < (g->x.one_sided ? 1 : 2); side++) {
        uint64_t all = t->win[side] + t->draw[side] + t->loss[side];

        study_putf(&g->out, "<tr><td>%s</td>", g->x.one_sided ? "either side" : cli_colour(side));
        put_count(g, t->win[side], all);
        put_count(g, t->draw[side], all);
        put_count(g, t->loss[side], all);
        put_count(g, all, 0);
        study_put(&g->out, "</tr>\n");
    }
    study_put(&g->out, "</table>\n");
}

static void put_charts(struct page *g, const struct study_tally *t)
{
    if (!t->longest)
        return;
    study_put(&g->out, "<h2>How long it takes</h2>\n<p>Positions that the side to move <span "
                       "class=\"won\">wins</span> or <span class=\"lost\">loses</span> in so many "
                       "turns. Each line is ten times the one below.</p>\n");
    for (unsigned side = 0; side < (g->x.one_sided ? 1 : 2); side++) {
        if (!g->x.one_sided)
            study_putf(&g->out, "<h3>%s to move</h3>\n", cli_colour(side));
        put_chart(&g->out, t, side);
    }
}

static int put_tally(struct page *g)
{
    struct study_tally *t = malloc(sizeof *t);
    struct bk_report why = { "" };
    enum bk_err err = t ? study_tally(t, &g->x, &why) : bk_no_memory(&why);

    if (!err) {
        put_counts(g, t);
        put_charts(g, t);
    }
    free(t);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

/* == The longest line == */

static void keep_find(void *context, const struct study_find *f)
{
    *(struct study_find *)context = *f;
}

static void put_moves(struct page *g, const struct many_line *l, unsigned stm)
{
    study_put(&g->out, "<p>");
    for (size_t i = 0; i < l->n; i++) {
        size_t ply = i + stm;

        if (ply % 2 == 0)
            study_putf(&g->out, "%zu.&#160;", ply / 2 + 1);
        else if (i == 0)
            study_put(&g->out, "1.&#160;...&#160;");
        study_put_xml(&g->out, l->name[i]);
        study_put(&g->out, i + 1 < l->n ? " " : "</p>\n");
    }
}

/* Puts diagrams at equal distances along the line; an arrow shows the move that led there. */
static int put_along(struct page *g, const struct study_find *f, const struct many_line *l)
{
    size_t every = (l->n + ALONG - 1) / ALONG;
    char fen[BK_LIB_FEN_MAX], next[BK_LIB_FEN_MAX], caption[64];

    bk_pos_to_fen(&f->p, g->v, fen);
    for (size_t i = 0; i < l->n; i++) {
        enum bk_lib_err err = bk_play(g->lib, fen, l->name[i], next);
        struct study_diagram *d;
        const char *at = l->name[i];
        struct bk_pos p;

        if (err)
            return many_fail(g->lib, err);
        memcpy(fen, next, sizeof fen);
        if (((i + 1) % every && i + 1 < l->n) || bk_pos_from_fen(&p, g->v, fen, NULL))
            continue;
        if (!(d = diagram(g, &p, PIXELS_IN)))
            return CLI_OK;
        d->arrow[0].from = (uint8_t)bk_sq_read(g->v, &at);
        d->arrow[0].to = (uint8_t)bk_sq_read(g->v, &at);
        study_colour("green", 5, d->arrow[0].colour);
        d->narrows = d->arrow[0].to != BK_SQ_NONE && d->arrow[0].from != d->arrow[0].to;
        snprintf(caption, sizeof caption, "after %zu %s, %s", i + 1, i ? "plies" : "ply",
                 l->name[i]);
        put_diagram(g, d, caption);
        free(d);
    }
    return CLI_OK;
}

static int put_line(struct page *g, const struct study_find *f)
{
    char fen[BK_FEN_MAX], text[CLI_TEXT_MAX], caption[2 * CLI_TEXT_MAX];
    struct many_line l;
    enum bk_lib_err err = many_follow(&l, g->lib, bk_pos_to_fen(&f->p, g->v, fen));
    int status = err ? many_fail(g->lib, err) : CLI_OK;

    if (!status) {
        study_put(&g->out, "<h2>The longest win</h2>\n<p><code>");
        study_put_xml(&g->out, fen);
        study_put(&g->out, "</code></p>\n");
        snprintf(caption, sizeof caption, "%s to move %s", cli_colour(f->p.stm),
                 cli_verdict(text, f->worth.wdl, f->worth.plies));
        put_position(g, &f->p, PIXELS, caption);
        put_moves(g, &l, f->p.stm);
        status = put_along(g, f, &l);
    }
    free(l.name);
    return status;
}

/* == Maps == */

static int put_maps(struct page *g, const struct study_find *f)
{
    struct map *map = malloc(sizeof *map);
    int status = map ? CLI_OK : cli_no_memory();

    study_put(&g->out, "<h2>Result maps</h2>\n<p>The longest win once more, with one man lifted: "
                       "what the position would be worth with him elsewhere, and the plies to the "
                       "end.</p>\n");
    for (unsigned sq = 0; sq < g->v->nsq && !status; sq++) {
        struct study_diagram *d;
        enum bk_lib_err err;
        char caption[96], name[8];

        if (!f->p.at[sq] || !(d = diagram(g, &f->p, PIXELS)))
            continue;
        err = map_ask(map, g->lib, g->v, &f->p, sq);
        if (err)
            status = many_fail(g->lib, err);
        else {
            map_colour(d, map, sq);
            snprintf(caption, sizeof caption, "%s's %s from %s, %s to move",
                     cli_colour(bk_man_colour(f->p.at[sq])),
                     g->v->piece[bk_man_type(f->p.at[sq])].name, bk_sq_name(g->v, sq, name),
                     cli_colour(f->p.stm));
            put_diagram(g, d, caption);
        }
        free(d);
    }
    free(map);
    return status;
}

static int put_longest(struct page *g)
{
    struct study_find f = { .line = NULL };
    struct bk_report why = { "" };
    enum bk_err err;
    int status;

    f.worth.wdl = 0;
    if (!g->x.distances)
        return CLI_OK;
    err = study_mine_run(&g->x,
                         &(struct study_mine){
                             .kind = STUDY_LONGEST, .limit = 1, .context = &f, .found = keep_find },
                         &why);
    if (err)
        return cli_fail_report(err, &why);
    if (!f.worth.wdl) /* nobody wins, but where the game is over already */
        return CLI_OK;
    status = put_line(g, &f);
    return status ? status : put_maps(g, &f);
}

/* == Zugzwangs and problems == */

/* Counts finds in n; of zugzwangs SHOWN are put on the page, of problems all. */
struct shown {
    struct page *g;
    uint64_t n;
};

static void put_zugzwang(void *context, const struct study_find *f)
{
    struct shown *s = context;
    char white[CLI_TEXT_MAX], black[CLI_TEXT_MAX], caption[3 * CLI_TEXT_MAX];

    if (s->n++ >= SHOWN)
        return;
    snprintf(caption, sizeof caption, "White to move %s; Black to move %s",
             cli_verdict(white, f->worth.wdl, f->worth.plies),
             cli_verdict(black, f->other.wdl, f->other.plies));
    put_position(s->g, &f->p, PIXELS_IN, caption);
}

static void put_problem(void *context, const struct study_find *f)
{
    struct shown *s = context;
    char text[CLI_TEXT_MAX], caption[2 * CLI_TEXT_MAX];

    s->n++;
    snprintf(caption, sizeof caption, "%s to move %s", cli_colour(f->p.stm),
             cli_verdict(text, f->worth.wdl, f->worth.plies));
    put_position(s->g, &f->p, PIXELS, caption);
    study_put(&s->g->out, "<details><summary>Solution</summary>");
    study_put_xml(&s->g->out, f->line);
    study_put(&s->g->out, "</details>\n");
}

static int put_kind(struct page *g, enum study_kind kind, const char *none,
                    void (*put)(void *context, const struct study_find *f), uint64_t *n)
{
    struct shown s = { .g = g };
    struct bk_report why = { "" };
    enum bk_err err =
        study_mine_run(&g->x,
                       &(struct study_mine){ .kind = kind,
                                             .limit = study_kind_ranks(kind) ? SHOWN : 0,
                                             .context = &s,
                                             .found = put },
                       &why);

    if (!s.n)
        study_putf(&g->out, "<p>%s</p>\n", none);
    *n = s.n;
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

static void put_number(struct page *g, uint64_t n, const char *what)
{
    char text[CLI_TEXT_MAX];

    if (n)
        study_putf(&g->out, "<p>%s in all, %s.</p>\n", cli_count(text, n), what);
}

static int put_zugzwangs(struct page *g)
{
    uint64_t n;
    int status;

    study_put(&g->out, "<h2>Full zugzwangs</h2>\n");
    status = put_kind(g, STUDY_FULL_ZUGZWANG, "There is no position in which whoever moves loses.",
                      put_zugzwang, &n);
    put_number(g, n, "in which whoever moves loses");
    if (status)
        return status;
    study_put(&g->out, "<h2>Zugzwangs</h2>\n");
    status =
        put_kind(g, STUDY_ZUGZWANG, "There is no position in which it would be better not to move.",
                 put_zugzwang, &n);
    put_number(g, n, "in which it would be better not to move");
    return status;
}

static int put_problems(struct page *g)
{
    uint64_t n;

    if (!g->x.distances)
        return CLI_OK;
    study_put(&g->out, "<h2>Problems</h2>\n<p>At each turn one move alone wins, against every "
                       "defence that holds out longest.</p>\n");
    return put_kind(g, STUDY_COMPOSE, "There is none.", put_problem, &n);
}

/* == The command == */

static int write_page(struct page *g)
{
    enum bk_lib_err err = bk_open(&g->lib, g->c->arg[0], g->c->dir);
    int status = err ? many_fail(g->lib, err) : CLI_OK;
    size_t bytes;

    if (!status) {
        put_beginning(g);
        status = put_tally(g);
    }
    if (!status)
        status = put_longest(g);
    if (!status)
        status = put_zugzwangs(g);
    if (!status)
        status = put_problems(g);
    bk_close(g->lib);
    study_put(&g->out, "</body>\n</html>\n");
    bytes = g->out.n;
    if (!status)
        status = save_text(g->c, &g->out);
    study_text_free(&g->out);
    if (!status && g->c->json)
        status = cli_print_json(json_pack("{ss ss so sI}", "variant", g->v->name, "material",
                                          g->name, "file", ex_json_string(g->c->output), "bytes",
                                          (json_int_t)bytes));
    return status;
}

static int open_values(struct page *g, struct study_values_options *o)
{
    struct bk_report why = { "" };
    enum bk_err err = bk_pool_open(&o->pool, g->c->threads, &why);

    if (!err) {
        bk_pool_stop_when(o->pool, &cli_stop);
        err = study_values_open(&g->x, o, &g->m, &why);
        if (err)
            bk_pool_close(o->pool);
    }
    if (err == BK_E_NO_TABLE)
        return cli_fail_no_table(g->c, g->v, &g->m);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

int cmd_report(struct cli *c)
{
    struct page g = { .c = c };
    struct study_values_options o = { .dir = c->dir,
                                      .stop = &cli_stop,
                                      .memory = c->memory ? c->memory : BK_VERIFY_MEMORY };
    int status = cli_variant(c, &g.v);

    if (!status && c->json && !c->output)
        status = cli_fail(CLI_USAGE, "report: with --json say where the page goes, with -o FILE");
    cli_end_on_signals(); /* the page is written in one piece, in a moment */
    if (!status)
        status = cli_one_material(g.c, g.v, "report", "report", &g.m);
    o.v = g.v;
    if (!status) {
        bk_material_name(&g.m, g.v, g.name);
        status = open_values(&g, &o);
    }
    if (!status) {
        status = write_page(&g);
        study_values_close(&g.x);
        bk_pool_close(o.pool);
        if (!status)
            cli_tell_colours(g.c, g.v);
    }
    bk_variant_free(g.v);
    return status;
}
