/*
 * columns_for.h - the bit columns of this machine.
 */
#ifndef BK_COLUMNS_FOR_H
#define BK_COLUMNS_FOR_H

#include "tb/encode/columns.h"

/* The fastest that this machine can. */
struct bk_columns bk_columns_for(void);

/* Sets `steps` for a mask of `words` words: 6 words for each, which the portable columns need. */
void bk_columns_steps(uint64_t *steps, const uint64_t *mask, size_t words);

#endif
