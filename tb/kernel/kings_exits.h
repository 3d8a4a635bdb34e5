/*
 * kings_exits.h - what the exits of a configuration are worth.
 */
#ifndef BK_KERNEL_KINGS_EXITS_H
#define BK_KERNEL_KINGS_EXITS_H

#include "tb/kernel/kings_block.h"
#include "tb/kernel/men.h"
#include "tb/kernel/passing.h"

/* Offers the scores of `row` to the positions `from` of row `wk`.  fixed_bk: the square to which
   the black king goes from all of them, or -1 where it does not move. */
static void offer(struct kings *g, const struct conf *c, unsigned side, unsigned wk, set from,
                  const int16_t *row, int fixed_bk)
{
    int16_t *best = g->best[side] + wk * g->nsq;

    from &= c->undecided[side][wk];
    if (any(from))
        raise_to_row(best, g->nsq, from, fixed_bk >= 0 ? NULL : row,
                     fixed_bk >= 0 ? row[fixed_bk] : 0);
}

/* Values an exit by which a king takes a man. */
static void king_takes(struct kings *g, struct conf *c, const struct bk_exit *e)
{
    const struct bk_setup *s = g->s;
    struct bk_king_squares kings[2] = { { c->squares, c->nsquares }, { c->squares, c->nsquares } };
    uint8_t target = c->at.sq[e->taken];
    unsigned n;
    const struct bk_reach *r;

    if (!bk_rules_may_stand(s->v, s->v->royal, e->colour, target))
        return;
    kings[e->colour] = (struct bk_king_squares){ &target, 1 };
    bk_view_kings(&e->plan, &c->at, kings, g->plane);
    r = bk_reach_into(s->v, s->v->royal, e->colour, target, &n);
    if (e->colour == BK_WHITE) {
        for (unsigned i = 0; i < n; i++)
            if (r[i].how & BK_TAKES)
                offer(g, c, BK_WHITE, r[i].to, ~NONE, g->plane + target * g->nsq, -1);
        return;
    }
    for (unsigned wk = 0; wk < g->nsq; wk++)
        offer(g, c, BK_BLACK, wk, black_from(g, bit(target), BK_TAKES), g->plane + wk * g->nsq,
              target);
}

/* Corrects the scores after a double step.  En passant answers depend on the kings: one pair at a
   time. */
static void correct_passing(struct kings *g, struct conf *c, const struct bk_exit *e, unsigned from,
                            unsigned to)
{
    for (unsigned i = 0; i < c->nsquares; i++)
        for (unsigned j = 0; j < c->nsquares; j++) {
            int16_t *score = &g->plane[c->squares[i] * g->nsq + c->squares[j]];

            if (*score == BK_SCORE_NONE)
                continue;
            c->at.king[0] = c->squares[i];
            c->at.king[1] = c->squares[j];
            bk_passing_correct(
                g->s, &(struct bk_double_step){ e, (uint8_t)from, (uint8_t)to, &c->at, NULL, 0 },
                score);
        }
}

static void offer_all(struct kings *g, const struct conf *c, const struct bk_exit *e,
                      const struct bk_reach *r)
{
    for (unsigned i = 0; i < c->nsquares; i++) {
        unsigned wk = c->squares[i];
        set from = ~NONE, occ = c->men | bit(wk);

        if (r) {
            if (e->taken < 0 && has(occ, r->to))
                continue;
            from = open_to(g, r, occ) & ~bit(r->to);
        }
        offer(g, c, e->colour, wk, from, g->plane + wk * g->nsq, -1);
    }
}

/* Does a quiet move keep the man in its cell?  Then it is no exit. */
static bool stays_in_cell(const struct bk_setup *s, const struct bk_exit *e, unsigned to)
{
    unsigned o = outer_of_slot(s, e->mover);

    return e->taken < 0 && e->becomes == BK_STAYS && o < s->nouter &&
           s->outer[o].digit[to] != BK_SQ_NONE;
}

/* May the mover of an exit go this way, kings aside? */
static bool goes(const struct bk_setup *s, const struct conf *c, const struct bk_exit *e,
                 const struct bk_reach *r)
{
    if (!(r->how & (e->taken >= 0 ? BK_TAKES : BK_QUIET)) || !bk_exit_may_end(s, e, r->to) ||
        stays_in_cell(s, e, r->to))
        return false;
    return e->taken >= 0 ? c->at.sq[e->taken] == r->to : !has(c->men, r->to);
}

static void man_leaves(struct kings *g, struct conf *c, const struct bk_exit *e)
{
    const struct bk_setup *s = g->s;
    const struct bk_king_squares anywhere[2] = { { c->squares, c->nsquares },
                                                 { c->squares, c->nsquares } };
    unsigned slot = e->mover, home = c->at.sq[slot], n;
    const struct bk_reach *r = bk_reach_from(s->v, s->ix->type[slot], e->colour, home, &n);

    for (unsigned i = 0; i < n; i++) {
        if (!goes(s, c, e, &r[i]))
            continue;
        c->at.sq[slot] = r[i].to;
        bk_view_kings(&e->plan, &c->at, anywhere, g->plane);
        if (e->in_block && bk_rules_en_passant(s->v) && bk_rules_doubles(s->v, s->ix->type[slot]))
            correct_passing(g, c, e, home, r[i].to);
        offer_all(g, c, e, &r[i]);
        c->at.sq[slot] = (uint8_t)home;
    }
    if (bk_exit_in_place(s, e, home)) {
        bk_view_kings(&e->plan, &c->at, anywhere, g->plane);
        offer_all(g, c, e, NULL);
    }
}

/* Enters the best exit of each position of a row, as init.h's settle(). */
static void settle(struct kings *g, struct conf *c, unsigned side, unsigned wk)
{
    struct by_score way = sort_scores(g->best[side] + wk * g->nsq, g->nsq, BK_SCORE_NONE,
                                      g->s->distances ? BK_SCORE_WIN - 2 : 0);

    c->open[side][wk] &= ~way.saving;
    c->losing[side][wk] = way.any & ~way.saving;
    c->wins[side].at[wk] = way.soon;
    if (any(way.soon))
        c->wins[side].rows |= bit(wk);
    if (g->s->distances)
        store_waits(g, c, side, wk, (way.any & ~way.saving) | (way.winning & ~way.soon));
}

/* Values the exits that stay in the block's table, or (not in_block) those that leave it. */
static void value_exits(struct kings *g, struct conf *c, bool in_block)
{
    const struct bk_setup *s = g->s;

    for (uint32_t i = 0; i < s->nexit; i++) {
        if (s->exit[i].in_block != in_block)
            continue;
        if (s->exit[i].mover == BK_KINGS_SLOT)
            king_takes(g, c, &s->exit[i]);
        else
            man_leaves(g, c, &s->exit[i]);
    }
}

static void find_ways_out(struct kings *g, struct conf *c)
{
    size_t pairs = (size_t)g->nsq * g->nsq;

    for (size_t i = 0; i < pairs; i++)
        g->best[0][i] = g->best[1][i] = BK_SCORE_NONE;
    value_exits(g, c, false);
    for (unsigned side = 0; g->s->attains && side < 2; side++)
        memcpy(c->exit[side], g->best[side], pairs * sizeof *c->exit[side]);
    value_exits(g, c, true);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned wk = 0; wk < g->nsq; wk++)
            settle(g, c, side, wk);
}

#endif
