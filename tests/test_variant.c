/*
 * test_variant.c - the shipped games: they load, begin with their armies, and their men reach what
 * they should.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/explain.h"
#include "core/geometry.h"
#include "core/load.h"
#include "core/variant.h"
#include "tests/given.h"
#include "tests/proof.h"

static unsigned type_of(const struct bk_variant *v, char letter)
{
    int type = bk_variant_type(v, letter);

    assert_true(type >= 0);
    return (unsigned)type;
}

/* Returns the square with a name like "e5". */
static unsigned square(const struct bk_variant *v, const char *name)
{
    return bk_sq(v, (unsigned)(name[0] - 'a'), (unsigned)atoi(name + 1) - 1);
}

/* Squares a man may enter (how: BK_QUIET or BK_TAKES) past the men on `occupied`. */
static struct bk_bits reached(const struct bk_variant *v, char letter, unsigned colour,
                              const char *from, unsigned how, struct bk_bits occupied)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, type_of(v, letter), colour, square(v, from), &n);
    struct bk_bits to = { { 0 } };

    for (unsigned i = 0; i < n; i++)
        if (r[i].how & how && bk_reach_open(v, &r[i], &occupied))
            bk_bits_set(&to, r[i].to);
    return to;
}

static unsigned reach_count(const struct bk_variant *v, char letter, const char *from)
{
    struct bk_bits to =
        reached(v, letter, BK_WHITE, from, BK_QUIET | BK_TAKES, (struct bk_bits){ { 0 } });

    return bk_bits_count(&to);
}

static struct bk_bits men_on(const struct bk_variant *v, const char *a, const char *b,
                             const char *c)
{
    struct bk_bits men = { { 0 } };
    const char *on[] = { a, b, c };

    for (unsigned i = 0; i < 3; i++)
        if (on[i])
            bk_bits_set(&men, square(v, on[i]));
    return men;
}

/* Checks that `set` has exactly the squares named in `list`, as in "a1 b2". */
static void assert_squares(const struct bk_variant *v, struct bk_bits set, const char *list)
{
    char text[1024];
    struct bk_bits want = { { 0 } };

    snprintf(text, sizeof text, "%s", list);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        bk_bits_set(&want, square(v, word));
    assert_memory_equal(&set, &want, sizeof set);
}

/* == What is shipped == */

static void variant__every_embedded_game_loads(void **state)
{
    unsigned n = 0;

    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++, n++) {
        struct bk_variant *v = load(e->name);

        assert_string_equal(v->name, e->name);
        assert_true(*v->title && *v->source);
        assert_non_null(v->geometry);
        assert_int_equal(v->nsq, v->files * v->ranks);
        bk_variant_free(v);
    }
    assert_int_equal(n, 26);
}

/* Returns how often `letter`, case kept, is in the board field of a FEN. */
static unsigned men_in_fen(const char *fen, char letter)
{
    unsigned n = 0;

    for (; *fen && *fen != ' '; fen++)
        n += *fen == letter;
    return n;
}

static void variant__start_array_is_the_army(void **state)
{
    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct bk_variant *v = load(e->name);

        for (unsigned i = 0; *v->start && i < v->ntypes; i++) {
            char letter = v->piece[i].letter;

            assert_int_equal(men_in_fen(v->start, letter), v->piece[i].army);
            assert_int_equal(men_in_fen(v->start, (char)(letter + 'a' - 'A')), v->piece[i].army);
        }
        bk_variant_free(v);
    }
}

static void variant__start_array_mirrors_top_to_bottom(void **state)
{
    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct bk_variant *v = load(e->name);
        size_t length = strcspn(v->start, " ");
        char rank[2][64];
        const char *head = v->start, *tail = v->start + length;

        for (unsigned r = 0; *v->start && r < v->ranks / 2u; r++) {
            size_t n = strcspn(head, "/");
            const char *begin = tail;

            while (begin > v->start && begin[-1] != '/')
                begin--;
            snprintf(rank[0], sizeof rank[0], "%.*s", (int)n, head);
            snprintf(rank[1], sizeof rank[1], "%.*s", (int)(tail - begin), begin);
            for (char *p = rank[0]; *p; p++)
                if (*p >= 'a' && *p <= 'z')
                    *p = (char)(*p - 'a' + 'A');
            assert_string_equal(rank[0], rank[1]);
            head += n + 1;
            tail = begin - 1;
        }
        bk_variant_free(v);
    }
}

