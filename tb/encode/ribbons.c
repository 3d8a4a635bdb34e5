/*
 * ribbons.c - solving for the bits of a ribbon.
 *
 *   sort        the equations by the byte they begin with, counting first
 *   give up     where more equations come together than there are variables, a
 *               contradiction is as good as certain: seeds that make it so are
 *               passed over for the cost of counting
 *   eliminate   variable by variable (eliminate.c)
 *   substitute  from the last variable back; only the last 127 count.
 *               Variables without an equation are free, and become 0
 *
 * Which variables are free, and so the solution, depends on the set of the
 * equations alone, not on their order.
 */
#include "tb/encode/ribbons.h"

#include <stdlib.h>

#include "tb/memory/cpu.h"
#include "tb/memory/spill.h"

#define WINDOW    127 /* variables of an equation */
#define LIVE_PAST 64  /* places of `live` beyond the keys: rows are read so many at a time */

/* Words for n keys at the first try: a share above, and some for the borders. */
static uint32_t words_for(size_t n, unsigned spare)
{
    uint32_t words = (uint32_t)((n + n / spare + 8 + 63) / 64);

    return words < 2 ? 2 : words;
}

/* == Room == */

static void release_words(struct bk_ribbon_room *room)
{
    bk_spill_free(room->pivot);
    bk_spill_free(room->words);
    bk_spill_free(room->end);
    room->pivot = NULL;
    room->words = NULL;
    room->end = NULL;
    room->room = 0;
}

static void release_keys(struct bk_ribbon_room *room)
{
    bk_spill_free(room->low);
    room->low = room->high = room->live[0] = room->live[1] = NULL;
    room->key_room = 0;
}

void bk_ribbon_room_release(struct bk_ribbon_room *room)
{
    release_words(room);
    release_keys(room);
}

static bool room_for_words(struct bk_ribbon_room *room, size_t words)
{
    if (words <= room->room)
        return true;
    release_words(room);
    words += words / 4 + 16;
    room->pivot = bk_spill_resize(NULL, words * 64 * sizeof(*room->pivot));
    room->words = bk_spill_resize(NULL, words * sizeof(*room->words));
    room->end = bk_spill_resize(NULL, (words * 8 + 1) * sizeof(*room->end));
    if (!room->pivot || !room->words || !room->end) {
        release_words(room);
        return false;
    }
    room->room = words;
    return true;
}

static bool room_for_keys(struct bk_ribbon_room *room, size_t n)
{
    size_t live = 0;

    if (n <= room->key_room)
        return true;
    release_keys(room);
    n = (n + n / 4 + 64) / 8 * 8;
    live = n + LIVE_PAST;
    room->low = bk_spill_new_often((2 * n + 2 * live) * sizeof(*room->low));
    if (!room->low)
        return false;
    room->high = room->low + n;
    room->live[0] = room->high + n;
    room->live[1] = room->live[0] + live;
    room->key_room = n;
    return true;
}

/* == Solving == */

static bk_eliminate *eliminate_for(void)
{
#ifdef __x86_64__
    if (bk_cpu() >= BK_CPU_AVX512 && __builtin_cpu_supports("gfni") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"))
        return bk_eliminate_gfni;
    if (bk_cpu() >= BK_CPU_AVX512)
        return bk_eliminate_avx512;
    if (bk_cpu() >= BK_CPU_AVX2)
        return bk_eliminate_avx2;
#endif
    return bk_eliminate_portable;
}

/* Counts the equations that begin with each byte; end[byte] becomes the first of them.  False:
   at some byte more are left than have room in a window. */
static bool count_starts(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                         uint32_t words, uint64_t factor)
{
    uint32_t *end = room->end, bytes = 8 * words, sum = 0, left = 0;

    memset(end, 0, bytes * sizeof(*end));
    for (size_t i = 0; i < n; i++)
        end[bk_ribbon_equation_of(key[i].key, factor, words).start]++;
    for (uint32_t b = 0; b < bytes; b++) {
        uint32_t more = end[b];

        end[b] = sum;
        sum += more;
        left = left + more > 8 ? left + more - 8 : 0;
        if (left > WINDOW - 8)
            return false;
    }
    return true;
}

/* Puts the equations in the order of their bytes, and end[] where they end. */
static void sort(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                 uint32_t words, uint64_t factor)
{
    for (size_t i = 0; i < n; i++) {
        struct bk_ribbon_equation e = bk_ribbon_equation_of(key[i].key, factor, words);
        uint32_t at = room->end[e.start]++;

        room->low[at] = e.mask[0];
        room->high[at] = e.mask[1] | (uint64_t)key[i].bit << 63;
    }
}

/* Sets room->words.  Bit 63 of `high` is 1, so that the parity includes the equation's sum. */
static void substitute(struct bk_ribbon_room *room, uint32_t words)
{
    uint64_t low = 0, high = BK_EQUATION_BIT;

    for (uint32_t byte = 8 * words; byte-- > 0;) {
        uint64_t(*e)[2] = room->pivot + (size_t)8 * byte;
        unsigned sum[8], found = 0;

        high = (high << 8 | low >> 56) | BK_EQUATION_BIT;
        low <<= 8;
        for (unsigned i = 0; i < 8; i++)
            sum[i] = (unsigned)__builtin_parityll((e[i][0] & low) ^ (e[i][1] & high));
        for (unsigned i = 8; i-- > 0;)
            found |= (sum[i] ^ (unsigned)__builtin_parity((unsigned)e[i][0] & found)) << i;
        low |= found;
        if (byte % 8 == 0)
            room->words[byte / 8] = low;
    }
}

enum bk_err bk_ribbon_solve(struct bk_ribbon_room *room, const struct bk_ribbon_key *key, size_t n,
                            unsigned spare, uint32_t *words, uint32_t *seed, struct bk_report *why)
{
    bk_eliminate *eliminate = eliminate_for();

    *words = *seed = 0;
    if (!n)
        return BK_OK;
    *words = words_for(n, spare);
    for (*seed = 0; *seed < 256; ++*seed) {
        uint64_t factor = bk_ribbon_factor(*seed);

        if (*seed && *seed % 3 == 0)
            ++*words;
        if (*words > BK_RIBBON_WORDS_MAX)
            break;
        if (!room_for_words(room, *words) || !room_for_keys(room, n))
            return bk_fail(why, BK_E_SYSTEM, "no memory for a ribbon of %u words", *words);
        if (!count_starts(room, key, n, *words, factor))
            continue;
        sort(room, key, n, *words, factor);
        if (eliminate(room, *words)) {
            substitute(room, *words);
            return BK_OK;
        }
    }
    return bk_fail(why, BK_E_SYSTEM, "no ribbon holds these %zu keys", n);
}
