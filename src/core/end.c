/*
 * end.c - see end.h.
 */
#include "core/end.h"

#include "core/attack.h"
#include "core/move.h"
#include "core/rules.h"

const char *bk_end_name(enum bk_end end)
{
    switch (end) {
    case BK_END_NONE: return NULL;
    case BK_END_CHECKMATE: return "checkmate";
    case BK_END_STALEMATE: return "stalemate";
    case BK_END_BARE: return "bare";
    case BK_END_BARE_DRAW: return "bare-draw";
    case BK_END_OUT: return "out-of-men";
    }
    return NULL;
}

/* Is a side out of men?  Of two, the one that has just moved counts. */
static enum bk_end out_of_men(const struct bk_variant *v, const struct bk_pos *p, int *wdl)
{
    if (bk_rules_out(v, p->count[!p->stm]))
        *wdl = -bk_rules_out_wdl(v);
    else if (bk_rules_out(v, p->count[p->stm]))
        *wdl = bk_rules_out_wdl(v);
    else
        return BK_END_NONE;
    return BK_END_OUT;
}

enum bk_end bk_pos_bare(const struct bk_variant *v, const struct bk_pos *p, int *wdl)
{
    bool ours = bk_bits_single(&p->by[p->stm]), theirs = bk_bits_single(&p->by[!p->stm]);

    if (!bk_rules_royal(v))
        return out_of_men(v, p, wdl);
    if (!ours && !theirs)
        return BK_END_NONE;
    if (ours && theirs) {
        *wdl = 0;
        return BK_END_BARE_DRAW;
    }
    if (!bk_rules_bare_loses(v))
        return BK_END_NONE;
    if (theirs) {
        *wdl = 1;
        return BK_END_BARE;
    }
    if (bk_bits_count(&p->by[!p->stm]) == 2 && bk_rules_bares_back(v) &&
        bk_moves_king_takes(v, p)) {
        *wdl = 0;
        return BK_END_BARE_DRAW;
    }
    *wdl = -1;
    return BK_END_BARE;
}

enum bk_end bk_pos_end(const struct bk_variant *v, const struct bk_pos *p, int *wdl)
{
    enum bk_end end = bk_pos_bare(v, p, wdl);

    if (end != BK_END_NONE || bk_moves_any(v, p))
        return end;
    if (bk_in_check(v, p, p->stm)) {
        *wdl = -1;
        return BK_END_CHECKMATE;
    }
    *wdl = bk_rules_stalemate_wdl(v, (const uint8_t(*)[BK_TYPES_MAX])p->count, p->stm);
    return BK_END_STALEMATE;
}