static void variant__every_embedded_game_has_its_own_rules_id(void **state)
{
    struct {
        uint64_t rules_id;
        bool bonus;
    } game[32];
    unsigned n = 0;

    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct bk_variant *v = load(e->name);

        for (unsigned i = 0; i < n; i++) /* tables know nothing of turns in which men are held */
            assert_true(game[i].rules_id != v->rules_id || game[i].bonus != v->hand_bonus);
        game[n].bonus = v->hand_bonus;
        game[n++].rules_id = v->rules_id;
        bk_variant_free(v);
    }
}

static void variant__explains_every_embedded_game(void **state)
{
    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct bk_variant *v = load(e->name);
        char *text = bk_variant_explain(v);

        assert_non_null(text);
        assert_non_null(strstr(text, v->name));
        free(text);
        bk_variant_free(v);
    }
}

static void variant__loads_a_file_by_its_path(void **state)
{
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    FILE *out;
    struct bk_variant *v;

    (void)state;
    snprintf(path, sizeof path, "%s/game.ini", proof_folder(folder));
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(bk_embedded_variants[0].text, out);
    fclose(out);
    v = load(path);
    assert_string_equal(v->name, bk_embedded_variants[0].name);
    bk_variant_free(v);
}

static void variant__names_the_games_when_one_is_unknown(void **state)
{
    struct bk_variant *v = NULL;
    struct bk_report why;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "atlantis", &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "atlantis"));
    assert_non_null(strstr(why.text, "grand-shatranj-gilded22"));
    assert_int_equal(bk_variant_load(&v, "/nowhere/x.ini", &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "/nowhere/x.ini"));
    assert_null(v);
}

/* == Moves of the shipped games == */

static void variant__bent_and_straight_generals_reach_what_they_should(void **state)
{
    struct bk_variant *a = load("atlantean"), *g = load("grand-shatranj");

    (void)state;
    assert_int_equal(reach_count(a, 'Z', "e5"), 64);
    assert_int_equal(reach_count(a, 'Z', "a1"), 20);
    assert_int_equal(reach_count(a, 'T', "e5"), 32);
    assert_int_equal(reach_count(a, 'T', "a1"), 10);
    assert_int_equal(reach_count(a, 'X', "e5"), 32);
    assert_int_equal(reach_count(a, 'X', "a1"), 12);
    assert_int_equal(reach_count(a, 'K', "e5"), 16);
    assert_int_equal(reach_count(g, 'O', "e5"), 16);
    assert_int_equal(reach_count(g, 'O', "a1"), 4);
    assert_int_equal(reach_count(g, 'L', "e5"), 16);
    assert_int_equal(reach_count(g, 'L', "a1"), 8);
    assert_int_equal(reach_count(g, 'M', "e5"), 16);
    assert_int_equal(reach_count(g, 'H', "e5"), 16);
    assert_int_equal(reach_count(g, 'K', "e5"), 8);
    bk_variant_free(a);
    bk_variant_free(g);
}

static bool lightning_reaches(const struct bk_variant *v, const char *to, const char *a,
                              const char *b, const char *c)
{
    struct bk_bits set = reached(v, 'L', BK_WHITE, "e5", BK_QUIET, men_on(v, a, b, c));

    return bk_bits_has(&set, square(v, to));
}

static void variant__lightning_is_stopped_only_by_every_middle(void **state)
{
    struct bk_variant *v = load("grand-shatranj");

    (void)state;
    assert_true(lightning_reaches(v, "e7", "e6", NULL, NULL)); /* it leaps */
    assert_true(lightning_reaches(v, "e8", "e6", NULL, NULL)); /* over e7 */
    assert_true(lightning_reaches(v, "e8", "e7", NULL, NULL)); /* over e6 */
    assert_false(lightning_reaches(v, "e8", "e6", "e7", NULL));
    assert_true(lightning_reaches(v, "e9", "e6", "e8", NULL));
    assert_false(lightning_reaches(v, "e9", "e7", NULL, NULL));
    bk_variant_free(v);
}

static void variant__bent_general_finds_another_way(void **state)
{
    struct bk_variant *v = load("atlantean");
    struct bk_bits set;

    (void)state;
    /* T from e5 to e7: by d6, by f6; no leap of its own */
    set = reached(v, 'T', BK_WHITE, "e5", BK_TAKES, men_on(v, "d6", NULL, NULL));
    assert_true(bk_bits_has(&set, square(v, "e7")));
    set = reached(v, 'T', BK_WHITE, "e5", BK_TAKES, men_on(v, "d6", "f6", NULL));
    assert_false(bk_bits_has(&set, square(v, "e7")));
    assert_false(bk_bits_has(&set, square(v, "e5")));
    bk_variant_free(v);
}

