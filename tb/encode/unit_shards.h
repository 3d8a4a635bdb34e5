/*
 * unit_shards.h - cuts a unit into shards, and makes and writes them.
 *
 * Window after window: list what its cells are asked (asked.h); cut it; then
 * shard by shard the ribbons (shard.h).
 *
 * Of a window up to four pieces for each thread are asked at a time, as memory
 * bears, and forgotten as soon as their rows are in shards: seldom is more in
 * memory at once, whatever the table.  But with hardly an exception a shard is a
 * window: all its questions wait, some 50 MB, on disk if memory is short.
 */
#ifndef BK_UNIT_SHARDS_H
#define BK_UNIT_SHARDS_H

#include "tb/encode/unit_job.h"
#include "tb/encode/unit_run.h"

/*
 * Keys of a ribbon with which a shard is whole.  A probe asks one shard for the result; for the
 * distance of a lost position it asks one for each reply, nearly always another, so these are
 * smaller (docs/codec.md 6).
 */
enum { BK_RESULT_SHARD_KEYS = 14000, BK_DISTANCE_SHARD_KEYS = 9000 };

/* Makes all shards of the unit, when rates are chosen: their bytes go to the sink, in order, their
   entries to u->directory, and `out` counts both.  If the unit is shared they come to the sink of
   the first process.  Fails with BK_E_SYSTEM, or what the sink said. */
enum bk_err bk_unit_write_shards(struct bk_unit_run *u, struct bk_unit *out, bk_shard_sink *sink,
                                 void *context, struct bk_report *why);

#endif
