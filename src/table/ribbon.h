/*
 * ribbon.h - a set of keys with a bit each, in little more than a bit a key.
 *
 * A ribbon stores no keys.  It is a string of m bits; a key hashes to a window
 * of 64 of them and to a mask, and its bit is the parity of window & mask.  The
 * bits are chosen so that every key of the set answers right: n equations over
 * bits, which Gauss solves quickly because each touches one window only.  A key
 * that is not in the set gets some bit, each as likely as the other.
 *
 * The window begins anywhere in the string; those that would begin up to 32
 * bits before its start or after its last window are moved to the border,
 * so that the ends are used as fully as the middle.
 *
 * When the equations contradict each other, the next seed is tried, and after
 * some tries one word more.  Some 2 % above n bits do for 12,000 keys; a few keys
 * take one word.
 *
 * Keys are hashes already.  Source: Dillinger and Walzer, "Ribbon filter:
 * practically smaller than Bloom and Xor", 2021.
 */
#ifndef BK_RIBBON_H
#define BK_RIBBON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/err.h"

#define BK_RIBBON_WORDS_MAX 65535
#define BK_RIBBON_KEYS_MAX  (BK_RIBBON_WORDS_MAX * 60u)

/* A ribbon as it lies in a file: words of 64 bits, least byte first.  No key: no words. */
struct bk_ribbon {
    const uint8_t *bytes;
    uint32_t words;
    uint32_t seed; /* below 256 */
};

/* Every bit of the result depends on every bit of `x`; one to one. */
static inline uint64_t bk_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

static inline uint64_t bk_ribbon_word(const uint8_t *bytes, size_t word)
{
    uint64_t w;

    memcpy(&w, bytes + 8 * word, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* The equation of a key: the bits of `mask`, counted from `start`, sum up to its bit. */
static inline uint32_t bk_ribbon_equation(uint64_t key, uint32_t seed, uint32_t words,
                                          uint64_t *mask)
{
    uint64_t h = bk_mix(key + seed * UINT64_C(0x632be59bd9b4e019)), c;
    uint32_t bits = 64 * words, at = (uint32_t)((h >> 32) * (bits + 1) >> 32);

    c = h * UINT64_C(0xc2b2ae3d27d4eb4f);
    c ^= c >> 29;
    *mask = c * UINT64_C(0x9fb21c651e98df25) | 1;
    at = at < 32 ? 0 : at - 32;
    return at > bits - 64 ? bits - 64 : at;
}

/* The bit of a key.  A ribbon without words answers no. */
static inline bool bk_ribbon_bit(const struct bk_ribbon *r, uint64_t key)
{
    uint64_t mask, window;
    uint32_t start;

    if (!r->words)
        return false;
    start = bk_ribbon_equation(key, r->seed, r->words, &mask);
    window = bk_ribbon_word(r->bytes, start >> 6) >> (start & 63);
    window |= bk_ribbon_word(r->bytes, (start + 63) >> 6) << 1 << (63 - (start & 63));
    return __builtin_parityll(window & mask);
}

/* A key and its bit, for solving. */
struct bk_ribbon_key {
    uint64_t key;
    bool bit;
};

/* Scratch memory of one thread; zero to begin with. */
struct bk_ribbon_room {
    uint64_t *mask;  /* by start: the equation that begins here; 0: none */
    uint64_t *words; /* the solution */
    uint8_t *bit;    /* by start */
    size_t room;     /* words */
};
void bk_ribbon_room_release(struct bk_ribbon_room *room);

/*
 * Solves for n <= BK_RIBBON_KEYS_MAX different keys; the result is room->words[0 .. *words - 1]
 * in this machine's byte order.  n = 0: no words.  The same keys in any order give the same
 * bytes.  Fails with BK_E_SYSTEM: memory, or keys that no seed parts (the same key twice with
 * two bits).  Cost: some 30 ns a key, twice that where the first seed fails.
 */
enum bk_err bk_ribbon_solve(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                            uint32_t *words, uint32_t *seed, struct bk_report *why);

#endif
