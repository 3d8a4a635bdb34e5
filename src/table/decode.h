/*
 * decode.h - the value of one position in a table file.
 *
 * A number is answered by the codec (table/model.h) from the model of its unit
 * and one shard of a few KB; nothing is decoded first.
 *
 * Threads: any number may ask one file.
 */
#ifndef BK_DECODE_H
#define BK_DECODE_H

#include "table/format.h"

/* Where a file keeps a position. */
struct bk_spot {
    unsigned side;
    uint64_t number, row;   /* row: the first number of its row */
    struct bk_placement at; /* turned as the number has it */
};

/* Sets `number` and `row` from spot->at, which it turns as the number has it; spot->side is the
   caller's.  False: the placement has no number. */
bool bk_spot_number(struct bk_spot *spot, const struct bk_file *f);

/*
 * Sets *value to what the file says of one position: wdl (BK_WDL_*), or k.  See
 * format.h for what that means; a position that is never asked gives some number.
 *
 * side    to move; 0 of files with one side
 * number  of the position
 * at      where the men stand, turned as the number has them (bk_index_rank_turned()).
 *         No two on one square.
 *
 * Returns BK_OK, BK_E_CORRUPT, BK_E_USAGE (no such number), BK_E_SYSTEM.
 * Cost: 50 to 200 ns; cold, one read of some 3 KB, after a first read of the model.
 */
enum bk_err bk_file_value(struct bk_file *f, unsigned side, uint64_t number,
                          const struct bk_placement *at, unsigned *value, struct bk_report *why);

/*
 * bk_file_value() in steps, between which something else may be done: bk_file_look() looks at the
 * position, bk_file_ask() finds what answers, bk_file_told() returns the value.  A look that one
 * file of a table has made serves the other.  All within one read section of the file's cache.
 */
struct bk_file_ask {
    const struct bk_file *of; /* NULL: nothing is asked */
    const struct bk_model *model;
    const struct bk_shard *shard;
    const uint8_t *bytes;
    struct bk_row_hashes hashes;
    int32_t code;
    uint8_t square;
};

enum bk_err bk_file_look(struct bk_file *f, const struct bk_placement *at,
                         struct bk_fact_look *look, struct bk_report *why);
/* Returns what bk_file_value() does; out->of is set on BK_OK only. */
enum bk_err bk_file_ask(struct bk_file_ask *out, struct bk_file *f, const struct bk_spot *spot,
                        struct bk_fact_look *look, struct bk_report *why);
/* Prefetches what bk_file_told() will read, for callers who do something else before it. */
void bk_file_ahead(const struct bk_file_ask *ask);
unsigned bk_file_told(const struct bk_file_ask *ask);

/* == Reading ahead == */

/* Reads only the model that answers a number.  Errors: as bk_file_value(). */
enum bk_err bk_file_model(struct bk_file *f, unsigned side, uint64_t number, struct bk_report *why);

/* Sets *value to what the model alone takes for likely: the value of most positions that it cannot
   tell from this one.  Errors: as bk_file_value(). */
enum bk_err bk_file_likely(struct bk_file *f, unsigned side, uint64_t number,
                           const struct bk_placement *at, unsigned *value, struct bk_report *why);

/* Reads models and shards ahead, as long as the cache uses no more than `full` bytes, so that
   nothing is evicted for them.  *room: was there room for all? */
enum bk_err bk_file_warm(struct bk_file *f, uint64_t full, bool *room, struct bk_report *why);

#endif
