/* value.c - averages over the geometry, once a game. */
#include "engine/value.h"

#include <math.h>

#include "core/geometry.h"
#include "core/rules.h"

#define A_SQUARE 57.0 /* a knight on 8x8 reaches 5.25: 300 */
#define EMPTY    0.7  /* chance that a square on the way is free */
#define CHANGES  0.2  /* share of the gain by becoming another man, on the first rank for that */

/* The chance that the best path of a move is open: 1 for a leap. */
static double way_open(const struct bk_variant *v, const struct bk_reach *r)
{
    double best = r->npaths ? 0 : 1;

    for (unsigned i = 0; i < r->npaths; i++) {
        unsigned squares = bk_bits_count(&v->geometry->path[r->path + i]);
        double open = pow(EMPTY, squares);

        if (r->how & BK_HOPS)
            open *= squares * (1 - EMPTY) / EMPTY;
        best = open > best ? open : best;
    }
    return best > 1 ? 1 : best;
}

/* The squares that a man reaches from `sq`, to move or to take, each counting for half. */
static double mobility(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, type, colour, sq, &n);
    double sum = 0, here = 0;

    for (unsigned i = 0; i < n; i++) { /* sorted by `to`: of several ways there the best */
        double open = way_open(v, &r[i]) *
                      (((r[i].how & BK_QUIET) != 0) + ((r[i].how & (BK_TAKES | BK_TWICE)) != 0)) /
                      2;

        here = open > here ? open : here;
        if (i + 1 == n || r[i + 1].to != r[i].to) {
            sum += here;
            here = 0;
        }
    }
    return sum;
}

static double average(const struct bk_variant *v, unsigned type)
{
    double sum = 0;
    unsigned squares = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (bk_bits_has(&v->board, sq) && bk_rules_may_stand(v, type, BK_WHITE, sq)) {
            sum += mobility(v, type, BK_WHITE, sq);
            squares++;
        }
    return squares ? sum / squares : 0;
}

/* The most that a man may one day gain by a change, in hundredths of a pawn or so; 0: nothing. */
static double hope(const struct bk_variant *v, const double *plain, unsigned type)
{
    uint32_t may = bk_rules_may_become(v, UINT32_C(1) << type);
    double best = 0;

    for (unsigned t = 0; t < v->ntypes; t++)
        if (may >> t & 1 && plain[t] - plain[type] > best)
            best = plain[t] - plain[type];
    return best;
}

/* How near the man is to where he may change: 1 there, 0.6 times as much each rank before, or 0. */
static double nearness(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq)
{
    unsigned ranks = 0;

    for (unsigned at = sq; !bk_rules_may_change(v, type, colour, at); ranks++) {
        int next = (int)at + bk_ahead(v, colour);

        if (next < 0 || next >= v->nsq)
            return 0;
        at = (unsigned)next;
    }
    return pow(0.6, ranks);
}

void be_values_of(struct be_values *out, const struct bk_variant *v)
{
    double plain[BK_TYPES_MAX] = { 0 };

    for (unsigned type = 0; type < v->ntypes; type++)
        plain[type] = A_SQUARE * average(v, type);
    for (unsigned type = 0; type < v->ntypes; type++) {
        double more = hope(v, plain, type);

        out->man[type] = type == v->royal ? 0 : (int)(plain[type] + CHANGES * more);
        for (unsigned c = 0; c < 2; c++)
            for (unsigned sq = 0; sq < v->nsq; sq++) {
                double here = (A_SQUARE * mobility(v, type, c, sq) - plain[type]) / 4;

                if (type == v->royal)
                    here /= 2;
                if (more > 0)
                    here += CHANGES * more * nearness(v, type, c, sq);
                out->on[type][c][sq] = (int16_t)here;
            }
    }
}

int be_evaluate(const struct be_values *values, const struct be_game *g, const struct be_board *b)
{
    int men[2] = { 0, 0 }, squares[2] = { 0, 0 }, lead, score;
    unsigned us = be_mover(g, b);
    struct bk_bits all = g->hands ? b->hands.occupied : b->plain.by[0];

    for (unsigned w = 0; !g->hands && w < 4; w++)
        all.w[w] |= b->plain.by[1].w[w];
    for (unsigned sq; (sq = bk_bits_pop(&all)) != BK_SQ_NONE;) {
        unsigned man = be_man_on(g, b, sq), type = bk_man_type((uint8_t)man);
        unsigned c = bk_man_colour((uint8_t)man);

        men[c] += values->man[type];
        squares[c] += values->on[type][c][sq];
    }
    lead = men[us] - men[!us];
    /* a lead weighs more the fewer men there are: exchange when ahead */
    score = lead + lead * 300 / (300 + men[0] + men[1]) + squares[us] - squares[!us];
    /* no lead is a win that has been seen: forty queens would be a mate in two thousand */
    return score > BE_LEAD_MAX ? BE_LEAD_MAX : score < -BE_LEAD_MAX ? -BE_LEAD_MAX : score;
}
