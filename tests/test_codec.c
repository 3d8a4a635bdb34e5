/*
 * test_codec.c - ribbons, models and units: what was put in comes out, the
 * bytes depend on nothing else, and damaged ones do no harm.
 *
 * Units come from functions of the square and the row instead of solved tables,
 * over the numbers of real indexes, so that every kind of row, value and bound
 * is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <xxhash.h>
#include <zstd.h>

#include "core/finish.h"
#include "core/load.h"
#include "core/bits.h"
#include "core/move.h"
#include "table/index_new.h"
#include "table/scan.h"
#include "tb/encode/cells.h"
#include "tb/encode/codes.h"
#include "tb/encode/columns_for.h"
#include "tb/encode/drawn.h"
#include "tb/encode/eliminate_avx2.h"
#include "tb/encode/eliminate_gfni.h"
#include "tb/encode/encode.h"
#include "tb/encode/entropy.h"
#include "tb/encode/filter.h"
#include "tb/encode/ribbons.h"
#include "tb/encode/unit.h"
#include "tb/encode/worth.h"
#include "tb/memory/cpu.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/proof.h"
#include "tests/solved.h"

static uint64_t seed = 1;

static uint64_t draw(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return bk_mix(seed) % n;
}

/* == Ribbons == */

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
            key[i] = (struct bk_ribbon_key){ bk_mix(i * 977 + k), draw(2) };
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
    unsigned eliminators = list_eliminators(eliminate), agreed = 0;
    struct bk_ribbon_key *key = malloc((N + 1) * sizeof(*key));
    struct bk_ribbon_room room = { 0 };

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        uint32_t words, s, at;
        unsigned n = 100 + (unsigned)draw(N - 100);

        for (unsigned i = 0; i < n; i++)
            key[i] = (struct bk_ribbon_key){ bk_mix(i + N * round), draw(2) };
        key[n] = key[draw(n)]; /* twice */
        assert_int_equal(bk_ribbon_solve(&room, key, n + 1, 128, &words, &s, NULL), BK_OK);
        for (unsigned k = 0; k < eliminators; k++)
            assert_true(eliminate[k](&room, words));
        for (at = 0; at < n; at++) /* where the two lie side by side */
            if (room.low[at] == room.low[at + 1] && !(room.high[at] ^ room.high[at + 1]))
                break;
        agreed += at < n;
        if (at == n) /* others lie between them */
            continue;
        room.high[at] ^= BK_EQUATION_BIT;
        for (unsigned k = 0; k < eliminators; k++)
            assert_false(eliminate[k](&room, words));
    }
    assert_true(agreed > 3);
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

/* == Columns and logarithms == */

enum { WORDS = 50, COLUMNS = 7 };

/* Columns of bits; point() sets at[j] to column j. */
struct columns {
    uint64_t bits[COLUMNS][WORDS + 1], *at[COLUMNS];
};

static void point(struct columns *c)
{
    for (unsigned j = 0; j < COLUMNS; j++)
        c->at[j] = c->bits[j];
}

/* Checks that columns `kept` begin with those bits of `of` that `mask` has. */
static void are_kept(const struct columns *kept, const struct columns *of, unsigned n,
                     const uint64_t *mask)
{
    unsigned at = 0;

    for (unsigned i = 0; i < 64 * WORDS; i++) {
        if (!(mask[i / 64] >> i % 64 & 1))
            continue;
        for (unsigned j = 0; j < n; j++)
            assert_int_equal(kept->bits[j][at / 64] >> at % 64 & 1,
                             of->bits[j][i / 64] >> i % 64 & 1);
        at++;
    }
}

static void columns__keep_what_the_mask_says(void **state)
{
    const struct bk_columns best = bk_columns_for(), *set[2] = { &bk_columns_portable, &best };
    uint64_t mask[WORDS], rest[WORDS], steps[6 * WORDS], rest_steps[6 * WORDS];
    const struct bk_column_parts parts = { mask, rest, steps, rest_steps };
    struct columns column, kept, stays;

    (void)state;
    for (unsigned k = 0; k < 400; k++) {
        const struct bk_columns *ops = set[k % 2];
        unsigned n = 1 + k / 2 % COLUMNS;

        for (unsigned i = 0; i < WORDS; i++) {
            for (unsigned j = 0; j < COLUMNS; j++)
                column.bits[j][i] = draw(UINT64_MAX);
            mask[i] = draw(3) ? draw(UINT64_MAX) & draw(UINT64_MAX) : draw(2) ? 0 : UINT64_MAX;
        }
        for (unsigned i = 0; i < WORDS; i++)
            rest[i] = ~mask[i];
        bk_columns_steps(steps, mask, WORDS);
        bk_columns_steps(rest_steps, rest, WORDS);
        stays = column;
        point(&stays);
        point(&kept);
        ops->keep(kept.at, stays.at, n, mask, steps, WORDS);
        are_kept(&kept, &column, n, mask);
        ops->keep(stays.at, stays.at, n, mask, steps, WORDS);
        are_kept(&stays, &column, n, mask);
        stays = column;
        point(&stays);
        ops->part(kept.at, stays.at, n, &parts, WORDS);
        are_kept(&kept, &column, n, mask);
        are_kept(&stays, &column, n, rest);
    }
}

static void columns__all_instruction_sets_count_alike(void **state)
{
    const struct bk_columns best = bk_columns_for(), *one = &bk_columns_portable, *other = &best;
    uint64_t column[WORDS], class[WORDS];
    const uint64_t *classes[1] = { class };

    (void)state;
    for (unsigned k = 0; k < 200; k++) {
        unsigned n = 0;
        uint32_t count[2];

        for (unsigned i = 0; i < WORDS; i++) {
            column[i] = draw(UINT64_MAX);
            class[i] = draw(UINT64_MAX);
            n += (unsigned)__builtin_popcountll(column[i] & class[i]);
        }
        one->count(column, classes, 1, WORDS, &count[0]);
        other->count(column, classes, 1, WORDS, &count[1]);
        assert_int_equal(count[0], n);
        assert_int_equal(count[1], n);
    }
}

/* Masks of all bits occur, too: they leave nothing over for the next word. */
static void columns__append_what_the_mask_says(void **state)
{
    const struct bk_columns best = bk_columns_for(), *set[2] = { &bk_columns_portable, &best };
    struct columns column, appended;
    uint64_t mask[WORDS], all[COLUMNS], steps[6];

    (void)state;
    for (unsigned k = 0; k < 40; k++) {
        uint64_t partial[COLUMNS] = { 0 };
        size_t at = 0;

        point(&appended);
        for (unsigned i = 0; i < WORDS; i++) {
            for (unsigned j = 0; j < COLUMNS; j++)
                all[j] = column.bits[j][i] = draw(UINT64_MAX);
            mask[i] = draw(2) ? UINT64_MAX : k < 20 ? 0 : draw(UINT64_MAX);
            bk_columns_steps(steps, &mask[i], 1);
            set[k % 2]->append(appended.at, partial, all, 1, COLUMNS, mask[i], steps, at);
            at += bk_count_bits(mask[i]);
        }
        for (unsigned j = 0; at % 64 && j < COLUMNS; j++)
            appended.bits[j][at / 64] = partial[j];
        are_kept(&appended, &column, COLUMNS, mask);
    }
}

/* == Cells == */

/* A random cell of row `nth`, with few squares or many. */
struct drawn {
    uint32_t nth, leaf;
    bool odd, last;
    uint64_t squares[BK_CELL_WORDS_MAX];
};

static struct drawn draw_cell(uint32_t nth, uint32_t leaves, unsigned words)
{
    struct drawn d = { .nth = nth, .leaf = (uint32_t)draw(leaves), .odd = draw(2) };
    unsigned n = 1 + (unsigned)draw(draw(3) ? 4 : 64 * words);

    for (unsigned i = 0; i < n; i++) {
        unsigned s = (unsigned)draw(64 * words);

        d.squares[s / 64] |= UINT64_C(1) << s % 64;
    }
    d.last = !draw(3);
    d.leaf = draw(8) ? d.leaf : leaves - 1;
    return d;
}

