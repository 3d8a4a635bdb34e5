/*
 * order.c - see order.h.
 */
#include "tb/solve/order.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/geometry.h"
#include "core/rules.h"
#include "tb/memory/memtable.h"

/* == Where quiet moves lead == */

/* Block * 8 + symmetry, once `slot` has gone to another cell; -1: there is none.  plain: are
   the men then in the order they were in? */
static int32_t block_after(const struct bk_index *ix, const struct bk_block *b, unsigned slot,
                           unsigned to_cell, bool *plain)
{
    uint8_t cell[BK_SLOTS_MAX];

    memcpy(cell, b->cell, sizeof cell);
    cell[slot] = (uint8_t)to_cell;
    *plain = bk_sort_like(cell, ix->like, ix->nslots);
    return bk_block_of_cells(ix, cell);
}

/* Does a quiet reach of `slot` lead out of its cell in this block? */
static bool leaves_cell(const struct bk_index *ix, const struct bk_block *b, unsigned slot,
                        const struct bk_reach *r)
{
    unsigned cell = ix->cells[slot]->cell_of[r->to];

    return r->how & BK_QUIET && cell != BK_SQ_NONE && cell != b->cell[slot];
}

/* Visits every block that a quiet move out of `block` leads to, maybe more than once. */
static void each_next(const struct bk_index *ix, uint32_t block,
                      void (*visit)(void *context, uint32_t next), void *context)
{
    const struct bk_block *b = &ix->block[block];

    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        const struct bk_cells *c = ix->cells[slot];

        for (unsigned i = 0; c->n > 1 && i < c->size[b->cell[slot]]; i++) {
            unsigned n;
            const struct bk_reach *r = bk_reach_from(ix->v, ix->type[slot], ix->colour[slot],
                                                     c->sq[c->first[b->cell[slot]] + i], &n);

            for (unsigned j = 0; j < n; j++) {
                bool plain;
                int32_t next;

                if (!leaves_cell(ix, b, slot, &r[j]))
                    continue;
                next = block_after(ix, b, slot, c->cell_of[r[j].to], &plain);
                if (next >= 0)
                    visit(context, (uint32_t)next >> 3);
            }
        }
    }
}

struct reading {
    uint32_t *readers;
    int by;
};

static void add_reader(void *context, uint32_t next)
{
    const struct reading *r = context;

    r->readers[next] += (uint32_t)r->by;
}

void bk_order_read(const struct bk_index *ix, uint32_t block, int by, uint32_t *readers)
{
    struct reading r = { readers, by };

    each_next(ix, block, add_reader, &r);
}

/* == Chains == */

/*
 * The man whose steps connect the blocks of a chain: the only one of several
 * cells, if two others move within the blocks; -1: there is none.  With two
 * pawns, or one man beside the pawn, blocks are small, and threads do better to
 * solve one each (KNvKP with two threads: 1.2 s, as chains 1.4 s).
 */
static int chain_slot(const struct bk_index *ix)
{
    unsigned leavers = 0;
    int slot = -1;

    for (unsigned i = 0; i < ix->nslots; i++)
        if (ix->cells[i]->n > 1) {
            slot = (int)i;
            leavers++;
        }
    return leavers == 1 && ix->nslots > 2 && !ix->m.rights ? slot : -1;
}

/* May a double step of this man be answered en passant? */
static bool may_be_passed(const struct bk_index *ix, unsigned slot, unsigned from, unsigned to)
{
    const struct bk_variant *v = ix->v;
    int up = (int)(to / v->files) - (int)(from / v->files);

    for (unsigned i = 0; bk_rules_en_passant(v) && (up == 2 || up == -2) && i < ix->nslots; i++)
        if (ix->colour[i] != ix->colour[slot] && bk_rules_doubles(v, ix->type[i]))
            return true;
    return false;
}

unsigned bk_order_links(const struct bk_index *ix, uint32_t block, struct bk_link out[BK_LINKS_MAX])
{
    const struct bk_block *b = &ix->block[block];
    int slot = chain_slot(ix);
    const struct bk_cells *c = slot < 0 ? NULL : ix->cells[slot];
    const struct bk_reach *r;
    unsigned n, links = 0, from;

    if (!c || c->size[b->cell[slot]] != 1)
        return 0;
    from = c->sq[c->first[b->cell[slot]]];
    r = bk_reach_from(ix->v, ix->type[slot], ix->colour[slot], from, &n);
    for (unsigned i = 0; i < n && links < BK_LINKS_MAX; i++) {
        bool plain;
        int32_t next;

        if (!leaves_cell(ix, b, (unsigned)slot, &r[i]) || c->size[c->cell_of[r[i].to]] != 1 ||
            may_be_passed(ix, (unsigned)slot, from, r[i].to))
            continue;
        next = block_after(ix, b, (unsigned)slot, c->cell_of[r[i].to], &plain);
        if (next < 0 || next & 7 || !plain || ix->block[next >> 3].pairs != b->pairs)
            continue;
        out[links++] = (struct bk_link){ (uint8_t)slot, r[i].to, (uint32_t)next >> 3, &r[i] };
    }
    return links;
}

static uint32_t root_of(uint32_t *root, uint32_t i)
{
    while (root[i] != i)
        i = root[i] = root[root[i]];
    return i;
}

