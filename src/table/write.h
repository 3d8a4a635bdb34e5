/*
 * write.h - writes table files, whole or not at all: docs/format.md 11.
 */
#ifndef BK_WRITE_H
#define BK_WRITE_H

#include "table/head.h"

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

#define BK_PART_MAX 4224

/*
 * Makes a new file that is to become `path`, under PATH.part; what had that name, whole or not, a
 * file or a link, goes.  Another user's stays: then the file is PATH.UID.part.  -1: errno.
 */
int bk_file_create_part(char part[BK_PART_MAX], const char *path);
/*
 * The same, of a file that comes from elsewhere, piece by piece: what has come of it before stays,
 * and *bytes tells how much that is, if it is a plain file of this user that has no other name.
 * For reading and writing, from its beginning.
 */
int bk_file_resume_part(char part[BK_PART_MAX], const char *path, uint64_t *bytes);
/* Is there a file, or a link, of another user than this process's?  Root owns all. */
bool bk_file_is_others(const char *path);

/*
 * Writes a whole file under a temporary name beside `path`, and syncs it; bk_file_publish() gives
 * it its name, or bk_file_withdraw() removes it.  unit: info->nunits of them, as bk_units_of()
 * orders them.  scratch: the file of shards that are not in memory.  On failure nothing is left.
 */
enum bk_err bk_file_write(const char *path, const struct bk_file_info *info,
                          const struct bk_unit_bytes *unit, int scratch, struct bk_report *why);

/* Syncs a file to the disk.  False: errno. */
bool bk_file_sync(int fd);
/* Gives a file that is whole and synced its name. */
enum bk_err bk_file_publish(const char *path, struct bk_report *why);
/* Removes what was to become the file, under either name; none need be there. */
void bk_file_withdraw(const char *path);

#endif
