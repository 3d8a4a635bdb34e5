/*
 * counts.h - the counts of tables, as the command finds and tells them.
 */
#ifndef BK_CLI_COUNTS_H
#define BK_CLI_COUNTS_H

#include <jansson.h>

#include "cli/cli.h"
#include "table/counts.h"

/* Counts a material that is decided by rule; out[0]: White to move.  Returns an exit status.  Cost:
   each of its placements. */
int cli_counts_by_rule(const struct cli *c, const struct bk_variant *v, const struct bk_material *m,
                       struct bk_counts out[2]);
/* {"win", "draw", "loss", "longest_win", "longest_loss", "all"}; NULL: no memory. */
json_t *cli_counts_json(const struct bk_counts *s);

#endif
