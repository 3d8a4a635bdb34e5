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
 *   spread   when the block is solved: values to everyone; or hand_out(): to those
 *            who encode them, if nobody else asks for them
 *
 * `news` is taken in as the pass would have left it in one process: frontier,
 * marks, what is won, and the flags that wake slices.
 */
#ifndef BK_SHARE_H
#define BK_SHARE_H

#include "tb/kernel/solver.h"
#include "tb/memory/ranks.h"
#include "tb/solve/owners.h"

/* With fewer positions a block is solved by every process for itself. */
#define BK_SHARED_FROM (1u << 16)

struct bk_share {
    uint32_t nslices;
    uint8_t *owner;       /* by slice; owned, as what follows */
    uint32_t *own, *halo; /* slices */
    uint32_t nown, nhalo;
    uint64_t *readers[2];    /* by side and slice: ranks, other than its owner, that read what
                                the side to move has there */
    struct bk_box *out, *in; /* by rank */
    struct bk_setup *bare;   /* the block without its exits */
};

/* Bytes of a block's arrays that the process with most of them touches: its own slices, and of the
   halo what is won and a frontier.  0: no memory to find out. */
uint64_t bk_share_bytes(const struct bk_setup *s, const struct bk_state *st,
                        const struct bk_owners *owners);

/* s: prepared, with its kings' moves; borrowed as long as the share.  *out is owned. */
enum bk_err bk_share_new(struct bk_share **out, const struct bk_setup *s,
                         const struct bk_owners *owners, struct bk_report *why);
void bk_share_free(struct bk_share *h); /* NULL is fine */

/* What is legal in the nth slice of the halo.  Threads: any, each with scratch of its own. */
void bk_share_init_halo(const struct bk_share *h, const struct bk_solver *b, uint32_t nth,
                        void *scratch);

/* What is no slice's own becomes the same everywhere; found, stopped, failed: does anybody? */
struct bk_joined {
    bool found, stopped, failed;
};
void bk_share_join(struct bk_state *st, struct bk_joined *x);

/* After a pass that has found wins, or losses: pushes them, and takes in what others have.
   BK_E_SYSTEM: no memory, perhaps on this rank alone. */
enum bk_err bk_share_news(const struct bk_share *h, struct bk_solver *b, bool losses,
                          struct bk_report *why);

/* After a checkpoint has given each process its own slices: the halo is as its owners have it.
   losses: the last ply found losses.  BK_E_SYSTEM: as above. */
enum bk_err bk_share_restore(const struct bk_share *h, struct bk_solver *b, bool losses,
                             struct bk_report *why);

/* Everyone has all slices of the arrays that stay; the rest of the state goes.  BK_E_SYSTEM: no
   memory, for all alike. */
enum bk_err bk_share_spread(const struct bk_share *h, struct bk_state *st, struct bk_report *why);
/* Those have them that want them, `readers` by slice, a bit a process; the rest of the state goes,
   and what this process does not want.  BK_E_SYSTEM: no memory, perhaps here alone. */
enum bk_err bk_share_hand_out(const struct bk_share *h, struct bk_state *st,
                              const uint64_t *readers, struct bk_report *why);

#endif
