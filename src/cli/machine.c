/* machine.c - see machine.h. */
#include "cli/machine.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "tb/memory/group.h"

uint64_t cli_machine_memory(void)
{
    const char *wish = getenv("BAREKING_MACHINE");
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    uint64_t limit, has;

    if (wish)
        return strtoull(wish, NULL, 10);
    if (pages <= 0 || bytes <= 0)
        return 0;
    has = (uint64_t)pages * (uint64_t)bytes;
    limit = bk_group_memory("");
    return limit < has ? limit : has;
}

void cli_give_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}
