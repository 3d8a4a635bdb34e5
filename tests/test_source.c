/*
 * test_source.c - claims about the rows of solved tables, as files will store
 * them: values, and what the best exit attains.
 *
 * The oracle is the plain move generator with the codes of the tables, one
 * position at a time.  "test_source EVERY" looks at every EVERYth row of the
 * tables of known games; 1 at all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/finish.h"
#include "core/load.h"
#include "core/move.h"
#include "tb/encode/bytes.h"
#include "tb/encode/source.h"
#include "tests/given.h"
#include "tests/random_variant.h"
#include "tests/solved.h"

static unsigned rows_apart = 0; /* 0: as many rows a table as there is time for */

/* == What a file should tell == */

enum sort { FREE, EXACT, AT_LEAST };

struct told {
    enum sort sort;
    unsigned value;
};

/* Returns the value of the best exit for the mover; .legal is false if there is none. */
static struct solved_value best_exit(struct solved *s, const struct bk_variant *v,
                                     const struct bk_pos *p)
{
    struct solved_value best = { .legal = false };
    struct bk_move move[BK_MOVES_MAX];
    struct bk_material here, there;
    unsigned n = bk_moves_legal(v, p, move);

    bk_material_of(&here, v, p);
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos next = *p;
        struct solved_value x;

        bk_pos_play(&next, v, &move[i]);
        bk_material_of(&there, v, &next);
        if (bk_material_equal(&here, &there))
            continue;
        x = solved_value_of(s, &next);
        x.wdl = -x.wdl; /* to the mover; lost in 2k is won in 2k + 1 */
        assert_true(x.legal);
        if (!best.legal || x.wdl > best.wdl || (x.wdl == best.wdl && x.wdl > 0 && x.k < best.k))
            best = x;
    }
    return best;
}

static struct told should_tell(enum bk_told what, bool alone, const struct solved_value *own,
                               const struct solved_value *exit)
{
    bool attained = !alone && exit->legal && exit->wdl == own->wdl && own->wdl >= 0;
    struct told told = { EXACT, 0 };

    if (!own->legal || (what == BK_DISTANCES && own->wdl < (alone ? -1 : 1)) ||
        (what == BK_DISTANCES && own->wdl == 0))
        return (struct told){ FREE, 0 };
    told.value = what == BK_WDL ? (unsigned)(1 - own->wdl) : own->k;
    if (what == BK_DISTANCES)
        attained = attained && exit->k == own->k;
    if (attained)
        told.sort = told.value ? AT_LEAST : FREE;
    return told;
}

static struct told is_told(const struct bk_row_values *x, unsigned bits, unsigned sq)
{
    struct told told = { FREE, 0 };

    if (!(x->care[sq / 64] >> sq % 64 & 1))
        return told;
    told.sort = x->least[sq / 64] >> sq % 64 & 1 ? AT_LEAST : EXACT;
    for (unsigned b = 0; b < bits; b++)
        told.value |= (unsigned)(x->plane[b][sq / 64] >> sq % 64 & 1) << b;
    return told;
}

/* == Comparing == */

struct comparison {
    struct solved *s;
    const struct bk_memtable *t;
    struct bk_rows *rows;
    char name[BK_MATERIAL_NAME_MAX];
    bool distances;
    unsigned bits[2][2][2]; /* by enum bk_told, alone or not, side */
    struct bk_turned turned[2][2][2];
    uint64_t attained, exact; /* values seen of either sort */
};

static unsigned tables_turned; /* in all comparisons: sources whose last rows were turned */

static void fail_at(const struct comparison *c, const struct bk_pos *p, const char *what,
                    struct told is, struct told should)
{
    static const char *const sort[] = { "free", "exactly", "at least" };
    char fen[BK_FEN_MAX];

    fail_msg("%s %s %s: %s: told %s %u, should be %s %u", c->t->ix->v->name, c->name,
             bk_pos_to_fen(p, c->t->ix->v, fen), what, sort[is.sort], is.value, sort[should.sort],
             should.value);
}

static void compare_position(struct comparison *c, unsigned side, uint64_t number, unsigned sq,
                             struct bk_row_values values[2][2])
{
    static const char *const what[2][2] = { { "wdl", "wdl alone" },
                                            { "distance", "distance alone" } };
    const struct bk_variant *v = c->t->ix->v;
    struct solved_value own = { .legal = false }, exit = own;
    struct bk_placement at;
    struct bk_pos p;

