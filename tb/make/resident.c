/*
 * resident.c - see resident.h.
 */
#include "tb/make/resident.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/array.h"

/* Positions to solve so that each table is there, when nothing else is.  Owned; NULL: no memory. */
static double *costs_of(const struct bk_plan *p)
{
    double *cost = malloc((p->n + 1u) * sizeof *cost);

    for (unsigned i = 0; cost && i < p->n; i++) { /* those that it moves into come before */
        cost[i] = (double)p->table[i].positions;
        for (unsigned j = 0; j < p->table[i].nnext; j++)
            cost[i] += cost[p->table[i].next[j]];
    }
    return cost;
}

bool bk_resident_init(struct bk_resident *h, const struct bk_plan *p, uint64_t memory_limit)
{
    uint64_t memory = p->machine_bytes;

    if (!memory)
        memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (memory_limit && memory_limit < memory)
        memory = memory_limit;
    *h = (struct bk_resident){ .p = p,
                               .cost = costs_of(p),
                               .packs = p->processes < 2,
                               .memory = memory,
                               .limit = p->holds_more ? memory / 3 : memory / 4,
                               .spare = p->holds_more ? memory / 8 : 0 };
    return BK_ARRAY_ROOM(h->kept, h->room, p->n + 1u) && h->cost;
}

static uint64_t bytes_of(const struct bk_kept *x)
{
    return (x->away ? 0 : x->bytes) + x->packed_bytes;
}

static void drop(struct bk_resident *h, struct bk_kept *x)
{
    h->bytes -= bytes_of(x);
    bk_packed_free(x->packed);
    bk_memtable_free(x->t);
    *x = h->kept[--h->n];
}

void bk_resident_clear(struct bk_resident *h)
{
    while (h->n)
        drop(h, &h->kept[h->n - 1]);
}

void bk_resident_release(struct bk_resident *h)
{
    bk_resident_clear(h);
    free(h->kept);
    free(h->cost);
    *h = (struct bk_resident){ .p = h->p };
}

struct bk_kept *bk_resident_find(const struct bk_resident *h, uint32_t table)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->kept[i].table == table)
            return &h->kept[i];
    return NULL;
}

/* == Packing == */

uint64_t bk_resident_packed(const struct bk_resident *h, uint64_t bytes)
{
    return h->packs ? bytes / 100 * (h->p->distances ? 40 : 25) + 1 : bytes;
}

uint64_t bk_resident_margin(const struct bk_resident *h)
{
    bool any = false;

    for (size_t i = 0; i < h->n; i++)
        any = any || h->kept[i].packed_bytes;
    return any ? h->bytes / 32 : 0;
}

uint64_t bk_resident_frames(const struct bk_resident *h)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < h->n; i++)
        bytes += h->p->table[h->kept[i].table].frame_bytes;
    return bytes;
}

/* Returns the bytes of a table while it is packed, measured or estimated. */
static uint64_t waiting_bytes(const struct bk_resident *h, const struct bk_kept *x)
{
    return x->packed_bytes ? x->packed_bytes : bk_resident_packed(h, x->bytes);
}

/* Packs a table and frees its arrays.  False: no memory; the table is to be evicted. */
static bool put_away(struct bk_resident *h, struct bk_kept *x)
{
    uint64_t before = bytes_of(x);

    if (x->t && !bk_pack(&x->packed, x->t, h->pool))
        return false;
    x->packed_bytes = x->t ? bk_packed_bytes(x->packed) : waiting_bytes(h, x);
    x->away = true;
    h->bytes = h->bytes - before + bytes_of(x);
    return true;
}

/* Unpacks a table, if it is packed. */
static enum bk_err bring_back(struct bk_resident *h, struct bk_kept *x, struct bk_report *why)
{
    if (!x->away)
        return BK_OK;
    if (x->t && !bk_unpack(x->packed, x->t, h->pool))
        return bk_no_memory(why);
    x->away = false;
    h->bytes += x->bytes;
    return BK_OK;
}

/* == Eviction == */

/* Returns how many missing tables, from the nth on, move into this one. */
static unsigned uses_from(const struct bk_plan *p, unsigned nth, uint32_t table)
{
    unsigned uses = 0;

    for (unsigned i = nth; i < p->n; i++)
        uses += !p->table[i].present && bk_plan_leads(&p->table[i], table);
    return uses;
}