/* Reads cells, and passes over those that are not odd and whose leaf is even. */
static void some_are_passed(const struct bk_cell_list *list, const struct drawn *cell, unsigned n,
                            uint32_t leaves, unsigned words)
{
    struct bk_cell_in in = bk_cells_read(list);
    bool *passed = calloc(leaves, sizeof *passed);

    for (uint32_t leaf = 0; leaf < leaves; leaf += 2)
        passed[leaf] = true;
    for (unsigned i = 0; i < n; i++) {
        uint64_t squares[BK_CELL_WORDS_MAX];
        uint32_t leaf;

        assert_int_equal(in.row, cell[i].nth);
        if (bk_cells_pass(&in, passed, words)) {
            assert_true(!cell[i].odd && passed[cell[i].leaf]);
            continue;
        }
        assert_true(cell[i].odd || !passed[cell[i].leaf]);
        bk_cells_take(&in, &leaf, squares, words);
        assert_int_equal(leaf, cell[i].leaf);
        assert_memory_equal(squares, cell[i].squares, 8 * words);
    }
    assert_int_equal(in.row, UINT32_MAX);
    free(passed);
}

static void cells__come_back_as_they_were_put(void **state)
{
    enum { N = 5000 };
    static const uint32_t leaves[] = { 3, 1u << 16, (1u << 16) + 1, 1u << 20 };
    struct drawn *cell = malloc(N * sizeof(*cell));

    (void)state;
    for (unsigned k = 0; k < 12; k++) {
        unsigned words = 1u << k % 3;
        struct bk_cell_list list = { 0 };
        struct bk_cell_in in;
        uint32_t nth = (uint32_t)draw(3) * 1000;

        bk_cells_init(&list, words, leaves[k / 3]);
        for (unsigned i = 0; i < N; i++) {
            cell[i] = draw_cell(nth, leaves[k / 3], words);
            assert_true(bk_cells_room(&list));
            bk_cells_put(&list, nth, cell[i].leaf, cell[i].odd, cell[i].squares, words);
            if (!cell[i].last)
                continue;
            bk_cells_end_row(&list, nth);
            nth += 1 + (uint32_t)(draw(4) ? 0 : draw(40000));
        }
        bk_cells_end_row(&list, nth);
        cell[N - 1].last = true;
        in = bk_cells_read(&list);
        for (unsigned i = 0; i < N; i++) {
            uint64_t squares[BK_CELL_WORDS_MAX];
            uint32_t leaf;
            unsigned control;

            assert_int_equal(in.row, cell[i].nth);
            control = bk_cells_take(&in, &leaf, squares, words);
            assert_int_equal(leaf, cell[i].leaf);
            assert_int_equal(!!(control & BK_CELL_ODD), cell[i].odd);
            assert_int_equal(!!(control & BK_CELL_LAST), cell[i].last);
            assert_memory_equal(squares, cell[i].squares, 8 * words);
        }
        assert_int_equal(in.row, UINT32_MAX);
        some_are_passed(&list, cell, N, leaves[k / 3], words);
        free(list.byte);
    }
    free(cell);
}

/* == What questions meet == */

/* Estimates are 1 to `exceptions` cells, and in them `exceptions` to `positions` positions. */
static void met__a_guess_is_what_could_be(void **state)
{
    enum { QUESTIONS = 50 };

    (void)state;
    for (unsigned k = 0; k < 2000; k++) {
        struct bk_askers askers[QUESTIONS];
        struct bk_met met[QUESTIONS];
        uint64_t most = UINT64_C(1) << draw(38);
        uint32_t all = 1 + (uint32_t)draw(40000), some = 1 + (uint32_t)draw(all);

        for (unsigned q = 0; q < QUESTIONS; q++) {
            askers[q].exceptions = 1 + draw(most);
            askers[q].positions = askers[q].exceptions + draw(most);
            met[q].cells = draw(draw(2) ? 3 : askers[q].exceptions + 1);
            met[q].in_cells = met[q].cells + draw(63 * met[q].cells + 1);
        }
        bk_met_guess(met, askers, QUESTIONS, some, all);
        for (unsigned q = 0; q < QUESTIONS; q++) {
            assert_in_range(met[q].cells, 1, askers[q].exceptions);
            assert_in_range(met[q].in_cells, askers[q].exceptions, askers[q].positions);
        }
    }
}

/* A question met in few cells is taken for an average one, here of nine exceptions a cell. */
static void met__a_question_seen_often_speaks_for_itself(void **state)
{
    const struct bk_askers askers[3] = { { 80000, 20000 }, { 8000, 4000 }, { 9000, 500 } };
    struct bk_met met[3] = { { 250, 5000 }, { 100, 1000 }, { 0, 0 } };

    (void)state;
    bk_met_guess(met, askers, 3, 1, 8);
    assert_int_equal(met[0].cells, 2000);
    assert_int_equal(met[0].in_cells, 40000);
    assert_int_equal(met[1].cells, 800);
    assert_int_equal(met[1].in_cells, 8000);
    assert_in_range(met[2].cells, 50, 60); /* 2800 cells of 24500 exceptions */
    assert_in_range(met[2].in_cells, 17 * 50, 17 * 60);
}

/* The largest filter where next to nothing is an exception, no filter where half of all is. */
static void rates__reach_from_none_to_the_largest(void **state)
{
    const struct bk_askers rare = { UINT64_C(1) << 44, 1 }, half = { 1000, 500 };
    const struct bk_met alone = { 1, 1 }, together = { 1, UINT64_C(1) << 44 }, all = { 30, 1000 };
    struct bk_question q;

    (void)state;
    bk_rates_choose(&q, &rare, &alone); /* its cell has no other position */
    assert_int_equal(q.rc, BK_RC_MAX);
    bk_rates_choose(&q, &rare, &together); /* all are in its cell */
    assert_int_equal(q.rc, 0);
    assert_int_equal(q.rp, BK_RP_MAX);
    bk_rates_choose(&q, &half, &all);
    assert_int_equal(q.rc, 0);
    assert_int_equal(q.rp, 0);
}

static void logs__powers_and_products_are_right(void **state)
{
    struct bk_logs *l = malloc(sizeof(*l));

    (void)state;
    bk_logs_init(l);
    for (unsigned k = 0; k < 40; k++)
        assert_true(bk_n_log_n(l, UINT64_C(1) << k) == (int64_t)(k * BK_ONE_BIT << k));
    /* log(3 n) = log 3 + log n */
    for (uint64_t n = 64; n < UINT64_C(1) << 36; n = n * 5 / 4 + 1) {
        double log3 = (double)bk_n_log_n(l, 3 << 20) / (3 << 20) - 20 * BK_ONE_BIT;
        double sum = log3 + (double)bk_n_log_n(l, n) / (double)n;
        double gap = (double)bk_n_log_n(l, 3 * n) / (double)(3 * n) - sum;

        assert_true((gap < 0 ? -gap : gap) < 0.001 + 2.0 / (double)n);
    }
    free(l);
}

/* == Units == */

/* How the values of a unit come about. */
struct made {
    const struct bk_rows *rows;
    unsigned bits, words;
    uint64_t seed;
    unsigned values;       /* 0 .. values - 1 */
    unsigned free_in_16;   /* of 16 positions, how many are free */
    unsigned least_in_16;  /* of 16 others, how many values are bounds */
    unsigned noise_in_256; /* of 256 positions, how many have a random value */
    bool plain;            /* all other values are 0; else squares decide them */
};

static unsigned value_of(const struct made *m, uint64_t number, const struct bk_row *row,
                         unsigned square, bool *is_free, bool *least)
{
    uint64_t h = bk_mix(number * 31 + m->seed);
    unsigned sum = square;

    for (unsigned i = 0; i < 3; i++)
        if (i != row->inner)
            sum += row->sq[i] / 3;
    *is_free = h % 16 < m->free_in_16;
    *least = (h >> 8) % 16 < m->least_in_16;
    if ((h >> 16) % 256 < m->noise_in_256)
        return (unsigned)((h >> 32) % m->values);
    return m->plain ? 0 : sum / 4 % m->values;
}

static void make_row(void *context, uint64_t number, struct bk_row *row, struct bk_turned *turned,
                     struct bk_row_values *v)
{
    const struct made *m = context;

    (void)turned;
    bk_row_of(m->rows, number, row);
    if (!v)
        return;
    memset(v, 0, sizeof(*v));
    for (unsigned i = 0; i < row->n; i++) {
        unsigned s = row->inner_sq[i];
        uint64_t bit = UINT64_C(1) << s % 64;
        bool is_free, least;
        unsigned value = value_of(m, row->first + i, row, s, &is_free, &least);

        for (unsigned man = 0; !is_free && man < 3; man++)
            is_free = man != row->inner && row->sq[man] == s;
        if (is_free)
            continue;
        v->care[s / 64] |= bit;
        v->least[s / 64] |= least ? bit : 0;
        for (unsigned b = 0; b < m->bits; b++)
            v->plane[b][s / 64] |= value >> b & 1 ? bit : 0;
    }
}

