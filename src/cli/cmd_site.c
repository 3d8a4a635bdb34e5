/*
 * cmd_site.c - the page of `explore` as a folder of files, for hosts that can serve nothing else.
 *
 *      OUT/index.html, ...        the page, as explore serves it, but for place.js
 *      OUT/bareking.wasm          the prober (src/explore/far.h)
 *      OUT/tables/GAME/...        the tables: links to those of DIR, or copies
 *      OUT/tables/manifest.txt    their list, for `pull` (manifest.h)
 *      OUT/data/variants.json     what /api/v1/variants answers
 *      OUT/data/GAME/             files.json: path, bytes and head of each file; longest.json,
 *                                 tables.json, MATERIAL.json: what the API answers
 *
 * Files are written beside their place and renamed, so a site may be made anew while it is served.
 * Lists come last: what they name is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/manifest.h"
#include "cli/report.h"
#include "cli/save.h"
#include "explore/api.h"
#include "explore/json.h"
#include "explore/pages.h"
#include "table/head.h"

#define COPY (1u << 20)

static const char place[] = "export { answer, away } from './far.js';\n";

struct site {
    const struct cli *c;
    struct folder from;
    struct ex_games games;
    json_t *files;               /* files.json of the game at hand */
    struct manifest_entry *list; /* owned: of all tables that are put, nlist of them */
    size_t nlist;
    unsigned tables, linked, copied, ngames;
    uint64_t bytes;
};

/* == Writing == */

static int fail_at(const char *path)
{
    return cli_fail(CLI_SYSTEM, "%s: %s", path, strerror(errno));
}

/* Writes OUT, a slash, `folder` and `name` as one path; false, and said: it is too long. */
static bool path_in(char out[PATH_MAX], const struct site *s, const char *folder, const char *name)
{
    int n = snprintf(out, PATH_MAX, "%s/%s%s", s->c->output, folder, name);

    if (n >= 0 && n < PATH_MAX)
        return true;
    cli_say("%s: the path is too long", name);
    return false;
}

/* Makes a folder of the site.  Where a link to one stands already it is used if the user, or root,
   has put it there: another user's could lead anywhere. */
static int make_folder(const struct site *s, const char *name)
{
    char path[PATH_MAX], *slash;
    struct stat is;

    if (!path_in(path, s, name, ""))
        return CLI_SYSTEM;
    slash = path + strlen(path) - 1;
    if (*name && *slash == '/')
        *slash = 0; /* lstat() would follow the link before it */
    if (mkdir(path, 0777) && errno != EEXIST)
        return fail_at(path);
    if (*name && !lstat(path, &is) && S_ISLNK(is.st_mode) && is.st_uid && is.st_uid != geteuid())
        return cli_fail(CLI_SYSTEM, "%s: a link that another user has put there", path);
    return CLI_OK;
}

static int write_file(struct site *s, const char *folder, const char *name, const void *bytes,
                      size_t n)
{
    struct save_file file;
    char path[PATH_MAX];
    int error;

    if (!path_in(path, s, folder, name))
        return CLI_SYSTEM;
    if (!save_begin(&file, path, save_mode(0666)))
        return fail_at(path);
    errno = 0;
    error = fwrite(bytes, 1, n, file.f) == n ? 0 : errno ? errno : EIO;
    errno = save_end(&file, error);
    return errno ? fail_at(path) : CLI_OK;
}

/* Writes `value`, which is taken; NULL: no memory. */
static int write_json(struct site *s, const char *folder, const char *name, json_t *value)
{
    char *text = ex_json_text(value);
    int status = text ? write_file(s, folder, name, text, strlen(text)) : cli_no_memory();

    free(text);
    return status;
}

/* == The page == */

static int write_pages(struct site *s)
{
    int status = CLI_OK;

    for (const struct ex_page *p = ex_pages; p->name && !status; p++)
        status = strcmp(p->name, "place.js") != 0
                     ? write_file(s, "", p->name, p->bytes, p->n)
                     : write_file(s, "", p->name, place, strlen(place));
    return status;
}

static bool has_prober(void)
{
    for (const struct ex_page *p = ex_pages; p->name; p++)
        if (!strcmp(p->name, "bareking.wasm"))
            return true;
    return false;
}

/* == What the API says == */

