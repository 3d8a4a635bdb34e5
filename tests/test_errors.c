/*
 * test_errors.c - what the library says when it has no answer, whose error that is, and where rules
 * alone answer, so that there is none.
 */
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

#include "probe/bareking.h"
#include "tests/handle.h"
#include "tests/lines.h"

/* == Folders that were meant otherwise == */

static void folders__that_are_not_there_or_not_meant_are_told_when_they_are_given(void **state)
{
    static const struct {
        const char *paths, *told;
    } cases[] = {
        { NULL, "" },
        { "", "" },
        { GOLDEN "/normal", "" },
        { GOLDEN "/normal/", "" },
        { "tests/browser", "" }, /* tables may come there */
        { "nowhere", "nowhere: no such folder" },
        { "Makefile", "Makefile: not a folder" },
        { GOLDEN "/normal/chess",
          GOLDEN "/normal/chess is a game's own folder: say the one above it" },
        { GOLDEN "/normal/chess/",
          GOLDEN "/normal/chess/ is a game's own folder: say the one above it" },
        { GOLDEN "/normal:nowhere", "nowhere: no such folder" },
        { "nowhere::Makefile/x", "nowhere: no such folder; Makefile/x: not a folder" },
    };
    struct bk_lib *kept = lib_of("chess", NULL);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bk_lib *lib = lib_of("chess", cases[i].paths);

        assert_string_equal(bk_error(lib), cases[i].told);
        assert_string_equal(bk_error(kept), "");
        assert_int_equal(bk_set_paths(kept, cases[i].paths), BK_LIB_OK);
        assert_string_equal(bk_error(kept), cases[i].told);
        assert_int_equal(bk_refresh(lib), BK_LIB_OK);
        assert_string_equal(bk_error(lib), cases[i].told);
        bk_close(lib);
    }
    bk_close(kept);
}

static void folders__above_those_that_are_meant_are_told(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN);
    struct bk_answer a;

    (void)state;
    assert_int_equal(strncmp(bk_error(lib), "tables of chess are in " GOLDEN "/", 24), 0);
    assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "no table KRvK of chess in " GOLDEN " (tables of chess"));
    bk_close(lib);
}

/* The bytes are a host's, and folders of that name on this machine are not asked. */
static void folders__of_a_host_are_not_looked_at(void **state)
{
    unsigned asked = 0;
    const struct bk_host host = {
        .struct_size = sizeof host, .context = &asked, .size = no_size, .read = no_read
    };
    const struct bk_options o = { .struct_size = sizeof o, .paths = "nowhere", .host = &host };
    struct bk_lib *lib = lib_with("chess", &o);
    struct bk_answer a;

    (void)state;
    assert_string_equal(bk_error(lib), "");
    assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib), "no table KRvK of chess in nowhere");
    bk_close(lib);
}

/* == Missing tables == */

/* After bk_probe_moves(), too, bk_error() names the missing table, and no earlier error. */
static void error__of_moves_names_what_is_missing(void **state)
{
    struct bk_lib *lib = lib_of("chess", "nowhere");
    struct bk_lib_move move[64];
    struct bk_answer a;
    size_t n = 7;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, "no FEN", &a), BK_LIB_FEN);
    assert_int_equal(bk_probe_moves(lib, KRVK, move, 64, &n), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib),
                        "no table KRvK of chess in nowhere (nowhere: no such folder)");
    assert_int_equal(n, 7);
    bk_close(lib);
}

/* For an error message, about a thousand tables are looked for, and no more for a list of moves. */
static void error__looks_for_a_thousand_tables_and_no_more(void **state)
{
    static const char *const fen = "4k3/PPP5/8/8/8/8/ppp5/4K3 w - - 0 1";
    unsigned asked = 0, before;
    const struct bk_host host = no_host(&asked);
    const struct bk_options o = { .struct_size = sizeof o, .paths = "far", .host = &host };
    struct bk_lib *lib;
    struct bk_answer a;
    size_t n, missing;

    (void)state;
    lib = lib_with("tests/twelve.ini", &o);
    assert_int_equal(bk_probe_fen(lib, fen, &a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "no table KPPPvKPPP of twelve in far; also missing: "));
    assert_string_equal(bk_error(lib) + strlen(bk_error(lib)) - 10, ", and more");
    assert_true(asked >= 1000 && asked < 1100);
    before = asked;
    assert_int_equal(bk_rank_moves_fen(lib, fen, 0, 0, NULL, 0, &n), BK_LIB_NO_TABLE);
    assert_true(n > 36);
    assert_true(asked - before < 1100); /* each move's own table, and no list for any */
    assert_int_equal(bk_list_missing(lib, "KPvKP", NULL, 0, &missing), BK_LIB_OK);
    assert_int_equal(missing, 13 * 14 / 2 + 13); /* K?vK? both ways alike, K?vK */
    assert_int_equal(bk_list_missing(lib, "KPPvKPP", NULL, 0, &missing), BK_LIB_OK);
    assert_true(missing > 4000); /* all */
    bk_close(lib);
}

