/*
 * masks.h - games whose terrain is live, solved whole: all places of some men, on all land.
 *
 * docs/whole.md 9; the rules: docs/rules.md, "Live terrain".
 */
#ifndef BK_MASKS_H
#define BK_MASKS_H

#include "core/position.h"
#include "tb/memory/pool.h"

struct bk_masks;

#define BK_MASKS_PLIES_MAX 254 /* that a distance may have */

struct bk_masks_options {
    struct bk_pool *pool;  /* NULL: the caller's thread alone */
    uint64_t memory_limit; /* bytes; 0: no limit */
    bool results_alone;    /* no distances: a fifth of the memory */
    bool all_land;         /* also land that cannot follow the position's, to be counted */
    void *context;
    void (*progress)(void *context, unsigned ply); /* before each pass; NULL is fine */
    const volatile int *stop; /* nonzero: give up (BK_E_SYSTEM "interrupted") */
};

/* What a state is worth to its side to move; plies to the end, 0 of a draw or without distances. */
struct bk_masks_value {
    int wdl;
    unsigned plies;
};

/* Of the states with the men of a position, one side to move, and odd or even turns. */
struct bk_masks_summary {
    uint64_t states, wins, draws, losses;
    unsigned longest_win, longest_loss; /* plies */
};

/*
 * Solves all that may follow from `p`: its men, and what captures and changes make of them, on all
 * land that its powers can make.  v: the game derived for its FEN, borrowed.  *out owned.
 * BK_E_USAGE: not such a game, or it needs more memory than allowed, or longer distances.
 */
enum bk_err bk_masks_new(struct bk_masks **out, const struct bk_variant *v, const struct bk_pos *p,
                         const struct bk_masks_options *o, struct bk_report *why);
void bk_masks_free(struct bk_masks *w); /* NULL is fine */

/* Sets *need to the bytes that bk_masks_new() would take. */
enum bk_err bk_masks_estimate(uint64_t *need, const struct bk_variant *v, const struct bk_pos *p,
                              const struct bk_masks_options *o, struct bk_report *why);

/* False: no state that was solved.  `p` is legal.  Any number of threads. */
bool bk_masks_value(const struct bk_masks *w, const struct bk_pos *p, struct bk_masks_value *value);
uint64_t bk_masks_bytes(const struct bk_masks *w); /* of memory that its states take */
/* Counts states with the men of `p`, begun or not as there; odd: the number of the turn. */
void bk_masks_summary(const struct bk_masks *w, const struct bk_pos *p, unsigned stm, bool odd,
                      struct bk_masks_summary *out);

#endif
