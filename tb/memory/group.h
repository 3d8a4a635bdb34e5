/*
 * group.h - what control groups leave to this process: a container's limits, or a job's.
 *
 * root  the folder that /proc and /sys stand in: "", but for tests
 */
#ifndef BK_GROUP_H
#define BK_GROUP_H

#include <stdint.h>

/* Bytes of memory, by the group and all those around it; UINT64_MAX: no limit. */
uint64_t bk_group_memory(const char *root);

/* Cores whose time the process may use, one and a half as 2; UINT64_MAX: no limit. */
uint64_t bk_group_cores(const char *root);

#endif
