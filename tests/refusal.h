/*
 * refusal.h - texts that a reader refuses, each a test of its own with the claim for its name.
 */
#ifndef REFUSAL_H
#define REFUSAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct refusal {
    const char *claim, *text;
    const char *want; /* the whole message */
};

/* Runs `test`, whose state is the refusal, for each of n.  Returns how many failed. */
static inline int refusals_run(const struct refusal *refusal, size_t n, CMUnitTestFunction test)
{
    struct CMUnitTest *tests = calloc(n, sizeof *tests);
    int failed;

    if (!tests)
        return 1;
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){
            .name = refusal[i].claim,
            .test_func = test,
            .initial_state = (void *)(uintptr_t)&refusal[i],
        };
    failed = _cmocka_run_group_tests("refusals", tests, n, NULL, NULL);
    free(tests);
    return failed;
}

#endif
