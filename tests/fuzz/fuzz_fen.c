/*
 * fuzz_fen.c - "GAME\nFEN\nMOVE\n": a position on the game's board or its own, perhaps with hands,
 * and a move by name; through the library, too, which has no tables here.
 */
#include <string.h>

#include "core/derive.h"
#include "core/hands.h"
#include "core/move.h"
#include "probe/bareking.h"
#include "tests/fuzz/fuzz.h"

static bool first_only(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    unsigned *n = context;

    (void)turn;
    (void)after;
    return ++*n < 300;
}

static void with_hands(const struct bk_variant *v, const char *fen)
{
    char out[BK_FEN_MAX], again[BK_FEN_MAX];
    struct bk_hands_pos p, read;
    struct bk_report why;
    unsigned n = 0;
    int wdl;

    if (bk_hands_from_fen(&p, v, fen, &why))
        return;
    bk_hands_to_fen(&p, v, out);
    FUZZ_CHECK(bk_hands_from_fen(&read, v, out, &why) == BK_OK);
    FUZZ_CHECK(!strcmp(bk_hands_to_fen(&read, v, again), out));
    bk_hands_over(&p, v, &wdl);
    bk_hands_turns(&p, v, first_only, &n);
}

static void by_the_library(const char *game, const char *fen, const char *move)
{
    static struct bk_lib *lib;
    static char open_game[64];
    struct bk_answer a;
    char out[BK_LIB_FEN_MAX];
    size_t n;

    if (!lib || strcmp(open_game, game)) {
        bk_close(lib);
        lib = NULL;
        snprintf(open_game, sizeof open_game, "%s", game);
        if (bk_open(&lib, game, "/nonexistent") != BK_LIB_OK)
            return;
    }
    bk_probe_fen(lib, fen, &a);
    bk_probe_moves(lib, fen, NULL, 0, &n);
    if (bk_play(lib, fen, move, out) == BK_LIB_OK)
        bk_probe_fen(lib, out, &a);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = fuzz_text(bytes, n), *rest = text;
    char *name = fuzz_line(&rest), *fen = fuzz_line(&rest), *move = fuzz_line(&rest);
    const struct bk_variant *v = fuzz_game(name);
    struct bk_variant *derived = NULL;
    struct bk_report why;
    struct bk_pos p;

    if (v && v->hands)
        with_hands(v, fen);
    if (v && bk_variant_for_fen(&derived, v, fen, &why) == BK_OK &&
        bk_pos_from_fen(&p, derived ? derived : v, fen, &why) == BK_OK)
        fuzz_position(derived ? derived : v, &p);
    bk_variant_free(derived);
    if (v && strcmp(name, "awkward"))
        by_the_library(name, fen, move);
    free(text);
    return 0;
}
