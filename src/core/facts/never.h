/*
 * never.h - what the geometry of a game rules out between men, so that no fact asks for it.
 *
 * Everything here is said of all squares where the men may stand, whoever else is on the board.
 * Private to src/core/facts; used while a list of facts is drawn up, not while facts are asked.
 */
#ifndef BK_FACTS_NEVER_H
#define BK_FACTS_NEVER_H

#include "core/facts/list.h"

/* Is there a square from which man i could attack man j? */
bool bk_fact_may_attack(const struct bk_facts *f, unsigned i, unsigned j);

/* Does i always attack j when j attacks i, and the other way round? */
bool bk_fact_always_mutual(const struct bk_facts *f, unsigned i, unsigned j);

/* From wherever i attacks j: does j attack i, too, with nobody able to stand in the way? */
bool bk_fact_bites_back(const struct bk_facts *f, unsigned i, unsigned j);

/* Is there a square from which i could attack j while j attacks i? */
bool bk_fact_may_meet(const struct bk_facts *f, unsigned i, unsigned j);

/* Does i attack the squares next to it, always, and no others? */
bool bk_fact_attacks_next(const struct bk_facts *f, unsigned i);

/* The most squares that man i could attack. */
unsigned bk_fact_attacks_most(const struct bk_facts *f, unsigned i);

/* Sets seen[x] to true for each value x of the metric that men i and j can have. */
void bk_fact_metric_values(const struct bk_facts *f, unsigned metric, unsigned i, unsigned j,
                           bool seen[256]);

/* Are `metric` and `other` of men i and j 0 on the same squares?  turned: `other` is of j and i. */
bool bk_fact_zero_alike(const struct bk_facts *f, unsigned i, unsigned j, unsigned metric,
                        unsigned other, bool turned);

#endif
