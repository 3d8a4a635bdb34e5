/*
 * san.h - moves as people write them: "Rxd5+", "e8=Q", "O-O".
 */
#ifndef BK_EXPLORE_SAN_H
#define BK_EXPLORE_SAN_H

#include "core/move.h"

#define EX_SAN_MAX 32

/*
 * Writes a legal move.  The letter of a man comes first, unless it is P; then his file or rank, or
 * both, where another of his kind could go there, too; `x` where he takes, the square between, too,
 * if he takes there; where he ends, and `=M` if he becomes something; `#` if it wins the game at
 * once, `+` if it gives check.
 *
 * list, n  all legal moves of p;  after  the position that it leads to
 * won      the move wins the game
 *
 * Returns `out`.  Cost: the length of the list.
 */
char *ex_san(const struct bk_variant *v, const struct bk_pos *p, const struct bk_move *m,
             const struct bk_move *list, size_t n, const struct bk_pos *after, bool won,
             char out[EX_SAN_MAX]);

#endif
