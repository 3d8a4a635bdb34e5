/*
 * solved.h - tables solved in memory, with all that they lead to.
 */
#ifndef SOLVED_H
#define SOLVED_H

#include "core/position.h"
#include "tb/solve/solve.h"

struct solved_options {
    bool distances;
    bool zeroing;            /* distances to zeroing, by the game's n-move rule */
    bool compact;            /* without distances: BK_COMPACT */
    enum bk_strategy groups; /* with distances: BK_GROUPS or BK_WIDE; else 0 */
    bool ledger;             /* with distances: BK_COMPACT */
    uint64_t sets_bytes;     /* as bk_solve_job's: with a ledger, so many in memory */
    unsigned k_max;          /* as bk_solve_job's: smaller makes codes of two bytes */
};

struct solved; /* the tables of a game */
struct solved *solved_new(const struct bk_variant *v, const struct solved_options *o);
void solved_free(struct solved *s);

/*
 * The table of a material, in its canonical colours; solved, with what exits
 * attain, when it is first asked for.  NULL: it cannot be (en passant by men
 * that come back).  Exits the program on any other error.
 */
const struct bk_memtable *solved_table(struct solved *s, const struct bk_material *m);

/*
 * Makes all wins and losses of a table 2k plies longer, as tables that are solved from now on will
 * see it: exits that are further away than those of any small game.  Its codes must have two bytes
 * (k_max).
 */
void solved_delay(struct solved *s, const struct bk_material *m, unsigned k);

/* Have two tables of a material, however they were solved, the same codes, with exits that attain
   the same?  False, too, if one is not laid out as the other. */
bool solved_same(const struct bk_memtable *x, const struct bk_memtable *y);

/*
 * Is some position of `t` not worth the best that its own moves bring, by the plain generator?
 * Tells of the first.  t: a table with distances, solved by `s` or from its tables; positions
 * without a move, and what a man may take in passing, are not asked.
 */
bool solved_contradicted(struct solved *s, const struct bk_memtable *t);

/* A value by the codes of the tables, for the side to move. */
struct solved_value {
    bool legal;
    int wdl;
    unsigned k; /* a win in 2k + 1 plies, a loss in 2k; to zeroing: plies */
};
struct solved_value solved_value_of(struct solved *s, const struct bk_pos *p);
/* The same, read in the part of the table for positions after a move that has made a man of type
   `became`, or BK_STAYS. */
struct solved_value solved_value_after(struct solved *s, const struct bk_pos *p, unsigned became);
/* The value that a code of one table means. */
struct solved_value solved_value_of_code(const struct bk_memtable *t, unsigned code);

#endif
