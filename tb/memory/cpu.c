/*
 * cpu.c - see cpu.h.
 */
#include "tb/memory/cpu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

#include "tb/memory/group.h"

enum bk_cpu bk_cpu(void)
{
    enum bk_cpu best = BK_CPU_PORTABLE;
#ifdef __x86_64__
    const char *wish = getenv("BAREKING_KERNEL");

    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        best = BK_CPU_AVX2;
    if (best == BK_CPU_AVX2 && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        best = BK_CPU_AVX512;
    if (wish && !strcmp(wish, "portable"))
        best = BK_CPU_PORTABLE;
    if (wish && !strcmp(wish, "avx2") && best > BK_CPU_AVX2)
        best = BK_CPU_AVX2;
#endif
    return best;
}

unsigned bk_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t quota;
#ifdef __linux__
    cpu_set_t bound; /* more cores than it has room for: an error */

    if (!sched_getaffinity(0, sizeof bound, &bound) && CPU_COUNT(&bound) > 0)
        cores = CPU_COUNT(&bound);
#endif
    if (cores < 1)
        cores = 1;
    quota = bk_group_cores("");
    return quota < (uint64_t)cores ? (unsigned)quota : (unsigned)cores;
}
