/*
 * test_arena.c - what a build takes, counted and foretold: the arena of tb/memory/spill.h, and
 * tables that are solved in it, dry and not (docs/memory.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "tests/given.h"
#include "tests/made.h"
#include "tests/solved.h"

/* == The arena == */

static void arena__counts_what_is_there_and_its_most(void **state)
{
    const struct bk_arena before = bk_arena();
    void *small = bk_spill_new(NULL, 1000), *often = bk_spill_new_often(100000);
    void *large = bk_spill_new(NULL, 1 << 20);
    const struct bk_arena all = bk_arena();

    (void)state;
    assert_in_range(all.live - before.live, 1000 + 100000 + (1 << 20), 1108192 + (1 << 20));
    bk_spill_free(large);
    bk_spill_free(often);
    bk_spill_free(small);
    assert_int_equal(bk_arena().live, before.live);
    assert_true(bk_arena().peak >= all.live);
    bk_arena_again();
    assert_int_equal(bk_arena().peak, before.live);
}

static void arena__counts_lists_that_grow(void **state)
{
    const uint64_t before = bk_arena().live;
    size_t room = 0;
    uint64_t *list = NULL;

    (void)state;
    for (size_t n = 1; n <= 100000; n++) {
        assert_true(BK_SPILL_ROOM(list, room, n));
        list[n - 1] = n;
        assert_in_range(bk_arena().live - before, room * sizeof *list, room * sizeof *list + 128);
    }
    list = bk_spill_resize(list, 1000 * sizeof *list);
    assert_int_equal(list[999], 1000);
    assert_in_range(bk_arena().live - before, 8000, 8128);
    bk_spill_free(list);
    assert_int_equal(bk_arena().live, before);
    assert_null(bk_spill_resize(NULL, SIZE_MAX - 70));
}

/* As much is counted of dry arrays, of which none has memory: 1 TB is no more than a byte. */
static void arena__that_is_dry_counts_the_same(void **state)
{
    static const size_t bytes[] = { 1, 63, 64, 5000, 65472, 65473, 1 << 20, (size_t)1 << 40 };
    struct bk_arena dry = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        const uint64_t live = bk_arena().live;
        void *array = bytes[i] >> 39 ? NULL : bk_spill_new(NULL, bytes[i]), *same;
        const uint64_t own = array ? bk_arena().live - live : bytes[i] + 4096;

        bk_arena_dry(&dry);
        same = bk_spill_new(NULL, bytes[i]);
        assert_int_equal(dry.live, own);
        bk_spill_free(same);
        bk_arena_dry(NULL);
        bk_spill_free(array);
        assert_int_equal(dry.live, 0);
        assert_int_equal(dry.peak, own);
    }
}

static void arena__that_is_dry_tells_apart_what_a_spill_holds(void **state)
{
    struct bk_arena dry = { 0 };
    void *spilled, *own;

    (void)state;
    bk_arena_dry(&dry);
    spilled = bk_spill_new(bk_arena_spill(), 1 << 20);
    assert_int_equal(dry.resident, 0);
    own = bk_spill_new(NULL, 1 << 16);
    assert_int_equal(dry.live, dry.resident + bk_arena_bytes(spilled));
    spilled = bk_arena_resize(spilled, 10);
    assert_int_equal(dry.live, dry.resident + 10);
    bk_spill_free(spilled);
    bk_spill_free(own);
    bk_arena_dry(NULL);
    assert_int_equal(dry.live, 0);
    assert_in_range(dry.fixed_peak, 1 << 16, 1 << 17);
}

/* == Tables == */

struct dry_case {
    const char *game, *table;
    bool distances;
    enum bk_strategy strategy;
    unsigned threads;
};

static const struct bk_memtable *find(void *context, const struct bk_material *m)
{
    return solved_table(context, m);
}

