/*
 * dispatch.c - picks the kernel: narrowest word that holds the board, best
 * instruction set this machine has.  For tests that compare them byte for
 * byte, BAREKING_KERNEL (portable, avx2, avx512) limits the instructions and
 * BAREKING_SET_BITS (64, 128, 256) asks for a wider word than the board needs.
 */
#include <stdlib.h>
#include <string.h>

#include "tb/solve/solve.h"

extern const struct bk_kernel bk_kernel_portable64, bk_kernel_portable128, bk_kernel_portable256;
#ifdef __x86_64__
extern const struct bk_kernel bk_kernel_avx2_64, bk_kernel_avx2_128, bk_kernel_avx2_256;
extern const struct bk_kernel bk_kernel_avx512_64, bk_kernel_avx512_128, bk_kernel_avx512_256;
#endif

static const struct bk_kernel *const kernel[3][3] = {
    { &bk_kernel_portable64, &bk_kernel_portable128, &bk_kernel_portable256 },
#ifdef __x86_64__
    { &bk_kernel_avx2_64, &bk_kernel_avx2_128, &bk_kernel_avx2_256 },
    { &bk_kernel_avx512_64, &bk_kernel_avx512_128, &bk_kernel_avx512_256 },
#endif
};

static unsigned instruction_set(void)
{
    unsigned best = 0;
#ifdef __x86_64__
    const char *wish = getenv("BAREKING_KERNEL");

    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        best = 1;
    if (best && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        best = 2;
    if (wish && !strcmp(wish, "portable"))
        best = 0;
    if (wish && !strcmp(wish, "avx2") && best > 1)
        best = 1;
#endif
    return best;
}

bk_kings_solver bk_kings_64, bk_kings_128, bk_kings_256;

static unsigned width_for(unsigned bits) { return bits <= 64 ? 0 : bits <= 128 ? 1 : 2; }

static unsigned width_of(unsigned nsq)
{
    const char *wish = getenv("BAREKING_SET_BITS");
    unsigned width = width_for(nsq), wider = wish ? width_for((unsigned)atoi(wish)) : 0;

    return wider > width ? wider : width;
}

const struct bk_kernel *bk_kernel_for(unsigned nsq)
{
    return kernel[instruction_set()][width_of(nsq)];
}

/* Putting 64 bytes in order came to the machines after the rest of AVX-512. */
bk_row_scores *bk_row_scores_for(void)
{
#ifdef __x86_64__
    if (instruction_set() == 2 && __builtin_cpu_supports("avx512vbmi"))
        return bk_row_scores_vbmi;
#endif
    return bk_row_scores_portable;
}

bk_kings_solver *bk_kings_for(unsigned nsq)
{
    static bk_kings_solver *const solver[3] = { bk_kings_64, bk_kings_128, bk_kings_256 };

    return solver[width_of(nsq)];
}
