/*
 * hold.c - see hold.h.
 */
#include "tb/build/resident.h"

#include <stdlib.h>
#include <unistd.h>

void bk_hold_init(struct bk_hold *h, const struct bk_plan *p, uint64_t memory_limit)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    if (memory_limit && memory_limit < memory)
        memory = memory_limit;
    *h = (struct bk_hold){ .p = p, .limit = memory / 4 };
}

static void drop(struct bk_hold *h, struct bk_held *x)
{
    h->bytes -= x->bytes;
    bk_memtable_free(x->t);
    *x = h->held[--h->n];
}

void bk_hold_release(struct bk_hold *h)
{
    while (h->n)
        drop(h, &h->held[h->n - 1]);
    free(h->held);
    h->held = NULL;
    h->room = 0;
}

struct bk_held *bk_hold_find(const struct bk_hold *h, uint32_t table)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->held[i].table == table)
            return &h->held[i];
    return NULL;
}

static bool needs(const struct bk_plan_table *t, uint32_t table)
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
        uses += !p->table[i].present && needs(&p->table[i], table);
    return uses;
}

#define NEXT_MAX 1024

/* The sides to move, in the colours of `table`, that the moves of `colour` lead to. */
static unsigned sides_after(const struct bk_variant *v, const struct bk_plan_table *from,
                            const struct bk_material *table, unsigned colour,
                            struct bk_material *next)
{
    unsigned n = bk_material_next_of(&from->m, v, colour, next, NEXT_MAX), sides = 0;

    for (unsigned i = 0; i < n && i < NEXT_MAX; i++) {
        bool exchanged = bk_material_canonical(&next[i], v);

        if (bk_material_equal(&next[i], table))
            sides |= 1u << (exchanged ? colour : !colour);
    }
    return sides;
}

unsigned bk_hold_sides(const struct bk_plan *p, unsigned nth, uint32_t table)
{
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    unsigned sides = next ? 0 : 3;

    for (unsigned i = nth; i < p->n && sides != 3; i++)
        if (!p->table[i].present && needs(&p->table[i], table))
            for (unsigned colour = 0; colour < 2; colour++)
                sides |= sides_after(p->v, &p->table[i], &p->table[table].m, colour, next);
    free(next);
    return sides;
}

enum bk_err bk_hold_add(struct bk_hold *h, uint32_t table, struct bk_memtable *t, uint64_t bytes,
                        unsigned nth, struct bk_report *why)
{
    if (h->n == h->room) {
        size_t room = h->room ? h->room * 2 : 32;
        struct bk_held *more = realloc(h->held, room * sizeof *more);

        if (!more) {
            bk_memtable_free(t);
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
        }
        h->held = more;
        h->room = room;
    }
    h->held[h->n++] = (struct bk_held){ table, t, bytes, uses_from(h->p, nth, table) };
    h->bytes += bytes;
    return BK_OK;
}

void bk_hold_make_room(struct bk_hold *h, unsigned nth)
{
    for (size_t i = h->n; h->bytes > h->limit && i-- > 0;)
        if (!needs(&h->p->table[nth], h->held[i].table))
            drop(h, &h->held[i]);
}

void bk_hold_done(struct bk_hold *h, unsigned nth)
{
    for (size_t i = h->n; i-- > 0;)
        if (needs(&h->p->table[nth], h->held[i].table) &&
            (h->held[i].uses == 0 || --h->held[i].uses == 0))
            drop(h, &h->held[i]);
}

bool bk_hold_will_keep(const struct bk_hold *h, unsigned nth, uint64_t bytes)
{
    uint64_t after = h->bytes + bytes;

    for (size_t i = 0; i < h->n; i++)
        if (h->held[i].uses <= 1 && needs(&h->p->table[nth], h->held[i].table))
            after -= h->held[i].bytes;
    return after <= h->limit && uses_from(h->p, nth + 1, nth);
}