    bk_index_unrank(c->t->ix, number, &at);
    if (bk_index_position(c->t->ix, &at, side, &p))
        own = solved_value_of(c->s, &p);
    if (own.legal)
        exit = best_exit(c->s, v, &p);
    for (unsigned told = 0; told < (c->distances ? 2 : 1); told++)
        for (unsigned alone = 0; alone < 2; alone++) {
            struct told is = is_told(&values[told][alone], c->bits[told][alone][side], sq);
            struct told should = should_tell((enum bk_told)told, alone, &own, &exit);

            if (is.sort != should.sort || (is.sort != FREE && is.value != should.value))
                fail_at(c, &p, what[told][alone], is, should);
            c->exact += is.sort == EXACT;
            c->attained += is.sort != EXACT && own.legal;
        }
}

static void compare_row(struct comparison *c, unsigned side, const struct bk_row *row)
{
    struct bk_row_values values[2][2];

    memset(values, 0xaa, sizeof values);
    for (unsigned told = 0; told < (c->distances ? 2 : 1); told++)
        for (unsigned alone = 0; alone < 2; alone++) {
            struct bk_source src = { c->t, c->rows, (enum bk_told)told,
                                     side, alone,   c->bits[told][alone][side] };
            struct bk_row_values *x = &values[told][alone];
            uint64_t cared = 0, in_row = 0;

            bk_source_row(&src, row, &c->turned[told][alone][side], x);
            for (unsigned sq = 0; sq < BK_SQ_MAX; sq++) /* facts may ask for more than the board */
                cared += x->care[sq / 64] >> sq % 64 & 1;
            for (uint32_t i = 0; i < row->n; i++)
                in_row += x->care[row->inner_sq[i] / 64] >> row->inner_sq[i] % 64 & 1;
            assert_int_equal(cared, in_row); /* nothing beside the row's squares */
        }
    for (uint32_t i = 0; i < row->n; i++)
        compare_position(c, side, row->first + i, row->inner_sq[i], values);
}

/* Compares every `apart`-th row of a table with the move generator. */
static void compare_table(struct solved *s, const struct bk_memtable *t, bool distances,
                          uint64_t apart)
{
    struct comparison c = { .s = s, .t = t, .distances = distances };
    uint64_t nth = 0;
    struct bk_row row;

    if (t->by_rule || !t->ix->positions)
        return;
    bk_material_name(&t->ix->m, t->ix->v, c.name);
    assert_int_equal(bk_rows_new(&c.rows, t->ix, NULL), BK_OK);
    for (unsigned i = 0; i < (distances ? 8u : 4u); i++) {
        struct bk_source src = { t, c.rows, (enum bk_told)(i >> 2), i & 1, i >> 1 & 1, 0 };

        c.bits[i >> 2][i >> 1 & 1][i & 1] = bk_source_bits(&src, 0, t->ix->nblocks);
    }
    for (uint64_t n = bk_rows_count(c.rows); nth < n; nth += apart) {
        bk_row_nth(c.rows, nth, &row);
        for (unsigned side = 0; side < 2; side++)
            compare_row(&c, side, &row);
    }
    for (unsigned i = 0; i < 8; i++) {
        struct bk_turned *turned = &c.turned[i >> 2][i >> 1 & 1][i & 1];

        tables_turned += turned->there;
        bk_turned_release(turned);
    }
    bk_rows_free(c.rows);
}

/* == Known games == */

struct game {
    const char *game, *name;
    bool long_way; /* many tables to solve first: only if asked for on the command line */
};

