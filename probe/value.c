/*
 * value.c - what a position is worth, and whether it is over.
 *
 * table/settle.h says what it is worth.  Mate and stalemate are in the tables
 * like everything else; but the answer tells them apart, so where the value
 * leaves them possible the rules are asked, and the rules have the last word,
 * without a table, too.
 */
#include "probe/value.h"

#include "core/end.h"
#include "core/rules.h"
#include "table/foresee.h"

/* Returns BK_E_CORRUPT where tables say a loss in 0 plies: no rule says that the game is over. */
static enum bk_err check_goes_on(const struct bk_value *value, const struct bk_variant *v,
                                 struct bk_report *why)
{
    if (value->wdl >= 0 || value->dtw)
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "a table of %s holds a loss where the game goes on", v->name);
}

/* Might it be mate or stalemate?  Spares most positions the search for a move. */
static bool may_be_over(const struct bk_value *value, const struct bk_variant *v)
{
    if (value->wdl > 0 || (value->wdl < 0 && value->dtw > 0))
        return false;
    return value->wdl < 0 || bk_rules_stalemate_wdl(v) == 0;
}

/* Returns a catalogue as tables, without its cache: the caller is in a visit already. */
static struct bk_tables tables_of(struct bk_catalog *c, const struct bk_variant *v)
{
    return (struct bk_tables){
        .v = v, .find = bk_catalog_table, .open = bk_catalog_reopen, .context = c
    };
}

/* Returns BK_E_NEEDS_BYTES, with whatever else the answer may need from the host noted at once. */
static enum bk_err needs_bytes(const struct bk_tables *t, const struct bk_pos *p, bool distances)
{
    bk_foresee(t, p, distances);
    return BK_E_NEEDS_BYTES;
}

enum bk_err bk_wdl_of(int *wdl, struct bk_catalog *c, const struct bk_variant *v,
                      const struct bk_pos *p, struct bk_report *why)
{
    struct bk_tables t = tables_of(c, v);
    int settled = 0;
    enum bk_err err = bk_settle_wdl(&t, p, &settled, why);

    if (err == BK_E_NEEDS_BYTES)
        return needs_bytes(&t, p, false);
    if (err && bk_pos_end(v, p, &settled) != BK_END_NONE)
        err = BK_OK; /* mate needs no table */
    if (!err)
        *wdl = settled;
    return err;
}

enum bk_err bk_value_of(struct bk_value *out, struct bk_catalog *c, const struct bk_variant *v,
                        const struct bk_pos *p, struct bk_report *why)
{
    struct bk_tables t = tables_of(c, v);
    struct bk_value value = { .end = BK_END_NONE };
    int wdl;
    enum bk_end end = bk_pos_bare(v, p, &wdl);
    enum bk_err err = BK_OK;

    if (end == BK_END_NONE) {
        err = bk_settle(&t, p, &value.wdl, &value.dtw, why);
        if (err == BK_E_NO_TABLE && bk_catalog_lacks_distances(c, p) &&
            !bk_settle_wdl(&t, p, &value.wdl, NULL)) {
            value.dtw = -1; /* a table that it leads to has lost its distances */
            err = BK_OK;
        }
        if (!err && !may_be_over(&value, v)) {
            *out = value;
            return BK_OK;
        }
        if (err == BK_E_NEEDS_BYTES)
            return needs_bytes(&t, p, true);
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

bool bk_values_after(struct bk_catalog *c, const struct bk_variant *v, const struct bk_pos *p,
                     bool distances, bk_move_visit *visit, void *context)
{
    struct bk_tables t = tables_of(c, v);

    return bk_settle_moves(&t, p, distances, visit, context);
}