/* A game, a material and its rows. */
struct table {
    struct bk_variant *v;
    struct bk_index *ix;
    struct bk_rows *rows;
    struct bk_facts *facts;
};

static struct table table_of(const char *variant, const char *material)
{
    uint8_t order[BK_SLOTS_MAX + 1];
    struct bk_fact_men men = { .n = 2 };
    struct bk_material m;
    struct bk_report why;
    struct table t;

    assert_int_equal(bk_variant_load(&t.v, variant, &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, t.v, material, &why), BK_OK);
    bk_material_canonical(&m, t.v);
    assert_int_equal(bk_index_new(&t.ix, t.v, &m, NULL, &why), BK_OK);
    bk_rows_order(t.ix, order);
    bk_index_free(t.ix);
    assert_int_equal(bk_index_new(&t.ix, t.v, &m, order, &why), BK_OK);
    assert_int_equal(bk_rows_new(&t.rows, t.ix, &why), BK_OK);
    men.type[0] = men.type[1] = t.v->royal;
    men.colour[1] = 1;
    for (unsigned i = 0; i < t.ix->nslots; i++) {
        men.type[men.n] = t.ix->type[i];
        men.colour[men.n++] = t.ix->colour[i];
    }
    assert_int_equal(bk_facts_new(&t.facts, t.v, &men, &why), BK_OK);
    return t;
}

static void table_free(struct table *t)
{
    bk_facts_free(t->facts);
    bk_rows_free(t->rows);
    bk_index_free(t->ix);
    bk_variant_free(t->v);
}

struct bytes {
    uint8_t *at;
    size_t n;
};

static enum bk_err collect(void *context, const void *bytes, size_t n, struct bk_report *why)
{
    struct bytes *b = context;

    (void)why;
    b->at = realloc(b->at, b->n + n);
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return BK_OK;
}

static struct bk_unit_source source_of(const struct table *t, struct made *m)
{
    m->rows = t->rows;
    m->words = bk_facts_words(t->facts);
    return (struct bk_unit_source){ .first = 0,
                                    .end = t->ix->positions,
                                    .bits = m->bits,
                                    .facts = t->facts,
                                    .inner = bk_rows_inner(t->rows),
                                    .context = m,
                                    .row = make_row };
}

static struct bk_unit encode_with(const struct bk_unit_source *src,
                                  const struct bk_unit_options *options, unsigned threads,
                                  struct bytes *shards)
{
    struct bk_pool *pool;
    struct bk_report why;
    struct bk_unit u;

    assert_int_equal(bk_pool_open(&pool, threads, &why), BK_OK);
    *shards = (struct bytes){ 0 };
    assert_int_equal(bk_unit_encode(&u, src, options, pool, collect, shards, &why), BK_OK);
    assert_int_equal(u.shard_bytes, shards->n);
    bk_pool_close(pool);
    return u;
}

static struct bk_unit encode(const struct bk_unit_source *src, unsigned threads, uint64_t memory,
                             struct bytes *shards)
{
    return encode_with(
        src, &(struct bk_unit_options){ .effort = BK_EFFORT_FAST, .memory_bytes = memory }, threads,
        shards);
}

/* What reads a unit back: whole rows and, here and there, one position. */
struct reading {
    struct bk_model *model;
    struct bk_fact_tree *tree;
    struct bk_directory dir;
    struct bk_fact_row *row;
};

static void reading_init(struct reading *r, const struct bk_unit *u,
                         const struct bk_unit_source *src)
{
    struct bk_report why;

    assert_int_equal(bk_model_parse(&r->model, u->model, u->model_bytes, src->end - src->first,
                                    bk_facts_count(src->facts), src->bits, &why),
                     BK_OK);
    assert_int_equal(bk_fact_tree_new(&r->tree, src->facts, r->model->tree, r->model->nodes,
                                      r->model->leaf, &why),
                     BK_OK);
    assert_int_equal(
        bk_directory_parse(&r->dir, u->directory, u->directory_bytes, src->first, src->end, &why),
        BK_OK);
    assert_int_equal(r->dir.bytes, u->shard_bytes);
    assert_int_equal(r->dir.n, u->shards);
    assert_int_equal(bk_fact_row_new(&r->row, src->facts, src->inner, &why), BK_OK);
}

static void reading_release(struct reading *r)
{
    bk_model_free(r->model);
    bk_fact_tree_free(r->tree);
    bk_directory_release(&r->dir);
    bk_fact_row_free(r->row);
}

static unsigned value_in(const struct bk_row_values *v, unsigned bits, unsigned s)
{
    unsigned value = 0;

    for (unsigned b = 0; b < bits; b++)
        value |= (unsigned)(v->plane[b][s / 64] >> s % 64 & 1) << b;
    return value;
}

static void same_row(struct reading *r, const struct bk_unit_source *src, const uint8_t *shards,
                     const struct bk_row *row, const struct bk_row_values *want)
{
    uint32_t nth = bk_directory_find(&r->dir, row->first);
    const struct bk_shard *s = &r->dir.shard[nth];
    unsigned words = bk_facts_words(src->facts);
    struct bk_row_values got;
    bool whole = draw(16) == 0;

    bk_fact_row_set(r->row, row->sq);
    bk_model_row(r->model, s, shards + s->at, row->first, r->row, want->care, words, src->bits,
                 &got);
    for (unsigned i = 0; i < row->n; i++) {
        unsigned sq = row->inner_sq[i], value = value_in(want, src->bits, sq);
        unsigned answer = value_in(&got, src->bits, sq);
        struct bk_fact_look look;
        uint8_t at[BK_MEN_MAX];

        if (!(want->care[sq / 64] >> sq % 64 & 1))
            continue;
        if (want->least[sq / 64] >> sq % 64 & 1)
            assert_true(answer >= value);
        else
            assert_int_equal(answer, value);
        if (!whole)
            continue;
        memcpy(at, row->sq, sizeof(at));
        at[row->inner] = (uint8_t)sq;
        bk_fact_look(&look, src->facts, at);
        assert_int_equal(bk_model_value(r->model, s, shards + s->at, bk_row_hashes(s, row->first),
                                        sq, bk_fact_look_leaf(&look, r->tree)),
                         answer);
    }
}

static void comes_back(const struct bk_unit_source *src, const struct bk_unit *u,
                       const struct bytes *shards)
{
    struct bk_row_values want;
    struct bk_row row;
    struct reading r;

    reading_init(&r, u, src);
    for (uint32_t i = 0; i < r.dir.n; i++)
        assert_int_equal(r.dir.shard[i].sum, bk_shard_sum(shards->at + r.dir.shard[i].at,
                                                          bk_shard_bytes(&r.dir.shard[i]), i));
    for (uint64_t at = src->first; at < src->end; at = row.first + row.n) {
        src->row(src->context, at, &row, NULL, &want);
        same_row(&r, src, shards->at, &row, &want);
    }
    reading_release(&r);
}

/* Encodes values and reads them back; returns the bytes of model, directory and shards. */
static size_t round_trip(const struct table *t, struct made m)
{
    struct bk_unit_source src = source_of(t, &m);
    struct bytes shards;
    struct bk_unit u = encode(&src, 2, UINT64_C(1) << 30, &shards);
    size_t n = u.model_bytes + u.directory_bytes + shards.n;

    comes_back(&src, &u, &shards);
    bk_unit_release(&u);
    free(shards.at);
    return n;
}

static void unit__comes_back_on_boards_of_each_width(void **state)
{
    static const char *const table[][2] = { { "shatranj", "KRvK" },
                                            { "shatranj", "KPvK" },
                                            { "grand-shatranj", "KJvK" },
                                            { "darwinian", "KRvK" },
                                            { "puzzle-mini", "KRvK" } };

    (void)state;
    for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct table t = table_of(table[i][0], table[i][1]);

        round_trip(&t, (struct made){ .bits = 2,
                                      .values = 3,
                                      .free_in_16 = 4,
                                      .least_in_16 = 4,
                                      .noise_in_256 = 20,
                                      .seed = i });
        round_trip(&t, (struct made){ .bits = 7,
                                      .values = 100,
                                      .free_in_16 = 9,
                                      .least_in_16 = 2,
                                      .noise_in_256 = 3,
                                      .seed = i });
        table_free(&t);
    }
}

