/*
 * encode.h - a solved table becomes its files.
 *
 * A file is made of units (table/format.h), each of a side to move and a run of
 * blocks.  A unit is encoded as soon as its blocks are solved, and lies in a
 * file without a name until all are there: a build that is killed leaves nothing.
 */
#ifndef BK_ENCODE_H
#define BK_ENCODE_H

#include "tb/encode/foretell.h"
#include "tb/memory/checkpoint.h"
#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

struct bk_encoder;

/* *out owned.  t: its order of digits and code_bytes are set; t, dir and pool are borrowed. */
enum bk_err bk_encoder_open(struct bk_encoder **out, struct bk_memtable *t, const char *dir,
                            const struct bk_encode_options *o, struct bk_pool *pool,
                            struct bk_report *why);
void bk_encoder_close(struct bk_encoder *e); /* NULL is fine */

/*
 * Takes n blocks that are solved now, with what exits attain.  Encodes the units whose blocks are
 * all solved; these blocks become `encoded`, and what their exits attain is freed.
 * BK_E_SYSTEM: no memory, disk, or stopped.
 */
enum bk_err bk_encoder_blocks(struct bk_encoder *e, const uint32_t *block, uint32_t n,
                              struct bk_report *why);

/* bk_encode_readers() for the processes that are running. */
uint64_t bk_encoder_readers(const struct bk_encoder *e, uint32_t block, uint32_t slice,
                            unsigned side);

/* Writes the files, when all blocks are encoded.  bytes: set to the sizes of the files, results and
   distances; 0: it was not written. */
enum bk_err bk_encoder_finish(struct bk_encoder *e, const struct bk_summary *sum, uint64_t bytes[2],
                              struct bk_report *why);

/* == Checkpoints ==
 * A checkpoint has which blocks are solved, the units that are done, and the shards of these.  A
 * unit under way is not in it, but encoded again.
 */

/* Save the units that are done, between calls of bk_encoder_blocks(); load them, right after
   bk_encoder_open().  False: no memory, or what is read cannot be right. */
void bk_encoder_save(struct bk_encoder *e, struct bk_writer *w);
bool bk_encoder_load(struct bk_encoder *e, struct bk_reader *r);

#endif
