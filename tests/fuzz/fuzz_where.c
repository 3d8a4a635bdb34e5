/*
 * fuzz_where.c - the input is an expression of --where, behind a byte that says for which position.
 *
 * What is refused is refused with a word.  What is read can be asked of any position of the
 * material, says the same twice, and the same in parentheses; `not` makes the contrary of it.
 */
#include <string.h>

#include "core/utf8.h"
#include "study/where.h"
#include "tests/fuzz/fuzz.h"

static const struct {
    const char *game, *fen;
} place[] = {
    { "chess", "8/8/3k4/8/3KP3/8/5p2/7R w - - 0 1" },
    { "shatranj", "8/8/3k1n2/8/3KP3/8/5p2/6RR b - - 0 1" },
    { "darwinian", "9/9/3k5/9/3KP4/9/5p3/7R1/9 w - - 0 1" },
    { "atlantean-double", "10/10/3k6/10/3KP5/10/5p4/7Z2/10/10 b - - 0 1" },
};
#define PLACES (sizeof place / sizeof *place)

static struct study_where *read_where(const struct bk_variant *v, const struct bk_pos *p,
                                      const char *text, struct bk_report *why)
{
    struct study_where *w = NULL;
    enum bk_err err = study_where_new(&w, v, (const uint8_t(*)[BK_TYPES_MAX])p->count, text, why);

    FUZZ_CHECK(err == BK_OK || err == BK_E_USAGE);
    FUZZ_CHECK((err == BK_OK) == (w != NULL));
    return w;
}

/* Compares an expression with another that says the same of every position, or the contrary. */
static void compare(const struct study_where *w, const struct study_where *other, bool contrary,
                    const struct bk_pos *p)
{
    for (int k = 0; k < 6; k++) {
        struct study_facts f = { .p = p,
                                 .wdl = k % 3 - 1,
                                 .plies = k % 3 == 1 ? -1 : 7 * k,
                                 .other_wdl = k < 3 ? k - 1 : -2,
                                 .other_plies = k == 0 || k == 2 ? 12 : -1 };

        FUZZ_CHECK(study_where_true(w, &f) == (study_where_true(other, &f) != contrary));
    }
    FUZZ_CHECK(study_where_asks_other(w) == study_where_asks_other(other));
}

/* The same expression between `before` and a parenthesis, which may be one too many. */
static void in_parentheses(const struct bk_variant *v, const struct bk_pos *p,
                           const struct study_where *w, const char *text, const char *before)
{
    struct bk_report why = { "" };
    char *longer = malloc(strlen(text) + strlen(before) + 2);
    struct study_where *other;

    FUZZ_CHECK(longer);
    sprintf(longer, "%s%s)", before, text);
    other = read_where(v, p, longer, &why);
    if (other)
        compare(w, other, *before == 'n', p);
    study_where_free(other);
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const struct bk_variant *v = fuzz_game(place[n ? bytes[0] % PLACES : 0].game);
    struct bk_report why = { "" };
    struct study_where *w;
    struct bk_pos p;
    char *text;

    if (!n)
        return 0;
    FUZZ_CHECK(!bk_pos_from_fen(&p, v, place[bytes[0] % PLACES].fen, &why));
    text = fuzz_text(bytes + 1, n - 1);
    w = read_where(v, &p, text, &why);
    if (w) {
        compare(w, w, false, &p);
        in_parentheses(v, &p, w, text, "(");
        in_parentheses(v, &p, w, text, "not (");
    } else {
        FUZZ_CHECK(*why.text && !why.text[bk_utf8_plain(why.text)]);
    }
    study_where_free(w);
    free(text);
    return 0;
}