static void unit__values_of_16_bits_come_back(void **state)
{
    struct table t = table_of("shatranj", "KNvK");

    (void)state;
    round_trip(&t,
               (struct made){ .bits = 16, .values = 65535, .least_in_16 = 3, .noise_in_256 = 256 });
    round_trip(&t, (struct made){ .bits = 9, .values = 300, .noise_in_256 = 2 });
    table_free(&t);
}

static void unit__nothing_but_noise_comes_back(void **state)
{
    struct table t = table_of("shatranj", "KRvK");

    (void)state;
    round_trip(&t, (struct made){ .bits = 2, .values = 3, .noise_in_256 = 256 });
    round_trip(&t, (struct made){ .bits = 1, .values = 2, .noise_in_256 = 256, .least_in_16 = 8 });
    round_trip(&t, (struct made){ .bits = 5, .values = 32, .noise_in_256 = 256 });
    table_free(&t);
}

static void unit__where_all_is_free_or_one_value_it_takes_a_few_bytes(void **state)
{
    struct table t = table_of("shatranj", "KRvK");

    (void)state;
    assert_in_range(round_trip(&t, (struct made){ .bits = 2, .values = 3, .free_in_16 = 16 }), 1,
                    60);
    assert_in_range(round_trip(&t, (struct made){ .bits = 2, .values = 1 }), 1, 60);
    assert_in_range(round_trip(&t, (struct made){ .bits = 7, .values = 1, .least_in_16 = 16 }), 1,
                    60);
    table_free(&t);
}

/* A unit of bounds takes less than a tenth of the bytes of the same values told exactly. */
static void unit__bounds_cost_little(void **state)
{
    struct made m = { .bits = 2, .values = 3, .noise_in_256 = 256 };
    struct table t = table_of("shatranj", "KRvK");
    size_t exact = round_trip(&t, m), bounds;

    (void)state;
    m.least_in_16 = 16;
    bounds = round_trip(&t, m);
    assert_true(bounds < 200 && bounds * 10 < exact);
    table_free(&t);
}

static bool same_unit(const struct bk_unit *a, const struct bytes *x, const struct bk_unit *b,
                      const struct bytes *y)
{
    return a->model_bytes == b->model_bytes && !memcmp(a->model, b->model, a->model_bytes) &&
           a->directory_bytes == b->directory_bytes &&
           !memcmp(a->directory, b->directory, a->directory_bytes) && x->n == y->n &&
           (!x->n || !memcmp(x->at, y->at, x->n));
}

static void unit__threads_and_memory_do_not_change_its_bytes(void **state)
{
    static const struct {
        unsigned threads;
        uint64_t memory;
    } other[] = { { 3, 1 << 30 }, { 1, 0 }, { 3, 1 << 20 }, { 2, 100000 } };
    struct table t = table_of("shatranj", "KRvKN");
    struct made made[] = {
        { .bits = 2, .values = 3, .free_in_16 = 3, .least_in_16 = 2, .noise_in_256 = 9 },
        { .bits = 6, .values = 40, .free_in_16 = 13, .noise_in_256 = 3 }
    };

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        struct bk_unit_source src = source_of(&t, &made[k]);
        struct bytes one, two;
        struct bk_unit a = encode(&src, 1, 1 << 30, &one), b;

        for (unsigned i = 0; i < sizeof(other) / sizeof(*other); i++) {
            b = encode(&src, other[i].threads, other[i].memory, &two);
            assert_true(same_unit(&a, &one, &b, &two));
            bk_unit_release(&b);
            free(two.at);
        }
        bk_unit_release(&a);
        free(one.at);
    }
    table_free(&t);
}

/* Returns a checksum of all bytes of a unit: model, directory and shards. */
static uint64_t sum_of(const struct bk_unit *u, const struct bytes *shards)
{
    return XXH3_64bits_withSeed(shards->at, shards->n,
                                XXH3_64bits_withSeed(u->directory, u->directory_bytes,
                                                     XXH3_64bits(u->model, u->model_bytes)));
}

/*
 * Bytes are the same on every machine, with whatever memory and threads, by one release of libzstd.
 * Reading back does not notice what makes files larger: a worse tree, wrong rates, other samples.
 * Whoever changes the bytes of files on purpose writes down the new sums, and says in the commit
 * what files take.
 */
static void unit__has_the_same_bytes_as_ever(void **state)
{
    static const struct {
        const char *variant, *material;
        struct made made;
        enum bk_effort effort;
        unsigned threads;
        bool distances, spills;
        uint64_t sum;
    } row[] = {
        { "grand-shatranj",
          "KJvK",
          { .bits = 7, .values = 100, .free_in_16 = 9, .least_in_16 = 2, .noise_in_256 = 3 },
          BK_EFFORT_BEST,
          1,
          true,
          false,
          UINT64_C(0xc09ace718961eefe) },
        { "shatranj",
          "KNvK",
          { .bits = 10, .values = 900, .least_in_16 = 3, .noise_in_256 = 80 },
          BK_EFFORT_FAST,
          2,
          true,
          true,
          UINT64_C(0xfc5e464953baf810) },
        { "shatranj",
          "KRvKN",
          { .bits = 2, .values = 3, .free_in_16 = 3, .least_in_16 = 2, .noise_in_256 = 9 },
          BK_EFFORT_FAST,
          2,
          false,
          false,
          UINT64_C(0xdcc87e556d15ea67) },
        { "shatranj",
          "KRvKN",
          { .bits = 6, .values = 40, .free_in_16 = 13, .noise_in_256 = 3 },
          BK_EFFORT_NORMAL,
          2,
          true,
          false,
          UINT64_C(0x666f914e90759e09) },
        /* questions are met in some pieces alone, and filters are what fills a shard */
        { "grand-shatranj",
          "KJvKH",
          { .bits = 2, .values = 3, .free_in_16 = 6, .noise_in_256 = 3, .plain = true },
          BK_EFFORT_FAST,
          2,
          false,
          false,
          UINT64_C(0x272c27bc23a36687) },
    };
    char dir[PROOF_DIR_MAX];

    (void)state;
    if (ZSTD_versionNumber() != PROOF_ZSTD)
        skip();
    proof_folder(dir);
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_unit_options options = { .effort = row[i].effort,
                                           .distances = row[i].distances,
                                           .memory_bytes = UINT64_C(16) << 20 };
        struct table t = table_of(row[i].variant, row[i].material);
        struct made m = row[i].made;
        struct bk_unit_source src = source_of(&t, &m);
        struct bytes shards;
        struct bk_report why;
        struct bk_unit u;

        if (row[i].spills)
            assert_int_equal(bk_spill_open(&options.spill, dir, UINT64_C(64) << 20, 0, &why),
                             BK_OK);
        u = encode_with(&src, &options, row[i].threads, &shards);
        if (sum_of(&u, &shards) != row[i].sum)
            fail_msg("%s, bits %u: 0x%016" PRIx64, row[i].material, m.bits, sum_of(&u, &shards));
        bk_unit_release(&u);
        free(shards.at);
        bk_spill_close(options.spill);
        table_free(&t);
    }
    assert_int_equal(rmdir(dir), 0);
}

static enum bk_err refuse(void *context, const void *bytes, size_t n, struct bk_report *why)
{
    (void)context;
    (void)bytes;
    (void)n;
    return bk_fail(why, BK_E_SYSTEM, "the disk is full");
}

static void same_sample(const struct bk_sample *a, const struct bk_sample *b, unsigned bits)
{
    assert_int_equal(a->positions, b->positions);
    assert_int_equal(a->covered, b->covered);
    assert_int_equal(a->partly, b->partly);
    for (size_t j = 0; j < a->facts + bits + 1; j++)
        assert_memory_equal(a->bits + j * a->room, b->bits + j * b->room, a->positions / 64 * 8);
}

