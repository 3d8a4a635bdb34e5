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

/* A quiet move of a man to another cell. */
struct step {
    unsigned slot, from, to; /* squares */
    uint32_t block;          /* the block it leads to */
};

/* Returns the block after `slot` has gone to another cell; -1: there is none. */
static int32_t block_after(const struct bk_index *ix, const struct bk_block *b, unsigned slot,
                           unsigned to_cell)
{
    uint8_t cell[BK_SLOTS_MAX];
    int32_t found;

    memcpy(cell, b->cell, sizeof cell);
    cell[slot] = (uint8_t)to_cell;
    bk_sort_like(cell, ix->like, ix->nslots);
    found = bk_block_of_cells(ix, cell);
    return found < 0 ? -1 : found >> 3;
}

/* Returns whether a quiet reach of `slot` leads out of its cell, `own`, to another one. */
static bool leaves_cell(const struct bk_index *ix, unsigned slot, unsigned own,
                        const struct bk_reach *r)
{
    unsigned cell = ix->cells[slot]->cell_of[r->to];

    return r->how & BK_QUIET && cell != BK_SQ_NONE && cell != own;
}

/* Visits every quiet move out of `block`; more than one may lead to the same block. */
static void each_next(const struct bk_index *ix, uint32_t block,
                      void (*visit)(void *context, const struct step *step), void *context)
{
    const struct bk_block *b = &ix->block[block];

    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        const struct bk_cells *c = ix->cells[slot];
        unsigned own = b->cell[slot];

        for (unsigned i = 0; c->n > 1 && i < c->size[own]; i++) {
            unsigned n, from = c->sq[c->first[own] + i];
            const struct bk_reach *r =
                bk_reach_from(ix->v, ix->type[slot], ix->colour[slot], from, &n);

            for (unsigned j = 0; j < n; j++) {
                int32_t next;

                if (!leaves_cell(ix, slot, own, &r[j]))
                    continue;
                next = block_after(ix, b, slot, c->cell_of[r[j].to]);
                if (next >= 0)
                    visit(context, &(struct step){ slot, from, r[j].to, (uint32_t)next });
            }
        }
    }
}

struct reading {
    uint32_t *readers;
    int by;
};

static void add_reader(void *context, const struct step *step)
{
    const struct reading *r = context;

    r->readers[step->block] += (uint32_t)r->by;
}

void bk_order_read(const struct bk_index *ix, uint32_t block, int by, uint32_t *readers)
{
    struct reading r = { readers, by };

    each_next(ix, block, add_reader, &r);
}

/* == Parts == */

/* May a double step of this man be answered en passant?  Then it is an exit, whose value is
   corrected: where it leads to must be solved before. */
static bool may_be_passed(const struct bk_index *ix, unsigned slot, unsigned from, unsigned to)
{
    const struct bk_variant *v = ix->v;

    if (!bk_rules_en_passant(v) ||
        !bk_rules_doubles_from(v, ix->type[slot], ix->colour[slot], from) ||
        abs((int)to - (int)from) != 2 * v->files)
        return false;
    for (unsigned i = 0; i < ix->nslots; i++)
        if (ix->colour[i] != ix->colour[slot] && bk_rules_doubles(v, ix->type[i]))
            return true;
    return false;
}

static unsigned root_of(uint8_t *root, unsigned i)
{
    while (root[i] != i)
        i = root[i] = root[root[i]];
    return i;
}

/* Sets root[] by cell: the same for cells, of one square each, that a man's steps connect.  A
   sitting pawn's cell stays by itself: it would connect all files. */
