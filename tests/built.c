/*
 * built.c - see built.h.
 */
#include "tests/built.h"

#include <stdio.h>

#include "tests/files.h"
#include "tests/given.h"
#include "tests/handle.h"
#include "tests/lines.h"

struct built built;

static const char mini_text[] = "[variant]\n"
                                "name = mini\n"
                                "title = Pawns on three files\n"
                                "source = tests/built.c\n"
                                "board = 3x6\n"
                                "bare-king = nothing\n"
                                "stalemate = draw\n"
                                "en-passant = yes\n"
                                "game-length-turns = 12\n"
                                "[piece king]\n"
                                "letter = K\n"
                                "royal = yes\n"
                                "move = K\n"
                                "army = 1\n"
                                "[piece rook]\n"
                                "letter = R\n"
                                "move = R\n"
                                "army = 1\n"
                                "[piece pawn]\n"
                                "letter = P\n"
                                "move = mfWcfF\n"
                                "army = 3\n"
                                "ranks = 2-5\n"
                                "double-step = 2\n"
                                "becomes = 6 must R\n";

int built_set_up(void **state)
{
    (void)state;
    snprintf(built.mini_path, sizeof built.mini_path, "%s/mini.ini", proof_folder(built.dir));
    spill(built.mini_path, mini_text, sizeof mini_text - 1);
    built.shatranj = load("shatranj");
    built.mini = load(built.mini_path);
    proof_build(built.shatranj, built.dir, "KRvKN");
    proof_build(built.shatranj, built.dir, "KQvKQ");
    proof_build(built.mini, built.dir, "KPvKP");
    return 0;
}

int built_tear_down(void **state)
{
    (void)state;
    bk_variant_free(built.shatranj);
    bk_variant_free(built.mini);
    return 0;
}

struct bk_pos built_position(const struct bk_variant *v, const char *name, uint64_t *seed)
{
    struct bk_material m = material(v, name);
    struct bk_pos p;

    assert_true(lines_position(&p, v, &m, seed));
    return p;
}

char *built_fen(char fen[BK_FEN_MAX], const struct bk_variant *v, const char *name, uint64_t *seed)
{
    struct bk_pos p = built_position(v, name, seed);

    return bk_pos_to_fen(&p, v, fen);
}

void assert_best_move(const struct bk_answer *a, const struct bk_lib_move *best, size_t n,
                      const char *fen)
{
    if (a->end != BK_LIB_GOES_ON)
        assert_int_equal(n, 0);
    else if (best->wdl != a->wdl || best->dtw != a->dtw)
        fail_msg("%s: worth %+d in %d, but %s brings %+d in %d", fen, a->wdl, a->dtw, best->name,
                 best->wdl, best->dtw);
}

void assert_moves_true(struct bk_lib *lib, const char *fen, const struct bk_lib_move *move,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char after[BK_LIB_FEN_MAX];
        struct bk_answer a;

        assert_int_equal(bk_play(lib, fen, move[i].name, after), BK_LIB_OK);
        a = answer_to(lib, after);
        assert_int_equal(move[i].wdl, -a.wdl);
        assert_int_equal(move[i].dtw, a.dtw < 0 ? -1 : a.dtw + 1);
    }
}
