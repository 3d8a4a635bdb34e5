/*
 * work.c - see work.h.
 */
#include "tb/encode/work.h"

/* == Effort ==
 *
 * Four times the rows make files a quarter to a third smaller, and take memory.  What `fast` gives
 * up (figures in docs/performance.md 3): a small tree of few rows is soon learned and soon gone
 * down, a pass over all rows is one over an eighth of them, and a ribbon that is not quite as full
 * is solved sooner, seldom twice.
 */

const struct bk_effort_means *bk_effort_means(enum bk_effort effort)
{
    static const struct bk_effort_means means[] = {
        [BK_EFFORT_FAST] = { 256, 1u << 13, 1u << 14, 1u << 13, 2, 0, 3, 8, 32 },
        [BK_EFFORT_NORMAL] = { 14, 1u << 16, 6u << 16, 1u << 17, 1, 1u << 13, 0, 1, 128 },
        [BK_EFFORT_BEST] = { 1, 1u << 18, 12u << 18, 1u << 19, 2, 0, 0, 1, 128 },
    };

    return &means[effort];
}

/* == Time ==
 *
 * (1) learn  = rows * (row + dense * sqrt(density))
 * (2) passes = numbers * number
 * (3) shards = bytes * byte
 *
 * rows     that are learned from: of a small unit all, of a large one a part
 * density  bytes of the file for each row of the unit, up to a most
 *
 * Results are dearer than distances, which learn from the same rows; pawns' rows ask more facts.
 * What (1) to (3) say of tables of all kinds, and what these took: docs/performance.md 3.
 */

/* Nanoseconds. */
#define BYTE_NS  520
#define SAMPLING 0.45 /* of (1), the part before a tree is learned */
static const double number_ns[][BK_UNIT_PASSES] = {
    [BK_EFFORT_FAST] = { 0, 0, 1.6, 0.3, 1.7 },
    [BK_EFFORT_NORMAL] = { 0, 0, 2.4, 1, 2.6 },
    [BK_EFFORT_BEST] = { 0, 0, 3.4, 1.3, 3.3 },
};
/* Of a row: [distances]; [distances][pawns]. */
static const double row_ns[] = { 2600, 1200 };
static const double dense_ns[][2] = { { 3100, 5900 }, { 1850, 4550 } };
static const double densest[] = { 1, 2 };

static double between(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/* Returns the square root of a number from 0 to 2, by Newton's steps. */
static double root_of(double x)
{
    double r = x < 0.0625 ? 0.25 : 1; /* the libraries of C without -lm */

    for (unsigned i = 0; i < 6; i++)
        r = (r + x / r) / 2;
    return r;
}

/* Returns how many of a unit's rows are learned from. */
static double rows_learned(const struct bk_unit_known *u, double rows)
{
    const struct bk_effort_means *e = bk_effort_means(u->effort);
    double most = u->distances ? e->most_long : e->most;
    double wanted = e->glance ? u->bytes : rows / e->part;

    return between(between(wanted, e->least, most > e->least ? most : e->least), 0, rows);
}

struct bk_unit_work bk_unit_work_of(const struct bk_unit_known *u)
{
    unsigned kind = u->distances;
    double rows = (double)u->numbers / u->squares;
    double density = rows > 0 ? between(u->bytes / rows, 0, densest[kind]) : 0;
    struct bk_unit_work w = { .all = 0 };
    double learn;

    for (unsigned i = 0; i < BK_UNIT_PASSES; i++)
        w.pass[i] = (double)u->numbers * number_ns[u->effort][i] * 1e-9;
    learn =
        rows_learned(u, rows) * (row_ns[kind] + dense_ns[kind][u->pawns] * root_of(density)) * 1e-9;
    w.pass[BK_PASS_SAMPLE] = SAMPLING * learn;
    w.pass[BK_PASS_LEARN] = (1 - SAMPLING) * learn;
    w.pass[BK_PASS_SHARDS] += u->bytes * BYTE_NS * 1e-9;
    for (unsigned i = 0; i < BK_UNIT_PASSES; i++)
        w.all += w.pass[i];
    return w;
}
