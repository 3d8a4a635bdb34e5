/*
 * machine.c - see machine.h.
 *
 * /proc/self/cgroup names the process' groups, a line each: "0::/a/b" of version 2, and
 * "9:memory:/a/b" of version 1.  A limit of a group around one holds as well, so every folder from
 * the group's up to the root of the hierarchy is asked.  In a container the names may be those of
 * outside, and only the root is there: what is missing limits nothing.
 */
#include "cli/machine.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Reads a file of one number; UINT64_MAX: "max", or there is none. */
static uint64_t read_limit(const char *folder, const char *name)
{
    char path[2 * PATH_MAX], text[32] = "";
    uint64_t limit = UINT64_MAX;
    FILE *in;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    in = fopen(path, "re");
    if (!in)
        return limit;
    if (fgets(text, sizeof text, in) && *text >= '0' && *text <= '9')
        limit = strtoull(text, NULL, 10);
    fclose(in);
    return limit;
}

/* Returns the least of a group's limit and those of the groups around it. */
static uint64_t group_limit(const char *root, const char *group, const char *name)
{
    char folder[PATH_MAX];
    uint64_t limit;

    if ((size_t)snprintf(folder, sizeof folder, "%s%s", root, group) >= sizeof folder)
        return UINT64_MAX;
    limit = read_limit(folder, name);
    while (strlen(folder) > strlen(root)) {
        *strrchr(folder, '/') = 0;
        limit = least(limit, read_limit(folder, name));
    }
    return limit;
}

static uint64_t groups_limit(void)
{
    char line[PATH_MAX];
    uint64_t limit = UINT64_MAX;
    FILE *in = fopen("/proc/self/cgroup", "re");

    while (in && fgets(line, sizeof line, in)) {
        char *kinds = strchr(line, ':'), *group = kinds ? strchr(kinds + 1, ':') : NULL;

        if (!group || group[1] != '/')
            continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        if (!kinds[1])
            limit = least(limit, group_limit("/sys/fs/cgroup", group, "memory.max"));
        else if (strstr(kinds, "memory"))
            limit =
                least(limit, group_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
    if (in)
        fclose(in);
    return limit;
}

uint64_t cli_machine_memory(void)
{
    const char *wish = getenv("BAREKING_MACHINE");
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

    if (wish)
        return strtoull(wish, NULL, 10);
    if (pages <= 0 || bytes <= 0)
        return 0;
    return least((uint64_t)pages * (uint64_t)bytes, groups_limit());
}

void cli_give_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}
