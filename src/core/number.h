/*
 * number.h - the number of the rules, which every table carries.
 *
 * Two games with the same number have the same tables; docs/variant-files.md 4
 * says what counts.
 */
#ifndef BK_NUMBER_H
#define BK_NUMBER_H

#include "core/variant.h"

/*
 * The number of a checked variant where castling rights may be left on `wings`
 * (bit 0: a-side) only; 3: any.  Differs between wings where homes are shuffled.
 */
uint64_t bk_rules_number(const struct bk_variant *v, unsigned wings);

#endif
