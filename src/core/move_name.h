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
