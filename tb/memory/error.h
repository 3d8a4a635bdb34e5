/*
 * error.h - errors that threads meet.
 */
#ifndef BK_ERROR_H
#define BK_ERROR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/err.h"

static inline enum bk_err bk_no_memory(struct bk_report *why)
{
    return bk_fail(why, BK_E_SYSTEM, "out of memory");
}

static inline enum bk_err bk_interrupted(struct bk_report *why)
{
    return bk_fail(why, BK_E_SYSTEM, "interrupted");
}

/* The first of several errors, whoever meets it; zeroed: none.  Read `why` when all threads are
   done. */
struct bk_first_error {
    atomic_int err; /* enum bk_err */
    struct bk_report why;
};

static inline bool bk_first_error_is_set(const struct bk_first_error *f)
{
    return atomic_load_explicit(&f->err, memory_order_relaxed) != BK_OK;
}

static inline void bk_first_error_set(struct bk_first_error *f, enum bk_err err,
                                      const struct bk_report *why)
{
    int none = BK_OK;

    if (err && atomic_compare_exchange_strong_explicit(&f->err, &none, (int)err,
                                                       memory_order_relaxed, memory_order_relaxed))
        f->why = *why;
}

/* After all threads. */
static inline enum bk_err bk_first_error_of(const struct bk_first_error *f, struct bk_report *why)
{
    enum bk_err err = (enum bk_err)atomic_load_explicit(&f->err, memory_order_relaxed);

    if (err && why)
        *why = f->why;
    return err;
}

#endif
