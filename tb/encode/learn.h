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

struct bk_learned {
    struct bk_fact_node *tree; /* owned; in preorder, leaves numbered as they come */
    uint32_t nodes, leaves;
};

/*
 * rows: to be drawn; where there are not many more, all are taken.
 * Fails with BK_E_SYSTEM.  Memory: an eighth of a byte a fact and position twice, some 400 MB
 * for 64k rows of 64 squares.
 */
enum bk_err bk_learn(struct bk_learned *out, const struct bk_unit_source *src, uint32_t rows,
                     const struct bk_logs *logs, struct bk_pool *pool, struct bk_report *why);
void bk_learned_release(struct bk_learned *l);

#endif
