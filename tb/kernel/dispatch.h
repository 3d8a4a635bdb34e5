/*
 * dispatch.h - which kernel.
 */
#ifndef BK_DISPATCH_H
#define BK_DISPATCH_H

#include "tb/kernel/kernel.h"

/*
 * Returns the best kernel this machine runs for a board of nsq squares.  A plan
 * asks once; everything below is handed the answer.
 *
 * For tests that compare them byte for byte, BAREKING_KERNEL (portable, avx2,
 * avx512) limits the instructions and BAREKING_SET_BITS (64, 128, 256) asks for
 * a wider word than the board needs.
 */
const struct bk_kernel *bk_kernel_for(unsigned nsq);

#endif