/* Writes a name so that a query reads it. */
static void escape(char out[3 * BK_MATERIAL_NAME_MAX], const char *name)
{
    for (; *name; name++)
        out += sprintf(out, "%%%02x", (unsigned char)*name);
    *out = '\0';
}

/* Asks the API.  NULL: *status says why, and the error has been said. */
static json_t *ask_api(struct site *s, const char *target, int *status)
{
    struct ex_reply reply;
    json_t *o;

    ex_api(&s->games, "GET", target, NULL, 0, &reply);
    o = reply.body ? json_loadb(reply.body, reply.n, 0, NULL) : NULL;
    if (!o)
        *status = cli_no_memory();
    else if (reply.status != 200) {
        *status = cli_fail(reply.status == 500 ? CLI_DAMAGED : CLI_SYSTEM, "%s",
                           json_string_value(json_object_get(o, "error")));
        json_decref(o);
        o = NULL;
    }
    ex_reply_release(&reply);
    return o;
}

static int write_answer(struct site *s, const char *folder, const char *game, const char *what)
{
    char target[256], name[64];
    int status = CLI_OK;
    json_t *o;

    snprintf(target, sizeof target, "/api/v1/%s/%s", game, what);
    snprintf(name, sizeof name, "%s.json", what);
    o = ask_api(s, target, &status);
    return o ? write_json(s, folder, name, o) : status;
}

/* Writes what the API says of a table: its counts, and where it leads. */
static int write_table(struct site *s, const char *folder, const char *game, const char *material)
{
    char target[512], escaped[3 * BK_MATERIAL_NAME_MAX], name[BK_MATERIAL_NAME_MAX + 8];
    int status = CLI_OK;
    json_t *stats, *leads;

    escape(escaped, material);
    snprintf(target, sizeof target, "/api/v1/%s/stats?material=%s", game, escaped);
    stats = ask_api(s, target, &status);
    snprintf(target, sizeof target, "/api/v1/%s/tables?material=%s", game, escaped);
    leads = stats ? ask_api(s, target, &status) : NULL;
    snprintf(name, sizeof name, "%s.json", material);
    if (!leads) {
        json_decref(stats);
        return status;
    }
    return write_json(s, folder, name, json_pack("{so so}", "stats", stats, "tables", leads));
}

/* == Tables == */

/* Returns a file's head in base64, owned.  NULL: *status says why, and the error has been said. */
static char *head_of(const char *path, uint64_t bytes, int *status)
{
    uint8_t first[BK_HEAD_FIRST], *head = NULL;
    struct bk_report why = { "" };
    uint32_t n = 0;
    char *text = NULL;
    FILE *f = fopen(path, "rb");

    if (!f) {
        *status = fail_at(path);
        return NULL;
    }
    errno = 0;
    if (fread(first, 1, sizeof first, f) == sizeof first &&
        !bk_head_bytes(&n, first, bytes, path, &why) && !fseek(f, 0, SEEK_SET) &&
        (head = malloc(n)) != NULL && fread(head, 1, n, f) == n &&
        (text = calloc(1, BASE64_ENCODE_RAW_LENGTH(n) + 1)) != NULL)
        base64_encode_raw(text, n, head);
    else if (*why.text)
        *status = cli_fail(CLI_DAMAGED, "%s", why.text);
    else if (ferror(f) || errno) /* it cannot be read, or there is no memory */
        *status = fail_at(path);
    else
        *status = cli_fail(CLI_DAMAGED, "%s: damaged: shorter than its head", path);
    fclose(f);
    free(head);
    return text;
}

static int copy(const char *from, const char *to)
{
    struct save_file file;
    char *room = malloc(COPY);
    FILE *in = room ? fopen(from, "rb") : NULL;
    bool out = in && save_begin(&file, to, save_mode(0666)), unread;
    int error = out ? 0 : errno;

    for (size_t n; !error && (n = fread(room, 1, COPY, in)) > 0;)
        error = fwrite(room, 1, n, file.f) == n ? 0 : errno;
    if ((unread = !in || ferror(in)) && !error)
        error = errno;
    if (out)
        error = save_end(&file, error);
    if (in)
        fclose(in);
    free(room);
    errno = error;
    return error ? fail_at(unread ? from : to) : CLI_OK;
}

