/*
 * exits.c - the exits of a block: which there are, and the tables they lead to.
 */
#include "tb/solve/exits.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "tb/solve/prepare.h"
#include "core/array.h"

struct exit_list {
    struct bk_setup *s;
    const struct bk_exit_tables *tables;
    size_t room;
    enum bk_err err;
    struct bk_report *why;
};

/* Returns the castling rights that a move ends: a king's move both of its side, and those of rooks
   moved or taken. */
static unsigned rights_ended(const struct bk_index *ix, const struct bk_exit *e)
{
    const int slot[] = { e->mover == BK_KINGS_SLOT ? -1 : e->mover, e->taken, e->also };
    unsigned ended = e->mover == BK_KINGS_SLOT ? 3u << 2 * e->colour : 0;

    for (unsigned i = 0; i < 3; i++)
        if (slot[i] >= 0 && ix->right[slot[i]] >= 0)
            ended |= 1u << ix->right[slot[i]];
    return ended & ix->m.rights;
}

/* The material after an exit. */
static struct bk_material material_after(const struct bk_setup *s, const struct bk_exit *e)
{
    const struct bk_index *ix = s->ix;
    bool changes = e->becomes != BK_STAYS;
    struct bk_material m = ix->m;

    m.rights &= (uint8_t)~rights_ended(ix, e);
    if (e->also >= 0)
        m = bk_material_after(&m, s->v, e->colour, ix->type[e->also], -1, -1, false);
    return bk_material_after(&m, s->v, e->colour, e->taken < 0 ? -1 : ix->type[e->taken],
                             changes ? ix->type[e->mover] : -1, changes ? e->becomes : -1,
                             e->counted);
}

/* Does an exit zero the counter of the n-move rule?  A quiet move out of a cell has no way back;
   but that of a rook with a castling right has one (core/check.c). */
static bool zeroes(const struct bk_setup *s, const struct bk_exit *e)
{
    if (!s->nmove)
        return false;
    if (e->taken >= 0 || e->also >= 0)
        return true;
    return e->mover != BK_KINGS_SLOT &&
           (bk_rules_kind_zeroes(s->v, s->ix->type[e->mover]) ||
            (bk_rules_irreversible_zeroes(s->v) && (e->in_block || e->becomes != BK_STAYS)));
}

/* Finds the table of an exit and adds it to the list. */
static void add_exit(struct exit_list *l, struct bk_exit e)
{
    struct bk_setup *s = l->s;
    const struct bk_index *ix = s->ix;
    bool changes = e.becomes != BK_STAYS;
    struct bk_material m = material_after(s, &e);
    const struct bk_memtable *t;
    bool exchanged = false;

    if (l->err)
        return;
    e.in_block = e.taken < 0 && !changes && !rights_ended(ix, &e);
    e.zeroes = zeroes(s, &e);
    if (e.in_block) {
        t = l->tables->own;
    } else {
        exchanged = bk_material_canonical(&m, s->v);
        t = l->tables->find(l->tables->context, &m);
        if (t && changes)
            t = bk_memtable_for(t, e.colour ^ exchanged, e.becomes);
    }
    if (!t) {
        char name[BK_MATERIAL_NAME_MAX];

        l->err = bk_fail(l->why, BK_E_NO_TABLE, "missing table %s %s", s->v->name,
                         bk_material_name(&m, s->v, name));
        return;
    }
    bk_view_plan(&e.plan, &(struct bk_view_request){ .t = t,
                                                     .exchanged = exchanged,
                                                     .parent = ix,
                                                     .mover = e.colour,
                                                     .taken = e.taken,
                                                     .also = e.also,
                                                     .changed = changes ? (int)e.mover : -1,
                                                     .to = e.becomes });
    e.cache = s->grouped ? bk_view_cache_new() : NULL;
    if ((s->grouped && !e.cache) || !BK_ARRAY_ROOM(s->exit, l->room, s->nexit + 1)) {
        bk_view_cache_free(e.cache);
        l->err = bk_no_memory(l->why);
        return;
    }
    s->exit[s->nexit++] = e;
}

