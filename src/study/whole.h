/*
 * whole.h - an army of a game with hands, solved whole, so that any position of it can be asked
 * (tb/whole.h).
 *
 * Threads: not two at once.
 */
#ifndef BK_STUDY_WHOLE_H
#define BK_STUDY_WHOLE_H

#include "core/hands.h"

struct bk_pool;
struct study_whole;

/*
 * Solves all states of the men of `army`, those of the opening, too, if there is memory for them.
 * *stop nonzero: gives up.  *out owned.  BK_E_USAGE: `memory` bytes are not enough; BK_E_SYSTEM.
 */
enum bk_err study_whole_new(struct study_whole **out, const struct bk_variant *v,
                            const struct bk_hands_pos *army, struct bk_pool *pool, uint64_t memory,
                            const volatile int *stop, struct bk_report *why);
void study_whole_free(struct study_whole *w); /* NULL is fine */

/* Is this a state of the army, and one that was solved? */
bool study_whole_knows(const struct study_whole *w, const struct bk_variant *v,
                       const struct bk_hands_pos *p);
/* The memory that it takes, in bytes. */
uint64_t study_whole_bytes(const struct study_whole *w);
/* Sets *wdl and *plies to the value of such a state for the side to move; *plies -1: a draw.
   False: bonus turns leave it open, it may be better. */
bool study_whole_value(struct study_whole *w, const struct bk_hands_pos *p, int *wdl, int *plies);

#endif
