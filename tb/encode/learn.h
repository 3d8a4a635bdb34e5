/*
 * learn.h - grows a tree of facts that tells the values of a unit apart.
 *
 * Every fact is a column of bits, one a position of a sample (sample.h).  A node asks the fact that
 * leaves the fewest bits of entropy, and its positions are split in two, until no fact gains what a
 * leaf costs in the file.
 *
 * What a sample says about rare values is not to be trusted: counts, codes and
 * rates are made of all rows later (unit.c).
 */
#ifndef BK_LEARN_H
#define BK_LEARN_H

#include "tb/encode/entropy.h"
#include "tb/encode/input.h"
#include "tb/encode/sample.h"
#include "tb/memory/pool.h"
#include "tb/memory/spill.h"

struct bk_learned {
    struct bk_fact_node *tree; /* owned; in preorder, leaves numbered as they come */
    uint32_t nodes, leaves;
    uint16_t *guess; /* owned; by leaf: the likeliest value of the sample */
    int64_t left;    /* bits (entropy.h) that the exact values of the sample still take in leaves */
};

/*
 * src     whose sample it is
 * sample  its columns are used up; it is still to be released
 * dear    a leaf has to gain 2^dear times what it costs in the file; at some value one leaf is left
 * spill   its pages may be taken out of the process meanwhile; NULL is fine
 * Fails with BK_E_SYSTEM.  Besides the sample: some 2 MiB a thread.
 */
enum bk_err bk_learn(struct bk_learned *out, const struct bk_unit_source *src,
                     const struct bk_sample *sample, unsigned dear, const struct bk_logs *logs,
                     struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why);
/* Returns the bytes that learning from so many positions takes besides the sample, mostly: where
   only few have another result than most, it looks at more of them. */
uint64_t bk_learn_bytes(uint64_t positions);
void bk_learned_release(struct bk_learned *l);

#endif
