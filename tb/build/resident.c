/*
 * resident.c - see resident.h.
 */
#include "tb/build/resident.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/array.h"

bool bk_resident_init(struct bk_resident *h, const struct bk_plan *p, uint64_t memory_limit)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    if (memory_limit && memory_limit < memory)
        memory = memory_limit;
    *h = (struct bk_resident){ .p = p, .limit = memory / 4 };
    return BK_ARRAY_ROOM(h->kept, h->room, p->n + 1u);
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

enum bk_err bk_resident_add(struct bk_resident *h, uint32_t table, struct bk_memtable *t,
                            uint64_t bytes, unsigned nth, struct bk_report *why)
{
    if (!BK_ARRAY_ROOM(h->kept, h->room, h->n + 1)) {
        bk_memtable_free(t);
        return bk_no_memory(why);
    }
    h->kept[h->n++] = (struct bk_kept){ table, t, bytes, uses_from(h->p, nth, table), 0 };
    h->bytes += bytes;
    return BK_OK;
}

void bk_resident_make_room(struct bk_resident *h, unsigned nth)
{
    for (size_t i = h->n; h->bytes > h->limit && i-- > 0;)
        if (!h->kept[i].pins && !moves_into(&h->p->table[nth], h->kept[i].table))
            drop(h, &h->kept[i]);
}

/* Makes a table, after what it needs. */
static enum bk_err fetch(struct bk_resident *h, unsigned nth, uint32_t table,
                         bk_resident_make *make, void *context, struct bk_report *why)
{
    struct bk_memtable *t = NULL;
    uint64_t bytes = 0;
    enum bk_err err = bk_resident_gather(h, nth, table, make, context, why);

    if (err)
        return err;
    err = make(context, table, &t, &bytes, why);
    bk_resident_leave(h, table);
    return err ? err : bk_resident_add(h, table, t, bytes, nth, why);
}

enum bk_err bk_resident_gather(struct bk_resident *h, unsigned nth, uint32_t table,
                               bk_resident_make *make, void *context, struct bk_report *why)
{
    const struct bk_plan_table *pt = &h->p->table[table];
    bool pinned[BK_NEXT_MAX] = { false };
    struct bk_kept *x;
    enum bk_err err = BK_OK;

    for (unsigned i = 0; i < pt->nnext; i++) /* before anything is made: what is there stays */
        if ((x = bk_resident_find(h, pt->next[i]))) {
            x->pins++;
            pinned[i] = true;
        }
    bk_resident_make_room(h, nth);
    for (unsigned i = 0; !err && i < pt->nnext; i++) {
        if (!bk_resident_find(h, pt->next[i]))
            err = fetch(h, nth, pt->next[i], make, context, why);
        if (!err && !pinned[i]) { /* made now, perhaps for another one */
            bk_resident_find(h, pt->next[i])->pins++;
            pinned[i] = true;
        }
    }
    for (unsigned i = 0; err && i < pt->nnext; i++)
        if (pinned[i])
            bk_resident_find(h, pt->next[i])->pins--;
    return err;
}

void bk_resident_leave(struct bk_resident *h, uint32_t table)
{
    const struct bk_plan_table *pt = &h->p->table[table];

    for (unsigned i = 0; i < pt->nnext; i++) {
        struct bk_kept *x = bk_resident_find(h, pt->next[i]);

        if (x && x->pins)
            x->pins--;
    }
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
