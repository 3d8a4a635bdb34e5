/*
 * state.h - the arrays of a block that is being solved.
 *
 * All of them have the same number of bytes for every slice, so that a slice's
 * part can be found in each: to add up what a block takes, to write it down,
 * to let go of it.
 */
#ifndef BK_STATE_H
#define BK_STATE_H

#include "tb/solve.h"

#define BK_STATE_MAX 32

struct bk_array {
    void **at;
    size_t slice_bytes;
    const uint64_t *marks; /* a frontier: vectors without a mark are never read.  Else NULL */
};

/* Lists the arrays of s (men sorted, sizes known); returns how many. */
unsigned bk_state_list(struct bk_solver *s, const struct bk_kernel *k,
                       struct bk_array list[BK_STATE_MAX]);
/* Bytes of all of them. */
uint64_t bk_state_bytes(struct bk_solver *s, const struct bk_kernel *k);
/* Zeroed arrays, owned by s.  False: no memory; free what there is. */
bool bk_state_new(struct bk_solver *s, const struct bk_kernel *k);
void bk_state_free(struct bk_solver *s);

#endif
