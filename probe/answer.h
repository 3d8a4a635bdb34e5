/*
 * answer.h - a value becomes a public answer.
 */
#ifndef BK_ANSWER_H
#define BK_ANSWER_H

#include "probe/handle.h"
#include "probe/value.h"

/* Returns wdl with `left` plies left (bk_rules_plies_left()); *known is false where that needs a
   distance and dtw is -1. */
int bk_clocked(int wdl, int dtw, int left, bool *known);

/* Sets *out to what a legal position is worth.  The errors of bk_value_of(), with what is missing
   by name. */
enum bk_err bk_answer_to(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                         struct bk_answer *out);
/* As bk_answer_to(), but as a bk_value: without distances for BK_LIB_WDL_ONLY.  What is missing is
   not named: that costs some ms a material (bk_catalog_missing()), too much for each move of a
   position. */
enum bk_err bk_value_for(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                         struct bk_value *out);
/* Returns the error of a question about `p` that gave `err`, or BK_OK; names what is missing. */
enum bk_err bk_unanswered(struct bk_call *call, const struct bk_pos *p, enum bk_err err);

#endif
