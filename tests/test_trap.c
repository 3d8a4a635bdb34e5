/*
 * test_trap.c - how the engine chooses among moves that draw.
 *
 * Oracle: the library's value and distance of every reply.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/game.c"
#include "engine/trap.c"
#include "engine/value.c"
#include "tests/built.h"
#include "tests/given.h"
#include "tests/handle.h"

static struct be_game game;
static struct be_values values;

static int set_up(void **state)
{
    struct bk_report why;

    built_set_up(state);
    if (be_game_open(&game, "shatranj", &why) || be_game_tables(&game, built.dir, &why))
        fail_msg("%s", why.text);
    be_values_of(&values, game.v);
    return 0;
}

static int tear_down(void **state)
{
    be_game_close(&game);
    return built_tear_down(state);
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static struct be_trap trap_of(uint64_t positions)
{
    return (struct be_trap){ &game, &values, positions, never, NULL, .stopped = false };
}

/* A drawn position of KRvKN, and its FEN. */
static struct be_board drawn(struct bk_lib *lib, uint64_t *seed, char fen[BK_FEN_MAX])
{
    struct be_board b;
    struct bk_report why;
    int wdl;

    do
        assert_int_equal(be_game_read(&game, &b, built_fen(fen, game.v, "KRvKN", seed), &why), 0);
    while (be_end_now(&game, &b, &wdl) != BE_GOES_ON || answer_to(lib, fen).wdl);
    return b;
}

/* Of the replies by the library: how many lose, in `from` plies or more, counted from after them.
 */
static unsigned losing(struct bk_lib *lib, const char *fen, int from)
{
    struct bk_lib_move move[256];
    unsigned lose = 0;
    size_t n;

    assert_int_equal(bk_probe_moves(lib, fen, move, 256, &n), BK_LIB_OK);
    for (size_t i = 0; i < n; i++)
        lose += move[i].wdl < 0 && move[i].dtw - 1 >= from;
    return lose;
}

static void trap__a_loss_that_all_see_is_none(void **state)
{
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    unsigned near = 0, far = 0;
    uint64_t seed = 5;

    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        struct be_trap t = trap_of(BE_TRAP_POSITIONS);
        char fen[BK_FEN_MAX];
        struct be_board b = drawn(lib, &seed, fen);
        double chance = be_trap_chance(&t, &b, 0);

        assert_false(t.stopped);
        assert_true(chance >= 0 && chance < 1);
        assert_int_equal(chance > 0, losing(lib, fen, 4) > 0);
        near += losing(lib, fen, 0) && !losing(lib, fen, 4);
        far += chance > 0;
    }
    assert_true(near > 10 && far > 10);
    bk_close(lib);
}

static void trap__ends_with_its_positions_or_its_time(void **state)
{
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    uint64_t seed = 6;
    char fen[BK_FEN_MAX];
    struct be_board b = drawn(lib, &seed, fen);
    struct be_trap t = trap_of(100);

    (void)state;
    be_trap_chance(&t, &b, 3);
    assert_true(t.stopped);
    assert_int_equal(t.left, 0);
    bk_close(lib);
}

/* == Against an opponent who errs == he plays any move at random, but none that loses at once */

static void err(struct be_board *b, uint64_t *seed)
{
    struct be_trap t = trap_of(1000);
    struct be_moves list = { .n = 0 };
    struct be_board after = *b;
    int wdl, plies;

    assert_true(be_moves_legal(&game, b, &list) && list.n);
    for (unsigned tries = 0; tries < 20; tries++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        after = *b;
        be_play(&game, &after, &list.move[(*seed >> 33) % list.n]);
        judge(&t, &after, &wdl, &plies);
        if (wdl <= 0 || unseen(plies) == 1)
            break;
    }
    *b = after;
    be_moves_release(&list);
}

/* Plays a move that holds: the one that leaves most to go wrong in; or any. */
static void hold(struct be_board *b, bool traps, uint64_t *seed)
{
    struct be_moves list = { .n = 0 };
    struct be_board best = *b;
    double most = -1;

    assert_true(be_moves_legal(&game, b, &list));
    for (size_t i = 0; i < list.n; i++) {
        struct be_board after = *b;
        struct be_trap t = trap_of(BE_TRAP_POSITIONS);
        double chance;
        int wdl, plies;

        be_play(&game, &after, &list.move[i]);
        judge(&t, &after, &wdl, &plies);
        if (wdl)
            continue;
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        chance = traps ? be_trap_chance(&t, &after, 0) : (double)(*seed >> 40) / (1 << 24);
        if (chance > most) {
            most = chance;
            best = after;
        }
    }
    assert_true(most >= 0);
    *b = best;
    be_moves_release(&list);
}

/* Has he lost within so many of his moves? */
static bool loses(struct be_board b, bool traps, uint64_t *seed)
{
    int wdl, plies;

    for (unsigned moves = 0; moves < 10; moves++) {
        struct be_trap t = trap_of(1000);

        hold(&b, traps, seed);
        if (be_end_now(&game, &b, &wdl) != BE_GOES_ON)
            return false;
        err(&b, seed);
        judge(&t, &b, &wdl, &plies);
        if (wdl || be_end_now(&game, &b, &wdl) != BE_GOES_ON)
            return wdl > 0;
    }
    return false;
}

static void trap__who_errs_loses_more_often(void **state)
{
    struct bk_lib *lib = lib_of("shatranj", built.dir);
    unsigned by_chance = 0, by_traps = 0;
    uint64_t seed = 7, play = 8;

    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        char fen[BK_FEN_MAX];
        struct be_board b = drawn(lib, &seed, fen);

        by_chance += loses(b, false, &play);
        by_traps += loses(b, true, &play);
    }
    print_message("of 200 he loses %u, and %u against any moves that hold\n", by_traps, by_chance);
    assert_true(by_traps > by_chance * 3 / 2);
    bk_close(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trap__a_loss_that_all_see_is_none),
        cmocka_unit_test(trap__ends_with_its_positions_or_its_time),
        cmocka_unit_test(trap__who_errs_loses_more_often),
    };

    return cmocka_run_group_tests_name("trap", tests, set_up, tear_down);
}
