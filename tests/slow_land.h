/*
 * slow_land.h - games with live terrain, solved slowly.
 *
 * Written from docs/rules.md, "Live terrain"; shares nothing with src/core/land.c, src/core/move.c
 * and tb/masks.c but the variant as data.  No memory, and games that cannot be read: abort().
 */
#ifndef SLOW_LAND_H
#define SLOW_LAND_H

#include "core/position.h"

/* A small game with men K M H N R C X P: values of keys; NULL: the key is left out. */
struct land_rules {
    const char *board, *holes, *bare, *stalemate, *cancel, *powers, *bridges, *king;
};
#define LAND_TEXT_MAX 2000
char *land_text(const struct land_rules *r, char out[LAND_TEXT_MAX]); /* the variant file */
struct bk_variant *land_game(const struct land_rules *r);             /* owned */

/*
 * Solves all states of some men, "KMkh", on all land (begun), or on `fen`'s before the first
 * destruction, and all that follow.  Compares each with bk_masks_value(), and its turns with those
 * of bk_moves_portion(): their number and where they lead.  Returns how many states differ, and
 * prints the first; *states: how many there were.
 */
unsigned land_check(const struct bk_variant *v, const char *men, const char *fen,
                    unsigned long *states);

/* Random games, men and lands; a seed always draws the same. */
struct land_case {
    struct land_rules rules;
    char men[8];
    bool begun;
};
void land_draw(uint64_t seed, struct land_case *c);
unsigned land_check_case(const struct land_case *c);

#endif
