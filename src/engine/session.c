/* session.c - positions on a stack, one thread. */
#include "engine/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/thread.h"

#define HASH_MIB 16
#define STACK    ((size_t)16 << 20)
#define LAG_MS   INT64_C(30) /* time that a move takes to reach the client */

bool be_session_begin(struct be_session *s, enum be_dialect dialect, const char *paths)
{
    memset(s, 0, sizeof *s);
    s->dialect = dialect;
    s->in.from = &s->wait;
    s->search.nlines = 1;
    s->paths = strdup(paths);
    if (!s->paths || !be_hash_resize(&s->hash, HASH_MIB))
        return false;
    return be_wait_begin(&s->wait, STDIN_FILENO);
}

void be_session_end(struct be_session *s)
{
    be_session_stop(s);
    be_behind_free(s->behind);
    be_search_release(&s->search);
    be_moves_release(&s->search.only);
    be_hash_release(&s->hash);
    be_lines_release(&s->in);
    be_game_close(&s->game);
    free(s->board);
    free(s->played);
    free(s->key);
    free(s->paths);
    be_wait_end(&s->wait);
}

/* == Waiting ============================================================= */

/* Waits for the search's thread to end; nothing is under way then. */
static void join(struct be_session *s)
{
    pthread_join(s->thread, NULL);
    be_wait_woken(&s->wait);
    s->thinking = false;
}

/* Asks the search to end, whatever it waits for. */
static void end_search(struct be_session *s)
{
    atomic_store(&s->search.pondering, false);
    be_search_stop(&s->search);
}

/* Will the search end by itself? */
static bool has_end(const struct be_search *s)
{
    const struct be_limits *l = &s->limits;

    return !l->endless && !atomic_load(&s->pondering) &&
           (l->depth || l->nodes || l->soft || l->hard || l->mate);
}

/* No more commands will come: stops a search that would wait for one.  Another goes on to its end,
   as `go depth 3` from a pipe wants its answer. */
static void end_of_input(struct be_session *s)
{
    if (!has_end(&s->search))
        end_search(s);
}

enum be_event be_session_wait(struct be_session *s, char **line)
{
    for (;;) {
        unsigned came;

        if (be_say_gone())
            return BE_END;
        if ((*line = be_lines_next(&s->in)) != NULL)
            return BE_LINE;
        if (s->in.ended && !s->thinking)
            return BE_END;
        if (s->in.ended)
            end_of_input(s);
        came = be_wait_for(&s->wait, !s->in.ended, s->thinking);
        if (came & BE_CAME_FAILED)
            return BE_END;
        if (came & BE_CAME_WAKE) {
            join(s);
            return BE_FOUND;
        }
        if (came & BE_CAME_GONE)
            return BE_END;
        if (came & BE_CAME_BYTES)
            be_lines_read(&s->in);
    }
}

/* == Positions =========================================================== */

static bool push(struct be_session *s, const struct be_board *b, const struct be_move *m)
{
    if (s->n == s->room) {
        size_t room = s->room ? s->room * 2 : 64;
        struct be_board *board = realloc(s->board, room * sizeof *board);
        struct be_move *played;
        uint64_t *key;

        if (board)
            s->board = board;
        if ((played = realloc(s->played, room * sizeof *played)) != NULL)
            s->played = played;
        if ((key = realloc(s->key, room * sizeof *key)) != NULL)
            s->key = key;
        if (!board || !played || !key)
            return false;
        s->room = room;
    }
    s->board[s->n] = *b;
    s->played[s->n] = m ? *m : (struct be_move){ .order = 0 };
    s->key[s->n] = be_board_key(&s->game, b);
    s->n++;
    return true;
}

enum bk_err be_session_tables(struct be_session *s, const char *paths, struct bk_report *why)
{
    char *copy = strdup(paths);
    enum bk_err err;

    be_session_stop(s);
    err = copy ? be_game_tables(&s->game, copy, why) : bk_no_memory(why);
    if (err) {
        free(copy);
        return err;
    }
    free(s->paths);
    s->paths = copy;
    s->told_broken = s->told_lost = false;
    be_hash_clear(&s->hash);
    return BK_OK;
}

static bool choose(struct be_search *search, const struct be_moves *may, int least, int most)
{
    return be_behind_choose(search->chooser, search, may, least, most);
}

enum bk_err be_session_engine(struct be_session *s, const char *command, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    be_session_stop(s);
    be_behind_free(s->behind);
    s->behind = NULL;
    if (*command)
        err = be_behind_new(&s->behind, command, why);
    s->search.choose = s->behind ? choose : NULL;
    s->search.chooser = s->behind;
    return err;
}

/* Returns the text of `what` and sets *told; NULL if it was told, or there is none. */
static const char *once(bool *told, const struct bk_report *what)
{
    if (*told || !*what->text)
        return NULL;
    *told = true;
    return what->text;
}

const char *be_session_broken(struct be_session *s)
{
    return once(&s->told_broken, &s->game.wrong->broken);
}

const char *be_session_lost(struct be_session *s)
{
    return once(&s->told_lost, &s->game.wrong->lost);
}

const char *be_session_fault(struct be_session *s)
{
    return s->behind ? be_behind_fault(s->behind) : NULL;
}

void be_session_forget(struct be_session *s)
{
    be_hash_clear(&s->hash);
    if (s->behind)
        be_behind_new_game(s->behind);
}

/* Makes `b` the first position.  If the game is not `before` any more, the hash table is cleared
   and values are computed anew. */
