/*
 * far.c - see far.h.
 *
 * What is brought is kept until a question is answered: then the library has copied what it wants
 * to keep.
 */
#include "explore/far.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "explore/ask.h"
#include "explore/games.h"
#include "explore/json.h"
#include "table/material.h"

#define MEMORY    (UINT64_C(192) << 20) /* budget for all tables of a game, bytes */
#define FOLDER    "tables"
#define GAMES_MAX 64 /* more than are built in */

/* Bytes of a file. */
struct piece {
    uint64_t at;
    size_t n;
    uint8_t *data; /* owned */
};

struct file {
    char *path; /* owned */
    uint64_t bytes;
    struct piece head;
    struct piece *piece; /* owned; brought for the question under way */
    size_t n, room;
};

static struct {
    struct file *file; /* owned; sorted by path */
    size_t n, room;
    struct ex_games *game[GAMES_MAX]; /* owned; of one game each */
    unsigned games;
    struct ex_reply reply; /* of the last question */
    char *text;
} far;

void *ex_far_room(size_t bytes) { return malloc(bytes ? bytes : 1); }

/* == Files == */

/* Returns the place of a path in far.file, or where it would be. */
static size_t place_of(const char *path, bool *there)
{
    size_t from = 0, end = far.n;

    while (from < end) {
        size_t middle = from + (end - from) / 2;
        int order = strcmp(far.file[middle].path, path);

        if (order == 0) {
            *there = true;
            return middle;
        }
        if (order < 0)
            from = middle + 1;
        else
            end = middle;
    }
    *there = false;
    return from;
}

static struct file *file_named(const char *path)
{
    bool there;
    size_t at = place_of(path, &there);

    return there ? &far.file[at] : NULL;
}

int ex_far_file(char *path, double bytes, void *head, size_t n)
{
    bool there;
    size_t at = place_of(path, &there);

    if (there || !BK_ARRAY_ROOM(far.file, far.room, far.n + 1)) {
        free(path);
        free(head);
        return there;
    }
    memmove(&far.file[at + 1], &far.file[at], (far.n - at) * sizeof *far.file);
    far.file[at] = (struct file){ .path = path, .bytes = (uint64_t)bytes, .head = { 0, n, head } };
    far.n++;
    return 1;
}

int ex_far_bring(char *path, double at, void *data, size_t n)
{
    struct file *f = file_named(path);
    bool ok = f && BK_ARRAY_ROOM(f->piece, f->room, f->n + 1);

    free(path);
    if (ok)
        f->piece[f->n++] = (struct piece){ (uint64_t)at, n, data };
    else
        free(data);
    return ok;
}

static void drop_pieces(void)
{
    for (size_t i = 0; i < far.n; i++) {
        struct file *f = &far.file[i];

        while (f->n)
            free(f->piece[--f->n].data);
    }
}

/* == The library's host == */

static const char *name_in(const char *path)
{
    return strncmp(path, FOLDER "/", sizeof FOLDER) != 0 ? path : path + sizeof FOLDER;
}

static int64_t size(void *context, const char *path)
{
    const struct file *f = file_named(name_in(path));

    (void)context;
    return f ? (int64_t)f->bytes : BK_LIB_NONE;
}

/* Returns how many of the bytes from `at` on the piece has. */
static size_t has(const struct piece *p, uint64_t at, size_t bytes)
{
    uint64_t past = at - p->at;

    if (at < p->at || past >= p->n)
        return 0;
    return bytes < p->n - past ? bytes : p->n - (size_t)past;
}

static const struct piece *piece_at(const struct file *f, uint64_t at)
{
    if (has(&f->head, at, 1))
        return &f->head;
    for (size_t i = 0; i < f->n; i++)
        if (has(&f->piece[i], at, 1))
            return &f->piece[i];
    return NULL;
}

static int read_bytes(void *context, const char *path, uint64_t at, void *to, size_t bytes)
{
    const struct file *f = file_named(name_in(path));
    uint8_t *out = to;

    (void)context;
    while (f && bytes) {
        const struct piece *p = piece_at(f, at);
        size_t n = p ? has(p, at, bytes) : 0;

        if (!n)
            return BK_LIB_LATER;
        memcpy(out, p->data + (at - p->at), n);
        out += n;
        at += n;
        bytes -= n;
    }
    return f ? BK_LIB_HOST_OK : BK_LIB_BROKEN;
}

/* == Games == */

/* Returns a game, which is opened when it is first asked.  NULL: *reply says why. */
static struct ex_games *game_of(const char *name, struct ex_reply *reply)
{
    const struct bk_host host = { sizeof host, NULL, size, read_bytes };
    struct bk_report why = { "" };
    struct ex_games *g;
    enum bk_err err;

