/*
 * resident.c - see resident.h.
 */
#include "tb/build/resident.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/array.h"

void bk_resident_init(struct bk_resident *h, const struct bk_plan *p, uint64_t memory_limit)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    if (memory_limit && memory_limit < memory)
        memory = memory_limit;
    *h = (struct bk_resident){ .p = p, .limit = memory / 4 };
}

static void drop(struct bk_resident *h, struct bk_kept *x)
{
    h->bytes -= x->bytes;
    bk_memtable_free(x->t);
    *x = h->kept[--h->n];
}

void bk_resident_release(struct bk_resident *h)
{
    while (h->n)
        drop(h, &h->kept[h->n - 1]);
    free(h->kept);
    h->kept = NULL;
    h->room = 0;
}

struct bk_kept *bk_resident_find(const struct bk_resident *h, uint32_t table)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->kept[i].table == table)
            return &h->kept[i];
    return NULL;
}

static bool moves_into(const struct bk_plan_table *t, uint32_t table)
{
    for (unsigned i = 0; i < t->nnext; i++)
        if (t->next[i] == table)
            return true;
    return false;
}

/* How many tables from the nth on, not yet present, move into this one. */
static unsigned uses_from(const struct bk_plan *p, unsigned nth, uint32_t table)
{
    unsigned uses = 0;

    for (unsigned i = nth; i < p->n; i++)
        uses += !p->table[i].present && moves_into(&p->table[i], table);
    return uses;
}

/* The sides to move, in the colours of `table`, that the moves of `colour` lead to. */
static unsigned sides_after(const struct bk_variant *v, const struct bk_plan_table *from,
                            const struct bk_material *table, unsigned colour,
                            struct bk_material *next)
{
    unsigned n = bk_material_next_of(&from->m, v, colour, next, BK_NEXT_MAX), sides = 0;

    for (unsigned i = 0; i < n && i < BK_NEXT_MAX; i++) {
        bool exchanged = bk_material_canonical(&next[i], v);

        if (bk_material_equal(&next[i], table))
            sides |= 1u << (exchanged ? colour : !colour);
    }
    return sides;
}

unsigned bk_resident_sides(const struct bk_plan *p, unsigned nth, uint32_t table)
{
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);
    unsigned sides = next ? 0 : 3;

    for (unsigned i = nth; i < p->n && sides != 3; i++)
        if (!p->table[i].present && moves_into(&p->table[i], table))
            for (unsigned colour = 0; colour < 2; colour++)
                sides |= sides_after(p->v, &p->table[i], &p->table[table].m, colour, next);
    free(next);
    return sides;
}

enum bk_err bk_resident_add(struct bk_resident *h, uint32_t table, struct bk_memtable *t,
                            uint64_t bytes, unsigned nth, struct bk_report *why)
{
    if (!BK_ARRAY_ROOM(h->kept, h->room, h->n + 1)) {
        bk_memtable_free(t);
        return bk_no_memory(why);
    }
    h->kept[h->n++] = (struct bk_kept){ table, t, bytes, uses_from(h->p, nth, table) };
    h->bytes += bytes;
    return BK_OK;
}

void bk_resident_make_room(struct bk_resident *h, unsigned nth)
{
    for (size_t i = h->n; h->bytes > h->limit && i-- > 0;)
        if (!moves_into(&h->p->table[nth], h->kept[i].table))
            drop(h, &h->kept[i]);
}

void bk_resident_done(struct bk_resident *h, unsigned nth)
{
    for (size_t i = h->n; i-- > 0;)
        if (moves_into(&h->p->table[nth], h->kept[i].table) &&
            (h->kept[i].uses == 0 || --h->kept[i].uses == 0))
            drop(h, &h->kept[i]);
}

bool bk_resident_will_keep(const struct bk_resident *h, unsigned nth, uint64_t bytes)
{
    uint64_t after = h->bytes + bytes;

    for (size_t i = 0; i < h->n; i++)
        if (h->kept[i].uses <= 1 && moves_into(&h->p->table[nth], h->kept[i].table))
            after -= h->kept[i].bytes;
    return after <= h->limit && uses_from(h->p, nth + 1, nth);
}
