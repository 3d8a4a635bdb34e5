/*
 * view.h - tables in memory as another table's moves see them.
 *
 * A capture, a change of a man, a move to another block lead from the table being solved, the
 * parent, into a table that is there.  A *plan* says which man of the parent is which of the other
 * table; all moves of a kind share it.  A *view* holds the scores of all positions in which some
 * men are free and the others fixed, in the parent's squares and order.
 *
 * Cost: where the men stand in the table is worked out once a view; then it is filled row by row
 * (bk_row_scores()).  Men that may leave their cell are slow: one position at a time.
 */
#ifndef BK_VIEW_H
#define BK_VIEW_H

#include "tb/memory/memtable.h"

/* == Plans == */

/* How the men of a material correspond to the men of the parent that moves into it. */
struct bk_view_plan {
    const struct bk_memtable *t;
    bool exchanged;               /* the table keeps the colours exchanged */
    uint8_t swap[BK_SQ_MAX];      /* the board's symmetry that goes with it */
    unsigned stm;                 /* side to move next, in the parent's colours */
    unsigned nmen;                /* men in t */
    uint8_t parent[BK_SLOTS_MAX]; /* by man: slot in the parent */
    uint8_t type[BK_SLOTS_MAX];   /* by man, after a change */
    uint8_t colour[BK_SLOTS_MAX]; /* by man, in t's colours */
    int8_t right[BK_SLOTS_MAX];   /* castling right that it keeps, in t's colours, or -1 */
};

/* A move out of the parent: what it changes of its men. */
struct bk_view_request {
    const struct bk_memtable *t; /* where it leads to */
    bool exchanged;              /* t keeps the colours exchanged: bk_material_canonical() */
    const struct bk_index *parent;
    unsigned mover;  /* colour */
    int taken, also; /* slots lost, or -1 */
    int changed;     /* slot that becomes `to`, or -1 */
    unsigned to;
};

/* Makes the plan of a kind of moves. */
void bk_view_plan(struct bk_view_plan *p, const struct bk_view_request *r);

/* == Views == */

/* A man that ranges over squares while others stand still. */
struct bk_free_man {
    uint8_t slot; /* in the parent */
    uint16_t n;
    const uint8_t *sq; /* n squares; the view's digit is the place in this list */
};

/*
 * Fills out[] (mixed radix over `men`, the last varying fastest) with the
 * mover's scores of moving into each position: BK_SCORE_NONE where that would
 * be illegal or two men share a square in a way the table cannot express.
 *
 * at  parent's squares of the kings and of every man that is not free
 */
void bk_view_fill(const struct bk_view_plan *p, const struct bk_placement *at,
                  const struct bk_free_man *men, unsigned nfree, int16_t *out);

/* Squares that a king ranges over. */
struct bk_king_squares {
    const uint8_t *sq;
    unsigned n;
};

/*
 * Scores as from bk_view_fill(), with all men standing still and the kings (white,
 * black) ranging over squares: out[white * nsq + black], the rest of out[] is
 * left as it is.  For tables whose other men are pawns.
 */
void bk_view_kings(const struct bk_view_plan *p, const struct bk_placement *at,
                   const struct bk_king_squares kings[2], int16_t *out);

/* == Views that share where men stand == */

/*
 * Views of a group of blocks range over men of several cells, and each choice of their squares may
 * lead to another block of the table.  Which one, and where in it, is the same in every view of a
 * kind, wherever the kings are: it is looked up once and kept.
 *
 * The views of one kind have one plan, one list of free men, and other men that all stand still but
 * for one, the mover.
 * Threads: any number fill and ask at a time.
 */
struct bk_view_cache;
struct bk_view_cache *bk_view_cache_new(void); /* owned; NULL: no memory */
void bk_view_cache_free(struct bk_view_cache *c);

/* As bk_view_fill().  moved: the square of the man that moves from view to view; 0: none does. */
void bk_view_fill_kept(struct bk_view_cache *c, const struct bk_view_plan *p,
                       const struct bk_placement *at, unsigned moved, const struct bk_free_man *men,
                       unsigned nfree, int16_t *out);

#endif
