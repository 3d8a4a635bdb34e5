/*
 * games.c - see games.h.
 */
#include "explore/games.h"

#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/guess.h"
#include "core/load.h"
#include "table/listing.h"

/* == Games == */

static enum bk_err add_game(struct ex_games *g, const char *from, struct bk_report *why)
{
    struct ex_game *game = &g->game[g->n];
    enum bk_err err = bk_variant_load(&game->v, from, why);

    if (err)
        return err;
    game->name = game->v->name;
    game->from = from;
    pthread_rwlock_init(&game->lock, NULL);
    ex_kept_init(&game->sums);
    g->n++;
    for (size_t i = 0; i + 1 < g->n; i++)
        if (!strcmp(g->game[i].name, game->name))
            return bk_fail(why, BK_E_USAGE, "%s: there is a game '%s' already", from, game->name);
    return BK_OK;
}

enum bk_err ex_games_open(struct ex_games *g, const char *dirs, uint64_t memory,
                          const char *const *files, size_t nfiles, struct bk_report *why)
{
    struct bk_options o = { .struct_size = sizeof o, .memory_bytes = memory };
    size_t built_in = 0;
    enum bk_err err = BK_OK;

    *g = (struct ex_games){ .dirs = dirs };
    while (bk_embedded_variants[built_in].name)
        built_in++;
    g->game = calloc(built_in + nfiles, sizeof *g->game);
    if (!g->game || bk_open_with(&g->budget, bk_embedded_variants[0].name, &o))
        return bk_no_memory(why);
    for (size_t i = 0; !err && i < built_in; i++)
        err = add_game(g, bk_embedded_variants[i].name, why);
    for (size_t i = 0; !err && i < nfiles; i++)
        err = add_game(g, files[i], why);
    return err;
}

static bool is_built_in(const char *name)
{
    for (size_t i = 0; bk_embedded_variants[i].name; i++)
        if (!strcmp(bk_embedded_variants[i].name, name))
            return true;
    return false;
}

enum bk_err ex_games_open_far(struct ex_games *g, const char *name, const char *dirs,
                              uint64_t memory, const struct bk_host *host, struct bk_report *why)
{
    struct bk_options o = { .struct_size = sizeof o, .memory_bytes = memory, .host = host };
    enum bk_err err;

    *g = (struct ex_games){ .dirs = dirs };
    if (!is_built_in(name))
        return bk_fail(why, BK_E_USAGE, "no game '%.64s'", name);
    if (!(g->game = calloc(1, sizeof *g->game)) || bk_open_with(&g->budget, name, &o))
        return bk_no_memory(why);
    err = add_game(g, name, why);
    if (!err) /* `name` is the caller's; the game has a copy */
        g->game[0].from = g->game[0].name;
    return err;
}

void ex_games_close(struct ex_games *g)
{
    for (size_t i = 0; i < g->n; i++) {
        struct ex_game *game = &g->game[i];

        ex_kept_release(&game->sums);
        bk_close(game->lib);
        bk_variant_free(game->v);
        pthread_rwlock_destroy(&game->lock);
    }
    bk_close(g->budget);
    free(g->game);
    *g = (struct ex_games){ 0 };
}

enum bk_err ex_game_tables(const struct ex_games *g, const struct ex_game *game, size_t *n,
                           struct bk_report *why)
{
    struct bk_listed *table;
    enum bk_err err = bk_listing(&table, n, game->v, g->dirs, false, why);

    free(table);
    return err;
}

struct ex_game *ex_game_named(struct ex_games *g, const char *name, struct ex_reply *reply)
{
    struct bk_guess meant = bk_guess_at(name);
    char guess[BK_GUESS_TEXT_MAX];

    for (size_t i = 0; i < g->n; i++) {
        if (!strcmp(g->game[i].name, name))
            return &g->game[i];
        bk_guess_offer(&meant, g->game[i].name);
    }
    ex_reply_error(reply, 404, "no-game", "no game '%.64s'%s", name, bk_guess_text(&meant, guess));
    return NULL;
}

/* == Handles == */

static bool knows_board(const struct ex_game *game, const struct bk_derivation *d)
{
    for (unsigned i = 0; i < game->nboards; i++)
        /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): no byte of it is unset */
        if (!memcmp(&game->board[i], d, sizeof *d))
            return true;
    return d->how == BK_ITSELF;
}

/* Notes a board; false: there is no room for it. */
static bool note_board(struct ex_game *game, const struct bk_derivation *d)
{
    if (knows_board(game, d))
        return true;
    if (game->nboards == EX_BOARDS_MAX)
        return false;
    game->board[game->nboards++] = *d;
    return true;
}