/* With an en passant square two positions are probed: the value of the first is no answer. */
static void wdl__is_written_with_an_answer_alone(void **state)
{
    const char *fen = "8/8/8/3k4/3Pp3/8/8/4K3 b - d3 0 1";
    struct bk_lib *lib = lib_of("chess", "");
    int wdl = 7;

    (void)state;
    assert_int_equal(bk_probe_fen_wdl(lib, fen, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_NOT_IN_MEMORY);
    assert_int_equal(wdl, 7);
    assert_int_equal(bk_probe_fen_wdl(lib, fen, 0, &wdl), BK_LIB_NO_TABLE);
    assert_int_equal(wdl, 7);
    bk_close(lib);
}

static void files__of_a_later_version_have_an_error_of_their_own(void **state)
{
    static const char fen[] = "8/8/8/3k4/8/1KB5/8/8 w - - 0 1";
    struct bk_lib *lib = lib_of("chess", "tests/newer");
    struct bk_answer a;
    int wdl;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, fen, &a), BK_LIB_NEWER);
    assert_non_null(strstr(bk_error(lib), "KBvK.bkw: needs a newer bareking (format version 2)"));
    assert_int_equal(bk_probe_fen_wdl(lib, fen, 0, &wdl), BK_LIB_NEWER);
    bk_close(lib);
}

/* == Rules answer == */

/* Checks that rules alone say that the game is over: no table need be in memory, or undamaged. */
static void assert_over(struct bk_lib *lib, const char *fen, unsigned flags, int over)
{
    struct bk_lib_piece men[8];
    struct bk_lib_pos p;
    struct bk_answer a;
    int wdl = 7, by_fen = 7;

    assert_int_equal(bk_read_fen(lib, fen, men, 8, &p), BK_LIB_OK);
    if (bk_probe_wdl(lib, &p, flags, &wdl) || bk_probe_fen_wdl(lib, fen, flags, &by_fen) ||
        bk_probe(lib, &p, flags | BK_LIB_WDL_ONLY, &a))
        fail_msg("%s: %s", fen, bk_error(lib));
    assert_int_equal(wdl, over);
    assert_int_equal(by_fen, over);
    assert_int_equal(a.wdl, over);
    assert_int_not_equal(a.end, BK_LIB_GOES_ON);
}

static void mate_and_stalemate__need_no_table_for_wdl_either(void **state)
{
    static const char *const fens[] = { "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
                                        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1" };
    char dir[] = "/tmp/bareking-over-XXXXXX", path[64];
    FILE *f;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/chess/KQvK.bkw", dir);
    assert_non_null(f = fopen(path, "w"));
    fclose(f);
    for (int i = 0; i < 2; i++) {
        struct bk_lib *cold = lib_of("chess", GOLDEN "/normal"), *damaged = lib_of("chess", dir);

        assert_over(cold, fens[i], BK_LIB_CACHE_ONLY, i - 1);
        assert_over(damaged, fens[i], 0, i - 1);
        bk_close(cold);
        bk_close(damaged);
    }
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path) || rmdir(dir), 0);
}

/* A mate is found in a position with an en passant square, too. */
static void mate__stands_beside_an_en_passant_square(void **state)
{
    struct bk_lib *lib = lib_of("chess", "");

    (void)state;
    assert_over(lib, "R5k1/5ppp/8/8/3P4/8/8/6K1 b - d3 0 1", 0, -1);
    bk_close(lib);
}

/* == Whose error == */

