/*
 * materials.h - a list of materials, each once, with look-up.
 *
 *      struct bk_materials l = { 0 };
 *
 *      if (bk_materials_find(&l, &m) < 0 && !bk_materials_add(&l, &m))
 *          return bk_no_memory(why);
 *      ...
 *      bk_materials_free(&l);
 *
 * Cost: to find or add one takes some 50 ns, however many there are.
 */
#ifndef BK_MATERIALS_H
#define BK_MATERIALS_H

#include <stddef.h>
#include <string.h>

#include "table/material.h"

struct bk_materials {
    struct bk_material *m; /* owned; n of them, as they were added */
    size_t n, room;
    uint32_t *slot; /* owned; a hash: number + 1, or 0 where it is free */
    size_t slots;   /* a power of two, more than twice n; or 0 */
};

/* Returns a hash of 32 bits.  A sum of products, so that none waits for another. */
static inline uint64_t bk_material_hash(const struct bk_material *m)
{
    uint64_t word[offsetof(struct bk_material, rights) / sizeof(uint64_t)], h = m->rights;
    uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);

    _Static_assert(sizeof word == offsetof(struct bk_material, rights) &&
                       sizeof word + 1 == sizeof *m,
                   "whole words, and the rights");
    memcpy(word, m, sizeof word);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++, odd += UINT64_C(0xbf58476d1ce4e5ba))
        h += word[i] * odd;
    h ^= h >> 29; /* what only the highest bits tell, men of types 6 and 7, reaches all bits */
    return h * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* Returns the number of a material in the list, or -1. */
int64_t bk_materials_find(const struct bk_materials *l, const struct bk_material *m);
/* Adds a material that is not in the list, as number l->n.  False: no memory, and the list is as it
   was. */
bool bk_materials_add(struct bk_materials *l, const struct bk_material *m);
void bk_materials_free(struct bk_materials *l);

#endif
