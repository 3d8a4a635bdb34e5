/*
 * paging.h - a block whose sets do not all fit into memory: slices are paged.
 *
 * A pass over a slice reads that slice and those to which a king can go, so the solver knows before
 * the pass which slices it needs.  A thread pins them: a slice that is not resident is read with
 * one large read.  If the budget is exceeded, the slices that were pinned longest ago are evicted,
 * with one large write if they have changed.  Arrays have their full size in addresses; a slice
 * that is not resident has no memory behind its addresses.  So passes need not know about paging.
 *
 *   won, undecided, later   evicted to a file, each slice at its own offset
 *   frontiers               dropped: the ledger's records hold them
 *
 * A slice in which a pass has nothing to do is not read, and a slice in which it found nothing is
 * not written.  Passes take slices in an order in which slices that read each other are near,
 * forwards and backwards in turn: the slices that one pass has read last are those that the next
 * pass reads first.
 */
#ifndef BK_PAGING_H
#define BK_PAGING_H

#include "tb/solve/ledger.h"

struct bk_paging;

enum bk_pass { BK_PASS_INIT, BK_PASS_MATED, BK_PASS_PLY, BK_PASS_FINISH };

/*
 * b       a solver whose state has a ledger and sparse arrays, allocated; borrowed
 * budget  bytes of sets that may be resident; pinned slices may exceed it
 * *out is owned.
 */
enum bk_err bk_paging_new(struct bk_paging **out, struct bk_solver *b, struct bk_ledger *h,
                          struct bk_spill *spill, uint64_t budget, unsigned threads,
                          struct bk_report *why);
void bk_paging_free(struct bk_paging *g); /* NULL is fine */

/* Returns the slice that a pass takes nth.  back: in the reverse order. */
uint32_t bk_paging_nth(const struct bk_paging *g, uint32_t nth, bool back);

/* Returns the bytes that one thread may have pinned. */
uint64_t bk_paging_room(const struct bk_setup *s, size_t slice_bytes);

/*
 * Pins the slices that a pass over `slice` reads or writes: they stay resident until they are
 * unpinned.  side: the pass's; init and finish pin both sides.
 * Threads: any, each with its number; one at a time for a slice and side.  Cost: reading what is
 * not resident and writing what is evicted; some us if nothing is.
 */
void bk_paging_pin(struct bk_paging *g, enum bk_pass pass, uint32_t slice, unsigned side,
                   unsigned thread);
/* Unpins what the thread has pinned.  found: the pass has decided positions, so that its slice has
   changed. */
void bk_paging_unpin(struct bk_paging *g, bool found, unsigned thread);
/* Unpins what the thread has pinned and evicts it unwritten: nobody will read it again. */
void bk_paging_drop(struct bk_paging *g, unsigned thread);
/* After a pass over all slices: frees the frontier that the pass has read. */
void bk_paging_forget(struct bk_paging *g);

/* Pins one slice of one array of sets for a checkpoint, in thread 0; the caller unpins it. changes:
   the caller will overwrite all of it. */
void bk_paging_pin_one(struct bk_paging *g, enum bk_array a, unsigned side, uint32_t slice,
                       bool changes);

/* Returns whether the disk has refused a read or a write; then all later results are void. */
bool bk_paging_failed(const struct bk_paging *g);

#endif
