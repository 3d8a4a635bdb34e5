/*
 * eliminate.c - Gauss on a band, for one instruction set.  HOT.
 *
 * BK_ELIMINATE names the function that this compilation makes.
 *
 * The variables are gone through from the first to the last.  *Live* are the
 * equations that begin at or before the present byte and are not used yet, some
 * 40 of them.  One that has the present variable becomes its pivot; it is added
 * to all others that have it, and to itself, which leaves a hole for the next.
 * A row operation on all is one loop without branches: that is why the
 * variables go first, not the equations.
 *
 * Equations that are sums of others become 0 and are swept out now and then; if
 * one becomes 0 = 1, there is no solution.
 */
#include "tb/encode/eliminate.h"

#define LANES     8 /* rows looked at together */
#define HOLES_MAX 8 /* more are swept out */

struct live {
    uint64_t *restrict low, *restrict high;
    uint32_t *hole;
    uint32_t n, holes; /* n counts the holes, which are 0 */
};

/* Moves the rows together.  False: one of them says 0 = 1. */
static bool sweep(struct live *l)
{
    uint32_t kept = 0;

    for (uint32_t k = 0; k < l->n; k++) {
        uint64_t low = l->low[k], high = l->high[k];

        if (!(low | high << 1)) {
            if (high)
                return false;
            continue;
        }
        l->low[kept] = low;
        l->high[kept++] = high;
    }
    l->n = kept;
    l->holes = 0;
    return true;
}

/* Places for new rows; after the last up to LANES - 1 rows of 0. */
static void take_in(struct live *l, const uint64_t *low, const uint64_t *high, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = l->holes ? l->hole[--l->holes] : l->n++;

        l->low[k] = low[i];
        l->high[k] = high[i];
    }
    for (uint32_t k = l->n; k % LANES; k++)
        l->low[k] = l->high[k] = 0;
}

/* A row with the variable, or l->n and more. */
static uint32_t find_row(const struct live *l, unsigned variable)
{
    for (uint32_t k = 0; k < l->n; k += LANES) {
        uint32_t has = 0;

        for (uint32_t j = 0; j < LANES; j++)
            has |= (uint32_t)(l->low[k + j] >> variable & 1) << j;
        if (has)
            return k + (uint32_t)__builtin_ctz(has);
    }
    return l->n;
}

static void add_to_all(struct live *l, unsigned variable, uint64_t low, uint64_t high)
{
    uint64_t *restrict a = l->low, *restrict b = l->high;
    uint32_t n = (l->n + LANES - 1) / LANES * LANES;

    for (uint32_t k = 0; k < n; k++) {
        uint64_t mask = -(a[k] >> variable & 1);

        a[k] ^= mask & low;
        b[k] ^= mask & high;
    }
}

/* The next byte's variables become the lowest bits. */
static void next_byte(struct live *l)
{
    uint64_t *restrict a = l->low, *restrict b = l->high;
    uint32_t n = (l->n + LANES - 1) / LANES * LANES;

    for (uint32_t k = 0; k < n; k++) {
        uint64_t high = b[k];

        a[k] = a[k] >> 8 | high << 56;
        b[k] = (high & ~BK_EQUATION_BIT) >> 8 | (high & BK_EQUATION_BIT);
    }
}

bool BK_ELIMINATE(struct bk_ribbon_room *room, uint32_t words)
{
    struct live l = { room->live[0], room->live[1], room->hole, 0, 0 };
    uint64_t(*pivot)[2] = room->pivot;
    uint32_t next = 0;

    for (uint32_t byte = 0; byte < 8 * words; byte++) {
        if (l.holes > HOLES_MAX && !sweep(&l))
            return false;
        take_in(&l, room->low + next, room->high + next, room->end[byte] - next);
        next = room->end[byte];
        for (unsigned i = 0; i < 8; i++, pivot++) {
            uint32_t k = find_row(&l, i);

            (*pivot)[0] = (*pivot)[1] = 0;
            if (k >= l.n)
                continue;
            (*pivot)[0] = l.low[k];
            (*pivot)[1] = l.high[k];
            l.hole[l.holes++] = k;
            add_to_all(&l, i, (*pivot)[0], (*pivot)[1]);
        }
        next_byte(&l);
    }
    return sweep(&l) && !l.n;
}