static enum bk_err begin_with(struct be_session *s, const struct bk_variant *before,
                              const struct be_board *b, struct bk_report *why)
{
    if (before != s->game.v || !s->n) {
        be_values_of(&s->values, s->game.v);
        be_hash_clear(&s->hash);
    }
    s->n = 0;
    s->nowhere = false;
    return push(s, b, NULL) ? BK_OK : bk_no_memory(why);
}

/* The game that was played is replaced only once this one is known to begin. */
enum bk_err be_session_game(struct be_session *s, const char *name, struct bk_report *why)
{
    struct be_game game = { .base = NULL };
    char fen[BK_FEN_MAX];
    struct be_board b;
    enum bk_err err;

    be_session_stop(s);
    err = be_game_open(&game, name, why);
    if (!err)
        err = be_game_tables(&game, s->paths, why);
    if (!err)
        err = be_game_read(&game, &b, be_game_start(&game, fen), why);
    if (err) {
        be_game_close(&game);
        return err;
    }
    be_game_close(&s->game);
    s->game = game;
    s->n = 0;
    s->told_broken = s->told_lost = false;
    return begin_with(s, NULL, &b, why);
}

enum bk_err be_session_fen(struct be_session *s, const char *fen, struct bk_report *why)
{
    const struct bk_variant *before = s->game.v;
    struct be_board b;
    enum bk_err err;

    if (bk_fen_is_start(fen))
        return be_session_start(s, why);
    be_session_stop(s);
    if ((err = be_fen_read(&s->game, s->dialect, &b, fen, why)) != BK_OK)
        return err;
    return begin_with(s, before, &b, why);
}

enum bk_err be_session_start(struct be_session *s, struct bk_report *why)
{
    const struct bk_variant *before = s->game.v;
    char fen[BK_FEN_MAX];
    struct be_board b;
    enum bk_err err;

    be_session_stop(s);
    if ((err = be_game_read(&s->game, &b, be_game_start(&s->game, fen), why)) != BK_OK)
        return err;
    return begin_with(s, before, &b, why);
}

bool be_session_play(struct be_session *s, const struct be_move *m)
{
    struct be_board after = *be_session_board(s);

    be_play(&s->game, &after, m);
    return push(s, &after, m);
}

bool be_session_move(struct be_session *s, const char *name)
{
    struct be_move m;

    be_session_stop(s);
    return be_move_read(&s->game, s->dialect, be_session_board(s), name, &m) &&
           be_session_play(s, &m);
}

bool be_session_undo(struct be_session *s, size_t plies)
{
    be_session_stop(s);
    if (plies >= s->n)
        return false;
    s->n -= plies;
    return true;
}

/* == Thinking ============================================================ */

static void *think(void *session)
{
    struct be_session *s = session;

    be_search_run(&s->search);
    be_wait_wake(&s->wait);
    return NULL;
}

bool be_session_think(struct be_session *s)
{
    struct be_search *search = &s->search;

    be_session_stop(s);
    search->game = &s->game;
    search->values = &s->values;
    search->hash = &s->hash;
    search->root = *be_session_board(s);
    search->past = s->key;
    search->boards = s->board;
    search->played = s->played;
    search->npast = s->n;
    atomic_store(&search->stop, false);
    atomic_store(&search->began, be_now_ms());
    atomic_store(&search->counts_from, atomic_load(&search->began));
    s->thinking = bk_thread_new(&s->thread, STACK, think, s);
    return s->thinking;
}

void be_session_finish(struct be_session *s)
{
    if (s->thinking)
        join(s);
}

void be_session_stop(struct be_session *s)
{
    if (!s->thinking)
        return;
    end_search(s);
    join(s);
}

/* == Time ================================================================ */

void be_limits_exact(struct be_limits *l, int64_t ms)
{
    l->hard = l->soft = ms > 2 * LAG_MS ? ms - LAG_MS : ms / 2 + 1;
    l->left = 0;
}

void be_limits_clock(struct be_limits *l, int64_t left, int64_t increment, int moves)
{
    int64_t all = left > 2 * LAG_MS ? left - LAG_MS : left / 2;
    int64_t share = all / (moves > 0 && moves < 30 ? moves + 1 : 30) + increment * 3 / 4;
    int64_t most = all / (moves == 1 ? 1 : 3);

    if (all < 1)
        all = 1;
    l->left = all;
    l->increment = increment;
    l->togo = moves;
    share = share < all ? share : all;
    most = most > 1 ? most : 1;
    l->soft = share / 2 > 1 ? share / 2 : 1;
    l->hard = share * 3 < most ? share * 3 : most;
    if (l->hard < 1)
        l->hard = 1;
}

/* == Lines =============================================================== */

char *be_line_write(const struct be_line *line, const struct be_search *s, enum be_dialect d,
                    char *out, size_t room)
{
    struct be_board b = s->root;
    char name[BE_NAME_MAX];
    size_t n = 0;

    out[0] = 0;
    for (size_t i = 0; i < line->n; i++) {
        be_move_write(s->game, d, &b, &line->move[i], name);
        if (n + strlen(name) + 2 > room)
            break;
        n += (size_t)snprintf(out + n, room - n, "%s%s", i ? " " : "", name);
        be_play(s->game, &b, &line->move[i]);
    }
    return out;
}

char *be_line_verdict(const struct be_line *line, char out[48])
{
    const char *what = line->score > 0 ? "wins" : line->score < 0 ? "loses" : "draws";

    if (line->score && line->plies >= 0)
        snprintf(out, 48, "%s in %d %s", what, line->plies, line->plies == 1 ? "ply" : "plies");
    else
        snprintf(out, 48, "%s", what);
    return out;
}
