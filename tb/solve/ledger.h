/*
 * ledger.h - at which ply a position is decided, of a block whose numbers do
 * not fit into memory.
 *
 * A byte a position (BK_DTW) is most of a block's state, and a ply touches all
 * of it: here and there a few.  So where memory is short it is not there while
 * plies are run.  Its numbers go to a log (memory/log.h) and come back once:
 *
 *   exits   when a slice is begun: of each k (plies / 2) the positions whose exit
 *           counts at that ply, wins and losses apart.  The pass of that ply
 *           reads its own.
 *   found   after each pass: the frontier it leaves.  All of a slice's are
 *           read when it is finished, and make its codes.
 *
 * What else a pass asks of a position, whether its losing exit is still to
 * come, is a bit of BK_LATER.  Positions wait by k alone: a losing exit's ply has
 * all its positions looked at, refuted or not (without a ledger, refuted ones).
 *
 * Invariants
 *   - exits of a slice, a side and a kind lie in the log by rising k; each names the next
 *   - what was found in a slice by a side names what was found there before
 * so that few places are remembered, however many plies there are.
 *
 * Cost: written and read once each, some bytes for a position decided and less
 * for an exit (docs/solving.md 10); no positions are sought in files.
 */
#ifndef BK_LEDGER_H
#define BK_LEDGER_H

#include "tb/kernel/solver.h"
#include "tb/kernel/tally.h"
#include "tb/memory/checkpoint.h"
#include "tb/memory/memtable.h"

struct bk_ledger;

/* s: with .ledger; borrowed.  *out is owned. */
enum bk_err bk_ledger_new(struct bk_ledger **out, const struct bk_setup *s, struct bk_spill *spill,
                          unsigned threads, struct bk_report *why);
void bk_ledger_free(struct bk_ledger *h); /* NULL is fine */

/* Returns the bytes of memory that a ledger takes for each thread: codes of a slice, and notes. */
uint64_t bk_ledger_bytes(const struct bk_setup *s);

/*
 * Threads: any, each with its number and scratch, and one at a slice and side.
 *
 * init    the kernel's, and notes exits
 * ripen   before a pass of st->ply: what counts at this ply, for the kernel
 * found   after a pass that has found something
 * finish  the kernel's finish() and, where that is asked, attain(); then values go to mb's arrays
 */
void bk_ledger_init(struct bk_ledger *h, struct bk_solver *b, uint32_t slice, void *scratch,
                    unsigned thread);
void bk_ledger_ripen(struct bk_ledger *h, struct bk_solver *b, uint32_t slice, unsigned side,
                     void *scratch, unsigned thread);
bool bk_ledger_is_due(const struct bk_ledger *h, const struct bk_state *st, uint32_t slice,
                      unsigned side); /* has ripen() anything to do? */
void bk_ledger_found(struct bk_ledger *h, const struct bk_solver *b, uint32_t slice, unsigned side,
                     unsigned thread);
void bk_ledger_finish(struct bk_ledger *h, struct bk_solver *b, struct bk_memblock *mb,
                      uint32_t slice, struct bk_tally *tally, void *scratch, unsigned thread);

/*
 * frontier  reads the last frontier of a slice back into the state's array; vectors that are not
 *           noted stay as they are
 * delays    returns whether a losing exit may count there at this ply or later
 */
void bk_ledger_frontier(struct bk_ledger *h, const struct bk_solver *b, uint32_t slice,
                        unsigned side, bool losses, unsigned thread);
bool bk_ledger_delays(const struct bk_ledger *h, const struct bk_state *st, unsigned side,
                      uint32_t slice);

/* The log has refused, or memory: nothing that follows counts. */
bool bk_ledger_failed(const struct bk_ledger *h);

/* Write the ledger to a checkpoint, and read it back into a new one; false: it cannot be read. */
void bk_ledger_save(const struct bk_ledger *h, struct bk_writer *w);
bool bk_ledger_load(struct bk_ledger *h, struct bk_reader *r);

#endif
