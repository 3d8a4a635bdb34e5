/*
 * men.h - looks up men in a setup.
 */
#ifndef BK_KERNEL_MEN_H
#define BK_KERNEL_MEN_H

#include "tb/kernel/setup.h"

/* Returns the number of a man among the outers; s->nouter if it is none of them. */
static inline unsigned outer_of_slot(const struct bk_setup *s, int slot)
{
    unsigned o = 0;

    while (o < s->nouter && (int)s->outer[o].slot != slot)
        o++;
    return o;
}

#endif