/* Adds a king's move by which it takes `taken` (-1: none) and castles by a right (-1: does not). */
static void add_king(struct exit_list *l, unsigned colour, int taken, int castles)
{
    add_exit(l, (struct bk_exit){ .mover = BK_KINGS_SLOT,
                                  .colour = (uint8_t)colour,
                                  .taken = (int8_t)taken,
                                  .also = -1,
                                  .becomes = BK_STAYS,
                                  .castles = (int8_t)castles });
}

/* Adds the quiet moves of a king with rights, castling among them: each ends the rights. */
static void add_castling(struct exit_list *l, unsigned colour)
{
    unsigned rights = l->s->ix->m.rights;

    if (rights >> 2 * colour & 3)
        add_king(l, colour, -1, -1);
    for (unsigned right = 2 * colour; right < 2 * colour + 2; right++)
        if (rights >> right & 1)
            add_king(l, colour, -1, (int)right);
}

/* Moves of a man that take the same men and may end in several ways. */
struct endings {
    struct exit_list *l;
    int taken, also;
    bool seen[BK_TYPES_MAX + 1][2]; /* by what it becomes, and whether that is counted */
};

static void add_ending(void *context, unsigned slot, const struct bk_change *change, unsigned sq,
                       bool in_place)
{
    struct endings *e = context;
    const struct bk_index *ix = e->l->s->ix;
    bool leaves = e->taken >= 0 || ix->cells[slot]->n > 1 || ix->right[slot] >= 0;

    (void)sq;
    if (e->seen[change->type][change->counted] || (in_place && e->taken >= 0) ||
        (change->type == BK_STAYS && !leaves)) /* a quiet move of a man with one cell is no exit */
        return;
    e->seen[change->type][change->counted] = true;
    add_exit(e->l, (struct bk_exit){ .mover = (uint8_t)slot,
                                     .colour = ix->colour[slot],
                                     .taken = (int8_t)e->taken,
                                     .also = (int8_t)e->also,
                                     .becomes = change->type,
                                     .counted = change->counted,
                                     .castles = -1 });
}

/* Adds a man's moves that take these men: one exit for each type that it may become, free or
   counted. */
static void add_endings(struct exit_list *l, unsigned slot, int taken, int also)
{
    struct endings e = { .l = l, .taken = taken, .also = also };

    bk_each_change(l->s->ix, slot, add_ending, &e);
}

enum bk_err bk_exits_find(struct bk_setup *s, const struct bk_exit_tables *tables,
                          struct bk_report *why)
{
    struct exit_list l = { .s = s, .tables = tables, .why = why };
    const struct bk_index *ix = s->ix;

    for (unsigned colour = 0; colour < 2; colour++) {
        add_castling(&l, colour);
        for (int taken = -1; taken < (int)ix->nslots; taken++) {
            if (taken >= 0 && ix->colour[taken] == colour)
                continue;
            if (taken >= 0 && bk_rules_royal(s->v))
                add_king(&l, colour, taken, -1);
            for (unsigned slot = 0; slot < ix->nslots; slot++) {
                if (ix->colour[slot] != colour)
                    continue;
                add_endings(&l, slot, taken, -1);
                if (!bk_rules_takes_twice(s->v, ix->type[slot]))
                    continue;
                for (int also = 0; also < taken; also++)
                    if (ix->colour[also] != colour)
                        add_endings(&l, slot, taken, also);
            }
        }
    }
    return l.err;
}

static bool goes_to(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                    unsigned to)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, type, colour, from, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].to == to && r[i].how & BK_QUIET)
            return true;
    return false;
}

bool bk_exits_doubles_within_cell(const struct bk_index *ix)
{
    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        const struct bk_variant *v = ix->v;
        const struct bk_cells *cells = ix->cells[slot];
        int up = ix->colour[slot] == BK_WHITE ? 2 * v->files : -2 * v->files;

        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (cells->cell_of[sq] != BK_SQ_NONE &&
                bk_rules_doubles_from(v, ix->type[slot], ix->colour[slot], sq) &&
                cells->cell_of[sq] == cells->cell_of[(int)sq + up] &&
                goes_to(v, ix->type[slot], ix->colour[slot], sq, (unsigned)((int)sq + up)))
                return true;
    }
    return false;
}
