/*
 * test_rows.c - rows of codes to scores, against one position at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/bits.h"
#include "tb/memory/memtable.h"

#define MANY 1000

static uint64_t seed = 1;

static unsigned draw(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

/* Sets `code` to n codes that a table may hold, mostly of one sort or all mixed. */
static void draw_codes(uint8_t *code, unsigned n)
{
    unsigned sort = draw(5);

    for (unsigned i = 0; i < n; i++) {
        unsigned now = sort < 4 && draw(16) ? sort : draw(4);

        code[i] = (uint8_t)(now == 0   ? BK_CODE_ILLEGAL
                            : now == 1 ? BK_CODE_DRAW
                            : now == 2 ? BK_CODE_WIN + draw(BK_CODE_K_MAX + 1)
                                       : BK_CODE_LOSS8 + draw(BK_CODE_K_MAX + 1));
    }
}

static int score_of(unsigned code, enum bk_metric metric)
{
    int score = bk_code_score(code, 1, metric);

    return score == BK_SCORE_NONE ? score : score < 0 ? -score - 1 : score > 0 ? -score + 1 : 0;
}

static void same_scores(bk_row_scores *f, unsigned span, unsigned n, bool in_order,
                        enum bk_metric metric)
{
    uint8_t *code = malloc(span), place[BK_SQ_MAX]; /* a sanitizer sees what is read beyond */
    int16_t out[BK_SQ_MAX + 1];

    draw_codes(code, span);
    for (unsigned j = 0; j < n; j++)
        place[j] = (uint8_t)(in_order ? j : draw(8) ? draw(span) : BK_SQ_NONE);
    out[n] = 4711;
    f(code, span, in_order ? NULL : place, n, out);
    for (unsigned j = 0; j < n; j++)
        assert_int_equal(out[j],
                         place[j] == BK_SQ_NONE ? BK_SCORE_NONE : score_of(code[place[j]], metric));
    assert_int_equal(out[n], 4711);
    free(code);
}

static void scores__a_row_is_worth_what_its_codes_are(void **state)
{
    static const unsigned size[] = { 1, 7, 32, 33, 63, 64, 65, 81, 96, 97, 100, 128, 129, 196 };

    (void)state;
    for (unsigned k = 0; k < MANY; k++) {
        unsigned span = size[draw(14)], n = size[draw(14)];

        for (enum bk_metric m = BK_TO_THE_END; m <= BK_TO_ZEROING; m++) {
            bk_row_scores *plain =
                m == BK_TO_ZEROING ? bk_row_scores_portable_zeroing : bk_row_scores_portable;

            same_scores(plain, span, n, false, m);
            same_scores(plain, n, n, true, m);
            same_scores(bk_row_scores_for(m), span, n, false, m);
            same_scores(bk_row_scores_for(m), n, n, true, m);
        }
    }
}

static void scores__bitmaps_hold_the_same_codes(void **state)
{
    uint64_t won[8], drawn[8];
    uint8_t code[BK_SQ_MAX + 8];

    (void)state;
    for (unsigned k = 0; k < MANY; k++) {
        unsigned at = draw(200), n = 1 + draw(BK_SQ_MAX);

        for (unsigned i = 0; i < 8; i++) {
            won[i] = (uint64_t)draw(1u << 31) << 33 | draw(1u << 31);
            drawn[i] = (uint64_t)draw(1u << 31) << 33 | draw(1u << 31);
        }
        bk_codes_of_bits(won, drawn, at, n, code);
        for (unsigned i = 0; i < n; i++) {
            bool w = won[(at + i) / 64] >> (at + i) % 64 & 1;
            bool d = drawn[(at + i) / 64] >> (at + i) % 64 & 1;

            assert_int_equal(code[i], w && d ? BK_CODE_ILLEGAL
                                      : w    ? BK_CODE_WIN
                                      : d    ? BK_CODE_DRAW
                                             : BK_CODE_LOSS8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores__a_row_is_worth_what_its_codes_are),
        cmocka_unit_test(scores__bitmaps_hold_the_same_codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
