/*
 * test_spill.c - claims about memory for large arrays: a new one is zero and its owner's alone,
 * whatever has been freed before; and what is kept of those freed makes the process no larger than
 * the most that was in use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tb/memory/pool.h"
#include "tb/memory/spill.h"

#define ARRAYS 24
#define WORD   8

struct array {
    uint64_t *word; /* all of them `mark`, or not there */
    size_t n;
    uint64_t mark;
};

struct owner {
    struct array array[ARRAYS];
    uint64_t seed;
    bool failed;
};

static uint64_t drawn(uint64_t *seed, uint64_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % n;
}

static bool all_are(const struct array *a, uint64_t what)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->word[i] != what)
            return false;
    return true;
}

static void fill(struct array *a)
{
    for (size_t i = 0; i < a->n; i++)
        a->word[i] = a->mark;
}

/* One array goes, or comes: of a page's bytes to some MiB, every fifth such that may be left
   empty. */
static void step(struct owner *o, uint64_t mark)
{
    struct array *a = &o->array[drawn(&o->seed, ARRAYS)];
    bool partly = !drawn(&o->seed, 5);

    if (a->word) {
        o->failed = o->failed || !all_are(a, a->mark);
        bk_spill_free(a->word);
        a->word = NULL;
        return;
    }
    a->n = drawn(&o->seed, (UINT64_C(1) << (9 + drawn(&o->seed, 10))) - 1) + 1;
    a->word = partly ? bk_spill_new_partly(a->n * WORD) : bk_spill_new(NULL, a->n * WORD);
    a->mark = mark;
    o->failed = o->failed || !a->word || (uintptr_t)a->word % 64 || (!partly && !all_are(a, 0));
    if (a->word)
        fill(a);
}

static void come_and_go(void *context, uint64_t nth, unsigned thread)
{
    struct owner *o = (struct owner *)context + nth;

    (void)thread;
    for (uint64_t i = 0; i < 2000; i++)
        step(o, i << 8 | nth);
    for (struct array *a = o->array; a < o->array + ARRAYS; a++) {
        o->failed = o->failed || (a->word && !all_are(a, a->mark));
        bk_spill_free(a->word);
    }
}

static void arrays_are_zero_and_apart(void **state)
{
    static struct owner owner[4];
    struct bk_pool *pool;

    (void)state;
    assert_int_equal(bk_pool_open(&pool, 4, NULL), BK_OK);
    for (unsigned i = 0; i < 4; i++)
        owner[i].seed = i + 1;
    bk_pool_run(pool, 4, come_and_go, owner);
    bk_pool_close(pool);
    for (unsigned i = 0; i < 4; i++)
        assert_false(owner[i].failed);
}

static size_t resident(void)
{
    unsigned long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &size, &pages), 2);
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Sizes that do not fit each other's places, 64 MiB in use at a time. */
static void what_is_kept_does_not_add_up(void **state)
{
    const size_t all = (size_t)64 << 20;
    size_t before = resident();

    (void)state;
#ifdef __SANITIZE_THREAD__ /* what it notes of each byte is resident, too */
    skip();
#endif
    for (size_t size = (size_t)1 << 20; size <= all; size *= 2) {
        void *array[64];

        for (size_t i = 0; i < all / size; i++) {
            array[i] = bk_spill_new(NULL, size - 4096);
            assert_non_null(array[i]);
            memset(array[i], 1, size - 4096);
        }
        assert_true(resident() < before + all + all / 8);
        for (size_t i = 0; i < all / size; i += 2)
            bk_spill_free(array[i]);
        for (size_t i = 1; i < all / size; i += 2)
            bk_spill_free(array[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_does_not_add_up),
        cmocka_unit_test(arrays_are_zero_and_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
