/*
 * game.h - the game being played, whichever it is.
 *
 * A position is a bk_pos or, in games with hands, a bk_hands_pos; a move is a bk_move or a whole
 * turn.  This is the one place that knows which; search and protocols see be_board and be_move.
 *
 * Threads: only be_game_open(), _close(), _tables() and _read() change the game; one thread at a
 * time may probe.
 */
#ifndef BE_GAME_H
#define BE_GAME_H

#include "core/derive.h"
#include "core/hands.h"
#include "core/load.h"
#include "core/move.h"
#include "table/catalog.h"

/* What was wrong with tables: `broken` is about the first that cannot be read, `lost` about the
   first that has lost its distances; an empty text: none. */
struct be_wrong {
    struct bk_report broken, lost;
};

struct be_game {
    struct bk_variant *base;    /* owned; the game as the client named it */
    struct bk_variant *derived; /* owned; `base` with the FEN's homes or terrain; NULL: none */
    struct bk_derivation how;   /* how `derived` differs from `base` */
    const struct bk_variant *v; /* the one that is played: `derived`, else `base` */
    bool hands, shipped;
    char *paths;                /* owned; folders of tables */
    struct bk_catalog *catalog; /* owned; the tables of `v` */
    unsigned men_max;           /* men of the largest table in `paths`; 0: no tables */
    struct be_wrong *wrong;     /* owned; made by be_game_tables() */
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
    int order; /* within a list: larger is searched first */
};

/* A list of moves.  Begins as { .n = 0 }; a call that fills it drops what it held. */
struct be_moves {
    struct be_move *move; /* owned */
    size_t n, room;
};
void be_moves_release(struct be_moves *list);

/* Loads a game by name or path.  *g begins as zeros; be_game_tables() has to come next. */
enum bk_err be_game_open(struct be_game *g, const char *name, struct bk_report *why);
void be_game_close(struct be_game *g);
/* Sets the folders of tables: `paths`, separated by ':'; "": none. */
enum bk_err be_game_tables(struct be_game *g, const char *paths, struct bk_report *why);

/* Writes the FEN of the game's first position, as clients have it, and returns `out`; games that
   leave the array to the players begin with one of ours. */
const char *be_game_start(const struct be_game *g, char out[BK_FEN_MAX]);
/* Reads a FEN in our notation; its homes or terrain may change g->derived.  BK_E_ILLEGAL: the side
   that has moved is in check. */
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
/* Does the move take a man, or change what a man is? */
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
/* The end as far as it shows without a list of moves; *wdl is the mover's, void if BE_GOES_ON. */
enum be_end be_end_early(const struct be_game *g, const struct be_board *b, int *wdl);
/* The end of a position without legal moves: checkmate or stalemate. */
enum be_end be_end_stuck(const struct be_game *g, const struct be_board *b, int *wdl);
/* The end of a game that is over, else BE_GOES_ON; never BE_BARED_BACK. */
enum be_end be_end_now(const struct be_game *g, const struct be_board *b, int *wdl);
bool be_in_check(const struct be_game *g, const struct be_board *b);
/* Plies until the game's length makes it a draw: bk_rules_plies_left(). */
int be_plies_left(const struct be_game *g, const struct be_board *b);

/* A hash of the position without its turn number: a position that is repeated has the same key. */
uint64_t be_board_key(const struct be_game *g, const struct be_board *b);
/* What the turn number adds to the key under which a score is kept; 0 in games of unlimited length,
   where the score does not depend on it. */
uint64_t be_turn_key(const struct be_game *g, const struct be_board *b);

/*
 * Sets *wdl, the mover's, and *plies to what the library says (bk_value_of()) of a position that is
 * not over: *plies to the end, -1 of a draw or without distances.  A win or loss that the game's
 * length cuts off is a draw.  False: the tables do not answer.  A table that is broken, or lacks
 * the distances that it was made with, is recorded in g->wrong.
 */
bool be_probe(const struct be_game *g, const struct be_board *b, int *wdl, int *plies);

/*
 * For a position whose own table is there while a table that some move leads to is missing: does
 * the own table prove more than the best known move brings, which is *wdl (less than -1: no move is
 * known) in *plies?  If so, *wdl becomes a lower bound of the position's value and, of a win,
 * *plies an upper bound of its length, or -1; the best move is then one of those not known. Source:
 * table/settle.h (1): what a file says is not better than the value.
 */
bool be_probe_better(const struct be_game *g, const struct be_board *b, int *wdl, int *plies);
/* Does the position's own table prove that the mover is lost within `plies`?  By the same bound. */
bool be_lost_within(const struct be_game *g, const struct be_board *b, int plies);

#endif
