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
#define BK_SPARES_MAX 128

struct bk_array {
    void **at;
    size_t slice_bytes;
    const uint64_t *marks; /* a frontier: vectors without a mark are never read.  Else NULL */
    bool sets;             /* one a configuration, all written by the kernel's init() */
};

/* Lists the arrays of s (men sorted, sizes known); returns how many. */
unsigned bk_state_list(struct bk_solver *s, const struct bk_kernel *k,
                       struct bk_array list[BK_STATE_MAX]);
/* Bytes of all of them. */
uint64_t bk_state_bytes(struct bk_solver *s, const struct bk_kernel *k);

/*
 * Sets that a solved block has no use for any more, for the next one: they need
 * no clearing, which costs as much as a twentieth of solving, because a
 * kernel's init() writes all of them.
 */
struct bk_spares {
    void *sets[BK_SPARES_MAX];
    size_t bytes; /* of each */
    unsigned n;
};

void bk_spares_free(struct bk_spares *spares);

/* Arrays owned by s: sets have any value, the rest is zero.  spares: NULL is fine.  False: no
   memory; free what there is. */
bool bk_state_new(struct bk_solver *s, const struct bk_kernel *k, struct bk_spares *spares);
void bk_state_free(struct bk_solver *s, const struct bk_kernel *k, struct bk_spares *spares);

#endif
