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

/* Adds the materials one move away from number i of the list, until there are `most`. */
static enum bk_err add_next(struct bk_materials *l, size_t i, const struct bk_variant *v,
                            struct bk_material next[BK_NEXT_MAX], size_t most,
                            struct bk_report *why)
{
    unsigned found = bk_material_next(&l->m[i], v, next, BK_NEXT_MAX);

    if (found > BK_NEXT_MAX)
        return bk_fail(why, BK_E_USAGE, "a table with moves into more than %d others", BK_NEXT_MAX);
    for (unsigned k = 0; k < found && l->n < most; k++)
        if (!add(l, next[k], v))
            return bk_no_memory(why);
    return BK_OK;
}

enum bk_err bk_materials_near(struct bk_material **out, size_t *n, bool *more,
                              const struct bk_material *m, const struct bk_variant *v, size_t most,
                              struct bk_report *why)
{
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);
    size_t stop = most < SIZE_MAX ? most + 1 : most; /* one more tells that there are others */
    struct bk_materials l = { 0 };
    enum bk_err err = next && add(&l, *m, v) ? BK_OK : bk_no_memory(why);

    for (size_t i = 0; !err && i < l.n && l.n < stop; i++)
        err = add_next(&l, i, v, next, stop, why);
    free(next);
    free(l.slot);
    if (err) {
        free(l.m);
        return err;
    }
    *more = l.n > most;
    *out = l.m;
    *n = l.n > most ? most : l.n;
    return BK_OK;
}

enum bk_err bk_materials_needed(struct bk_material **out, size_t *n, const struct bk_material *m,
                                const struct bk_variant *v, struct bk_report *why)
{
    bool more;

    return bk_materials_near(out, n, &more, m, v, SIZE_MAX, why);
}
