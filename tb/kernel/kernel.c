/*
 * kernel.c - picks the kernel: narrowest word that holds the board, best
 * instruction set this machine has.
 */
#include "tb/kernel/kernel.h"

#include <stdlib.h>

#include "tb/memory/cpu.h"

static const struct bk_kernel *const kernel[BK_CPU_LEVELS][3] = {
    [BK_CPU_PORTABLE] = { &bk_kernel_portable64, &bk_kernel_portable128, &bk_kernel_portable256 },
#ifdef __x86_64__
    [BK_CPU_AVX2] = { &bk_kernel_avx2_64, &bk_kernel_avx2_128, &bk_kernel_avx2_256 },
    [BK_CPU_AVX512] = { &bk_kernel_avx512_64, &bk_kernel_avx512_128, &bk_kernel_avx512_256 },
#endif
};

static unsigned width_for(unsigned bits) { return bits <= 64 ? 0 : bits <= 128 ? 1 : 2; }

static unsigned width_of(unsigned nsq)
{
    const char *wish = getenv("BAREKING_SET_BITS");
    unsigned width = width_for(nsq), wider = wish ? width_for((unsigned)atoi(wish)) : 0;

    return wider > width ? wider : width;
}

const struct bk_kernel *bk_kernel_for(unsigned nsq) { return kernel[bk_cpu()][width_of(nsq)]; }
