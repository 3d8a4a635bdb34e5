/*
 * direct.h - settles a position by the squares of its men, with no board.
 *
 * Most positions of most games have captures for exits, and nothing else.  Then all that settling
 * (settle.h) needs follows from where the men of a table stand: what they attack, which the tree of
 * the file asks anyway; where a capture leads (tables.h); whom a quiet move leads to.  No position
 * is set up, no list of moves made, no material looked up.
 *
 * Where a man may change, or a move sets an en passant square, the caller is asked in its stead:
 * struct bk_direct has his answers.  Together they say what settle.h promises.
 *
 * Threads: any.  Stack: 2 KB a capture that follows another.
 */
#ifndef BK_DIRECT_H
#define BK_DIRECT_H

#include "table/tables.h"

/*
 * What a caller wants to know of a distance: its value if it lies between `low` and `high`, else
 * only on which side.  A distance of `low` or less may be answered by any number from itself to
 * `low`; one of `high` or more, by any from `high` up.
 */
struct bk_window {
    int low, high;
};

/* Who settles with squares alone, and what he asks of positions where that is not enough. */
struct bk_direct {
    const struct bk_tables *tables;
    unsigned depth; /* 0: moves on the way to where we are */
    void *context;
    /* as bk_settle_least(), of a position of the game */
    enum bk_err (*wdl)(void *context, const struct bk_pos *p, int enough, int *wdl,
                       struct bk_report *why);
    /* as bk_settle_plies(), of a won or a lost one */
    enum bk_err (*plies)(void *context, const struct bk_pos *p, int wdl, struct bk_window w,
                         int *plies, struct bk_report *why);
};

#define BK_VIEW_EXITS 64

/*
 * A position under way: what its men attack, and what they may take.  On the stack; no release.
 */
struct bk_view {
    struct bk_men men;
    struct bk_fact_look look;
    struct bk_step_of_men exit[BK_VIEW_EXITS]; /* legal ones; captures first */
    unsigned exits, takes;                     /* all; captures */
    bool bares;  /* captures take the last man of a side that loses without men */
    bool direct; /* squares are enough: else only `men` is set */
};

/*
 * Looks at a position without en passant square that no bare king decides.
 * Returns BK_OK; BK_E_ILLEGAL; BK_E_SYSTEM.
 */
enum bk_err bk_view_begin(struct bk_view *view, const struct bk_direct *d, const struct bk_table *t,
                          const struct bk_pos *p, struct bk_report *why);

/* Of a view that is direct: as bk_settle_least(), bk_settle_plies(). */
enum bk_err bk_direct_least(struct bk_direct *d, struct bk_view *view, int enough, int *wdl,
                            struct bk_report *why);
enum bk_err bk_direct_plies(struct bk_direct *d, struct bk_view *view, int wdl, struct bk_window w,
                            int *plies, struct bk_report *why);

#endif
