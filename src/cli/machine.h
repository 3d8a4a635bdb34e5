/* machine.h - the memory of this machine, and what of it this process may have and keeps. */
#ifndef BK_CLI_MACHINE_H
#define BK_CLI_MACHINE_H

#include <stdint.h>

/*
 * Bytes of memory that this process could have at most: the machine's, or less where a control
 * group (of either version, it or one around it) says so.  0: unknown.  BAREKING_MACHINE, a number
 * of bytes, stands for the machine's in tests.
 */
uint64_t cli_machine_memory(void);

/* From now on large blocks of memory go back as soon as they are freed.  glibc would keep them once
   it has seen some freed, and a build would take what `plan` cannot foretell. */
void cli_give_memory_back(void);

#endif
