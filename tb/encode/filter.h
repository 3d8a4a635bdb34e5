/*
 * filter.h - which of many keys pass the filters of ribbon A (table/model.h).
 */
#ifndef BK_FILTER_H
#define BK_FILTER_H

#include <stddef.h>

#include "table/model.h"

/*
 * Sets `passed` to the indices of the keys that pass, ascending, and returns how many these are.
 * key[i] passes if its first bits[i] filter bits do: bk_filter_passes().
 *
 * bits    1 to BK_RC_MAX
 * n       at most 2^16; key, bits and passed have room for BK_FILTER_PAST more
 * Compiled for two instruction sets (filter.c), which give the same.  Cost: portably 12 ns a
 * key, with AVX-512 8.
 */
#define BK_FILTER_PAST 8
typedef size_t bk_filter(const struct bk_ribbon *a, const uint64_t *key, const uint8_t *bits,
                         size_t n, uint16_t *passed);
bk_filter bk_filter_portable;
#ifdef __x86_64__
bk_filter bk_filter_avx512;
#endif

#endif
