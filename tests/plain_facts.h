/*
 * plain_facts.h - what each fact means, said as plainly as possible.
 *
 * One position, one fact, square by square and reach by reach, nothing kept: the yardstick that
 * both evaluators of core/facts must agree with.
 */
#ifndef BK_PLAIN_FACTS_H
#define BK_PLAIN_FACTS_H

#include "core/facts.h"

/* Is a fact true?  sq: where each man stands; no two on one square. */
bool plain_fact_of(const struct bk_facts *f, unsigned fact, const uint8_t *sq);

#endif