static void connect_cells(const struct bk_index *ix, unsigned slot, uint8_t *root)
{
    const struct bk_cells *c = ix->cells[slot];

    for (unsigned cell = 0; cell < c->n; cell++)
        root[cell] = (uint8_t)cell;
    for (unsigned cell = 0; cell < c->n; cell++) {
        unsigned from = c->sq[c->first[cell]], n;
        const struct bk_reach *r = bk_reach_from(ix->v, ix->type[slot], ix->colour[slot], from, &n);

        for (unsigned i = 0; c->size[cell] == 1 && i < n; i++)
            if (leaves_cell(ix, slot, cell, &r[i]) && c->size[c->cell_of[r[i].to]] == 1)
                root[root_of(root, c->cell_of[r[i].to])] = (uint8_t)root_of(root, cell);
    }
    for (unsigned cell = 0; cell < c->n; cell++)
        root[cell] = (uint8_t)root_of(root, cell);
}

/* Do quiet steps of this man to another cell zero the counter of the n-move rule? */
static bool steps_zero(const struct bk_index *ix, unsigned slot)
{
    return bk_rules_irreversible_zeroes(ix->v) || bk_rules_kind_zeroes(ix->v, ix->type[slot]);
}

/* Returns -1 for a cell on the left half of the board, 1 on the right, 0 on the file between. */
static int half_of(const struct bk_index *ix, const struct bk_cells *c, unsigned cell)
{
    int twice = 2 * (c->sq[c->first[cell]] % ix->v->files) + 1;

    return (twice > ix->v->files) - (twice < ix->v->files);
}

/*
 * Sets root[] by cell.  To zeroing, a step that zeroes counts one ply however far the end is: where
 * it leads to must be solved before.  But cells of one advance do not lead to each other: those of
 * a half rank are solved together, so that a choice and its mirror image are of one group.
 */
static void join_ranks(const struct bk_index *ix, unsigned slot, uint8_t *root)
{
    const struct bk_cells *c = ix->cells[slot];

    for (unsigned cell = 0; cell < c->n; cell++) {
        root[cell] = (uint8_t)cell;
        for (unsigned i = 0; c->size[cell] == 1 && i < cell && root[cell] == cell; i++)
            if (c->size[i] == 1 && c->advance[i] == c->advance[cell] &&
                half_of(ix, c, i) == half_of(ix, c, cell))
                root[cell] = (uint8_t)i;
    }
}

/* Sets cut[a] if a double step that may be answered en passant leads to a cell of advance `a`. */
static void find_cuts(const struct bk_index *ix, unsigned slot, bool cut[BK_SQ_MAX + 1])
{
    const struct bk_cells *c = ix->cells[slot];

    for (unsigned cell = 0; cell < c->n; cell++) {
        unsigned from = c->sq[c->first[cell]], n;
        const struct bk_reach *r = bk_reach_from(ix->v, ix->type[slot], ix->colour[slot], from, &n);

        for (unsigned i = 0; c->size[cell] == 1 && i < n; i++)
            if (leaves_cell(ix, slot, cell, &r[i]) && may_be_passed(ix, slot, from, r[i].to))
                cut[c->advance[c->cell_of[r[i].to]]] = true;
    }
}

/*
 * Sets part[], by cell, and layer[], by part.  Cells that steps connect are one part; but where a
 * double step may be answered en passant, its two squares are in different parts, of two layers:
 * the cells as far on as it leads, and those before.  zero: each advance is a layer.
 */
static void find_parts(const struct bk_index *ix, unsigned slot, bool zero, uint8_t *part,
                       uint8_t *layer)
{
    const struct bk_cells *c = ix->cells[slot];
    bool cut[BK_SQ_MAX + 1] = { false };
    uint8_t root[BK_SQ_MAX], root_of_part[BK_SQ_MAX];
    unsigned parts = 0;

    if (zero) {
        join_ranks(ix, slot, root);
        memset(cut, true, sizeof cut);
    } else {
        connect_cells(ix, slot, root);
        find_cuts(ix, slot, cut);
    }
    for (unsigned cell = 0; cell < c->n; cell++) {
        unsigned own = c->size[cell] > 1 ? c->n : 0, k = 0; /* a sitting pawn's layer is its own */

        for (unsigned a = 0; a <= c->advance[cell]; a++)
            own += cut[a];
        while (k < parts && (root_of_part[k] != root[cell] || layer[k] != own))
            k++;
        if (k == parts) {
            root_of_part[parts] = root[cell];
            layer[parts++] = (uint8_t)own;
        }
        part[cell] = (uint8_t)k;
    }
}

