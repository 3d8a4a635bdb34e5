/*
 * cmd_diagram.c - a position as a picture.
 *
 * src/study draws; here the command line becomes a diagram, and a result map is
 * asked of libbareking, one FEN a square.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/map.h"
#include "cli/report.h"
#include "cli/save.h"
#include "study/diagram.h"

enum form { AS_SVG, AS_PNG, AS_TEXT };

/* == Lists of arrows and marks == */

static int fail_word(const char *what, const char *word, size_t n, const char *example)
{
    return cli_fail(CLI_USAGE, "'%.*s' is no %s of this board; it is written %s", (int)n, word,
                    what, example);
}

static int read_arrows(struct study_diagram *d, const char *list)
{
    for (size_t n; list && *list; list += n + (list[n] == ',')) {
        struct study_arrow *a = &d->arrow[d->narrows];
        uint8_t sq[2];

        n = strcspn(list, ",");
        if (d->narrows == STUDY_ARROWS_MAX)
            return cli_fail(CLI_USAGE, "a diagram has at most %d arrows", STUDY_ARROWS_MAX);
        if (!study_squares(d->v, list, n, 2, sq, a->colour) || sq[0] == sq[1])
            return fail_word("arrow", list, n, "b1c3 or b1c3:red");
        a->from = sq[0];
        a->to = sq[1];
        d->narrows++;
    }
    return CLI_OK;
}

static int read_marks(struct study_diagram *d, const char *list)
{
    for (size_t n; list && *list; list += n + (list[n] == ',')) {
        char colour[STUDY_COLOUR_MAX];
        uint8_t sq[2];

        n = strcspn(list, ",");
        if (!study_squares(d->v, list, n, 1, sq, colour))
            return fail_word("square", list, n, "e4 or e4:red");
        memcpy(d->fill[sq[0]], colour, sizeof colour);
    }
    return CLI_OK;
}

/* == The result map == */

static int save_map_json(const struct cli *c, const struct bk_variant *v, const struct map *map,
                         const char *fen)
{
    json_t *list = json_array();

    for (size_t i = 0; i < map->n; i++) {
        const struct bk_answer *a = &map->place[i].answer;
        char name[8];

        json_array_append_new(
            list,
            json_pack("{ss si so}", "square", bk_sq_name(v, map->place[i].sq, name), "wdl", a->wdl,
                      "dtw", a->wdl && a->dtw >= 0 ? json_integer(a->dtw) : json_null()));
    }
    return save_json(c, json_pack("{ss ss ss so}", "variant", v->name, "fen", fen, "lifted",
                                  c->draw.map, "squares", list));
}

static int draw_map(struct study_diagram *d, const struct cli *c)
{
    const char *at = c->draw.map;
    unsigned sq = bk_sq_read(d->v, &at);
    struct bk_lib *lib = NULL;
    char fen[BK_FEN_MAX];
    enum bk_lib_err err;
    struct map *map;
    int status = CLI_OK;

    if (sq == BK_SQ_NONE || *at)
        return cli_fail(CLI_USAGE, "--map %s: no square of this board", c->draw.map);
    if (!d->p->at[sq])
        return cli_fail(CLI_USAGE, "--map %s: nobody stands there", c->draw.map);
    map = malloc(sizeof *map);
    if (!map)
        return cli_no_memory();
    err = bk_open(&lib, c->arg[0], c->dir);
    if (!err)
        err = map_ask(map, lib, d->v, d->p, sq);
    if (err)
        status = many_fail(lib, err);
    else if (c->json)
        status = save_map_json(c, d->v, map, bk_pos_to_fen(d->p, d->v, fen));
    else
        map_colour(d, map, sq);
    bk_close(lib);
    free(map);
    return status;
}

/* == The command == */

static bool ends(const char *name, const char *ending)
{
    size_t n = name ? strlen(name) : 0, m = strlen(ending);

    return n > m && !strcmp(name + n - m, ending);
}

/* Does the name end as a picture of another kind?  It would be an SVG by that name. */
static bool ends_strangely(const char *name)
{
    return ends(name, ".jpg") || ends(name, ".jpeg") || ends(name, ".gif") || ends(name, ".webp") ||
           ends(name, ".pdf");
}

static int form_of(const struct cli *c, enum form *form)
{
    const struct cli_draw *w = &c->draw;

    if (w->svg + w->png + w->text > 1)
        return cli_fail(CLI_USAGE, "diagram: one of --svg, --png and --text, not several");
    if (w->svg || w->png || w->text)
        *form = w->svg ? AS_SVG : w->png ? AS_PNG : AS_TEXT;
    else if (ends_strangely(c->output))
        return cli_fail(CLI_USAGE, "diagram: %s: there are .svg, .png and .txt", c->output);
    else
        *form = ends(c->output, ".png") ? AS_PNG : ends(c->output, ".txt") ? AS_TEXT : AS_SVG;
    return CLI_OK;
}

static int save(const struct cli *c, const struct study_diagram *d, enum form form)
{
    struct study_text out = { 0 };

    if (form == AS_TEXT)
        study_diagram_text(&out, d);
    else
        study_diagram_svg(&out, d);
    return form == AS_PNG ? save_png(c, &out) : save_text(c, &out);
}

/* Whatever can be set up can be drawn, legal or not. */
static int read_fen(struct study_diagram *d, const struct bk_variant *v, struct bk_pos *p,
                    const char *fen)
{
    struct bk_report why = { "" };
    enum bk_err err = study_diagram_read(d, v, p, fen, &why);

    return err ? cli_fail_report(err, &why) : CLI_OK;
}

static int draw(const struct cli *c, const struct bk_variant *v, const char *fen)
{
    struct study_diagram *d = malloc(sizeof *d);
    struct bk_pos p = { 0 };
    enum form form = AS_SVG;
    int status = d ? form_of(c, &form) : cli_no_memory();

    if (d)
        study_diagram_init(d, v, &p);
    if (!status)
        status = read_fen(d, v, &p, fen);
    if (!status && c->draw.map && d->noff)
        status = cli_fail(CLI_USAGE, "diagram: no table knows of men who come back: no --map");
    if (!status)
        status = read_marks(d, c->draw.marks);
    if (!status)
        status = read_arrows(d, c->draw.arrows);
    if (!status && c->draw.map)
        status = draw_map(d, c);
    if (!status && !(c->json && c->draw.map)) {
        d->flip = c->draw.flip;
        d->plain = c->draw.plain;
        d->pixels = c->draw.pixels;
        d->caption = c->draw.caption;
        status = save(c, d, form);
    }
    free(d);
    return status;
}

int cmd_diagram(struct cli *c)
{
    char *fen = cli_join(c, 1, c->nargs);
    struct bk_variant *v = NULL;
    int status;

    if (!fen)
        return cli_no_memory();
    c->any_game = !c->draw.map; /* a map asks tables */
    if (c->json && !c->draw.map)
        status = cli_fail(CLI_USAGE, "diagram: --json writes a map; say of whom, with --map");
    else
        status = cli_variant_for(c, fen, &v);
    if (!status)
        status = draw(c, v, fen);
    bk_variant_free(v);
    free(fen);
    return status;
}
