/*
 * hands.h - positions of games in which captured men are held and dropped
 * again, and the turns that lead on from them: docs/whole.md 2 to 4.
 *
 * A position lists its men instead of counting them: no man ever leaves the
 * game, so the list stays the same and only the squares change.
 */
#ifndef BK_HANDS_H
#define BK_HANDS_H

#include "core/position.h"

#define BK_HANDS_MEN_MAX  12
#define BK_TURN_DROPS_MAX (BK_HANDS_MEN_MAX - 2) /* of all men but the kings */
#define BK_TURN_NAME_MAX  80

struct bk_hands_pos {
    uint8_t n;                     /* men, kings included                          */
    uint8_t man[BK_HANDS_MEN_MAX]; /* bk_man(), ascending                          */
    uint8_t sq[BK_HANDS_MEN_MAX];  /* BK_SQ_NONE: held by the other side, or, while
                                      a king is off the board, not yet dropped     */
    uint8_t stm;
    uint8_t quiet; /* turns (of one side) left without checks      */
    /* With hand-bonus = n-for-n, else 1 and 0: */
    uint8_t turns[BK_HANDS_MEN_MAX];   /* of a man held: turns that his holder has left to drop
                                          him, this one included when the holder is to move */
    uint8_t released[2][BK_TYPES_MAX]; /* how many men of a type a side has taken and dropped */
    struct bk_bits occupied;
    uint8_t at[BK_SQ_MAX]; /* 0 empty, else 1 + place in man[]             */
};

/* No deadline: what proves bounds (tb/whole.h) holds men for ever; in a game nobody does. */
#define BK_TURNS_EVER 255

/* A drop of man[man] on sq. */
struct bk_drop {
    uint8_t man, sq;
};

struct bk_turn {
    uint8_t from, to;                       /* BK_SQ_NONE: a turn of the opening, drops only */
    uint8_t takes;                          /* the man captured, or BK_SQ_NONE               */
    uint8_t ndrops, nbefore;                /* drops in all, and those before the move       */
    struct bk_drop drop[BK_TURN_DROPS_MAX]; /* in the order they are played; zeros behind.
                                               Opening: a man of each colour, or a king      */
};

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
 */
enum bk_err bk_hands_from_fen(struct bk_hands_pos *p, const struct bk_variant *v, const char *fen,
                              struct bk_report *why);
char *bk_hands_to_fen(const struct bk_hands_pos *p, const struct bk_variant *v,
                      char out[BK_FEN_MAX]);

/* Puts man[i] on an empty square, takes it off its square. */
void bk_hands_put(struct bk_hands_pos *p, unsigned i, unsigned sq);
void bk_hands_lift(struct bk_hands_pos *p, unsigned i);

bool bk_hands_opening(const struct bk_hands_pos *p, const struct bk_variant *v);
bool bk_hands_in_check(const struct bk_hands_pos *p, const struct bk_variant *v, unsigned colour);
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

/*
 * Calls see() with each legal turn and the position after it, until see()
 * returns false.  Different turns may lead to the same position.
 */
typedef bool bk_hands_see(void *context, const struct bk_turn *turn,
                          const struct bk_hands_pos *after);
void bk_hands_turns(const struct bk_hands_pos *p, const struct bk_variant *v, bk_hands_see *see,
                    void *context);

/* Plays a turn that bk_hands_turns() has found. */
void bk_hands_play(struct bk_hands_pos *p, const struct bk_variant *v, const struct bk_turn *turn);

/* "a@c3,a1b1,r@d4"; returns `out`. */
char *bk_turn_name(const struct bk_hands_pos *p, const struct bk_variant *v,
                   const struct bk_turn *turn, char out[BK_TURN_NAME_MAX]);

#endif
