/*
 * write.h - how a table file appears: docs/format.md 11.
 */
#ifndef BK_WRITE_H
#define BK_WRITE_H

#include "table/info.h"

/* A unit as the codec has made it. */
struct bk_unit_bytes {
    uint32_t nblocks;
    uint32_t shards;
    const uint8_t *model, *directory; /* borrowed; shards * BK_SHARD_ENTRY_BYTES */
    size_t model_bytes;
    const uint8_t *shard; /* borrowed, one after the other; NULL: in the scratch file */
    uint64_t shard_bytes;
    uint64_t at; /* in the scratch file */
};

/* Makes the folders that a path goes through.  False: errno. */
bool bk_file_folders(const char *path);
/* Opens a new file in a folder, without a name, or not for long; -1: errno. */
int bk_file_nameless(const char *folder);
/* As bk_file_nameless(), beside `path`, whose folders are made. */
int bk_file_scratch(const char *path);

/* Makes a new file to write to: what had its name, whole or not, a file or a link, goes.  -1:
   errno. */
int bk_file_create(const char *path);

/*
 * Writes a whole file under a temporary name beside `path`, and syncs it; bk_file_publish() gives
 * it its name, or bk_file_withdraw() removes it.  unit: info->nunits of them, as bk_units_of()
 * orders them.  scratch: the file of shards that are not in memory.  On failure nothing is left.
 */
enum bk_err bk_file_write(const char *path, const struct bk_file_info *info,
                          const struct bk_unit_bytes *unit, int scratch, struct bk_report *why);

enum bk_err bk_file_publish(const char *path, struct bk_report *why);
void bk_file_withdraw(const char *path); /* it need not be there */

#endif
