/*
 * unit_count.c - see unit_count.h.
 *
 * HOT: counts of many leaves are in no cache, so an addition waits until its
 * cache line is there.
 */
#include "tb/encode/unit_count.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/unit_memory.h"

#define COUNTS_APART (UINT64_C(512) << 10) /* larger tables of counts are shared by the threads */

/* == Counts == */

INLINE void raise_count(struct bk_unit_rise r, bool shared)
{
    if (!r.count)
        return;
    if (shared)
        __atomic_fetch_add(r.count, r.by, __ATOMIC_RELAXED);
    else
        *r.count += r.by;
}

/* Adds to a count: the addition waits until BK_UNIT_RISES later ones have come. */
INLINE void add_count(const struct bk_unit_walk *k, uint64_t *n, unsigned more)
{
    struct bk_unit_rise *r = &k->scratch->rise[k->scratch->rises++ % BK_UNIT_RISES], now = *r;

    __builtin_prefetch(n, 1);
    *r = (struct bk_unit_rise){ n, more };
    raise_count(now, k->u->counts_shared);
}

/* Makes the additions that wait. */
static void end_counts(struct bk_unit_scratch *w, bool shared)
{
    for (unsigned i = 0; i < BK_UNIT_RISES; i++) {
        raise_count(w->rise[i], shared);
        w->rise[i].count = NULL;
    }
}

INLINE void count_cell_of(const struct bk_unit_walk *k, uint32_t leaf, const uint64_t *squares,
                          unsigned words, unsigned bits)
{
    const struct bk_row_values *values = &k->walk.values;
    uint64_t *n = k->scratch->count + ((size_t)leaf * 2 << bits);
    uint16_t guess = k->u->learned.guess[leaf];

    for (unsigned i = 0; i < words; i++) {
        uint64_t left = squares[i], guessed = k->walk.odd ? 0 : left & ~values->least[i];

        if (guessed) {
            add_count(k, &n[guess], bk_count_bits(guessed));
            left &= ~guessed;
        }
        while (left) {
            bool bound;
            uint32_t v;
            uint64_t same = bk_like_first(values, bits, i, left, &bound, &v);

            add_count(k, &n[((size_t)bound << bits) + v], bk_count_bits(same));
            left &= ~same;
        }
    }
}

static void count_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares)
{
    const struct bk_unit_walk *k = (const struct bk_unit_walk *)w;
    unsigned words = w->words, bits = w->src->bits;

    if (words == 1 && bits == 2)
        count_cell_of(k, leaf, squares, 1, 2);
    else
        count_cell_of(k, leaf, squares, words, bits);
}

/* == Remembered cells == */

/* Takes n bytes of u->cells; NULL: so many are not left. */
static uint8_t *take_cell_bytes(struct bk_unit_run *u, uint64_t n)
{
    uint64_t taken = __atomic_load_n(&u->cells_taken, __ATOMIC_RELAXED);

    while (n <= u->cells_room - taken)
        if (__atomic_compare_exchange_n(&u->cells_taken, &taken, taken + n, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return u->cells + taken;
    return NULL;
}

static void remember_cells(struct bk_unit_run *u, struct bk_unit_piece *p,
                           const struct bk_cell_list *cells)
{
    p->cells = *cells;
    p->cells.byte = take_cell_bytes(u, cells->n);
    p->remembered = p->cells.byte;
    if (p->remembered && cells->n)
        memcpy(p->cells.byte, cells->byte, cells->n);
}

/* == The pass == */

static void count_piece(void *context, uint64_t nth, unsigned thread)
{
    struct bk_unit_run *u = context;
    struct bk_unit_walk k = bk_unit_walk_of(u, thread, count_cell);
    struct bk_cell_list *cells = &k.scratch->cells;

    bk_cells_init(cells, u->words, u->learned.leaves);
    if (u->cells && u->learned.leaves < BK_CELL_LEAVES_MAX &&
        __atomic_load_n(&u->cells_taken, __ATOMIC_RELAXED) < u->cells_room)
        k.walk.record = cells;
    bk_unit_walk_piece(&k, u->from + nth);
    end_counts(k.scratch, u->counts_shared);
    if (k.walk.record)
        remember_cells(u, &u->piece[u->from + nth], cells);
}

static enum bk_err count_here(struct bk_unit_run *u, struct bk_report *why)
{
    struct bk_leaf_counts *c = &u->counts;
    size_t n = (size_t)2 * u->learned.leaves << u->src->bits;

    c->leaves = u->learned.leaves;
    c->bits = u->src->bits;
    u->cells_room = bk_unit_room_for_cells(u, n * sizeof(*c->n));
    u->cells = u->cells_room ? bk_spill_new(NULL, u->cells_room + BK_CELL_FEW) : NULL;
    u->counts_shared = u->threads > 1 && n * sizeof(*c->n) > COUNTS_APART;
    c->n = bk_spill_new_brief(u->spill, n * sizeof(*c->n));
    for (unsigned t = 0; t < u->threads; t++) {
        bool own = t && !u->counts_shared;

        u->scratch[t].count = own ? calloc(n, sizeof(*c->n)) : c->n;
        if (!u->scratch[t].count)
            return bk_fail(why, BK_E_SYSTEM, "no memory to count the values of %u leaves",
                           c->leaves);
    }
    if (!bk_pool_try(u->pool, u->to - u->from, count_piece, u))
        return bk_fail(why, BK_E_SYSTEM, "stopped");
    for (unsigned t = 1; t < u->threads && !u->counts_shared; t++) {
        for (size_t i = 0; i < n; i++)
            c->n[i] += u->scratch[t].count[i];
        free(u->scratch[t].count);
        u->scratch[t].count = NULL;
    }
    return BK_OK;
}

enum bk_err bk_unit_count(struct bk_unit_run *u, struct bk_report *why)
{
    enum bk_err err = bk_unit_ended(u, count_here(u, why), why);

    if (!err && u->shared)
        err = bk_ranks_sum(u->counts.n, (size_t)2 * u->learned.leaves << u->src->bits, why);
    return err;
}
