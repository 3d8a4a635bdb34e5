/*
 * plan.c - see plan.h.
 */
#include "tb/make/plan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "core/rules.h"
#include "table/format.h"
#include "table/index_new.h"
#include "table/listing.h"
#include "table/material.h"
#include "tb/kernel/kernel.h"
#include "tb/make/disk.h"
#include "tb/solve/exits.h"
#include "tb/solve/prepare.h"
#include "tb/solve/share.h"

/* A material, after all it can move into. */
struct found {
    struct bk_material m, *next; /* next: owned */
    unsigned nnext;
};

struct planner {
    struct bk_plan *p;
    size_t room;
    struct found *found; /* owned */
    size_t nfound, found_room;
    struct bk_materials seen; /* done or under way */
    uint32_t *number;         /* owned; by place in `seen`: number in the plan, or UNDER_WAY */
    size_t number_room;
};

#define UNDER_WAY UINT32_MAX

/* == What is there == */

/* Opens a file of a table, reads its head or all of it, and sets in `t` what it says. */
static enum bk_err look_at(const struct bk_plan *p, struct bk_plan_table *t, enum bk_kind kind,
                           bool whole, struct bk_report *why)
{
    char path[PATH_MAX];
    struct bk_file *f;
    enum bk_err err =
        bk_file_open_as(&f, bk_table_find(path, p->dir, p->v, &t->m, kind), p->v, &t->m, kind, why);

    if (err)
        return err;
    if (whole)
        err = bk_file_check(f, why);
    if (!err) {
        t->with_distances = bk_file_info(f)->distances;
        t->standalone = bk_file_info(f)->standalone;
        t->disk_bytes += bk_file_bytes(f);
    }
    bk_file_close(f);
    return err;
}

/* The same where five results are there in the place of others: they know nothing of distances to
   the end. */
static enum bk_err look_beside(const struct bk_plan *p, struct bk_plan_table *t, bool whole,
                               struct bk_report *why)
{
    bool alone = t->standalone;
    enum bk_err err = look_at(p, t, BK_KIND_DTW, whole, why);

    t->results_there = true;
    t->with_distances = !err;
    if (!err)
        t->standalone &= alone;
    return err == BK_E_NO_TABLE && !p->distances ? BK_OK : err;
}

/*
 * Sets what is known of the files of a table, and says what keeps them from being used.  Distances
 * must be good where they are asked for, where the results promise them, and where a file of them
 * is there at all.
 */
static enum bk_err look_for(const struct bk_plan *p, struct bk_plan_table *t, bool whole,
                            struct bk_report *why)
{
    enum bk_err err = look_at(p, t, bk_plan_kind(p, false), whole, why);
    bool promised = t->with_distances, alone = t->standalone;
    char path[PATH_MAX];

    if (err == BK_E_NO_TABLE && !p->nmove && bk_rules_nmove(p->v) &&
        !look_at(p, t, BK_KIND_FIVE, whole, NULL)) {
        err = look_beside(p, t, whole, why);
    } else if (!err) {
        err = look_at(p, t, bk_plan_kind(p, true), whole, why);
        if (err == BK_E_NO_TABLE && promised)
            err = bk_fail(why, BK_E_CORRUPT, "%s: distances promised, and not there", t->name);
        else if (err == BK_E_NO_TABLE && !bk_plan_keeps_distances(p))
            err = BK_OK;
        else if (!err && (!promised || t->standalone != alone)) {
            /* a builder was killed before the new results had their name: these are the old ones */
            t->with_distances = promised;
            t->standalone = alone;
            if (bk_plan_keeps_distances(p))
                err = bk_fail(why, BK_E_NO_TABLE, "%s: distances that its results do not know",
                              t->name);
        }
    }
    t->had_distances =
        err && (promised ||
                !access(bk_table_path(path, p->dir, p->v, &t->m, bk_plan_kind(p, true)), F_OK));
    t->present = !err;
    t->damaged = err == BK_E_CORRUPT;
    t->unreadable = err == BK_E_SYSTEM;
    return err;
}

enum bk_err bk_plan_fault(const struct bk_plan *p, const struct bk_plan_table *t,
                          struct bk_report *why)
{
    struct bk_plan_table now = { .m = t->m };

