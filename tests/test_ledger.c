/*
 * test_ledger.c - distances noted as they are found (tb/solve/ledger.h), and slices that come and
 * go (tb/solve/paging.h): the same tables, and few bytes moved.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "core/load.h"
#include "tb/kernel/kernel.h"
#include "tb/memory/notes.h"
#include "tb/memory/spill.h"
#include "tb/solve/resume.h"
#include "tests/left_out.h"
#include "tests/random_variant.h"
#include "tests/solved.h"

/* == Notes == */

/* Draws eight words with few bits; about half of them are 0, but not all. */
static void draw_vector(uint64_t *state, uint64_t word[8])
{
    do {
        for (unsigned i = 0; i < 8; i++)
            word[i] = random_once_in(state, 2) ? 0
                                               : bk_chance_next(state) & bk_chance_next(state) &
                                                     bk_chance_next(state) & bk_chance_next(state);
    } while (!(word[0] | word[1] | word[2] | word[3] | word[4] | word[5] | word[6] | word[7]));
}

static void notes__come_back_as_they_were(void **unused)
{
    enum { VECTORS = 500 };
    static uint8_t notes[VECTORS * BK_NOTE_MAX];
    uint64_t state = 7, again = 7, word[8], got[8];
    uint8_t *end = notes;
    const uint8_t *at = notes;
    uint32_t vector = 0, next = 0, seen;

    (void)unused;
    for (unsigned i = 0; i < VECTORS; i++) {
        vector += (uint32_t)random_below(&state, i % 50 ? 4 : 100000);
        draw_vector(&state, word);
        end = bk_note_put(end, &next, vector++, word);
    }
    vector = next = 0;
    for (unsigned i = 0; i < VECTORS; i++) {
        vector += (uint32_t)random_below(&again, i % 50 ? 4 : 100000);
        draw_vector(&again, word);
        assert_true(bk_note_take(&at, end, &next, &seen, got));
        assert_int_equal(seen, vector++);
        assert_memory_equal(got, word, sizeof word);
    }
    assert_ptr_equal(at, end);
    assert_false(bk_note_take(&at, end, &next, &seen, got));
}

/* A note cut to every length, each in its own allocation, so that a sanitizer sees reads beyond. */
static void notes__cut_short_are_refused(void **unused)
{
    uint8_t notes[BK_NOTE_MAX];
    uint64_t state = 3, word[8];
    uint32_t next = 0, seen;
    size_t n;

    (void)unused;
    draw_vector(&state, word);
    n = (size_t)(bk_note_put(notes, &next, 70000, word) - notes);
    for (size_t less = 0; less < n; less++) {
        uint8_t *copy = malloc(less + !less);
        const uint8_t *at = copy;

        assert_non_null(copy);
        memcpy(copy, notes, less);
        next = 0;
        assert_false(bk_note_take(&at, copy + less, &next, &seen, word));
        free(copy);
    }
}

/* == Tables == */

struct game {
    const char *variant, *material;
    unsigned k_max;
};

static const struct game games[] = {
    { "tests/six.ini", "KRvKN", 0 },
    { "tests/six.ini", "KRvKN", 5 },  /* two bytes a code */
    { "tests/six.ini", "KRNvKN", 0 }, /* exits that decide later on wait in the ledger */
    { "tests/late.ini", "KNPvK", 0 }, /* nothing is found for two plies and more, later more is */
};

static const struct bk_memtable *solve(struct solved **s, const struct bk_variant *v,
                                       const struct game *g, const struct solved_options *o)
{
    struct bk_report why = { "" };
    struct bk_material m;
    const struct bk_memtable *t;

    if (bk_material_parse(&m, v, g->material, &why))
        fail_msg("%s: %s", g->material, why.text);
    *s = solved_new(v, o);
    t = solved_table(*s, &m);
    assert_non_null(t);
    return t;
}