/* An answer by one handle does not change the error of another. */
static void error__of_a_handle_stays_when_another_answers(void **state)
{
    struct bk_lib *chess = lib_of("chess", NULL), *shatranj = lib_of("shatranj", NULL);
    char text[512];
    int wdl;

    (void)state;
    assert_int_equal(bk_probe_fen_wdl(chess, "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1", 0, &wdl),
                     BK_LIB_NO_TABLE);
    snprintf(text, sizeof text, "%s", bk_error(chess));
    /* mate, with more men than tables have */
    assert_int_equal(bk_probe_fen_wdl(shatranj, "R5k1/R4ppp/8/8/8/8/5PPP/6K1 b - - 0 1", 0, &wdl),
                     BK_LIB_OK);
    assert_int_equal(wdl, -1);
    assert_string_equal(bk_error(chess), text);
    bk_close(chess);
    bk_close(shatranj);
}

/* The table is not in memory; the rules know the mate. */
static void error__of_a_handle_stays_when_rules_answer(void **state)
{
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal"), *other = lib_of("chess", "");
    struct bk_lib_piece men[8];
    struct bk_lib_pos mate;
    struct bk_answer a;
    int wdl;

    (void)state;
    assert_int_equal(bk_read_fen(lib, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", men, 8, &mate), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(other, "no FEN", &a), BK_LIB_FEN);
    assert_int_equal(bk_probe(lib, &mate, BK_LIB_CACHE_ONLY, &a), BK_LIB_OK);
    assert_int_equal(bk_probe_wdl(lib, &mate, BK_LIB_CACHE_ONLY, &wdl), BK_LIB_OK);
    assert_string_equal(bk_error(other), "FEN: 1 rank, the board has 8");
    assert_string_equal(bk_error(lib), "");
    bk_close(lib);
    bk_close(other);
}

static void error__of_a_closed_handle_is_no_other_s(void **state)
{
    struct bk_answer a;

    (void)state;
    for (unsigned i = 0; i < 8; i++) { /* a handle mostly has the address of the last */
        struct bk_lib *lib = lib_of("chess", "");

        assert_string_equal(bk_error(lib), "");
        assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_NO_TABLE);
        bk_close(lib);
    }
}

/* A batch first asks what is in memory: what is not there yet leaves no error. */
static void batch__that_is_answered_leaves_no_error(void **state)
{
    const char *fen = KRVK;
    struct bk_answer a;
    struct bk_lib *lib = lib_of("chess", GOLDEN "/normal");

    (void)state;
    assert_int_equal(bk_probe_batch(lib, &fen, 1, &a, NULL), BK_LIB_OK);
    assert_string_equal(bk_error(lib), "");
    assert_int_equal(bk_refresh(lib), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(lib, "no FEN", &a), BK_LIB_FEN);
    assert_int_equal(bk_probe_batch(lib, &fen, 1, &a, NULL), BK_LIB_OK);
    assert_string_equal(bk_error(lib), "FEN: 1 rank, the board has 8");
    bk_close(lib);
}

/* On failure, too, the handle is set, so that it can be closed, as bareking.h says. */
static void handle__opened_without_options_tells_why(void **state)
{
    struct bk_answer a;
    struct bk_lib *lib = (struct bk_lib *)(void *)&a; /* not what it was */

    (void)state;
    assert_int_equal(bk_open_with(&lib, "chess", NULL), BK_LIB_USAGE);
    assert_ptr_not_equal(lib, &a);
    assert_string_equal(bk_error(lib), "an argument is NULL");
    assert_int_equal(bk_probe_fen(lib, KRVK, &a), BK_LIB_USAGE);
    bk_close(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders__that_are_not_there_or_not_meant_are_told_when_they_are_given),
        cmocka_unit_test(folders__above_those_that_are_meant_are_told),
        cmocka_unit_test(folders__of_a_host_are_not_looked_at),
        cmocka_unit_test(error__of_moves_names_what_is_missing),
        cmocka_unit_test(error__looks_for_a_thousand_tables_and_no_more),
        cmocka_unit_test(wdl__is_written_with_an_answer_alone),
        cmocka_unit_test(files__of_a_later_version_have_an_error_of_their_own),
        cmocka_unit_test(mate_and_stalemate__need_no_table_for_wdl_either),
        cmocka_unit_test(mate__stands_beside_an_en_passant_square),
        cmocka_unit_test(error__of_a_handle_stays_when_another_answers),
        cmocka_unit_test(error__of_a_handle_stays_when_rules_answer),
        cmocka_unit_test(error__of_a_closed_handle_is_no_other_s),
        cmocka_unit_test(batch__that_is_answered_leaves_no_error),
        cmocka_unit_test(handle__opened_without_options_tells_why),
    };

    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
