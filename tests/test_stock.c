/*
 * test_stock.c - memory of freed arrays that later arrays take: tb/memory/stock.h, through spill.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tb/memory/spill.h"
#include "tests/left_out.h"
#include "tests/proof.h"

#define UNIT BK_STOCK_UNIT

static bool all_are(const unsigned char *array, size_t bytes, int value)
{
    return !bytes || (array[0] == value && !memcmp(array, array + 1, bytes - 1));
}

/* Returns an array filled with `value`; fails unless it was clear when it came. */
static unsigned char *filled(size_t bytes, int value)
{
    unsigned char *array = bk_spill_new(NULL, bytes);

    assert_non_null(array);
    assert_true(all_are(array, bytes, 0));
    memset(array, value, bytes);
    return array;
}

static void arrays__are_clear_whoever_had_their_memory(void **state)
{
    unsigned char *large = filled(7 * UNIT + 12345, 0xff), *small = filled(2 * UNIT, 0xee), *a, *b;

    (void)state;
    bk_spill_free(large);
    a = filled(3 * UNIT + 77, 1);
    bk_spill_free(small);
    b = filled(6 * UNIT - 64, 2); /* memory of both, and new memory */
    assert_true(all_are(a, 3 * UNIT + 77, 1));
    bk_spill_free(a);
    assert_true(all_are(b, 6 * UNIT - 64, 2));
    bk_spill_free(b);
    bk_stock_drop();
}

static void stock__holds_what_was_held_at_one_time_at_most(void **state)
{
    unsigned char *a = filled(32 * UNIT, 1), *b;

    (void)state;
    assert_int_equal(bk_stock_bytes(), 0);
    bk_spill_free(a);
    assert_int_equal(bk_stock_bytes(), 32 * UNIT);
    a = filled(8 * UNIT - 64, 1);
    b = filled(20 * UNIT - 64, 2);
    assert_int_equal(bk_stock_bytes(), 4 * UNIT);
    bk_stock_other_comes(2 * UNIT);
    assert_int_equal(bk_stock_bytes(), 2 * UNIT);
    bk_stock_other_comes(16 * UNIT); /* a new maximum, which arrays may leave, too */
    assert_int_equal(bk_stock_bytes(), 0);
    bk_spill_free(b);
    bk_stock_other_goes(18 * UNIT);
    assert_int_equal(bk_stock_bytes(), 20 * UNIT);
    bk_spill_free(a);
    assert_int_equal(bk_stock_bytes(), 28 * UNIT);
    bk_stock_drop();
    assert_int_equal(bk_stock_bytes(), 0);
}

/* Lists come from the allocator, grow and shrink there, and count all the same.  46 units are the
   most that there have been, in the test before. */
static void stock__leaves_room_for_what_the_allocator_gave(void **state)
{
    unsigned char *a = filled(40 * UNIT, 1), *list;

    (void)state;
    bk_spill_free(a);
    assert_int_equal(bk_stock_bytes(), 40 * UNIT);
    list = bk_spill_resize(NULL, 16 * UNIT - 64);
    assert_int_equal(bk_stock_bytes(), 30 * UNIT);
    list = bk_spill_resize(list, 26 * UNIT - 64);
    assert_int_equal(bk_stock_bytes(), 20 * UNIT);
    list = bk_spill_resize(list, UNIT - 64);
    a = filled(30 * UNIT, 1);
    bk_spill_free(a);
    assert_int_equal(bk_stock_bytes(), 30 * UNIT);
    bk_spill_free(list);
    bk_stock_drop();
}

static void stock__leaves_some_to_the_allocator(void **state)
{
    unsigned char *a = filled(64 * UNIT - 64, 1);

    (void)state;
    bk_stock_leave_some(1);
    bk_spill_free(a);
    assert_int_equal(bk_stock_bytes(), 48 * UNIT);
    bk_stock_leave_none();
    bk_spill_free(filled(64 * UNIT - 64, 1));
    assert_int_equal(bk_stock_bytes(), 64 * UNIT);
    bk_stock_leave_some(7);
    assert_int_equal(bk_stock_bytes(), 48 * UNIT);
    bk_spill_free(bk_spill_new(NULL, 256 * UNIT - 64)); /* 48 + 7 * 8 MiB left, no quarter */
    assert_int_equal(bk_stock_bytes(), 256 * UNIT - ((size_t)104 << 20));
    bk_stock_leave_none();
    bk_stock_drop();
}

