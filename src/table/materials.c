/*
 * materials.c - see materials.h.  Open addressing: the next free slot after that of the hash.
 */
#include "table/materials.h"

#include <stdlib.h>

#include "core/array.h"

#define SLOTS_LEAST 64

/* The slot of a material, or the free one where it would be. */
static size_t slot_of(const struct bk_materials *l, const struct bk_material *m)
{
    size_t at = bk_material_hash(m) & (l->slots - 1);

    while (l->slot[at] && !bk_material_equal(&l->m[l->slot[at] - 1], m))
        at = (at + 1) & (l->slots - 1);
    return at;
}

int64_t bk_materials_find(const struct bk_materials *l, const struct bk_material *m)
{
    return l->n ? (int64_t)l->slot[slot_of(l, m)] - 1 : -1;
}

/* Room for one more, with more than half of the slots free. */
static bool make_room(struct bk_materials *l)
{
    size_t slots = l->slots ? 2 * l->slots : SLOTS_LEAST;
    uint32_t *slot;

    if (!BK_ARRAY_ROOM(l->m, l->room, l->n + 1))
        return false;
    if (2 * (l->n + 1) < l->slots)
        return true;
    slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(l->slot);
    l->slot = slot;
    l->slots = slots;
    for (size_t i = 0; i < l->n; i++)
        l->slot[slot_of(l, &l->m[i])] = (uint32_t)i + 1;
    return true;
}

bool bk_materials_add(struct bk_materials *l, const struct bk_material *m)
{
    if (!make_room(l))
        return false;
    l->m[l->n++] = *m;
    l->slot[slot_of(l, m)] = (uint32_t)l->n;
    return true;
}

void bk_materials_free(struct bk_materials *l)
{
    free(l->m);
    free(l->slot);
    *l = (struct bk_materials){ 0 };
}