    strcpy(now.name, t->name);
    return look_for(p, &now, false, why);
}

bool bk_plan_look(const struct bk_plan *p, struct bk_plan_table *t)
{
    struct bk_plan_table now = { .m = t->m };
    struct bk_report why = { "" };

    if (p->anew) { /* unless it has been made otherwise meanwhile: that stays */
        if (!look_at(p, &now, t->results_there ? BK_KIND_DTW : bk_plan_kind(p, false), false, NULL))
            t->present |=
                now.with_distances != bk_plan_keeps_distances(p) || now.standalone != p->alone;
        return t->present;
    }
    look_for(p, &now, t->damaged, &why);
    t->present = now.present;
    t->results_there = now.results_there;
    if (now.present) {
        t->damaged = false;
        t->with_distances = now.with_distances;
        t->standalone = now.standalone;
        t->disk_bytes = now.disk_bytes;
    }
    return t->present;
}

unsigned bk_plan_check(struct bk_plan *p, void *context,
                       void (*damaged)(void *context, const char *text))
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->n; i++) {
        struct bk_plan_table *t = &p->table[i], now = { .m = t->m };
        struct bk_report why = { "" };

        strcpy(now.name, t->name);
        if (!t->present && !t->damaged)
            continue;
        if (look_for(p, &now, true, &why) == BK_E_SYSTEM) /* it stays as it was planned */
            continue;
        t->present = now.present;
        t->damaged = now.damaged;
        t->had_distances = now.had_distances;
        n += now.damaged;
        if (now.damaged && damaged)
            damaged(context, why.text);
    }
    return n;
}

/* == Planning == */

static bool note_seen(struct planner *pl, const struct bk_material *m)
{
    if (!BK_ARRAY_ROOM(pl->number, pl->number_room, pl->seen.n + 1) ||
        !bk_materials_add(&pl->seen, m))
        return false;
    pl->number[pl->seen.n - 1] = UNDER_WAY;
    return true;
}

/* The table's number in the plan, or UNDER_WAY where there is none. */
static uint32_t number_of(const struct planner *pl, const struct bk_material *m)
{
    int64_t seen = bk_materials_find(&pl->seen, m);

    return seen < 0 ? UNDER_WAY : pl->number[seen];
}

/* Sets t->next to the tables in `next`, each once; none of those by rule.  False: no memory. */
static bool link_next(struct planner *pl, struct bk_plan_table *t, struct bk_material *next,
                      unsigned n)
{
    t->next = malloc((n + 1) * sizeof *t->next);
    for (unsigned i = 0; t->next && i < n; i++) {
        uint32_t number;
        unsigned j = 0;

        bk_material_canonical(&next[i], pl->p->v);
        number = number_of(pl, &next[i]);
        while (j < t->nnext && t->next[j] != number)
            j++;
        if (number != UNDER_WAY && j == t->nnext)
            t->next[t->nnext++] = number;
    }
    return t->next != NULL;
}

uint64_t bk_plan_file_bytes(const struct bk_plan *p, const struct bk_plan_table *t,
                            enum bk_kind kind)
{
    uint64_t known = p->alone ? 0 : bk_disk_known(p->v, t->name, kind, p->effort);

    if (kind == BK_KIND_WDL && (p->beside_five || t->results_there))
        return 0;
    return known ? known : t->guess_bytes[kind];
}

/* Sets disk_bytes of a table that is to be made. */
static void foretell_disk(const struct bk_plan *p, struct bk_plan_table *t)
{
    if (!t->present)
        t->disk_bytes = bk_plan_file_bytes(p, t, BK_KIND_WDL) +
                        (bk_plan_keeps_distances(p) ? bk_plan_file_bytes(p, t, BK_KIND_DTW) : 0);
}

