/*
 * parts.c - see parts.h.
 */
#include "tb/make/parts.h"

#include <stdlib.h>

#include "core/rules.h"

/* A way from one table into another: a move of `colour`. */
struct way {
    const struct bk_variant *v;
    const struct bk_material *from;
    unsigned colour;
    struct bk_material to; /* in the colours of `from` */
    bool exchanged;        /* the table keeps the colours exchanged */
};

/* Does a way change one man, of type *was into *is, and nothing else of the men?  Sets both. */
static bool one_changes(const struct way *w, unsigned *was, unsigned *is)
{
    unsigned less = 0, more = 0;

    if (w->from->rights || w->to.rights)
        return false;
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned t = 0; t < w->v->ntypes; t++) {
            int change = w->to.count[colour][t] - w->from->count[colour][t];

            if (!change)
                continue;
            if (colour != w->colour || change < -1 || change > 1)
                return false;
            *(change < 0 ? was : is) = t;
            less += change < 0;
            more += change > 0;
        }
    return less == 1 && more == 1;
}

/* May a man of `was` become one of `is` on this square? */
static bool changes_on(const struct way *w, unsigned was, unsigned is, unsigned sq)
{
    for (unsigned in_place = 0; in_place < 2; in_place++) {
        struct bk_change change[BK_TYPES_MAX + 1];
        unsigned n = bk_rules_changes(w->v, w->from->count[w->colour], w->from->left[w->colour],
                                      was, w->colour, sq, in_place, change);

        for (unsigned i = 0; i < n; i++)
            if (change[i].type == is)
                return true;
    }
    return false;
}

/* Returns the man of a part with this colour and type, added if there was none.  NULL: there is no
   room for one more. */
static struct bk_part_man *find_man(struct bk_part *part, unsigned colour, unsigned type)
{
    struct bk_part_man *man = part->man;

    while (man < part->man + part->nmen && (man->colour != colour || man->type != type))
        man++;
    if (man == part->man + BK_PART_MEN)
        return NULL;
    if (man == part->man + part->nmen)
        *man = (struct bk_part_man){ .colour = (uint8_t)colour, .type = (uint8_t)type };
    part->nmen = (uint8_t)(man - part->man >= part->nmen ? part->nmen + 1 : part->nmen);
    return man;
}

/* Adds to `part` the positions that a way leads to. */
static void add_way(struct bk_part *part, const struct way *w, const struct bk_material *m)
{
    unsigned was = 0, is = 0, colour = w->colour ^ w->exchanged;
    int swap = bk_material_swap(m, w->v);
    bool of_man = one_changes(w, &was, &is) && m->count[colour][is] == 1;
    struct bk_part_man *man = NULL;
    uint8_t map[BK_SQ_MAX];

    if (of_man && (!part->known || part->nmen)) /* else all of it is read */
        man = find_man(part, colour, is);
    part->known = true;
    part->side[!colour] = true;
    if (!man) {
        part->nmen = 0;
        return;
    }
    bk_symmetry_map(w->v, w->exchanged && swap > 0 ? (unsigned)swap : 0, map);
    for (unsigned sq = 0; sq < w->v->nsq; sq++)
        if (bk_bits_has(&w->v->board, sq) && changes_on(w, was, is, sq))
            man->on[map[sq]] = true;
}

void bk_plan_parts(struct bk_plan *p)
{
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);

    for (unsigned i = 0; next && i < p->n; i++) /* no memory: nothing is known */
        for (unsigned colour = 0; colour < 2; colour++) {
            const struct bk_plan_table *t = &p->table[i];
            unsigned n = bk_material_next_of(&t->m, p->v, colour, next, BK_NEXT_MAX);

            for (unsigned j = 0; j < n; j++) {
                struct way w = { p->v, &t->m, colour, next[j], false };

                w.exchanged = bk_material_canonical(&next[j], p->v);
                for (unsigned k = 0; k < t->nnext; k++)
                    if (bk_material_equal(&p->table[t->next[k]].m, &next[j]))
                        add_way(&p->table[t->next[k]].part, &w, &next[j]);
            }
        }
    free(next);
}