/* Returns the cell to which a symmetry takes a cell (its first square). */
static unsigned image_of(const struct bk_index *ix, unsigned slot, unsigned cell, unsigned sym)
{
    const struct bk_cells *c = ix->cells[slot];

    return c->cell_of[ix->map[sym][c->sq[c->first[cell]]]];
}

/* Numbers the parts of the pair, layer by layer. */
static void find_kin(const struct bk_index *ix, struct bk_parts *p)
{
    unsigned slot = (unsigned)p->pair, parts = 0;
    uint8_t first[BK_SQ_MAX], found[BK_SQ_MAX] = { 0 }; /* by part: the least of its images; by
                                                           layer: how many are numbered */

    memset(first, BK_SQ_NONE, sizeof first);
    for (unsigned cell = 0; cell < ix->cells[slot]->n; cell++) {
        unsigned part = p->of[slot][cell];

        for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
            uint8_t image;

            if (!((ix->group | 1) >> sym & 1))
                continue;
            image = p->of[slot][image_of(ix, slot, cell, sym)];
            first[part] = image < first[part] ? image : first[part];
        }
        parts = part < parts ? parts : part + 1;
    }
    for (unsigned part = 0; part < parts; part++) {
        uint8_t *n = &found[p->layer[slot][part]];

        p->kin[part].nth = first[part] == part ? (*n)++ : p->kin[first[part]].nth;
    }
    for (unsigned part = 0; part < parts; part++)
        p->kin[part].of = found[p->layer[slot][part]];
}

/* Returns the first of two equal men, of whom `wide` is one; -1: there are no such two. */
static int pair_of(const struct bk_index *ix, int wide)
{
    unsigned n = 0;

    for (unsigned slot = 0; wide >= 0 && slot < ix->nslots; slot++)
        n += ix->like[slot] == ix->like[wide];
    return n == 2 ? ix->like[wide] : -1;
}

/* Returns the man whose parts are solved together: the last of several cells; -1: none.  If he is
   the only one, he has to be alone with the inner man, without others to fill vectors. */
static int wide_man(const struct bk_index *ix)
{
    unsigned several = 0;
    int last = -1;

    for (unsigned slot = 0; slot < ix->nslots; slot++)
        if (ix->cells[slot]->n > 1) {
            several++;
            last = (int)slot;
        }
    return several > 1 || ix->nslots == several + 1u ? last : -1;
}

static void find_all_parts(const struct bk_index *ix, bool wide, enum bk_metric metric,
                           struct bk_parts *p)
{
    memset(p, 0, sizeof *p);
    for (unsigned slot = 0; slot < ix->nslots; slot++)
        if (ix->cells[slot]->n > 1)
            find_parts(ix, slot, metric == BK_TO_ZEROING && steps_zero(ix, slot), p->of[slot],
                       p->layer[slot]);
    p->wide = wide ? wide_man(ix) : -1;
    p->pair = pair_of(ix, p->wide);
    if (p->pair >= 0)
        find_kin(ix, p);
}

/* == Groups == */

/*
 * Returns whether a man in part `a` comes before an equal one in part `b`.
 *
 * Of a pair the first one's part makes the group, and the second one may be in all parts that come
 * behind that.  If the lower part came first, KPPvKQ would have groups of eight files, six, four
 * and two.  So the outermost come before all others, and of these each before as many as behind:
 * eight files, and three times four.  They fill whole vectors.
 */
