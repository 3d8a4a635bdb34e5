/*
 * deal.h - arrays that are dealt: one of several, or with the first rank shuffled.
 */
#ifndef BK_DEAL_H
#define BK_DEAL_H

#include "core/position.h"

/* Checks that arrays that are dealt are positions of the game, and can be shuffled as it says;
   BK_OK where none are.  why = "deal: ...". */
enum bk_err bk_deal_check(const struct bk_variant *v, struct bk_report *why);

/*
 * Deals an array, the same one for the same seed.  All that may be dealt are equally likely.  The
 * FEN names castling rights by files where FENs tell the homes.
 *
 * Returns BK_OK; BK_E_USAGE (the game deals none, or bk_deal_check() complains), BK_E_SYSTEM.
 */
enum bk_err bk_deal(const struct bk_variant *v, uint64_t seed, char fen[BK_FEN_MAX],
                    struct bk_report *why);

#endif
