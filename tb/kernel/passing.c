/*
 * passing.c - see passing.h.
 */
#include "tb/kernel/passing.h"

#include "core/end.h"
#include "core/geometry.h"
#include "core/move.h"
#include "core/rules.h"
#include "tb/kernel/zeroing.h"

/* Returns whether the man of `slot`, standing on `sq`, attacks `target`. */
static bool takes_on(const struct bk_setup *s, unsigned slot, unsigned sq, unsigned target)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(s->v, s->ix->type[slot], s->ix->colour[slot], sq, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].how & BK_TAKES && r[i].to == target)
            return true;
    return false;
}

static bool is_mobile(const struct bk_setup *s, unsigned slot)
{
    for (unsigned o = 0; o < s->nouter; o++)
        if (s->outer[o].slot == slot)
            return true;
    return s->inner.slot == (int)slot;
}

/* Only men that never go back capture in passing: returns whether an enemy one attacks `ep`, or
   may, since it is mobile. */
static bool may_be_answered(const struct bk_setup *s, const struct bk_double_step *d, unsigned ep)
{
    for (unsigned i = 0; i < s->ix->nslots; i++)
        if (s->ix->colour[i] != d->exit->colour && bk_rules_doubles(s->v, s->ix->type[i]) &&
            (is_mobile(s, i) || takes_on(s, i, d->after->sq[i], ep)))
            return true;
    return false;
}

/* Returns whether an enemy one attacks `ep`, with all men on the squares of `here`. */
static bool is_answered(const struct bk_setup *s, const struct bk_double_step *d,
                        const struct bk_placement *here, unsigned ep)
{
    for (unsigned i = 0; i < s->ix->nslots; i++)
        if (s->ix->colour[i] != d->exit->colour && bk_rules_doubles(s->v, s->ix->type[i]) &&
            takes_on(s, i, here->sq[i], ep))
            return true;
    return false;
}

/* Returns the score of `m`, a capture in passing, for the side that makes it, by that side's exits;
   BK_SCORE_NONE: none of them is this move. */
static int16_t reply_score(const struct bk_setup *s, const struct bk_double_step *d,
                           const struct bk_placement *here, const struct bk_move *m)
{
    for (uint32_t x = 0; x < s->nexit; x++) {
        const struct bk_exit *reply = &s->exit[x];
        struct bk_placement after = *here;
        int16_t score;

        if (reply->colour == d->exit->colour || reply->taken != (int)d->exit->mover ||
            reply->also >= 0 || reply->mover == BK_KINGS_SLOT ||
            here->sq[reply->mover] != m->from || reply->becomes != m->becomes ||
            reply->counted != m->counted)
            continue;
        after.sq[reply->mover] = m->to;
        bk_view_fill(&reply->plan, &after, NULL, 0, &score);
        return reply->zeroes ? bk_zeroed(score, s->nmove) : score;
    }
    return BK_SCORE_NONE;
}

/*
 * Returns the best score of a capture in passing for the side to move in p; BK_SCORE_NONE: there is
 * none.  only: set if it has no other move.
 */
static int16_t best_reply(const struct bk_setup *s, const struct bk_double_step *d,
                          const struct bk_placement *here, const struct bk_pos *p, bool *only)
{
    struct bk_move moves[BK_MOVES_MAX];
    unsigned legal = bk_moves_legal(s->v, p, moves);
    int16_t best = BK_SCORE_NONE;

    *only = true;
    for (unsigned j = 0; j < legal; j++) {
        const struct bk_move *m = &moves[j];
        struct bk_pos next = *p;
        int16_t score;
        int wdl;

        if (m->takes == BK_SQ_NONE || m->takes == m->to ||
            !bk_rules_doubles(s->v, bk_man_type(p->at[m->from]))) {
            *only = false;
            continue;
        }
        bk_pos_play(&next, s->v, m);
        if (bk_pos_bare(s->v, &next, &wdl) != BK_END_NONE)
            score = (int16_t)(wdl < 0 ? BK_SCORE_WIN - 1 : wdl > 0 ? -BK_SCORE_WIN + 2 : 0);
        else
            score = reply_score(s, d, here, m);
        best = score > best ? score : best;
    }
    return best;
}

/* The opponent's score of a position, given what the mover gets by moving into it. */
static int16_t for_the_opponent(int16_t mover)
{
    return (int16_t)(mover > 0 ? -mover - 1 : mover < 0 ? -mover + 1 : 0);
}

/* Returns the mover's score of the step, given his score without the answer, and the opponent's
   score of the answer, `reply`, which may be his `only` move. */
static int16_t corrected(int16_t mover, int16_t reply, bool only)
{
    int16_t opponent = for_the_opponent(mover);

    if (only || reply > opponent)
        opponent = reply;
    return (int16_t)(opponent > 0 ? 1 - opponent : opponent < 0 ? -opponent - 1 : 0);
}

void bk_passing_correct(const struct bk_setup *s, const struct bk_double_step *d, int16_t *view)
{
    const struct bk_exit *e = d->exit;
    unsigned ep = (d->from + d->to) / 2u;
    struct bk_placement here = *d->after;
    size_t n = 1;

    if (!bk_rules_en_passant(s->v) ||
        !bk_rules_is_double(s->v, s->ix->type[e->mover], e->colour, d->from, d->to) ||
        !may_be_answered(s, d, ep))
        return;
    for (unsigned i = 0; i < d->nfree; i++)
        n *= d->men[i].n;
    for (size_t i = 0; i < n; i++) {
        struct bk_pos p;
        size_t rest = i;
        int16_t best;
        bool only;

        if (view[i] == BK_SCORE_NONE)
            continue;
        for (unsigned j = d->nfree; j-- > 0; rest /= d->men[j].n)
            here.sq[d->men[j].slot] = d->men[j].sq[rest % d->men[j].n];
        if (!is_answered(s, d, &here, ep) || !bk_index_position(s->ix, &here, !e->colour, &p) ||
            p.at[ep] || p.at[d->from])
            continue; /* no double step leads there */
        p.ep = (uint8_t)ep;
        best = best_reply(s, d, &here, &p, &only);
        if (best != BK_SCORE_NONE)
            view[i] = corrected(view[i], best, only);
    }
}