static void solve(const struct dry_case *made, struct solved *s, struct bk_memtable *t,
                  struct bk_pool *pool, struct bk_dry *dry)
{
    static const struct bk_sink nobody;
    const struct bk_solve_job job = { .t = t,
                                      .kernel = bk_kernel_for(t->ix->v->nsq),
                                      .tables = { t, find, s },
                                      .distances = made->distances,
                                      .attain = true,
                                      .strategy = made->strategy,
                                      .sink = &nobody,
                                      .pool = pool,
                                      .dry = dry };
    struct bk_report why = { "" };
    struct bk_tally tally;

    if (bk_solve_table(&job, &tally, &why))
        fail_msg("%s: %s", made->table, why.text);
}

/* Returns what solving the table takes at most, and what stays, by a dry run; spill: where blocks
   lie, or NULL. */
static struct bk_arena foretold(const struct dry_case *made, const struct bk_variant *v,
                                const struct bk_material *m, struct bk_spill *spill)
{
    struct bk_arena arena = { 0 };
    struct bk_dry dry = { .arena = &arena, .some = { 1, 0, 1 } };
    struct bk_pool *pool = bk_pool_open_dry(made->threads);
    struct bk_memtable *t;
    uint64_t stays;

    assert_int_equal(bk_memtable_new(&t, v, m, NULL), BK_OK);
    t->spill = spill;
    bk_arena_dry(&arena);
    solve(made, NULL, t, pool, &dry);
    stays = arena.live;
    bk_memtable_free(t);
    bk_arena_dry(NULL);
    bk_pool_close(pool);
    assert_int_equal(arena.live, 0); /* all that was asked for is freed */
    arena.live = stays;
    return arena;
}

/* Returns the same, by solving it. */
static struct bk_arena taken(const struct dry_case *made, const struct bk_variant *v,
                             const struct bk_material *m)
{
    const struct solved_options o = { .distances = made->distances };
    struct solved *s = solved_new(v, &o);
    struct bk_arena before, after;
    struct bk_pool *pool;
    struct bk_memtable *t;

    solved_table(s, m); /* and with it all that it leads to */
    assert_int_equal(bk_pool_open(&pool, made->threads, NULL), BK_OK);
    assert_int_equal(bk_memtable_new(&t, v, m, NULL), BK_OK);
    bk_arena_again();
    before = bk_arena();
    solve(made, s, t, pool, NULL);
    after = bk_arena();
    after.live -= before.live;
    after.peak -= before.live;
    bk_memtable_free(t);
    bk_pool_close(pool);
    solved_free(s);
    return after;
}