static enum bk_err append(struct planner *pl, const struct bk_material *m, struct bk_material *next,
                          unsigned n, struct bk_report *why)
{
    struct bk_plan *p = pl->p;
    struct bk_plan_table *t;
    struct bk_index *ix;
    enum bk_err err;

    if (!BK_ARRAY_ROOM(p->table, pl->room, p->n + 1))
        return bk_no_memory(why);
    err = bk_index_new(&ix, p->v, m, NULL, why);
    if (!err && bk_rules_en_passant(p->v) && bk_exits_doubles_within_cell(ix)) {
        bk_index_free(ix);
        err = bk_fail(why, BK_E_USAGE, "%s: no tables with en passant for men that come back",
                      p->v->name);
    }
    if (!err && !bk_setup_can_be(ix)) {
        char name[BK_MATERIAL_NAME_MAX];

        bk_index_free(ix);
        err = bk_fail(why, BK_E_USAGE, "%s: too many men for a board of %u squares",
                      bk_material_name(m, p->v, name), bk_bits_count(&p->v->board));
    }
    if (err)
        return err;
    pl->number[bk_materials_find(&pl->seen, m)] = p->n;
    t = &p->table[p->n++];
    memset(t, 0, sizeof *t);
    t->m = *m;
    bk_material_name(m, p->v, t->name);
    t->positions = 2 * ix->positions;
    t->by_share = bk_share_may(ix);
    t->pawns = ix->nblocks > 1;
    t->frame_bytes = bk_index_bytes(ix) + ix->nblocks * sizeof(struct bk_memblock);
    look_for(p, t, false, NULL);
    t->guess_bytes[BK_KIND_WDL] = bk_disk_guess(m, ix, BK_KIND_WDL);
    t->guess_bytes[BK_KIND_DTW] = bk_disk_guess(m, ix, BK_KIND_DTW);
    foretell_disk(p, t);
    bk_index_free(ix);
    return link_next(pl, t, next, n) ? BK_OK : bk_no_memory(why);
}

static enum bk_err note_found(struct planner *pl, const struct bk_material *m,
                              struct bk_material *next, unsigned n, struct bk_report *why)
{
    struct bk_material *fit = realloc(next, (n + 1) * sizeof *next);

    if (!fit || !BK_ARRAY_ROOM(pl->found, pl->found_room, pl->nfound + 1)) {
        free(fit ? fit : next);
        return bk_no_memory(why);
    }
    pl->found[pl->nfound++] = (struct found){ *m, fit, n };
    return BK_OK;
}

/* Finds a material after all it can move into. */
static enum bk_err find(struct planner *pl, struct bk_material m, struct bk_report *why)
{
    struct bk_material *next;
    unsigned n;
    enum bk_err err = bk_material_check_hands(&m, pl->p->v, why);

    if (err)
        return err;
    bk_material_canonical(&m, pl->p->v);
    if (bk_material_by_rule(&m, pl->p->v) || bk_materials_find(&pl->seen, &m) >= 0)
        return BK_OK;
    if (pl->seen.n == BK_PLAN_TABLES_MOST) /* of some games there are millions */
        return bk_fail(why, BK_E_USAGE,
                       "more than %d tables; so many are planned at once: ask for fewer",
                       BK_PLAN_TABLES_MOST);
    if (!note_seen(pl, &m))
        return bk_no_memory(why);
    next = malloc(BK_NEXT_MAX * sizeof *next);
    if (!next)
        return bk_no_memory(why);
    n = bk_material_next(&m, pl->p->v, next, BK_NEXT_MAX);
    if (n > BK_NEXT_MAX)
        err = bk_fail(why, BK_E_USAGE, "a table with moves into more than %d others", BK_NEXT_MAX);
    for (unsigned i = 0; !err && i < n; i++)
        err = find(pl, next[i], why);
    if (!err)
        return note_found(pl, &m, next, n, why);
    free(next);
    return err;
}

/* All ways to give `men` more men of types >= type to the two sides. */
static enum bk_err find_all(struct planner *pl, struct bk_material *m, unsigned at, unsigned men,
                            struct bk_report *why)
{
    const struct bk_variant *v = pl->p->v;
    unsigned colour = at / v->ntypes, type = at % v->ntypes;
    enum bk_err err = BK_OK;

    if (at == 2u * v->ntypes) {
        struct bk_material full = *m;

        bk_rules_allowances(v, full.left);
        bk_material_normalise(&full, v);
        return find(pl, full, why);
    }
    if (type == v->royal)
        return find_all(pl, m, at + 1, men, why);
    for (unsigned k = 0; !err && k <= men; k++) {
        m->count[colour][type] = (uint8_t)k;
        err = find_all(pl, m, at + 1, men - k, why);
    }
    m->count[colour][type] = 0;
    return err;
}

