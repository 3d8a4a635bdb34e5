/*
 * whole.h - games in which captured men come back, solved whole.
 *
 * One army, every state of it in one array in memory: docs/whole.md.
 */
#ifndef BK_WHOLE_H
#define BK_WHOLE_H

#include "core/hands.h"
#include "tb/memory/pool.h"

struct bk_whole;

#define BK_WHOLE_CAP_MAX 16

struct bk_whole_options {
    struct bk_pool *pool;
    uint64_t memory_limit; /* bytes; 0: no limit */
    bool opening;          /* also the opening drops and the quiet turns */
    unsigned bonus_cap; /* with hand-bonus = n-for-n: men of a type released by a side are counted
                           up to this, at most BK_WHOLE_CAP_MAX; a larger one makes more values
                           exact, and takes more memory */
    void *context;
    void (*progress)(void *context, unsigned ply); /* before each pass; NULL is fine */
    const volatile int *stop; /* nonzero: give up (BK_E_SYSTEM "interrupted") */
};

/* What a state is worth to its side to move; plies to the end, 0 of a draw. */
struct bk_whole_value {
    int wdl;
    unsigned plies;
};

/* Of the free game; with bonus turns, of the states in which nobody has released a man yet. */
struct bk_whole_summary {
    uint64_t slots, states, wins, draws, losses;
    uint64_t open;    /* states whose value is not exact; in none of the three */
    unsigned longest; /* plies */
};

/*
 * Solves all states of the men of `army` (its squares do not matter).  *out
 * owned.  BK_E_USAGE: no such game, it needs more memory than allowed, or `army` has castling
 * rights.
 */
enum bk_err bk_whole_new(struct bk_whole **out, const struct bk_variant *v,
                         const struct bk_hands_pos *army, const struct bk_whole_options *o,
                         struct bk_report *why);
void bk_whole_free(struct bk_whole *w); /* NULL is fine */

/*
 * Sets *at_least and *at_most to bounds of what a legal state of the army is worth to its side to
 * move (a quick win is more than a slow one, a slow loss more than a quick one); true: they are
 * equal, so the value is exact, as it always is without bonus turns.  States of the opening only
 * with o->opening, none with castling rights; not from two threads at once.
 */
bool bk_whole_value(struct bk_whole *w, const struct bk_hands_pos *p,
                    struct bk_whole_value *at_least, struct bk_whole_value *at_most);
uint64_t bk_whole_bytes(const struct bk_whole *w); /* of memory that its states take */
void bk_whole_summary(const struct bk_whole *w, struct bk_whole_summary *s);

#endif
