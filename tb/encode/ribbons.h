/*
 * ribbons.h - making ribbons (table/ribbon.h): solving for their bits.
 */
#ifndef BK_RIBBONS_H
#define BK_RIBBONS_H

#include "table/ribbon.h"
#include "tb/encode/eliminate.h"

#define BK_RIBBON_KEYS_MAX (BK_RIBBON_WORDS_MAX * 60u)

/* A key and its bit. */
struct bk_ribbon_key {
    uint64_t key;
    bool bit;
};

void bk_ribbon_room_release(struct bk_ribbon_room *room);

/*
 * Solves for n <= BK_RIBBON_KEYS_MAX different keys; the result is room->words[0 .. *words - 1]
 * in this machine's byte order.  n = 0: no words.  At first one bit more than keys is tried for
 * `spare` of them, 32 to 128: the more, the fewer equations are under way at once.  The same keys
 * in any order give the same bytes, on any machine.  Fails with BK_E_SYSTEM: memory, or keys that
 * no seed tells apart (the same key twice with two bits).  Cost: 20 to 30 ns a key with AVX2 or
 * AVX-512, 35 to 45 without.
 */
enum bk_err bk_ribbon_solve(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                            unsigned spare, uint32_t *words, uint32_t *seed, struct bk_report *why);

#endif
