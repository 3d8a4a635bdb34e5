/*
 * random_variant.h - small games nobody has played, for the differential fuzzer.
 *
 * The same seed and options always give the same game and material, on every
 * machine.  The games are valid by variant.h and can be written as a variant
 * file (variant_ini.h), but they are not finished: call bk_variant_finish() if you need geometry
 * and rules_id.
 */
#ifndef RANDOM_VARIANT_H
#define RANDOM_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chance.h"
#include "core/variant.h"

/* What may occur; each occurs only in some of the games. */
enum {
    RANDOM_HOLES = 1 << 0,
    RANDOM_PAWNS = 1 << 1,       /* promotion when arriving on the last ranks         */
    RANDOM_SITTING = 1 << 2,     /* pawns that wait on the last rank, and in_place    */
    RANDOM_DOUBLE = 1 << 3,      /* double steps                                      */
    RANDOM_EP = 1 << 4,          /* ... and en passant                                */
    RANDOM_EVOLVE = 1 << 5,      /* pieces other than pawns that change               */
    RANDOM_LIMITS = 1 << 6,      /* ... only so often                                 */
    RANDOM_TAKES_TWICE = 1 << 7, /* with RANDOM_BENT                                  */
    RANDOM_HOPPERS = 1 << 8,
    RANDOM_BENT = 1 << 9,        /* two steps in a turn, straight or free             */
    RANDOM_ASYMMETRIC = 1 << 10, /* moves without left-right or fore-aft symmetry     */
    RANDOM_JUMPING_KING = 1 << 11,
    RANDOM_BARE = 1 << 12, /* bare-king rules; else BK_BARE_NOTHING             */
    RANDOM_RIDERS = 1 << 13,
    RANDOM_DIVERGENT = 1 << 14, /* moves otherwise than it takes                     */
    RANDOM_ZONES = 1 << 15,     /* other moves on some ranks (commoners and such)    */
    RANDOM_SPREAD = 1 << 16,    /* a small board somewhere in a large one full of holes */
    RANDOM_CASTLING = 1 << 17,  /* with some piece, wherever king and rooks fit         */
    RANDOM_CLOCK = 1 << 18,     /* a limit of turns                                     */
    RANDOM_ALL = (1 << 19) - 1,
    /* Only where they are asked for: */
    RANDOM_ODD = 1 << 19,  /* pawns of two kinds, that go other ways, have double steps anywhere, or
                              four alike; narrow boards                                           */
    RANDOM_RARE = 1 << 20, /* types in any order; pawns that use up limits; other men with double
                              steps; gaps in the ranks where a man may stand; with RANDOM_ODD pawns
                              of three kinds                                                      */
    RANDOM_RAREST = RANDOM_ALL | RANDOM_ODD | RANDOM_RARE,
};

struct random_opts {
    unsigned features;    /* RANDOM_...                            */
    unsigned squares_max; /* of the board, the holes of RANDOM_SPREAD left out; 0 means 30 */
};

/* Random by core/chance.h: a number below n > 0; true once in n. */
unsigned random_below(uint64_t *seed, unsigned n);
bool random_once_in(uint64_t *seed, unsigned n);

/* Fills the plain fields of *v with a random game.  opts NULL: everything. */
void random_variant(struct bk_variant *v, uint64_t *seed, const struct random_opts *opts);

/* Gives a finished game an n-move rule of 1 to 10 moves that tables can have: of kinds from whose
   moves nobody comes back, or of moves that nobody can undo.  Its nmove_id is not set anew. */
void random_nmove(struct bk_variant *v, uint64_t *seed);

/* Is it a pawn of one of the three kinds? */
bool random_is_pawn(const struct bk_piece *p);

/*
 * Draws a material of at most men_max men, kings included, whose placements
 * (of unlike men on the squares of their ranks, overlaps not subtracted, one
 * side to move) are at most placements_max.  False: not even two kings fit.
 */
bool random_material(const struct bk_variant *v, uint64_t *seed, unsigned men_max,
                     uint64_t placements_max, uint8_t count[2][BK_TYPES_MAX]);

/* Adds the 4 or 8 directions of the atom (a, b), without asking for doubles. */
void movement_add(struct bk_movement *m, int a, int b, unsigned range, unsigned how);
/* Adds one direction, or a purpose to it if it is there. */
void movement_step(struct bk_movement *m, int df, int dr, unsigned range, unsigned how);

#endif
