/*
 * test_exits.c - exits are the legal moves after which another material stands on the board; and no
 * two moves have one name.
 *
 * Oracle: the plain list of legal moves, each played, and the materials compared.  Positions are
 * random men on random squares and what random play makes of them, in our games and in random
 * ones (random_variant.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/finish.h"
#include "core/load.h"
#include "core/move.h"
#include "core/rules.h"
#include "table/material.h"
#include "tests/random_variant.h"

#define PLIES 6

struct seen {
    unsigned positions, with_exits, thought_so;
};

/* Does a move change the material?  Captures in passing are not asked here. */
static bool changes_material(const struct bk_variant *v, const struct bk_pos *p,
                             const struct bk_move *m)
{
    struct bk_material before, after;
    struct bk_pos next = *p;

    bk_material_of(&before, v, p);
    bk_pos_play(&next, v, m);
    bk_material_of(&after, v, &next);
    return !bk_material_equal(&before, &after);
}

static bool same_move(const struct bk_move *a, const struct bk_move *b)
{
    return a->from == b->from && a->to == b->to && a->becomes == b->becomes &&
           a->takes == b->takes && a->also == b->also && a->castles == b->castles;
}

static void compare_exits(const struct bk_variant *v, const struct bk_pos *p, struct seen *seen)
{
    static struct bk_move legal[BK_MOVES_MAX], exits[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, p, legal), k = bk_moves_exits(v, p, exits), real = 0, want = 0;

    for (unsigned i = 0; i < k; i++) {
        struct bk_pos after = *p;

        bk_pos_play(&after, v, &exits[i]);
        if (bk_pos_legal(v, &after))
            exits[real++] = exits[i];
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned found = 0;

        if (!changes_material(v, p, &legal[i]) || legal[i].creates || legal[i].destroys)
            continue;
        want++;
        for (unsigned j = 0; j < real; j++)
            found += same_move(&legal[i], &exits[j]);
        if (found != 1) {
            char fen[BK_FEN_MAX], name[16];

            fail_msg("%s: %s: %s is found %u times", v->name, bk_pos_to_fen(p, v, fen),
                     bk_move_name(v, &legal[i], name), found);
        }
    }
    assert_int_equal(real, want);
    assert_true(bk_exits_may_be(v, p) || !want);
    seen->positions++;
    seen->with_exits += want > 0;
    seen->thought_so += bk_exits_may_be(v, p);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Fails if two moves of a position have one name, en passant and castling included. */
static void compare_names(const struct bk_variant *v, const struct bk_pos *p)
{
    static struct bk_move move[BK_MOVES_MAX];
    static char name[BK_MOVES_MAX][16];
    unsigned n = bk_moves_legal(v, p, move);

    for (unsigned i = 0; i < n; i++)
        bk_move_name(v, &move[i], name[i]);
    qsort(name, n, sizeof name[0], by_name);
    for (unsigned i = 1; i < n; i++)
        if (!strcmp(name[i - 1], name[i])) {
            char fen[BK_FEN_MAX];

            fail_msg("%s: %s: two moves are %s", v->name, bk_pos_to_fen(p, v, fen), name[i]);
        }
}

/* Checks a position and those that random play makes of it. */
static void play_on(const struct bk_variant *v, struct bk_pos p, uint64_t *seed, struct seen *seen)
{
    static struct bk_move move[BK_MOVES_MAX];

    for (unsigned ply = 0; ply < PLIES; ply++) {
        unsigned n;

        compare_names(v, &p);
        p.ep = BK_SQ_NONE;
        compare_exits(v, &p, seen);
        n = bk_moves_legal(v, &p, move);
        if (!n)
            return;
        bk_pos_play(&p, v, &move[random_below(seed, n)]);
    }
}

/* Puts a man on a random square; false: 100 tries found none. */
static bool put_somewhere(struct bk_pos *p, const struct bk_variant *v, unsigned type,
                          unsigned colour, uint64_t *seed)
{
    for (unsigned tries = 0; tries < 100; tries++) {
        unsigned sq = random_below(seed, v->nsq);

        if (!p->at[sq] && bk_rules_may_stand(v, type, colour, sq)) {
            bk_pos_put(p, v, type, colour, sq);
            return true;
        }
    }
    return false;
}

static bool draw(struct bk_pos *p, const struct bk_variant *v, uint64_t *seed)
{
    unsigned men = 1 + random_below(seed, 6);

    bk_pos_init(p, v);
    p->stm = (uint8_t)random_below(seed, 2);
    if (!put_somewhere(p, v, v->royal, BK_WHITE, seed) ||
        !put_somewhere(p, v, v->royal, BK_BLACK, seed))
        return false;
    while (men--) {
        unsigned type = random_below(seed, v->ntypes);

        if (type != v->royal && !put_somewhere(p, v, type, random_below(seed, 2), seed))
            return false;
    }
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < v->ntypes; type++)
            if (p->left[colour][type] && random_once_in(seed, 2))
                p->left[colour][type]--;
    return bk_pos_legal(v, p);
}

static void compare_game(const struct bk_variant *v, unsigned n, uint64_t *seed, struct seen *seen)
{
    struct bk_pos p;

    for (unsigned i = 0; i < n; i++)
        if (draw(&p, v, seed))
            play_on(v, p, seed, seen);
}

static void exits__are_the_moves_that_change_the_material(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct seen seen = { 0 };
        struct bk_variant *v;

        assert_int_equal(bk_variant_load(&v, e->name, NULL), BK_OK);
        compare_game(v, 300, &seed, &seen);
        assert_true(seen.with_exits > 0);
        print_message("%s: %u positions, %u with exits, %u thought so\n", v->name, seen.positions,
                      seen.with_exits, seen.thought_so);
        bk_variant_free(v);
    }
}

static void exits__are_so_in_random_games(void **state)
{
    struct seen seen = { 0 };

    (void)state;
    for (uint64_t game = 1; game <= 300; game++) {
        struct bk_variant *v = calloc(1, sizeof *v);
        struct random_opts opts = { .features = game % 2 ? RANDOM_RAREST : RANDOM_ALL };
        uint64_t seed = game;

        random_variant(v, &seed, &opts);
        assert_int_equal(bk_variant_finish(v, NULL), BK_OK);
        compare_game(v, 20, &seed, &seen);
        bk_variant_free(v);
    }
    assert_true(seen.positions > 10000);
}

static void exits__include_moves_that_end_a_castling_right(void **state)
{
    static const char *const fen[] = { "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
                                       "r3k2r/p7/8/8/8/8/7P/R3K2R b KQkq - 0 1",
                                       "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1" };
    struct seen seen = { 0 };
    struct bk_variant *v;
    uint64_t seed = 7;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "chess", NULL), BK_OK);
    for (unsigned i = 0; i < 600; i++) {
        struct bk_pos p;

        assert_int_equal(bk_pos_from_fen(&p, v, fen[i % 3], NULL), BK_OK);
        play_on(v, p, &seed, &seen);
    }
    assert_true(seen.with_exits > 600);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exits__are_the_moves_that_change_the_material),
        cmocka_unit_test(exits__are_so_in_random_games),
        cmocka_unit_test(exits__include_moves_that_end_a_castling_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