static bool comes_first(const struct bk_parts *p, unsigned slot, unsigned a, unsigned b)
{
    struct bk_kin x = p->kin[a], y = p->kin[b];
    unsigned ahead, others = x.of - 1u;

    if ((int)slot != p->pair || p->layer[slot][a] != p->layer[slot][b] || x.nth == y.nth ||
        !x.nth || !y.nth)
        return a < b;
    ahead = 2 * ((y.nth + others - x.nth) % others); /* twice, of as many in a circle */
    return ahead < others || (ahead == others && a < b);
}

/* Sets part[], by the group's slots, to the parts of a block's men after a symmetry, equal men in
   order; and slot[], by the block's slots, to the group's. */
static void parts_of(const struct bk_parts *p, const struct bk_index *ix, const struct bk_block *b,
                     unsigned sym, uint8_t *part, uint8_t *slot)
{
    uint8_t own[BK_SLOTS_MAX];

    for (unsigned s = 0; s < ix->nslots; s++)
        own[s] = p->of[s][image_of(ix, s, b->cell[s], sym)];
    for (unsigned s = 0; s < ix->nslots; s++) {
        unsigned like = ix->like[s], at = like;

        for (unsigned t = like; t < ix->nslots && ix->like[t] == like; t++)
            at += own[t] == own[s] ? t < s : comes_first(p, like, own[t], own[s]);
        part[at] = own[s];
        slot[s] = (uint8_t)at;
    }
}

/* Returns the symmetry after which the parts of a block come first, and sets part[] to these. */
static unsigned first_parts(const struct bk_parts *p, const struct bk_index *ix,
                            const struct bk_block *b, uint8_t *part)
{
    uint8_t other[BK_SLOTS_MAX] = { 0 }, slot[BK_SLOTS_MAX];
    unsigned best = 0;

    parts_of(p, ix, b, 0, part, slot);
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++) {
        if (!(ix->group >> sym & 1))
            continue;
        parts_of(p, ix, b, sym, other, slot);
        if (memcmp(other, part, ix->nslots) < 0) {
            memcpy(part, other, ix->nslots);
            best = sym;
        }
    }
    return best;
}

/* Do these symmetries of kings' squares leave every man of the group within its part? */
static bool parts_stay(const struct bk_parts *p, const struct bk_index *ix, const uint8_t *part,
                       unsigned symmetries)
{
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++)
        for (unsigned s = 0; symmetries >> sym & 1 && s < ix->nslots; s++)
            for (unsigned cell = 0; cell < ix->cells[s]->n; cell++) {
                unsigned image = image_of(ix, s, cell, sym);

                if (p->of[s][cell] == part[s] && p->of[s][image] != part[s])
                    return false;
            }
    return true;
}

/*
 * Returns the king pairs of a group of blocks: theirs, if all have the same and none has to be
 * turned; else all there are.  NULL: the blocks had better stay by themselves.
 */
static const struct bk_pairs *pairs_of(const struct bk_parts *p, const struct bk_index *ix,
                                       const uint32_t *block, uint32_t n)
{
    const struct bk_pairs *pairs = ix->block[block[0]].pairs;

    for (uint32_t i = 0; i < n; i++) {
        const struct bk_block *b = &ix->block[block[i]];
        uint8_t part[BK_SLOTS_MAX];

        if (b->pairs != pairs || first_parts(p, ix, b, part) ||
            !parts_stay(p, ix, part, pairs->group))
            return ix->pairs[1];
    }
    return pairs;
}

void bk_order_group(const struct bk_order *o, const struct bk_index *ix, uint32_t level,
                    struct bk_group *out)
{
    const uint32_t *block = o->block + o->first[level];
    uint32_t n = o->first[level + 1] - o->first[level];
    bool in[BK_SLOTS_MAX][BK_SQ_MAX] = { { false } }; /* by part */

    memset(out, 0, sizeof *out);
    out->parts = o->parts;
    out->pairs = pairs_of(o->parts, ix, block, n);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t part[BK_SLOTS_MAX];

