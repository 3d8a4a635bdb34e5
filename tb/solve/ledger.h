/*
 * ledger.h - the ply log: retrograde analysis with the distances in an append-only file instead of
 * an array in memory.
 *
 * The array of distances (BK_DTW, a byte a position) is most of a block's state.  A ply reads and
 * writes a few bytes of it, scattered over all of it, so it cannot be paged.  If it does not fit
 * into memory, the solver runs the plies on sets of positions alone and appends what each ply
 * decides to a log (memory/log.h).  k is as in state.h.  There are two kinds of records; each holds
 * sets of positions of one slice and one side to move, packed (memory/notes.h):
 *
 *   exits   written when init() values a slice's exits (conversions): one record for each k, with
 *           the positions whose best exit wins, or loses, at that k; wins and losses apart.  The
 *           pass of that ply reads it.
 *   found   written after each pass that decides positions of the slice: these positions, the
 *           frontier.  bk_ledger_finish() reads all of a slice's records and makes its codes.
 *
 * A pass also asks whether the losing exit of a position counts only later.  The bit array BK_LATER
 * answers that.  With a ledger a pass looks at every position whose losing exit counts at its ply;
 * without one, only at those whose quiet moves are refuted by then.
 *
 * Invariants
 *   - the exits records of a slice, side and kind are in rising order of k; each links to the next
 *   - each found record links to the previous found record of the same slice and side
 * So a ledger keeps one link per slice, side and kind in memory, however many plies there are.
 *
 * Cost: each record is written once and read once; some bytes per decided position and less per
 * exit (docs/solving.md 10).  No position is searched for in a file.
 */
#ifndef BK_LEDGER_H
#define BK_LEDGER_H

#include "tb/kernel/solver.h"
#include "tb/kernel/tally.h"
#include "tb/memory/checkpoint.h"
#include "tb/memory/memtable.h"

struct bk_ledger;

/* s: a setup with .ledger set; borrowed.  *out is owned. */
enum bk_err bk_ledger_new(struct bk_ledger **out, const struct bk_setup *s, struct bk_spill *spill,
                          unsigned threads, struct bk_report *why);
void bk_ledger_free(struct bk_ledger *h); /* NULL is fine */

/* Returns the bytes of memory that a ledger takes for each thread: a slice's codes, and records
   that are being packed. */
uint64_t bk_ledger_bytes(const struct bk_setup *s);

/*
 * The steps of a slice.
 *
 * init    runs the kernel's init() and writes the exits records
 * ripen   before a pass of st->ply: reads the exits record of this ply and gives it to the kernel's
 *         ripen()
 * found   after a pass that has decided positions: writes a found record
 * finish  reads the found records, runs the kernel's finish() and, if the setup attains, attain();
 *         then copies the values to mb's arrays
 *
 * Threads: any, each with its number and scratch; one at a time for a slice and side.
 */
void bk_ledger_init(struct bk_ledger *h, struct bk_solver *b, uint32_t slice, void *scratch,
                    unsigned thread);
void bk_ledger_ripen(struct bk_ledger *h, struct bk_solver *b, uint32_t slice, unsigned side,
                     void *scratch, unsigned thread);
bool bk_ledger_is_due(const struct bk_ledger *h, const struct bk_state *st, uint32_t slice,
                      unsigned side); /* whether ripen() has a record to read */
void bk_ledger_found(struct bk_ledger *h, const struct bk_solver *b, uint32_t slice, unsigned side,
                     unsigned thread);
void bk_ledger_finish(struct bk_ledger *h, struct bk_solver *b, struct bk_memblock *mb,
                      uint32_t slice, struct bk_tally *tally, void *scratch, unsigned thread);

/*
 * frontier  reads the found record of a slice's frontier (BK_WINS, BK_LOSSES or BK_LOSSES_ODD) back
 *           into that array; vectors that are not in the record are left as they are
 * delays    returns whether a losing exit of the slice may count at this ply or later
 */
void bk_ledger_frontier(struct bk_ledger *h, const struct bk_solver *b, uint32_t slice,
                        unsigned side, enum bk_array frontier, unsigned thread);
bool bk_ledger_delays(const struct bk_ledger *h, const struct bk_state *st, unsigned side,
                      uint32_t slice);

/* Returns whether the log or an allocation has failed; then all later results are void. */
bool bk_ledger_failed(const struct bk_ledger *h);

/* Write the ledger to a checkpoint, and read it back into a new ledger.  load() returns false if
   the checkpoint cannot be read. */
void bk_ledger_save(const struct bk_ledger *h, struct bk_writer *w);
bool bk_ledger_load(struct bk_ledger *h, struct bk_reader *r);

#endif
