/*
 * shards.h - the shards of a file that have been read, for any number of threads.
 *
 * A shard is read and checked before its first answer, outside of locks, and stays until the cache
 * needs its room (cache.h).  A small file is read as a whole, at once; each shard is still
 * checked when it is first asked.
 */
#ifndef BK_SHARDS_H
#define BK_SHARDS_H

#include <stdint.h>

#include "table/cache.h"
#include "table/readers.h"

#define BK_SHARDS_SMALL                                                                            \
    (UINT64_C(256) << 10) /* bytes: read as a whole, at once; nearly all with four men */
#define BK_SHARDS_HOSTED                                                                           \
    (UINT64_C(4) << 10) /* the same where bytes come from afar: a large shard */

struct bk_shards;

/*
 * cache   borrowed: keeps them
 * file    borrowed; path: its name
 * worth   of a shard
 * n       shards, of all units
 * at, bytes  where they lie in the file
 */
struct bk_shards_of {
    struct bk_cache *cache;
    struct bk_reader *file;
    const char *path;
    enum bk_held_worth worth;
    uint64_t n, at, bytes;
};
/* *out is owned.  Returns BK_OK, BK_E_SYSTEM. */
enum bk_err bk_shards_new(struct bk_shards **out, const struct bk_shards_of *of,
                          struct bk_report *why);
void bk_shards_free(struct bk_shards *s);            /* NULL is fine; nobody may be asking */
uint64_t bk_shards_bytes(const struct bk_shards *s); /* of itself, without what is held */

/* One shard. */
struct bk_shard_place {
    uint64_t nth;   /* of the file */
    uint32_t local; /* of its unit: the seed of its checksum */
    uint32_t bytes; /* not 0 */
    uint64_t at;    /* in the file */
    uint32_t sum;
};

/*
 * Sets *out to the bytes of a shard, checked; they stay until the visit ends in which it is asked.
 * Returns BK_OK; BK_E_CORRUPT (cut short, checksum); BK_E_SYSTEM; BK_E_NOT_CACHED;
 * BK_E_OVER_BUDGET.
 */
enum bk_err bk_shards_get(struct bk_shards *s, const struct bk_shard_place *place,
                          const uint8_t **out, struct bk_report *why);

/* Returns the bytes of a shard if they are in memory and have been checked, else NULL.  nth, at: of
   its place. */
const uint8_t *bk_shards_there(const struct bk_shards *s, uint64_t nth, uint64_t at);

/* Reads and checks a shard into `room`, past the cache. */
enum bk_err bk_shards_read(const struct bk_shards *s, const struct bk_shard_place *place,
                           uint8_t *room, struct bk_report *why);

/* For callers who are about to ask: reads all bytes of a small file, each shard still to be
   checked, and nothing of a larger one.  An error is told when a shard is asked. */
void bk_shards_warm(struct bk_shards *s);

/* Prefetches what leads to a shard that will be asked for soon. */
void bk_shards_ahead(const struct bk_shards *s, uint64_t nth);

#endif
