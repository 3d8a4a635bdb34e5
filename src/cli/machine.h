/* machine.h - what this machine, or what it lets this process have, is large enough for. */
#ifndef BK_CLI_MACHINE_H
#define BK_CLI_MACHINE_H

#include <stdint.h>

/*
 * Bytes of memory that this process could have at most: the machine's, or less where a control
 * group (of either version, it or one around it) says so.  0: unknown.  BAREKING_MACHINE, a number
 * of bytes, stands for the machine's in tests.
 */
uint64_t cli_machine_memory(void);

#endif