static void samples__are_the_same_together_and_apart(void **state)
{
    struct table t = table_of("grand-shatranj", "KJvKH");
    struct made made[3] = { { .bits = 2, .seed = 1, .values = 3, .free_in_16 = 4 },
                            { .bits = 2, .seed = 2, .values = 3, .least_in_16 = 4 },
                            { .bits = 6, .seed = 3, .values = 60, .free_in_16 = 12 } };
    struct bk_unit_source src[3];
    const struct bk_unit_source *all[3];
    const uint32_t fewer[3] = { 300, 900, 200 };
    struct bk_sample together[3] = { { 0 } }, apart = { 0 };
    struct bk_pool *pool;
    struct bk_report why;
    uint64_t bytes = 0;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        src[i] = source_of(&t, &made[i]);
        all[i] = &src[i];
    }
    assert_int_equal(bk_pool_open(&pool, 2, &why), BK_OK);
    assert_int_equal(
        bk_samples_take(together, all, 3, BK_EFFORT_FAST, UINT64_MAX, pool, NULL, &why), BK_OK);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(together[i].partly && together[i].positions > 1000);
        assert_int_equal(bk_samples_take(&apart, &all[i], 1, BK_EFFORT_FAST, 0, pool, NULL, &why),
                         BK_OK);
        same_sample(&apart, &together[i], src[i].bits);
        bk_sample_release(&apart);
    }
    for (unsigned i = 0; i < 3; i++)
        bk_sample_release(&together[i]);
    /* with fewer rows, too, whichever unit learns from the most */
    for (unsigned i = 0; i < 3; i++)
        together[i].rows = fewer[i];
    assert_int_equal(
        bk_samples_take(together, all, 3, BK_EFFORT_FAST, UINT64_MAX, pool, NULL, &why), BK_OK);
    for (unsigned i = 0; i < 3; i++) {
        apart.rows = fewer[i];
        assert_int_equal(bk_samples_take(&apart, &all[i], 1, BK_EFFORT_FAST, 0, pool, NULL, &why),
                         BK_OK);
        same_sample(&apart, &together[i], src[i].bits);
        bytes += i < 2 ? apart.first_bytes : apart.first_bytes * 3 / 4;
        bk_sample_release(&apart);
    }
    for (unsigned i = 0; i < 3; i++)
        bk_sample_release(&together[i]);
    /* the third does not fit beside both others, though it would beside one */
    assert_int_equal(bk_samples_take(together, all, 3, BK_EFFORT_FAST, bytes, pool, NULL, &why),
                     BK_OK);
    assert_true(together[0].bits && together[1].bits && !together[2].bits);
    for (unsigned i = 0; i < 2; i++)
        bk_sample_release(&together[i]);
    /* without memory for more, the first alone is taken */
    assert_int_equal(bk_samples_take(together, all, 3, BK_EFFORT_FAST, 0, pool, NULL, &why), BK_OK);
    assert_true(together[0].bits && !together[1].bits && !together[2].bits);
    bk_sample_release(&together[0]);
    bk_pool_close(pool);
    table_free(&t);
}

/* Only counting all rows tells if the list has room for them: on small boards rows are short. */
static void samples__are_of_no_more_rows_than_are_listed(void **state)
{
    struct table t = table_of("shatranj", "KPvKN");
    struct made m = { .bits = 2, .values = 3 };
    struct bk_unit_source src = source_of(&t, &m);
    const struct bk_unit_source *all = &src;
    struct bk_unit_size size = {
        .rows = bk_rows_count(t.rows), .numbers = src.end, .words = m.words, .bits = 2
    };
    uint64_t listed = bk_sample_list_bytes(&size, BK_EFFORT_FAST) / sizeof(uint64_t);
    struct bk_sample sample = { .rows = 100 };
    struct bk_report why;

    (void)state;
    assert_true(src.end / BK_SQ_MAX < listed && bk_rows_count(t.rows) > listed);
    assert_int_equal(bk_samples_take(&sample, &all, 1, BK_EFFORT_FAST, 0, NULL, NULL, &why), BK_OK);
    assert_true(sample.partly);
    bk_sample_release(&sample);
    table_free(&t);
}

static enum bk_err cannot_fetch(void *context, const uint64_t *number, uint32_t n,
                                struct bk_report *why)
{
    (void)context;
    (void)number;
    return bk_fail(why, BK_E_SYSTEM, "%u rows are far away", n);
}

static void samples__say_what_whoever_fetches_rows_said(void **state)
{
    struct table t = table_of("shatranj", "KRvK");
    struct made m = { .bits = 2, .values = 3 };
    struct bk_unit_source src = source_of(&t, &m);
    const struct bk_unit_source *all = &src;
    struct bk_sample sample = { .rows = 100 };
    struct bk_report why;

    (void)state;
    src.fetch = cannot_fetch;
    assert_int_equal(bk_samples_take(&sample, &all, 1, BK_EFFORT_FAST, 0, NULL, NULL, &why),
                     BK_E_SYSTEM);
    assert_non_null(strstr(why.text, "far away"));
    assert_null(sample.bits);
    table_free(&t);
}

/* A unit is learned from the least rows where the first tree leaves little open, from all that are
   allowed where it leaves much, and between these from one more for each byte that it leaves.
   by_themselves: units are also asked about one by one, and with other efforts. */
static void rows_are_worth(const char *game, const char *name, bool by_themselves)
{
    static struct bk_logs logs;
    struct table t = table_of(game, name);
    const uint64_t numbers = 400000000; /* of a unit, at most */
    uint32_t words = bk_facts_words(t.facts), least = (1 << 16) / words, most = (6 << 16) / words;
    struct made made[] = {
        { .bits = 2, .values = 3, .plain = true },
        { .bits = 6, .values = 60, .plain = true },
        { .bits = 2, .values = 3, .noise_in_256 = 100 }, /* whatever facts tell of the rest */
        { .bits = 2, .values = 3, .plain = true, .noise_in_256 = 1, .free_in_16 = 12 }
    };
    struct bk_unit_source src[4];
    const struct bk_unit_source *all[4];
    struct bk_sample sample[4], alone;
    struct bk_pool *pool;
    struct bk_report why;

    bk_logs_init(&logs);
    for (unsigned i = 0; i < 4; i++) {
        src[i] = source_of(&t, &made[i]);
        src[i].end = src[i].end < numbers ? src[i].end : numbers;
        all[i] = &src[i];
    }
    assert_int_equal(bk_pool_open(&pool, 2, &why), BK_OK);
    assert_int_equal(bk_rows_worth(sample, all, 4, BK_EFFORT_NORMAL, &logs, pool, NULL, &why),
                     BK_OK);
    assert_int_equal(sample[0].rows, least);
    assert_int_equal(sample[1].rows, least);
    assert_int_equal(sample[2].rows, most);
    assert_in_range(sample[3].rows, least + 1, most - 1);
    for (unsigned i = 0; by_themselves && i < 4; i++) { /* on whatever threads */
        assert_int_equal(
            bk_rows_worth(&alone, &all[i], 1, BK_EFFORT_NORMAL, &logs, NULL, NULL, &why), BK_OK);
        assert_int_equal(alone.rows, sample[i].rows);
    }
    made[1].plain = false;
    made[1].noise_in_256 = 100;
    assert_int_equal(bk_rows_worth(&alone, &all[1], 1, BK_EFFORT_NORMAL, &logs, pool, NULL, &why),
                     BK_OK);
    assert_int_equal(alone.rows, 2 * least);
    for (enum bk_effort effort = BK_EFFORT_FAST; by_themselves && effort <= BK_EFFORT_BEST;
         effort += 2) {
        assert_int_equal(bk_rows_worth(sample, all, 4, effort, &logs, pool, NULL, &why), BK_OK);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(sample[i].rows, bk_sample_most(all[i], effort));
    }
    bk_pool_close(pool);
    table_free(&t);
}

static void rows__are_as_many_as_are_worth_it(void **state)
{
    (void)state;
    rows_are_worth("shatranj", "KBPvKR", true);
    rows_are_worth("grand-shatranj", "KJHvKM", false); /* rows of two words: half as many */
}

static void unit__says_what_the_sink_said(void **state)
{
    struct table t = table_of("shatranj", "KRvK");
    struct made m = { .bits = 2, .values = 3, .noise_in_256 = 256 };
    struct bk_unit_source src = source_of(&t, &m);
    struct bk_unit_options options = { .effort = BK_EFFORT_FAST };
    struct bk_report why;
    struct bk_unit u;

    (void)state;
    assert_int_equal(bk_unit_encode(&u, &src, &options, NULL, refuse, NULL, &why), BK_E_SYSTEM);
    assert_string_equal(why.text, "the disk is full");
    assert_null(u.model);
    table_free(&t);
}

/* Gives nearly every position a value of its own, of which the kings' squares tell a little. */
static void make_wide_row(void *context, uint64_t number, struct bk_row *row,
                          struct bk_turned *turned, struct bk_row_values *v)
{
    enum { REGIONS = 40, WIDTH = 65535 / REGIONS };
    const struct made *m = context;
    unsigned files, ranks, edge, region;

