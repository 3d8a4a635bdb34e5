/*
 * machine.h - what this machine has for a build: its memory, and how fast it makes tables.
 */
#ifndef BK_CLI_MACHINE_H
#define BK_CLI_MACHINE_H

#include "cli/cli.h"
#include "tb/memory/meter.h"

/* == Its memory == */

/*
 * Bytes of memory that this process could have at most: the machine's, or less where a control
 * group (of either version, it or one around it) says so.  0: unknown.  BAREKING_MACHINE, a number
 * of bytes, stands for the machine's in tests.
 */
uint64_t cli_machine_memory(void);

/* From now on free() gives large blocks back to the system at once.  By default glibc keeps them
   once it has seen some freed, and a build would take more memory than `plan` estimates. */
void cli_give_memory_back(void);

/*
 * == Its pace ==
 *
 * Measured once, and kept beside the tables: DIR/.pace has a line for each machine, version of this
 * program and number of threads; whatever else stands there is passed over.  Only estimates of time
 * depend on it.
 */

/* Sets `per` to the seconds that a second of estimated work (tb/make/pace.h) takes here, by the
   kept measurement; without one, as on the machine on which work was measured. */
void cli_pace_of(double per[BK_WORKS], const struct cli *c, unsigned threads);

/* The same, but if there is no measurement of the last 30 days, builds a small table as a trial:
   some seconds of one core, in a temporary folder.  The result is kept if DIR exists. */
void cli_pace_measured(double per[BK_WORKS], const struct cli *c, unsigned threads);

#endif
