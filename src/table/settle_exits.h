/*
 * settle_exits.h - the exits of a position, and its captures in passing, listed.
 *
 * Tables know no en passant square.  It adds captures to the moves of the same
 * position without one; so
 *
 *      value(p) = best of value(p without the square) and its en passant captures   (2)
 *
 * where the first is left out if p without the square has no move: then it is
 * the capture that lifts mate or stalemate.  A capture uses up a pawn, so the
 * captures of (2) never lead back to themselves.
 *
 * Castling rights have no such formula: kings and rooks of the other side may
 * shuffle for ever while a right is kept, so those positions have tables of
 * their own, and a move that ends a right is an exit.
 */
#ifndef BK_SETTLE_EXITS_H
#define BK_SETTLE_EXITS_H

#include "table/settling.h"

/* The exits of a position, in the order in which they are asked. */
struct bk_settle_exits {
    struct bk_move_list list;
    unsigned baring; /* how many bare a king and so need no file; they come first */
    bool possible, made;
};

/* Can the side to move perhaps take the other's last man, and does that decide the game? */
bool bk_settle_captures_bare(const struct bk_variant *v, const struct bk_pos *p);

/* Finds out whether exits of a position whose file is f are possible, and lists them if one may
   bare a king.  bk_settle_exits_drop() must follow. */
enum bk_err bk_settle_exits_begin(struct bk_settling *s, struct bk_settle_exits *e,
                                  const struct bk_pos *p, const struct bk_file *f,
                                  struct bk_report *why);
/* Lists the exits, unless they are listed. */
enum bk_err bk_settle_exits_make(struct bk_settling *s, struct bk_settle_exits *e,
                                 const struct bk_pos *p, struct bk_report *why);
void bk_settle_exits_drop(struct bk_settling *s, struct bk_settle_exits *e);

/* The two sides of (2): the position without its square, and the captures that it adds. */
struct bk_settle_two {
    struct bk_pos without;
    bool counts; /* the first side of (2) counts: else the captures lift mate or stalemate */
    struct bk_move_list captures;
};

/* Sets the two sides of a position with an en passant square.  bk_settle_two_close() must follow,
   if there is no error. */
enum bk_err bk_settle_two_open(struct bk_settling *s, struct bk_settle_two *two,
                               const struct bk_pos *p, struct bk_report *why);
void bk_settle_two_close(struct bk_settling *s, struct bk_settle_two *two);

#endif