    (void)turned;
    bk_row_of(m->rows, number, row);
    if (!v)
        return;
    memset(v, 0, sizeof(*v));
    bk_row_care(row, 3, v->care);
    files = (unsigned)abs(row->sq[0] % 10 - row->sq[1] % 10);
    ranks = (unsigned)abs(row->sq[0] / 10 - row->sq[1] / 10);
    edge = row->sq[1] % 10u < 5 ? row->sq[1] % 10u : 9u - row->sq[1] % 10u;
    region = (files > ranks ? files : ranks) % 8 * 5 + edge;
    for (unsigned i = 0; i < row->n; i++) {
        uint64_t h = bk_mix(row->first + i);
        unsigned s = row->inner_sq[i], value = (unsigned)(h >> 16) % 65535;

        if (h % 10 < 3)
            value = region * WIDTH + value % WIDTH;
        for (unsigned b = 0; b < 16; b++)
            v->plane[b][s / 64] |= (uint64_t)(value >> b & 1) << s % 64;
    }
}

static void unit__has_no_more_leaves_and_questions_than_a_reader_takes(void **state)
{
    struct table t = table_of("grand-shatranj", "KJvK");
    struct made m = { .bits = 16 };
    struct bk_unit_source src = source_of(&t, &m);
    struct bytes shards;
    struct bk_unit u;

    (void)state;
    src.row = make_wide_row;
    u = encode(&src, 2, UINT64_C(1) << 30, &shards);
    comes_back(&src, &u, &shards);
    bk_unit_release(&u);
    free(shards.at);
    table_free(&t);
}

/* Finding a lost position's distance reads many shards, so those of distances are smaller. */
static void unit__shards_of_distances_are_smaller(void **state)
{
    struct table t = table_of("grand-shatranj", "KJvK");
    struct made m = { .bits = 5, .values = 20, .least_in_16 = 8, .noise_in_256 = 64 };
    struct bk_unit_source src = source_of(&t, &m);
    struct bytes shards[2];
    struct bk_unit u[2];

    (void)state;
    for (unsigned distances = 0; distances < 2; distances++) {
        const struct bk_unit_options options = { .effort = BK_EFFORT_FAST, .distances = distances };

        u[distances] = encode_with(&src, &options, 1, &shards[distances]);
        comes_back(&src, &u[distances], &shards[distances]);
    }
    assert_true(u[0].shards > 20);
    assert_true(u[1].shards * 10 > u[0].shards * 15); /* 14 by 9 */
    assert_true(u[1].directory_bytes + shards[1].n <
                (u[0].directory_bytes + shards[0].n) * 101 / 100);
    assert_int_equal(u[1].model_bytes, u[0].model_bytes);
    for (unsigned i = 0; i < 2; i++) {
        bk_unit_release(&u[i]);
        free(shards[i].at);
    }
    table_free(&t);
}

/* Three pawns make 28,631 blocks, of 5,806 units. */
static void encoder__refuses_more_units_than_a_file_has(void **state)
{
    const struct bk_encode_options options = { .distances = true };
    struct bk_memtable *t;
    struct bk_encoder *e;
    struct bk_variant *v;
    struct bk_material m;
    struct bk_report why;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "grand-shatranj", &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KJHPPPvK", &why), BK_OK);
    assert_int_equal(bk_memtable_new(&t, v, &m, &why), BK_OK);
    bk_rows_reorder(t->ix);
    assert_int_equal(bk_encoder_open(&e, t, "/nowhere", &options, NULL, &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "4096"));
    bk_memtable_free(t);
    bk_variant_free(v);
}

/* == What is foretold of a unit == */

/* Counts exits in every seventh position, by the plain generator and solved tables. */
static struct bk_drawn count_exits(struct solved *s, const struct bk_index *ix, unsigned side)
{
    struct bk_drawn out = { 0 };

    for (uint64_t number = 0; number < ix->positions; number += 7) {
        struct bk_move move[BK_MOVES_MAX];
        bool exits = false, wins = false;
        struct bk_placement at;
        struct bk_pos p;
        unsigned n;

        out.n++;
        bk_index_unrank(ix, number, &at);
        if (!bk_index_position(ix, &at, side, &p) || !bk_pos_legal(ix->v, &p))
            continue;
        out.legal++;
        n = bk_moves_legal(ix->v, &p, move);
        for (unsigned i = 0; i < n; i++)
            if (move[i].takes != BK_SQ_NONE) {
                struct bk_pos next = p;

                bk_pos_play(&next, ix->v, &move[i]);
                exits = true;
                wins = wins || solved_value_of(s, &next).wdl < 0;
            }
        out.exits += exits;
        out.wins += wins;
    }
    return out;
}

static unsigned per_mille(unsigned some, unsigned all)
{
    return (unsigned)(UINT64_C(1000) * some / all);
}

/* Checks that a / all and b / of differ by at most `apart` in 1000. */
static void near(unsigned a, unsigned all, unsigned b, unsigned of, unsigned apart)
{
    unsigned x = per_mille(a, all), y = per_mille(b, of);

    if (x + apart < y || y + apart < x)
        fail_msg("%u and %u of 1000", x, y);
}

/* Where each side has one man, taking the other's man wins if the bare king has lost by rule, or
   will be mated: a rook mates him, a bishop or a knight does not. */
static void drawn__are_the_positions_that_an_exit_wins(void **state)
{
    static const char *const game[] = { "", "bare-king = wins-unless-bared-back\n" };
    static const char *const name[] = { "KRvKB", "KRvKR", "KNvKB", "KRBvKR" };

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const struct solved_options how = { 0 };
        struct bk_material m;
        struct bk_variant *v;
        struct solved *s;
        struct bk_index *ix;
        char text[512];

        snprintf(text, sizeof text,
                 "[variant]\nname = five\ntitle = Five\nsource = none\nboard = 5x5\n%s"
                 "stalemate = draw\n[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                 "[piece rook]\nletter = R\nmove = R\n[piece bishop]\nletter = B\nmove = B\n"
                 "[piece knight]\nletter = N\nmove = N\n",
                 game[i / 4]);
        v = parse(text);
        m = material(v, name[i % 4]);
        bk_material_canonical(&m, v);
        s = solved_new(v, &how);
        assert_non_null(solved_table(s, &m));
        assert_int_equal(bk_index_new(&ix, v, &m, NULL, NULL), BK_OK);
        for (unsigned side = 0; side < 2; side++) {
            const struct bk_unit_place all = { .side = side, .end = ix->positions };
            struct bk_drawn want = count_exits(s, ix, side), d;

            bk_draw_positions(&d, ix, &all, 8192);
            near(d.legal, d.n, want.legal, want.n, 15);
            if (i % 4 < 3) {
                near(d.wins, d.n, want.wins, want.n, 15);
                near(d.exits, d.n, want.exits, want.n, 30); /* some leave the king in check */
            } else if (side)                                /* a man is left: no win is certain */
                assert_int_equal(d.wins, 0);
            assert_int_equal(d.ends, i < 4 ? 0 : d.wins);
        }
        bk_index_free(ix);
        solved_free(s);
        bk_variant_free(v);
    }
}

/* Stored results of 100 positions: legal ones that no exit wins, plus one for chance.  Where exits
   win few, and the side to move wins more, without three of four others that have exits, too. */
static void drawn__adds_up_to_a_share(void **state)
{
    const struct bk_drawn some = { .n = 200, .legal = 160, .exits = 60, .wins = 40, .ends = 20 };
    const struct bk_drawn won = { .n = 100, .legal = 80, .exits = 60, .wins = 50, .ends = 50 };
    const struct bk_drawn most = { .n = 100, .legal = 100, .exits = 90, .wins = 30 };
    const struct bk_drawn few = { .n = 100, .legal = 10, .ends = 5 };

    (void)state;
    assert_int_equal(bk_drawn_results_alone(&some), 81);
    assert_int_equal(bk_drawn_results(&some, BK_WINS_LESS), 61);
    assert_int_equal(bk_drawn_results(&some, BK_WINS_EVEN), 61);
    assert_int_equal(bk_drawn_results(&some, BK_WINS_MORE), 54); /* 20 + 0.75 * 10 */
    assert_int_equal(bk_drawn_results(&won, BK_WINS_MORE), 31);
    assert_int_equal(bk_drawn_results(&most, BK_WINS_MORE), 61); /* no more than 40 */
    assert_int_equal(bk_drawn_distances(&some, BK_WINS_MORE), 70);
    assert_int_equal(bk_drawn_distances(&some, BK_WINS_EVEN), 40);
    assert_int_equal(bk_drawn_distances(&some, BK_WINS_LESS), 10);
    assert_int_equal(bk_drawn_distances(&won, BK_WINS_MORE), 31);
    assert_int_equal(bk_drawn_distances(&few, BK_WINS_LESS), 6);
    assert_int_equal(bk_drawn_results_alone(&(struct bk_drawn){ .n = 9, .legal = 9 }), 100);
}

