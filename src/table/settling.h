/*
 * settling.h - a question under way: what is known of its positions, and its lists of moves.
 *
 * Private to settle.h and its parts: settle_exits.h, settle_wdl.h, settle_plies.h.
 *
 * In games whose men evolve most positions have exits, and most of those exits
 * again.  Two things here keep that small: a memo keeps what has been found out
 * during a question; and so that such recursion needs little stack, lists of moves
 * lie behind each other in one array of the question, which is on the heap.
 */
#ifndef BK_SETTLING_H
#define BK_SETTLING_H

#include "core/move.h"
#include "table/direct.h"

/* A position and what has been found out about its place in the files. */
struct bk_sought {
    const struct bk_pos *p;
    const struct bk_table *table;
    bool placed;
    struct bk_spot spot; /* in the wdl file */
};

#define BK_SETTLING_DEPTH 16 /* of moves that do well */

/* A question under way. */
struct bk_settling {
    const struct bk_tables *t;
    const struct bk_variant *v;
    struct bk_direct direct;
    unsigned used;  /* of move[] */
    unsigned depth; /* moves made */
    /* by depth: the move that last did best; `from` BK_SQ_NONE: none yet */
    struct bk_move good[BK_SETTLING_DEPTH];
    bool begun; /* the rest is set */
    struct bk_memo memo;
    struct bk_move *move; /* owned, room for all open lists; NULL: no list has been opened */
    uint16_t *bound;      /* behind them, by move: `bound` of latest_by_file(), settle_plies.c */
};

/* Sets what lists of moves need; most questions are settled without: direct.h. */
static inline void bk_settling_begin(struct bk_settling *s)
{
    if (s->begun)
        return;
    s->begun = true;
    s->used = s->depth = 0;
    for (unsigned i = 0; i < BK_SETTLING_DEPTH; i++)
        s->good[i].from = BK_SQ_NONE;
}

/* Finds the table that answers a position. */
static inline enum bk_err bk_settling_find(const struct bk_settling *s, struct bk_sought *q,
                                           struct bk_report *why)
{
    return q->table ? BK_OK : s->t->find(s->t->context, q->p, &q->table, why);
}

/* Finds the position's place in the wdl file. */
static inline enum bk_err bk_settling_place(struct bk_sought *q, struct bk_report *why)
{
    enum bk_err err = q->placed ? BK_OK : bk_spot_of(&q->spot, q->table, q->table->wdl, q->p, why);

    q->placed = !err;
    return err;
}

/* == Lists of moves == */

/* Up to BK_MOVES_MAX moves, on top of the lists that are open. */
struct bk_move_list {
    struct bk_move *move;
    uint16_t *bound;
    unsigned n;
    unsigned before;
    void *own; /* NULL: in the question's array */
};

/* Opens a list behind those that are open.  bk_move_list_close() must follow, if there is no
   error. */
enum bk_err bk_move_list_open(struct bk_settling *s, struct bk_move_list *l, struct bk_report *why);
/* Sets the list's length; lists opened after it begin behind these n. */
void bk_move_list_fill(struct bk_settling *s, struct bk_move_list *l, unsigned n);
void bk_move_list_close(struct bk_settling *s, struct bk_move_list *l);

/* Puts the move first that last did best at this depth; false: it is not among these. */
bool bk_settling_good_first(const struct bk_settling *s, struct bk_move *move, unsigned n);
/* Notes that a move does best at this depth. */
void bk_settling_note_good(struct bk_settling *s, const struct bk_move *move);

#endif
