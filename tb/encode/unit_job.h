/*
 * unit_job.h - what the encoder of a unit is asked to do, and what it gives.
 */
#ifndef BK_UNIT_JOB_H
#define BK_UNIT_JOB_H

#include "tb/encode/input.h"
#include "tb/encode/sample.h"
#include "tb/encode/work.h"
#include "tb/memory/meter.h"
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
    bool distances;              /* its values are distances: its shards are smaller */
    struct bk_meter *meter;      /* is told of the passes behind the first; NULL is fine */
    double part[BK_UNIT_PASSES]; /* of the table's encoding that each of them is */
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

#endif
