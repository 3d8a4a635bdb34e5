/*
 * attack.c - see attack.h.
 *
 * The geometry knows from where a man reaches a square, so one looks backwards;
 * but who takes on his way (BK_TWICE) is looked for man by man.
 */
#include "core/attack.h"

#include "core/land.h"
#include "core/rules.h"

/* Does some man of this type end on `sq`, taking there? */
static bool attacks_at_end(const struct bk_variant *v, const struct bk_pos *p, unsigned type,
                           unsigned sq, unsigned colour, const struct bk_bits *closed)
{
    uint8_t man = bk_man(type, colour);
    unsigned n;
    const struct bk_reach *r = bk_reach_into(v, type, colour, sq, &n);

    for (unsigned i = 0; i < n; i++) {
        if (p->at[r[i].to] != man)
            continue;
        if (r[i].how & BK_TWICE ? bk_bits_has(&p->by[!colour], bk_reach_via(v, &r[i]))
                                : r[i].how & BK_TAKES && bk_land_open(v, p, &r[i], closed))
            return true;
    }
    return false;
}

/* Does some man of this type take on `sq` on its way (BK_TWICE)?  Its move must have an end. */
static bool attacks_on_way(const struct bk_variant *v, const struct bk_pos *p, unsigned type,
                           unsigned sq, unsigned colour)
{
    struct bk_bits men = p->by[colour];

    for (unsigned from; (from = bk_bits_pop(&men)) != BK_SQ_NONE;) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(v, type, colour, from, &n);

        if (p->at[from] != bk_man(type, colour))
            continue;
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_TWICE && bk_reach_via(v, &r[i]) == sq &&
                !bk_bits_has(&p->by[colour], r[i].to) && !bk_bits_has(&p->sea, r[i].to))
                return true;
    }
    return false;
}

bool bk_attacked(const struct bk_variant *v, const struct bk_pos *p, unsigned sq, unsigned colour)
{
    struct bk_bits closed = bk_pos_closed(p);

    for (unsigned type = 0; type < v->ntypes; type++) {
        if (!p->count[colour][type])
            continue;
        if (attacks_at_end(v, p, type, sq, colour, &closed) ||
            (bk_rules_takes_twice(v, type) && attacks_on_way(v, p, type, sq, colour)))
            return true;
    }
    return false;
}

bool bk_in_check(const struct bk_variant *v, const struct bk_pos *p, unsigned colour)
{
    return bk_rules_royal(v) && bk_attacked(v, p, p->king[colour], !colour);
}

bool bk_pos_legal(const struct bk_variant *v, const struct bk_pos *p)
{
    return !bk_in_check(v, p, !p->stm);
}
