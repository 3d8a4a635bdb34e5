/*
 * plan.c - which tables a request needs, in an order in which they can be made.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rules.h"
#include "tb/build/build.h"
#include "tb/build/resident.h"

#define NEXT_MAX 1024

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

static void *grown(void *array, size_t *room, size_t size)
{
    *room = *room ? *room * 2 : 64;
    return realloc(array, *room * size);
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

static enum bk_err append(struct planner *pl, const struct bk_material *m, struct bk_material *next,
                          unsigned n, struct bk_report *why)
{
    struct bk_plan *p = pl->p;
    struct bk_plan_table *t;
    struct bk_index *ix;
    enum bk_err err;

    if (p->n == pl->room) {
        struct bk_plan_table *more = grown(p->table, &pl->room, sizeof *more);

        if (!more)
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
        p->table = more;
    }
    err = bk_index_new(&ix, p->v, m, NULL, why);
    if (err)
        return err;
    t = &p->table[p->n++];
    memset(t, 0, sizeof *t);
    t->m = *m;
    bk_material_name(m, p->v, t->name);
    t->positions = 2 * ix->positions;
    t->present = is_present(p, m, &t->disk_bytes);
    if (!t->present) /* what tables of this kind take: docs/performance.md */
        t->disk_bytes = t->positions / 40 + (p->distances ? t->positions / 12 : 0) + 1000;
    bk_index_free(ix);
    return link_next(p, t, next, n) ? BK_OK : bk_fail(why, BK_E_SYSTEM, "out of memory");
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
    if (pl->nseen == pl->seen_room) {
        struct bk_material *more = grown(pl->seen, &pl->seen_room, sizeof *more);

        if (!more)
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
        pl->seen = more;
    }
    pl->seen[pl->nseen++] = m;
    next = malloc(NEXT_MAX * sizeof *next);
    if (!next)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    n = bk_material_next(&m, pl->p->v, next, NEXT_MAX);
    for (unsigned i = 0; !err && i < n && i < NEXT_MAX; i++)
        err = add(pl, next[i], why);
    if (!err)
        err = append(pl, &m, next, n < NEXT_MAX ? n : NEXT_MAX, why);
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

        for (unsigned t = 0; t < v->ntypes; t++)
            full.left[0][t] = full.left[1][t] = v->limit[t];
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
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    pl.p->v = v;
    pl.p->distances = distances;
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

/* == Memory == */

/* Program, libraries, the game's geometry: measured with tables of three men. */
#define PROCESS_BYTES (UINT64_C(6) << 20)

/* Values of a chunk, packed, compressed, and zstd's own: a thread. */
#define ENCODER_BYTES (UINT64_C(3) << 20)

struct needs {
    struct bk_solve_needs kept, let_go; /* with and without keeping solved blocks */
    bool known;
};

static enum bk_err find_needs(struct bk_plan *p, unsigned nth, unsigned threads, struct needs *n,
                              struct bk_report *why)
{
    struct bk_index *ix;
    enum bk_err err;

    if (n->known)
        return BK_OK;
    n->known = true;
    err = bk_index_new(&ix, p->v, &p->table[nth].m, NULL, why);
    if (err)
        return err;
    for (unsigned let_go = 0; !err && let_go < 2; let_go++)
        err = bk_solve_needs(let_go ? &n->let_go : &n->kept, ix, p->distances, BK_APART, let_go,
                             BK_WDL_CHUNK, threads, why);
    bk_index_free(ix);
    return err;
}

/* The peak in another manner; 0 if that makes no difference. */
static enum bk_err find_peak(uint64_t *peak, struct bk_plan *p, unsigned nth, enum bk_manner manner,
                             bool let_go, unsigned threads, struct bk_report *why)
{
    struct bk_solve_needs n = { 0 };
    struct bk_index *ix;
    enum bk_err err = bk_index_new(&ix, p->v, &p->table[nth].m, NULL, why);

    *peak = 0;
    if (err)
        return err;
    err = bk_solve_needs(&n, ix, p->distances, manner, let_go, BK_WDL_CHUNK, threads, why);
    bk_index_free(ix);
    *peak = manner == BK_CHAINS && !n.chains ? 0 : n.peak;
    return err;
}

