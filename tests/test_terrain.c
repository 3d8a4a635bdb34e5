/*
 * test_terrain.c - games on the board that a FEN shows.
 *
 * Oracle: the slow solver of ref.c, over all positions of odd masks, against
 * files built for them and asked through the base game's handle.
 */
#include <string.h>

#include "core/derive.h"
#include "probe/bareking.h"
#include "tb/make/build.h"
#include "tb/verify.h"
#include "tests/given.h"
#include "tests/left_out.h"
#include "tests/proof.h"
#include "tests/ref.h"

/* 14x14, 20 squares in a ring with a bridge: sets of 256 bits, distances over holes */
#define RING                                                                                       \
    "**************/**************/****4******/****1**1******/***2**2*****/"                       \
    "***1****1*****/***2**2*****/****1**1******/****4******/**************/"                       \
    "**************/**************/**************/**************"

/* 5x7, 21 squares */
#define ODD "1*3/3**/**1*1/3*1/1*2*/3**/*2**"

static char dir[PROOF_DIR_MAX];

static int set_up(void **state)
{
    (void)state;
    proof_folder(dir);
    return 0;
}

static struct bk_variant *on_terrain(const char *name, const char *fen)
{
    struct bk_variant *base = load(name), *v;
    struct bk_report why;

    if (bk_variant_for_fen(&v, base, fen, &why))
        fail_msg("%s", why.text);
    bk_variant_free(base);
    return v;
}

/* == Which FENs show a terrain == */

static void terrain__is_another_mask_or_width(void **state)
{
    static const struct {
        const char *game, *fen;
        bool terrain;
    } cases[] = {
        { "shatranj", "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1", false },
        { "shatranj", "8/8/8/3k4/8/1KQ5/8/q*6 w - - 0 1", true },
        { "shatranj", "9/9/9/3k5/9/1KQ6/9/q8 w", true },
        { "shatranj", "8/8/8/3k4/8/1KQ5/8", false }, /* a rank forgotten */
        { "shatranj", "8/8/8/3k4/8/1KQ5/7*", true },
        { "shatranj", "8/8/8/3k3/8/1KQ5/8/q*6", false },
        { "shatranj", "8/8/8/3x4/8/1KQ5/8/q*6", false }, /* no such man */
        { "shatranj", "15/15/15/*14", false },
        { "shatranj", "8/8/8/3k4/8/1KQ5/8/q*4294967302", false }, /* 2^32 + 6 */
        { "shatranj", "startpos", false },
        { "shatranj", "", false },
        { "puzzle", "6**/6**/8/8/8/8/8/K6k w", false },
        { "puzzle", "6**/6**/8/8/8/8/8/K*5k w", true },
        { "darwinian", "9/9/9/3k5/9/1KW6/9/9/*8[RC] w", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_variant *base = load(cases[i].game);
        struct bk_derivation d;
        struct bk_report why;

        assert_int_equal(bk_derivation_of(&d, base, cases[i].fen, &why), BK_OK);
        if ((d.how == BK_ON_TERRAIN) != cases[i].terrain)
            fail_msg("%s: %s", cases[i].game, cases[i].fen);
        bk_variant_free(base);
    }
}

static void terrain__board_is_as_the_fen_shows(void **state)
{
    struct bk_variant *v = on_terrain("grand-shatranj", "2*/k2/*1*/1K* w - - 0 1");

    (void)state;
    assert_int_equal(v->files, 3);
    assert_int_equal(v->ranks, 4);
    assert_int_equal(bk_bits_count(&v->board), 8);
    assert_false(bk_bits_has(&v->board, bk_sq(v, 2, 3)));
    assert_true(bk_bits_has(&v->board, bk_sq(v, 0, 2)));
    assert_true(bk_bits_has(&v->board, bk_sq(v, 1, 0)));
    bk_variant_free(v);
}

/* == What becomes of the rules == */

static void terrain__far_ranks_move_with_the_far_end(void **state)
{
    struct bk_variant *v = on_terrain("grand-shatranj", RING " w - - 0 1");
    const struct bk_piece *pawn = &v->piece[bk_variant_type(v, 'P')];

    (void)state;
    assert_int_equal(v->piece[v->royal].ranks, 0x3fff);
    assert_int_equal(pawn->ranks, 0x3ffc);       /* 3 to 14 */
    assert_int_equal(pawn->zone_ranks, 1 << 13); /* 14 */
    assert_int_equal(pawn->become[0].ranks, 1 << 12);
    assert_int_equal(pawn->become[1].ranks, 1 << 13);
    bk_variant_free(v);
    v = on_terrain("chess", "7/7/3*3/7/7/7");
    pawn = &v->piece[bk_variant_type(v, 'P')];
    assert_int_equal(pawn->ranks, 0x1e); /* 2 to 5 */
    assert_int_equal(pawn->double_ranks, 2);
    assert_int_equal(pawn->become[0].ranks, 1 << 5);
    assert_false(v->castling.allowed);
    assert_string_equal(v->start, "");
    bk_variant_free(v);
    v = on_terrain("darwinian", "9/9/9/9/9/9/9/9/9/9/9/9/8*");
    assert_int_equal(v->piece[bk_variant_type(v, 'W')].become[0].ranks, 0x1ffc); /* 3 and up */
    assert_int_equal(v->piece[bk_variant_type(v, 'P')].become[0].ranks, 1 << 12);
    bk_variant_free(v);
}

static void terrain__has_a_name_and_a_number_of_its_own(void **state)
{
    static const char *const fen[] = { "9*/10/10", "10/9*/10", "*9/10/10", "9/8*/9" };
    struct bk_variant *base = load("grand-shatranj"), *v[4];

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        v[i] = on_terrain("grand-shatranj", fen[i]);
        assert_int_equal(strncmp(v[i]->name, i < 3 ? "grand-shatranj@10x3-" : "grand-shatranj@9x3-",
                                 i < 3 ? 20 : 19),
                         0);
        assert_int_equal(strlen(v[i]->name), i < 3 ? 28 : 27);
        assert_true(v[i]->rules_id != base->rules_id);
        for (unsigned j = 0; j < i; j++) {
            assert_true(v[i]->rules_id != v[j]->rules_id);
            assert_string_not_equal(v[i]->name, v[j]->name);
        }
    }
    for (unsigned i = 0; i < 4; i++)
        bk_variant_free(v[i]);
    bk_variant_free(base);
}

