/*
 * test_pace.c - how far a build has come, and what is left of it: tb/memory/meter.h,
 * tb/make/pace.h, tb/encode/work.h. The clock is the test's.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tb/make/pace.h"
#include "tests/made.h"
#include "tests/proof.h"

/* A build that was foretold: by table, the work, and how many times as long it takes. */
struct course {
    unsigned tables;
    double work[8][BK_WORKS], slow[8][BK_WORKS];
    double per; /* the pace that is known before */
};

/* Runs a course in steps of which `steps` are a table's work of a kind, and looks five times a
   second.  Fails if time goes back, stands still, or the time left is not within `factor` of the
   truth from a tenth of the way on, up to the last twentieth. */
static void run(const struct course *c, unsigned steps, double factor)
{
    const double per[BK_WORKS] = { c->per, c->per };
    struct bk_pace p = bk_pace_of(per);
    double whole = 0, now = 1000, before = -1, stood = 0;

    for (unsigned t = 0; t < c->tables; t++)
        for (unsigned w = 0; w < BK_WORKS; w++) {
            whole += c->work[t][w] * c->slow[t][w];
            p.later[w] += c->work[t][w];
        }
    for (unsigned t = 0; t < c->tables; t++) {
        struct bk_metered at = { .table = t };

        for (unsigned w = 0; w < BK_WORKS; w++)
            p.later[w] -= c->work[t][w];
        for (unsigned i = 0; i < BK_WORKS * steps; i++) {
            double takes, ends;

            at.now = i / steps;
            takes = c->work[t][at.now] * c->slow[t][at.now] / steps;
            at.step = 1.0 / steps;
            at.since = now;
            for (ends = now + takes; now < ends; now += 0.2) {
                struct bk_ahead a = bk_pace_look(&p, c->work[t], &at, now);
                double past = now - 1000, left = whole - past;

                assert_true(a.share >= before && a.share <= 1);
                stood = a.share > before ? 0 : stood + 0.2;
                assert_true(stood <= whole / 4 || a.share > 0.9);
                before = a.share;
                if (past < whole / 10 || left < whole / 20)
                    continue;
                if (a.left > left * factor || a.left < left / factor)
                    fail_msg("after %.1f of %.1f s: %.1f left, and %.1f are said", past, whole,
                             left, a.left);
            }
            now = ends;
            at.done[at.now] += at.step;
            at.spent[at.now] += takes;
            at.step = 0;
        }
        bk_pace_made(&p, c->work[t], &at);
    }
}

static void pace__as_foretold_is_right_all_the_while(void **state)
{
    const struct course c = {
        3, { { 2, 10 }, { 1, 30 }, { 5, 60 } }, { { 1, 1 }, { 1, 1 }, { 1, 1 } }, 1
    };

    (void)state;
    run(&c, 1, 1.2);
    run(&c, 10, 1.05);
}

/* A machine of another speed than was known. */
static void pace__is_learned_within_a_tenth_of_the_way(void **state)
{
    const struct course c = { 4,
                              { { 2, 10 }, { 1, 8 }, { 5, 60 }, { 2, 12 } },
                              { { 3, 3 }, { 3, 3 }, { 3, 3 }, { 3, 3 } },
                              1 },
                        quick = { 4,
                                  { { 2, 10 }, { 1, 8 }, { 5, 60 }, { 2, 12 } },
                                  { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } },
                                  3 };

    (void)state;
    run(&c, 10, 1.5);
    run(&quick, 10, 1.5);
}

/* Tables take up to 1.3 times as long as was foretold, or 0.8 times. */
static void pace__forgives_tables_that_are_foretold_badly(void **state)
{
    const struct course c = {
        6,
        { { 2, 10 }, { 2, 20 }, { 5, 30 }, { 2, 12 }, { 1, 9 }, { 3, 15 } },
        { { 1.3, 0.8 }, { 1, 1.3 }, { 0.8, 0.8 }, { 1, 1.3 }, { 1.3, 1 }, { 1, 0.8 } },
        1
    };

    (void)state;
    run(&c, 4, 1.5);
}

/* What a checkpoint had takes no time, and is not what the pace is learned from. */
static void pace__passes_over_what_was_there(void **state)
{
    const double per[BK_WORKS] = { 1, 1 }, work[BK_WORKS] = { 10, 100 };
    struct bk_pace p = bk_pace_of(per);
    struct bk_metered at = {
        .done = { 1, 0.5 }, .skipped = { 1, 0.5 }, .now = BK_ENCODING, .step = 0.1, .since = 5
    };
    struct bk_ahead a = bk_pace_look(&p, work, &at, 5);

    (void)state;
    assert_true(a.left > 49.9 && a.left < 50.1);
    assert_true(a.share < 0.001);
}

/* == The meter == */

