/*
 * fuzz_tokens.c - the input is a byte that picks a game and a position, then a text: as games,
 * whose moves are played as far as they are legal, and its first line as EPD.
 */
#include <string.h>

#include "core/attack.h"
#include "core/finish.h"
#include "core/move.h"
#include "study/reading.h"
#include "tests/fuzz/fuzz.h"

/* With castling and en passant; changes early; captures on the way; ten ranks; two arrays (no FEN).
 */
static const struct {
    const char *game, *fen;
} beginnings[] = {
    { "chess", "r3k2r/P7/3n4/1pP5/3KP3/8/5p2/7R w kq b6 0 1" },
    { "darwinian", "9/2P6/3k5/9/3KW4/9/5p3/7R1/9 w - - 0 1" },
    { "atlantean-double", "k9/10/10/10/3nn5/2Z7/10/10/10/K9 w - - 0 1" },
    { "grand-shatranj-double", "10/10/3k6/10/3KP5/10/5p4/7L2/10/10 b - - 0 1" },
    { "shatranj", NULL },
};
#define BEGINNINGS (sizeof beginnings / sizeof *beginnings)

/* Plays a move, or passes. */
static void play(const struct study_reading *r, const struct bk_variant *v, struct bk_pos *p,
                 const struct study_token *k)
{
    struct bk_move move;
    struct bk_report why = { "" };
    enum bk_err err;

    if (k->kind == STUDY_NULL) {
        study_pass(v, p);
        FUZZ_CHECK(bk_pos_legal(v, p));
        return;
    }
    err = study_reading_move(r, &move, v, p, k->text, k->n, &why);
    FUZZ_CHECK(err || !*why.text);
    FUZZ_CHECK(!err || *why.text);
    if (!err)
        bk_pos_play(p, v, &move);
    FUZZ_CHECK(bk_pos_legal(v, p));
}

static void games(const struct bk_variant *v, const char *fen, const char *text)
{
    struct study_tokens t = { .at = text, .line = 1 };
    struct study_reading r;
    struct bk_variant *derived = NULL;
    struct bk_report why;
    struct bk_pos p;
    size_t all = 0;
    char value[16];

    study_reading_choose(&r, v, fen, &t, STUDY_ANYONE);
    FUZZ_CHECK(t.at == text && t.line == 1);
    FUZZ_CHECK(study_reading_begin(&r, v, fen, &derived, &p, &why) == BK_OK);
    for (struct study_token k; (k = study_token_next(&t)).kind != STUDY_END; all += k.n) {
        FUZZ_CHECK(k.n > 0 && k.text >= text && k.text + k.n <= text + strlen(text));
        study_writer_of(&k);
        if (k.kind == STUDY_MOVE || k.kind == STUDY_NULL)
            play(&r, derived ? derived : v, &p, &k);
        if (k.kind == STUDY_TAG && study_tag_value(&k, value, sizeof value))
            study_names_game(v, value);
    }
    FUZZ_CHECK(all <= strlen(text) && t.at == text + strlen(text));
    bk_variant_free(derived);
}

/* `exact` has no byte to spare behind the line. */
static void epd(char *exact)
{
    size_t chars = strlen(exact), position = study_epd_position(exact), n;
    const char *word;

    FUZZ_CHECK(position <= chars);
    n = study_epd_word(exact + position, "sm", &word);
    FUZZ_CHECK(!n || (word >= exact && word + n <= exact + chars));
    study_epd_end(exact + position);
    FUZZ_CHECK(study_epd_fields(exact) <= 6);
    study_epd_to_fen(exact);
    FUZZ_CHECK(strlen(exact) <= chars);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    size_t which = n ? bytes[0] % BEGINNINGS : 0;
    char *text, *rest, *line;

    if (!n)
        return 0;
    text = fuzz_text(bytes + 1, n - 1);
    games(fuzz_game(beginnings[which].game), beginnings[which].fen, text);
    rest = text;
    FUZZ_CHECK((line = strdup(fuzz_line(&rest))) != NULL);
    epd(line);
    free(line);
    free(text);
    return 0;
}
