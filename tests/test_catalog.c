/*
 * test_catalog.c - which files answer a material (src/table/catalog.h), for threads that must not
 * read (bk_cache_only()): they go by what others have looked for, and look at nothing.
 *
 * Tables are those of tests/golden, in folders of which some are missing.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "core/load.h"
#include "core/position.h"
#include "table/cache.h"
#include "table/catalog.h"
#include "table/listing.h"
#include "tests/files.h"
#include "tests/proof.h"

#define KPVK "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1"
#define KQVK "8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1"
#define KRVK "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"

/* A catalogue of some tables of chess. */
struct few {
    char folder[PROOF_DIR_MAX];
    struct bk_variant *v;
    struct bk_cache *cache;
    struct bk_catalog *c;
};

/* files: names of files of tests/golden/normal/chess, up to NULL. */
static struct few few_of(const char *const *files)
{
    struct few f;
    char from[PATH_MAX], to[PATH_MAX];

    snprintf(to, sizeof to, "%s/chess", proof_folder(f.folder));
    assert_int_equal(mkdir(to, 0777), 0);
    for (; *files; files++) {
        uint8_t *data;
        size_t n;

        snprintf(from, sizeof from, "tests/golden/normal/chess/%s", *files);
        snprintf(to, sizeof to, "%s/chess/%s", f.folder, *files);
        data = slurp(from, &n);
        spill(to, data, n);
        free(data);
    }
    assert_int_equal(bk_variant_load(&f.v, "chess", NULL), BK_OK);
    assert_int_equal(bk_cache_new(&f.cache, BK_CACHE_BYTES, 0, NULL), BK_OK);
    assert_int_equal(bk_catalog_new_in(&f.c, f.cache, f.v, f.folder, NULL), BK_OK);
    return f;
}

static void few_free(struct few *f)
{
    bk_catalog_free(f->c);
    bk_cache_drop(f->cache);
    bk_variant_free(f->v);
    proof_remove(f->folder);
}

static struct bk_pos position(const struct few *f, const char *fen)
{
    struct bk_pos p;

    assert_int_equal(bk_pos_from_fen(&p, f->v, fen, NULL), BK_OK);
    return p;
}

/* Asks for the table of a position, as a thread that must not read, or as another. */
static enum bk_err table(const struct few *f, const char *fen, bool only)
{
    struct bk_pos p = position(f, fen);
    bool was = bk_cache_only(only);
    unsigned visit = bk_visit_begin(f->cache);
    const struct bk_table *t;
    enum bk_err err = bk_catalog_table(f->c, &p, &t, NULL);

    bk_visit_end(f->cache, visit);
    assert_int_equal(bk_cache_only(was), only);
    return err;
}

/* Fails unless the tables missing for a position are named as `names`, which follows "no". */
static void names(const struct few *f, const char *fen, bool only, const char *names)
{
    struct bk_pos p = position(f, fen);
    struct bk_report why = { "" };
    const char *in = strchr(names, ';');
    int first = in ? (int)(in - names) : (int)strlen(names);
    char expected[512];

    snprintf(expected, sizeof expected, "no %.*s of chess in %s%s", first, names, f->folder,
             in ? in : "");
    bk_cache_only(only);
    assert_int_equal(bk_catalog_missing(f->c, &p, &why), BK_E_NO_TABLE);
    bk_cache_only(false);
    assert_string_equal(why.text, expected);
}

static bool lacks_distances(const struct few *f, const char *fen, bool only)
{
    struct bk_pos p = position(f, fen);
    bool lacks;

    bk_cache_only(only);
    lacks = bk_catalog_lacks_distances(f->c, &p);
    bk_cache_only(false);
    return lacks;
}

/* What nobody has looked for is not in memory; what was looked for in vain is known not to be. */
static void catalog__without_reading_knows_what_others_looked_for(void **state)
{
    struct few f = few_of((const char *const[]){ "KPvK.bkw", "KPvK.bkd", NULL });

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(table(&f, KPVK, true), BK_E_NOT_CACHED);
        assert_int_equal(table(&f, KQVK, true), BK_E_NOT_CACHED);
    }
    assert_int_equal(table(&f, KPVK, false), BK_OK);
    assert_int_equal(table(&f, KQVK, false), BK_E_NO_TABLE);
    assert_int_equal(table(&f, KPVK, true), BK_OK);
    assert_int_equal(table(&f, KQVK, true), BK_E_NO_TABLE);
    assert_int_equal(table(&f, KRVK, true), BK_E_NOT_CACHED);
    few_free(&f);
}

