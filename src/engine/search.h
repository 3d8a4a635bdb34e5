/*
 * search.h - finds a move: from the tables, else by alpha-beta that probes them.
 *
 * Where the tables answer every move, there is no search: of wins the shortest, of losses the
 * longest, of draws the one after which the other side is most likely to err (trap.h).  A move that
 * brings a position about for the third time is the last choice among wins and the first among
 * losses.  Tables without distances tell which moves keep the result; the search chooses among
 * these.
 *
 * Threads: one search at a time uses a struct be_search; any thread may call be_search_stop().
 */
#ifndef BE_SEARCH_H
#define BE_SEARCH_H

#include <stdatomic.h>

#include "engine/value.h"

/* == The hash table == */

struct be_found;

/*
 * Scores of positions from this search and earlier ones.  One entry a slot, indexed by key; a new
 * entry replaces the old one.  Begins as zeros.
 *
 * calloc() gives a large table as pages of zeros that take memory only when they are first written.
 * So nothing is written before a search does, and clearing frees a used table for a fresh one.
 */
struct be_hash {
    struct be_found *entry; /* owned */
    size_t n;               /* a power of two */
    bool used;              /* something was put into it since it was cleared */
};

/* Makes room for `mib` MiB, at least one; a new size empties the table.  False: no memory, and
   nothing changes. */
bool be_hash_resize(struct be_hash *h, unsigned mib);
/* Empties the table, while no search is under way.  Cost: none if nothing was put into it; else a
   new allocation, or a memset() where there is no memory for a second table. */
void be_hash_clear(struct be_hash *h);
void be_hash_release(struct be_hash *h);
/* How full the table is, in thousandths, by its first thousand slots: keys are spread evenly. */
unsigned be_hash_full(const struct be_hash *h);
/* The MiB that be_hash_resize() was called with, but rounded down to what it has. */
unsigned be_hash_mib(const struct be_hash *h);

/* == A search == */

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
    /* the mover's clock that soft and hard come from, in milliseconds, for an engine behind; `left`
       0: there is none */
    int64_t left, increment;
    int togo; /* moves until it is set anew; 0: never */
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
    const struct be_board *boards; /* the positions of `past`, and the move that led to each */
    const struct be_move *played;
    /* Chooses among moves of which the tables prefer none, and fills what is found: an engine
       behind (behind.h); NULL: there is none.  Scores are brought within least and most.  False:
       it gave no move, and this search looks for one. */
    bool (*choose)(struct be_search *s, const struct be_moves *may, int least, int most);
    void *chooser;
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

/* Milliseconds of a clock that nobody sets. */
int64_t be_now_ms(void);
/* Searches s->root and fills what *s lists as found.  If memory runs out, the answer is what was
   found until then. */
void be_search_run(struct be_search *s);
void be_search_release(struct be_search *s);
static inline void be_search_stop(struct be_search *s) { atomic_store(&s->stop, true); }

#endif
