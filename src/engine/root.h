/*
 * root.h - the moves that may be played: what is known of them before any search.
 */
#ifndef BE_ROOT_H
#define BE_ROOT_H

#include "engine/worker.h"

/* A move of the root, and what is known of it. */
struct be_root_move {
    struct be_move move;
    size_t nth;     /* its place among the root's moves as they were listed */
    bool known;     /* tables or rules give its value: */
    int wdl, plies; /* for the root's mover; to the end, with this ply; -1: not known */
    unsigned holds; /* of a draw: how many replies do not lose */
    int looks;      /* be_evaluate() after it, for the root */
    bool again;     /* the position after it has occurred in the game */
    bool third;     /* it has occurred twice; or, of a win, a reply may lead to one that has */
    bool worse;     /* the best is surely another one, which is not known */
    bool sure;      /* not known, but surely wins as soon as the root's table says */
};

struct be_root {
    struct be_root_move *move;
    size_t n;
    bool all_known;
    size_t nbest; /* the best is surely among so many, which be_root_make() puts first; only these
                     are searched for the first line; 0: it may be any */
    int least;    /* if nbest: a lower bound of the best one's score */
};

/*
 * Lists the moves of the root, none where the game is over, and asks the tables about each, in
 * order of promise.  root->move is owned, best first as far as that is known.  False: no memory.
 *
 * Out of time, or told to stop, it asks on until a move is known that keeps what the root's own
 * table proves; those that it did not come to are left out.  Cost: often one move, at most all.
 */
bool be_root_make(struct be_worker *w, struct be_root *root);
/* If root->all_known: fills the lines of the search, and passes each to its tell(). */
void be_root_answer(struct be_worker *w, const struct be_root *root);
/* The best of the moves that are known; NULL: none is. */
const struct be_root_move *be_root_best_known(const struct be_root *root);

#endif