/* What the process takes besides counts, too, when it is looked at. */
static void stock__gives_back_what_was_not_foretold(void **state)
{
    const size_t more = 40 * UNIT;
    uint64_t now;
    char *others;
    int statm = open("/proc/self/statm", O_RDONLY);

    (void)state;
    if (statm < 0 || !(now = bk_resident_bytes(statm)))
        leave_out("no /proc/self/statm");
    now += 64 * UNIT;
    bk_spill_free(filled(64 * UNIT - 64, 1));
    bk_stock_estimate(now + now / 32 + 8 * UNIT);
    usleep(20000);
    bk_stock_ease();
    assert_int_equal(bk_stock_bytes(), 64 * UNIT);
    others = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(others != MAP_FAILED);
    memset(others, 1, more);
    usleep(20000);
    bk_stock_ease();
    assert_in_range(bk_stock_bytes(), 16 * UNIT, 36 * UNIT);
    assert_in_range(bk_resident_bytes(statm), 1, now + now / 32 + 8 * UNIT);
    bk_stock_estimate(0);
    usleep(20000);
    bk_stock_ease();
    munmap(others, more);
    close(statm);
    bk_stock_drop();
}

static void stock__is_empty_while_arrays_are_on_disk(void **state)
{
    struct bk_spill *st;
    struct bk_report why;

    (void)state;
    bk_spill_free(filled(32 * UNIT - 64, 1));
    assert_int_equal(bk_spill_open(&st, "/tmp", UINT64_C(1) << 30, UNIT, &why), BK_OK);
    assert_int_equal(bk_stock_bytes(), 0);
    bk_spill_free(filled(32 * UNIT - 64, 1));
    assert_int_equal(bk_stock_bytes(), 0);
    assert_int_equal(bk_spill_limit(st), (UINT64_C(1) << 30) - UNIT);
    bk_spill_close(st);
    bk_spill_free(filled(32 * UNIT - 64, 1));
    assert_int_equal(bk_stock_bytes(), 32 * UNIT);
    bk_stock_drop();
}

/* Memory for which the stock has no room is unmapped. */
static void stock__takes_no_more_than_there_is_room_for(void **state)
{
    const size_t others = 252 * UNIT; /* with `a`, 256 at one time */
    unsigned char *a = filled(4 * UNIT - 64, 1), page;

    (void)state;
    bk_stock_other_comes(others);
    bk_stock_leave_some(1);
    bk_spill_free(a); /* the others alone exceed the limit */
    assert_int_equal(bk_stock_bytes(), 0);
    assert_int_equal(mincore(a - 64, 1, &page), -1);
    bk_stock_leave_none();
    bk_spill_free(filled(4 * UNIT - 64, 1));
    assert_int_equal(bk_stock_bytes(), 4 * UNIT);
    a = filled(UNIT / 2, 2); /* less than a unit: new memory, and the stock shrinks by one */
    assert_int_equal(bk_stock_bytes(), 3 * UNIT);
    bk_spill_free(a);
    bk_stock_other_goes(others);
    bk_stock_drop();
}

/* A thread: arrays of all sizes come and go; returns NULL if one did not keep its bytes. */
static void *come_and_go(void *seed)
{
    uint32_t x = *(uint32_t *)seed;
    unsigned char *array[4] = { NULL };
    size_t bytes[4] = { 0 };
    bool good = true;

    for (unsigned i = 0; i < 200; i++) {
        unsigned at = (x = x * 1664525 + 1013904223) >> 30;

        good = good && all_are(array[at], bytes[at], (int)at + 1);
        bk_spill_free(array[at]);
        bytes[at] = (x >> 8) % (3 * UNIT);
        array[at] = bk_spill_new(NULL, bytes[at]);
        good = good && array[at] && all_are(array[at], bytes[at], 0);
        if (array[at])
            memset(array[at], (int)at + 1, bytes[at]);
    }
    for (unsigned i = 0; i < 4; i++)
        bk_spill_free(array[i]);
    return good ? seed : NULL;
}

static void stock__is_for_any_number_of_threads(void **state)
{
    pthread_t thread[4];
    uint32_t seed[4] = { 1, 22, 333, 4444 };

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, come_and_go, &seed[i]), 0);
    for (unsigned i = 0; i < 4; i++) {
        void *good;

        pthread_join(thread[i], &good);
        assert_non_null(good);
    }
    bk_stock_drop();
}

/* == Arrays on disk, and parts of arrays == */

