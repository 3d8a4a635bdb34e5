/*
 * learn.h - grows a tree of facts that tells the values of a unit apart.
 *
 * Some rows are drawn, always the same ones; every fact becomes a column of
 * bits, one a position.  A node asks the fact that leaves the fewest bits of
 * entropy, and its positions are split in two, until no fact gains what a leaf
 * costs in the file.
 *
 * What a sample says about rare values is not to be trusted: counts, codes and
 * rates are made of all rows later (unit.c).
 */
#ifndef BK_LEARN_H
#define BK_LEARN_H

#include "tb/encode/entropy.h"
#include "tb/encode/input.h"
#include "tb/memory/pool.h"
#include "tb/memory/spill.h"

struct bk_learned {
    struct bk_fact_node *tree; /* owned; in preorder, leaves numbered as they come */
    uint32_t nodes, leaves;
    uint16_t *guess;       /* owned; by leaf: the likeliest value of the sample */
    uint64_t column_bytes; /* that it took */
};

/*
 * Draws as many positions as bk_learn_rows() rows have, from more rows.
 * spill: of the columns, which take bk_learn_bytes(); NULL is fine.
 * Fails with BK_E_SYSTEM.  Besides the columns: bk_learn_list_bytes(), some 2 MiB a thread.
 */
enum bk_err bk_learn(struct bk_learned *out, const struct bk_unit_source *src,
                     enum bk_effort effort, const struct bk_logs *logs, struct bk_pool *pool,
                     struct bk_spill *spill, struct bk_report *why);
void bk_learned_release(struct bk_learned *l);

/* How many of a unit's rows are learned from: of those of more words as many fewer. */
uint64_t bk_learn_rows(const struct bk_unit_size *n, enum bk_effort effort);
/* The list of the rows that are drawn. */
uint64_t bk_learn_list_bytes(const struct bk_unit_size *n, enum bk_effort effort);
/* The columns of so many positions: an eighth of a byte a fact, and some to spare. */
uint64_t bk_learn_bytes(unsigned facts, unsigned bits, uint64_t positions);

#endif
