/*
 * eliminate_avx2.h - eliminate.h once more, for AVX2.
 */
#ifndef BK_ELIMINATE_AVX2_H
#define BK_ELIMINATE_AVX2_H

#include "tb/encode/eliminate.h"

#ifdef __x86_64__
bk_eliminate bk_eliminate_avx2;
#endif

#endif
