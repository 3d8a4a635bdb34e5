/*
 * drawing.c - see drawing.h.  src/study draws; here a query becomes a diagram.
 */
#include "explore/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "core/rules.h"
#include "study/diagram.h"

/* arrows= and marks= : words with commas between. */
static bool read_list(struct study_diagram *d, const char *list, bool arrows)
{
    for (size_t n; list && *list; list += n + (list[n] == ',')) {
        char colour[STUDY_COLOUR_MAX];
        uint8_t sq[2];

        n = strcspn(list, ",");
        if (!study_squares(d->v, list, n, arrows ? 2 : 1, sq, colour))
            return false;
        if (!arrows)
            memcpy(d->fill[sq[0]], colour, sizeof colour);
        else if (d->narrows < STUDY_ARROWS_MAX && sq[0] != sq[1]) {
            struct study_arrow *a = &d->arrow[d->narrows++];

            a->from = sq[0];
            a->to = sq[1];
            memcpy(a->colour, colour, sizeof colour);
        } else
            return false;
    }
    return true;
}

static bool is_on(const struct ex_query *q, const char *key)
{
    const char *value = ex_query_arg(q, key);

    return value && strcmp(value, "0") != 0;
}

/* Pixels a square: 8 to 512. */
static bool read_size(const char *text, unsigned *out)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;
    unsigned long n = digits && digits <= 3 ? strtoul(text, NULL, 10) : 0;

    if (text && (text[digits] || n < 8 || n > 512))
        return false;
    *out = (unsigned)n;
    return true;
}

static bool read_diagram(struct study_diagram *d, const struct ex_query *q, struct ex_reply *reply)
{
    d->flip = is_on(q, "flip");
    d->plain = is_on(q, "plain");
    d->caption = ex_query_arg(q, "caption");
    if (!read_size(ex_query_arg(q, "size"), &d->pixels))
        return ex_reply_error(reply, 400, "usage", "size= is 8 to 512 pixels a square");
    if (!read_list(d, ex_query_arg(q, "arrows"), true))
        return ex_reply_error(reply, 400, "usage",
                              "arrows= are written b1c3 or b1c3:red, with "
                              "commas between; %d at most",
                              STUDY_ARROWS_MAX);
    if (!read_list(d, ex_query_arg(q, "marks"), false))
        return ex_reply_error(reply, 400, "usage",
                              "marks= are written e4 or e4:red, with commas "
                              "between");
    return true;
}

static void draw(const struct study_diagram *d, struct ex_reply *reply)
{
    struct study_text svg = { 0 };

    study_diagram_svg(&svg, d);
    if (svg.failed || !svg.at) {
        study_text_free(&svg);
        ex_reply_error(reply, 503, "system", "out of memory");
    } else
        *reply = (struct ex_reply){ 200, "image/svg+xml", svg.at, svg.n, true };
}

/* A position with men off the board, which no handle is asked about. */
static void draw_hands(struct study_diagram *d, const struct ex_game *game,
                       const struct ex_query *q, struct ex_reply *reply)
{
    const char *fen = ex_query_arg(q, "fen");
    struct bk_report why = { "" };
    char text[BK_FEN_MAX];
    struct bk_pos p = { 0 };

    if (!ex_fen_copy(text, fen, reply))
        return;
    study_diagram_init(d, game->v, &p);
    if (study_diagram_read(d, game->v, &p, text, &why))
        ex_reply_error(reply, 400, "fen", "%s", why.text);
    else if (read_diagram(d, q, reply))
        draw(d, reply);
}

void ex_draw(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
             struct ex_reply *reply)
{
    struct study_diagram *d = malloc(sizeof *d);
    const char *fen = ex_query_arg(q, "fen");
    struct ex_at at;

    if (!d)
        ex_reply_error(reply, 503, "system", "out of memory");
    else if (fen && strchr(fen, '[') && bk_rules_hands(game->v))
        draw_hands(d, game, q, reply);
    else if (ex_at_open(&at, g, game, fen, reply)) {
        study_diagram_init(d, at.v, &at.p);
        if (read_diagram(d, q, reply))
            draw(d, reply);
        ex_at_close(&at);
    }
    free(d);
}
