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

#include "tb/encode/input.h"
#include "tb/encode/sample.h"
#include "tb/encode/work.h"
#include "tb/memory/meter.h"
#include "tb/memory/pool.h"
#include "tb/memory/ranks.h"
#include "tb/memory/spill.h"

#define BK_BITS_AS_TOLD 8 /* of values; if they may have more bits, those in use are counted */

struct bk_unit_options {
    enum bk_effort effort;
    /* Bytes to remember cells in instead of descending again, even if learning takes less. */
    uint64_t memory_bytes;
    uint64_t room_bytes;    /* limit of all that it takes: less is remembered then; 0: none */
    struct bk_spill *spill; /* of what is learned from and counted; NULL is fine */
    /* The sample, if it has been taken already, only of values of up to BK_BITS_AS_TOLD bits; if
       its `bits` are NULL, its `rows`, if they have been chosen.  NULL: neither.  Released. */
    struct bk_sample *sample;
    /* All processes encode it together (memory/ranks.h); the source can fetch and serve.  The
       shards come to the first one's sink. */
    bool shared;
    bool distances; /* its values are distances: its shards are smaller */
    /* Is told of the passes: as steps of their own, or, of a unit beside others, as parts of a step
       that has begun.  NULL is fine. */
    struct bk_meter *meter;
    bool beside;
    struct bk_unit_known known; /* what its passes were foretold from */
    double work;                /* seconds that encoding the table was foretold to take */
};

/* Takes the bytes of the next shards, in order.  Anything but BK_OK ends the encoding. */
typedef enum bk_err bk_shard_sink(void *context, const void *bytes, size_t n,
                                  struct bk_report *why);

struct bk_unit {
    uint8_t *model, *directory; /* owned */
    size_t model_bytes, directory_bytes;
    uint64_t shard_bytes; /* what the sink took */
    uint32_t leaves, shards;
};

/* Notes what a sample tells of its unit. */
void bk_unit_know_sample(struct bk_unit_known *known, const struct bk_sample *s);

/* Fails with BK_E_SYSTEM (memory; stopped by the pool's signal) or what the sink said; then
   `out` holds nothing. */
enum bk_err bk_unit_encode(struct bk_unit *out, const struct bk_unit_source *src,
                           const struct bk_unit_options *options, struct bk_pool *pool,
                           bk_shard_sink *sink, void *context, struct bk_report *why);
void bk_unit_release(struct bk_unit *u);

/* == Shares of processes == */

/* Returns the process that encodes `number` of a shared unit, which has the numbers from first to
   end - 1.  Shares are whole windows, so the first process may have none. */
unsigned bk_unit_rank(uint64_t first, uint64_t end, uint64_t number, unsigned ranks);
/* Returns how many numbers of a unit the process encodes that has most, of `some`. */
uint64_t bk_unit_most(uint64_t numbers, struct bk_some_ranks some);

/* == Memory ==
 * Learning takes the most, so the rest may take as much, or more if the caller has more; remembered
 * cells fill what is left of it beside counts, codes and questions.
 */

/*
 * What bk_unit_encode() takes at its worst with so many threads, estimated.  How many leaves there
 * will be, and how often a row is asked something, is not known: that share is measured.
 */
struct bk_unit_memory {
    uint64_t columns;  /* what is learned from; there until the tree is grown */
    uint64_t sampling; /* besides, while they are filled, and learned from */
    uint64_t writing;  /* afterwards, in their place */
    uint64_t own;      /* with a spill: what does not go there */
};
struct bk_unit_memory bk_unit_memory(const struct bk_unit_size *n,
                                     const struct bk_unit_options *options, unsigned threads);

#endif
