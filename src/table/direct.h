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

#include "table/memo.h"
#include "table/tables.h"

#define BK_DIRECT_DEPTH 8 /* moves, till the caller is asked: he needs less stack */

/* Who settles with squares alone, and what he asks of positions where that is not enough. */
struct bk_direct {
    const struct bk_tables *tables;
    struct bk_memo *memo; /* where men change */
    unsigned depth;       /* moves on the way to where we are */
    /* by depth: what last gave most; `by` BK_FACT_NOBODY: nothing yet */
    struct bk_step_of_men good[BK_DIRECT_DEPTH + 1];
    void *context;
    /* as bk_settle_least(), of a position of the game */
    enum bk_err (*wdl)(void *context, const struct bk_pos *p, int enough, int *wdl,
                       struct bk_report *why);
    /* as bk_settle_plies(), of a won or a lost one */
    enum bk_err (*plies)(void *context, const struct bk_pos *p, int wdl, struct bk_window w,
                         int *plies, struct bk_report *why);
};

/* Fills in all but the answers of the caller. */
void bk_direct_begin(struct bk_direct *d, const struct bk_tables *tables, struct bk_memo *memo,
                     void *context);

#define BK_VIEW_EXITS 64

/*
 * A position under way: what its men attack, and what they may take.  On the stack; no release.
 */
struct bk_view {
    struct bk_men men;
    struct bk_fact_look look;
    struct bk_file_ask ask;                    /* of a file that has been asked ahead */
    bool seen;                                 /* the exits are known: */
    unsigned exits, takes;                     /* all; captures */
    struct bk_step_of_men exit[BK_VIEW_EXITS]; /* legal ones; captures first */
    bool bares;   /* captures take the last man of a side that loses without men */
    bool direct;  /* squares are enough: else only `men` is set */
    bool evolves; /* men change here: worth remembering */
};

/*
 * Looks at a position without en passant square that no bare king decides.
 * Returns BK_OK; BK_E_ILLEGAL; BK_E_SYSTEM.
 */
enum bk_err bk_view_begin(struct bk_view *view, const struct bk_direct *d, const struct bk_table *t,
                          const struct bk_pos *p, struct bk_report *why);

/*
 * The same of a position whose moves are asked and which is not asked itself: nothing is turned, so
 * its men stand where they stand in p, colours and board exchanged as the table has it.
 */
enum bk_err bk_view_root(struct bk_view *view, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why);

/* What a move brings: of the position after it, from who is to move then. */
struct bk_brought {
    bool known; /* else nothing of the rest is set */
    int wdl;
    int plies; /* -1: a draw, or not asked, or there are no distances */
    enum bk_end end;
};
typedef void bk_step_visit(void *context, struct bk_step_of_men step,
                           const struct bk_brought *brought);

/*
 * All legal moves of a view that bk_view_root() has made, and what they bring, mate and stalemate
 * told apart; with plies, if `distances`.  Not known are those that squares alone do not settle:
 * double steps where they may be taken in passing, and whatever goes wrong.
 * Returns false, having told of none, where the moves are too many to be told so.
 */
bool bk_direct_moves(struct bk_direct *d, struct bk_view *root, bool distances,
                     bk_step_visit *visit, void *context);

/* As bk_settle_least(), bk_settle_plies().  The view's men are placed. */
enum bk_err bk_direct_least(struct bk_direct *d, struct bk_view *view, int enough, int *wdl,
                            struct bk_report *why);
enum bk_err bk_direct_plies(struct bk_direct *d, struct bk_view *view, int wdl, struct bk_window w,
                            int *plies, struct bk_report *why);

#endif