/* Returns how many tables are built from the nth on until one needs this one. */
static unsigned built_until(const struct bk_plan *p, unsigned nth, uint32_t table)
{
    unsigned built = 1;

    for (unsigned i = nth; i < p->n; i++) {
        if (p->table[i].present)
            continue;
        if (bk_plan_leads(&p->table[i], table))
            break;
        built++;
    }
    return built;
}

/*
 * Returns the merit of keeping a table of so many bytes, when the nth is the next to be built: the
 * positions that need not be solved again, a byte, over the root of the number of tables built
 * until it is needed.  A small table for which a hundred others must be solved outlasts those that
 * its neighbours need next; of equals the one that is needed last goes.  (The square is returned:
 * no root is needed.)
 */
static double merit(const struct bk_resident *h, unsigned nth, uint32_t table, uint64_t bytes)
{
    double spares = h->cost[table] / (double)(bytes + 1);

    return spares * spares / built_until(h->p, nth, table);
}

enum bk_err bk_resident_add(struct bk_resident *h, uint32_t table, struct bk_memtable *t,
                            uint64_t bytes, unsigned nth, struct bk_report *why)
{
    if (!BK_ARRAY_ROOM(h->kept, h->room, h->n + 1)) {
        bk_memtable_free(t);
        return bk_no_memory(why);
    }
    h->kept[h->n++] = (struct bk_kept){
        .table = table, .t = t, .bytes = bytes, .uses = uses_from(h->p, nth, table)
    };
    h->bytes += bytes;
    return BK_OK;
}

static bool is_idle(const struct bk_resident *h, unsigned nth, const struct bk_kept *x)
{
    return !x->pins && !bk_plan_leads(&h->p->table[nth], x->table);
}

/* Returns the idle table with the least merit, and sets *bytes to the bytes of all idle tables.
   NULL: there is none. */
static struct bk_kept *least_of_idle(const struct bk_resident *h, unsigned nth, uint64_t *bytes)
{
    struct bk_kept *least = NULL;
    double least_merit = 0;

    *bytes = 0;
    for (size_t i = 0; i < h->n; i++) {
        struct bk_kept *x = &h->kept[i];
        double this;

        if (!is_idle(h, nth, x))
            continue;
        *bytes += bytes_of(x);
        this = merit(h, nth, x->table, x->bytes);
        if (!least || this < least_merit) {
            least = x;
            least_merit = this;
        }
    }
    return least;
}

/* Returns the idle table that is needed last of those that can be packed.  NULL: there is none. */
static struct bk_kept *last_of_idle(const struct bk_resident *h, unsigned nth)
{
    struct bk_kept *last = NULL;
    unsigned until = 0;

    for (size_t i = 0; h->packs && i < h->n; i++) {
        struct bk_kept *x = &h->kept[i];
        unsigned this = x->away || !is_idle(h, nth, x) ? 0 : built_until(h->p, nth, x->table);

        if (this > until) {
            last = x;
            until = this;
        }
    }
    return last;
}

void bk_resident_make_room(struct bk_resident *h, unsigned nth)
{
    struct bk_kept *least, *last;
    uint64_t idle;

    while (h->packs_all && (last = last_of_idle(h, nth)) && put_away(h, last))
        ;
    while (h->bytes > h->limit && (least = least_of_idle(h, nth, &idle)) && idle > h->spare) {
        last = last_of_idle(h, nth);
        if (!last || !put_away(h, last))
            drop(h, last ? last : least);
    }
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
    for (unsigned i = 0; !err && i < pt->nnext; i++) /* when nothing more is to be solved */
        err = bring_back(h, bk_resident_find(h, pt->next[i]), why);
    for (unsigned i = 0; err && i < pt->nnext; i++)
        if (pinned[i])
            bk_resident_find(h, pt->next[i])->pins--;
    bk_resident_make_room(h, nth);
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
        if (bk_plan_leads(&h->p->table[nth], h->kept[i].table) &&
            (h->kept[i].uses == 0 || --h->kept[i].uses == 0))
            drop(h, &h->kept[i]);
}

bool bk_resident_will_keep(const struct bk_resident *h, unsigned nth, uint64_t bytes)
{
    double own = merit(h, nth + 1, nth, bytes);
    uint64_t after = bk_resident_packed(h, bytes);

    for (size_t i = 0; i < h->n; i++) {
        const struct bk_kept *x = &h->kept[i];
        bool goes = x->uses <= 1 && bk_plan_leads(&h->p->table[nth], x->table);

        if (!goes && merit(h, nth + 1, x->table, x->bytes) >= own)
            after += waiting_bytes(h, x);
    }
    return after <= h->limit && uses_from(h->p, nth + 1, nth);
}
