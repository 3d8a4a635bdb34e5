/*
 * processes.h - several processes without MPI: a transport (tb/memory/transport.h) for tests, of
 * processes that fork() makes and pairs of sockets.
 */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tb/memory/transport.h"

enum { PROCESSES_MOST = 5 };

extern unsigned rank, ranks; /* which process this is; how many there are */

/* Ends a process that finds something wrong, with status 99, and says where. */
#define CHECK(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "rank %u, %s:%d: %s\n", rank, __FILE__, __LINE__, #claim);             \
            _exit(99);                                                                             \
        }                                                                                          \
    } while (0)

/* Runs `work` in n new processes; status[r]: with which status each ended, 0 where `work` came
   back.  One that is killed, or takes a minute, fails the test. */
void processes_run(unsigned n, void (*work)(void), int status[]);
/* To be called first in `work`, but by tests of beginning: they all begin (tb/memory/ranks.h). */
void processes_begin(void);

#endif
