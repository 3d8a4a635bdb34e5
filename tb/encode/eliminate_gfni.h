/*
 * eliminate_gfni.h - eliminate.h once more, for AVX-512 with GFNI, VBMI and VBMI2.
 */
#ifndef BK_ELIMINATE_GFNI_H
#define BK_ELIMINATE_GFNI_H

#include "tb/encode/eliminate.h"

#ifdef __x86_64__
bk_eliminate bk_eliminate_gfni;
#endif

#endif
