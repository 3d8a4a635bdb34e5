/*
 * built.h - tables that the tests of the library build, as the command builds them, and questions
 * about their positions.  What cannot be done fails the test.
 */
#ifndef BUILT_H
#define BUILT_H

#include "core/position.h"
#include "probe/bareking.h"
#include "tests/proof.h"

#define DIAMOND "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1" /* as-Suli's problem, of KQvKQ */

/*
 * In a folder, with all that they lead to: KRvKN and KQvKQ of Shatranj, and KPvKP of a game of
 * three files with pawns, double steps and en passant, and a limit of BUILT_TURNS turns.  Made by a
 * group's setup, from when on they may be read.
 */
#define BUILT_TURNS 12
extern struct built {
    char dir[PROOF_DIR_MAX], mini_path[PROOF_DIR_MAX + 16]; /* the folder; the game as a file */
    struct bk_variant *shatranj, *mini;
} built;
int built_set_up(void **state);
int built_tear_down(void **state);

/* Returns a random legal position with the men of `name`; built_fen(): its FEN, in `fen`. */
struct bk_pos built_position(const struct bk_variant *v, const char *name, uint64_t *seed);
char *built_fen(char fen[BK_FEN_MAX], const struct bk_variant *v, const char *name, uint64_t *seed);

/* Fails unless `a` is the value of the best of n moves, or the game is over and n is 0. */
void assert_best_move(const struct bk_answer *a, const struct bk_lib_move *best, size_t n,
                      const char *fen);
/* Fails unless each move's value is that of the position after it, seen by the side that moves. */
void assert_moves_true(struct bk_lib *lib, const char *fen, const struct bk_lib_move *move,
                       size_t n);

#endif
