/*
 * land.h - live terrain: which squares the side to move may create or destroy.
 *
 * Source: docs/rules.md, "Live terrain".  Cost: the leaps of the men that have a power.
 */
#ifndef BK_LAND_H
#define BK_LAND_H

#include "core/geometry.h"
#include "core/position.h"

/* Can a man go along `r`?  closed: bk_pos_closed(p). */
static inline bool bk_land_open(const struct bk_variant *v, const struct bk_pos *p,
                                const struct bk_reach *r, const struct bk_bits *closed)
{
    if (r->how & BK_HOPS && bk_bits_meet(v->geometry->path + r->path, &p->sea))
        return false; /* sea is no screen */
    return bk_reach_open(v, r, closed);
}

/* The squares that one leap of the men of a side with this power reaches. */
struct bk_bits bk_land_range(const struct bk_variant *v, const struct bk_pos *p, unsigned colour,
                             enum bk_power power);

/* The squares that the side to move may create before its move; none where it has no power now. */
struct bk_bits bk_land_creatable(const struct bk_variant *v, const struct bk_pos *p);
/* The squares that it may destroy; the men stand as after its move, all else as before. */
struct bk_bits bk_land_destroyable(const struct bk_variant *v, const struct bk_pos *p);

/* Would creating `sq` make a bridge that is too narrow? */
bool bk_land_is_bridge(const struct bk_variant *v, const struct bk_pos *p, unsigned sq);

/* Can the land of any position that may follow be another? */
bool bk_land_may_change(const struct bk_variant *v, const struct bk_pos *p);

#endif