static const struct game games[] = {
    { "shatranj", "KRvKN", false },
    { "shatranj", "KQvKN", false },
    { "shatranj", "KPvKP", false },
    { "shatranj", "KRvKP", false },
    { "shatranj", "KBvKP", false },
    { "chess", "KRRvK", false },
    { "chess", "KPvK", false },
    { "chess", "KPPvK", true },
    { "chess", "KQvKR", false },
    { "chess", "KPvKP", true },
    { "chess", "KBNvK", false },
    { "chess", "KRvKR+K", false },
    { "chess", "KRvKR+Kk", false },
    { "chess", "KRRvK+KQ", false },
    { "chess", "KNvKR+q", false },
    { "grand-shatranj", "KPvK", false },
    { "grand-shatranj", "KPvKP", true },
    { "grand-shatranj", "KNvKP", true },
    { "grand-shatranj-double", "KPvK", false },
    { "atlantean", "KZvKX", false },
    { "atlantean-double", "KPvK", false },
    { "atlantean-commoner", "KPvK", false },
    { "darwinian", "KFvK", false },
    { "darwinian", "KWvKF", true },
    { "puzzle", "KRvKN", false },
    { "sultan", "KRvKC", false },
    { "sultan", "KPvK", false },
    { "sultan", "KQQvK", false },
};

static void compare_material(struct solved *s, const struct bk_variant *v, const char *name,
                             bool distances)
{
    struct bk_report why = { "" };
    const struct bk_memtable *t;
    struct bk_material m;

    if (bk_material_parse(&m, v, name, &why))
        fail_msg("%s %s: %s", v->name, name, why.text);
    bk_material_canonical(&m, v);
    t = solved_table(s, &m);
    if (!t)
        fail_msg("%s %s: no table", v->name, name);
    compare_table(s, t, distances, rows_apart ? rows_apart : t->ix->positions / 20000 + 1);
}

/* Every `apart`th of the games; tables of one are solved once. */
static void compare_games(const struct solved_options *o, size_t apart)
{
    struct bk_variant *v = NULL;
    struct solved *s = NULL;

    for (size_t i = 0; i < sizeof games / sizeof games[0]; i += apart) {
        if (games[i].long_way && (!rows_apart || o->k_max))
            continue;
        if (!v || strcmp(games[i].game, v->name)) {
            if (s)
                solved_free(s);
            bk_variant_free(v);
            assert_int_equal(bk_variant_load(&v, games[i].game, NULL), BK_OK);
            s = solved_new(v, o);
        }
        if (rows_apart)
            print_message("%s %s\n", games[i].game, games[i].name);
        compare_material(s, v, games[i].name, o->distances);
    }
    solved_free(s);
    bk_variant_free(v);
}

static void source__tells_what_the_move_generator_says(void **state)
{
    const struct solved_options o = { .distances = true, .groups = BK_WIDE };

    (void)state;
    compare_games(&o, 1);
    assert_true(tables_turned >= 16); /* all sources of KRRvK of chess and KQQvK of Sultan */
}

static void source__tells_the_same_of_wide_codes(void **state)
{
    const struct solved_options o = { .distances = true, .groups = BK_GROUPS, .k_max = 3 };

    (void)state;
    compare_games(&o, 3);
}

static void source__tells_the_same_without_distances(void **state)
{
    const struct solved_options o = { 0 }, compact = { .compact = true };
    const struct solved_options groups = { .groups = BK_GROUPS };

    (void)state;
    compare_games(&o, 2);
    compare_games(&groups, 4);
    compare_games(&compact, 4);
}

/* Boards whose sets of squares need all four words, and three of them. */
static void source__tells_the_same_of_boards_of_any_width(void **state)
{
    static const char *const board[] = { "12x11", "14x14" };
    const struct solved_options o = { .distances = true, .groups = BK_WIDE };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char text[400];
        struct bk_variant *v;
        struct solved *s;

        snprintf(text, sizeof text,
                 "[variant]\nname = large\ntitle = Large\nsource = none\nboard = %s\n"
                 "stalemate = draw\n"
                 "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                 "[piece rook]\nletter = R\nmove = R\n",
                 board[i]);
        v = parse(text);
        s = solved_new(v, &o);
        compare_material(s, v, "KRvK", true);
        solved_free(s);
        bk_variant_free(v);
    }
}

/* == Games nobody has played == */

