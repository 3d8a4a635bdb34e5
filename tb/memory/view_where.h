/*
 * view_where.h - where men of the parent stand in the table that a plan leads to.
 *
 * Their squares tell their cells, the cells the block, and the kings the slice and the turn of the
 * board that brings them there.  So a position is a base, of slice and fixed men, and what free men
 * add to it.
 *
 * Cost: some loops over men and kinds, once a view; only men that may leave their cell ask for
 * every position.
 */
#ifndef BK_VIEW_WHERE_H
#define BK_VIEW_WHERE_H

#include "tb/memory/view_plan.h"

/* Where the men of a plan stand in the table, and by which turn of the board. */
struct bk_view_located {
    const struct bk_memblock *block;
    uint64_t base;               /* slice and fixed men */
    unsigned slot[BK_SLOTS_MAX]; /* by man */
    uint8_t map[BK_SQ_MAX];      /* parent's squares to the table's */
    unsigned stm;
};

/* The men's offset in a table after each symmetry of their block, and the block. */
struct bk_view_still {
    const struct bk_block *b;
    const struct bk_memblock *mb;
    unsigned turn_block;
    uint64_t offset[BK_SYMMETRIES]; /* by the symmetry that the kings ask for */
};

/* Sets `sq` to the squares of a placement's men in the table, before any turn. */
void bk_view_squares_of(const struct bk_view_plan *p, const struct bk_placement *at, uint8_t *sq);

/* Sets the cells of men on these squares, and their slots: those of each kind in order of the
   cells.  False: one cannot stand there. */
bool bk_view_find_slots(const struct bk_view_plan *p, const uint8_t *sq, uint8_t *cell,
                        unsigned *slot);

/* Returns the first slot of the kind of the parent's `slot`. */
unsigned bk_view_slot_like(const struct bk_view_plan *p, unsigned slot);

/* Puts each free man on some square where it may stand, to find the block.  Returns their mask. */
unsigned bk_view_stand_somewhere(const struct bk_view_plan *p, const struct bk_free_man *men,
                                 unsigned nfree, struct bk_placement *at);

/*
 * Finds where the men of `at` stand in the table; free men stand on any square of their domain.
 * Returns false when the table has no such kings or cells.
 */
bool bk_view_locate(const struct bk_view_plan *p, const struct bk_placement *at, unsigned free_mask,
                    struct bk_view_located *l);

/* Finds where men stand.  Those of free_mask, of one cell each, stand on any square of it and add
   nothing.  False: the table has no such block, or does not hold it. */
bool bk_view_place_still(const struct bk_view_plan *p, const struct bk_placement *at,
                         unsigned free_mask, struct bk_view_still *still);

/* Returns the number of a pair of kings, in the table's own squares. */
static inline size_t bk_view_pair(const struct bk_view_plan *p, const struct bk_view_still *still,
                                  unsigned wk, unsigned bk)
{
    const uint8_t *turn = p->t->ix->map[still->turn_block];

    if (p->exchanged) {
        unsigned swap = p->swap[wk];

        wk = p->swap[bk];
        bk = swap;
    }
    return (size_t)turn[wk] * p->t->ix->v->nsq + turn[bk];
}

#endif
