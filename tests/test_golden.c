/*
 * test_golden.c - files of format 1 that were written once are read for ever after.
 *
 * tests/golden/list names the files; tests/golden.sh made them.  Oracle: the slow solver of ref.c,
 * or, where that would take minutes, the fast one's arrays.  Some thousand positions of each table
 * are asked through the library, and some of the second reader (slow_file.h).
 *
 *      GOLDEN_ALL=1 build/tests/test_golden      every position
 *      GOLDEN_TIMES=1 build/tests/test_golden    what each line took
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <ftw.h>

#include "core/load.h"
#include "core/rules.h"
#include "probe/bareking.h"
#include "table/decode.h"
#include "table/index_new.h"
#include "table/material.h"
#include "tests/lines.h"
#include "tests/proof.h"
#include "tests/slow_file.h"
#include "tests/solved.h"

#define SAMPLE    1500 /* numbers of a table, both sides to move */
#define NODES_MAX 1e6  /* of the slow solver, a line */

/* == Lines of the list == */

/* The oracle of a line: one of the two is set. */
static struct {
    struct ref_table *slow;
    struct solved *fast;
} oracle;

/* Returns the nodes of the slow solver: placements of all tables, with either side to move. */
static double nodes_of(const struct line *l, size_t tables)
{
    double nodes = 2 * (double)tables;

    for (unsigned i = bk_material_men(&l->m, l->v); i--;)
        nodes *= bk_bits_count(&l->v->board);
    return nodes;
}

/* Sets `oracle` to a solver for the line; tables: the number it has to solve. */
static void find_oracle(struct line *l, size_t tables)
{
    const struct solved_options o = { .distances = true, .zeroing = l->counts };

    if (nodes_of(l, tables) > NODES_MAX)
        oracle.fast = solved_new(l->v, &o);
    else if (l->counts)
        oracle.slow =
            ref_solve_nmove(l->v, (const uint8_t(*)[BK_TYPES_MAX])l->m.count, (uint64_t)NODES_MAX);
    else
        oracle.slow = ref_solve(l->v, (const uint8_t(*)[BK_TYPES_MAX])l->m.count,
                                (const uint8_t(*)[BK_TYPES_MAX])l->m.left, 0);
}

static void forget_oracle(void)
{
    ref_free(oracle.slow);
    if (oracle.fast)
        solved_free(oracle.fast);
    oracle.slow = NULL;
    oracle.fast = NULL;
}

/* Sets `out` to the table of a line and all that it leads to; returns how many.  *out owned. */
static size_t all_tables_of(const struct line *l, struct bk_material **out)
{
    struct bk_report why;
    size_t n;

    if (bk_materials_needed(out, &n, &l->m, l->v, &why))
        fail_msg("%s", why.text);
    return n;
}

/* As all_tables_of(), but returns how many of them have files: one if it answers alone. */
static size_t tables_of(const struct line *l, struct bk_material **out)
{
    size_t n = all_tables_of(l, out);

    return l->alone ? 1 : n;
}

static char *path_of(const struct line *l, const struct bk_material *m, enum bk_kind kind,
                     char out[PATH_MAX])
{
    return bk_table_path(out, l->folder, l->v, m, kind);
}

static uint64_t step_of(uint64_t numbers, uint64_t sample)
{
    return getenv("GOLDEN_ALL") ? 1 : numbers / sample | 1;
}

/* == Values == */

/* Sets `out` to the oracle's value of a position; false: it is illegal. */
static bool right_value(const struct line *l, const struct bk_pos *p, struct ref_value *out)
{
    struct solved_value value;

    if (oracle.slow) {
        struct ref_pos r = proof_ref(l->v, p);

        return ref_value(oracle.slow, &r, out);
    }
    value = solved_value_of(oracle.fast, p);
    out->wdl = (int8_t)value.wdl;
    out->dtw = (uint16_t)(!value.wdl ? 0 : l->counts ? value.k : 2 * value.k + (value.wdl > 0));
    return value.legal;
}

static void compare_position(struct line *l, const struct bk_pos *p)
{
    struct ref_value value;
    struct bk_answer a;
    char fen[BK_FEN_MAX];
    bool legal = right_value(l, p, &value);
    enum bk_lib_err err = bk_probe_fen(l->lib, bk_pos_to_fen(p, l->v, fen), &a);

    if (err != (legal ? BK_LIB_OK : BK_LIB_ILLEGAL))
        fail_msg("%s %s: %s", l->set, fen, bk_error(l->lib));
    if (legal && l->counts) {
        if (a.wdl != value.wdl || (!a.end && a.dtw >= 0) ||
            a.wdl5 != value.wdl * (value.dtw <= bk_rules_nmove(l->v) ? 2 : 1) ||
            (value.wdl && a.dtz != value.dtw))
            fail_msg("%s %s: %+d, %+d to zeroing in %d, not %+d in %d", l->set, fen, a.wdl, a.wdl5,
                     a.dtz, value.wdl, value.dtw);
        return;
    }
    if (legal && !proof_same(&a, &value, l->distances))
        fail_msg("%s %s: %+d in %d, not %+d in %d", l->set, fen, a.wdl, a.dtw, value.wdl,
                 value.dtw);
}

