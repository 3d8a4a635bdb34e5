/*
 * api.c - see api.h.
 */
#include "explore/api.h"

#include <string.h>

#include "explore/ask.h"
#include "explore/drawing.h"
#include "explore/pages.h"
#include "explore/sums.h"

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

/* == The API == */

typedef void question(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                      struct ex_reply *reply);

static const struct {
    const char *name;
    question *ask;
} questions[] = {
    { "probe", ex_ask_probe },     { "moves", ex_ask_moves },   { "board", ex_ask_board },
    { "line", ex_ask_line },       { "map", ex_ask_map },       { "stats", ex_sum_stats },
    { "longest", ex_sum_longest }, { "tables", ex_sum_tables }, { "svg", ex_draw },
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
