/*
 * needed.c - see needed.h.  A list that is its own queue.
 */
#include "table/needed.h"

#include <stdlib.h>

#include "table/materials.h"

static bool add(struct bk_materials *l, struct bk_material m, const struct bk_variant *v)
{
    bk_material_normalise(&m, v);
    bk_material_canonical(&m, v);
    return bk_material_by_rule(&m, v) || bk_materials_find(l, &m) >= 0 || bk_materials_add(l, &m);
}

enum bk_err bk_materials_needed(struct bk_material **out, size_t *n, const struct bk_material *m,
                                const struct bk_variant *v, struct bk_report *why)
{
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);
    struct bk_materials l = { 0 };
    bool ok = next && add(&l, *m, v), too_many = false;

    for (size_t i = 0; ok && i < l.n; i++) {
        unsigned found = bk_material_next(&l.m[i], v, next, BK_NEXT_MAX);

        if (found > BK_NEXT_MAX) {
            too_many = true;
            ok = false;
        }
        for (unsigned k = 0; ok && k < found; k++)
            ok = add(&l, next[k], v);
    }
    free(next);
    free(l.slot);
    if (!ok) {
        free(l.m);
        return too_many ? bk_fail(why, BK_E_USAGE, "a table with moves into more than %d others",
                                  BK_NEXT_MAX)
                        : bk_no_memory(why);
    }
    *out = l.m;
    *n = l.n;
    return BK_OK;
}
