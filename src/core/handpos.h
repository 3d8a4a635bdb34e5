/*
 * handpos.h - a position that lists its men, and a turn.
 *
 * A position with hands lists its men instead of counting them: no man ever leaves the
 * game, so the list stays the same and only squares, owners and promotions change.
 */
#ifndef BK_HANDPOS_H
#define BK_HANDPOS_H

#include "core/position.h"

#define BK_HANDS_MEN_MAX  48
#define BK_HELD_MEN_MAX   12                    /* where drops belong to moves */
#define BK_TURN_DROPS_MAX (BK_HELD_MEN_MAX - 2) /* of all men but the kings */
#define BK_TURN_NAME_MAX  80

struct bk_hands_pos {
    uint8_t n;                      /* men, kings included                          */
    uint8_t man[BK_HANDS_MEN_MAX];  /* bk_man(): what he is now, and whose          */
    uint8_t sq[BK_HANDS_MEN_MAX];   /* BK_SQ_NONE: held (hand = turned: by his own side, else by
                                       the other), or, while a king is off the board, not yet
                                       dropped                                      */
    uint8_t born[BK_HANDS_MEN_MAX]; /* type, ascending: what he is in hand; differs from what he is
                                       now for men who were promoted (hand = turned)           */
    bool freed[BK_HANDS_MEN_MAX];   /* hand = hostage: off the board, but given back: he waits on
                                       his own side's airfield                                 */
    uint8_t ep, rights; /* as in bk_pos; BK_SQ_NONE and 0 where drops belong to moves        */
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
    /* Where a drop is a turn of its own: a move, or one drop with from = to = BK_SQ_NONE */
    uint8_t becomes;     /* type that the man moved has afterwards, or BK_STAYS */
    uint8_t gives;       /* the prisoner given back for the man dropped, or BK_SQ_NONE */
    uint8_t also;        /* castling: the rook's home; else BK_SQ_NONE */
    bool doubles, tells; /* as in bk_move */
};

/* Puts man[i] on an empty square, takes it off its square. */
static inline void bk_hands_put(struct bk_hands_pos *p, unsigned i, unsigned sq)
{
    p->sq[i] = (uint8_t)sq;
    p->at[sq] = (uint8_t)(i + 1);
    bk_bits_set(&p->occupied, sq);
}
static inline void bk_hands_lift(struct bk_hands_pos *p, unsigned i)
{
    p->at[p->sq[i]] = 0;
    bk_bits_clear(&p->occupied, p->sq[i]);
    p->sq[i] = BK_SQ_NONE;
}

/*
 * Calls see() with each legal turn and the position after it, until see()
 * returns false.  Different turns may lead to the same position.
 */
typedef bool bk_hands_see(void *context, const struct bk_turn *turn,
                          const struct bk_hands_pos *after);

#endif
