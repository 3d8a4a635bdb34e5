/*
 * test_samples.c - what is drawn of a unit before it is encoded: rows to learn from, as many as are
 * worth it, and positions by which its size is foretold.
 *
 * Oracles: samples taken one by one; the plain move generator upon solved tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/attack.h"
#include "core/move.h"
#include "table/index_new.h"
#include "tb/encode/foretell.h"
#include "tb/encode/sample.h"
#include "tb/encode/worth.h"
#include "tests/given.h"
#include "tests/made.h"
#include "tests/solved.h"

/* == Rows to learn from == */

static void same_sample(const struct bk_sample *a, const struct bk_sample *b, unsigned bits)
{
    assert_int_equal(a->positions, b->positions);
    assert_int_equal(a->covered, b->covered);
    assert_int_equal(a->partly, b->partly);
    for (size_t j = 0; j < a->facts + bits + 1; j++)
        assert_memory_equal(a->bits + j * a->room, b->bits + j * b->room, a->positions / 64 * 8);
}

static void samples__are_the_same_together_and_apart(void **state)
{
    struct made_table t = made_table("grand-shatranj", "KJvKH");
    struct made made[3] = { { .bits = 2, .seed = 1, .values = 3, .free_in_16 = 4 },
                            { .bits = 2, .seed = 2, .values = 3, .least_in_16 = 4 },
                            { .bits = 6, .seed = 3, .values = 60, .free_in_16 = 12 } };
    struct bk_unit_source src[3];
    const struct bk_unit_source *all[3];
    const uint32_t fewer[3] = { 300, 900, 200 };
    struct bk_sample together[3] = { { 0 } }, apart = { 0 };
    struct bk_pool *pool;
    struct bk_report why;
    uint64_t bytes = 0;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        src[i] = made_source(&t, &made[i]);
        all[i] = &src[i];
    }
    assert_int_equal(bk_pool_open(&pool, 2, &why), BK_OK);
    assert_int_equal(
        bk_samples_take(together, all, 3, BK_EFFORT_FAST, UINT64_MAX, pool, NULL, &why), BK_OK);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(together[i].partly && together[i].positions > 1000);
        assert_int_equal(bk_samples_take(&apart, &all[i], 1, BK_EFFORT_FAST, 0, pool, NULL, &why),
                         BK_OK);
        same_sample(&apart, &together[i], src[i].bits);
        bk_sample_release(&apart);
    }
    for (unsigned i = 0; i < 3; i++)
        bk_sample_release(&together[i]);
    /* with fewer rows, too, whichever unit learns from the most */
    for (unsigned i = 0; i < 3; i++)
        together[i].rows = fewer[i];
    assert_int_equal(
        bk_samples_take(together, all, 3, BK_EFFORT_FAST, UINT64_MAX, pool, NULL, &why), BK_OK);
    for (unsigned i = 0; i < 3; i++) {
        apart.rows = fewer[i];
        assert_int_equal(bk_samples_take(&apart, &all[i], 1, BK_EFFORT_FAST, 0, pool, NULL, &why),
                         BK_OK);
        same_sample(&apart, &together[i], src[i].bits);
        bytes += i < 2 ? apart.first_bytes : apart.first_bytes * 3 / 4;
        bk_sample_release(&apart);
    }
    for (unsigned i = 0; i < 3; i++)
        bk_sample_release(&together[i]);
    /* the third does not fit beside both others, though it would beside one */
    assert_int_equal(bk_samples_take(together, all, 3, BK_EFFORT_FAST, bytes, pool, NULL, &why),
                     BK_OK);
    assert_true(together[0].bits && together[1].bits && !together[2].bits);
    for (unsigned i = 0; i < 2; i++)
        bk_sample_release(&together[i]);
    /* without memory for more, the first alone is taken */
    assert_int_equal(bk_samples_take(together, all, 3, BK_EFFORT_FAST, 0, pool, NULL, &why), BK_OK);
    assert_true(together[0].bits && !together[1].bits && !together[2].bits);
    bk_sample_release(&together[0]);
    bk_pool_close(pool);
    made_table_free(&t);
}

/* Only counting all rows tells if the list has room for them: on small boards rows are short. */
static void samples__are_of_no_more_rows_than_are_listed(void **state)
{
    struct made_table t = made_table("shatranj", "KPvKN");
    struct made m = { .bits = 2, .values = 3 };
    struct bk_unit_source src = made_source(&t, &m);
    const struct bk_unit_source *all = &src;
    struct bk_unit_size size = { .rows = bk_rows_count(t.rows),
                                 .numbers = src.end,
                                 .words = m.words,
                                 .board_words = bk_facts_board_words(src.facts),
                                 .bits = 2 };
    uint64_t listed = bk_sample_list_bytes(&size, BK_EFFORT_FAST) / sizeof(uint64_t);
    struct bk_sample sample = { .rows = 100 };
    struct bk_report why;

    (void)state;
    assert_true(src.end / BK_SQ_MAX < listed && bk_rows_count(t.rows) > listed);
    assert_int_equal(bk_samples_take(&sample, &all, 1, BK_EFFORT_FAST, 0, NULL, NULL, &why), BK_OK);
    assert_true(sample.partly);
    bk_sample_release(&sample);
    made_table_free(&t);
}

