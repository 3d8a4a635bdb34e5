/*
 * info.c - see info.h.
 */
#include "table/info.h"

#include <limits.h>
#include <stdio.h>

#include "core/homes.h"
#include "table/model.h"

/* == Names and kinds == */

char *bk_table_path(char *out, const char *dir, const struct bk_variant *v,
                    const struct bk_material *m, enum bk_kind kind)
{
    char game[64], name[BK_MATERIAL_NAME_MAX];

    snprintf(out, PATH_MAX, "%s/%s/%s.%s", dir, bk_homes_name(v, bk_wings(m->rights), game),
             bk_material_name(m, v, name), kind == BK_KIND_WDL ? "bkw" : "bkd");
    return out;
}

bool bk_table_one_side(const struct bk_material *m, const struct bk_variant *v)
{
    struct bk_material other = bk_material_exchanged(m);

    return bk_material_equal(&other, m) && bk_material_swap(m, v) >= 0;
}

unsigned bk_kind_bits(enum bk_kind kind) { return kind == BK_KIND_WDL ? 2 : BK_VALUE_BITS_MAX; }

struct bk_fact_men bk_table_men(const struct bk_index *ix)
{
    struct bk_fact_men men = { .n = 2 + ix->nslots };

    men.type[0] = men.type[1] = ix->v->royal;
    men.colour[0] = BK_WHITE;
    men.colour[1] = BK_BLACK;
    for (unsigned s = 0; s < ix->nslots; s++) {
        men.type[2 + s] = ix->type[s];
        men.colour[2 + s] = ix->colour[s];
    }
    return men;
}

/* == Units == */

#define UNIT_POSITIONS (UINT64_C(1) << 30) /* with so many, a unit ends with its block */

unsigned bk_units_of(const struct bk_index *ix, bool one_side, struct bk_unit_place *out,
                     unsigned room)
{
    unsigned n = 0;

    for (unsigned side = 0; side < (one_side ? 1 : 2); side++)
        for (uint32_t b = 0, first = 0; b < ix->nblocks; b++) {
            uint64_t begin = ix->block[first].first, end = ix->block[b].first + ix->block[b].size;

            if (end - begin < UNIT_POSITIONS && b + 1 < ix->nblocks)
                continue;
            if (n++ < room)
                out[n - 1] = (struct bk_unit_place){ side, first, b + 1 - first, begin, end };
            first = b + 1;
        }
    return n;
}