        first_parts(o->parts, ix, &ix->block[block[i]], part);
        for (unsigned s = 0; s < ix->nslots; s++)
            in[s][part[s]] = true;
    }
    for (unsigned s = 0; s < ix->nslots; s++) {
        const struct bk_cells *c = ix->cells[s];

        for (unsigned sq = 0; c->n > 1 && sq < ix->v->nsq; sq++)
            if (c->cell_of[sq] != BK_SQ_NONE && in[s][o->parts->of[s][c->cell_of[sq]]])
                out->sq[s][out->n[s]++] = (uint8_t)sq;
    }
}

void bk_group_member(const struct bk_group *g, const struct bk_index *ix, uint32_t block,
                     struct bk_member *out)
{
    uint8_t part[BK_SLOTS_MAX];
    unsigned sym = first_parts(g->parts, ix, &ix->block[block], part);

    memcpy(out->map, ix->map[sym], ix->v->nsq);
    parts_of(g->parts, ix, &ix->block[block], sym, part, out->slot);
    out->straight = !sym;
}

/* == The order == */

struct place {
    uint64_t key; /* of its group */
    uint32_t block, root;
    unsigned advance; /* the highest of its group */
};

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* Highest advance first, each group in one piece. */
static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->advance != y->advance)
        return x->advance > y->advance ? -1 : 1;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

static bool in_group(const struct place *p, uint32_t n, uint32_t i)
{
    return (i && p[i - 1].root == p[i].root) || (i + 1 < n && p[i + 1].root == p[i].root);
}

/* Does the block at place i begin a level? */
static bool begins_level(const struct place *p, uint32_t n, uint32_t i)
{
    if (!i || in_group(p, n, i) || in_group(p, n, i - 1))
        return !i || p[i].root != p[i - 1].root;
    return p[i].advance != p[i - 1].advance;
}

static void cut_levels(struct bk_order *o, const struct place *p, uint32_t n)
{
    o->nlevels = 0;
    o->any_group = false;
    for (uint32_t i = 0; i < n; i++) {
        o->block[i] = p[i].block;
        if (begins_level(p, n, i)) {
            o->group[o->nlevels] = in_group(p, n, i);
            o->any_group = o->any_group || o->group[o->nlevels];
            o->first[o->nlevels++] = i;
        }
    }
    o->first[o->nlevels] = n;
}

/* Places every block by itself. */
static void part_blocks(const struct bk_index *ix, struct place *p)
{
    for (uint32_t i = 0; i < ix->nblocks; i++)
        p[i] = (struct place){ .block = i, .root = i, .advance = ix->block[i].advance };
}

/* Makes a run of places with the same key a group, if it has a frame.  False: no memory. */
static bool join_run(const struct bk_parts *parts, const struct bk_index *ix, struct place *p,
                     uint32_t n)
{
    uint32_t *block = malloc(n * sizeof *block);
    unsigned most = 0;

    if (!block)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        block[i] = p[i].block;
        most = p[i].advance > most ? p[i].advance : most;
    }
    if (pairs_of(parts, ix, block, n))
        for (uint32_t i = 0; i < n; i++) {
            p[i].root = block[0];
            p[i].advance = most;
        }
    free(block);
    return true;
}

/* Joins blocks whose men are in the same parts to groups; of the wide man only the layer counts.
   False: no memory. */
static bool join_blocks(const struct bk_parts *parts, const struct bk_index *ix, struct place *p)
{
    bool ok = true;

    part_blocks(ix, p);
    for (uint32_t i = 0; i < ix->nblocks; i++) {
        uint8_t part[BK_SLOTS_MAX];

        first_parts(parts, ix, &ix->block[i], part);
        for (unsigned s = 0; s < ix->nslots; s++)
            p[i].key = p[i].key << 8 | ((int)s == parts->wide ? parts->layer[s][part[s]] : part[s]);
    }
    qsort(p, ix->nblocks, sizeof *p, by_key);
    for (uint32_t i = 0, end; ok && i < ix->nblocks; i = end) {
        for (end = i + 1; end < ix->nblocks && p[end].key == p[i].key;)
            end++;
        if (end - i > 1)
            ok = join_run(parts, ix, p + i, end - i);
    }
    return ok;
}

