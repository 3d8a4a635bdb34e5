/*
 * sample.h - the positions that a tree is learned from, as columns of bits.
 *
 * Some rows are drawn, always the same ones, and of a large unit a part of the squares of each:
 * every fact becomes a column of bits, one a position, and so does every bit of the values.
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
    uint32_t rows;        /* to learn from, as if of 64 squares; 0: not chosen, so many as may be */
    uint64_t *bits;       /* owned; column j begins at bits[j * room] */
    unsigned facts;       /* columns; behind them the bits of values, and who is a bound */
    uint64_t positions;   /* a bit each, close together */
    size_t room;          /* words of a column: some to spare, for parts of sets */
    uint64_t covered;     /* numbers of the rows drawn, of the squares taken */
    bool partly;          /* not all rows are learned from */
    uint64_t first_bytes; /* that the columns took, to begin with */
};

/*
 * The samples of n units, at most BK_SAMPLES_MAX, of the same numbers, facts and inner man.
 * out         has nothing but how many rows each learns from, as bk_rows_worth() chooses them
 * bytes_most  what their columns may take together; from the first that would take more on units
 *             have nothing more in the end (bits is NULL), but the first of all always has.
 * spill       of the columns, which take bk_sample_bytes(); NULL is fine.
 * Fails with BK_E_SYSTEM; then no more is there either.  Besides the columns:
 * bk_sample_list_bytes(), some 2 MiB a thread.
 */
enum bk_err bk_samples_take(struct bk_sample *out, const struct bk_unit_source *const *src,
                            unsigned n, enum bk_effort effort, uint64_t bytes_most,
                            struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why);
void bk_sample_release(struct bk_sample *s); /* how many rows stays */

/* How many rows a unit may learn from, as if it had so many: of those of more words fewer. */
uint32_t bk_sample_most(const struct bk_unit_source *src, enum bk_effort effort);
/* How many of a unit's rows are learned from, at most. */
uint64_t bk_sample_rows(const struct bk_unit_size *n, enum bk_effort effort);
/* The list of the rows that are drawn. */
uint64_t bk_sample_list_bytes(const struct bk_unit_size *n, enum bk_effort effort);
/* How many of them are drawn, of which perhaps only a part of the squares is taken. */
uint64_t bk_sample_rows_drawn(const struct bk_unit_size *n, enum bk_effort effort);
/* The columns of so many positions: an eighth of a byte a fact, and some to spare. */
uint64_t bk_sample_bytes(unsigned facts, unsigned bits, uint64_t positions);

#endif