static void compare_table(struct line *l, const struct bk_material *m)
{
    struct bk_index *ix;
    struct bk_report why;
    uint64_t step;

    if (bk_index_new(&ix, l->v, m, NULL, &why))
        fail_msg("%s", why.text);
    step = step_of(ix->positions, SAMPLE);
    for (uint64_t n = 0; n < ix->positions; n += step)
        for (unsigned side = 0; side < 2; side++) {
            struct bk_placement at;
            struct bk_pos p;

            bk_index_unrank(ix, n, &at);
            if (bk_index_position(ix, &at, side, &p))
                compare_position(l, &p);
        }
    bk_index_free(ix);
}

static void compare_line(struct line *l)
{
    struct bk_material *m;
    size_t n = all_tables_of(l, &m);

    if (getenv("GOLDEN_TIMES"))
        print_message("%5.1f s  %s %s %s\n", (double)clock() / CLOCKS_PER_SEC, l->set, l->game,
                      l->what);
    find_oracle(l, n);
    for (size_t i = 0; i < (l->alone ? 1 : n); i++)
        compare_table(l, &m[i]);
    forget_oracle();
    free(m);
}

static void golden__files_say_what_the_slow_solver_says(void **state)
{
    (void)state;
    assert_true(lines_each(compare_line) > 0);
}

/* == Files == */

static unsigned opened;

/* Fails unless the head is as the set says, every checksum right, and a second reader agrees. */
static void open_file(const struct line *l, const struct bk_material *m, enum bk_kind kind)
{
    char path[PATH_MAX], text[200];
    struct slow_file *slow = slow_file_open(path_of(l, m, kind, path), l->v, text);
    struct bk_report why;
    struct bk_file *f;

    if (!slow)
        fail_msg("%s: %s", path, text);
    if (bk_file_open(&f, path, l->v, &why) || bk_file_check(f, &why))
        fail_msg("%s", why.text);
    assert_int_equal(bk_file_info(f)->kind, kind);
    assert_int_equal(bk_file_info(f)->standalone, l->alone);
    assert_int_equal(bk_file_info(f)->distances, l->distances || l->counts);
    assert_int_equal(bk_file_info(f)->one_side, slow_file_one_side(slow));
    for (unsigned side = 0; side < (bk_file_info(f)->one_side ? 1 : 2); side++)
        for (uint64_t n = 0, all = bk_file_info(f)->positions; n < all; n += step_of(all, 200)) {
            struct bk_placement at;
            struct bk_pos p;
            unsigned value;

            bk_index_unrank(bk_file_index(f), n, &at);
            if (!bk_index_position(bk_file_index(f), &at, side, &p))
                continue;
            assert_int_equal(bk_file_value(f, side, n, &at, &value, &why), BK_OK);
            assert_int_equal(value, slow_file_value(slow, side, n));
        }
    bk_file_close(f);
    slow_file_close(slow);
}

static void open_files(struct line *l)
{
    struct bk_material *m;
    size_t n = tables_of(l, &m);

    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < lines_kinds(l); k++)
            open_file(l, &m[i], lines_first_kind(l) + k);
    free(m);
}

static void golden__two_readers_agree(void **state)
{
    (void)state;
    assert_true(lines_each(open_files) > 0);
}

/* == The list == */

static char seen[1024][PATH_MAX]; /* files that lines of the list speak of */
static unsigned nseen;

static bool is_seen(const char *path)
{
    for (unsigned i = 0; i < nseen; i++)
        if (!strcmp(seen[i], path))
            return true;
    return false;
}

static void see_files(struct line *l)
{
    struct bk_material *m;
    size_t n = tables_of(l, &m);

    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < lines_kinds(l); k++) {
            char path[PATH_MAX];

            path_of(l, &m[i], lines_first_kind(l) + k, path);
            if (!is_seen(path))
                snprintf(seen[nseen++], sizeof *seen, "%s", path);
        }
    free(m);
}

static int must_be_seen(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)ftw;
    if (type != FTW_F || !strcmp(path, GOLDEN "/list"))
        return 0;
    if (!is_seen(path))
        fail_msg("no line of the list speaks of %s", path);
    opened++;
    return 0;
}

static void golden__no_file_is_there_that_is_not_read(void **state)
{
    (void)state;
    opened = nseen = 0;
    lines_each(see_files);
    nftw(GOLDEN, must_be_seen, 8, FTW_PHYS);
    assert_int_equal(opened, nseen);
}

static bool has_line[64]; /* by embedded game */

static void see_game(struct line *l)
{
    for (unsigned i = 0; bk_embedded_variants[i].name; i++)
        if (!strcmp(bk_embedded_variants[i].name, l->game))
            has_line[i] = true;
}

/* Where drops are turns, all men come back for ever: nothing but two kings is a table. */
static bool may_have_tables(const char *name)
{
    struct bk_report why = { "" };
    struct bk_variant *v;
    bool may;

    if (bk_variant_load(&v, name, &why))
        fail_msg("%s", why.text);
    may = !bk_rules_drops_are_turns(v);
    bk_variant_free(v);
    return may;
}

static void golden__every_game_has_files(void **state)
{
    (void)state;
    lines_each(see_game);
    for (unsigned i = 0; bk_embedded_variants[i].name; i++)
        if (!has_line[i] && may_have_tables(bk_embedded_variants[i].name))
            fail_msg("no line of the list is of %s", bk_embedded_variants[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden__files_say_what_the_slow_solver_says),
        cmocka_unit_test(golden__two_readers_agree),
        cmocka_unit_test(golden__no_file_is_there_that_is_not_read),
        cmocka_unit_test(golden__every_game_has_files),
    };

    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
