/*
 * drawn.h - estimates for how many positions of a unit a value must be stored, before any is known.
 *
 * Some positions are drawn evenly, and of each is found: is it legal, has it exits, does one of
 * them win?  Values that an exit settles are in no file.
 */
#ifndef BK_DRAWN_H
#define BK_DRAWN_H

#include "table/format.h"

struct bk_drawn {
    unsigned n;            /* positions */
    unsigned legal, exits; /* of them */
    unsigned wins, ends;   /* won by an exit for certain; of them, by one that ends the game */
};

/* Draws n positions of the unit.  Cost: about 1 us each; where a king alone has not lost yet, some
   0.3 ms more for each type of men. */
void bk_draw_positions(struct bk_drawn *out, const struct bk_index *ix,
                       const struct bk_unit_place *place, unsigned n);

/* Which side is to move: the one that wins more (White, in the names of materials), the other, or
   either of two with the same men. */
enum bk_mover { BK_WINS_MORE, BK_WINS_LESS, BK_WINS_EVEN };

/* Return how many of 100 positions will have a stored result, or a stored distance. */
unsigned bk_drawn_results(const struct bk_drawn *d, enum bk_mover mover);
/* For files that answer without others: all results are stored. */
unsigned bk_drawn_results_alone(const struct bk_drawn *d);
unsigned bk_drawn_distances(const struct bk_drawn *d, enum bk_mover mover);

#endif