/* Returns the bytes of disk that open files without a name take. */
static uint64_t nameless_bytes(void)
{
    uint64_t bytes = 0;
    struct stat st;

    for (int fd = 3; fd < 100; fd++)
        if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_nlink)
            bytes += (uint64_t)st.st_blocks * 512;
    return bytes;
}

static void spill__arrays_are_each_ones_own_and_go_with_their_room(void **state)
{
    enum { MANY = 6, BYTES = 300000 };
    static const unsigned leave[] = { 2, 5, 0 }; /* one in between, the last, the first */
    char folder[PROOF_DIR_MAX];
    unsigned char *array[MANY], *brief;
    struct bk_spill *st;
    uint64_t before;

    (void)state;
    assert_int_equal(bk_spill_open(&st, proof_folder(folder), 1 << 20, 0, NULL), BK_OK);
    brief = bk_spill_new_brief(st, 100000);
    assert_non_null(brief);
    for (unsigned i = 0; i < MANY; i++) {
        assert_non_null(array[i] = bk_spill_new(st, BYTES));
        assert_true(all_are(array[i], BYTES, 0));
        memset(array[i], (int)i + 1, BYTES);
    }
    before = nameless_bytes();
    for (unsigned i = 0; i < sizeof leave / sizeof *leave; i++)
        bk_spill_free(array[leave[i]]);
    assert_true(nameless_bytes() + 2 * BYTES < before);
    for (unsigned i = 0; i < sizeof leave / sizeof *leave; i++) {
        assert_non_null(array[leave[i]] = bk_spill_new(st, BYTES));
        assert_true(all_are(array[leave[i]], BYTES, 0));
        memset(array[leave[i]], (int)leave[i] + 1, BYTES);
    }
    bk_spill_ease(st);
    assert_true(bk_spill_put(brief, 1000, "brief", 5));
    assert_true(bk_spill_put(array[3], BYTES - 5, "third", 5));
    assert_memory_equal(brief + 1000, "brief", 5);
    assert_memory_equal(array[3] + BYTES - 5, "third", 5);
    memset(array[3] + BYTES - 5, 4, 5);
    for (unsigned i = 0; i < MANY; i++) {
        assert_true(all_are(array[i], BYTES, (int)i + 1));
        bk_spill_free(array[i]);
    }
    bk_spill_free(brief);
    bk_spill_close(st);
    proof_remove(folder);
    bk_stock_drop();
}

static void spill__forgets_a_part_and_no_more(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all = 5 * page;
    const size_t from[] = { 0, 1, page - 1, page, page + 7 };
    const size_t bytes[] = { 0, 1, page - 1, page, page + 1, 2 * page + 9, 3 * page };
    unsigned char *array = bk_spill_new_sparse(all), there;

    (void)state;
    assert_non_null(array);
    for (unsigned i = 0; i < sizeof from / sizeof *from; i++)
        for (unsigned j = 0; j < sizeof bytes / sizeof *bytes; j++) {
            size_t end = from[i] + bytes[j];

            memset(array, 1, all);
            bk_spill_forget(array + from[i], bytes[j]);
            assert_true(all_are(array, from[i], 1));
            assert_true(all_are(array + from[i], bytes[j], 0));
            assert_true(all_are(array + end, all - end, 1));
        }
    bk_spill_free(array);
    assert_int_equal(mincore(array, 1, &there), -1); /* unmapped */
}

static void spill__of_more_than_there_can_be_is_none(void **state)
{
    (void)state;
    for (size_t less = 0; less < 200; less += 7) {
        assert_null(bk_spill_new(NULL, SIZE_MAX - less));
        assert_null(bk_spill_new_sparse(SIZE_MAX - less));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays__are_clear_whoever_had_their_memory),
        cmocka_unit_test(stock__holds_what_was_held_at_one_time_at_most),
        cmocka_unit_test(stock__leaves_room_for_what_the_allocator_gave),
        cmocka_unit_test(stock__leaves_some_to_the_allocator),
        cmocka_unit_test(stock__gives_back_what_was_not_foretold),
        cmocka_unit_test(stock__takes_no_more_than_there_is_room_for),
        cmocka_unit_test(stock__is_empty_while_arrays_are_on_disk),
        cmocka_unit_test(stock__is_for_any_number_of_threads),
        cmocka_unit_test(spill__arrays_are_each_ones_own_and_go_with_their_room),
        cmocka_unit_test(spill__forgets_a_part_and_no_more),
        cmocka_unit_test(spill__of_more_than_there_can_be_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
