/*
 * test_about.c - what the library says is there: games, tables, files that are lost.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/load.h"
#include "probe/bareking.h"
#include "tests/handle.h"
#include "tests/lines.h"

/* == Games and tables == */

/* Returns the number of a game's rules. */
static uint64_t lib_rules(const char *game)
{
    struct bk_lib *lib = lib_of(game, NULL);
    struct bk_lib_game g = { .struct_size = sizeof g };

    assert_int_equal(bk_game_of(lib, &g), BK_LIB_OK);
    bk_close(lib);
    return g.rules;
}

static void about__says_game_and_tables(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");
    struct bk_lib_game g = { .struct_size = sizeof g };
    struct bk_lib_table *t;
    size_t n, missing;

    (void)state;
    assert_int_equal(bk_game_of(lib, &g), BK_LIB_OK);
    assert_int_equal(g.squares, 64);
    assert_int_equal(g.types, 6);
    assert_int_equal(g.piece[0].letter, 'K');
    assert_int_equal(g.piece[0].royal, 1);
    assert_true(g.rules == lib_rules("src/variants/chess.ini"));
    assert_true(g.rules != lib_rules("shatranj"));
    assert_int_equal(bk_list_tables(lib, NULL, 0, &n), BK_LIB_OK);
    assert_true(n > 0);
    t = calloc(n, sizeof *t);
    assert_int_equal(bk_list_tables(lib, t, n, &n), BK_LIB_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(bk_has(lib, t[i].material), t[i].has);
        assert_true(t[i].bytes > 0);
    }
    assert_int_equal(bk_men_max(lib), t[n - 1].men);
    assert_int_equal(bk_has(lib, "KvKR"), bk_has(lib, "KRvK"));
    assert_int_equal(bk_has(lib, "nonsense"), 0);
    assert_int_equal(bk_list_missing(lib, "KRvK", NULL, 0, &missing), BK_LIB_OK);
    assert_int_equal(missing, 0);
    assert_int_equal(bk_list_missing(lib, "KQQvKQ", t, n, &missing), BK_LIB_OK);
    assert_true(missing > 0);
    free(t);
    bk_close(lib);
}

static void about__names_every_built_in_game(void **state)
{
    size_t n = 0;

    (void)state;
    for (; bk_game_name(n); n++) {
        struct bk_lib *lib = lib_of(bk_game_name(n), NULL);

        assert_string_equal(bk_embedded_variants[n].name, bk_game_name(n));
        bk_close(lib);
    }
    assert_null(bk_embedded_variants[n].name);
    assert_null(bk_game_name(n + 1));
}

/* With a host, this machine's folders of the same names are not listed. */
static void about__lists_nothing_of_a_host(void **state)
{
    unsigned asked = 0;
    const struct bk_host host = no_host(&asked);
    const struct bk_options o = { .struct_size = sizeof o,
                                  .paths = GOLDEN "/normal",
                                  .host = &host };
    struct bk_lib *lib = lib_with("chess", &o);
    size_t n = 7;

    (void)state;
    assert_int_equal(bk_list_tables(lib, NULL, 0, &n), BK_LIB_OK);
    assert_int_equal(n, 0);
    assert_int_equal(bk_men_max(lib), 0);
    bk_close(lib);
}

/* == Files that are lost == */

/* Makes or removes a folder of two tables: KRvK, a link to results whose distances are lost, and
   KQvK, of which only an empty file is left. */
static void with_a_lost_file(const char *dir, bool make)
{
    char cwd[PATH_MAX - 64], real[PATH_MAX], path[PATH_MAX];
    FILE *f;

    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(make ? mkdir(path, 0700) : 0, 0);
    assert_non_null(getcwd(cwd, sizeof cwd));
    snprintf(real, sizeof real, "%s/" GOLDEN "/normal/chess/KRvK.bkw", cwd);
    snprintf(path, sizeof path, "%s/chess/KRvK.bkw", dir);
    assert_int_equal(make ? symlink(real, path) : unlink(path), 0);
    snprintf(path, sizeof path, "%s/chess/KQvK.bkw", dir);
    if (!make)
        assert_int_equal(unlink(path), 0);
    else if ((f = fopen(path, "w")) != NULL)
        fclose(f);
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(make ? 0 : rmdir(path), 0);
}

static int has_listed(struct bk_lib *lib, const char *material)
{
    struct bk_lib_table t[64];
    size_t n;

    if (bk_list_tables(lib, t, 64, &n))
        fail_msg("%s", bk_error(lib));
    for (size_t i = 0; i < n; i++)
        if (!strcmp(t[i].material, material))
            return t[i].has;
    return 0;
}

