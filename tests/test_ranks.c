/*
 * test_ranks.c - what several processes agree on and send each other (tb/memory/ranks.h), without
 * MPI (processes.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/chance.h"
#include "tb/memory/ranks.h"
#include "tests/processes.h"

/* Fails unless each of n processes ends with its own number of `status`; NULL: with 0. */
static void run(unsigned n, void (*work)(void), const int *status)
{
    int ended[PROCESSES_MOST];

    processes_run(n, work, ended);
    for (unsigned r = 0; r < n; r++)
        assert_int_equal(ended[r], status ? status[r] : 0);
}

/* == Beginning and ending == */

static void begin_together(void)
{
    struct bk_report why = { "mine" };
    int status = 77;
    char x = (char)rank;

    CHECK(bk_ranks() == 1 && bk_rank() == 0 && !bk_ranks_several());
    CHECK(bk_ranks_agree(rank ? BK_E_USAGE : BK_OK, &why) == (rank ? BK_E_USAGE : BK_OK));
    bk_ranks_first_says(&x, 1); /* to nobody, as yet */
    CHECK(x == (char)rank && !strcmp(why.text, "mine") && bk_transport_sent() == 0);
    CHECK(bk_ranks_wait(&status));
    bk_ranks_begin();
    bk_ranks_begin(); /* the first alone tells others, once */
    CHECK(bk_ranks() == ranks && bk_rank() == rank && bk_ranks_several());
    CHECK(bk_ranks_is_first() == !rank);
    bk_ranks_first_says(&x, 1);
    CHECK(x == 0);
    bk_ranks_end(5); /* nobody waits any more */
}

static void ranks__begin_together(void **state)
{
    (void)state;
    run(3, begin_together, NULL);
}

static void end_without_work(void)
{
    int status = 77;

    if (rank) {
        CHECK(!bk_ranks_wait(&status));
        CHECK(status == 6);
        bk_ranks_end(1); /* they have been let go, and end nobody */
    } else {
        bk_ranks_end(6);
    }
    CHECK(bk_ranks() == 1);
}

static void ranks__end_with_a_first_that_has_no_work_for_them(void **state)
{
    (void)state;
    run(4, end_without_work, NULL);
}

static void fail_early(void)
{
    bk_ranks_end((int)rank + 1);
    CHECK(rank == 0);
    _exit(3);
}

/* The others would wait for ever for one that has ended. */
static void ranks__one_that_fails_before_they_begin_ends_all(void **state)
{
    (void)state;
    run(2, fail_early, (const int[]){ 3, 2 });
}

/* == Agreeing == */

/* Agrees on an error; the ranks in the mask `failed` have one, with a text or without. */
static void agree(unsigned failed, bool text, bool asks)
{
    struct bk_report why = { "" };
    bool mine = failed >> rank & 1;
    unsigned lowest = (unsigned)__builtin_ctz(failed | 1u << ranks);
    enum bk_err err;

    if (mine && text)
        bk_report_write(&why, "no luck in %u", rank);
    err = bk_ranks_agree(mine ? (enum bk_err)(BK_E_USAGE + (int)rank) : BK_OK, asks ? &why : NULL);
    CHECK(err == (failed ? (enum bk_err)(BK_E_USAGE + (int)lowest) : BK_OK));
    if (!asks || !failed)
        return;
    if (lowest) {
        char begins[32], host[64] = "?", ends[200];

        gethostname(host, sizeof host - 1);
        snprintf(begins, sizeof begins, "rank %u on ", lowest);
        snprintf(ends, sizeof ends, "no luck in %u", lowest);
        CHECK(!strncmp(why.text, begins, strlen(begins)) && strstr(why.text, host));
        CHECK(strstr(why.text, text ? ends : bk_strerror(err)));
    } else {
        CHECK(!strcmp(why.text, text ? "no luck in 0" : ""));
    }
}

static void agree_on_everything(void)
{
    processes_begin();
    for (unsigned failed = 0; failed < 1u << ranks; failed++)
        for (unsigned i = 0; i < 4; i++)
            agree(failed, i & 1, i & 2);
}

static void ranks__agree_on_the_error_of_the_lowest(void **state)
{
    (void)state;
    run(3, agree_on_everything, NULL);
}

static void compare_numbers(void)
{
    struct bk_report why = { "" };

    processes_begin();
    CHECK(bk_ranks_same(7, "luck", &why) == BK_OK);
    CHECK(bk_ranks_same(rank == 2 ? UINT64_C(1) << 40 : 0, "luck", &why) == BK_E_USAGE);
    CHECK(!strncmp(why.text, "rank 2 on ", 10));
    CHECK(strstr(why.text, "luck differs from the first rank's"));
}

static void ranks__that_differ_are_named(void **state)
{
    (void)state;
    run(4, compare_numbers, NULL);
}

/* == Exchanging == */

/* The bytes from one rank to another in a round: none, few, and many; some that can be packed. */
static size_t length_of(unsigned round, unsigned from, unsigned to)
{
    static const size_t length[] = { 0, 1, 511, 512, 513, 4096, 70000, 300000 };

    return length[(round + 3 * from + to) % 8];
}

static uint8_t byte_of(unsigned round, unsigned from, unsigned to, size_t i)
{
    uint64_t x = ((round * 5 + from) * 5 + to) * UINT64_C(1000003) + i;

    if (round % 3 == 0)
        return i % 1000 == from ? (uint8_t)x : 0;
    return (uint8_t)bk_chance_of(x);
}

