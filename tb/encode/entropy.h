/*
 * entropy.h - bits, in integers.
 *
 * n things, a of one sort and b of another, take n log n - a log a - b log b
 * bits.  What a tree asks hangs on such sums, and files must not hang on a
 * machine's floating point; so logarithms come from a table computed in
 * integers.  Bits are counted in units of 2^-16; log n is right to 2^-28.
 */
#ifndef BK_ENTROPY_H
#define BK_ENTROPY_H

#include <stdint.h>

#define BK_ONE_BIT (INT64_C(1) << 16)

#define BK_LOG_STEPS 13
#define BK_LOG_SMALL (1u << 15)

struct bk_logs {
    uint32_t log[(1u << BK_LOG_STEPS) + 1]; /* of 1 + i / 2^BK_LOG_STEPS, in units of 2^-28 */
    uint32_t spare;
    int64_t small[BK_LOG_SMALL]; /* n log n */
};

void bk_logs_init(struct bk_logs *logs);

/* n log n of any n < 2^40. */
int64_t bk_logs_large(const struct bk_logs *logs, uint64_t n);

static inline int64_t bk_n_log_n(const struct bk_logs *logs, uint64_t n)
{
    return n < BK_LOG_SMALL ? logs->small[n] : bk_logs_large(logs, n);
}

#endif
