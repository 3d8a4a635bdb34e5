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

/* From now on large blocks of memory go back as soon as they are freed.  glibc would keep them once
   it has seen some freed, and a build would take what `plan` cannot foretell. */
void cli_give_memory_back(void);

/*
 * == Its pace ==
 *
 * Measured once, and kept beside the tables: DIR/.pace has a line for each machine, version of this
 * program and number of threads; whatever else stands there is passed over.  Only estimates of time
 * depend on it.
 */

/* Sets `per` to the seconds that a second of estimated work (tb/make/pace.h) takes here: as kept,
   else as if this were the machine that work was measured on. */
void cli_pace_of(double per[BK_WORKS], const struct cli *c, unsigned threads);

/* The same, but where none is kept, or for more than 30 days, a table is made for a trial, some
   seconds of one core, in a folder of its own that goes; the outcome is kept if DIR is there. */
void cli_pace_measured(double per[BK_WORKS], const struct cli *c, unsigned threads);

#endif
