/*
 * session.h - what both protocols have: a game, a position with its past, and a search beside.
 *
 * The search runs in a thread of its own; everything else is the main thread's, which waits for
 * lines and for the search to end in one place, be_session_wait().  So `stop` is heard at once,
 * and no lock is needed.
 */
#ifndef BE_SESSION_H
#define BE_SESSION_H

#include <pthread.h>

#include "engine/behind.h"
#include "engine/name.h"
#include "engine/say.h"
#include "engine/search.h"

struct be_session {
    enum be_dialect dialect;
    struct be_lines in;
    struct be_game game;
    struct be_values values;
    struct be_hash hash;
    char *paths;            /* owned; folders of tables */
    struct be_board *board; /* owned; all positions of the game, the current one last */
    struct be_move *played; /* owned; the move that led to each (of the first: nothing) */
    uint64_t *key;          /* owned; be_board_key() of each */
    size_t n, room;
    struct be_search search;
    struct be_behind *behind; /* owned; the engine that chooses where tables do not; NULL: none */
    pthread_t thread;
    bool thinking;
    bool nowhere; /* the client's last position could not be read, so it is not the current one;
                     nothing is played until another is read */
    bool told_broken, told_lost; /* game.wrong's `broken`, `lost` were reported */
    struct be_wait wait;         /* woken when the search has ended */
};

enum be_event { BE_LINE, BE_FOUND, BE_END };

/* False: no memory or no pipe. */
bool be_session_begin(struct be_session *s, enum be_dialect dialect, const char *paths);
void be_session_end(struct be_session *s);

/* The next line (*line, borrowed until the next call), the end of the search, or of the input. */
enum be_event be_session_wait(struct be_session *s, char **line);

/* These end a search that is under way; what it found is lost.  On failure the game and its
   positions stay what they were. */
enum bk_err be_session_game(struct be_session *s, const char *name, struct bk_report *why);
enum bk_err be_session_tables(struct be_session *s, const char *paths, struct bk_report *why);
/* Has the engine that `command` starts choose where the tables do not; "": no engine. */
enum bk_err be_session_engine(struct be_session *s, const char *command, struct bk_report *why);
enum bk_err be_session_fen(struct be_session *s, const char *fen, struct bk_report *why);
/* Goes to the first position of the game. */
enum bk_err be_session_start(struct be_session *s, struct bk_report *why);
/* False: no such legal move. */
bool be_session_move(struct be_session *s, const char *name);
bool be_session_play(struct be_session *s, const struct be_move *m);
bool be_session_undo(struct be_session *s, size_t plies);

static inline const struct be_board *be_session_board(const struct be_session *s)
{
    return &s->board[s->n - 1];
}
static inline unsigned be_session_mover(const struct be_session *s)
{
    return be_mover(&s->game, be_session_board(s));
}

/* Begins to search the current position; the caller has set `search.limits` and, where wanted,
   `only`, `nlines`, `pondering` and `tell`.  False: no thread. */
bool be_session_think(struct be_session *s);
/* Waits until the search ends by itself: for short ones. */
void be_session_finish(struct be_session *s);
/* Stops the search and waits for its end. */
void be_session_stop(struct be_session *s);

/* The message about a table that could not be read, once for each game and each list of folders;
   else NULL.  While no search is under way. */
const char *be_session_broken(struct be_session *s);
/* Likewise the message about a file of distances that is not there, and should be. */
const char *be_session_lost(struct be_session *s);

/* Likewise what was wrong with the engine behind in the last search; each time. */
const char *be_session_fault(struct be_session *s);
/* A new game begins: what searches have found is forgotten. */
void be_session_forget(struct be_session *s);

/* Sets the limits of time to a share of the clock.  left, increment: milliseconds; moves: until the
   clock is set anew, 0: until the end of the game. */
void be_limits_clock(struct be_limits *l, int64_t left, int64_t increment, int moves);
/* Sets the limits of time to `ms` for this move. */
void be_limits_exact(struct be_limits *l, int64_t ms);

/* Writes the moves of a line that begins where the search `s` does, in a dialect, with a blank
   between; as many whole ones as there is room for.  Returns `out`. */
char *be_line_write(const struct be_line *line, const struct be_search *s, enum be_dialect d,
                    char *out, size_t room);
/* "wins in 39 plies", "loses", "draws": what a line of the tables says. */
char *be_line_verdict(const struct be_line *line, char out[48]);

#endif
