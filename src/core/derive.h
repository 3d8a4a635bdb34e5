/*
 * derive.h - the game that a FEN is asked in.
 *
 * Mostly the game itself.  A FEN that shows another board than the game's is
 * asked in the game on that terrain (core/terrain.h); one with castling rights,
 * where homes are shuffled, in the game with its homes (core/homes.h).  Derived
 * games are variants like any other, with names, numbers of rules and tables
 * of their own.
 */
#ifndef BK_DERIVE_H
#define BK_DERIVE_H

#include "core/homes.h"
#include "core/terrain.h"

/* No byte is unset: may be compared with memcmp(). */
struct bk_derivation {
    enum { BK_ITSELF, BK_ON_TERRAIN, BK_WITH_HOMES } how;
    struct bk_terrain terrain;
    struct bk_homes homes;
};

/* Looks at a FEN.  Cheap: no table is touched.  BK_E_USAGE: see bk_homes_read(); otherwise a FEN
   that cannot be read is the base's own (BK_ITSELF), whose reader tells what is wrong. */
enum bk_err bk_derivation_of(struct bk_derivation *d, const struct bk_variant *base,
                             const char *fen, struct bk_report *why);

/* Makes the derived game; d->how is not BK_ITSELF.  *out is owned: bk_variant_free().  BK_E_USAGE:
   the rules make no sense there. */
enum bk_err bk_variant_derived(struct bk_variant **out, const struct bk_variant *base,
                               const struct bk_derivation *d, struct bk_report *why);

/* bk_derivation_of() and bk_variant_derived() in one: *out is NULL where the FEN is asked in the
   base itself. */
enum bk_err bk_variant_for_fen(struct bk_variant **out, const struct bk_variant *base,
                               const char *fen, struct bk_report *why);

/* Checks that the array of a game whose FENs tell the homes is a position of it; BK_OK for all
   other games. */
enum bk_err bk_start_check(const struct bk_variant *v, struct bk_report *why);

#endif
