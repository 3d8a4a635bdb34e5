/*
 * test_several.c - tables that several processes make together, without MPI (processes.h): whoever
 * goes on from a checkpoint, and however many they are, files have the bytes of one process's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/load.h"
#include "tb/make/build.h"
#include "tb/memory/ranks.h"
#include "tests/files.h"
#include "tests/processes.h"
#include "tests/proof.h"

enum { ENDED = 5 }; /* the status of a build that ended with a checkpoint */

struct way {
    const char *game, *material;
    bool distances, compact;
    unsigned every; /* calls of progress, after which a build ends */
    bool last;      /* this table alone, those that it leads to being there */
    bool zeroing;   /* files by the n-move rule */
};

/* What processes are to build; set before they begin. */
static const struct way *way;
static const char *dir;
static unsigned every; /* 0: they do not end */

static volatile int finish;
static unsigned told;
static bool noted;

static void end_soon(void *context, const struct bk_plan_table *t, const struct bk_progress *p)
{
    (void)context;
    (void)t;
    (void)p;
    finish = every && ++told % every == 0;
}

/* A checkpoint that cannot be used, or written. */
static void complain(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "rank %u: %s\n", rank, text);
    noted = true;
}

static void build(void)
{
    const struct bk_build_options o = { .effort = BK_EFFORT_FAST,
                                        .frugal = way->compact,
                                        .progress = end_soon,
                                        .note = complain,
                                        .checkpoint_seconds = 1000,
                                        .finish = &finish };
    struct bk_report why = { "" };
    struct bk_variant *v;
    struct bk_material m;
    struct bk_plan *plan;
    enum bk_err err;
    char ini[32];

    processes_begin();
    snprintf(ini, sizeof ini, "tests/%s.ini", way->game);
    CHECK(!bk_variant_load(&v, ini, &why));
    CHECK(!bk_material_parse(&m, v, way->material, &why));
    CHECK(!bk_plan_new(&plan, v, dir, &m, 1, 0, way->distances, &why));
    CHECK(!way->zeroing || !bk_plan_to_zeroing(plan, false, &why));
    err = bk_build(plan, &o, &why);
    bk_plan_free(plan);
    bk_variant_free(v);
    if (err && !strstr(why.text, "interrupted"))
        fprintf(stderr, "rank %u: %s\n", rank, why.text);
    CHECK(!noted && (!err || strstr(why.text, "interrupted")));
    _exit(err ? ENDED : 0);
}

/* Builds in n processes.  Returns whether they are done; each must say the same. */
static bool built_by(unsigned n)
{
    int status[PROCESSES_MOST];

    processes_run(n, build, status);
    for (unsigned r = 0; r < n; r++)
        assert_int_equal(status[r], status[0]);
    assert_true(status[0] == 0 || status[0] == ENDED);
    return !status[0];
}

/* Writes the path of the way's table in a folder to `out`. */
static const char *table_path(char out[PROOF_DIR_MAX + 64], const char *folder, int kind)
{
    snprintf(out, PROOF_DIR_MAX + 64, "%s/%s/%s.bk%c", folder, way->game, way->material,
             way->zeroing ? "5z"[kind] : "wd"[kind]);
    return out;
}

/* Makes all tables in the folder by one process, and removes the way's. */
static void build_all_but_last(void)
{
    char path[PROOF_DIR_MAX + 64];

    every = 0;
    assert_true(built_by(1));
    for (int kind = 0; kind < (way->distances ? 2 : 1); kind++)
        assert_int_equal(unlink(table_path(path, dir, kind)), 0);
}

static void same_table(const char *one, const char *other)
{
    for (int kind = 0; kind < (way->distances ? 2 : 1); kind++) {
        char a[PROOF_DIR_MAX + 64], b[PROOF_DIR_MAX + 64];

        same_bytes(table_path(a, one, kind), table_path(b, other, kind));
    }
}

static void several__go_on_however_many_they_are(void **state)
{
    static const struct way ways[] = {
        { "six", "KRvKN", true, false, 10, false, false },
        { "six", "KRvKN", false, false, 10, false, false },
        { "six", "KRvKN", false, true, 10, false, false },
        { "six", "KNvKP", false, true, 100, false, false },
        { "late", "KNPvK", true, false, 10, false, false },
        { "late", "KNPvK", false, true, 10, false, false },
        { "six", "KRvKN", true, false, 10, false, true },
        { "six", "KNvKP", true, false, 30, false, true },
        { "long", "KGAvKX", true, false, 210, true, false }, /* 648 plies */
    };
    static const unsigned processes[] = { 2, 3, 1, 3, 2 };

    (void)state;
    setenv("BAREKING_SHARED_FROM", "1", 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char whole[PROOF_DIR_MAX], parts[PROOF_DIR_MAX];
        unsigned runs = 0;

        way = &ways[i];
        dir = proof_folder(whole);
        every = 0;
        assert_true(built_by(1));
        dir = proof_folder(parts);
        if (way->last)
            build_all_but_last();
        every = way->every;
        while (!built_by(processes[runs++ % 5]))
            assert_true(runs < 100);
        print_message("%s of %s: %u runs\n", way->material, way->game, runs);
        assert_true(runs > 2);
        same_table(whole, parts);
        proof_remove(whole);
        proof_remove(parts);
    }
}

/* == Counted to zeroing == */

static const char *sums; /* a file: what the first process has counted */

static void put_sums(void *context, const struct bk_built *b)
{
    FILE *f = rank ? NULL : fopen(sums, "a");

    (void)context;
    if (f) {
        fwrite(&b->summary, sizeof b->summary, 1, f);
        fclose(f);
    }
}

static void count_to_zeroing(void)
{
    const struct bk_build_options o = { .counts_alone = true, .built = put_sums };
    struct bk_report why = { "" };
    struct bk_variant *v;
    struct bk_material m;
    struct bk_plan *plan;
    enum bk_err err;

    processes_begin();
    CHECK(!bk_variant_load(&v, "tests/six.ini", &why));
    CHECK(!bk_material_parse(&m, v, "KRPvKN", &why));
    CHECK(!bk_plan_new(&plan, v, dir, &m, 1, 0, true, &why));
    CHECK(!bk_plan_to_zeroing(plan, false, &why));
    err = bk_build(plan, &o, &why);
    if (err)
        fprintf(stderr, "rank %u: %s\n", rank, why.text);
    bk_plan_free(plan);
    bk_variant_free(v);
    _exit(err != BK_OK);
}

static void several__count_the_same_to_zeroing(void **state)
{
    char folder[PROOF_DIR_MAX], one[PROOF_DIR_MAX + 16], other[PROOF_DIR_MAX + 16];

    (void)state;
    setenv("BAREKING_SHARED_FROM", "1", 1);
    dir = proof_folder(folder);
    for (unsigned n = 1; n <= 3; n++) {
        int status[PROCESSES_MOST];

        snprintf(n == 1 ? one : other, sizeof one, "%s/%u", folder, n);
        sums = n == 1 ? one : other;
        processes_run(n, count_to_zeroing, status);
        for (unsigned r = 0; r < n; r++)
            assert_int_equal(status[r], 0);
        if (n > 1)
            same_bytes(one, other);
    }
    proof_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several__count_the_same_to_zeroing),
        cmocka_unit_test(several__go_on_however_many_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
