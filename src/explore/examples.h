/*
 * examples.h - positions of a table to look at: zugzwangs, only moves, problems (docs/study.md says
 * what these are), some of each, drawn evenly from all, the same ones each time.
 */
#ifndef BK_EXPLORE_EXAMPLES_H
#define BK_EXPLORE_EXAMPLES_H

#include <jansson.h>

#include "study/values.h"

#define EX_EXAMPLES 20 /* of a kind, at most */

/*
 * Looks through x, and sets *out (owned) to { zugzwangs, only_moves, holds, problems }: lists of
 * { fen, move, line }, the last two where the kind has them.  Holds are the only moves of draws.
 * Without distances there are no problems.  Returns BK_OK, or what study_mine_run() does.  Cost:
 * some 4 us a position.
 */
enum bk_err ex_examples(json_t **out, struct study_values *x, struct bk_report *why);

#endif
