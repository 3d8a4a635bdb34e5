/*
 * run.h - a table being solved: which blocks are solved, and which blocks still read them.
 *
 * Block A reads block B if a move leads from A to B: with a pawn on d6 the block with it on d7. The
 * values of B are freed when all blocks that read B are solved, and B is encoded.
 */
#ifndef BK_RUN_H
#define BK_RUN_H

#include <stdatomic.h>

#include "tb/kernel/state.h"
#include "tb/kernel/tally.h"
#include "tb/solve/job.h"
#include "tb/solve/share.h"

/* How far the blocks under way are: the progress point that a checkpoint stores. */
struct bk_moment {
    uint32_t block, ply;    /* the first of the blocks */
    uint32_t before, there; /* flags; before: the last ply found something; there: any are under
                               way */
};

/* The files beside a checkpoint of several processes, one of each process: `n` for the blocks under
   way, `solved` for those solved; 0: these are in the checkpoint itself. */
struct bk_part_files {
    uint32_t n, solved, generation;
};

enum { BK_STILL_MAX = 32 };

struct bk_run {
    const struct bk_solve_job *job;
    enum bk_strategy strategy; /* the job's, or that of the checkpoint */
    bool by_share;             /* all blocks are solved by several processes together: share.h */
    unsigned threads;          /* of all processes, each taken to have as many as the first */
    struct bk_order order;
    uint32_t level;          /* under way */
    uint64_t done;           /* positions of solved blocks, both sides */
    uint32_t *readers;       /* by block: blocks still to be solved that lead to it */
    struct bk_tally *tally;  /* of the solved blocks; borrowed */
    struct bk_spares spares; /* from block to block, where one is solved after the other */
    atomic_bool too_far;     /* a distance does not fit into the table's codes */
    /* setups to be used again, with exits, of blocks in which only kings move: they differ in
       little */
    _Atomic(struct bk_setup *) still[BK_STILL_MAX];
    /* checkpoints: resume.h */
    struct bk_checkpoint checkpoint; /* the job's; path NULL: none */
    struct bk_reader *reader;        /* a checkpoint's, before the arrays of the blocks under way */
    struct bk_moment moment;         /* of the blocks under way there */
    struct bk_part_files parts;      /* the files with their arrays */
    bool finishing;                  /* the job is to end here, as the first process says */
    struct bk_dry_kind *kinds;       /* owned; in a dry run, the kinds of blocks: block.c */
};

/* Blocks of a kind take the same memory; a table has many blocks of few kinds. */
enum { BK_DRY_KINDS = 256 };
struct bk_dry_kind {
    bool known;
    struct bk_likeness {
        uint32_t nslices, group, taken; /* group: its symmetries; taken: copied out of a group */
        uint32_t size[BK_SLOTS_MAX];    /* by slot: squares of its cell */
    } like;                             /* the bytes between members are 0 */
    struct bk_memblock mb;              /* how its values lie */
    uint64_t own;                       /* taken: bytes that are there while it is copied out */
    uint64_t bytes, fixed;              /* else: what is there while it is solved, in addition to
                                           what stays; of that, what no spill holds */
    size_t spare;                       /* and what it leaves in run->spares, or 0 */
};

/* BK_E_SYSTEM: no memory. */
enum bk_err bk_run_open(struct bk_run *run, const struct bk_solve_job *job, struct bk_tally *tally,
                        struct bk_report *why);
void bk_run_close(struct bk_run *run);

/* Begins the table from nothing, with codes of `code_bytes`; tells the sink. */
enum bk_err bk_run_begin(struct bk_run *run, unsigned code_bytes, struct bk_report *why);
/* Counts the readers of each block among those from the present level on. */
void bk_run_count_readers(struct bk_run *run);
/* Tells the sink that these blocks are solved, and frees the blocks that no other reads any
   more. */
enum bk_err bk_run_solved(struct bk_run *run, const uint32_t *block, uint32_t n,
                          struct bk_report *why);

/*
 * Returns a setup that another block has left, made that of `block`, in which only kings move.
 * Owned; NULL: there is none, or men move in the block.
 */
struct bk_setup *bk_run_take_still(struct bk_run *run, uint32_t block);
/* Takes such a setup, whose block is solved, for bk_run_take_still(). */
void bk_run_keep_still(struct bk_run *run, struct bk_setup *s);

/* Tells the sink how far the table is. */
void bk_run_progress(const struct bk_run *run, uint32_t ply);
/* Tells the sink a message that is no error. */
void bk_run_note(const struct bk_run *run, const char *text);
/* Notes that a distance does not fit; returns the error that says so. */
enum bk_err bk_run_too_far(struct bk_run *run, struct bk_report *why);

/* Returns which processes read the table's values. */
struct bk_value_readers bk_run_value_readers(const struct bk_run *run);

static inline bool bk_run_is_stopped(const struct bk_run *run)
{
    return run->job->stop && *run->job->stop;
}

#endif