static void sort_blocks(struct bk_order *o, const struct bk_index *ix, struct place *p)
{
    qsort(p, ix->nblocks, sizeof *p, by_place);
    cut_levels(o, p, ix->nblocks);
}

/* == Does it hold? == */

struct check {
    const struct bk_order *o;
    const struct bk_index *ix;
    const uint32_t *level; /* by block */
    uint32_t own;          /* the block looked at */
    bool fails;
};

/* Checks that a step leads to an earlier level; or, in a group, to another cell of the same part,
   and that nobody answers it en passant. */
static void check_next(void *context, const struct step *step)
{
    struct check *k = context;
    const uint8_t *cell_of = k->ix->cells[step->slot]->cell_of, *part = k->o->parts->of[step->slot];
    uint32_t here = k->level[k->own], there = k->level[step->block];
    bool inside = k->o->group[here] && part[cell_of[step->from]] == part[cell_of[step->to]];

    if (inside ? there != here || may_be_passed(k->ix, step->slot, step->from, step->to)
               : there >= here)
        k->fails = true;
}

/* Returns whether every step of the table's men leads where it may.  level: scratch, by block. */
static bool order_holds(const struct bk_order *o, const struct bk_index *ix, uint32_t *level)
{
    struct check k = { o, ix, level, 0, false };

    for (uint32_t l = 0; l < o->nlevels; l++)
        for (uint32_t i = o->first[l]; i < o->first[l + 1]; i++)
            level[o->block[i]] = l;
    for (k.own = 0; k.own < ix->nblocks && !k.fails; k.own++)
        each_next(ix, k.own, check_next, &k);
    return !k.fails;
}

/* Groups want a man whose squares are the bits of a word, and no castling rights. */
static bool may_have_groups(const struct bk_index *ix)
{
    bool one = false, several = false;

    for (unsigned s = 0; s < ix->nslots; s++) {
        one = one || ix->cells[s]->n == 1;
        several = several || ix->cells[s]->n > 1;
    }
    return one && several && !ix->m.rights && !bk_rules_without_tables(ix->v);
}

bool bk_order_new(struct bk_order *o, const struct bk_index *ix, enum bk_strategy strategy,
                  enum bk_metric metric)
{
    uint32_t n = ix->nblocks, *level = malloc((n + 1u) * sizeof *level);
    struct place *p = malloc((n + 1u) * sizeof *p);
    bool ok, groups = strategy >= BK_GROUPS && may_have_groups(ix);

    o->block = malloc((n + 1u) * sizeof *o->block);
    o->first = malloc((n + 1u) * sizeof *o->first);
    o->group = malloc((n + 1u) * sizeof *o->group);
    o->parts = groups ? malloc(sizeof *o->parts) : NULL;
    ok = level && p && o->block && o->first && o->group && (o->parts || !groups);
    if (ok && groups) {
        find_all_parts(ix, strategy == BK_WIDE, metric, o->parts);
        ok = join_blocks(o->parts, ix, p);
        sort_blocks(o, ix, p);
        groups = ok && o->any_group && order_holds(o, ix, level);
    }
    if (ok && !groups) {
        part_blocks(ix, p);
        sort_blocks(o, ix, p);
    }
    free(level);
    free(p);
    if (!ok)
        bk_order_free(o);
    return ok;
}

void bk_order_free(struct bk_order *o)
{
    free(o->block);
    free(o->first);
    free(o->group);
    free(o->parts);
    *o = (struct bk_order){ 0 };
}
