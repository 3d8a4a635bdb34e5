/*
 * entropy.c - a table of logarithms, by squaring.
 *
 * log2 of x in [1, 2): square x; if that reaches 2, the next bit is 1 and x is
 * halved.  Squaring doubles the relative error, so 63 bits of x leave more than
 * 2^-30 after the 29 rounds made here.
 */
#include "tb/encode/entropy.h"

#define LOG_BITS 28

/* a * b / 2^63 of numbers below 2^64. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t middle = ah * bl + (al * bl >> 32), low = al * bh + (uint32_t)middle;
    uint64_t high = ah * bh + (middle >> 32) + (low >> 32);

    return high << 1 | (low >> 31 & 1);
}

/* x: 1 to 2 in units of 2^-63. */
static uint32_t log_of(uint64_t x)
{
    uint32_t log = 0;

    for (unsigned i = 0; i <= LOG_BITS; i++) {
        /* x * x / 2 in units of 2^-63, below 2 */
        uint64_t half = multiply(x >> 1, x);

        log <<= 1;
        if (half >> 63) {
            log |= 1;
            x = half;
        } else {
            x = half << 1;
        }
    }
    return (log + 1) >> 1;
}

int64_t bk_logs_large(const struct bk_logs *logs, uint64_t n)
{
    unsigned whole = 63 - (unsigned)__builtin_clzll(n), part = 32 - BK_LOG_STEPS;
    uint64_t fraction = n << (63 - whole) << 1 >> 32; /* of 2^32 */
    uint32_t i = (uint32_t)(fraction >> part);
    uint64_t rest = fraction & ((UINT64_C(1) << part) - 1), log;

    log = logs->log[i] + ((logs->log[i + 1] - logs->log[i]) * rest >> part);
    log += (uint64_t)whole << LOG_BITS;
    return (int64_t)((n >> 12) * log + ((n & 0xfff) * log >> 12));
}

void bk_logs_init(struct bk_logs *logs)
{
    uint32_t n = 1u << BK_LOG_STEPS;

    for (uint32_t i = 0; i < n; i++)
        logs->log[i] = log_of(UINT64_C(1) << 63 | (uint64_t)i << (63 - BK_LOG_STEPS));
    logs->log[n] = UINT32_C(1) << LOG_BITS;
    logs->small[0] = 0;
    for (uint32_t i = 1; i < BK_LOG_SMALL; i++)
        logs->small[i] = bk_logs_large(logs, i);
}
