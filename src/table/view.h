/*
 * view.h - the prober's move generator: attacks, captures, changes and quiet moves of a position,
 * as changes of the men's squares in the order of a table.
 *
 * Valuing a position (settle.h) asks other tables what its exits (conversions) are worth, and, if
 * it is lost, what its quiet moves are.  For that no position is set up, no list of moves made, no
 * material looked up: attacks are those that the file's tree asks anyway, and where an exit leads
 * has been worked out once a table (tables.h).  Castling rights and men who take two are the
 * exception: there the plain generator lists the moves, which become steps.
 *
 * A view is made for a position; its exits are found when they are first needed.  An en passant
 * square is not part of it: settle.c.
 *
 * Threads: any; a view belongs to one, and lies on its stack.  2 KB; bk_view_release() frees what
 * did not fit.
 */
#ifndef BK_TABLE_VIEW_H
#define BK_TABLE_VIEW_H

#include <stdlib.h>

#include "table/tables.h"

#define BK_VIEW_EXITS 64 /* more are on the heap */

/* A position under way: what its men attack, and what they may take. */
struct bk_view {
    struct bk_men men;
    struct bk_fact_look look;
    struct bk_file_ask ask; /* of a file that has been asked ahead */
    bool seen;              /* the exits are known: */
    unsigned exits, takes;  /* all; in tables that are not listed: captures */
    unsigned endings;       /* exits that end the game by baring; they come first */
    unsigned moves;         /* of a listed table: the exits, and quiet moves behind them, or 0 */
    unsigned room;          /* of `exit` */
    struct bk_step_of_men *exit; /* legal ones: `few`, or owned */
    struct bk_step_of_men few[BK_VIEW_EXITS];
    unsigned bares; /* men that a capture takes by which a king is bared who loses by it; 0: none */
    bool listed;    /* moves are those of the plain generator */
    bool evolves;   /* men of this table may change */
};

/*
 * Makes the view of a position without en passant square that no bare king decides.
 * Returns BK_OK; BK_E_ILLEGAL; BK_E_SYSTEM.  Whatever is returned, it is to be released.
 */
enum bk_err bk_view_begin(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                          struct bk_report *why);

/*
 * As bk_view_begin(), for a position whose moves are asked, not its own value: nothing is turned,
 * so its men stand where they stand in p, colours and board exchanged as the table has it.
 */
enum bk_err bk_view_root(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why);

/* Makes the view of the position after a step that sets no en passant square.  Also the errors of
   bk_men_move(). */
enum bk_err bk_view_after(struct bk_view *view, const struct bk_tables *tables,
                          const struct bk_view *before, struct bk_step_of_men step,
                          struct bk_report *why);

static inline void bk_view_release(struct bk_view *view)
{
    if (view->exit != view->few)
        free(view->exit);
}

/* == Its men == */

static inline const struct bk_index *bk_view_index(const struct bk_view *view)
{
    return view->men.table->ix;
}

/* Returns the squares of the men, by man. */
static inline const uint8_t *bk_view_squares(const struct bk_view *view)
{
    return bk_placement_squares(&view->men.spot.at);
}

/* Returns the position's place in its file, as memos have it: number and side. */
static inline uint64_t bk_view_place(const struct bk_view *view)
{
    return view->men.spot.number << 1 | view->men.spot.side;
}

/* Returns the squares of all men, as a set. */
static inline struct bk_bits bk_view_men(const struct bk_view *view)
{
    unsigned n = 2 + bk_view_index(view)->nslots;
    struct bk_bits men = { { 0 } };

    for (unsigned i = 0; i < n; i++)
        bk_bits_set(&men, bk_view_squares(view)[i]);
    return men;
}

/* Is the king of the side to move attacked? */
bool bk_view_in_check(const struct bk_view *view);

/* == Exits == */

/* Finds the exits, once.  captures: only if there are any.  BK_E_SYSTEM: no memory for them. */
enum bk_err bk_view_see_some(struct bk_view *view, bool captures, struct bk_report *why);
static inline enum bk_err bk_view_see(struct bk_view *view, struct bk_report *why)
{
    return view->seen ? BK_OK : bk_view_see_some(view, false, why);
}
/* Finds the exits where one may bare a king: that is looked at before all else. */
static inline enum bk_err bk_view_see_ends(struct bk_view *view, struct bk_report *why)
{
    return !view->bares || view->seen ? BK_OK : bk_view_see_some(view, true, why);
}

/*
 * Sets the exits to the captures in passing of `p`, the position of the view with an en passant
 * square; *others: it has other moves, too.
 * Errors: BK_E_SYSTEM; BK_E_NO_TABLE, of a position with more moves than any in a table.
 */
enum bk_err bk_view_see_passing(struct bk_view *view, const struct bk_pos *p, bool *others,
                                struct bk_report *why);

/* May men of its table change, and may there be exits?  Then the position may be reached in many
   ways. */
bool bk_view_repeats(const struct bk_view *view);

/* Does this exit bare a king who may lose by it? */
static inline bool bk_view_ends(const struct bk_view *view, struct bk_step_of_men exit)
{
    return view->bares && exit.taken && (view->bares == 1 || exit.also);
}

/* Returns what such an exit brings the side that makes it: 0 or 1. */
int bk_view_bares(const struct bk_view *view, struct bk_step_of_men exit);

/* Sets `out` to the position after a step. */
void bk_view_play(const struct bk_view *view, struct bk_step_of_men step, struct bk_pos *out);

/* == Quiet moves == */

/*
 * Goes through the legal moves that are no exits.
 *
 *     err = bk_quiet_begin(&q, view, why);
 *     while (!err && bk_quiet_next(&q, &step))
 *         ...
 *
 * The moves of a man who moves as he takes are found all at once, as a set; else each way is tried.
 */
struct bk_quiet {
    struct bk_view *view;
    struct bk_bits occupied; /* the squares of all men */
    unsigned i;              /* the man whose turn it is; of a listed table: the nth move */
    bool alike, changes;     /* he moves as he takes; he may change on his way */
    struct bk_bits to;       /* if alike: squares that are left */
    unsigned left, done;     /* if not: entries of his reach that are left; where the last went */
    const struct bk_reach *at;
};

/* BK_E_SYSTEM: no memory for a list. */
enum bk_err bk_quiet_begin(struct bk_quiet *q, struct bk_view *view, struct bk_report *why);
/* Sets *step to the next move; false: there is none. */
bool bk_quiet_next(struct bk_quiet *q, struct bk_step_of_men *step);

/* == Files == */

/* Asks a file of the view's table; bk_view_told() returns the answer. */
static inline enum bk_err bk_view_ask(struct bk_view *view, struct bk_file *f,
                                      struct bk_report *why)
{
    return bk_file_ask(&view->ask, f, &view->men.spot, &view->look, why);
}

/* As bk_view_ask(), and prefetches what bk_view_told() will read. */
static inline enum bk_err bk_view_ask_ahead(struct bk_view *view, struct bk_file *f,
                                            struct bk_report *why)
{
    enum bk_err err = bk_view_ask(view, f, why);

    if (!err)
        bk_file_ahead(&view->ask);
    return err;
}

/* Sets *value to what a file says, which is asked now unless it has been. */
static inline enum bk_err bk_view_told(struct bk_view *view, struct bk_file *f, unsigned *value,
                                       struct bk_report *why)
{
    enum bk_err err = view->ask.of == f ? BK_OK : bk_view_ask(view, f, why);

    *value = err ? 0 : bk_file_told(&view->ask);
    return err;
}

#endif