static enum bk_err cannot_fetch(void *context, const uint64_t *number, uint32_t n,
                                struct bk_report *why)
{
    (void)context;
    (void)number;
    return bk_fail(why, BK_E_SYSTEM, "%u rows are far away", n);
}

static void samples__say_what_whoever_fetches_rows_said(void **state)
{
    struct made_table t = made_table("shatranj", "KRvK");
    struct made m = { .bits = 2, .values = 3 };
    struct bk_unit_source src = made_source(&t, &m);
    const struct bk_unit_source *all = &src;
    struct bk_sample sample = { .rows = 100 };
    struct bk_report why;

    (void)state;
    src.fetch = cannot_fetch;
    assert_int_equal(bk_samples_take(&sample, &all, 1, BK_EFFORT_FAST, 0, NULL, NULL, &why),
                     BK_E_SYSTEM);
    assert_non_null(strstr(why.text, "far away"));
    assert_null(sample.bits);
    made_table_free(&t);
}

/* A unit is learned from the least rows where the first tree leaves little open, from all that are
   allowed where it leaves much, and between these from one more for each byte that it leaves.
   by_themselves: units are also asked about one by one, and with other efforts. */
static void rows_are_worth(const char *game, const char *name, bool by_themselves)
{
    static struct bk_logs logs;
    struct made_table t = made_table(game, name);
    const uint64_t numbers = 400000000; /* of a unit, at most */
    uint32_t words = bk_facts_words(t.facts), least = (1 << 16) / words, most = (6 << 16) / words;
    struct made made[] = {
        { .bits = 2, .values = 3, .plain = true },
        { .bits = 6, .values = 60, .plain = true },
        { .bits = 2, .values = 3, .noise_in_256 = 100 }, /* whatever facts tell of the rest */
        { .bits = 2, .values = 3, .plain = true, .noise_in_256 = 1, .free_in_16 = 12 }
    };
    struct bk_unit_source src[4];
    const struct bk_unit_source *all[4];
    struct bk_sample sample[4], alone;
    struct bk_pool *pool;
    struct bk_report why;

    bk_logs_init(&logs);
    for (unsigned i = 0; i < 4; i++) {
        src[i] = made_source(&t, &made[i]);
        src[i].end = src[i].end < numbers ? src[i].end : numbers;
        all[i] = &src[i];
    }
    assert_int_equal(bk_pool_open(&pool, 2, &why), BK_OK);
    assert_int_equal(bk_rows_worth(sample, all, 4, BK_EFFORT_NORMAL, &logs, pool, NULL, &why),
                     BK_OK);
    assert_int_equal(sample[0].rows, least);
    assert_int_equal(sample[1].rows, least);
    assert_int_equal(sample[2].rows, most);
    assert_in_range(sample[3].rows, least + 1, most - 1);
    for (unsigned i = 0; by_themselves && i < 4; i++) { /* on whatever threads */
        assert_int_equal(
            bk_rows_worth(&alone, &all[i], 1, BK_EFFORT_NORMAL, &logs, NULL, NULL, &why), BK_OK);
        assert_int_equal(alone.rows, sample[i].rows);
    }
    made[1].plain = false;
    made[1].noise_in_256 = 100;
    assert_int_equal(bk_rows_worth(&alone, &all[1], 1, BK_EFFORT_NORMAL, &logs, pool, NULL, &why),
                     BK_OK);
    assert_int_equal(alone.rows, 2 * least);
    for (enum bk_effort effort = BK_EFFORT_FAST; by_themselves && effort <= BK_EFFORT_BEST;
         effort += 2) {
        assert_int_equal(bk_rows_worth(sample, all, 4, effort, &logs, pool, NULL, &why), BK_OK);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(sample[i].rows, bk_sample_most(all[i], effort));
    }
    bk_pool_close(pool);
    made_table_free(&t);
}

static void rows__are_as_many_as_are_worth_it(void **state)
{
    (void)state;
    rows_are_worth("shatranj", "KBPvKR", true);
    rows_are_worth("grand-shatranj", "KJHvKM", false); /* rows of two words: half as many */
}

/* == Positions that exits win == */

/* Counts exits in every seventh position, by the plain generator and solved tables. */
static struct bk_drawn count_exits(struct solved *s, const struct bk_index *ix, unsigned side)
{
    struct bk_drawn out = { 0 };

    for (uint64_t number = 0; number < ix->positions; number += 7) {
        struct bk_move move[BK_MOVES_MAX];
        bool exits = false, wins = false;
        struct bk_placement at;
        struct bk_pos p;
        unsigned n;

        out.n++;
        bk_index_unrank(ix, number, &at);
        if (!bk_index_position(ix, &at, side, &p) || !bk_pos_legal(ix->v, &p))
            continue;
        out.legal++;
        n = bk_moves_legal(ix->v, &p, move);
        for (unsigned i = 0; i < n; i++)
            if (move[i].takes != BK_SQ_NONE) {
                struct bk_pos next = p;

                bk_pos_play(&next, ix->v, &move[i]);
                exits = true;
                wins = wins || solved_value_of(s, &next).wdl < 0;
            }
        out.exits += exits;
        out.wins += wins;
    }
    return out;
}

