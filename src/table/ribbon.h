/*
 * ribbon.h - a set of keys with a bit each, in little more than a bit a key.
 *
 * A ribbon stores no keys.  It is a string of m bits; a key hashes to a window
 * of 128 of them and to a mask, and its bit is the parity of window & mask.  The
 * bits are chosen so that every key of the set answers right: n equations over
 * bits, which Gauss solves quickly because each touches one window only.  A key
 * that is not in the set gets some bit, each as likely as the other.
 *
 * The window begins anywhere in the string; those that would begin up to 64
 * bits before its start or after its last window are moved to the border,
 * so that the ends are used as fully as the middle.  A string of one word is
 * its own window.
 *
 * When the equations contradict each other, the next seed is tried, and after
 * some tries one word more.  Some 1.2 % above n bits do for 12,000 keys; a few
 * keys take one word.
 *
 * Rejected: windows of 64 bits.  They take 2.5 % above n, and as much time,
 * since one try in three succeeds instead of four in five.
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

/* The bits of mask[0] from `start` on, and of mask[1] from start + 64 on, sum up to the bit. */
struct bk_ribbon_equation {
    uint32_t start;
    uint64_t mask[2];
};

static inline struct bk_ribbon_equation bk_ribbon_equation_of(uint64_t key, uint32_t seed,
                                                              uint32_t words)
{
    uint64_t h = bk_mix(key + seed * UINT64_C(0x632be59bd9b4e019));
    uint64_t c = h * UINT64_C(0xc2b2ae3d27d4eb4f);
    uint32_t bits = 64 * words, at = (uint32_t)((h >> 32) * (bits + 1) >> 32);

    c ^= c >> 29;
    if (words == 1)
        return (struct bk_ribbon_equation){ 0, { c * UINT64_C(0x9fb21c651e98df25) | 1, 0 } };
    at = at < 64 ? 0 : at - 64;
    return (struct bk_ribbon_equation){ at > bits - 128 ? bits - 128 : at,
                                        { c * UINT64_C(0x9fb21c651e98df25) | 1,
                                          c * UINT64_C(0xd1342543de82ef95) } };
}

/* The bit of a key.  A ribbon without words answers no. */
static inline bool bk_ribbon_bit(const struct bk_ribbon *r, uint64_t key)
{
    struct bk_ribbon_equation e;
    uint64_t low, middle, high;
    uint32_t at, shift;

    if (!r->words)
        return false;
    e = bk_ribbon_equation_of(key, r->seed, r->words);
    at = e.start >> 6;
    shift = e.start & 63;
    low = bk_ribbon_word(r->bytes, at);
    middle = bk_ribbon_word(r->bytes, at + (r->words > 1));
    high = bk_ribbon_word(r->bytes, at + (r->words > 1) + (shift > 0));
    low = low >> shift | middle << 1 << (63 - shift);
    high = middle >> shift | high << 1 << (63 - shift);
    return __builtin_parityll((low & e.mask[0]) ^ (high & e.mask[1]));
}

/* A key and its bit, for solving. */
struct bk_ribbon_key {
    uint64_t key;
    bool bit;
};

/* Scratch memory of one thread; zero to begin with. */
struct bk_ribbon_room {
    uint64_t (*mask)[2]; /* by start: the equation that begins here; 0: none */
    uint64_t *words;     /* the solution */
    uint8_t *bit;        /* by start */
    size_t room;         /* words */
};
void bk_ribbon_room_release(struct bk_ribbon_room *room);

/*
 * Solves for n <= BK_RIBBON_KEYS_MAX different keys; the result is room->words[0 .. *words - 1]
 * in this machine's byte order.  n = 0: no words.  The same keys in any order give the same
 * bytes.  Fails with BK_E_SYSTEM: memory, or keys that no seed parts (the same key twice with
 * two bits).  Cost: some 60 ns a key.
 */
enum bk_err bk_ribbon_solve(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                            uint32_t *words, uint32_t *seed, struct bk_report *why);

#endif