/* Compares rows of a random game's table, solved in a random way; false: the game has none. */
static bool compare_random(uint64_t seed)
{
    static const unsigned squares[] = { 12, 20, 30, 42 };
    unsigned features = seed % 2 ? RANDOM_RAREST : RANDOM_ALL;
    struct random_opts opts = { features, squares[random_below(&seed, 4)] };
    struct bk_variant *v = calloc(1, sizeof *v);
    struct bk_material m = { 0 };
    struct solved_options o = { .distances = !random_once_in(&seed, 3),
                                .compact = random_once_in(&seed, 2),
                                .groups = (enum bk_strategy[]){ 0, BK_GROUPS,
                                                                BK_WIDE }[random_below(&seed, 3)],
                                .k_max = random_once_in(&seed, 4) ? 3 : 0 };
    const struct bk_memtable *t = NULL;
    struct solved *s;

    random_variant(v, &seed, &opts);
    assert_int_equal(bk_variant_finish(v, NULL), BK_OK);
    if (!random_material(v, &seed, 4, 6000, m.count)) {
        bk_variant_free(v);
        return false;
    }
    memcpy(m.left[0], v->limit, sizeof m.left[0]);
    memcpy(m.left[1], v->limit, sizeof m.left[1]);
    bk_material_normalise(&m, v);
    bk_material_canonical(&m, v);
    s = solved_new(v, &o);
    t = solved_table(s, &m);
    if (t)
        compare_table(s, t, o.distances, t->ix->positions / 3000 + 1);
    solved_free(s);
    bk_variant_free(v);
    return t != NULL;
}

static void source__tells_what_the_move_generator_says_of_random_games(void **state)
{
    unsigned compared = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++)
        compared += compare_random(seed);
    assert_in_range(compared, 75, 150);
}

/* == Rows of kings, turned == */

/* The blocks of a unit are not all as large as the first. */
static void turned__makes_room_for_a_larger_one(void **state)
{
    static const uint32_t slices[] = { 2, 4000, 300 };
    struct bk_turned t = { 0 };

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        uint8_t *code = malloc(64 * (size_t)slices[i]);
        const struct bk_turning of = {
            .code = code, .slice_stride = 64, .nslices = slices[i], .nsq = 64, .words = 1
        };

        assert_non_null(code);
        for (uint32_t at = 0; at < 64 * slices[i]; at++)
            code[at] = (uint8_t)(at * 7 / 3);
        bk_turned_to(&t, &of); /* the first request does not turn */
        assert_true(bk_turned_to(&t, &of));
        for (uint32_t at = 0; at < 64 * slices[i]; at++)
            assert_true(t.code[at % 64 * slices[i] + at / 64] == code[at]);
        assert_true(t.room >= 64 * slices[i]);
        t.of.code = NULL; /* malloc() may put the next codes in the same place */
        free(code);
    }
    bk_turned_release(&t);
}

/* == Bytes == */

static void bytes__both_versions_say_the_same(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (unsigned turn = 0; turn < 2000; turn++) {
        uint8_t byte[64];
        uint64_t a[8] = { 0 }, b[8] = { 0 };
        struct bk_bytes_sorted x, y;
        unsigned most = random_once_in(&seed, 2) ? 256 : 4, n = 1 + random_below(&seed, 8);

        for (unsigned i = 0; i < 64; i++)
            byte[i] = (uint8_t)(random_below(&seed, most) + 254 * random_once_in(&seed, 3));
        x = bk_bytes_sort(byte);
        y = bk_bytes_sort_portable(byte);
        assert_memory_equal(&x, &y, sizeof x);
        bk_bytes_planes(byte, n, a, 1);
        bk_bytes_planes_portable(byte, n, b, 1);
        assert_memory_equal(a, b, sizeof a);
        for (unsigned i = 0; i < 64; i++) {
            assert_int_equal(x.zero >> i & 1, byte[i] == 0);
            assert_int_equal(x.one >> i & 1, byte[i] == 1);
            assert_int_equal(x.top >> i & 1, byte[i] >> 7);
            for (unsigned bit = 0; bit < n; bit++)
                assert_int_equal(a[bit] >> i & 1, byte[i] >> bit & 1);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes__both_versions_say_the_same),
        cmocka_unit_test(turned__makes_room_for_a_larger_one),
        cmocka_unit_test(source__tells_what_the_move_generator_says),
        cmocka_unit_test(source__tells_the_same_of_wide_codes),
        cmocka_unit_test(source__tells_the_same_without_distances),
        cmocka_unit_test(source__tells_the_same_of_boards_of_any_width),
        cmocka_unit_test(source__tells_what_the_move_generator_says_of_random_games),
    };

    if (argc > 1)
        rows_apart = (unsigned)atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
