/*
 * pace.h - how fast this machine makes tables, found out once and kept beside them.
 *
 * DIR/.pace has a line for each machine, version of this program and number of threads; whatever
 * else stands there is passed over.  Nothing depends on it but what is foretold.
 */
#ifndef BK_CLI_PACE_H
#define BK_CLI_PACE_H

#include "cli/cli.h"
#include "tb/memory/meter.h"

/* Sets `per` to the seconds that a second of foretold work (tb/make/pace.h) takes here: as kept,
   else as if this were the machine that work was measured on. */
void cli_pace_of(double per[BK_WORKS], const struct cli *c, unsigned threads);

/* The same, but where none is kept, or for more than 30 days, a table is made for a trial, some
   seconds of one core, in a folder of its own that goes; the outcome is kept if DIR is there. */
void cli_pace_measured(double per[BK_WORKS], const struct cli *c, unsigned threads);

#endif
