/*
 * api.c - see api.h.
 */
#include "explore/api.h"

#include <stdlib.h>
#include <string.h>

#include "core/rules.h"
#include "explore/ask.h"
#include "explore/pages.h"
#include "explore/sums.h"
#include "study/diagram.h"

/* == The page == */

static const char *type_of(const char *name)
{
    static const struct {
        const char *end, *type;
    } types[] = { { ".html", "text/html; charset=utf-8" },
                  { ".js", "text/javascript; charset=utf-8" },
                  { ".css", "text/css; charset=utf-8" },
                  { ".svg", "image/svg+xml" },
                  { ".txt", "text/plain; charset=utf-8" } };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(dot, types[i].end))
            return types[i].type;
    return "application/octet-stream";
}

/* Pages are found among those that were built in: no name reaches the disk. */
static void answer_page(const char *name, struct ex_reply *reply)
{
    for (const struct ex_page *p = ex_pages; p->name; p++)
        if (!strcmp(p->name, name)) {
            *reply = (struct ex_reply){
                .status = 200, .type = type_of(name), .body = (char *)p->bytes, .n = p->n
            };
            return;
        }
    ex_reply_error(reply, 404, "no-page", "no page '%.64s'", name);
}

/* == A position as a picture: /svg == study/diagram.h draws; here a query becomes a diagram */

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
static void draw_with_hands(struct study_diagram *d, const struct ex_game *game,
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

/* Answers /svg: fen, and if wanted arrows (b1c3,e2e4:red), marks (e4,d5:green), flip, plain,
   caption, size. */
static void answer_svg(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                       struct ex_reply *reply)
{
    struct study_diagram *d = malloc(sizeof *d);
    const char *fen = ex_query_arg(q, "fen");
    struct ex_at at;

    if (!d)
        ex_reply_error(reply, 503, "system", "out of memory");
    else if (fen && strchr(fen, '[') && bk_rules_hands(game->v))
        draw_with_hands(d, game, q, reply);
    else if (ex_at_open(&at, g, game, fen, reply)) {
        study_diagram_init(d, at.v, &at.p);
        if (read_diagram(d, q, reply))
            draw(d, reply);
        ex_at_close(&at);
    }
    free(d);
}

/* == The API == */

typedef void question(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                      struct ex_reply *reply);

static const struct {
    const char *name;
    question *ask;
} questions[] = {
    { "probe", ex_ask_probe },       { "moves", ex_ask_moves },   { "board", ex_ask_board },
    { "line", ex_ask_line },         { "map", ex_ask_map },       { "stats", ex_sum_stats },
    { "longest", ex_sum_longest },   { "tables", ex_sum_tables }, { "svg", answer_svg },
    { "examples", ex_sum_examples },
};

/* The questions of a game: /api/v1/GAME/WHAT */
static void answer_game(struct ex_games *g, const char *method, const struct ex_query *q,
                        const char *body, size_t n, struct ex_reply *reply)
{
    struct ex_game *game = ex_game_named(g, q->part[2], reply);
    bool post = !strcmp(method, "POST");

    if (!game)
        return;
    if (!strcmp(q->part[3], "batch")) {
        if (post && body)
            ex_ask_batch(g, game, body, n, reply);
        else
            ex_reply_error(reply, post ? 400 : 405, "usage", "batch wants a POST with a body");
        return;
    }
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        if (!strcmp(q->part[3], questions[i].name)) {
            if (post)
                ex_reply_error(reply, 405, "usage", "%s wants a GET", q->part[3]);
            else
                questions[i].ask(g, game, q, reply);
            return;
        }
    ex_reply_error(reply, 404, "no-path", "no question '%.64s'", q->part[3]);
}

/*
 * errors=body: the status goes into the body of a 200.  For pages: browsers write each error status
 * on the console, as if something were wrong with the page.
 */
static void tell_in_body(const struct ex_query *q, struct ex_reply *reply)
{
    const char *how = ex_query_arg(q, "errors");
    json_t *o = NULL;

    if (reply->status >= 400 && reply->status < 500 && how && !strcmp(how, "body"))
        o = json_loadb(reply->body, reply->n, 0, NULL);
    if (!o)
        return;
    json_object_set_new(o, "status", json_integer(reply->status));
    ex_reply_json(reply, 200, o);
}

void ex_api(struct ex_games *g, const char *method, const char *target, const char *body, size_t n,
            struct ex_reply *reply)
{
    const char *why = NULL;
    struct ex_query q;
    unsigned status = ex_query_read(&q, target, &why);
    bool get = !strcmp(method, "GET") || !strcmp(method, "HEAD");

    *reply = (struct ex_reply){ 0 };
    if (!get && strcmp(method, "POST") != 0)
        ex_reply_error(reply, 405, "usage", "ask by GET, or POST");
    else if (status)
        ex_reply_error(reply, status, status == 414 ? "too-long" : "usage", "%s", why);
    else if (q.nparts >= 2 && !strcmp(q.part[0], "api") && !strcmp(q.part[1], "v1")) {
        if (q.nparts == 3 && !strcmp(q.part[2], "variants") && get)
            ex_sum_variants(g, &q, reply);
        else if (q.nparts == 4)
            answer_game(g, method, &q, body, n, reply);
        else
            ex_reply_error(reply, 404, "no-path", "no such path; docs/explore.md lists them");
        tell_in_body(&q, reply);
    } else if (!get)
        ex_reply_error(reply, 405, "usage", "ask for pages by GET");
    else if (q.nparts > 1)
        ex_reply_error(reply, 404, "no-path", "no such path");
    else
        answer_page(q.nparts ? q.part[0] : "index.html", reply);
}

bool ex_api_for_all(const char *target)
{
    const char *why;
    struct ex_query q;

    if (ex_query_read(&q, target, &why))
        return true; /* it will not be answered */
    return !q.nparts || strcmp(q.part[0], "api") != 0 ||
           (q.nparts == 4 && !strcmp(q.part[3], "svg"));
}

bool ex_api_takes_body(const char *method, const char *target)
{
    static const char end[] = "/batch";
    size_t n = strcspn(target, "?");

    return !strcmp(method, "POST") && n > sizeof end - 1 &&
           !strncmp(target + n - (sizeof end - 1), end, sizeof end - 1);
}