static void meter__counts_steps_when_the_next_one_begins(void **state)
{
    struct bk_meter *m;
    struct bk_metered at;

    (void)state;
    assert_int_equal(bk_meter_new(&m, NULL), BK_OK);
    bk_meter_table(m, 7, 0.5); /* the other half is tables that are solved anew for it */
    at = bk_meter_read(m);
    assert_true(at.table == 7 && at.now == BK_SOLVING && at.step == 0.5 && at.done[0] == 0);
    bk_meter_again(m);
    bk_meter_step(m, BK_SOLVING, 0.5);
    at = bk_meter_read(m);
    assert_true(at.done[BK_SOLVING] == 0.5 && at.step == 0.25);
    bk_meter_done(m, BK_SOLVING, 0.25);
    at = bk_meter_read(m);
    assert_true(at.done[BK_SOLVING] == 0.625 && at.step == 0.125);
    bk_meter_step(m, BK_ENCODING, 0.75);
    bk_meter_done(m, BK_ENCODING, 5); /* no more than the step is */
    at = bk_meter_read(m);
    assert_true(at.done[BK_SOLVING] == 0.75 && at.done[BK_ENCODING] == 0.75 && at.step == 0);
    bk_meter_step(m, BK_ENCODING, 1); /* nor more than there is */
    at = bk_meter_read(m);
    assert_true(at.step == 0.25 && at.spent[BK_SOLVING] >= 0);
    bk_meter_skip(m, BK_SOLVING, 0.25);
    at = bk_meter_read(m);
    assert_true(at.skipped[BK_SOLVING] == 0.125 && at.done[BK_SOLVING] == 0.875);
    bk_meter_free(m);
    bk_meter_step(NULL, BK_SOLVING, 1); /* nobody watches */
}

static void meter__shortens_the_present_step_by_what_is_not_needed(void **state)
{
    struct bk_meter *m;
    struct bk_metered at;

    (void)state;
    assert_int_equal(bk_meter_new(&m, NULL), BK_OK);
    bk_meter_table(m, 0, 1);
    bk_meter_step(m, BK_ENCODING, 0.5);
    bk_meter_skip_now(m, BK_ENCODING, 0.25);
    at = bk_meter_read(m);
    assert_true(at.step == 0.25 && at.done[BK_ENCODING] == 0.25 && at.skipped[BK_ENCODING] == 0.25);
    bk_meter_skip_now(m, BK_ENCODING, -0.5); /* there is more to do than was foretold */
    bk_meter_skip_now(m, BK_SOLVING, 0.5);   /* the step is of the other kind */
    at = bk_meter_read(m);
    assert_true(at.step == 0.75 && at.done[BK_ENCODING] == -0.25 && at.done[BK_SOLVING] == 0);
    bk_meter_skip_now(m, BK_ENCODING, 5); /* no more than the step is */
    at = bk_meter_read(m);
    assert_true(at.step == 0 && at.done[BK_ENCODING] == 0.5);
    bk_meter_free(m);
    bk_meter_skip_now(NULL, BK_ENCODING, 1);
}

/* == A unit == */

/* Encodes a unit that was foretold to take `bytes` of a file and to be all of the table's encoding.
   Returns what the meter says in the end. */
static struct bk_metered metered(const struct made_table *t, struct made how, double bytes,
                                 bool beside)
{
    struct bk_unit_source src = made_source(t, &how);
    struct bk_unit_options o = { .effort = BK_EFFORT_NORMAL,
                                 .memory_bytes = 1 << 24,
                                 .beside = beside };
    struct made_bytes shards;
    struct bk_metered at;
    struct bk_unit unit;

    o.known = (struct bk_unit_known){
        .numbers = t->ix->positions, .squares = 64, .effort = o.effort, .bytes = bytes
    };
    o.work = bk_unit_work_of(&o.known).all;
    assert_int_equal(bk_meter_new(&o.meter, NULL), BK_OK);
    bk_meter_table(o.meter, 0, 1);
    bk_meter_step(o.meter, BK_ENCODING,
                  beside ? 1 : bk_unit_work_of(&o.known).pass[BK_PASS_SAMPLE] / o.work);
    unit = made_encode_with(&src, &o, 1, &shards);
    bk_meter_step(o.meter, BK_ENCODING, 0);
    at = bk_meter_read(o.meter);
    bk_meter_free(o.meter);
    bk_unit_release(&unit);
    free(shards.at);
    return at;
}

static void unit__tells_the_meter_how_much_work_it_turns_out_to_be(void **state)
{
    struct made_table t = made_table("shatranj", "KRvKN");
    const struct made easy = { .bits = 2, .words = 1, .values = 1, .seed = 1 },
                      hard = { .bits = 2, .words = 1, .values = 3, .noise_in_256 = 128, .seed = 1 };

    (void)state;
    for (unsigned beside = 0; beside < 2; beside++) {
        struct bk_metered at = metered(&t, easy, 1e6, beside);

        assert_true(fabs(at.done[BK_ENCODING] - 1) < 1e-6);
        assert_true(at.done[BK_ENCODING] - at.skipped[BK_ENCODING] < 0.3);
        at = metered(&t, hard, 1e4, beside);
        assert_true(fabs(at.done[BK_ENCODING] - 1) < 1e-6);
        assert_true(at.done[BK_ENCODING] - at.skipped[BK_ENCODING] > 1.5);
    }
    made_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pace__as_foretold_is_right_all_the_while),
        cmocka_unit_test(pace__is_learned_within_a_tenth_of_the_way),
        cmocka_unit_test(pace__forgives_tables_that_are_foretold_badly),
        cmocka_unit_test(pace__passes_over_what_was_there),
        cmocka_unit_test(meter__counts_steps_when_the_next_one_begins),
        cmocka_unit_test(meter__shortens_the_present_step_by_what_is_not_needed),
        cmocka_unit_test(unit__tells_the_meter_how_much_work_it_turns_out_to_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
