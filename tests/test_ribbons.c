/*
 * test_ribbons.c - retrieval structures: each key has the bit that it was made with, and every
 * instruction set makes the same words and lets the same keys pass.
 *
 * Keys are bk_mix(1), bk_mix(2) and so on; never bk_mix(0), which is 0: no equation has a variable
 * then, so that its bit can only be 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "table/ribbon.h"
#include "tb/encode/eliminate.h"
#include "tb/encode/filter.h"
#include "tb/encode/ribbons.h"
#include "tb/memory/cpu.h"
#include "tests/draw.h"

/* == Answers == */

/* Turns words into a file's byte order, in place. */
static const uint8_t *bytes_of(uint64_t *word, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        word[i] = bk_word_turned(word[i]);
    return (const uint8_t *)word;
}

static void ribbon__answers_every_key(void **state)
{
    static const size_t size[] = { 0, 1, 2, 3, 17, 63, 64, 65, 120, 500, 3000, 12000, 20000 };
    struct bk_ribbon_key *key = malloc(20000 * sizeof(*key));
    struct bk_ribbon_room room = { 0 };
    struct bk_report why;

    (void)state;
    for (unsigned k = 0; k < 2 * sizeof(size) / sizeof(*size); k++) {
        struct bk_ribbon r = { 0 };
        size_t n = size[k / 2];
        unsigned spare = k % 2 ? 32 : 128;
        uint32_t s;

        for (size_t i = 0; i < n; i++)
            key[i] = (struct bk_ribbon_key){ bk_mix(i * 977 + k + 1), draw(2) };
        assert_int_equal(bk_ribbon_solve(&room, key, n, spare, &r.words, &s, &why), BK_OK);
        r.factor = bk_ribbon_factor(s);
        assert_true(64 * r.words <= n + n / 20 + 128);
        assert_true(64 * r.words >= n + n / spare);
        r.bytes = bytes_of(room.words, r.words);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(bk_ribbon_bit(&r, key[i].key), key[i].bit);
    }
    bk_ribbon_room_release(&room);
    free(key);
}

static void ribbon__order_of_keys_does_not_matter(void **state)
{
    enum { N = 5000 };
    struct bk_ribbon_key *key = malloc(N * sizeof(*key));
    struct bk_ribbon_room a = { 0 }, b = { 0 };
    uint32_t words[2], seeds[2];

    (void)state;
    for (unsigned i = 0; i < N; i++)
        key[i] = (struct bk_ribbon_key){ bk_mix(i + 1), draw(2) };
    assert_int_equal(bk_ribbon_solve(&a, key, N, 128, &words[0], &seeds[0], NULL), BK_OK);
    for (unsigned i = N; i > 1; i--) {
        unsigned j = (unsigned)draw(i);
        struct bk_ribbon_key t = key[i - 1];

        key[i - 1] = key[j];
        key[j] = t;
    }
    assert_int_equal(bk_ribbon_solve(&b, key, N, 128, &words[1], &seeds[1], NULL), BK_OK);
    assert_int_equal(words[0], words[1]);
    assert_int_equal(seeds[0], seeds[1]);
    assert_memory_equal(a.words, b.words, 8 * words[0]);
    bk_ribbon_room_release(&a);
    bk_ribbon_room_release(&b);
    free(key);
}

static void ribbon__one_key_with_two_bits_is_refused(void **state)
{
    struct bk_ribbon_key key[2] = { { 5, false }, { 5, true } };
    struct bk_ribbon_room room = { 0 };
    struct bk_report why;
    uint32_t words, s;

    (void)state;
    assert_int_equal(bk_ribbon_solve(&room, key, 2, 128, &words, &s, &why), BK_E_SYSTEM);
    bk_ribbon_room_release(&room);
}

/* == Instruction sets == */