static void terrain__refuses_boards_too_small_for_the_rules(void **state)
{
    static const struct {
        const char *game, *fen, *want;
    } cases[] = {
        { "grand-shatranj", "5/4*", "grand-shatranj on a board of 2 ranks: too few for pawn's" },
        { "grand-shatranj", "**/**/1*/1*", "two kings and a man need three squares" },
        { "chess", "5/5/4*", "there are not two ranks ahead" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_variant *base = load(cases[i].game), *v;
        struct bk_report why;

        assert_int_equal(bk_variant_for_fen(&v, base, cases[i].fen, &why), BK_E_USAGE);
        assert_null(v);
        if (!strstr(why.text, cases[i].want))
            fail_msg("%s", why.text);
        bk_variant_free(base);
    }
}

/* == Values == */

static void build(const struct bk_variant *v, const struct bk_material *m)
{
    struct bk_build_options o = { .pool = NULL };
    struct bk_verify_options check = { .pool = NULL };
    struct bk_verify_result result;
    struct bk_report why;
    struct bk_plan *plan;

    if (bk_plan_new(&plan, v, dir, m, 1, 0, true, &why) || bk_build(plan, &o, &why))
        fail_msg("%s", why.text);
    for (unsigned i = 0; i < plan->n; i++)
        if (bk_verify(v, dir, &plan->table[i].m, &check, &result, &why))
            fail_msg("%s: %s", plan->table[i].name, why.text);
    bk_plan_free(plan);
}

/* Builds a material on a terrain, then compares every position. */
static void assert_all_positions(const char *game, const char *name, const char *fen)
{
    struct bk_variant *v = on_terrain(game, fen);
    struct ref_table *ref;
    struct bk_material m;
    struct bk_report why;
    struct bk_lib *lib;
    unsigned n = 0;

    assert_int_equal(bk_material_parse(&m, v, name, &why), BK_OK);
    build(v, &m);
    ref = ref_solve(v, (const uint8_t(*)[BK_TYPES_MAX])m.count, NULL, 0);
    assert_non_null(ref);
    assert_int_equal(bk_open(&lib, game, dir), BK_LIB_OK);
    for (uint64_t i = 0; i < ref_size(ref); i++) {
        struct ref_value value;
        struct ref_pos r;

        if (!ref_at(ref, i, &r, &value))
            continue;
        proof_agree(lib, v, &r, &value);
        n++;
    }
    assert_true(n > 10000);
    bk_close(lib);
    ref_free(ref);
    bk_variant_free(v);
}

static void terrain__every_position_of_a_ring_on_14x14(void **state)
{
    (void)state;
    assert_all_positions("grand-shatranj", "KOvKL", RING);
    assert_all_positions("atlantean", "KZvKX", RING);
}

static void terrain__every_position_of_an_odd_board(void **state)
{
    (void)state;
    assert_all_positions("grand-shatranj", "KJvKO", ODD);
    assert_all_positions("shatranj", "KRvKP", ODD);
}

static void terrain__every_position_with_sitting_pawns(void **state)
{
    (void)state;
    assert_all_positions("grand-shatranj", "KPvKN", "3/3/1*1/3/3/*2");
}

static void terrain__every_position_with_en_passant(void **state)
{
    (void)state;
    assert_all_positions("chess", "KPvKP", tries_all() ? "3*/1*2/4/4/1*2/4" : "3*/1*2/4/1*2/4");
}

static void terrain__is_played_and_listed_through_the_same_handle(void **state)
{
    static const char *const fens[] = { "8/8/8/3k4/8/1K6/8/8 w - - 0 1", "3/k2/3/*K1 w - - 0 1",
                                        "3/k2/3/1K* b - - 0 1" };
    struct bk_lib_move move[16];
    struct bk_answer a[3];
    struct bk_lib *lib;
    char fen[BK_LIB_FEN_MAX];
    size_t n;

    (void)state;
    assert_int_equal(bk_open(&lib, "shatranj", dir), BK_LIB_OK);
    assert_int_equal(bk_probe_batch(lib, fens, 3, a, NULL), BK_LIB_OK);
    assert_int_equal(bk_probe_moves(lib, fens[1], move, 16, &n), BK_LIB_OK);
    assert_int_equal(n, 0); /* two bare kings: it is over */
    assert_int_equal(bk_play(lib, fens[1], "b1c1", fen), BK_LIB_OK);
    assert_string_equal(fen, "3/k2/3/*1K b - - 0 1");
    assert_int_equal(bk_play(lib, fens[1], "b1a1", fen), BK_LIB_USAGE); /* a hole */
    assert_int_equal(bk_set_paths(lib, NULL), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(lib, fens[2], a), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(lib, "3/k1q/3/*KR w - - 0 1", a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "of shatranj@3x4-"));
    bk_close(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terrain__is_another_mask_or_width),
        cmocka_unit_test(terrain__board_is_as_the_fen_shows),
        cmocka_unit_test(terrain__far_ranks_move_with_the_far_end),
        cmocka_unit_test(terrain__has_a_name_and_a_number_of_its_own),
        cmocka_unit_test(terrain__refuses_boards_too_small_for_the_rules),
        cmocka_unit_test(terrain__every_position_of_a_ring_on_14x14),
        cmocka_unit_test(terrain__every_position_of_an_odd_board),
        cmocka_unit_test(terrain__every_position_with_sitting_pawns),
        cmocka_unit_test(terrain__every_position_with_en_passant),
        cmocka_unit_test(terrain__is_played_and_listed_through_the_same_handle),
    };

    return cmocka_run_group_tests_name("terrain", tests, set_up, NULL);
}
