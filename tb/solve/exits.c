/*
 * exits.c - the exits of a block: which there are, and the tables they lead to.
 */
#include "tb/solve/exits.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "core/array.h"

struct exit_list {
    struct bk_setup *s;
    const struct bk_exit_tables *tables;
    size_t room;
    enum bk_err err;
    struct bk_report *why;
};

/* The castling rights that a move ends: both by a king's, those of rooks moved or taken. */
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

/* Finds the table of an exit and adds it to the list. */
static void add_prepared(struct exit_list *l, struct bk_exit e)
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
    if (e.in_block) {
        t = l->tables->own;
    } else {
        exchanged = bk_material_canonical(&m, s->v);
        t = l->tables->find(l->tables->context, &m);
    }
    if (!t) {
        char name[BK_MATERIAL_NAME_MAX];

        l->err = bk_fail(l->why, BK_E_NO_TABLE, "missing table %s %s", s->v->name,
                         bk_material_name(&m, s->v, name));
        return;
    }
    bk_view_plan(&e.plan, t, ix, e.colour, exchanged, e.taken, e.also, changes ? (int)e.mover : -1,
                 e.becomes);
    if (!BK_ARRAY_ROOM(s->exit, l->room, s->nexit + 1)) {
        l->err = bk_no_memory(l->why);
        return;
    }
    s->exit[s->nexit++] = e;
}

static void add_exit(struct exit_list *l, unsigned mover, unsigned colour, int taken, int also,
                     unsigned becomes, bool counted)
{
    add_prepared(l, (struct bk_exit){ .mover = (uint8_t)mover,
                                      .colour = (uint8_t)colour,
                                      .taken = (int8_t)taken,
                                      .also = (int8_t)also,
                                      .becomes = (uint8_t)becomes,
                                      .counted = counted,
                                      .castles = -1 });
}

/* A king with rights: its every move ends them, castling among them. */
static void add_castling(struct exit_list *l, unsigned colour)
{
    unsigned rights = l->s->ix->m.rights;

    if (rights >> 2 * colour & 3)
        add_exit(l, BK_KINGS_SLOT, colour, -1, -1, BK_STAYS, false);
    for (unsigned right = 2 * colour; right < 2 * colour + 2; right++)
        if (rights >> right & 1)
            add_prepared(l, (struct bk_exit){ .mover = BK_KINGS_SLOT,
                                              .colour = (uint8_t)colour,
                                              .taken = -1,
                                              .also = -1,
                                              .becomes = BK_STAYS,
                                              .castles = (int8_t)right });
}

/* All ends of a man's move that differ in what it becomes: once each. */
static void add_changes(struct exit_list *l, unsigned slot, int taken, int also)
{
    struct bk_setup *s = l->s;
    const struct bk_index *ix = s->ix;
    unsigned colour = ix->colour[slot];
    bool seen[BK_TYPES_MAX + 1] = { false };

    for (unsigned sq = 0; sq < s->v->nsq; sq++)
        for (unsigned in_place = 0; in_place < (taken < 0 ? 2u : 1u); in_place++) {
            struct bk_change change[BK_TYPES_MAX + 1];
            unsigned n;

            if (!bk_bits_has(&s->v->board, sq))
                continue;
            n = bk_rules_changes(s->v, ix->m.count[colour], ix->m.left[colour], ix->type[slot],
                                 colour, sq, in_place, change);
            for (unsigned i = 0; i < n; i++) {
                unsigned kind = change[i].type == BK_STAYS ? BK_TYPES_MAX : change[i].type;
                bool fixed = ix->cells[slot]->n > 1 || ix->right[slot] >= 0;

                if (seen[kind] || (kind == BK_TYPES_MAX && taken < 0 && !fixed))
                    continue; /* a quiet move of a man with one cell is no exit */
                seen[kind] = true;
                add_exit(l, slot, colour, taken, also, change[i].type, change[i].counted);
            }
        }
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
            if (taken >= 0)
                add_exit(&l, BK_KINGS_SLOT, colour, taken, -1, BK_STAYS, false);
            for (unsigned slot = 0; slot < ix->nslots; slot++) {
                if (ix->colour[slot] != colour)
                    continue;
                add_changes(&l, slot, taken, -1);
                if (!bk_rules_takes_twice(s->v, ix->type[slot]))
                    continue;
                for (int also = 0; also < taken; also++)
                    if (ix->colour[also] != colour)
                        add_changes(&l, slot, taken, also);
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
                v->piece[ix->type[slot]].double_ranks >> bk_own_rank(v, sq, ix->colour[slot]) & 1 &&
                cells->cell_of[sq] == cells->cell_of[(int)sq + up] &&
                goes_to(v, ix->type[slot], ix->colour[slot], sq, (unsigned)((int)sq + up)))
                return true;
    }
    return false;
}
