/*
 * san.h - moves as people write them: "Rxd5+", "e8=Q", "O-O".
 */
#ifndef BK_SAN_H
#define BK_SAN_H

#include "core/move.h"

#define BK_SAN_MAX 32

/*
 * Writes a legal move.  The letter of a man comes first, unless it is P; then his file or rank, or
 * both, where another of his kind could go there, too; `x` where he takes, the square between, too,
 * if he takes there; where he ends, and `=M` if he becomes something; `#` if it wins the game at
 * once, `+` if it gives check.
 *
 * list, n  all legal moves of p
 *
 * Returns `out`.  Cost: the length of the list, and a search for a reply.
 */
char *bk_san(const struct bk_variant *v, const struct bk_pos *p, const struct bk_move *m,
             const struct bk_move *list, size_t n, char out[BK_SAN_MAX]);

#endif
