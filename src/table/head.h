/*
 * head.h - the head of a table file: all but its values, to bytes and back.
 *
 * Bytes are checked one by one here; what they mean in a game is checked by
 * those who know it (format.c).  Source: docs/format.md 2 to 5.
 */
#ifndef BK_HEAD_H
#define BK_HEAD_H

#include "table/info.h"
#include "table/model.h"

#define BK_HEAD_FIRST     16u /* bytes that bk_head_bytes() wants */
#define BK_HEAD_LEAST     32u
#define BK_HEAD_MOST      (1u << 20)
#define BK_UNITS_MAX      4096u
#define BK_UNIT_SHARD_MAX UINT64_C(0xffffffff)

struct bk_unit_head {
    uint32_t nblocks, shards;
    uint64_t model_bytes, shard_bytes;
    uint32_t sum; /* of model and directory */
};

struct bk_head {
    struct bk_file_info info;
    uint32_t bytes;
    struct bk_unit_head *unit; /* owned; info.nunits of them */
};

static inline uint64_t bk_directory_bytes(const struct bk_unit_head *u)
{
    return (uint64_t)u->shards * BK_SHARD_ENTRY_BYTES;
}

/*
 * Sets *out to the bytes of the head that begins with `first`.  Checks magic number and that
 * length, which all versions have.  path: for messages.  BK_E_CORRUPT: not ours, older, damaged.
 */
enum bk_err bk_head_bytes(uint32_t *out, const uint8_t first[BK_HEAD_FIRST], uint64_t file_bytes,
                          const char *path, struct bk_report *why);

/* Reads a whole head, bk_head_bytes() long.  out->unit is owned on BK_OK, NULL else.  BK_E_NEWER:
   it has what a later version added, and its checksum is right; BK_E_CORRUPT. */
enum bk_err bk_head_parse(struct bk_head *out, const uint8_t *bytes, uint32_t n, const char *path,
                          struct bk_report *why);

/* Returns the bytes of a head, owned, and sets h->bytes; NULL: no memory. */
uint8_t *bk_head_write(struct bk_head *h);

#endif