/* A table solved with a ledger is the same, with all sets in memory and with only those in use. */
static void ledger__makes_the_same_tables(void **unused)
{
    static const uint64_t most[] = { 0, 1 };

    (void)unused;
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        const struct solved_options plain = { .distances = true, .k_max = games[i].k_max };
        struct bk_report why = { "" };
        struct bk_variant *v;
        struct solved *a, *b;
        const struct bk_memtable *want;

        assert_int_equal(bk_variant_load(&v, games[i].variant, &why), BK_OK);
        want = solve(&a, v, &games[i], &plain);
        for (size_t j = 0; j < sizeof most / sizeof *most; j++) {
            struct solved_options less = plain;

            less.ledger = true;
            less.sets_bytes = most[j];
            assert_true(solved_same(want, solve(&b, v, &games[i], &less)));
            solved_free(b);
        }
        solved_free(a);
        bk_variant_free(v);
    }
}

/* Returns the largest k of a loss (in 2k plies). */
static unsigned longest_loss(const struct bk_memtable *t)
{
    unsigned most = 0;

    for (uint32_t block = 0; block < t->ix->nblocks; block++)
        for (unsigned side = 0; side < 2; side++) {
            const uint16_t *code = t->block[block].code[side];

            for (size_t i = 0; i < bk_layout_code_bytes(t, block) / 2; i++) {
                struct solved_value value = solved_value_of_code(t, code[i]);

                most = value.legal && value.wdl < 0 && value.k > most ? value.k : most;
            }
        }
    return most;
}

/* A king that takes one of three centaurs is lost in 600 plies and more; all else is decided in
   twelve. */
static void ledger__waits_for_exits_however_late(void **unused)
{
    static const struct game g = { "tests/late.ini", "KCCCvK", 1 };
    const struct solved_options ways[] = {
        { .distances = true, .k_max = g.k_max },
        { .distances = true, .k_max = g.k_max, .ledger = true },
        { .distances = true, .k_max = g.k_max, .ledger = true, .sets_bytes = 1 },
    };
    const struct bk_memtable *table[3];
    struct bk_report why = { "" };
    struct bk_material late, m;
    struct bk_variant *v;
    struct solved *s[3];

    (void)unused;
    assert_int_equal(bk_variant_load(&v, g.variant, &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, g.material, &why), BK_OK);
    assert_int_equal(bk_material_parse(&late, v, "KCCvK", &why), BK_OK);
    for (unsigned i = 0; i < 3; i++) {
        s[i] = solved_new(v, &ways[i]);
        solved_delay(s[i], &late, 300);
        assert_non_null(table[i] = solved_table(s[i], &m));
        assert_int_equal(table[i]->code_bytes, 2);
        assert_true(longest_loss(table[i]) > 300);
        assert_true(solved_same(table[0], table[i]));
    }
    for (unsigned i = 0; i < 3; i++)
        solved_free(s[i]);
    bk_variant_free(v);
}

/* == Exits in more plies than a byte counts == */

/* Materials that a game's table leads to, made so many k longer, in this order. */
struct late_game {
    const char *material, *late[2];
};

static struct solved *solve_late(const struct bk_variant *v, const struct late_game *g,
                                 const unsigned k[2], struct solved_options o,
                                 const struct bk_memtable **t)
{
    struct bk_report why = { "" };
    struct bk_material m;
    struct solved *s;

    o.distances = true;
    o.k_max = 1;
    s = solved_new(v, &o);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bk_material_parse(&m, v, g->late[i], &why), BK_OK);
        bk_material_canonical(&m, v);
        solved_delay(s, &m, k[i]);
    }
    assert_int_equal(bk_material_parse(&m, v, g->material, &why), BK_OK);
    assert_non_null(*t = solved_table(s, &m));
    return s;
}

/* Solves a table in every way, or in every second one; it must be worth what its own moves bring.
 */
