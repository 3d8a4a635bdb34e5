/*
 * share.h - one block solved by several processes (MPI ranks): domain decomposition by the kings'
 * squares, with a halo that is exchanged after each ply.
 *
 * A slice is solved by the owner of its two king squares (owners.h).  A pass over a slice also
 * reads the slices to which a king can go.  Those that another process owns are the *halo*.  Of a
 * halo slice a process keeps a copy of two things: the positions that the opponent has won, and the
 * *frontier*, those that the last pass decided.  They lie at their usual place in the arrays, which
 * have addresses for every slice; slices that a process never touches take no memory.
 *
 *   init     the kernel initializes own slices; bk_share_init_halo() finds the legal positions of
 *            halo slices, which follow from the rules alone
 *   pass     the kernel runs the pass over own slices; then bk_share_join() agrees on flags, and
 *            bk_share_news() sends each frontier to the processes whose halo has the slice
 *   hand_out when the block is solved: sends its values to the processes that encode them and those
 *            whose moves lead to them
 *   trim     when the block is encoded: frees the values that only the encoder read
 *
 * Invariant: after bk_share_news() a halo slice has the frontier, marks and won positions, and the
 * slices that read it the wake-up flags, that a single process would have after the pass.
 *
 * Cost: a message holds the marks and the words that are not zero of each marked vector.
 */
#ifndef BK_SHARE_H
#define BK_SHARE_H

#include "tb/kernel/solver.h"
#include "tb/memory/memtable.h"
#include "tb/memory/ranks.h"
#include "tb/solve/order.h"
#include "tb/solve/owners.h"

/* A block with fewer positions is not shared: every process solves all of it.  Tests set another
   number in BAREKING_SHARED_FROM, for all processes. */
#define BK_SHARED_FROM (1u << 16)
uint64_t bk_shared_from(void);

/*
 * Returns whether processes share all blocks of a table.  Then each process reads other tables, and
 * other blocks, for its own slices alone.  False if only kings move, if the table is too small, or
 * if it has many blocks that never make groups.
 */
bool bk_share_may(const struct bk_index *ix);

/* A block as this process shares it. */
struct bk_share {
    uint32_t nslices;
    uint8_t *owner;       /* by slice: its rank; this array and the next ones are owned */
    uint32_t *own, *halo; /* lists of slices */
    uint32_t nown, nhalo;
    uint64_t *readers[2];    /* by side and slice: the ranks, a bit each, other than its owner,
                                that read what the side to move has won there */
    unsigned ranks;          /* of the owners */
    struct bk_box *out, *in; /* by rank */
    struct bk_setup *bare;   /* the block without its exits */
};

/* Returns the bytes of a block's arrays that a process touches: own slices; of halo slices the won
   positions and a frontier; and the messages.  The largest among the ranks `some`.  0: no memory to
   find out. */
uint64_t bk_share_bytes(const struct bk_setup *s, const struct bk_state *st,
                        const struct bk_owners *owners, struct bk_some_ranks some);

/* s: prepared, with the kings' moves; borrowed until the share is freed.  *out is owned. */
enum bk_err bk_share_new(struct bk_share **out, const struct bk_setup *s,
                         const struct bk_owners *owners, struct bk_report *why);
void bk_share_free(struct bk_share *h); /* NULL is fine */

/* Finds the legal positions of the nth slice of the halo.  Threads: any, each with its own scratch.
 */
void bk_share_init_halo(const struct bk_share *h, const struct bk_solver *b, uint32_t nth,
                        void *scratch);

/* Flags of a pass. */
struct bk_joined {
    bool found, stopped, failed;
};
/* Combines *x and the state's fields that belong to no slice over all processes: afterwards all
   have the same, and a flag is set if it was set in any. */
void bk_share_join(struct bk_state *st, struct bk_joined *x);

/* After a pass: sends the frontiers of own slices to the processes that read them, and stores those
   received in the halo.  The state says which pass it was.
   BK_E_SYSTEM: no memory, perhaps on this rank alone. */
enum bk_err bk_share_news(const struct bk_share *h, struct bk_solver *b, struct bk_report *why);

/* In a single process that has the whole block: returns the bytes that the owners would send each
   other after this pass.  0: no memory. */
uint64_t bk_share_would_send(const struct bk_share *h, struct bk_solver *b);

/* After each process has read its own slices from a checkpoint: fills the halo from its owners.
   ply: the last one.  BK_E_SYSTEM: as above. */
enum bk_err bk_share_restore(const struct bk_share *h, struct bk_solver *b, uint32_t ply,
                             struct bk_report *why);

/* Sends all slices of the arrays that become values to every process; frees the rest of the state.
   BK_E_SYSTEM: no memory, in all processes alike. */
enum bk_err bk_share_spread(const struct bk_share *h, struct bk_state *st, struct bk_report *why);

/* Tells which processes read the values of a solved table. */
struct bk_value_readers {
    struct bk_memtable *t;
    const struct bk_owners *owners;   /* NULL: a single process, which reads everything */
    const struct bk_reading *reading; /* by moves; NULL: every process reads everything */
    /* returns the ranks, a bit each, that encode a slice; NULL: none does */
    uint64_t (*encoders)(void *context, uint32_t block, uint32_t slice, unsigned side);
    void *context;
};

/* The nth array of values of a block: codes or the first bitmap, the second bitmap, and two bitmaps
   of what exits attain, each by side. */
enum { BK_VALUES = 8 };
struct bk_values {
    char *at; /* NULL: not there */
    size_t slice_bytes;
};
struct bk_values bk_share_values(const struct bk_value_readers *w, uint32_t block, unsigned nth);
/* Returns the ranks, a bit each, that read a slice of the nth array. */
uint64_t bk_share_readers(const struct bk_value_readers *w, uint32_t block, unsigned nth,
                          uint32_t slice);

/* Sends the slices of solved blocks from their owners to the processes that read them; frees those
   that this process does not read.  The blocks have an inner man.
   BK_E_SYSTEM: no memory, in all processes alike. */
enum bk_err bk_share_hand_out(const struct bk_value_readers *w, const uint32_t *block, uint32_t n,
                              struct bk_report *why);
/* In a dry run: leaves these parts, 0 to 1, of the arrays of a block's codes and of what exits
   attain. */
void bk_share_resize(const struct bk_value_readers *w, uint32_t block, double codes,
                     double attained);
/*
 * In a dry run, when the table is solved: bytes that all processes send each other meanwhile,
 * `values` of solved slices, and `news` after plies, packed.  It is not known what plies will find,
 * so `news` is a guess.  threads: of each process.  BK_E_SYSTEM: no memory.  Cost: some ns a slice
 * and block.
 */
struct bk_share_traffic {
    uint64_t values, news;
};
enum bk_err bk_share_traffic(struct bk_share_traffic *out, const struct bk_value_readers *w,
                             enum bk_strategy strategy, unsigned threads, struct bk_report *why);
/* Frees the slices of a block that this process does not read. */
void bk_share_trim(const struct bk_value_readers *w, uint32_t block);
/* Returns the part of a table's codes that a process keeps, 0 to 1, in whole pages: the largest
   among the ranks `some`. */
double bk_share_kept(const struct bk_index *ix, const struct bk_owners *owners,
                     const struct bk_reading *reading, bool distances, struct bk_some_ranks some);

#endif
