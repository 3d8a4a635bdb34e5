/*
 * group.c - see group.h.
 *
 * /proc/self/cgroup names the process' groups, a line each: "0::/a/b" of version 2, and
 * "9:cpu,cpuacct:/a/b" of version 1.  A limit of a group around one holds as well, so every folder
 * from the group's up to the root of the hierarchy is asked.  In a container the names may be those
 * of outside, and only the root is there: what is missing limits nothing.
 */
#include "tb/memory/group.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kind of limit.  The readers return the limit of a group's folder, UINT64_MAX: it has none. */
struct kind {
    const char *controller;               /* its name in version 1 */
    uint64_t (*unified)(const char *dir); /* of version 2 */
    uint64_t (*own)(const char *dir);     /* of version 1 */
};

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* == Files of a group == */

/* Reads the numbers at the beginning of a file, two at most.  Returns how many there are: none in
   "max" and "-1". */
static unsigned read_numbers(uint64_t out[2], const char *dir, const char *name)
{
    char path[PATH_MAX + 64], text[64] = "", *at = text;
    unsigned n = 0;
    FILE *in;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    in = fopen(path, "re");
    if (!in)
        return 0;
    if (!fgets(text, sizeof text, in))
        *text = 0;
    fclose(in);
    for (; n < 2 && *at >= '0' && *at <= '9'; at += *at == ' ')
        out[n++] = strtoull(at, &at, 10);
    return n;
}

static uint64_t bytes_of(const char *dir, const char *name)
{
    uint64_t n[2];

    return read_numbers(n, dir, name) ? n[0] : UINT64_MAX;
}

static uint64_t memory_unified(const char *dir) { return bytes_of(dir, "memory.max"); }
static uint64_t memory_own(const char *dir) { return bytes_of(dir, "memory.limit_in_bytes"); }

/* Returns the cores whose time is `quota` microseconds of every `period`; a part of one counts. */
static uint64_t cores_of(uint64_t quota, uint64_t period)
{
    return !period ? UINT64_MAX : quota <= period ? 1 : (quota - 1) / period + 1;
}

static uint64_t cores_unified(const char *dir)
{
    uint64_t n[2];

    return read_numbers(n, dir, "cpu.max") == 2 ? cores_of(n[0], n[1]) : UINT64_MAX;
}

static uint64_t cores_own(const char *dir)
{
    uint64_t quota[2], period[2];

    if (!read_numbers(quota, dir, "cpu.cfs_quota_us") ||
        !read_numbers(period, dir, "cpu.cfs_period_us"))
        return UINT64_MAX;
    return cores_of(quota[0], period[0]);
}

/* == A group and those around it == */

static uint64_t limit_of(const char *hierarchy, const char *group, uint64_t (*of)(const char *dir))
{
    char dir[PATH_MAX];
    uint64_t limit;

    if ((size_t)snprintf(dir, sizeof dir, "%s%s", hierarchy, group) >= sizeof dir)
        return UINT64_MAX;
    limit = of(dir);
    while (strlen(dir) > strlen(hierarchy)) {
        *strrchr(dir, '/') = 0;
        limit = least(limit, of(dir));
    }
    return limit;
}

/* Is it one of the names, which commas part? */
static bool is_among(const char *names, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = names; (at = strstr(at, name)) != NULL; at += n)
        if ((at == names || at[-1] == ',') && (!at[n] || at[n] == ','))
            return true;
    return false;
}

/* Returns the limit that a line of /proc/self/cgroup leads to. */
static uint64_t limit_of_line(const char *root, char *line, const struct kind *k)
{
    char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
    char hierarchy[PATH_MAX];
    bool unified = group == names + 1;

    if (!group || group[1] != '/')
        return UINT64_MAX;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (!unified && !is_among(names + 1, k->controller))
        return UINT64_MAX;
    snprintf(hierarchy, sizeof hierarchy, "%s/sys/fs/cgroup%s%s", root, unified ? "" : "/",
             unified ? "" : k->controller);
    return limit_of(hierarchy, group, unified ? k->unified : k->own);
}

static uint64_t limit_by(const char *root, const struct kind *k)
{
    char path[PATH_MAX], line[PATH_MAX];
    uint64_t limit = UINT64_MAX;
    FILE *in;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in))
        limit = least(limit, limit_of_line(root, line, k));
    if (in)
        fclose(in);
    return limit;
}

uint64_t bk_group_memory(const char *root)
{
    static const struct kind memory = { "memory", memory_unified, memory_own };

    return limit_by(root, &memory);
}

uint64_t bk_group_cores(const char *root)
{
    static const struct kind cpu = { "cpu", cores_unified, cores_own };

    return limit_by(root, &cpu);
}