static void solve_in_ways(const struct bk_variant *v, const struct late_game *g,
                          const unsigned k[2], unsigned step)
{
    static const struct solved_options ways[] = {
        { 0 },
        { .ledger = true },
        { .groups = BK_GROUPS },
        { .groups = BK_WIDE },
        { .ledger = true, .sets_bytes = 1 },
    };

    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i += step) {
        const struct bk_memtable *t;
        struct solved *s = solve_late(v, g, k, ways[i], &t);

        if (solved_contradicted(s, t))
            fail_msg("%s, exits %u and %u later, way %u, %s", g->material, k[0], k[1], i,
                     bk_kernel_for(v->nsq)->name);
        assert_true(longest_loss(t) > k[1]);
        solved_free(s);
    }
}

/* A loss that an exit delays waits for that exit's ply, whatever numbers of plies / 2 fit into a
   mask or a byte.  By every kernel that this machine has; blocks of kings and pawns alone, too. */
static void delays__count_at_any_ply(void **unused)
{
    static const struct late_game late[] = { { "KNPvK", { "KNQvK", "KPvK" } },
                                             { "KPvKP", { "KQvKP", "KPvK" } } };
    static const unsigned k[][2] = {
        { 260, 300 }, { 60, 100 }, { 200, 250 }, { 230, 256 }, { 254, 255 }
    };
    static const char *const kernel[] = { "avx512", "avx2", "portable" };
    static const char *const bits[] = { "64", "128", "256" };
    struct bk_report why = { "" };
    struct bk_variant *v;

    (void)unused;
    assert_int_equal(bk_variant_load(&v, "tests/small-chess.ini", &why), BK_OK);
    for (unsigned i = 0; i < sizeof k / sizeof *k; i++) {
        solve_in_ways(v, &late[0], k[i], 1);
        solve_in_ways(v, &late[1], k[i], 4);
    }
    for (unsigned i = 0; i < 9; i++) {
        setenv("BAREKING_KERNEL", kernel[i / 3], 1);
        setenv("BAREKING_SET_BITS", bits[i % 3], 1);
        solve_in_ways(v, &late[0], k[0], 2);
        solve_in_ways(v, &late[1], k[0], 4);
    }
    unsetenv("BAREKING_KERNEL");
    unsetenv("BAREKING_SET_BITS");
    bk_variant_free(v);
}

/* == Bytes == */

struct moved {
    uint64_t read, written;
};

static struct moved moved_so_far(void)
{
    unsigned long long read = 0, written = 0;
    FILE *f = fopen("/proc/self/io", "r");

    if (!f)
        leave_out("no /proc/self/io");
    if (fscanf(f, "rchar: %llu wchar: %llu", &read, &written) != 2)
        leave_out("no /proc/self/io");
    fclose(f);
    return (struct moved){ read, written };
}

/* Returns the bytes moved for each thousand positions of a table, including those for the tables
   that it leads to. */
static struct moved moved_by(uint64_t sets_bytes)
{
    static const struct game g = { "shatranj", "KRvKN", 0 };
    const struct solved_options o = { .distances = true, .ledger = true, .sets_bytes = sets_bytes };
    struct bk_report why = { "" };
    struct moved before, after;
    struct bk_variant *v;
    struct solved *s;
    uint64_t positions;

    assert_int_equal(bk_variant_load(&v, g.variant, &why), BK_OK);
    before = moved_so_far();
    positions = 2 * solve(&s, v, &g, &o)->ix->positions;
    after = moved_so_far();
    solved_free(s);
    bk_variant_free(v);
    return (struct moved){ (after.read - before.read) * 1000 / positions,
                           (after.written - before.written) * 1000 / positions };
}

/* Notes are written once, and read once.  A byte a position, moved each ply, would be 60 bytes. */
static void ledger__moves_less_than_a_byte_a_position(void **unused)
{
    struct moved m = moved_by(0);

    (void)unused;
    printf("ledger: %llu bytes read, %llu written a thousand positions\n",
           (unsigned long long)m.read, (unsigned long long)m.written);
    assert_true(m.read < 700 && m.written < 700);
}