/* By block: the first of those connected with it, by links in either direction. */
static void connect(const struct bk_index *ix, uint32_t *root)
{
    for (uint32_t i = 0; i < ix->nblocks; i++)
        root[i] = i;
    for (uint32_t i = 0; i < ix->nblocks; i++) {
        struct bk_link link[BK_LINKS_MAX];
        unsigned n = bk_order_links(ix, i, link);

        for (unsigned j = 0; j < n; j++) {
            uint32_t a = root_of(root, i), b = root_of(root, link[j].block);

            root[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (uint32_t i = 0; i < ix->nblocks; i++)
        root[i] = root_of(root, i);
}

/* == The order == */

struct place {
    uint32_t block, root;
    unsigned advance; /* the highest of its chain */
};

/* Highest advance first, each chain in one piece. */
static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->advance != y->advance)
        return x->advance > y->advance ? -1 : 1;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

static bool in_chain(const struct place *p, uint32_t n, uint32_t i)
{
    return (i && p[i - 1].root == p[i].root) || (i + 1 < n && p[i + 1].root == p[i].root);
}

/* Does the block at place i begin a level? */
static bool begins_level(const struct place *p, uint32_t n, uint32_t i)
{
    if (!i || in_chain(p, n, i) || in_chain(p, n, i - 1))
        return !i || p[i].root != p[i - 1].root;
    return p[i].advance != p[i - 1].advance;
}

static void cut_levels(struct bk_order *o, const struct place *p, uint32_t n)
{
    o->nlevels = 0;
    for (uint32_t i = 0; i < n; i++) {
        o->block[i] = p[i].block;
        if (begins_level(p, n, i)) {
            o->chain[o->nlevels] = in_chain(p, n, i);
            o->first[o->nlevels++] = i;
        }
    }
    o->first[o->nlevels] = n;
}

/* root: by block, NULL: every block is by itself. */
static void sort_blocks(struct bk_order *o, const struct bk_index *ix, struct place *p,
                        const uint32_t *root)
{
    uint32_t n = ix->nblocks;

    for (uint32_t i = 0; i < n; i++) { /* what the first of a chain has, its others get */
        struct place *first = &p[root ? root[i] : i];

        p[i] = (struct place){ i, root ? root[i] : i, ix->block[i].advance };
        if (p[i].advance > first->advance)
            first->advance = p[i].advance;
    }
    for (uint32_t i = 0; i < n; i++)
        p[i].advance = p[p[i].root].advance;
    qsort(p, n, sizeof *p, by_place);
    cut_levels(o, p, n);
}

struct check {
    const uint32_t *level; /* by block */
    uint32_t own, inside;  /* the level of the block looked at; moves that stay in it */
    bool fails;
};

static void check_next(void *context, uint32_t next)
{
    struct check *k = context;

    if (k->level[next] > k->own)
        k->fails = true;
    k->inside += k->level[next] == k->own;
}

/* Can the links into every block be listed? */
static bool links_fit(const struct bk_index *ix, uint32_t *links_into)
{
    memset(links_into, 0, ix->nblocks * sizeof *links_into);
    for (uint32_t i = 0; i < ix->nblocks; i++) {
        struct bk_link link[BK_LINKS_MAX];
        unsigned n = bk_order_links(ix, i, link);

        for (unsigned j = 0; j < n; j++)
            if (++links_into[link[j].block] > BK_LINKS_MAX)
                return false;
    }
    return true;
}

/* Chains hold if every move leads to an earlier level or by a link to the same.  level: scratch. */
static bool order_holds(const struct bk_order *o, const struct bk_index *ix, uint32_t *level)
{
    if (!links_fit(ix, level))
        return false;
    for (uint32_t l = 0; l < o->nlevels; l++)
        for (uint32_t i = o->first[l]; i < o->first[l + 1]; i++)
            level[o->block[i]] = l;
    for (uint32_t i = 0; i < ix->nblocks; i++) {
        struct bk_link link[BK_LINKS_MAX];
        struct check k = { .level = level, .own = level[i] };

        each_next(ix, i, check_next, &k);
        if (k.fails || k.inside != (o->chain[k.own] ? bk_order_links(ix, i, link) : 0))
            return false;
    }
    return true;
}

bool bk_order_new(struct bk_order *o, const struct bk_index *ix, bool chains)
{
    uint32_t n = ix->nblocks, *root = malloc((n + 1u) * sizeof *root);
    struct place *p = malloc((n + 1u) * sizeof *p);
    bool ok;

    o->block = malloc((n + 1u) * sizeof *o->block);
    o->first = malloc((n + 1u) * sizeof *o->first);
    o->chain = malloc((n + 1u) * sizeof *o->chain);
    ok = root && p && o->block && o->first && o->chain;
    chains = chains && chain_slot(ix) >= 0;
    if (ok && chains) {
        connect(ix, root);
        sort_blocks(o, ix, p, root);
        chains = order_holds(o, ix, root);
    }
    if (ok && !chains)
        sort_blocks(o, ix, p, NULL);
    free(root);
    free(p);
    if (!ok)
        bk_order_free(o);
    return ok;
}

void bk_order_free(struct bk_order *o)
{
    free(o->block);
    free(o->first);
    free(o->chain);
    *o = (struct bk_order){ 0 };
}
