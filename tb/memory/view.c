/*
 * view.c - views of tables in memory.  See view.h.
 *
 * A table by rule has no codes: what its positions are worth follows from kings and bare men.  In
 * other tables a view is filled row by row where its free men cannot leave the block, and else one
 * position at a time.
 */
#include "tb/memory/view.h"

#include "core/geometry.h"
#include "core/rules.h"
#include "tb/memory/view_rows.h"
#include "tb/memory/view_where.h"

/* == By rule == */

/* The only man left, on `sq`: can the bared king, to move, take it? */
static inline bool bares_back(const struct bk_view_plan *p, const struct bk_placement *at,
                              unsigned sq)
{
    const struct bk_variant *v = p->t->ix->v;
    unsigned bared = p->stm, mover = !p->stm;

    return bk_king_attacks(v, bared, at->king[bared], sq) &&
           bk_rules_may_stand(v, v->royal, bared, sq) &&
           !bk_king_attacks(v, mover, at->king[mover], sq);
}

/*
 * The mover has just bared the opponent (or both are bare).  A win, unless
 * the only man left can be taken by a king that may go there.
 */
static int16_t rule_score(const struct bk_view_plan *p, const struct bk_placement *at)
{
    const struct bk_variant *v = p->t->ix->v;
    unsigned bared = p->stm, mover = !p->stm;

    if (bk_king_attacks(v, bared, at->king[bared], at->king[mover]))
        return BK_SCORE_NONE;
    if (p->nmen == 0)
        return 0;
    if (p->nmen > 1 || !bk_rules_bares_back(v) || !bares_back(p, at, at->sq[p->parent[0]]))
        return BK_SCORE_WIN - 1;
    return 0;
}

/* Sets `out` to rule_score() of the only man left on each of its squares, where baring back saves:
   only next to the bared king does it matter where it is. */
static void rule_scores(const struct bk_view_plan *p, const struct bk_placement *at,
                        const struct bk_free_man *man, int16_t *out)
{
    const struct bk_variant *v = p->t->ix->v;
    unsigned bared = p->stm, n;
    const struct bk_reach *r = bk_reach_from(v, v->royal, bared, at->king[bared], &n);
    bool meet = bk_king_attacks(v, bared, at->king[bared], at->king[!bared]);
    int16_t by_square[BK_SQ_MAX];

    for (unsigned sq = 0; sq < v->nsq; sq++)
        by_square[sq] = meet ? BK_SCORE_NONE : BK_SCORE_WIN - 1;
    for (unsigned i = 0; i < n && !meet; i++)
        if (bares_back(p, at, r[i].to))
            by_square[r[i].to] = 0;
    for (unsigned j = 0; j < man->n; j++)
        out[j] = by_square[man->sq[j]];
}

/*
 * Is the score the same wherever the men stand?  With two men left, or where
 * baring back does not save, only the kings count: rule_score().
 */
static bool same_everywhere(const struct bk_view_plan *p)
{
    return p->t->by_rule && (p->nmen != 1 || !bk_rules_bares_back(p->t->ix->v));
}

/* == Filling == */

/* One position at a time: for rules and for men that cross cells. */
static void fill_slowly(const struct bk_view_plan *p, struct bk_placement *at,
                        const struct bk_free_man *men, unsigned nfree, int16_t **out)
{
    struct bk_view_located l;

    if (nfree) {
        for (unsigned j = 0; j < men->n; j++) {
            at->sq[men->slot] = men->sq[j];
            fill_slowly(p, at, men + 1, nfree - 1, out);
        }
    } else if (p->t->by_rule) {
        *(*out)++ = rule_score(p, at);
    } else if (!bk_view_locate(p, at, 0, &l)) {
        *(*out)++ = BK_SCORE_NONE;
    } else {
        *(*out)++ = bk_view_score_at(p->t, &l, l.base);
    }
}

/* Positions of so many free men. */
static size_t places_of(const struct bk_free_man *men, unsigned nfree)
{
    size_t n = 1;

    for (unsigned i = 0; i < nfree; i++)
        n *= men[i].n;
    return n;
}

static void fill_with(int16_t score, size_t n, int16_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = score;
}

/* May a free man be in another cell? */
static bool any_of_several_cells(const struct bk_view_plan *p, const struct bk_free_man *men,
                                 unsigned nfree)
{
    for (unsigned i = 0; i < nfree; i++)
        if (p->t->ix->cells[bk_view_slot_like(p, men[i].slot)]->n > 1)
            return true;
    return false;
}

/* Fills a view from one block, row by row.  False: a free man would leave it. */
static bool fill_from_block(const struct bk_view_plan *p, const struct bk_view_located *l,
                            const struct bk_free_man *men, unsigned nfree, int16_t *out)
{
    struct bk_view_places other[BK_SLOTS_MAX];                  /* free men but the last */
    struct bk_view_row last = { .man = { .n = 1, .skip = 1 } }; /* or a single place */
    size_t skip = 1;

    for (unsigned i = nfree; i-- > 0; skip *= men[i].n) {
        struct bk_view_places *man = i + 1 < nfree ? &other[i] : &last.man;

        if (!bk_view_find_places(p, l, &men[i], man))
            return false;
        man->skip = skip;
    }
    bk_view_shape_row(&last);
    bk_view_gather(p->t, l, l->base, other, nfree ? nfree - 1 : 0, &last, out);
    return true;
}

