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
 * (1) sample  = numbers sampled + positions sampled
 * (2) learn   = positions sampled * depth
 * (3) cells   = numbers * (some + care * depth), until they are counted
 * (4) count   = numbers + cells
 * (5) rates   = numbers + bytes + cells; some pieces alone, if the effort says so
 * (6) shards  = numbers + bytes + cells
 *
 * depth  of the tree: the logarithm of its leaves, which before they are known are so many bytes
 *        of the file each
 * care   before it is known: of results most, of distances the more, the more bytes they take
 *
 * each with a factor; (1) and (2) take longer where rows are drawn from many (SPARSE).  What is
 * forgotten is counted again for (5) and (6).  What (1) to (6) say of tables of all kinds, and what
 * these took: docs/performance.md 3.
 */

/* Bytes of the file for a leaf, and for each byte that is left open in leaves: [distances]. */
#define LEAF_BYTES     6
#define LEFT_BYTES     1.2
#define DISTANCE_BYTES 0.3 /* of a position that has a distance, at most */
static const double bytes_of_leaf[][2] = {
    [BK_EFFORT_FAST] = { 8000, 8000 },
    [BK_EFFORT_NORMAL] = { 40, 150 },
    [BK_EFFORT_BEST] = { 40, 150 },
};
#define DENSE_LEAVES 3.5 /* times as many where all rows are learned from */
/* Bytes of the cells of a number. */
#define CELLS_LEAST 0.04
#define CELLS_DEEP  0.08
/* Nanoseconds. */
#define NUMBER_NS 1.2
#define MET_NS    0.5
/* [pawns]; [distances][pawns]: pawns' rows ask more facts. */
static const double sampled_ns[] = { 10, 18 }, sampled_care_ns[] = { 35, 45 };
static const double learned_ns[][2] = { { 5.5, 9 }, { 11.5, 19 } };
#define SPARSE_SAMPLED 2
#define SPARSE_LEARNED 1.6
/* Of rows of 64 squares, and of longer ones; [pawns]. */
static const double counted_cell_ns[][2] = { { 15, 18 }, { 45, 54 } };
static const double met_cell_ns[] = { 1, 3 }, met_byte_ns[] = { 120, 230 };
static const double shard_cell_ns[] = { 5, 20 };
static const double shard_byte_ns[] = {
    [BK_EFFORT_FAST] = 170,
    [BK_EFFORT_NORMAL] = 300,
    [BK_EFFORT_BEST] = 300,
};

static double between(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/* Returns the square root of a number from 0 to 1, by Newton's steps. */
static double root_of(double x)
{
    double r = 0.5; /* the libraries of C without -lm */

    for (unsigned i = 0; i < 12; i++)
        r = (r + x / r) / 2;
    return r;
}

/* Returns the binary logarithm of a number from 1 on, by a straight line between powers of 2. */
static double log2_of(double x)
{
    double whole = 0;

    for (; x >= 2; x /= 2)
        whole++;
    return whole + x - 1;
}

/* Returns how many of a unit's numbers lie in rows that are learned from, as if taken whole. */
static double numbers_learned(const struct bk_unit_known *u)
{
    const struct bk_effort_means *e = bk_effort_means(u->effort);
    double rows = (double)u->numbers / u->squares, most = u->distances ? e->most_long : e->most;
    unsigned words = (u->squares + 63) / 64;

    most = between(rows / e->part, e->least, most > e->least ? most : e->least);
    if (e->glance)
        most = between(u->bytes, e->least, most);
    return between(most / words, 0, rows) * u->squares;
}

/* Returns the share of positions that have a value of their own. */
static double care_of(const struct bk_unit_known *u)
{
    if (u->care > 0)
        return u->care;
    if (!u->distances)
        return u->pawns ? 0.75 : 0.6;
    return between(0.01 + 1.4 * root_of(between(u->bytes / (double)u->numbers, 0, 1)), 0, 0.85);
}

/* Are rows drawn from many?  If all are learned from, trees are larger, too. */
static bool is_sparse(const struct bk_unit_known *u)
{
    return numbers_learned(u) < (double)u->numbers / 2;
}

static double depth_of(const struct bk_unit_known *u)
{
    double leaves = u->leaves;

    if (leaves <= 0)
        leaves =
            u->bytes / bytes_of_leaf[u->effort][u->distances] * (is_sparse(u) ? 1 : DENSE_LEAVES);
    return log2_of(leaves + 2);
}

double bk_unit_bytes_of(double left, double leaves)
{
    return left * LEFT_BYTES + leaves * LEAF_BYTES;
}

double bk_unit_bytes_likely(const struct bk_unit_known *u)
{
    if (!u->distances || u->care <= 0)
        return u->bytes;
    return between(u->bytes, 0, (double)u->numbers * u->care * DISTANCE_BYTES);
}

struct bk_unit_work bk_unit_work_of(const struct bk_unit_known *u)
{
    bool longer = u->squares > 64, sparse = is_sparse(u);
    double n = (double)u->numbers, sampled = numbers_learned(u), cells = u->cells, again;
    struct bk_unit_work w = { .all = 0 };

    if (!u->numbers)
        return w;
    if (cells <= 0)
        cells = n * (CELLS_LEAST + care_of(u) * depth_of(u) * CELLS_DEEP);
    w.pass[BK_PASS_SAMPLE] = sampled *
                             (sampled_ns[u->pawns] + care_of(u) * sampled_care_ns[u->pawns]) *
                             (sparse ? SPARSE_SAMPLED : 1);
    w.pass[BK_PASS_LEARN] = sampled * care_of(u) * depth_of(u) *
                            learned_ns[u->distances][u->pawns] * (sparse ? SPARSE_LEARNED : 1);
    w.pass[BK_PASS_COUNT] = n * NUMBER_NS + cells * counted_cell_ns[longer][u->pawns];
    again = u->forgotten * w.pass[BK_PASS_COUNT];
    w.pass[BK_PASS_RATES] =
        (n * MET_NS + u->bytes * met_byte_ns[longer] + cells * met_cell_ns[longer] + again) /
        bk_effort_means(u->effort)->met;
    w.pass[BK_PASS_SHARDS] =
        n * NUMBER_NS + u->bytes * shard_byte_ns[u->effort] + cells * shard_cell_ns[longer] + again;
    for (unsigned i = 0; i < BK_UNIT_PASSES; i++)
        w.all += w.pass[i] *= 1e-9;
    return w;
}