/* Appends the tables that were found.  Numbering the positions of each takes time, so it is done
   when there are known not to be too many. */
static enum bk_err append_all(struct planner *pl, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (size_t i = 0; !err && i < pl->nfound; i++)
        err = append(pl, &pl->found[i].m, pl->found[i].next, pl->found[i].nnext, why);
    return err;
}

static void planner_release(struct planner *pl)
{
    for (size_t i = 0; i < pl->nfound; i++)
        free(pl->found[i].next);
    free(pl->found);
    free(pl->number);
    bk_materials_free(&pl->seen);
}

/* Finds what is wanted, and all that it leads to. */
static enum bk_err find_wanted(struct planner *pl, const struct bk_material *m, unsigned n,
                               unsigned men, struct bk_report *why)
{
    unsigned royal = pl->p->v->royal, kings_n = bk_rules_royal(pl->p->v) ? 2 : 0;
    struct bk_material kings = { 0 };
    enum bk_err err = BK_OK;

    if (men > BK_MEN_MAX)
        return bk_fail(why, BK_E_USAGE, "at most %d men", BK_MEN_MAX);
    if (kings_n)
        kings.count[0][royal] = kings.count[1][royal] = 1;
    for (unsigned i = 0; !err && i < n; i++)
        err = find(pl, m[i], why);
    for (unsigned k = kings_n + 1; !err && k <= men; k++) /* fewer men first */
        err = find_all(pl, &kings, 0, k - kings_n, why);
    return err;
}

enum bk_err bk_plan_materials(struct bk_material **out, unsigned *found, const struct bk_variant *v,
                              const struct bk_material *m, unsigned n, unsigned men,
                              struct bk_report *why)
{
    struct bk_plan p = { .v = v };
    struct planner pl = { .p = &p };
    enum bk_err err = find_wanted(&pl, m, n, men, why);

    *found = (unsigned)pl.nfound;
    *out = err ? NULL : calloc(pl.nfound + 1, sizeof **out);
    for (size_t i = 0; *out && i < pl.nfound; i++)
        (*out)[i] = pl.found[i].m;
    planner_release(&pl);
    return err || *out ? err : bk_no_memory(why);
}

enum bk_err bk_plan_new(struct bk_plan **out, const struct bk_variant *v, const char *dir,
                        const struct bk_material *m, unsigned n, unsigned men, bool distances,
                        struct bk_report *why)
{
    struct planner pl = { .p = calloc(1, sizeof *pl.p) };
    enum bk_err err = BK_OK;

    if (!pl.p)
        return bk_no_memory(why);
    pl.p->v = v;
    pl.p->kernel = bk_kernel_for(v->nsq);
    pl.p->distances = distances;
    pl.p->effort = BK_EFFORT_NORMAL;
    if (strlen(dir) >= sizeof pl.p->dir)
        err = bk_fail(why, BK_E_USAGE, "the folder's path is too long");
    else
        strcpy(pl.p->dir, dir);
    if (!err)
        err = find_wanted(&pl, m, n, men, why);
    if (!err)
        err = append_all(&pl, why);
    planner_release(&pl);
    if (err)
        bk_plan_free(pl.p);
    else
        *out = pl.p;
    return err;
}

void bk_plan_beside_five(struct bk_plan *p)
{
    p->beside_five = true;
    for (unsigned i = 0; i < p->n; i++)
        foretell_disk(p, &p->table[i]);
}

enum bk_err bk_plan_to_zeroing(struct bk_plan *p, bool five_alone, struct bk_report *why)
{
    struct bk_complaint c;

    if (!bk_rules_nmove(p->v))
        return bk_fail(why, BK_E_USAGE, "%s has no n-move rule: `n-move` in its variant file",
                       p->v->name);
    if (!bk_zeroing_check(p->v, &c)) /* of a board that a FEN has */
        return bk_fail(why, BK_E_USAGE, "%s: `%s`: %s", p->v->name, c.key, c.text);
    p->nmove = (uint16_t)bk_rules_nmove(p->v);
    p->five_alone = five_alone;
    for (unsigned i = 0; i < p->n; i++) {
        struct bk_plan_table *t = &p->table[i];

        t->disk_bytes = 0;
        t->with_distances = t->standalone = t->results_there = false;
        look_for(p, t, false, NULL);
        foretell_disk(p, t);
    }
    return BK_OK;
}

