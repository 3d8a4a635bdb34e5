/*
 * derive.h - the game that a FEN is asked in.
 *
 * Mostly the game itself.  A FEN that shows another board than the game's is asked in the game on
 * that terrain; one with castling rights, in a game with `castling-homes = shuffled`, in the game
 * with its homes.  Derived games are variants like any other, with names, numbers of rules and
 * tables of their own.
 *
 * Terrain: in the Destruction of Atlantis `*` in a FEN is sea.  While nothing changes the terrain,
 * a mask of it is a board like any other, and a game on it a variant, named after its base and
 * its board: "grand-shatranj@14x14-0123abcd".  docs/rules.md, "The Destruction of Atlantis".  Where
 * terrain is live, a FEN whose land nothing can change any more is asked on it in a game whose land
 * is frozen; another one in a game on its rectangle, of which the squares may change that it names.
 *
 * Homes: Fischer's idea, Sultan Random's, too: the first rank is shuffled, and a king and a rook
 * that have not moved castle to the squares of the unshuffled game.  Only positions with castling
 * rights know of their homes.  So the game itself does not castle, and a FEN with rights is asked
 * in a game named for the files of the king and of the rooks that its rights speak of:
 * "sultan-random@f-aj", "sultan-random@f-j".  Tables are shared as far as homes matter.  Once
 * rights are gone, those of sultan-random itself answer; once those of the a-wing are, @f-j's do:
 *
 *      KRRvK+KQ          KRRvK+K, KRvK+K        KRRvK, KRvK, ...
 *      @f-aj       --->  @f-j             --->  sultan-random
 */
#ifndef BK_DERIVE_H
#define BK_DERIVE_H

#include "core/finish.h"

struct bk_terrain {
    uint8_t files, ranks;
    bool live; /* squares of `changes` can vanish and come back */
    struct bk_bits board, changes;
};

/* Files; rook[side] is BK_NO_HOME if no right speaks of that wing. */
struct bk_homes {
    uint8_t king, rook[2];
};

/* No byte is unset: may be compared with memcmp(). */
struct bk_derivation {
    enum { BK_ITSELF, BK_ON_TERRAIN, BK_WITH_HOMES } how;
    struct bk_terrain terrain;
    struct bk_homes homes;
};

/*
 * Looks at a FEN.  Cheap: no table is touched.  It is the base's own (BK_ITSELF) also if it cannot
 * be read, or shows no board (ragged, or with another number of ranks but no `*`, which is a slip
 * of the pen far more often than a terrain): bk_pos_from_fen() with the base tells what is wrong.
 *
 * Returns BK_OK or BK_E_USAGE: White's and Black's homes differ, or there are two of a rook.
 */
enum bk_err bk_derivation_of(struct bk_derivation *d, const struct bk_variant *base,
                             const char *fen, struct bk_report *why);

/* Makes the derived game; d->how is not BK_ITSELF.  *out is owned: bk_variant_free().  BK_E_USAGE:
   the rules make no sense there. */
enum bk_err bk_variant_derived(struct bk_variant **out, const struct bk_variant *base,
                               const struct bk_derivation *d, struct bk_report *why);

/* bk_derivation_of() and bk_variant_derived() in one: *out is NULL if the FEN is asked in the base
   itself. */
enum bk_err bk_variant_for_fen(struct bk_variant **out, const struct bk_variant *base,
                               const char *fen, struct bk_report *why);

/* Checks that the array of a game whose FENs tell the homes is a position of it; BK_OK for all
   other games. */
enum bk_err bk_start_check(const struct bk_variant *v, struct bk_report *why);

/* The wings (bit 0: a-side) that castling rights speak of, of either colour. */
static inline unsigned bk_wings(unsigned rights) { return (rights | rights >> 2) & 3; }

/* The name of the game to which positions with rights on these wings belong: "sultan-random@f-aj",
   "sultan-random@f-j", "sultan-random"; v's own in games with fixed homes.  Returns `out`. */
char *bk_homes_name(const struct bk_variant *v, unsigned wings, char out[64]);

#endif
