/*
 * paging.h - a block's sets that do not all fit into memory: whole slices of
 * them, those that are needed.
 *
 * It is known which slices a pass over a slice reads: its own, and those to
 * which a king can go.  So a thread pins these before the pass, and they are
 * brought in with one large read each; what has not been pinned for longest
 * goes, with one large write if it has changed.  Arrays have their full size
 * and no memory where nothing is, so that passes know nothing of this.
 *
 *   won, undecided, later   in a file, each slice in its place
 *   frontiers               nowhere: the ledger has noted what is in them
 *
 * Slices in which there is nothing to do are not brought in, and one in which
 * nothing was found is not written.  Passes take slices in an order in which
 * those that read each other are near, forwards and backwards in turn: what the
 * end of one had is what the next one begins with.
 */
#ifndef BK_PAGING_H
#define BK_PAGING_H

#include "tb/solve/ledger.h"

struct bk_paging;

enum bk_pass { BK_PASS_INIT, BK_PASS_MATED, BK_PASS_PLY, BK_PASS_FINISH };

/*
 * b       its state is with a ledger, sparse, its arrays there; borrowed
 * budget  bytes of sets that may be in memory; what is pinned may exceed it
 * *out is owned.
 */
enum bk_err bk_paging_new(struct bk_paging **out, struct bk_solver *b, struct bk_ledger *h,
                          struct bk_spill *spill, uint64_t budget, unsigned threads,
                          struct bk_report *why);
void bk_paging_free(struct bk_paging *g); /* NULL is fine */

/* The slice that a pass takes nth: neighbours are near each other.  back: the other way round. */
uint32_t bk_paging_nth(const struct bk_paging *g, uint32_t nth, bool back);

/* Bytes that one thread may have pinned. */
uint64_t bk_paging_room(const struct bk_setup *s, size_t slice_bytes);

/*
 * Pins what a pass over a slice, of one side or (init, finish) both, touches: it is in memory until
 * it is unpinned.  Threads: any, each with its number, and one at a slice and side.  Cost: that of
 * what is moved; some us where nothing is.
 */
void bk_paging_pin(struct bk_paging *g, enum bk_pass pass, uint32_t slice, unsigned side,
                   unsigned thread);
/* Unpins what the thread has pinned.  found: the pass has found something; else what it would have
   changed is as it was. */
void bk_paging_unpin(struct bk_paging *g, bool found, unsigned thread);
/* Unpins what the thread has pinned and nobody will read again: it goes, unwritten. */
void bk_paging_drop(struct bk_paging *g, unsigned thread);
/* After a pass over all slices: lets the frontier go that the pass has used. */
void bk_paging_forget(struct bk_paging *g, bool losses);

/* Pins one slice of one array (sets) for a checkpoint, in thread 0; to be unpinned.  changes: all
   of it will be written. */
void bk_paging_pin_one(struct bk_paging *g, enum bk_array a, unsigned side, uint32_t slice,
                       bool changes);

/* The disk has refused: nothing that follows counts. */
bool bk_paging_failed(const struct bk_paging *g);

#endif