    for (unsigned i = 0; i < far.games; i++)
        if (!strcmp(far.game[i]->game[0].name, name))
            return far.game[i];
    if (far.games == GAMES_MAX || !(g = calloc(1, sizeof *g))) {
        ex_reply_error(reply, 503, "system", "out of memory");
        return NULL;
    }
    err = ex_games_open_far(g, name, FOLDER, MEMORY, &host, &why);
    if (err) {
        ex_games_close(g);
        free(g);
        ex_reply_error(reply, err == BK_E_USAGE ? 404 : 503,
                       err == BK_E_USAGE ? "no-game" : "system", "%s", why.text);
        return NULL;
    }
    return far.game[far.games++] = g;
}

void ex_far_forget(void)
{
    while (far.games) {
        struct ex_games *g = far.game[--far.games];

        ex_games_close(g);
        free(g);
    }
    drop_pieces();
    for (size_t i = 0; i < far.n; i++) {
        free(far.file[i].path);
        free(far.file[i].head.data);
        free(far.file[i].piece);
    }
    free(far.file);
    far.file = NULL;
    far.n = far.room = 0;
    free(far.text);
    far.text = NULL;
}

/* == Questions == */

typedef void question(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                      struct ex_reply *reply);

/* Answers with the name under which the table of material= is kept. */
static void tell_name(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                      struct ex_reply *reply)
{
    const char *given = ex_query_arg(q, "material");
    char name[BK_MATERIAL_NAME_MAX];
    struct bk_report why = { "" };
    struct bk_material m;

    (void)g;
    if (!given || bk_material_parse(&m, game->v, given, &why)) {
        ex_reply_error(reply, 400, "usage", "%s", given ? why.text : "the query lacks a material=");
        return;
    }
    bk_material_canonical(&m, game->v);
    ex_reply_json(reply, 200,
                  json_pack("{ss sb}", "material", bk_material_name(&m, game->v, name), "by_rule",
                            (int)bk_material_by_rule(&m, game->v)));
}

static void ask(const struct ex_query *q, struct ex_games *g, struct ex_reply *reply)
{
    static const struct {
        const char *name;
        question *ask;
    } questions[] = { { "probe", ex_ask_probe }, { "moves", ex_ask_moves },
                      { "board", ex_ask_board }, { "line", ex_ask_line },
                      { "map", ex_ask_map },     { "name", tell_name } };

    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        if (!strcmp(q->part[3], questions[i].name)) {
            questions[i].ask(g, &g->game[0], q, reply);
            return;
        }
    ex_reply_error(reply, 404, "no-path", "no question '%.64s'", q->part[3]);
}

/* {"needs": ...} of what the question lacks; NULL: it lacks nothing. */
static json_t *needs_json(struct ex_games *g)
{
    struct bk_range *range = NULL;
    json_t *list;
    size_t n = 0, room;

    if (bk_take_needs(g->budget, NULL, 0, &room) || !room ||
        !(range = calloc(room, sizeof *range)) || bk_take_needs(g->budget, range, room, &n)) {
        free(range);
        return NULL;
    }
    list = json_array();
    for (size_t i = 0; i < n && i < room; i++)
        json_array_append_new(list, json_pack("{ss sI sI}", "path", name_in(range[i].path), "at",
                                              (json_int_t)range[i].at, "bytes",
                                              (json_int_t)range[i].bytes));
    free(range);
    return json_pack("{so}", "needs", list);
}

/* Returns `needs` (taken), or else the reply with its status within, as one text. */
static const char *say(struct ex_reply *reply, json_t *needs)
{
    json_t *o = needs;

    if (!o && reply->body && (o = json_loadb(reply->body, reply->n, 0, NULL)) != NULL)
        json_object_set_new(o, "status", json_integer(reply->status));
    ex_reply_release(reply);
    free(far.text);
    far.text = ex_json_text(o);
    return far.text ? far.text : "{\"status\":503,\"error\":\"out of memory\",\"code\":\"system\"}";
}

const char *ex_far_ask(char *target)
{
    struct ex_reply reply = { 0 };
    struct ex_games *g = NULL;
    struct ex_query q;
    json_t *needs = NULL;
    const char *why = "";
    unsigned status;

    ex_json_begin();
    status = ex_query_read(&q, target, &why);

    free(target);
    if (status)
        ex_reply_error(&reply, status, "usage", "%s", why);
    else if (q.nparts != 4)
        ex_reply_error(&reply, 404, "no-path", "no such path");
    else if ((g = game_of(q.part[2], &reply)) != NULL)
        ask(&q, g, &reply);
    if (g && !(needs = needs_json(g)))
        drop_pieces();
    return say(&reply, needs);
}
