/*
 * ribbon.c - solving for the bits of a ribbon.
 *
 * Gauss, an equation at a time.  mask[i] holds the equation whose first
 * variable is bit i.  A new equation with first variable i takes place i if it
 * is free; else the one there is added to it, which clears bit i and leaves an
 * equation that begins later.  An equation that runs empty was a sum of others:
 * fine if its bit is 0 as well, a contradiction otherwise.  Back substitution
 * then needs only the last 128 bits found, which shift along.
 */
#include "table/ribbon.h"

#include <stdlib.h>

/* Words for n keys at the first try: a share above, and some for the borders. */
static uint32_t words_for(size_t n)
{
    uint32_t words = (uint32_t)((n + n / 128 + 8 + 63) / 64);

    return words < 2 ? 2 : words;
}

static enum bk_err make_room(struct bk_ribbon_room *room, size_t words, struct bk_report *why)
{
    if (words <= room->room)
        return BK_OK;
    bk_ribbon_room_release(room);
    words += words / 4 + 16;
    room->mask = malloc(words * 64 * sizeof(*room->mask));
    room->words = malloc(words * sizeof(*room->words));
    room->bit = malloc(words * 64);
    if (!room->mask || !room->words || !room->bit) {
        bk_ribbon_room_release(room);
        return bk_fail(why, BK_E_SYSTEM, "no memory for a ribbon of %zu words", words);
    }
    room->room = words;
    return BK_OK;
}

void bk_ribbon_room_release(struct bk_ribbon_room *room)
{
    free(room->mask);
    free(room->words);
    free(room->bit);
    *room = (struct bk_ribbon_room){ 0 };
}

/* Adds one equation to those there are; false: it contradicts them. */
static inline bool add_equation(uint64_t (*mask)[2], uint8_t *bit, struct bk_ribbon_equation e,
                                uint8_t b)
{
    uint32_t at = 8 * e.start;

    for (;;) {
        unsigned zeros;

        if (!e.mask[0]) {
            if (!e.mask[1])
                return !b;
            e.mask[0] = e.mask[1];
            e.mask[1] = 0;
            at += 64;
        }
        zeros = (unsigned)__builtin_ctzll(e.mask[0]);
        if (zeros) {
            e.mask[0] = e.mask[0] >> zeros | e.mask[1] << (64 - zeros);
            e.mask[1] >>= zeros;
            at += zeros;
        }
        if (!mask[at][0])
            break;
        e.mask[0] ^= mask[at][0];
        e.mask[1] ^= mask[at][1];
        b ^= bit[at];
    }
    mask[at][0] = e.mask[0];
    mask[at][1] = e.mask[1];
    bit[at] = b;
    return true;
}

static bool eliminate(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                      uint32_t words, uint32_t seed)
{
    uint64_t factor = bk_ribbon_factor(seed);

    memset(room->mask, 0, (size_t)words * 64 * sizeof(*room->mask));
    for (size_t i = 0; i < n; i++)
        if (!add_equation(room->mask, room->bit, bk_ribbon_equation_of(key[i].key, factor, words),
                          key[i].bit))
            return false;
    return true;
}

/* Bits that no equation begins with are free, and become 0. */
static void substitute(struct bk_ribbon_room *room, uint32_t words)
{
    uint64_t low = 0, high = 0; /* the bits from the present one on */

    for (uint32_t w = words; w-- > 0;) {
        for (unsigned i = 64; i-- > 0;) {
            const uint64_t *c = room->mask[64 * (size_t)w + i];

            high = high << 1 | low >> 63;
            low <<= 1;
            if (c[0])
                low |= (uint64_t)__builtin_parityll((c[0] & low) ^ (c[1] & high)) ^
                       room->bit[64 * (size_t)w + i];
        }
        room->words[w] = low;
    }
}

/*
 * Whether a first try succeeds depends on the keys, not on their order, so neither does the
 * result: the reduced equations span the same space, and its solution with all free bits 0
 * is one.
 */
enum bk_err bk_ribbon_solve(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                            uint32_t *words, uint32_t *seed, struct bk_report *why)
{
    enum bk_err err;

    *words = *seed = 0;
    if (!n)
        return BK_OK;
    *words = words_for(n);
    for (*seed = 0; *seed < 256; ++*seed) {
        if (*seed && *seed % 3 == 0)
            ++*words;
        if (*words > BK_RIBBON_WORDS_MAX)
            break;
        if ((err = make_room(room, *words, why)))
            return err;
        if (eliminate(room, key, n, *words, *seed)) {
            substitute(room, *words);
            return BK_OK;
        }
    }
    return bk_fail(why, BK_E_SYSTEM, "no ribbon holds these %zu keys", n);
}