/* An open table that had to make room is no longer in memory, until somebody opens it again. */
static void catalog__without_reading_opens_nothing_again(void **state)
{
    struct few f = few_of((const char *const[]){ "KQvK.bkw", NULL });

    (void)state;
    assert_int_equal(table(&f, KQVK, false), BK_OK);
    bk_cache_set_bytes(f.cache, 1);
    bk_cache_settle(f.cache);
    bk_cache_set_bytes(f.cache, BK_CACHE_BYTES);
    assert_int_equal(table(&f, KQVK, true), BK_E_NOT_CACHED);
    assert_int_equal(table(&f, KQVK, false), BK_OK);
    assert_int_equal(table(&f, KQVK, true), BK_OK);
    few_free(&f);
}

/* A thread that must not read names the tables that were looked for in vain; that answer is not
   given to those who may look.  What these have found it says, too. */
static void catalog__without_reading_names_what_was_looked_for_in_vain(void **state)
{
    struct few f = few_of((const char *const[]){ "KPvK.bkw", "KPvK.bkd", "KBvK.bkw", NULL });

    (void)state;
    assert_int_equal(table(&f, KPVK, false), BK_OK);
    assert_int_equal(table(&f, KRVK, false), BK_E_NO_TABLE);
    names(&f, KPVK, true, "table KRvK");
    names(&f, KPVK, true, "table KRvK");
    names(&f, KPVK, false, "table KQvK; also missing: KRvK, KNvK");
    names(&f, KPVK, true, "table KQvK; also missing: KRvK, KNvK");
    names(&f, KPVK, false, "table KQvK; also missing: KRvK, KNvK");
    few_free(&f);
}

/* Where no table was looked for in vain, distances may be. */
static void catalog__without_reading_names_distances(void **state)
{
    struct few f = few_of((const char *const[]){ "KPvK.bkw", "KQvK.bkw", "KQvK.bkd", "KRvK.bkw",
                                                 "KBvK.bkw", "KNvK.bkw", NULL });

    (void)state;
    assert_int_equal(table(&f, KRVK, false), BK_OK);
    assert_int_equal(table(&f, KPVK, false), BK_OK);
    names(&f, KPVK, true, "distances of KPvK; also missing: KRvK (distances)");
    names(&f, KPVK, false,
          "distances of KPvK; also missing: KRvK (distances), KBvK (distances), KNvK (distances)");
    few_free(&f);
}

/* Distances alone are missing as far as a thread knows that must not look; who may look knows
   better, and remembers it apart. */
static void catalog__without_reading_lacks_distances_as_far_as_it_knows(void **state)
{
    struct few f = few_of((const char *const[]){ "KPvK.bkw", "KQvK.bkw", "KQvK.bkd", NULL });

    (void)state;
    assert_int_equal(table(&f, KQVK, false), BK_OK);
    assert_false(lacks_distances(&f, KQVK, true));
    assert_int_equal(table(&f, KPVK, false), BK_OK);
    assert_true(lacks_distances(&f, KPVK, true));
    assert_false(lacks_distances(&f, KPVK, false)); /* KRvK is not there at all */
    assert_false(lacks_distances(&f, KPVK, false));
    few_free(&f);

    f = few_of((const char *const[]){ "KPvK.bkw", "KQvK.bkw", "KQvK.bkd", NULL });
    assert_int_equal(table(&f, KPVK, false), BK_OK);
    assert_int_equal(table(&f, KRVK, false), BK_E_NO_TABLE);
    assert_false(lacks_distances(&f, KPVK, true));
    few_free(&f);
}

