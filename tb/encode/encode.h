/*
 * encode.h - a solved table becomes its files.
 *
 * A file is made of units (table/format.h), each of a side to move and a run of
 * blocks.  A unit is encoded as soon as its blocks are solved, and lies in a
 * file without a name until all are there: a build that is killed leaves nothing.
 */
#ifndef BK_ENCODE_H
#define BK_ENCODE_H

#include "table/format.h"
#include "tb/encode/unit.h"
#include "tb/memory/checkpoint.h"
#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

struct bk_encode_options {
    bool distances;  /* a .bkd, too */
    bool standalone; /* files that answer alone: larger */
    enum bk_effort effort;
    uint64_t memory_bytes; /* that may be used to be quicker; bytes do not depend on it */
};

/*
 * About how many bytes encoding takes at its worst, besides the codes and what each thread has for
 * itself (some 8 MiB).  own: of that, what no spill holds.
 *
 * some        of several processes: that of those which takes most.  The first of all learns large
 *             units, of rows that the others send, and their shards come to it.
 * file_bytes  what the files will take, by kind: shards that are sent
 */
struct bk_encode_question {
    const struct bk_index *ix;
    const struct bk_encode_options *options;
    unsigned threads;
    struct bk_some_ranks some;
    uint64_t file_bytes[2];
};
enum bk_err bk_encode_estimate(uint64_t *peak, uint64_t *own, const struct bk_encode_question *q,
                               struct bk_report *why);

/* About how many bytes all processes send each other while they encode: rows that are learned from,
   with what is made of them, and shards.  q->some: any. */
enum bk_err bk_encode_traffic(uint64_t *rows, uint64_t *shards, const struct bk_encode_question *q,
                              struct bk_report *why);

/* Of the nth unit of a table (with this side to move, or both) some processes encode a part each:
   the largest, of all of its numbers and sides. */
double bk_encode_share(const struct bk_index *ix, unsigned nth, const struct bk_unit_place *p,
                       struct bk_some_ranks some);

struct bk_encoder;

/* t: order of digits and code_bytes are set; borrowed as dir and pool. */
enum bk_err bk_encoder_open(struct bk_encoder **out, struct bk_memtable *t, const char *dir,
                            const struct bk_encode_options *o, struct bk_pool *pool,
                            struct bk_report *why);
void bk_encoder_close(struct bk_encoder *e); /* NULL is fine */

/*
 * These blocks are solved now, with what exits attain.  Encodes the units that
 * are whole by that; their blocks become `encoded`, and what their exits attain is freed.
 * BK_E_SYSTEM: no memory, disk, or stopped.
 */
enum bk_err bk_encoder_blocks(struct bk_encoder *e, const uint32_t *block, uint32_t n,
                              struct bk_report *why);

/* The units of a table, and how many processes (memory/ranks.h) encode it. */
struct bk_encode_places {
    const struct bk_index *ix;
    const struct bk_unit_place *place; /* bk_units_of() */
    bool one_side;
    unsigned ranks;
};
/* The processes that encode what `side` to move is worth in a slice of a block, a bit each; all:
   everyone may ask for it. */
uint64_t bk_encode_readers(const struct bk_encode_places *e, uint32_t block, uint32_t slice,
                           unsigned side);
/* The same. */
uint64_t bk_encoder_readers(const struct bk_encoder *e, uint32_t block, uint32_t slice,
                            unsigned side);

/* All blocks are there: writes the files.  bytes: of the file of each kind. */
enum bk_err bk_encoder_finish(struct bk_encoder *e, const struct bk_summary *sum, uint64_t bytes[2],
                              struct bk_report *why);

/* Between calls of blocks(): the units that are done; and back, right after open(). */
void bk_encoder_save(struct bk_encoder *e, struct bk_writer *w);
bool bk_encoder_load(struct bk_encoder *e, struct bk_reader *r);

#endif
