/*
 * probe.h - what a position is worth, by rules and tables; for the ranking of moves (rank.c).
 */
#ifndef BK_PROBE_H
#define BK_PROBE_H

#include "core/end.h"
#include "probe/handle.h"

/* == Values == */

struct bk_value {
    int wdl;         /* from the side to move */
    int dtw;         /* plies; -1: a draw, or not known */
    enum bk_end end; /* how the game is over, if it is */
    bool five;       /* its table has results by the n-move rule: bk_five_for() */
};

/* What the n-move rule makes of a value, at a counter. */
struct bk_ruled {
    bool there;  /* a table knows of the rule; else the rest means nothing */
    int five, d; /* as of bk_settle_five(); d -1: a draw, or not known */
    int left;    /* plies that may still be played without a zeroing move */
    int clocked; /* wdl at this counter */
    bool known;  /* it is; else it is wdl without the rule */
};

/*
 * Sets *out to the value of p.  The caller is in a read section (a visit) of the catalogue's cache.
 *
 * p must be legal (bk_pos_legal()).  *out is written only on BK_OK.
 *
 * Returns BK_OK; BK_E_NO_TABLE, without naming what is missing; BK_E_CORRUPT; BK_E_NEWER;
 * BK_E_NOT_CACHED; BK_E_OVER_BUDGET; BK_E_NEEDS_BYTES, after all bytes that the answer may need
 * have been noted (table/foresee.h); BK_E_SYSTEM.  Threads: many may share the catalogue.
 *
 * Source: docs/rules.md, "Ending the game".
 */
enum bk_err bk_value_of(struct bk_value *out, struct bk_catalog *c, const struct bk_variant *v,
                        const struct bk_pos *p, struct bk_report *why);

/*
 * Sets *wdl to -1, 0, +1, on BK_OK alone, and *five as of struct bk_value; never reads a distance,
 * and does not tell whether the game is over.  The errors of bk_value_of().
 */
enum bk_err bk_wdl_of(int *wdl, bool *five, struct bk_catalog *c, const struct bk_variant *v,
                      const struct bk_pos *p, struct bk_report *why);

/* As bk_settle_moves(). */
bool bk_values_after(struct bk_catalog *c, const struct bk_variant *v, const struct bk_pos *p,
                     bool distances, bk_move_visit *visit, void *context);

/* Returns what the mover gets by moving into a position worth `after` to the other side. */
static inline struct bk_value bk_value_moved(const struct bk_value *after)
{
    return (struct bk_value){ .wdl = -after->wdl,
                              .dtw = after->dtw < 0 ? -1 : after->dtw + 1,
                              .end = BK_END_NONE };
}

#define BK_VALUE_FAR 0x100000 /* more than any distance */

/* Returns a score, larger the better the value is for the side to move: wins soonest, draws, losses
   latest. */
static inline int bk_value_score(const struct bk_value *value)
{
    return value->wdl * (value->dtw < 0 ? 1 : BK_VALUE_FAR - value->dtw);
}

/* == Answers of a call == */

/* Returns wdl with `left` plies left (bk_rules_plies_left()); *known is false where that needs a
   distance and dtw is -1. */
int bk_clocked(int wdl, int dtw, int left, bool *known);

/* Sets *out to the value of a legal position; without a distance if `flags` has BK_LIB_WDL_ONLY.
   The errors of bk_value_of().  A missing table is not named: that costs some ms a material
   (bk_catalog_missing()), too much for each move of a position. */
enum bk_err bk_value_for(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                         struct bk_value *out);
/* Sets *out to what the n-move rule makes of a value of p that bk_value_for() gave, with `counter`
   plies on the counter. */
enum bk_err bk_five_for(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                        const struct bk_value *value, unsigned counter, struct bk_ruled *out);
/* Returns the error of a question about `p` that gave `err`, or BK_OK; names what is missing. */
enum bk_err bk_unanswered(struct bk_call *call, const struct bk_pos *p, enum bk_err err);

#endif
