/*
 * classes.h - which of several positions that mirror each other is counted.
 *
 * Part of passes.c and of kings.c.
 */
#ifndef BK_KERNEL_CLASSES_H
#define BK_KERNEL_CLASSES_H

#include <string.h>

#include "core/array.h"
#include "tb/kernel/setup.h"
#include "tb/kernel/squares.h"

/* Writes the squares of a position's mobile men to `out`, and bk_index.like of each to `like`, in
   slot order.  Returns how many. */
static unsigned mobile_squares(const struct bk_setup *s, uint32_t conf, unsigned sq, uint8_t *out,
                               uint8_t *like)
{
    unsigned n = 0;

    for (unsigned slot = 0; slot < s->ix->nslots; slot++) {
        unsigned o = bk_setup_outer(s, (int)slot);

        if ((int)slot != s->inner.slot && o == s->nouter)
            continue;
        like[n] = s->ix->like[slot];
        out[n++] = (int)slot == s->inner.slot ? (uint8_t)sq : s->conf.sq[conf][o];
    }
    return n;
}

/* Is a position no larger than its image, equal men being sorted first? */
static bool stands_first(const struct bk_setup *s, unsigned sym, uint32_t conf, unsigned sq)
{
    uint8_t self[BK_SLOTS_MAX], image[BK_SLOTS_MAX], like[BK_SLOTS_MAX];
    unsigned n = mobile_squares(s, conf, sq, self, like);

    for (unsigned i = 0; i < n; i++)
        image[i] = s->ix->map[sym][self[i]];
    bk_sort_like(self, like, n);
    bk_sort_like(image, like, n);
    return memcmp(self, image, n) <= 0;
}

/*
 * Returns the positions of x, of a configuration, that stand for their class.
 * Slices kept by a symmetry hold mirrored pairs; the one with the smaller
 * (configuration, square) counts.  With equal men, whose order the mirror may
 * change, every position is looked at by itself.
 */
static set representatives(const struct bk_setup *s, unsigned keep, uint32_t conf, set x)
{
    for (unsigned sym = 1; keep >> sym; sym++) {
        uint32_t image = s->conf.turned[sym] ? s->conf.turned[sym][conf] : conf;
        set todo = x;

        if (!(keep >> sym & 1))
            continue;
        if (image != conf && !s->equal_men) {
            if (image < conf)
                return NONE;
            continue;
        }
        EACH (sq, todo)
            if (s->equal_men ? !stands_first(s, sym, conf, sq)
                             : s->inner.slot >= 0 && s->ix->map[sym][sq] < sq)
                x &= ~bit(sq);
    }
    return x;
}

#endif
