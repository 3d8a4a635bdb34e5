/*
 * view.h - what the men of a position may do, seen from their squares alone.
 *
 * Most positions of most games have captures for exits, and nothing else.  Then all that settling
 * (settle.h) needs follows from where the men of a table stand: what they attack, which the tree of
 * the file asks anyway; where a capture leads (tables.h); where a quiet move leads.  No position is
 * set up, no list of moves made, no material looked up.
 *
 * A view is made for a position; its exits are found when they are first needed.  Where squares are
 * not enough `direct` is false.
 *
 * Threads: any; a view belongs to one, and lies on its stack; no release.
 */
#ifndef BK_TABLE_VIEW_H
#define BK_TABLE_VIEW_H

#include "table/tables.h"

#define BK_VIEW_EXITS 64
#define BK_VIEW_DEPTH 8 /* moves: a view further on is not direct, so as to need less stack */

/* How far a question has come. */
struct bk_way {
    const struct bk_tables *tables;
    unsigned depth; /* moves made */
};

/* A position under way: what its men attack, and what they may take. */
struct bk_view {
    struct bk_men men;
    struct bk_fact_look look;
    struct bk_file_ask ask;                    /* of a file that has been asked ahead */
    bool seen;                                 /* the exits are known: */
    unsigned exits, takes;                     /* all; captures */
    struct bk_step_of_men exit[BK_VIEW_EXITS]; /* legal ones; captures first */
    bool bares;   /* captures take the last man of a side that loses without men */
    bool direct;  /* squares are enough; else only `men` is set, or not even that */
    bool evolves; /* men of this table may change */
};

/*
 * Makes the view of a position without en passant square that no bare king decides.
 * Returns BK_OK; BK_E_ILLEGAL; BK_E_SYSTEM.
 */
enum bk_err bk_view_begin(struct bk_view *view, const struct bk_way *way, const struct bk_table *t,
                          const struct bk_pos *p, struct bk_report *why);

/*
 * As bk_view_begin(), for a position whose moves are asked, not its own value: nothing is turned,
 * so its men stand where they stand in p, colours and board exchanged as the table has it.
 */
enum bk_err bk_view_root(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why);

/* Makes the view of the position after a step, which way->depth counts already.  Also the errors of
   bk_men_move(). */
enum bk_err bk_view_after(struct bk_view *view, const struct bk_way *way,
                          const struct bk_view *before, struct bk_step_of_men step,
                          struct bk_report *why);

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

/* Finds the exits, once; where there are more than BK_VIEW_EXITS the view is direct no more.
   captures: only if there are any. */
void bk_view_see_some(struct bk_view *view, bool captures);
static inline void bk_view_see(struct bk_view *view)
{
    if (!view->seen)
        bk_view_see_some(view, false);
}
/* Finds the exits where one may bare a king: that is looked at before all else. */
static inline void bk_view_see_ends(struct bk_view *view)
{
    if (view->bares && !view->seen)
        bk_view_see_some(view, true);
}

/* May men of its table change, and may there be exits?  Then the position may be reached in many
   ways. */
bool bk_view_repeats(const struct bk_view *view);

/* How many of the exits end the game; they come first. */
static inline unsigned bk_view_endings(const struct bk_view *view)
{
    return view->bares ? view->takes : 0;
}

/* Does this exit bare a king who may lose by it? */
static inline bool bk_view_ends(const struct bk_view *view, struct bk_step_of_men exit)
{
    return view->bares && exit.taken;
}

/* Returns what such an exit brings the side that makes it: 0 or 1. */
int bk_view_bares(const struct bk_view *view, struct bk_step_of_men exit);

/* == Quiet moves == */

/*
 * Goes through the legal moves of man i that are no exits.  If he moves as he takes they are found
 * all at once, as a set; else each way is tried.
 *
 *     bk_quiet_begin(&q, view, i, &men);
 *     while ((to = bk_quiet_next(view, &q)) != BK_SQ_NONE)
 *         ...
 */
struct bk_quiet {
    unsigned i;
    bool alike, changes;            /* he moves as he takes; he may change on his way */
    struct bk_bits to;              /* if alike: squares that are left */
    const struct bk_bits *occupied; /* if not: the squares of all men */
    unsigned left, done; /* entries of his reach that are left; where the last move went */
    const struct bk_reach *at;
};

/* occupied: bk_view_men(), borrowed. */
void bk_quiet_begin(struct bk_quiet *q, struct bk_view *view, unsigned i,
                    const struct bk_bits *occupied);
/* Returns where the next move goes, or BK_SQ_NONE. */
unsigned bk_quiet_next(const struct bk_view *view, struct bk_quiet *q);

/* Does the quiet move of man i to `to` set an en passant square?  A view knows nothing of it. */
static inline bool bk_quiet_passes(const struct bk_view *view, unsigned i, unsigned to)
{
    const struct bk_index *ix = bk_view_index(view);

    return bk_rules_en_passant(ix->v) &&
           bk_rules_is_double(ix->v, bk_index_type(ix, i), view->men.spot.side,
                              bk_view_squares(view)[i], to);
}

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
