/*
 * view_plan.h - which man of one table is which of another, that its moves lead to.
 *
 * A capture, a change of a man, a move to another block lead from the table
 * being solved, the parent, into a table that is there.  A plan says how the men of both
 * correspond; it is made once for all moves of a kind, and every view of them (view.h) begins with
 * it.
 */
#ifndef BK_VIEW_PLAN_H
#define BK_VIEW_PLAN_H

#include "tb/memory/memtable.h"

/*
 * What a mover gets by moving into a material: how the men there correspond
 * to the men of the table being solved (the parent).
 */
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

/* Makes the plan that all moves of a kind share. */
void bk_view_plan(struct bk_view_plan *p, const struct bk_view_request *r);

/* A man that ranges over squares while others stand still. */
struct bk_free_man {
    uint8_t slot; /* in the parent */
    uint16_t n;
    const uint8_t *sq; /* n squares; the view's digit is the place in this list */
};

#endif