/* A table that is solved, but of which nothing has been encoded, and its encoder. */
struct encoding {
    struct solved *solved;
    struct bk_memtable *t;
    struct bk_encoder *e;
    uint32_t block[64];
};

static void encoding_open(struct encoding *x, const struct bk_variant *v, const char *name,
                          const char *dir, struct bk_pool *pool)
{
    const struct bk_encode_options options = { .distances = true, .effort = BK_EFFORT_FAST };
    const struct solved_options how = { .distances = true, .groups = BK_WIDE };
    struct bk_material m;
    struct bk_report why;

    assert_int_equal(bk_material_parse(&m, v, name, &why), BK_OK);
    x->solved = solved_new(v, &how);
    x->t = (struct bk_memtable *)(uintptr_t)solved_table(x->solved, &m);
    assert_true(x->t && x->t->ix->nblocks <= 64);
    for (uint32_t b = 0; b < x->t->ix->nblocks; b++)
        x->block[b] = b;
    if (bk_encoder_open(&x->e, x->t, dir, &options, pool, &why))
        fail_msg("%s", why.text);
}

static void encoding_close(struct encoding *x)
{
    bk_encoder_close(x->e);
    solved_free(x->solved);
}

static enum bk_err encode_blocks(struct encoding *x, struct bk_report *why)
{
    return bk_encoder_blocks(x->e, x->block, x->t->ix->nblocks, why);
}

/* Checks that a table's two files are the same in the folders `one` and `other`. */
static void same_files(const char *one, const char *other, const struct bk_variant *v,
                       const struct bk_material *m)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        char a[PATH_MAX], b[PATH_MAX];

        same_bytes(bk_table_path(a, one, v, m, (enum bk_kind)kind),
                   bk_table_path(b, other, v, m, (enum bk_kind)kind));
    }
}

/* Spill files of 4096 bytes have no room for what any unit learns from. */
static void encoder__says_that_a_unit_was_not_encoded(void **state)
{
    struct bk_variant *v = load("puzzle-mini");
    struct bk_report why = { "" };
    struct bk_spill *spill;
    char dir[PROOF_DIR_MAX];
    struct encoding x;

    (void)state;
    encoding_open(&x, v, "KRvKN", proof_folder(dir), NULL);
    assert_int_equal(bk_spill_open(&spill, dir, 1, 0, &why), BK_OK);
    x.t->spill = spill;
    limit_files(4096);
    assert_int_equal(encode_blocks(&x, &why), BK_E_SYSTEM);
    limit_files(RLIM_INFINITY);
    assert_non_null(strstr(why.text, "no memory"));
    x.t->spill = NULL;
    bk_spill_close(spill);
    encoding_close(&x);
    proof_remove(dir);
    bk_variant_free(v);
}

/* Where the disk is full, or work is stopped, no file has a table's name; a later call does the
   rest. */
static void encoder__goes_on_where_the_disk_was_full(void **state)
{
    static const volatile int stop = 1;
    static const struct bk_summary sum = { .win_plies = { -1, -1 }, .loss_plies = { -1, -1 } };
    uint64_t whole[2], bytes[2];
    char one[PROOF_DIR_MAX], other[PROOF_DIR_MAX], folder[PROOF_DIR_MAX + 16];
    struct bk_report why = { "" };
    struct encoding x;
    struct bk_variant *v;
    struct bk_pool *pool;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    assert_int_equal(bk_pool_open(&pool, 2, &why), BK_OK);
    proof_folder(one);
    snprintf(folder, sizeof folder, "%s/puzzle-mini", proof_folder(other));
    encoding_open(&x, v, "KRvKN", one, pool);
    assert_int_equal(encode_blocks(&x, &why), BK_OK);
    assert_int_equal(bk_encoder_finish(x.e, &sum, whole, &why), BK_OK);
    encoding_close(&x);
    encoding_open(&x, v, "KRvKN", other, pool);
    bk_pool_stop_when(pool, &stop);
    assert_int_equal(encode_blocks(&x, &why), BK_E_SYSTEM);
    bk_pool_stop_when(pool, NULL);
    for (rlim_t most = 50; most < 400; most *= 6) {
        limit_files(most);
        assert_int_equal(encode_blocks(&x, &why), BK_E_SYSTEM);
        limit_files(RLIM_INFINITY);
        assert_non_null(strstr(why.text, "File too large"));
        why.text[0] = '\0';
    }
    assert_int_equal(encode_blocks(&x, &why), BK_OK);
    for (unsigned kind = 0; kind < 2; kind++) {
        limit_files(whole[kind] - 1);
        assert_int_equal(bk_encoder_finish(x.e, &sum, bytes, &why), BK_E_SYSTEM);
        limit_files(RLIM_INFINITY);
        assert_int_equal(rmdir(folder), 0);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    assert_int_equal(bk_encoder_finish(x.e, &sum, bytes, &why), BK_OK);
    assert_memory_equal(bytes, whole, sizeof bytes);
    same_files(one, other, v, &x.t->ix->m);
    encoding_close(&x);
    proof_remove(one);
    proof_remove(other);
    bk_pool_close(pool);
    bk_variant_free(v);
}

/* Gives all positions one value, but the first position of one row in 4096 another. */
static void make_rare_row(void *context, uint64_t number, struct bk_row *row,
                          struct bk_turned *turned, struct bk_row_values *v)
{
    const struct made *m = context;

    (void)turned;
    bk_row_of(m->rows, number, row);
    if (!v)
        return;
    memset(v, 0, sizeof(*v));
    bk_row_care(row, 4, v->care);
    memcpy(v->plane[0], v->care, sizeof(v->care));
    if (bk_mix(row->first) % 4096 == 0)
        v->plane[0][row->inner_sq[0] / 64] &= ~(UINT64_C(1) << row->inner_sq[0] % 64);
}

static size_t heap_bytes(void)
{
    struct mallinfo2 all = mallinfo2();

    return all.uordblks + all.hblkhd;
}

/* Notes the heap's bytes when the only shard is complete; under sanitizers they say nothing. */
static enum bk_err note_heap(void *context, const void *bytes, size_t n, struct bk_report *why)
{
    size_t *heap = context;

    (void)bytes;
    (void)n;
    (void)why;
    *heap = heap_bytes();
    return BK_OK;
}

static void unit__rows_wait_for_their_shard_on_disk_where_memory_is_short(void **state)
{
    struct table t = table_of("grand-shatranj", "KJvKH");
    struct made m = { .bits = 2 };
    struct bk_unit_source src = source_of(&t, &m);
    struct bk_unit_options options = { .effort = BK_EFFORT_FAST };
    char dir[PROOF_DIR_MAX];
    size_t before, heap = 0;
    struct bk_report why;
    struct bk_unit u;

    (void)state;
    proof_folder(dir);
    assert_int_equal(bk_spill_open(&options.spill, dir, UINT64_C(1) << 20, 0, &why), BK_OK);
    src.row = make_rare_row;
    before = heap_bytes();
    assert_int_equal(bk_unit_encode(&u, &src, &options, NULL, note_heap, &heap, &why), BK_OK);
    assert_int_equal(u.shards, 1);
    assert_true(src.end > 11000000 && heap < before + (UINT64_C(3) << 20));
    bk_unit_release(&u);
    bk_spill_close(options.spill);
    assert_int_equal(rmdir(dir), 0);
    table_free(&t);
}

/* == Damage == */

/* Asks a model, which may be damaged, for random rows; sanitizers see what goes wrong. */
static void ask_some(const struct bk_model *m, const struct bk_unit_source *src,
                     const struct bk_directory *dir, const uint8_t *shards)
{
    struct bk_row_values want, got;
    struct bk_fact_row *row;
    struct bk_row at;

    assert_int_equal(bk_fact_row_new(&row, src->facts, src->inner, NULL), BK_OK);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t number = draw(src->end);
        const struct bk_shard *s = &dir->shard[bk_directory_find(dir, number)];

        src->row(src->context, number, &at, NULL, &want);
        bk_fact_row_set(row, at.sq);
        bk_model_row(m, s, shards + s->at, at.first, row, want.care, bk_facts_words(src->facts),
                     src->bits, &got);
    }
    bk_fact_row_free(row);
}

