/*
 * drawn.h - of how many positions of a unit a value will have to be told, before any is known.
 *
 * That is asked of some positions, drawn evenly: is it legal, has it exits, does one of them win?
 * Values that an exit tells are in no file.
 */
#ifndef BK_DRAWN_H
#define BK_DRAWN_H

#include "table/format.h"

struct bk_drawn {
    unsigned n;            /* positions */
    unsigned legal, exits; /* of them */
    unsigned wins, ends;   /* by an exit for certain; and by one that ends the game */
};

/* Cost: about 1 us a position; where a bare king has not lost yet, some 0.3 ms more a type of men.
 */
void bk_draw_positions(struct bk_drawn *out, const struct bk_index *ix,
                       const struct bk_unit_place *place, unsigned n);

/* Who is to move: White by the names of materials wins more. */
enum bk_mover { BK_WINS_MORE, BK_WINS_LESS, BK_WINS_EVEN };

/* Of 100 positions those whose result will be told, and whose distance. */
unsigned bk_drawn_results(const struct bk_drawn *d, enum bk_mover mover);
/* The same of files that answer without others: all results are told. */
unsigned bk_drawn_results_alone(const struct bk_drawn *d);
unsigned bk_drawn_distances(const struct bk_drawn *d, enum bk_mover mover);

#endif