/* A quarter of 2.4 MB of sets is in memory; moving all sets each ply would take twice the bytes. */
static void paging__moves_few_bytes(void **unused)
{
    struct moved m = moved_by(UINT64_C(600) << 10);

    (void)unused;
    printf("paging: %llu bytes read, %llu written a thousand positions\n",
           (unsigned long long)m.read, (unsigned long long)m.written);
    assert_true(m.read < 9000 && m.written < 5000);
}

static const struct bk_memtable *find(void *context, const struct bk_material *m)
{
    return solved_table(context, m);
}

/* The disk has room for notes but not for slices: a slice that is paged out would be lost. */
static void paging__that_is_refused_makes_no_table(void **unused)
{
    const struct rlimit little = { 205 << 10, RLIM_INFINITY }; /* notes take 175 KB */
    const struct solved_options o = { .distances = true };
    struct bk_report why = { "" };
    struct bk_solve_job job = { .distances = true, .strategy = BK_COMPACT };
    struct bk_sink sink = { 0 };
    struct rlimit before;
    struct bk_tally tally;
    struct bk_material m;
    struct bk_variant *v;
    struct solved *s;
    enum bk_err err;

    (void)unused;
    assert_int_equal(bk_variant_load(&v, "tests/six.ini", &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KRvKN", &why), BK_OK);
    s = solved_new(v, &o);
    assert_non_null(solved_table(s, &m)); /* and all tables that it leads to */
    job.kernel = bk_kernel_for(v->nsq);
    job.sink = &sink;
    for (unsigned paged = 0; paged < 2; paged++) {
        job.sets_bytes = paged;
        assert_int_equal(bk_memtable_new(&job.t, v, &m, &why), BK_OK);
        job.tables = (struct bk_exit_tables){ job.t, find, s };
        getrlimit(RLIMIT_FSIZE, &before);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &little);
        err = bk_solve_table(&job, &tally, &why);
        setrlimit(RLIMIT_FSIZE, &before);
        signal(SIGXFSZ, SIG_DFL);
        assert_int_equal(err, paged ? BK_E_SYSTEM : BK_OK);
        bk_memtable_free(job.t);
    }
    solved_free(s);
    bk_variant_free(v);
}

/* == Memory that moves == */

/* Where the machine cannot move memory, bk_spill_move() is false and nothing has moved. */
static void spill__memory_of_a_part_becomes_that_of_another(void **unused)
{
    enum { PART = 1 << 16 };
    char *array = bk_spill_new_sparse((size_t)3 * PART), *to = array + (size_t)2 * PART;
    bool moved;

    (void)unused;
    assert_non_null(array);
    memset(array, 'a', PART);
    moved = bk_spill_move(to, array, PART);
    for (size_t i = 0; i < PART; i++) {
        assert_int_equal(to[i], moved ? 'a' : 0);
        assert_int_equal(array[i], moved ? 0 : 'a');
    }
    memset(array, 'b', PART);
    assert_false(bk_spill_move(to, array + 64, PART)); /* no whole pages */
    assert_int_equal(array[64], 'b');
    assert_int_equal(to[0], moved ? 'a' : 0);
    bk_spill_free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes__come_back_as_they_were),
        cmocka_unit_test(notes__cut_short_are_refused),
        cmocka_unit_test(ledger__makes_the_same_tables),
        cmocka_unit_test(ledger__waits_for_exits_however_late),
        cmocka_unit_test(delays__count_at_any_ply),
        cmocka_unit_test(ledger__moves_less_than_a_byte_a_position),
        cmocka_unit_test(paging__moves_few_bytes),
        cmocka_unit_test(paging__that_is_refused_makes_no_table),
        cmocka_unit_test(spill__memory_of_a_part_becomes_that_of_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
