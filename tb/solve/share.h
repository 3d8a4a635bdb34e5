/*
 * share.h - the slices of a block that this process solves, and what it tells
 * the others of them.
 *
 * A slice is solved by the owner of its kings (owners.h).  What a pass reads of
 * other slices are those to which a king can go, the *halo*: of them a rank
 * holds what the opponent has won, and the last frontier, where they lie in any
 * case.  Arrays have room for every slice; what nobody touches costs nothing.
 * After each pass owners push what is new to those who read it: marks, and of
 * each marked vector the words that hold anything.
 *
 *   init     own slices by the kernel; of the halo what is legal, which follows
 *            from the rules alone
 *   pass     own slices; then join(), then news()
 *   hand_out when the block is solved: values to those who encode them and those who
 *            move into them
 *   trim     when it is encoded: what only encoding wanted goes
 *
 * `news` is taken in as the pass would have left it in one process: frontier,
 * marks, what is won, and the flags that wake slices.
 */
#ifndef BK_SHARE_H
#define BK_SHARE_H

#include "tb/kernel/solver.h"
#include "tb/memory/memtable.h"
#include "tb/memory/ranks.h"
#include "tb/solve/owners.h"

/* A block with fewer positions is solved by every process for itself.  Tests set another number in
   BAREKING_SHARED_FROM, for all processes. */
#define BK_SHARED_FROM (1u << 16)
uint64_t bk_shared_from(void);

/*
 * Returns whether processes solve all blocks of a table together, slice by slice.  Then each of
 * them reads other tables, and blocks, for its own slices alone.  Not where only kings move, nor in
 * tables so small that a share is not worth it, nor where there are many blocks that never make
 * groups.
 */
bool bk_share_may(const struct bk_index *ix);

struct bk_share {
    uint32_t nslices;
    uint8_t *owner;       /* by slice; owned, as what follows */
    uint32_t *own, *halo; /* slices */
    uint32_t nown, nhalo;
    uint64_t *readers[2];    /* by side and slice: ranks, other than its owner, that read what
                                the side to move has there */
    unsigned ranks;          /* of the owners */
    struct bk_box *out, *in; /* by rank */
    struct bk_setup *bare;   /* the block without its exits */
};

/* Returns the bytes of a block's arrays that a process touches, of `some` the one with most: its
   own slices, and of the halo what is won, a frontier, and news on their way.  0: no memory to find
   out. */
uint64_t bk_share_bytes(const struct bk_setup *s, const struct bk_state *st,
                        const struct bk_owners *owners, struct bk_some_ranks some);

/* Returns the number of slices, counted once for each side to move and each other process that
   looks at what it has won there.  0: none, or no memory to find out. */
uint64_t bk_share_told(const struct bk_variant *v, const struct bk_pairs *pairs,
                       const struct bk_owners *owners);

/* s: prepared, with its kings' moves; borrowed as long as the share.  *out is owned. */
enum bk_err bk_share_new(struct bk_share **out, const struct bk_setup *s,
                         const struct bk_owners *owners, struct bk_report *why);
void bk_share_free(struct bk_share *h); /* NULL is fine */

/* Finds what is legal in the nth slice of the halo.  Threads: any, each with scratch of its own. */
void bk_share_init_halo(const struct bk_share *h, const struct bk_solver *b, uint32_t nth,
                        void *scratch);

/* Makes what belongs to no slice of a state the same everywhere; found, stopped, failed: of any
   process. */
struct bk_joined {
    bool found, stopped, failed;
};
void bk_share_join(struct bk_state *st, struct bk_joined *x);

/* After a pass that has found wins, or losses: pushes them, and takes in what others have.
   BK_E_SYSTEM: no memory, perhaps on this rank alone. */
enum bk_err bk_share_news(const struct bk_share *h, struct bk_solver *b, bool losses,
                          struct bk_report *why);

/* Returns the bytes that the owners of a share would send each other, found by a single process
   that has the whole block.  0: no memory. */
uint64_t bk_share_would_send(const struct bk_share *h, struct bk_solver *b, bool losses);

/* After a checkpoint has given each process its own slices: makes the halo what its owners have.
   losses: the last ply found losses.  BK_E_SYSTEM: as above. */
enum bk_err bk_share_restore(const struct bk_share *h, struct bk_solver *b, bool losses,
                             struct bk_report *why);

/* Gives every process all slices of the arrays that stay; frees the rest of the state.
   BK_E_SYSTEM: no memory, for all alike. */
enum bk_err bk_share_spread(const struct bk_share *h, struct bk_state *st, struct bk_report *why);

/* Which processes want the values of a solved table. */
struct bk_wish {
    struct bk_memtable *t;
    const struct bk_owners *owners;   /* NULL: one process, which wants all */
    const struct bk_reading *reading; /* NULL: everyone reads everything */
    uint64_t (*encoders)(void *context, uint32_t block, uint32_t slice, unsigned side);
    void *context; /* NULL encoders: nobody encodes */
};

/* The arrays of a block, each by side: codes or a bitmap, the second bitmap, what exits attain. */
enum { BK_VALUES = 8 };
struct bk_values {
    char *at; /* NULL: not there */
    size_t slice_bytes;
};
struct bk_values bk_share_values(const struct bk_wish *w, uint32_t block, unsigned nth);
/* Returns which processes want a slice of the nth array, a bit each. */
uint64_t bk_share_wishes(const struct bk_wish *w, uint32_t block, unsigned nth, uint32_t slice);

/* Sends slices of solved blocks, which lie with their owners, to the processes that want them;
   frees what this process does not want.  The blocks have an inner man.  BK_E_SYSTEM: no memory,
   for all alike. */
enum bk_err bk_share_hand_out(const struct bk_wish *w, const uint32_t *block, uint32_t n,
                              struct bk_report *why);
/* Frees what this process does not want of a block. */
void bk_share_trim(const struct bk_wish *w, uint32_t block);
/* Returns how much of a table's codes a process keeps, of `some` the one with most, by the page: 0
   to 1. */
double bk_share_kept(const struct bk_index *ix, const struct bk_owners *owners,
                     const struct bk_reading *reading, bool distances, struct bk_some_ranks some);

#endif
