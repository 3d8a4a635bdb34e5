/*
 * root.h - the moves that may be played: what is known of them before any search.
 */
#ifndef BE_ROOT_H
#define BE_ROOT_H

#include "engine/worker.h"

/* A move of the root, and what is known of it. */
struct be_root_move {
    struct be_move move;
    size_t nth;     /* of the moves that may be played, as they were listed */
    bool known;     /* by the tables or the rules: */
    int wdl, plies; /* the mover's; with this ply; -1: not known */
    unsigned holds; /* of a draw: replies that keep it */
    int looks;      /* of a draw: as it looks then */
    bool again;     /* the position has been there */
    bool third;     /* twice; or, of a win, one that a reply leads to */
    bool worse;     /* than one that is not known: */
    bool sure;      /* it wins as soon as the root's table says */
};

struct be_root {
    struct be_root_move *move;
    size_t n;
    bool all_known;
    size_t nbest; /* the best is one of so many, which come first at the beginning, and no
                     other one is searched for it; 0: it may be any */
    int least;    /* then: what it brings at least, as a score */
};

/* Lists the moves of the root, none where the game is over, and asks the tables about each.
   root->move is owned.  False: no memory. */
bool be_root_make(struct be_worker *w, struct be_root *root);
/* All are known: fills the lines, and tells them. */
void be_root_answer(struct be_worker *w, const struct be_root *root);
/* The one that is the best by what is known till now; NULL: nothing is. */
const struct be_root_move *be_root_best_known(const struct be_root *root);

#endif