/* Byte for byte, but where threads solve blocks side by side: they are not all at their worst. */
static void plan__of_solving_is_what_it_takes(void **state)
{
    static const struct dry_case made[] = {
        { "shatranj", "KRvKN", true, BK_APART, 1 },  { "shatranj", "KRvKN", true, BK_APART, 3 },
        { "shatranj", "KRvKN", false, BK_APART, 2 }, { "shatranj", "KRvKR", false, BK_COMPACT, 1 },
        { "shatranj", "KPvKN", true, BK_APART, 1 },  { "shatranj", "KNvKP", true, BK_GROUPS, 2 },
        { "shatranj", "KQvKP", true, BK_WIDE, 2 },   { "shatranj", "KQvKP", false, BK_WIDE, 1 },
        { "shatranj", "KPvK", true, BK_APART, 1 },   { "chess", "KQvKR", true, BK_APART, 1 },
        { "chess", "KPvK", true, BK_APART, 1 },      { "puzzle", "KRvKA", true, BK_APART, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct bk_variant *v = load(made[i].game);
        struct bk_report why = { "" };
        struct bk_arena dry, real;
        struct bk_material m;

        if (bk_material_parse(&m, v, made[i].table, &why))
            fail_msg("%s", why.text);
        bk_material_canonical(&m, v);
        dry = foretold(&made[i], v, &m, NULL);
        real = taken(&made[i], v, &m);
        if (dry.peak != real.peak || dry.live != real.live)
            fail_msg("%s %s: %llu bytes foretold, took %llu; %llu stay, not %llu", made[i].game,
                     made[i].table, (unsigned long long)dry.peak, (unsigned long long)real.peak,
                     (unsigned long long)real.live, (unsigned long long)dry.live);
        bk_variant_free(v);
    }
}

/* With a limit, codes are on disk, and sets are paged where they do not fit (docs/solving.md 10);
   the rest, which must fit, is what threads have of their own and tables of moves. */
static void plan__within_a_limit_counts_apart_what_no_disk_holds(void **state)
{
    const struct dry_case made = { "shatranj", "KRNvKR", true, BK_COMPACT, 2 };
    struct bk_variant *v = load(made.game);
    struct bk_report why = { "" };
    struct bk_material m;
    struct bk_arena dry;

    (void)state;
    assert_int_equal(bk_material_parse(&m, v, made.table, &why), BK_OK);
    dry = foretold(&made, v, &m, bk_arena_spill());
    assert_true(dry.peak > 300 << 20);
    assert_in_range(dry.fixed_peak, 1, 8 << 20);
    bk_variant_free(v);
}

/* == Units ==
 *
 * How many values are stored, and how many questions these need, is not known beforehand.  Of
 * values that are made up it is.
 */

/* Returns what encoding a unit is estimated to take at its worst, where `care` of 100 positions
   have a stored value. */
static uint64_t estimated(const struct made_table *t, const struct bk_unit_source *src,
                          unsigned care, const struct bk_unit_options *o)
{
    const struct bk_unit_size n = { .rows = bk_rows_before(t->rows, t->ix->nblocks),
                                    .numbers = src->end - src->first,
                                    .facts = bk_facts_count(t->facts),
                                    .words = bk_facts_words(t->facts),
                                    .board_words = bk_facts_board_words(t->facts),
                                    .bits = src->bits,
                                    .care = care,
                                    .here = src->end - src->first };
    const struct bk_unit_memory m = bk_unit_memory(&n, o, 1);

    return m.columns + m.sampling > m.writing ? m.columns + m.sampling : m.writing;
}

static void plan__of_encoding_is_what_it_takes_where_values_are_known(void **state)
{
    struct made_table t = made_table("shatranj", "KRvKN");

    (void)state;
    for (unsigned sixteenths = 6; sixteenths <= 10; sixteenths += 2) {
        struct made m = { .rows = t.rows,
                          .bits = 2,
                          .words = bk_facts_words(t.facts),
                          .seed = sixteenths,
                          .values = 3,
                          .free_in_16 = sixteenths };
        const struct bk_unit_source src = made_source(&t, &m);
        const struct bk_unit_options o = { .effort = BK_EFFORT_NORMAL };
        /* on three of 64 squares others stand */
        const unsigned care = (100 * 61 * (16 - sixteenths) + 16 * 32) / (16 * 64);
        const uint64_t most = estimated(&t, &src, care, &o);
        struct made_bytes shards;
        struct bk_unit u;
        uint64_t live, took;

        bk_arena_again();
        live = bk_arena().live;
        u = made_encode_with(&src, &o, 1, &shards);
        took = bk_arena().peak - live;
        if (100 * took < 98 * most || 100 * took > 102 * most)
            fail_msg("%u of 100: estimated %llu bytes, took %llu", care, (unsigned long long)most,
                     (unsigned long long)took);
        bk_unit_release(&u);
        free(shards.at);
        assert_int_equal(bk_arena().live, live); /* all that it asked for is freed */
    }
    made_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena__counts_what_is_there_and_its_most),
        cmocka_unit_test(arena__counts_lists_that_grow),
        cmocka_unit_test(arena__that_is_dry_counts_the_same),
        cmocka_unit_test(arena__that_is_dry_tells_apart_what_a_spill_holds),
        cmocka_unit_test(plan__of_solving_is_what_it_takes),
        cmocka_unit_test(plan__of_encoding_is_what_it_takes_where_values_are_known),
        cmocka_unit_test(plan__within_a_limit_counts_apart_what_no_disk_holds),
    };

    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
