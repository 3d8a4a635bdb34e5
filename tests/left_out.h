/*
 * left_out.h - what a run of the tests leaves out.  After cmocka.h.
 *
 * leave_out() ends a test that cannot be tried here; why is said with its name at the end of the
 * run.  tries_all() tells whether this is `make test-all`, which has time for long forms.
 */
#ifndef TESTS_LEFT_OUT_H
#define TESTS_LEFT_OUT_H

#include <stdbool.h>
#include <stdlib.h>

#define leave_out(why)                                                                             \
    do {                                                                                           \
        print_message("left out: %s\n", (why));                                                    \
        skip();                                                                                    \
    } while (0)

static inline bool tries_all(void) { return getenv("TEST_ALL") != NULL; }

#endif