void bk_plan_encode(struct bk_plan *p, enum bk_effort effort, bool standalone)
{
    for (enum bk_kind kind = BK_KIND_WDL; kind <= BK_KIND_DTW; kind++) {
        double share =
            bk_disk_share(kind, effort, standalone) / bk_disk_share(kind, p->effort, p->alone);

        for (unsigned i = 0; i < p->n; i++)
            p->table[i].guess_bytes[kind] =
                (uint64_t)((double)p->table[i].guess_bytes[kind] * share);
    }
    p->effort = effort;
    p->alone = standalone;
    for (unsigned i = 0; i < p->n; i++)
        foretell_disk(p, &p->table[i]);
}

void bk_plan_free(struct bk_plan *p)
{
    if (p) {
        for (unsigned i = 0; i < p->n; i++)
            free(p->table[i].next);
        free(p->table);
        bk_owners_free(&p->owners);
        free(p);
    }
}

enum bk_err bk_plan_owners(const struct bk_owners **out, struct bk_plan *p, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    *out = NULL;
    if (p->processes < 2)
        return BK_OK;
    if (p->owners.ranks != p->processes) {
        bk_owners_free(&p->owners);
        err = bk_owners_new(&p->owners, p->v, p->processes, why);
    }
    if (!err)
        *out = &p->owners;
    return err;
}

/* Sets solved[] for the tables that will be solved: missing ones, and all that they lead to. */
static void find_solved(const struct bk_plan *p, bool solved[BK_PLAN_TABLES_MOST])
{
    memset(solved, 0, BK_PLAN_TABLES_MOST);
    for (unsigned i = p->n; i-- > 0;) { /* those that it moves into stand before it */
        solved[i] = solved[i] || !p->table[i].present;
        for (unsigned k = 0; solved[i] && k < p->table[i].nnext; k++)
            solved[p->table[i].next[k]] = true;
    }
}

bool bk_plan_leads(const struct bk_plan_table *t, uint32_t table)
{
    for (unsigned i = 0; i < t->nnext; i++)
        if (t->next[i] == table)
            return true;
    return false;
}

/* Adds how the moves of one table lead into another. */
static void add_reading(struct bk_reading *out, const struct bk_plan *p,
                        const struct bk_material *from, const struct bk_material *into)
{
    struct bk_material next[BK_NEXT_MAX];

    for (unsigned mover = 0; mover < 2; mover++) {
        unsigned n = bk_material_next_of(from, p->v, mover, next, BK_NEXT_MAX);

        for (unsigned i = 0; i < n && i < BK_NEXT_MAX; i++) {
            bool exchanged = bk_material_canonical(&next[i], p->v);

            if (bk_material_equal(&next[i], into))
                out->by[exchanged ? mover : !mover][exchanged] = true;
        }
    }
}

bool bk_plan_reading(struct bk_reading *out, const struct bk_plan *p, uint32_t table, bool keep)
{
    const struct bk_plan_table *t = &p->table[table];
    bool solved[BK_PLAN_TABLES_MOST], shared = t->by_share;

    find_solved(p, solved);
    *out = (struct bk_reading){ 0 };
    if (t->pawns)
        out->by[BK_WHITE][0] = out->by[BK_BLACK][0] = true;
    for (unsigned i = 0; shared && keep && i < p->n; i++)
        if (solved[i] && bk_plan_leads(&p->table[i], table)) {
            shared = p->table[i].by_share;
            add_reading(out, p, &p->table[i].m, &t->m);
        }
    return shared;
}

unsigned bk_plan_anew(struct bk_plan *p, const struct bk_material *m, unsigned n, bool standalone)
{
    unsigned made = 0;

    p->anew = true;
    for (unsigned i = 0; i < p->n; i++) {
        struct bk_plan_table *t = &p->table[i];
        bool wanted = n == 0;

        for (unsigned k = 0; k < n; k++)
            wanted |= bk_material_equal(&t->m, &m[k]);
        wanted = wanted && t->present && (p->distances || !t->results_there) &&
                 t->with_distances == bk_plan_keeps_distances(p) && t->standalone == standalone;
        t->present = !wanted;
        made += wanted;
    }
    return made;
}

/* == Parts that are read == */

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