static void about__tells_lost_distances_from_none(void **state)
{
    char dir[] = "/tmp/bareking-lost-XXXXXX", paths[128];
    struct bk_lib *lost, *none = lib_of("chess", GOLDEN "/wdl"), *both;
    struct bk_lib_table t;
    size_t n;

    (void)state;
    assert_non_null(mkdtemp(dir));
    with_a_lost_file(dir, true);
    lost = lib_of("chess", dir);
    assert_int_equal(has_listed(lost, "KRvK"), BK_LIB_HAS_WDL | BK_LIB_LOST_DTW);
    assert_int_equal(bk_has(lost, "KRvK"), BK_LIB_HAS_WDL);
    assert_int_equal(has_listed(lost, "KQvK"), BK_LIB_HAS_WDL); /* as bk_has() has it */
    assert_int_equal(bk_has(lost, "KQvK"), BK_LIB_HAS_WDL);
    assert_int_equal(bk_list_tables(none, &t, 1, &n), BK_LIB_OK);
    assert_true(n > 0);
    assert_int_equal(t.has, BK_LIB_HAS_WDL);
    assert_int_equal(bk_list_missing(none, "KNvK", &t, 1, &n), BK_LIB_OK);
    assert_int_equal(n, 1); /* results without distances are half of a table */
    assert_string_equal(t.material, "KNvK");
    assert_int_equal(t.has, BK_LIB_HAS_WDL);
    snprintf(paths, sizeof paths, "%s:" GOLDEN "/normal", dir); /* the second answers */
    both = lib_of("chess", paths);
    assert_int_equal(has_listed(both, "KRvK"), BK_LIB_HAS_WDL | BK_LIB_HAS_DTW);
    bk_close(lost);
    bk_close(none);
    bk_close(both);
    with_a_lost_file(dir, false);
    assert_int_equal(rmdir(dir), 0);
}

/* Makes or removes links to golden tables of chess, except those of KQvK. */
static void without_queens(const char *dir, bool make)
{
    static const char *const names[] = { "KPvK", "KRvK", "KBvK", "KNvK" };
    char cwd[PATH_MAX - 64], real[PATH_MAX], path[PATH_MAX];

    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(make ? mkdir(path, 0700) : 0, 0);
    assert_non_null(getcwd(cwd, sizeof cwd));
    for (unsigned i = 0; i < 8; i++) {
        const char *kind = i & 1 ? "bkd" : "bkw";

        snprintf(real, sizeof real, "%s/" GOLDEN "/normal/chess/%s.%s", cwd, names[i / 2], kind);
        snprintf(path, sizeof path, "%s/chess/%s.%s", dir, names[i / 2], kind);
        assert_int_equal(make ? symlink(real, path) : unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(make ? 0 : rmdir(path), 0);
}

/* A result is told without its distance where distances are lost, not where a table is missing:
   that is an error. */
static void about__tells_a_missing_table_from_lost_distances(void **state)
{
    char dir[] = "/tmp/bareking-queens-XXXXXX";
    unsigned known = 0, missing = 0;
    struct bk_lib *lib;

    (void)state;
    assert_non_null(mkdtemp(dir));
    without_queens(dir, true);
    lib = lib_of("chess", dir);
    for (unsigned i = 0; i < 64 * 64; i++) { /* a pawn one step before the end */
        struct bk_lib_piece men[] = { { 'K', 0, (uint8_t)(i % 64) },
                                      { 'P', 0, 50 },
                                      { 'K', 1, (uint8_t)(i / 64) } };
        struct bk_lib_pos p = { .men = men, .n = 3 };
        struct bk_answer a;
        enum bk_lib_err err = bk_probe(lib, &p, 0, &a);

        known += !err && a.wdl;
        missing += err == BK_LIB_NO_TABLE;
        assert_true(err || !a.wdl || a.dtw >= 0);
    }
    assert_true(missing > 100);
    print_message("%u known, %u not\n", known, missing);
    bk_close(lib);
    without_queens(dir, false);
    assert_int_equal(rmdir(dir), 0);
}

/* Distances are found in another folder than their results, whatever build made them. */
static void about__distances_may_lie_apart_from_their_results(void **state)
{
    char dir[] = "/tmp/bareking-apart-XXXXXX", cwd[PATH_MAX - 64], real[PATH_MAX], path[64];
    char paths[128];
    struct bk_lib *lib;
    struct bk_lib_table t;
    size_t n;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_non_null(getcwd(cwd, sizeof cwd));
    snprintf(real, sizeof real, "%s/" GOLDEN "/normal/chess/KNvK.bkd", cwd);
    snprintf(path, sizeof path, "%s/chess/KNvK.bkd", dir);
    assert_int_equal(symlink(real, path), 0);
    snprintf(paths, sizeof paths, "%s:" GOLDEN "/wdl", dir);
    lib = lib_of("chess", paths);
    assert_int_equal(bk_has(lib, "KNvK"), BK_LIB_HAS_WDL | BK_LIB_HAS_DTW);
    assert_int_equal(bk_list_missing(lib, "KNvK", &t, 1, &n), BK_LIB_OK);
    assert_int_equal(n, 0);
    bk_close(lib);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(about__says_game_and_tables),
        cmocka_unit_test(about__names_every_built_in_game),
        cmocka_unit_test(about__lists_nothing_of_a_host),
        cmocka_unit_test(about__tells_lost_distances_from_none),
        cmocka_unit_test(about__tells_a_missing_table_from_lost_distances),
        cmocka_unit_test(about__distances_may_lie_apart_from_their_results),
    };

    return cmocka_run_group_tests_name("about", tests, NULL, NULL);
}