static void exchange_everything(void)
{
    struct bk_box *out, *in;
    uint64_t before, now;

    processes_begin();
    out = bk_boxes_new(ranks);
    in = bk_boxes_new(ranks);
    CHECK(out && in);
    for (unsigned round = 0; round < 24; round++) {
        uint64_t whole = 0;

        for (unsigned to = 0; to < ranks; to++)
            for (size_t i = 0; i < length_of(round, rank, to); i++)
                bk_box_put(&out[to], &(uint8_t){ byte_of(round, rank, to, i) }, 1);
        for (unsigned to = 0; to < ranks; to++)
            whole += to == rank ? 0 : length_of(round, rank, to);
        before = bk_transport_sent();
        CHECK(bk_ranks_exchange(out, in, round & 1, NULL) == BK_OK);
        before += bk_ranks_exchange_words(ranks);
        now = bk_transport_sent();
        CHECK(round & 1 ? now <= before + whole : now == before + whole);
        CHECK(!(round & 1) || round % 3 || whole < 100000 || now < before + whole / 10);
        CHECK(in[rank].n == 0 && out[rank].n == length_of(round, rank, rank));
        out[rank].n = 0;
        for (unsigned from = 0; from < ranks; from++) {
            if (from == rank)
                continue;
            CHECK(out[from].n == 0 && in[from].n == length_of(round, from, rank));
            for (size_t i = 0; i < in[from].n; i++)
                CHECK((uint8_t)in[from].at[i] == byte_of(round, from, rank, i));
        }
    }
    bk_boxes_free(out, ranks);
    bk_boxes_free(in, ranks);
}

static void ranks__exchange_what_each_has_for_each(void **state)
{
    (void)state;
    run(2, exchange_everything, NULL);
    run(3, exchange_everything, NULL);
}

static void exchange_without_memory(void)
{
    struct bk_box out[PROCESSES_MOST] = { { 0 } }, in[PROCESSES_MOST] = { { 0 } };
    struct bk_report why = { "" };

    processes_begin();
    for (unsigned r = 0; r < ranks; r++)
        bk_box_put(&out[r], "luck", 4);
    out[0].failed = rank == 1; /* what was put there is lost */
    CHECK(bk_ranks_exchange(out, in, false, &why) == BK_E_SYSTEM && *why.text);
    for (unsigned r = 0; r < ranks; r++)
        CHECK(r == rank || !out[r].n);
    for (unsigned r = 0; r < ranks; r++) /* and then there is memory again */
        bk_box_put(&out[r], "hope", 4);
    CHECK(bk_ranks_exchange(out, in, false, &why) == BK_OK);
    for (unsigned r = 0; r < ranks; r++)
        CHECK(r == rank || (in[r].n == 4 && !memcmp(in[r].at, "hope", 4)));
}

static void ranks__without_memory_in_one_send_nothing(void **state)
{
    (void)state;
    run(3, exchange_without_memory, NULL);
}

/* == Adding up == */

static void add_everything(void)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 100, 1001, 20000 };
    uint64_t *x = malloc(20000 * sizeof *x), *want = calloc(20000, sizeof *want);

    processes_begin();
    CHECK(x && want);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        memset(want, 0, 20000 * sizeof *want);
        for (unsigned r = 0; r < ranks; r++) {
            uint64_t state = 1000 * s + r;

            for (size_t i = 0; i < sizes[s]; i++) {
                uint64_t n = bk_chance_next(&state) >> bk_chance_next(&state) % 64;

                want[i] += n;
                if (r == rank)
                    x[i] = n;
            }
        }
        CHECK(bk_ranks_sum(x, sizes[s], NULL) == BK_OK);
        CHECK(!memcmp(x, want, sizes[s] * sizeof *x));
    }
    free(x);
    free(want);
}

static void ranks__add_up_numbers_of_any_size(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= PROCESSES_MOST; n++)
        run(n, add_everything, NULL);
}

/* == Traffic == */

static void count_traffic(void)
{
    struct bk_ranks_traffic told;
    char x[100] = { 0 };

    processes_begin();
    told = bk_ranks_sent();
    bk_ranks_sends(BK_SENDS_ROWS);
    bk_ranks_first_says(x, 100);
    bk_ranks_sends(BK_SENDS_SHARDS);
    bk_transport_tell(x, 10, 1);
    bk_ranks_sends(BK_SENDS_WORDS);
    bk_transport_tell(x, 1, 2);
    CHECK(bk_ranks_sent().bytes[BK_SENDS_ROWS] == (rank == 0 ? 200 : 0));
    CHECK(bk_ranks_sent().bytes[BK_SENDS_SHARDS] == (rank == 1 ? 20 : 0));
    CHECK(bk_ranks_sent().bytes[BK_SENDS_WORDS] - told.bytes[BK_SENDS_WORDS] ==
          (rank == 2 ? 2 : 0));
    CHECK(bk_ranks_sent().bytes[BK_SENDS_NEWS] + bk_ranks_sent().bytes[BK_SENDS_VALUES] == 0);
}

static void ranks__count_bytes_as_what_they_are_for(void **state)
{
    (void)state;
    run(3, count_traffic, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks__begin_together),
        cmocka_unit_test(ranks__end_with_a_first_that_has_no_work_for_them),
        cmocka_unit_test(ranks__one_that_fails_before_they_begin_ends_all),
        cmocka_unit_test(ranks__agree_on_the_error_of_the_lowest),
        cmocka_unit_test(ranks__that_differ_are_named),
        cmocka_unit_test(ranks__exchange_what_each_has_for_each),
        cmocka_unit_test(ranks__without_memory_in_one_send_nothing),
        cmocka_unit_test(ranks__add_up_numbers_of_any_size),
        cmocka_unit_test(ranks__count_bytes_as_what_they_are_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
