/*
 * shards.h - the shards of a file that have been read, for any number of threads.
 *
 * A shard is read and checked before its first answer, and stays until others
 * need its room.  The whole file's shards stay where they are few (a small
 * file is read at once) or fit the budget; then an answer costs one atomic
 * load.  Else the shards that answers are being read from are pinned, at the
 * cost of two atomic additions.
 *
 * One cache a file, for now.  Those who ask know neither how much is kept nor
 * what goes first, so that one budget for many files may come in its place.
 */
#ifndef BK_SHARDS_H
#define BK_SHARDS_H

#include <stdint.h>

#include "core/err.h"

#define BK_SHARDS_SMALL                                                                            \
    (UINT64_C(256) << 10) /* bytes: read as a whole, at once; nearly all with four men */
#define BK_SHARDS_BUDGET (UINT64_C(64) << 20) /* bytes a file keeps */

struct bk_shards;

/*
 * fd, path  of the file, borrowed
 * n         shards, of all units
 * at, bytes where they lie in the file
 * budget    bytes to keep; BK_SHARDS_BUDGET but in tests
 * *out is owned.  Returns BK_OK or BK_E_SYSTEM.
 */
enum bk_err bk_shards_new(struct bk_shards **out, int fd, const char *path, uint64_t n, uint64_t at,
                          uint64_t bytes, uint64_t budget, struct bk_report *why);
void bk_shards_free(struct bk_shards *c); /* NULL is fine; nothing may be pinned */

/* One shard. */
struct bk_shard_place {
    uint64_t nth;   /* of the file */
    uint32_t local; /* of its unit: the seed of its checksum */
    uint32_t bytes; /* not 0 */
    uint64_t at;    /* in the file */
    uint32_t sum;
};

/*
 * The bytes of a shard, checked, until bk_shards_drop(), which must follow.
 * Returns BK_OK; BK_E_CORRUPT (cut short, checksum); BK_E_SYSTEM.
 */
enum bk_err bk_shards_get(struct bk_shards *c, const struct bk_shard_place *place,
                          const uint8_t **out, struct bk_report *why);
void bk_shards_drop(struct bk_shards *c, uint64_t nth);

/* Reads and checks a shard into `room`, past the cache. */
enum bk_err bk_shards_read(const struct bk_shards *c, const struct bk_shard_place *place,
                           uint8_t *room, struct bk_report *why);

/* Reads all bytes of a small file, each shard still to be checked; nothing of a larger one.  For
   who is about to ask.  An error is told when a shard is asked. */
void bk_shards_warm(struct bk_shards *c);

/* Bytes that are kept now. */
uint64_t bk_shards_kept(struct bk_shards *c);

#endif
