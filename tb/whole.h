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

struct bk_whole_options {
    struct bk_pool *pool;
    uint64_t memory_limit; /* bytes; 0: no limit */
    bool opening;          /* also the opening drops and the quiet turns */
    void *context;
    void (*progress)(void *context, unsigned ply); /* before each pass; NULL is fine */
    const volatile int *stop; /* nonzero: give up (BK_E_SYSTEM "interrupted") */
};

struct bk_whole_summary { /* of the free game */
    uint64_t slots, states, wins, draws, losses;
    unsigned longest; /* plies */
};

/*
 * Solves all states of the men of `army` (its squares do not matter).  *out
 * owned.  BK_E_USAGE: no such game, or it needs more memory than allowed.
 */
enum bk_err bk_whole_new(struct bk_whole **out, const struct bk_variant *v,
                         const struct bk_hands_pos *army, const struct bk_whole_options *o,
                         struct bk_report *why);
void bk_whole_free(struct bk_whole *w); /* NULL is fine */

/* Sets *wdl and *dtw to what a legal state of the army is worth to its side to move; *dtw 0 for
   draws.  States of the opening only with o->opening; not from two threads at once. */
void bk_whole_value(struct bk_whole *w, const struct bk_hands_pos *p, int *wdl, unsigned *dtw);
uint64_t bk_whole_bytes(const struct bk_whole *w); /* of memory that its states take */
void bk_whole_summary(const struct bk_whole *w, struct bk_whole_summary *s);

#endif
