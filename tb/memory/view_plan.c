/*
 * view_plan.c - which man is which.  See view_plan.h.
 */
#include "tb/memory/view_plan.h"

#include <string.h>

#include "core/geometry.h"

void bk_view_plan(struct bk_view_plan *p, const struct bk_view_request *r)
{
    const struct bk_memtable *t = r->t;
    const struct bk_index *parent = r->parent;
    unsigned rights = t->ix->m.rights;
    int swap;

    if (r->exchanged) /* in the parent's colours */
        rights = bk_material_exchanged(&t->ix->m).rights;
    memset(p, 0, sizeof *p);
    p->t = t;
    p->stm = !r->mover;
    p->exchanged = r->exchanged;
    for (unsigned s = 0; s < parent->nslots; s++) {
        if ((int)s == r->taken || (int)s == r->also)
            continue;
        p->parent[p->nmen] = (uint8_t)s;
        p->type[p->nmen] = (uint8_t)((int)s == r->changed ? r->to : parent->type[s]);
        p->colour[p->nmen] = parent->colour[s];
        p->right[p->nmen] = -1;
        if (parent->right[s] >= 0 && rights >> parent->right[s] & 1)
            p->right[p->nmen] = (int8_t)(r->exchanged ? parent->right[s] ^ 2 : parent->right[s]);
        p->nmen++;
    }
    swap = bk_material_swap(&t->ix->m, parent->v);
    bk_symmetry_map(parent->v, swap > 0 ? (unsigned)swap : 0, p->swap);
    if (p->exchanged)
        for (unsigned i = 0; i < p->nmen; i++)
            p->colour[i] = !p->colour[i];
}
