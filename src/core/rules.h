/*
 * rules.h - what a rule flag means.  The one file that asks.
 */
#ifndef BK_RULES_H
#define BK_RULES_H

#include "core/variant.h"

/* In place of a type: the man stays what it is.  Arrays over all that a man may be after a
   move have BK_TYPES_MAX + 1 places, this one last. */
#define BK_STAYS BK_TYPES_MAX

/* A change that a man may make at the end of a move. */
struct bk_change {
    uint8_t type; /* BK_STAYS: none */
    bool counted; /* uses up an allowance of `type` */
};

/*
 * What a man of `type` may be after a move that ends on `to` (or, with
 * in_place, after a turn spent changing where it stands).
 *
 * count  men of its colour on the board, by type, before the move
 * left   evolutions still allowed to its colour, by type
 * out    at least BK_TYPES_MAX + 1 entries; staying comes first when allowed
 *
 * Returns how many.  Source: docs/rules.md, "Promotion" and "Evolution".
 */
unsigned bk_rules_changes(const struct bk_variant *v, const uint8_t count[BK_TYPES_MAX],
                          const uint8_t left[BK_TYPES_MAX], unsigned type, unsigned colour,
                          unsigned to, bool in_place, struct bk_change *out);

/* Might a man that ends a move on `to`, or stays there for a turn, become something else?  False
   is certain; true depends on counts and allowances. */
bool bk_rules_may_change(const struct bk_variant *v, unsigned type, unsigned colour, unsigned to);

/* May a man of this type and colour stand here? */
bool bk_rules_may_stand(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq);

/* Does some rule of some man, counted if `counted`, for lost kinds if `lost`, lead to `type`? */
bool bk_rules_offer(const struct bk_variant *v, unsigned type, bool counted, bool lost);

/* Has this type a rule that lets it change at all? */
bool bk_rules_changes_at_all(const struct bk_variant *v, unsigned type);

/* Has this type a rule that lets it change where it stands? */
bool bk_rules_changes_in_place(const struct bk_variant *v, unsigned type);

/* May a man of this type take two men in one move? */
bool bk_rules_takes_twice(const struct bk_variant *v, unsigned type);

/* Does a king without men lose (unless what follows)? */
bool bk_rules_bare_loses(const struct bk_variant *v);
/* May a bare king save the draw by taking the last man at once? */
bool bk_rules_bares_back(const struct bk_variant *v);

/*
 * Is a game with so many men exact when captured men are simply gone?  In games
 * with hands only if every capture ends the game, and nobody can win by
 * configuration: docs/whole.md 1.
 */
bool bk_rules_plain_is_exact(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX]);

/* What stalemate is worth to the stalemated side: 0 or -1. */
int bk_rules_stalemate_wdl(const struct bk_variant *v);

#endif