static void variant__double_captures_are_only_in_their_game(void **state)
{
    struct bk_variant *one = load("atlantean"), *two = load("atlantean-double");
    unsigned n, twice = 0;
    const struct bk_reach *r;

    (void)state;
    r = bk_reach_from(one, type_of(one, 'Z'), BK_WHITE, square(one, "e5"), &n);
    for (unsigned i = 0; i < n; i++)
        twice += !!(r[i].how & BK_TWICE);
    assert_int_equal(twice, 0);
    r = bk_reach_from(two, type_of(two, 'X'), BK_WHITE, square(two, "e5"), &n);
    for (unsigned i = 0; i < n; i++)
        twice += !!(r[i].how & BK_TWICE);
    assert_int_equal(twice, 8 * 8 - 8); /* all pairs of steps but those back */
    bk_variant_free(one);
    bk_variant_free(two);
}

static void variant__pawns_go_forward_for_both_colours(void **state)
{
    struct bk_variant *v = load("shatranj");
    struct bk_bits none = { { 0 } };

    (void)state;
    assert_squares(v, reached(v, 'P', BK_WHITE, "e4", BK_QUIET, none), "e5");
    assert_squares(v, reached(v, 'P', BK_WHITE, "e4", BK_TAKES, none), "d5 f5");
    assert_squares(v, reached(v, 'P', BK_BLACK, "e4", BK_QUIET, none), "e3");
    assert_squares(v, reached(v, 'P', BK_BLACK, "e4", BK_TAKES, none), "d3 f3");
    bk_variant_free(v);
}

static void variant__joyce_pawn_sits_sideways_on_the_tenth(void **state)
{
    struct bk_variant *v = load("grand-shatranj");
    struct bk_bits none = { { 0 } };

    (void)state;
    assert_squares(v, reached(v, 'P', BK_WHITE, "e10", BK_QUIET, none), "d10 f10");
    assert_squares(v, reached(v, 'P', BK_WHITE, "e10", BK_TAKES, none), "d10 f10");
    assert_squares(v, reached(v, 'P', BK_BLACK, "a1", BK_TAKES, none), "b1");
    assert_squares(v, reached(v, 'P', BK_WHITE, "e9", BK_TAKES, none), "d10 f10");
    bk_variant_free(v);
}

static void variant__commoner_pawn_walks_out_of_its_zone(void **state)
{
    struct bk_variant *v = load("atlantean-commoner");

    (void)state;
    assert_int_equal(reach_count(v, 'P', "e9"), 8);
    assert_int_equal(reach_count(v, 'P', "e10"), 5);
    assert_int_equal(reach_count(v, 'P', "e8"), 3);
    bk_variant_free(v);
    v = load("atlantean-jumper");
    assert_int_equal(reach_count(v, 'P', "e10"), 10);
    bk_variant_free(v);
}

static void variant__nymph_horses_mirror_each_other(void **state)
{
    struct bk_variant *v = load("darwinian");
    struct bk_bits none = { { 0 } };

    (void)state;
    assert_squares(v, reached(v, 'Y', BK_WHITE, "b1", BK_QUIET, none), "b2 c2");
    assert_squares(v, reached(v, 'U', BK_WHITE, "h1", BK_TAKES, none), "h2 g2");
    assert_squares(v, reached(v, 'Y', BK_BLACK, "b9", BK_TAKES, none), "b8 c8");
    assert_squares(v, reached(v, 'U', BK_BLACK, "h9", BK_QUIET, none), "h8 g8");
    bk_variant_free(v);
}

static void variant__cannon_captures_over_one_man(void **state)
{
    struct bk_variant *v = load("darwinian");

    (void)state;
    assert_squares(v, reached(v, 'C', BK_WHITE, "a1", BK_TAKES, men_on(v, "a3", "a5", "b1")),
                   "a4 a5 c1 d1 e1 f1 g1 h1 i1");
    assert_squares(v, reached(v, 'C', BK_WHITE, "a1", BK_QUIET, men_on(v, "a3", "a5", "b1")),
                   "a2 a3 b1"); /* the ends must be empty: that is move.c's question */
    bk_variant_free(v);
}

