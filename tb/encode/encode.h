/*
 * encode.h - codes in memory to files, and back.
 */
#ifndef BK_ENCODE_H
#define BK_ENCODE_H

#include "table/format.h"
#include "tb/memory/checkpoint.h"
#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

/* Positions a chunk of the files that are made here; a multiple of the other. */
#define BK_WDL_CHUNK (1u << 18) /* 64 KiB packed */
#define BK_DTW_CHUNK (1u << 16)

/*
 * Loads a table from its files into memory.  Illegal positions have any value
 * in a file; mark_illegal finds them anew, which solving needs and verifying,
 * with a move generator of its own, must not use.  spill: may be NULL.
 */
enum bk_err bk_load(struct bk_memtable **out, const struct bk_variant *v, const char *dir,
                    const struct bk_material *m, bool distances, bool mark_illegal,
                    struct bk_spill *spill, struct bk_pool *pool, struct bk_report *why);

/*
 * The same with the positions of some sides to move alone (1 white, 2 black):
 * half the time and memory where one will do.  Views of the other side find nothing.
 */
enum bk_err bk_load_sides(struct bk_memtable **out, const struct bk_variant *v, const char *dir,
                          const struct bk_material *m, bool distances, bool mark_illegal,
                          unsigned sides, struct bk_spill *spill, struct bk_pool *pool,
                          struct bk_report *why);

/* Encodes a solved table into its two files (one, without distances). */
enum bk_err bk_encode(struct bk_memtable *t, const struct bk_summary *sum, const char *dir,
                      bool distances, int level, struct bk_pool *pool, uint64_t bytes[2],
                      struct bk_report *why);

/*
 * The same while the table is being solved, so that blocks can be freed.
 * Chunks are packed as soon as all blocks that they touch are there, and lie
 * in a file without a name until finish() puts them in order: a build that is
 * killed leaves nothing.
 *
 * open     t with its digits' order and code_bytes chosen; dir borrowed
 * blocks   these are solved now; sets `encoded` of every block that is through
 * finish   writes the files; bytes: of all chunks of each kind
 */
struct bk_encoder;
enum bk_err bk_encoder_open(struct bk_encoder **out, struct bk_memtable *t, const char *dir,
                            bool distances, int level, struct bk_pool *pool, struct bk_report *why);
enum bk_err bk_encoder_blocks(struct bk_encoder *e, const uint32_t *block, uint32_t n,
                              struct bk_report *why);
enum bk_err bk_encoder_finish(struct bk_encoder *e, const struct bk_summary *sum, uint64_t bytes[2],
                              struct bk_report *why);
void bk_encoder_close(struct bk_encoder *e); /* NULL is fine */
/* Between calls of blocks(): all it has; and back, right after open(). */
void bk_encoder_save(struct bk_encoder *e, struct bk_writer *w);
bool bk_encoder_load(struct bk_encoder *e, struct bk_reader *r);

#endif
