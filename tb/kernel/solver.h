/*
 * solver.h - a block being solved: its four parts.
 *
 *   setup   what is fixed once it is prepared   owner: solve/prepare.c
 *   state   the arrays, by slice                owner: state.c
 *   links   to other blocks of a chain          owner: solve/block.c
 *   kernel  the passes                          chosen once, by dispatch.c
 */
#ifndef BK_SOLVER_H
#define BK_SOLVER_H

#include "tb/kernel/kernel.h"
#include "tb/kernel/setup.h"
#include "tb/kernel/state.h"

enum { BK_LINKS_MAX = 8 };

/*
 * A fixed man's step into the same slice of another block that is being solved
 * at the same time (solve/order.h): like a king's move, but for what may stand in
 * its way.
 */
struct bk_fixed_step {
    struct bk_solver *other;
    uint8_t slot, to, colour;
    bool hops;
    uint16_t npaths; /* 0: nothing can stand in the way */
    uint32_t path;
};

/* Steps out of the block, and from others into it. */
struct bk_links {
    struct bk_fixed_step out[BK_LINKS_MAX], in[BK_LINKS_MAX];
    unsigned nout, nin;
};

struct bk_solver {
    const struct bk_setup *setup;
    struct bk_state state;
    struct bk_links links;
    const struct bk_kernel *kernel;
};

#endif
