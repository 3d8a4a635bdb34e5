/*
 * hands.h - positions of games in which captured men are held and dropped
 * again, and the turns that lead on from them: docs/whole.md 2 to 4, 10.
 *
 * Two kinds of games have one face here.  Where drops belong to moves (Puzzle Shatranj), hands.c
 * makes the turns; where a drop is a turn of its own (hand = turned, hostage), exchange.c does.
 */
#ifndef BK_HANDS_H
#define BK_HANDS_H

#include "core/handpos.h"

/* All men of both armies off the board, White to drop. */
enum bk_err bk_hands_start(struct bk_hands_pos *p, const struct bk_variant *v,
                           struct bk_report *why);

/*
 * Reads `startpos`, or `board[men off the board] side`, which may be followed by
 * the empty fields `- - 0 1`.
 * Letters in the brackets are in the case of the man's own colour.  With
 * hand-bonus = n-for-n `a=2` has two turns left (`a=*`: BK_TURNS_EVER), and
 * `k1,0` behind the side is how many men White and Black have released; with men
 * of several types `k1.0,0.2`, in the order of the variant file.  Refuses
 * men that cannot be off the board together, and a mover who could take the king.
 *
 * hand = turned: `board[Qp] w KQkq e3 0 1`; the case is the owner's now, `R~` was promoted.
 * hand = hostage: `board[prisoners]{airfields} ...`; the case is the man's own colour.
 */
enum bk_err bk_hands_from_fen(struct bk_hands_pos *p, const struct bk_variant *v, const char *fen,
                              struct bk_report *why);
char *bk_hands_to_fen(const struct bk_hands_pos *p, const struct bk_variant *v,
                      char out[BK_FEN_MAX]);

bool bk_hands_opening(const struct bk_hands_pos *p, const struct bk_variant *v);
bool bk_hands_in_check(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned colour);
/* Have two positions of a game the same men, as far as turns cannot change them? */
bool bk_hands_same_army(const struct bk_hands_pos *a, const struct bk_hands_pos *b,
                        const struct bk_variant *v);
/* Can the position be the start of a turn? */
bool bk_hands_legal(const struct bk_hands_pos *p, const struct bk_variant *v);

enum bk_hands_end {
    BK_HANDS_GOES_ON, /* there may still be no legal turn: the caller looks */
    BK_HANDS_BARE,
    BK_HANDS_BARE_DRAW,
    BK_HANDS_CONFIGURATION,
};
/* Is the game over by baring or configuration?  *wdl: of the side to move. */
enum bk_hands_end bk_hands_over(const struct bk_hands_pos *p, const struct bk_variant *v, int *wdl);
/* What a position without legal turns is worth to the side to move. */
int bk_hands_stuck_wdl(const struct bk_hands_pos *p, const struct bk_variant *v);

/* The legal turns, one after the other. */
void bk_hands_turns(const struct bk_hands_pos *p, const struct bk_variant *v, bk_hands_see *see,
                    void *context);

/* How many sequences of `depth` turns there are. */
uint64_t bk_hands_perft(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned depth);

/* Plays a turn that bk_hands_turns() has found. */
void bk_hands_play(struct bk_hands_pos *p, const struct bk_variant *v, const struct bk_turn *turn);

/* "a@c3,a1b1,r@d4"; where a drop is a turn "a1b1", "N@e4", "q-R@e4"; returns `out`. */
char *bk_turn_name(const struct bk_hands_pos *p, const struct bk_variant *v,
                   const struct bk_turn *turn, char out[BK_TURN_NAME_MAX]);

#endif
