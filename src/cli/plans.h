/*
 * plans.h - from a command line to the tables that it asks for, or to why it gets none.
 */
#ifndef BK_CLI_PLANS_H
#define BK_CLI_PLANS_H

#include "cli/cli.h"
#include "tb/build/build.h"

/* Materials, --men or --for: one of them is there. */
int cli_plan_wanted(const struct cli *c);
/* Reads VARIANT and MATERIAL..., --men or --for into a plan; both owned by the caller. */
int cli_plan_read(const struct cli *c, struct bk_variant **v, struct bk_plan **plan);
/* Can games come to the materials that were named?  --any: whether or not. */
int cli_plan_reachable(const struct cli *c, const struct bk_variant *v);
/* Compares the table that takes most with what memory there is to be had. */
int cli_plan_fits(const struct cli *c, const struct bk_plan *p);

#endif
