/*
 * test_deal.c - arrays that are dealt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/deal.h"
#include "core/attack.h"
#include "core/derive.h"
#include "tests/given.h"

static void deal_one(const struct bk_variant *v, uint64_t seed, char fen[BK_FEN_MAX])
{
    struct bk_report why = { "" };

    if (bk_deal(v, seed, fen, &why))
        fail_msg("%s", why.text);
}

/* The first and the second of a letter, as files. */
static void files_of(const char *rank, char letter, int file[2])
{
    const char *one = strchr(rank, letter), *two = one ? strchr(one + 1, letter) : NULL;

    assert_true(one && two && !strchr(two + 1, letter));
    file[0] = (int)(one - rank);
    file[1] = (int)(two - rank);
}

/* The page's three conditions, asked of the FEN. */
static void deal__sultan_random_is_as_its_page_says(void **state)
{
    struct bk_variant *v = load("sultan-random");
    char seen[2][10] = { "" }; /* where kings and queens have been */

    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        char fen[BK_FEN_MAX], again[BK_FEN_MAX], white[11] = "", black[11] = "", rights[8] = "";
        struct bk_variant *derived = NULL;
        struct bk_report why = { "" };
        struct bk_pos p;
        int bishop[2], courier[2], rook[2], knight[2];

        deal_one(v, seed, fen);
        deal_one(v, seed, again);
        assert_string_equal(fen, again);
        assert_int_equal(sscanf(fen,
                                "%10[a-z]/pppppppppp/10/10/10/10/PPPPPPPPPP/%10[A-Z] w %7s - 0 1",
                                black, white, rights),
                         3);
        for (int i = 0; i < 10; i++)
            assert_int_equal(white[i], black[i] - 32);
        files_of(white, 'B', bishop);
        files_of(white, 'C', courier);
        files_of(white, 'R', rook);
        files_of(white, 'N', knight);
        assert_true((bishop[0] + bishop[1]) % 2 && (courier[0] + courier[1]) % 2);
        assert_true(strchr(white, 'K') > white + rook[0] && strchr(white, 'K') < white + rook[1]);
        assert_non_null(strchr(white, 'Q'));
        assert_true(rights[0] == 'A' + rook[1] && rights[1] == 'A' + rook[0]);
        assert_true(rights[2] == 'a' + rook[1] && rights[3] == 'a' + rook[0]);
        assert_int_equal(bk_variant_for_fen(&derived, v, fen, &why), BK_OK);
        p = read_fen(derived, fen);
        assert_true(bk_pos_legal(derived, &p));
        bk_variant_free(derived);
        seen[0][strchr(white, 'K') - white] = seen[1][strchr(white, 'Q') - white] = 1;
    }
    for (int i = 0; i < 10; i++) {
        assert_int_equal(seen[0][i], i > 0 && i < 9);
        assert_true(seen[1][i]);
    }
    bk_variant_free(v);
}

/* K and two N on four files with R: of 12 orders 8 have the knights apart.  8,000 are dealt. */
static void deal__all_orders_are_equally_likely(void **state)
{
    struct bk_variant *v = parse("[variant]\nname = four\nboard = 4x5\n"
                                 "deal = rknn/4/4/4/RKNN w\ndeal-shuffle = yes\ndeal-apart = N\n"
                                 "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                                 "[piece rook]\nletter = R\nmove = fsW\narmy = 1\n"
                                 "[piece knight]\nletter = N\nmove = N\narmy = 2\n");
    char order[8][5] = { "" };
    unsigned dealt[8] = { 0 }, n = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 8000; seed++) {
        char fen[BK_FEN_MAX], rank[5] = "";
        unsigned i = 0;

        deal_one(v, seed, fen);
        assert_int_equal(sscanf(fen, "%*[a-z]/4/4/4/%4[A-Z]", rank), 1);
        while (i < n && strcmp(order[i], rank))
            i++;
        assert_true(i < 8);
        strcpy(order[i], rank);
        n += i == n;
        dealt[i]++;
    }
    assert_int_equal(n, 8);
    for (unsigned i = 0; i < n; i++)
        assert_in_range(dealt[i], 880, 1120); /* four times the deviation */
    bk_variant_free(v);
}

