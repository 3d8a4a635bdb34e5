/*
 * needed.c - see needed.h.  A list that is its own queue.
 */
#include "table/needed.h"

#include <stdlib.h>

#define NEXT_MAX 1024

struct list {
    struct bk_material *m;
    size_t n, room;
};

static bool add(struct list *l, struct bk_material m, const struct bk_variant *v)
{
    bk_material_normalise(&m, v);
    bk_material_canonical(&m, v);
    if (bk_material_by_rule(&m, v))
        return true;
    for (size_t i = 0; i < l->n; i++)
        if (bk_material_equal(&l->m[i], &m))
            return true;
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 64;
        struct bk_material *more = realloc(l->m, room * sizeof *more);

        if (!more)
            return false;
        l->m = more;
        l->room = room;
    }
    l->m[l->n++] = m;
    return true;
}

enum bk_err bk_materials_needed(struct bk_material **out, size_t *n, const struct bk_material *m,
                                const struct bk_variant *v, struct bk_report *why)
{
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    struct list l = { 0 };
    bool ok = next && add(&l, *m, v);

    for (size_t i = 0; ok && i < l.n; i++) {
        unsigned found = bk_material_next(&l.m[i], v, next, NEXT_MAX);

        for (unsigned k = 0; ok && k < found && k < NEXT_MAX; k++)
            ok = add(&l, next[k], v);
    }
    free(next);
    if (!ok) {
        free(l.m);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    *out = l.m;
    *n = l.n;
    return BK_OK;
}