static void variant__holes_stop_rooks_but_not_leapers(void **state)
{
    struct bk_variant *v = load("puzzle");
    struct bk_bits none = { { 0 } };

    (void)state;
    assert_int_equal(bk_bits_count(&v->board), 60);
    assert_squares(v, reached(v, 'R', BK_WHITE, "e7", BK_QUIET, none),
                   "e1 e2 e3 e4 e5 e6 e8 a7 b7 c7 d7 f7");
    assert_squares(v, reached(v, 'N', BK_WHITE, "f8", BK_QUIET, none), "d7 e6 g6");
    bk_variant_free(v);
}

static void variant__double_step_needs_the_square_between(void **state)
{
    struct bk_variant *v = load("grand-shatranj-double");

    (void)state;
    assert_true(v->en_passant);
    assert_squares(v, reached(v, 'P', BK_WHITE, "e3", BK_QUIET, men_on(v, NULL, NULL, NULL)),
                   "e4 e5");
    assert_squares(v, reached(v, 'P', BK_WHITE, "e3", BK_QUIET, men_on(v, "e4", NULL, NULL)), "e4");
    assert_squares(v, reached(v, 'P', BK_BLACK, "e8", BK_QUIET, men_on(v, NULL, NULL, NULL)),
                   "e7 e6");
    bk_variant_free(v);
}

static void variant__darwinian_evolution_is_as_written(void **state)
{
    struct bk_variant *v = load("darwinian");
    const struct bk_piece *w = &v->piece[type_of(v, 'W')], *y = &v->piece[type_of(v, 'Y')];

    (void)state;
    assert_int_equal(w->nbecomes, 2);
    assert_int_equal(w->become[0].ranks, 0x1fc); /* 3 and up */
    assert_false(w->become[0].must || w->become[0].counted);
    assert_int_equal(w->become[1].ranks, 0x1f0);
    assert_true(w->become[1].counted);
    assert_int_equal(w->become[1].nto, 2);
    assert_true(y->become[1].must);
    assert_int_equal(y->ranks, 0xff);
    assert_int_equal(v->limit[type_of(v, 'R')], 2);
    assert_int_equal(v->limit[type_of(v, 'C')], 2);
    assert_int_equal(v->limit[type_of(v, 'E')], 2);
    assert_int_equal(v->limit[type_of(v, 'B')], 0);
    bk_variant_free(v);
}

static void variant__sultan_castles_three_squares(void **state)
{
    struct bk_variant *v = load("sultan");
    const struct bk_castling *k = &v->castling;

    (void)state;
    assert_true(k->allowed);
    assert_int_equal(k->rook, type_of(v, 'R'));
    assert_int_equal(k->king_file, 5);
    assert_int_equal(k->rook_file[0], 0);
    assert_int_equal(k->rook_file[1], 9);
    assert_int_equal(k->king_to[0], 2);
    assert_int_equal(k->king_to[1], 8);
    assert_int_equal(k->rook_to[0], 3);
    assert_int_equal(k->rook_to[1], 7);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variant__every_embedded_game_loads),
        cmocka_unit_test(variant__start_array_is_the_army),
        cmocka_unit_test(variant__start_array_mirrors_top_to_bottom),
        cmocka_unit_test(variant__every_embedded_game_has_its_own_rules_id),
        cmocka_unit_test(variant__explains_every_embedded_game),
        cmocka_unit_test(variant__loads_a_file_by_its_path),
        cmocka_unit_test(variant__names_the_games_when_one_is_unknown),
        cmocka_unit_test(variant__bent_and_straight_generals_reach_what_they_should),
        cmocka_unit_test(variant__lightning_is_stopped_only_by_every_middle),
        cmocka_unit_test(variant__bent_general_finds_another_way),
        cmocka_unit_test(variant__double_captures_are_only_in_their_game),
        cmocka_unit_test(variant__pawns_go_forward_for_both_colours),
        cmocka_unit_test(variant__joyce_pawn_sits_sideways_on_the_tenth),
        cmocka_unit_test(variant__commoner_pawn_walks_out_of_its_zone),
        cmocka_unit_test(variant__nymph_horses_mirror_each_other),
        cmocka_unit_test(variant__cannon_captures_over_one_man),
        cmocka_unit_test(variant__holes_stop_rooks_but_not_leapers),
        cmocka_unit_test(variant__double_step_needs_the_square_between),
        cmocka_unit_test(variant__darwinian_evolution_is_as_written),
        cmocka_unit_test(variant__sultan_castles_three_squares),
    };

    return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}
