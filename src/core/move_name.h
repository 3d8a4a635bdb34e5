/*
 * move_name.h - moves by name, as in answers and on command lines.
 */
#ifndef BK_MOVE_NAME_H
#define BK_MOVE_NAME_H

#include "core/move.h"

/*
 * Names a move: "a1b1", "b9b10=M", "c7c8=R", "a10a10=H" (in place); castling by the king's
 * squares ("e1g1"), or by the king's and the rook's where the king moves less than two squares or
 * could go there without castling ("b1a1").  A capture on the way names the square between
 * ("a1b2c3"), and so does an en passant capture by a man that could go there without capturing.
 * No two moves of a position have one name.  Returns `out`.
 */
char *bk_move_name(const struct bk_variant *v, const struct bk_move *m, char out[16]);

/*
 * Reads the legal move that `n` letters mean, as every door does: a name as above, or as clients
 * write it, "b9b10m", "E1-G1", "e7xd8q+".  docs/rules.md, "How positions are written", lists what
 * is forgiven; in short:
 *   capitals of the man who comes to be, `=` before him, marks between squares and at the end, do
 *   not matter
 *   who that is need not be said if only one man can come to be there
 *   castling is the king's squares, the king's and the rook's, or O-O, O-O-O, also with zeros
 *   a square between is named once, or as the end of one leg and the start of another: "a1b2,b2c3"
 * A name that bk_move_name() gives to one move means no other.
 *
 * first_rank  the number of rank 1: 1, or 0 as XBoard has it on boards of ten ranks
 *
 * Returns BK_OK; BK_E_USAGE, in words.  What has no form of a move costs nothing: no move is made.
 */
enum bk_err bk_move_read(struct bk_move *out, const struct bk_variant *v, const struct bk_pos *p,
                         const char *text, size_t n, unsigned first_rank, struct bk_report *why);

/* The middle square of a move's name, where a man is taken; BK_SQ_NONE: the name has none. */
static inline unsigned bk_move_between(const struct bk_move *m)
{
    if (m->castles)
        return BK_SQ_NONE;
    if (m->also != BK_SQ_NONE)
        return m->also;
    return m->tells ? m->takes : BK_SQ_NONE;
}

#endif