/* Files that nobody has looked for may be there, and are not looked for. */
static void catalog__without_reading_has_what_may_be_there(void **state)
{
    struct few f = few_of((const char *const[]){ "KQvK.bkw", "KQvK.bkd", "KPvK.bkw", NULL });
    static const struct {
        const char *fen, *material;
        unsigned unseen, seen; /* what it has before somebody has looked for it, and after */
    } row[] = {
        { KQVK, "KQvK", BK_HAS_WDL | BK_HAS_DTW, BK_HAS_WDL | BK_HAS_DTW },
        { KPVK, "KPvK", BK_HAS_WDL | BK_HAS_DTW, BK_HAS_WDL },
        { KRVK, "KRvK", BK_HAS_WDL | BK_HAS_DTW, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_material m;
        bool unsure;

        assert_int_equal(bk_material_parse(&m, f.v, row[i].material, NULL), BK_OK);
        bk_cache_only(true);
        assert_int_equal(bk_catalog_has(f.c, &m, &unsure), row[i].unseen);
        bk_cache_only(false);
        assert_int_equal(bk_catalog_has(f.c, &m, &unsure), row[i].seen);
        table(&f, row[i].fen, false);
        bk_cache_only(true);
        assert_int_equal(bk_catalog_has(f.c, &m, &unsure), row[i].seen);
        bk_cache_only(false);
        assert_false(unsure);
    }
    few_free(&f);
}

/* == Several folders == */

/* Which of a table's files a list of folders is asked to find, by both catalogue and listing. */
static void has_in(const struct few *f, const char *paths, const char *fen, const char *material,
                   unsigned has)
{
    struct bk_pos p = position(f, fen);
    const struct bk_table *t;
    struct bk_listed *list;
    struct bk_catalog *c;
    struct bk_material m;
    enum bk_err err;
    size_t n, i = 0;
    bool unsure;

    assert_int_equal(bk_material_parse(&m, f->v, material, NULL), BK_OK);
    assert_int_equal(bk_catalog_new(&c, f->v, paths, NULL), BK_OK);
    assert_int_equal(bk_catalog_has(c, &m, &unsure), has);
    err = bk_catalog_table(c, &p, &t, NULL);
    assert_int_equal(err, has ? BK_OK : BK_E_NO_TABLE);
    if (has)
        assert_int_equal(t->dtw != NULL, has >> 1 & 1);
    assert_int_equal(bk_catalog_lacks_distances(c, &p), has == BK_HAS_WDL);
    bk_catalog_free(c);

    assert_int_equal(bk_listing(&list, &n, f->v, paths, true, NULL), BK_OK);
    while (i < n && strcmp(list[i].name, material))
        i++;
    assert_int_equal(i < n, has != 0);
    if (has) {
        assert_int_equal(list[i].distances, has >> 1 & 1);
        assert_int_equal(list[i].dtw_bytes != 0, has >> 1 & 1);
        assert_int_equal(list[i].lost, has == BK_HAS_WDL);
    }
    free(list);
}

/* Users of other tables keep results in one folder and distances in another, and name both. */
static void catalog__finds_results_and_distances_in_two_folders(void **state)
{
    const unsigned both = BK_HAS_WDL | BK_HAS_DTW;
    struct few w = few_of((const char *const[]){ "KQvK.bkw", "KRvK.bkw", NULL });
    struct few d = few_of((const char *const[]){ "KQvK.bkd", NULL });
    struct few whole = few_of((const char *const[]){ "KRvK.bkw", "KRvK.bkd", NULL });
    struct few none = few_of((const char *const[]){ NULL });
    const struct {
        const struct few *folder[3];
        unsigned queen, rook;
    } row[] = {
        { { &w, &d, &none }, both, BK_HAS_WDL }, { { &d, &w, &none }, both, BK_HAS_WDL },
        { { &none, &w, &d }, both, BK_HAS_WDL }, { { &d, &none, &w }, both, BK_HAS_WDL },
        { { &w, &d, &whole }, both, both },      { { &whole, &d, &w }, both, both },
        { { &d, &none, &none }, 0, 0 },          { { &w, &none, &none }, BK_HAS_WDL, BK_HAS_WDL },
        { { &d, &whole, &none }, 0, both },
    };
    char paths[3 * PROOF_DIR_MAX + 3];

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        snprintf(paths, sizeof paths, "%s:%s:%s", row[i].folder[0]->folder,
                 row[i].folder[1]->folder, row[i].folder[2]->folder);
        has_in(&w, paths, KQVK, "KQvK", row[i].queen);
        has_in(&w, paths, KRVK, "KRvK", row[i].rook);
    }
    few_free(&none);
    few_free(&whole);
    few_free(&d);
    few_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(catalog__without_reading_knows_what_others_looked_for),
        cmocka_unit_test(catalog__without_reading_opens_nothing_again),
        cmocka_unit_test(catalog__without_reading_names_what_was_looked_for_in_vain),
        cmocka_unit_test(catalog__without_reading_names_distances),
        cmocka_unit_test(catalog__without_reading_lacks_distances_as_far_as_it_knows),
        cmocka_unit_test(catalog__without_reading_has_what_may_be_there),
        cmocka_unit_test(catalog__finds_results_and_distances_in_two_folders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