/* Under the lock for writing: opens the handle, anew if it has seen too many boards. */
static bool ready_handle(struct ex_games *g, struct ex_game *game, const struct bk_derivation *d,
                         struct ex_reply *reply)
{
    struct bk_options o = { .struct_size = sizeof o, .paths = g->dirs, .share = g->budget };
    enum bk_lib_err err;

    if (!note_board(game, d)) {
        bk_close(game->lib);
        game->lib = NULL;
        game->nboards = 0;
        note_board(game, d);
    }
    if (game->lib)
        return true;
    err = bk_open_with(&game->lib, game->from, &o);
    if (!err)
        return true;
    ex_reply_lib(reply, game->lib, err);
    bk_close(game->lib);
    game->lib = NULL;
    return false;
}

bool ex_game_enter(struct ex_games *g, struct ex_game *game, const char *fen, struct bk_lib **lib,
                   struct ex_reply *reply)
{
    struct bk_derivation d;
    struct bk_report why = { "" };
    bool ready;

    memset(&d, 0, sizeof d); /* BK_ITSELF */
    if (fen && bk_derivation_of(&d, game->v, fen, &why))
        return ex_reply_error(reply, 400, "fen", "%s", why.text);
    for (;;) {
        pthread_rwlock_rdlock(&game->lock);
        if (game->lib && knows_board(game, &d)) {
            *lib = game->lib;
            return true;
        }
        pthread_rwlock_unlock(&game->lock);
        pthread_rwlock_wrlock(&game->lock);
        ready = ready_handle(g, game, &d, reply);
        pthread_rwlock_unlock(&game->lock);
        if (!ready)
            return false;
    }
}

/* A number that changes when the tables in the folders do. */
static uint64_t stamp_of(const struct bk_lib_table *table, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ n;

    for (size_t i = 0; i < n; i++) {
        for (const char *s = table[i].material; *s; s++)
            h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
        h = (h ^ table[i].bytes ^ (uint64_t)table[i].has << 60) * UINT64_C(0x100000001b3);
    }
    return h;
}

bool ex_game_look_again(struct ex_game *game, struct bk_lib *lib)
{
    size_t room = 0, n = 0;
    struct bk_lib_table *table;
    bool changed = false;

    if (bk_list_tables(lib, NULL, 0, &room))
        return false;
    table = calloc(room + 1, sizeof *table);
    if (table && !bk_list_tables(lib, table, room, &n))
        changed = ex_kept_state(&game->sums, stamp_of(table, n < room ? n : room));
    free(table);
    return changed && !bk_refresh(lib);
}

void ex_game_leave(struct ex_game *game) { pthread_rwlock_unlock(&game->lock); }

/* == Positions == */

bool ex_fen_copy(char out[BK_FEN_MAX], const char *fen, struct ex_reply *reply)
{
    size_t n = strlen(fen);

    if (n >= BK_FEN_MAX)
        return ex_reply_error(reply, 400, "fen", "the FEN is too long: at most %d characters",
                              BK_FEN_MAX - 1);
    for (size_t i = 0; i <= n; i++)
        out[i] = (char)(fen[i] == '_' ? ' ' : fen[i]);
    return true;
}

static bool read_position(struct ex_at *at, const char *fen, struct ex_reply *reply)
{
    struct bk_report why = { "" };
    enum bk_err err = bk_variant_for_fen(&at->derived, at->game->v, fen, &why);

    at->v = at->derived ? at->derived : at->game->v;
    if (!err)
        err = bk_pos_from_fen(&at->p, at->v, fen, &why);
    if (err)
        return ex_reply_error(reply, err == BK_E_SYSTEM ? 503 : 400, "fen", "%s", why.text);
    if (!bk_pos_legal(at->v, &at->p))
        return ex_reply_error(reply, 400, "illegal",
                              "illegal position: %s is to move and could "
                              "take the king",
                              at->p.stm == BK_WHITE ? "White" : "Black");
    bk_pos_to_fen(&at->p, at->v, at->fen);
    return true;
}

bool ex_at_open(struct ex_at *at, struct ex_games *g, struct ex_game *game, const char *fen,
                struct ex_reply *reply)
{
    char text[BK_FEN_MAX];

    *at = (struct ex_at){ .game = game };
    if (!fen)
        return ex_reply_error(reply, 400, "usage", "the query lacks a fen=");
    if (!ex_fen_copy(text, fen, reply) || !ex_game_enter(g, game, text, &at->lib, reply))
        return false;
    if (read_position(at, text, reply))
        return true;
    ex_at_close(at);
    return false;
}

void ex_at_close(struct ex_at *at)
{
    bk_variant_free(at->derived);
    if (at->lib)
        ex_game_leave(at->game);
    *at = (struct ex_at){ 0 };
}
