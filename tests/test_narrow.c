/*
 * test_narrow.c - what stays of tables is enough for those that read them.
 *
 * All tables of a plan are solved; of random positions of each every legal move (by the plain
 * generator) that leads to another table is played, and what the position after it is worth there
 * is the same before and after the tables are narrowed to what the plan says is read of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/load.h"
#include "core/move.h"
#include "tb/build/parts.h"
#include "tests/given.h"
#include "tests/random_variant.h"
#include "tests/solved.h"

#define POSITIONS 400 /* of a table */

static struct bk_plan *plan_of(const struct bk_variant *v, const char *name, bool distances)
{
    struct bk_report why = { "" };
    struct bk_material m;
    struct bk_plan *p;

    assert_int_equal(bk_material_parse(&m, v, name, &why), BK_OK);
    assert_int_equal(bk_plan_new(&p, v, "no folder", &m, 1, 0, distances, &why), BK_OK);
    bk_plan_parts(p);
    return p;
}

/* Of one position's moves to other tables: a sum of what they are worth. */
static uint64_t sum_of_moves(struct solved *s, const struct bk_variant *v, const struct bk_pos *p,
                             unsigned *moves)
{
    static struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, p, move);
    struct bk_material before, after;
    uint64_t sum = 0;

    bk_material_of(&before, v, p);
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos next = *p;
        struct solved_value value;

        bk_pos_play(&next, v, &move[i]);
        bk_material_of(&after, v, &next);
        if (bk_material_equal(&before, &after))
            continue;
        value = solved_value_of(s, &next);
        assert_true(value.legal);
        sum = sum * 1000003 + (uint64_t)(value.wdl + 1) * 1024 + value.k;
        ++*moves;
    }
    return sum;
}

/* The same of random positions of a table. */
static uint64_t sum_of_table(struct solved *s, const struct bk_variant *v,
                             const struct bk_plan_table *t, unsigned *moves)
{
    const struct bk_index *ix = solved_table(s, &t->m)->ix;
    uint64_t seed = 1, sum = 0;

    for (unsigned i = 0; i < POSITIONS; i++) {
        struct bk_placement at;
        struct bk_pos p;

        bk_index_unrank(ix, random_next(&seed) % ix->positions, &at);
        if (bk_index_position(ix, &at, i & 1, &p) && bk_pos_legal(v, &p))
            sum = sum * 31 + sum_of_moves(s, v, &p, moves);
    }
    return sum;
}

static uint64_t sum_of_all(struct solved *s, const struct bk_variant *v, const struct bk_plan *p,
                           unsigned *moves)
{
    uint64_t sum = 0;

    *moves = 0;
    for (unsigned i = 0; i < p->n; i++)
        sum = sum * 31 + sum_of_table(s, v, &p->table[i], moves);
    return sum;
}

/* Bytes of those tables of a plan that others read. */
static uint64_t bytes_of(struct solved *s, const struct bk_plan *p)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < p->n; i++)
        if (p->table[i].part.known)
            bytes += bk_memtable_bytes(solved_table(s, &p->table[i].m));
    return bytes;
}

static void compare(const char *game, const char *name, const struct solved_options *o,
                    unsigned at_most)
{
    struct bk_variant *v = load(game);
    struct solved *s = solved_new(v, o);
    struct bk_plan *p = plan_of(v, name, o->distances);
    unsigned moves, again;
    uint64_t whole, part, sum;

    for (unsigned i = 0; i < p->n; i++)
        assert_non_null(solved_table(s, &p->table[i].m));
    sum = sum_of_all(s, v, p, &moves);
    whole = bytes_of(s, p);
    for (unsigned i = 0; i < p->n; i++)
        bk_narrow((struct bk_memtable *)(uintptr_t)solved_table(s, &p->table[i].m),
                  &p->table[i].part, NULL);
    part = bytes_of(s, p);
    assert_int_equal(sum_of_all(s, v, p, &again), sum);
    assert_int_equal(again, moves);
    printf("%s %s: %u moves, %llu of %llu bytes stay\n", game, name, moves,
           (unsigned long long)part, (unsigned long long)whole);
    assert_true(moves > 100);
    assert_true(part * 100 <= whole * at_most);
    bk_plan_free(p);
    solved_free(s);
    bk_variant_free(v);
}

static void narrow__what_stays_is_what_is_read(void **state)
{
    static const struct solved_options distances = { .distances = true },
                                       groups = { .groups = BK_GROUPS },
                                       compact = { .compact = true };
    static const struct {
        const char *game, *name;
        const struct solved_options *how;
        unsigned at_most; /* per cent that stay */
    } table[] = {
        /* both promote: to one table, its colours exchanged */
        { "shatranj", "KPvKP", &distances, 20 },
        { "shatranj", "KPvKP", &groups, 20 },
        { "shatranj", "KPvKP", &compact, 5 },
        /* without pawns turns bring him to every edge */
        { "shatranj", "KRvKP", &groups, 50 },
        /* four kinds of men, some of whom meet their like */
        { "chess", "KPvKP", &distances, 45 },
        { "chess", "KPvKP", &compact, 45 },
        { "chess", "KRvKP", &groups, 50 },
        /* to lost men, on three ranks */
        { "grand-shatranj", "KPvKP", &groups, 50 },
        /* by what they take, and in place */
        { "darwinian", "KFvKP", &distances, 60 },
        { "sultan", "KPvKP", &groups, 60 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        compare(table[i].game, table[i].name, table[i].how, table[i].at_most);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(narrow__what_stays_is_what_is_read) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
