/*
 * unit_run.h - a unit under way: what its passes share, and how they walk through it.
 *
 * Cells are what all passes but the first work on (walk.h); they are remembered
 * while memory lasts, else the tree is descended again.  Either way the bytes
 * are the same.
 *
 * Work is shared out by *piece*, the rows that begin in a stretch of numbers.
 * Shards are cut row by row through a *window*, a run of pieces, whatever the
 * pieces; a shard ends with its window.
 *
 * Only unit.c and the other unit_*.c see what is in here.
 */
#ifndef BK_UNIT_RUN_H
#define BK_UNIT_RUN_H

#include "tb/encode/asked.h"
#include "tb/encode/codes.h"
#include "tb/encode/effort.h"
#include "tb/encode/learn.h"
#include "tb/encode/shard.h"
#include "tb/encode/turned.h"
#include "tb/encode/walk.h"
#include "tb/encode/work.h"
#include "tb/memory/meter.h"
#include "tb/memory/pool.h"
#include "tb/memory/ranks.h"

#define BK_PIECE_NUMBERS (UINT64_C(1) << 17)
#define BK_WINDOW_PIECES 512

struct bk_unit_piece {
    bool remembered;           /* `cells` has its cells */
    struct bk_cell_list cells; /* bytes borrowed from the unit's */
};

/* The shard that is being cut: rows from `row` of `piece` on, `rows` of them. */
struct bk_unit_cut {
    uint64_t first, numbers;
    uint32_t piece;
    size_t row, rows;
};

/* An addition to a count that waits until its cache line is there. */
struct bk_unit_rise {
    uint64_t *count; /* NULL: nothing */
    unsigned by;
};
#define BK_UNIT_RISES 8

/* One thread's scratch. */
struct bk_unit_scratch {
    struct bk_fact_row *row;
    struct bk_turned turned;
    struct bk_met *met;                      /* by question */
    unsigned bits;                           /* of the values seen, beyond BK_BITS_AS_TOLD */
    uint64_t *count;                         /* as bk_leaf_counts.n */
    struct bk_unit_rise rise[BK_UNIT_RISES]; /* waiting, the oldest at rises % BK_UNIT_RISES */
    unsigned rises;
    struct bk_cell_list cells; /* of the piece that is being counted */
    struct bk_shard_room shard;
};

/* Is a leaf's guess its likeliest value by all counts?  BK_GUESS_SURE: its positions are asked
   nothing. */
enum bk_unit_verdict { BK_GUESS_LIKELY, BK_GUESS_WRONG, BK_GUESS_SURE };

struct bk_unit_run {
    const struct bk_unit_source *src;
    struct bk_unit_source own; /* src, but of no more bits than its values need */
    struct bk_pool *pool;
    struct bk_spill *spill;
    unsigned words, threads;
    const struct bk_effort_means *effort;
    uint64_t memory, most; /* as bk_unit_options.memory_bytes and room_bytes */
    struct bk_logs logs;
    struct bk_unit_scratch *scratch; /* by thread */
    struct bk_meter *meter;
    double part[BK_UNIT_PASSES]; /* as bk_unit_options.part */
    bool shared;
    struct bk_box *box;  /* if shared, by process: [0] has shards for the first */
    _Atomic bool failed; /* no memory */
    /* Pieces. */
    uint32_t pieces, from, to; /* all; this process's: [from, to) */
    struct bk_unit_piece *piece;
    struct bk_asked_rows *lists; /* by piece; within the window */
    /* What is learned, and counted: unit_count.c. */
    uint64_t sampled_bytes; /* of the sample's columns */
    struct bk_learned learned;
    struct bk_leaf_counts counts;
    bool counts_shared; /* by the threads */
    uint8_t *cells;     /* remembered cells of all pieces; NULL: none */
    uint64_t cells_taken, cells_room;
    /* Codes and their rates: unit_rates.c. */
    struct bk_codes codes;
    struct bk_askers *askers;    /* by question, until its rates are chosen */
    struct bk_asked_first *leaf; /* by leaf; its mark is a verdict */
    bool *met_by_odd;            /* by leaf: only its odd cells meet its questions */
    /* Shards: unit_shards.c. */
    uint32_t asked, forgotten, reused; /* pieces of the unit, so far */
    uint64_t piece_bytes;              /* most that the questions of a piece took */
    struct bk_unit_cut *cut;           /* of the batch */
    size_t cuts, cut_room;
    struct bk_unit_cut now;          /* the shard that is not whole yet */
    uint64_t now_keys[2], most_keys; /* in units of 2^-BK_KEY_PARTS */
    struct bk_made_shard *shard;     /* of the batch */
    uint8_t *directory;
    size_t directory_room;
};

/* Ends a step, which has failed if `err` says so: returns `err`, but with a shared unit all
   processes fail alike, and so call it together. */
enum bk_err bk_unit_ended(const struct bk_unit_run *u, enum bk_err err, struct bk_report *why);

/* Returns the less of two numbers. */
static inline uint64_t bk_unit_least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* == Walks == */

/* A thread's walk through the rows of a piece. */
struct bk_unit_walk {
    struct bk_walk walk; /* first: callbacks cast it to struct bk_unit_walk */
    struct bk_unit_run *u;
    struct bk_unit_scratch *scratch;
    struct bk_asked_rows *list; /* the piece's */
};

/* Returns a walk that goes down the tree and calls `cell`; its other callbacks, what it recalls and
   its list are the caller's to set. */
struct bk_unit_walk bk_unit_walk_of(struct bk_unit_run *u, unsigned thread, bk_walk_cell *cell);
/* Goes through the rows of a piece. */
void bk_unit_walk_piece(struct bk_unit_walk *k, uint64_t piece);

/* Do all positions of the cell have its leaf's likeliest value?  Then values need not be read. */
static inline bool bk_unit_is_likely(const struct bk_unit_walk *k, uint32_t leaf)
{
    return !k->walk.odd && k->u->leaf[leaf].mark == BK_GUESS_LIKELY;
}

/* Prefetches for an odd cell its leaf's first questions, and the places of its likely values. */
static inline void bk_unit_fetch_code(const struct bk_walk *w, const struct bk_walk_ahead *cell)
{
    const struct bk_unit_run *u = ((const struct bk_unit_walk *)w)->u;
    bk_code code = u->leaf[cell->leaf].code;
    const char *questions = (const char *)(u->codes.model.question + (code < 0 ? 0 : code));

    __builtin_prefetch(bk_code_place_at(&u->codes, cell->leaf, u->learned.guess[cell->leaf]));
    for (unsigned i = 0; i < 3; i++)
        __builtin_prefetch(questions + 64 * (size_t)i);
}

#endif
