/*
 * worker.h - the input, the result and the state of a search.
 */
#ifndef BE_WORKER_H
#define BE_WORKER_H

#include <stdatomic.h>

#include "engine/hash.h"
#include "engine/value.h"

#define BE_PLY_MAX 96

/* Scores, from the mover's side.  A win in n plies is BE_WIN - n; one of unknown length, by a table
   without distances, is BE_WIN_SOMEHOW + 1000 - (plies till there). */
enum { BE_WIN = 32000, BE_WIN_SOMEHOW = 20000, BE_INFINITE = 32600 };
_Static_assert(BE_LEAD_MAX < BE_WIN_SOMEHOW, "a lead is no win");

struct be_limits {
    int depth;          /* 0: none */
    uint64_t nodes;     /* 0: none */
    int64_t soft, hard; /* milliseconds since `counts_from`: begin no new iteration after `soft`,
                           stop at `hard`; 0: none */
    int mate;           /* plies: stop when a win within so many is found; 0: none */
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
    struct be_moves only; /* root moves to search; none: all.  Borrowed */
    unsigned nlines;      /* how many lines to find, 1 or more */
    void (*tell)(struct be_search *s, const struct be_line *line, unsigned nth);
    void *context;
    /* found */
    struct be_line *line; /* owned: nlines of them; best first */
    unsigned nfound;      /* lines that were found; 0: no legal move, or `starved` */
    bool starved;         /* there was no memory to search on, or even to begin */
    _Atomic uint64_t nodes, hits;
    _Atomic int64_t began;       /* be_now_ms() */
    _Atomic int64_t counts_from; /* limits of time begin here: `began`, or the end of pondering */
    atomic_bool stop;
    atomic_bool pondering; /* limits do not count before it is cleared (and `counts_from` set) */
    /* progress: the iteration, its root moves that are done, and all of them */
    _Atomic int depth, done, all;
    /* the search's own */
    struct be_worker *worker;
};

/* A search under way. */
struct be_worker {
    struct be_search *s;
    uint64_t past[1024 + BE_PLY_MAX]; /* keys of the game and of the line */
    size_t npast;
    uint64_t nodes;
    struct be_moves list[BE_PLY_MAX + 1];
    struct be_move pv[BE_PLY_MAX + 1][BE_PLY_MAX];
    size_t npv[BE_PLY_MAX + 1];
    uint32_t killer[BE_PLY_MAX + 1][2];
    int history[2][BK_SQ_MAX][BK_SQ_MAX];
    bool stopped, failed;
    bool ponders;     /* `pondering` was set when last looked at: limits did not count */
    int depth;        /* plies of this iteration */
    unsigned deepest; /* the deepest ply that was searched for this line */
    unsigned nnew;    /* so many lines, from the first, may have changed in this iteration */
    size_t nmoves;    /* root moves that may be the best */
    int seeks;        /* 1, -1: won, lost by tables without distances: the way is searched; 0: no */
};

int64_t be_now_ms(void);
/* Milliseconds since the limits of time count. */
int64_t be_elapsed(const struct be_search *s);
/* Is it time to stop?  Asked between probes, too, as tables may lie on a slow disk. */
bool be_out_of_time(const struct be_search *s);

/* The score of a position `ply` plies from the root: where the game is over, or by a table with
   `plies` to the end (-1: not known). */
int be_score_over(int wdl, unsigned ply);
int be_score_table(int wdl, int plies, unsigned ply);
/* Sets *score to what is known without a search: by the end, the tables or the number of turns.
   False: nothing is known. */
bool be_known(struct be_worker *w, const struct be_board *b, unsigned ply, int *score);

#endif
