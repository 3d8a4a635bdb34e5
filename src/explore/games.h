/*
 * games.h - the games that can be asked, and a position of one of them.
 *
 * A game is loaded when it is first asked for, and its handle (probe/bareking.h) then stays open.
 * All handles share one budget of memory.
 *
 * Boards with other holes than the game's cost the library some MB each, of which it keeps many
 * (bareking.h); all games together must not fill the memory.  So a handle that has
 * seen EX_BOARDS_MAX is opened anew, which is why a position holds a lock of its game.
 *
 * Threads: any number.
 */
#ifndef BK_EXPLORE_GAMES_H
#define BK_EXPLORE_GAMES_H

#include <pthread.h>

#include "core/derive.h"
#include "core/position.h"
#include "explore/kept.h"
#include "explore/reply.h"
#include "probe/bareking.h"

#define EX_BOARDS_MAX 8

struct ex_game {
    const char *name;     /* as in addresses; borrowed from v */
    const char *from;     /* built-in name, or path of a variant file; borrowed */
    struct bk_variant *v; /* owned */
    /* under the lock */
    pthread_rwlock_t lock;
    struct bk_lib *lib; /* owned; NULL: not asked yet */
    struct bk_derivation board[EX_BOARDS_MAX];
    unsigned nboards;
    struct ex_kept sums; /* answers about its tables: sums.h */
};

struct ex_counter;
struct bk_hands_pos;

/*
 * Values of armies of games with hands, solved whole (count.h).
 *
 * begin  is the value of this position known?  Then value() tells it, and those of positions that
 *        follow from it, until end().
 *        *counting: it will be known, ask again later
 */
struct ex_armies {
    bool (*begin)(void *context, struct ex_game *game, const struct bk_hands_pos *p,
                  bool *counting);
    bool (*value)(void *context, const struct bk_hands_pos *p, int *wdl, int *plies);
    void (*end)(void *context);
    void *context;
};

struct ex_games {
    struct ex_game *game; /* owned */
    size_t n;
    const char *dirs;               /* folders with `:` between; borrowed */
    struct ex_counter *counter;     /* borrowed: count.h; NULL: nothing is counted */
    const struct ex_armies *armies; /* borrowed; NULL: none are solved */
    struct bk_lib *budget;          /* the handle whose budget the others share */
};

/*
 * Opens all built-in games, and those of `files` (nfiles variant files).  memory: bytes of all
 * tables together; 0: the library's own choice.  Returns BK_OK; BK_E_USAGE (a file, or two games of
 * one name); BK_E_SYSTEM.  ex_games_close() also after a failure.
 */
enum bk_err ex_games_open(struct ex_games *g, const char *dirs, uint64_t memory,
                          const char *const *files, size_t nfiles, struct bk_report *why);
void ex_games_close(struct ex_games *g);
/* Opens one built-in game, whose tables a host has: struct bk_host.  The same errors. */
enum bk_err ex_games_open_far(struct ex_games *g, const char *name, const char *dirs,
                              uint64_t memory, const struct bk_host *host, struct bk_report *why);

/* Sets *n to the number of a game's tables there are now, as far as they can be seen.  Returns
   BK_OK; BK_E_SYSTEM (a folder that cannot be read, memory): there may be more. */
enum bk_err ex_game_tables(const struct ex_games *g, const struct ex_game *game, size_t *n,
                           struct bk_report *why);

/* Returns the game of that name; NULL: *reply says so, and what may have been meant. */
struct ex_game *ex_game_named(struct ex_games *g, const char *name, struct ex_reply *reply);

/* Begins to ask a game's handle: *lib stays open until ex_game_leave().  False: *reply says why. */
bool ex_game_enter(struct ex_games *g, struct ex_game *game, const char *fen, struct bk_lib **lib,
                   struct ex_reply *reply);
void ex_game_leave(struct ex_game *game);

/* If tables were added or removed, refreshes the handle, drops the answers in game->sums, and
   returns true.  Cost: a listing of the folders. */
bool ex_game_look_again(struct ex_game *game, struct bk_lib *lib);

/* A legal position, and the handle to ask. */
struct ex_at {
    struct ex_game *game;
    struct bk_lib *lib;
    struct bk_variant *derived;
    const struct bk_variant *v; /* the game it is asked in: derived, or the game's own */
    struct bk_pos p;
    char fen[BK_FEN_MAX]; /* as we write it */
};

/* Copies a FEN with blanks for `_`.  False: it is too long, *reply says so. */
bool ex_fen_copy(char out[BK_FEN_MAX], const char *fen, struct ex_reply *reply);

/* Reads a FEN, `_` for blanks; ex_at_close() when done.  False: *reply says what is wrong, and
   there is nothing to close. */
bool ex_at_open(struct ex_at *at, struct ex_games *g, struct ex_game *game, const char *fen,
                struct ex_reply *reply);
void ex_at_close(struct ex_at *at);

#endif
