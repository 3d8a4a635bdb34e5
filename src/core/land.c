/*
 * land.c - see land.h.
 */
#include "core/land.h"

#include "core/rules.h"

/* Has the side to move such a power in this half of a turn?  Destroying belongs to odd turns,
   creating to even ones; Black alone may begin. */
static bool is_time_for(const struct bk_variant *v, const struct bk_pos *p, enum bk_power power)
{
    bool odd = p->turn & 1;

    if (!bk_rules_land_lives(v) || odd != (power == BK_POWER_DESTROYS))
        return false;
    return p->begun || (odd && p->stm == BK_BLACK);
}

struct bk_bits bk_land_range(const struct bk_variant *v, const struct bk_pos *p, unsigned colour,
                             enum bk_power power)
{
    struct bk_bits men = p->by[colour], range = { { 0 } };

    for (unsigned sq; (sq = bk_bits_pop(&men)) != BK_SQ_NONE;) {
        unsigned type = bk_man_type(p->at[sq]), n;
        const struct bk_reach *r;

        if (!bk_rules_has_power(v, type, colour, power))
            continue;
        r = bk_reach_from(v, type, colour, sq, &n);
        while (n--)
            bk_bits_set(&range, r++->to);
    }
    return range;
}

/* The range of the mover's power, less that of the enemy's other one. */
static struct bk_bits effective(const struct bk_variant *v, const struct bk_pos *p,
                                enum bk_power power)
{
    struct bk_bits range = bk_land_range(v, p, p->stm, power), other;

    if (bk_rules_cancels(v)) {
        other = bk_land_range(v, p, !p->stm,
                              power == BK_POWER_CREATES ? BK_POWER_DESTROYS : BK_POWER_CREATES);
        for (unsigned i = 0; i < 4; i++)
            range.w[i] &= ~other.w[i];
    }
    for (unsigned i = 0; i < 4; i++)
        range.w[i] &= bk_rules_changeable(v)->w[i];
    return range;
}

/* == Bridges == */

/* The square beside `sq` in direction 0 to 3, or BK_SQ_NONE off the rectangle. */
static unsigned beside(const struct bk_variant *v, unsigned sq, unsigned direction)
{
    unsigned file = sq % v->files, rank = sq / v->files;

    switch (direction) {
    case 0: return file ? sq - 1 : BK_SQ_NONE;
    case 1: return file + 1 < v->files ? sq + 1 : BK_SQ_NONE;
    case 2: return rank ? sq - v->files : BK_SQ_NONE;
    default: return rank + 1 < v->ranks ? sq + v->files : BK_SQ_NONE;
    }
}

static bool is_land(const struct bk_variant *v, const struct bk_pos *p, unsigned sq)
{
    return sq != BK_SQ_NONE && bk_bits_has(&v->board, sq) && !bk_bits_has(&p->sea, sq);
}

static unsigned empty_sides(const struct bk_variant *v, const struct bk_pos *p, unsigned sq)
{
    unsigned n = 0;

    for (unsigned d = 0; d < 4; d++)
        n += !is_land(v, p, beside(v, sq, d));
    return n;
}

bool bk_land_is_bridge(const struct bk_variant *v, const struct bk_pos *p, unsigned sq)
{
    if (!bk_rules_wide_bridges(v) || empty_sides(v, p, sq) <= 1)
        return false;
    for (unsigned d = 0; d < 4; d++) {
        unsigned next = beside(v, sq, d);

        if (is_land(v, p, next) && empty_sides(v, p, next) >= 3)
            return true;
    }
    return false;
}

/* == Powers == */

struct bk_bits bk_land_creatable(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_bits out = { { 0 } }, left;

    if (!is_time_for(v, p, BK_POWER_CREATES))
        return out;
    out = effective(v, p, BK_POWER_CREATES);
    for (unsigned i = 0; i < 4; i++)
        out.w[i] &= p->sea.w[i];
    left = out;
    for (unsigned sq; (sq = bk_bits_pop(&left)) != BK_SQ_NONE;)
        if (bk_land_is_bridge(v, p, sq))
            bk_bits_clear(&out, sq);
    return out;
}

struct bk_bits bk_land_destroyable(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_bits out = { { 0 } };

    if (!is_time_for(v, p, BK_POWER_DESTROYS))
        return out;
    out = effective(v, p, BK_POWER_DESTROYS);
    for (unsigned i = 0; i < 4; i++)
        out.w[i] &= ~(p->by[0].w[i] | p->by[1].w[i] | p->sea.w[i]);
    return out;
}

/* Has a side a man with this power, or one that may become such a man? */
static bool may_have(const struct bk_variant *v, const struct bk_pos *p, unsigned colour,
                     enum bk_power power)
{
    uint32_t types = 0;

    for (unsigned type = 0; type < v->ntypes; type++)
        if (p->count[colour][type])
            types |= UINT32_C(1) << type;
    types = bk_rules_may_become(v, types);
    for (unsigned type = 0; type < v->ntypes; type++)
        if (types >> type & 1 && bk_rules_has_power(v, type, colour, power))
            return true;
    return false;
}

bool bk_land_may_change(const struct bk_variant *v, const struct bk_pos *p)
{
    if (!bk_rules_land_lives(v))
        return false;
    if (may_have(v, p, BK_BLACK, BK_POWER_DESTROYS))
        return true;
    if (!p->begun)
        return false;
    return may_have(v, p, BK_WHITE, BK_POWER_DESTROYS) ||
           (!bk_bits_empty(&p->sea) && (may_have(v, p, BK_WHITE, BK_POWER_CREATES) ||
                                        may_have(v, p, BK_BLACK, BK_POWER_CREATES)));
}