/* Values are stored plus 1 in two bytes: 65535 was once written as 0, which means a question. */
static void model__values_are_told_up_to_65534(void **state)
{
    struct bk_fact_node tree = { .fact = BK_FACT_LEAF };
    bk_code leaf = ~(bk_code)65534;
    const struct bk_model m = { .nodes = 1, .leaves = 1, .tree = &tree, .leaf = &leaf };
    struct bk_model *read;
    struct bk_report why;
    uint8_t *bytes;
    size_t n;

    (void)state;
    assert_int_equal(bk_model_write(&bytes, &n, &m, &why), BK_OK);
    assert_int_equal(bk_model_parse(&read, bytes, n, 100, 1, 16, &why), BK_OK);
    assert_int_equal(read->leaf[0], leaf);
    bk_model_free(read);
    free(bytes);
    leaf = ~(bk_code)65535;
    assert_int_equal(bk_model_write(&bytes, &n, &m, &why), BK_E_SYSTEM);
}

static void model__damaged_bytes_are_refused_or_harmless(void **state)
{
    struct table t = table_of("shatranj", "KRvK");
    struct made m = { .bits = 4, .values = 12, .noise_in_256 = 4 };
    struct bk_unit_source src = source_of(&t, &m);
    unsigned facts = bk_facts_count(t.facts);
    struct bk_model *model;
    struct bytes shards;
    struct bk_unit u = encode(&src, 1, 0, &shards);
    struct reading r;
    uint8_t *bad = malloc(u.model_bytes);

    (void)state;
    reading_init(&r, &u, &src);
    for (size_t n = 0; n < u.model_bytes; n++)
        assert_int_equal(
            bk_model_parse(&model, u.model, n, src.end - src.first, facts, src.bits, NULL),
            BK_E_CORRUPT);
    for (unsigned k = 0; k < 3000; k++) {
        memcpy(bad, u.model, u.model_bytes);
        for (uint64_t n = 1 + draw(3); n; n--)
            bad[draw(u.model_bytes)] ^= (uint8_t)(1 + draw(255));
        if (bk_model_parse(&model, bad, u.model_bytes, src.end - src.first, facts, src.bits, NULL))
            continue;
        ask_some(model, &src, &r.dir, shards.at);
        bk_model_free(model);
    }
    assert_int_equal(
        bk_model_parse(&model, u.model, u.model_bytes, src.end - src.first, 1, src.bits, NULL),
        BK_E_CORRUPT);
    assert_int_equal(
        bk_model_parse(&model, u.model, u.model_bytes, src.end - src.first, facts, 1, NULL),
        BK_E_CORRUPT);
    reading_release(&r);
    free(bad);
    bk_unit_release(&u);
    free(shards.at);
    table_free(&t);
}

static void shards__damaged_bytes_answer_something(void **state)
{
    struct table t = table_of("shatranj", "KRvK");
    struct made m = { .bits = 4, .values = 12, .noise_in_256 = 40 };
    struct bk_unit_source src = source_of(&t, &m);
    struct bytes shards;
    struct bk_unit u = encode(&src, 1, 0, &shards);
    struct reading r;

    (void)state;
    reading_init(&r, &u, &src);
    for (unsigned k = 0; k < 300; k++) {
        uint32_t nth = (uint32_t)draw(r.dir.n);
        const struct bk_shard *s = &r.dir.shard[nth];
        size_t n = bk_shard_bytes(s);

        if (!n)
            continue;
        shards.at[s->at + draw(n)] ^= (uint8_t)(1 + draw(255));
        assert_int_not_equal(bk_shard_sum(shards.at + s->at, n, nth), s->sum);
        ask_some(r.model, &src, &r.dir, shards.at);
        for (size_t i = 0; i < n; i++)
            shards.at[s->at + i] = (uint8_t)draw(256);
    }
    reading_release(&r);
    bk_unit_release(&u);
    free(shards.at);
    table_free(&t);
}

static void directory__must_add_up_to_the_unit(void **state)
{
    struct bk_shard s = { .words = { 3, 500 }, .seed = { 7, 255 }, .sum = 0x89abcdef };
    uint8_t b[2 * BK_SHARD_ENTRY_BYTES];
    struct bk_directory d;

    (void)state;
    bk_shard_entry_write(b, &s, 40);
    bk_shard_entry_write(b + BK_SHARD_ENTRY_BYTES, &s, 2);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 142, NULL), BK_OK);
    assert_int_equal(d.n, 2);
    assert_int_equal(d.bytes, 2 * 503 * 8);
    assert_int_equal(d.shard[1].first, 140);
    assert_int_equal(d.shard[1].at, 503 * 8);
    assert_int_equal(d.shard[1].words[1], 500);
    assert_int_equal(d.shard[1].seed[1], 255);
    assert_int_equal(d.shard[1].sum, 0x89abcdef);
    assert_int_equal(bk_directory_find(&d, 100), 0);
    assert_int_equal(bk_directory_find(&d, 139), 0);
    assert_int_equal(bk_directory_find(&d, 140), 1);
    bk_directory_release(&d);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 141, NULL), BK_E_CORRUPT);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 143, NULL), BK_E_CORRUPT);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b) - 1, 100, 142, NULL), BK_E_CORRUPT);
    assert_int_equal(bk_directory_parse(&d, b, 0, 100, 142, NULL), BK_E_CORRUPT);
    s.words[0] = 1;
    bk_shard_entry_write(b, &s, 40);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 142, NULL), BK_E_CORRUPT);
    bk_shard_entry_write(b, &s, 0);
    assert_int_equal(bk_directory_parse(&d, b, sizeof(b), 100, 102, NULL), BK_E_CORRUPT);
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
        cmocka_unit_test(columns__keep_what_the_mask_says),
        cmocka_unit_test(columns__all_instruction_sets_count_alike),
        cmocka_unit_test(columns__append_what_the_mask_says),
        cmocka_unit_test(cells__come_back_as_they_were_put),
        cmocka_unit_test(met__a_guess_is_what_could_be),
        cmocka_unit_test(met__a_question_seen_often_speaks_for_itself),
        cmocka_unit_test(rates__reach_from_none_to_the_largest),
        cmocka_unit_test(logs__powers_and_products_are_right),
        cmocka_unit_test(unit__comes_back_on_boards_of_each_width),
        cmocka_unit_test(unit__values_of_16_bits_come_back),
        cmocka_unit_test(unit__nothing_but_noise_comes_back),
        cmocka_unit_test(unit__where_all_is_free_or_one_value_it_takes_a_few_bytes),
        cmocka_unit_test(unit__bounds_cost_little),
        cmocka_unit_test(unit__threads_and_memory_do_not_change_its_bytes),
        cmocka_unit_test(unit__has_the_same_bytes_as_ever),
        cmocka_unit_test(samples__are_the_same_together_and_apart),
        cmocka_unit_test(samples__are_of_no_more_rows_than_are_listed),
        cmocka_unit_test(samples__say_what_whoever_fetches_rows_said),
        cmocka_unit_test(rows__are_as_many_as_are_worth_it),
        cmocka_unit_test(unit__has_no_more_leaves_and_questions_than_a_reader_takes),
        cmocka_unit_test(unit__shards_of_distances_are_smaller),
        cmocka_unit_test(encoder__refuses_more_units_than_a_file_has),
        cmocka_unit_test(drawn__are_the_positions_that_an_exit_wins),
        cmocka_unit_test(drawn__adds_up_to_a_share),
        cmocka_unit_test(encoder__says_that_a_unit_was_not_encoded),
        cmocka_unit_test(encoder__goes_on_where_the_disk_was_full),
        cmocka_unit_test(unit__rows_wait_for_their_shard_on_disk_where_memory_is_short),
        cmocka_unit_test(unit__says_what_the_sink_said),
        cmocka_unit_test(model__values_are_told_up_to_65534),
        cmocka_unit_test(model__damaged_bytes_are_refused_or_harmless),
        cmocka_unit_test(shards__damaged_bytes_answer_something),
        cmocka_unit_test(directory__must_add_up_to_the_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