/* Links a table into the site, or copies it. */
static int put_table(struct site *s, const char *from, const char *path)
{
    char to[PATH_MAX];

    if (!path_in(to, s, "tables/", path))
        return CLI_SYSTEM;
    if (!save_link(from, to)) {
        s->linked++;
        return CLI_OK;
    }
    s->copied++;
    return copy(from, to);
}

/* Is a file of the game, or of the game on another board (GAME@...)? */
static bool is_of(const struct folder_file *f, const char *game)
{
    size_t n = strlen(game);

    return !strncmp(f->path, game, n) && (f->path[n] == '/' || f->path[n] == '@');
}

static int put_file(struct site *s, const struct folder_file *f)
{
    char from[PATH_MAX], folder[PATH_MAX], *head;
    int status;

    snprintf(folder, sizeof folder, "tables/%.*s", (int)f->game_n, f->path);
    status = make_folder(s, folder);
    folder_path(from, &s->from, f->path);
    if (status || !(head = head_of(from, f->bytes, &status)))
        return status;
    status = put_table(s, from, f->path);
    if (!status && json_array_append_new(s->files, json_pack("[o I s]", ex_json_string(f->path),
                                                             (json_int_t)f->bytes, head)))
        status = cli_no_memory();
    free(head);
    s->bytes += f->bytes;
    s->list[s->nlist++] = (struct manifest_entry){ .path = f->path, .look = true };
    return status;
}

/* Writes what the API says of each table of the game itself. */
static int write_tables(struct site *s, const char *folder, const struct ex_game *game)
{
    int status = CLI_OK;
    char target[128];
    size_t i;
    json_t *all, *t;

    snprintf(target, sizeof target, "/api/v1/%s/tables", game->name);
    if (!(all = ask_api(s, target, &status)))
        return status;
    json_array_foreach(json_object_get(all, "tables"), i, t)
    {
        if (!status && !cli_stop)
            status = write_table(s, folder, game->name,
                                 json_string_value(json_object_get(t, "material")));
        s->tables++;
    }
    json_decref(all);
    return status ? status : cli_stop ? cli_fail(CLI_SYSTEM, "interrupted") : CLI_OK;
}

static int write_game(struct site *s, const struct ex_game *game)
{
    char folder[128];
    int status;

    snprintf(folder, sizeof folder, "data/%s/", game->name);
    status = make_folder(s, folder);
    s->files = json_array();
    for (size_t i = 0; !status && i < s->from.n; i++)
        if (is_of(&s->from.file[i], game->name))
            status = put_file(s, &s->from.file[i]);
    if (!status)
        status = write_tables(s, folder, game);
    if (!status)
        status = write_answer(s, folder, game->name, "longest");
    if (!status)
        status = write_answer(s, folder, game->name, "tables");
    if (!status)
        status = write_json(s, folder, "files.json", s->files);
    else
        json_decref(s->files);
    s->ngames++;
    return status;
}

/* Writes the list of the tables, as they are in the site. */
static int write_list(struct site *s)
{
    char path[PATH_MAX], *text = NULL;
    size_t n = 0;
    FILE *out;
    int status;

    if (!path_in(path, s, "", "tables"))
        return CLI_SYSTEM;
    status = manifest_hash(s->list, s->nlist, path, s->c->threads);
    if (status)
        return status;
    out = open_memstream(&text, &n);
    if (!out)
        return cli_no_memory();
    manifest_write(out, s->list, s->nlist);
    status = fclose(out) ? cli_no_memory() : write_file(s, "tables/", MANIFEST_NAME, text, n);
    free(text);
    return status;
}

/* == The whole == */

/* Is a game one of those that are asked for? */
static bool is_wanted(const struct cli *c, const char *game)
{
    for (unsigned i = 1; i < c->nargs; i++)
        if (!strcmp(c->arg[i], game))
            return true;
    return c->nargs == 1;
}

static int check_wanted(struct site *s)
{
    for (unsigned i = 1; i < s->c->nargs; i++) {
        struct ex_reply reply = { 0 };

        if (ex_game_named(&s->games, s->c->arg[i], &reply))
            continue;
        ex_reply_release(&reply);
        return cli_fail(CLI_USAGE, "site: no built-in game '%s'; see bareking variants",
                        s->c->arg[i]);
    }
    return CLI_OK;
}

