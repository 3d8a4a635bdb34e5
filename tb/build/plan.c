/*
 * plan.c - which tables a request needs, in an order in which they can be made.
 */
#include "tb/build/plan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/rules.h"
#include "table/format.h"
#include "tb/kernel/dispatch.h"
#include "core/array.h"

struct planner {
    struct bk_plan *p;
    size_t room;
    struct bk_material *seen; /* done or under way */
    size_t nseen, seen_room;
};

static bool is_present(const struct bk_plan *p, const struct bk_material *m, uint64_t *bytes)
{
    char path[PATH_MAX];
    struct bk_file *f;
    bool there = true;

    *bytes = 0;
    for (int kind = BK_KIND_WDL; there && kind <= (p->distances ? BK_KIND_DTW : BK_KIND_WDL);
         kind++) {
        there = bk_file_open(&f, bk_table_path(path, p->dir, p->v, m, (enum bk_kind)kind), p->v,
                             NULL) == BK_OK;
        if (there) {
            there = bk_file_info(f)->kind == (enum bk_kind)kind;
            *bytes += bk_file_bytes(f);
            bk_file_close(f);
        }
    }
    return there;
}

static bool have_seen(struct planner *pl, const struct bk_material *m)
{
    for (size_t i = 0; i < pl->nseen; i++)
        if (bk_material_equal(&pl->seen[i], m))
            return true;
    return false;
}

static int64_t number_of(const struct bk_plan *p, const struct bk_material *m)
{
    for (unsigned i = 0; i < p->n; i++)
        if (bk_material_equal(&p->table[i].m, m))
            return i;
    return -1;
}

/* The tables among `next`, each once; those decided by rule are none. */
static bool link_next(struct bk_plan *p, struct bk_plan_table *t, struct bk_material *next,
                      unsigned n)
{
    t->next = malloc((n + 1) * sizeof *t->next);
    for (unsigned i = 0; t->next && i < n; i++) {
        int64_t number;
        unsigned j = 0;

        bk_material_canonical(&next[i], p->v);
        number = number_of(p, &next[i]);
        while (j < t->nnext && t->next[j] != number)
            j++;
        if (number >= 0 && j == t->nnext)
            t->next[t->nnext++] = (uint32_t)number;
    }
    return t->next != NULL;
}

/* What tables take, as measured: docs/performance.md.  The more men, the more of the results
   follow from a few facts; of distances it is the same share. */
static uint64_t disk_of(uint64_t positions, unsigned men, bool distances)
{
    return positions / (men <= 4 ? 130 : 900) + (distances ? positions / 48 : 0) + 1000;
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
    if (err)
        return err;
    t = &p->table[p->n++];
    memset(t, 0, sizeof *t);
    t->m = *m;
    bk_material_name(m, p->v, t->name);
    t->positions = 2 * ix->positions;
    t->present = is_present(p, m, &t->disk_bytes);
    if (!t->present)
        t->disk_bytes = disk_of(t->positions, ix->nslots + 2u, p->distances);
    bk_index_free(ix);
    return link_next(p, t, next, n) ? BK_OK : bk_no_memory(why);
}

/* A material after all it can move into. */
static enum bk_err add(struct planner *pl, struct bk_material m, struct bk_report *why)
{
    struct bk_material *next;
    unsigned n;
    enum bk_err err = BK_OK;

    if (!bk_rules_plain_is_exact(pl->p->v, (const uint8_t(*)[BK_TYPES_MAX])m.count)) {
        char name[BK_MATERIAL_NAME_MAX];

        return bk_fail(why, BK_E_USAGE,
                       "%s: captured men come back in %s, so it has no table; "
                       "ask `bareking whole`",
                       bk_material_name(&m, pl->p->v, name), pl->p->v->name);
    }
    bk_material_canonical(&m, pl->p->v);
    if (bk_material_by_rule(&m, pl->p->v) || have_seen(pl, &m))
        return BK_OK;
    if (!BK_ARRAY_ROOM(pl->seen, pl->seen_room, pl->nseen + 1))
        return bk_no_memory(why);
    pl->seen[pl->nseen++] = m;
    next = malloc(BK_NEXT_MAX * sizeof *next);
    if (!next)
        return bk_no_memory(why);
    n = bk_material_next(&m, pl->p->v, next, BK_NEXT_MAX);
    for (unsigned i = 0; !err && i < n && i < BK_NEXT_MAX; i++)
        err = add(pl, next[i], why);
    if (!err)
        err = append(pl, &m, next, n < BK_NEXT_MAX ? n : BK_NEXT_MAX, why);
    free(next);
    return err;
}

/* All ways to give `men` more men of types >= type to the two sides. */
static enum bk_err add_all(struct planner *pl, struct bk_material *m, unsigned at, unsigned men,
                           struct bk_report *why)
{
    const struct bk_variant *v = pl->p->v;
    unsigned colour = at / v->ntypes, type = at % v->ntypes;
    enum bk_err err = BK_OK;

    if (at == 2u * v->ntypes) {
        struct bk_material full = *m;

        bk_rules_allowances(v, full.left);
        bk_material_normalise(&full, v);
        return add(pl, full, why);
    }
    if (type == v->royal)
        return add_all(pl, m, at + 1, men, why);
    for (unsigned k = 0; !err && k <= men; k++) {
        m->count[colour][type] = (uint8_t)k;
        err = add_all(pl, m, at + 1, men - k, why);
    }
    m->count[colour][type] = 0;
    return err;
}

enum bk_err bk_plan_new(struct bk_plan **out, const struct bk_variant *v, const char *dir,
                        const struct bk_material *m, unsigned n, unsigned men, bool distances,
                        struct bk_report *why)
{
    struct planner pl = { .p = calloc(1, sizeof *pl.p) };
    struct bk_material kings = { 0 };
    enum bk_err err = BK_OK;

    if (!pl.p)
        return bk_no_memory(why);
    pl.p->v = v;
    pl.p->kernel = bk_kernel_for(v->nsq);
    pl.p->distances = distances;
    pl.p->effort = BK_EFFORT_NORMAL;
    kings.count[0][v->royal] = kings.count[1][v->royal] = 1;
    if (strlen(dir) >= sizeof pl.p->dir)
        err = bk_fail(why, BK_E_USAGE, "the folder's path is too long");
    else if (men > BK_MEN_MAX)
        err = bk_fail(why, BK_E_USAGE, "at most %d men", BK_MEN_MAX);
    else
        strcpy(pl.p->dir, dir);
    for (unsigned i = 0; !err && i < n; i++)
        err = add(&pl, m[i], why);
    for (unsigned k = 3; !err && k <= men; k++) /* fewer men first */
        err = add_all(&pl, &kings, 0, k - 2, why);
    free(pl.seen);
    if (err)
        bk_plan_free(pl.p);
    else
        *out = pl.p;
    return err;
}

void bk_plan_free(struct bk_plan *p)
{
    if (p) {
        for (unsigned i = 0; i < p->n; i++)
            free(p->table[i].next);
        free(p->table);
        free(p);
    }
}
