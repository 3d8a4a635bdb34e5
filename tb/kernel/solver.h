/*
 * solver.h - a block, or a group of them, being solved: its three parts.
 *
 *   setup   what is fixed once it is prepared   owner: solve/prepare.c
 *   state   the arrays, by slice                owner: state.c
 *   kernel  the passes                          chosen once: bk_kernel_for()
 */
#ifndef BK_SOLVER_H
#define BK_SOLVER_H

#include "tb/kernel/kernel.h"
#include "tb/kernel/setup.h"
#include "tb/kernel/state.h"

struct bk_solver {
    const struct bk_setup *setup;
    struct bk_state state;
    const struct bk_kernel *kernel;
};

#endif
