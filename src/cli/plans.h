/*
 * plans.h - reads the tables that a command line asks for, and refuses what cannot be built.
 */
#ifndef BK_CLI_PLANS_H
#define BK_CLI_PLANS_H

#include "cli/cli.h"
#include "tb/make/build.h"

/* Checks that materials, --men or --for are given, not both of the first two.  An exit status. */
int cli_plan_wanted(const struct cli *c);
/* Reads VARIANT and MATERIAL..., --men or --for into a plan; both owned by the caller.  With --dtz
   --dtw it is of the first; cli_plan_dtw() makes that of the second. */
int cli_plan_read(const struct cli *c, struct bk_variant **v, struct bk_plan **plan);
/* Sets *plan to the distances to the end that --dtw asks for beside --dtz; NULL: it does not. */
int cli_plan_dtw(const struct cli *c, const struct bk_variant *v, struct bk_plan **plan);
/*
 * Would a build be refused before it begins?  It is for a material that no game comes to (but with
 * --any); for a good table of other rules in its place, or one that cannot be read; or for more
 * memory than there is to be had (but with --force).  Returns the exit status, and why in words;
 * CLI_OK.  If the check itself fails, the error has been printed and `why` is empty.
 */
int cli_plan_refused(const struct cli *c, const struct bk_variant *v, const struct bk_plan *p,
                     struct bk_report *why);
/* Checks the memory alone, as cli_plan_refused() does, and says what is wrong.  An exit status. */
int cli_plan_fits(const struct cli *c, const struct bk_plan *p);

#endif