void bk_view_fill(const struct bk_view_plan *p, const struct bk_placement *where,
                  const struct bk_free_man *men, unsigned nfree, int16_t *out)
{
    struct bk_placement at = *where;
    struct bk_view_located l;

    if (same_everywhere(p)) {
        fill_with(rule_score(p, &at), places_of(men, nfree), out);
        return;
    }
    if (p->t->by_rule && nfree == 1) {
        rule_scores(p, &at, men, out);
        return;
    }
    if (!p->t->by_rule) {
        unsigned free_mask = bk_view_stand_somewhere(p, men, nfree, &at);

        if (bk_view_locate(p, &at, free_mask, &l)) {
            if (fill_from_block(p, &l, men, nfree, out))
                return;
        } else if (!any_of_several_cells(p, men, nfree)) {
            fill_with(BK_SCORE_NONE, places_of(men, nfree), out);
            return;
        }
    }
    fill_slowly(p, &at, men, nfree, &out);
}

/* == Kings == */

/* A plane of king pairs in a table that has codes: what a black square adds to the number of a
 * pair. */
struct plane {
    const struct bk_pairs *pairs;
    const uint8_t *code; /* of one byte: of the men in slice 0 */
    uint64_t stride;     /* from slice to slice */
    unsigned n;
    int32_t by_bk[BK_SQ_MAX]; /* of n black squares, less that of the first */
    const uint8_t *bk;
};

/* Fills the row of one white square, whose pair with the first black one is `by_wk`; codes of one
   byte, no symmetry of the kings: then there is no branch. */
static void view_king_row(const struct plane *p, unsigned by_wk, const int16_t *score, int16_t *out)
{
    const int32_t *slices = p->pairs->slice + by_wk;
    const uint8_t *code = p->code;
    uint64_t stride = p->stride;

    for (unsigned j = 0; j < p->n; j++) {
        int32_t slice = slices[p->by_bk[j]], none = slice >> 31; /* all ones where there is none */
        int16_t there = score[code[(uint64_t)(slice & ~none) * stride]];

        out[p->bk[j]] = (int16_t)((there & ~none) | (BK_SCORE_NONE & none));
    }
}

/* Fills the row of one white square for any codes and symmetries. */
static void view_king_row_slowly(const struct bk_view_plan *p, const struct plane *plane,
                                 const struct bk_view_still *still, unsigned by_wk, int16_t *out)
{
    unsigned stm = p->exchanged ? !p->stm : p->stm;

    for (unsigned j = 0; j < plane->n; j++) {
        size_t pair = by_wk + (size_t)plane->by_bk[j];
        int32_t slice = plane->pairs->slice[pair];
        uint64_t at =
            (uint64_t)slice * still->mb->slice_stride + still->offset[plane->pairs->sym[pair]];

        out[plane->bk[j]] =
            slice < 0 ? BK_SCORE_NONE
                      : bk_view_score_of(p->t, bk_memblock_code(p->t, still->mb, stm, at));
    }
}

/* bk_view_kings() in a table by rule. */
static void rule_kings(const struct bk_view_plan *p, const struct bk_placement *where,
                       const struct bk_king_squares kings[2], int16_t *out)
{
    struct bk_placement at = *where;
    unsigned nsq = p->t->ix->v->nsq;

    for (unsigned i = 0; i < kings[0].n; i++)
        for (unsigned j = 0; j < kings[1].n; j++) {
            at.king[0] = kings[0].sq[i];
            at.king[1] = kings[1].sq[j];
            out[at.king[0] * nsq + at.king[1]] =
                at.king[0] == at.king[1] ? BK_SCORE_NONE : rule_score(p, &at);
        }
}

/* Sets the scores of all pairs of kings to BK_SCORE_NONE. */
static void no_kings(const struct bk_view_plan *p, const struct bk_king_squares kings[2],
                     int16_t *out)
{
    for (unsigned i = 0; i < kings[0].n; i++)
        for (unsigned j = 0; j < kings[1].n; j++)
            out[kings[0].sq[i] * p->t->ix->v->nsq + kings[1].sq[j]] = BK_SCORE_NONE;
}

void bk_view_kings(const struct bk_view_plan *p, const struct bk_placement *where,
                   const struct bk_king_squares kings[2], int16_t *out)
{
    const struct bk_memtable *t = p->t;
    unsigned nsq = t->ix->v->nsq, stm = p->exchanged ? !p->stm : p->stm;
    struct plane plane = { .bk = kings[1].sq, .n = kings[1].n };
    struct bk_view_still still = { .b = NULL };

    if (t->by_rule) {
        rule_kings(p, where, kings, out);
        return;
    }
    if (!bk_view_place_still(p, where, 0, &still) || !still.mb->code[stm]) {
        no_kings(p, kings, out);
        return;
    }
    plane.pairs = still.b->pairs;
    plane.stride = still.mb->slice_stride;
    plane.code = (const uint8_t *)still.mb->code[stm] + still.offset[0];
    for (unsigned j = 0; j < kings[1].n; j++)
        plane.by_bk[j] = (int32_t)bk_view_pair(p, &still, kings[0].sq[0], kings[1].sq[j]) -
                         (int32_t)bk_view_pair(p, &still, kings[0].sq[0], kings[1].sq[0]);
    for (unsigned i = 0; i < kings[0].n; i++) {
        unsigned by_wk = (unsigned)bk_view_pair(p, &still, kings[0].sq[i], kings[1].sq[0]);
        int16_t *row = out + kings[0].sq[i] * nsq;

        if (t->code_bytes == 1 && plane.pairs->group == 1)
            view_king_row(&plane, by_wk, t->score8, row);
        else
            view_king_row_slowly(p, &plane, &still, by_wk, row);
    }
}