/* Of a table that is read back: of the sides to move that are moved into. */
static uint64_t bytes_read(const struct bk_plan *p, unsigned nth, uint32_t table, uint64_t codes)
{
    return codes / 2 * (unsigned)__builtin_popcount(bk_hold_sides(p, nth, table));
}

/* One table, as bk_build() would go about it; what is held changes in `h`. */
static enum bk_err predict(struct bk_hold *h, struct bk_plan *p, unsigned nth, unsigned threads,
                           uint64_t limit, struct needs *all, struct bk_report *why)
{
    struct bk_plan_table *t = &p->table[nth];
    uint64_t chunks = t->positions / 2 / BK_DTW_CHUNK + 1;
    uint64_t always = PROCESS_BYTES + threads * ENCODER_BYTES + 64 * chunks, fixed = 0, solving;
    uint64_t other_peak = 0;
    bool keep, roomy;
    enum bk_err err = find_needs(p, nth, threads, &all[nth], why);

    bk_hold_make_room(h, nth);
    for (unsigned i = 0; !err && i < t->nnext; i++) {
        uint32_t other = t->next[i];

        err = find_needs(p, other, threads, &all[other], why);
        if (all[other].kept.fixed > fixed)
            fixed = all[other].kept.fixed; /* to mark illegal positions */
        if (!err && !bk_hold_find(h, other))
            err = bk_hold_add(h, other, NULL, bytes_read(p, nth, other, all[other].kept.codes), nth,
                              why);
    }
    t->code_bytes = all[nth].kept.codes;
    keep = bk_hold_will_keep(h, nth, t->code_bytes);
    if (!err)
        err = find_peak(&other_peak, p, nth, p->distances ? BK_CHAINS : BK_COMPACT, !keep, threads,
                        why);
    if (err)
        return err;
    solving = keep ? all[nth].kept.peak : all[nth].let_go.peak;
    /* more memory for less time with distances, less for more without: by three quarters of what
       there is */
    roomy = always + h->bytes + (p->distances ? other_peak : solving) <= 3 * h->limit;
    t->manner = p->distances ? roomy && other_peak ? BK_CHAINS : BK_APART
                : roomy      ? BK_APART
                             : BK_COMPACT;
    if (t->manner != BK_APART)
        solving = other_peak;
    t->memory_bytes = always + h->bytes + (solving > fixed ? solving : fixed);
    if (all[nth].let_go.fixed > fixed)
        fixed = all[nth].let_go.fixed;
    t->store_room = all[nth].let_go.room + threads * (UINT64_C(1) << 20);
    t->least_bytes = always + fixed + t->store_room;
    if (limit && t->memory_bytes > limit) { /* it will work on disk, with nothing held */
        t->manner = p->distances ? BK_APART : BK_COMPACT;
        bk_hold_release(h);
        return BK_OK;
    }
    bk_hold_done(h, nth);
    if (bk_hold_will_keep(h, nth, t->code_bytes))
        err = bk_hold_add(h, nth, NULL, t->code_bytes, nth + 1, why);
    return err;
}

enum bk_err bk_plan_memory(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                           struct bk_report *why)
{
    struct needs *all = calloc(p->n + 1u, sizeof *all);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    enum bk_err err = all ? BK_OK : bk_fail(why, BK_E_SYSTEM, "out of memory");
    struct bk_hold h;

    if (!threads)
        threads = cores > 0 ? (unsigned)cores : 1;
    bk_hold_init(&h, p, memory_limit);
    for (unsigned i = 0; !err && i < p->n; i++)
        if (p->stop && *p->stop)
            err = bk_fail(why, BK_E_SYSTEM, "interrupted");
        else if (!p->table[i].present)
            err = predict(&h, p, i, threads, memory_limit, all, why);
    bk_hold_release(&h);
    free(all);
    return err;
}
