/*
 * value.c - what a position is worth, by rules and tables.
 *
 * A bare king is asked about first: such positions have no table.  Mate and
 * stalemate are in the tables like everything else; but the answer tells them
 * apart, so where the value leaves them possible the rules are asked, and the
 * rules have the last word, without a table, too.
 *
 * Tables know no en passant square.  It adds
 * captures to the moves of the same position without one; so
 *
 *      value(p) = best of value(p without the square) and its en passant captures   (1)
 *
 * where the first is left out if p without the square has no move: then it is
 * the capture that lifts mate or stalemate.  A capture uses up a pawn, so the
 * captures of (1) never lead back to themselves.
 *
 * Castling rights have no such formula: kings and rooks of the other side may
 * shuffle for ever while a right is kept, so those positions have tables of
 * their own, which the catalogue finds like any other.
 */
#include "probe/value.h"

#include "core/rules.h"

#define FAR 0x100000 /* more than any distance */

struct bk_value bk_value_moved(const struct bk_value *after)
{
    return (struct bk_value){ .wdl = -after->wdl,
                              .dtw = after->dtw < 0 ? -1 : after->dtw + 1,
                              .end = BK_END_NONE };
}

int bk_value_score(const struct bk_value *value)
{
    return value->wdl * (value->dtw < 0 ? 1 : FAR - value->dtw);
}

static enum bk_err from_table(struct bk_value *out, struct bk_catalog *c, const struct bk_pos *p,
                              struct bk_report *why)
{
    struct bk_spot spot;
    unsigned wdl, half = 0;
    enum bk_err err = bk_catalog_find(c, p, &spot, why);

    if (!err)
        err = bk_file_value(spot.wdl, spot.side, spot.wdl_number, &wdl, why);
    if (!err && wdl > BK_WDL_WIN)
        return bk_fail(why, BK_E_CORRUPT, "%s: value %u of position %llu", bk_file_path(spot.wdl),
                       wdl, (unsigned long long)spot.wdl_number);
    if (!err && wdl != BK_WDL_DRAW && spot.dtw)
        err = bk_file_value(spot.dtw, spot.side, spot.dtw_number, &half, why);
    if (err)
        return err;
    out->wdl = (int)wdl - BK_WDL_DRAW;
    out->dtw = !out->wdl || !spot.dtw ? -1 : (int)(2 * half + (wdl == BK_WDL_WIN));
    out->end = BK_END_NONE;
    return BK_OK;
}

/* What a table says of a position that no rule decides can be no loss in 0 plies. */
static enum bk_err check_goes_on(const struct bk_value *value, const struct bk_variant *v,
                                 struct bk_report *why)
{
    if (value->wdl >= 0 || value->dtw)
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "a table of %s holds a loss where the game goes on", v->name);
}

/* Ends on the en passant square and takes elsewhere. */
static bool is_en_passant(const struct bk_pos *p, const struct bk_move *m)
{
    return m->to == p->ep && m->takes != BK_SQ_NONE && m->takes != m->to;
}

/* Raises *best by the en passant captures. */
static enum bk_err captures(struct bk_value *best, bool none, struct bk_catalog *c,
                            const struct bk_variant *v, const struct bk_pos *p,
                            struct bk_report *why)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, p, move);

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = *p;
        struct bk_value value;
        enum bk_err err;

        if (!is_en_passant(p, &move[i]))
            continue;
        bk_pos_play(&after, v, &move[i]);
        if ((err = bk_value_of(&value, c, v, &after, why)) != BK_OK)
            return err;
        value = bk_value_moved(&value);
        if (none || bk_value_score(&value) > bk_value_score(best))
            *best = value;
        none = false;
    }
    return BK_OK;
}

/* (1) */
static enum bk_err with_en_passant(struct bk_value *out, struct bk_catalog *c,
                                   const struct bk_variant *v, const struct bk_pos *p,
                                   struct bk_report *why)
{
    struct bk_pos without = *p;
    struct bk_value best = { .wdl = -1 }; /* no move at all: the rules are asked */
    enum bk_err err = BK_OK;
    bool none;
    int wdl;

    without.ep = BK_SQ_NONE;
    none = bk_pos_end(v, &without, &wdl) != BK_END_NONE;
    if (!none)
        err = from_table(&best, c, &without, why);
    if (!err)
        err = captures(&best, none, c, v, p, why);
    if (!err)
        *out = best;
    return err;
}

/* What the tables make of a position that goes on. */
static enum bk_err from_tables(struct bk_value *out, struct bk_catalog *c,
                               const struct bk_variant *v, const struct bk_pos *p,
                               struct bk_report *why)
{
    if (p->ep != BK_SQ_NONE)
        return with_en_passant(out, c, v, p, why);
    return from_table(out, c, p, why);
}

/* Might it be mate or stalemate?  Spares most positions the search for a move. */
static bool may_be_over(const struct bk_value *value, const struct bk_variant *v)
{
    if (value->wdl > 0 || (value->wdl < 0 && value->dtw > 0))
        return false;
    return value->wdl < 0 || bk_rules_stalemate_wdl(v) == 0;
}

enum bk_err bk_value_of(struct bk_value *out, struct bk_catalog *c, const struct bk_variant *v,
                        const struct bk_pos *p, struct bk_report *why)
{
    struct bk_value value;
    int wdl;
    enum bk_end end = bk_pos_bare(v, p, &wdl);
    enum bk_err err = BK_OK;

    if (end == BK_END_NONE) {
        err = from_tables(&value, c, v, p, why);
        if (!err && !may_be_over(&value, v)) {
            *out = value;
            return BK_OK;
        }
        end = bk_pos_end(v, p, &wdl); /* mate needs no table */
    }
    if (end != BK_END_NONE) {
        *out = (struct bk_value){ .wdl = wdl, .dtw = wdl ? 0 : -1, .end = end };
        return BK_OK;
    }
    if (!err)
        err = check_goes_on(&value, v, why);
    if (!err)
        *out = value;
    return err;
}
