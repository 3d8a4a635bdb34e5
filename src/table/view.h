/*
 * view.h - what the men of a position may do, seen from their squares alone.
 *
 * Most positions of most games have captures for exits, and nothing else.  Then all that settling
 * (settle.h) needs follows from where the men of a table stand: what they attack, which the tree of
 * the file asks anyway; where a capture leads (tables.h); whom a quiet move leads to.  No position
 * is set up, no list of moves made, no material looked up.
 *
 * A view is made for a position; its exits are looked for when somebody wants them.  Where squares
 * are not enough it is not `direct`, and has its men alone.
 *
 * Threads: any; a view belongs to one, and lies on its stack; no release.
 */
#ifndef BK_TABLE_VIEW_H
#define BK_TABLE_VIEW_H

#include "table/tables.h"

#define BK_VIEW_EXITS 64
#define BK_VIEW_DEPTH 8 /* moves; further on nobody looks, who would need more stack */

/* Where who looks has come. */
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
    bool direct;  /* squares are enough: else only `men` is set */
    bool evolves; /* men change here */
};

/*
 * Looks at a position without en passant square that no bare king decides.
 * Returns BK_OK; BK_E_ILLEGAL; BK_E_SYSTEM.
 */
enum bk_err bk_view_begin(struct bk_view *view, const struct bk_way *way, const struct bk_table *t,
                          const struct bk_pos *p, struct bk_report *why);

/*
 * The same of a position whose moves are asked and which is not asked itself: nothing is turned, so
 * its men stand where they stand in p, colours and board exchanged as the table has it.
 */
enum bk_err bk_view_root(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why);

/* Looks at the position after a step, the way to which has been counted; the errors of
   bk_men_move(), too. */
enum bk_err bk_view_after(struct bk_view *view, const struct bk_way *way,
                          const struct bk_view *before, struct bk_step_of_men step,
                          struct bk_report *why);

/* == Its men == */

static inline const struct bk_index *bk_view_index(const struct bk_view *view)
{
    return view->men.table->ix;
}

/* By man. */
static inline const uint8_t *bk_view_squares(const struct bk_view *view)
{
    return bk_placement_squares(&view->men.spot.at);
}

/* In its file: number and side, as memos have it. */
static inline uint64_t bk_view_place(const struct bk_view *view)
{
    return view->men.spot.number << 1 | view->men.spot.side;
}

/* Where they all stand. */
static inline struct bk_bits bk_view_men(const struct bk_view *view)
{
    unsigned n = 2 + bk_view_index(view)->nslots;
    struct bk_bits men = { { 0 } };

    for (unsigned i = 0; i < n; i++)
        bk_bits_set(&men, bk_view_squares(view)[i]);
    return men;
}

/* Does the other side attack the king of who is to move? */
bool bk_view_in_check(const struct bk_view *view);

/* == Exits == */

/* Finds the exits, once; where there are too many the view is direct no more.  captures: only if
   there are any. */
void bk_view_see_some(struct bk_view *view, bool captures);
static inline void bk_view_see(struct bk_view *view)
{
    if (!view->seen)
        bk_view_see_some(view, false);
}
/* Finds them where one may bare a king: that is looked at before all else. */
static inline void bk_view_see_ends(struct bk_view *view)
{
    if (view->bares && !view->seen)
        bk_view_see_some(view, true);
}

/* Do men change in its table, and may there be exits?  Then it is come to by many ways. */
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

/* What such an exit brings who makes it: 0 or 1. */
int bk_view_bares(const struct bk_view *view, struct bk_step_of_men exit);

/* == Quiet moves == */

/*
 * The legal moves of man i that are no exits, one after the other.  Of who moves as he takes they
 * are a set, all at once; of others each way is tried.
 *
 *     bk_quiet_begin(&q, view, i, &men);
 *     while ((to = bk_quiet_next(view, &q)) != BK_SQ_NONE)
 *         ...
 */
struct bk_quiet {
    unsigned i;
    bool alike, changes;            /* he moves as he takes; he may change on his way */
    struct bk_bits to;              /* who moves as he takes: where to; */
    const struct bk_bits *occupied; /* others: */
    unsigned left, done;            /* entries of his reach; where the last one went */
    const struct bk_reach *at;
};

/* occupied: bk_view_men(), borrowed. */
void bk_quiet_begin(struct bk_quiet *q, struct bk_view *view, unsigned i,
                    const struct bk_bits *occupied);
/* Where the next one goes, or BK_SQ_NONE. */
unsigned bk_quiet_next(const struct bk_view *view, struct bk_quiet *q);

/* Does such a move set an en passant square?  Men alone know nothing of it. */
static inline bool bk_quiet_passes(const struct bk_view *view, unsigned i, unsigned to)
{
    const struct bk_index *ix = bk_view_index(view);

    return bk_rules_en_passant(ix->v) &&
           bk_rules_is_double(ix->v, bk_index_type(ix, i), view->men.spot.side,
                              bk_view_squares(view)[i], to);
}

/* == Files == */

/* Asks one of its table's files; bk_view_told() hears. */
static inline enum bk_err bk_view_ask(struct bk_view *view, struct bk_file *f,
                                      struct bk_report *why)
{
    return bk_file_ask(&view->ask, f, &view->men.spot, &view->look, why);
}

/* The same, to be heard soon: what says so comes to the processor meanwhile. */
static inline enum bk_err bk_view_ask_ahead(struct bk_view *view, struct bk_file *f,
                                            struct bk_report *why)
{
    enum bk_err err = bk_view_ask(view, f, why);

    if (!err)
        bk_file_ahead(&view->ask);
    return err;
}

/* What the file says; it may have been asked. */
static inline enum bk_err bk_view_told(struct bk_view *view, struct bk_file *f, unsigned *value,
                                       struct bk_report *why)
{
    enum bk_err err = view->ask.of == f ? BK_OK : bk_view_ask(view, f, why);

    *value = err ? 0 : bk_file_told(&view->ask);
    return err;
}

#endif
