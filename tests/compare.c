/*
 * compare.c - every position of tables in files against the solver's own arrays.
 *
 * usage: compare DIR GAME MATERIAL...
 *
 * Each table is solved anew in memory, with all tables that it leads to.  The files of these tables
 * are read row by row and their exits settled by the plain move generator (tb/settled.h).  Solver
 * and files must agree on every legal position: result, and distance where the files have it.
 * So sampling, learning, encoding, writing, reading and settling are proved together; that the
 * solver is right is for other tests (test_fuzz, verify).
 *
 * Prints one line for each table.  Status 1: a position differs; 2: usage; 4: any other failure.
 * Cost: some 1 us a position, and two bytes of memory for each of the table and all below it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "table/catalog.h"
#include "tb/settled.h"
#include "tests/solved.h"

#define THREADS 2
#define MEMORY  (UINT64_C(16) << 30)

struct comparing {
    const struct bk_variant *v;
    const struct bk_memtable *t;
    bool distances;
    uint64_t seen[THREADS], different[THREADS];
};

/* Returns the distance in plies; -1: a draw. */
static int plies_of(const struct solved_value *x)
{
    return x->wdl ? (int)(2 * x->k) + (x->wdl > 0) : -1;
}

static void compare_position(void *context, unsigned thread, const struct bk_seen *seen)
{
    struct comparing *c = context;
    struct solved_value solved = { .legal = false };
    struct bk_placement at;
    char fen[BK_FEN_MAX];

    if (bk_index_place(c->t->ix, seen->p, &at))
        solved = solved_value_of_code(c->t, bk_memtable_code(c->t, seen->p->stm, at));
    c->seen[thread]++;
    if (solved.legal && solved.wdl == seen->stored.wdl &&
        (!c->distances || !solved.wdl || plies_of(&solved) == seen->stored.plies))
        return;
    if (!c->different[thread]++)
        printf("%s: files say %d in %d plies, the solver %s%d in %d\n",
               bk_pos_to_fen(seen->p, c->v, fen), seen->stored.wdl, seen->stored.plies,
               solved.legal ? "" : "illegal, ", solved.wdl, plies_of(&solved));
}

static enum bk_err compare_rows(struct comparing *c, struct bk_settled *s, struct bk_report *why)
{
    enum bk_err err = c->distances ? bk_settled_losses(s, why) : BK_OK;

    if (err)
        return err;
    return bk_settled_scan(s, 0, bk_settled_rows(s), compare_position, c, why);
}

/* Compares one table; returns 0 if all positions agree, 1 if one differs, 4 on failure. */
static int compare_table(struct solved *solved, const struct bk_settled_options *o,
                         const struct bk_material *m)
{
    struct comparing c = { .v = o->v, .t = solved_table(solved, m) };
    char name[BK_MATERIAL_NAME_MAX];
    struct bk_report why = { "" };
    struct bk_settled *s = NULL;
    uint64_t seen = 0, different = 0;
    bool unsure;
    enum bk_err err = bk_settled_new(&s, o, m, &why);

    bk_material_name(m, o->v, name);
    c.distances = bk_catalog_has(o->catalog, m, &unsure) & BK_HAS_DTW;
    if (!err && s && c.t)
        err = compare_rows(&c, s, &why);
    if (err || !s || !c.t) {
        printf("%-18s %-10s %s\n", o->v->name, name, err ? why.text : "cannot be compared");
        bk_settled_free(s);
        return 4;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        seen += c.seen[i];
        different += c.different[i];
    }
    printf("%-18s %-10s %12llu positions%s, %llu differ\n", o->v->name, name,
           (unsigned long long)seen, c.distances ? " with distances" : "",
           (unsigned long long)different);
    fflush(stdout);
    bk_settled_free(s);
    return different != 0;
}

static int compare_all(const char *dir, const struct bk_variant *v, char **name, int n)
{
    struct bk_settled_options o = { .v = v, .memory = MEMORY };
    struct solved *solved =
        solved_new(v, &(struct solved_options){ .distances = true, .groups = BK_WIDE });
    struct bk_report why = { "" };
    int worst = 0;

    if (bk_catalog_new(&o.catalog, v, dir, &why) || bk_pool_open(&o.pool, THREADS, NULL))
        worst = 4;
    for (int i = 0; i < n && worst < 4; i++) {
        struct bk_material m;
        int is = 4;

        if (!bk_material_parse(&m, v, name[i], &why)) {
            bk_material_canonical(&m, v);
            is = compare_table(solved, &o, &m);
        }
        worst = is > worst ? is : worst;
    }
    if (why.text[0])
        fprintf(stderr, "compare: %s\n", why.text);
    bk_pool_close(o.pool);
    bk_catalog_free(o.catalog);
    solved_free(solved);
    return worst;
}

int main(int argc, char **argv)
{
    struct bk_report why = { "" };
    struct bk_variant *v;
    int status;

    if (argc < 4) {
        fprintf(stderr, "usage: compare DIR GAME MATERIAL...\n");
        return 2;
    }
    if (bk_variant_load(&v, argv[2], &why)) {
        fprintf(stderr, "compare: %s\n", why.text);
        return 2;
    }
    status = compare_all(argv[1], v, argv + 3, argc - 3);
    bk_variant_free(v);
    return status;
}
