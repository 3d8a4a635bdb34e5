/*
 * cpu.h - which instructions this machine has.
 */
#ifndef BK_CPU_H
#define BK_CPU_H

enum bk_cpu { BK_CPU_PORTABLE, BK_CPU_AVX2, BK_CPU_AVX512, BK_CPU_LEVELS };

/* The best that this machine runs; no better than BAREKING_KERNEL (portable, avx2, avx512), which
   tests set.  Cost: a look at the environment. */
enum bk_cpu bk_cpu(void);

/* Cores that this process may use, 1 or more: no more than it is bound to, nor than a quota of its
   control groups is worth (group.h). */
unsigned bk_cores(void);

#endif