static void deal__gilded_has_a_rook_on_either_wing(void **state)
{
    struct bk_variant *v = load("grand-shatranj-gilded");
    unsigned seen[4] = { 0 };

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        char fen[BK_FEN_MAX];
        size_t n;

        deal_one(v, seed, fen);
        n = strcspn(fen, " ");
        seen[2 * (fen[0] == 'r') + (fen[n - 1] == 'L')]++;
        assert_true((fen[0] == 'r') == (fen[2] == 'l'));
        assert_true((fen[n - 1] == 'L') == (fen[n - 3] == 'R'));
    }
    for (unsigned i = 0; i < 4; i++)
        assert_true(seen[i]);
    bk_variant_free(v);
}

static void deal__changes_no_rule(void **state)
{
    static const char men[] = "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                              "[piece rook]\nletter = R\nmove = R\narmy = 1\n";
    char text[2][400];
    struct bk_variant *with, *without;

    (void)state;
    snprintf(text[0], sizeof text[0], "[variant]\nname = g\nboard = 4x5\n%s", men);
    snprintf(text[1], sizeof text[1],
             "[variant]\nname = g\nboard = 4x5\ndeal = k2r/4/4/4/K2R w\n%s", men);
    without = parse(text[0]);
    with = parse(text[1]);
    assert_true(with->rules_id == without->rules_id);
    bk_variant_free(with);
    bk_variant_free(without);
}

/* What a game says of its arrays, and what is wrong with it. */
static void deal__refuses_what_is_no_array(void **state)
{
    static const char *const cases[][2] = {
        { "deal = kr2/4/4/4/KR2 w\ndeal-shuffle = yes\n",
          "deal: the first ranks must be full, and White's and Black's alike" },
        { "deal = rknn/4/4/4/KRNN w\ndeal-shuffle = yes\n",
          "deal: the first ranks must be full, and White's and Black's alike" },
        { "deal = rkpp/4/4/4/RKPP w\ndeal-shuffle = yes\ndeal-apart = N\n",
          "deal: no order of the first rank is allowed" },
        { "deal = 4/4/4/3k/3K w\n", "deal: the side that is not to move is in check" },
        { "deal = k3/4/4/4/KNNN w\n", "deal: more men of [piece knight] than its army" },
        { "deal = k3/4/4/KNN w\n", "deal: FEN: 4 ranks, the board has 5" },
        { "", "g: no arrays are dealt in this game" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600], fen[BK_FEN_MAX] = "";
        struct bk_report why = { "" };
        struct bk_variant *v;

        snprintf(text, sizeof text,
                 "[variant]\nname = g\nboard = 4x5\n%s"
                 "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                 "[piece rook]\nletter = R\nmove = fsW\narmy = 1\n"
                 "[piece pawn]\nletter = P\nmove = fW\narmy = 2\n"
                 "[piece knight]\nletter = N\nmove = N\narmy = 2\n",
                 cases[i][0]);
        v = parse(text);
        assert_int_equal(bk_deal(v, 7, fen, &why), BK_E_USAGE);
        assert_string_equal(why.text, cases[i][1]);
        if (*cases[i][0])
            assert_int_equal(bk_deal_check(v, NULL), BK_E_USAGE);
        bk_variant_free(v);
    }
}

static void deal__of_every_shipped_game_can_be_dealt(void **state)
{
    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct bk_variant *v = load(e->name);
        struct bk_report why = { "" };

        if (bk_deal_check(v, &why))
            fail_msg("%s: %s", e->name, why.text);
        bk_variant_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deal__sultan_random_is_as_its_page_says),
        cmocka_unit_test(deal__all_orders_are_equally_likely),
        cmocka_unit_test(deal__gilded_has_a_rook_on_either_wing),
        cmocka_unit_test(deal__changes_no_rule),
        cmocka_unit_test(deal__refuses_what_is_no_array),
        cmocka_unit_test(deal__of_every_shipped_game_can_be_dealt),
    };

    return cmocka_run_group_tests_name("deal", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
