/*
 * ways.h - when is the way of a move open?
 *
 * Part of passes.c and of kings.c.
 */
#ifndef BK_KERNEL_WAYS_H
#define BK_KERNEL_WAYS_H

#include "tb/kernel/squares.h"

/* Returns the squares of the inner man that leave a way of `npaths` paths open, all other men being
   on `occ`; if the mover hops, exactly one man must stand between.  live: all ones if there is an
   inner man, else none. */
static inline set squares_off_way(const struct bk_bits *path, bool hops, unsigned npaths, set live,
                                  set occ)
{
    set blocked = ~NONE;
    bool way = false;

    if (!npaths)
        return ~NONE;
    if (hops) {
        set between = set_of(path);
        unsigned screens = count(between & occ);

        return screens == 0 ? between & live : screens == 1 ? ~(between & live) : NONE;
    }
    for (unsigned i = 0; i < npaths; i++) {
        set p = set_of(path + i);

        if (!any(p & occ)) {
            blocked &= p;
            way = true;
        }
    }
    return way ? ~(blocked & live) : NONE;
}

#endif
