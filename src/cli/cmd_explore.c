/*
 * cmd_explore.c - a page to look at endgames with, served to this machine.
 *
 * What it serves is src/explore; here are its options, its beginning and its end.
 */
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "explore/count.h"
#include "explore/server.h"
#include "table/listing.h"
#include "tb/memory/pool.h"

/* Returns how many games have tables in the folders.  The first folder that cannot be read is told,
   lest its games seem to have none. */
static unsigned games_there(const struct ex_games *g)
{
    struct bk_report why = { "" };
    enum bk_err err = BK_OK;
    unsigned games = 0;

    for (size_t i = 0; i < g->n; i++) {
        size_t n;
        enum bk_err each = ex_game_tables(g, &g->game[i], &n, err ? NULL : &why);

        err = err ? err : each;
        games += n > 0;
    }
    if (err)
        cli_say("%s", why.text[0] ? why.text : bk_strerror(err));
    for (size_t i = 0; !games && i < g->n; i++)
        if (*bk_folders_odd(why.text, sizeof why.text, g->game[i].v, g->dirs)) {
            cli_say("%s", why.text);
            break;
        }
    return games;
}

/* Asks the system to show an address.  Whether a browser comes is not waited for. */
static void open_page(char *url)
{
    char *argv[] = { "xdg-open", url, NULL };
    pid_t child;
    int error = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ);

    if (error)
        cli_say("xdg-open: %s; open %s in a browser", strerror(error), url);
}

static int say_where(const struct cli *c, const struct ex_games *g, unsigned port)
{
    const char *address = c->listen ? c->listen : "127.0.0.1";
    bool v6 = strchr(address, ':') != NULL;
    unsigned games = games_there(g);
    char url[128], dir[CLI_SHOWN_MAX];

    snprintf(url, sizeof url, "http://%s%s%s:%u/", v6 ? "[" : "", address, v6 ? "]" : "", port);
    if (c->open)
        open_page(url);
    if (c->json)
        return cli_print_json(
            json_pack("{ss si si}", "url", url, "port", (int)port, "games", (int)games));
    printf("%s  tables of %u game%s in %s; interrupt to end\n", url, games, games == 1 ? "" : "s",
           cli_shown(dir, c->dir));
    return CLI_OK;
}

static int serve(const struct cli *c, struct ex_games *g)
{
    struct ex_options o = { .address = c->listen, .port = c->port };
    struct ex_server *server;
    struct bk_report why = { "" };
    unsigned port = 0;
    enum bk_err err;
    int status;

    cli_catch_signals();
    err = ex_server_open(&server, g, &o, &port, &why);
    status = err ? cli_fail_report(err, &why) : say_where(c, g, port);
    if (!status && (fflush(stdout) || ferror(stdout))) /* nobody was told where; main() says why */
        status = CLI_SYSTEM;
    while (!status && !cli_stop)
        poll(NULL, 0, 250);
    ex_server_close(server);
    return status;
}

int cmd_explore(struct cli *c)
{
    struct ex_games games;
    struct bk_pool *pool = NULL;
    struct bk_report why = { "" };
    enum bk_err err =
        ex_games_open(&games, c->dir, c->memory, (const char *const *)c->arg, c->nargs, &why);
    int status;

    if (!err)
        err = bk_pool_open(&pool, c->threads, &why);
    if (!err && !(games.counter = ex_counter_new(pool, c->dir, NULL)))
        err = bk_no_memory(&why);
    if (!err)
        games.armies = ex_counter_armies(games.counter);
    status = err ? cli_fail_report(err, &why) : serve(c, &games);
    ex_counter_free(games.counter);
    if (pool)
        bk_pool_close(pool);
    ex_games_close(&games);
    return status;
}
