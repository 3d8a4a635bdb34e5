/*
 * end.h - how a game ends.
 *
 * Cost: bare kings, and who is out of men, show in the counts of men; mate and stalemate need a
 * search for a legal move.
 */
#ifndef BK_END_H
#define BK_END_H

#include "core/position.h"

/* How the game has ended in a position, if it has. */
enum bk_end {
    BK_END_NONE,
    BK_END_CHECKMATE,
    BK_END_STALEMATE,
    BK_END_BARE,      /* one side is bare and that decides it        */
    BK_END_BARE_DRAW, /* the bared side bares back; or both are bare */
    BK_END_OUT,       /* without a royal: a side is out of men, or of a kind */
};

/* "checkmate", "stalemate", "bare", "bare-draw", "out-of-men", as in answers; NULL: it is not over.
 */
const char *bk_end_name(enum bk_end end);

/*
 * Is the game over?  If it is, *wdl is set: -1, 0, +1 from the side to move.
 * A bare king is tested before mate and stalemate.  King against king is
 * BK_END_BARE_DRAW in every game.
 */
enum bk_end bk_pos_end(const struct bk_variant *v, const struct bk_pos *p, int *wdl);
/* The part of bk_pos_end() that needs no moves of ordinary men: bare kings, and who is out. */
enum bk_end bk_pos_bare(const struct bk_variant *v, const struct bk_pos *p, int *wdl);
/* Has each side more than its king?  Then bk_pos_bare() says BK_END_NONE where there are royals:
   this spares most positions the call. */
static inline bool bk_pos_none_bare(const struct bk_pos *p)
{
    return !bk_bits_single(&p->by[BK_WHITE]) && !bk_bits_single(&p->by[BK_BLACK]);
}
/* Has each side only its king?  This is one of two ways to a BK_END_BARE_DRAW; in the other the
   bared king takes the last man at once. */
static inline bool bk_pos_both_bare(const struct bk_pos *p)
{
    return bk_bits_single(&p->by[BK_WHITE]) && bk_bits_single(&p->by[BK_BLACK]);
}

#endif
