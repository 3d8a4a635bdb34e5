/*
 * state.h - the arrays of a block that is being solved.
 *
 * All of them have the same number of bytes for every slice, so that a slice's
 * part can be found in each: to add up what a block takes, to write it down,
 * to let go of it.
 */
#ifndef BK_STATE_H
#define BK_STATE_H

#include "tb/solve/solve.h"

#define BK_STATE_MAX  32
#define BK_SPARES_MAX 32

struct bk_array {
    void **at;
    size_t slice_bytes;
    bool sets;  /* one a configuration, all written by the kernel's init() */
    bool stays; /* when the block is solved: what others read */
};

/* Lists the arrays of s (men sorted, sizes known); returns how many. */
unsigned bk_state_list(struct bk_solver *s, const struct bk_kernel *k,
                       struct bk_array list[BK_STATE_MAX]);
/* Bytes of all of them. */
uint64_t bk_state_bytes(struct bk_solver *s, const struct bk_kernel *k);

/*
 * Arrays that do not stay lie in one piece, large enough for huge pages; those
 * of a solved block are kept for the next one, which has to clear only a part.
 */
struct bk_spares {
    void *piece[BK_SPARES_MAX];
    size_t bytes; /* of each */
    unsigned n;
};

void bk_spares_free(struct bk_spares *spares);

/* Arrays owned by s: sets have any value, the rest is zero.  spares: NULL is fine.  False: no
   memory; free what there is. */
bool bk_state_new(struct bk_solver *s, const struct bk_kernel *k, struct bk_spares *spares);
void bk_state_free(struct bk_solver *s, const struct bk_kernel *k, struct bk_spares *spares);

#endif
