/*
 * answer.h - a value becomes a public answer.
 */
#ifndef BK_ANSWER_H
#define BK_ANSWER_H

#include "probe/handle.h"
#include "probe/value.h"

/* wdl if so many plies are left (bk_rules_plies_left()); *known is false where that needs a
   distance which dtw, -1, is not. */
int bk_clocked(int wdl, int dtw, int left, bool *known);

/* What a legal position is worth; the errors of bk_value_of(), with what is missing by name. */
enum bk_err bk_answer_to(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                         struct bk_answer *out);
/* The same, as a value: without distances for BK_LIB_WDL_ONLY.  What is missing is not named: that
   costs some ms a material (bk_catalog_missing()), and of the moves of a position nobody hears it.
 */
enum bk_err bk_value_for(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                         struct bk_value *out);
/* The error of a position that such a call has not answered, or BK_OK: names what is missing. */
enum bk_err bk_unanswered(struct bk_call *call, const struct bk_pos *p, enum bk_err err);

#endif
