/*
 * eliminate.h - Gauss on a band: from the equations of a ribbon to its pivots.
 */
#ifndef BK_ELIMINATE_H
#define BK_ELIMINATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Scratch memory of one thread; zero to begin with. */
struct bk_ribbon_room {
    uint64_t (*pivot)[2]; /* by variable: the equation that begins with it; 0: none */
    uint64_t *words;      /* the solution */
    uint32_t *end;        /* by byte: one past the equations that begin there */
    size_t room;          /* words */
    uint64_t *low, *high; /* the equations, by the byte they begin with */
    uint64_t *live[2];    /* of elimination: equations under way */
    size_t key_room;
};

/*
 * Eliminates: sets room->pivot from room->low, high and end, for `words` words of the solution.
 * False: the equations contradict each other.  There is one for each of four instruction sets
 * (eliminate.c makes two of them); which equations become pivots may differ, the solution is the
 * same.  An equation is 127 coefficients, bit 0 of low the first variable of a byte, and their sum,
 * the highest bit of high.
 */
#define BK_EQUATION_BIT (UINT64_C(1) << 63)
typedef bool bk_eliminate(struct bk_ribbon_room *room, uint32_t words);
bk_eliminate bk_eliminate_portable;
#ifdef __x86_64__
bk_eliminate bk_eliminate_avx512, bk_eliminate_avx2;
bk_eliminate bk_eliminate_gfni; /* AVX-512 with GFNI, VBMI and VBMI2 */
#endif

#endif
