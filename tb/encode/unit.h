/*
 * unit.h - makes the model, directory and shards (table/model.h) of a unit.
 *
 * A unit is one side to move and a run of numbers of a table.  Where its values
 * come from is the caller's: rows, in any order, from any thread.
 *
 * The bytes depend on the values, the facts and the effort alone: not on the
 * number of threads or processes, the machine, or how much memory may be used.
 */
#ifndef BK_UNIT_H
#define BK_UNIT_H

#include "tb/encode/unit_job.h"
#include "tb/memory/pool.h"
#include "tb/memory/ranks.h"

/* Returns the process that encodes `number` of a shared unit, which has the numbers from first to
   end - 1.  Shares are whole windows, so the first process may have none. */
unsigned bk_unit_rank(uint64_t first, uint64_t end, uint64_t number, unsigned ranks);
/* Returns how many numbers of a unit the process encodes that has most, of `some`. */
uint64_t bk_unit_most(uint64_t numbers, struct bk_some_ranks some);

/* Fails with BK_E_SYSTEM (memory; stopped by the pool's signal) or what the sink said; then
   `out` holds nothing. */
enum bk_err bk_unit_encode(struct bk_unit *out, const struct bk_unit_source *src,
                           const struct bk_unit_options *options, struct bk_pool *pool,
                           bk_shard_sink *sink, void *context, struct bk_report *why);
void bk_unit_release(struct bk_unit *u);

#endif
