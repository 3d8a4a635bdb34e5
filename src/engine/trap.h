/*
 * trap.h - of moves that draw: after which is an opponent who errs most likely to lose?
 *
 * Tables alone say that they are all the same.  An opponent without tables errs where many replies
 * lose, they look as good as others, and the loss is too far off to be seen; and later, if there
 * are more such positions to come.
 *
 * Rejected: the fewest replies that hold.  A loss that is seen by anybody counts there, and what
 * comes after does not.  Against Fairy-Stockfish of 1,000 nodes a move it won 20 and 15 of two
 * hundreds of drawn positions, this wins 37 and 30; Fairy-Stockfish of 10,000 nodes among the same
 * moves 40 and 32 (make behind WHAT=match).
 */
#ifndef BE_TRAP_H
#define BE_TRAP_H

#include "engine/value.h"

struct be_trap {
    const struct be_game *game;
    const struct be_values *values;
    uint64_t left;               /* positions that may still be asked about; counts down to 0 */
    bool (*late)(void *context); /* asked now and then; true: no more */
    void *context;
    bool stopped; /* there was no time, or no memory: what was returned last is void */
    /* chances that were found without looking ahead; moves in another order lead there again */
    struct {
        uint64_t key; /* be_board_key(); 0: none */
        double chance;
    } found[4096];
};

#define BE_TRAP_POSITIONS 20000 /* some milliseconds: two moves ahead with four men */
#define BE_TRAP_AHEAD     1

/* Returns the chance, from 0 to 1, that the mover of the drawn position `b` goes wrong in the end;
   ahead: how many of his replies are followed.  Cost: a probe for each position, of t->left. */
double be_trap_chance(struct be_trap *t, const struct be_board *b, int ahead);

#endif