static unsigned per_mille(unsigned some, unsigned all)
{
    return (unsigned)(UINT64_C(1000) * some / all);
}

/* Checks that a / all and b / of differ by at most `apart` in 1000. */
static void near(unsigned a, unsigned all, unsigned b, unsigned of, unsigned apart)
{
    unsigned x = per_mille(a, all), y = per_mille(b, of);

    if (x + apart < y || y + apart < x)
        fail_msg("%u and %u of 1000", x, y);
}

/* Where each side has one man, taking the other's man wins if the bare king has lost by rule, or
   will be mated: a rook mates him, a bishop or a knight does not. */
static void drawn__are_the_positions_that_an_exit_wins(void **state)
{
    static const char *const game[] = { "", "bare-king = wins-unless-bared-back\n" };
    static const char *const name[] = { "KRvKB", "KRvKR", "KNvKB", "KRBvKR" };

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const struct solved_options how = { 0 };
        struct bk_material m;
        struct bk_variant *v;
        struct solved *s;
        struct bk_index *ix;
        char text[512];

        snprintf(text, sizeof text,
                 "[variant]\nname = five\ntitle = Five\nsource = none\nboard = 5x5\n%s"
                 "stalemate = draw\n[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                 "[piece rook]\nletter = R\nmove = R\n[piece bishop]\nletter = B\nmove = B\n"
                 "[piece knight]\nletter = N\nmove = N\n",
                 game[i / 4]);
        v = parse(text);
        m = material(v, name[i % 4]);
        bk_material_canonical(&m, v);
        s = solved_new(v, &how);
        assert_non_null(solved_table(s, &m));
        assert_int_equal(bk_index_new(&ix, v, &m, NULL, NULL), BK_OK);
        for (unsigned side = 0; side < 2; side++) {
            const struct bk_unit_place all = { .side = side, .end = ix->positions };
            struct bk_drawn want = count_exits(s, ix, side), d;

            bk_draw_positions(&d, ix, &all, 8192);
            near(d.legal, d.n, want.legal, want.n, 15);
            if (i % 4 < 3) {
                near(d.wins, d.n, want.wins, want.n, 15);
                near(d.exits, d.n, want.exits, want.n, 30); /* some leave the king in check */
            } else if (side)                                /* a man is left: no win is certain */
                assert_int_equal(d.wins, 0);
            assert_int_equal(d.ends, i < 4 ? 0 : d.wins);
        }
        bk_index_free(ix);
        solved_free(s);
        bk_variant_free(v);
    }
}

/* Stored results of 100 positions: legal ones that no exit wins, plus one for chance.  Where exits
   win few, and the side to move wins more, without three of four others that have exits, too. */
static void drawn__adds_up_to_a_share(void **state)
{
    const struct bk_drawn some = { .n = 200, .legal = 160, .exits = 60, .wins = 40, .ends = 20 };
    const struct bk_drawn won = { .n = 100, .legal = 80, .exits = 60, .wins = 50, .ends = 50 };
    const struct bk_drawn most = { .n = 100, .legal = 100, .exits = 90, .wins = 30 };
    const struct bk_drawn few = { .n = 100, .legal = 10, .ends = 5 };

    (void)state;
    assert_int_equal(bk_drawn_results_alone(&some), 81);
    assert_int_equal(bk_drawn_results(&some, BK_WINS_LESS), 61);
    assert_int_equal(bk_drawn_results(&some, BK_WINS_EVEN), 61);
    assert_int_equal(bk_drawn_results(&some, BK_WINS_MORE), 54); /* 20 + 0.75 * 10 */
    assert_int_equal(bk_drawn_results(&won, BK_WINS_MORE), 31);
    assert_int_equal(bk_drawn_results(&most, BK_WINS_MORE), 61); /* no more than 40 */
    assert_int_equal(bk_drawn_distances(&some, BK_WINS_MORE), 70);
    assert_int_equal(bk_drawn_distances(&some, BK_WINS_EVEN), 40);
    assert_int_equal(bk_drawn_distances(&some, BK_WINS_LESS), 10);
    assert_int_equal(bk_drawn_distances(&won, BK_WINS_MORE), 31);
    assert_int_equal(bk_drawn_distances(&few, BK_WINS_LESS), 6);
    assert_int_equal(bk_drawn_results_alone(&(struct bk_drawn){ .n = 9, .legal = 9 }), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples__are_the_same_together_and_apart),
        cmocka_unit_test(samples__are_of_no_more_rows_than_are_listed),
        cmocka_unit_test(samples__say_what_whoever_fetches_rows_said),
        cmocka_unit_test(rows__are_as_many_as_are_worth_it),
        cmocka_unit_test(drawn__are_the_positions_that_an_exit_wins),
        cmocka_unit_test(drawn__adds_up_to_a_share),
    };

    return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
