/*
 * slow_hands.h - games with hands, solved slowly.
 *
 * Written from docs/whole.md; shares nothing with src/core/hands.c and
 * tb/whole.c but the variant as data.  The comparers ask both solvers about
 * every state.  No memory, and games that cannot be read: abort().
 */
#ifndef SLOW_HANDS_H
#define SLOW_HANDS_H

#include "core/position.h"
#include "tests/ref.h"

/* A game with hands: men K R N F A C P, the armies of the opening as given.  Ranks: NULL: all. */
struct hands_rules {
    const char *board, *holes, *bare, *stalemate, *configuration; /* as in a variant file */
    int quiet, rooks, knights, ferzes, cannons;
    const char *king_ranks, *rook_ranks;
    bool no_recapture, bonus, quiet_moves;
};
struct bk_variant *hands_game(const struct hands_rules *r); /* owned */
#define HANDS_TEXT_MAX 2000
char *hands_text(const struct hands_rules *r, char out[HANDS_TEXT_MAX]); /* the variant file */

/*
 * How many states the fast solver values otherwise, or counts too many or too
 * few; prints the first.
 *
 * army  men of both sides, "KRkf", in all placements and hands
 * pool  the same men as the game's armies, sorted, from the empty board on
 */
unsigned hands_check_army(const struct bk_variant *v, const char *army);
unsigned hands_check_opening(const struct bk_variant *v, const char *pool);

/* Calls `visit` with the slow solver's value of every state of an army; returns their number. */
struct hands_state {
    const char *fen; /* borrowed for the call */
    unsigned quiet;
    int wdl;
    unsigned dtw; /* turns of one side; 0 for draws */
};
typedef void hands_visit(void *context, const struct hands_state *s);
uint64_t hands_each(const struct bk_variant *v, const char *army, hands_visit *visit,
                    void *context);

/* How many states of `v` have another value by the rules of `other`. */
uint64_t hands_changed(const struct bk_variant *v, const struct bk_variant *other, const char *army,
                       bool from_empty);

/* Can the man on `from` go to `to`, or take there, by his `move`?  at: a letter a square, a1 first,
   '.' empty, '*' a hole.  What stands on `to` does not matter. */
bool hands_goes(const struct bk_variant *v, const char *at, int from, int to, bool taking);

/* Writes the FEN of a position of ref.c, with nobody in hand. */
char *hands_fen(const struct bk_variant *v, const struct ref_pos *pos, char out[BK_FEN_MAX]);

/* Random small games and armies; a seed always draws the same. */
struct hands_case {
    struct hands_rules rules;
    bool opening;
    char army[8];
};
void hands_draw(uint64_t seed, struct hands_case *c);
unsigned hands_check(const struct hands_case *c); /* as hands_check_army() */

#endif
