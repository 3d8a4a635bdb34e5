/*
 * passes.h - the kernels that passes.c is compiled to.
 */
#ifndef BK_PASSES_H
#define BK_PASSES_H

#include "tb/kernel/kernel.h"

/* By instructions and bits of a set. */
extern const struct bk_kernel bk_kernel_portable64, bk_kernel_portable128, bk_kernel_portable256;
#ifdef __x86_64__
extern const struct bk_kernel bk_kernel_avx2_64, bk_kernel_avx2_128, bk_kernel_avx2_256;
extern const struct bk_kernel bk_kernel_avx512_64, bk_kernel_avx512_128, bk_kernel_avx512_256;
#endif

#endif
