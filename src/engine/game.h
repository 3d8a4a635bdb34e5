/*
 * game.h - the game being played, whichever it is.
 *
 * A position is a bk_pos or, in games with hands, a bk_hands_pos; a move is a bk_move or a whole
 * turn.  This is the one place that knows which; search and protocols see be_board and be_move.
 *
 * Threads: read-only but for be_game_open(), _close(), _tables() and _read(); one may probe.
 */
#ifndef BE_GAME_H
#define BE_GAME_H

#include "core/derive.h"
#include "core/hands.h"
#include "core/load.h"
#include "core/move.h"
#include "table/catalog.h"

/* What was wrong with tables: the first that cannot be read, or has lost its distances; else "". */
struct be_wrong {
    struct bk_report broken, lost;
};

struct be_game {
    struct bk_variant *base;    /* owned; as it was named */
    struct bk_variant *derived; /* owned; for the FEN's homes or terrain; else NULL */
    struct bk_derivation how;   /* it was derived */
    const struct bk_variant *v; /* the one of them that is played */
    bool hands, shipped;
    char *paths;                /* owned; folders of tables */
    struct bk_catalog *catalog; /* owned; of v */
    unsigned men_max;           /* of the largest table there; 0: none */
    struct be_wrong *wrong;     /* owned; with tables */
};

struct be_board {
    union {
        struct bk_pos plain;
        struct bk_hands_pos hands;
    };
};

struct be_move {
    union {
        struct bk_move plain;
        struct bk_turn turn;
    };
    int order; /* of a list: larger first */
};

/* Begins as { .n = 0 }; may be used again. */
struct be_moves {
    struct be_move *move; /* owned */
    size_t n, room;
};
void be_moves_release(struct be_moves *list);

/* A game by name or path.  Begins as zeros; be_game_tables() has to come next. */
enum bk_err be_game_open(struct be_game *g, const char *name, struct bk_report *why);
void be_game_close(struct be_game *g);
/* Looks for tables in these folders, separated by ':'; "": nowhere. */
enum bk_err be_game_tables(struct be_game *g, const char *paths, struct bk_report *why);

/* The FEN of a game's beginning, as clients have it; games that leave the array to the players
   begin with one of ours. */
const char *be_game_start(const struct be_game *g, char out[BK_FEN_MAX]);
/* Reads a FEN in our notation: homes and terrain, too.  BK_E_ILLEGAL: the king can be taken. */
enum bk_err be_game_read(struct be_game *g, struct be_board *b, const char *fen,
                         struct bk_report *why);
char *be_board_fen(const struct be_game *g, const struct be_board *b, char out[BK_FEN_MAX]);

static inline unsigned be_mover(const struct be_game *g, const struct be_board *b)
{
    return g->hands ? b->hands.stm : b->plain.stm;
}

/* The man on a square as bk_man(), or 0. */
unsigned be_man_on(const struct be_game *g, const struct be_board *b, unsigned sq);

/* All legal moves; false: no memory. */
bool be_moves_legal(const struct be_game *g, const struct be_board *b, struct be_moves *out);
/* Legal captures and changes, perhaps not all of them; none in games with hands. */
bool be_moves_loud(const struct be_game *g, const struct be_board *b, struct be_moves *out);
void be_play(const struct be_game *g, struct be_board *b, const struct be_move *m);
bool be_same_move(const struct be_game *g, const struct be_move *a, const struct be_move *b);
/* A number that tells the moves of one position apart. */
uint32_t be_move_id(const struct be_game *g, const struct be_move *m);
/* Does it take something or change what a man is? */
bool be_is_loud(const struct be_game *g, const struct be_move *m);

/* How a game ends. */
enum be_end {
    BE_GOES_ON,
    BE_CHECKMATE,
    BE_STALEMATE,
    BE_BARE,
    BE_BARE_BOTH,
    BE_BARED_BACK, /* not over: the bare king is about to take the last man */
    BE_CONFIGURATION,
    BE_LENGTH, /* drawn by the number of turns */
};
const char *be_end_text(enum be_end end);
/* What needs no list of moves: *wdl is the mover's where it is not BE_GOES_ON. */
enum be_end be_end_early(const struct be_game *g, const struct be_board *b, int *wdl);
/* Of a position without legal moves. */
enum be_end be_end_stuck(const struct be_game *g, const struct be_board *b, int *wdl);
/* Is it over?  Never says BE_BARED_BACK. */
enum be_end be_end_now(const struct be_game *g, const struct be_board *b, int *wdl);
bool be_in_check(const struct be_game *g, const struct be_board *b);
/* Plies until the game's length makes it a draw: bk_rules_plies_left(). */
int be_plies_left(const struct be_game *g, const struct be_board *b);

/* A hash of what matters of the position, but for the turn: it is the same when it comes again. */
uint64_t be_board_key(const struct be_game *g, const struct be_board *b);
/* To be added for what it is worth: of the turn, where that is told by the turns that are left. */
uint64_t be_turn_key(const struct be_game *g, const struct be_board *b);

/*
 * What the tables say of a position that is not over: *plies to the end, -1 of a draw or where
 * there are no distances.  The game's length is looked at, too.  False: they do not say; where one
 * is broken, or lacks the distances that it was made with, g->wrong tells.
 */
bool be_probe(const struct be_game *g, const struct be_board *b, int *wdl, int *plies);

/*
 * Its own table is there, and one that some move leads to is not: are they sure that it is better
 * than the best move that they know, which brings *wdl (less than -1: they know none) in *plies?
 * Then *wdl is what it is at least and, of a win, *plies what it takes at most, or -1; and the
 * best move is one of those that they do not know.
 * Source: table/settle.h (1): what a file says is not better than the value.
 */
bool be_probe_better(const struct be_game *g, const struct be_board *b, int *wdl, int *plies);
/* Are they sure that the mover is lost within so many plies?  Likewise. */
bool be_lost_within(const struct be_game *g, const struct be_board *b, int plies);

#endif
