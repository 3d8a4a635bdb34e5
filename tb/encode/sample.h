/*
 * sample.h - the positions that a tree is learned from, as columns of bits.
 *
 * It is a random sample of rows, always the same ones, and of a large unit a part of the squares of
 * each: every fact becomes a column of bits, one a position, and so does every bit of the values.
 *
 * Units of the same numbers (both sides to move; results and distances) learn from the same rows.
 * To work out all facts of a row takes longer than anything else about it, so their samples are
 * taken together while memory allows; either way they are the same.
 */
#ifndef BK_SAMPLE_H
#define BK_SAMPLE_H

#include "tb/encode/input.h"
#include "tb/memory/pool.h"
#include "tb/memory/spill.h"

#define BK_SAMPLES_MAX 4 /* taken together */

struct bk_sample {
    double bytes;         /* of the file for the unit, by a first tree; 0: none was made */
    uint32_t rows;        /* to learn from, as if taken whole; 0: not chosen, as many as may be */
    uint64_t *bits;       /* owned; column j begins at bits[j * room] */
    unsigned facts;       /* columns; behind them those of the values' bits, and of the bounds */
    uint64_t positions;   /* bits of a column */
    size_t room;          /* words of a column: some to spare, for parts of sets */
    uint64_t covered;     /* numbers of the sampled rows, as far as their squares are taken */
    bool partly;          /* not all rows are learned from */
    uint64_t first_bytes; /* of the columns, when they had been filled */
};

/*
 * Takes the samples of n units, at most BK_SAMPLES_MAX, of the same numbers, facts and inner man.
 * out         has nothing but how many rows each learns from, as bk_rows_worth() chooses them
 * bytes_most  what their columns may take together; a unit that would take more beside those
 *             before it is not sampled (bits is NULL in the end), but the first always is.
 * spill       of the columns, which take bk_sample_bytes(); NULL is fine.
 * Fails with BK_E_SYSTEM; then no more is there either.  Besides the columns:
 * bk_sample_list_bytes(), some 2 MiB a thread.
 */
enum bk_err bk_samples_take(struct bk_sample *out, const struct bk_unit_source *const *src,
                            unsigned n, enum bk_effort effort, uint64_t bytes_most,
                            struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why);
void bk_sample_release(struct bk_sample *s); /* `rows` stays */

/* How many rows a unit may learn from, if it has so many; the more words a row has, the fewer. */
uint32_t bk_sample_most(const struct bk_unit_source *src, enum bk_effort effort);
/* How many of a unit's rows are learned from, at most. */
uint64_t bk_sample_rows(const struct bk_unit_size *n, enum bk_effort effort);
/* Returns the bytes of the list of the sampled rows. */
uint64_t bk_sample_list_bytes(const struct bk_unit_size *n, enum bk_effort effort);
/* Returns how many rows are sampled; perhaps only a part of the squares of each is taken. */
uint64_t bk_sample_rows_drawn(const struct bk_unit_size *n, enum bk_effort effort);
/* Bytes of the columns of so many positions: an eighth of a byte a fact, and some to spare. */
uint64_t bk_sample_bytes(unsigned facts, unsigned bits, uint64_t positions);

#endif
