/*
 * homes.h - where king and rooks castle from, in games that leave it to the FEN.
 *
 * Fischer's idea, Sultan Random's, too: the first rank is shuffled, and a king
 * and a rook that have not moved castle to the squares of the unshuffled game.
 * Only positions with castling rights know of their homes.  So the game itself
 * (castling-homes = shuffled) does not castle, and a FEN with rights is asked
 * in a game derived from it, named for the files of the king and of the rooks
 * that its rights speak of: "sultan-random@f-aj", "sultan-random@f-j".
 *
 * Tables are shared as far as homes matter.  Once rights are gone, those of
 * sultan-random itself answer; once those of the a-wing are, @f-j's do:
 *
 *      KRRvK+KQ          KRRvK+K, KRvK+K        KRRvK, KRvK, ...
 *      @f-aj       --->  @f-j             --->  sultan-random
 */
#ifndef BK_HOMES_H
#define BK_HOMES_H

#include "core/finish.h"

/* Files; rook[side] is BK_NO_HOME where no right speaks of that wing. */
struct bk_homes {
    uint8_t king, rook[2];
};

/*
 * Reads the homes of a FEN's castling rights: the king's file from where he
 * stands, a rook's from the letter, of its file or, K and Q, of the outermost
 * rook on that side of the king.  A right without such a king (on his first rank,
 * not on its first or last file) or rook is none.  *any is false where there are no
 * rights: the homes of `base` are fixed, or nobody has one, or the FEN cannot be
 * read, of which bk_pos_from_fen() with the base then tells.
 *
 * Returns BK_OK or BK_E_USAGE: White's and Black's homes differ, or there are two of a rook.
 */
enum bk_err bk_homes_read(struct bk_homes *h, bool *any, const struct bk_variant *base,
                          const char *fen, struct bk_report *why);

/* The base with these homes.  *out is owned: bk_variant_free(). */
enum bk_err bk_variant_with_homes(struct bk_variant **out, const struct bk_variant *base,
                                  const struct bk_homes *h, struct bk_report *why);

/* The wings (bit 0: a-side) that castling rights speak of, of either colour. */
static inline unsigned bk_wings(unsigned rights) { return (rights | rights >> 2) & 3; }

/* The name of the game to which positions with rights on these wings belong, one of the three
   above; v's own in games with fixed homes.  Returns `out`. */
char *bk_homes_name(const struct bk_variant *v, unsigned wings, char out[64]);

#endif
