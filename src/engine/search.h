/*
 * search.h - finds a move: from the tables, else by alpha-beta that probes them.
 *
 * Where the tables answer every move, there is no search: of wins the shortest, of losses the
 * longest, of draws the one that leaves the other side the fewest replies that hold.  What comes
 * for the third time is the last of wins and the first of losses.  Without distances they tell
 * which moves keep the result, and among these is searched.
 *
 * Threads: one search at a time uses a struct be_search; be_search_stop() is anybody's.
 */
#ifndef BE_SEARCH_H
#define BE_SEARCH_H

#include <stdatomic.h>

#include "engine/hash.h"
#include "engine/value.h"

#define BE_PLY_MAX 96

/* Scores, from the mover's side.  A win in n plies is BE_WIN - n; one of unknown length, by a
   table without distances, is BE_WIN_SOMEHOW - (plies till there). */
enum { BE_WIN = 32000, BE_WIN_SOMEHOW = 20000, BE_INFINITE = 32600 };
_Static_assert(BE_LEAD_MAX < BE_WIN_SOMEHOW, "a lead is no win");

struct be_limits {
    int depth;          /* 0: none */
    uint64_t nodes;     /* 0: none */
    int64_t soft, hard; /* milliseconds since they count: begin no new iteration after, stop
                           at; 0: none */
    int mate;           /* plies: stop when a win within is found; 0: none */
    bool endless;       /* do not end before be_search_stop() */
};

struct be_line {
    struct be_move move[BE_PLY_MAX];
    size_t n;
    int score, depth;
    unsigned seldepth; /* the deepest ply that was looked at for it; 0: by table */
    bool by_table;
    int plies; /* by table: to the end; -1: a draw, or not known */
};

struct be_search {
    /* given */
    const struct be_game *game;
    const struct be_values *values;
    struct be_hash *hash;
    struct be_board root;
    struct be_limits limits;
    const uint64_t *past; /* keys of the positions that led here, the root's last */
    size_t npast;
    struct be_moves only; /* of the root; none: all.  Borrowed */
    unsigned nlines;      /* how many lines are wanted, 1 or more */
    void (*tell)(struct be_search *s, const struct be_line *line, unsigned nth);
    void *context;
    /* found */
    struct be_line *line; /* owned: nlines of them; best first */
    unsigned nfound;      /* lines that are there; 0: no legal move, or `starved` */
    bool starved;         /* there was no memory to search on, or even to begin */
    _Atomic uint64_t nodes, hits;
    _Atomic int64_t began;       /* be_now_ms() */
    _Atomic int64_t counts_from; /* limits of time: from `began`, or when pondering ended */
    atomic_bool stop;
    atomic_bool pondering; /* limits do not count before it is cleared (and `counts_from` set) */
    /* for be_search_status() */
    _Atomic int depth, done, all;
    /* its own */
    struct be_worker *worker;
};

int64_t be_now_ms(void);

/* Searches.  Where memory runs out what has been found until then is the answer. */
void be_search_run(struct be_search *s);
void be_search_release(struct be_search *s);
static inline void be_search_stop(struct be_search *s) { atomic_store(&s->stop, true); }

#endif
