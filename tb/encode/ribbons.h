/*
 * ribbons.h - making ribbons (table/ribbon.h): solving for their bits.
 */
#ifndef BK_RIBBONS_H
#define BK_RIBBONS_H

#include "table/ribbon.h"

#define BK_RIBBON_KEYS_MAX (BK_RIBBON_WORDS_MAX * 60u)

/* A key and its bit. */
struct bk_ribbon_key {
    uint64_t key;
    bool bit;
};

/* Scratch memory of one thread; zero to begin with. */
struct bk_ribbon_room {
    uint64_t (*pivot)[2]; /* by variable: the equation that begins with it; 0: none */
    uint64_t *words;      /* the solution */
    uint32_t *end;        /* by byte: one past the equations that begin there */
    size_t room;          /* words */
    uint64_t *low, *high; /* the equations, by the byte they begin with */
    uint64_t *live[2];    /* of elimination: equations under way */
    uint32_t *hole;       /* places of `live` that are free */
    size_t key_room;
};
void bk_ribbon_room_release(struct bk_ribbon_room *room);

/*
 * Solves for n <= BK_RIBBON_KEYS_MAX different keys; the result is room->words[0 .. *words - 1]
 * in this machine's byte order.  n = 0: no words.  The same keys in any order give the same
 * bytes, on any machine.  Fails with BK_E_SYSTEM: memory, or keys that no seed parts (the same
 * key twice with two bits).  Cost: some 15 ns a key with AVX2, twice that without.
 */
enum bk_err bk_ribbon_solve(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                            uint32_t *words, uint32_t *seed, struct bk_report *why);

/*
 * Elimination: from room->low, high and end to room->pivot, for so many words.  False: the
 * equations contradict each other.  Compiled for several instruction sets (eliminate.c), which
 * all give the same.  An equation is 127 coefficients, bit 0 of low the first variable of a
 * byte, and as the highest bit of high what they sum up to.
 */
#define BK_EQUATION_BIT (UINT64_C(1) << 63)
typedef bool bk_eliminate(struct bk_ribbon_room *room, uint32_t words);
bk_eliminate bk_eliminate_portable;
#ifdef __x86_64__
bk_eliminate bk_eliminate_avx2, bk_eliminate_avx512;
#endif

#endif
