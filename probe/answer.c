/* answer.c - see answer.h. */
#include "probe/answer.h"

#include "core/end.h"
#include "core/rules.h"

_Static_assert((int)BK_LIB_GOES_ON == (int)BK_END_NONE &&
                   (int)BK_LIB_CHECKMATE == (int)BK_END_CHECKMATE &&
                   (int)BK_LIB_STALEMATE == (int)BK_END_STALEMATE &&
                   (int)BK_LIB_BARE == (int)BK_END_BARE &&
                   (int)BK_LIB_BARE_DRAW == (int)BK_END_BARE_DRAW,
               "the same ends");

/* A distance that is not known is 1 at least: the rules know what is over. */
int bk_clocked(int wdl, int dtw, int left, bool *known)
{
    *known = true;
    if (left == BK_UNLIMITED || !wdl)
        return wdl;
    if (dtw < 0 && left > 0)
        *known = false;
    else if (dtw < 0 || dtw > left)
        return 0;
    return wdl;
}

/* Returns the plies left as callers have them: 0 or more; -1: no limit. */
static int public_left(int left) { return left == BK_UNLIMITED ? -1 : left > 0 ? left : 0; }

enum bk_err bk_value_for(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                         struct bk_value *out)
{
    const struct bk_variant *v = call->on->v;
    int wdl;
    enum bk_err err;

    if (!(flags & BK_LIB_WDL_ONLY))
        return bk_value_of(out, call->on->catalog, v, p, call->why);
    out->dtw = -1;
    if ((out->end = bk_pos_bare(v, p, &wdl)) == BK_END_NONE) {
        err = bk_wdl_of(&out->wdl, call->on->catalog, v, p, call->why);
        if (err || out->wdl > 0) /* a win for the side to move: the game goes on */
            return err;
        out->end = bk_pos_end(v, p, &wdl);
    }
    if (out->end != BK_END_NONE) {
        out->wdl = wdl;
        out->dtw = wdl ? 0 : -1;
    }
    return BK_OK;
}

enum bk_err bk_unanswered(struct bk_call *call, const struct bk_pos *p, enum bk_err err)
{
    return err == BK_E_NO_TABLE ? bk_catalog_missing(call->on->catalog, p, call->why) : err;
}

enum bk_err bk_answer_to(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                         struct bk_answer *out)
{
    struct bk_value value;
    int left = bk_rules_plies_left(call->on->v, p->turn, p->stm);
    bool known;
    enum bk_err err = bk_value_for(call, p, flags, &value);

    if (err)
        return bk_unanswered(call, p, err);
    *out = (struct bk_answer){ .wdl = value.wdl,
                               .dtw = value.dtw,
                               .end = (enum bk_lib_end)value.end,
                               .plies_left = public_left(left) };
    out->clocked_wdl = bk_clocked(value.wdl, value.dtw, left, &known);
    out->clocked_known = known;
    return BK_OK;
}