/* Writes the list of the games that are wanted; of all the others the page knows nothing. */
static int write_variants(struct site *s)
{
    int status = CLI_OK;
    json_t *all = ask_api(s, "/api/v1/variants", &status), *list, *game;

    if (!all)
        return status;
    list = json_object_get(all, "variants");
    json_object_del(all, "dir"); /* of this machine */
    for (size_t i = json_array_size(list); i--;) {
        game = json_array_get(list, i);
        if (!is_wanted(s->c, json_string_value(json_object_get(game, "name"))))
            json_array_remove(list, i);
    }
    return write_json(s, "data/", "variants.json", all);
}

/* Refuses the tables' folder as OUT: the page's folders would lie in it, and look like games. */
static int check_apart(const struct site *s)
{
    struct stat from, to;

    if (!stat(s->c->arg[0], &from) && !stat(s->c->output, &to) && from.st_dev == to.st_dev &&
        from.st_ino == to.st_ino)
        return cli_fail(CLI_USAGE, "site: %s is the folder of the tables; say another one with -o",
                        s->c->output);
    return CLI_OK;
}

static int write_game_if_any(struct site *s, const struct ex_game *game)
{
    struct bk_report why = { "" };
    size_t n;
    enum bk_err err = ex_game_tables(&s->games, game, &n, &why);

    if (err)
        return cli_fail_report(err, &why);
    return n ? write_game(s, game) : CLI_OK;
}

static int write_site(struct site *s)
{
    static const char *const folders[] = { "", "data", "tables" };
    int status = check_wanted(s);

    if (!status)
        status = check_apart(s);
    for (unsigned i = 0; !status && i < 3; i++)
        status = make_folder(s, folders[i]);
    for (size_t i = 0; !status && i < s->games.n; i++) {
        const struct ex_game *game = &s->games.game[i];

        if (is_wanted(s->c, game->name))
            status = write_game_if_any(s, game);
    }
    if (!status && !s->ngames)
        status = cli_fail(CLI_NO, "%s: no tables of %s", s->c->arg[0],
                          s->c->nargs > 1 ? "these games" : "a built-in game");
    if (!status)
        status = write_list(s);
    if (!status)
        status = write_pages(s);
    return status ? status : write_variants(s);
}

static int tell(const struct site *s)
{
    char bytes[CLI_TEXT_MAX], site[CLI_SHOWN_MAX];

    if (s->c->json)
        return cli_print_json(json_pack("{so si si sI si si}", "site", ex_json_string(s->c->output),
                                        "games", (int)s->ngames, "tables", (int)s->tables, "bytes",
                                        (json_int_t)s->bytes, "linked", (int)s->linked, "copied",
                                        (int)s->copied));
    if (!s->c->quiet)
        printf("%s: %u table%s of %u game%s, %s, %s; any web host can serve it\n",
               cli_shown(site, s->c->output), s->tables, s->tables == 1 ? "" : "s", s->ngames,
               s->ngames == 1 ? "" : "s", cli_bytes(bytes, s->bytes),
               s->copied ? "copied" : "linked");
    return CLI_OK;
}

int cmd_site(struct cli *c)
{
    struct site s = { .c = c };
    struct bk_report why = { "" };
    enum bk_err err;
    int status;

    if (!c->output)
        return cli_fail(CLI_USAGE, "site: say where with -o OUT");
    if (!has_prober())
        return cli_fail(CLI_SYSTEM, "site: this bareking was built without its WebAssembly prober: "
                                    "`make wasm` where emscripten is (docs/explore.md)");
    if (strchr(c->arg[0], ':'))
        return cli_fail(CLI_USAGE, "site: '%s': a folder is wanted whose path has no `:`",
                        c->arg[0]);
    cli_catch_signals();
    if ((status = folder_read(&s.from, c->arg[0])) != CLI_OK)
        return status;
    if (!s.from.n) {
        status = folder_fail_empty(&s.from);
        folder_free(&s.from);
        return status;
    }
    err = ex_games_open(&s.games, c->arg[0], 0, NULL, 0, &why);
    s.list = calloc(s.from.n, sizeof *s.list);
    status = err ? cli_fail_report(err, &why) : s.list ? write_site(&s) : cli_no_memory();
    free(s.list);
    ex_games_close(&s.games);
    folder_free(&s.from);
    return status ? status : tell(&s);
}