/* Lists the eliminators that this machine can run; returns how many. */
static unsigned list_eliminators(bk_eliminate *out[4])
{
    unsigned n = 0;

    out[n++] = bk_eliminate_portable;
#ifdef __x86_64__
    if (bk_cpu() >= BK_CPU_AVX2)
        out[n++] = bk_eliminate_avx2;
    if (bk_cpu() >= BK_CPU_AVX512)
        out[n++] = bk_eliminate_avx512;
    if (bk_cpu() >= BK_CPU_AVX512 && __builtin_cpu_supports("gfni") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"))
        out[n++] = bk_eliminate_gfni;
#endif
    return n;
}

/* Returns the solution of `pivot`, last variable first; variables without a pivot are 0.  Owned. */
static uint64_t *follow_from(uint64_t (*pivot)[2], uint32_t words)
{
    uint64_t *solution = calloc(words + 2, sizeof *solution);

    for (uint32_t v = 64 * words; v-- > 0;) {
        uint64_t bit = pivot[v][1] >> 63;

        for (unsigned i = 0; i < 127; i++) {
            uint32_t at = v / 8 * 8 + i;

            bit ^= pivot[v][i / 64] >> i % 64 & solution[at / 64] >> at % 64;
        }
        solution[v / 64] |= (bit & 1) << v % 64;
    }
    return solution;
}

static void ribbon__all_instruction_sets_eliminate_alike(void **state)
{
    enum { N = 9000 };
    bk_eliminate *eliminate[4];
    unsigned eliminators = list_eliminators(eliminate);
    struct bk_ribbon_key *key = malloc(N * sizeof(*key));
    struct bk_ribbon_room room = { 0 };

    (void)state;
    for (unsigned n = 1; n < N; n = n * 3 / 2 + 1) {
        uint32_t words, s;

        for (unsigned i = 0; i < n; i++)
            key[i] = (struct bk_ribbon_key){ bk_mix(i + n), draw(2) };
        assert_int_equal(bk_ribbon_solve(&room, key, n, 128, &words, &s, NULL), BK_OK);
        for (unsigned k = 0; k < eliminators; k++) {
            uint64_t *solution;

            memset(room.pivot, 0x55, 64 * words * sizeof(*room.pivot));
            assert_true(eliminate[k](&room, words));
            solution = follow_from(room.pivot, words);
            assert_memory_equal(solution, room.words, words * sizeof *solution);
            free(solution);
        }
    }
    bk_ribbon_room_release(&room);
    free(key);
}

/* One equation occurs twice; then the two are made to contradict each other. */
static void ribbon__all_instruction_sets_find_contradictions(void **state)
{
    enum { N = 4000 };
    bk_eliminate *eliminate[4];
    unsigned eliminators = list_eliminators(eliminate);
    struct bk_ribbon_key *key = malloc((N + 1) * sizeof(*key));
    struct bk_ribbon_room room = { 0 };

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        uint32_t words, s, at;
        unsigned n = 100 + (unsigned)draw(N - 100);

        for (unsigned i = 0; i < n; i++)
            key[i] = (struct bk_ribbon_key){ bk_mix(i + N * round + 1), draw(2) };
        key[n] = key[n - 1]; /* twice: those of one byte keep their order, so side by side */
        assert_int_equal(bk_ribbon_solve(&room, key, n + 1, 128, &words, &s, NULL), BK_OK);
        for (unsigned k = 0; k < eliminators; k++)
            assert_true(eliminate[k](&room, words));
        for (at = 0; at < n; at++)
            if (room.low[at] == room.low[at + 1] && room.high[at] == room.high[at + 1])
                break;
        assert_true(at < n);
        room.high[at] ^= BK_EQUATION_BIT;
        for (unsigned k = 0; k < eliminators; k++)
            assert_false(eliminate[k](&room, words));
    }
    bk_ribbon_room_release(&room);
    free(key);
}

/* Ribbons of up to WORDS random words, and random keys that ask for 1 to 20 bits. */
static void filter__all_instruction_sets_let_the_same_pass(void **state)
{
    enum { N = 1003, WORDS = 40 };
    uint64_t word[WORDS], key[N + BK_FILTER_PAST];
    uint8_t bits[N + BK_FILTER_PAST];
    uint16_t passed[2][N + BK_FILTER_PAST];

    (void)state;
    for (uint32_t words = 0; words <= WORDS; words += words ? words : 2) {
        struct bk_ribbon r = { (const uint8_t *)word, words, bk_ribbon_factor(words) };
        size_t n, found = 0;

        for (unsigned i = 0; i < WORDS; i++)
            word[i] = draw(UINT64_MAX);
        for (unsigned i = 0; i < N; i++) {
            key[i] = draw(UINT64_MAX);
            bits[i] = (uint8_t)(1 + draw(i % 3 ? 4 : BK_RC_MAX));
            found += bk_filter_passes(&r, key[i], bits[i]);
        }
        n = bk_filter_portable(&r, key, bits, N, passed[0]);
        assert_int_equal(n, found);
        assert_true(words ? n > N / 20 && n < N / 2 : !n);
        for (size_t i = 0; i < n; i++) {
            assert_true(bk_filter_passes(&r, key[passed[0][i]], bits[passed[0][i]]));
            assert_true(!i || passed[0][i] > passed[0][i - 1]);
        }
#ifdef __x86_64__
        if (bk_cpu() < BK_CPU_AVX512 || !__builtin_cpu_supports("avx512dq") ||
            !__builtin_cpu_supports("avx512vpopcntdq"))
            continue;
        assert_int_equal(bk_filter_avx512(&r, key, bits, N, passed[1]), n);
        assert_memory_equal(passed[0], passed[1], n * sizeof *passed[0]);
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ribbon__answers_every_key),
        cmocka_unit_test(ribbon__order_of_keys_does_not_matter),
        cmocka_unit_test(ribbon__one_key_with_two_bits_is_refused),
        cmocka_unit_test(ribbon__all_instruction_sets_eliminate_alike),
        cmocka_unit_test(ribbon__all_instruction_sets_find_contradictions),
        cmocka_unit_test(filter__all_instruction_sets_let_the_same_pass),
    };

    return cmocka_run_group_tests_name("ribbons", tests, NULL, NULL);
}
